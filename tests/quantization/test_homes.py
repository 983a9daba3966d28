"""The old and new homes of the names."""

from __future__ import annotations

import importlib

import pytest

from paddle import quantization
from scripts import api_table

SLIM = "paddle.fluid.contrib.slim.quantization"
PARTS = "quantization_pass imperative imperative.qat imperative.ptq post_training_quantization"
HOMES = ["paddle.static.quantization", SLIM, *(f"{SLIM}.{part}" for part in PARTS.split())]


@pytest.mark.parametrize("home", HOMES)
def test_names_are_the_same_objects(home: str) -> None:
    module = importlib.import_module(home)
    for name in quantization.__all__:
        assert getattr(module, name) is getattr(quantization, name)


def table() -> list[str]:
    """The names that 1.8's and 2.0's tables have under the old home."""
    rows = api_table.fluid_rows()
    return [row.name[len(SLIM) + 1 :] for row in rows if row.name.startswith(f"{SLIM}.")]


def test_every_name_of_the_tables_is_there() -> None:
    names = table()
    assert len(names) >= 50
    for name in names:
        found = importlib.import_module(SLIM)
        for part in name.split("."):
            found = getattr(found, part)
        assert callable(found), name


@pytest.mark.parametrize("name", ["QuantizationStrategy", "MKLDNNPostTrainingQuantStrategy"])
def test_a_strategy_says_what_to_use(name: str) -> None:
    with pytest.raises(NotImplementedError, match=r"Compressor.*PostTrain|Compressor.*Transform"):
        getattr(quantization, name)()
