"""Histograms of a model's weights and gradients."""

from __future__ import annotations

from typing import Any

from visualdl.component import checks

__all__ = ["log_model"]


def log_model(
    writer: Any,
    layer: Any,
    step: int,
    weights: bool = True,
    gradients: bool = True,
    buckets: int = 30,
    scale: float = 1.0,
) -> None:
    """Logs how the weights of a model and their gradients are distributed.

    Args:
        writer (LogWriter): what writes.
        layer (paddle.nn.Layer): the model; anything that has `named_parameters`.
        step (int): the step.
        weights (bool): whether to log `weights/<name>`.
        gradients (bool): whether to log `gradients/<name>` for those that have a gradient now.
        buckets (int): how many buckets a histogram has.
        scale (float): by what the gradients are multiplied, as in mixed precision; they are logged
            without it.

    Raises:
        ValueError: an argument is none of these.

    Examples:
        .. code-block:: python

            import paddle
            import visualdl

            layer = paddle.nn.Linear(4, 2)
            layer(paddle.ones([3, 4])).sum().backward()
            with visualdl.LogWriter("log/model_test") as writer:
                visualdl.log_model(writer, layer, step=0)
    """
    parameters = getattr(layer, "named_parameters", None)
    if not callable(parameters):
        raise ValueError(f"layer: expected a model with named_parameters, but got {layer!r}.")
    for name, parameter in parameters():
        name = name.replace(".", "/").replace("%", "_")
        if weights:
            writer.add_histogram(f"weights/{name}", parameter, step, buckets=buckets)
        gradient = getattr(parameter, "grad", None)
        if gradients and gradient is not None:
            if scale != 1:
                gradient = checks.array(gradient, name) / scale
            writer.add_histogram(f"gradients/{name}", gradient, step, buckets=buckets)
