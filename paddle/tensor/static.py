"""What a Variable of a static Program can do that is not simply a public function."""

from __future__ import annotations

import math
from typing import Any

from paddle.core.errors import PreconditionNotMetError
from paddle.core.op import C
from paddle.ir.variable import Variable


def __getitem__(self: Variable, item: Any) -> Variable:
    """Records reading by int, slice, Ellipsis, None, mask, integer Variable or list."""
    from paddle.ir.lowering_indexing import read

    return read(self, item)


def __setitem__(self: Variable, item: Any, value: Any) -> None:
    """Records writing a number, array or Variable at an index."""
    from paddle.ir.lowering_setitem import assign_item

    assign_item(self, item, value)


def __iter__(self: Variable) -> Any:
    """Goes over the rows, whose number must be known."""
    size = self.shape[0] if self.shape else -1
    if size < 0:
        raise PreconditionNotMetError(
            f"Variable {self.name!r} of shape {list(self.shape)} cannot be iterated: its first "
            "dimension is unknown before a run.",
            hint="use paddle.static.nn.while_loop, or paddle.unbind where the size is known",
        )
    return iter([self[i] for i in range(size)])


def __contains__(self: Variable, value: Any) -> bool:
    """Raises: what a Variable holds is known only in a run."""
    raise PreconditionNotMetError(
        f"`in`: Variable {self.name!r} of a static Program has no value before a run.",
        hint="use (variable == value).any() as an operator",
    )


def detach(self: Variable) -> Variable:
    """Records a copy that no gradient flows through."""
    made = C.assign(self)
    made.stop_gradient = True
    return made


def _size(self: Variable) -> Any:
    """The number of elements; a Variable where only a run can tell."""
    return C.size(self) if -1 in self.shape else math.prod(self.shape)


def attach() -> None:
    """Puts these on Variable; called once, by ``import paddle``."""
    for function in (__getitem__, __setitem__, __iter__, __contains__, detach):
        setattr(Variable, function.__name__, function)
    Variable.size = property(_size)  # type: ignore[attr-defined]
