"""Compiled operators: what to do instead of loading them."""

from __future__ import annotations

INSTEAD = (
    "write it in Python: a paddle.autograd.PyLayer, or an operator with @paddle.core.op.op, which "
    "gets derivatives and works in Programs too (docs/one_op_end_to_end.md)"
)


def unsupported(api: str) -> NotImplementedError:
    """Makes the error of a function that would build or load native operators."""
    return NotImplementedError(
        f"{api}: native operators are built against PaddlePaddle's C++ library, which is not here; "
        f"{INSTEAD}."
    )


def load_op_library(lib_filename: str) -> None:
    """Would load a library of native operators; there is no C++ interface they could use.

    Args:
        lib_filename (str): the library.

    Raises:
        NotImplementedError: always; it says how to write an operator instead.

    Examples:
        .. code-block:: python

            import paddle
            try:
                paddle.utils.load_op_library("relu2_op.so")
            except NotImplementedError as error:
                print(error)
    """
    raise unsupported(f"load_op_library({lib_filename!r})")
