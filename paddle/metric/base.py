"""The base class of metrics, and the checks their arguments share."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import Guarded
from paddle.core.tensor import Tensor


def as_array(value: Any, where: str) -> np.ndarray:
    """The values of a Tensor or array."""
    if isinstance(value, Tensor):
        return value.numpy()
    if not isinstance(value, np.ndarray):
        raise InvalidArgumentError(
            f"{where} must be a numpy.ndarray or a Tensor, but received {type(value).__name__}"
        )
    return value


def check_tensors(function: str, **tensors: Any) -> None:
    for name, value in tensors.items():
        if not hasattr(value, "stop_gradient"):
            raise TypeError(
                f"{function}: expected {name} to be a Tensor, but received {type(value).__name__}"
            )


class Metric(Guarded, metaclass=abc.ABCMeta):
    """Base of metrics: ``compute`` on Tensors, ``update`` on arrays, ``accumulate`` over batches.

    A subclass defines ``reset``, ``update``, ``accumulate`` and ``name``. ``Model`` calls
    ``m.update(*m.compute(outputs, labels))`` for each batch and ``m.accumulate()`` for the log;
    ``compute`` may do the larger part with operators, on the device.

    Examples:
        .. code-block:: python

            import paddle

            class ErrorCount(paddle.metric.Metric):
                def __init__(self):
                    super().__init__()
                    self.reset()

                def compute(self, pred, label):
                    return (pred.argmax(axis=-1) != label.flatten()).astype("int64")

                def update(self, wrong):
                    self.count += int(wrong.sum())
                    return self.count

                def reset(self):
                    self.count = 0

                def accumulate(self):
                    return self.count

                def name(self):
                    return "errors"

            m = ErrorCount()
            wrong = m.compute(paddle.to_tensor([[0.1, 0.9], [0.8, 0.2]]), paddle.to_tensor([1, 1]))
            print(m.update(wrong.numpy()), m.accumulate())  # 1 1
    """

    def _missing(self, method: str) -> Exception:
        return NotImplementedError(
            f"{type(self).__name__} does not define {method}(), which a metric must"
        )

    @abc.abstractmethod
    def reset(self) -> None:
        """Forgets all batches."""
        raise self._missing("reset")

    @abc.abstractmethod
    def update(self, *args: Any) -> Any:
        """Takes in one batch: what ``compute`` returned, as arrays."""
        raise self._missing("update")

    @abc.abstractmethod
    def accumulate(self) -> Any:
        """Returns the value over all batches since the last ``reset``."""
        raise self._missing("accumulate")

    @abc.abstractmethod
    def name(self) -> Any:
        """Returns the name under which the value is logged, or a list of names."""
        raise self._missing("name")

    def compute(self, *args: Any) -> Any:
        """Prepares the arguments of ``update`` from the outputs and labels of a batch.

        Args:
            *args (Tensor): the model's outputs, then the labels.

        Returns:
            What ``update`` shall get; the base class returns ``args`` as they are.
        """
        return args
