"""Which kind an operator's attribute has in a serialized Program, and whether a value fits a kind.

A Python value alone does not tell: 1 may be INT, LONG, FLOAT or BOOLEAN. The kind is, in this
order, the one the attribute had in the file it was read from, the one PaddlePaddle declares
(attribute_kinds.json, by operator and else by the attribute's usual kind), the one that suits the
value. The first that the value fits is taken.
"""

from __future__ import annotations

import enum
import functools
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from paddle.core.errors import InvalidArgumentError

if TYPE_CHECKING:
    from paddle.ir.operator import Operator


class AttrType(enum.IntEnum):
    """The kinds of attributes, with their numbers in a serialized Program."""

    INT = 0
    FLOAT = 1
    STRING = 2
    INTS = 3
    FLOATS = 4
    STRINGS = 5
    BOOLEAN = 6
    BOOLEANS = 7
    BLOCK = 8
    LONG = 9
    BLOCKS = 10
    LONGS = 11
    FLOAT64S = 12
    VAR = 13
    VARS = 14
    FLOAT64 = 15
    SCALAR = 16
    SCALARS = 17


class StatedKinds(dict[str, int]):
    """The kinds of an operator's attributes as a file states them.

    Attributes:
        order (tuple[str, ...]): names in the order of the file, if it has some of them twice.
    """

    order: tuple[str, ...] = ()

    def ordered(self, names: Iterable[str]) -> None:
        """Sets the order."""
        self.order = tuple(names)

    def copy(self) -> StatedKinds:
        """Returns an equal one."""
        made = StatedKinds(self)
        made.order = self.order
        return made


# A kind of many values and the kind of one of them.
ELEMENT = {
    AttrType.INTS: AttrType.INT,
    AttrType.FLOATS: AttrType.FLOAT,
    AttrType.STRINGS: AttrType.STRING,
    AttrType.BOOLEANS: AttrType.BOOLEAN,
    AttrType.BLOCKS: AttrType.BLOCK,
    AttrType.LONGS: AttrType.LONG,
    AttrType.FLOAT64S: AttrType.FLOAT64,
    AttrType.VARS: AttrType.VAR,
    AttrType.SCALARS: AttrType.SCALAR,
}
# The kinds to try for a value whose attribute nobody declares.
_BY_VALUE = (
    AttrType.BOOLEAN,
    AttrType.INT,
    AttrType.LONG,
    AttrType.FLOAT,
    AttrType.STRING,
    AttrType.BLOCK,
    AttrType.VAR,
    AttrType.SCALAR,
)
_MANY = {one: many for many, one in ELEMENT.items()}
_BITS = {AttrType.INT: 31, AttrType.LONG: 63}
MISFIT: Any = object()  # what :func:`fit` returns for a value that is not of the kind


@functools.lru_cache(maxsize=1)
def _table() -> dict[str, dict]:
    return json.loads((Path(__file__).parent / "attribute_kinds.json").read_text("utf8"))


def declared(op_type: str, name: str) -> AttrType | None:
    """Returns the kind PaddlePaddle declares for an attribute; a gradient has its forward's."""
    table = _table()
    while True:
        kind = table["differing"].get(op_type, {}).get(name)
        if kind is not None or not op_type.endswith("_grad"):
            break
        op_type = op_type[:-5]
    kind = table["usual"].get(name) if kind is None else kind
    return None if kind is None else AttrType(kind)


def is_private(name: str) -> bool:
    """Says whether an attribute is ours alone and never written.

    These are ``_...``, ``needs_grad_...``, and the saved shapes of gradient operators
    (``X.shape``); PaddlePaddle declares no attribute that looks so. What ends in ``_quant_scale``
    is called after a variable.
    """
    if name.endswith("_quant_scale"):
        return False
    return name.startswith("_") or "." in name or name.startswith("needs_grad_")


def kind_of(op: Operator, name: str) -> AttrType:
    """Returns the kind with which an attribute of an operator is written.

    Raises:
        InvalidArgumentError: no kind can hold its value.
    """
    return encode(op, name, op.attr(name))[0]


def encode(op: Operator, name: str, value: Any, wanted: int | None = None) -> tuple[AttrType, Any]:
    """Returns kind and value of an attribute as they are written; ``wanted`` is tried first."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    read = (op.attr_kinds or {}).get(name)
    for kind in (wanted, read, declared(op.type, name)):
        if kind is not None:
            found = fit(AttrType(kind), value)
            if found is not MISFIT:
                return AttrType(kind), found
    listed = isinstance(value, (list, tuple))
    if listed and not value:
        return AttrType.INTS, []  # as PaddlePaddle takes it
    for kind in _BY_VALUE:
        kind = _MANY.get(kind, kind) if listed else kind
        found = fit(kind, value, strict=True)
        if found is not MISFIT:
            return kind, found
    raise InvalidArgumentError(
        f"attribute {name!r} of operator {op.type}: expected a number, a string, a block or a list "
        f"of one of these, to write it to a file, but it is {type(value).__name__} {value!r:.80}."
    )


def fit(kind: AttrType, value: Any, strict: bool = False) -> Any:
    """Returns a value as a kind holds it, or MISFIT.

    Args:
        kind (AttrType): the kind.
        value: an attribute's value.
        strict (bool): take no bool for a number, no number for a bool, no single value for many.
    """
    one = ELEMENT.get(kind)
    if one is not None:
        if not isinstance(value, (list, tuple)):
            if strict:
                return MISFIT
            value = [value]
        found = [fit(one, v, strict) for v in value]
        return MISFIT if any(v is MISFIT for v in found) else found
    if isinstance(value, np.generic):
        value = value.item()
    return _FIT[kind](kind, value, strict)


def _fit_integer(kind: AttrType, value: Any, strict: bool) -> Any:
    if isinstance(value, float) and not strict and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or (strict and isinstance(value, bool)):
        return MISFIT
    limit = 1 << _BITS[kind]
    return int(value) if -limit <= value < limit else MISFIT


def _fit_bool(kind: AttrType, value: Any, strict: bool) -> Any:
    if isinstance(value, bool) or (not strict and isinstance(value, int) and value in (0, 1)):
        return bool(value)
    return MISFIT


def _fit_float(kind: AttrType, value: Any, strict: bool) -> Any:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return MISFIT
    try:
        return float(value)
    except OverflowError:
        return MISFIT


def _fit_string(kind: AttrType, value: Any, strict: bool) -> Any:
    if isinstance(value, bytes):
        return value
    return value.encode("utf8", "surrogateescape") if isinstance(value, str) else MISFIT


def _fit_block(kind: AttrType, value: Any, strict: bool) -> Any:
    return value.idx if hasattr(value, "ops") and hasattr(value, "parent_idx") else MISFIT


def _fit_variable(kind: AttrType, value: Any, strict: bool) -> Any:
    if isinstance(value, str):
        return value
    name = getattr(value, "name", None)
    return name if isinstance(name, str) and hasattr(value, "persistable") else MISFIT


def _fit_scalar(kind: AttrType, value: Any, strict: bool) -> Any:
    if isinstance(value, int):
        return value if isinstance(value, bool) else _fit_integer(AttrType.LONG, value, True)
    return value if isinstance(value, (float, complex)) else MISFIT


_FIT: dict[AttrType, Callable[[AttrType, Any, bool], Any]] = {
    AttrType.INT: _fit_integer,
    AttrType.LONG: _fit_integer,
    AttrType.FLOAT: _fit_float,
    AttrType.FLOAT64: _fit_float,
    AttrType.STRING: _fit_string,
    AttrType.BOOLEAN: _fit_bool,
    AttrType.BLOCK: _fit_block,
    AttrType.VAR: _fit_variable,
    AttrType.SCALAR: _fit_scalar,
}
