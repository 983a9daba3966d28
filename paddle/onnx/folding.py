"""What depends on constants alone is computed while a model is written."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from paddle.core.convert import tensor_of
from paddle.core.dtype import VarType
from paddle.core.errors import FrameworkError
from paddle.core.mode import hooked, no_grad
from paddle.core.op import REQUIRED, C, py
from paddle.ir.operator import EMPTY
from paddle.ir.randomness import draws
from paddle.onnx.graph import Constant
from paddle.onnx.step import Refused, Step

_LARGEST = 1 << 16  # elements of a constant that is larger than all it is made of
_LEFT = frozenset(["assign", "share_data", "memcpy"])  # nothing to compute


def folded(step: Step, large: bool) -> dict[str, list[str | None]] | None:
    """Returns the results of an operator all of whose inputs are constants; None for any other.

    Random numbers are not folded, nor what writes into its inputs.

    Args:
        step (Step): the operator.
        large (bool): also where the results are much larger than what they are made of.
    """
    op, known = step.op, step.op.definition
    if known is None or known.effects or op.type in _LEFT or op.sub_blocks or draws(op):
        return None
    names = op.input_arg_names
    values = [step.env.get(n, "") for n in names]
    constants = step.graph.model.constants
    if any(v not in constants for v in values) or any(slot.writes for slot in known.outputs):
        return None
    given = sum(constants[v].array.size for v in values)
    if not large and not _small(step, max(_LARGEST, given)):
        return None
    given_tensors = {
        slot: [_tensor(constants[step.env[n]]) for n in names if n != EMPTY]
        for slot, names in op.inputs.items()
    }
    try:
        return _results(step, given_tensors)
    except FrameworkError:  # a kernel that refuses them is no reason not to write the operator
        return None


def computed(step: Step, arrays: Mapping[str, list[np.ndarray]]) -> dict[str, list[str | None]]:
    """Returns constants: what an operator makes of some arrays.

    Args:
        step (Step): the operator.
        arrays (Mapping): slot -> what is in it.
    """
    return _results(step, {s: [tensor_of(a, None, None) for a in v] for s, v in arrays.items()})


def called(type: str, arrays: Sequence[np.ndarray], attrs: Mapping[str, Any]) -> list[np.ndarray]:
    """Calls an operator on arrays and returns its results.

    Args:
        type (str): the operator.
        arrays (Sequence): what is in its input slots.
        attrs (Mapping): its attributes.
    """
    given = {py(k): v for k, v in attrs.items()}
    with hooked(None), no_grad():
        out = getattr(C, type)(*[tensor_of(a, None, None) for a in arrays], **given)
    return [np.asarray(t.numpy()) for t in (out if isinstance(out, (list, tuple)) else [out])]


def _results(step: Step, tensors: Mapping[str, list[Any]]) -> dict[str, list[str | None]]:
    known = step.op.definition
    assert known is not None
    results = _called(step, known, tensors)
    slots = [s for s in known.outputs if not s.writes]
    made: dict[str, list[str | None]] = {}
    for slot, result in zip(slots, results, strict=True):
        listed = result if isinstance(result, list) else [result]
        made[slot.name] = [
            None if tensor is None else _stored(step, slot.name, i, tensor)
            for i, tensor in enumerate(listed)
            if i < len(step.op.outputs.get(slot.name, ()))
        ]
    return made


def _small(step: Step, most: int) -> bool:
    for slot, names in step.op.outputs.items():
        for i, name in enumerate(names):
            if name == EMPTY or name not in step.conversion.read:
                continue
            shape = step.shape(slot, i)
            if -1 not in shape and math.prod(shape) > most:
                return False
    return True


def _called(step: Step, known: Any, tensors: Mapping[str, list[Any]]) -> list[Any]:
    """Calls the operator."""
    op = step.op

    def argument(slot: Any) -> Any:
        found = tensors.get(slot.name) or []
        if slot.many:
            return found or None
        return found[0] if found else None

    attrs = {
        py(k): step.attr(k) for k, v in known.attrs.items()
        if k in op.attrs or v is REQUIRED
    }  # fmt: skip
    with hooked(None), no_grad():  # at once, in static mode too
        out = getattr(C, op.type)(*map(argument, known.inputs), **attrs)
    count = len([s for s in known.outputs if not s.writes])
    return [out] if count == 1 else list(out)


def _tensor(constant: Constant) -> Any:
    if constant.dtype == VarType.BF16:
        return _bfloat16(constant.array)
    return tensor_of(constant.array, None, None)


def _bfloat16(bits: np.ndarray) -> Any:
    floats = (bits.astype(np.uint32) << 16).view(np.float32)
    return C.cast(tensor_of(floats, None, None), in_dtype=int(VarType.FP32),
                  out_dtype=int(VarType.BF16))  # fmt: skip


def _stored(step: Step, slot: str, at: int, tensor: Any) -> str:
    if tensor.dtype in (VarType.COMPLEX64, VarType.COMPLEX128):
        raise Refused("ONNX's operators take no complex numbers")
    array = np.asarray(tensor.numpy())
    if array.size == 1 and at < step.outputs(slot) and not step.shape(slot, at):
        array = array.reshape(())
    return step.graph.model.store(array, tensor.dtype)
