"""Gradients by differences of an operator that runs on the variables of a scope."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.testing.bits import convert_float_to_uint16
from paddle.testing.comparing import array_of
from paddle.testing.testsuite import put, set_input

__all__ = ["get_numeric_gradient"]


def get_numeric_gradient(
    place: Any, scope: Any, op: Any, inputs: dict[str, Any], input_to_check: str,
    output_names: Any, delta: float = 0.005, in_place: bool = False,
) -> np.ndarray:  # fmt: skip
    """Returns the gradient of the mean of the outputs' means by central differences.

    Args:
        place (Place): where the operator runs.
        scope (Scope): has its variables.
        op (object): what ``testsuite.create_op`` returned.
        inputs (dict): what ``testsuite.set_input`` puts into the scope.
        input_to_check (str): the input variable that is moved, element by element; floating.
        output_names (str|list[str]): the variables with the results.
        delta (float): how far an element is moved to either side. Default: 0.005.
        in_place (bool): the inputs are set anew before each run, as an operator needs that writes
            into them. Default: False.

    Returns:
        array: of the input's shape and type; of float32 for bfloat16.
    """
    set_input(scope, op, inputs, place)
    held = scope.find_var(input_to_check).get_tensor()
    bits = np.asarray(held.numpy()).dtype == np.uint16  # of bfloat16
    start = np.array(array_of(held))
    if start.dtype.kind not in "fc":
        raise InvalidArgumentError(
            f"get_numeric_gradient: expected floating values in {input_to_check!r}, but they are "
            f"of {start.dtype}."
        )
    names = [output_names] if isinstance(output_names, str) else list(output_names)
    lengths = held.recursive_sequence_lengths()

    def mean(values: np.ndarray) -> Any:
        if in_place:
            set_input(scope, op, inputs, place)
        array = convert_float_to_uint16(values) if bits else values
        put(held, array, lengths, place)
        op.run(scope, place)
        found = [array_of(scope.find_var(name).get_tensor()) for name in names]
        return sum(_wide(v).mean() for v in found) / len(found)

    gradient = np.zeros_like(start)
    for i in np.ndindex(start.shape):
        up, down = start.copy(), start.copy()
        up[i] += delta
        down[i] -= delta
        # What the format holds of the step, which in few bits is not what was asked for.
        gradient[i] = (mean(up) - mean(down)) / _wide(up[i] - down[i])
    set_input(scope, op, inputs, place)
    return gradient


def _wide(values: Any) -> Any:
    kind = np.asarray(values).dtype.kind
    return np.asarray(values).astype("complex128" if kind == "c" else "float64")
