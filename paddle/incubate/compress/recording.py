"""A Layer as Programs, in training and in evaluation, by what paddle.jit.to_static records."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.core.pytree import leaves
from paddle.core.tensor import Tensor
from paddle.incubate.compress.step import View
from paddle.ir.variable import Variable
from paddle.jit.api import to_static
from paddle.jit.calls.static_function import StaticFunction
from paddle.nn import Layer
from paddle.static import InputSpec


def input_specs(layer: Layer, inputs: Any, where: str) -> list[Any]:
    """Returns what a Layer takes, as InputSpecs.

    Args:
        layer (Layer): whose forward is asked for if ``inputs`` is None.
        inputs: a shape, or a list of shapes, InputSpecs, Tensors or arrays.
        where (str): the function that is called, for error texts.

    Raises:
        TypeError: it is something else.
        ValueError: it is missing.
    """
    if inputs is None:
        function = layer.forward
        if not isinstance(function, StaticFunction):
            raise InvalidArgumentError(
                f"{where}(inputs): expected the shapes of the Layer's inputs, but received None.",
                hint="give inputs=[1, 3, 224, 224], or a list of InputSpecs or example Tensors",
            )
        return [InputSpec(list(v.shape), v.dtype) for v in function.concrete_program_for().inputs]
    if isinstance(inputs, (InputSpec, Tensor, np.ndarray)) or _is_shape(inputs):
        inputs = [inputs]
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise TypeError(
            f"{where}(inputs): expected a shape, or a list of shapes, InputSpecs or Tensors, "
            f"but received {inputs!r}."
        )
    return [_spec(item, where) for item in inputs]


def _is_shape(value: Any) -> bool:
    return (
        isinstance(value, (list, tuple))
        and len(value) > 0
        and all(n is None or (isinstance(n, int) and not isinstance(n, bool)) for n in value)
    )


def _spec(item: Any, where: str) -> Any:
    if _is_shape(item):
        return InputSpec([None if n is None or n < 0 else n for n in item], "float32")
    if isinstance(item, (Tensor, np.ndarray)):
        return InputSpec(list(item.shape), item.dtype)
    if isinstance(item, InputSpec):
        return item
    raise TypeError(
        f"{where}(inputs): expected shapes, InputSpecs or Tensors, "
        f"but received {type(item).__name__}."
    )


def views_of(layer: Layer, specs: list[Any]) -> list[View]:
    """Returns the Programs of a Layer: one of training, and last that of evaluation.

    Args:
        layer (Layer): stays as it is.
        specs (list): from :func:`input_specs`.
    """
    names = {id(tensor): name for name, tensor in tensors_of(layer).items()}
    return [_view(layer, specs, names, training) for training in (True, False)]


def tensors_of(layer: Layer) -> dict[str, Tensor]:
    """Returns parameters and buffers by their names in a Layer; each Tensor once."""
    found = [*layer.named_parameters(), *layer.named_buffers()]
    seen: dict[int, str] = {}
    return {n: t for n, t in found if t is not None and seen.setdefault(id(t), n) == n}


def _view(layer: Layer, specs: list[Any], names: Mapping[int, str], training: bool) -> View:
    forward = layer.forward
    if isinstance(forward, StaticFunction):
        forward = forward.dygraph_function
    with mode(layer, training), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the conversion; what matters fails
        recorded = to_static(forward, specs).concrete_program_for()
    outputs = [v.name for v in leaves(recorded.outputs) if isinstance(v, Variable)]
    stored = {name: names[id(t)] for name, t in recorded.tensors.items() if id(t) in names}
    return View(recorded.main_program, stored, outputs)


@contextlib.contextmanager
def mode(layer: Layer, training: bool) -> Iterator[None]:
    """In training or evaluation mode inside; afterwards all sublayers are as they were.

    Args:
        layer (Layer): the outermost one.
        training (bool): which mode.
    """
    layers = [layer, *layer.sublayers()]
    before = [each.training for each in layers]
    layer.train() if training else layer.eval()
    try:
        yield
    finally:
        for each, was in zip(layers, before, strict=True):
            each.training = was
