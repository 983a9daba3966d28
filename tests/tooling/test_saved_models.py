"""The networks that inference is measured on: ours and torch's are the same, layer for layer."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.saved_models import MODELS, inputs, networks, torch_network

COMPARED = ("lenet", "mobilenet_v2", "bert", "crnn")


@pytest.mark.parametrize("model", COMPARED)
def test_networks_have_the_same_parameters(model):
    ours = [p.size for p in networks()[model]().parameters() if p.trainable]
    other = [p.numel() for p in torch_network(model).parameters()]
    if model != "bert":  # torch keeps the matrices of Q, K and V in one
        assert Counter(ours) == Counter(other)
    assert sum(ours) == sum(other)


def test_inputs_fit_what_is_stated():
    for model, (shapes, dtype) in MODELS.items():
        for one in inputs(model, 2):
            assert list(one) == list(shapes)
            for name, array in one.items():
                assert array.dtype == dtype and array.shape[0] == 2
                assert all(w in (None, n) for w, n in zip(shapes[name], array.shape, strict=True))
    assert len({one["image"].shape[3] for one in inputs("crnn", 1)}) > 1
