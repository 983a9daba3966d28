"""What DynamicRNN and IfElse are made of: rank tables, arrays of steps, rows split by a mask."""

from __future__ import annotations

from typing import Any

from paddle.core import unique_name
from paddle.core.dtype import VarType
from paddle.core.guards import guard_module
from paddle.fluid.layers.appending import append, current_block, layer_of, result
from paddle.framework.checks import check_type
from paddle.ir.control.blocks import need_static
from paddle.ir.variable import Variable

__all__ = [
    "array_to_lod_tensor", "lod_rank_table", "lod_tensor_to_array", "max_sequence_len",
    "merge_lod_tensor", "reorder_lod_tensor_by_rank", "shrink_memory", "split_lod_tensor",
]  # fmt: skip


def lod_rank_table(x: Any, level: int = 0) -> Any:
    """Sorts the sequences of a level by length, the longest first.

    Args:
        x (Variable): rows with levels.
        level (int): which of them. Default: 0.

    Returns:
        Variable: the table, for the other functions of this module.
    """
    need_static("lod_rank_table", "sort the lengths")
    check_type(x, "x", Variable, "lod_rank_table")
    layer_of("lod_rank_table")
    table = current_block().create_var(
        name=unique_name.generate("lod_rank_table"), type=VarType.LOD_RANK_TABLE,
        stop_gradient=True,
    )  # fmt: skip
    append("lod_rank_table", {"X": [x]}, {"Out": [table]}, level=level)
    return table


def max_sequence_len(rank_table: Any) -> Any:
    """The length of the longest sequence of a table.

    Args:
        rank_table (Variable): what :func:`lod_rank_table` returned.

    Returns:
        Variable: int64, of shape [1].
    """
    check_type(rank_table, "rank_table", Variable, "max_sequence_len")
    out = result(layer_of("max_seqence_len"), VarType.INT64, stop_gradient=True)
    append("max_sequence_len", {"RankTable": [rank_table]}, {"Out": [out]})
    return out


def lod_tensor_to_array(x: Any, table: Any) -> Any:
    """Sequences as an array with the rows of every step, longest sequence first.

    Args:
        x (Variable): rows with the levels that the table was made of.
        table (Variable): what :func:`lod_rank_table` returned.

    Returns:
        Variable: a tensor array of as many elements as the longest sequence has rows.
    """
    check_type(x, "x", Variable, "lod_tensor_to_array")
    layer_of("lod_tensor_to_array")
    array = current_block().create_var(
        name=unique_name.generate("lod_tensor_to_array"), type=VarType.LOD_TENSOR_ARRAY,
        dtype=x.dtype,
    )  # fmt: skip
    append("lod_tensor_to_array", {"X": [x], "RankTable": [table]}, {"Out": [array]})
    return array


def array_to_lod_tensor(x: Any, table: Any) -> Any:
    """The sequences again, in their first order, of the rows of every step.

    Args:
        x (Variable): a tensor array.
        table (Variable): what :func:`lod_rank_table` returned.

    Returns:
        Variable: rows with levels.
    """
    check_type(x, "x", Variable, "array_to_lod_tensor")
    out = result(layer_of("array_to_lod_tensor"), x.dtype)
    append("array_to_lod_tensor", {"X": [x], "RankTable": [table]}, {"Out": [out]})
    return out


def shrink_memory(x: Any, i: Any, table: Any) -> Any:
    """The first rows, as many as there are sequences that have a step of a number.

    Args:
        x (Variable): a row for each sequence, longest first.
        i (Variable): the number of the step, one int64.
        table (Variable): what :func:`lod_rank_table` returned.
    """
    check_type(x, "x", Variable, "shrink_memory")
    out = result(layer_of("shrink_memory"), x.dtype)
    append("shrink_rnn_memory", {"X": [x], "I": [i], "RankTable": [table]}, {"Out": [out]})
    return out


def reorder_lod_tensor_by_rank(x: Any, rank_table: Any) -> Any:
    """Rows, or sequences of rows, in the order of a rank table: the longest sequence first.

    Args:
        x (Variable): a row, or a sequence, for each sequence of the table.
        rank_table (Variable): what ``lod_rank_table`` returned.

    Returns:
        Variable: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [None, 1], lod_level=1)
                names = fluid.data("names", [None, 1])
                table = fluid.layers.control_flow.lod_rank_table(x)
                out = fluid.layers.reorder_lod_tensor_by_rank(names, table)
                rows = fluid.create_lod_tensor(
                    np.zeros([6, 1], "float32"), [[1, 3, 2]], fluid.CPUPlace())
                feed = {"x": rows, "names": np.array([[1.0], [3.0], [2.0]], "float32")}
                print(fluid.Executor().run(feed=feed, fetch_list=[out])[0][:, 0])  # [3. 2. 1.]
            paddle.disable_static()
    """
    check_type(x, "x", Variable, "reorder_lod_tensor_by_rank")
    check_type(rank_table, "rank_table", Variable, "reorder_lod_tensor_by_rank")
    if rank_table.type != VarType.LOD_RANK_TABLE:
        raise TypeError(
            "reorder_lod_tensor_by_rank(rank_table): expected what lod_rank_table returned, but "
            f"{rank_table.name!r} is of type {rank_table.type}."
        )
    out = result(layer_of("reorder_lod_tensor_by_rank"), x.dtype)
    append("reorder_lod_tensor_by_rank", {"X": [x], "RankTable": [rank_table]}, {"Out": [out]})
    return out


def split_lod_tensor(input: Any, mask: Any, level: int = 0) -> tuple[Any, Any]:
    """The rows where a mask is true, and the others.

    Args:
        input (Variable): the rows.
        mask (Variable): bool, of shape [rows, 1].
        level (int): which level of sequences the mask counts. Default: 0.
    """
    check_type(input, "input", Variable, "split_lod_tensor")
    layer = layer_of("split_lod_tensor")
    yes, no = result(layer, input.dtype), result(layer, input.dtype)
    outputs = {"OutTrue": [yes], "OutFalse": [no]}
    append("split_lod_tensor", {"X": [input], "Mask": [mask]}, outputs, level=level)
    return yes, no


def merge_lod_tensor(in_true: Any, in_false: Any, x: Any, mask: Any, level: int = 0) -> Any:
    """The rows of two tensors in the order of a mask.

    Args:
        in_true (Variable): the rows where the mask is true.
        in_false (Variable): the others.
        x (Variable): what was split, for its levels.
        mask (Variable): bool, of shape [rows, 1].
        level (int): which level of sequences the mask counts. Default: 0.
    """
    check_type(in_true, "in_true", Variable, "merge_lod_tensor")
    out = result(layer_of("merge_lod_tensor"), in_true.dtype)
    inputs = {"X": [x], "Mask": [mask], "InTrue": [in_true], "InFalse": [in_false]}
    append("merge_lod_tensor", inputs, {"Out": [out]}, level=level)
    return out


guard_module(globals())
