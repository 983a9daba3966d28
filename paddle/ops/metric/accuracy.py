"""Operators that measure how good predictions are."""

from __future__ import annotations

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op


def _scalars(inputs: list, attrs: dict) -> list[Spec]:
    """One float and two counts, whatever the inputs."""
    return [Spec((1,), VarType.FP32), Spec((1,), VarType.INT32), Spec((1,), VarType.INT32)]


@op(
    "accuracy",
    "Out Indices Label -> Accuracy Correct Total",
    infer=_scalars,
    differentiable=False,
)
def accuracy(out, indices, label):
    """Share of rows whose label is among their candidates; Out, their scores, plays no part."""
    if label.dim() != 2 or label.shape[1] != 1:
        raise InvalidArgumentError(
            f"accuracy: expected Label of shape [N, 1], but received {list(label.shape)}."
        )
    if indices.dim() != 2 or indices.shape[0] != label.shape[0]:
        raise InvalidArgumentError(
            f"accuracy: expected as many rows of candidates as of Label, but received "
            f"{list(indices.shape)} and {list(label.shape)}."
        )
    rows = label.shape[0]
    hits = (indices == label).any(1)
    correct = hits.sum(dtype=torch.int32).reshape(1)
    total = torch.full((1,), rows, dtype=torch.int32, device=label.device)
    return correct.to(torch.float32) / max(rows, 1), correct, total
