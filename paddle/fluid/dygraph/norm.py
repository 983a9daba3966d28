"""Normalizing layers of 1.x dygraph, other than SpectralNorm, which is 2.0's."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.mode import recording
from paddle.core.op import C
from paddle.fluid.dygraph.made import activation, applied, parameters_of
from paddle.nn.initializer import Constant
from paddle.nn.layer import batch_norm, norm
from paddle.nn.layer.layers import Layer

__all__ = ["BatchNorm", "GroupNorm", "InstanceNorm", "LayerNorm"]


class BatchNorm(batch_norm.BatchNorm):
    """Normalizes every channel over the batch.

    Args:
        num_channels (int): channels of the input.
        act (str, optional): the activation.
        is_test (bool): used in static mode; in dygraph ``train()`` and ``eval()`` decide.
        momentum (float): share of the running statistics that stays. Default: 0.9.
        epsilon (float): added to the variance. Default: 1e-5.
        param_attr (ParamAttr|bool, optional): of the factors, first 1.
        bias_attr (ParamAttr|bool, optional): of the terms, first 0.
        dtype (str): of the parameters. Default: float32.
        data_layout (str): ``NCHW`` or ``NHWC``. Default: NCHW.
        in_place (bool): changes no numbers.
        moving_mean_name (str, optional): of the running mean.
        moving_variance_name (str, optional): of the running variance.
        do_model_average_for_mean_and_var (bool): whether ModelAverage has them too. Default: True.
        use_global_stats (bool): take the running statistics in training too. Default: False.
        trainable_statistics (bool): take the batch's in evaluation too. Default: False.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                layer = fluid.dygraph.BatchNorm(1, act="relu")
                x = fluid.dygraph.to_variable(np.array([[1.0], [3.0]], "float32"))
                print(layer(x).numpy().round(3).tolist())  # [[0.0], [1.0]]
                print([p.name for p in layer.parameters()][2:])
                # ['batch_norm_0.w_1', 'batch_norm_0.w_2']
    """

    def __init__(
        self, num_channels: int, act: Any = None, is_test: bool = False, momentum: float = 0.9,
        epsilon: float = 1e-05, param_attr: Any = None, bias_attr: Any = None,
        dtype: Any = "float32", data_layout: str = "NCHW", in_place: bool = False,
        moving_mean_name: str | None = None, moving_variance_name: str | None = None,
        do_model_average_for_mean_and_var: bool = True, use_global_stats: bool = False,
        trainable_statistics: bool = False,
    ) -> None:  # fmt: skip
        activation("BatchNorm", act)
        super().__init__(
            num_channels, act, is_test and recording(), momentum, epsilon, param_attr, bias_attr,
            dtype, data_layout, in_place, moving_mean_name, moving_variance_name,
            do_model_average_for_mean_and_var, use_global_stats, trainable_statistics,
        )  # fmt: skip


class LayerNorm(norm.LayerNorm):
    """Normalizes the last dimensions of every example.

    Args:
        normalized_shape (int|list[int]): sizes of the last dimensions.
        scale (bool): multiply by a weight. Default: True.
        shift (bool): add a bias. Default: True.
        epsilon (float): added to the variance. Default: 1e-5.
        param_attr (ParamAttr, optional): of the weight, first 1.
        bias_attr (ParamAttr, optional): of the bias, first 0.
        act (str, optional): the activation.
        dtype (str): of the parameters. Default: float32.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                layer = fluid.dygraph.LayerNorm([2], shift=False)
                x = fluid.dygraph.to_variable(np.array([[1.0, 3.0]], "float32"))
                print(layer(x).numpy().round(3))  # [[-1.  1.]]
    """

    def __init__(
        self, normalized_shape: Any, scale: bool = True, shift: bool = True,
        epsilon: float = 1e-05, param_attr: Any = None, bias_attr: Any = None, act: Any = None,
        dtype: Any = "float32",
    ) -> None:  # fmt: skip
        with parameters_of(dtype):
            super().__init__(
                normalized_shape, epsilon, param_attr if scale else False,
                bias_attr if shift else False,
            )  # fmt: skip
        self._act, self._function = act, activation("LayerNorm", act)

    def forward(self, input: Any) -> Any:
        """Normalizes ``input``, ``[*, *normalized_shape]``, and applies the activation."""
        return applied(self._function, super().forward(input))


class GroupNorm(Layer):
    """Normalizes groups of channels; as in 1.x it has parameters only where they are asked for.

    Args:
        channels (int): channels of the input.
        groups (int): number of groups; divides ``channels``.
        epsilon (float): added to the variance. Default: 1e-5.
        param_attr (ParamAttr|bool, optional): of the weight, first 1; None and False mean none.
        bias_attr (ParamAttr|bool, optional): of the bias, first 0; None and False mean none.
        act (str, optional): the activation.
        data_layout (str): ``NCHW``.
        dtype (str): of the parameters. Default: float32.

    Raises:
        ValueError: another layout, or groups that do not divide the channels.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                layer = fluid.dygraph.GroupNorm(4, groups=2)
                x = fluid.dygraph.to_variable(np.ones([1, 4, 2, 2], "float32"))
                print(layer(x).shape, layer.parameters())  # [1, 4, 2, 2] []
    """

    def __init__(
        self, channels: int, groups: int, epsilon: float = 1e-05, param_attr: Any = None,
        bias_attr: Any = None, act: Any = None, data_layout: str = "NCHW", dtype: Any = "float32",
    ) -> None:  # fmt: skip
        super().__init__(dtype=dtype)
        if data_layout != "NCHW":
            raise InvalidArgumentError(
                f"GroupNorm(data_layout): expected 'NCHW', but received {data_layout!r}."
            )
        if groups < 1 or channels % groups:
            raise InvalidArgumentError(
                "GroupNorm(groups): expected a divisor of channels, "
                f"but received {groups} for {channels}."
            )
        self._channels, self._groups, self._epsilon = channels, groups, epsilon
        self._act, self._function = act, activation("GroupNorm", act)
        self.weight = self.create_parameter(
            [channels], param_attr or False, default_initializer=Constant(1.0)
        )
        self.bias = self.create_parameter([channels], bias_attr or False, is_bias=True)

    def forward(self, input: Any) -> Any:
        """Normalizes ``input``, ``[N, C, ...]``, and applies the activation."""
        out = C.group_norm(
            input, self.weight, self.bias, epsilon=self._epsilon, groups=self._groups
        )[0]
        return applied(self._function, out)


class InstanceNorm(Layer):
    """Normalizes every channel of every example.

    Args:
        num_channels (int): channels of the input.
        epsilon (float): added to the variance. Default: 1e-5.
        param_attr (ParamAttr|bool, optional): of the factors, first 1; False, together with
            ``bias_attr``, means none.
        bias_attr (ParamAttr|bool, optional): of the terms, first 0.
        dtype (str): of the parameters. Default: float32.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                layer = fluid.dygraph.InstanceNorm(3)
                x = fluid.dygraph.to_variable(np.ones([1, 3, 2, 2], "float32"))
                print(layer(x).shape)  # [1, 3, 2, 2]
    """

    def __init__(
        self, num_channels: int, epsilon: float = 1e-05, param_attr: Any = None,
        bias_attr: Any = None, dtype: Any = "float32",
    ) -> None:  # fmt: skip
        super().__init__(dtype=dtype)
        if (param_attr is False) != (bias_attr is False):
            raise InvalidArgumentError(
                "InstanceNorm: expected param_attr and bias_attr to be False together, "
                f"but received {param_attr!r} and {bias_attr!r}."
            )
        self._epsilon = epsilon
        self.scale = self.create_parameter(
            [num_channels], param_attr, default_initializer=Constant(1.0)
        )
        self.bias = self.create_parameter(
            [num_channels], bias_attr, is_bias=True, default_initializer=Constant(0.0)
        )

    def forward(self, input: Any) -> Any:
        """Normalizes ``input``, ``[N, C, ...]``."""
        return C.instance_norm(input, self.scale, self.bias, epsilon=self._epsilon)[0]
