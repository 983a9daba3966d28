"""Samples of operators that make tensors."""

from __future__ import annotations

import numpy as np

from paddle.core.dtype import numpy_dtype
from tests.op_samples.sample import ErrorSample, Sample, f64, ints

F32, F64, I32, I64, BOOL = 5, 6, 2, 3, 0


def _full(source=None, whole=None, parts=None, dtype=5, shape=(), value=0.0, **attrs):
    number = float(attrs.get("str_value") or value)
    number = number if source is None else source.item()
    shape = [int(p[0]) for p in parts] if parts else shape if whole is None else whole.tolist()
    return np.full(shape, number).astype(numpy_dtype(dtype))


def _like(x, value=0.0, dtype=-1):
    return np.full(x.shape, value).astype(x.dtype if dtype == -1 else numpy_dtype(dtype))


def _batch(x, shape, input_dim_idx=0, output_dim_idx=0, dtype=5, value=0.0, **attrs):
    shape = list(shape)
    shape[output_dim_idx] = x.shape[input_dim_idx]
    return np.full(shape, value).astype(numpy_dtype(dtype))


def _assigned(shape, dtype, **values):
    return np.array(next(iter(values.values())), numpy_dtype(dtype)).reshape(shape)


def _empty(outs, inputs, attrs):
    assert outs[0].shape == [2, 3] and outs[0].numpy().dtype == numpy_dtype(attrs.get("dtype", 5))


def _eye(num_rows, num_columns=-1, dtype=5):
    columns = None if num_columns == -1 else num_columns
    return np.eye(num_rows, columns, dtype=numpy_dtype(dtype))


def _diag(x, offset=0, padding_value=0.0):
    if x.ndim == 2:
        return np.diagonal(x, offset)
    out = np.diag(x, offset)
    return np.where(
        np.diag(np.ones(x.shape, bool), offset), out, np.asarray(padding_value, x.dtype)
    )


def _triangle(x, diagonal=0, lower=False):
    return np.tril(x, diagonal) if lower else np.triu(x, diagonal)


def _range(start, end, step):
    return np.arange(start[0], end[0], step[0], dtype=start.dtype)


def _line(start, stop, num, dtype):
    return np.linspace(start[0], stop[0], num[0]).astype(numpy_dtype(dtype))


def _bounds(start, end, step, dtype):
    return {"Start": np.array([start], dtype), "End": np.array([end], dtype),
            "Step": np.array([step], dtype)}  # fmt: skip


SAMPLES = [
    Sample("fill_constant", {}, {"shape": [2, 3], "value": 1.5}, _full),
    Sample("fill_constant", {}, {"shape": [2], "value": -2.9, "dtype": I64}, _full, note="int"),
    Sample("fill_constant", {}, {"shape": [2], "value": 0.5, "dtype": BOOL}, _full, note="bool"),
    Sample(
        "fill_constant",
        {},
        {"shape": [1], "str_value": "16777217", "dtype": I64},
        lambda *a, **k: np.array([16777217]),
        note="digits",
    ),
    Sample(
        "fill_constant",
        {},
        {"shape": [1], "str_value": "-inf", "force_cpu": True},
        _full,
        note="inf",
    ),
    Sample(
        "fill_constant",
        {"ValueTensor": np.float64([2.5])},
        {"shape": [2], "dtype": F64},
        _full,
        note="value_tensor",
        static_shape=False,
    ),
    Sample(
        "fill_constant",
        {"ShapeTensor": np.int32([2, 1])},
        {"value": 1.0},
        _full,
        note="shape_tensor",
        static_shape=False,
    ),
    Sample(
        "fill_constant",
        {"ShapeTensorList": [np.int32([2]), np.int32([1])]},
        {"value": 1.0, "shape": [-1, 1]},
        _full,
        note="shape_parts",
        static_shape=False,
    ),
    Sample("fill_any_like", {"X": f64(2, 3)}, {"value": 2.5}, _like),
    Sample("fill_any_like", {"X": f64(2)}, {"value": 2.5, "dtype": I32}, _like, note="int"),
    Sample("fill_zeros_like", {"X": f64(2, 3)}, {}, np.zeros_like),
    Sample(
        "fill_constant_batch_size_like",
        {"Input": f64(4, 2)},
        {"shape": [-1, 3], "value": 2.0},
        _batch,
    ),
    Sample(
        "fill_constant_batch_size_like",
        {"Input": f64(4, 2)},
        {"shape": [3, -1], "input_dim_idx": 1, "output_dim_idx": 1, "value": 2.0, "dtype": I64},
        _batch,
        note="other_axis",
    ),
    Sample("empty", {}, {"shape": [2, 3]}, check=_empty),
    Sample(
        "empty",
        {"ShapeTensor": np.int32([2, 3])},
        {"dtype": I64},
        check=_empty,
        note="tensor",
        static_shape=False,
    ),
    Sample("assign", {"X": f64(2, 3)}, {}, np.copy, orders=3),
    Sample("assign", {"X": ints(3)}, {}, np.copy, note="int"),
    Sample(
        "assign_value", {}, {"shape": [2, 1], "dtype": F32, "fp32_values": [1.5, 2.0]}, _assigned
    ),
    Sample(
        "assign_value",
        {},
        {"shape": [2], "dtype": I64, "int64_values": [1, 2**40]},
        _assigned,
        note="int64",
    ),
    Sample(
        "assign_value",
        {},
        {"shape": [2], "dtype": BOOL, "bool_values": [True, False]},
        _assigned,
        note="bool",
    ),
    Sample("range", _bounds(0, 5, 1, "int64"), {}, _range, static_shape=False),
    Sample("range", _bounds(5, -1, -2, "int32"), {}, _range, note="down", static_shape=False),
    Sample(
        "range",
        _bounds(0.5, 2.0, 0.25, "float64"),
        {},
        _range,
        note="float",
        static_shape=False,
        grad=[],
    ),
    Sample("range", _bounds(3, 3, 1, "int64"), {}, _range, note="empty", static_shape=False),
    Sample(
        "linspace",
        {"Start": np.float64([0]), "Stop": np.float64([1]), "Num": np.int32([7])},
        {"dtype": F64},
        _line,
        static_shape=False,
        dtypes=(),
        grad=[],
    ),
    Sample(
        "linspace",
        {"Start": np.float64([10]), "Stop": np.float64([0]), "Num": np.int32([4])},
        {"dtype": I64},
        _line,
        static_shape=False,
        grad=[],
        note="int",
    ),
    Sample("eye", {}, {"num_rows": 2}, _eye),
    Sample("eye", {}, {"num_rows": 3, "num_columns": 2, "dtype": I32}, _eye, note="tall"),
    Sample("tril_triu", {"X": f64(2, 3, 4)}, {}, _triangle),
    Sample("tril_triu", {"X": f64(3, 4)}, {"lower": True, "diagonal": -1}, _triangle, note="lower"),
    Sample("tril_triu", {"X": f64(3, 4)}, {"diagonal": 2}, _triangle, note="upper"),
    Sample("diag_v2", {"X": f64(3)}, {}, _diag),
    Sample("diag_v2", {"X": f64(3)}, {"offset": -2, "padding_value": 9.0}, _diag, note="below"),
    Sample("diag_v2", {"X": ints(3)}, {"offset": 1, "padding_value": 9.0}, _diag, note="int"),
    Sample("diag_v2", {"X": f64(3, 4)}, {"offset": 1}, _diag, note="taken"),
    Sample("diag_v2", {"X": f64(3, 4)}, {"offset": -1}, _diag, note="taken_below"),
    Sample("diag_v2", {"X": f64(3, 4)}, {"offset": 5}, _diag, note="taken_outside"),
]

ERRORS = [
    ErrorSample(
        "fill_constant",
        {},
        {"shape": [2], "value": float("nan"), "dtype": I64},
        ValueError,
        "int64 cannot hold the value nan",
    ),
    ErrorSample("range", _bounds(0, 5, 0, "int64"), {}, ValueError, "differ from 0"),
    ErrorSample("range", _bounds(5, 0, 1, "int64"), {}, ValueError, "lead from start to end"),
    ErrorSample(
        "linspace",
        {"Start": np.float64([0]), "Stop": np.float64([1]), "Num": np.int32([0])},
        {"dtype": F64},
        ValueError,
        "num is expected to be positive",
    ),
    ErrorSample("diag_v2", {"X": f64(2, 2, 2)}, {}, ValueError, "1 or 2 dimensions"),
    ErrorSample("tril_triu", {"X": f64(2)}, {}, ValueError, "at least 2 dimensions"),
]
