"""Libraries of chapter 8's form, built once for all workers."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from paddle.utils.cpp_extension import load
from tests.native.libraries import forgetting

# Set PADDLE_TEST_SANITIZE=1, and LD_PRELOAD to libasan.so and libubsan.so, to have memory watched.
_WATCHED = ["-fsanitize=address,undefined", "-g"] if os.environ.get("PADDLE_TEST_SANITIZE") else []
SOURCES = Path(__file__).parent / "sources"


@contextlib.contextmanager
def chapter8(folder: Path, name: str, *flags: str) -> Iterator[Any]:
    """The module of a source in ``sources``, forgotten afterwards."""
    with forgetting():
        yield load(
            name.partition(".")[0], [str(SOURCES / name)], build_directory=str(folder),
            extra_cxx_cflags=["-std=c++11", "-O0", "-DPADDLE_WITH_MKLDNN", *_WATCHED, *flags],
            extra_ldflags=_WATCHED,
        )  # fmt: skip
