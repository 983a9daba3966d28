"""Samples of positions of triangles and diagonals, and of masks by length."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64

X = f64(3, 4, key="x")


def _mask(x, whole=None, maxlen=-1, out_dtype=3):
    size = int(whole[0]) if whole is not None else maxlen if maxlen > 0 else x.max()
    kind = {0: "bool", 3: "int64", 5: "float32"}[out_dtype]
    return (np.arange(size) < x[..., None]).astype(kind)


def _fill_diagonal(places):
    def fill(x, value=0.0, offset=0, wrap=False):
        out = x.copy()
        out[tuple(np.transpose(places))] = value
        return out

    return fill


SAMPLES = [
    Sample("tril_indices", {}, {"rows": 3, "cols": 4, "offset": 1},
           lambda rows, cols, offset: np.stack(np.tril_indices(rows, offset, cols)),
           static_shape=False),
    Sample("triu_indices", {}, {"row": 3, "col": 4, "offset": -1, "dtype": 2},
           lambda row, col, offset, dtype: np.stack(np.triu_indices(row, offset, col)),
           static_shape=False),
    Sample("sequence_mask", {"X": np.array([[1, 3], [0, 2]])}, {"maxlen": 4, "out_dtype": 3},
           _mask),
    Sample("sequence_mask", {"X": np.array([1, 3])}, {"out_dtype": 5}, _mask, note="longest",
           static_shape=False),
    Sample("sequence_mask", {"X": np.int32([1, 3]), "MaxLenTensor": np.int32([5])},
           {"out_dtype": 0}, _mask, note="tensor", static_shape=False),
    Sample("fill_diagonal", {"X": X}, {"value": 2.5}, _fill_diagonal([[0, 0], [1, 1], [2, 2]])),
    Sample("fill_diagonal", {"X": X}, {"value": 2.5, "offset": -1},
           _fill_diagonal([[1, 0], [2, 1]]), note="below"),
    Sample("fill_diagonal", {"X": f64(7, 3)}, {"value": 1.0, "offset": -1},
           _fill_diagonal([[1, 0], [2, 1]]), note="tall"),
    Sample("fill_diagonal", {"X": f64(7, 3)}, {"value": 1.0, "offset": 1, "wrap": True},
           _fill_diagonal([[0, 1], [1, 2], [4, 1], [5, 2]]), note="wrapped"),
    Sample("fill_diagonal", {"X": f64(3, 3, 3)}, {"value": 1.0, "offset": 1, "wrap": True},
           _fill_diagonal([[0, 0, 1], [1, 1, 2]]), note="cube"),
    Sample("fill_diagonal", {"X": f64(3, 3, 3)}, {"value": 1.0}, _fill_diagonal([[0, 0, 0]]),
           note="cube_layer"),
]  # fmt: skip

ERRORS = [
    ErrorSample("fill_diagonal", {"X": f64(3, 3, 2)}, {}, ValueError, "equal sizes"),
]  # fmt: skip
