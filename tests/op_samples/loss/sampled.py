"""Samples of noise-contrastive estimation."""

from __future__ import annotations

import numpy as np

import paddle
from paddle.core.op import C
from tests.op_samples.sample import ErrorSample, Sample, f64, ints, pos

CLASSES = 6


def _noise(k, sampler, probs):
    if sampler == 0:
        return 1 / CLASSES
    if sampler == 1:
        return np.log((k + 2) / (k + 1)) / np.log(CLASSES)
    return probs[k]


def nce(
    x, label, w, bias, weight, probs, alias, alias_probs, num_total_classes, num_neg_samples=10,
    sampler=0, custom_neg_classes=(), seed=0,
):  # fmt: skip
    costs, shares, classes = [], [], []
    for i, row in enumerate(x):
        true = list(np.atleast_1d(label[i]))
        drawn = true + list(custom_neg_classes)
        cost, ps = 0.0, []
        for j, k in enumerate(drawn):
            p = 1 / (1 + np.exp(-(row @ w[k] + (0 if bias is None else bias.reshape(-1)[k]))))
            b = num_neg_samples * _noise(k, sampler, probs)
            cost -= np.log((p if j < len(true) else b) / (p + b))
            ps.append(p)
        costs.append([cost * (1 if weight is None else weight.reshape(-1)[i])])
        shares.append(ps)
        classes.append(drawn)
    kind = x.dtype
    return np.array(costs, kind), np.array(shares, kind), np.array(classes)


PLAIN = {"Input": f64(4, 3), "Label": ints(4, 1, high=CLASSES), "Weight": f64(CLASSES, 3)}
FULL = {
    **PLAIN,
    "Label": ints(4, 2, high=CLASSES),
    "Bias": f64(CLASSES, 1),
    "SampleWeight": pos(4, 1),
}
CUSTOM = {
    "CustomDistProbs": np.array([0.1, 0.2, 0.3, 0.05, 0.15, 0.2]),
    "CustomDistAlias": np.array([2, 2, 0, 4, 3, 3], "int32"),
    "CustomDistAliasProbs": np.array([0.5, 0.25, 1.0, 0.5, 1.0, 0.1]),
}
GIVEN = {"num_total_classes": CLASSES, "num_neg_samples": 3, "custom_neg_classes": [1, 2, 1]}


def _drawn(shares):
    """A check that the negatives of many rows are drawn with these shares."""

    def check(outputs, inputs, attrs):
        cost, logits, classes = (o.numpy() for o in outputs)
        assert cost.shape == (3000, 1) and logits.shape == classes.shape == (3000, 11)
        assert (classes[:, 0] == 2).all() and (logits == 0.5).all()
        found = np.bincount(classes[:, 1:].reshape(-1), minlength=CLASSES) / 30000
        np.testing.assert_allclose(found, shares, atol=0.015)
        assert not (classes[0, 1:] == classes[1:, 1:]).all()
        expected = [np.log1p(10 * _noise(2, attrs["sampler"], CUSTOM["CustomDistProbs"]) / 0.5)]
        for k in classes[0, 1:]:
            b = 10 * _noise(k, attrs["sampler"], CUSTOM["CustomDistProbs"])
            expected.append(np.log1p(0.5 / b))
        np.testing.assert_allclose(cost[0, 0], sum(expected))

    return check


def _random(sampler, shares, seed, **more):
    inputs = {
        "Input": np.zeros((3000, 2)),
        "Label": np.full((3000, 1), 2),
        "Weight": f64(CLASSES, 2),
        **more,
    }
    attrs = {"num_total_classes": CLASSES, "sampler": sampler, "seed": seed}
    return Sample("nce", inputs, attrs, check=_drawn(shares), grad=[], note=f"draws_{sampler}")


def _far(*args, **attrs):
    """Logits of -1000 and 1000, where the chances themselves are 0 and 1."""
    cost = np.array([[1000 + np.log(0.5) + np.log(3)]])
    return cost, np.array([[0.0, 1.0]]), np.array([[0, 1]])


def _again(inputs, attrs):
    tensors = {k: paddle.to_tensor(v) for k, v in inputs.items()}
    slots = ("Input", "Label", "Weight", "Bias", "SampleWeight")
    return C.nce(*(tensors.get(s) for s in slots), **attrs)


def _repeats(outputs, inputs, attrs):
    """The same seed draws the same classes again."""
    for first, second in zip(outputs, _again(inputs, attrs), strict=True):
        np.testing.assert_array_equal(first.numpy(), second.numpy())
    assert set(outputs[2].numpy().reshape(-1)) <= set(range(CLASSES))


def _goes_on(outputs, inputs, attrs):
    """Without a seed the next call draws others."""
    assert not (outputs[2].numpy() == _again(inputs, attrs)[2].numpy()).all()


_LOG = np.log(np.arange(2, 7) / np.arange(1, 6)) / np.log(CLASSES)
_ALIAS = np.array([0.5, 0.25, 2.5, 1.4, 1.5, 0.1]) / 6  # kept share plus what aliases bring
_ALIAS[2] = (0.5 + 0.75 + 1.0) / 6

SAMPLES = [
    Sample("nce", PLAIN, GIVEN, nce, orders=3),
    Sample("nce", FULL, {**GIVEN, "sampler": 1}, nce, grad=["Input", "Weight", "Bias"],
           note="log_uniform"),
    Sample("nce", {**FULL, **CUSTOM}, {**GIVEN, "sampler": 2}, nce,
           grad=["Input", "Weight", "Bias"], note="custom"),
    Sample("nce", {**PLAIN, "Label": ints(4, high=CLASSES)}, GIVEN, nce, note="vector_of_labels"),
    Sample("nce", PLAIN, {"num_total_classes": CLASSES, "seed": 3}, check=_repeats,
           note="seeded"),
    Sample("nce", FULL, {"num_total_classes": CLASSES}, check=_goes_on,
           grad=["Input", "Weight", "Bias"], note="drawn_once"),
    Sample(
        "nce",
        {
            "Input": np.array([[1000.0]]),
            "Label": np.array([[0]]),
            "Weight": np.array([[-1.0], [1.0]]),
        },
        {"num_total_classes": 2, "num_neg_samples": 1, "custom_neg_classes": [1]},
        _far,
        note="far",
    ),
    _random(0, np.full(6, 1 / 6), 0),
    _random(1, [*_LOG, 0.0], 5),
    _random(2, _ALIAS, 0, **CUSTOM),
]  # fmt: skip


def _bad(match, raises=ValueError, attrs=None, **inputs):
    return ErrorSample("nce", {**PLAIN, **inputs}, {**GIVEN, **(attrs or {})}, raises, match)


ERRORS = [
    _bad(r"Input of shape \[N, D\]", Label=ints(3, 1)),
    _bad(r"Weight of shape \[6, 3\]", Weight=f64(5, 3)),
    _bad("one SampleWeight for each", SampleWeight=pos(3)),
    _bad("sampler", attrs={"sampler": 3}),
    _bad("sampler 2 expects", attrs={"sampler": 2}),
    _bad("num_neg_samples", attrs={"custom_neg_classes": [1]}),
    _bad(r"labels in \[0, 6\)", IndexError, Label=np.full((4, 1), 6)),
]
