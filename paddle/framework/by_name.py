"""Runs operators by name in dynamic mode, with slots and attributes as Programs have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C, OpDef, Slot, computed, py
from paddle.ir.attribute_kinds import AttrType, declared
from paddle.tensor.inplace import replace

# Attributes that choose one of PaddlePaddle's engines: there is one kernel here.
ENGINE = ("use_", "mkldnn_", "op_", "exhaustive_search", "workspace_size_MB")


def operator(api: str, type: str) -> OpDef:
    """Returns the operator of a name.

    Args:
        api (str): who asks, for the error's text.
        type (str): the name.

    Raises:
        ValueError: there is none.
    """
    found = computed(type)
    if found is None:
        raise InvalidArgumentError(f"{api}: there is no operator {type!r}.")
    return found


def call(api: str, op: OpDef, operands: list[Any], attrs: Mapping[str, Any]) -> Any:
    """Runs an operator; attributes that choose an engine change nothing.

    Args:
        api (str): who asks, for the errors' texts.
        op (OpDef): the operator.
        operands (list): one for each input slot.
        attrs (dict): attributes.

    Raises:
        ValueError: it has no such attribute.
    """
    known = {k: v for k, v in attrs.items() if k in op.attrs or not _is_idle(op, k, v)}
    _known(api, "attrs", op.name, known, list(op.attrs))
    return getattr(C, op.name)(*operands, **{py(k): v for k, v in known.items()})


def _is_idle(op: OpDef, name: str, value: Any) -> bool:
    """Whether an attribute says nothing here: it chooses a kernel, or is a switch that is off."""
    off = value is False and declared(op.name, name) == AttrType.BOOLEAN
    return name.startswith(ENGINE) or off


def put(api: str, target: Any, value: Any) -> Any:
    """Writes a result into a Tensor, or a list of them, and returns that; without one the result.

    Args:
        api (str): who asks, for the error's text.
        target (Tensor|list[Tensor]|None): what becomes the result.
        value (Tensor|list[Tensor]): the result.

    Raises:
        ValueError: there are more results than Tensors, or fewer.
    """
    if target is None or value is None:
        return value
    if isinstance(value, (list, tuple)):
        listed = target if isinstance(target, (list, tuple)) else [target]
        if len(listed) != len(value):
            raise InvalidArgumentError(
                f"{api}: expected {len(value)} Tensors for a list of results, got {len(listed)}."
            )
        return [put(api, t, v) for t, v in zip(listed, value, strict=True)]
    target = target[0] if isinstance(target, (list, tuple)) else target
    if target is not value:  # else written in place
        replace(target, value)
    return target


def trace(
    api: str, type: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any],
    attrs: Mapping[str, Any], stop_gradient: bool = False,
) -> None:  # fmt: skip
    """Runs an operator and puts its results into given Tensors.

    Args:
        api (str): who asks, for the errors' texts.
        type (str): the operator's name.
        inputs (dict): slot -> Tensor, or a list of them.
        outputs (dict): slot -> Tensor that becomes the result, or a list of them.
        attrs (dict): attributes.
        stop_gradient (bool): the results get no gradient. Default: False.

    Raises:
        ValueError: there is no such operator, slot or attribute.
    """
    op = operator(f"{api}(type)", type)
    _known(api, "inputs", type, inputs, [s.name for s in op.inputs])
    _known(api, "outputs", type, outputs, [s.name for s in op.outputs])
    operands = {s.name: _of_slot(api, inputs.get(s.name), s.many) for s in op.inputs}
    for slot in op.outputs:
        _keep_written(slot, operands, outputs)
    made = call(api, op, list(operands.values()), attrs or {})
    returned = [slot for slot in op.outputs if not slot.writes]  # the others are written in place
    results = made if len(returned) > 1 else (made,)[: len(returned)]
    for slot, result in zip(returned, results, strict=True):
        put(api, outputs.get(slot.name), _detached(result) if stop_gradient else result)


def _detached(result: Any) -> Any:
    if isinstance(result, (list, tuple)):
        return [_detached(each) for each in result]
    return None if result is None else result.detach()


def _keep_written(slot: Slot, operands: dict[str, Any], outputs: Mapping[str, Any]) -> None:
    """An input that is to be written elsewhere stays: the operator gets the other Tensor."""
    targets = outputs.get(slot.name)
    source = operands.get(slot.writes) if slot.writes else None
    if source is None or targets is None:
        return
    sources = source if isinstance(source, list) else [source]
    listed = list(targets) if isinstance(targets, (list, tuple)) else [targets]
    for target, value in zip(listed, sources, strict=True):
        if target is not value:
            replace(target, value.detach().clone())
    operands[slot.writes or ""] = listed if isinstance(source, list) else listed[0]


def _of_slot(api: str, given: Any, many: bool) -> Any:
    if given is None:
        return None
    if isinstance(given, (list, tuple)) and not many:
        if len(given) > 1:
            raise InvalidArgumentError(f"{api}: expected one Tensor, but got {len(given)}.")
        return given[0] if given else None
    return [given] if many and not isinstance(given, (list, tuple)) else given


def _known(api: str, argument: str, type: str, given: Mapping[str, Any], names: list[str]) -> None:
    for name in given:
        if name not in names:
            raise InvalidArgumentError(
                f"{api}({argument}): operator {type!r} has no {name!r}; it has {names}."
            )
