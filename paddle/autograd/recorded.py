"""paddle.grad and PyLayer while a Program is recorded: what they add to the same Program."""

from __future__ import annotations

from typing import Any

from paddle.autograd.context import PyLayerContext, results_of
from paddle.core.errors import InvalidArgumentError, MissingValueError
from paddle.core.mode import GRAD, get_mode, no_grad
from paddle.core.tensor import Tensor
from paddle.ir.autodiff.backward import gradients
from paddle.ir.autodiff.custom_gradients import converted, record_custom_gradient
from paddle.ir.operator import Role
from paddle.ir.recording.context import captured
from paddle.ir.variable import Variable


def recorded_grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any,
    create_graph: bool,
    allow_unused: bool,
    no_grad_vars: Any,
) -> list[Variable | None]:
    """Records the gradients of ``outputs`` with respect to ``inputs``.

    They are part of what is computed: a Program that has them can be differentiated again.

    Args:
        outputs (Variable|list[Variable]): what is differentiated.
        inputs (Variable|Tensor|list): with respect to what; parameters may be eager ones.
        grad_outputs (Variable|list[Variable|None], optional): gradients of the outputs.
        create_graph (bool): whether gradients flow through the results.
        allow_unused (bool): give None for an input that the outputs do not depend on.
        no_grad_vars (Variable|list[Variable], optional): through which no gradient flows.

    Returns:
        list[Variable|None]: one gradient per input.
    """
    outs = _variables(outputs, "outputs")
    ins = _variables(inputs, "inputs")
    for i, var in enumerate(ins):
        if var.stop_gradient and not allow_unused:
            raise MissingValueError(
                f"grad(inputs): input {i}, {var.name}, of shape {list(var.shape)} has "
                "stop_gradient=True.",
                hint="set its stop_gradient to False before computing the outputs",
            )
    given = None
    if grad_outputs is not None:
        listed = grad_outputs if isinstance(grad_outputs, (list, tuple)) else [grad_outputs]
        given = [None if g is None else _variables(g, "grad_outputs")[0] for g in listed]
        if len(given) != len(outs):
            raise InvalidArgumentError(
                f"grad(grad_outputs): expected {len(outs)} gradients, one per output, got "
                f"{len(given)}."
            )
    blocked = None if no_grad_vars is None else set(_variables(no_grad_vars, "no_grad_vars"))
    block = outs[0].block
    before = set(map(id, block.ops))
    found = gradients(outs, ins, given, blocked)
    for op in block.ops:
        if id(op) not in before:  # what trains the model comes later, after all of this
            op.attrs["op_role"] = int(Role.FORWARD)
    for i, (var, result) in enumerate(zip(ins, found, strict=True)):
        if result is None and not allow_unused:
            raise InvalidArgumentError(
                f"grad(inputs): the outputs do not depend on input {i} of shape {list(var.shape)}.",
                hint="pass allow_unused=True to get None for it",
            )
        if result is not None:
            result.stop_gradient = not create_graph
    return found


def recorded_layer(cls: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Records the call of a PyLayer: the operators of forward, and backward as their gradient.

    Args:
        cls (type): the PyLayer.
        args, kwargs: what forward takes after the context.

    Returns:
        What forward returns, with Variables in the place of Tensors.
    """

    def taken(value: Any) -> Any:
        return captured(value) if isinstance(value, Tensor) else value

    ctx = PyLayerContext()
    args, kwargs = tuple(map(taken, args)), {k: taken(v) for k, v in kwargs.items()}
    inputs = [a for a in [*args, *kwargs.values()] if isinstance(a, Variable)]
    with no_grad():
        result = converted(cls.forward)(ctx, *args, **kwargs)
    if isinstance(result, (list, tuple)):
        result = type(result)(map(taken, result)) if type(result) in (list, tuple) else result
    else:
        result = taken(result)
    outputs = results_of(cls, result, Variable)
    if not get_mode() & GRAD or not inputs:
        return result
    values = [o for o in outputs if isinstance(o, Variable)]

    def backward(outs: list[Variable]) -> Any:
        replaced = {id(v): out for v, out in zip(values, outs, strict=True)}
        mine = {id(v) for v in inputs}
        ctx._saved = tuple(
            t if id(t) in mine else replaced.get(id(t), taken(t)) for t in ctx._saved
        )
        return lambda grads: converted(cls.backward)(ctx, *grads)

    made = iter(record_custom_gradient(cls.__name__, inputs, values, backward))
    outputs = [next(made) if isinstance(o, Variable) else o for o in outputs]
    if isinstance(result, Variable):
        return outputs[0]
    return type(result)(outputs) if type(result) in (list, tuple) else tuple(outputs)


def _variables(value: Any, argument: str) -> list[Variable]:
    listed = list(value) if isinstance(value, (list, tuple)) else [value]
    if not all(isinstance(v, (Variable, Tensor)) for v in listed):
        raise TypeError(
            f"grad({argument}): expected a Tensor or a list of Tensors, "
            f"but received {type(value).__name__}."
        )
    if not listed:
        raise InvalidArgumentError(f"grad({argument}): expected at least one Tensor, got none.")
    return [captured(v) if isinstance(v, Tensor) else v for v in listed]
