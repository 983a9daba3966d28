"""Samples of operators that match texts, as 1.8.5 computes them."""

import numpy as np

from tests.op_samples.frozen import as_185
from tests.op_samples.sample import ErrorSample, f64

PAIR = {"X": f64(5, 3), "Y": f64(6, 3), "W": f64(3, 2, 3)}
PAIRS = {"X": [[0, 2, 5]], "Y": [[0, 4, 6]]}
TABLES = {"X": f64(2 * (6 + 12), 1), "ROW": f64(5, 1), "COLUMN": f64(7, 1), "W": f64(3, 18)}
SIZES = {"X": [[0, 12, 36]], "ROW": [[0, 2, 5]], "COLUMN": [[0, 3, 7]]}
CONV = {"InputChannel": 2, "OutputChannel": 3, "KernelH": 3, "KernelW": 3}
EDGES = np.array([
    [[1, 2], [1, 3], [1, 4], [2, 5], [4, 6], [6, 7]],
    [[1, 2], [2, 3], [2, 4], [3, 5], [3, 6], [1, 7]],
], "int32")  # fmt: skip
TREE = {"NodesVector": f64(2, 8, 3), "EdgeSet": EDGES, "Filter": f64(3, 3, 2, 4)}
LOOSE = {"single": True, "rtol": 1e-4, "atol": 1e-5}
# The gradient of the nodes is 1.8.5's, which is not the derivative.
TRUE = {"grad": ["Filter"]}

SAMPLES = [
    as_185("match_matrix_tensor", PAIR, {"dim_t": 2}, levels=PAIRS, only="Out", static_shape=False,
           **LOOSE),
    as_185("var_conv_2d", TABLES, CONV, levels=SIZES, only="Out", static_shape=False,
           grad=["X", "W"], **LOOSE),
    as_185("var_conv_2d", {**TABLES, "W": f64(3, 12)},
           {**CONV, "KernelW": 2, "StrideH": 2, "StrideW": 3}, "strides", levels=SIZES, only="Out",
           static_shape=False, grad=["X", "W"], **LOOSE),
    as_185("tree_conv", TREE, {}, **LOOSE, **TRUE),
    as_185("tree_conv", TREE, {"max_depth": 3}, "deep", **LOOSE, **TRUE),
]  # fmt: skip


def _bad(op, match, attrs, levels=None, raises=ValueError, **inputs):
    why = ErrorSample.LEVELS if levels else ""
    return ErrorSample(op, inputs, attrs, raises, match, why, levels or {})


ERRORS = [
    _bad("match_matrix_tensor", r"W \[D, 3, E\]", {"dim_t": 3}, **PAIR),
    _bad("match_matrix_tensor", "as many sequences", {"dim_t": 2}, PAIRS | {"Y": [[0, 6]]}, **PAIR),
    _bad("var_conv_2d", r"expected W \[3, 18\]", CONV, **{**TABLES, "W": f64(3, 9)}),
    _bad("var_conv_2d", "ROW [*] COLUMN elements", CONV, {**SIZES, "ROW": [[0, 1, 5]]}, **TABLES),
    _bad("tree_conv", "NodesVector", {}, **{**TREE, "Filter": f64(3, 2, 2, 4)}),
    _bad("tree_conv", "nodes from 1 to 8", {}, None, IndexError, **{**TREE, "EdgeSet": EDGES + 3}),
]  # fmt: skip
