"""Where the headers and the library lie that C++ operators are built with."""

from __future__ import annotations

import os

__all__ = ["get_include", "get_lib"]


def _folder(name: str) -> str:
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), name)


def get_include() -> str:
    """Returns the folder of C++ headers, for ``-I`` of a compiler.

    ``paddle/extension.h``, ``paddle/fluid/framework/op_registry.h`` and ``paddle/c_abi.h`` are in
    it; see :func:`paddle.utils.load_op_library`.

    Returns:
        str: ``include`` inside of the package.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.sysconfig.get_include())
    """
    return _folder("include")


def get_lib() -> str:
    """Returns the folder of the library to link, for ``-L`` of a compiler.

    ``-lpaddle_framework`` finds one there, which adds nothing: operators call the framework by
    functions that they are given when they are loaded.

    Returns:
        str: ``libs`` inside of the package.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.sysconfig.get_lib())
    """
    return _folder("libs")
