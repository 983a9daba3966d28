"""Libraries that say what cannot be are refused in words, and take nothing along."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle.core import native
from paddle.core.op import REGISTRY, C
from paddle.sysconfig import get_include
from paddle.utils import load_op_library
from tests.native.libraries import SOURCES, forgetting

X = np.array([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]], "float32")


@pytest.fixture
def here(tmp_path: Path, built_here: Path) -> Iterator[Path]:
    with forgetting():
        yield tmp_path


def hostile(folder: Path, *defined: str) -> None:
    """Loads the library of hostile.c with some macros."""
    made = str(folder / "hostile.so")
    flags = [f"-D{one}" for one in defined]
    command = ["gcc", "-shared", "-fPIC", f"-I{get_include()}", *flags, str(SOURCES / "hostile.c")]
    subprocess.run([*command, "-o", made], check=True)
    load_op_library(made)


@pytest.mark.parametrize(
    "defined, said",
    [
        ("COUNT=-3", "cannot be used: it has -3 operators"),
        ("SIZE=16", "its table has 16 bytes; expected 56 bytes and every function"),
        ("INFER=0", "its table has 56 bytes, no infer_shape; expected"),
        ("DESCRIBED=0", "its operator 0 cannot be used: no word"),
        ('NAME=""', "expected a name that Python can have, but received ''"),
        ("NAME=0", "expected a name that Python can have, but received ''"),
        ('NAME="a-b"', "expected a name that Python can have, but received 'a-b'"),
        ('NAME="pass"', "expected a name that Python can have, but received 'pass'"),
        ("INPUTS=-1", "operator hostile_op: -1 inputs, 1 outputs"),
        ("OUTPUTS=-7", "operator hostile_op: 1 inputs, -7 outputs"),
        ("ATTRIBUTES=-1", "1 outputs, -1 attributes"),
        ("INPLACE=5", "its output Out is written into input 5, but there are 1"),
    ],
)
def test_a_library_that_cannot_be(here: Path, defined: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        hostile(here, defined)
    assert "hostile_op" not in REGISTRY


@pytest.mark.parametrize(
    "defined, said",
    [
        (("INPUTS=2", 'SECOND="X"'), "operator hostile_op has X twice"),
        (("INPUTS=2", "SECOND=0"), "operator hostile_op has something without a name"),
        (("ATTRIBUTES=1", "TYPE=77"), "its attribute 'a' has the type 77; expected"),
        (("GRADIENT=&gradient",), "operator relu: its X is bound to slot 7 of hostile_op"),
    ],
)
def test_operators_that_cannot_be(here: Path, defined: tuple[str, ...], said: str) -> None:
    with pytest.raises((ValueError, RuntimeError), match=said):
        hostile(here, *defined)
    assert "hostile_op" not in REGISTRY


@pytest.mark.parametrize(
    "defined, kind, said",
    [
        ("SHAPE=c->outputs[0].ndim=1000", IndexError, "says that a tensor has 1000 dimensions"),
        ("SHAPE=c->output_counts[0]=-2", ValueError, r"says that there are \[-2\] outputs"),
        ("SHAPE=c->output_counts[0]=99", ValueError, r"\[99\] outputs, but there is room for 1"),
        ("SHAPE=c->outputs[0].shape[0]=-9", ValueError, "negative|at least 0"),
        ("SHAPE=return 99", OSError, "failed with code 99 and without a word"),
        ("SHAPE=c->outputs[0].dtype.bits=3", TypeError, r"class and bits \(2, 3\)"),
        ("CALL=return 5", MemoryError, "failed with code 5 and without a word"),
        ("CALL=return PD_OTHER_OUTPUTS", None, ""),
        ("CALL=c->outputs[0].handle=0;return PD_OTHER_OUTPUTS", ValueError, "returned no memory"),
        ("CALL=c->outputs[0].handle=77;return PD_OTHER_OUTPUTS", ValueError, "returned no memory"),
        ("CALL=c->outputs[0].ndim=77;return PD_OTHER_OUTPUTS", IndexError, "has 77 dimensions"),
        ("CALL=c->outputs[0].shape[0]=-4;return -1", ValueError, "but a library says"),
        ("CALL=c->outputs[0].shape[0]=1000;return -1", ValueError, "which is too small"),
        ("CALL=c->outputs[0].data=0;return -1", ValueError, "which is too small"),
        ("CALL=c->output_counts[0]=7;return -1", ValueError, r"\[7\] outputs, but there is room"),
        ("CALL=return host->room(c,-5)==c->outputs?0:1", None, ""),
        ("CALL=if(!host->room(c,0x7fffffff))return 3", IndexError, "asked for room for 2147483647"),
    ],
)
def test_calls_that_lie(here: Path, defined: str, kind: type | None, said: str) -> None:
    hostile(here, defined)
    x = paddle.to_tensor(X)
    before = len(native._held)
    if kind is None:
        assert C.hostile_op(x).shape == [2, 3]
    else:
        with pytest.raises(kind, match=said):
            C.hostile_op(x)
    assert len(native._held) == before


def test_shapes_without_end(here: Path) -> None:
    hostile(here, "SHAPE=c->outputs[0].shape[0]=(int64_t)1<<62")
    with pytest.raises((MemoryError, ValueError, RuntimeError), match="hostile_op"):
        C.hostile_op(paddle.to_tensor(X))


def test_an_error_that_was_caught_is_past(here: Path) -> None:
    """One of the host's, which the library got over, is not told of a later failure."""
    asked = "PD_Tensor t; int64_t n = -1; PD_DType f = {2, 32, 1};"
    asked += "int32_t code = host->allocate(c, 1, &n, f, c->device, &t);"
    hostile(here, f"CALL={asked} if (c->inputs[0].shape[0] == 2) return 0; return 9")
    with pytest.raises(NotImplementedError, match="failed with code 9 and without a word"):
        C.hostile_op(paddle.ones([3]))
    C.hostile_op(paddle.to_tensor(X))
    with pytest.raises(NotImplementedError, match="failed with code 9 and without a word"):
        C.hostile_op(paddle.ones([4]))
