"""Layers of contrib: matching of texts, trees, recommendation, fused forms."""

from __future__ import annotations

import itertools
from itertools import accumulate
from typing import Any

from paddle.core.dtype import to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.fluid.layers.rare import seeded
from paddle.incubate.layer_helper import LayerHelper
from paddle.nn.initializer import Constant

__all__ = [
    "fused_bn_add_act",
    "fused_elemwise_activation", "fused_embedding_seq_pool", "match_matrix_tensor",
    "multiclass_nms2", "partial_concat", "partial_sum", "rank_attention", "search_pyramid_hash",
    "sequence_topk_avg_pooling", "shuffle_batch", "sparse_embedding", "tdm_child", "tdm_sampler",
    "tree_conv", "var_conv_2d",
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
    """
    helper = LayerHelper("tree_conv", **locals())
    shape = [nodes_vector.shape[2], 3, output_size, num_filters]
    w = helper.create_parameter(helper.param_attr, shape, nodes_vector.dtype)
    out = helper.call("tree_conv", nodes_vector, edge_set, w, max_depth=max_depth)
    return helper.append_activation(helper.append_bias_op(out))


def search_pyramid_hash(
    input: Any, num_emb: int, space_len: int, pyramid_layer: int, rand_len: int,
    drop_out_percent: float, is_training: bool, use_filter: bool, white_list_len: int,
    black_list_len: int, seed: int, lr: float, param_attr: Any = None, param_attr_wl: Any = None,
    param_attr_bl: Any = None, name: str | None = None, distribute_update_vars: Any = None,
    dtype: Any = "float32",
) -> Any:  # fmt: skip
    """Embeds the words, pairs of words and so on of each text by their hashes.

    Args:
        input (Variable): int32 numbers [n, 1] with a level for the texts.
        num_emb (int): width of the result.
        space_len (int): size of the table of weights.
        pyramid_layer (int): up to how many words are taken together.
        rand_len (int): so many weights in a row belong to one hash.
        drop_out_percent (float): the part that is left out in training.
        is_training (bool): whether anything is left out.
        use_filter (bool): take only what the lists allow.
        white_list_len (int): size of the list of what is taken; 0: none.
        black_list_len (int): size of the list of what is left out; 0: none.
        seed (int): of what is left out.
        lr (float): the rate at which weights learn.
        param_attr (ParamAttr, optional): of the weights [space_len + rand_len, 1].
        param_attr_wl (ParamAttr, optional): of the first list.
        param_attr_bl (ParamAttr, optional): of the second list.
        name (str, optional): the layer's name.
        distribute_update_vars (list[str], optional): belongs to parameter servers.
        dtype (str): of the weights. Default: float32.

    Returns:
        Variable: [rows, num_emb] with a level for the texts.

    Raises:
        NotImplementedError: ``distribute_update_vars`` is given.
    """
    if distribute_update_vars:
        raise NotImplementedError(
            "search_pyramid_hash(distribute_update_vars): expected None; parameter servers are not "
            "part of this version."
        )
    helper = LayerHelper("search_pyramid_hash", **locals())
    w = helper.create_parameter(helper.param_attr, [space_len + rand_len, 1], dtype)
    w.stop_gradient = True
    lists = []
    for size, attr in ((white_list_len, param_attr_wl), (black_list_len, param_attr_bl)):
        made = helper.create_parameter(attr, [size, 1], dtype) if size > 0 else None
        if made is not None:
            made.stop_gradient = True
        lists.append(made)
    return helper.call(
        "pyramid_hash", input, w, *lists, num_emb=num_emb, space_len=space_len,
        pyramid_layer=pyramid_layer, rand_len=rand_len, drop_out_percent=drop_out_percent,
        is_training=int(is_training), use_filter=use_filter, white_list_len=white_list_len,
        black_list_len=black_list_len, seed=seed, lr=lr
    )[0]  # fmt: skip


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
    """
    return _partial("partial_sum", input, start_index, length)


def _partial(operator: str, input: Any, start: int, length: int) -> Any:
    listed = list(input) if isinstance(input, (list, tuple)) else [input]
    return LayerHelper(operator).call(operator, listed, start_index=start, length=length)


def sparse_embedding(
    input: Any, size: list[int], padding_idx: int | None = None, is_test: bool = False,
    entry: Any = None, param_attr: Any = None, dtype: Any = "float32",
) -> Any:  # fmt: skip
    """Looks rows of a table up that learns by the rows that occur.

    Args:
        input (Variable): int64 numbers [n, 1].
        size (list[int]): rows and columns of the table.
        padding_idx (int, optional): a number whose row is zeros.
        is_test (bool): no row is added; there is one table, so none is added anyway.
        entry (optional): when a parameter server adds a row.
        param_attr (ParamAttr, optional): of the table.
        dtype (str): its type. Default: float32.

    Returns:
        Variable: [n, columns].

    Raises:
        NotImplementedError: ``entry`` is given.
    """
    if entry is not None:
        raise NotImplementedError(
            "sparse_embedding(entry): expected None; parameter servers are not part of this "
            "version, and a table of one process has all rows."
        )
    helper = LayerHelper("sparse_embedding", **locals())
    w = helper.create_parameter(helper.param_attr, list(size), dtype)
    place = (
        -1 if padding_idx is None else padding_idx if padding_idx >= 0 else size[0] + padding_idx
    )
    return helper.call("lookup_table", w, input, is_sparse=True, padding_idx=place)


def tdm_child(
    x: Any, node_nums: int, child_nums: int, param_attr: Any = None, dtype: Any = "int32"
) -> tuple[Any, Any]:
    """Gives the children of nodes of a tree.

    Args:
        x (Variable): nodes, integers [N, 1].
        node_nums (int): how many nodes the tree has.
        child_nums (int): how many children a node has at most.
        param_attr (ParamAttr, optional): of the tree, int32 [node_nums, 3 + child_nums].
        dtype (str): of the results: int32 or int64. Default: int32.

    Returns:
        tuple: the children [N, 1, child_nums], 0 for none, and 1 for those that are leaves.
    """
    helper = LayerHelper("tdm_child", **locals())
    tree = helper.create_parameter(
        helper.param_attr, [node_nums, 3 + child_nums], "int32", default_initializer=Constant(0)
    )
    tree.stop_gradient = True
    return helper.call(
        "tdm_child", x, tree, child_nums=child_nums, dtype=int(to_vartype(dtype))
    )  # fmt: skip


def tdm_sampler(
    x: Any, neg_samples_num_list: list[int], layer_node_num_list: list[int], leaf_node_num: int,
    tree_travel_attr: Any = None, tree_layer_attr: Any = None, output_positive: bool = True,
    output_list: bool = True, seed: int = 0, tree_dtype: Any = "int32", dtype: Any = "int32",
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Gives the nodes on the way to items of a tree, and other nodes of the same levels.

    Args:
        x (Variable): items [N, 1].
        neg_samples_num_list (list[int]): how many other nodes of each level.
        layer_node_num_list (list[int]): how many nodes each level has.
        leaf_node_num (int): how many items there are.
        tree_travel_attr (ParamAttr, optional): of the ways [leaf_node_num, levels].
        tree_layer_attr (ParamAttr, optional): of the nodes of all levels [nodes, 1].
        output_positive (bool): also give the nodes on the way. Default: True.
        output_list (bool): give a list with the results of each level. Default: True.
        seed (int): 0: any. Default: 0.
        tree_dtype (str): of the tree: int32 or int64. Default: int32.
        dtype (str): of the results. Default: int32.

    Returns:
        tuple: nodes, labels and masks.

    Raises:
        ValueError: a level has not so many nodes, or the lists are not of one length.
    """
    helper = LayerHelper("tdm_sampler", **locals())
    levels = len(neg_samples_num_list)
    if len(layer_node_num_list) != levels:
        raise InvalidArgumentError(
            f"tdm_sampler(layer_node_num_list): expected {levels} numbers, one for each level, but "
            f"received {len(layer_node_num_list)}."
        )
    for i, (count, size) in enumerate(zip(neg_samples_num_list, layer_node_num_list, strict=True)):
        if count >= size:
            raise InvalidArgumentError(
                f"tdm_sampler(neg_samples_num_list): expected fewer than the {size} nodes of level "
                f"{i}, but received {count}."
            )
    shapes = ([leaf_node_num, levels], [sum(layer_node_num_list), 1])
    made = [
        helper.create_parameter(attr, shape, tree_dtype, default_initializer=Constant(0))
        for attr, shape in zip((tree_travel_attr, tree_layer_attr), shapes, strict=True)
    ]
    found = helper.call(
        "tdm_sampler", x, *made, neg_samples_num_list=list(neg_samples_num_list),
        output_positive=output_positive,
        layer_offset_lod=list(accumulate(layer_node_num_list, initial=0)), seed=seed,
        dtype=int(to_vartype(dtype)),
    )  # fmt: skip
    for value in found:
        value.stop_gradient = True
    if not output_list:
        return found
    own = int(output_positive)
    ends = list(accumulate((n + own for n in neg_samples_num_list), initial=0))
    lists: list[list[Any]] = [[], [], []]
    for start, end in itertools.pairwise(ends):
        parts = [_columns(value, start, end) for value in found]
        for to, part in zip(lists, parts, strict=True):
            shape = [-1, end - start, 1]
            part = LayerHelper("reshape2").call("reshape2", part, None, None, shape=shape)[0]
            part.stop_gradient = True
            to.append(part)
    return lists[0], lists[1], lists[2]


def _columns(x: Any, start: int, end: int) -> Any:
    return LayerHelper("slice").call(
        "slice", x, None, None, None, None, axes=[1], starts=[start], ends=[end], infer_flags=[1]
    )


def rank_attention(
    input: Any, rank_offset: Any, rank_param_shape: list[int], rank_param_attr: Any,
    max_rank: int = 3, max_size: int = 0,
) -> Any:  # fmt: skip
    """Multiplies rows by matrices that depend on their own rank and those of rows beside them.

    Args:
        input (Variable): rows [N, width].
        rank_offset (Variable): int32 [N, 2 * max_rank + 1]: the own rank, then for each place the
            rank of another row and its number.
        rank_param_shape (list[int]): [max_rank * max_rank * width, columns].
        rank_param_attr (ParamAttr): of the matrices.
        max_rank (int): how many ranks there are. Default: 3.
        max_size (int): memory that GPUs set aside. Default: 0.

    Returns:
        Variable: [N, columns].
    """
    helper = LayerHelper("rank_attention", **locals())
    w = helper.create_parameter(rank_param_attr, list(rank_param_shape), input.dtype)
    w.stop_gradient = False
    return helper.call(
        "rank_attention", input, rank_offset, w, MaxRank=max_rank, MaxSize=max_size,
        order="Out InputHelp InsRank",
    )[1]  # fmt: skip
