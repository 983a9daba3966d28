"""Building of C++ and CUDA operators: just in time, or by a ``setup.py``."""

from __future__ import annotations

import sys

from paddle.core.lazy import lazy

_HIDDEN = ("load", "setup")  # modules whose name is that of a function here
_LOAD = ["get_build_directory", "load", "load_op_meta_info_and_register_op", "parse_op_info"]
_SETUP = ["BuildExtension", "CUDAExtension", "CppExtension", "setup"]
# setuptools and compilers are for those who build: each half is imported when it is asked for.
__getattr__, __dir__ = lazy(
    sys.modules[__name__],
    ["build", "functions"],
    {
        **dict.fromkeys(_LOAD, "paddle.utils.cpp_extension.load"),
        **dict.fromkeys(_SETUP, "paddle.utils.cpp_extension.setup"),
    },
)

__all__ = ["CUDAExtension", "CppExtension", "get_build_directory", "load", "setup"]
