"""PyLayerContext: what the forward of a PyLayer hands to its backward."""

from __future__ import annotations

from typing import Any

from paddle.core.mode import recording
from paddle.core.tape import Node
from paddle.core.tensor import Tensor


class PyLayerContext:
    """What forward hands to backward; attributes may be set on it freely.

    Examples:
        .. code-block:: python

            import paddle

            class Cube(paddle.autograd.PyLayer):
                @staticmethod
                def forward(ctx, x):
                    ctx.save_for_backward(x)
                    return x * x * x

                @staticmethod
                def backward(ctx, dy):
                    x, = ctx.saved_tensor()
                    return dy * 3 * x * x

            x = paddle.to_tensor([2.0], stop_gradient=False)
            Cube.apply(x).backward()
            print(x.grad.numpy())  # [12.]
    """

    def __init__(self) -> None:
        self._saved: tuple = ()
        self._node: Node | None = None  # while backward runs

    def save_for_backward(self, *tensors: Any) -> None:
        """Keeps Tensors for backward; call it once, in forward.

        Args:
            *tensors (Tensor|None): inputs, outputs or others.
        """
        kinds: tuple = (Tensor,)
        if recording():
            from paddle.ir.variable import Variable

            kinds = (Tensor, Variable)
        bad = [t for t in tensors if t is not None and not isinstance(t, kinds)]
        if bad:
            raise TypeError(
                f"save_for_backward: expected Tensors or None, got {type(bad[0]).__name__}.",
            )
        self._saved = tensors

    def saved_tensor(self) -> tuple:
        """Returns what :meth:`save_for_backward` kept."""
        node = self._node
        if node is None:
            return self._saved
        return tuple(
            None if entry is None else entry.tensor(node, buf)
            for entry, buf in zip(*node.saved, strict=True)
        )

    saved_tensors = saved_tensor


def results_of(cls: type, result: Any, kind: type) -> Any:
    """What forward returned, as a list or tuple that holds at least one Tensor."""
    outputs = [result] if isinstance(result, kind) else result
    if not isinstance(outputs, (list, tuple)) or not any(isinstance(o, kind) for o in outputs):
        raise TypeError(
            f"{cls.__name__}.forward: expected a Tensor or a tuple holding Tensors as result, "
            f"got {type(result).__name__}."
        )
    return outputs
