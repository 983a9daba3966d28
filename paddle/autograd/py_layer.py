"""PyLayer: an operation whose forward and backward the user writes in Python."""

from __future__ import annotations

from typing import Any

from paddle.autograd.context import PyLayerContext, results_of
from paddle.core.errors import InvalidArgumentError
from paddle.core.mode import GRAD, get_mode, no_grad, recording
from paddle.core.tape import Node, Port, edge_of, tie_outputs
from paddle.core.tensor import Tensor, wrap
from paddle.core.writes import sequence

__all__ = ["PyLayer", "PyLayerContext"]


class _SavedTensor:
    """Where a Tensor kept for backward came from; its contents stand beside, in the node.

    Of an output only the number is kept: its edge would lead back here, and such a cycle would
    hold the memory until Python's collector runs.
    """

    def __init__(self, tensor: Tensor, outputs: list[Tensor]) -> None:
        self.output = next((i for i, out in enumerate(outputs) if out is tensor), None)
        wanted = self.output is None and not tensor.stop_gradient
        self.edge: Any = edge_of(tensor) if wanted else None

    def tensor(self, node: Node, buf: Any) -> Tensor:
        edge = self.edge
        if self.output is not None:
            edge = node if node.metas is None else Port(node, self.output)
        if isinstance(edge, Tensor) and edge._buf is buf:
            return edge  # the leaf itself
        made = wrap(buf)
        made._edge, made.stop_gradient = edge, edge is None
        return made


class PyLayer:
    """Base of custom operations: define static ``forward(ctx, ...)`` and ``backward(ctx, ...)``.

    ``backward`` takes one gradient per Tensor that forward returned and returns one per Tensor
    that forward took, None where there is none.

    Examples:
        .. code-block:: python

            import paddle

            class Tanh(paddle.autograd.PyLayer):
                @staticmethod
                def forward(ctx, x):
                    y = paddle.tanh(x)
                    ctx.save_for_backward(y)
                    return y

                @staticmethod
                def backward(ctx, dy):
                    y, = ctx.saved_tensor()
                    return dy * (1 - paddle.square(y))

            x = paddle.to_tensor([0.5], stop_gradient=False)
            Tanh.apply(x).backward()
    """

    @staticmethod
    def forward(ctx: PyLayerContext, *args: Any, **kwargs: Any) -> Any:
        """Computes the result; to be defined by the subclass."""
        raise NotImplementedError("a PyLayer defines forward(ctx, *args, **kwargs).")

    @staticmethod
    def backward(ctx: PyLayerContext, *args: Any) -> Any:
        """Computes the gradients; to be defined by the subclass."""
        raise NotImplementedError("a PyLayer defines backward(ctx, *grads).")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Runs forward and records the call.

        Args:
            *args, **kwargs: what forward takes after ``ctx``.

        Returns:
            What forward returns.
        """
        if recording():
            from paddle.autograd.recorded import recorded_layer

            return recorded_layer(cls, args, kwargs)
        ctx = PyLayerContext()
        inputs = [a for a in [*args, *kwargs.values()] if isinstance(a, Tensor)]
        with no_grad():
            result = cls.forward(ctx, *args, **kwargs)
        outputs = results_of(cls, result, Tensor)
        if not get_mode() & GRAD or all(t.stop_gradient for t in inputs):
            return result
        outputs = [_fresh(o, inputs) if isinstance(o, Tensor) else o for o in outputs]
        _record(cls, ctx, inputs, [o for o in outputs if isinstance(o, Tensor)])
        if isinstance(result, Tensor):
            return outputs[0]
        return type(result)(outputs) if type(result) in (list, tuple) else tuple(outputs)


def _fresh(out: Tensor, inputs: list[Tensor]) -> Tensor:
    """A handle of its own for an output, should forward return one of its inputs."""
    return wrap(out._buf.detach()) if any(out is t for t in inputs) else out


class _Step:
    """The backward step of one PyLayer call."""

    def __init__(self, cls: type, ctx: PyLayerContext, inputs: list[Tensor]) -> None:
        self.cls, self.ctx = cls, ctx
        self.shapes = [t.shape for t in inputs]
        self.op = self  # what the tape names in its errors
        self.name = cls.__name__

    def __call__(self, node: Node, *d_outs: Any) -> tuple:
        with no_grad():
            grads = self.on_tensors(node, *[wrap(d) for d in d_outs])
        return tuple(None if g is None else g._buf for g in grads)

    def on_tensors(self, node: Node, *d_outs: Tensor) -> tuple:
        self.ctx._node = node
        try:
            grads = self.cls.backward(self.ctx, *d_outs)  # type: ignore[attr-defined]
        finally:
            self.ctx._node = None
        grads = tuple(grads) if isinstance(grads, (list, tuple)) else (grads,)
        if len(grads) != len(self.shapes):
            raise InvalidArgumentError(
                f"{self.name}.backward: expected {len(self.shapes)} gradients, one per Tensor that "
                f"forward took, but it returned {len(grads)}."
            )
        for grad, edge, shape in zip(grads, node.edges, self.shapes, strict=True):
            if edge is None:
                continue
            if grad is not None and not isinstance(grad, Tensor):
                raise TypeError(
                    f"{self.name}.backward: expected Tensors or None, got {type(grad).__name__}."
                )
            if grad is not None and grad.shape != shape:
                raise InvalidArgumentError(
                    f"{self.name}.backward: expected a gradient of shape {shape}, "
                    f"but it returned one of shape {grad.shape}."
                )
        return grads


def _record(cls: type, ctx: PyLayerContext, inputs: list[Tensor], outputs: list[Tensor]) -> None:
    node = Node()
    node.seq = sequence()
    node.backward = _Step(cls, ctx, inputs)
    node.edges = tuple([None if t.stop_gradient else edge_of(t) for t in inputs])
    kept = tuple(None if t is None else _SavedTensor(t, outputs) for t in ctx._saved)
    # The buffers stand beside so that the tape notices when one is overwritten.
    node.saved = (kept, tuple(None if t is None else t._buf for t in ctx._saved))
    ctx._saved = ()
    if len(outputs) == 1:
        outputs[0]._edge = node
        outputs[0].stop_gradient = False
        return
    tie_outputs(node, outputs)
