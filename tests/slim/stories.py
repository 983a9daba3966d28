"""Stories: what a user of PaddleSlim does, on small nets, with the numbers that have to come out.

A story is a function with the public names that it stands for. It runs with fresh Programs, a scope
and names of its own, in a folder of its own, so that they can follow each other in one process.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

THEMES = (
    "static_pruning", "dynamic_pruning", "measuring", "distilling", "quantizing", "searching",
    "supernets", "models_and_parts",
)  # fmt: skip


@dataclass(frozen=True)
class Story:
    """One story.

    Attributes:
        name (str): of its function.
        names (tuple[str, ...]): what of PaddleSlim it is about, below ``paddleslim.``.
        static (bool): it runs in static mode.
        run (callable): does it, and asserts.
        not_before (str): the first version of PaddleSlim that has the names.
    """

    name: str
    names: tuple[str, ...]
    static: bool
    run: Callable[[], None]
    not_before: str


def story(*names: str, static: bool = False, not_before: str = "") -> Callable[[Callable], Story]:
    """Makes a story of a function; its text has to mention the last part of every name.

    Args:
        *names (str): what it is about, below ``paddleslim.``: ``"prune.Pruner"``.
        static (bool): it runs in static mode. Default: False.
        not_before (str): the first version that has the names. Default: any.
    """

    def made(function: Callable) -> Story:
        text = inspect.getsource(function)
        for name in names:
            assert name.rpartition(".")[2] in text, f"{function.__name__} says nothing of {name}"
        return Story(function.__name__, names, static, function, not_before)

    return made


@contextlib.contextmanager
def fresh(static: bool) -> Any:
    """A state of paddle that no story before has touched, and an empty folder."""
    import paddle

    before = os.getcwd()
    paddle.seed(2021)
    np.random.seed(2021)
    with tempfile.TemporaryDirectory() as folder, paddle.utils.unique_name.guard():
        os.chdir(folder)
        if static:
            paddle.enable_static()
        try:
            with contextlib.ExitStack() as stack:
                if static:
                    scope = paddle.static.Scope()
                    stack.enter_context(paddle.static.scope_guard(scope))
                    programs = paddle.static.Program(), paddle.static.Program()
                    stack.enter_context(paddle.static.program_guard(*programs))
                yield
        finally:
            os.chdir(before)
            paddle.disable_static()


# -- data and nets -------------------------------------------------------------

SIDE, CLASSES = 8, 4


def pictures(count: int = 16, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Noise in which each class makes another quarter brighter, and the classes."""
    random = np.random.RandomState(seed)
    label = np.arange(count) % CLASSES
    image = random.randn(count, 3, SIDE, SIDE).astype("float32") * 0.3
    half = SIDE // 2
    for row, kind in enumerate(label):
        image[row, :, kind // 2 * half :][:, :half, kind % 2 * half :][:, :, :half] += 1
    return image, label[:, None].astype("int64")


@dataclass
class StaticNet:
    """A Program of :func:`static_net`, with what a story needs of it."""

    main: Any
    startup: Any
    test: Any
    loss: Any
    logits: Any
    accuracy: Any
    exe: Any

    def step(self, program: Any = None, seed: int = 0) -> float:
        """Runs a batch; returns the loss."""
        image, label = pictures(seed=seed)
        feed = {"image": image, "label": label}
        found = self.exe.run(program or self.main, feed, [self.loss.name])
        return float(np.asarray(found[0]).reshape(-1)[0])

    def right(self, program: Any = None) -> float:
        """Returns which part of other pictures a Program tells right."""
        image, label = pictures(64, seed=99)
        feed = {"image": image, "label": label}
        found = self.exe.run(program or self.test, feed, [self.accuracy.name])
        return float(np.asarray(found[0]).reshape(-1)[0])


def static_net(width: int = 8, optimizer: bool = True, steps: int = 0) -> StaticNet:
    """conv1-bn, a residual around conv2-bn, conv3-bn with stride, pooling, a linear layer.

    Args:
        width (int): channels of the first layers; conv3 has twice as many. Default: 8.
        optimizer (bool): there is one, Momentum. Default: True.
        steps (int): it is trained that many times. Default: 0.
    """
    import paddle
    from paddle import nn, static
    from paddle.nn import functional as F

    main, startup = static.default_main_program(), static.default_startup_program()
    startup.random_seed = main.random_seed = 7

    def conv(x: Any, filters: int, name: str, stride: int = 1) -> Any:
        weights = paddle.ParamAttr(name=f"{name}_weights")
        made = static.nn.conv2d(
            x, filters, 3, stride, 1, param_attr=weights, bias_attr=False, name=name
        )
        return static.nn.batch_norm(made, momentum=0.5)

    image = static.data("image", [None, 3, SIDE, SIDE])
    label = static.data("label", [None, 1], "int64")
    first = F.relu(conv(image, width, "conv1"))
    joined = F.relu(first + conv(first, width, "conv2"))
    last = F.relu(conv(joined, 2 * width, "conv3", 2))
    pooled = F.adaptive_avg_pool2d(last, 2)
    logits = static.nn.fc(pooled, CLASSES, name="head")
    loss = F.cross_entropy(logits, label)
    accuracy = paddle.metric.accuracy(F.softmax(logits), label)
    test = main.clone(for_test=True)
    if optimizer:
        paddle.optimizer.Momentum(0.1, 0.9).minimize(loss)
    exe = static.Executor()
    exe.run(startup)
    assert nn is not None
    made = StaticNet(main, startup, test, loss, logits, accuracy, exe)
    for step in range(steps):
        made.step(seed=step)
    return made


def value(name: str) -> np.ndarray:
    """What the scope holds for a variable."""
    import paddle

    return np.array(paddle.static.global_scope().find_var(name).get_tensor())


def dynamic_net(width: int = 8) -> Any:
    """A Layer like :func:`static_net`, without the residual."""
    from paddle import nn

    return nn.Sequential(
        nn.Conv2D(3, width, 3, padding=1, bias_attr=False), nn.BatchNorm2D(width), nn.ReLU(),
        nn.Conv2D(width, 2 * width, 3, padding=1, bias_attr=False), nn.BatchNorm2D(2 * width),
        nn.ReLU(), nn.AdaptiveAvgPool2D(2), nn.Flatten(), nn.Linear(8 * width, CLASSES),
    )  # fmt: skip


def train(net: Any, optimizer: Any, steps: int, each: Callable[[], None] = lambda: None) -> list:
    """Trains a Layer on :func:`pictures`; returns the losses."""
    import paddle
    from paddle.nn import functional as F

    net.train()
    losses = []
    for step in range(steps):
        image, label = map(paddle.to_tensor, pictures(seed=step))
        loss = F.cross_entropy(net(image), label)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        each()
        losses.append(float(loss))
    return losses


def right(net: Any) -> float:
    """Returns which part of other pictures a Layer tells right."""
    import paddle

    net.eval()
    image, label = pictures(64, seed=99)
    with paddle.no_grad():
        found = net(paddle.to_tensor(image)).numpy().argmax(-1)
    return float((found == label[:, 0]).mean())


def free_port() -> int:
    """A port of this machine that nobody listens to."""
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
