"""spectral_norm: a layer's weight is divided by its largest singular value before each call."""

from __future__ import annotations

from typing import Any

from paddle import tensor
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.mode import no_grad, recording
from paddle.nn import functional as F
from paddle.nn.layer.common import Linear
from paddle.nn.layer.conv import Conv1DTranspose, Conv2DTranspose, Conv3DTranspose
from paddle.nn.layer.layers import Layer

# Their outputs are the second dimension of the weight.
_TURNED = (Linear, Conv1DTranspose, Conv2DTranspose, Conv3DTranspose)


class SpectralNorm:
    """The hook: sets one weight of a layer from ``<name>_orig``, ``<name>_u`` and ``<name>_v``."""

    def __init__(self, name: str, iterations: int, dim: int, eps: float) -> None:
        self.name, self.iterations, self.dim, self.eps = name, iterations, dim, eps

    def matrix(self, weight: Any) -> Any:
        """The weight as a matrix with one row for each slice along ``dim``."""
        if self.dim:
            order = [self.dim, *(i for i in range(len(weight.shape)) if i != self.dim)]
            weight = tensor.transpose(weight, order)
        return tensor.reshape(weight, [weight.shape[0], -1])

    def compute(self, layer: Layer) -> Any:
        """Returns the weight over its largest singular value, which u and v approach."""
        weight = layer._parameters[f"{self.name}_orig"]
        held_u, held_v = (layer._buffers[f"{self.name}_{part}"] for part in "uv")
        matrix, u, v = self.matrix(weight), held_u, held_v
        if layer.training:
            with no_grad():
                for _ in range(self.iterations):
                    v = F.normalize(tensor.mv(tensor.t(matrix), u), axis=0, epsilon=self.eps)
                    u = F.normalize(tensor.mv(matrix, v), axis=0, epsilon=self.eps)
                tensor.assign(u, held_u)
                tensor.assign(v, held_v)
        return weight / tensor.dot(u, tensor.mv(matrix, v))

    def __call__(self, layer: Layer, inputs: tuple) -> None:
        """Runs before the layer's forward."""
        layer.__dict__[self.name] = self.compute(layer)


def spectral_norm(
    layer: Layer,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Layer:
    r"""Bounds a layer's weight by spectral normalization, https://arxiv.org/abs/1802.05957.

    The parameter ``<name>`` becomes ``<name>_orig``. Before each call the weight is computed anew:
    :math:`w = w_{orig} / (u^T W v)`, where W is the original as a matrix. In training the buffers
    ``<name>_u`` and ``<name>_v`` come closer to its first singular vectors with each call.

    Args:
        layer (Layer): the layer, which is changed.
        name (str): its parameter. Default: weight.
        n_power_iterations (int): steps towards the singular vectors in each call. Default: 1.
        eps (float): keeps the division by a vector's length finite. Default: 1e-12.
        dim (int, optional): the dimension of the outputs, which becomes the rows of W. None: 1 for
            Linear and transposed convolutions, else 0.

    Returns:
        Layer: ``layer``.

    Raises:
        ValueError: there is no such parameter or dimension, or not a positive number of steps.
        RuntimeError: the weight is normalized already.

    Examples:
        .. code-block:: python

            import paddle
            conv = paddle.nn.utils.spectral_norm(paddle.nn.Conv2D(3, 5, 3))
            print([name for name, _ in conv.named_parameters()])  # ['bias', 'weight_orig']
            print(conv(paddle.rand([1, 3, 4, 4])).shape)  # [1, 5, 2, 2]
    """
    if not isinstance(layer, Layer):
        raise TypeError(
            f"spectral_norm(layer): expected a Layer, but received {type(layer).__name__}."
        )
    if not isinstance(name, str):
        raise TypeError(f"spectral_norm(name): expected a str, but received {type(name).__name__}.")
    if recording():
        raise NotImplementedError(
            "spectral_norm: hooks with buffers work in dynamic mode and in converted functions; "
            "in a Program call paddle.static.nn.spectral_norm on the weight."
        )
    for hook in layer._forward_pre_hooks.values():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            raise PreconditionNotMetError(
                f"spectral_norm(name): parameter {name!r} of {type(layer).__name__} is normalized "
                "already; two hooks on one parameter are not possible."
            )
    weight = _weight(layer, name)
    hook = SpectralNorm(
        name, _positive(n_power_iterations), _dimension(layer, weight, dim), _number(eps)
    )
    rows, columns = hook.matrix(weight).shape
    del layer._parameters[name]
    layer.add_parameter(f"{name}_orig", weight)
    for part, size in (("u", rows), ("v", columns)):
        start = F.normalize(tensor.randn([size], weight.dtype), axis=0, epsilon=hook.eps)
        layer.register_buffer(f"{name}_{part}", start)
    layer.__dict__[name] = weight.detach()
    layer.register_forward_pre_hook(hook)
    return layer


def _weight(layer: Layer, name: str) -> Any:
    weight = layer._parameters.get(name)
    if weight is None or len(weight.shape) < 2:
        held = [k for k, p in layer._parameters.items() if p is not None and len(p.shape) > 1]
        raise InvalidArgumentError(
            f"spectral_norm(name): expected one of the parameters {held} of "
            f"{type(layer).__name__}, which have two or more dimensions, but received {name!r}."
        )
    return weight


def _positive(count: Any) -> int:
    if isinstance(count, bool) or not isinstance(count, int):
        raise TypeError(
            "spectral_norm(n_power_iterations): expected an int, "
            f"but received {type(count).__name__}."
        )
    if count < 1:
        raise InvalidArgumentError(
            f"spectral_norm(n_power_iterations): expected at least 1, but received {count}."
        )
    return count


def _number(eps: Any) -> float:
    if isinstance(eps, bool) or not isinstance(eps, (int, float)):
        raise TypeError(
            f"spectral_norm(eps): expected a number, but received {type(eps).__name__}."
        )
    if not eps > 0:
        raise InvalidArgumentError(f"spectral_norm(eps): expected more than 0, but received {eps}.")
    return float(eps)


def _dimension(layer: Layer, weight: Any, dim: Any) -> int:
    rank = len(weight.shape)
    if dim is None:
        return int(isinstance(layer, _TURNED))
    if isinstance(dim, bool) or not isinstance(dim, int):
        raise TypeError(
            f"spectral_norm(dim): expected an int or None, but received {type(dim).__name__}."
        )
    if not -rank <= dim < rank:
        raise InvalidArgumentError(
            f"spectral_norm(dim): expected -{rank} <= dim < {rank} for a weight of shape "
            f"{list(weight.shape)}, but received {dim}."
        )
    return dim % rank
