"""Tools around training: unique names, downloads, checks of the installation, timing."""

from paddle.utils import (
    cpp_extension,
    dlpack,
    download,
    install_check,
    profiler,
    unique_name,
)
from paddle.utils.deprecated import deprecated
from paddle.utils.install_check import run_check
from paddle.utils.lazy_import import try_import
from paddle.utils.op_library import load_op_library
from paddle.utils.profiler import Profiler, ProfilerOptions, get_profiler
from paddle.utils.python_operator import PythonOperator, register_op
from paddle.utils.version_check import require_version

__all__ = [
    "Profiler", "ProfilerOptions", "PythonOperator", "cpp_extension", "deprecated", "dlpack",
    "download", "get_profiler", "install_check", "load_op_library", "profiler", "register_op",
    "require_version", "run_check", "try_import", "unique_name",
]  # fmt: skip
