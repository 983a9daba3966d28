"""Losses and their layers: formulas, reductions, weights, ignored samples, bad input."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from scipy import special

import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.core.mode import hooked
from paddle.core.op import C

STATE = np.random.RandomState(0)
X = STATE.randn(5, 3).astype("float32")
LABEL = np.array([0, 2, 1, 2, 1])
WEIGHT = np.array([0.2, 0.5, 1.3], "float32")
SOFT = special.softmax(STATE.randn(5, 3), -1).astype("float32")
UNIT = STATE.uniform(0.05, 0.95, (5, 3)).astype("float32")
BINARY = STATE.randint(0, 2, (5, 3)).astype("float32")
REDUCED = {"mean": np.mean, "sum": np.sum, "none": lambda loss: loss}
T = paddle.to_tensor


def close(out, expected, rtol=1e-5):
    expected = np.asarray(expected)
    assert out.shape == (list(expected.shape) or [1])
    np.testing.assert_allclose(out.numpy(), expected.reshape(out.shape), rtol=rtol, atol=1e-6)


# -- cross entropy ------------------------------------------------------------------------------


@pytest.mark.parametrize("reduction", REDUCED)
@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("ignored", [-100, 2, -1])
def test_cross_entropy(reduction, weight, ignored):
    label = np.where(LABEL == 0, -1, LABEL) if ignored == -1 else LABEL
    kept = label != ignored
    factor = (1.0 if weight is None else weight[np.where(kept, label, 0)]) * kept
    loss = -special.log_softmax(X, -1)[np.arange(5), np.where(kept, label, 0)] * factor
    expected = loss if reduction == "none" else loss.sum()
    if reduction == "mean":
        expected = loss.sum() / factor.sum()
    given = None if weight is None else T(weight)
    close(F.cross_entropy(T(X), T(label), given, ignored, reduction), expected)
    layer = nn.CrossEntropyLoss(given, ignore_index=ignored, reduction=reduction)
    close(layer(T(X), T(label)), expected)
    logp = F.log_softmax(T(X))
    close(F.nll_loss(logp, T(label), given, ignored, reduction), expected)
    close(nn.NLLLoss(given, ignored, reduction)(logp, T(label)), expected)


def test_the_default_ignore_index_counts_in_the_mean():
    """As in 2.0: only an ignore_index that was given takes its samples out of the mean."""
    label = np.array([0, 2, -100, -100, 1])
    loss = -special.log_softmax(X, -1)[np.arange(5), label.clip(0)] * (label >= 0)
    close(F.cross_entropy(T(X), T(label)), loss.sum() / 5)


def test_everything_ignored_gives_zero():
    label = T(np.full(5, 1))
    close(F.cross_entropy(T(X), label, ignore_index=1), 0.0)
    close(F.nll_loss(T(X), label, ignore_index=1), 0.0)


@pytest.mark.parametrize("reduction", REDUCED)
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_probabilities_as_labels(reduction, weight):
    loss = -(SOFT * special.log_softmax(X, -1)).sum(1, keepdims=True)
    factor = np.ones([5, 1]) if weight is None else (SOFT * weight).sum(1, keepdims=True)
    loss = loss * factor
    expected = {"none": loss, "sum": loss.sum(), "mean": loss.sum() / factor.sum()}[reduction]
    given = None if weight is None else T(weight)
    close(F.cross_entropy(T(X), T(SOFT), given, reduction=reduction, soft_label=True), expected)


def test_shapes_of_labels():
    expected = -special.log_softmax(X, -1)[np.arange(5), LABEL]
    close(F.cross_entropy(T(X), T(LABEL), reduction="none"), expected)
    close(F.cross_entropy(T(X), T(LABEL[:, None]), reduction="none"), expected[:, None])
    close(F.cross_entropy(T(X), T(LABEL.astype("int32"))), expected.mean())
    close(F.softmax_with_cross_entropy(T(X), T(LABEL)), expected[:, None])


@pytest.mark.parametrize("reduction", REDUCED)
def test_the_usual_case_equals_the_general_one(reduction):
    """Rows of scores have an operator of their own; what intercepts operators never sees it."""
    seen = []

    def hook(op, args, attrs):
        seen.append(op.name)
        with hooked(None):
            return getattr(C, op.name)(*args, **attrs)

    for label in (LABEL, LABEL[:, None], LABEL.astype("int32")):
        losses, grads = [], []
        for context in (contextlib.nullcontext(), hooked(hook)):
            x = T(X, stop_gradient=False)
            with context:
                loss = F.cross_entropy(x, T(label), reduction=reduction)
            loss.sum().backward()
            losses.append(loss.numpy())
            grads.append(x.grad.numpy())
        np.testing.assert_allclose(losses[0], losses[1], rtol=1e-6)
        np.testing.assert_allclose(grads[0], grads[1], rtol=1e-5, atol=1e-7)
    assert "softmax_with_cross_entropy" in seen and "hard_cross_entropy" not in seen


def test_the_usual_case_is_recognised(monkeypatch):
    calls = []
    fused = C.hard_cross_entropy
    monkeypatch.setattr(C, "hard_cross_entropy", lambda *a, **k: calls.append(1) or fused(*a, **k))

    def uses(*args, **options):
        calls.clear()
        F.cross_entropy(*args, **options)
        return bool(calls)

    x, label = T(X), T(LABEL)
    assert uses(x, label) and uses(x, T(LABEL[:, None])) and uses(x, label, axis=1)
    assert uses(x, label, reduction="none", ignore_index=1)
    assert uses(nn.Layer().create_parameter([5, 3]), label)
    assert not uses(x, label, ignore_index=1)  # the mean divides by the others
    assert not uses(x, label, T(WEIGHT))
    assert not uses(x, T(SOFT), soft_label=True)
    assert not uses(T(X.T), label, axis=0)
    assert not uses(T(X[None]), T(LABEL[None]))
    assert not uses(T(X.astype("float16")), label)  # it counts in the type of the scores


@pytest.mark.parametrize("axis", [1, -3, 3, -1])
def test_class_axis(axis):
    x = STATE.randn(2, 3, 4, 3).astype("float32")
    shape = [n for i, n in enumerate(x.shape) if i != axis % 4]
    label = np.random.RandomState(1).randint(0, 3, shape)
    logp = special.log_softmax(x, axis)
    loss = -np.take_along_axis(logp, np.expand_dims(label, axis), axis)
    squeezed = loss.squeeze(axis)
    close(F.cross_entropy(T(x), T(label), axis=axis), loss.mean())
    close(F.cross_entropy(T(x), T(label), axis=axis, reduction="none"), squeezed)
    close(F.softmax_with_cross_entropy(T(x), T(np.expand_dims(label, axis)), axis=axis), loss)
    weighted = F.cross_entropy(T(x), T(label), T(WEIGHT), axis=axis)
    close(weighted, (squeezed * WEIGHT[label]).sum() / WEIGHT[label].sum())


PROBABILITIES = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]], "float32")


@pytest.mark.parametrize(
    "label, options, loss, grad",
    [  # numbers of PaddlePaddle 2.6.2
        ([2, 0], {}, 0.6019864, [[0, 0, -1], [-0.8333333, 0, 0]]),
        ([[2], [0]], {"reduction": "sum"}, 1.2039728, [[0, 0, -2], [-1.6666667, 0, 0]]),
        ([2, 0], {"reduction": "none"}, [0.6931472, 0.5108256], [[0, 0, -2], [-1.6666667, 0, 0]]),
        ([2, 0], {"ignore_index": 0}, 0.6931472, [[0, 0, -2], [0, 0, 0]]),
        ([2, 0], {"weight": [1.0, 2.0, 3.0]}, 0.6475668, [[0, 0, -1.5], [-0.4166667, 0, 0]]),
        (
            PROBABILITIES[::-1], {"soft_label": True},
            1.5054095, [[-1.5, -0.5, -0.1], [-0.1666667, -0.5, -2.5]],
        ),
    ],
)  # fmt: skip
def test_probabilities_as_input(label, options, loss, grad):
    options = {k: paddle.to_tensor(v) if k == "weight" else v for k, v in options.items()}
    x = paddle.to_tensor(PROBABILITIES, stop_gradient=False)
    label = paddle.to_tensor(np.ascontiguousarray(label))
    made = F.cross_entropy(x, label, use_softmax=False, **options)
    made.sum().backward()
    np.testing.assert_allclose(made.numpy(), np.atleast_1d(loss), rtol=1e-6)
    np.testing.assert_allclose(x.grad.numpy(), grad, rtol=1e-6)
    layer = nn.CrossEntropyLoss(use_softmax=False, **options)
    np.testing.assert_array_equal(layer(x, label).numpy(), made.numpy())


def test_use_softmax_is_a_bool():
    x, label = paddle.to_tensor(PROBABILITIES), paddle.to_tensor([2, 0])
    with pytest.raises(TypeError, match=r"cross_entropy\(use_softmax\): expected a bool, got str"):
        F.cross_entropy(x, label, None, -100, "mean", False, -1, "loss")


def test_softmax_comes_with_the_loss():
    loss, softmax = F.softmax_with_cross_entropy(T(X), T(LABEL[:, None]), return_softmax=True)
    close(softmax, special.softmax(X, -1))
    assert loss.shape == [5, 1]


def test_gradients_with_weights_and_ignored_samples():
    x = T(X, stop_gradient=False)
    F.cross_entropy(x, T(LABEL), T(WEIGHT), ignore_index=2).backward()
    kept = LABEL != 2
    factor = WEIGHT[LABEL] * kept
    onehot = np.eye(3)[LABEL]
    expected = (special.softmax(X, -1) - onehot) * factor[:, None] / factor.sum()
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("value", [3, -1, 100])
@pytest.mark.parametrize("loss", [F.cross_entropy, F.nll_loss, F.softmax_with_cross_entropy])
def test_labels_outside_of_the_classes(loss, value):
    label = LABEL.copy()
    label[3] = value
    with pytest.raises(IndexError, match=rf"label value.*\[0, 3\).*but received {value}"):
        loss(T(X), T(label))


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: F.cross_entropy(T(X), T(LABEL[:3])), ValueError,
         r"expected a label of shape \[5, 1\].*received \[3, 1\]"),
        (lambda: F.cross_entropy(T(X), T(SOFT[:, :2]), soft_label=True), ValueError,
         r"expected a label of shape \[5, 3\] beside an input of shape \[5, 3\].*\[5, 2\]"),
        (lambda: F.cross_entropy(T(X), T(LABEL), reduction="avg"), ValueError,
         r"cross_entropy\(reduction\): expected one of 'mean', 'sum', 'none', but received 'avg'"),
        (lambda: F.cross_entropy(T(X), T(LABEL), T(WEIGHT[:2])), ValueError,
         r"cross_entropy\(weight\): expected shape \[3\].*but received \[2\]"),
        (lambda: F.cross_entropy(T(X), T(LABEL), axis=2), ValueError,
         r"cross_entropy\(axis\): expected -2 <= axis < 2.*received 2"),
        (lambda: F.cross_entropy(T(X), T(LABEL.astype("float32"))), TypeError,
         "expected integer class numbers, but received VarType.FP32"),
        (lambda: F.cross_entropy(T(X), T(LABEL[:, None].repeat(3, 1)), soft_label=True), TypeError,
         "expected floating probabilities, but received VarType.INT64"),
        (lambda: F.cross_entropy(X, T(LABEL)), TypeError,
         r"cross_entropy\(input\): expected a Tensor, but received ndarray"),
        (lambda: F.softmax_with_cross_entropy(T(X), [1]), TypeError,
         r"softmax_with_cross_entropy\(label\): expected a Tensor, but received list"),
        (lambda: F.softmax_with_cross_entropy(T(X), T(LABEL), numeric_stable_mode=1), TypeError,
         "expected a bool, got int"),
        (lambda: F.nll_loss(T(X), T(LABEL[:2])), ValueError,
         r"shape \[N, C, ...\] and a label of shape \[N, ...\], but received \[5, 3\] and \[2\]"),
        (lambda: F.nll_loss(T(X[0]), T(LABEL[:1])), ValueError, r"but received \[3\] and \[1\]"),
        (lambda: F.nll_loss(T(X), T(LABEL), T(WEIGHT[:2])), ValueError,
         r"nll_loss\(weight\): expected shape \[3\]"),
        (lambda: F.nll_loss(T(X), T(X[:, 0].copy())), TypeError, "integer class numbers"),
        (lambda: F.nll_loss(T(X), T(LABEL), reduction="x"), ValueError, r"nll_loss\(reduction\)"),
    ],
)  # fmt: skip
def test_bad_classes(call, error, text):
    with pytest.raises(error, match=text):
        call()


# -- yes or no ----------------------------------------------------------------------------------


@pytest.mark.parametrize("reduction", REDUCED)
@pytest.mark.parametrize("weight", [None, WEIGHT, UNIT])
def test_binary_cross_entropy(reduction, weight):
    factor = 1.0 if weight is None else weight
    loss = -factor * (BINARY * np.log(UNIT) + (1 - BINARY) * np.log(1 - UNIT))
    given = None if weight is None else T(weight)
    close(F.binary_cross_entropy(T(UNIT), T(BINARY), given, reduction), REDUCED[reduction](loss))
    layer = nn.BCELoss(given, reduction)
    close(layer(T(UNIT), T(BINARY)), REDUCED[reduction](loss))


@pytest.mark.parametrize("reduction", REDUCED)
@pytest.mark.parametrize("label", [BINARY, UNIT])
@pytest.mark.parametrize("pos_weight", [None, WEIGHT * 3])
def test_binary_cross_entropy_with_logits(reduction, label, pos_weight):
    """The positive weight multiplies by 1 + (p - 1) y, as in 2.0, also between 0 and 1."""
    loss = -(label * special.log_expit(X) + (1 - label) * special.log_expit(-X)) * UNIT
    if pos_weight is not None:
        loss = loss * (1 + (pos_weight - 1) * label)
    given = None if pos_weight is None else T(pos_weight)
    expected = REDUCED[reduction](loss)
    out = F.binary_cross_entropy_with_logits(T(X), T(label), T(UNIT), reduction, given)
    close(out, expected)
    close(nn.BCEWithLogitsLoss(T(UNIT), reduction, given)(T(X), T(label)), expected)


def test_binary_losses_at_the_ends():
    chances, label = T([0.0, 1.0, 1.0, 0.0]), T([1.0, 0.0, 1.0, 0.0])
    close(F.binary_cross_entropy(chances, label, reduction="none"), [100.0, 100.0, 0.0, 0.0])
    far = F.binary_cross_entropy_with_logits(T([-900.0, 900.0]), T([0.0, 1.0]), reduction="none")
    close(far, [0.0, 0.0])


@pytest.mark.parametrize("reduction", ["sum", "mean", "none"])
def test_focal_loss(reduction):
    p = special.expit(X)
    at = BINARY * 0.4 + (1 - BINARY) * 0.6
    pt = BINARY * p + (1 - BINARY) * (1 - p)
    expected = REDUCED[reduction](-at * (1 - pt) ** 1.5 * np.log(pt) / 2.0)
    out = F.sigmoid_focal_loss(T(X), T(BINARY), T([2.0]), 0.4, 1.5, reduction)
    close(out, expected)


def test_log_loss_and_dice_loss():
    x, y = UNIT[:, :1], BINARY[:, :1]
    expected = -(y * np.log(x + 1e-4) + (1 - y) * np.log(1 - x + 1e-4))
    close(F.log_loss(T(x), T(y)), expected)
    onehot = np.eye(3)[LABEL]
    dice = 1 - 2 * (SOFT * onehot).sum(1) / (SOFT.sum(1) + onehot.sum(1) + 1e-5)
    close(F.dice_loss(T(SOFT), T(LABEL[:, None])), dice.mean())


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: F.binary_cross_entropy(T(UNIT), T(BINARY[:, :2].copy())), ValueError,
         r"expected input and label of one shape, but received \[5, 3\] and \[5, 2\]"),
        (lambda: F.binary_cross_entropy(T(X), T(BINARY)), ValueError, "between 0 and 1"),
        (lambda: F.binary_cross_entropy(T(UNIT), BINARY), TypeError,
         r"binary_cross_entropy\(label\): expected a Tensor, but received ndarray"),
        (lambda: F.binary_cross_entropy(T(UNIT), T(BINARY.astype("int64"))), TypeError,
         "no kernel for these data types"),
        (lambda: F.binary_cross_entropy(T(UNIT), T(BINARY), reduction="x"), ValueError,
         r"binary_cross_entropy\(reduction\)"),
        (lambda: F.binary_cross_entropy_with_logits(T(X), T(BINARY[:2])), ValueError,
         r"expected logit and label of one shape"),
        (lambda: F.binary_cross_entropy_with_logits(T(X), T(BINARY), reduction=None), ValueError,
         r"binary_cross_entropy_with_logits\(reduction\)"),
        (lambda: F.sigmoid_focal_loss(T(X), T(BINARY), T(WEIGHT)), ValueError,
         r"sigmoid_focal_loss\(normalizer\): expected one element, got shape \[3\]"),
        (lambda: F.sigmoid_focal_loss(T(X), T(BINARY), gamma=-1.0), ValueError,
         "expected 0 <= alpha <= 1 and gamma >= 0"),
        (lambda: F.sigmoid_focal_loss(T(X), T(BINARY), alpha=2.0), ValueError, "alpha=2.0"),
        (lambda: F.log_loss(T(UNIT), None), TypeError, r"log_loss\(label\): expected a Tensor"),
        (lambda: F.dice_loss(T(SOFT), T(LABEL)), ValueError,
         r"a label of shape \[N, ..., 1\], but received \[5, 3\] and \[5\]"),
        (lambda: F.dice_loss(T(SOFT), T(LABEL[:, None] + 1)), ValueError,
         r"expected indices in \[0, 3\)"),
        (lambda: F.dice_loss(T(SOFT), T(SOFT[:, :1].copy())), TypeError, "integer class numbers"),
    ],
)  # fmt: skip
def test_bad_yes_or_no(call, error, text):
    with pytest.raises(error, match=text):
        call()


# -- numbers and distributions --------------------------------------------------------------------


def _huber(x, y, delta):
    r = np.abs(x - y)
    return np.where(r < delta, 0.5 * r * r, delta * r - 0.5 * delta * delta)


NUMBERS = [
    ("mse_loss", "MSELoss", {}, lambda x, y: (x - y) ** 2),
    ("l1_loss", "L1Loss", {}, lambda x, y: np.abs(x - y)),
    ("smooth_l1_loss", "SmoothL1Loss", {}, lambda x, y: _huber(x, y, 1.0)),
    ("smooth_l1_loss", "SmoothL1Loss", {"delta": 0.5}, lambda x, y: _huber(x, y, 0.5)),
    ("kl_div", "KLDivLoss", {}, lambda x, y: y * (np.log(y) - x)),
]


@pytest.mark.parametrize("reduction", REDUCED)
@pytest.mark.parametrize("row", NUMBERS, ids=lambda row: f"{row[0]}{row[2] or ''}")
def test_numbers(row, reduction):
    function, layer, options, formula = row
    expected = REDUCED[reduction](formula(X, SOFT))
    close(getattr(F, function)(T(X), T(SOFT), reduction=reduction, **options), expected)
    settings = {"reduction": reduction, **options}
    if layer != "KLDivLoss":
        close(getattr(nn, layer)(**settings)(T(X), T(SOFT)), expected)
    else:
        close(nn.KLDivLoss(reduction)(T(X), T(SOFT)), expected)


def test_divergence_per_sample_and_of_zeros():
    close(F.kl_div(T(X), T(SOFT), "batchmean"), (SOFT * (np.log(SOFT) - X)).sum() / 5)
    close(nn.KLDivLoss("batchmean")(T(X), T(SOFT)), (SOFT * (np.log(SOFT) - X)).sum() / 5)
    close(F.kl_div(T(X), T(SOFT * 0), "none"), X * 0)


def test_squares_broadcast():
    close(F.square_error_cost(T(X), T(WEIGHT)), (X - WEIGHT) ** 2)
    close(F.mse_loss(T(X), T(WEIGHT)), ((X - WEIGHT) ** 2).mean())


@pytest.mark.parametrize("function", ["mse_loss", "l1_loss", "smooth_l1_loss", "kl_div"])
def test_bad_numbers(function):
    call = getattr(F, function)
    with pytest.raises(ValueError, match=rf"{function}\(reduction\): expected one of.*'avg'"):
        call(T(X), T(SOFT), reduction="avg")
    with pytest.raises(TypeError, match=rf"{function}\(label\): expected a Tensor.*ndarray"):
        call(T(X), SOFT)
    with pytest.raises(ValueError, match=r"of one shape|Broadcast dimension mismatch"):
        call(T(X), T(SOFT[:, :2].copy()))


def test_bad_delta():
    for delta in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match=r"smooth_l1_loss\(delta\): expected more than 0"):
            F.smooth_l1_loss(T(X), T(SOFT), delta=delta)


# -- comparing samples ----------------------------------------------------------------------------


@pytest.mark.parametrize("reduction", REDUCED)
def test_margin_ranking(reduction):
    sign = BINARY * 2 - 1
    expected = REDUCED[reduction](np.maximum(0, -sign * (X - UNIT) + 0.3))
    out = F.margin_ranking_loss(T(X), T(UNIT), T(sign), 0.3, reduction)
    close(out, expected)
    close(nn.MarginRankingLoss(0.3, reduction)(T(X), T(UNIT), T(sign)), expected)


def test_npair():
    labels = np.array([0, 1, 1, 2, 0])
    same = (labels[:, None] == labels[None]).astype("float64")
    target = same / same.sum(1, keepdims=True)
    penalty = ((X**2).sum(1).mean() + (UNIT**2).sum(1).mean()) * 0.25 * 0.002
    entropy = -(target * special.log_softmax(X @ UNIT.T, -1)).sum(1)
    expected = penalty + (target * entropy[:, None]).sum(0).mean()
    close(F.npair_loss(T(X), T(UNIT), T(labels)), expected)


def test_bad_ranking():
    with pytest.raises(ValueError, match=r"margin_ranking_loss\(reduction\)"):
        F.margin_ranking_loss(T(X), T(X), T(X), reduction="q")
    with pytest.raises(TypeError, match=r"margin_ranking_loss\(other\): expected a Tensor"):
        F.margin_ranking_loss(T(X), X, T(X))
    with pytest.raises(ValueError, match=r"labels of shape \[N\], but received \[5, 3\].*\[1\]"):
        F.npair_loss(T(X), T(X), T([1]))


# -- sequences and trees -------------------------------------------------------------------------


def test_ctc():
    scores = np.random.RandomState(3).randn(4, 2, 3).astype("float32")
    labels, steps, sizes = np.array([[1, 1], [2, 0]], "int32"), np.array([4, 3]), np.array([2, 1])
    from tests.op_samples.loss.elementwise import _ctc

    each = _ctc(scores.astype("float64"), labels, steps, sizes)[0].reshape(-1)
    expected = {"none": each, "sum": each.sum(), "mean": (each / sizes).mean()}
    for reduction, value in expected.items():
        args = T(scores), T(labels), T(steps), T(sizes)
        close(F.ctc_loss(*args, reduction=reduction), value)
        close(nn.CTCLoss(reduction=reduction)(*args), value)


def test_bad_ctc():
    scores, labels = paddle.ones([3, 1, 2]), T(np.array([[1]], "int32"))
    one, three = T([1]), T([3])
    with pytest.raises(ValueError, match=r"ctc_loss\(reduction\)"):
        F.ctc_loss(scores, labels, three, one, reduction="x")
    with pytest.raises(ValueError, match=r"CTCLoss\(reduction\)"):
        nn.CTCLoss(reduction="x")
    with pytest.raises(IndexError, match=r"expected labels in \[0, 2\), but received 2"):
        F.ctc_loss(scores, labels * 2, three, one)
    with pytest.raises(ValueError, match="input_lengths to have value at most 3, but got value 5"):
        F.ctc_loss(scores, labels, T([5]), one)
    with pytest.raises(ValueError, match=r"ctc_loss\(input_lengths\): expected shape \[1\]"):
        F.ctc_loss(scores, labels, T([3, 3]), one)
    with pytest.raises(ValueError, match=r"shape \[batch, length\].*\[3, 1, 2\] and \[1\]"):
        F.ctc_loss(scores, labels[0], three, one)
    with pytest.raises(ValueError, match="expected 0 <= blank < 2"):
        F.ctc_loss(scores, labels, three, one, blank=2)
    with pytest.raises(TypeError, match=r"ctc_loss\(label_lengths\): expected a Tensor"):
        F.ctc_loss(scores, labels, three, [1])


def test_hierarchical_sigmoid_layer():
    layer = nn.HSigmoidLoss(3, 5)
    assert [p.shape for p in layer.parameters()] == [[4, 3], [4, 1]]
    label = T([0, 1, 4, 2, 3])
    out = layer(T(X), label)
    close(out, F.hsigmoid_loss(T(X), label, 5, layer.weight, layer.bias).numpy())
    out.sum().backward()
    assert layer.weight.grad.shape == [4, 3]
    own = nn.HSigmoidLoss(3, 4, bias_attr=False, is_custom=True)
    assert [p.shape for p in own.parameters()] == [[4, 3]]
    table, code = T([[0, 1]] * 5), T([[1, 0]] * 5)
    assert own(T(X), label, table, code).shape == [5, 1]
    with pytest.raises(ValueError, match="expected path_table and path_code with each call"):
        own(T(X), label)


def test_bad_hierarchical_sigmoid():
    weight, label = paddle.ones([4, 3]), T(LABEL)
    with pytest.raises(IndexError, match=r"expected labels in \[0, 2\), but received 2"):
        F.hsigmoid_loss(T(X), label, 2, weight)
    with pytest.raises(ValueError, match="give both or neither"):
        F.hsigmoid_loss(T(X), label, 5, weight, path_table=T([[0]]))
    with pytest.raises(ValueError, match=r"of one shape, but received \[1, 1\] and \[1, 2\]"):
        F.hsigmoid_loss(T(X), label, 5, weight, path_table=T([[0]]), path_code=T([[0, 1]]))
    with pytest.raises(ValueError, match=r"a weight of shape \[nodes, D\].*\[5, 3\] and \[4, 2\]"):
        F.hsigmoid_loss(T(X), label, 5, paddle.ones([4, 2]))
    with pytest.raises(ValueError, match=r"num_classes\): expected at least 2, but received 1"):
        F.hsigmoid_loss(T(X), label, 1, weight)
    with pytest.raises(ValueError, match=r"HSigmoidLoss\(num_classes\): expected at least 2"):
        nn.HSigmoidLoss(3, 1)


def test_gather_tree():
    ids = T([[[2, 2], [6, 1]], [[3, 9], [6, 1]], [[0, 1], [9, 0]]])
    parents = T([[[0, 0], [1, 1]], [[1, 0], [1, 0]], [[0, 0], [0, 1]]])
    expected = [[[2, 2], [1, 6]], [[3, 3], [6, 1]], [[0, 1], [9, 0]]]
    np.testing.assert_array_equal(F.gather_tree(ids, parents).numpy(), expected)
    with pytest.raises(ValueError, match=r"gather_tree: expected ids and parents of one shape"):
        F.gather_tree(ids, parents[:2])
    with pytest.raises(IndexError, match="out of bounds"):
        F.gather_tree(ids, parents + 2)


# -- layers -------------------------------------------------------------------------------------

LOSSES = ["CrossEntropyLoss", "NLLLoss", "BCELoss", "BCEWithLogitsLoss", "MSELoss", "L1Loss",
          "SmoothL1Loss", "KLDivLoss", "MarginRankingLoss", "CTCLoss"]  # fmt: skip


@pytest.mark.parametrize("name", LOSSES)
def test_unknown_reduction_of_a_layer(name):
    for wrong in ("avg", None, 3):
        with pytest.raises(ValueError, match=rf"{name}\(reduction\): expected one of 'mean'"):
            getattr(nn, name)(reduction=wrong)
