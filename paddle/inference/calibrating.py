"""Turns a Program of floats into one that computes with bytes, by the ranges of its values."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.executor.calibration import measure
from paddle.executor.inference_values import buffer_of
from paddle.executor.scope import Scope
from paddle.ir.program import Program
from paddle.ops.quantization.int8 import usable
from paddle.passes.inference.calibrated import WORTH, mark_quantized, quantizable

_ROWS = 8  # at once: the values of all layers are in memory together
_WHERE = "Config.enable_quantizer"
ALGORITHMS = ("KL", "max")


def calibrated(
    program: Program,
    feeds: Sequence[str],
    scope: Scope,
    data: Sequence[Any],
    batch_size: int = 1,
    op_types: Collection[str] = (),
    algorithm: str = "KL",
    least: int | None = None,
) -> Program:
    """Returns a Program that the passes of int8 turn to bytes, with the ranges seen in data.

    Where this machine cannot multiply bytes exactly, or nothing in the Program can be computed with
    them, a warning says so and the Program comes back as it is.

    Args:
        program (Program): of floats, for inference; stays as it is.
        feeds (Sequence[str]): its inputs, in their order.
        scope (Scope): holds the weights.
        data (Sequence): a ``PaddleTensor`` or an array for each input.
        batch_size (int): how many rows ``data`` has.
        op_types (Collection[str]): types of the operators to quantise; none means all that can be.
        algorithm (str): ``"KL"`` leaves the least information out of a range (Kullback and
            Leibler's divergence), and at most one value in a thousand; ``"max"`` takes all of it.
        least (int, optional): products of fewer multiplications for one row stay in floats. None:
            of so few that floats are faster.

    Returns:
        Program: to be prepared with the passes of the switch ``INT8``.

    Raises:
        InvalidArgumentError: the data does not fit the inputs, or gives values that are infinite or
            not a number.
    """
    if algorithm not in ALGORITHMS:
        raise InvalidArgumentError(
            f"{_WHERE}: expected algorithm to be one of {list(ALGORITHMS)}, but received "
            f"{algorithm!r}."
        )
    batches = _batches(program, feeds, data, batch_size)
    if not usable():
        _unchanged("this CPU has no instructions that multiply bytes exactly (VNNI)")
        return program
    least = WORTH if least is None else least
    names = quantizable(program, feeds, op_types, least)
    if not names:
        wanted = f" of types {sorted(op_types)}" if op_types else ""
        _unchanged(f"no convolution or product by a stored weight{wanted} is large enough to gain")
        return program
    found = measure(program, feeds, scope, batches, names)

    def scale_of(name: str, top: int) -> float:
        seen = found[name]
        return seen.by_divergence(top, kept=True) if algorithm == "KL" else seen.most

    return mark_quantized(program, feeds, scale_of, op_types, least)


def _unchanged(reason: str) -> None:
    warnings.warn(f"{_WHERE}: the model stays in floats, for {reason}.", stacklevel=3)


def _check_shape(program: Program, name: str, buffer: Any) -> None:
    """Refuses data that no model of this input takes."""
    stated = list(program.global_block()._var_recursive(name).shape)
    given = list(buffer.shape)
    if 0 in given:
        raise InvalidArgumentError(
            f"{_WHERE}: the data for input {name!r} is empty, of shape {given}; no range can be "
            "seen in it."
        )
    same = len(given) == len(stated) and all(
        want in (-1, got) for want, got in zip(stated[1:], given[1:], strict=True)
    )
    if not same:
        raise InvalidArgumentError(
            f"{_WHERE}: expected data of shape {stated} for input {name!r}, where -1 is any size, "
            f"but received {given}."
        )


def _batches(
    program: Program, feeds: Sequence[str], data: Sequence[Any], batch_size: int
) -> list[list[Any]]:
    """The buffers of the data, a few rows at a time where all inputs have as many."""
    if len(data) != len(feeds):
        raise InvalidArgumentError(
            f"{_WHERE}: expected set_quant_data to give an array for each of the inputs "
            f"{list(feeds)}, but it gave {len(data)}."
        )
    named = {getattr(item, "name", None): item for item in data}
    if set(named) == set(feeds):
        data = [named[name] for name in feeds]
    buffers = [buffer_of(_array(item)) for item in data]
    for name, buffer in zip(feeds, buffers, strict=True):
        _check_shape(program, name, buffer)
    rows = {buffer.shape[0] if buffer.dim() else 0 for buffer in buffers}
    if rows != {batch_size} or batch_size <= _ROWS:
        return [buffers]
    starts = range(0, batch_size, _ROWS)
    return [[buffer[i : i + _ROWS] for buffer in buffers] for i in starts]


def _array(item: Any) -> Any:
    """The values of a PaddleTensor, or an array as it is."""
    return item.as_ndarray() if hasattr(item, "as_ndarray") else item
