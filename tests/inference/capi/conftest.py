"""The C library, programs and models for the tests of this folder, each made once."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import paddle
from paddle.core.errors import NotFoundError
from paddle.inference.capi import build
from paddle.static import InputSpec

EXAMPLES = Path(__file__).parent / "examples"
STRICT = ("-Wall", "-Wextra", "-Werror", "-O0")


class Model(NamedTuple):
    """The files of a saved model, and the network that was saved."""

    prog: str
    params: str
    net: paddle.nn.Layer


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder that the workers of one run of the suite share."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "capi"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def library(made: Path) -> Path:
    """The C library."""
    try:
        build.find_compiler(), build.find_headers(), build.find_libpython()
    except NotFoundError as missing:
        pytest.skip(str(missing))
    library = made / "paddle" / "lib" / f"lib{build.NAME}.so"
    with _locked(made / "library.lock"):
        if not library.exists():
            build.build(made, STRICT)
    return library


@pytest.fixture(scope="session")
def compiled(made: Path, library: Path) -> Callable[..., Path]:
    """Compiles examples: ``compiled("a.cc")`` is a program, with ``shared=True`` a library."""

    def compile_(
        name: str, shared: bool = False, standard: str = "c++11", linked: bool = True
    ) -> Path:
        compiler = build.find_compiler()
        if name.endswith(".c"):
            found = shutil.which("gcc") or shutil.which("cc")
            compiler = [found] if found else pytest.skip("there is no C compiler")
        target = made / f"{Path(name).stem}{'.so' if shared else ''}"
        cflags, libs = build.flags_of(made)
        with _locked(made / f"{name}.lock"):
            if not target.exists():
                command = [*compiler, f"-std={standard}", *STRICT, *cflags, str(EXAMPLES / name)]
                command += ["-fPIC", "-shared"] if shared else []
                done = subprocess.run(
                    [*command, "-o", str(target), *(libs if linked else ["-ldl"]), "-pthread"],
                    capture_output=True,
                    text=True,
                )
                assert done.returncode == 0, done.stderr
        return target

    return compile_


class _Mixed(paddle.nn.Layer):
    """Inputs and outputs of several data types."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = paddle.nn.Linear(4, 5)
        self.table = paddle.nn.Embedding(10, 5)

    def forward(self, x, ids):
        return self.linear(x) + self.table(ids), ids * 2, x > 0


@pytest.fixture(scope="session")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """A model of float32 ``x`` [-1, 4] and int64 ``ids`` [-1]; it gives float32, int64 and bool."""
    specs = [InputSpec([None, 4], name="x"), InputSpec([None], "int64", name="ids")]
    return _saved(_Mixed(), str(tmp_path_factory.mktemp("mixed") / "net"), specs)


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """A model of pictures of any size; it gives five numbers for each."""
    net = paddle.nn.Sequential(
        paddle.nn.Conv2D(3, 4, 3, stride=8),
        paddle.nn.ReLU(),
        paddle.nn.AdaptiveAvgPool2D(1),
        paddle.nn.Flatten(),
        paddle.nn.Linear(4, 5),
    )
    specs = [InputSpec([None, 3, None, None], name="image")]
    return _saved(net, str(tmp_path_factory.mktemp("pictures") / "net"), specs)


@pytest.fixture(scope="session")
def sequences(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """A model of sequences ``x`` [-1, 1]; it keeps their offsets."""
    prefix = str(tmp_path_factory.mktemp("sequences") / "net")
    program = paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(program, paddle.static.Program()):
            x = paddle.static.data("x", [None, 1], "float32", lod_level=1)
            y = paddle.nn.functional.relu(x)
        exe = paddle.static.Executor(paddle.CPUPlace())
        paddle.static.save_inference_model(prefix, [x], [y], exe, program=program)
    finally:
        paddle.disable_static()
    return Model(f"{prefix}.pdmodel", f"{prefix}.pdiparams", paddle.nn.ReLU())


def _saved(net: paddle.nn.Layer, prefix: str, specs: list[InputSpec]) -> Model:
    rng = np.random.RandomState(7)
    for p in net.parameters():
        p.set_value(rng.uniform(-1, 1, p.shape).astype("float32"))
    net.eval()
    paddle.jit.save(net, prefix, input_spec=specs)
    return Model(f"{prefix}.pdmodel", f"{prefix}.pdiparams", net)
