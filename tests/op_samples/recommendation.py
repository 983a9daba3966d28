"""Samples of the operators of recommendation models."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, ints, pos


def _columns(x, start, length):
    first = start % x[0].shape[1]
    count = x[0].shape[1] - first if length < 0 else length
    return [part[:, first : first + count] for part in x]


def partial_concat(x, start_index=0, length=-1):
    return np.concatenate(_columns(x, start_index, length), 1)


def partial_sum(x, start_index=0, length=-1):
    return sum(_columns(x, start_index, length))


def cvm(x, shown, use_cvm=True):
    if not use_cvm:
        return x[:, 2:]
    out = x.copy()
    out[:, 0] = np.log(x[:, 0] + 1)
    out[:, 1] = np.log(x[:, 1] + 1) - out[:, 0]
    return out


def batch_fc(x, weight, bias):
    parts = [a @ w + b for a, w, b in zip(x, weight, bias, strict=True)]
    return np.stack(parts) if parts else np.zeros((0, x.shape[1], weight.shape[2]))


def _shuffled(outs, inputs, attrs):
    out, order, seed = (o.numpy() for o in outs)
    rows = inputs["X"].reshape(-1, inputs["X"].shape[-1])
    np.testing.assert_array_equal(np.sort(order), np.arange(len(rows)))
    assert (order != np.arange(len(rows))).any()
    np.testing.assert_array_equal(out.reshape(rows.shape), rows[order])
    assert seed.tolist() == [3 * 16807]


def conv_shift(x, y):
    out, half = np.zeros_like(x), (y.shape[1] - 1) // 2
    for i, j in np.ndindex(*x.shape):
        out[i, j] = sum(x[i, (j + k - half) % x.shape[1]] * w for k, w in enumerate(y[i]))
    return out


def modified_huber_loss(x, y):
    value = x * (2 * y - 1)
    loss = np.where(value < -1, -4 * value, np.where(value < 1, (1 - value) ** 2, 0.0))
    return value, loss


def teacher_student_sigmoid_loss(x, label, soft_max_up_bound=15.0, soft_max_lower_bound=-15.0):
    out = np.zeros_like(x)
    for at in np.ndindex(*x.shape):
        value, z = x[at], label[at]
        softplus = np.log(1 + np.exp(value))
        clicked = -1 <= z < 0 or z >= 1
        out[at] = softplus - value * clicked
        if z >= 0:
            out[at] += softplus - value * (z - 1 if z >= 1 else z)
    return out


def center_loss(x, label, centers, rate, cluster_num, need_update):
    diff = x - centers[label.reshape(-1)]
    return diff, np.sum(diff**2, 1, keepdims=True) / 2


def _moved(x, label, centers, rate, cluster_num, need_update):
    out = centers.copy()
    for row in range(cluster_num if need_update else 0):
        own = x[label.reshape(-1) == row] - centers[row]
        out[row] += rate[0] * own.sum(0) / (1 + len(own))
    return {"Centers": out}


PARTS = [f64(3, 5), f64(3, 5, key=1), f64(3, 5, key=2)]
LABELS = np.array([[-2.0], [-1.0], [0.0], [0.3], [0.9], [1.0], [1.4]])
CENTERS = {"X": f64(4, 2), "Label": np.array([[0], [2], [2], [1]]), "Centers": f64(3, 2, key=1),
           "CenterUpdateRate": np.array([0.4])}  # fmt: skip


def _part(op, ref, note, **attrs):
    return Sample(op, {"X": PARTS}, attrs, ref, orders=3, note=note)


def _centers(note, update, written):
    attrs = {"cluster_num": 3, "need_update": update}
    return Sample("center_loss", CENTERS, attrs, center_loss, written=written, grad=["X"],
                  note=note)  # fmt: skip


SAMPLES = [
    _part("partial_concat", partial_concat, "all"),
    _part("partial_concat", partial_concat, "middle", start_index=1, length=2),
    _part("partial_concat", partial_concat, "end", start_index=-2),
    _part("partial_sum", partial_sum, "all"),
    _part("partial_sum", partial_sum, "middle", start_index=1, length=2),
    _part("partial_sum", partial_sum, "end", start_index=-3, length=2),
    Sample("cvm", {"X": pos(3, 4), "CVM": pos(3, 2)}, {}, cvm, grad=[]),
    Sample("cvm", {"X": pos(3, 4), "CVM": pos(3, 2)}, {"use_cvm": False}, cvm, grad=[],
           note="without"),
    Sample("batch_fc", {"Input": f64(2, 3, 4), "W": f64(2, 4, 5), "Bias": f64(2, 5)}, {}, batch_fc,
           orders=3),
    Sample("shuffle_batch", {"X": f64(9, 2), "Seed": np.array([3])}, check=_shuffled, orders=2),
    Sample("shuffle_batch", {"X": f64(2, 5, 3), "Seed": np.array([3])}, check=_shuffled,
           note="3d", orders=1),
    Sample("conv_shift", {"X": f64(2, 6), "Y": f64(2, 3)}, ref=conv_shift, orders=3),
    Sample("conv_shift", {"X": f64(2, 5), "Y": f64(2, 5)}, ref=conv_shift, note="all"),
    Sample("modified_huber_loss",
           {"X": np.array([[-3.0], [-0.5], [0.5], [3.0]]), "Y": np.ones((4, 1))}, {},
           modified_huber_loss, grad=["X"], note="1"),
    Sample("modified_huber_loss",
           {"X": np.array([[-3.0], [-0.5], [0.5], [3.0]]), "Y": np.zeros((4, 1))}, {},
           modified_huber_loss, grad=["X"], note="0"),
    Sample("teacher_student_sigmoid_loss", {"X": f64(7, 1), "Label": LABELS}, {},
           teacher_student_sigmoid_loss, grad=["X"]),
    _centers("kept", False, _moved),
    _centers("moved", True, _moved),
]  # fmt: skip


def _bad(op, match, raises=ValueError, attrs=None, **inputs):
    return ErrorSample(op, inputs, attrs or {}, raises, match)


_CLASSES = {"cluster_num": 3, "need_update": False}
ERRORS = [
    _bad("partial_concat", "matrices of as many columns", X=[f64(3, 2), f64(3, 3)]),
    _bad("partial_sum", "matrices of as many rows", X=[f64(3, 2), f64(2, 2)]),
    _bad("partial_sum", "lie in 5 columns, but received 3 and 4",
         attrs={"start_index": 3, "length": 4}, X=PARTS),
    _bad("cvm", r"CVM \[N, 2\]", X=f64(3, 4), CVM=f64(2, 2)),
    _bad("batch_fc", r"Bias \[slots, out\]", Input=f64(2, 3, 4), W=f64(2, 4, 5), Bias=f64(5)),
    _bad("conv_shift", "an odd number", X=f64(2, 6), Y=f64(2, 4)),
    _bad("conv_shift", "at most 3 columns", X=f64(2, 3), Y=f64(2, 5)),
    _bad("modified_huber_loss", "labels Y of 0 and 1", X=f64(2, 1), Y=f64(2, 1)),
    _bad("modified_huber_loss", "of one shape", X=f64(2, 1), Y=f64(2)),
    _bad("teacher_student_sigmoid_loss", "of one shape", X=f64(2, 1), Label=f64(2)),
    _bad("center_loss", r"Label in \[0, 3\), but they span \[1, 3\]", IndexError, _CLASSES,
         X=f64(2, 2), Label=np.array([1, 3]), Centers=f64(3, 2), CenterUpdateRate=f64(1)),
    _bad("center_loss", r"Centers \[3, D\]", attrs=_CLASSES, X=f64(2, 2), Label=ints(2),
         Centers=f64(4, 2), CenterUpdateRate=f64(1)),
]  # fmt: skip
