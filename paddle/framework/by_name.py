"""Runs operators by name in dynamic mode, with slots and attributes as Programs have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C, OpDef, computed, py
from paddle.tensor.inplace import replace

# Attributes that choose one of PaddlePaddle's engines: there is one kernel here.
ENGINE = ("use_", "mkldnn_", "op_")


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
    known = {k: v for k, v in attrs.items() if k in op.attrs or not _is_engine(k, v)}
    _known(api, "attrs", op.name, known, list(op.attrs))
    return getattr(C, op.name)(*operands, **{py(k): v for k, v in known.items()})


def _is_engine(name: str, value: Any) -> bool:
    """Whether an attribute only chooses a kernel; one that joins operators does, where it is off."""
    return name.startswith(ENGINE) or (name.startswith("fuse_") and not value)


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
    operands = [_of_slot(api, inputs.get(slot.name), slot.many) for slot in op.inputs]
    made = call(api, op, operands, attrs)
    returned = [slot for slot in op.outputs if not slot.writes]  # the others are written in place
    for slot, result in zip(returned, (made,) if len(returned) == 1 else made, strict=True):
        targets = outputs.get(slot.name)
        if targets is None or result is None:
            continue
        pairs = [(targets, result)] if not slot.many else zip(targets, result, strict=True)
        for target, value in pairs:
            target = target[0] if isinstance(target, (list, tuple)) else target
            if target is not value:  # else written in place
                replace(target, value.detach() if stop_gradient else value)


def _of_slot(api: str, given: Any, many: bool) -> Any:
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
