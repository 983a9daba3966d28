"""weight_norm: a layer's weight is rebuilt before each call from a direction and lengths."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.mode import hooked, no_grad, recording
from paddle.core.op import C
from paddle.framework.param_attr import ParamAttr
from paddle.nn.initializer.base import Initializer
from paddle.nn.layer.layers import Layer

_SMALL = 1e-12  # keeps the length of a zero vector from being zero


def _lengths(v: Any, dim: int) -> Any:
    """The Euclidean length of each slice of ``v`` along ``dim``, or with -1 of the whole."""
    axes = [i for i in range(len(v.shape)) if i != dim]
    total = C.square(v)
    if axes:
        total = C.reduce_sum(total, dim=axes, keep_dim=False, reduce_all=dim == -1)
    return C.sqrt(C.scale(total, scale=1.0, bias=_SMALL))


class _LengthsOf(Initializer):
    """Gives a variable the lengths of another one, which the startup Program fills before."""

    def __init__(self, source: Any, dim: int) -> None:
        self._source, self._dim = source.name, dim

    def __call__(self, var: Any, block: Any = None) -> None:
        from paddle.ir.current import program_guard
        from paddle.ir.recording.lowering import write

        with program_guard(block.program):
            source = block._var_recursive(self._source)
            write(var, "assign", [_lengths(source, self._dim)], {}, block)


class WeightNorm:
    """The hook: sets one weight of a layer from ``<name>_v`` and ``<name>_g``."""

    def __init__(self, name: str, dim: int) -> None:
        self.name = name
        self.dim = dim

    def parts(self, layer: Layer) -> list[Any]:
        """The direction v and the lengths g."""
        return [layer._parameters[f"{self.name}_{part}"] for part in "vg"]

    def compute(self, v: Any, g: Any) -> Any:
        """Returns g * v / |v|."""
        factors = C.elementwise_div(g, _lengths(v, self.dim), axis=-1)
        if self.dim not in (-1, len(v.shape) - 1):
            shape = [-1 if i == self.dim else 1 for i in range(len(v.shape))]
            factors = C.reshape2(factors, shape=shape)[0]
        return C.elementwise_mul(v, factors, axis=-1)

    def __call__(self, layer: Layer, inputs: tuple) -> None:
        """Runs before the layer's forward. It is no buffer: it goes by the parameters."""
        layer.__dict__[self.name] = self.compute(*self.parts(layer))


def _found(api: str, layer: Any, name: Any) -> tuple[int, WeightNorm] | None:
    """The layer's hook for a weight, with its number."""
    if not isinstance(layer, Layer):
        raise TypeError(f"{api}(layer): expected a Layer, but received {type(layer).__name__}.")
    if not isinstance(name, str):
        raise TypeError(f"{api}(name): expected a str, but received {type(name).__name__}.")
    for number, hook in layer._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            return number, hook
    return None


def _dimension(dim: Any, weight: Any) -> int:
    rank = len(weight.shape)
    if dim is None:
        return -1
    if isinstance(dim, bool) or not isinstance(dim, int):
        raise TypeError(
            f"weight_norm(dim): expected an int or None, but received {type(dim).__name__}."
        )
    if not -rank <= dim < rank:
        raise InvalidArgumentError(
            f"weight_norm(dim): expected -{rank} <= dim < {rank} for a weight of shape "
            f"{list(weight.shape)}, but received {dim}."
        )
    return dim if dim == -1 else dim % rank


def _options(parameter: Any) -> dict[str, Any]:
    """How a parameter is trained, for those that take its place."""
    return {
        "learning_rate": parameter.optimize_attr["learning_rate"],
        "regularizer": parameter.regularizer,
        "trainable": parameter.trainable,
        "need_clip": parameter.need_clip,
    }


def weight_norm(layer: Layer, name: str = "weight", dim: int | None = 0) -> Layer:
    r"""Splits a layer's weight into direction and length, https://arxiv.org/abs/1602.07868.

    The parameter ``<name>`` is replaced by ``<name>_v`` and ``<name>_g``. Before each call the
    weight is computed anew: :math:`w = g \, v / \|v\|`; at first it is what it was. Call it before
    making the optimizer, which is to train the two.

    Args:
        layer (Layer): the layer, which is changed.
        name (str): its parameter. Default: weight.
        dim (int|None): the dimension along which each slice has a length of its own; None or -1:
            one length for the whole. Default: 0.

    Returns:
        Layer: ``layer``.

    Raises:
        ValueError: there is no such parameter, or no such dimension.
        RuntimeError: the weight is normalized already.

    Examples:
        .. code-block:: python

            import paddle
            conv = paddle.nn.utils.weight_norm(paddle.nn.Conv2D(3, 5, 3))
            print(conv.weight_v.shape, conv.weight_g.shape)  # [5, 3, 3, 3] [5]
            print(conv(paddle.rand([1, 3, 4, 4])).shape)  # [1, 5, 2, 2]
    """
    if _found("weight_norm", layer, name) is not None:
        raise PreconditionNotMetError(
            f"weight_norm(name): parameter {name!r} of {type(layer).__name__} is normalized "
            "already; two hooks on one parameter are not possible."
        )
    weight = layer._parameters.get(name)
    if weight is None:
        held = [key for key, value in layer._parameters.items() if value is not None]
        raise InvalidArgumentError(
            f"weight_norm(name): expected one of the parameters {held} of "
            f"{type(layer).__name__}, but received {name!r}."
        )
    hook = WeightNorm(name, _dimension(dim, weight))
    options = _options(weight)
    shape = [1] if hook.dim == -1 else [weight.shape[hook.dim]]
    if recording():  # the Program fills the weight already: it becomes the direction
        v: Any = weight
        attr = ParamAttr(initializer=_LengthsOf(weight, hook.dim), **options)
        g: Any = layer.create_parameter(shape, attr, weight.dtype)
    else:
        v = layer.create_parameter(list(weight.shape), ParamAttr(**options), weight.dtype)
        g = layer.create_parameter(shape, ParamAttr(**options), weight.dtype)
        with no_grad():
            v.set_value(weight)
            g.set_value(C.reshape2(_lengths(weight, hook.dim), shape=shape)[0])
    del layer._parameters[name]
    setattr(layer, f"{name}_v", v)
    setattr(layer, f"{name}_g", g)
    hook(layer, ())
    layer.register_forward_pre_hook(hook)
    return layer


def _in_program(hook: WeightNorm, v: Any, g: Any) -> Any:
    """The direction, which was the weight before, as the weight again."""
    from paddle.executor.scope import global_scope
    from paddle.ir.variable import Variable

    if not isinstance(v, Variable):
        raise PreconditionNotMetError(
            "remove_weight_norm(layer): the layer was normalized in dynamic mode.",
            hint="call paddle.disable_static() first",
        )
    held: list[Any] = [global_scope().find_var(part.name) for part in (v, g)]
    if all(h is not None and h.is_initialized() for h in held):
        with hooked(None), no_grad():
            tensors = [h.get_tensor() for h in held]
            present = hook.compute(*[t.tensor for t in tensors])
            tensors[0].set(present.numpy(), tensors[0].tensor.place)
    return v


def remove_weight_norm(layer: Layer, name: str = "weight") -> Layer:
    """Undoes :func:`weight_norm`: the weight is a parameter again, with its present value.

    In static mode the present value is that of the global scope; before the startup Program has run
    it is the one that this will give. The lengths stay in the Program, unused.

    Args:
        layer (Layer): the layer, which is changed.
        name (str): the parameter. Default: weight.

    Returns:
        Layer: ``layer``.

    Raises:
        ValueError: the parameter is not normalized.

    Examples:
        .. code-block:: python

            import paddle
            linear = paddle.nn.utils.weight_norm(paddle.nn.Linear(3, 2))
            paddle.nn.utils.remove_weight_norm(linear)
            print([name for name, _ in linear.named_parameters()])  # ['bias', 'weight']
    """
    found = _found("remove_weight_norm", layer, name)
    if found is None:
        raise InvalidArgumentError(
            f"remove_weight_norm(name): expected a parameter that weight_norm was applied to, but "
            f"received {name!r} of {type(layer).__name__}."
        )
    number, hook = found
    v, g = hook.parts(layer)
    if recording():
        weight = _in_program(hook, v, g)
    else:
        weight = layer.create_parameter(list(v.shape), ParamAttr(**_options(v)), v.dtype)
        with no_grad():
            weight.set_value(hook.compute(v, g))
    del layer._forward_pre_hooks[number]
    for part in "vg":
        del layer._parameters[f"{name}_{part}"]
    del layer.__dict__[name]
    setattr(layer, name, weight)
    return layer
