"""Libraries of compiled operators, loaded by their file name."""

from __future__ import annotations

import importlib

__all__ = ["load_op_library"]


def load_op_library(lib_filename: str, safe: bool = False) -> None:
    """Loads a library of compiled operators and registers them under their names.

    They are operators like all others then: ``LayerHelper.append_op`` and ``Block.append_op`` know
    them, with their gradients. A library stays loaded for as long as the process runs; loading it
    again does nothing.

    Args:
        lib_filename (str): the library, built from sources that include
            ``paddle/fluid/framework/op_registry.h`` or ``paddle/extension.h``. A name without a
            folder is looked for here and in ``LD_LIBRARY_PATH``.
        safe (bool, optional): try it in a child process first, so that a library that aborts while
            it is loaded is an error instead. Default: False.

    Raises:
        FileNotFoundError: the library, or one that it needs, is not there.
        RuntimeError: it cannot be loaded, or one of its operators exists already.

    Examples:
        .. code-block:: python

            import paddle
            try:
                paddle.utils.load_op_library("relu2_op.so")
            except FileNotFoundError as error:
                print(error)
    """
    # ctypes' structs are for those who load something.
    importlib.import_module("paddle.ops.native_operators").load_library(lib_filename, safe)
