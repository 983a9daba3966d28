"""What a Variable of a static Program can do that is not simply a public function."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any

from paddle.core.dtype import VarType
from paddle.core.errors import OnlyInARunError, PreconditionNotMetError
from paddle.core.op import C
from paddle.ir.variable import Variable, list_method
from paddle.tensor import static_numbers


def __getitem__(self: Variable, item: Any) -> Variable:
    """Records reading by int, slice, Ellipsis, None, mask, integer Variable or list."""
    if self.type == VarType.LOD_TENSOR_ARRAY:
        return list_method("__getitem__")(self, item)
    from paddle.ir.recording.lowering_indexing import read

    return read(self, item)


def __setitem__(self: Variable, item: Any, value: Any) -> None:
    """Records writing a number, array or Variable at an index."""
    if self.type == VarType.LOD_TENSOR_ARRAY:
        list_method("__setitem__")(self, item, value)
        return
    from paddle.ir.recording.lowering_setitem import assign_item

    assign_item(self, item, value)


def __iter__(self: Variable) -> Iterator[Variable]:
    """Goes over the rows, whose number must be known."""
    array = self.type == VarType.LOD_TENSOR_ARRAY
    size = self.shape[0] if self.shape and not array else -1
    if array:
        raise PreconditionNotMetError(
            f"the tensor array {self.name!r} cannot be iterated: its length is unknown before a "
            "run.",
            hint="loop over it by 'for' in a function that paddle.jit.to_static converts, or use "
            "paddle.static.nn.while_loop",
        )
    if size < 0:
        raise PreconditionNotMetError(
            f"Variable {self.name!r} of shape {list(self.shape)} cannot be iterated: its first "
            "dimension is unknown before a run.",
            hint="use paddle.static.nn.while_loop, or paddle.unbind where the size is known",
        )
    return iter([self[i] for i in range(size)])


def __contains__(self: Variable, value: Any) -> bool:
    """Raises: what a Variable holds is known only in a run."""
    raise OnlyInARunError(
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


def _lists_too(plain: Any) -> Any:
    """``+`` that also joins tensor arrays, as Python's does with lists."""

    @functools.wraps(plain)
    def add(self: Any, other_var: Any) -> Any:
        if self.type == VarType.LOD_TENSOR_ARRAY and plain.__name__ != "__radd__":
            return list_method("__add__")(self, other_var)
        return plain(self, other_var)

    del add.__wrapped__  # type: ignore[attr-defined]
    return add


def attach() -> None:
    """Puts these on Variable; called once, by ``import paddle``."""
    plain: Any = Variable.__dict__["__add__"]
    setattr(Variable, "__add__", _lists_too(plain))
    for function in (__getitem__, __setitem__, __iter__, __contains__, detach):
        setattr(Variable, function.__name__, function)
    static_numbers.attach()
    setattr(Variable, "size", property(_size))
