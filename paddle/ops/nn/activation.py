"""Activation functions."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import REQUIRED, define, op
from paddle.core.traits import InPlace


def _relu_backward_into(d_out: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    return torch.ops.aten.threshold_backward.grad_input(d_out, out, 0, grad_input=d_out)


relu = define(
    "relu", "X -> Out", torch.relu, infer="same", inplace=InPlace(torch.relu_, any_dtype=True)
)


@relu.grad("Out", inplace=InPlace(_relu_backward_into))
def _(d_out, out):
    return torch.ops.aten.threshold_backward(d_out, out, 0)


tanh = define("tanh", "X -> Out", torch.tanh, infer="floating", inplace=InPlace(torch.tanh_))


@tanh.grad("Out")
def _(d_out, out):
    return torch.ops.aten.tanh_backward(d_out, out)


sigmoid = define(
    "sigmoid", "X -> Out", torch.sigmoid, infer="floating", inplace=InPlace(torch.sigmoid_)
)


@sigmoid.grad("Out")
def _(d_out, out):
    return torch.ops.aten.sigmoid_backward(d_out, out)


@op("logsigmoid", "X -> Out", infer="same")
def logsigmoid(x):
    return F.logsigmoid(x)


@logsigmoid.grad("X")
def _(d_out, x):
    return torch.mul(d_out, torch.sigmoid(torch.neg(x)))


@op(
    "relu6",
    "X -> Out",
    infer="same",
    inplace=InPlace(lambda x, threshold=6.0: F.hardtanh_(x, 0.0, threshold)),
)
def relu6(x, *, threshold=6.0):
    return F.hardtanh(x, 0.0, threshold)


@relu6.grad("X")
def _(d_out, x, *, threshold):
    return torch.ops.aten.hardtanh_backward(d_out, x, 0.0, threshold)


@op("brelu", "X -> Out", infer="same")
def brelu(x, *, t_min=0.0, t_max=24.0):
    return F.hardtanh(x, t_min, t_max)


@brelu.grad("X")
def _(d_out, x, *, t_min, t_max):
    return torch.ops.aten.hardtanh_backward(d_out, x, t_min, t_max)


@op("elu", "X -> Out", infer="same", inplace=InPlace(lambda x, alpha=1.0: F.elu_(x, alpha)))
def elu(x, *, alpha=1.0):
    return F.elu(x, alpha)


@elu.grad("X")
def _(d_out, x, *, alpha):
    return torch.ops.aten.elu_backward(d_out, alpha, 1.0, 1.0, False, x)


@op("selu", "X -> Out", infer="same")
def selu(x, *, scale=1.0507009873554805, alpha=1.6732632423543772):
    return torch.ops.aten.elu(x, alpha, scale, 1.0)


@selu.grad("X")
def _(d_out, x, *, scale, alpha):
    return torch.ops.aten.elu_backward(d_out, alpha, scale, 1.0, False, x)


@op("gelu", "X -> Out", infer="same", takes="floats")
def gelu(x, *, approximate=False):
    return F.gelu(x, approximate="tanh" if approximate else "none")


@gelu.grad("X")
def _(d_out, x, *, approximate):
    return torch.ops.aten.gelu_backward(d_out, x, approximate="tanh" if approximate else "none")


@op(
    "leaky_relu",
    "X -> Out",
    infer="same",
    inplace=InPlace(lambda x, alpha=0.02: F.leaky_relu_(x, alpha)),
)
def leaky_relu(x, *, alpha=0.02):
    return F.leaky_relu(x, alpha)


@leaky_relu.grad("X")
def _(d_out, x, *, alpha):
    return torch.ops.aten.leaky_relu_backward(d_out, x, alpha, False)


@op("hard_shrink", "X -> Out", infer="same")
def hard_shrink(x, *, threshold=0.5):
    return F.hardshrink(x, threshold)


@hard_shrink.grad("X")
def _(d_out, x, *, threshold):
    return torch.ops.aten.hardshrink_backward(d_out, x, threshold)


@op("softshrink", "X -> Out", infer="same")
def softshrink(x, *, lambda_=0.5):
    return F.softshrink(x, lambda_)


@softshrink.grad("X")
def _(d_out, x, *, lambda_):
    return torch.ops.aten.softshrink_backward(d_out, x, lambda_)


@op("tanh_shrink", "X -> Out", infer="floating")
def tanh_shrink(x):
    return torch.sub(x, torch.tanh(x))


@tanh_shrink.grad("X")
def _(d_out, x):
    return torch.mul(d_out, torch.square(torch.tanh(x)))


@op("thresholded_relu", "X -> Out", infer="same")
def thresholded_relu(x, *, threshold=1.0):
    return F.threshold(x, threshold, 0.0)


@thresholded_relu.grad("X")
def _(d_out, x, *, threshold):
    return torch.ops.aten.threshold_backward(d_out, x, threshold)


def _hard_sigmoid_into(x: torch.Tensor, slope: float = 0.2, offset: float = 0.5) -> torch.Tensor:
    return x.mul_(slope).add_(offset).clamp_(0.0, 1.0)


@op("hard_sigmoid", "X -> Out", infer="floating", inplace=InPlace(_hard_sigmoid_into))
def hard_sigmoid(x, *, slope=0.2, offset=0.5):
    return torch.clamp(torch.add(torch.mul(x, slope), offset), 0.0, 1.0)


@hard_sigmoid.grad("Out")
def _(d_out, out, *, slope):
    inside = torch.logical_and(torch.gt(out, 0.0), torch.lt(out, 1.0))
    return torch.mul(torch.mul(d_out, slope), inside)


@op(
    "hard_swish",
    "X -> Out",
    infer="floating",
    inplace=InPlace(
        lambda x: F.hardswish(x, inplace=True), {"threshold": 6.0, "scale": 6.0, "offset": 3.0}
    ),
)
def hard_swish(x, *, threshold=6.0, scale=6.0, offset=3.0):
    if threshold == 6.0 and scale == 6.0 and offset == 3.0:
        return F.hardswish(x)
    return torch.mul(x, torch.div(torch.clamp(torch.add(x, offset), 0.0, threshold), scale))


@hard_swish.grad("X")
def _(d_out, x, *, threshold, scale, offset):
    shifted = torch.add(x, offset)
    inside = torch.logical_and(torch.gt(shifted, 0.0), torch.lt(shifted, threshold))
    above = torch.mul(torch.ge(shifted, threshold).to(x.dtype), threshold)
    slope = torch.where(inside, torch.add(torch.mul(x, 2.0), offset), above)
    return torch.mul(d_out, torch.div(slope, scale))


@op("softplus", "X -> Out", infer="same")
def softplus(x, *, beta=1.0, threshold=20.0):
    return F.softplus(x, beta, threshold)


@softplus.grad("X")
def _(d_out, x, *, beta, threshold):
    return torch.ops.aten.softplus_backward(d_out, x, beta, threshold)


@op("softsign", "X -> Out", infer="floating")
def softsign(x):
    return torch.div(x, torch.add(torch.abs(x), 1.0))


@softsign.grad("X")
def _(d_out, x):
    return torch.div(d_out, torch.square(torch.add(torch.abs(x), 1.0)))


@op(
    "swish",
    "X -> Out",
    infer="floating",
    inplace=InPlace(lambda x: F.silu(x, inplace=True), {"beta": 1.0}),
)
def swish(x, *, beta=1.0):
    return F.silu(x) if beta == 1.0 else torch.mul(x, torch.sigmoid(torch.mul(x, beta)))


@swish.grad("X")
def _(d_out, x, *, beta):
    if beta == 1.0 and not (x.requires_grad or d_out.requires_grad):  # it has no derivative
        return torch.ops.aten.silu_backward(d_out, x)
    gate = torch.sigmoid(torch.mul(x, beta))
    return torch.mul(d_out, gate + beta * x * gate * (1 - gate))


def _slopes(x: torch.Tensor, alpha: torch.Tensor, mode: str) -> torch.Tensor:
    """Shapes the slopes of prelu so that they broadcast: one, one per channel, or per element."""
    if mode == "all":
        return alpha.reshape([1] * x.dim())
    if mode == "channel":
        return alpha.reshape([1, -1] + [1] * (x.dim() - 2))
    return alpha.reshape([1, *x.shape[1:]])


def _check_slopes(x, alpha, mode: str) -> None:
    """Refuses slopes that are not as many as the mode wants; a size of -1 is not known yet."""
    due = {"all": (), "channel": x.shape[1:2], "element": x.shape[1:]}.get(mode, (-1,))
    if -1 not in (*due, *alpha.shape) and math.prod(alpha.shape) != math.prod(due):
        raise InvalidArgumentError(
            f"expected Alpha to have {math.prod(due)} elements with mode {mode!r} for X of shape "
            f"{list(x.shape)}, but received shape {list(alpha.shape)}."
        )


def _prelu_rule(inputs, attrs):
    _check_slopes(inputs[0], inputs[1], attrs["mode"])
    return [inputs[0]]


@op("prelu", "X Alpha -> Out", lod="X", infer=_prelu_rule)
def prelu(x, alpha, *, mode="all"):
    _check_slopes(x, alpha, mode)
    return torch.where(torch.gt(x, 0), x, torch.mul(x, _slopes(x, alpha, mode)))


@prelu.grad("X Alpha")
def _(d_out, x, alpha, *, mode, needs_grad):
    positive = torch.gt(x, 0)
    slopes = _slopes(x, alpha, mode)
    d_x = torch.where(positive, d_out, torch.mul(d_out, slopes)) if needs_grad[0] else None
    d_alpha = None
    if needs_grad[1]:
        part = torch.where(positive, torch.zeros_like(x), torch.mul(d_out, x))
        d_alpha = part.sum_to_size(slopes.shape).reshape(alpha.shape)
    return d_x, d_alpha


@op("maxout", "X -> Out")
def maxout(x, *, groups=REQUIRED, axis=1):
    axis = axis % x.dim()
    shape = [*x.shape[:axis], x.shape[axis] // groups, groups, *x.shape[axis + 1 :]]
    return torch.amax(x.reshape(shape), axis + 1)


@op("softmax", "X -> Out", infer="same", takes="floats", amp="black")
def softmax(x, *, axis=-1):
    return torch.softmax(x, axis)


@softmax.grad("Out")
def _(d_out, out, *, axis):
    return torch.ops.aten._softmax_backward_data(d_out, out, axis, out.dtype)


@op("log_softmax", "X -> Out", infer="same", takes="floats", amp="black")
def log_softmax(x, *, axis=-1):
    return torch.log_softmax(x, axis)


@log_softmax.grad("Out")
def _(d_out, out, *, axis):
    return torch.ops.aten._log_softmax_backward_data(d_out, out, axis, out.dtype)
