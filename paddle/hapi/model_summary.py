"""summary: a table of a network's layers, their shapes and their numbers of parameters."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from paddle.core.guards import guard_module
from paddle.hapi import trial_run
from paddle.nn import Layer, Sequential

__all__ = ["summary"]

_HEADS = ("Layer (type)", "Input Shape", "Output Shape", "Param #")
_CONTAINERS = (Sequential.forward, Layer.forward)  # LayerList has none of its own; LSTM is one
_WIDTHS = (15, 20, 20, 15)
_MIB = 1024.0**2


class _Row(NamedTuple):
    name: str
    inputs: Any
    outputs: Any
    params: int
    trainable: int
    values: int  # numbers in the outputs


def summary(net: Layer, input_size: Any, dtypes: Any = None) -> dict[str, int]:
    """Prints the layers of a network in the order in which they finish their work.

    The network runs once, in evaluation mode and without gradients; its mode, its buffers and the
    random numbers that come next stay as they are. Layers that do not run are not listed.
    Containers (Sequential, LayerList) are not listed, their contents are.

    Args:
        net (Layer): the network.
        input_size (tuple|InputSpec|list|dict): shape of the input, where None or -1 stands for a
            size that varies and counts as 1; a list for several inputs; a dict for an input that
            is a dict.
        dtypes (str|list, optional): element types of the inputs; None means the default type, or
            what an InputSpec says.

    Returns:
        dict: ``total_params`` and ``trainable_params``.

    Raises:
        TypeError: ``net`` is no Layer, or ``input_size`` is none of these.
        ValueError: a size is not above 0.

    Examples:
        .. code-block:: python

            import paddle
            net = paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.ReLU())
            print(paddle.summary(net, (2, 4)))  # {'total_params': 40, 'trainable_params': 40}
    """
    trial_run.check_network("summary", net)
    with trial_run.nowhere():
        inputs = trial_run.make_inputs("summary", input_size, dtypes)
        rows = _run(net, inputs)
    total = sum(row.params for row in rows)
    trainable = sum(row.trainable for row in rows)
    entered = sum(math.prod(t.shape) for t in trial_run.leaves(inputs))
    print(_table(rows, total, trainable, entered))
    return {"total_params": total, "trainable_params": trainable}


def _run(net: Layer, inputs: list) -> list[_Row]:
    rows: dict[int, _Row] = {}

    def note(layer: Layer, given: Any, made: Any) -> None:
        if id(layer) in rows:
            return  # a layer that is used again keeps the shapes of its first use
        own = trial_run.own_tensors(layer, rows)
        sizes = [(math.prod(t.shape), t.is_parameter and t.trainable) for t in own]
        rows[id(layer)] = _Row(
            name=f"{type(layer).__name__}-{_number(layer)}",
            inputs=trial_run.shapes(given),
            outputs=trial_run.shapes(made),
            params=sum(size for size, _ in sizes),
            trainable=sum(size for size, trained in sizes if trained),
            values=sum(math.prod(t.shape) for t in trial_run.leaves(made)),
        )

    with trial_run.undisturbed(net) as handles:
        for layer in [net, *net.sublayers()]:
            if layer is net:
                listed = not layer.sublayers() or bool(trial_run.own_tensors(layer))
            else:
                listed = type(layer).forward not in _CONTAINERS
            if listed:
                handles.append(layer.register_forward_post_hook(note))
        net(*inputs)
    return list(rows.values())


def _number(layer: Layer) -> int:
    """Which of its kind a layer is in this process, from 1, as its full name counts."""
    digits = layer.full_name().rpartition("_")[2]
    return int(digits) + 1 if digits.isdigit() else 1


def _table(rows: list[_Row], total: int, trainable: int, entered: int) -> str:
    cells = [(r.name, str(r.inputs), str(r.outputs), f"{r.params:,}") for r in rows]
    widths = [
        max(least, *(len(line[i]) for line in cells)) if cells else least
        for i, least in enumerate(_WIDTHS)
    ]
    names, given, made, params = widths
    thin, thick = "-" * (sum(widths) + 5), "=" * (sum(widths) + 5)

    def line(parts: tuple[str, ...]) -> str:
        a, b, c, d = parts
        return f"{a:^{names}} {b:^{given}} {c:^{made}} {d:^{params}}"

    entered_mib = entered * 4 / _MIB
    passed_mib = 2 * sum(r.values for r in rows) * 4 / _MIB  # forward and backward
    params_mib = total * 4 / _MIB
    return "\n".join(
        [
            thin,
            line(_HEADS),
            thick,
            *(line(cell) for cell in cells),
            thick,
            f"Total params: {total:,}",
            f"Trainable params: {trainable:,}",
            f"Non-trainable params: {total - trainable:,}",
            thin,
            f"Input size (MB): {entered_mib:.2f}",
            f"Forward/backward pass size (MB): {passed_mib:.2f}",
            f"Params size (MB): {params_mib:.2f}",
            f"Estimated Total Size (MB): {entered_mib + passed_mib + params_mib:.2f}",
            thin,
            "",
        ]
    )


guard_module(globals())
