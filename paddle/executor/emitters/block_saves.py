"""What a gradient block needs of its forward block: found before the forward block is written.

``while``, ``conditional_block`` and ``recurrent`` have an output of their own kind (StepScopes,
Scope, step_scopes) that only their gradient operator reads. In a plan it is a tuple of the values
below, or a list with a tuple per iteration; without a gradient operator it does not exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paddle.core.dtype import VarType
from paddle.core.errors import NotFoundError
from paddle.ir.block import Block
from paddle.ir.needs import gradient_needs, is_gradient
from paddle.ir.operator import EMPTY, Operator

if TYPE_CHECKING:
    from paddle.executor.codegen import Emitter

# The slot that holds what is saved, by forward operator; gradient operators read it.
SCOPES = {
    "while": "StepScopes",
    "conditional_block": "Scope",
    "conditional_block_infer": "Scope",
    "recurrent": "step_scopes",
}
# The inputs that gradients of control flow read; the others are only named.
_READ = {
    "while_grad": ("Out@GRAD", "StepScopes"),
    "conditional_block_grad": ("Out@GRAD", "Scope", "Input"),
    "recurrent_grad": ("outputs@GRAD", "step_scopes", "inputs", "parameters", "initial_states"),
}


@dataclass
class BlockSaves:
    """Names of a forward block's values that are kept for its gradient.

    Attributes:
        values: variables of the block.
        shapes: variables of the block of which the shape is enough.
        starts: variables from outside that the block writes anew; their values from before.
        readers: the gradient operators.
    """

    values: list[str] = field(default_factory=list)
    shapes: list[str] = field(default_factory=list)
    starts: list[str] = field(default_factory=list)
    readers: list[Operator] = field(default_factory=list)

    @property
    def kept(self) -> list[str]:
        """Variables of the block that must be there at its end."""
        return [*self.values, *self.shapes]


def saved_of(emitter: Emitter, op: Operator) -> BlockSaves | None:
    """Returns what a control flow operator has to save, or None if nothing asks for it."""
    names = op.outputs.get(SCOPES[op.type]) or []
    if not names:
        return None
    key = (emitter.owner(names[0], op.block).idx, names[0])
    readers = _readers(emitter).get(key)
    if not readers:
        return None
    found: BlockSaves | None = emitter.saved.get(key)
    if found is None:
        found = emitter.saved[key] = _analyse(emitter, op, readers)
    return found


def saved_for(emitter: Emitter, gradient: Operator) -> tuple[str, BlockSaves]:
    """Returns the name under which a gradient operator finds what was saved, and what that is."""
    slot = SCOPES[gradient.type.removesuffix("_grad")]
    name = gradient.inputs[slot][0]
    key = (emitter.owner(name, gradient.block).idx, name)
    if key not in emitter.saved:
        raise NotFoundError(
            f"operator {gradient.type}: no operator before it saves {name!r}; the forward operator "
            "was removed." + (f"\n  {gradient.location}" if gradient.location else "")
        )
    return name, emitter.saved[key]


def _readers(emitter: Emitter) -> dict[tuple[int, str], list[Operator]]:
    """Gradient operators by the variable in which they find what was saved."""
    found: dict[tuple[int, str], list[Operator]] | None = emitter.__dict__.get("_scope_readers")
    if found is None:
        found = emitter.__dict__["_scope_readers"] = {}
        for block in emitter.program.blocks:
            for op in block.ops:
                slot = SCOPES.get(op.type.removesuffix("_grad"))
                if slot is None or not op.type.endswith("_grad"):
                    continue
                for name in op.inputs.get(slot, []):
                    key = (emitter.owner(name, block).idx, name)
                    found.setdefault(key, []).append(op)
    return found


def _analyse(emitter: Emitter, op: Operator, readers: list[Operator]) -> BlockSaves:
    forward: Block = op.attrs["sub_block"]
    changed = {n for n in outer_writes(forward) if _is_copied(emitter, forward, n)}
    values: dict[str, None] = {}
    shapes: dict[str, None] = {}
    starts: dict[str, None] = {}
    for reader in readers:
        for block, name, whole in _reads(reader.attrs["sub_block"]):
            try:
                owner = emitter.owner(name, block)
            except NotFoundError:
                continue
            if owner is forward:
                (values if whole else shapes)[name] = None
            elif op.type == "while" and name in changed and owner is emitter.owner(name, forward):
                starts[name] = None
    return BlockSaves(list(values), [n for n in shapes if n not in values], list(starts), readers)


def _is_copied(emitter: Emitter, forward: Block, name: str) -> bool:
    """Whether the value from before an iteration is kept, as PaddlePaddle does it.

    It keeps none of arrays, nor of variables that an operator updates in place (counters).
    """
    if emitter.owner(name, forward).vars[name].type == VarType.LOD_TENSOR_ARRAY:
        return False
    return not any(name in o.input_arg_names and name in o.output_arg_names for o in forward.ops)


def _reads(block: Block) -> Iterator[tuple[Block, str, bool]]:
    """What a block's operators read: where from, which variable, whether more than its shape."""
    for op in block.ops:
        values, shapes = needs(op)
        for name in values:
            yield block, name, True
        for name in shapes:
            yield block, name, False
        for sub in op.sub_blocks:
            yield from _reads(sub)


def needs(op: Operator) -> tuple[Iterable[str], Iterable[str]]:
    """Splits the inputs of an operator into those it reads and those whose shape is enough."""
    slots = _READ.get(op.type)
    if slots is not None:
        names = [n for s in slots for n in op.inputs.get(s, []) if n != EMPTY]
        return [*names, *_summed(op)], ()
    return gradient_needs(op) if is_gradient(op) else (op.input_arg_names, ())


def _summed(op: Operator) -> list[str]:
    """What a loop only reads: its gradient is a sum, or zeros where the loop did not run."""
    if op.type != "while_grad":
        return []
    inside = op.attrs.get("original_output_grad") or op.inputs.get("Out@GRAD", [])
    pairs = zip(op.inputs.get("X", []), op.outputs.get("X@GRAD", []), strict=False)
    return [x for x, g in pairs if g != EMPTY and f"{x}@GRAD" not in inside]


def outer_writes(block: Block) -> list[str]:
    """Variables from outside of a block that it, or a block inside it, writes."""
    names: dict[str, None] = {}
    for op in block.ops:
        inner = [n for sub in op.sub_blocks for n in outer_writes(sub)]
        for name in [*op.output_arg_names, *inner]:
            if name not in block.vars and block._find_var_recursive(name) is not None:
                names[name] = None
    return list(names)
