"""Methods of Tensor that concern gradients, and its constructor: what needs the tape, or data.

``paddle/core/tape.py`` and ``paddle/core/convert.py`` lie above the class that they work on, so
``paddle/tensor/methods.py`` attaches these.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core import listening, tape
from paddle.core.convert import tensor_of
from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor


def __init__(self: Tensor, value: Any = None, **options: Any) -> None:
    if value is None:
        value = np.zeros([0], "float32")
    place, dtype = options.pop("place", None), options.pop("dtype", None)
    made = tensor_of(value, dtype, place)
    for key, given in options.items():
        if key not in ("name", "persistable", "stop_gradient"):
            raise TypeError(f"Tensor(): unknown argument {key!r}.")
        setattr(made, key, given)
    self._rebind(made._buf)
    self._edge = None
    self.stop_gradient = made.stop_gradient
    self.__dict__.update(made.__dict__)


def _grad(self: Tensor) -> Tensor | None:
    """The accumulated gradient, or None where none has arrived."""
    return tape.gradient_of(self)


def _set_grad(self: Tensor, value: Tensor | None) -> None:
    if value is not None and value.shape != self.shape:
        raise InvalidArgumentError(
            f"Tensor.grad: expected a gradient of shape {self.shape}, but received {value.shape}."
        )
    self._grad = value


def gradient(self: Tensor) -> np.ndarray | None:
    """Returns the gradient as a NumPy array, or None."""
    grad = self.grad
    return None if grad is None else grad.numpy()


def _grad_ivar(self: Tensor) -> Tensor | None:
    return self.grad


def backward(
    self: Tensor,
    retain_graph: Any = False,
    grad_tensor: Tensor | None = None,
    backward_strategy: Any = None,
) -> None:
    """Computes the gradients of all leaves this Tensor depends on and adds them up there.

    Args:
        retain_graph (bool): keep what backward needs, so that it can run again.
        grad_tensor (Tensor|None): gradient of this Tensor; None means all ones. As in later
            releases it may also be the first argument.
        backward_strategy (BackwardStrategy|None): what 1.x gives, also as the first argument; it
            changes no numbers.

    Raises:
        RuntimeError: the graph was freed by an earlier backward, or a value that is needed
            was overwritten in place.
    """
    if isinstance(retain_graph, Tensor):
        retain_graph, grad_tensor = (
            grad_tensor if isinstance(grad_tensor, bool) else False,
            retain_graph,
        )
    listening.backward([self], [grad_tensor], retain_graph=bool(retain_graph))


def clear_gradient(self: Tensor) -> None:
    """Sets the gradient to zero, so that the next backward starts anew."""
    tape.clear_gradient(self)


def register_hook(self: Tensor, hook: Any) -> Any:
    """Calls ``hook(grad)`` when the gradient of this Tensor is known.

    Args:
        hook (callable): takes the gradient Tensor; what it returns (unless None) replaces it.

    Returns:
        An object whose ``remove()`` takes the hook off.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
            handle = x.register_hook(lambda g: g * 2)
            x.sum().backward()
            print(x.grad.numpy())  # [2. 2.]
            print(handle.remove())  # True
    """
    return tape.register_hook(self, hook)


METHODS: dict[str, Any] = {
    "__init__": __init__,
    "_grad_ivar": _grad_ivar,
    "backward": backward,
    "clear_grad": clear_gradient,
    "clear_gradient": clear_gradient,
    "grad": property(_grad, _set_grad),
    "gradient": gradient,
    "register_hook": register_hook,
}
