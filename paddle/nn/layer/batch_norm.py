"""Layers that normalize over batches."""

from __future__ import annotations

import copy
from typing import Any

from paddle.core.errors import InvalidArgumentError, check_not_negative
from paddle.core.op import C
from paddle.core.rings import rings
from paddle.core.tensor import Tensor
from paddle.framework.param_attr import ParamAttr
from paddle.nn.functional.norm import batch_norm
from paddle.nn.initializer import Constant
from paddle.nn.layer.layers import Layer

__all__ = ["BatchNorm", "BatchNorm1D", "BatchNorm2D", "BatchNorm3D", "SyncBatchNorm"]


def check_rank(layer: Layer, x: Any, ranks: tuple[int, ...]) -> None:
    """Raises unless ``x`` has one of the numbers of dimensions a layer is for."""
    if ranks and len(x.shape) not in ranks:
        expected = " or ".join(f"{r}D" for r in ranks)
        raise InvalidArgumentError(
            f"{type(layer).__name__}: expected {expected} input, but received shape {x.shape}."
        )


def frozen_if_false(layer: Layer, shape: list[int], attr: Any, value: float) -> Any:
    """Makes a parameter that is first ``value``; ``attr=False`` means that it stays so."""
    made = layer.create_parameter(
        shape=shape,
        attr=None if attr is False else attr,
        is_bias=value == 0.0,
        default_initializer=Constant(value),
    )
    if attr is False:
        made.stop_gradient = True
    return made


def _running(layer: Layer, count: int, value: float, name: str | None, average: bool) -> Any:
    """Makes a running statistic: saved with the parameters, but not trained."""
    attr = ParamAttr(
        name=name, initializer=Constant(value), trainable=False, do_model_average=average
    )
    made = layer.create_parameter(shape=[count], attr=attr)
    made.stop_gradient = True
    return made


class BatchNorm(Layer):
    r"""Batch normalization in the form of 1.x, with an activation.

    :math:`y = (x - \mu) / \sqrt{\sigma^2 + \epsilon} \cdot weight + bias`, see
    :func:`functional.batch_norm`.

    Args:
        num_channels (int): number of channels.
        act (str|None): operator that is applied to the result, such as ``'relu'``.
        is_test (bool): take the running statistics even in training mode.
        momentum (float): share of the running statistics that stays.
        epsilon (float): added to the variance.
        param_attr (ParamAttr|bool|None): of the factors, first 1; False keeps them 1.
        bias_attr (ParamAttr|bool|None): of the terms, first 0; False keeps them 0.
        dtype (str): of the parameters.
        data_layout (str): ``'NCHW'`` or ``'NHWC'``.
        in_place (bool): allows reuse of the input's memory; results are the same.
        moving_mean_name (str|None): name of the running mean.
        moving_variance_name (str|None): name of the running variance.
        do_model_average_for_mean_and_var (bool): whether ModelAverage takes the running
            statistics into account.
        use_global_stats (bool): take the running statistics in training too.
        trainable_statistics (bool): take the batch's statistics in evaluation too.

    Attributes:
        weight, bias (Parameter): ``[num_channels]``.

    Examples:
        .. code-block:: python

            import paddle
            norm = paddle.nn.BatchNorm(1, act="relu")
            y = norm(paddle.to_tensor([[1.0], [3.0]]))
            print(y.numpy().round(3).tolist())  # [[0.0], [1.0]]
    """

    def __init__(
        self,
        num_channels: int,
        act: str | None = None,
        is_test: bool = False,
        momentum: float = 0.9,
        epsilon: float = 1e-05,
        param_attr: Any = None,
        bias_attr: Any = None,
        dtype: str = "float32",
        data_layout: str = "NCHW",
        in_place: bool = False,
        moving_mean_name: str | None = None,
        moving_variance_name: str | None = None,
        do_model_average_for_mean_and_var: bool = True,
        use_global_stats: bool = False,
        trainable_statistics: bool = False,
    ) -> None:
        super().__init__(dtype="float32" if dtype == "float16" else dtype)
        if act is not None and not isinstance(act, str):
            raise TypeError(f"BatchNorm(act): expected a str or None, but received {act!r}.")
        average = do_model_average_for_mean_and_var
        self._act, self._is_test, self._in_place = act, is_test, in_place
        check_not_negative("BatchNorm", epsilon=epsilon)
        self._momentum, self._epsilon, self._data_layout = momentum, epsilon, data_layout
        self._use_global_stats = use_global_stats
        self._trainable_statistics = trainable_statistics
        self.weight = frozen_if_false(self, [num_channels], param_attr, 1.0)
        self.bias = frozen_if_false(self, [num_channels], bias_attr, 0.0)
        self._mean = _running(self, num_channels, 0.0, moving_mean_name, average)
        self._variance = _running(self, num_channels, 1.0, moving_variance_name, average)

    def forward(self, input: Tensor) -> Tensor:
        """Normalizes ``input``, ``[N, C]``, ``[N, C, ...]`` or ``[N, ..., C]``."""
        out = C.batch_norm(
            input,
            self.weight,
            self.bias,
            self._mean,
            self._variance,
            is_test=self._is_test or not self.training,
            momentum=self._momentum,
            epsilon=self._epsilon,
            data_layout=self._data_layout,
            use_global_stats=self._use_global_stats,
            trainable_statistics=self._trainable_statistics,
        )[0]
        return out if self._act is None else getattr(C, self._act)(out)


class _BatchNormBase(Layer):
    """What the layers for one to three dimensions have in common."""

    _ranks: tuple[int, ...] = ()
    _formats: tuple[str, ...] = ()

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-05,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
        use_global_stats: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        if self._formats and data_format not in self._formats:
            raise InvalidArgumentError(
                f"{type(self).__name__}(data_format): expected one of {list(self._formats)}, "
                f"but received {data_format!r}."
            )
        check_not_negative(type(self).__name__, epsilon=epsilon)
        self._num_features, self._momentum, self._epsilon = num_features, momentum, epsilon
        self._weight_attr, self._bias_attr, self._name = weight_attr, bias_attr, name
        self._data_format, self._use_global_stats = data_format, use_global_stats
        self.weight = frozen_if_false(self, [num_features], weight_attr, 1.0)
        self.bias = frozen_if_false(self, [num_features], bias_attr, 0.0)
        named = name is not None
        self._mean = _running(self, num_features, 0.0, f"{name}_mean" if named else None, True)
        self._variance = _running(
            self, num_features, 1.0, f"{name}_variance" if named else None, True
        )

    def _check_input_dim(self, input: Tensor) -> None:
        check_rank(self, input, self._ranks)

    def _check_data_format(self, input: Any = None) -> None:
        """Has nothing to do, for the constructor did: libraries with forms of their own call it."""

    def forward(self, input: Tensor) -> Tensor:
        """Normalizes ``input``; in training mode the running statistics are moved."""
        self._check_input_dim(input)
        return batch_norm(
            input,
            self._mean,
            self._variance,
            self.weight,
            self.bias,
            self.training,
            self._momentum,
            self._epsilon,
            self._data_format,
            self._use_global_stats,
        )

    def extra_repr(self) -> str:
        """The settings, for printing."""
        text = (
            f"num_features={self._num_features}, momentum={self._momentum}, epsilon={self._epsilon}"
        )
        return text if self._data_format == "NCHW" else f"{text}, data_format={self._data_format}"


class BatchNorm1D(_BatchNormBase):
    """Batch normalization of vectors and sequences; see :func:`functional.batch_norm`.

    Args:
        num_features (int): number of channels.
        momentum (float): share of the running statistics that stays.
        epsilon (float): added to the variance.
        weight_attr (ParamAttr|bool|None): of the factors, first 1; False keeps them 1.
        bias_attr (ParamAttr|bool|None): of the terms, first 0; False keeps them 0.
        data_format (str): ``'NCL'``, ``'NC'`` (either also written ``'NCHW'``) or ``'NLC'``.
        use_global_stats (bool|None): True takes the running statistics also in training, False
            those of the batch also in evaluation; None follows the mode.
        name (str|None): the running statistics are named after it.

    Attributes:
        weight, bias (Parameter): ``[num_features]``.

    Examples:
        .. code-block:: python

            import paddle
            norm = paddle.nn.BatchNorm1D(3)
            y = norm(paddle.rand([8, 3]))
            print(y.shape)  # [8, 3]
    """

    _ranks = (2, 3)
    _formats = ("NCHW", "NC", "NCL", "NLC")


class BatchNorm2D(_BatchNormBase):
    """Batch normalization of images; see :func:`functional.batch_norm`.

    Args:
        num_features (int): number of channels.
        momentum (float): share of the running statistics that stays.
        epsilon (float): added to the variance.
        weight_attr (ParamAttr|bool|None): of the factors, first 1; False keeps them 1.
        bias_attr (ParamAttr|bool|None): of the terms, first 0; False keeps them 0.
        data_format (str): ``'NCHW'`` or ``'NHWC'``.
        use_global_stats (bool|None): True takes the running statistics also in training, False
            those of the batch also in evaluation; None follows the mode.
        name (str|None): the running statistics are named after it.

    Attributes:
        weight, bias (Parameter): ``[num_features]``.

    Examples:
        .. code-block:: python

            import paddle
            norm = paddle.nn.BatchNorm2D(3)
            y = norm(paddle.rand([8, 3, 4, 4]))
            print(y.shape)  # [8, 3, 4, 4]
    """

    _ranks = (4,)
    _formats = ("NCHW", "NHWC")


class BatchNorm3D(_BatchNormBase):
    """Batch normalization of volumes; see :func:`functional.batch_norm`.

    Args:
        num_features (int): number of channels.
        momentum (float): share of the running statistics that stays.
        epsilon (float): added to the variance.
        weight_attr (ParamAttr|bool|None): of the factors, first 1; False keeps them 1.
        bias_attr (ParamAttr|bool|None): of the terms, first 0; False keeps them 0.
        data_format (str): ``'NCDHW'`` (also written ``'NCHW'``) or ``'NDHWC'``.
        use_global_stats (bool|None): True takes the running statistics also in training, False
            those of the batch also in evaluation; None follows the mode.
        name (str|None): the running statistics are named after it.

    Attributes:
        weight, bias (Parameter): ``[num_features]``.

    Examples:
        .. code-block:: python

            import paddle
            norm = paddle.nn.BatchNorm3D(3)
            y = norm(paddle.rand([8, 3, 4, 4, 4]))
            print(y.shape)  # [8, 3, 4, 4, 4]
    """

    _ranks = (5,)
    _formats = ("NCHW", "NCDHW", "NDHWC")


class SyncBatchNorm(_BatchNormBase):
    """Batch normalization over the batches of all processes; see :func:`functional.batch_norm`.

    In training, mean and variance are those of the batches of all processes together, in forward
    and in backward. In a single process it is the same as batch normalization.

    Args:
        num_features (int): number of channels.
        momentum (float): share of the running statistics that stays.
        epsilon (float): added to the variance.
        weight_attr (ParamAttr|bool|None): of the factors, first 1; False keeps them 1.
        bias_attr (ParamAttr|bool|None): of the terms, first 0; False keeps them 0.
        data_format (str): ``'NCHW'``, ``'NHWC'`` or the like for other dimensions.
        name (str|None): the running statistics are named after it.

    Attributes:
        weight, bias (Parameter): ``[num_features]``.

    Examples:
        .. code-block:: python

            import paddle
            norm = paddle.nn.SyncBatchNorm(3)
            print(norm(paddle.rand([8, 3, 4, 4])).shape)  # [8, 3, 4, 4]
    """

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-05,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__(
            num_features, momentum, epsilon, weight_attr, bias_attr, data_format, None, name
        )

    def forward(self, input: Tensor) -> Tensor:
        """Normalizes ``input``; in training mode the running statistics are moved."""
        if not self.training or rings.get(0).size == 1:
            return super().forward(input)
        return C.sync_batch_norm(
            input, self.weight, self.bias, self._mean, self._variance, momentum=self._momentum,
            epsilon=self._epsilon,
            data_layout="NHWC" if self._data_format in ("NLC", "NHWC", "NDHWC") else "NCHW",
        )[0]  # fmt: skip

    @classmethod
    def convert_sync_batchnorm(cls, layer: Layer) -> Layer:
        """Replaces the batch normalizations in a layer by synchronized ones.

        Args:
            layer (Layer): is changed, unless it is a batch normalization itself.

        Returns:
            Layer: ``layer``, or what replaces it; parameters are shared with the old ones.

        Examples:
            .. code-block:: python

                import paddle
                net = paddle.nn.Sequential(paddle.nn.Conv2D(1, 2, 3), paddle.nn.BatchNorm2D(2))
                net = paddle.nn.SyncBatchNorm.convert_sync_batchnorm(net)
                print(type(net[1]).__name__)  # SyncBatchNorm
        """
        if isinstance(layer, _BatchNormBase) and not isinstance(layer, SyncBatchNorm):
            made = cls(
                layer._num_features, layer._momentum, layer._epsilon, copy.copy(layer._weight_attr),
                copy.copy(layer._bias_attr), layer._data_format,
            )  # fmt: skip
            made.weight, made.bias = layer.weight, layer.bias
            made._mean, made._variance = layer._mean, layer._variance
            made.training = layer.training
            return made
        for name, child in list(layer.named_children()):
            converted = cls.convert_sync_batchnorm(child)
            if converted is not child:
                setattr(layer, name, converted)
        return layer
