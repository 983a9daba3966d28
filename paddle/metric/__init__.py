"""Measures of a model's predictions."""

from paddle.metric.base import Metric
from paddle.metric.binary import Auc, Precision, Recall
from paddle.metric.topk_accuracy import Accuracy, accuracy

__all__ = ["Accuracy", "Auc", "Metric", "Precision", "Recall", "accuracy"]
