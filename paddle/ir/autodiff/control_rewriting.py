"""One gradient operator of control flow on its way to becoming control flow itself.

What its block reads of the forward block's values is written into tensor arrays by the forward
block, one element per run, and read from there.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from paddle.core.dtype import VarType
from paddle.core.errors import NotFoundError
from paddle.ir.block import Block
from paddle.ir.needs import gradient_needs, is_gradient
from paddle.ir.operator import EMPTY, Operator

# The output by which a gradient operator finds its forward operator.
SCOPES = {
    "conditional_block_grad": "Scope",
    "while_grad": "StepScopes",
    "recurrent_grad": "step_scopes",
}
MAYBE = "_maybe"  # attribute of operators on values that exist only if a block ran
_POSITION = "_position"  # attribute of a forward operator: where its block writes in the arrays


class Rewriting:
    """One gradient operator on its way to becoming control flow.

    Attributes:
        op: the gradient operator; it becomes the last of those that replace it.
        block: where it is.
        body: its block of operators, which becomes that of the new operator.
        forward: the operator that it is the gradient of.
        run: the block of that operator.
    """

    def __init__(self, op: Operator) -> None:
        self.op, self.block = op, op.block
        self.body: Block = op.attrs["sub_block"]
        self.run: Block = op.block.program.blocks[self.body.forward_block_idx]
        self.forward = self._find_forward()
        self.role = op.role
        # What its block of values is; without it the gradient block is an ordinary one.
        self.body._set_forward_block_idx(-1)

    def _find_forward(self) -> Operator:
        slot = SCOPES[self.op.type]
        name = self.op.inputs[slot][0]
        around = self.block.program.blocks[self.run.parent_idx]
        return next(o for o in around.ops if name in o.outputs.get(slot, ()))

    # -- operators and variables ------------------------------------------------------------------

    def before(self, type: str, inputs: dict, outputs: dict, **attrs: Any) -> None:
        """Adds an operator in front of the gradient operator."""
        at = next(i for i, o in enumerate(self.block.ops) if o is self.op)
        made = self._operator(self.block, self.op, type, inputs, outputs, attrs)
        self.block.ops.insert(at, made)

    def first(self, type: str, inputs: dict, outputs: dict, **attrs: Any) -> None:
        """Adds an operator to the start of the gradient block."""
        self.body.ops.insert(0, self._operator(self.body, self.op, type, inputs, outputs, attrs))

    def last(self, type: str, inputs: dict, outputs: dict, **attrs: Any) -> None:
        """Adds an operator to the end of the gradient block."""
        self.body.ops.append(self._operator(self.body, self.op, type, inputs, outputs, attrs))

    def end(self, results: list[tuple[str, str]]) -> None:
        """Hands results over under the names of the gradients and takes the old operator away.

        Its object stays, as the last of the new operators.
        """
        for value, gradient in results[:-1]:
            self.before("assign", {"X": [value]}, {"Out": [gradient]})
        value, gradient = results[-1]
        self.op.type = "assign"
        self.op.inputs, self.op.outputs = {"X": [value]}, {"Out": [gradient]}
        self.op.attrs = {"op_role": self.role}

    @staticmethod
    def _operator(
        block: Block, near: Operator, type: str, inputs: dict, outputs: dict, attrs: dict
    ) -> Operator:
        return Operator(
            block, type, inputs, outputs, {**attrs, "op_role": near.role}, near.location
        )

    def like(self, name: str, seen_from: Block, block: Block, new: str) -> str:
        """Makes a variable of the kind of another one."""
        var = owner(seen_from, name).vars[name]
        return block.create_var(
            name=new, type=var.type, shape=var._dims, dtype=var.dtype,
            stop_gradient=var.stop_gradient,
        )._name  # fmt: skip

    def scopes(self) -> str:
        """Makes the variable in which the new operator keeps what its gradient needs."""
        return self.block.create_var(
            name=self.block.unused_name("scopes"), type=VarType.STEP_SCOPES
        )._name

    # -- what the forward block tells -------------------------------------------------------------

    def position(self) -> str:
        """The place in the arrays at which the forward block writes, afterwards their length."""
        known = self.forward.attrs.get(_POSITION)
        if known is None:
            around = self.forward.block
            known = around.create_var(
                name=self.block.unused_name("runs"), shape=[1], dtype="int64", stop_gradient=True
            )._name
            self.forward.attrs[_POSITION] = known
            at = next(i for i, o in enumerate(around.ops) if o is self.forward)
            attrs = {"shape": [1], "value": 0.0, "dtype": int(VarType.INT64)}
            step = self._operator(
                around, self.forward, "fill_constant", {}, {"Out": [known]}, attrs
            )
            around.ops.insert(at, step)
            ends = {"X": [known]}, {"Out": [known]}, {"step": 1.0}
            self.run.ops.append(self._operator(self.run, self._near(), "increment", *ends))
            self._also_written(known)
        return known

    def _near(self) -> Operator:
        return self.run.ops[-1] if self.run.ops else self.forward

    def kept(self, name: str, start: bool = False) -> str:
        """The array of a forward block's values of a variable, one for each run.

        Args:
            name (str): the variable.
            start (bool): it is from outside; keep what it holds when a run begins.
        """
        position = self.position()
        for op in self.run.ops:
            if op.type == "write_to_array" and op.inputs["X"] == [name]:
                if op.inputs["I"] == [position]:
                    return op.outputs["Out"][0]
        var = self.run._var_recursive(name)
        array = self.forward.block.create_var(
            name=self.block.unused_name(f"{name}.runs"), type=VarType.LOD_TENSOR_ARRAY,
            shape=var._dims, dtype=var.dtype, stop_gradient=var.stop_gradient,
        )._name  # fmt: skip
        slots = {"X": [name], "I": [position]}, {"Out": [array]}
        step = self._operator(self.run, self._near(), "write_to_array", *slots, {MAYBE: True})
        if start:
            self.run.ops.insert(0, step)
        else:
            last = max(i for i, o in enumerate(self.run.ops) if position in o.output_arg_names)
            self.run.ops.insert(last, step)
        self._also_written(array)
        return array

    def _also_written(self, name: str) -> None:
        """Notes an outer variable that the forward block changes."""
        slot = "X" if self.forward.type == "while" else "Input"
        self.forward.inputs.setdefault(slot, []).append(name)
        self.forward.outputs.setdefault("Out", []).append(name)

    # -- the gradient block on its own ------------------------------------------------------------

    def detach(self, at: str, changed: Collection[str] = ()) -> None:
        """Lets the gradient block read arrays where it read the forward block's values.

        Args:
            at (str): the variable that says which element.
            changed: outer variables that it sees as they were when a run began.
        """
        drop_unread(self.body)
        for name in outer_reads(self.body):
            start = name not in self.run.vars
            if start and name not in changed:
                continue
            array = self.kept(name, start)
            local = self.block.unused_name(f"{name}.run") if start else name
            self.like(name, self.run, self.body, local)
            if start:
                rename(self.body, name, local)
            # Reads go to the start; the order among them does not matter.
            self.first(
                "read_from_array", {"X": [array], "I": [at]}, {"Out": [local]}, **{MAYBE: True}
            )


def drop_unread(block: Block) -> None:
    """Leaves out slots of gradient operators that no kernel here reads, in blocks inside too."""
    for op in block.ops:
        for sub in op.sub_blocks:
            drop_unread(sub)
        if not is_gradient(op):
            continue
        known = op.definition
        assert known is not None and known.base is not None
        counted = {s.name for s in known.base.inputs if s.many}
        values, shapes = gradient_needs(op)
        read = {*values, *shapes}
        op.inputs = {
            s: names for s, names in op.inputs.items() if s in counted or read & set(names)
        }


def outer_reads(block: Block) -> list[str]:
    """Names that a block, or a block inside it, reads and does not declare."""
    names: dict[str, None] = {}
    for op in block.ops:
        inner = [n for sub in op.sub_blocks for n in outer_reads(sub)]
        names.update((n, None) for n in [*op.input_arg_names, *inner] if n not in block.vars)
    names.pop(EMPTY, None)
    return list(names)


def outer_writes(block: Block) -> list[str]:
    """Names that a block, or a block inside it, writes and does not declare."""
    names: dict[str, None] = {}
    for op in block.ops:
        inner = [n for sub in op.sub_blocks for n in outer_writes(sub)]
        names.update((n, None) for n in [*op.output_arg_names, *inner] if n not in block.vars)
    names.pop(EMPTY, None)
    return list(names)


def rename(block: Block, old: str, new: str, written: bool = False) -> None:
    """Renames an outer variable where a block, or one inside it, reads (and writes) it."""
    for op in block.ops:
        op._rename_input(old, new)
        if written:
            op._rename_output(old, new)
        for sub in op.sub_blocks:
            if old not in sub.vars:
                rename(sub, old, new, written)


def owner(block: Block, name: str) -> Block:
    """The block that declares a name, as a gradient block sees it: its forward block is nearer."""
    blocks, queue = block.program.blocks, [block]
    for here in queue:
        if name in here.vars:
            return here
        queue += [blocks[i] for i in (here.forward_block_idx, here.parent_idx) if i >= 0]
    raise NotFoundError(f"neither block {block.idx} nor one around it has a variable {name!r}.")


def is_array(block: Block, name: str) -> bool:
    return owner(block, name).vars[name].type == VarType.LOD_TENSOR_ARRAY
