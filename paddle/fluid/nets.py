"""fluid.nets: groups of layers that often stand together."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.fluid.layers import rows
from paddle.fluid.layers.common import check_value

__all__ = [
    "glu", "img_conv_group", "scaled_dot_product_attention", "sequence_conv_pool",
    "simple_img_conv_pool",
]  # fmt: skip


def simple_img_conv_pool(
    input: Any, num_filters: int, filter_size: Any, pool_size: Any, pool_stride: Any,
    pool_padding: Any = 0, pool_type: str = "max", global_pooling: bool = False,
    conv_stride: Any = 1, conv_padding: Any = 0, conv_dilation: Any = 1, conv_groups: int = 1,
    param_attr: Any = None, bias_attr: Any = None, act: Any = None, use_cudnn: bool = True,
) -> Any:  # fmt: skip
    """A convolution of images and a pooling.

    Args:
        input (Variable): ``[N, C, H, W]``.
        num_filters (int): the number of output channels.
        filter_size (int|list[int]): height and width of the filters.
        pool_size (int|list[int]): the pooling's window.
        pool_stride (int|list[int]): its step.
        pool_padding (int|list[int]): what is put around. Default: 0.
        pool_type (str): ``'max'`` or ``'avg'``. Default: max.
        global_pooling (bool): one window over all. Default: False.
        conv_stride (int|list[int]): the convolution's step. Default: 1.
        conv_padding (int|list[int]): what is put around. Default: 0.
        conv_dilation (int|list[int]): distance of the elements of a window. Default: 1.
        conv_groups (int): number of groups of channels. Default: 1.
        param_attr (ParamAttr, optional): the filters.
        bias_attr (ParamAttr|bool, optional): the bias; False means none.
        act (str, optional): name of an activation behind the convolution.
        use_cudnn (bool): the numbers are the same either way. Default: True.

    Returns:
        Variable: the pooled image.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 1, 28, 28])
            y = fluid.nets.simple_img_conv_pool(x, 20, 5, pool_size=2, pool_stride=2, act="relu")
            print(y.shape)  # (-1, 20, 12, 12)
            paddle.disable_static()
    """
    convolved = rows.find("conv2d")(
        input, num_filters, filter_size, conv_stride, conv_padding, conv_dilation, conv_groups,
        param_attr, bias_attr, use_cudnn, act,
    )  # fmt: skip
    return rows.find("pool2d")(
        convolved, pool_size, pool_type, pool_stride, pool_padding, global_pooling, use_cudnn
    )


def img_conv_group(
    input: Any, conv_num_filter: Any, pool_size: Any, conv_padding: Any = 1,
    conv_filter_size: Any = 3, conv_act: Any = None, param_attr: Any = None,
    conv_with_batchnorm: Any = False, conv_batchnorm_drop_rate: Any = 0.0, pool_stride: Any = 1,
    pool_type: str = "max", use_cudnn: bool = True,
) -> Any:  # fmt: skip
    """Several convolutions of images, each with normalization and dropout if wanted, and a pooling.

    Args:
        input (Variable): ``[N, C, H, W]``.
        conv_num_filter (list[int]): the output channels of each convolution.
        pool_size (int|list[int]): the pooling's window.
        conv_padding (int|list): what is put around, for all or for each. Default: 1.
        conv_filter_size (int|list): the filters' size, for all or for each. Default: 3.
        conv_act (str, optional): name of an activation behind each.
        param_attr (ParamAttr|list, optional): the filters, for all or for each.
        conv_with_batchnorm (bool|list[bool]): whether batches are normalized. Default: False.
        conv_batchnorm_drop_rate (float|list[float]): dropout behind that. Default: 0.
        pool_stride (int|list[int]): the pooling's step. Default: 1.
        pool_type (str): ``'max'`` or ``'avg'``. Default: max.
        use_cudnn (bool): the numbers are the same either way. Default: True.

    Returns:
        Variable: the pooled image.

    Raises:
        ValueError: a list of another length than ``conv_num_filter``.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 3, 8, 8])
            y = fluid.nets.img_conv_group(x, [4, 4], pool_size=2, conv_act="relu", pool_stride=2)
            print(y.shape)  # (-1, 4, 4, 4)
            paddle.disable_static()
    """
    if not isinstance(conv_num_filter, (list, tuple)):
        raise TypeError(
            "fluid.nets.img_conv_group(conv_num_filter): expected a list, "
            f"but received {type(conv_num_filter).__name__}."
        )
    count = len(conv_num_filter)

    def each(argument: str, given: Any) -> list[Any]:
        if not isinstance(given, (list, tuple)):
            return [given] * count
        if len(given) != count:
            raise InvalidArgumentError(
                f"fluid.nets.img_conv_group({argument}): expected {count}, one for each "
                f"convolution, but received {len(given)}."
            )
        return list(given)

    paddings = each("conv_padding", conv_padding)
    filters = each("conv_filter_size", conv_filter_size)
    attrs = each("param_attr", param_attr)
    normed = each("conv_with_batchnorm", conv_with_batchnorm)
    rates = each("conv_batchnorm_drop_rate", conv_batchnorm_drop_rate)
    made = input
    for i in range(count):
        act = None if normed[i] else conv_act
        made = rows.find("conv2d")(
            made, conv_num_filter[i], filters[i], padding=paddings[i], param_attr=attrs[i],
            act=act, use_cudnn=use_cudnn,
        )  # fmt: skip
        if normed[i]:
            made = rows.find("batch_norm")(made, act=conv_act)
            if abs(rates[i]) > 1e-5:
                made = rows.find("dropout")(made, dropout_prob=rates[i])
    return rows.find("pool2d")(made, pool_size, pool_type, pool_stride, use_cudnn=use_cudnn)


def sequence_conv_pool(
    input: Any, num_filters: int, filter_size: int, param_attr: Any = None,
    act: Any = "sigmoid", pool_type: str = "max", bias_attr: Any = None,
) -> Any:  # fmt: skip
    """A convolution over the rows of sequences and a pooling of each sequence.

    Args:
        input (Variable): rows with a level of sequences.
        num_filters (int): the length of the result's rows.
        filter_size (int): how many rows a window has.
        param_attr (ParamAttr, optional): the filter.
        act (str, optional): name of an activation behind the convolution. Default: sigmoid.
        pool_type (str): ``'max'``, ``'average'``, ``'sum'``, ``'sqrt'``, ``'last'`` or
            ``'first'``. Default: max.
        bias_attr (ParamAttr|bool, optional): the bias; False means none.

    Returns:
        Variable: a row for each sequence.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                words = fluid.data("words", [None, 8], lod_level=1)
                print(fluid.nets.sequence_conv_pool(words, 4, 3).shape)  # (-1, 4)
    """
    convolved = rows.find("sequence_conv")(
        input, num_filters, filter_size, param_attr=param_attr, bias_attr=bias_attr, act=act
    )
    return rows.find("sequence_pool")(convolved, pool_type)


def glu(input: Any, dim: int = -1) -> Any:
    """The first half of a dimension times the sigmoid of the second.

    Args:
        input (Variable): of an even size of that dimension.
        dim (int): the dimension. Default: -1.

    Returns:
        Variable: of half the size.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 6])
            print(fluid.nets.glu(x).shape)  # (-1, 3)
            paddle.disable_static()
    """
    first, second = rows.find("split")(check_value("glu", "input", input), 2, dim=dim)
    return rows.find("elementwise_mul")(first, rows.find("sigmoid")(second))


def scaled_dot_product_attention(
    queries: Any, keys: Any, values: Any, num_heads: int = 1, dropout_rate: float = 0.0
) -> Any:
    r"""Attention: :math:`softmax(Q K^T / \sqrt{d}) V`, in several heads if wanted.

    Args:
        queries (Variable): ``[N, queries, d]``.
        keys (Variable): ``[N, keys, d]``.
        values (Variable): ``[N, keys, v]``.
        num_heads (int): how many heads; more than one project all three first. Default: 1.
        dropout_rate (float): chance that a weight is dropped. Default: 0.

    Returns:
        Variable: ``[N, queries, v]``.

    Raises:
        ValueError: shapes do not fit.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            q = fluid.data("q", [3, 5, 9])
            print(fluid.nets.scaled_dot_product_attention(q, q, q).shape)  # (3, 5, 9)
            paddle.disable_static()
    """
    _fit(queries, keys, values, num_heads)
    find = rows.find
    given = [queries, keys, values]
    if num_heads > 1:
        given = [find("fc")(v, size=v.shape[-1], num_flatten_dims=2) for v in given]
    heads = [_split_heads(value, num_heads) for value in given]
    width = keys.shape[-1] // num_heads
    product = find("matmul")(find("scale")(heads[0], scale=width**-0.5), heads[1], transpose_y=True)
    weights = find("reshape")(product, shape=[-1, product.shape[-1]], act="softmax")
    weights = find("reshape")(weights, shape=product.shape)
    if dropout_rate:
        weights = find("dropout")(weights, dropout_prob=dropout_rate, is_test=False)
    made = find("matmul")(weights, heads[2])
    if num_heads == 1:
        return made
    made = find("transpose")(made, perm=[0, 2, 1, 3])
    return find("reshape")(made, shape=[*made.shape[:2], made.shape[2] * made.shape[3]])


def _fit(queries: Any, keys: Any, values: Any, num_heads: int) -> None:
    """Raises where the three do not go together."""
    given = {"queries": queries, "keys": keys, "values": values}
    called = "scaled_dot_product_attention"
    shapes = [list(check_value(called, name, value).shape) for name, value in given.items()]
    api = "fluid.nets.scaled_dot_product_attention"
    if any(len(shape) != 3 for shape in shapes):
        raise InvalidArgumentError(f"{api}: expected three dimensions, but received {shapes}.")
    if shapes[0][-1] != shapes[1][-1]:
        raise InvalidArgumentError(
            f"{api}(keys): expected the width of queries, {shapes[0][-1]}, "
            f"but received {shapes[1][-1]}."
        )
    if shapes[1][-2] != shapes[2][-2]:
        raise InvalidArgumentError(
            f"{api}(values): expected as many as keys, {shapes[1][-2]}, "
            f"but received {shapes[2][-2]}."
        )
    for name, shape in (("keys", shapes[1]), ("values", shapes[2])):
        if shape[-1] % num_heads:
            raise InvalidArgumentError(
                f"{api}(num_heads): expected a divisor of the width of {name}, {shape[-1]}, "
                f"but received {num_heads}."
            )


def _split_heads(value: Any, num_heads: int) -> Any:
    if num_heads == 1:
        return value
    width = value.shape[-1]
    parts = [*value.shape[:-1], num_heads, width // num_heads]
    return rows.find("transpose")(rows.find("reshape")(value, shape=parts), perm=[0, 2, 1, 3])
