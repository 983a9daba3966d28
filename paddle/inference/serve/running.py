"""One run of a Predictor for one request or for several: joined along rows, and split again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paddle.core.errors import FrameworkError
from paddle.inference.serve.bodies import Value, Values
from paddle.inference.signature import Signature

# How far rows may be apart that were computed alone and beside others, relative to the largest: in
# bfloat16 that is rounding still.
_TOLERANCE = 1e-2


class NotByRows(ValueError):
    """The results of several requests cannot be told apart."""


class Runner:
    """Runs a Predictor on named values; for one thread.

    Args:
        predictor (Predictor): its own, for its handles hold the values of a run.
    """

    def __init__(self, predictor: Any) -> None:
        self._predictor = predictor
        self._inputs = [(n, predictor.get_input_handle(n)) for n in predictor.get_input_names()]
        self._outputs = [(n, predictor.get_output_handle(n)) for n in predictor.get_output_names()]
        self._lods: set[str] = set()  # inputs whose handles have one

    def __call__(self, values: Values) -> Values:
        """Returns the outputs for some inputs.

        Args:
            values (dict[str, Value]): one for each input.
        """
        for name, handle in self._inputs:
            value = values[name]
            if value.lod or name in self._lods:
                self._lods.add(name)
                handle.set_lod(value.lod)
            handle.copy_from_cpu(value.array)
        self._predictor.run()
        return {name: Value(h.copy_to_cpu(), h.lod()) for name, h in self._outputs}


def may_join(signature: Signature) -> bool:
    """Whether all inputs and outputs leave their first size open, and none has a LoD."""
    arguments = (*signature.inputs, *signature.outputs)
    return bool(signature.inputs) and all(
        a.shape and a.shape[0] < 0 and not a.lod_level for a in arguments
    )


def rows_of(values: Values) -> int:
    """Returns how many rows all inputs of a request have; 0 where they do not agree."""
    counts = {v.array.shape[0] if v.array.ndim else 0 for v in values.values()}
    return counts.pop() if len(counts) == 1 else 0


def key_of(values: Values) -> tuple:
    """Returns what is equal for requests that may be joined: all sizes but the first."""
    return tuple(value.array.shape[1:] for value in values.values())


def join(requests: Sequence[Values]) -> Values:
    """Returns the inputs of several requests below each other."""
    if len(requests) == 1:
        return requests[0]
    return {n: Value(np.concatenate([r[n].array for r in requests])) for n in requests[0]}


def split(outputs: Values, rows: Sequence[int]) -> list[Values]:
    """Returns the outputs of each request.

    Args:
        outputs (dict[str, Value]): of a run of joined requests.
        rows (Sequence[int]): how many rows each of them has.

    Raises:
        NotByRows: an output has not a row for each.
    """
    if len(rows) == 1:
        return [outputs]
    ends = np.cumsum(rows)
    for name, value in outputs.items():
        shape = getattr(value.array, "shape", ())
        if not shape or shape[0] != ends[-1] or value.lod:
            raise NotByRows(f"output {name!r} has the shape {list(shape)} for {ends[-1]} rows")
    return [
        {name: Value(value.array[end - count : end]) for name, value in outputs.items()}
        for end, count in zip(ends, rows, strict=True)
    ]


def why_not_by_rows(run: Runner, values: Values) -> str:
    """Returns why requests to a model cannot be joined, or nothing where they can.

    Each row is run alone and beside the others; what comes for it has to be the same.

    Args:
        run (Runner): of the model.
        values (dict[str, Value]): inputs of two rows or more.
    """
    rows = [1] * rows_of(values)
    if len(rows) < 2:
        return "a trial with two rows cannot be made: inputs have different first sizes"
    try:
        alone = [run(one) for one in split(values, rows)]
        together = split(run(values), rows)
    except NotByRows as error:
        return str(error)
    except (FrameworkError, NotImplementedError) as error:
        return f"a trial with two rows fails: {str(error).splitlines()[0]}"
    for one, other in zip(alone, together, strict=True):
        for name in one:
            if not _close(one[name].array, other[name].array):
                return f"a row of output {name!r} depends on the other rows"
    return ""


def _close(a: np.ndarray, b: np.ndarray) -> bool:
    if a.shape != b.shape:
        return False
    if a.dtype.kind not in "fc":
        return bool((a == b).all())
    largest = float(np.abs(a).max(initial=0.0))
    return bool(np.allclose(a, b, rtol=_TOLERANCE, atol=_TOLERANCE * largest, equal_nan=True))
