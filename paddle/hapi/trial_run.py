"""Running a network once to look at it, without leaving a trace."""

from __future__ import annotations

import contextlib
from collections.abc import Container, Iterator
from typing import Any

import numpy as np

from paddle import static, tensor
from paddle.core import random, unique_name
from paddle.core.dtype import dtype_name, get_default_dtype
from paddle.core.errors import ArgumentTypeError, InvalidArgumentError
from paddle.core.mode import no_grad
from paddle.core.tensor import Tensor
from paddle.framework.mode import in_dynamic_mode
from paddle.ir.variable import Variable
from paddle.nn import Layer
from paddle.static import InputSpec


def check_network(where: str, net: Any) -> None:
    """Raises TypeError unless ``net`` is a Layer."""
    if not isinstance(net, Layer):
        raise TypeError(f"{where}(net): expected a paddle.nn.Layer, got {type(net).__name__}.")


def _is_shape(size: Any) -> bool:
    return isinstance(size, (list, tuple)) and all(
        s is None or (isinstance(s, (int, np.integer)) and not isinstance(s, bool)) for s in size
    )


def _one(where: str, size: Any, dtype: Any) -> Tensor:
    """Makes an input of a shape: ones, or zeros of an integer type, which any table can look up."""
    if isinstance(size, (InputSpec, Tensor)):
        shape, kind = list(size.shape), dtype or dtype_name(size.dtype)
    else:
        shape, kind = [size] if isinstance(size, int) else list(size), dtype
    kind = dtype_name(kind or get_default_dtype())
    fixed = [1 if s is None or s == -1 else int(s) for s in shape]
    if any(s <= 0 for s in fixed):
        raise InvalidArgumentError(
            f"{where}(input_size): expected sizes above 0, or None or -1 for one that varies, "
            f"but received {size}."
        )
    return tensor.full(fixed, 1 if kind.startswith(("float", "bfloat")) else 0, dtype=kind)


def make_inputs(where: str, input_size: Any, dtypes: Any = None) -> list:
    """Makes the arguments of a network's forward.

    Args:
        where (str): who asks, for messages.
        input_size: a shape (tuple, list of ints, int) or InputSpec; a list or tuple of these for
            several arguments; a dict of these for one argument that is a dict; a list inside of
            the list for one argument that is a list.
        dtypes (str|list, optional): element types of the inputs in their order.
    """
    kinds = iter(dtypes) if isinstance(dtypes, (list, tuple)) else None

    def kind() -> Any:
        return dtypes if kinds is None else next(kinds, None)

    def build(size: Any) -> Any:
        if isinstance(size, (InputSpec, Tensor)) or _is_shape(size):
            return _one(where, size, kind())
        if isinstance(size, int) and not isinstance(size, bool):
            return _one(where, size, kind())
        if isinstance(size, dict):
            return {name: build(one) for name, one in size.items()}
        if isinstance(size, (list, tuple)):
            return [build(one) for one in size]
        raise ArgumentTypeError(
            f"{where}(input_size): expected a tuple of ints, an InputSpec, or a list or dict of "
            f"these, got {type(size).__name__}: {size!r}."
        )

    made = build(input_size)
    return made if isinstance(made, list) else [made]


def leaves(value: Any) -> Iterator[Any]:
    """Goes through the Tensors (in static mode Variables) in nested lists, tuples and dicts."""
    if isinstance(value, (Tensor, Variable)):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from leaves(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from leaves(part)


def shapes(value: Any) -> Any:
    """Returns the shapes of Tensors or Variables, nested as they are."""
    if isinstance(value, (Tensor, Variable)):
        return list(value.shape)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        found = [shapes(part) for part in value if part is not None]
        return [one for one in found if one is not None]
    return None


def _has_no_value(value: Any) -> bool:
    return value is None or isinstance(value, Variable)


def own_tensors(layer: Layer, ran: Container[int] = ()) -> list[Any]:
    """Returns the parameters, and the buffers that are kept in files, of the layer itself.

    Args:
        layer (Layer): the layer.
        ran (container): ids of layers that ran; what they hold is left out. LSTM and its like hold
            what is in their cells, which do not run.
    """
    inside = {id(t) for child in layer.sublayers() if id(child) in ran for t in own_tensors(child)}
    left_out = layer._non_persistable_buffer_names_set
    kept = [t for name, t in layer._buffers.items() if name not in left_out]
    held = [t for t in [*layer._parameters.values(), *kept] if t is not None]
    return [t for t in held if id(t) not in inside]


@contextlib.contextmanager
def nowhere() -> Iterator[None]:
    """In static mode, what is recorded inside goes into a copy of the Program, which is dropped."""
    if in_dynamic_mode():
        yield
        return
    copies = static.default_main_program().clone(), static.default_startup_program().clone()
    with static.program_guard(*copies), unique_name.guard("probe"):
        yield


@contextlib.contextmanager
def undisturbed(net: Layer) -> Iterator[list]:
    """Evaluation mode inside; afterwards modes, buffers, random numbers are what they were.

    Gives a list to put hook handles in; the hooks are removed at the end.
    """
    layers = [net, *net.sublayers()]
    modes = [(layer, layer.training) for layer in layers]
    buffers = [
        (layer, name, value, None if _has_no_value(value) else value.clone().detach())
        for layer in layers
        for name, value in layer._buffers.items()
    ]
    generator = random.default_generator()
    state = generator.get_state()
    handles: list = []
    net.eval()
    try:
        with no_grad():
            yield handles
    finally:
        for handle in handles:
            handle.remove()
        for layer, training in modes:
            layer.training = training
        for layer, name, value, kept in buffers:
            layer._buffers[name] = value
            if kept is not None:
                value.set_value(kept)
        generator.set_state(state)
