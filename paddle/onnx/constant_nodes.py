"""Nodes on constants that only rearrange them: done while the model is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from paddle.core.dtype import VarType

Found = tuple[np.ndarray, VarType] | None


def rearranged(type: str, given: Sequence[Any], attrs: dict[str, Any]) -> Found:
    """Returns what a node makes of constants, and its element type; None where it is no such node.

    Args:
        type (str): the operator of ONNX.
        given (Sequence[Constant]): its inputs.
        attrs (dict): its attributes.
    """
    rule = _RULES.get(type)
    if rule is None or not given:
        return None
    made = rule([c.array for c in given], attrs)
    return (
        None if made is None else (np.ascontiguousarray(made).reshape(made.shape), given[0].dtype)
    )


def _axes(arrays: list[np.ndarray], attrs: dict[str, Any]) -> tuple[int, ...] | None:
    found = attrs.get("axes") if len(arrays) < 2 else arrays[1].tolist()
    return None if found is None else tuple(int(a) for a in found)


def _unsqueeze(arrays: list[np.ndarray], attrs: dict[str, Any]) -> np.ndarray:
    return np.expand_dims(arrays[0], _axes(arrays, attrs) or ())


def _squeeze(arrays: list[np.ndarray], attrs: dict[str, Any]) -> np.ndarray:
    return np.squeeze(arrays[0], _axes(arrays, attrs))


def _reshape(arrays: list[np.ndarray], attrs: dict[str, Any]) -> np.ndarray | None:
    shape = arrays[1].tolist()
    return None if 0 in shape else arrays[0].reshape(shape)


def _transpose(arrays: list[np.ndarray], attrs: dict[str, Any]) -> np.ndarray:
    return arrays[0].transpose(attrs["perm"])


def _concat(arrays: list[np.ndarray], attrs: dict[str, Any]) -> np.ndarray:
    return np.concatenate(arrays, attrs["axis"])


_RULES: dict[str, Callable[[list[np.ndarray], dict[str, Any]], np.ndarray | None]] = {
    "Unsqueeze": _unsqueeze,
    "Squeeze": _squeeze,
    "Reshape": _reshape,
    "Transpose": _transpose,
    "Concat": _concat,
}
