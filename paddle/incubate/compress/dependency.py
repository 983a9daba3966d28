"""Which channels of which parameters go together, found by reading a Program once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from paddle.incubate.compress import rules
from paddle.incubate.compress.step import Record, Step, View
from paddle.incubate.compress.units import Labels
from paddle.ir.needs import inner_names
from paddle.ir.operator import Operator, Role

Axis = tuple[str, int]  # a parameter and one of its axes
_NOT_FORWARD = Role.BACKWARD | Role.OPTIMIZE | Role.RPC | Role.DIST | Role.LR_SCHED


@dataclass(eq=False)
class ChannelGroup:
    """Channels that touch the same axes of the same parameters.

    Attributes:
        members (list[Axis]): the axes: (parameter, axis).
        makers (list[Axis]): those of them that the channels come from.
        units (np.ndarray): what can go or stay alone, by number, in the order of the first maker.
    """

    members: list[Axis]
    makers: list[Axis]
    units: np.ndarray


class Dependencies:
    """What goes together in the Programs that use the same parameters.

    Args:
        views (Sequence[View]): the Programs. Sizes are counted in the last one.
        trusted (bool): whether numbers of channels in attributes follow when channels go.

    Attributes:
        groups (list[ChannelGroup]): what can be pruned.
        fixed (dict[str, str]): parameter that makes channels which have to stay -> why.
        outputs (dict[str, int]): parameter -> its axis of the channels that it makes.
        counted (bool): whether it depends on ``trusted``.
    """

    def __init__(self, views: Sequence[View], trusted: bool = True) -> None:
        self.views = list(views)
        self._record = Record(trusted=trusted)
        for view in self.views:
            self._read(view)
        self.counted = self._record.counted
        self.roots = self._record.channels.roots()
        self.groups: list[ChannelGroup] = []
        self.outputs: dict[str, int] = {}
        self.fixed: dict[str, str] = {}
        self._divide()

    # -- reading ----------------------------------------------------------------------------------

    def _read(self, view: View) -> None:
        ops = forward_ops(view)
        for op in ops:
            step = Step(view, self._record, op)
            known = rules.elementwise.rule_of(op.type, op.declared)
            if op.type in ("feed", "fetch"):
                continue
            if known is None or op.sub_blocks:
                self._unknown(step)
            else:
                known(step)
        if ops:
            self._fix_outputs(view, ops)

    def _unknown(self, step: Step) -> None:
        names = [*step.op.input_arg_names, *(inner_names(step.op) if step.op.sub_blocks else ())]
        known = [n for n in names if step.block._find_var_recursive(n) is not None]
        step.fix_all(known, f"{step.shown()} reads them, and they are not followed through it")

    def _fix_outputs(self, view: View, ops: list[Operator]) -> None:
        names = view.outputs
        if names is None:
            read = {n for op in ops if op.type != "fetch" for n in op.input_arg_names}
            made = {next(iter(op.outputs[first]), "") for op in ops
                    if (first := _first_output(op)) is not None}  # fmt: skip
            fetched = {n for op in ops if op.type == "fetch" for n in op.input_arg_names}
            names = sorted((made - read) | fetched)
        step = Step(view, self._record, ops[-1])
        for name in names:
            step.fix_all([name], f"they are channels of the output {name!r}")

    # -- what was found ---------------------------------------------------------------------------

    def _divide(self) -> None:
        """Makes groups of all channels, by the axes that they touch."""
        touched: dict[int, dict[Axis, None]] = {}
        for name, labels in self._record.parameters.items():
            for axis, own in enumerate(labels):
                for root in () if own is None else np.unique(self.roots[own]).tolist():
                    touched.setdefault(root, {})[name, axis] = None
        at = self._places()
        made: dict[tuple[Axis, ...], list[int]] = {}
        makers: dict[tuple[Axis, ...], dict[Axis, None]] = {}
        for maker in self._record.makers:
            found = at.get(maker.labels.tobytes())
            if found is None:  # of no parameter's own
                continue
            for root in dict.fromkeys(self.roots[maker.labels].tolist()):
                self.outputs.setdefault(*found)
                members = tuple(touched[root])
                reason = self._record.channels.reason(root)
                if reason is not None:
                    self.fixed.setdefault(found[0], reason)
                    continue
                made.setdefault(members, []).append(root)
                beside = makers.setdefault(members, {})
                if maker.scored:
                    beside[found] = None
        for members, units in made.items():
            if makers[members]:
                order = np.array(list(dict.fromkeys(units)), dtype=np.int64)
                self.groups.append(ChannelGroup(list(members), list(makers[members]), order))

    def _places(self) -> dict[bytes, Axis]:
        """The axes of parameters by the channels that were numbered for them."""
        return {
            own.tobytes(): (name, axis)
            for name, labels in self._record.parameters.items()
            for axis, own in enumerate(labels)
            if own is not None
        }

    @property
    def parameters(self) -> dict[str, Labels]:
        """The channels along the axes of each parameter that the Programs read."""
        return self._record.parameters

    @property
    def factors(self) -> list[str]:
        """The parameters that are factors of batch norms."""
        return self._record.factors

    def groups_of(self, name: str) -> list[ChannelGroup]:
        """Returns the groups of the channels that a parameter makes.

        Args:
            name (str): the parameter.
        """
        place = (name, self.outputs.get(name, 0))
        return [group for group in self.groups if place in group.members]

    def units_of(self, name: str, axis: int) -> np.ndarray:
        """Returns for each place of a parameter's axis the unit that it belongs to.

        Args:
            name (str): the parameter.
            axis (int): one of its axes.
        """
        own = self._record.parameters[name][axis]
        assert own is not None
        return self.roots[own]

    def staying(self, removed: Iterable[int]) -> np.ndarray:
        """Returns for each channel whether it stays.

        Args:
            removed (Iterable[int]): units that go.
        """
        gone = np.zeros(len(self.roots), dtype=bool)
        gone[list(removed)] = True
        return ~gone[self.roots]


def forward_ops(view: View) -> list[Operator]:
    """Returns the operators of a Program that compute its results, without gradients and updates.

    Args:
        view (View): the Program.
    """
    ops = view.program.global_block().ops
    return [op for op in ops if not op.role & _NOT_FORWARD]


def _first_output(op: Operator) -> str | None:
    known = op.declared
    slot = known.outputs[0].name if known is not None and known.outputs else None
    return slot if slot in op.outputs else next(iter(op.outputs), None)
