"""Random values for every element of an input: Gumbel softmax, RReLU, Poisson."""

from __future__ import annotations

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import in_range
from paddle.core.op import op
from paddle.ops.random.draws import generator

# -- noise ----------------------------------------------------------------------------------------


@op("gumbel_softmax", "X -> Out", infer="same", dtypes="floats", random=True)
def gumbel_softmax(x, *, temperature=1.0, hard=False, axis=-1):
    """Draws from categories, softly, https://arxiv.org/abs/1611.01144; ``hard``: ones and zeros."""
    if temperature <= 0:
        raise InvalidArgumentError(
            f"gumbel_softmax: temperature is expected to be positive, but received {temperature}."
        )
    place = in_range(axis, x.dim())
    waiting = torch.empty_like(x).exponential_(generator=generator(x.device))
    least = torch.finfo(x.dtype).tiny
    soft = torch.softmax((x - torch.log(waiting.clamp(min=least))) / temperature, place)
    if not hard or not soft.numel():
        return soft
    best = torch.argmax(soft, place, keepdim=True)
    return torch.zeros_like(soft).scatter(place, best, 1.0)


@gumbel_softmax.grad("Out")
def _(d_out, out, *, temperature, axis):
    """By what was drawn, so that ``hard`` has the gradient 0, as PaddlePaddle has it."""
    inner = torch.sum(d_out * out, axis, keepdim=True)
    return out * (d_out - inner) / temperature


@op("rrelu", "X -> Out Noise~", infer="same", dtypes="floats", random=True)
def rrelu(x, *, is_test=False, lower=0.125, upper=0.3333333432674408):
    """Negative elements times a random slope, or the middle one in a test; Noise: the factors."""
    if not 0 <= lower <= upper <= 1:
        raise InvalidArgumentError(
            f"rrelu: expected slopes 0 <= lower <= upper <= 1, but received {lower} and {upper}."
        )
    if is_test:
        slope = torch.full_like(x, (lower + upper) / 2)
    else:
        slope = torch.empty_like(x).uniform_(lower, upper, generator=generator(x.device))
    noise = torch.where(x < 0, slope, torch.ones_like(slope))
    return x * noise, noise


@rrelu.grad("Noise")
def _(d_out, noise):
    return d_out * noise


# -- draws that take no more than shape and rates from the input ----------------------------------


@op("poisson", "X -> Out", infer="same", dtypes="floats", random=True)
def poisson(x):
    """Counts of events whose mean number is x."""
    if not x.is_meta and x.numel() and not bool((x >= 0).all()):
        raise InvalidArgumentError(
            f"poisson: expected no negative rates, but received {float(x.min())}."
        )
    return torch.poisson(x, generator=generator(x.device))


@op("uniform_random_inplace", "X -> Out", infer="same", dtypes="floats", random=True)
def uniform_random_inplace(x, *, min=-1.0, max=1.0, seed=0, diag_num=0, diag_step=0, diag_val=1.0):
    """Uniform numbers in place of those of X."""
    if max < min:
        raise InvalidArgumentError(
            "uniform_random_inplace: min is expected to be no larger than max, but received "
            f"{min} and {max}."
        )
    out = torch.empty_like(x).uniform_(min, max, generator=generator(x.device, seed))
    if diag_num:
        place = torch.arange(diag_num, device=x.device) * (diag_step + 1)
        if (diag_num - 1) * (diag_step + 1) >= x.numel():
            raise InvalidArgumentError(
                f"uniform_random_inplace: expected {diag_num} places {diag_step + 1} apart among "
                f"{x.numel()} elements."
            )
        flat = out.reshape(-1)
        out = flat.index_fill(0, place, diag_val).reshape(x.shape)
    return out


@op("gaussian_inplace", "x -> out", infer="same", dtypes="floats", random=True)
def gaussian_inplace(x, *, mean=0.0, std=1.0, seed=0):
    """Numbers of a normal distribution in place of those of x."""
    noise = torch.empty_like(x).normal_(generator=generator(x.device, seed))
    return noise * std + mean


def _nothing(d_out):
    """What is drawn is constant for the one who draws."""
    return torch.zeros_like(d_out)


for _drawn in (poisson, uniform_random_inplace, gaussian_inplace):
    _drawn.grad()(_nothing)
