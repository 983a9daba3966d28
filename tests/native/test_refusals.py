"""What goes wrong with libraries of operators is told in words, by the class that fits."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.core.op import REGISTRY
from paddle.sysconfig import get_include
from paddle.utils import load_op_library
from paddle.utils.cpp_extension import load
from tests.native.libraries import SOURCES, built, forgetting, loaded

X = np.array([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]], "float32")


OPERATOR = """
#include "paddle/extension.h"
std::vector<paddle::Tensor> Forward(const paddle::Tensor& x) {{ return {{x}}; }}
{more}
PD_BUILD_OP({name}).Inputs({{"X"}}).Outputs({{"Out"}}).SetKernelFn(PD_KERNEL(Forward)){rest};
"""


def source(name: str = "mine_op", more: str = "", rest: str = "") -> str:
    return OPERATOR.format(name=name, more=more, rest=rest)


# ---- calls


@pytest.mark.parametrize(
    "how, kind, said",
    [
        ("few", ValueError, "its kernel returned 1 values for 2 outputs"),
        ("nothing", ValueError, "returned no memory for its output A"),
        ("throw", OSError, "an index of the kernel's own"),
        ("odd", OSError, "threw something that is no std::exception"),
        ("memory", MemoryError, ""),
    ],
)
def test_a_kernel_that_fails(forms: Any, how: str, kind: type, said: str) -> None:
    with pytest.raises(kind, match=f"(?s){said}.*inputs: X = float32.*operator < handed >"):
        forms.handed(paddle.to_tensor(X), how)
    paddle.set_flags({"FLAGS_check_native": False})
    assert len(forms.handed(paddle.to_tensor(X), "input")) == 2


def test_a_shape_that_was_not_inferred(forms: Any) -> None:
    x = paddle.to_tensor(X)
    said = r"returned Out of shape \[7\] and float32, but \[2, 3\] and float32 were inferred"
    with pytest.raises(ValueError, match=said):
        forms.unlike(x)
    paddle.set_flags({"FLAGS_check_native": False})
    assert forms.unlike(x).shape == [7]


def test_tensors_and_types(forms: Any) -> None:
    x = paddle.to_tensor(X)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'by'"):
        forms.scaled(x)
    with pytest.raises(TypeError, match="takes 2 positional arguments but 3 were given"):
        forms.rows_of(x, x, x)
    with pytest.raises(ValueError, match="argument X expects a Tensor, but received ndarray"):
        forms.cube(X)
    with pytest.raises(ValueError, match="argument X expects a list of Tensors"):
        forms.add_all(x, 1.0)
    with pytest.raises(TypeError, match="cube has no kernel for int32; there are float32, float64"):
        forms.cube(paddle.ones([2], "int32"))
    with pytest.raises(OSError, match="rows_of: expected matrices, but X has 1 dimensions"):
        forms.rows_of(x[0], x)


def test_a_program_that_lacks_its_library(built_here: Path, tmp_path: Path) -> None:
    with loaded(built_here, "relu_21.cc", extra_cxx_cflags=["-std=c++11"]) as module:
        paddle.enable_static()
        try:
            with static.program_guard(static.Program(), static.Program()):
                x = static.data("x", [None, 3], "float32")
                out = module.custom_relu(x)
                path = str(tmp_path / "net")
                static.save_inference_model(path, [x], [out], static.Executor())
        finally:
            paddle.disable_static()
        library = module.__file__
    assert "custom_relu" not in REGISTRY
    said = rf"'custom_relu' has not been .*\n.*Hint: .*load_op_library\('{library}'\)"
    with pytest.raises(RuntimeError, match=said):
        paddle.jit.load(path)(paddle.to_tensor(X))
    with forgetting():
        load_op_library(library)
        out = paddle.jit.load(path)(paddle.to_tensor(X))
        assert out.numpy().tolist() == np.maximum(X, 0).tolist()


# ---- registration


@pytest.mark.slow
def test_names_that_exist(here: Path) -> None:
    with pytest.raises(RuntimeError, match="registers operator relu, but that is an operator of p"):
        built(here, source("relu"), "builtin")
    built(here, source("mine_op"), "one")
    with pytest.raises(RuntimeError, match=r"mine_op, but that is of the library \S*one\.\w+\.so"):
        built(here, source("mine_op", "// other"), "two")
    again = source("other_op").replace("PD_BUILD_OP(other_op)", 'PD_REGISTER_(again, "other_op")')
    twice = source("other_op") + again[again.index("PD_REGISTER_") :]
    with pytest.raises(RuntimeError, match="registers operator other_op twice"):
        built(here, twice, "three")
    assert "other_op" not in REGISTRY


@pytest.mark.parametrize(
    "rest, said",
    [
        ('.Attrs({"a: float"})', "has 1 inputs and 1 attributes, but its kernel takes 1 and 0"),
        ('.Attrs({"a: complex"})', r'attribute "a: complex" is expected to be "name: type"'),
        ('.Inputs({"X", "Y"})', "has 2 inputs and 0 attributes, but its kernel takes 1 and 0"),
        ('.SetInplaceMap({{"X", "Y"}})', "SetInplaceMap names X and Y, which are not"),
    ],
)
def test_registrations_that_do_not_fit(here: Path, rest: str, said: str) -> None:
    with pytest.raises(ValueError, match=f"its operator 0 cannot be used: .*{said}"):
        built(here, source(rest=rest))


def test_gradients_that_do_not_fit(here: Path) -> None:
    grad = 'PD_BUILD_GRAD_OP(mine_op).Inputs({"Z"}).Outputs({paddle::Grad("X")})'
    text = source() + grad + ".SetKernelFn(PD_KERNEL(Forward));"
    with pytest.raises(
        ValueError, match="mine_op_grad: its input Z is neither an input of mine_op"
    ):
        built(here, text)
    assert "mine_op" not in REGISTRY


# ---- libraries


def test_no_gradient_is_no_guess(here: Path) -> None:
    module = built(here, source())
    x = paddle.to_tensor(X, stop_gradient=False)
    assert module.mine_op(x).stop_gradient


def test_files(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere.so is not there; looked for /"):
        load_op_library("nowhere.so")
    with pytest.raises(TypeError, match="expected the file of a library as a str, but received 3"):
        load_op_library(3)
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/none:{here}")
    with pytest.raises(FileNotFoundError, match=rf"{here}/nowhere.so"):
        load_op_library("nowhere.so")
    library = built(here, source()).__file__
    os.rename(library, here / "renamed.so")
    monkeypatch.chdir("/")
    with forgetting():
        REGISTRY.pop("mine_op")
        load_op_library("renamed.so")
        assert "mine_op" in REGISTRY
        load_op_library("renamed.so")
        with open(here / "renamed.so", "ab") as file:
            file.write(b"more")
        with pytest.raises(RuntimeError, match="has changed since it was loaded"):
            load_op_library("renamed.so")
    (here / "text.so").write_text("no library")
    with pytest.raises(RuntimeError, match=r"text\.so cannot be loaded"):
        load_op_library(str(here / "text.so"))
    with pytest.raises(ValueError, match="is a folder"):
        load_op_library(str(here))


def compiled(folder: Path, text: str, *flags: str, suffix: str = "c") -> str:
    """A library made by the compiler itself."""
    path = folder / f"plain.{suffix}"
    path.write_text(text)
    made = str(folder / "plain.so")
    compiler = "gcc" if suffix == "c" else "g++"
    subprocess.run(
        [compiler, "-shared", "-fPIC", f"-I{get_include()}", *flags, str(path), "-o", made],
        check=True,
    )
    return made


def test_libraries_of_other_kinds(here: Path) -> None:
    with pytest.raises(
        ValueError, match="is no library of operators: it has no function paddle_op"
    ):
        load_op_library(compiled(here, "int nothing;"))
    for i, (text, kind, said) in enumerate([
        ("int missing(void); int f(void) { return missing(); }", RuntimeError,
         "it lacks the symbol missing"),
        ('static const PD_Library library = {7, sizeof(PD_Library)};\n'
         "const PD_Library* PD_ENTRY(const PD_Host* host) { (void)host; return &library; }",
         OSError,
         "was built for version 7 of the interface of operators, but this is version 1"),
        ("const PD_Library* PD_ENTRY(const PD_Host* host) {"
         ' host->error(0, PD_UNAVAILABLE, "not today"); return 0; }', RuntimeError,
         "cannot be used: not today"),
    ]):  # fmt: skip
        folder = here / str(i)
        folder.mkdir()
        with pytest.raises((kind, RuntimeError), match=said):
            load_op_library(compiled(folder, '#include "paddle/c_abi.h"\n' + text))


def test_a_library_that_aborts(here: Path) -> None:
    text = "#include <stdlib.h>\n__attribute__((constructor)) static void f(void) { abort(); }"
    with pytest.raises(SystemError, match=r"ended the process that loaded it .* by signal 6"):
        load_op_library(compiled(here, text), safe=True)


C_OPERATOR = r"""
#include "paddle/c_abi.h"
static const PD_Host* host;
static const PD_Slot in[] = {{"X", "what is doubled", 0, -1}};
static const PD_Slot out[] = {{"Out", 0, 0, -1}};
static const PD_Attribute by[] = {{"by", "the factor", PD_ATTR_FLOAT, 1,
                                   {PD_ATTR_FLOAT, 0, 1, {.d = 2.0}}}};
static const PD_Operator told = {"times_in_c", "Multiplies.", 0, 1, in, 1, out, 1, by, 0, 0, 0};
static int32_t count(void) { return 1; }
static const PD_Operator* describe(int32_t op) { return op == 0 ? &told : 0; }
static int32_t infer(int32_t op, PD_Call* call) { (void)op; (void)call; return PD_OK; }
static int32_t call(int32_t op, PD_Call* c) {
  const float* x = c->inputs[0].data;
  float* y = c->outputs[0].data;
  int64_t n = 1;
  (void)op;
  if (c->inputs[0].dtype.code != PD_FLOAT || c->inputs[0].dtype.bits != 32) {
    host->error(c, PD_NO_KERNEL, "times_in_c takes float32 alone");
    return PD_NO_KERNEL;
  }
  for (int i = 0; i < c->inputs[0].ndim; ++i) n *= c->inputs[0].shape[i];
  for (int64_t i = 0; i < n; ++i) y[i] = (float)c->attributes[0].as.d * x[i];
  return PD_OK;
}
static const PD_Library library = {PD_ABI_VERSION, sizeof(PD_Library), "C99", count, describe,
                                   infer, infer, call};
const PD_Library* PD_ENTRY(const PD_Host* given) { host = given; return &library; }
"""


def test_an_operator_in_c(here: Path) -> None:
    path = compiled(here, C_OPERATOR, "-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-Werror")
    load_op_library(path, safe=True)
    from paddle.core.op import C

    x = paddle.to_tensor(X)
    assert C.times_in_c(x).numpy().tolist() == (2 * X).tolist()
    assert C.times_in_c(x, by=-1).numpy().tolist() == (-X).tolist()
    with pytest.raises(TypeError, match="times_in_c takes float32 alone"):
        C.times_in_c(x.astype("float64"))


def test_a_library_stays_while_it_is_used(here: Path) -> None:
    module = built(here, source())
    function, path = module.mine_op, module.__file__
    os.unlink(path)
    del module
    gc.collect()
    assert function(paddle.to_tensor(X)).numpy().tolist() == X.tolist()
    assert not hasattr(ctypes, "dlclose")


# ---- compilers


def test_compile_errors(here: Path) -> None:
    with pytest.raises(RuntimeError, match=r"mine.cc:7:\d+: error: .*nonsense"):
        built(here, source(more="\n") + "nonsense;")
    with pytest.raises(RuntimeError, match="an argument is a Tensor, a list of them, or of a type"):
        built(here, source().replace("const paddle::Tensor& x", "long double x"))
    with pytest.raises(
        RuntimeError, match=r"(?s)eigen\.h.*Hint: of PaddlePaddle's headers there are"
    ):
        built(here, '#include "paddle/fluid/framework/eigen.h"\n' + source())
    with pytest.raises(FileNotFoundError, match=r"nowhere\.cc is not there"):
        load("mine", ["nowhere.cc"], build_directory=str(here))
    with pytest.raises(ValueError, match="a name that Python can import, but received 'my-ops'"):
        load("my-ops", [str(SOURCES / "forms.cc")])


def test_missing_compilers(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler -m64")
    with pytest.raises(RuntimeError, match=r"\$CXX says no-such-compiler, which is not there"):
        built(here, source())
    monkeypatch.delenv("CXX")
    monkeypatch.setenv("PATH", str(here))
    with pytest.raises(RuntimeError, match=r"(?s)there is no C\+\+ compiler.*apt-get .*conda"):
        built(here, source())
    cuda = here / "mine.cu"
    cuda.write_text("")
    monkeypatch.setattr("paddle.utils.cpp_extension.build.CUDA_HOME", str(here))
    (here / "g++").write_text("#!/bin/sh\n")
    (here / "g++").chmod(0o755)
    with pytest.raises(RuntimeError, match=r"(?s)there is no nvcc, neither in .*conda-?|CUDA_HOME"):
        load("mine", [str(cuda)], build_directory=str(here))


def test_real_paddlepaddle_is_named(here: Path) -> None:
    text = "namespace paddle { int missing(); } int f() { return paddle::missing(); }"
    with pytest.raises(RuntimeError, match=r"(?s)lacks the symbol _ZN6paddle.*built for PaddlePad"):
        load_op_library(compiled(here, text, suffix="cc"))


def test_python_is_left_alone() -> None:
    """Who loads no library pays for none: neither ctypes' structs nor setuptools are imported."""
    code = "import sys, paddle; print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    ours = ("paddle.core.native", "paddle.ops.native", "paddle.utils.cpp_extension.", "setuptools")
    assert "paddle.core.op" in loaded
    assert not [name for name in loaded if name.startswith(ours)]
