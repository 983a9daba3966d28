"""Random tensors by the device's generator or a seed: uniform, normal, integers, samples."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from paddle.core.backends import backend_on, holds
from paddle.core.dtype import VarType, torch_dtype
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.core.place import current_device
from paddle.core.random import torch_generator
from paddle.ops.manipulation.attribute_tensors import ints, known
from paddle.ops.manipulation.creation import batch_rule, batch_shape


def generator(device: torch.device, seed: int = 0) -> torch.Generator | None:
    """Returns what an operator draws from: the device's generator, or one started at ``seed``."""
    if device.type == "meta":
        return None
    if not seed:
        return torch_generator(device)
    return backend_on(device).generator(device).manual_seed(seed)


_STEPS = 1 << 16  # how finely kept_mask divides [0, 1)


def kept_mask(x: torch.Tensor, p: float, source: torch.Generator | None) -> torch.Tensor:
    """Returns a buffer like ``x`` that holds 0 with probability ``p``, else 1.

    In main memory, for many elements, 64 random bits serve four of them, and ``p`` is rounded to a
    multiple of 1 / 65536 (the range of ``p`` keeps that under a part in 1300 of p and 1 - p).
    One thread, 64x512: 252 -> 45 us; up to some 1000 elements ATen's own is faster.
    """
    size = x.numel()
    if size < 2048 or not holds.wide_draws(x) or not 0.01 <= p <= 0.99:
        return torch.empty_like(x).bernoulli_(1.0 - p, generator=source)
    bits = torch.empty((size + 3) // 4, dtype=torch.int64)
    bits.random_(-(1 << 63), None, generator=source)  # all 64 bits, not the 63 of the default
    numbers = bits.view(torch.int16)[:size].view(x.shape)
    kept = torch.empty(x.shape, dtype=x.dtype)
    return torch.ge(numbers, round(p * _STEPS) - _STEPS // 2, out=kept)


def _shape_rule(inputs: list, attrs: dict) -> list:
    shape = known(attrs["shape"], *inputs[-2:]) if inputs else list(attrs["shape"])
    return [Spec(tuple(shape) or (1,), VarType(attrs["dtype"]))]


def _floating(dtype: int) -> torch.dtype:
    """The type of numbers that are drawn from a continuous distribution."""
    kind = torch_dtype(dtype)
    if not kind.is_floating_point:
        raise InvalidArgumentError(
            f"random numbers of type {str(kind)[6:]} cannot be drawn from this distribution; "
            "expected float16, bfloat16, float32 or float64."
        )
    return kind


def _ordered(low: float, high: float) -> None:
    if high < low:
        raise InvalidArgumentError(
            f"uniform: min is expected to be no larger than max, but received {low} and {high}."
        )


def _below(low: int, high: int) -> None:
    if low >= high:
        raise InvalidArgumentError(
            f"randint: low is expected to be less than high, but received {low} and {high}."
        )


def _normal_rule(inputs: list, attrs: dict) -> list:
    _floating(attrs["dtype"])
    return _shape_rule(inputs, attrs)


def _uniform_rule(inputs: list, attrs: dict) -> list:
    _ordered(attrs["min"], attrs["max"])
    return _normal_rule(inputs, attrs)


def _randint_rule(inputs: list, attrs: dict) -> list:
    _below(attrs["low"], attrs["high"])
    return _shape_rule(inputs, attrs)


def _blank(shape: Sequence[int], dtype: int, device: torch.device | None = None) -> torch.Tensor:
    return torch.empty(list(shape), dtype=_floating(dtype), device=device or current_device())


def _normal(out: torch.Tensor, mean: float, std: float, seed: int) -> torch.Tensor:
    out.normal_(0.0, 1.0, generator=generator(out.device, seed))
    return out if (mean, std) == (0.0, 1.0) else out.mul_(std).add_(mean)


@op(
    "gaussian_random", "ShapeTensor? ShapeTensorList*? -> Out", infer=_normal_rule,
    differentiable=False, random=True,
)  # fmt: skip
def gaussian_random(
    shape_whole=None, shape_parts=None, *, shape=(), mean=0.0, std=1.0, seed=0, dtype=5
):
    return _normal(_blank(ints(shape, shape_whole, shape_parts), dtype), mean, std, seed)


def _uniform(out, low, high, seed, diag_num, diag_step, diag_val):
    _ordered(low, high)
    out.uniform_(low, high, generator=generator(out.device, seed))
    if diag_num:
        at = torch.arange(diag_num, device=out.device) * (diag_step + 1)
        out.view(-1)[at] = diag_val
    return out


@op(
    "uniform_random", "ShapeTensor? ShapeTensorList*? -> Out", infer=_uniform_rule,
    differentiable=False, random=True,
)  # fmt: skip
def uniform_random(
    shape_whole=None, shape_parts=None, *, shape=(), dtype=5, min=-1.0, max=1.0, seed=0,
    diag_num=0, diag_step=0, diag_val=1.0
):  # fmt: skip
    out = _blank(ints(shape, shape_whole, shape_parts), dtype)
    return _uniform(out, min, max, seed, diag_num, diag_step, diag_val)


@op(
    "uniform_random_batch_size_like",
    "Input -> Out",
    infer=batch_rule,
    differentiable=False,
    random=True,
)
def uniform_random_batch_size_like(
    input, *, shape, input_dim_idx=0, output_dim_idx=0, min=-1.0, max=1.0, seed=0, diag_num=0,
    diag_step=0, diag_val=1.0, dtype=5
):  # fmt: skip
    places = {"shape": shape, "input_dim_idx": input_dim_idx, "output_dim_idx": output_dim_idx}
    out = _blank(batch_shape(input.shape, places), dtype, input.device)
    return _uniform(out, min, max, seed, diag_num, diag_step, diag_val)


@op(
    "gaussian_random_batch_size_like",
    "Input -> Out",
    infer=batch_rule,
    differentiable=False,
    random=True,
)
def gaussian_random_batch_size_like(
    input, *, shape, input_dim_idx=0, output_dim_idx=0, mean=0.0, std=1.0, seed=0, dtype=5
):
    places = {"shape": shape, "input_dim_idx": input_dim_idx, "output_dim_idx": output_dim_idx}
    return _normal(_blank(batch_shape(input.shape, places), dtype, input.device), mean, std, seed)


@op("truncated_gaussian_random", "-> Out", infer=_normal_rule, differentiable=False, random=True)
def truncated_gaussian_random(*, shape, mean=0.0, std=1.0, seed=0, dtype=5):
    out = _blank(shape, dtype)
    edge = math.erf(2 / math.sqrt(2))  # the mass within two standard deviations
    out.uniform_(-edge, edge, generator=generator(out.device, seed))
    out.erfinv_().mul_(math.sqrt(2.0)).clamp_(-2.0, 2.0)
    return out.mul_(std).add_(mean)


@op(
    "randint",
    "ShapeTensor? ShapeTensorList*? -> Out",
    infer=_randint_rule,
    differentiable=False,
    random=True,
)
def randint(shape_whole=None, shape_parts=None, *, low, high, shape=(), dtype=3, seed=0):
    _below(low, high)
    device, size = current_device(), list(ints(shape, shape_whole, shape_parts))
    made = torch.randint(low, high, size, generator=generator(device, seed), device=device)
    return made.to(torch_dtype(dtype))


@op("randperm", "-> Out", differentiable=False,
    infer=lambda i, a: [Spec((a["n"],), VarType(a["dtype"]))], random=True)  # fmt: skip
def randperm(*, n, dtype=3, seed=0):
    device = current_device()
    made = torch.randperm(n, generator=generator(device, seed), device=device)
    return made.to(torch_dtype(dtype))


@op("bernoulli", "X -> Out", infer="same", differentiable=False, random=True)
def bernoulli(x):
    try:
        return torch.bernoulli(x, generator=generator(x.device))
    except RuntimeError as error:
        if "p_in" not in str(error):
            raise
        raise InvalidArgumentError(
            "bernoulli: probabilities are expected to be in range of [0, 1], but received values "
            f"from {float(x.min())} to {float(x.max())}."
        ) from error


def _multinomial_rule(inputs: list, attrs: dict) -> list:
    return [Spec((*inputs[0].shape[:-1], attrs["num_samples"]), VarType.INT64)]


@op("multinomial", "X -> Out", infer=_multinomial_rule, differentiable=False, random=True)
def multinomial(x, *, num_samples=1, replacement=False):
    if x.dim() not in (1, 2) or num_samples < 1:
        raise InvalidArgumentError(
            "multinomial: x is expected to have 1 or 2 dimensions and num_samples to be positive, "
            f"but received shape {list(x.shape)} and num_samples = {num_samples}."
        )
    if not x.is_meta:
        possible = int(torch.count_nonzero(x > 0, -1).min())
        if bool((x < 0).any()) or possible < (1 if replacement else num_samples):
            raise InvalidArgumentError(
                f"multinomial: {num_samples} categories cannot be drawn with replacement="
                f"{replacement}: every distribution is expected to have no negative weight, and "
                f"{'a' if replacement else f'at least {num_samples}'} positive one(s); the least "
                f"number of positive ones is {possible}."
            )
    return torch.multinomial(x, num_samples, replacement, generator=generator(x.device))


@op("exponential", "X -> Out", infer="same", differentiable=False, random=True)
def exponential(x, *, lambda_=1.0):
    return torch.empty_like(x).exponential_(lambda_, generator=generator(x.device))


@op("sampling_id", "X -> Out", lod="X", infer=lambda i, a: [Spec(i[0].shape[:1], VarType.INT64)],
    differentiable=False, random=True)  # fmt: skip
def sampling_id(x, *, min=0.0, max=1.0, seed=0):
    draw = torch.empty(x.shape[0], 1, dtype=x.dtype, device=x.device)
    draw.uniform_(min, max, generator=generator(x.device, seed))
    return (torch.cumsum(x, 1) < draw).sum(1).clamp(max=x.shape[1] - 1)
