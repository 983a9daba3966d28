"""Small data, networks and callbacks that the tests of paddle.Model share."""

from __future__ import annotations

from typing import Any

import numpy as np

import paddle


class Points(paddle.io.Dataset):
    """``count`` samples of three classes: four equal numbers, and the class."""

    def __init__(self, count: int = 20, labelled: bool = True) -> None:
        self.count, self.labelled = count, labelled

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> Any:
        x = np.full([4], index % 3, "float32")
        return (x, np.array([index % 3])) if self.labelled else (x,)


class Stream(paddle.io.IterableDataset):
    """The same without a known length."""

    def __iter__(self) -> Any:
        return iter([Points(6)[i] for i in range(6)])


def batches(count: int = 3, size: int = 4) -> Any:
    """A generator of batches, which can be gone through once."""
    for _ in range(count):
        yield np.ones([size, 4], "float32"), np.ones([size, 1], "int64")


def prepared(rate: Any = 0.1, metrics: Any = None, net: Any = None) -> paddle.Model:
    """A linear classifier with Adam and cross entropy; the weights start at zero."""
    net = net or paddle.nn.Linear(4, 3)
    for parameter in net.parameters():
        parameter.set_value(np.zeros(parameter.shape, "float32"))
    model = paddle.Model(net)
    optimizer = paddle.optimizer.Adam(rate, parameters=model.parameters())
    model.prepare(optimizer, paddle.nn.CrossEntropyLoss(), metrics)
    return model


class Recorder(paddle.callbacks.Callback):
    """Writes down which methods are called, and with what."""

    def __init__(self, read: bool = False) -> None:
        super().__init__()
        self.calls: list[Any] = []
        self.read = read


def _noting(name: str) -> Any:
    def method(self: Recorder, *args: Any) -> None:
        *where, logs = args
        self.calls.append((name, *where, dict(logs) if self.read and logs else None))

    return method


for _run in ("train", "eval", "predict"):
    for _part in ("begin", "end", "batch_begin", "batch_end"):
        setattr(Recorder, f"on_{_run}_{_part}", _noting(f"{_run}_{_part}"))
for _part in ("begin", "end"):
    setattr(Recorder, f"on_epoch_{_part}", _noting(f"epoch_{_part}"))
