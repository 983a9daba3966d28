"""Samples of operators about where data lies."""

from __future__ import annotations

import numpy as np

import paddle
from tests.op_samples.sample import ErrorSample, Sample, f64

X, PARTS = f64(2, 3, key="x"), [f64(2, 3, key="a"), f64(20, key="b"), f64(1, key="c")]


def _joined(alignment, set_constant=False, constant=0.0, copy_data=False):
    """Every part begins at a multiple of ``alignment`` elements."""

    def check(outs, inputs, attrs):
        parts, fused = [o.numpy() for o in outs[0]], outs[1].numpy()
        sizes = [-(-p.size // alignment) * alignment for p in inputs["Input"]]
        assert fused.shape == (sum(sizes),)
        at = 0
        for part, given, size in zip(parts, inputs["Input"], sizes, strict=True):
            expected = np.full(given.shape, constant) if set_constant else given * copy_data
            np.testing.assert_array_equal(part, expected)
            np.testing.assert_array_equal(fused[at : at + given.size], expected.reshape(-1))
            np.testing.assert_array_equal(
                fused[at + given.size : at + size], constant if set_constant else 0.0
            )
            at += size

    return check


def _drawn(outs, inputs, attrs):
    value = outs[0]
    assert value.shape == [1] and value.dtype == paddle.int32
    assert 0 < int(value) < 2**31


_NO_GPU = not paddle.is_compiled_with_cuda()
SAMPLES = [
    Sample("share_data", {"X": X}, ref=lambda x: x),
    Sample("memcpy", {"X": X}, {"dst_place_type": 0}, lambda x, **_: x),
    Sample("memcpy", {"X": X}, {"dst_place_type": 2}, lambda x, **_: x, note="pinned"),
    Sample("memcpy_d2h", {"X": X}, {"dst_place_type": 0}, lambda x, **_: x),
    Sample("memcpy_h2d", {"X": X}, {"dst_place_type": 0}, lambda x, **_: x),
    Sample("coalesce_tensor", {"Input": PARTS}, {"dtype": 6, "copy_data": True, "align_size": 64},
           check=_joined(8, copy_data=True), static_shape=False),
    Sample("coalesce_tensor", {"Input": PARTS}, {"dtype": 6, "set_constant": True, "constant": 2.5,
           "align_size": 32}, check=_joined(4, True, 2.5), note="constant", static_shape=False),
    Sample("coalesce_tensor", {"Input": PARTS}, {"dtype": 6, "copy_data": True, "use_align": False},
           check=_joined(1, copy_data=True), note="dense", static_shape=False),
    Sample("seed", {}, {"seed": 33}, lambda seed: np.int32([seed])),
    Sample("seed", {}, {}, check=_drawn, note="drawn"),
]  # fmt: skip

ERRORS = [
    ErrorSample(
        "memcpy", {"X": X}, {"dst_place_type": 7}, ValueError, "dst_place_type is expected"
    ),
]
if _NO_GPU:
    ERRORS.append(
        ErrorSample(
            "memcpy",
            {"X": X},
            {"dst_place_type": 1},
            RuntimeError,
            "GPUs",
            "the Program may run where there is a GPU",
        )
    )
