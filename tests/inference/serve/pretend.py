"""Predictors that a test makes up: what they compute, and when they go on, is the test's."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

from paddle.inference.serve.service import Service
from paddle.inference.signature import Argument, Signature


class Handle:
    def __init__(self) -> None:
        self.array = np.zeros(0)
        self.offsets: list[list[int]] = []

    def copy_from_cpu(self, array: np.ndarray) -> None:
        self.array = array

    def copy_to_cpu(self) -> np.ndarray:
        return self.array

    def set_lod(self, lod: list[list[int]]) -> None:
        self.offsets = lod

    def lod(self) -> list[list[int]]:
        return self.offsets


class PretendPredictor:
    """One input ``x`` and one output ``y``, which a function computes.

    Attributes:
        go: runs wait for it.
        runs: the shapes of the inputs of all runs so far.
    """

    def __init__(self, function: Callable[[np.ndarray], np.ndarray]) -> None:
        self._function = function
        self._x, self._y = Handle(), Handle()
        self.go = threading.Event()
        self.go.set()
        self.began = threading.Semaphore(0)
        self.runs: list[tuple[int, ...]] = []

    def get_input_names(self) -> list[str]:
        return ["x"]

    def get_output_names(self) -> list[str]:
        return ["y"]

    def get_input_handle(self, name: str) -> Handle:
        return self._x

    def get_output_handle(self, name: str) -> Handle:
        return self._y

    def run(self) -> None:
        self.began.release()
        assert self.go.wait(30)
        self.runs.append(self._x.array.shape)
        self._y.array = self._function(self._x.array)
        self._y.offsets = self._x.offsets


SIGNATURE = Signature((Argument("x", (-1, 3), "float32"),), (Argument("y", (-1, 3), "float32"),))


def service_of(
    function: Callable[[np.ndarray], np.ndarray] = lambda x: 2 * x,
    signature: Signature = SIGNATURE,
    workers: int = 1,
    **settings: object,
) -> tuple[Service, PretendPredictor]:
    """A service, and the predictor of its first worker."""
    predictors = [PretendPredictor(function) for _ in range(workers)]
    return Service(predictors, signature, **settings), predictors[0]
