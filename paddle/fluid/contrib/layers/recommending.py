"""Layers for recommendation: trees of items, hashed words, attention by rank."""

from __future__ import annotations

import itertools
from itertools import accumulate
from typing import Any

from paddle.core.dtype import to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.incubate.layer_helper import LayerHelper
from paddle.nn.initializer import Constant

__all__ = [
    "rank_attention", "search_pyramid_hash", "tdm_child", "tdm_sampler",
]  # fmt: skip


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

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                hashed = fluid.data("hashed", [None, 1], "int32", lod_level=1)
                out = fluid.contrib.layers.search_pyramid_hash(
                    hashed, 16, 100, 2, 8, 0.0, True, False, 0, 0, 1, 1.0)
                print(out.shape)  # (-1, 16)
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

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                nodes = fluid.data("nodes", [2, 1], "int32")
                outs = fluid.contrib.layers.tdm_child(nodes, 10, 2)
                print([out.shape for out in outs])  # [(2, 1, 2), (2, 1, 2)]
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

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                label = fluid.data("label", [2, 1], "int64")
                outs = fluid.contrib.layers.tdm_sampler(label, [1, 2], [2, 4], 4)
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

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                ranks = fluid.data("ranks", [2, 7], "int32")
                out = fluid.contrib.layers.rank_attention(x, ranks, [27, 4], None)
                print(out.shape)  # (2, 4)
    """
    helper = LayerHelper("rank_attention", **locals())
    w = helper.create_parameter(rank_param_attr, list(rank_param_shape), input.dtype)
    w.stop_gradient = False
    return helper.call(
        "rank_attention", input, rank_offset, w, MaxRank=max_rank, MaxSize=max_size,
        order="Out InputHelp InsRank",
    )[1]  # fmt: skip


def _columns(x: Any, start: int, end: int) -> Any:
    return LayerHelper("slice").call(
        "slice", x, None, None, None, None, axes=[1], starts=[start], ends=[end], infer_flags=[1]
    )
