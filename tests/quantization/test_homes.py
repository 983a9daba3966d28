"""The old and new homes of the names."""

from __future__ import annotations

import importlib

import pytest

from paddle import quantization

SLIM = "paddle.fluid.contrib.slim.quantization"
PARTS = "quantization_pass imperative imperative.qat imperative.ptq post_training_quantization"
HOMES = ["paddle.static.quantization", SLIM, *(f"{SLIM}.{part}" for part in PARTS.split())]


@pytest.mark.parametrize("home", HOMES)
def test_names_are_the_same_objects(home: str) -> None:
    module = importlib.import_module(home)
    for name in quantization.__all__:
        assert getattr(module, name) is getattr(quantization, name)


def test_what_is_still_to_come_says_so() -> None:
    with pytest.raises(ImportError, match="not part of this version yet"):
        from paddle.fluid.contrib.slim.quantization import QuantInt8MkldnnPass  # noqa: F401
