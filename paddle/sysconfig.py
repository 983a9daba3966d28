"""Where files for compiling against the package would lie."""

from __future__ import annotations

import os

__all__ = ["get_include", "get_lib"]


def _folder(name: str) -> str:
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), name)


def get_include() -> str:
    """Returns the path of the folder for C++ headers.

    The package is Python throughout and has no headers: the folder does not exist. Operators are
    written in Python here, see :func:`paddle.utils.load_op_library`.

    Returns:
        str: ``include`` inside of the package.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.sysconfig.get_include())
    """
    return _folder("include")


def get_lib() -> str:
    """Returns the path of the folder for native libraries, which is not there either.

    Returns:
        str: ``libs`` inside of the package.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.sysconfig.get_lib())
    """
    return _folder("libs")
