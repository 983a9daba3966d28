"""Operator: one step of a Block: a type, named slots of variable names, and attributes."""

from __future__ import annotations

import contextlib
import contextvars
import copy
import sys
from collections.abc import Iterable, Iterator
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple

from paddle.core.errors import InvalidArgumentError, NotFoundError
from paddle.core.op import REGISTRY, REQUIRED, OpDef
from paddle.core.user_frame import PACKAGE

if TYPE_CHECKING:
    from paddle.ir.block import Block
    from paddle.ir.operator_methods import Methods  # what static/methods.py attaches
else:
    Methods = object


# Files of frames that are not the user's: ours, and what runs the body of a ``with`` of ours.
_INNER = (PACKAGE, "<operator ", contextlib.__file__, copy.__file__)

# Attributes that every operator has, with their defaults.
COMMON_ATTRS: dict[str, Any] = {
    "op_device": "", "op_namescope": "/", "op_role": 0, "op_role_var": [],
}  # fmt: skip

# Attributes that operators of 2.0 have beside ours: they choose among kernels of libraries.
# Programs of today leave them out; who asks for them gets their defaults.
_CHOICES: dict[str, dict[str, Any]] = {
    "batch_norm": {"fuse_with_relu": False},
    "conv2d": {"fuse_relu": False},
    "depthwise_conv2d": {"fuse_relu": False},
}

EMPTY = "@EMPTY@"  # stands in a list for a variable that is not there


class Role:
    """Values of the attribute ``op_role``."""

    FORWARD = 0x0000
    BACKWARD = 0x0001
    OPTIMIZE = 0x0002
    RPC = 0x0004
    DIST = 0x0008
    LR_SCHED = 0x0010
    LOSS = 0x0100
    NOT_SPECIFIED = 0x1000


class SourceLocation(NamedTuple):
    """Where the user's code asked for an operator.

    Attributes:
        file (str): the file of the innermost frame outside of this package.
        line (int): its line.
        function (str): the name of its function.
        stack (tuple): while a function is recorded for :func:`paddle.jit.to_static`, all of the
            user's frames from that function on, outermost first: file, line, function, and the file
            that the function was called from.
        note (str): what the user's code says about a failure: the message of an assert.
    """

    file: str
    line: int
    function: str
    stack: tuple[tuple[str, int, str, str], ...] = ()
    note: str = ""

    def __str__(self) -> str:
        import linecache

        text = linecache.getline(self.file, self.line).strip()
        return f'File "{self.file}", line {self.line}, in {self.function}\n    {text}'


def user_location() -> SourceLocation | None:
    """The innermost frame outside of this package."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_INNER):
        frame = frame.f_back
    if frame is None:
        return None
    end = _end.get()
    stack = () if end is None else _stack(frame, end)
    return SourceLocation(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name, stack)


_end: contextvars.ContextVar[CodeType | None] = contextvars.ContextVar("stack end", default=None)


@contextlib.contextmanager
def stacks_up_to(code: CodeType) -> Iterator[None]:
    """Inside, locations have the user's frames up to the function that records the others."""
    token = _end.set(code)
    try:
        yield
    finally:
        _end.reset(token)


def _stack(frame: Any, end: CodeType) -> tuple[tuple[str, int, str, str], ...]:
    """The user's frames around ``frame`` up to the function that records them."""
    found = []
    while frame is not None and frame.f_code is not end:
        code, outer = frame.f_code, frame.f_back
        if not code.co_filename.startswith(_INNER):
            via = outer.f_code.co_filename if outer is not None else ""
            found.append((code.co_filename, frame.f_lineno, code.co_name, via))
        frame = outer
    return tuple(found[::-1]) if frame is not None else ()


def here() -> str:
    """The user's own line, as the end of a message."""
    found = user_location()
    return f"\n  {found}" if found else ""


class Operator(Methods):
    """One operator of a Block; made by :meth:`Block.append_op`.

    Attributes:
        type (str): the operator's name.
        inputs (dict[str, list[str]]): variable names of each input slot.
        outputs (dict[str, list[str]]): variable names of each output slot.
        attrs (dict): attributes; a sub-block is a Block.
    """

    __slots__ = (
        "attr_kinds",
        "attrs",
        "block",
        "inputs",
        "is_target",
        "outputs",
        "location",
        "type",
    )

    def __init__(
        self,
        block: Block,
        type: str,
        inputs: dict[str, list[str]] | None = None,
        outputs: dict[str, list[str]] | None = None,
        attrs: dict[str, Any] | None = None,
        location: SourceLocation | None = None,
    ) -> None:
        self.block = block
        self.type = type
        self.inputs = inputs or {}
        self.outputs = outputs or {}
        self.attrs = attrs or {}
        self.location = location
        self.attr_kinds: dict[str, int] | None = None  # as read from a file
        self.is_target = False

    @property
    def definition(self) -> OpDef | None:
        """The registered operator, the gradient operator of one, or None: no kernel computes it."""
        return definition(self.type)

    @property
    def declared(self) -> OpDef | None:
        """What is declared of an operator, also where no kernel computes it."""
        return declared(self.type)

    # -- slots ----------------------------------------------------------------------------------

    def input(self, name: str) -> list[str]:
        """Returns the variable names of an input slot; [] where a declared one is not used."""
        return list(self._slot(self.inputs, name, "input"))

    def output(self, name: str) -> list[str]:
        """Returns the variable names of an output slot; [] where a declared one is not used."""
        return list(self._slot(self.outputs, name, "output"))

    def _slot(self, slots: dict[str, list[str]], name: str, kind: str) -> list[str]:
        found = slots.get(name)
        if found is None and self._declares(name, f"{kind}s"):
            return []
        if found is None:
            raise NotFoundError(
                f"operator {self.type} has no {kind} {name!r}; it has {sorted(slots)}.{here()}"
            )
        return found

    def _declares(self, name: str, kind: str) -> bool:
        """Whether the operator, or that whose gradient it is, has a slot of a name."""
        known = self.declared
        if known is None:
            return False
        slots = [*getattr(known, kind), *(known.base.inputs if known.base is not None else [])]
        return any(slot.name == name for slot in slots)

    @property
    def input_names(self) -> list[str]:
        """The names of the input slots."""
        return list(self.inputs)

    @property
    def output_names(self) -> list[str]:
        """The names of the output slots."""
        return list(self.outputs)

    @property
    def input_arg_names(self) -> list[str]:
        """The names of all variables that it reads."""
        return [n for names in self.inputs.values() for n in names if n != EMPTY]

    @property
    def output_arg_names(self) -> list[str]:
        """The names of all variables that it writes."""
        return [n for names in self.outputs.values() for n in names if n != EMPTY]

    def _set_input(self, slot: str, names: Iterable[str]) -> None:
        self.inputs[slot] = list(names)
        self.block.note_change()

    def _set_output(self, slot: str, names: Iterable[str]) -> None:
        self.outputs[slot] = list(names)
        self.block.note_change()

    def _rename_input(self, old: str, new: str) -> None:
        self.inputs = {s: [new if n == old else n for n in ns] for s, ns in self.inputs.items()}
        self.block.note_change()

    def _rename_output(self, old: str, new: str) -> None:
        self.outputs = {s: [new if n == old else n for n in ns] for s, ns in self.outputs.items()}
        self.block.note_change()

    # -- attributes -----------------------------------------------------------------------------

    def attr(self, name: str) -> Any:
        """Returns an attribute; a missing one has its default."""
        if name in self.attrs:
            return self.attrs[name]
        known = self.definition
        if known is not None and name in known.attrs:
            return known.attrs[name]
        if name in COMMON_ATTRS:
            return copy.copy(COMMON_ATTRS[name])
        if name in _CHOICES.get(self.type, ()):
            return _CHOICES[self.type][name]
        raise NotFoundError(
            f"operator {self.type} has no attribute {name!r}; it has {self.attr_names}.{here()}"
        )

    def has_attr(self, name: str) -> bool:
        """Says whether it has an attribute."""
        return name in self.attrs or name in _CHOICES.get(self.type, ())

    @property
    def attr_names(self) -> list[str]:
        """The names of its attributes, sorted."""
        return sorted(n for n in self.attrs if n != "_release")

    def all_attrs(self) -> dict[str, Any]:
        """Returns all attributes."""
        return {n: self.attrs[n] for n in self.attr_names}

    def _attrs_with_defaults(self) -> dict[str, Any]:
        """All attributes; those that nobody gave have their defaults."""
        known = self.definition
        given = {} if known is None else known.attrs
        defaults = {n: v for n, v in given.items() if v is not None and v is not REQUIRED}
        return {**COMMON_ATTRS, **defaults, **self.attrs}

    def attr_type(self, name: str) -> int:
        """Returns the kind of an attribute when it is serialized."""
        from paddle.ir.attribute_kinds import kind_of

        return kind_of(self, name)

    def _set_attr(self, name: str, value: Any) -> None:
        if self.attr_kinds is not None:
            self.attr_kinds.pop(name, None)
        self.attrs[name] = value
        self.block.note_change()

    _update_desc_attr = _set_attr

    def _remove_attr(self, name: str) -> None:
        self.attrs.pop(name, None)
        self.block.note_change()

    def _block_attr_id(self, name: str) -> int:
        return self._block_attr(name).idx

    def _block_attr(self, name: str) -> Block:
        found = self.attr(name)
        if not hasattr(found, "ops"):
            raise InvalidArgumentError(
                f"operator {self.type}: expected attribute {name!r} to be a Block, "
                f"but it is {type(found).__name__}."
            )
        return found

    @property
    def idx(self) -> int:
        """Its position in the block."""
        return next(i for i, op in enumerate(self.block.ops) if op is self)

    @property
    def role(self) -> int:
        """The attribute op_role: part of the forward, backward or optimizing stage."""
        return self.attrs.get("op_role", 0)

    @property
    def sub_blocks(self) -> list[Block]:
        """The blocks among its attributes."""
        found = []
        for value in self.attrs.values():
            listed = value if isinstance(value, list) else [value]
            found += [b for b in listed if hasattr(b, "ops") and hasattr(b, "parent_idx")]
        return found


def declared(name: str) -> OpDef | None:
    """Finds an operator by its name; gradient operators are derived from their forward ones."""
    if name.endswith("_grad"):
        base = definition(name[:-5])
        if base is not None:
            from paddle.core.derive import gradient_operator

            return gradient_operator(base)
    return REGISTRY.get(name)


def definition(name: str) -> OpDef | None:
    """Like :func:`declared`, but only what a kernel computes."""
    found = declared(name)
    return found if found is not None and found.kernel is not None else None
