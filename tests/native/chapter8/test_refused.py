"""Wrong registrations of chapter 8: the library is refused by name, and nothing of it stays."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import paddle
from paddle.core.op import REGISTRY
from tests.native.chapter8.building import chapter8

CASES = [
    ("twice", "Operator c8_bad is registered twice."),
    ("kernel alone", "Operator c8_bad has kernels, but REGISTER_OPERATOR(c8_bad, ...) is not in"),
    ("no maker", "Operator c8_bad has no maker"),
    ("slot twice", "X is declared twice."),
    ("default twice", "Attribute n has a default value already."),
    ("two gradients", "The gradient maker of operator c8_bad makes 2 operators"),
    (
        "no gradient",
        "The gradient of operator c8_bad is operator c8_not_here, which is not in this",
    ),
    ("other slot", "sets Z, which operator c8_bad does not have"),
    ("no input", "The gradient of operator c8_bad asks for in:Nothing, which it does not have"),
    ("computed", "computes attribute n from others"),
    ("two into one", "puts several variables into X"),
    ("no buffer", "DECLARE_NO_NEED_BUFFER_VARS_INFERER of operator c8_bad names Y"),
    ("inplace", "DECLARE_INPLACE_OP_INFERER of operator c8_bad names Y"),
]


@pytest.fixture(scope="module")
def library(built_here: Path) -> Iterator[Path]:
    with chapter8(built_here, "refused.cc"):
        yield max(built_here.rglob("refused*.so"), key=os.path.getmtime)


@pytest.mark.parametrize(("case", "words"), CASES, ids=[c[0] for c in CASES])
def test_refused(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str, words: str
) -> None:
    copy = tmp_path / "wrong.so"  # a file of its own is loaded anew, and registers anew
    shutil.copy(library, copy)
    monkeypatch.setenv("CHAPTER8_CASE", case)
    with pytest.raises((RuntimeError, ValueError, NotImplementedError)) as caught:
        paddle.utils.load_op_library(str(copy))
    assert words in str(caught.value) and "wrong.so" in str(caught.value)
    assert REGISTRY.get("c8_bad") is None
