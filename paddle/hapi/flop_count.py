"""flops: how many multiplications and additions a network does for an input."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from paddle import nn
from paddle.core.guards import guard_module
from paddle.hapi import trial_run
from paddle.nn import Layer

__all__ = ["flops"]


def _size(y: Any) -> int:
    return sum(math.prod(t.shape) for t in trial_run.leaves(y))


# The formulas, on sizes; paddle.incubate.compress counts Programs by them too.


def of_convolution(results: int, weights: int, bias: bool) -> int:
    """Operations of a convolution.

    Args:
        results (int): how many values it makes.
        weights (int): how many weights each of them takes.
        bias (bool): whether a bias is added.
    """
    return results * (weights + int(bias))


def of_product(results: int, depth: int) -> int:
    """Operations of a product of matrices; a bias is not counted.

    Args:
        results (int): how many values it makes.
        depth (int): how many products each of them adds up.
    """
    return results * depth


def of_batch_norm(values: int) -> int:
    """Operations of a batch norm.

    Args:
        values (int): how many values it normalizes.
    """
    return 2 * values


def of_adaptive_pool(results: int, window: int) -> int:
    """Operations of an average over windows.

    Args:
        results (int): how many averages.
        window (int): of how many values.
    """
    return results * (window + 1)


def _conv(layer: Any, x: Any, y: Any) -> int:
    kernel = math.prod(layer.weight.shape[2:])
    weights = layer._in_channels // layer._groups * kernel
    return of_convolution(_size(y), weights, layer.bias is not None)


def _linear(layer: Any, x: Any, y: Any) -> int:
    return of_product(_size(y), layer.weight.shape[0])


def _batch_norm(layer: Any, x: Any, y: Any) -> int:
    return of_batch_norm(_size(x[0]))


def _adaptive_pool(layer: Any, x: Any, y: Any) -> int:
    window = math.prod(a // b for a, b in zip(x[0].shape[2:], y.shape[2:], strict=True))
    return of_adaptive_pool(_size(y), window)


def _each_value(layer: Any, x: Any, y: Any) -> int:
    return _size(y)


def _nothing(layer: Any, x: Any, y: Any) -> int:
    return 0


# What is counted is part of the interface: other layers, such as Softmax, count as zero.
_COUNTERS: dict[type, Callable[[Any, Any, Any], int]] = {
    nn.Conv1D: _conv,
    nn.Conv2D: _conv,
    nn.Conv3D: _conv,
    nn.Conv1DTranspose: _conv,
    nn.Conv2DTranspose: _conv,
    nn.Conv3DTranspose: _conv,
    nn.BatchNorm2D: _batch_norm,
    nn.BatchNorm: _batch_norm,
    nn.ReLU: _nothing,
    nn.ReLU6: _nothing,
    nn.LeakyReLU: _each_value,
    nn.Linear: _linear,
    nn.Dropout: _nothing,
    nn.AvgPool1D: _each_value,
    nn.AvgPool2D: _each_value,
    nn.AvgPool3D: _each_value,
    nn.AdaptiveAvgPool1D: _adaptive_pool,
    nn.AdaptiveAvgPool2D: _adaptive_pool,
    nn.AdaptiveAvgPool3D: _adaptive_pool,
}


class _Count:
    """What is known of a layer after the run."""

    def __init__(self, layer: Layer) -> None:
        self.layer = layer
        self.ops = 0
        self.inputs: Any = None
        self.outputs: Any = None
        self.params = 0


def flops(
    net: Layer, input_size: Any, custom_ops: dict | None = None, print_detail: bool = False
) -> int:
    """Counts the operations of a network's forward pass and prints their number.

    A multiplication with the addition that follows it counts as one. Convolutions, Linear,
    BatchNorm2D, average pooling and LeakyReLU are counted; other layers count as zero, and a line
    says so.

    Args:
        net (Layer): the network; it stays as it is.
        input_size (list|tuple): shape of the input; None counts as 1. A list of shapes for several
            inputs.
        custom_ops (dict, optional): class of a layer: function ``f(layer, x, y)`` that adds to
            ``layer.total_ops``; ``x`` is the tuple of inputs, ``y`` the output.
        print_detail (bool): print a table of the layers. Default: False.

    Returns:
        int: the number of operations.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.flops(paddle.vision.models.LeNet(), [1, 1, 28, 28]))  # 347560
    """
    trial_run.check_network("flops", net)
    if custom_ops is not None and not isinstance(custom_ops, dict):
        raise TypeError(
            "flops(custom_ops): expected a dict of layer classes and functions, "
            f"got {type(custom_ops).__name__}."
        )
    with trial_run.nowhere():
        counts = _run(net, trial_run.make_inputs("flops", input_size), custom_ops or {})
    total = int(sum(count.ops for count in counts))
    params = int(sum(count.params for count in counts))
    if print_detail:
        print(_table(counts))
    print(f"Total Flops: {total}     Total Params: {params}")
    return total


def _run(net: Layer, inputs: list, custom: dict) -> list[_Count]:
    layers = [net, *net.sublayers()]
    basic = [layer for layer in layers if not layer.sublayers() or trial_run.own_tensors(layer)]
    counts = {id(layer): _Count(layer) for layer in basic}
    ran: set[int] = set()

    def note(layer: Layer, x: Any, y: Any) -> None:
        count = counts[id(layer)]
        count.inputs, count.outputs = trial_run.shapes(x[0] if x else None), trial_run.shapes(y)
        count.params = sum(math.prod(t.shape) for t in trial_run.own_tensors(layer, ran))
        ran.add(id(layer))
        own = custom.get(type(layer))
        if own is None:
            count.ops += _COUNTERS.get(type(layer), _nothing)(layer, x, y)
            return
        layer.total_ops = 0  # the user's function adds to it
        try:
            own(layer, x, y)
            count.ops += int(layer.total_ops)
        finally:
            del layer.total_ops

    for kind in dict.fromkeys(type(layer) for layer in basic):
        _announce(kind, custom)
    with trial_run.undisturbed(net) as handles:
        handles += [layer.register_forward_post_hook(note) for layer in basic]
        net(*inputs)
    return [count for count in counts.values() if count.outputs is not None]


def _announce(kind: type, custom: dict) -> None:
    if kind in custom:
        print(f"Customize Function has been applied to {kind}")
    elif kind in _COUNTERS:
        print(f"{kind}'s flops has been counted")
    else:
        print(f"Cannot find suitable count function for {kind}. Treat it as zero FLOPs.")


def _table(counts: list[_Count]) -> str:
    lines = [("Layer Name", "Input Shape", "Output Shape", "Params", "Flops")]
    for count in counts:
        name = count.layer.full_name()
        lines.append(
            (name, str(count.inputs), str(count.outputs), str(count.params), str(int(count.ops)))
        )
    widths = [max(len(line[i]) for line in lines) + 2 for i in range(5)]
    rule = "+" + "+".join("-" * width for width in widths) + "+"
    body = ["|" + "|".join(t.center(w) for t, w in zip(line, widths)) + "|" for line in lines]
    return "\n".join([rule, body[0], rule, *body[1:], rule])


guard_module(globals())
