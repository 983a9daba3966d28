"""Whether a product is faster by bytes than in floats on this machine, measured once a size.

What is found goes to the file of :mod:`paddle.core.tuning`. ``FLAGS_int8_tune=0`` measures nothing:
then products compute with bytes wherever they can.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from paddle.core import flags
from paddle.core.backends import backend_of, backend_on
from paddle.core.tuning import clock, kept
from paddle.ops.nn.conv_transpose import conv2d_transpose
from paddle.ops.nn.packed_conv import pack_conv2d_filter, packed_conv2d
from paddle.ops.nn.packed_linear import pack_linear_weight, packed_linear
from paddle.ops.nn.pool import pool2d
from paddle.ops.quantization import int8_matrices
from paddle.ops.quantization.int8_average import prepared_average
from paddle.ops.quantization.int8_onednn import bind_conv2d, bind_linear
from paddle.ops.quantization.int8_steps import HIGHEST, UNSIGNED, quantizer
from paddle.ops.quantization.int8_transposed import prepared_conv2d_transpose

_ROUNDS, _LONG = 6, 0.02  # measurements of one form; seconds after which there are no more
_USUAL: dict[str, Any] = {
    "strides": (1, 1), "paddings": (0, 0), "padding_algorithm": "EXPLICIT", "dilations": (1, 1),
    "groups": 1,
}  # fmt: skip
_WORTH = 0.97  # of the time in floats


class Place(NamedTuple):
    """Whether a product stands behind one that gives bytes, and before one that takes them."""

    behind: bool
    before: bool


def tuned() -> bool:
    """Says whether products are measured."""
    return bool(flags.get("FLAGS_int8_tune")) and not flags.get("FLAGS_cpu_deterministic")


def conv_gains(
    x: tuple[int, ...], filter: tuple[int, ...], window: dict[str, Any], at: Place
) -> bool:
    """Says whether a convolution is faster by bytes.

    Args:
        x (tuple): of the input; every size is known.
        filter (tuple): of the filter.
        window (dict): ``strides``, ``paddings``, ``padding_algorithm``, ``dilations`` and
            ``groups`` that are not usual.
        at (Place): where it stands.
    """
    window = {**_USUAL, **window}
    sizes = [n for name in ("strides", "paddings", "dilations") for n in window[name]]
    numbers = [*x, *filter, *sizes, window["groups"]]
    how = window["padding_algorithm"].removeprefix("EXPLICIT")

    def forms() -> tuple[Callable, Callable, torch.Tensor]:
        weight = torch.ones(filter)
        packed = pack_conv2d_filter.kernel(weight, **window)
        step, one = torch.full((filter[0],), 1e-3), torch.ones(1)
        form = {"zero": UNSIGNED, "top": HIGHEST, "out_zero": UNSIGNED, "out_top": HIGHEST}
        by_bytes = bind_conv2d(
            weight.to(torch.int8), step, step, one, one, shape=list(x), **window, **form
        )
        # As values lie between products: with their channels last.
        given = torch.ones(x).contiguous(memory_format=torch.channels_last)
        return by_bytes, lambda v: packed_conv2d.kernel(v, packed, step, None, **window), given

    return _gains(f"conv2d {' '.join(map(str, numbers))}{how}", forms, at)


def transposed_gains(
    x: tuple[int, ...], filter: tuple[int, ...], window: dict[str, Any], at: Place
) -> bool:
    """Says whether a transposed convolution is faster by bytes.

    Args:
        x (tuple): of the input; every size is known.
        filter (tuple): of the filter.
        window (dict): ``strides``, ``paddings`` and ``output_padding``.
        at (Place): where it stands.
    """
    numbers = [*x, *filter, *(n for value in window.values() for n in value)]

    def forms() -> tuple[Callable, Callable, torch.Tensor]:
        step, one = torch.full((filter[1],), 1e-3), torch.ones(1)
        weight = torch.ones(filter, dtype=torch.int8)
        form = {"zero": UNSIGNED, "top": HIGHEST, "out_zero": UNSIGNED, "out_top": HIGHEST}
        by_bytes = prepared_conv2d_transpose(
            weight, step, step, one, one, shape=list(x), **window, **form
        )
        packed = pack_conv2d_filter.kernel(weight.float(), transposed=True)
        given = torch.ones(x).contiguous(memory_format=torch.channels_last)
        return by_bytes, lambda v: conv2d_transpose.kernel(v, packed, step, **window), given

    return _gains(f"conv2d_transpose {' '.join(map(str, numbers))}", forms, at)


def average_gains(x: tuple[int, ...], pool: dict[str, Any], at: Place) -> bool:
    """Says whether an average pool is faster by bytes.

    Args:
        x (tuple): of the input; every size is known.
        pool (dict): attributes of ``int8_avg_pool2d``.
        at (Place): where it stands.
    """
    numbers = [*x, *(n for value in pool.values() if isinstance(value, list) for n in value)]
    words = [value for value in pool.values() if isinstance(value, str)]

    def forms() -> tuple[Callable, Callable, torch.Tensor]:
        one, form = torch.ones(1), {"zero": UNSIGNED, "top": HIGHEST}
        form |= {f"out_{key}": value for key, value in form.items()}
        by_bytes = prepared_average(one, one, **pool, **form)
        plain = pool | {"pooling_type": "avg", "exclusive": False}
        given = torch.ones(x).contiguous(memory_format=torch.channels_last)
        return by_bytes, lambda v: pool2d.kernel(v, **plain), given

    return _gains(f"average {' '.join(map(str, [*numbers, *words]))}", forms, at)


def linear_gains(rows: int, weight: tuple[int, ...], at: Place, device: str = "cpu") -> bool:
    """Says whether a product of rows by a matrix is faster by bytes.

    Args:
        rows (int): how many.
        weight (tuple): of the matrix.
        at (Place): where it stands.
        device (str): the kind of device, as torch calls it. Default: "cpu".
    """
    record = backend_on(torch.device(device))

    def forms() -> tuple[Callable, Callable, torch.Tensor]:
        matrix = torch.ones(weight, device=device)
        step, one = matrix.new_full((weight[1],), 1e-3), matrix.new_ones(1)
        bind = bind_linear if record.tuned_forms else int8_matrices.bind_linear
        by_bytes = bind(matrix.to(torch.int8), step, step, one, one)
        given = matrix.new_ones(rows, weight[0])
        if not record.tuned_forms:
            return by_bytes, lambda v: torch.addmm(step, v, matrix), given
        packed = pack_linear_weight.kernel(matrix)
        return by_bytes, lambda v: packed_linear.kernel(v, packed, step, None), given

    where = "" if record.host else f" {device}"
    return _gains(f"linear {rows} {weight[0]} {weight[1]}{where}", forms, at)


def _gains(
    name: str, forms: Callable[[], tuple[Callable, Callable, torch.Tensor]], at: Place
) -> bool:
    """Measures both ways, with the steps on the side where bytes would have to be made."""
    place = "".join(f" {word}" for word, on in zip(Place._fields, at, strict=True) if on)
    return kept(f"int8 {name}{place}", lambda: _measured(forms, at)) == "bytes"


def _measured(forms: Callable[[], tuple[Callable, Callable, torch.Tensor]], at: Place) -> str:
    by_bytes, in_floats, x = forms()
    wait = backend_of(x).synchronize
    quantize = quantizer(x.new_ones(1), UNSIGNED, HIGHEST)
    made = quantize(x)
    ways: list[Callable] = [
        (lambda: by_bytes(made)) if at.behind else (lambda: by_bytes(quantize(x))),
        (lambda: quantize(in_floats(x))) if at.before else (lambda: in_floats(x)),
    ]
    times = [math.inf, math.inf]
    with torch.inference_mode():
        for way in ways:  # the first call packs, and asks oneDNN for its code
            way()
        begin = clock()
        for _ in range(_ROUNDS):
            for i, way in enumerate(ways):
                wait()
                start = clock()
                way()
                wait()
                times[i] = min(times[i], clock() - start)
            if clock() - begin > _LONG:
                break
    return "bytes" if times[0] < _WORTH * times[1] else "floats"
