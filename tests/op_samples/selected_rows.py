"""Samples of operators on rows of tables, here dense ones; and of numbers spread over tables."""

import numpy as np

from tests.op_samples.frozen import as_185
from tests.op_samples.sample import ErrorSample, Sample, f64

IDS = [np.array([[5], [2], [8]], "int64"), np.array([[2], [1]], "int64")]
ROWS = [np.array([[8], [2]], "int64"), np.array([[1], [5]], "int64")]
MERGE = {"Ids": IDS, "Rows": ROWS, "X": [f64(2, 3), f64(2, 3, key=1)]}

SAMPLES = [
    Sample("get_tensor_from_selected_rows", {"X": f64(3, 2)}, ref=np.copy),
    Sample("merge_selected_rows", {"X": f64(3, 2)}, ref=np.copy),
    Sample("split_selected_rows", {"X": f64(5, 2)}, {"height_sections": [3, 2]},
           lambda x, height_sections: [x[:3], x[3:]]),
    as_185("merge_ids", MERGE, outs={"Out": 2}, single=True),
]  # fmt: skip
ERRORS = [
    ErrorSample("split_selected_rows", {"X": f64(5, 2)}, {"height_sections": [3]}, ValueError,
                "heights of 5 rows"),
    ErrorSample("merge_ids", {**MERGE, "Rows": ROWS[:1]}, {}, ValueError, "as many Rows as X"),
    ErrorSample("merge_ids", {**MERGE, "Ids": [np.array([[7]], "int64")]}, {}, IndexError,
                "every number of Ids"),
]  # fmt: skip
