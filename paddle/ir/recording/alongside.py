"""Recording operators while they run: what eager code computes becomes a Program as well.

Unlike ``paddle.jit.to_static``, which records instead of running, the code here sees values, so it
may decide by them; the Program then holds what it did this time. Libraries of 2.0 take Programs of
Layers so, by ``paddle.fluid.dygraph.base.program_desc_tracing_guard``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from paddle.core import unique_name
from paddle.core.mode import current_hook, hooked
from paddle.core.op import C, OpDef, py
from paddle.core.pytree import leaves, tree_map
from paddle.core.tensor import Tensor
from paddle.ir.current import program_guard
from paddle.ir.program import Program
from paddle.ir.recording.captured import Captured
from paddle.ir.recording.context import capturing
from paddle.ir.recording.lowering_setitem import assign_item
from paddle.ir.recording.static_mode import record
from paddle.ir.variable import Variable


class OperatorLog:
    """The operators that ran since it was made or reset, as a Program.

    Attributes:
        program (Program): them; Tensors that no operator made are stored variables.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forgets all of them."""
        self.program = Program()
        self._captured = Captured(self.program)
        self._names = unique_name.UniqueNameGenerator()
        # By the id of a Tensor its Variable, and itself, so that no other Tensor gets that id.
        self._made: dict[int, tuple[Tensor, Variable]] = {}

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Records the operators of this thread inside the block; they run as they would without."""
        before = current_hook()
        casts = getattr(before, "over", None)  # of an auto_cast: what runs is what it makes of it
        with hooked(self if casts is None else casts(self)):
            yield

    def __call__(self, op: OpDef, args: tuple, attrs: dict[str, Any]) -> Any:
        """The hook: runs an operator, then records it."""
        with hooked(None):
            results = getattr(C, op.name)(*args, **{py(k): v for k, v in attrs.items()})
        values = tuple(tree_map(self._variable, list(args)))
        with self._recording():
            recorded = record(op, values, attrs)
        for value, variable in zip(leaves(results), leaves(recorded), strict=True):
            if isinstance(value, Tensor) and isinstance(variable, Variable):
                variable.shape = value.shape  # what had to be left open is known now
                self._made[id(value)] = value, variable
        return results

    def assign_item(self, x: Tensor, item: Any, value: Any) -> None:
        """Runs and records ``x[item] = value``, which is no operator in dynamic mode."""
        with hooked(None):
            x[item] = value
        place = self._variable(x)
        parts = tree_map(self._variable, list(item) if isinstance(item, tuple) else [item])
        with self._recording():
            assign_item(place, tuple(parts), self._variable(value))

    @contextlib.contextmanager
    def _recording(self) -> Iterator[None]:
        with (
            program_guard(self.program, Program()),
            unique_name.guard(self._names),
            hooked(record),
            capturing(self._captured.take),
        ):
            yield

    def _variable(self, value: Any) -> Any:
        if not isinstance(value, Tensor):
            return value
        found = self._made.get(id(value))
        return self._captured.take(value) if found is None else found[1]

    def taken_out(
        self, inputs: Sequence[Tensor], input_prefix: str, outputs: Sequence[Tensor],
        output_prefix: str, other_prefix: str,
    ) -> tuple[Program, list[str], list[str], list[Tensor]]:  # fmt: skip
        """Returns the Program with inputs, outputs and what lies between named anew.

        Args:
            inputs (list[Tensor]): what the code was given.
            input_prefix (str): their names begin with it, numbers follow.
            outputs (list[Tensor]): what it returned.
            output_prefix (str): as ``input_prefix``.
            other_prefix (str): of what lies between.

        Returns:
            tuple: the Program, the names of inputs and of outputs, and the stored Tensors it uses.
        """
        names: dict[str, str] = {}
        for prefix, tensors in ((input_prefix, inputs), (output_prefix, outputs)):
            for i, tensor in enumerate(tensors):
                names.setdefault(self._variable(tensor).name, f"{prefix}{i}")
        block = self.program.global_block()
        fed = [self._variable(tensor).name for tensor in inputs]
        for name in fed:
            block.vars[name].persistable = False
        between = [n for n, v in block.vars.items() if n not in names and not v.persistable]
        names |= {name: f"{other_prefix}{i}" for i, name in enumerate(between)}
        shown = [[names[self._variable(t).name] for t in listed] for listed in (inputs, outputs)]
        stored = [t for n, t in self._captured.tensors.items() if n not in fed]
        _rename(self.program, names)
        return self.program, *shown, stored


def _rename(program: Program, names: dict[str, str]) -> None:
    """Gives variables of the global block new names, all at once."""
    block = program.global_block()
    for name, variable in block.vars.items():
        variable._name = names.get(name, name)
    block.vars = {variable.name: variable for variable in block.vars.values()}
    for op in block.ops:
        for slots in (op.inputs, op.outputs):
            for slot, listed in slots.items():
                slots[slot] = [names.get(name, name) for name in listed]
    program._changed()
