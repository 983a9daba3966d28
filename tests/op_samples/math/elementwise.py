"""Samples of elementwise operators of two operands."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, apart, bools, f64, ints, pos


def _aligned(x, y, axis):
    return (
        y
        if axis == -1 or y.ndim >= x.ndim
        else y.reshape(y.shape + (1,) * (x.ndim - axis - y.ndim))
    )


def _plain(ref):
    """A reference that takes no notice of the attribute axis."""
    return lambda x, y, axis=-1: ref(x, y)


def _truncated(x, y):
    return np.trunc(x / y).astype(x.dtype)


def _between_steps(*shape, key=0):
    """Values that are no multiples of the divisors, where the remainder jumps."""
    return f64(*shape, key=("mod", key)) * 3


SIGNED = np.array([-7, 7, -6, 6, 5])
DIVISORS = np.array([2, -2, -4, 4, 5])
COMPLEX = np.array([1 + 2j, -0.5 + 1j, 3 - 1j])


def _binary(op, ref, second=f64, first=f64):
    def run(x, y, axis=-1):
        return ref(_aligned(y, x, axis), _aligned(x, y, axis))

    return [
        Sample(op, {"X": first(3, 4), "Y": second(3, 4, key=1)}, ref=run, orders=3),
        Sample(op, {"X": first(2, 3, 4), "Y": second(3, 1, key=1)}, ref=run, note="broadcast"),
        Sample(op, {"X": first(4), "Y": second(3, 4, key=1)}, ref=run, note="broadcast_left"),
        Sample(op, {"X": first(2, 3, 4), "Y": second(3, key=1)}, {"axis": 1}, run, note="axis"),
        Sample(
            op, {"X": first(3), "Y": second(2, 3, 4, key=1)}, {"axis": 1}, run, note="axis_left"
        ),
    ]


def _apart(*shape, key=0):
    return apart(*shape, gap=0.13, key=("second", key)) + 0.03


def _without_axis(op, ref, first, second):
    return Sample(op, {"X": first, "Y": second}, ref=lambda x, y, axis=-1: ref(x, y))


SAMPLES = [
    *_binary("elementwise_add", np.add),
    *_binary("elementwise_sub", np.subtract),
    *_binary("elementwise_mul", np.multiply),
    *_binary("elementwise_div", np.divide, pos),
    *_binary("elementwise_pow", np.power, first=pos),
    *_binary("elementwise_max", np.maximum, _apart, apart),
    *_binary("elementwise_min", np.minimum, _apart, apart),
    *_binary("elementwise_mod", np.mod, pos, _between_steps),
    _without_axis("minus", np.subtract, f64(3, 4), f64(3, 4, key=1)),
    Sample("elementwise_add", {"X": ints(4), "Y": ints(3, 4, key=1)}, ref=_plain(np.add)),
    Sample("elementwise_add", {"X": bools(4), "Y": bools(4, key=1)}, ref=_plain(np.logical_or)),
    Sample("elementwise_div", {"X": SIGNED, "Y": DIVISORS}, ref=_plain(_truncated), note="int"),
    Sample("elementwise_floordiv", {"X": SIGNED, "Y": DIVISORS}, ref=_plain(_truncated)),
    Sample(
        "elementwise_floordiv",
        {"X": f64(2, 3, 4), "Y": pos(3)},
        {"axis": 1},
        ref=lambda x, y, axis: np.trunc(x / y[:, None]),
        note="float",
    ),
    Sample("elementwise_mod", {"X": SIGNED, "Y": DIVISORS}, ref=_plain(np.mod), note="int"),
    Sample("elementwise_pow", {"X": ints(5), "Y": ints(5, high=4, key=1)}, ref=_plain(np.power)),
    Sample("elementwise_mul", {"X": COMPLEX, "Y": COMPLEX[::-1].copy()}, ref=_plain(np.multiply)),
    Sample("elementwise_div", {"X": COMPLEX, "Y": COMPLEX[::-1].copy()}, ref=_plain(np.divide)),
    Sample("grad_add", {"X": f64(3), "Y": f64(3, key=1)}, ref=lambda x, y, axis=-1: x + y),
]

ERRORS = [
    ErrorSample(
        "elementwise_add",
        {"X": f64(2, 3), "Y": f64(4)},
        {},
        ValueError,
        "Broadcast dimension mismatch",
    ),
]
