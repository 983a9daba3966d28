"""Metrics for two classes: precision, recall and the area under a curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.metric.base import Metric, as_array


def _columns(preds: Any, labels: Any, where: str) -> tuple[np.ndarray, np.ndarray]:
    """Predictions and labels as vectors of the same length."""
    scores = as_array(preds, f"{where}: 'preds'")
    truth = as_array(labels, f"{where}: 'labels'")
    if scores.size != max([*scores.shape, 1]) or scores.size != truth.size:
        raise InvalidArgumentError(
            f"{where}: expected a prediction of shape [N] or [N, 1] and a label for each, but "
            f"received preds of shape {list(scores.shape)} and labels of {list(truth.shape)}"
        )
    return scores.reshape(-1), truth.reshape(-1)


class Precision(Metric):
    """Share of true positives among the samples predicted positive, for two classes.

    ``tp / (tp + fp)``; a score counts as positive when it rounds to 1, with 0.5 rounded up.

    Args:
        name (str): the name in logs.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            m = paddle.metric.Precision()
            m.update(np.array([0.1, 0.5, 0.6, 0.7]), np.array([0, 1, 1, 0]))
            print(m.accumulate())  # 0.666...
    """

    def __init__(self, name: str = "precision", *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._name = name
        self.reset()

    def update(self, preds: Any, labels: Any) -> None:
        """Adds a batch.

        Args:
            preds (Tensor|numpy.ndarray): scores from 0 to 1, shape ``[N]`` or ``[N, 1]``.
            labels (Tensor|numpy.ndarray): 0 or 1, as many.
        """
        scores, truth = _columns(preds, labels, "Precision.update")
        positive = np.floor(scores + 0.5) == 1
        hits = int(np.count_nonzero(positive & (truth == 1)))
        self.tp += hits
        self.fp += int(np.count_nonzero(positive)) - hits

    def reset(self) -> None:
        """Forgets all batches."""
        self.tp = 0  # predicted positive, rightly
        self.fp = 0  # predicted positive, wrongly

    def accumulate(self) -> float:
        """Returns the precision over all batches; 0 when nothing was predicted positive."""
        found = self.tp + self.fp
        return self.tp / found if found else 0.0

    def name(self) -> str:
        """Returns the name."""
        return self._name


class Recall(Metric):
    """Share of the positive samples that are predicted positive, for two classes.

    ``tp / (tp + fn)``; a score counts as positive when it rounds to 1, with 0.5 rounded down
    (to even), unlike in :class:`Precision`.

    Args:
        name (str): the name in logs.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            m = paddle.metric.Recall()
            m.update(np.array([0.1, 0.5, 0.6, 0.7]), np.array([0, 1, 1, 0]))
            print(m.accumulate())  # 0.5
    """

    def __init__(self, name: str = "recall", *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._name = name
        self.reset()

    def update(self, preds: Any, labels: Any) -> None:
        """Adds a batch.

        Args:
            preds (Tensor|numpy.ndarray): scores from 0 to 1, shape ``[N]`` or ``[N, 1]``.
            labels (Tensor|numpy.ndarray): 0 or 1, as many.
        """
        scores, truth = _columns(preds, labels, "Recall.update")
        wanted = truth == 1
        hits = int(np.count_nonzero(wanted & (np.rint(scores) == 1)))
        self.tp += hits
        self.fn += int(np.count_nonzero(wanted)) - hits

    def reset(self) -> None:
        """Forgets all batches."""
        self.tp = 0  # positive and found
        self.fn = 0  # positive and missed

    def accumulate(self) -> float:
        """Returns the recall over all batches; 0 when there was no positive sample."""
        wanted = self.tp + self.fn
        return self.tp / wanted if wanted else 0.0

    def name(self) -> str:
        """Returns the name."""
        return self._name


class Auc(Metric):
    """Area under the ROC curve, or under the precision-recall curve, for two classes.

    Scores are sorted into ``num_thresholds + 1`` bins; the curve goes through the points that
    its bins give as thresholds, and the area is a sum of trapezoids.

    Args:
        curve (str): ``'ROC'`` (true over false positive rate) or ``'PR'`` (precision over
            recall, starting at recall 0 and precision 1).
        num_thresholds (int): the resolution.
        name (str): the name in logs.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            m = paddle.metric.Auc()
            score = np.array([0.1, 0.4, 0.35, 0.8])
            m.update(np.stack([1 - score, score], axis=1), np.array([[0], [0], [1], [1]]))
            print(m.accumulate())  # 0.75
    """

    def __init__(
        self,
        curve: str = "ROC",
        num_thresholds: int = 4095,
        name: str = "auc",
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        if curve not in ("ROC", "PR"):
            raise InvalidArgumentError(
                f"Auc: expected curve to be 'ROC' or 'PR', but received {curve!r}"
            )
        if type(num_thresholds) is not int or num_thresholds < 1:
            raise InvalidArgumentError(
                "Auc: expected num_thresholds to be a positive int, "
                f"but received {num_thresholds!r}"
            )
        self._curve = curve
        self._num_thresholds = num_thresholds
        self._name = name
        self.reset()

    def update(self, preds: Any, labels: Any) -> None:
        """Adds a batch.

        Args:
            preds (Tensor|numpy.ndarray): probabilities of the classes 0 and 1, shape ``[N, 2]``.
            labels (Tensor|numpy.ndarray): 0 or 1, shape ``[N]`` or ``[N, 1]``.

        Raises:
            ValueError: a wrong shape, a probability outside of 0 to 1, another label.
        """
        scores = as_array(preds, "Auc.update: 'preds'")
        truth = as_array(labels, "Auc.update: 'labels'")
        if (
            scores.ndim != 2
            or scores.shape[1] != 2
            or truth.shape
            not in (
                scores.shape[:1],
                (len(scores), 1),
            )
        ):
            raise InvalidArgumentError(
                "Auc.update: expected preds of shape [N, 2] and labels of shape [N] or [N, 1], "
                f"but received {list(scores.shape)} and {list(truth.shape)}"
            )
        truth, positive = truth.reshape(-1), scores[:, 1]
        wrong = ~((positive >= 0) & (positive <= 1))
        if wrong.any():
            raise InvalidArgumentError(
                f"Auc.update: expected probabilities from 0 to 1, but received {positive[wrong][0]}"
            )
        other = ~((truth == 0) | (truth == 1))
        if other.any():
            raise InvalidArgumentError(
                f"Auc.update: expected labels 0 and 1, but received {truth[other][0]}"
            )
        bins = (positive * self._num_thresholds).astype(np.int64)
        size = self._num_thresholds + 1
        self._stat_pos += np.bincount(bins[truth == 1], minlength=size)
        self._stat_neg += np.bincount(bins[truth == 0], minlength=size)

    @staticmethod
    def trapezoid_area(x1: float, x2: float, y1: float, y2: float) -> float:
        """Returns the area between the x axis and the line from (x1, y1) to (x2, y2)."""
        return abs(x1 - x2) * (y1 + y2) / 2.0

    def accumulate(self) -> float:
        """Returns the area over all batches; 0 when one of the classes has no sample."""
        # Counts of what lies at or above a threshold, from the highest threshold down.
        true = np.concatenate([[0.0], np.cumsum(self._stat_pos[::-1])])
        false = np.concatenate([[0.0], np.cumsum(self._stat_neg[::-1])])
        if not true[-1] or not false[-1]:
            return 0.0
        recall = true / true[-1]
        if self._curve == "ROC":
            across, up = false / false[-1], recall
        else:
            found = true + false
            across, up = recall, np.where(found > 0, true / np.maximum(found, 1), 1.0)
        return float(np.sum(np.diff(across) * (up[1:] + up[:-1]) / 2.0))

    def reset(self) -> None:
        """Forgets all batches."""
        self._stat_pos = np.zeros(self._num_thresholds + 1)
        self._stat_neg = np.zeros(self._num_thresholds + 1)

    def name(self) -> str:
        """Returns the name."""
        return self._name
