"""One operator as the rules see it, and the rules by the operators' names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from paddle.incubate.compress.units import Channels, Labels
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.program import Program


@dataclass
class View:
    """A Program whose parameters are analysed.

    Attributes:
        program (Program): the operators.
        stored (dict[str, str]): variable that outlives a run -> the parameter, by the name that
            the user knows it by.
        outputs (list[str]|None): variables that are returned; None: what nothing else reads.
        labels (dict[str, Labels]): what was found of each variable.
    """

    program: Program
    stored: dict[str, str]
    outputs: list[str] | None = None
    labels: dict[str, Labels] = field(default_factory=dict)


@dataclass
class Maker:
    """An axis along which an operator makes channels of its own.

    Attributes:
        labels (np.ndarray): the channels.
        scored (bool): whether they come from here, or a depthwise convolution hands them on.
    """

    labels: np.ndarray
    scored: bool = True


@dataclass
class Record:
    """What one analysis has found, over all of its Programs.

    Attributes:
        channels (Channels): all channels.
        parameters (dict[str, Labels]): the channels along the axes of each parameter.
        makers (list[Maker]): axes that channels come from.
        factors (list[str]): parameters that are the factors of batch norms.
        counted (bool): whether an attribute has numbers of channels, which in the Python code of a
            Layer may be constants.
        trusted (bool): whether such numbers follow when there are fewer channels.
    """

    channels: Channels = field(default_factory=Channels)
    parameters: dict[str, Labels] = field(default_factory=dict)
    makers: list[Maker] = field(default_factory=list)
    factors: list[str] = field(default_factory=list)
    counted: bool = False
    trusted: bool = True


class Step:
    """One operator, with the channels of what it reads.

    Args:
        view (View): where it stands.
        record (Record): what is known so far.
        op (Operator): the operator.
    """

    def __init__(self, view: View, record: Record, op: Operator) -> None:
        self.view, self.record, self.op = view, record, op
        self.channels = record.channels
        self.block: Block = view.program.global_block()

    def names(self, slot: str) -> list[str]:
        """The variables in an input slot."""
        return [n for n in self.op.inputs.get(slot, ()) if n != EMPTY]

    def name(self, slot: str) -> str | None:
        """The first variable in an input slot, or None."""
        return next(iter(self.names(slot)), None)

    def shape(self, name: str) -> list[int]:
        """The sizes of a variable; -1 where unknown."""
        var = self.block._find_var_recursive(name)
        return [] if var is None else list(var.shape)

    def labels(self, name: str) -> Labels:
        """The channels along the axes of a variable."""
        found = self.view.labels.get(name)
        if found is not None:
            return found
        key = self.view.stored.get(name)
        if key is None:
            return [None] * len(self.shape(name))
        if key not in self.record.parameters:
            self.record.parameters[key] = [
                self.channels.new(size) if size > 1 else None for size in self.shape(name)
            ]
        self.view.labels[name] = self.record.parameters[key]
        return self.view.labels[name]

    def put(self, slot: str, labels: Labels, at: int = 0) -> None:
        """Notes the channels along the axes of a result."""
        names = self.op.outputs.get(slot, ())
        if len(names) > at and names[at] != EMPTY and names[at] not in self.view.stored:
            sizes = self.shape(names[at])
            self.view.labels[names[at]] = [
                None if i < len(sizes) and sizes[i] == 1 else axis for i, axis in enumerate(labels)
            ]

    def put_shape(self, labels: Labels) -> None:
        """The slot in which reshapes hand their input's shape on to the gradient."""
        self.put("XShape", [None, *labels])

    def attr(self, name: str) -> object:
        """An attribute; a missing one has its default."""
        return self.op.attr(name)

    def shown(self) -> str:
        """The operator, for messages."""
        where = self.op.location
        line = f" ({where.file.rpartition('/')[2]}:{where.line})" if where is not None else ""
        return f"{self.op.type}{line}"

    def why(self, slot: str, other: str | None = None) -> str:
        """Why channels have to stay that meet those of an input."""
        name = other or self.name(slot)
        return f"{self.shown()} puts them together with {name!r}, whose channels are given"

    def fix_all(self, names: Iterable[str], reason: str) -> None:
        """Notes that all channels of some variables have to stay."""
        for name in names:
            for axis in self.labels(name):
                self.channels.fix(axis, reason)

    def fix_axes(self, name: str, axes: Iterable[int], what: str = "works along them") -> None:
        """Notes that the channels along some axes have to stay, because of what the operator does.

        Args:
            name (str): the variable.
            axes (Iterable[int]): its axes.
            what (str): what the operator does.
        """
        labels = self.labels(name)
        for axis in axes:
            self.channels.fix(labels[axis], f"{self.shown()} {what}")

    def makes(self, labels: np.ndarray | None, scored: bool = True) -> None:
        """Notes that channels come from an axis of a weight."""
        if labels is not None:
            self.record.makers.append(Maker(labels, scored))


Rule = Callable[[Step], None]
RULES: dict[str, Rule] = {}


def rule(*types: str) -> Callable[[Rule], Rule]:
    """Decorator of the rule of some operators.

    Args:
        *types (str): their names.
    """

    def register(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(types, function))
        return function

    return register
