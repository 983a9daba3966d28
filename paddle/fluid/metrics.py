"""Metrics of 1.x: they add up over batches in Python."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from paddle.fluid.detection_map import DetectionMAP

__all__ = [
    "Accuracy", "Auc", "ChunkEvaluator", "CompositeMetric", "DetectionMAP", "EditDistance",
    "MetricBase", "Precision", "Recall",
]  # fmt: skip


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) or _is_numpy(value)


def _is_numpy(value: Any) -> bool:
    return isinstance(value, np.ndarray)


def _number(owner: Any, name: str, value: Any) -> Any:
    if not _is_number(value):
        raise ValueError(
            f"{type(owner).__name__}.update({name}): expected a number or a numpy.ndarray, "
            f"but received {type(value).__name__}."
        )
    return value


def _array(owner: Any, name: str, value: Any) -> np.ndarray:
    if not _is_numpy(value):
        raise ValueError(
            f"{type(owner).__name__}.update({name}): expected a numpy.ndarray, "
            f"but received {type(value).__name__}."
        )
    return value


class MetricBase:
    """Base of the metrics; attributes without an underscore are the state.

    Args:
        name (str|None): what it is called; None means the name of the class.
    """

    def __init__(self, name: str | None) -> None:
        self._name = str(name) if name is not None else type(self).__name__

    def __str__(self) -> str:
        return self._name

    def _states(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if not k.startswith("_")}

    def reset(self) -> None:
        """Puts zeros in place of the state."""
        for name, value in self._states().items():
            if isinstance(value, int):
                setattr(self, name, 0)
            elif isinstance(value, float):
                setattr(self, name, 0.0)
            elif isinstance(value, (np.ndarray, np.generic)):
                setattr(self, name, np.zeros_like(value))
            else:
                setattr(self, name, None)

    def get_config(self) -> dict[str, Any]:
        """Returns the name and a copy of the state."""
        return {"name": self._name, "states": copy.deepcopy(self._states())}

    def update(self, preds: Any, labels: Any) -> None:
        """Adds a batch.

        Args:
            preds (np.ndarray): what was predicted.
            labels (np.ndarray): what is right.
        """
        raise NotImplementedError("MetricBase has no update; use a class derived from it.")

    def eval(self) -> Any:
        """Returns the metric of what was added."""
        raise NotImplementedError("MetricBase has no eval; use a class derived from it.")


class CompositeMetric(MetricBase):
    """Several metrics of the same predictions and labels.

    Args:
        name (str, optional): what it is called.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            both = fluid.metrics.CompositeMetric()
            both.add_metric(fluid.metrics.Precision())
            both.add_metric(fluid.metrics.Recall())
            both.update(np.array([[0.1], [0.7]]), np.array([[0], [1]]))
            print(both.eval())  # [1.0, 1.0]
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self._metrics: list[MetricBase] = []

    def add_metric(self, metric: MetricBase) -> None:
        """Adds a metric.

        Args:
            metric (MetricBase): the metric.
        """
        if not isinstance(metric, MetricBase):
            raise ValueError(
                "CompositeMetric.add_metric: expected a metric derived from MetricBase, "
                f"but received {type(metric).__name__}."
            )
        self._metrics.append(metric)

    def update(self, preds: Any, labels: Any) -> None:
        """Adds a batch to each.

        Args:
            preds (np.ndarray): what was predicted.
            labels (np.ndarray): what is right.
        """
        for metric in self._metrics:
            metric.update(preds, labels)

    def eval(self) -> list[Any]:
        """Returns the value of each."""
        return [metric.eval() for metric in self._metrics]


class Precision(MetricBase):
    """How many of those predicted as positive are.

    Args:
        name (str, optional): what it is called.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            metric = fluid.metrics.Precision()
            metric.update(np.array([[0.1], [0.7], [0.8]]), np.array([[0], [1], [0]]))
            print(metric.eval())  # 0.5
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.tp = 0
        self.fp = 0

    def update(self, preds: Any, labels: Any) -> None:
        """Adds a batch.

        Args:
            preds (np.ndarray): probabilities; from 0.5 on positive.
            labels (np.ndarray): 0 or 1.
        """
        rounded, right = _both(self, preds, labels)
        self.tp += int(np.sum((rounded == 1) & (right == 1)))
        self.fp += int(np.sum((rounded == 1) & (right != 1)))

    def eval(self) -> float:
        """Returns the precision; 0.0 where nothing was predicted as positive."""
        chosen = self.tp + self.fp
        return float(self.tp) / chosen if chosen else 0.0


class Recall(MetricBase):
    """How many of the positive ones are predicted as such.

    Args:
        name (str, optional): what it is called.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            metric = fluid.metrics.Recall()
            metric.update(np.array([[0.1], [0.7], [0.8]]), np.array([[1], [1], [0]]))
            print(metric.eval())  # 0.5
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.tp = 0
        self.fn = 0

    def update(self, preds: Any, labels: Any) -> None:
        """Adds a batch.

        Args:
            preds (np.ndarray): probabilities; from 0.5 on positive.
            labels (np.ndarray): 0 or 1.
        """
        rounded, right = _both(self, preds, labels)
        self.tp += int(np.sum((right == 1) & (rounded == 1)))
        self.fn += int(np.sum((right == 1) & (rounded != 1)))

    def eval(self) -> float:
        """Returns the recall; 0.0 where nothing was positive."""
        there = self.tp + self.fn
        return float(self.tp) / there if there else 0.0


def _both(owner: Any, preds: Any, labels: Any) -> tuple[np.ndarray, np.ndarray]:
    """Rounded predictions and labels, a number for each sample."""
    given, right = _array(owner, "preds", preds), _array(owner, "labels", labels)
    rounded = np.rint(given).astype("int32").reshape(len(given), -1)[:, 0] if len(given) else given
    labelled = right.reshape(len(right), -1)[:, 0] if len(right) else right
    count = len(labelled)
    if len(rounded) < count:
        raise ValueError(
            f"{type(owner).__name__}.update: expected a prediction for each of {count} labels, "
            f"but received {len(rounded)}."
        )
    return rounded[:count], labelled


class Accuracy(MetricBase):
    """The mean of accuracies of batches, each with a weight.

    Args:
        name (str, optional): what it is called.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            metric = fluid.metrics.Accuracy()
            metric.update(value=0.8, weight=10)
            metric.update(value=0.9, weight=10)
            print(round(metric.eval(), 4))  # 0.85
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.value: Any = 0.0
        self.weight: Any = 0.0

    def update(self, value: Any, weight: Any) -> None:  # type: ignore[override]
        """Adds a batch.

        Args:
            value (float|np.ndarray): its accuracy.
            weight (int|float): its size.
        """
        _number(self, "value", value)
        if not _is_number(weight):
            raise ValueError(
                f"Accuracy.update(weight): expected a number, but received {type(weight).__name__}."
            )
        if np.any(np.asarray(weight) < 0):
            raise ValueError(f"Accuracy.update(weight): expected no negative one, got {weight}.")
        self.value = self.value + value * weight
        self.weight = self.weight + weight

    def eval(self) -> Any:
        """Returns the mean of what was added."""
        if np.all(np.asarray(self.weight) == 0):
            raise ValueError(
                "Accuracy.eval: nothing was added; give update what layers.accuracy computed."
            )
        return self.value / self.weight


class ChunkEvaluator(MetricBase):
    """Precision, recall and F1 of chunks, from what ``layers.chunk_eval`` counts.

    Args:
        name (str, optional): what it is called.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            metric = fluid.metrics.ChunkEvaluator()
            metric.update(10, 8, 5)
            print(metric.eval()[:2])  # (0.5, 0.625)
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.num_infer_chunks: Any = 0
        self.num_label_chunks: Any = 0
        self.num_correct_chunks: Any = 0

    def update(  # type: ignore[override]
        self, num_infer_chunks: Any, num_label_chunks: Any, num_correct_chunks: Any
    ) -> None:
        """Adds a batch.

        Args:
            num_infer_chunks (int|np.ndarray): chunks that were predicted.
            num_label_chunks (int|np.ndarray): chunks that there are.
            num_correct_chunks (int|np.ndarray): chunks that were predicted and are there.
        """
        self.num_infer_chunks = self.num_infer_chunks + _number(
            self, "num_infer_chunks", num_infer_chunks
        )
        self.num_label_chunks = self.num_label_chunks + _number(
            self, "num_label_chunks", num_label_chunks
        )
        self.num_correct_chunks = self.num_correct_chunks + _number(
            self, "num_correct_chunks", num_correct_chunks
        )

    def eval(self) -> tuple[Any, Any, Any]:
        """Returns precision, recall and F1; zero where there is nothing."""
        right = self.num_correct_chunks
        precision = right / self.num_infer_chunks if np.any(self.num_infer_chunks) else 0
        recall = right / self.num_label_chunks if np.any(self.num_label_chunks) else 0
        f1 = 2 * precision * recall / (precision + recall) if np.any(right) else 0
        return precision, recall, f1


class EditDistance(MetricBase):
    """The mean edit distance, and the part of sequences that have an error.

    Args:
        name (str): what it is called.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            metric = fluid.metrics.EditDistance("distance")
            metric.update(np.array([[1.0], [0.0], [3.0], [0.0]]), 4)
            print(metric.eval())  # (1.0, 0.5)
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.total_distance: Any = 0.0
        self.seq_num: Any = 0
        self.instance_error: Any = 0

    def update(self, distances: Any, seq_num: Any) -> None:  # type: ignore[override]
        """Adds a batch.

        Args:
            distances (np.ndarray): the distance of each sequence.
            seq_num (int|float|np.ndarray): how many sequences there are.
        """
        given = _array(self, "distances", distances)
        self.seq_num = self.seq_num + _number(self, "seq_num", seq_num)
        self.instance_error = self.instance_error + seq_num - int(np.sum(given == 0))
        self.total_distance = self.total_distance + float(np.sum(given))

    def eval(self) -> tuple[Any, Any]:
        """Returns the mean distance and the part of sequences with an error."""
        if np.all(np.asarray(self.seq_num) == 0):
            raise ValueError(
                "EditDistance.eval: nothing was added; give update what layers.edit_distance "
                "computed."
            )
        return self.total_distance / self.seq_num, self.instance_error / self.seq_num


class Auc(MetricBase):
    """The area under the curve of true against false positives, by thresholds.

    Args:
        name (str): what it is called.
        curve (str): ``ROC``. Default: ROC.
        num_thresholds (int): how many thresholds. Default: 4095.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            metric = fluid.metrics.Auc("auc")
            metric.update(np.array([[0.3, 0.7], [0.6, 0.4], [0.1, 0.9]]), np.array([[1], [0], [1]]))
            print(metric.eval())  # 1.0
    """

    def __init__(self, name: str, curve: str = "ROC", num_thresholds: int = 4095) -> None:
        super().__init__(name)
        self._curve = curve
        self._num_thresholds = num_thresholds
        self._stat_pos = np.zeros(num_thresholds + 1, "int64")
        self._stat_neg = np.zeros(num_thresholds + 1, "int64")

    def reset(self) -> None:
        """Forgets what was added."""
        self._stat_pos[:] = 0
        self._stat_neg[:] = 0

    def update(self, preds: Any, labels: Any) -> None:
        """Adds a batch.

        Args:
            preds (np.ndarray): a row of two probabilities for each sample.
            labels (np.ndarray): 0 or 1 for each.
        """
        right = _array(self, "labels", labels)
        given = _array(self, "preds", preds)
        count = len(right)
        bins = (given[:count, 1] * self._num_thresholds).astype("int64")
        if len(bins) < count or (count and (bins.min() < 0 or bins.max() > self._num_thresholds)):
            raise ValueError(
                "Auc.update(preds): expected a row of two probabilities in [0, 1] for each label."
            )
        true = right.reshape(count, -1)[:, 0].astype(bool) if count else right.astype(bool)
        size = self._num_thresholds + 1
        self._stat_pos += np.bincount(bins[true], minlength=size)
        self._stat_neg += np.bincount(bins[~true], minlength=size)

    @staticmethod
    def trapezoid_area(x1: float, x2: float, y1: float, y2: float) -> float:
        """The area of a trapezoid between two points of a curve.

        Args:
            x1 (float): first place.
            x2 (float): second place.
            y1 (float): height at the first.
            y2 (float): height at the second.
        """
        return abs(x1 - x2) * (y1 + y2) / 2.0

    def eval(self) -> float:
        """Returns the area; 0.0 without positive or without negative samples."""
        positive = np.concatenate([[0], np.cumsum(self._stat_pos[::-1])]).astype("float64")
        negative = np.concatenate([[0], np.cumsum(self._stat_neg[::-1])]).astype("float64")
        area = float(np.sum(np.diff(negative) * (positive[1:] + positive[:-1]) / 2.0))
        total = positive[-1] * negative[-1]
        return area / total if total > 0 else 0.0
