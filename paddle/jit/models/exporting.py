"""Recorded Programs turned into Programs for inference, and the SavedModel made of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.pytree import leaves
from paddle.core.tensor import Tensor
from paddle.core.user_frame import outside
from paddle.ir.cloning import reads
from paddle.ir.inference import normalize, persistables
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.ir.versions import RANK_0_SINCE
from paddle.jit.dy2static.symbolic_union import refuse_alternatives
from paddle.serialization.models.parameter_table import table_of
from paddle.serialization.models.saved_model import SavedModel
from paddle.serialization.program.one_dimension import keep_one_dimension
from paddle.serialization.program_state import TensorValues

_SHOWN = 8
_SAVE = "paddle.jit.save"


def model_of(
    methods: Iterable[tuple[str, Program, Mapping[str, Tensor]]], members: Mapping[str, Tensor]
) -> SavedModel:
    """Returns what is saved of a Layer or function.

    Args:
        methods (Iterable): for each method its name, its Program for inference, and the Tensors of
            its variables; those that it does not store are left out.
        members (Mapping): the parameters and buffers of the Layer by their names in it.
    """
    programs: dict[str, Program] = {}
    tensors: dict[str, Tensor] = {}
    variables: list[Variable] = []
    for name, program, given in methods:
        programs[name] = program
        stored = persistables(program)
        variables += stored
        for var in stored:
            if tensors.setdefault(var.name, given[var.name]) is not given[var.name]:
                raise InvalidArgumentError(
                    f"paddle.jit.save: two Tensors have the name {var.name!r}, and methods of the "
                    "same model use both.",
                    hint="give one of them another name: tensor.name = ...",
                )
    return SavedModel(programs, TensorValues(variables, tensors), table_of(tensors, members))


# -- Programs for inference -----------------------------------------------------------------------


def for_inference(
    program: Program,
    inputs: Sequence[Variable],
    outputs: Any,
    output_spec: Any,
    name: str,
    where: str = _SAVE,
) -> Program:
    """Reduces a recorded Program to what leads to its outputs; inputs not needed fall away.

    Args:
        program (Program): what was recorded; stays as it is.
        inputs (Sequence[Variable]): its data variables.
        outputs: what the function returned, a pytree with Variables.
        output_spec: which outputs are kept; None: all.
        name (str): the method, for error texts.
        where (str): the function that is called, for error texts.
    """
    refuse_alternatives(outputs, f"{where}: {name}")
    found = leaves(outputs)
    variables = [v for v in found if isinstance(v, Variable)]
    others = [v for v in found if not isinstance(v, Variable) and v is not None]
    if not variables:
        raise InvalidArgumentError(
            f"{where}: {name} returns no Tensor, but {type(outputs).__name__}; there is "
            "nothing to save."
        )
    if others:
        shown = ", ".join(f"{v!r}" for v in others[:_SHOWN])
        warnings.warn(
            f"{where}: {name} returns {shown} besides Tensors; a saved model gives only "
            "the Tensors.",
            stacklevel=outside(),
        )
    kept = variables if output_spec is None else chosen(variables, output_spec, name, where)
    needed = needed_by(program, {v.name for v in kept})
    made = normalize(program, [v for v in inputs if v.name in needed], kept)
    if made.program_version < RANK_0_SINCE:
        keep_one_dimension(made)
    return made


def needed_by(program: Program, targets: set[str]) -> set[str]:
    """Returns the names of all variables that some targets depend on, and theirs."""
    needed = set(targets)
    for op in reversed(program.global_block().ops):
        if needed & set(op.output_arg_names):
            needed |= reads(op)
    return needed


def chosen(
    variables: Sequence[Variable], output_spec: Any, name: str, where: str = _SAVE
) -> list[Variable]:
    """Returns the outputs that ``output_spec`` names.

    Args:
        variables (Sequence[Variable]): all outputs.
        output_spec (list): Tensors, Variables or InputSpecs of the outputs' names, or the names.
        name (str): the method, for error texts.
        where (str): the function that is called, for error texts.
    """
    where = f"{where}(output_spec)"
    if not isinstance(output_spec, (list, tuple)):
        raise TypeError(
            f"{where}: expected a list of Tensors or InputSpecs, "
            f"but received {type(output_spec).__name__}."
        )
    known = {v.name: v for v in variables}
    kept = []
    for i, item in enumerate(leaves(list(output_spec))):
        wanted = _name_of(item, known)
        if not isinstance(wanted, str):
            raise TypeError(
                f"{where}: expected [{i}] to be a Tensor or InputSpec with a name, "
                f"but received {type(item).__name__}."
            )
        if wanted not in known:
            wanted = "that it came from" if isinstance(item, Tensor) else repr(wanted)
            raise InvalidArgumentError(
                f"{where}: {name} has no output {wanted}; its outputs are {list(known)}.",
                hint="give results that the decorated function returned outside of no_grad, or "
                "the names above",
            )
        kept.append(known[wanted])
    if not kept:
        raise InvalidArgumentError(f"{where}: expected at least one output, but it is empty.")
    return kept


def _name_of(item: Any, known: Mapping[str, Any]) -> Any:
    """The name of the variable that is meant; of a Tensor that of the variable it was."""
    if isinstance(item, str):
        return item
    if not isinstance(item, Tensor) or item.name in known:
        return getattr(item, "name", None)
    node = getattr(item._edge, "node", item._edge)  # a Port, where a node has several results
    joined = getattr(getattr(node, "backward", None), "joined", None)
    if joined is None:
        return item.name
    return joined.call.fetches[joined.tied[getattr(item._edge, "index", 0)]]
