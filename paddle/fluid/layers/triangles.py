"""Matrices that are turned, and their lower and upper triangles."""

from __future__ import annotations

from typing import Any

from paddle.core import unique_name
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.fluid.layers.common import (
    API,
    check_value,
    is_static,
)  # fmt: skip
from paddle.incubate.layer_helper import LayerHelper
from paddle.ir.current import default_main_program
from paddle.ir.recording.lowering import write

__all__ = ["t", "tril", "triu"]


def t(input: Any, name: str | None = None) -> Any:
    """A matrix with rows and columns exchanged; what has fewer dimensions stays.

    Args:
        input (Variable): of at most two dimensions.
        name (str, optional): what the results are named after.

    Returns:
        Variable: the matrix.

    Raises:
        ValueError: more dimensions.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                print(fluid.layers.t(x).shape)  # (3, 2)
    """
    rank = len(check_value("t", "input", input).shape)
    if rank > 2:
        raise InvalidArgumentError(
            f"{API}t(input): expected at most 2 dimensions, but received {list(input.shape)}."
        )
    helper = LayerHelper("t", name=name)
    if rank < 2:
        return input
    made = helper.call("transpose2", input, axis=[1, 0])
    return made[0] if isinstance(made, tuple) else made


def _triangle(api: str, input: Any, diagonal: int, name: str | None) -> Any:
    rank = len(check_value(api, "input", input).shape)
    if rank < 2:
        raise InvalidArgumentError(
            f"{API}{api}(input): expected at least 2 dimensions, but received {list(input.shape)}."
        )
    if not isinstance(diagonal, int):
        raise TypeError(
            f"{API}{api}(diagonal): expected an int, but received {type(diagonal).__name__}."
        )
    attrs = {"diagonal": diagonal, "lower": api == "tril"}
    name = unique_name.generate(api) if name is None else name
    helper = LayerHelper(api, name=name)
    if not is_static():
        return helper.call("tril_triu", input, **attrs)
    block = default_main_program().current_block()
    out = block.create_var(name=name, dtype=input.dtype)
    return write(out, "tril_triu", [input], attrs)


def tril(input: Any, diagonal: int = 0, name: str | None = None) -> Any:
    """The lower triangle of matrices, the rest being zero.

    Args:
        input (Variable): of at least two dimensions.
        diagonal (int): the last diagonal that stays; 0 is the main one. Default: 0.
        name (str, optional): the result's name.

    Returns:
        Variable: of the input's shape.

    Raises:
        ValueError: less than two dimensions.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                square = fluid.data("square", [3, 3])
                print(fluid.layers.tril(square).shape)  # (3, 3)
    """
    return _triangle("tril", input, diagonal, name)


def triu(input: Any, diagonal: int = 0, name: str | None = None) -> Any:
    """The upper triangle of matrices, the rest being zero.

    Args:
        input (Variable): of at least two dimensions.
        diagonal (int): the first diagonal that stays; 0 is the main one. Default: 0.
        name (str, optional): the result's name.

    Returns:
        Variable: of the input's shape.

    Raises:
        ValueError: less than two dimensions.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                square = fluid.data("square", [3, 3])
                print(fluid.layers.triu(square, diagonal=1).shape)  # (3, 3)
    """
    return _triangle("triu", input, diagonal, name)


guard_module(globals())
