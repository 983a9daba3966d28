"""Small saved models for the tests of the commands."""

from __future__ import annotations

from pathlib import Path

import paddle
from paddle import nn, static
from paddle.static import InputSpec

WORDS = 11  # rows of the table of `tagger`


class Tagger(nn.Layer):
    """Words to probabilities of three tags; a batch of sentences, all sizes open."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(WORDS, 4)
        self.head = nn.Linear(4, 3)

    def forward(self, words: paddle.Tensor, weights: paddle.Tensor) -> paddle.Tensor:
        return nn.functional.softmax(self.head(self.table(words) * weights))


def save_tagger(folder: Path) -> str:
    """Saves a Tagger; returns the prefix."""
    paddle.seed(3)
    net = Tagger()
    net.eval()
    spec = [InputSpec([None, None], "int64", "words"), InputSpec([None, None, 1], name="weights")]
    paddle.jit.save(net, str(folder / "tagger"), input_spec=spec)
    return str(folder / "tagger")


def save_convolution(folder: Path) -> str:
    """Saves a convolution with a batch norm; returns the prefix."""
    paddle.seed(3)
    net = nn.Sequential(nn.Conv2D(3, 2, 3, bias_attr=False), nn.BatchNorm2D(2), nn.ReLU())
    net.eval()
    spec = [InputSpec([None, 3, None, None], name="image")]
    paddle.jit.save(net, str(folder / "net"), input_spec=spec)
    return str(folder / "net")


def save_sequences(folder: Path) -> str:
    """Saves a model of 1.x kind whose input has a LoD; returns the folder."""
    paddle.enable_static()
    try:
        main = static.Program()
        with static.program_guard(main, static.Program()):
            x = static.data("x", [None, 2], "float32", lod_level=1)
            y = paddle.scale(x, 2.0)
            exe = static.Executor(paddle.CPUPlace())
            static.save_inference_model(str(folder / "sequences"), [x], [y], exe, program=main)
    finally:
        paddle.disable_static()
    return str(folder / "sequences")


def save_loop(folder: Path) -> str:
    """Saves a model that adds 1 until a number is reached; returns the prefix."""
    paddle.enable_static()
    try:
        main = static.Program()
        with static.program_guard(main, static.Program()):
            x = static.data("x", [1], "float32")
            [y] = static.nn.while_loop(lambda v: v < 10.0, lambda v: [v + 1.0], [x])
            exe = static.Executor(paddle.CPUPlace())
            static.save_inference_model(str(folder / "loop"), [x], [y], exe, program=main)
    finally:
        paddle.disable_static()
    return str(folder / "loop")
