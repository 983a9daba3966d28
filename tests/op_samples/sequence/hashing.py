"""Samples of hashes, as 1.8.5 computes them."""

import numpy as np

from tests.op_samples.frozen import as_185
from tests.op_samples.sample import ErrorSample, ints

SAMPLES = [
    as_185("hash", {"X": ints(4, n, high=2000, dtype=kind)}, {"num_hash": 3, "mod_by": 10000},
           f"{kind}_{n}", levels={"X": [[0, 1, 4]]})
    for kind, n in (("int32", 1), ("int64", 1), ("int32", 3), ("int64", 2), ("int64", 9))
]  # fmt: skip
ERRORS = [
    ErrorSample("hash", {"X": ints(4, 2)}, {"num_hash": 0}, ValueError, "at least 1"),
    ErrorSample("hash", {"X": np.zeros(3, "int64")}, {}, ValueError, r"\[N, ..., D\]"),
]
