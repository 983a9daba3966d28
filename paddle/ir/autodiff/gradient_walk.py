"""The walk from a loss back to what it was computed from, which writes gradient operators.

The operators of a block are visited in reverse. Each adds gradients to the variables it read; what
several operators add to one variable is summed where the variable was written, or at the end. Only
then names are given: ``x@GRAD``, or ``x@GRAD@RENAME@block0@0``, ... for the parts of a sum.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from paddle.core.dtype import VarType
from paddle.ir.autodiff.custom_operators import HOOK
from paddle.ir.autodiff.gradient_flow import Flags
from paddle.ir.autodiff.inlining import apply_hook
from paddle.ir.autodiff.snapshots import snapshot
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator, Role, SourceLocation
from paddle.ir.row_gradients import rows_written

Names = list[str]


@dataclass(eq=False)
class Step:
    """An operator to be added when the walk is over."""

    type: str
    inputs: dict[str, Names]
    outputs: dict[str, Names]
    attrs: dict[str, Any]
    location: SourceLocation | None = None
    kinds: dict[str, int] | None = None


@dataclass(eq=False)
class GradientPart:
    """One of the gradients that are added up: a place in a Step's outputs that awaits its name."""

    names: Names
    at: int = 0
    step: Step | None = None
    given: bool = False  # a variable from outside, which keeps its name


@dataclass(eq=False, repr=False)
class GradientWalk:
    """State of one walk; what gradient makers work with.

    A maker is called as ``maker(op, walk)``. It reads :meth:`incoming`, the gradient of an output,
    asks by :meth:`outgoing` for the names of the gradients of an input slot, takes forward values
    under the name :meth:`value` tells, and adds operators by :meth:`emit`.

    Attributes:
        block: where the forward operators are.
        ops: the operators to visit, in the order in which they run.
        flags: which inputs want a gradient, see :func:`paddle.ir.autodiff.gradient_flow.flags_of`.
        target: the block that the new operators go to.
        marked: parameters for which ``op_role_var`` says where their gradient is complete.
        blocked: names of variables that no gradient goes through, in sub-blocks too.
        last: computed variables that may be written more than once, and of which the gradient of
            the last value is wanted; then the name of that gradient.
        found: variable name -> name of its gradient.
        enter: called with the position of an operator before it is differentiated.
        location: the user's call, for operators that belong to no forward one.
        at: the position of the current operator.
    """

    block: Block
    ops: Sequence[Operator]
    flags: Sequence[Flags]
    target: Block
    marked: Collection[str] = ()
    blocked: Collection[str] = ()
    last: dict[str, str | None] = field(default_factory=dict)
    checks_overwritten: bool = True
    found: dict[str, str] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)
    enter: Callable[[int], None] | None = None
    location: SourceLocation | None = None
    at: int = -1
    _pending: dict[str, list[GradientPart]] = field(default_factory=dict)
    _arrived: dict[str, str] = field(default_factory=dict)
    _awaited: dict[int, list[GradientPart]] = field(default_factory=dict)
    _bases: dict[str, str] = field(default_factory=dict)
    _replacers: dict[str, int] | None = None
    _hooks: dict[str, list[int]] = field(default_factory=dict)
    _counts: dict[str, int] = field(default_factory=dict)
    _writers: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for i, op in enumerate(self.ops):
            self._writers.update(dict.fromkeys(op.output_arg_names, i))

    # -- for makers -------------------------------------------------------------------------------

    def incoming(self, name: str) -> str | None:
        """The gradient of an output of the current operator; None where nothing arrived."""
        return self._arrived.get(name)

    def needs_grad(self, slot: str) -> list[bool]:
        """One flag per variable of an input slot of the current operator."""
        return self.flags[self.at].get(slot, [])

    def outgoing(self, slot: str) -> Names | None:
        """Names for the gradients of an input slot; None if none of them is needed.

        The list is filled in when the walk is over: put it into a Step as it is.
        """
        needed = self.needs_grad(slot)
        if not any(needed):
            return None
        names = [EMPTY] * len(needed)
        for i, (name, want) in enumerate(zip(self.ops[self.at].inputs[slot], needed, strict=True)):
            if want:
                self.add(name, GradientPart(names, i))
        return names

    def outgoing_at(self, slot: str, at: int) -> Names:
        """A list of one name, for the gradient of one of the variables in an input slot."""
        names = [EMPTY]
        self.add(self.ops[self.at].inputs[slot][at], GradientPart(names))
        return names

    def add(self, name: str, part: GradientPart) -> None:
        """Notes a gradient of a variable."""
        self._pending.setdefault(name, []).append(part)
        if not part.given:
            self._awaited.setdefault(id(part.names), []).append(part)

    def value(self, name: str, written: bool = False) -> str:
        """The name under which the value that the current operator saw can still be read.

        What a later operator overwrites is copied next to the current one.

        Args:
            name (str): a variable that the operator read or wrote.
            written (bool): the operator wrote it; else it is the value from before.
        """
        if self.checks_overwritten and self._writers.get(name, -1) >= self.at + written:
            var = self.block._find_var_recursive(name)
            if var is not None and not (var.persistable and self._only_updated(name)):
                return snapshot(self.ops[self.at], name, written)
        return self.name_of(name)

    def _only_updated(self, name: str) -> bool:
        """Whether what comes later only updates a variable in place.

        So do running statistics, which gradients do not depend on, and optimizers, whose new values
        are those that count.
        """
        if self._replacers is None:
            self._replacers = {}
            for at, op in enumerate(self.ops):
                known = op.definition
                in_place = {s.name for s in known.outputs if s.writes} if known else ()
                for slot, names in op.outputs.items():
                    if slot not in in_place:
                        self._replacers.update(dict.fromkeys(names, at))
        return self._replacers.get(name, -1) <= self.at

    def name_of(self, name: str) -> str:
        """The name for a variable of which the shape is enough, or the last value."""
        return self.renamed.get(name, name)

    def emit(
        self,
        type: str,
        inputs: dict[str, Names | None],
        outputs: dict[str, Names | None],
        attrs: dict[str, Any],
    ) -> Step:
        """Adds an operator; slots without any variable are left out."""
        origin = self.ops[self.at] if 0 <= self.at < len(self.ops) else None
        kept = {k: v for k, v in attrs.items() if k != "op_role_var"}
        step = Step(
            type,
            {s: n for s, n in inputs.items() if n},
            {s: n for s, n in outputs.items() if n},
            {**kept, "op_role": Role.BACKWARD},
            origin.location if origin is not None else self.location,
        )
        self.steps.append(step)
        for names in step.outputs.values():
            for part in self._awaited.pop(id(names), ()):
                part.step = step
        return step

    # -- the walk ---------------------------------------------------------------------------------

    def start(self, name: str, gradient: str) -> None:
        """Gives a variable a gradient to start from."""
        self.add(name, GradientPart([gradient], given=True))

    def run(self, differentiate: Callable[[Operator, GradientWalk], None]) -> None:
        """Visits all operators, ``differentiate(op, walk)`` those that pass a gradient on."""
        for at in range(len(self.ops) - 1, -1, -1):
            op = self.ops[at]
            if op.type == HOOK:  # it is for the value that its variable has here
                self._hooks.setdefault(op.inputs["X"][0], []).insert(0, at)
                continue
            live = [n for n in dict.fromkeys(op.output_arg_names) if n in self._pending]
            if not live:
                self._forget_hooks(op)
                continue
            self.at = at
            if self.flags[at] and self.enter is not None:
                self.enter(at)
            # What was read before this operator wrote it is another value: its sum starts anew.
            self._arrived = {n: self.complete(n) for n in live}
            self._forget_hooks(op)
            if self.flags[at]:
                differentiate(op, self)
        self.at = -1
        for name in list(self._pending):
            self.complete(name)

    def _forget_hooks(self, op: Operator) -> None:
        """What an operator writes had another value before, which hooks are not for."""
        if self._hooks:
            for name in op.output_arg_names:
                self._hooks.pop(name, None)

    def complete(self, name: str) -> str:
        """Gives the gradient of a variable its name, adding it up first if it has parts."""
        parts = self._pending.pop(name)
        hooks = self._hooks.pop(name, None)
        usual = self.gradient_name(name) if len(parts) > 1 or not parts[0].given or hooks else ""
        first = usual
        if hooks:
            first = self.target.unused_name(f"{usual}@FIRST")
            self._declare(first, name)
        if len(parts) == 1 and parts[0].given:
            gradient, step = parts[0].names[0], parts[0].step
        elif len(parts) == 1:
            gradient, step = first, parts[0].step
            parts[0].names[parts[0].at] = gradient
        else:
            gradient = first
            names = [self._name_part(name, gradient, part) for part in parts]
            step = self.emit("sum", {"X": names}, {"Out": [gradient]}, {})
        if hooks:
            step = self._apply(hooks, gradient, usual)
            gradient = usual
        self.found[name] = gradient
        if name in self.last and self.last[name] is None:
            self.last[name] = self._put_aside(name, gradient)
        if name in self.marked and step is not None:
            step.attrs["op_role_var"] = [*step.attrs.get("op_role_var", []), name, gradient]
        return gradient

    def _apply(self, hooks: list[int], gradient: str, name: str) -> Step:
        """Sends a gradient through hooks; returns the operator that gives the result its name."""
        now = self.at
        for self.at in hooks:
            gradient = apply_hook(self.ops[self.at], self, gradient)
        step = self.emit("assign", {"X": [gradient]}, {"Out": [name]}, {})
        self.at = now
        return step

    def _put_aside(self, name: str, gradient: str) -> str:
        """A name for a gradient that one of an earlier value cannot take away."""
        made = self.target.unused_name(f"{gradient}@LAST")
        self._declare(made, name)
        self.emit("assign", {"X": [gradient]}, {"Out": [made]}, {})
        return made

    def _name_part(self, name: str, gradient: str, part: GradientPart) -> str:
        if part.given:
            return part.names[0]
        count = self._counts.get(gradient, 0)
        self._counts[gradient] = count + 1
        label = f"{gradient}@RENAME@block{self.target.idx}@{count}"
        self._declare(label, name)
        part.names[part.at] = label
        return label

    def gradient_name(self, name: str) -> str:
        """The name for a variable's gradient: ``x@GRAD``, with a number if that is in use."""
        found = self._bases.get(name)
        if found is None:
            found = f"{name}@GRAD"
            while found in self.target.vars:
                found = self.target.unused_name(f"{name}@GRAD")
            self._bases[name] = found
            self._declare(found, name)
        return found

    def _declare(self, gradient: str, name: str) -> None:
        var = self.block._var_recursive(name)
        self.target.create_var(
            name=gradient, type=var.type, shape=var._dims, dtype=var.dtype, lod_level=var.lod_level
        )

    def _note_rows(self, op: Operator) -> None:
        """Says of gradients of rows that they are; clipping and penalties of 1.x ask for it."""
        block = self.target

        def known(name: str) -> bool:
            var = block._find_var_recursive(name)
            return var is not None and var.type == VarType.SELECTED_ROWS

        for name in rows_written(op, known):
            var = block._find_var_recursive(name)
            if var is not None:
                var.type = VarType.SELECTED_ROWS

    # -- the end ----------------------------------------------------------------------------------

    def write(self, callbacks: Sequence[Callable] = ()) -> None:
        """Adds the operators to the target block.

        Args:
            callbacks: each is called as ``callback(block=..., context=...)`` after every operator;
                the context maps names of gradients to what they are the gradients of.
        """
        names = {g: n for n, g in self.found.items()}
        done: set[str] = set()
        for step in self.steps:
            op = Operator(
                self.target, step.type, step.inputs, step.outputs, step.attrs, step.location
            )
            op.attr_kinds = step.kinds
            self.target.ops.append(op)
            if self.target.program.of_1x:
                self._note_rows(op)
            for gradient in op.output_arg_names:
                var = self.target._find_var_recursive(gradient)
                if var is not None:
                    var.op = op
                if gradient in names and gradient not in done:
                    done.add(gradient)
                    self._clip_error(names[gradient], gradient)
            for callback in callbacks:
                callback(block=self.target, context={**names, "__current_op_desc__": op})
        self.target.program.note_change()

    def _clip_error(self, name: str, gradient: str) -> None:
        var = self.block._find_var_recursive(name)
        if var is not None and var.error_clip is not None:
            with self.target.program._backward_role_guard():
                var.error_clip._append_clip_op(self.target, gradient)
