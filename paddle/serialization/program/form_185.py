"""Programs of ``paddle.fluid`` as PaddlePaddle 1.8.5 wants them in a file.

1.8.5 looks in a file for every attribute that it would have written itself, a gradient operator's
too, and stops where one is missing; it knows fewer attributes and has some by other names. Its
operators stand in ``operators_185.json`` (``scripts/oracle/protos_185.py``); what is beside them is
here. A Program that fluid made is written so unless an operator of it does not exist in 1.8.5, or
means something else there; ``scripts/oracle/fluid_exchange.py`` tries all cases.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from paddle.core.dtype import VarType
from paddle.core.op import REGISTRY
from paddle.ir.attribute_kinds import StatedKinds, is_private
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.program import Program
from paddle.ir.row_gradients import rows_written
from paddle.ir.variable import Variable
from paddle.ir.versions import RELEASE, V1_8
from paddle.serialization.program.additions import Written

VERSION = V1_8
EVERYWHERE = ("op_role", "op_role_var", "op_namescope", "op_callstack", "op_device")
# Operators whose numbers are others in 1.8.5 unless they were recorded as its own.
CHANGED = ("adam", "lamb")
RENAMED = {
    "flip": {"axis": "dims"},
    "roll": {"axis": "dims"},
    "trace": {"axis1": "dim1", "axis2": "dim2"},
}


@functools.lru_cache(maxsize=1)
def operators() -> dict[str, list]:
    """By operator: input slots, output slots, and by attribute its kind and its default, if any."""
    return json.loads((Path(__file__).parent / "operators_185.json").read_text("utf8"))


def forward_name(kind: str) -> str | None:
    """The operator of 1.8.5 that an operator is, or is the gradient of."""
    table = operators()
    while kind not in table:
        if not kind.endswith("_grad"):
            return None
        kind = kind[: -len("_grad")]
    return kind


def fits(program: Program) -> bool:
    """Whether a Program is written for 1.8.5."""
    if not program.of_1x or program.program_version:
        return False
    ops = [op for block in program.blocks for op in block.ops]
    return all(
        forward_name(op.type) and (op.type not in CHANGED or op.attrs.get(RELEASE) == VERSION)
        for op in ops
    )


def completed(op: Operator) -> Written:
    """Returns an operator as it is written; one that was read from a file stays as it is."""
    made = Written(op)
    name = forward_name(op.type)
    if name is None or isinstance(op.attr_kinds, StatedKinds):
        return made
    for ours, theirs in RENAMED.get(name, {}).items():
        if ours in made.attrs:
            made.attrs[theirs] = made.attrs.pop(ours)
    ins, outs, attrs = operators()[name]
    _known_attributes(made, name, attrs)
    if op.type == name:
        _slots(made, ins, outs)
    change = CHANGES.get(op.type)
    if change is not None:
        change(made)
    return made


def _known_attributes(made: Written, name: str, attrs: dict[str, list]) -> None:
    """Adds what 1.8.5 expects, and leaves out what it does not know and says nothing."""
    ours = REGISTRY[name].attrs if name in REGISTRY else {}
    for attr, value in list(made.attrs.items()):
        if attr in attrs or attr in EVERYWHERE or is_private(attr):
            continue
        if value in (None, [], ()) or (attr in ours and ours[attr] == value):
            del made.attrs[attr]
    for attr, (kind, *default) in attrs.items():
        if default and made.attrs.get(attr) is None:
            made.attrs[attr] = default[0]
        made.kinds[attr] = kind


def _slots(made: Written, ins: str, outs: str) -> None:
    """Adds results in between that nothing here needs; leaves out what nothing reads."""
    known = {spec.rstrip("*?^") for spec in outs.split()}
    for slot in [slot for slot in made.outputs if slot not in known]:
        if not any(
            set(made.outputs[slot]) & _read(block) for block in made.op.block.program.blocks
        ):
            del made.outputs[slot]
    for spec in outs.split():
        slot = spec.rstrip("*?^")
        if not spec.endswith("^") or "?" in spec or made.outputs.get(slot):
            continue
        like = made.variable(ins.split()[0].rstrip("*?"))
        if like is not None:
            made.outputs[slot] = [made.new(like, slot)]


def _read(block: Block) -> set[str]:
    return {name for op in block.ops for name in op.input_arg_names}


def whole(*slots: str) -> Callable[[Written], None]:
    """Slots whose gradients have to be there, each as long as what it is the gradient of."""

    def change(made: Written) -> None:
        for slot in slots:
            names = made.inputs.setdefault(slot, [])
            found = made.outputs.get(f"{slot}@GRAD") or [EMPTY] * len(names)
            for i, name in enumerate(found):
                like = made.op.block._find_var_recursive(names[i])
                if name == EMPTY and like is not None:
                    found = [*found[:i], made.new(like, "GRAD@UNUSED"), *found[i + 1 :]]
            made.outputs[f"{slot}@GRAD"] = found

    return change


def _same_loop(made: Written) -> None:
    """1.8.5 finds the loop of a gradient by its inputs, which have to be the very same."""
    loop = next(
        (
            op
            for op in made.op.block.ops
            if op.type == "while" and op.outputs.get("StepScopes") == made.inputs["StepScopes"]
        ),
        None,
    )
    if loop is None:
        return
    given = dict(zip(made.inputs["X"], made.outputs["X@GRAD"], strict=True))
    made.inputs["X"] = list(loop.inputs["X"])
    made.outputs["X@GRAD"] = [given.get(name, EMPTY) for name in loop.inputs["X"]]
    made.inputs["Out"] = list(loop.outputs["Out"])


def _irregular_name(made: Written) -> None:
    made.type = "cross_entropy_grad2"


def _reversed_sum(made: Written) -> None:
    """The gradient of a cumulative sum is one from the other end."""
    made.type = "cumsum"
    made.inputs = {"X": made.inputs["Out@GRAD"]}
    made.outputs = {"Out": made.outputs["X@GRAD"]}
    made.attrs["reverse"] = not made.attrs["reverse"]


def _without_result(made: Written) -> None:
    """With Y among the inputs 1.8.5 takes it that X was overwritten by it."""
    made.inputs.pop("Y", None)


def _no_arrays(made: Written) -> None:
    """An array of gradients that does not exist counts as zeros; so it is left out."""
    x = made.variable("X")
    if x is not None and x.type == VarType.LOD_TENSOR_ARRAY:
        made.type = ""


def _kept_sums(made: Written) -> None:
    """The sums stand among the results, to be updated by their gradients."""
    made.inputs.pop("Y", None)
    for slot in ("BatchSize", "BatchSum", "BatchSquareSum"):
        made.outputs[slot] = made.inputs.pop(slot)


def _functors(made: Written) -> None:
    """The functions of the gradient are named after those of the operator."""
    made.attrs["functor_list"] = [f"{name}_grad" for name in made.attrs["functor_list"]]


def _weights_again(made: Written) -> None:
    """The weights are a result too, for parameter servers."""
    made.outputs["W_Out"] = made.inputs["W"]


def _numbers(made: Written) -> None:
    for name in ("rtol", "atol"):
        made.attrs[name] = float(made.attrs[name])


def _without_input(made: Written) -> None:
    """The gradient is the same operator with the order turned round."""
    made.inputs["X"] = made.inputs.pop("Out@GRAD")
    made.outputs["Out"] = made.outputs.pop("X@GRAD")


CHANGES: dict[str, Callable[[Written], Any]] = {
    "allclose": _numbers,
    "batch_norm_grad": _without_result,
    "data_norm_grad": _kept_sums,
    "fill_zeros_like": _no_arrays,
    "fused_elemwise_activation_grad": _functors,
    "hierarchical_sigmoid": _weights_again,
    "prroi_pool_grad": whole("ROIs", "X"),
    "recurrent_grad": whole("inputs", "initial_states", "parameters"),
    "reorder_lod_tensor_by_rank_grad": _without_input,
    "var_conv_2d_grad": whole("W", "X"),
    "cross_entropy2_grad": _irregular_name,
    "cumsum_grad": _reversed_sum,
    "while_grad": _same_loop,
}


def rows(program: Program) -> set[str]:
    """Variables that hold rows in 1.8.5, of which the Program has to say so."""
    found: set[str] = set()
    for block in program.blocks:
        for op in block.ops:
            found.update(rows_written(op, found.__contains__))
    return found


def undeclared(block: Block) -> set[str]:
    """Gradients that a gradient's block only reads: the operator that has the block makes them.

    Where one is declared there, 1.8.5 makes an empty one that hides it.
    """
    if block.forward_block_idx < 0:
        return set()
    written = {name for op in block.ops for name in op.output_arg_names}
    return {name for name in block.vars if name.endswith("@GRAD") and name not in written}


def unfound(block: Block) -> list[Variable]:
    """Gradients of a recurrent operator's inputs that its block has to have, though empty."""
    found: list[Variable] = []
    for op in [op for outer in block.program.blocks for op in outer.ops]:
        if op.type != "recurrent_grad" or block not in op.sub_blocks:
            continue
        for name in op.inputs.get("inputs", ()):
            var = op.block._find_var_recursive(name)
            if var is not None and f"{name}@GRAD" not in block.vars:
                made = Variable(block, name=f"{name}@GRAD", shape=var.shape, dtype=var.dtype)
                found.append(made)
    return found
