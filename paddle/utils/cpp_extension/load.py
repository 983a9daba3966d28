"""Extensions just in time: compiled when they are first loaded, and kept."""

from __future__ import annotations

import os
import re
import shutil
import types

from paddle.core.errors import InvalidArgumentError, MissingFileError
from paddle.core.op import REGISTRY
from paddle.utils.cpp_extension.build import Job, cached
from paddle.utils.cpp_extension.functions import module_of, operators_of

__all__: list[str] = []


def get_build_directory(verbose: bool = False) -> str:
    """Returns the folder where extensions are built: ``$PADDLE_EXTENSION_DIR``, or the cache.

    Args:
        verbose (bool, optional): whether to print it. Default: False.

    Returns:
        str: the folder; it is made when something is built.

    Examples:
        .. code-block:: python

            from paddle.utils.cpp_extension import get_build_directory
            print(get_build_directory())
    """
    folder = os.environ.get("PADDLE_EXTENSION_DIR") or "~/.cache/paddle_extensions"
    folder = os.path.expanduser(folder)
    if verbose:
        print(f"the folder for extensions is {folder}")
    return folder


def load(
    name: str,
    sources: list[str],
    extra_cxx_cflags: list[str] | None = None,
    extra_cuda_cflags: list[str] | None = None,
    extra_ldflags: list[str] | None = None,
    extra_include_paths: list[str] | None = None,
    build_directory: str | None = None,
    interpreter: str | None = None,
    verbose: bool = False,
) -> types.ModuleType:
    """Compiles operators written in C++ or CUDA, registers them, and returns a module of them.

    What was built is kept. It is built again when a source, a header, a flag or the compiler is
    another one. Several processes that ask for the same build it once. ``-O3`` and ``-std=c++17``
    are added unless the flags name others.

    Args:
        name (str): the module's name.
        sources (list[str]): files of C++; ``.cu`` files are compiled by nvcc.
        extra_cxx_cflags (list[str], optional): flags of the C++ compiler. Default: None.
        extra_cuda_cflags (list[str], optional): flags of nvcc. Default: None.
        extra_ldflags (list[str], optional): flags of the linker. Default: None.
        extra_include_paths (list[str], optional): folders of headers. Default: None.
        build_directory (str, optional): where to keep the library; None:
            :func:`get_build_directory`. Default: None.
        interpreter (str, optional): a Python to build with. Libraries depend on none, so that it
            has only to exist. Default: None.
        verbose (bool, optional): whether to print the compiler's commands. Default: False.

    Returns:
        module: it has a function for each operator.

    Raises:
        RuntimeError: there is no compiler, or it refused a source; the text is its own.
        FileNotFoundError: a source is not there.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.utils.cpp_extension import load
            # ops = load(name="my_ops", sources=["relu.cc"])
            # y = ops.custom_relu(paddle.randn([4, 4]))
    """
    _check_name(name)
    if isinstance(sources, (str, os.PathLike)):
        sources = [os.fspath(sources)]
    if interpreter is not None and not shutil.which(interpreter):
        raise MissingFileError(f"load(interpreter): {interpreter} is not there.")
    job = Job(
        sources, extra_cxx_cflags or [], extra_cuda_cflags or [], extra_ldflags or [],
        extra_include_paths or [], verbose=verbose,
    )  # fmt: skip
    folder = os.path.abspath(build_directory or os.path.join(get_build_directory(), name))
    return module_of(name, cached(name, job, folder))


def _check_name(name: str) -> None:
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise InvalidArgumentError(
            f"load(name): expected a name that Python can import, but received {name!r}."
        )


def load_op_meta_info_and_register_op(lib_filename: str) -> list[str]:
    """Registers the operators of a library.

    Args:
        lib_filename (str): the library.

    Returns:
        list[str]: the names of its operators.

    Examples:
        .. code-block:: python

            from paddle.utils.cpp_extension import load_op_meta_info_and_register_op
            # load_op_meta_info_and_register_op("my_ops.so")
    """
    return [op.name for op in operators_of(lib_filename)]


def parse_op_info(op_name: str) -> tuple[list[str], list[str], list[str]]:
    """Returns the names of an operator's inputs, attributes and outputs.

    Args:
        op_name (str): the operator, built in or loaded.

    Returns:
        tuple: three lists of str.

    Examples:
        .. code-block:: python

            from paddle.utils.cpp_extension import parse_op_info
            print(parse_op_info("relu"))  # (['X'], [], ['Out'])
    """
    found = REGISTRY[op_name]
    return [s.name for s in found.inputs], list(found.attrs), [s.name for s in found.outputs]


def _import_module_from_library(
    module_name: str, build_directory: str, verbose: bool = False
) -> types.ModuleType:
    """Makes a module of a library that was built before."""
    path = os.path.join(build_directory, f"{module_name}.so")
    if verbose:
        print(f"loading {path}")
    return module_of(module_name, path)
