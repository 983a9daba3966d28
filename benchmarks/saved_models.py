"""Saved models that inference is measured on: the networks, their inputs, and files for all sides.

The same files are for our Predictor, for that of a real PaddlePaddle and, exported, for
onnxruntime. torch has networks of its own, layer for layer the same, with weights of its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

FOLDER = "PADDLE_BENCHMARK_MODELS"  # environment: where the files are
WORDS, STEPS, LAYERS = 30522, 128, 4  # of BERT
WIDTHS = (80, 128, 176, 240, 320)  # of the lines of text
CHARACTERS = 6625


class Saved(NamedTuple):
    """One model.

    Attributes:
        shapes: of its inputs; None where a size is open.
        dtype: of its inputs.
    """

    shapes: dict[str, list[int | None]]
    dtype: str = "float32"


MODELS = {
    "lenet": Saved({"image": [None, 1, 28, 28]}),
    "mobilenet_v2": Saved({"image": [None, 3, 224, 224]}),
    "resnet50": Saved({"image": [None, 3, 224, 224]}),
    "bert": Saved({"words": [None, STEPS], "kinds": [None, STEPS]}, "int64"),
    "crnn": Saved({"image": [None, 3, 32, None]}),
    "mlp": Saved({"x": [None, 2048]}),
    "tanh1": Saved({"x": [None, 4]}),
    "tanh101": Saved({"x": [None, 4]}),
}


def inputs(model: str, batch: int) -> list[dict[str, np.ndarray]]:
    """What a model is fed in turn: once, or once for each width."""
    rng = np.random.RandomState(0)
    shapes, dtype = MODELS[model]
    made = []
    for width in WIDTHS if model == "crnn" else (0,):
        one = {}
        for name, stated in shapes.items():
            shape = [batch, *(width if size is None else size for size in stated[1:])]
            high = WORDS if name == "words" else 2
            drawn = rng.randint(0, high, shape) if dtype == "int64" else rng.rand(*shape)
            one[name] = drawn.astype(dtype)
        made.append(one)
    return made


def prefix(model: str) -> str:
    """The files of a model begin with this."""
    return str(Path(os.environ[FOLDER]) / model)


# -- ours -----------------------------------------------------------------------------------------


def save(model: str) -> str:
    """Saves a model, and exports it to ONNX; returns why that could not be done, or nothing."""
    import paddle
    from paddle.static import InputSpec

    paddle.seed(1)
    net = networks()[model]()
    net.eval()
    shapes, dtype = MODELS[model]
    spec = [InputSpec(shape, dtype, name) for name, shape in shapes.items()]
    paddle.jit.save(net, prefix(model), input_spec=spec)
    try:
        paddle.onnx.export(net, prefix(model), input_spec=spec, opset_version=17)
    except Exception as error:  # an operator without a rule, or a package that is missing
        return " ".join(f"{type(error).__name__}: {error}".split())[:300]
    return ""


def networks() -> dict[str, Callable[[], Any]]:
    """Functions that make our networks, by name."""
    import paddle
    from paddle import nn

    class Bert(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(WORDS, 768)
            self.positions = nn.Embedding(STEPS, 768)
            self.kinds = nn.Embedding(2, 768)
            self.norm = nn.LayerNorm(768)
            layer = nn.TransformerEncoderLayer(768, 12, 3072, dropout=0.0, activation="gelu")
            self.encoder = nn.TransformerEncoder(layer, LAYERS)
            self.pooler = nn.Linear(768, 768)

        def forward(self, words: Any, kinds: Any) -> Any:
            steps = paddle.arange(STEPS, dtype="int64").unsqueeze(0)
            x = self.words(words) + self.positions(steps) + self.kinds(kinds)
            return paddle.tanh(self.pooler(self.encoder(self.norm(x))[:, 0]))

    class Recogniser(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            layers: list[Any] = []
            channels = 3
            for out, pool in ((64, (2, 2)), (128, (2, 2)), (256, None), (256, (2, 1)), (512, None),
                              (512, (2, 1))):  # fmt: skip
                layers.append(nn.Conv2D(channels, out, 3, padding=1, bias_attr=False))
                layers += [nn.BatchNorm2D(out), nn.ReLU()]
                if pool:
                    layers.append(nn.MaxPool2D(pool, pool))
                channels = out
            layers += [nn.Conv2D(512, 512, (2, 1), bias_attr=False), nn.BatchNorm2D(512), nn.ReLU()]
            self.features = nn.Sequential(*layers)
            self.lstm = nn.LSTM(512, 256, num_layers=2, direction="bidirectional")
            self.head = nn.Linear(512, CHARACTERS)

        def forward(self, x: Any) -> Any:
            columns = paddle.transpose(paddle.squeeze(self.features(x), 2), [0, 2, 1])
            return nn.functional.softmax(self.head(self.lstm(columns)[0]), 2)

    class Tanh(nn.Layer):
        def __init__(self, count: int) -> None:
            super().__init__()
            self.count = count

        def forward(self, x: Any) -> Any:
            for _ in range(self.count):
                x = paddle.tanh(x)
            return x

    models = paddle.vision.models
    return {
        "lenet": models.LeNet, "mobilenet_v2": models.mobilenet_v2, "resnet50": models.resnet50,
        "bert": Bert, "crnn": Recogniser, "tanh1": lambda: Tanh(1), "tanh101": lambda: Tanh(101),
        "mlp": lambda: nn.Sequential(nn.Linear(2048, 2048), nn.ReLU(), nn.Linear(2048, 2048),
                                     nn.ReLU(), nn.Linear(2048, 1000)),
    }  # fmt: skip


# -- torch ----------------------------------------------------------------------------------------


def torch_network(model: str) -> Any:
    """The same network in plain torch."""
    from benchmarks import networks_torch as made

    net = {
        "lenet": made.lenet, "mobilenet_v2": made.mobilenet_v2, "resnet50": made.resnet50,
        "bert": lambda: made.Bert(WORDS, STEPS, LAYERS),
        "crnn": lambda: made.Recogniser(CHARACTERS),
    }[model]()  # fmt: skip
    return net.eval()


def predictor_runner(config: Any) -> Callable[[dict[str, np.ndarray]], np.ndarray]:
    """A function from inputs to the first output of a Predictor, in the threads of this process.

    Args:
        config (Config): of this package, or of the PaddlePaddle that this process has.
    """
    from paddle.inference import create_predictor

    config.set_cpu_math_library_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    predictor = create_predictor(config)
    given = {n: predictor.get_input_handle(n) for n in predictor.get_input_names()}
    out = predictor.get_output_handle(predictor.get_output_names()[0])

    def run(values: dict[str, np.ndarray]) -> np.ndarray:
        for name, handle in given.items():
            handle.copy_from_cpu(values[name])
        predictor.run()
        return out.copy_to_cpu()

    return run
