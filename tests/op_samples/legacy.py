"""Samples of the operators that only 1.x Programs hold."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, ints, pos

TABLE = f64(6, 4, key="table")
IDS = np.array([[[1], [3], [1]], [[0], [5], [2]]])
CHANCES = pos(4, 5, key="chance") / 10
LABELS = np.array([[1], [4], [0], [2]])
SOFT = pos(4, 5, key="soft") / 9
MARKED = np.array([[1], [3], [0], [3]])


def _lookup(w, ids, padding_idx=-1, is_sparse=False):
    out = w[ids[..., 0]]
    return np.where(ids == padding_idx, 0, out) if padding_idx != -1 else out


def _one_hot(x, depth_tensor=None, depth=-1, dtype=5, allow_out_of_range=False):
    depth = depth if depth_tensor is None else int(depth_tensor[0])
    return (x == np.arange(depth)).astype({3: "int64", 5: "float32"}[dtype])


def _cross_entropy(x, label, soft_label=False, ignore_index=-100):
    if soft_label:
        return -(label * np.log(x)).sum(-1, keepdims=True)
    index = label if label.ndim == x.ndim else label[..., None]
    safe = np.where(index == ignore_index, 0, index)
    loss = -np.log(np.take_along_axis(x, safe, -1))
    return np.where(index == ignore_index, 0, loss).reshape(label.shape)


def _cross_entropy2(x, label, ignore_index=-100):
    safe = np.where(label == ignore_index, 0, label)
    picked = np.take_along_axis(x, safe, -1)
    return _cross_entropy(x, label, False, ignore_index), None, picked * (label != ignore_index)


def _expand(x, whole=None, parts=None, expand_times=()):
    times = whole if whole is not None else [int(p[0]) for p in parts] if parts else expand_times
    return np.tile(x, times)


def _crop(x, y=None, offsets_tensor=None, offsets=(), shape=()):
    at = offsets if offsets_tensor is None else offsets_tensor
    size = shape if y is None else y.shape
    return x[tuple(slice(a, a + n) for a, n in zip(at, size, strict=True))]


def _counted(x, dtype):
    values, first, index, counts = np.unique(x, True, True, True)
    order = np.argsort(first)
    rank = np.argsort(order)
    return values[order], rank[index], counts[order]


def _fc(x, w, bias=None, in_num_col_dims=1, activation_type="", padding_weights=False):
    w = w[:-4, :-4] if padding_weights else w
    lead = x.shape[:in_num_col_dims]
    out = x.reshape(int(np.prod(lead)), -1) @ w + (0 if bias is None else bias.reshape(-1))
    out = np.maximum(out, 0) if activation_type == "relu" else out
    return out.reshape(*lead, -1)


SAMPLES = [
    Sample("lookup_table", {"W": TABLE, "Ids": IDS}, {}, _lookup),
    Sample("lookup_table", {"W": TABLE, "Ids": IDS[0]}, {"padding_idx": 3}, _lookup, note="pad"),
    Sample("one_hot", {"X": LABELS}, {"depth": 5}, _one_hot),
    Sample("one_hot", {"X": LABELS}, {"depth": 3, "dtype": 3, "allow_out_of_range": True},
           _one_hot, note="outside"),
    Sample("one_hot", {"X": LABELS, "depth_tensor": np.int32([6])}, {}, _one_hot, note="tensor",
           static_shape=False),
    Sample("cross_entropy", {"X": CHANCES, "Label": LABELS}, {}, _cross_entropy, grad=["X"]),
    Sample("cross_entropy", {"X": CHANCES, "Label": LABELS[:, 0]}, {}, _cross_entropy, note="flat"),
    Sample("cross_entropy", {"X": CHANCES, "Label": MARKED}, {"ignore_index": 3}, _cross_entropy,
           note="ignored"),
    Sample("cross_entropy", {"X": CHANCES.reshape(2, 2, 5), "Label": LABELS.reshape(2, 2, 1)},
           {}, _cross_entropy, note="3d"),
    Sample("cross_entropy", {"X": CHANCES, "Label": SOFT}, {"soft_label": True}, _cross_entropy,
           grad=["X"], note="soft"),
    Sample("cross_entropy2", {"X": CHANCES, "Label": LABELS}, {}, _cross_entropy2),
    Sample("cross_entropy2", {"X": CHANCES, "Label": MARKED}, {"ignore_index": 3}, _cross_entropy2,
           note="ignored"),
    Sample("expand", {"X": f64(2, 3)}, {"expand_times": [2, 1]}, _expand),
    Sample("expand", {"X": f64(2, 3), "ExpandTimes": np.int32([1, 3])}, {}, _expand,
           note="tensor", static_shape=False),
    Sample("expand", {"X": f64(2, 3), "expand_times_tensor": [np.int32([2]), np.int32([2])]},
           {"expand_times": [-1, 2]}, _expand, note="list", static_shape=False),
    Sample("expand_as", {"X": f64(2, 1, 3), "target_tensor": f64(4, 5, 3)}, {},
           lambda x, y: np.tile(x, [2, 5, 1]), grad=["X"]),
    Sample("crop", {"X": f64(3, 5)}, {"offsets": [1, 2], "shape": [2, 3]}, _crop),
    Sample("crop", {"X": f64(3, 5), "Y": f64(2, 2)}, {"offsets": [0, 3]}, _crop, note="like",
           grad=["X"]),
    Sample("crop", {"X": f64(3, 5), "Offsets": np.int32([1, 0])}, {"shape": [1, 5]}, _crop,
           note="tensor", static_shape=False),
    Sample("diag", {"Diagonal": f64(4)}, {}, np.diag),
    Sample("fill", {}, {"value": [1.0, 2.5, -3.0, 4.0], "shape": [2, 2], "dtype": 5},
           lambda value, shape, dtype: np.reshape(value, shape)),
    Sample("fill", {}, {"value": [1.0, 0.0], "shape": [2], "dtype": 0},
           lambda value, shape, dtype: np.array([True, False]), note="bool"),
    Sample("fill_any", {"X": f64(2, 3)}, {"value": 2.5}, lambda x, value: np.full_like(x, value)),
    Sample("fill_zeros_like2", {"X": f64(2, 3)}, {"dtype": 5}, lambda x, dtype: x * 0),
    Sample("fill_zeros_like2", {"X": ints(4)}, {"dtype": 3}, lambda x, dtype: x * 0, note="int"),
    Sample("unique_with_counts", {"X": np.array([2, 3, 3, 1, 5, 3, 1])}, {"dtype": 2}, _counted,
           static_shape=False),
    Sample("unique_with_counts", {"X": f64(3)[[0, 1, 1, 2, 0]]}, {"dtype": 3}, _counted,
           note="float", static_shape=False),
    Sample("fc", {"Input": f64(3, 4), "W": f64(4, 5), "Bias": f64(1, 5)}, {}, _fc),
    Sample("fc", {"Input": f64(2, 3, 4), "W": f64(12, 5)}, {}, _fc, note="flattened"),
    Sample("fc", {"Input": f64(2, 3, 4), "W": f64(4, 5), "Bias": f64(5)},
           {"in_num_col_dims": 2, "activation_type": "relu"}, _fc, note="relu"),
    Sample("fc", {"Input": f64(3, 4), "W": f64(8, 9), "Bias": f64(5)}, {"padding_weights": True},
           _fc, note="padded"),
]  # fmt: skip

ERRORS = [
    ErrorSample("lookup_table", {"W": TABLE, "Ids": IDS[0, :, 0]}, {}, ValueError,
                r"last dimension of Ids is expected to be 1, but received shape \[3\]"),
    ErrorSample("lookup_table", {"W": TABLE, "Ids": IDS + 1}, {}, IndexError,
                r"expected row numbers in \[0, 6\), but received 6"),
    ErrorSample("one_hot", {"X": LABELS}, {"depth": 3}, ValueError,
                r"expected indices in \[0, 3\)"),
    ErrorSample("cross_entropy", {"X": CHANCES, "Label": LABELS + 3}, {}, IndexError,
                r"labels are expected in \[0, 5\)"),
    ErrorSample("cross_entropy", {"X": CHANCES, "Label": ints(4, 1, 1)}, {}, ValueError,
                "expected Label of 2 or 1 dimensions"),
    ErrorSample("expand", {"X": f64(2, 3)}, {"expand_times": [2]}, ValueError,
                "one entry of expand_times for each of the 2 dimensions"),
    ErrorSample("expand_as", {"X": f64(2, 3), "target_tensor": f64(2, 4)}, {}, ValueError,
                "expected to be a multiple"),
    ErrorSample("crop", {"X": f64(3, 5)}, {"offsets": [2, 2], "shape": [2, 3]}, ValueError,
                "lie inside"),
    ErrorSample("diag", {"Diagonal": f64(2, 2)}, {}, ValueError, "expected one dimension"),
    ErrorSample("fill", {}, {"value": [1.0], "shape": [2, 2]}, ValueError, "expected 4 values"),
    ErrorSample("unique_with_counts", {"X": ints(2, 2)}, {"dtype": 2}, ValueError,
                "expected one dimension"),
    ErrorSample("fc", {"Input": f64(3, 4), "W": f64(4, 5)}, {"activation_type": "tanh"}, ValueError,
                "activation_type is expected"),
]  # fmt: skip
