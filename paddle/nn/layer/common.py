"""Linear, dropout, embedding and other everyday layers."""

from __future__ import annotations

from typing import Any

from paddle import tensor
from paddle.core.errors import InvalidArgumentError, check_not_negative
from paddle.core.mode import no_grad, recording
from paddle.core.tensor import Tensor
from paddle.nn import functional as F
from paddle.nn.functional.common import check_mode, check_probability
from paddle.nn.initializer import XavierNormal
from paddle.nn.layer.layers import Layer

__all__ = [
    "AlphaDropout",
    "Bilinear",
    "CosineSimilarity",
    "Dropout",
    "Dropout2D",
    "Dropout3D",
    "Embedding",
    "Flatten",
    "Identity",
    "Linear",
    "PairwiseDistance",
]


def _size(owner: str, name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{owner}({name}): expected an int, but received {type(value).__name__}.")
    if value < 1:
        raise InvalidArgumentError(f"{owner}({name}): expected at least 1, but received {value}.")
    return value


class Linear(Layer):
    r"""Linear map: :math:`x W + b`.

    Args:
        in_features (int): size of the last dimension of the input.
        out_features (int): size of the last dimension of the output.
        weight_attr (ParamAttr, optional): of the weight, shape [in_features, out_features].
        bias_attr (ParamAttr|bool, optional): of the bias, shape [out_features]; False: none.
        name (str, optional): shown when the layer is printed.

    Examples:
        .. code-block:: python

            import paddle
            linear = paddle.nn.Linear(3, 4)
            print(linear(paddle.ones([2, 3])).shape)  # [2, 4]
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        weight_attr: Any = None,
        bias_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._in_features = _size("Linear", "in_features", in_features)
        self._out_features = _size("Linear", "out_features", out_features)
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self.weight = self.create_parameter(shape=[in_features, out_features], attr=weight_attr)
        self.bias = self.create_parameter(shape=[out_features], attr=bias_attr, is_bias=True)
        self.name = name

    def forward(self, input: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.linear`."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The settings, for printing."""
        name = f", name={self.name}" if self.name else ""
        return (
            f"in_features={self._in_features}, out_features={self._out_features}, "
            f"dtype={self._dtype}{name}"
        )


class Dropout(Layer):
    """Sets elements to zero at random in training; see :func:`paddle.nn.functional.dropout`.

    Args:
        p (float): probability of zero. Default: 0.5.
        axis (int|list, optional): axes along which the choice differs; None: all.
        mode (str): ``upscale_in_train`` or ``downscale_in_infer``. Default: upscale_in_train.
        name (str, optional): shown when the layer is printed.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Dropout(p=0.5)
            layer.eval()
            print(layer(paddle.ones([2])).numpy())  # [1. 1.]
    """

    def __init__(
        self,
        p: float = 0.5,
        axis: int | list[int] | None = None,
        mode: str = "upscale_in_train",
        name: str | None = None,
    ) -> None:
        super().__init__()
        check_probability("Dropout", p)
        check_mode("Dropout", mode)
        self.p = p
        self.axis = axis
        self.mode = mode
        self.name = name

    def forward(self, input: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.dropout`."""
        return F.dropout(input, self.p, self.axis, self.training, self.mode)

    def extra_repr(self) -> str:
        """The settings, for printing."""
        name = f", name={self.name}" if self.name else ""
        return f"p={self.p}, axis={self.axis}, mode={self.mode}{name}"


class _DropoutChannels(Layer):
    """Base of dropout of whole channels."""

    _function: Any
    _formats: tuple[str, str]

    def __init__(self, p: float, data_format: str, name: str | None) -> None:
        super().__init__()
        owner = type(self).__name__
        check_probability(owner, p)
        if data_format not in self._formats:
            raise InvalidArgumentError(
                f"{owner}(data_format): expected one of {self._formats}, got {data_format!r}."
            )
        self.p = p
        self.data_format = data_format
        self.name = name

    def forward(self, input: Tensor) -> Tensor:
        """Drops channels."""
        return type(self)._function(input, self.p, self.training, self.data_format)

    def extra_repr(self) -> str:
        """The settings, for printing."""
        name = f", name={self.name}" if self.name else ""
        return f"p={self.p}, data_format={self.data_format}{name}"


class Dropout2D(_DropoutChannels):
    """Sets whole channels of images to zero at random in training.

    Args:
        p (float): probability of zero. Default: 0.5.
        data_format (str): ``NCHW`` or ``NHWC``. Default: NCHW.
        name (str, optional): shown when the layer is printed.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.nn.Dropout2D(0.5)(paddle.ones([1, 2, 3, 3])).shape)  # [1, 2, 3, 3]
    """

    _function = staticmethod(F.dropout2d)
    _formats = ("NCHW", "NHWC")

    def __init__(self, p: float = 0.5, data_format: str = "NCHW", name: str | None = None) -> None:
        super().__init__(p, data_format, name)


class Dropout3D(_DropoutChannels):
    """Sets whole channels of volumes to zero at random in training.

    Args:
        p (float): probability of zero. Default: 0.5.
        data_format (str): ``NCDHW`` or ``NDHWC``. Default: NCDHW.
        name (str, optional): shown when the layer is printed.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Dropout3D(0.5)
            print(layer(paddle.ones([1, 2, 3, 3, 3])).shape)  # [1, 2, 3, 3, 3]
    """

    _function = staticmethod(F.dropout3d)
    _formats = ("NCDHW", "NDHWC")

    def __init__(self, p: float = 0.5, data_format: str = "NCDHW", name: str | None = None) -> None:
        super().__init__(p, data_format, name)


class AlphaDropout(Layer):
    """Dropout for SELU networks; see :func:`paddle.nn.functional.alpha_dropout`.

    Args:
        p (float): probability of dropping. Default: 0.5.
        name (str, optional): shown when the layer is printed.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.nn.AlphaDropout(p=0.5)(paddle.ones([2, 3])).shape)  # [2, 3]
    """

    def __init__(self, p: float = 0.5, name: str | None = None) -> None:
        super().__init__()
        check_probability("AlphaDropout", p)
        self.p = p
        self.name = name

    def forward(self, input: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.alpha_dropout`."""
        return F.alpha_dropout(input, self.p, self.training)

    def extra_repr(self) -> str:
        """The settings, for printing."""
        return f"p={self.p}" + (f", name={self.name}" if self.name else "")


class Embedding(Layer):
    """A table of vectors, looked up by number.

    Args:
        num_embeddings (int): rows of the table.
        embedding_dim (int): width of a row.
        padding_idx (int, optional): this row stays zero; negative counts from the end.
        sparse (bool): see :func:`paddle.nn.functional.embedding`. Default: False.
        weight_attr (ParamAttr, optional): of the table.
        name (str, optional): shown when the layer is printed.

    Examples:
        .. code-block:: python

            import paddle
            table = paddle.nn.Embedding(10, 3)
            print(table(paddle.to_tensor([[1, 2]])).shape)  # [1, 2, 3]
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        sparse: bool = False,
        weight_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._num_embeddings = _size("Embedding", "num_embeddings", num_embeddings)
        self._embedding_dim = _size("Embedding", "embedding_dim", embedding_dim)
        self._size = [num_embeddings, embedding_dim]
        self._sparse, self._weight_attr = sparse, weight_attr
        self._name = name
        if padding_idx is not None:
            if isinstance(padding_idx, bool) or not isinstance(padding_idx, int):
                raise TypeError(
                    "Embedding(padding_idx): expected an int or None, "
                    f"but received {type(padding_idx).__name__}."
                )
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise InvalidArgumentError(
                    f"Embedding(padding_idx): expected -{num_embeddings} <= padding_idx < "
                    f"{num_embeddings}, but received {padding_idx}."
                )
            padding_idx %= num_embeddings
        self._padding_idx = padding_idx
        self.weight = self.create_parameter(
            shape=[num_embeddings, embedding_dim],
            attr=weight_attr,
            default_initializer=XavierNormal() if weight_attr is None else None,
        )
        if padding_idx is not None and not recording():  # the operator gives zeros by itself
            with no_grad():
                self.weight[padding_idx] = 0.0

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.embedding`."""
        return F.embedding(x, self.weight, self._padding_idx, self._sparse)

    def extra_repr(self) -> str:
        """The settings, for printing."""
        parts = [f"{self._num_embeddings}, {self._embedding_dim}"]
        if self._padding_idx is not None:
            parts.append(f"padding_idx={self._padding_idx}")
        parts.append(f"sparse={self._sparse}")
        if self._name:
            parts.append(f"name={self._name}")
        return ", ".join(parts)


class Flatten(Layer):
    """Joins a range of dimensions into one.

    Args:
        start_axis (int): first dimension to join. Default: 1.
        stop_axis (int): last dimension to join. Default: -1.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.nn.Flatten()(paddle.ones([5, 2, 3, 4])).shape)  # [5, 24]
    """

    def __init__(self, start_axis: int = 1, stop_axis: int = -1) -> None:
        super().__init__()
        self.start_axis = start_axis
        self.stop_axis = stop_axis

    def forward(self, input: Tensor) -> Tensor:
        """Applies :func:`paddle.flatten`."""
        return tensor.flatten(input, self.start_axis, self.stop_axis)


class Identity(Layer):
    """Returns its input: stands where a network may have another layer (2.1 and later).

    Args:
        *args: taken and not needed, so that any layer can be exchanged for this one.
        **kwargs: likewise.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Identity(54, unused_argument=0.1)
            print(layer(paddle.ones([2])).numpy())  # [1. 1.]
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """Returns ``input``."""
        return input


class Bilinear(Layer):
    r"""Bilinear form of two inputs: :math:`out_i = x_1 W_i x_2^T + b_i`.

    Args:
        in1_features (int): width of the first input.
        in2_features (int): width of the second input.
        out_features (int): width of the output.
        weight_attr (ParamAttr, optional): of the weight, shape [out, in1, in2].
        bias_attr (ParamAttr|bool, optional): of the bias, shape [1, out]; False: none.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Bilinear(3, 4, 2)
            print(layer(paddle.rand([5, 3]), paddle.rand([5, 4])).shape)  # [5, 2]
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        weight_attr: Any = None,
        bias_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._in1_features = _size("Bilinear", "in1_features", in1_features)
        self._in2_features = _size("Bilinear", "in2_features", in2_features)
        self._out_features = _size("Bilinear", "out_features", out_features)
        self._name = name
        self.weight = self.create_parameter(
            attr=weight_attr, shape=[out_features, in1_features, in2_features]
        )
        self.bias = self.create_parameter(attr=bias_attr, shape=[1, out_features], is_bias=True)

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.bilinear`."""
        return F.bilinear(x1, x2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The settings, for printing."""
        return (
            f"in1_features={self._in1_features}, in2_features={self._in2_features}, "
            f"out_features={self._out_features}, dtype={self._dtype}"
        )


class CosineSimilarity(Layer):
    """Cosine of the angle between vectors; see :func:`paddle.nn.functional.cosine_similarity`.

    Args:
        axis (int): the axis of the vectors. Default: 1.
        eps (float): keeps the division finite. Default: 1e-8.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1.0, 0.0]])
            print(paddle.nn.CosineSimilarity()(x, x).numpy())  # [1.]
    """

    def __init__(self, axis: int = 1, eps: float = 1e-08) -> None:
        super().__init__()
        self._axis = axis
        check_not_negative("CosineSimilarity", eps=eps)
        self._eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.cosine_similarity`."""
        return F.cosine_similarity(x1, x2, self._axis, self._eps)

    def extra_repr(self) -> str:
        """The settings, for printing."""
        return f"axis={self._axis}, eps={self._eps}"


class PairwiseDistance(Layer):
    r"""Distance between vectors: :math:`(\sum |x - y + \epsilon|^p)^{1/p}` over the last axis.

    Args:
        p (float): the norm's degree. Default: 2.0.
        epsilon (float): added to the difference. Default: 1e-6.
        keepdim (bool): keep the axis with size 1. Default: False.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            x, y = paddle.to_tensor([[1.0, 3.0]]), paddle.to_tensor([[5.0, 6.0]])
            print(paddle.nn.PairwiseDistance()(x, y).numpy())  # [5.]
    """

    def __init__(
        self, p: float = 2.0, epsilon: float = 1e-06, keepdim: bool = False, name: str | None = None
    ) -> None:
        super().__init__()
        self.p = p
        check_not_negative("PairwiseDistance", epsilon=epsilon)
        self.epsilon = epsilon
        self.keepdim = keepdim
        self.name = name

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Computes the distance."""
        difference = x - y + self.epsilon
        return tensor.norm(difference, p=float(self.p), axis=-1, keepdim=self.keepdim)

    def extra_repr(self) -> str:
        """The settings, for printing."""
        return f"p={self.p}" + (f", epsilon={self.epsilon}" if self.epsilon != 1e-6 else "")
