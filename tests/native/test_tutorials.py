"""Sources in the manner of the tutorials of 2.0.2 to 2.4, and what kernels do with tensors."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.core import native
from paddle.core.op import REGISTRY
from paddle.utils import load_op_library
from paddle.utils.cpp_extension import load
from tests.native.libraries import built, forgetting, loaded
from tests.native.test_extension import recorded

pytestmark = pytest.mark.slow  # it compiles two dozen operators

X = np.array([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]], "float32")


@pytest.fixture(scope="module")
def ops(built_here: Path) -> Iterator[Any]:
    with loaded(built_here, "tutorials.cc", extra_cxx_cflags=["-std=c++11", "-O1"]) as module:
        yield module


@pytest.fixture
def unchecked() -> None:
    paddle.set_flags({"FLAGS_check_native": False})


def test_a_place_then_a_shape_then_memory(ops: Any) -> None:
    out = ops.old_form(paddle.to_tensor(X), by=2.0, shift=1, axes=[0, 1])
    assert out.numpy().tolist() == (2 * X + 8).tolist()
    whole = ops.old_form(paddle.arange(3), 2.0, 0, [5])
    assert whole.dtype == paddle.int64 and whole.numpy().tolist() == [7, 9, 11]


def test_a_shape_function_that_takes_less(ops: Any) -> None:
    x = paddle.to_tensor(X)
    assert ops.wide(x, x, 5).numpy().tolist() == np.full((2, 5), 3.0).tolist()
    shape, (out, *_), _ = recorded(lambda v: ops.wide(v, v, 4) + v.sum(), [None, 3])
    assert tuple(shape) == (-1, 4) and out.shape == (2, 4)


def test_names_of_2_3(ops: Any) -> None:
    assert ops.moved(paddle.to_tensor(X)).numpy().tolist() == (2 * X + 2).tolist()


@pytest.mark.parametrize("how, want", [("copy", X + 1), ("assign", X * 0 + 5), ("input", X + 1)])
def test_in_place_by_another_tensor(ops: Any, how: str, want: Any) -> None:
    x, y = paddle.to_tensor(X), paddle.to_tensor(X + 1)
    out = ops.overwrite(x, y, how)
    assert out is x and x.numpy().tolist() == want.tolist()
    x[0, 0] = 100.0
    assert y.numpy().tolist() == (X + 1).tolist()


def test_in_place_by_a_part_of_it(ops: Any, unchecked: None) -> None:
    x = paddle.to_tensor(X)
    assert ops.overwrite(x, x, "part").numpy().tolist() == X[:1].tolist()


def test_an_input_that_is_missing(ops: Any) -> None:
    with pytest.raises(
        ValueError, match=r"input 1 is missing, but its function takes no .*optional"
    ):
        ops.rash(paddle.to_tensor(X))


@pytest.mark.parametrize("how, want", [("out", 2 * X), ("input", X), ("part", X[1:])])
def test_what_a_kernel_keeps_and_then_fails(ops: Any, unchecked: None, how: str, want: Any) -> None:
    x = paddle.to_tensor(X)
    with pytest.raises(OSError, match="after it was kept"):
        ops.keeper(x, how)
    x.fill_(-1.0)
    del x
    other = [paddle.full([2, 3], 9.0) for _ in range(20)]  # which may get the memory that was freed
    assert ops.keeper(other[0], "last").numpy().tolist() == want.tolist()
    ops.keeper(other[0], "forget")


@pytest.mark.parametrize("name", ["own_tanh", "new_tanh"])
def test_second_derivatives_by_the_output(ops: Any, name: str) -> None:
    values = X.astype("float64") / 4
    got, want = [], []
    for tanh, made in ((getattr(ops, name), got), (paddle.tanh, want)):
        x = paddle.to_tensor(values, stop_gradient=False)
        (first,) = paddle.grad((tanh(x) ** 2).sum(), x, create_graph=True)
        (first * first).sum().backward()
        made += [first.numpy(), x.grad.numpy()]
    np.testing.assert_allclose(got, want, rtol=1e-9)


def test_a_list_that_may_be_missing(ops: Any) -> None:
    x = paddle.to_tensor(X)
    assert ops.plus_all(x).numpy().tolist() == ops.plus_all(x, None).numpy().tolist() == X.tolist()
    assert ops.plus_all(x, [x, x]).numpy().tolist() == (3 * X).tolist()
    shape, (out, *_), _ = recorded(lambda v: ops.plus_all(v, [v, v]) + v.sum(), [None, 3])
    assert tuple(shape) == (-1, 3) and out.shape == (2, 3)
    with pytest.raises(OSError, match="expected two more, but received 1"):
        recorded(lambda v: ops.plus_all(v, [v]), [None, 3])


def test_mixed_precision_keeps_32_bits_where_a_kernel_has_no_others(ops: Any) -> None:
    """What a kernel takes is seen when it runs: 16 bits come where the user's list says so."""
    x = paddle.to_tensor(X)
    eye = paddle.eye(3)
    for level in ("O1", "O2"):
        with paddle.amp.auto_cast(level=level):
            low = paddle.matmul(x, eye)
            out = ops.own_tanh(low)
            static_out = paddle.jit.to_static(lambda v: ops.own_tanh(paddle.matmul(v, eye)))(x)
        assert low.dtype is not paddle.float32
        assert out.dtype is paddle.float32 and static_out.dtype is paddle.float32
        np.testing.assert_allclose(out.numpy(), np.tanh(X), rtol=1e-6)
    with (
        paddle.amp.auto_cast(custom_white_list={"own_tanh"}),
        pytest.raises(TypeError, match=r"no kernel for b?float16; there are float32, float64"),
    ):
        ops.own_tanh(x)


def test_functions_of_operators_need_no_conversion(ops: Any, capsys: pytest.CaptureFixture) -> None:
    """to_static leaves them as they are, and says nothing of it."""
    x = paddle.to_tensor(X)
    out = paddle.jit.to_static(lambda v: ops.own_tanh(v) if v.sum() < 0 else v)(x)
    np.testing.assert_allclose(out.numpy(), np.tanh(X), rtol=1e-6)
    assert "cannot be converted" not in capsys.readouterr().err


# ---- devices by plug-in, which libraries do not know

ON_A_PRETENDER = """
import warnings, pretend, paddle
from paddle.utils.cpp_extension import load_op_meta_info_and_register_op as register
from paddle.core.op import C
pretend.install()
register({path!r})
paddle.set_device("pretend")
x = paddle.to_tensor([[1.0, 2.0]], stop_gradient=False)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    y = C.own_tanh(x)
    C.own_tanh(x)
assert len([w for w in said if "own_tanh runs on the CPU" in str(w.message)]) == 1, said
y.sum().backward()
print([str(t.place) for t in (x, y, x.grad)], (y.numpy() * 100).astype(int).tolist())
z = paddle.to_tensor([0.0, 1.0])
print(C.overwrite(z, z + 1, how="copy").numpy().tolist())
paddle.set_flags({{"FLAGS_device_fallback": False}})
try:
    C.own_tanh(x)
except NotImplementedError as error:
    print("own_tanh of a library has no kernel for pretend:0" in str(error))
"""


@pytest.mark.slow
def test_on_a_device_of_a_plug_in(ops: Any) -> None:
    root = Path(__file__).parents[2]
    env = {**os.environ, "PYTHONPATH": f"{root}:{root / 'tests' / 'device'}"}
    code = ON_A_PRETENDER.format(path=ops.__file__)
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    places, values, fallback = done.stdout.strip().splitlines()
    assert places == str(["PretendPlace(0)"] * 3) + " [[76, 96]]"
    assert values == "[1.0, 2.0]" and fallback == "True"


# ---- nothing stays behind


@pytest.mark.parametrize("how", ["input", "parts", "twice", "cast", "few", "nothing", "throw"])
def test_handles_come_back(forms: Any, unchecked: None, how: str) -> None:
    x = paddle.to_tensor(X)
    before = len(native._held)
    for _ in range(50):
        try:
            forms.handed(x, how)
        except (ValueError, OSError):
            pass
    gc.collect()
    assert len(native._held) == before


@pytest.mark.parametrize("how", ["twice", "part", "parts", "nothing", "fail", "all"])
def test_memory_of_the_kernel_comes_back(ops: Any, unchecked: None, how: str) -> None:
    x = paddle.to_tensor(X)
    before = len(native._held)
    for _ in range(50):
        try:
            a, b = ops.owned(x, how)
            a[0, 0] = 1.0
            assert b.numpy().ravel().tolist() == [7.0] * b.size
        except (ValueError, OSError):
            assert how in ("nothing", "fail")
    gc.collect()
    assert len(native._held) == before


def test_threads_that_fail(forms: Any, unchecked: None) -> None:
    """Each sees its own error."""
    wrong: list[str] = []

    def work(how: str, said: str) -> None:
        x = paddle.to_tensor(X)
        for _ in range(100):
            try:
                forms.handed(x, how)
            except Exception as error:
                if said not in str(error):
                    wrong.append(str(error))

    pairs = [("few", "returned 1 values"), ("throw", "the kernel's own"), ("odd", "no std::exc")]
    threads = [threading.Thread(target=work, args=pair) for pair in pairs * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# ---- registration

PLAIN = """
#include "paddle/extension.h"
std::vector<paddle::Tensor> F(const paddle::Tensor& x) {{
  return {{paddle::full(x.shape(), {value})}};
}}
{more}
PD_BUILD_OP({name}).Inputs({{"X"}}).Outputs({{"Out"}}).SetKernelFn(PD_KERNEL(F)){rest};
"""


def plain(name: str = "mine_op", value: int = 1, more: str = "", rest: str = "") -> str:
    return PLAIN.format(name=name, value=value, more=more, rest=rest)


SHAPES = "using Shape = std::vector<int64_t>;\nstd::vector<Shape> S({0}) {{ return {{{{1}}}}; }}"


@pytest.mark.parametrize(
    "taken, attrs, said",
    [
        (
            "Shape x, Shape y, Shape z",
            "",
            "has 1 inputs and 0 attributes, but its InferShapeFn tak",
        ),
        ("Shape x, int a", "", "its InferShapeFn takes 1 and 1"),
        (
            "Shape x, float a",
            '.Attrs({"a: int"})',
            'a: int" is not of the type that its InferShape',
        ),
        ("int a, Shape x", '.Attrs({"a: int"})', "InferShapeFn takes"),
    ],
)
def test_shape_functions_that_do_not_fit(here: Path, taken: str, attrs: str, said: str) -> None:
    text = plain(more=SHAPES.format(taken), rest=attrs + ".SetInferShapeFn(PD_INFER_SHAPE(S))")
    if attrs:
        text = text.replace("& x) {", "& x, int) {")
    with pytest.raises(ValueError, match=said):
        built(here, text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "rest, said",
    [('.Inputs({"X", "X"})', "has X twice"), ('.Outputs({"Out", "Out"})', "has Out twice"),
     ('.Attrs({"a: int", "a: int"})', "has a twice")],
)  # fmt: skip
def test_names_that_stand_twice(here: Path, rest: str, said: str) -> None:
    with pytest.raises(ValueError, match=f"operator mine_op {said}"):
        built(here, plain(rest=rest))


@pytest.mark.slow
def test_a_second_gradient_that_does_not_fit_leaves_nothing(here: Path) -> None:
    more = """
    std::vector<paddle::Tensor> G(const paddle::Tensor& d) { return {d}; }
    PD_BUILD_GRAD_OP(mine_op).Inputs({paddle::Grad("Out")}).Outputs({paddle::Grad("X")})
        .SetKernelFn(PD_KERNEL(G));
    PD_BUILD_DOUBLE_GRAD_OP(mine_op).Inputs({"Nothing"}).Outputs({paddle::Grad("X")})
        .SetKernelFn(PD_KERNEL(G));
    """
    with pytest.raises(ValueError, match="mine_op_grad_grad: its input Nothing is neither"):
        built(here, plain(more=more))
    assert not [name for name in REGISTRY if name.startswith("mine_op")]
    module = built(here, plain(value=4))
    assert module.mine_op(paddle.ones([2])).numpy().tolist() == [4, 4]


@pytest.mark.slow
def test_two_libraries_with_one_name(here: Path) -> None:
    """Of the same module, and of the same file in two folders: each has its own operators."""
    made = []
    for i in range(2):
        folder = here / str(i)
        folder.mkdir()
        made.append(built(folder, plain(f"op_{i}", i), "same"))
    both = [m.__dict__[f"op_{i}"](paddle.ones([1])).numpy()[0] for i, m in enumerate(made)]
    assert both == [0, 1] and made[0].__name__ == made[1].__name__ == "same"
    (here / "same.cc").write_text(plain("op_2", 2))
    for source, name in ((here / "1" / "same.cc", "op_1"), (here / "same.cc", "op_2")):
        other = load("same", [source], extra_cxx_cflags=["-O0"], build_directory=str(here / "1"))
        assert other.__all__ == [name]
    files = [Path(m.__file__) for m in made]
    for i, file in enumerate(files):
        file.rename(file.with_name("one_name.so"))
        with forgetting():
            REGISTRY.pop(f"op_{i}")
            load_op_library(str(file.with_name("one_name.so")))
            assert f"op_{i}" in REGISTRY


# ---- building


@pytest.mark.slow
def test_words_that_are_no_lists(here: Path) -> None:
    source = here / "mine.cc"
    source.write_text(plain())
    for name in ("extra_cxx_cflags", "extra_ldflags", "extra_include_paths", "extra_cuda_cflags"):
        with pytest.raises(ValueError, match="expected a list of str, but received '-O2'"):
            load("mine", [source], build_directory=str(here), **{name: "-O2"})
        with pytest.raises(TypeError, match="expected a list of str, but it holds 3"):
            load("mine", [source], build_directory=str(here), **{name: [3]})
    with pytest.raises(ValueError, match="expected at least one file, but received none"):
        load("mine", [], build_directory=str(here))
    with pytest.raises(FileNotFoundError, match=r"interpreter\): no-python is not there"):
        load("mine", [source], build_directory=str(here), interpreter="no-python")
    flags = {"extra_cxx_cflags": ["-O0"], "build_directory": str(here)}
    with forgetting():
        module = load("mine", str(source), interpreter="python3", **flags)
        assert module.__all__ == ["mine_op"]
    for note in here.glob("mine.*.json"):
        note.write_text('["of another time"]')
    assert load("mine", [source], **flags).__all__ == ["mine_op"]


@pytest.mark.slow
def test_an_archive_that_has_changed_is_linked_anew(here: Path) -> None:
    text = plain().replace("std::", 'extern "C" int value_of();\nstd::', 1)
    (here / "mine.cc").write_text(text.replace("(x.shape(), 1)", "(x.shape(), value_of())"))
    for value in (3, 4):
        (here / "value.c").write_text(f"int value_of(void) {{ return {value}; }}")
        subprocess.run(["gcc", "-c", "-fPIC", "value.c", "-o", "value.o"], cwd=here, check=True)
        with forgetting():
            module = load(
                "mine", [here / "mine.cc"], extra_cxx_cflags=["-O0"],
                extra_ldflags=[str(here / "value.o")], build_directory=str(here),
            )  # fmt: skip
            assert module.mine_op(paddle.ones([1])).numpy()[0] == value


@pytest.mark.parametrize(
    "call, said",
    [
        ("never_heard_of(x)", r"never_heard_of.*Hint: paddle/operators\.h has .*paddle::call"),
        ("matmul(x, x, 1, 2, 3)", r"matmul.*Hint: attributes of operators are named: .*trans_y"),
    ],
)
def test_what_is_said_of_functions_of_operators(here: Path, call: str, said: str) -> None:
    text = plain(more=f"auto f(paddle::Tensor x) {{ return paddle::{call}; }}")
    with pytest.raises(RuntimeError, match=rf"(?s){said}"):
        built(here, text)


def test_functions_of_operators_beside_the_users(ops: Any) -> None:
    """A function of the user's by the same name is not taken for that of the operator."""
    x = paddle.to_tensor(X)
    sum_, own = ops.both_adds(x)
    assert sum_.numpy().tolist() == (2 * X).tolist() and own.numpy().tolist() == X.tolist()
