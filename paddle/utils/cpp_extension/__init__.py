"""Building of C++ operators: every function says what to do instead."""

from __future__ import annotations

import os
from typing import Any, NoReturn

from paddle.utils.op_library import unsupported

__all__ = ["CUDAExtension", "CppExtension", "get_build_directory", "load", "setup"]


def CppExtension(sources: list[str], *args: Any, **kwargs: Any) -> NoReturn:
    """Would describe an extension of C++ sources.

    Raises:
        NotImplementedError: always; it says how to write an operator instead.

    Examples:
        .. code-block:: python

            from paddle.utils.cpp_extension import CppExtension
            try:
                CppExtension(sources=["relu.cc"])
            except NotImplementedError as error:
                print(error)
    """
    raise unsupported("CppExtension")


def CUDAExtension(sources: list[str], *args: Any, **kwargs: Any) -> NoReturn:
    """Would describe an extension of C++ and CUDA sources.

    Raises:
        NotImplementedError: always; it says how to write an operator instead.

    Examples:
        .. code-block:: python

            from paddle.utils.cpp_extension import CUDAExtension
            try:
                CUDAExtension(sources=["relu.cu"])
            except NotImplementedError as error:
                print(error)
    """
    raise unsupported("CUDAExtension")


def setup(**attr: Any) -> NoReturn:
    """Would build and install an extension.

    Raises:
        NotImplementedError: always; it says how to write an operator instead.

    Examples:
        .. code-block:: python

            from paddle.utils.cpp_extension import setup
            try:
                setup(name="my_ops")
            except NotImplementedError as error:
                print(error)
    """
    raise unsupported("cpp_extension.setup")


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
) -> NoReturn:
    """Would compile an extension and import it.

    Raises:
        NotImplementedError: always; it says how to write an operator instead.

    Examples:
        .. code-block:: python

            from paddle.utils.cpp_extension import load
            try:
                load(name="my_ops", sources=["relu.cc"])
            except NotImplementedError as error:
                print(error)
    """
    raise unsupported(f"cpp_extension.load({name!r})")


def get_build_directory(verbose: bool = False) -> str:
    """Returns the folder where extensions would be built: ``$PADDLE_EXTENSION_DIR``, or the cache.

    Args:
        verbose (bool, optional): whether to print it. Default: False.

    Returns:
        str: the folder; it is not created.

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


def load_op_meta_info_and_register_op(lib_filename: str) -> NoReturn:
    """Would register the operators of a library.

    Raises:
        NotImplementedError: always; it says how to write an operator instead.

    Examples:
        .. code-block:: python

            from paddle.utils.cpp_extension import load_op_meta_info_and_register_op
            try:
                load_op_meta_info_and_register_op("my_ops.so")
            except NotImplementedError as error:
                print(error)
    """
    raise unsupported("load_op_meta_info_and_register_op")


def parse_op_info(op_name: str) -> tuple[list[str], list[str], list[str]]:
    """Returns the names of an operator's inputs, attributes and outputs.

    Args:
        op_name (str): the operator, as in ``paddle.core.op.C``.

    Returns:
        tuple: three lists of str.

    Examples:
        .. code-block:: python

            from paddle.utils.cpp_extension import parse_op_info
            print(parse_op_info("relu"))  # (['X'], [], ['Out'])
    """
    from paddle.core.op import REGISTRY

    found = REGISTRY[op_name]
    return [s.name for s in found.inputs], list(found.attrs), [s.name for s in found.outputs]


class BuildExtension:
    """Would be setuptools' command that builds extensions; making one says what to do instead.

    Examples:
        .. code-block:: python

            from paddle.utils.cpp_extension import BuildExtension
            try:
                BuildExtension()
            except NotImplementedError as error:
                print(error)
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise unsupported("BuildExtension")

    @classmethod
    def with_options(cls, **options: Any) -> NoReturn:
        """Would make a subclass with options; raises NotImplementedError."""
        raise unsupported("BuildExtension.with_options")

    def initialize_options(self) -> NoReturn:
        """Would set the options' defaults; raises NotImplementedError."""
        raise unsupported("BuildExtension.initialize_options")

    def finalize_options(self) -> NoReturn:
        """Would check the options; raises NotImplementedError."""
        raise unsupported("BuildExtension.finalize_options")

    def build_extensions(self) -> NoReturn:
        """Would compile; raises NotImplementedError."""
        raise unsupported("BuildExtension.build_extensions")

    def get_ext_filename(self, fullname: str) -> NoReturn:
        """Would name the built file; raises NotImplementedError."""
        raise unsupported("BuildExtension.get_ext_filename")
