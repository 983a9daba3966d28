"""Fused forms that 1.8's passes put into Programs for inference."""

from __future__ import annotations

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op


def _repeated_rule(inputs: list, attrs: dict) -> list:
    x, weights, _ = inputs
    return [
        [Spec((x.shape[0], w.shape[1]), x.dtype) for w in weights[:-1]],
        Spec((x.shape[0], weights[-1].shape[1]), x.dtype),
    ]


@op(
    "fusion_repeated_fc_relu",
    "X W* Bias* -> ReluOut*~ Out",
    infer=_repeated_rule,
    differentiable=False,
    dtypes="floats",
)
def fusion_repeated_fc_relu(x, weights, biases):
    """Several layers with relu, one after the other."""
    if len(weights) < 2 or len(weights) != len(biases):
        raise InvalidArgumentError(
            "fusion_repeated_fc_relu: expected at least 2 W and as many Bias, but received "
            f"{len(weights)} and {len(biases)}."
        )
    found = []
    for weight, bias in zip(weights, biases, strict=True):
        if x.dim() != 2 or weight.dim() != 2 or x.shape[1] != weight.shape[0]:
            raise InvalidArgumentError(
                "fusion_repeated_fc_relu: expected matrices X [N, in] and W [in, out], but "
                f"received {list(x.shape)} and {list(weight.shape)}."
            )
        x = torch.relu(torch.addmm(bias.reshape(1, -1), x, weight))
        found.append(x)
    return found[:-1], found[-1]


def _squared_rule(inputs: list, attrs: dict) -> list:
    x, y = inputs
    if len(x.shape) != 2 or len(y.shape) != 2 or x.shape[1] != y.shape[0] != -1 != x.shape[1]:
        raise _no_product(x, y)
    out = Spec((x.shape[0], y.shape[1]), x.dtype)
    return [x, y, out, out]


def _no_product(x, y) -> InvalidArgumentError:
    return InvalidArgumentError(
        "fusion_squared_mat_sub: expected matrices X [m, k] and Y [k, n], but received "
        f"{list(x.shape)} and {list(y.shape)}."
    )


@op(
    "fusion_squared_mat_sub",
    "X Y -> SquaredX~ SquaredY~ SquaredXY~ Out",
    infer=_squared_rule,
    differentiable=False,
    dtypes="floats",
)
def fusion_squared_mat_sub(x, y, *, scalar=1.0):
    """``scalar * ((x @ y)**2 - x**2 @ y**2)``, as factorization machines have it."""
    if x.dim() != 2 or y.dim() != 2 or x.shape[1] != y.shape[0]:
        raise _no_product(x, y)
    a, b, c = torch.square(x), torch.square(y), torch.square(x @ y)
    return a, b, c, (c - a @ b) * scalar
