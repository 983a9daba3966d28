"""Samples of random parts."""

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample

X = np.arange(3 * 4 * 5, dtype="float64").reshape(3, 4, 5)
SEED = np.array([7], "int64")


def part(outs, inputs, attrs):
    out = outs[0].numpy().reshape(-1, *attrs["shape"])
    rows = inputs["X"].reshape(-1, *inputs["X"].shape[-len(attrs["shape"]) :])
    assert len(out) == len(rows)
    for found, row in zip(out, rows):
        first = np.unravel_index(int(found.reshape(-1)[0] - row.reshape(-1)[0]), row.shape)
        expected = row[tuple(slice(a, a + n) for a, n in zip(first, attrs["shape"]))]
        np.testing.assert_array_equal(found, expected)


SAMPLES = [
    Sample("random_crop", {"X": X, "Seed": SEED}, {"shape": [2, 3]}, check=part),
    Sample("random_crop", {"X": X, "Seed": SEED}, {"shape": [4]}, check=part, note="last"),
    Sample("random_crop", {"X": X, "Seed": np.zeros(1, "int64")}, {"shape": [3, 4, 2]}, check=part,
           note="free"),
]  # fmt: skip
ERRORS = [
    ErrorSample("random_crop", {"X": X, "Seed": SEED}, {"shape": [5, 3]}, ValueError,
                "sizes within the last"),
]  # fmt: skip
