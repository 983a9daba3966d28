"""Normalization layers but those over batches."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError, check_not_negative
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.nn.functional.norm import instance_norm, layer_norm, local_response_norm
from paddle.nn.initializer import Constant, Normal
from paddle.nn.layer.batch_norm import (
    BatchNorm,
    BatchNorm1D,
    BatchNorm2D,
    BatchNorm3D,
    SyncBatchNorm,
    check_rank,
    frozen_if_false,
)
from paddle.nn.layer.layers import Layer

__all__ = [
    "BatchNorm",
    "BatchNorm1D",
    "BatchNorm2D",
    "BatchNorm3D",
    "GroupNorm",
    "InstanceNorm1D",
    "InstanceNorm2D",
    "InstanceNorm3D",
    "LayerNorm",
    "LocalResponseNorm",
    "SpectralNorm",
    "SyncBatchNorm",
]


class LayerNorm(Layer):
    """Normalizes the last dimensions of every example; see :func:`functional.layer_norm`.

    Args:
        normalized_shape (int|list[int]|tuple[int]): sizes of the last dimensions.
        epsilon (float): added to the variance.
        weight_attr (ParamAttr|bool|None): of the factors, first 1; False means none.
        bias_attr (ParamAttr|bool|None): of the terms, first 0; False means none.
        name (str, optional): has no effect.

    Attributes:
        weight, bias (Parameter|None): as many elements as ``normalized_shape`` says, in one
            dimension.

    Examples:
        .. code-block:: python

            import paddle
            norm = paddle.nn.LayerNorm(2)
            x = paddle.to_tensor([[1.0, 3.0], [2.0, 6.0]])
            print(norm(x).numpy().round(3).tolist())  # [[-1.0, 1.0], [-1.0, 1.0]]
    """

    def __init__(
        self,
        normalized_shape: Any,
        epsilon: float = 1e-05,
        weight_attr: Any = None,
        bias_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        if isinstance(normalized_shape, int):
            normalized_shape = [normalized_shape]
        elif not isinstance(normalized_shape, (list, tuple)):
            raise TypeError(
                "LayerNorm(normalized_shape): expected an int or a list of them, "
                f"but received {type(normalized_shape).__name__}."
            )
        check_not_negative("LayerNorm", epsilon=epsilon)
        self._normalized_shape, self._epsilon = list(normalized_shape), epsilon
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        count = 1
        for n in self._normalized_shape:
            count *= n
        self.weight = self.create_parameter(
            shape=[count], attr=weight_attr, default_initializer=Constant(1.0)
        )
        self.bias = self.create_parameter(shape=[count], attr=bias_attr, is_bias=True)

    def forward(self, input: Tensor) -> Tensor:
        """Normalizes ``input``, ``[*, *normalized_shape]``."""
        return layer_norm(input, self._normalized_shape, self.weight, self.bias, self._epsilon)

    def extra_repr(self) -> str:
        """The settings, for printing."""
        return f"normalized_shape={self._normalized_shape}, epsilon={self._epsilon}"


class GroupNorm(Layer):
    r"""Normalizes groups of channels of every example.

    :math:`y = (x - \mu) / \sqrt{\sigma^2 + \epsilon} \cdot weight + bias`, with mean and
    variance over a group of neighbouring channels and all positions.

    Args:
        num_groups (int): number of groups; divides ``num_channels``.
        num_channels (int): number of channels.
        epsilon (float): added to the variance.
        weight_attr (ParamAttr|bool|None): of the factors, first 1; False keeps them 1.
        bias_attr (ParamAttr|bool|None): of the terms, first 0; False keeps them 0.
        data_format (str): ``'NCHW'``, ``'NHWC'`` or the like for other dimensions.
        name (str, optional): has no effect.

    Attributes:
        weight, bias (Parameter): ``[num_channels]``.

    Examples:
        .. code-block:: python

            import paddle
            norm = paddle.nn.GroupNorm(num_groups=2, num_channels=6)
            y = norm(paddle.rand([2, 6, 4, 4]))
            print(y.shape)  # [2, 6, 4, 4]
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        epsilon: float = 1e-05,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__()
        if num_groups < 1 or num_channels % num_groups:
            raise InvalidArgumentError(
                "GroupNorm: expected num_channels to be a multiple of num_groups, "
                f"but received {num_channels} and {num_groups}."
            )
        self._num_groups, self._num_channels = num_groups, num_channels
        check_not_negative("GroupNorm", epsilon=epsilon)
        self._epsilon, self._data_format = epsilon, data_format
        self.weight = frozen_if_false(self, [num_channels], weight_attr, 1.0)
        self.bias = frozen_if_false(self, [num_channels], bias_attr, 0.0)

    def forward(self, input: Tensor) -> Tensor:
        """Normalizes ``input``, ``[N, C, ...]`` or ``[N, ..., C]``."""
        return C.group_norm(
            input,
            self.weight,
            self.bias,
            epsilon=self._epsilon,
            groups=self._num_groups,
            data_layout=self._data_format,
        )[0]

    def extra_repr(self) -> str:
        """The settings, for printing."""
        return (
            f"num_groups={self._num_groups}, num_channels={self._num_channels}, "
            f"epsilon={self._epsilon}"
        )


class _InstanceNorm(Layer):
    """What the layers for one to three dimensions have in common."""

    _ranks: tuple[int, ...] = ()

    def __init__(
        self,
        num_features: int,
        epsilon: float = 1e-05,
        momentum: float = 0.9,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__()
        if (weight_attr is False) != (bias_attr is False):
            raise InvalidArgumentError(
                f"{type(self).__name__}: expected weight_attr and bias_attr to be False together, "
                f"but received {weight_attr!r} and {bias_attr!r}."
            )
        check_not_negative(type(self).__name__, epsilon=epsilon)
        self._num_features, self._epsilon = num_features, epsilon
        self._momentum, self._data_format = momentum, data_format
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self.scale = self.create_parameter(
            shape=[num_features], attr=weight_attr, default_initializer=Constant(1.0)
        )
        self.bias = self.create_parameter(
            shape=[num_features], attr=bias_attr, is_bias=True, default_initializer=Constant(0.0)
        )

    def _check_input_dim(self, input: Tensor) -> None:
        check_rank(self, input, self._ranks)

    def forward(self, input: Tensor) -> Tensor:
        """Normalizes every channel of every example."""
        self._check_input_dim(input)
        return instance_norm(
            input, weight=self.scale, bias=self.bias, eps=self._epsilon,
            data_format=self._data_format,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """The settings, for printing."""
        return f"num_features={self._num_features}, epsilon={self._epsilon}"


class InstanceNorm1D(_InstanceNorm):
    """Normalizes every channel of every sequence; see :func:`functional.instance_norm`.

    Args:
        num_features (int): number of channels.
        epsilon (float): added to the variance.
        momentum (float): has no effect: there are no running statistics.
        weight_attr (ParamAttr|bool|None): of the factors, first 1.
        bias_attr (ParamAttr|bool|None): of the terms, first 0; False, together with
            ``weight_attr``, means neither.
        data_format (str): ``'NCL'`` (also written ``'NCHW'``) or ``'NLC'``.
        name (str, optional): has no effect.

    Attributes:
        scale, bias (Parameter|None): ``[num_features]``.

    Examples:
        .. code-block:: python

            import paddle
            norm = paddle.nn.InstanceNorm1D(2)
            x = paddle.to_tensor([[[1.0, 3.0], [2.0, 6.0]]])
            print(norm(x).numpy().round(3).tolist())  # [[[-1.0, 1.0], [-1.0, 1.0]]]
    """

    _ranks = (3,)


class InstanceNorm2D(_InstanceNorm):
    """Normalizes every channel of every image; see :func:`functional.instance_norm`.

    Args:
        num_features (int): number of channels.
        epsilon (float): added to the variance.
        momentum (float): has no effect: there are no running statistics.
        weight_attr (ParamAttr|bool|None): of the factors, first 1.
        bias_attr (ParamAttr|bool|None): of the terms, first 0; False, together with
            ``weight_attr``, means neither.
        data_format (str): ``'NCHW'`` or ``'NHWC'``.
        name (str, optional): has no effect.

    Attributes:
        scale, bias (Parameter|None): ``[num_features]``.

    Examples:
        .. code-block:: python

            import paddle
            norm = paddle.nn.InstanceNorm2D(2)
            print(norm(paddle.rand([3, 2, 4, 4])).shape)  # [3, 2, 4, 4]
    """

    _ranks = (4,)


class InstanceNorm3D(_InstanceNorm):
    """Normalizes every channel of every volume; see :func:`functional.instance_norm`.

    Args:
        num_features (int): number of channels.
        epsilon (float): added to the variance.
        momentum (float): has no effect: there are no running statistics.
        weight_attr (ParamAttr|bool|None): of the factors, first 1.
        bias_attr (ParamAttr|bool|None): of the terms, first 0; False, together with
            ``weight_attr``, means neither.
        data_format (str): ``'NCDHW'`` (also written ``'NCHW'``) or ``'NDHWC'``.
        name (str, optional): has no effect.

    Attributes:
        scale, bias (Parameter|None): ``[num_features]``.

    Examples:
        .. code-block:: python

            import paddle
            norm = paddle.nn.InstanceNorm3D(2)
            print(norm(paddle.rand([3, 2, 4, 4, 4])).shape)  # [3, 2, 4, 4, 4]
    """

    _ranks = (5,)


class LocalResponseNorm(Layer):
    """Divides by the activity of neighbouring channels; see :func:`functional.local_response_norm`.

    Args:
        size (int): number of channels.
        alpha, beta, k (float): as in the formula there.
        data_format (str): says whether channels come first or last.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            norm = paddle.nn.LocalResponseNorm(size=5)
            print(norm(paddle.rand([2, 8, 4, 4])).shape)  # [2, 8, 4, 4]
    """

    def __init__(
        self,
        size: int,
        alpha: float = 0.0001,
        beta: float = 0.75,
        k: float = 1.0,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k
        self.data_format = data_format

    def forward(self, input: Tensor) -> Tensor:
        """Normalizes ``input``."""
        return local_response_norm(
            input, self.size, self.alpha, self.beta, self.k, self.data_format
        )

    def extra_repr(self) -> str:
        """The settings, for printing."""
        text = f"size={self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
        return text if self.data_format == "NCHW" else f"{text}, data_format={self.data_format}"


class SpectralNorm(Layer):
    r"""Divides a weight by its largest singular value, found by power iteration.

    The weight is seen as a matrix with dimension ``dim`` as rows. From :math:`u` and :math:`v`,
    drawn once, :math:`v = W^T u / \lVert W^T u \rVert` and
    :math:`u = W v / \lVert W v \rVert` are iterated; the result is :math:`W / (u^T W v)`.

    Args:
        weight_shape (list[int]|tuple[int]): shape of the weight.
        dim (int): the dimension of the output of the layer the weight belongs to.
        power_iters (int): number of iterations.
        eps (float): keeps the divisors from 0.
        dtype (str): ``'float32'`` or ``'float64'``.

    Attributes:
        weight_u, weight_v (Parameter): where the iteration starts; not trained.

    Examples:
        .. code-block:: python

            import paddle
            norm = paddle.nn.SpectralNorm([2, 2], power_iters=50)
            print(norm(paddle.to_tensor([[3.0, 0.0], [0.0, 1.0]])).numpy().round(3))
            # [[1. 0.] [0. 0.333]]
    """

    def __init__(
        self,
        weight_shape: list[int] | tuple[int, ...],
        dim: int = 0,
        power_iters: int = 1,
        eps: float = 1e-12,
        dtype: str = "float32",
    ) -> None:
        super().__init__(dtype=dtype)
        shape = list(weight_shape)
        if not shape or min(shape) < 1:
            raise InvalidArgumentError(
                f"SpectralNorm(weight_shape): expected positive sizes, but received {shape}."
            )
        check_not_negative("SpectralNorm", eps=eps)
        if not isinstance(dim, int) or not 0 <= dim < len(shape):
            raise InvalidArgumentError(
                f"SpectralNorm(dim): expected an int from 0 to {len(shape) - 1}, "
                f"but received {dim!r}."
            )
        self._dim, self._power_iters, self._eps = dim, power_iters, eps
        rows, count = shape[dim], 1
        for n in shape:
            count *= n
        self.weight_u = self._start(rows, dtype)
        self.weight_v = self._start(count // rows, dtype)

    def _start(self, size: int, dtype: str) -> Tensor:
        made = self.create_parameter(
            shape=[size], dtype=dtype, default_initializer=Normal(0.0, 1.0)
        )
        made.stop_gradient = True
        return made

    def forward(self, weight: Tensor) -> Tensor:
        """Returns ``weight`` divided by its largest singular value."""
        return C.spectral_norm(
            weight, self.weight_u, self.weight_v, dim=self._dim, power_iters=self._power_iters,
            eps=self._eps,
        )  # fmt: skip
