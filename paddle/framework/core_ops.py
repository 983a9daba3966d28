"""``paddle.framework.core.ops``: operators called in the form of 2.0's native functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import OpDef
from paddle.core.tensor import Tensor
from paddle.framework import by_name
from paddle.ir.variable import Variable


class CoreOps:
    """Finds operators as functions: ``ops.yolo_box(x, img_size, 'class_num', 80, ...)``.

    Client libraries call them in dynamic mode. Operands come first, in the order of the slots;
    those that may be missing are left out, or are None. Names of attributes and their values
    follow in turn. The result is that of the operator, a tuple where it has several.

    Two kinds of arguments between them say nothing here: how many Tensors a list of results has,
    and the Tensors that an operator in place writes to, given a second time.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.framework import core
            x = paddle.to_tensor([3.0, 1.0, 2.0])
            values, at = core.ops.argsort(x, "axis", 0, "descending", True)
            print(values.tolist(), at.tolist())  # [3.0, 2.0, 1.0] [0, 2, 1]
    """

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):  # what Python and its tools ask of any object
            raise AttributeError(name)
        try:
            op = by_name.operator("paddle.framework.core.ops", name)
        except InvalidArgumentError as error:
            raise AttributeError(str(error)) from None

        def run(*args: Any) -> Any:
            operands, attrs = _parted(op, args)
            return by_name.call(f"core.ops.{name}", op, _slots(op, operands), attrs)

        run.__name__ = name
        run.__doc__ = f"Runs the operator {op!r}."
        setattr(self, name, run)
        return run

    def __repr__(self) -> str:
        return "<paddle.framework.core.ops: operators called by name>"


def _parted(op: OpDef, args: tuple) -> tuple[list[Any], dict[str, Any]]:
    """The operands, and the attributes."""
    first = next((i for i, arg in enumerate(args) if isinstance(arg, str)), len(args))
    rest = args[first:]
    names = rest[::2]
    if len(rest) % 2 or not all(isinstance(name, str) for name in names):
        raise InvalidArgumentError(
            f"core.ops.{op.name}: expected names of attributes and their values in turn after the "
            f"operands, but got {rest!r}."
        )
    return list(args[:first]), dict(zip(names, rest[1::2], strict=True))


def _slots(op: OpDef, given: list[Any]) -> list[Any]:
    """One operand, or None, for each slot."""
    while given and (type(given[-1]) is int or _is_repeated(given)):
        given = given[:-1]
    needed = [slot for slot in op.inputs if not slot.optional]
    if len(given) < len(needed) or len(given) > len(op.inputs):
        raise InvalidArgumentError(
            f"core.ops.{op.name}: expected {len(needed)} to {len(op.inputs)} operands, "
            f"{' '.join(slot.name for slot in op.inputs)}, but got {len(given)}."
        )
    if len(given) == len(needed):
        rest = iter(given)
        return [None if slot.optional else next(rest) for slot in op.inputs]
    return given + [None] * (len(op.inputs) - len(given))


def _is_repeated(given: list[Any]) -> bool:
    last = given[-1]
    return isinstance(last, (Tensor, Variable)) and any(last is other for other in given[:-1])
