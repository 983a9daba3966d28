"""Where libraries of the tests are kept, and what is checked of every call."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import paddle
from tests.native.libraries import forgetting, loaded


@pytest.fixture(scope="session")
def built_here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all workers of a run."""
    if not any(shutil.which(name) for name in ("g++", "clang++", "c++")):
        pytest.skip("there is no C++ compiler")
    base = tmp_path_factory.getbasetemp()
    return (base.parent if base.name.startswith("popen-") else base) / "native"


@pytest.fixture(scope="module")
def forms(built_here: Path) -> Iterator[Any]:
    """The operators of forms.cc."""
    with loaded(built_here, "forms.cc", extra_cxx_cflags=["-std=c++11", "-O1"]) as module:
        yield module


@pytest.fixture
def here(tmp_path: Path, built_here: Path) -> Iterator[Path]:
    """A folder for one test; the operators that it loads are forgotten."""
    with forgetting():
        yield tmp_path


@pytest.fixture(autouse=True)
def checked() -> Iterator[None]:
    before = paddle.get_flags("FLAGS_check_native")
    paddle.set_flags({"FLAGS_check_native": True})
    yield
    paddle.set_flags(before)
