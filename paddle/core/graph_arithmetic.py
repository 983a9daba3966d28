"""Arithmetic of the backward walk on Tensors: each step is itself recorded (create_graph)."""

from __future__ import annotations

from typing import Any

from paddle.core.derive import gradient_of, gradient_operator, needs_grad_name
from paddle.core.op import C
from paddle.core.tape import Node, Port, flat_grads, needs_grad_flags, slot_ranges
from paddle.core.tensor import Tensor, ones_like, wrap, zeros_of


class GraphArithmetic:
    """The counterpart of :class:`paddle.core.tape.Arithmetic` for derivatives of higher order."""

    @staticmethod
    def ones(tensor: Tensor) -> Tensor:
        return ones_like(tensor)

    @staticmethod
    def of(tensor: Tensor) -> Tensor:
        return tensor

    @staticmethod
    def handle(value: Tensor) -> Tensor:
        return value

    @staticmethod
    def add(a: Tensor, b: Tensor) -> Tensor:
        return C.grad_add(a, b)

    @staticmethod
    def zeros(meta: Any, like: Tensor) -> Tensor:
        return zeros_of(meta, like)

    @staticmethod
    def step(node: Node, d_outs: tuple) -> Any:
        """Runs the gradient operator of a recorded call on Tensors that are part of the graph."""
        if hasattr(node.backward, "on_tensors"):
            return node.backward.on_tensors(node, *d_outs)
        op = node.backward.op
        gradient = gradient_of(op)
        grad_op = gradient_operator(op)
        values = list(node.saved)
        tokens, attr_values = values[: len(gradient.saves)], values[len(gradient.saves) :]
        buffers = []
        attrs: dict[str, Any] = dict(zip(gradient.attrs, attr_values, strict=True))
        for token, value in zip(gradient.saves, tokens, strict=True):
            if "." in token:
                attrs[token] = value
            else:
                buffers.append(_restore(node, op, token, value))
        if gradient.takes_needs_grad:
            attrs[needs_grad_name(op)] = needs_grad_flags(node)
        from paddle.core.op import py

        named = {py(k): v for k, v in attrs.items()}
        grads = getattr(C, grad_op.name)(*d_outs, *buffers, **named)
        return flat_grads(node, (grads,) if len(op.inputs) == 1 else grads)


def _restore(node: Node, op: Any, token: str, value: Any) -> Any:
    """Makes Tensors of saved buffers again, tied to where they came from."""
    if value is None:
        return None
    for i, slot in enumerate(op.inputs):
        if slot.name == token:
            edges = node.edges[slot_ranges(node)[i]]
            if slot.many:
                return [tied(b, e) for b, e in zip(value, edges, strict=True)]
            return tied(value, edges[0])
    position = [s.name for s in op.outputs].index(token)
    if position not in op.grad_outputs:
        return wrap(value)
    if node.metas is None:
        return tied(value, node)
    slot = op.grad_outputs.index(position)
    start = sum(1 if size is None else size for size in node.layout[:slot])
    if op.outputs[position].many:
        return [tied(b, Port(node, start + k)) for k, b in enumerate(value)]
    return tied(value, Port(node, start))


def tied(buf: Any, edge: Any) -> Tensor:
    """A Tensor of a saved buffer, where it came from being known; None: nowhere."""
    tensor = wrap(buf)
    if edge is not None:
        tensor.stop_gradient = False
        tensor._edge = edge
    return tensor
