"""needs_grad of every operator's inputs: found on a forward walk from the leaves."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from paddle.core.dtype import VarType
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator, Role
from paddle.ir.variable import Variable

# Input slot -> one flag per variable in it: whether its gradient is to be computed.
Flags = dict[str, list[bool]]

_DIFFERENTIABLE = frozenset(
    {
        VarType.FP16,
        VarType.BF16,
        VarType.FP32,
        VarType.FP64,
        VarType.COMPLEX64,
        VarType.COMPLEX128,
    }
)
_NO_FORWARD = Role.OPTIMIZE | Role.LR_SCHED


def carries(var: Variable) -> bool:
    """Says whether a variable's values can have a gradient at all."""
    return VarType(var.dtype) in _DIFFERENTIABLE


def slots_in(op: Operator) -> Collection[str]:
    """The input slots that an operator can be differentiated by."""
    known = op.definition
    if known is None:
        return op.inputs
    return [s.name for s in known.inputs if s.differentiable] if known.grad_outputs else ()


def slots_out(op: Operator) -> Collection[str]:
    """The output slots that carry a gradient."""
    known = op.definition
    if known is None:
        return op.outputs
    return [known.outputs[i].name for i in known.grad_outputs]


def flags_of(
    block: Block,
    ops: Sequence[Operator],
    is_source: Callable[[Variable, bool], bool],
    blocked: Collection[str] = (),
) -> list[Flags]:
    """Returns for every operator which of its inputs depend on a source of gradients.

    Args:
        block (Block): where the operators are.
        ops (Sequence[Operator]): in the order in which they run.
        is_source (callable): ``is_source(var, computed)`` says whether a variable's own gradient is
            asked for; ``computed``: one of the operators writes it.
        blocked: names of variables that no gradient goes through.
    """
    wanted: dict[str, bool] = {}

    def wants(name: str) -> bool:
        found = wanted.get(name)
        if found is None:
            var = None if name == EMPTY else block._find_var_recursive(name)
            found = var is not None and passes(var) and is_source(var, False)
            wanted[name] = found
        return found

    def passes(var: Variable) -> bool:
        return not var.stop_gradient and var._name not in blocked and carries(var)

    found: list[Flags] = []
    for op in ops:
        flags: Flags = {}
        if not op.role & _NO_FORWARD or op.role == Role.NOT_SPECIFIED:
            flags = {s: [wants(n) for n in op.inputs.get(s, ())] for s in slots_in(op)}
            flags = {s: listed for s, listed in flags.items() if any(listed)}
            if not flags and op.type == "write_to_array" and wanted.get(op.outputs["Out"][0]):
                flags = {"X": [False]}  # what the array held before is still wanted
        found.append(flags)
        carried = set(slots_out(op)) if flags else ()
        for slot, names in op.outputs.items():
            for name in names:
                var = None if name == EMPTY else block._find_var_recursive(name)
                if var is not None:
                    kept = var.type == VarType.LOD_TENSOR_ARRAY and wanted.get(name, False)
                    wanted[name] = passes(var) and (slot in carried or is_source(var, True) or kept)
    return found
