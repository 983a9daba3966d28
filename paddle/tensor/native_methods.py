"""Methods of 2.0's native Tensor that client code calls by their private names."""

from __future__ import annotations

from typing import Any

from paddle.core.tensor import Tensor
from paddle.tensor import gradients


def _copy_to(self: Tensor, place: Any, blocking: bool = True) -> Tensor:
    """A copy on a device; what runs there later waits for it, whether ``blocking`` or not."""
    return self.detach().clone().to(place)


def _numel(self: Tensor) -> int:
    """The number of elements as a number of Python."""
    return int(self.size)


def _grad_name(self: Tensor) -> str:
    """The name of the gradient."""
    return f"{self.name}@GRAD"


def _run_backward(self: Tensor, tracer: Any = None, retain_graph: bool = False) -> None:
    """Computes gradients; the tracer is that of the thread."""
    self.backward(retain_graph=retain_graph)


METHODS: dict[str, Any] = {
    "_clear_gradient": gradients.clear_gradient,
    "_copy_to": _copy_to,
    "_grad_name": _grad_name,
    "_numel": _numel,
    "_register_grad_hook": gradients.register_hook,
    "_run_backward": _run_backward,
}
