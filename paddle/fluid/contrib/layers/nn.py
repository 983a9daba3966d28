"""Layers of contrib: matching of texts, trees, recommendation, fused forms."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.fluid.layers.rare import seeded
from paddle.incubate.layer_helper import LayerHelper
from paddle.static.nn import sparse_embedding

__all__ = [
    "fused_bn_add_act", "fused_elemwise_activation", "fused_embedding_seq_pool",
    "match_matrix_tensor", "multiclass_nms2", "partial_concat", "partial_sum",
    "sequence_topk_avg_pooling", "shuffle_batch", "sparse_embedding", "tree_conv", "var_conv_2d",
]  # fmt: skip


def _pair(api: str, argument: str, value: Any) -> list[int]:
    found = list(value) if isinstance(value, (list, tuple)) else [value, value]
    if len(found) != 2 or any(not isinstance(n, int) for n in found):
        raise InvalidArgumentError(
            f"{api}({argument}): expected a number or 2 of them, but received {value}."
        )
    return found


# -- texts ----------------------------------------------------------------------------------------


def match_matrix_tensor(
    x: Any, y: Any, channel_num: int, act: str | None = None, param_attr: Any = None,
    dtype: Any = "float32", name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Compares every word of a text with every word of another, ``channel_num`` times.

    Args:
        x (Variable): words [rows, width] with a level for the texts.
        y (Variable): the words of the other texts.
        channel_num (int): how often, each time by a matrix of its own.
        act (str, optional): an activation.
        param_attr (ParamAttr, optional): of the matrices [width, channel_num, width].
        dtype (str): their type. Default: float32.
        name (str, optional): the layer's name.

    Returns:
        tuple: the tables [elements, 1] with a level for the pairs, and the words of x by the
        matrices.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                rows = fluid.data("rows", [None, 5], lod_level=1)
                rows_too = fluid.data("rows_too", [None, 5], lod_level=1)
                outs = fluid.contrib.layers.match_matrix_tensor(rows, rows_too, 3)
                print([out.shape for out in outs])  # [(-1, 1), (-1, 1)]
    """
    helper = LayerHelper("match_matrix_tensor", **locals())
    shape = [x.shape[-1], channel_num, y.shape[-1]]
    w = helper.create_parameter(helper.param_attr, shape, dtype)
    out, middle = helper.call("match_matrix_tensor", x, y, w, dim_t=channel_num)
    return helper.append_activation(out), middle


def var_conv_2d(
    input: Any, row: Any, col: Any, input_channel: int, output_channel: int, filter_size: Any,
    stride: Any = 1, param_attr: Any = None, act: str | None = None, dtype: Any = "float32",
    name: str | None = None,
) -> Any:  # fmt: skip
    """A convolution over tables of different sizes.

    Args:
        input (Variable): elements [n, 1] with a level for the tables.
        row (Variable): its level has their heights.
        col (Variable): its level has their widths.
        input_channel (int): channels of a table.
        output_channel (int): channels of the result.
        filter_size (int|list[int]): height and width of the filter.
        stride (int|list[int]): steps down and across. Default: 1.
        param_attr (ParamAttr, optional): of the filter.
        act (str, optional): an activation.
        dtype (str): its type. Default: float32.
        name (str, optional): the layer's name.

    Returns:
        Variable: elements [m, 1] with a level for the tables.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                cells = fluid.data("cells", [None, 1], lod_level=1)
                rows = fluid.data("rows", [None, 5], lod_level=1)
                rows_too = fluid.data("rows_too", [None, 5], lod_level=1)
                out = fluid.contrib.layers.var_conv_2d(cells, rows, rows_too, 1, 2, 3)
                print(out.shape)  # (-1, 1)
    """
    helper = LayerHelper("var_conv_2d", **locals())
    high, wide = _pair("var_conv_2d", "filter_size", filter_size)
    down, across = _pair("var_conv_2d", "stride", stride)
    w = helper.create_parameter(
        helper.param_attr, [output_channel, input_channel * high * wide], dtype
    )
    out, _ = helper.call(
        "var_conv_2d", input, row, col, w, InputChannel=input_channel,
        OutputChannel=output_channel, StrideH=down, StrideW=across, KernelH=high, KernelW=wide
    )  # fmt: skip
    return helper.append_activation(out)


def sequence_topk_avg_pooling(
    input: Any, row: Any, col: Any, topks: list[int], channel_num: int
) -> Any:
    """Means of the greatest values of each row of tables of different sizes.

    Args:
        input (Variable): elements [n, 1] with a level for the tables.
        row (Variable): its level has their heights.
        col (Variable): its level has their widths.
        topks (list[int]): how many values each mean is taken of.
        channel_num (int): channels of a table.

    Returns:
        Variable: [rows, channel_num * len(topks)] with the level of ``row``.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                cells = fluid.data("cells", [None, 1], lod_level=1)
                rows = fluid.data("rows", [None, 5], lod_level=1)
                rows_too = fluid.data("rows_too", [None, 5], lod_level=1)
                out = fluid.contrib.layers.sequence_topk_avg_pooling(
                    cells, rows, rows_too, [1, 3], 2)
                print(out.shape)  # (-1, 4)
    """
    return LayerHelper("sequence_topk_avg_pooling").call(
        "sequence_topk_avg_pooling", input, row, col, topks=list(topks), channel_num=channel_num
    )[0]


def tree_conv(
    nodes_vector: Any, edge_set: Any, output_size: int, num_filters: int = 1, max_depth: int = 2,
    act: str | None = "tanh", param_attr: Any = None, bias_attr: Any = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """A convolution over trees, https://arxiv.org/abs/1409.5718.

    Args:
        nodes_vector (Variable): the nodes of each tree [N, nodes, width].
        edge_set (Variable): int32 [N, edges, 2]: a node and one below it, from 1 on; 0 ends them.
        output_size (int): width of the result.
        num_filters (int): how many results. Default: 1.
        max_depth (int): how many levels a filter sees. Default: 2.
        act (str, optional): an activation. Default: tanh.
        param_attr (ParamAttr, optional): of the filters [width, 3, output_size, num_filters].
        bias_attr (ParamAttr|bool, optional): of the bias; False: none.
        name (str, optional): the layer's name.

    Returns:
        Variable: [N, nodes, output_size, num_filters].

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                nodes_vector = fluid.data("nodes_vector", [2, 6, 3])
                edges = fluid.data("edges", [2, 5, 2], "int32")
                out = fluid.contrib.layers.tree_conv(nodes_vector, edges, 4, num_filters=2)
                print(out.shape)  # (2, 6, 4, 2)
    """
    helper = LayerHelper("tree_conv", **locals())
    shape = [nodes_vector.shape[2], 3, output_size, num_filters]
    w = helper.create_parameter(helper.param_attr, shape, nodes_vector.dtype)
    out = helper.call("tree_conv", nodes_vector, edge_set, w, max_depth=max_depth)
    return helper.append_activation(helper.append_bias_op(out))


# -- fused forms ----------------------------------------------------------------------------------


def fused_elemwise_activation(
    x: Any, y: Any, functor_list: Any, axis: int = -1, scale: float = 0.0,
    save_intermediate_out: bool = True,
) -> Any:  # fmt: skip
    """A sum or product of two operands and an activation, one after the other.

    Args:
        x (Variable): the left operand.
        y (Variable): the right one.
        functor_list (list[str]|str): two names such as ``["elementwise_add", "relu"]``; the
            second is applied first.
        axis (int): where y's dimensions begin in those of x. Default: -1.
        scale (float): the factor of "scale". Default: 0.0.
        save_intermediate_out (bool): whether the gradient may read what lies between.

    Returns:
        Variable: the result.

    Raises:
        ValueError: not two names.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                y = fluid.data("y", [2, 3])
                out = fluid.contrib.layers.fused_elemwise_activation(
                    x, y, ["elementwise_add", "relu"])
                print(out.shape)  # (2, 3)
    """
    names = functor_list.split(",") if isinstance(functor_list, str) else functor_list
    if not isinstance(names, (list, tuple)) or len(names) != 2:
        raise InvalidArgumentError(
            f"fused_elemwise_activation(functor_list): expected 2 names, but received {names}."
        )
    return LayerHelper("fused_elemwise_activation").call(
        "fused_elemwise_activation", x, y, axis=axis, scale=scale,
        save_intermediate_out=save_intermediate_out, functor_list=list(names)
    )[0]  # fmt: skip


def fused_embedding_seq_pool(
    input: Any, size: list[int], is_sparse: bool = False, padding_idx: int | None = None,
    combiner: str = "sum", param_attr: Any = None, dtype: Any = "float32",
) -> Any:  # fmt: skip
    """Looks up the words of each text and adds them up.

    Args:
        input (Variable): int64 numbers [n, 1] with a level for the texts.
        size (list[int]): rows and columns of the table.
        is_sparse (bool): its gradient has the rows that occur. Default: False.
        padding_idx (int, optional): a word that is not looked up.
        combiner (str): ``"sum"``.
        param_attr (ParamAttr, optional): of the table.
        dtype (str): its type. Default: float32.

    Returns:
        Variable: a row for each text.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                words = fluid.data("words", [None, 1], "int64", lod_level=1)
                out = fluid.contrib.layers.fused_embedding_seq_pool(words, [20, 4])
                print(out.shape)  # (-1, 4)
    """
    helper = LayerHelper("fused_embedding_seq_pool", **locals())
    w = helper.create_parameter(helper.param_attr, list(size), dtype)
    place = (
        -1 if padding_idx is None else padding_idx if padding_idx >= 0 else size[0] + padding_idx
    )
    return helper.call(
        "fused_embedding_seq_pool", w, input, is_sparse=is_sparse, combiner=combiner,
        padding_idx=place
    )  # fmt: skip


def fused_bn_add_act(
    x: Any, y: Any, momentum: float = 0.9, epsilon: float = 1e-05, param_attr: Any = None,
    bias_attr: Any = None, moving_mean_name: str | None = None,
    moving_variance_name: str | None = None, act: str | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """Normalizes x over the batch, adds y, and applies an activation; channels come last.

    Args:
        x (Variable): [N, ..., C].
        y (Variable): the same shape.
        momentum (float): how much of the running statistics stays. Default: 0.9.
        epsilon (float): added to the variance. Default: 1e-5.
        param_attr (ParamAttr, optional): of the scale.
        bias_attr (ParamAttr, optional): of the shift.
        moving_mean_name (str, optional): name of the running mean.
        moving_variance_name (str, optional): name of the running variance.
        act (str, optional): an activation.
        name (str, optional): the layer's name.

    Returns:
        Variable: of the shape of x.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                half = fluid.data("half", [2, 4, 6, 6])
                print(fluid.contrib.layers.fused_bn_add_act(half, half).shape)  # (2, 4, 6, 6)
    """
    from paddle.static.nn import batch_norm

    helper = LayerHelper("fused_bn_add_act", **locals())
    normal = batch_norm(
        x, momentum=momentum, epsilon=epsilon, param_attr=param_attr, bias_attr=bias_attr,
        data_layout="NHWC", moving_mean_name=moving_mean_name,
        moving_variance_name=moving_variance_name
    )  # fmt: skip
    return helper.append_activation(normal + y)


def multiclass_nms2(
    bboxes: Any, scores: Any, score_threshold: float, nms_top_k: int, keep_top_k: int,
    nms_threshold: float = 0.3, normalized: bool = True, nms_eta: float = 1.0,
    background_label: int = 0, return_index: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """``fluid.layers.multiclass_nms`` that can also give the place of each box.

    Args:
        bboxes (Variable): [N, M, 4].
        scores (Variable): [N, classes, M].
        score_threshold (float): lower scores are left out.
        nms_top_k (int): how many boxes of a class are looked at.
        keep_top_k (int): how many boxes of an image stay.
        nms_threshold (float): boxes that overlap more are left out. Default: 0.3.
        normalized (bool): boxes are parts of an image, else pixels. Default: True.
        nms_eta (float): what the threshold is multiplied by after each box. Default: 1.0.
        background_label (int): the class of the background; -1: none. Default: 0.
        return_index (bool): also give the places. Default: False.
        name (str, optional): the layer's name.

    Returns:
        Variable: rows of class, score and box [found, 6]; with ``return_index`` the places
        [found, 1], too.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                boxes = fluid.data("boxes", [2, 5, 4])
                scores = fluid.data("scores", [2, 3, 5])
                out = fluid.contrib.layers.multiclass_nms2(boxes, scores, 0.1, 10, 5)
                print(out.shape)  # (-1, 6)
    """
    found = LayerHelper("multiclass_nms2", name=name).call(
        "multiclass_nms2", bboxes, scores, background_label=background_label,
        score_threshold=score_threshold, nms_top_k=nms_top_k, nms_threshold=nms_threshold,
        keep_top_k=keep_top_k, nms_eta=nms_eta, normalized=normalized
    )  # fmt: skip
    return tuple(found[:2]) if return_index else found[0]


# -- recommendation -------------------------------------------------------------------------------


def shuffle_batch(x: Any, seed: Any = None) -> Any:
    """Brings the rows of a batch into another order.

    Args:
        x (Variable): the rows.
        seed (int|Variable, optional): the first seed; None: any.

    Returns:
        Variable: of the shape of x.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                print(fluid.contrib.layers.shuffle_batch(x).shape)  # (2, 3)
    """
    return seeded("shuffle_batch", x, seed)


def partial_concat(input: Any, start_index: int = 0, length: int = -1) -> Any:
    """Puts the same columns of several matrices beside each other.

    Args:
        input (list[Variable]|Variable): matrices of as many rows and columns.
        start_index (int): the first column. Default: 0.
        length (int): how many; -1: all that follow. Default: -1.

    Returns:
        Variable: [rows, length * matrices].

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                y = fluid.data("y", [2, 3])
                print(fluid.contrib.layers.partial_concat([x, y], length=2).shape)  # (2, 4)
    """
    return _partial("partial_concat", input, start_index, length)


def partial_sum(input: Any, start_index: int = 0, length: int = -1) -> Any:
    """Adds the same columns of several matrices up.

    Args:
        input (list[Variable]|Variable): matrices of as many rows and columns.
        start_index (int): the first column. Default: 0.
        length (int): how many; -1: all that follow. Default: -1.

    Returns:
        Variable: [rows, length].

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                y = fluid.data("y", [2, 3])
                print(fluid.contrib.layers.partial_sum([x, y], length=2).shape)  # (2, 2)
    """
    return _partial("partial_sum", input, start_index, length)


def _partial(operator: str, input: Any, start: int, length: int) -> Any:
    listed = list(input) if isinstance(input, (list, tuple)) else [input]
    return LayerHelper(operator).call(operator, listed, start_index=start, length=length)
