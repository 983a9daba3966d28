"""Samples of similarity focus, as 1.8.5 computes it."""

from tests.op_samples.frozen import as_185
from tests.op_samples.sample import ErrorSample, apart, f64

X = apart(2, 3, 4, 2)
SAMPLES = [
    as_185("similarity_focus", {"X": X}, {"axis": axis, "indexes": list(indexes)}, str(axis))
    for axis, indexes in ((1, [0]), (2, [1, 3]), (3, [1]))
]
ERRORS = [
    ErrorSample("similarity_focus", {"X": X}, {"axis": 0, "indexes": [0]}, ValueError, "axis 1, 2"),
    ErrorSample("similarity_focus", {"X": X}, {"axis": 1, "indexes": [3]}, IndexError, r"\[0, 3\)"),
    ErrorSample("similarity_focus", {"X": f64(2, 3)}, {"axis": 1, "indexes": [0]}, ValueError,
                "N, A, B, C"),
]  # fmt: skip
