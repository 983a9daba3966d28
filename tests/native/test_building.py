"""Building: what is kept and what is built again, several processes, killed ones, setup.py."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import paddle
from paddle.utils import cpp_extension
from tests.native.libraries import SOURCES, forgetting

RELU = str(SOURCES / "relu_21.cc")
ROOT = str(Path(__file__).parents[2])


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": ROOT, "OMP_NUM_THREADS": "1", **more}


@pytest.fixture
def here(tmp_path: Path, built_here: Path) -> Path:
    return tmp_path


def libraries(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.so"))


def counting(folder: Path, delay: float = 0.0) -> str:
    """A compiler that notes each call; the name of its notes is ``calls``."""
    script = folder / "counting-g++"
    script.write_text(
        f"#!/bin/sh\necho x >> {folder}/calls\nsleep {delay}\n"
        f'echo $$ >> {folder}/pids\nexec g++ -O0 "$@"\n'
    )
    script.chmod(0o755)
    return str(script)


SMALL = """
#include "paddle/extension.h"
#include "own.h"
std::vector<paddle::Tensor> Forward(const paddle::Tensor& x) {
  return {paddle::full(x.shape(), VALUE)};
}
PD_BUILD_OP(constant_of).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(Forward));
"""


@pytest.mark.slow
def test_what_is_kept(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture
) -> None:
    monkeypatch.setenv("CXX", counting(here))
    source, header, folder = here / "small.cc", here / "own.h", here / "kept"
    source.write_text(SMALL)
    header.write_text("#define VALUE 1")

    def value(**options: Any) -> float:
        with forgetting():
            module = cpp_extension.load(
                "small", [str(source)], build_directory=str(folder), **options
            )
            return float(module.constant_of(paddle.ones([1])).numpy()[0])

    def calls() -> int:
        return len((here / "calls").read_text().split())

    assert value(verbose=True) == 1 and calls() == 2  # it compiles, it links
    said = capfd.readouterr().err
    assert "-O3" in said and "-std=c++17" in said and "small.cc" in said
    assert value() == 1 and calls() == 2
    header.write_text("#define VALUE 2")
    assert value() == 2 and calls() == 4
    assert value(extra_cxx_cflags=["-std=c++11", "-O1"], verbose=True) == 2 and calls() == 6
    said = capfd.readouterr().err
    assert "-O3" not in said and "-std=c++17" not in said
    header.write_text("#define VALUE 1")
    assert value() == 1 and len(libraries(folder)) == 3
    assert not [p for p in folder.iterdir() if p.is_dir()]


def test_where_it_is_kept(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDLE_EXTENSION_DIR", str(here / "all"))
    assert cpp_extension.get_build_directory() == str(here / "all")
    with forgetting():
        module = cpp_extension.load("my_relu", [RELU], extra_cxx_cflags=["-O0"])
        assert module.__file__.startswith(str(here / "all" / "my_relu" / "my_relu."))
        out = module.custom_relu(paddle.to_tensor([-1.0, 2.0]))
        assert out.numpy().tolist() == [0, 2] and module.__name__ == "my_relu"
        assert cpp_extension.load_op_meta_info_and_register_op(module.__file__) == ["custom_relu"]


PROCESS = """
import sys, paddle
from paddle.utils.cpp_extension import load
module = load("small", [sys.argv[1]], build_directory=sys.argv[2])
print(module.constant_of(paddle.ones([1])).numpy()[0], module.__file__)
"""


def start(here: Path, compiler: str) -> subprocess.Popen:
    command = [sys.executable, "-c", PROCESS, str(here / "small.cc"), str(here / "kept")]
    return subprocess.Popen(
        command, env=environment(CXX=compiler), stdout=subprocess.PIPE, text=True, cwd=here
    )


@pytest.mark.slow
def test_four_processes_build_once(here: Path) -> None:
    (here / "small.cc").write_text(SMALL)
    (here / "own.h").write_text("#define VALUE 5")
    processes = [start(here, counting(here, delay=0.5)) for _ in range(4)]
    said = {p.communicate(timeout=250)[0] for p in processes}
    assert len(said) == 1 and said.pop().startswith("5.0 ")
    assert len((here / "calls").read_text().split()) == 2


@pytest.mark.slow
def test_a_process_that_is_killed_while_it_builds(here: Path) -> None:
    (here / "small.cc").write_text(SMALL)
    (here / "own.h").write_text("#define VALUE 6")
    process = start(here, counting(here, delay=60))
    deadline = time.monotonic() + 120
    while not (here / "calls").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert [p for p in (here / "kept").iterdir() if p.is_dir()] and not libraries(here / "kept")
    (here / "counting-g++").write_text('#!/bin/sh\nexec g++ -O0 "$@"\n')
    # The script of the killed one is another compiler, so the same again:
    counting(here)
    said = start(here, str(here / "counting-g++")).communicate(timeout=250)[0]
    assert said.startswith("6.0 ") and len(libraries(here / "kept")) == 1


@pytest.mark.slow
def test_sanitizers(here: Path) -> None:
    flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-O1", "-g"]
    code = f"""
        import numpy as np, paddle
        from paddle.utils.cpp_extension import load
        module = load("forms", [{str(SOURCES / "forms.cc")!r}], extra_cxx_cflags={flags!r},
                      build_directory={str(here)!r})
        x = paddle.to_tensor(np.ones((2, 3), "float32"), stop_gradient=False)
        for _ in range(3):
            module.rows_of(x, x)[1].sum().backward()
            module.add_all([x, x], 0.5).sum().backward()
            (first,) = paddle.grad(module.cube(x).sum(), x, create_graph=True)
            first.sum().backward()
            module.add_into(x * 1, x).sum().backward()
            for how in ("input", "parts", "twice", "cast", "kept"):
                module.handed(x, how)
            for how in ("few", "throw", "nothing"):
                try:
                    module.handed(x, how)
                except Exception:
                    pass
            module.add_maybe(x)
            module.row_sums(x)
            module.scaled(x.astype("bfloat16"), 0.5)
        others = load("tutorials", [{str(SOURCES / "tutorials.cc")!r}], extra_cxx_cflags={flags!r},
                      build_directory={str(here)!r})
        for _ in range(3):
            for how in ("copy", "assign", "input", "part"):
                others.overwrite(x.detach().clone(), x.detach(), how)
            for how in ("out", "input", "part"):
                try:
                    others.keeper(x.detach().clone(), how)
                except OSError:
                    pass
                others.keeper(x, "last")
            others.keeper(x, "forget")
            for how in ("twice", "part", "parts", "nothing", "fail", "all"):
                try:
                    others.owned(x, how)
                except (ValueError, OSError):
                    pass
            others.old_form(x, 1.0, 2, [3])
            others.wide(x, x, 4)
            others.moved(x)
        print("clean")
    """
    libraries = [
        subprocess.run(["g++", f"-print-file-name={name}"], capture_output=True, text=True).stdout
        for name in ("libasan.so", "libubsan.so", "libstdc++.so.6")
    ]
    found = [name.strip() for name in libraries]
    if not all(os.path.isabs(name) for name in found):
        pytest.skip("the compiler has no sanitizers")
    env = environment(LD_PRELOAD=":".join(found), ASAN_OPTIONS="detect_leaks=0")
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.strip().endswith("clean")
    assert "runtime error" not in done.stderr and "AddressSanitizer" not in done.stderr


SETUP = """
from paddle.utils.cpp_extension import CppExtension, setup

setup(name="custom_setup_ops", ext_modules=CppExtension(
    sources=["relu_21.cc"], extra_compile_args={"cxx": ["-O0"]}))
"""
USE = """
import inspect, paddle, custom_setup_ops
from custom_setup_ops import custom_relu
x = paddle.to_tensor([-1.0, 2.0], stop_gradient=False)
custom_relu(x).sum().backward()
print(x.grad.numpy().tolist(), inspect.signature(custom_relu), custom_setup_ops.__file__)
"""


def project(folder: Path) -> Path:
    folder.mkdir()
    (folder / "setup.py").write_text(SETUP)
    (folder / "relu_21.cc").write_text(Path(RELU).read_text())
    return folder


def run(command: list[str], cwd: Path, **env: str) -> str:
    done = subprocess.run(
        command, cwd=cwd, env=environment(**env), capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    return done.stdout


def needs_pip() -> None:
    """Skips without pip. To look for its module would keep setuptools from being imported."""
    try:
        metadata.version("pip")
    except metadata.PackageNotFoundError:
        pytest.skip("there is no pip")


def used(where: Path, cwd: Path) -> None:
    said = run([sys.executable, "-c", USE], cwd, PYTHONPATH=f"{where}:{ROOT}")
    assert said.startswith("[0.0, 1.0] (X) ") and str(where) in said


@pytest.mark.slow
def test_pip_install(here: Path) -> None:
    needs_pip()
    source = project(here / "project")
    run(
        [sys.executable, "-m", "pip", "install", ".", "--target", str(here / "site"), "--no-deps",
         "--no-build-isolation", "--no-index", "--quiet"], source,
    )  # fmt: skip
    used(here / "site", here)


@pytest.mark.slow
def test_editable_installation(here: Path) -> None:
    needs_pip()
    source = project(here / "project")
    run(
        [sys.executable, "-m", "pip", "install", "-e", ".", "--prefix", str(here / "site"),
         "--no-deps", "--no-build-isolation", "--no-index", "--quiet"], source,
    )  # fmt: skip
    (folder,) = (path.parent for path in (here / "site").rglob("__editable__*.pth"))
    code = f"import site; site.addsitedir({str(folder)!r})\n" + USE
    said = run([sys.executable, "-c", code], here)
    assert said.startswith("[0.0, 1.0] (X) ") and str(source) in said


@pytest.mark.slow
def test_setup_install_and_develop(here: Path) -> None:
    source = project(here / "project")
    run(
        [sys.executable, "setup.py", "--quiet", "install", "--install-lib", str(here / "lib"),
         "--single-version-externally-managed", "--record", str(here / "record")], source,
    )  # fmt: skip
    used(here / "lib", here)
    assert "custom_setup_ops_pd_.so" in (here / "record").read_text()
    run([sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"], source)
    used(source, here)


def test_descriptions() -> None:
    made = cpp_extension.CUDAExtension(["a.cc", "b.cu"], include_dirs=["/x"], libraries=["m"])
    assert made.sources == ["a.cc", "b.cu"] and made.libraries == ["m"]
    with pytest.raises(ValueError, match="lists for 'cxx' and 'nvcc', but received"):
        cpp_extension.CppExtension(["a.cc"], extra_compile_args={"gcc": []})
    with pytest.raises(ValueError, match=r"setup\(name\): expected the name"):
        cpp_extension.setup(name="a b", ext_modules=made)
    with pytest.raises(ValueError, match=r"setup\(ext_modules\): expected one CppExtension"):
        cpp_extension.setup(name="ab", ext_modules=[made, made])
    options = cpp_extension.BuildExtension.with_options(output_dir="/tmp/made")
    assert issubclass(options, cpp_extension.BuildExtension) and options.output_dir == "/tmp/made"
    with pytest.raises(ValueError, match="with_options: expected output_dir"):
        cpp_extension.BuildExtension.with_options(use_ninja=True)
    # without an object: where Python's distutils came first, setuptools' classes are not its
    name = cpp_extension.BuildExtension.get_ext_filename(None, "a.b")  # type: ignore[arg-type]
    assert name == os.path.join("a", "b.so")


def test_commands_of_test_programs(capfd: pytest.CaptureFixture) -> None:
    from paddle.utils.cpp_extension.extension_utils import IS_WINDOWS, run_cmd

    assert run_cmd("echo built") == 0 and capfd.readouterr() == ("", "")
    assert run_cmd("echo built", verbose=True) == 0 and "built" in capfd.readouterr().err
    with pytest.raises(RuntimeError, match=r"the command `echo no; false` failed:\nno"):
        run_cmd("echo no; false")
    assert IS_WINDOWS is (os.name == "nt")


def test_headers_are_where_they_are_said_to_be() -> None:
    include = Path(paddle.sysconfig.get_include())
    for name in ("paddle/extension.h", "paddle/c_abi.h"):
        assert (include / name).is_file()
