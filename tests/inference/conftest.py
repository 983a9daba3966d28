"""Small saved models, made once for all tests of a process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.inference import Config, create_predictor
from paddle.static import InputSpec


class Two(paddle.nn.Layer):
    """A network of two inputs and two outputs, of several data types."""

    def __init__(self) -> None:
        super().__init__()
        self.table = paddle.nn.Embedding(10, 4)
        self.fc = paddle.nn.Linear(4, 3)

    def forward(self, ids: Any, x: Any) -> Any:
        y = self.fc(self.table(ids).mean(axis=1) + x)
        return paddle.nn.functional.softmax(y), (y > 0).astype("int64")


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the prefixes ``linear`` (input x), ``two`` (ids and x) and ``lenet`` (x)."""
    folder = tmp_path_factory.mktemp("models")
    paddle.seed(7)
    lenet = paddle.vision.models.LeNet()
    lenet.eval()
    specs = {
        "linear": (paddle.nn.Linear(4, 2), [InputSpec([None, 4], "float32", "x")]),
        "two": (Two(), [InputSpec([None, 5], "int64", "ids"), InputSpec([None, 4], name="x")]),
        "lenet": (lenet, [InputSpec([None, 1, 28, 28], "float32", "x")]),
    }
    for name, (net, spec) in specs.items():
        paddle.jit.save(net, str(folder / name), input_spec=spec)
    return folder


@pytest.fixture
def linear(models: Path) -> Any:
    """A Predictor of ``linear``."""
    return create_predictor(config_of(models, "linear"))


def config_of(folder: Path, name: str) -> Config:
    """A Config for the two files of a prefix."""
    return Config(str(folder / f"{name}.pdmodel"), str(folder / f"{name}.pdiparams"))


def ones(*shape: int, dtype: str = "float32") -> np.ndarray:
    """An array of ones."""
    return np.ones(shape, dtype)
