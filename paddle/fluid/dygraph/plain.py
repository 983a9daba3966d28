"""Layers of 1.x dygraph that are neither convolutions nor norms: Linear, Embedding, Pool2D ..."""

from __future__ import annotations

import warnings
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.mode import recording
from paddle.core.op import C
from paddle.fluid.dygraph.made import activation, applied, parameters_of
from paddle.nn.functional.input import embedding
from paddle.nn.initializer import Constant, XavierUniform
from paddle.nn.layer import common, loss
from paddle.nn.layer.layers import Layer

__all__ = [
    "BilinearTensorProduct", "Dropout", "Embedding", "GRUUnit", "Linear", "NLLLoss", "PRelu",
    "Pool2D", "TreeConv",
]  # fmt: skip


class Linear(common.Linear):
    """Multiplies by a matrix, adds a bias and applies an activation.

    Args:
        input_dim (int): size of the last dimension of the input.
        output_dim (int): that of the result.
        param_attr (ParamAttr, optional): of the weight, ``[input_dim, output_dim]``.
        bias_attr (ParamAttr|bool, optional): of the bias; False means none.
        act (str, optional): the activation.
        dtype (str): of the parameters. Default: float32.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                linear = fluid.dygraph.Linear(4, 2, act="softmax")
                x = fluid.dygraph.to_variable(np.ones([3, 4], "float32"))
                print(linear(x).shape, linear.weight.name)  # [3, 2] linear_0.w_0
    """

    def __init__(
        self, input_dim: int, output_dim: int, param_attr: Any = None, bias_attr: Any = None,
        act: Any = None, dtype: Any = "float32",
    ) -> None:  # fmt: skip
        with parameters_of(dtype):
            super().__init__(input_dim, output_dim, param_attr, bias_attr)
        self._act, self._function = act, activation("Linear", act)

    def forward(self, input: Any) -> Any:
        """Returns ``act(input @ weight + bias)``."""
        return applied(self._function, super().forward(input))


class Pool2D(Layer):
    """Takes the maximum or the mean of windows of images.

    Args:
        pool_size (int|tuple[int]): height and width of a window; has to be given unless
            ``global_pooling``.
        pool_type (str): ``max`` or ``avg``. Default: max.
        pool_stride (int|tuple[int]): Default: 1.
        pool_padding (int|tuple[int]): Default: 0.
        global_pooling (bool): one window is the whole image. Default: False.
        use_cudnn (bool): changes nothing.
        ceil_mode (bool): windows may reach over the edge. Default: False.
        exclusive (bool): a mean leaves padding out. Default: True.
        data_format (str): ``NCHW`` or ``NHWC``. Default: NCHW.

    Raises:
        ValueError: an unknown type or format, or no size.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                pool = fluid.dygraph.Pool2D(2, "avg", pool_stride=2)
                x = fluid.dygraph.to_variable(np.ones([1, 3, 4, 4], "float32"))
                print(pool(x).shape)  # [1, 3, 2, 2]
    """

    def __init__(
        self, pool_size: Any = -1, pool_type: str = "max", pool_stride: Any = 1,
        pool_padding: Any = 0, global_pooling: bool = False, use_cudnn: bool = True,
        ceil_mode: bool = False, exclusive: bool = True, data_format: str = "NCHW",
    ) -> None:  # fmt: skip
        for name, value, known in (
            ("pool_type", pool_type, ("max", "avg")), ("data_format", data_format, ("NCHW", "NHWC"))
        ):  # fmt: skip
            if value not in known:
                raise InvalidArgumentError(
                    f"Pool2D({name}): expected one of {list(known)}, but received {value!r}."
                )
        if pool_size == -1 and not global_pooling:
            raise InvalidArgumentError(
                "Pool2D(pool_size): expected the size of a window, since global_pooling is False, "
                f"but received {pool_size!r}."
            )
        super().__init__()
        self._attrs = {
            "pooling_type": pool_type, "ksize": _pair("pool_size", pool_size),
            "strides": _pair("pool_stride", pool_stride),
            "paddings": _pair("pool_padding", pool_padding), "global_pooling": global_pooling,
            "ceil_mode": ceil_mode, "exclusive": exclusive, "data_format": data_format,
        }  # fmt: skip

    def forward(self, input: Any) -> Any:
        """Pools ``input``."""
        return C.pool2d(input, **self._attrs)


def _pair(name: str, value: Any) -> list[int]:
    """One int for height and width, or both."""
    both = [value, value] if isinstance(value, int) else list(value)
    if len(both) not in (2, 4):
        raise InvalidArgumentError(f"Pool2D({name}): expected 2 sizes, but received {value!r}.")
    return both


class Dropout(Layer):
    """Sets elements to zero at random while training.

    Args:
        p (float): the share of zeros. Default: 0.5.
        seed (int, optional): of this layer's own random numbers; None: the global ones.
        dropout_implementation (str): ``downgrade_in_infer``, where evaluation multiplies by
            ``1 - p``, or ``upscale_in_train``, where training divides by it.
        is_test (bool): used in static mode; in dygraph ``train()`` and ``eval()`` decide.

    Raises:
        ValueError: ``p`` outside of 0 to 1, or an unknown implementation.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                dropout = fluid.dygraph.Dropout(0.4)
                dropout.eval()
                x = fluid.dygraph.to_variable(np.ones([1, 2], "float32"))
                print(dropout(x).numpy())  # [[0.6 0.6]]
    """

    def __init__(
        self, p: float = 0.5, seed: int | None = None,
        dropout_implementation: str = "downgrade_in_infer", is_test: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        if not 0 <= p <= 1:
            raise InvalidArgumentError(f"Dropout(p): expected 0 to 1, but received {p!r}.")
        known = ("downgrade_in_infer", "upscale_in_train")
        if dropout_implementation not in known:
            raise InvalidArgumentError(
                f"Dropout(dropout_implementation): expected one of {list(known)}, "
                f"but received {dropout_implementation!r}."
            )
        self._dropout_prob, self._seed, self._is_test = p, seed, is_test
        self._dropout_implementation = dropout_implementation

    def forward(self, input: Any) -> Any:
        """Drops elements of ``input``, or scales it."""
        if self._dropout_prob == 0:
            return input
        return C.dropout(
            input, None, dropout_prob=self._dropout_prob,
            is_test=self._is_test or not self.training if recording() else not self.training,
            dropout_implementation=self._dropout_implementation,
            fix_seed=self._seed is not None, seed=self._seed or 0,
        )[0]  # fmt: skip


class Embedding(Layer):
    """Looks up rows of a table.

    Args:
        size (list[int]|tuple[int]): rows and width of the table.
        is_sparse (bool): the gradient is kept as the rows that occur. Default: False.
        is_distributed (bool): only False.
        padding_idx (int, optional): this row gives zeros and no gradient; negative counts from
            the end.
        param_attr (ParamAttr, optional): of the table, Xavier by default.
        dtype (str): of the table. Default: float32.

    Raises:
        NotImplementedError: ``is_distributed`` is True.
        ValueError: ``padding_idx`` is no row.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                table = fluid.dygraph.Embedding([10, 4])
                ids = fluid.dygraph.to_variable(np.array([[1, 2, 3]], "int64"))
                print(table(ids).shape)  # [1, 3, 4]
    """

    def __init__(
        self, size: Any, is_sparse: bool = False, is_distributed: bool = False,
        padding_idx: int | None = None, param_attr: Any = None, dtype: Any = "float32",
    ) -> None:  # fmt: skip
        super().__init__(dtype=dtype)
        if not isinstance(size, (list, tuple)) or len(size) != 2:
            raise TypeError(f"Embedding(size): expected [rows, width], but received {size!r}.")
        if is_distributed:
            raise NotImplementedError(
                "Embedding(is_distributed=True): a table on parameter servers is not part of this "
                "version; leave the argument out."
            )
        if padding_idx is not None and not -size[0] <= padding_idx < size[0]:
            raise InvalidArgumentError(
                f"Embedding(padding_idx): expected a row of {size[0]}, but received {padding_idx}."
            )
        self._size, self._is_sparse = list(size), is_sparse
        self._padding_idx = padding_idx
        self.weight = self.create_parameter(
            self._size, param_attr, default_initializer=XavierUniform()
        )

    def forward(self, input: Any) -> Any:
        """Returns the rows whose numbers ``input`` has."""
        return embedding(input, self.weight, self._padding_idx, self._is_sparse)


_GATES = {"identity": 0, "sigmoid": 1, "tanh": 2, "relu": 3}


class GRUUnit(Layer):
    """One step of a gated recurrent unit.

    Args:
        size (int): three times the width of the state.
        param_attr (ParamAttr, optional): of the weight, ``[size / 3, size]``.
        bias_attr (ParamAttr|bool, optional): of the bias, ``[1, size]``; False means none.
        activation (str): of the candidate: identity, sigmoid, tanh or relu. Default: tanh.
        gate_activation (str): of the gates. Default: sigmoid.
        origin_mode (bool): ``u h + (1 - u) c`` in place of ``(1 - u) h + u c``; as in 1.8.5 only
            in static mode, dygraph warns and computes the latter. Default: False.
        dtype (str): of the parameters. Default: float32.

    Raises:
        ValueError: ``size`` is no multiple of 3, or an unknown activation.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                unit = fluid.dygraph.GRUUnit(6)
                x = fluid.dygraph.to_variable(np.ones([3, 6], "float32"))
                h = fluid.dygraph.to_variable(np.zeros([3, 2], "float32"))
                hidden, reset, gate = unit(x, h)
                print(hidden.shape, reset.shape, gate.shape)  # [3, 2] [3, 2] [3, 6]
    """

    def __init__(
        self, size: int, param_attr: Any = None, bias_attr: Any = None, activation: str = "tanh",
        gate_activation: str = "sigmoid", origin_mode: bool = False, dtype: Any = "float32",
    ) -> None:  # fmt: skip
        super().__init__(dtype=dtype)
        if size % 3:
            raise InvalidArgumentError(
                f"GRUUnit(size): expected a multiple of 3, but received {size}."
            )
        for name, value in (("activation", activation), ("gate_activation", gate_activation)):
            if value not in _GATES:
                raise InvalidArgumentError(
                    f"GRUUnit({name}): expected one of {list(_GATES)}, but received {value!r}."
                )
        self.activation, self.gate_activation = _GATES[activation], _GATES[gate_activation]
        self._origin_mode = origin_mode
        if origin_mode and not recording():
            warnings.warn(
                "GRUUnit(origin_mode=True) has no effect in dygraph, as in 1.8.5; "
                "paddle.nn.GRUCell has this form.", stacklevel=2,
            )  # fmt: skip
        self.weight = self.create_parameter([size // 3, size], param_attr)
        self.bias = self.create_parameter([1, size], bias_attr, is_bias=True)

    def forward(self, input: Any, hidden: Any) -> tuple[Any, Any, Any]:
        """Returns the new state, the state after the reset gate, and the gates."""
        origin = self._origin_mode and recording()
        gate, reset, updated = C.gru_unit(
            input, hidden, self.weight, self.bias, activation=self.activation,
            gate_activation=self.gate_activation, origin_mode=origin,
        )  # fmt: skip
        return updated, reset, gate


class PRelu(Layer):
    """``max(0, x) + weight * min(0, x)``.

    Args:
        mode (str): ``all`` has one weight, ``channel`` one for each channel, ``element`` one for
            each element of an example.
        channel (int, optional): number of channels, for ``channel``.
        input_shape (list[int], optional): the input's shape, for ``element``.
        param_attr (ParamAttr, optional): of the weight, first 1.
        dtype (str): of the weight. Default: float32.

    Raises:
        ValueError: another mode, or what it needs is missing.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                prelu = fluid.dygraph.PRelu("all", param_attr=fluid.initializer.Constant(0.5))
                x = fluid.dygraph.to_variable(np.array([[-2.0, 2.0]], "float32"))
                print(prelu(x).numpy())  # [[-1.  2.]]
    """

    def __init__(
        self, mode: str, channel: int | None = None, input_shape: Any = None,
        param_attr: Any = None, dtype: Any = "float32",
    ) -> None:  # fmt: skip
        super().__init__("prelu", dtype)
        if mode not in ("all", "channel", "element"):
            raise InvalidArgumentError(
                f"PRelu(mode): expected 'all', 'channel' or 'element', but received {mode!r}."
            )
        if mode == "channel" and not isinstance(channel, int):
            raise InvalidArgumentError(
                f"PRelu(channel): mode 'channel' needs the number, but received {channel!r}."
            )
        if mode == "element" and not isinstance(input_shape, (list, tuple)):
            raise InvalidArgumentError(
                f"PRelu(input_shape): mode 'element' needs the shape, but received {input_shape!r}."
            )
        shapes: dict[str, Any] = {"all": [1], "channel": [1, channel, 1, 1]}
        shape = shapes[mode] if mode in shapes else [1, *input_shape[1:]]
        self._mode = mode
        self.weight = self.create_parameter(shape, param_attr, default_initializer=Constant(1.0))

    def forward(self, input: Any) -> Any:
        """Applies the function to ``input``."""
        return C.prelu(input, self.weight, mode=self._mode)


class BilinearTensorProduct(Layer):
    """``act(x W_i y + b_i)`` for each i.

    Args:
        input1_dim (int): width of ``x``.
        input2_dim (int): width of ``y``.
        output_dim (int): width of the result.
        name (str, optional): has no effect.
        act (str, optional): the activation.
        param_attr (ParamAttr, optional): of ``[output_dim, input1_dim, input2_dim]``.
        bias_attr (ParamAttr|bool, optional): of the bias, ``[1, output_dim]``; False means none.
        dtype (str): of the parameters. Default: float32.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                product = fluid.dygraph.BilinearTensorProduct(5, 4, 3)
                x = fluid.dygraph.to_variable(np.ones([2, 5], "float32"))
                y = fluid.dygraph.to_variable(np.ones([2, 4], "float32"))
                print(product(x, y).shape)  # [2, 3]
    """

    def __init__(
        self, input1_dim: int, input2_dim: int, output_dim: int, name: str | None = None,
        act: Any = None, param_attr: Any = None, bias_attr: Any = None, dtype: Any = "float32",
    ) -> None:  # fmt: skip
        super().__init__(dtype=dtype)
        self._act, self._function = act, activation("BilinearTensorProduct", act)
        self.weight = self.create_parameter([output_dim, input1_dim, input2_dim], param_attr)
        self.bias = self.create_parameter([1, output_dim], bias_attr, is_bias=True)

    def forward(self, x: Any, y: Any) -> Any:
        """Returns the product of ``x`` and ``y``."""
        return applied(self._function, C.bilinear_tensor_product(x, y, self.weight, self.bias))


class TreeConv(Layer):
    """Convolves over the nodes of trees.

    Args:
        feature_size (int): width of a node's vector.
        output_size (int): width of the result.
        num_filters (int): Default: 1.
        max_depth (int): how far from a node its window reaches. Default: 2.
        act (str, optional): Default: tanh.
        param_attr (ParamAttr, optional): of the weight.
        bias_attr (ParamAttr|bool, optional): of a bias, ``[num_filters]``; None and False: none.
        name (str, optional): has no effect.
        dtype (str): of the parameters. Default: float32.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                conv = fluid.dygraph.TreeConv(feature_size=3, output_size=4)
                print(conv.weight.shape)  # [3, 3, 4, 1]
    """

    def __init__(
        self, feature_size: int, output_size: int, num_filters: int = 1, max_depth: int = 2,
        act: Any = "tanh", param_attr: Any = None, bias_attr: Any = None, name: str | None = None,
        dtype: Any = "float32",
    ) -> None:  # fmt: skip
        super().__init__(dtype=dtype)
        self._max_depth = max_depth
        self._act, self._function = act, activation("TreeConv", act)
        if bias_attr:
            self.bias = self.create_parameter([num_filters], bias_attr, is_bias=True)
        else:
            self.bias = None
        self.weight = self.create_parameter([feature_size, 3, output_size, num_filters], param_attr)

    def forward(self, nodes_vector: Any, edge_set: Any) -> Any:
        """Convolves vectors ``[N, nodes, feature_size]`` along edges ``[N, edges, 2]``."""
        out = C.tree_conv(nodes_vector, edge_set, self.weight, max_depth=self._max_depth)
        if self.bias is not None:
            out = C.elementwise_add(out, self.bias, axis=-1)
        return applied(self._function, out)


class NLLLoss(loss.NLLLoss):
    """The negative log likelihood; in 1.x ``reduction`` comes before ``ignore_index``.

    Args:
        weight (Tensor, optional): a factor for each class.
        reduction (str): ``mean``, ``sum`` or ``none``. Default: mean.
        ignore_index (int): labels that do not count. Default: -100.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                loss = fluid.dygraph.NLLLoss(reduction="sum")
                x = fluid.dygraph.to_variable(np.array([[-1.0, -2.0]], "float32"))
                label = fluid.dygraph.to_variable(np.array([1], "int64"))
                print(loss(x, label).numpy())  # [2.]
    """

    def __init__(
        self, weight: Any = None, reduction: str = "mean", ignore_index: int = -100
    ) -> None:
        super().__init__(weight, ignore_index, reduction)
