"""What libraries import to build C++ operators of their own; using it says what to do instead."""

from __future__ import annotations

import os
from typing import NoReturn

from paddle.utils.op_library import unsupported

CUDA_HOME = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
"""Where the CUDA toolkit would be; libraries look whether the folder exists."""


def _jit_compile(file_path: str, verbose: bool = False) -> NoReturn:
    """Would run a ``setup.py``."""
    raise unsupported(f"building {file_path!r}")


def _import_module_from_library(
    module_name: str, build_directory: str, verbose: bool = False
) -> NoReturn:
    """Would import what was built."""
    raise unsupported(f"importing {module_name!r}")
