"""Samples of losses and of decoding."""

from __future__ import annotations

import itertools

import numpy as np
from scipy import special

from tests.op_samples.sample import ErrorSample, Sample, apart, f64, ints, pos, rng

LOGITS = f64(4, 3)
CUBE = f64(2, 3, 4)
CHANCES = special.softmax(f64(4, 3, key="chances"), -1)
TARGETS = special.softmax(f64(4, 3, key="targets"), -1)
UNIT = f64(3, 4, low=0.1, high=0.9, key="unit")
CLASSES = np.array([[0], [2], [1], [2]])


def _softmax_cross_entropy(
    logits, label, soft_label=False, use_softmax=True, numeric_stable_mode=True,
    ignore_index=-100, axis=-1,
):  # fmt: skip
    probability = special.softmax(logits, axis) if use_softmax else logits
    logp = special.log_softmax(logits, axis) if use_softmax else np.log(logits)
    if soft_label:
        return probability, -(label * logp).sum(axis, keepdims=True)
    shape = list(logits.shape)
    shape[axis] = 1
    label = label.reshape(shape)
    ignored = label == ignore_index
    loss = -np.take_along_axis(logp, np.where(ignored, 0, label), axis)
    return probability, np.where(ignored, 0, loss)


def _hard(logits, label, ignore_index=-100, reduction="mean"):
    _, loss = _softmax_cross_entropy(logits, label, ignore_index=ignore_index)
    reduced = {"none": loss.reshape(label.shape), "mean": [loss.mean()], "sum": [loss.sum()]}
    return reduced[reduction], special.log_softmax(logits, -1), None


def _nll(x, label, weight, ignore_index=-100, reduction="mean"):
    weight = np.ones(x.shape[1]) if weight is None else weight
    kept = label != ignore_index
    safe = np.where(kept, label, 0)
    factor = weight[safe] * kept
    loss = -np.take_along_axis(x, np.expand_dims(safe, 1), 1).squeeze(1) * factor
    if reduction == "none":
        return loss, None
    total = factor.sum()
    if reduction == "sum":
        return loss.sum(), None
    return loss.sum() / total if total else 0.0, [total]


def _bce_logits(x, label, pos_weight, normalize=False, ignore_index=-100):
    factor = 1.0 if pos_weight is None else pos_weight
    kept = label != ignore_index
    loss = (1 - label) * x - factor * special.log_expit(x)
    loss = np.where(kept, loss, 0)
    return loss / max(kept.sum(), 1) if normalize else loss


def _kl(x, target, reduction="mean"):
    loss = np.where(target > 0, target * (np.log(np.where(target > 0, target, 1)) - x), 0)
    reduced = {"mean": np.mean, "sum": np.sum, "batchmean": lambda v: v.sum() / len(v)}
    return loss if reduction == "none" else reduced[reduction](loss)


def _huber(x, y, delta):
    r = y - x
    small = np.abs(r) <= delta
    return np.where(small, 0.5 * r * r, delta * np.abs(r) - 0.5 * delta**2), r


def _margin(x1, x2, label, margin=0.0):
    out = np.maximum(0, -label * (x1 - x2) + margin)
    return (out > 0).astype(x1.dtype), out


def _ctc(logits, label, steps, sizes, blank=0):
    """Adds up the probability of every path, one by one."""
    total, batch, classes = logits.shape
    steps = np.full(batch, total) if steps is None else steps
    sizes = np.full(batch, label.shape[1]) if sizes is None else sizes
    out = np.zeros((batch, 1), logits.dtype)
    logp = special.log_softmax(logits, -1)
    for n in range(batch):
        wanted = list(label[n, : sizes[n]])
        chance = 0.0
        for path in itertools.product(range(classes), repeat=int(steps[n])):
            if [k for k, _ in itertools.groupby(path) if k != blank] == wanted:
                chance += np.exp(sum(logp[t, n, k] for t, k in enumerate(path)))
        out[n] = -np.log(chance) if chance else 0.0
    return out, None


def _tree(x, w, label, table, code, bias, num_classes=2):
    width = (2 * num_classes - 1).bit_length() - 1 if table is None else table.shape[1]
    loss = np.full((len(x), 1), width * np.log(2), x.dtype)
    scores = np.zeros((len(x), width), x.dtype)
    for n in range(len(x)):
        if table is None:
            number = int(label.reshape(-1)[n]) + num_classes
            path = [((number >> (i + 1)) - 1, (number >> i) & 1)
                    for i in range(number.bit_length() - 1)]  # fmt: skip
        else:
            path = [(t, c) for t, c in zip(table[n], code[n], strict=True) if t >= 0]
        for i, (node, turn) in enumerate(path):
            score = w[node] @ x[n] + (0 if bias is None else bias.reshape(-1)[node])
            scores[n, i] = score
            loss[n] += np.logaddexp(0, score) - turn * score - np.log(2)
    return loss, scores, None


def _walk_back(ids, parents):
    out = np.zeros_like(ids)
    steps, batch, beams = ids.shape
    for b, k in itertools.product(range(batch), range(beams)):
        at = k
        for t in range(steps - 1, -1, -1):
            out[t, b, k] = ids[t, b, at]
            at = parents[t, b, at]
    return out


def _entropy(note, logits, label, attrs, grad=("Logits",)):
    return Sample("softmax_with_cross_entropy", {"Logits": logits, "Label": label}, attrs,
                  ref=_softmax_cross_entropy, grad=list(grad), orders=3, note=note)  # fmt: skip


def _negative(note, x, label, weight, **attrs):
    return Sample("nll_loss", {"X": x, "Label": label, "Weight": weight}, attrs, ref=_nll,
                  grad=["X"], orders=3, note=note)  # fmt: skip


WEIGHT = pos(3)
BINARY = rng("binary").randint(0, 2, (3, 4)).astype("float64")
PARTLY = np.where(rng("partly").uniform(size=(3, 4)) < 0.3, -100.0, BINARY)
SIGNS = rng("signs").choice([-1.0, 1.0], (3, 4))
RESIDUAL = apart(3, 4, gap=0.4, key="residual")
TABLE = np.array([[0, 2, -1], [0, 1, 3], [0, 3, -1], [1, -1, -1]])
CODE = np.array([[0, 1, -1], [1, 1, 0], [0, 0, -1], [1, -1, -1]])
STEPS, SIZES = np.array([4, 3]), np.array([2, 1])
LABELS = np.array([[1, 1], [2, 0]], "int32")

SAMPLES = [
    Sample("hard_cross_entropy", {"Logits": LOGITS, "Label": CLASSES}, ref=_hard, orders=3),
    Sample("hard_cross_entropy", {"Logits": LOGITS, "Label": CLASSES[:, 0].astype("int32")},
           {"reduction": "sum", "ignore_index": 2}, ref=_hard, note="sum"),
    Sample("hard_cross_entropy", {"Logits": LOGITS, "Label": CLASSES}, {"ignore_index": 2},
           ref=_hard, note="ignored_in_the_mean"),
    Sample("hard_cross_entropy", {"Logits": f64(6, 20), "Label": ints(6, 1, high=20)},
           {"reduction": "none"}, ref=_hard, orders=3, note="none"),
    Sample("hard_cross_entropy", {"Logits": LOGITS, "Label": CLASSES[:, 0]},
           {"reduction": "none", "ignore_index": 0}, ref=_hard, note="none_ignored"),
    _entropy("", LOGITS, CLASSES, {}),
    _entropy("flat_int32", LOGITS, CLASSES.reshape(-1).astype("int32"), {}),
    _entropy("ignored", LOGITS, CLASSES, {"ignore_index": 2}),
    _entropy("ignored_outside", LOGITS, np.array([[0], [-1], [1], [2]]), {"ignore_index": -1}),
    _entropy("axis", CUBE, ints(2, 1, 4, high=3), {"axis": 1}),
    _entropy("first_axis", f64(3, 4), ints(1, 4, high=3), {"axis": 0}),
    _entropy("axis_ignored", CUBE, ints(2, 1, 4, high=3), {"axis": -2, "ignore_index": 0}),
    _entropy("soft", LOGITS, TARGETS, {"soft_label": True}, ("Logits", "Label")),
    _entropy("soft_not_normal", LOGITS, pos(4, 3), {"soft_label": True}, ("Logits", "Label")),
    _entropy("soft_axis", CUBE, pos(2, 3, 4), {"soft_label": True, "axis": 1}),
    _entropy("chances", CHANCES, CLASSES, {"use_softmax": False}),
    _entropy("chances_soft", CHANCES, TARGETS, {"use_softmax": False, "soft_label": True},
             ("Logits", "Label")),
    _entropy("far", LOGITS * 500, CLASSES, {}, ()),
    _negative("", LOGITS, CLASSES[:, 0], None),
    _negative("weight", LOGITS, CLASSES[:, 0], WEIGHT),
    _negative("ignored", LOGITS, CLASSES[:, 0], WEIGHT, ignore_index=2),
    _negative("all_ignored", LOGITS, CLASSES[:, 0] * 0 + 1, None, ignore_index=1),
    _negative("sum", LOGITS, CLASSES[:, 0], WEIGHT, reduction="sum"),
    _negative("none", LOGITS, CLASSES[:, 0].astype("int32"), WEIGHT, reduction="none"),
    _negative("images", f64(2, 3, 2, 2), ints(2, 2, 2, high=3), WEIGHT),
    _negative("images_none", f64(2, 3, 2, 2), ints(2, 2, 2, high=3), None, reduction="none"),
    Sample("bce_loss", {"X": UNIT, "Label": UNIT[::-1].copy()}, grad=["X"], orders=3,
           ref=lambda x, y: -(y * np.log(x) + (1 - y) * np.log(1 - x))),
    Sample("bce_loss", {"X": np.array([0.0, 1.0, 1.0]), "Label": np.array([0.0, 1.0, 0.0])},
           ref=lambda x, y: np.array([0.0, 0.0, 100.0]), grad=[], note="ends"),
    Sample("sigmoid_cross_entropy_with_logits", {"X": f64(3, 4), "Label": UNIT}, ref=_bce_logits,
           orders=3),
    Sample("sigmoid_cross_entropy_with_logits",
           {"X": f64(3, 4), "Label": UNIT, "pos_weight": pos(4)}, ref=_bce_logits, orders=3,
           note="pos_weight"),
    Sample("sigmoid_cross_entropy_with_logits", {"X": f64(3, 4), "Label": PARTLY},
           {"normalize": True}, ref=_bce_logits, grad=["X"], orders=3, note="normalize"),
    Sample("sigmoid_cross_entropy_with_logits", {"X": f64(3, 4), "Label": BINARY},
           {"ignore_index": 1}, ref=_bce_logits, grad=["X"], note="ignored"),
    Sample("sigmoid_cross_entropy_with_logits", {"X": f64(3, 4) * 500, "Label": BINARY},
           ref=_bce_logits, grad=[], note="far"),
    *(Sample("kldiv_loss", {"X": LOGITS, "Target": TARGETS}, {"reduction": r}, ref=_kl, grad=["X"],
             orders=3, note=r) for r in ("mean", "sum", "none", "batchmean")),
    Sample("kldiv_loss", {"X": LOGITS, "Target": np.where(TARGETS > 0.3, TARGETS, 0)}, ref=_kl,
           grad=["X"], note="zeros"),
    Sample("huber_loss", {"X": RESIDUAL * 0, "Y": RESIDUAL + 0.03}, {"delta": 1.0}, ref=_huber,
           orders=3),
    Sample("huber_loss", {"X": RESIDUAL * 0, "Y": RESIDUAL + 0.03}, {"delta": 0.5}, ref=_huber,
           orders=3, note="delta"),
    Sample("margin_rank_loss", {"X1": apart(3, 4), "X2": np.zeros((3, 4)), "Label": SIGNS},
           ref=_margin, grad=["X1", "X2"], orders=3),
    Sample("margin_rank_loss", {"X1": apart(3, 4), "X2": np.zeros((3, 4)), "Label": SIGNS},
           {"margin": 0.1}, ref=_margin, grad=["X1", "X2"], note="margin"),
    Sample("log_loss", {"Predicted": UNIT, "Labels": BINARY}, {"epsilon": 1e-4}, grad=["Predicted"],
           orders=3, ref=lambda x, y, epsilon: -(y * np.log(x + epsilon)
                                                 + (1 - y) * np.log(1 - x + epsilon))),
    Sample("label_smooth", {"X": TARGETS}, {"epsilon": 0.1}, orders=3,
           ref=lambda x, prior, epsilon: 0.9 * x + 0.1 / 3),
    Sample("label_smooth", {"X": TARGETS, "PriorDist": pos(1, 3)}, {"epsilon": 0.2}, orders=3,
           ref=lambda x, prior, epsilon: 0.8 * x + 0.2 * prior, note="prior"),
    Sample("label_smooth", {"X": TARGETS}, ref=lambda x, prior: x, note="nothing"),
    Sample("warpctc", {"Logits": f64(4, 2, 3), "Label": LABELS, "LogitsLength": STEPS,
                       "LabelLength": SIZES}, ref=_ctc, orders=1),
    Sample("warpctc", {"Logits": f64(4, 2, 3), "Label": LABELS - LABELS // 2}, {"blank": 2},
           ref=_ctc, orders=1, note="blank_full"),
    Sample("warpctc", {"Logits": f64(4, 2, 3), "Label": LABELS, "LogitsLength": np.array([2, 3]),
                       "LabelLength": SIZES}, ref=_ctc, orders=1, note="too_short"),
    Sample("hierarchical_sigmoid", {"X": LOGITS, "W": f64(4, 3), "Label": np.array([0, 1, 2, 4]),
                                    "Bias": f64(4, 1)}, {"num_classes": 5}, ref=_tree, orders=3),
    Sample("hierarchical_sigmoid", {"X": LOGITS, "W": f64(7, 3), "Label": ints(4, 1, high=8)},
           {"num_classes": 8}, ref=_tree, orders=3, note="no_bias"),
    Sample("hierarchical_sigmoid", {"X": LOGITS, "W": f64(4, 3), "Label": ints(4, 1, high=4),
                                    "PathTable": TABLE, "PathCode": CODE, "Bias": f64(4, 1)},
           {"num_classes": 4}, ref=_tree, orders=3, note="tree"),
    Sample("gather_tree", {"Ids": ints(4, 2, 3), "Parents": ints(4, 2, 3, high=3)}, ref=_walk_back),
    Sample("gather_tree", {"Ids": ints(1, 2, 2, dtype="int32"),
                           "Parents": ints(1, 2, 2, high=2, dtype="int32")}, ref=_walk_back,
           note="one_step"),
]  # fmt: skip

NONE = r"label value is expected to be in \[0, 3\).*ignore_index -100, but received "
ERRORS = [
    ErrorSample("softmax_with_cross_entropy", {"Logits": LOGITS, "Label": CLASSES + 1}, {},
                IndexError, NONE + "3"),
    ErrorSample("softmax_with_cross_entropy", {"Logits": LOGITS, "Label": CLASSES - 1}, {},
                IndexError, NONE + "-1"),
    ErrorSample("hard_cross_entropy", {"Logits": LOGITS, "Label": CLASSES + 1}, {}, IndexError,
                NONE + "3"),
    ErrorSample("nll_loss", {"X": LOGITS, "Label": CLASSES[:, 0] + 5}, {}, IndexError, NONE + "5"),
    ErrorSample("nll_loss", {"X": LOGITS, "Label": CLASSES[:, 0], "Weight": pos(2)}, {}, ValueError,
                "weight"),
    ErrorSample("bce_loss", {"X": LOGITS, "Label": TARGETS}, {}, ValueError, "between 0 and 1"),
    ErrorSample("kldiv_loss", {"X": LOGITS, "Target": pos(4, 2)}, {}, ValueError, "broadcast"),
    ErrorSample("huber_loss", {"X": LOGITS, "Y": pos(4, 2)}, {"delta": 1.0}, ValueError,
                "broadcast"),
    ErrorSample("label_smooth", {"X": LOGITS, "PriorDist": pos(1, 2)}, {"epsilon": 0.1}, ValueError,
                "broadcast"),
    ErrorSample("warpctc", {"Logits": f64(4, 2, 3), "Label": LABELS * 2}, {}, IndexError,
                r"expected labels in \[0, 3\), but received 4"),
    ErrorSample("warpctc", {"Logits": f64(4, 2, 3), "Label": LABELS}, {"blank": 3}, ValueError,
                "expected 0 <= blank < 3"),
    ErrorSample("warpctc", {"Logits": f64(4, 2, 3), "Label": LABELS[:, 0]}, {}, ValueError,
                r"labels of shape \[batch, length\]"),
    ErrorSample("hierarchical_sigmoid", {"X": LOGITS, "W": f64(4, 3), "Label": CLASSES + 3},
                {"num_classes": 5}, IndexError, r"expected labels in \[0, 5\), but received 5"),
    ErrorSample("hierarchical_sigmoid", {"X": LOGITS, "W": f64(2, 3), "Label": CLASSES,
                                         "PathTable": TABLE, "PathCode": CODE}, {}, IndexError,
                r"expected nodes in \[0, 2\)"),
    ErrorSample("gather_tree", {"Ids": ints(4, 2, 3), "Parents": ints(4, 2, 3) + 3}, {}, IndexError,
                "out of bounds"),
]  # fmt: skip
