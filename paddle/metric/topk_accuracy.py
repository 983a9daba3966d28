"""Share of samples whose label is among the best-scored classes: of one batch, and over many."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle import tensor
from paddle.core.dtype import INTEGER, to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C
from paddle.metric.base import Metric, as_array, check_tensors


class Accuracy(Metric):
    r"""Share of samples whose label is among the k best-scored classes.

    .. math::

        acc_k = \frac{\#\{i : label_i \in top_k(pred_i)\}}{N}

    Args:
        topk (tuple|list): the values of k; one accuracy is kept for each.
        name (str|None): base of the names, ``acc`` by default: ``acc`` for ``topk=(1,)``, else
            ``acc_top1``, ``acc_top5``, ...

    Examples:
        .. code-block:: python

            import paddle
            m = paddle.metric.Accuracy(topk=(1, 2))
            pred = paddle.to_tensor([[0.1, 0.5, 0.4], [0.3, 0.3, 0.4], [0.9, 0.05, 0.05]])
            label = paddle.to_tensor([[1], [0], [2]])
            m.update(m.compute(pred, label))
            print(m.name(), m.accumulate()[0])  # ['acc_top1', 'acc_top2'] 0.333...
    """

    def __init__(
        self, topk: Any = (1,), name: str | None = None, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        if not isinstance(topk, (tuple, list)) or any(type(k) is not int for k in topk):
            raise TypeError(f"Accuracy: expected topk to be a tuple of ints, but received {topk!r}")
        if not topk or min(topk) < 1:
            raise InvalidArgumentError(
                f"Accuracy: expected topk to hold positive numbers, but received {topk!r}"
            )
        self.topk = topk
        self.maxk = max(topk)
        base = name or "acc"
        self._name = [base] if self.maxk == 1 else [f"{base}_top{k}" for k in topk]
        self.reset()

    def compute(self, pred: Any, label: Any, *args: Any) -> Any:
        """Says for each sample at which of the first ``max(topk)`` ranks its label stands.

        Runs as operators only; nothing waits for the device.

        Args:
            pred (Tensor): scores of C classes, shape ``[..., C]``.
            label (Tensor): class numbers of shape ``[...]`` or ``[..., 1]``, or one-hot rows of
                shape ``[..., C]``.

        Returns:
            Tensor: float32, shape ``[..., max(topk)]``, 1 where the label stands.

        Raises:
            ValueError: the shapes do not fit, or there are fewer than ``max(topk)`` classes.
        """
        check_tensors("Accuracy.compute", pred=pred, label=label)
        shape, given = list(pred.shape), list(label.shape)
        if len(shape) < 2 or 0 <= shape[-1] < self.maxk:
            raise InvalidArgumentError(
                f"Accuracy.compute: expected pred of shape [..., C] with C at least {self.maxk} "
                f"(max of topk), but received {shape}"
            )
        if len(given) == len(shape) - 1:
            label = tensor.unsqueeze(label, -1)
        elif len(given) == len(shape) and given[-1] == shape[-1] != 1:
            label = tensor.argmax(label, axis=-1, keepdim=True)
        rows = list(label.shape)
        fits = len(rows) == len(shape) and rows[-1] == 1
        if not fits or any(a != b for a, b in zip(rows[:-1], shape[:-1]) if min(a, b) >= 0):
            raise InvalidArgumentError(
                f"Accuracy.compute: expected label of shape {shape[:-1]}, {[*shape[:-1], 1]} or "
                f"(one-hot) {shape} for pred of shape {shape}, but received {given}"
            )
        if self.maxk == 1:  # quicker, and of equal scores the first class counts
            order = tensor.argmax(pred, axis=-1, keepdim=True)
        else:
            _, order = tensor.topk(pred, k=self.maxk, axis=-1)
        return tensor.cast(tensor.equal(order, tensor.cast(label, "int64")), "float32")

    def update(self, correct: Any, *args: Any) -> Any:
        """Adds a batch.

        Args:
            correct (Tensor|numpy.ndarray): what :meth:`compute` returned.

        Returns:
            The accuracy of this batch: a float, or a list of one for each k.
        """
        marks = as_array(correct, "Accuracy.update: 'correct'")
        if marks.ndim < 1 or marks.shape[-1] < self.maxk:
            raise InvalidArgumentError(
                f"Accuracy.update: expected correct of shape [..., {self.maxk}], "
                f"but received {list(marks.shape)}"
            )
        samples = int(np.prod(marks.shape[:-1]))
        found = [float(marks[..., :k].sum()) for k in self.topk]
        for i, hits in enumerate(found):
            self.total[i] += hits
            self.count[i] += samples
        return self._one_or_list([hits / samples if samples else 0.0 for hits in found])

    def _one_or_list(self, values: list[float]) -> Any:
        return values[0] if len(self.topk) == 1 else values

    def reset(self) -> None:
        """Forgets all batches."""
        self.total = [0.0] * len(self.topk)
        self.count = [0] * len(self.topk)

    def accumulate(self) -> Any:
        """Returns the accuracy over all batches: a float, or a list of one for each k."""
        pairs = zip(self.total, self.count)
        return self._one_or_list([hits / seen if seen else 0.0 for hits, seen in pairs])

    def name(self) -> list[str]:
        """Returns the list of names, one for each k."""
        return self._name


def accuracy(
    input: Any,
    label: Any,
    k: int = 1,
    correct: Any = None,
    total: Any = None,
    name: str | None = None,
) -> Any:
    """Share of rows whose label is among their k best-scored classes.

    Args:
        input (Tensor): scores, shape ``[N, C]``.
        label (Tensor): int32 or int64 class numbers, shape ``[N, 1]`` (or ``[N]``).
        k (int): how many classes count.
        correct (Tensor|None): an int32 Tensor of shape ``[1]`` that receives the number of hits.
        total (Tensor|None): an int32 Tensor of shape ``[1]`` that receives N.
        name (str, optional): has no effect.

    Returns:
        Tensor: float32, shape ``[1]``.

    Raises:
        ValueError: the shapes do not fit, the label is not integer, or k exceeds C.

    Examples:
        .. code-block:: python

            import paddle
            scores = paddle.to_tensor([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7], [0.6, 0.4]])
            label = paddle.to_tensor([[1], [1], [1], [0]])
            print(paddle.metric.accuracy(scores, label).numpy())  # [0.75]
    """
    check_tensors("accuracy", input=input, label=label)
    if type(k) is not int:
        raise TypeError(f"accuracy: expected k to be an int, but received {type(k).__name__}")
    shape, given = list(input.shape), list(label.shape)
    fits = len(shape) == 2 and len(given) in (1, 2) and given[1:] in ([], [1])
    if not fits or (given[0] != shape[0] and min(given[0], shape[0]) >= 0):
        raise InvalidArgumentError(
            "accuracy: expected input of shape [N, C] and label of shape [N, 1], but received "
            f"{shape} and {given}"
        )
    if k < 1 or 0 <= shape[1] < k:
        raise InvalidArgumentError(
            f"accuracy: expected k from 1 to the number of classes, {shape[1]}, but received {k}"
        )
    if to_vartype(label.dtype) not in INTEGER:
        raise InvalidArgumentError(
            f"accuracy: expected label to be int32 or int64, but received {label.dtype}"
        )
    if len(given) == 1:
        label = tensor.unsqueeze(label, -1)
    best, order = tensor.topk(input, k=k)
    share, hits, rows = C.accuracy(best, order, label)
    for target, value in ((correct, hits), (total, rows)):
        if target is not None:
            tensor.assign(value, target)
    return share
