"""Shape and type of the variables that an operator of a Block writes."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import NotFoundError
from paddle.core.infer import Spec, checked_infer, infer
from paddle.ir.operator import EMPTY, Operator, Role
from paddle.ir.recording import control_flow_shapes as _shapes  # noqa: F401  (adds rules)
from paddle.ir.recording.level_rules import set_levels_by_name
from paddle.ir.recording.shape_rules import SPECIAL, set_spec
from paddle.ir.variable import Variable

_DERIVED = Role.BACKWARD | Role.OPTIMIZE | Role.LR_SCHED


def spec_of(var: Variable) -> Spec:
    """What shape inference knows of a variable."""
    return Spec(var._dims or (1,), var.dtype)


def input_specs(op: Operator) -> list[Any]:
    """One Spec per input slot of the definition, a list for a list slot, None where absent."""
    definition = op.definition
    assert definition is not None
    specs: list[Any] = []
    for slot in definition.inputs:
        names = [n for n in op.inputs.get(slot.name, ()) if n != EMPTY]
        found = [spec_of(op.block._var_recursive(n)) for n in names]
        if slot.many:
            specs.append(found if found or not slot.optional else None)
        else:
            specs.append(found[0] if found else None)
    return specs


def infer_outputs(op: Operator) -> None:
    """Sets shape and dtype of the output variables; makes those that do not exist."""
    for name in op.output_arg_names:
        var = op.block._find_var_recursive(name)
        if var is None:
            var = op.block.create_var(name=name)
        var.op = op
    if op.type in SPECIAL:
        rule = SPECIAL[op.type]
        if rule is not None:
            rule(op)
        return
    definition = op.definition
    if definition is None:
        raise NotFoundError(f"Operator {op.type!r} has not been registered.")
    if definition.base is not None:
        _like_forward(op)
        return
    attrs = {k: v for k, v in op.attrs.items() if k in definition.attrs}
    # What backward and optimizers add fits by construction.
    find = infer if op.role & _DERIVED else checked_infer
    results = find(definition, input_specs(op), attrs)
    for slot, result in zip(definition.outputs, results, strict=True):
        names = op.outputs.get(slot.name, ())
        listed = result if isinstance(result, list) else [result]
        for name, spec in zip(names, listed, strict=False):
            if spec is not None and name != EMPTY and not slot.writes:
                set_spec(op.block._var_recursive(name), spec)
    set_levels_by_name(op)


def _like_forward(op: Operator) -> None:
    """A gradient looks like what it is the gradient of."""
    for slot, names in op.outputs.items():
        sources = op.inputs.get(slot.removesuffix("@GRAD"), ())
        for name, source in zip(names, sources, strict=False):
            if name != EMPTY and source != EMPTY:
                var = op.block._var_recursive(source)
                set_spec(op.block._var_recursive(name), Spec(var._dims, var.dtype))
