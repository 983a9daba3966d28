"""Shapes and types of what control flow, tensor arrays and operators without a kernel write."""

from __future__ import annotations

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.recording.shape_rules import SPECIAL, set_spec, special
from paddle.ir.variable import Variable

# Their outputs are declared by whoever adds the operator.
SPECIAL.update(
    dict.fromkeys((
        "conditional_block", "conditional_block_infer", "conditional_block_grad", "while",
        "while_grad", "recurrent", "recurrent_grad", "assert", "py_func",
        "tensor_array_to_tensor_grad", "save", "save_combine", "load", "load_combine",
        "delete_var", "get_places", "send_v2", "partial_send", "c_gen_nccl_id", "c_gen_xccl_id",
        "gen_nccl_id", "c_comm_init", "c_comm_init_all", "c_comm_init_multitrainer", "nop", "send",
        "recv", "send_barrier", "fetch_barrier", "distributed_lookup_table_grad",
        "distributed_push_sparse", "prefetch", "checkpoint_notify", "recv_save", "send_and_recv",
        "push_sparse", "push_sparse_v2", "push_dense", "listen_and_serv", "heter_listen_and_serv",
        "lookup_sparse_table_init", "lookup_sparse_table_read", "lookup_sparse_table_write",
        "lookup_sparse_table_merge", "lookup_sparse_table_grad_split",
        "lookup_sparse_table_fuse_sgd", "lookup_sparse_table_fuse_adam",
    ))
)  # fmt: skip


def _input(op: Operator, slot: str) -> Variable:
    return op.block._var_recursive(op.inputs[slot][0])


def _outputs(op: Operator, slot: str) -> list[Variable]:
    return [op.block._var_recursive(n) for n in op.outputs.get(slot, []) if n != EMPTY]


def common_shape(shapes: list[tuple[int, ...]]) -> tuple[int, ...] | None:
    """The sizes that all shapes have in common, -1 elsewhere; None if their ranks differ."""
    if len({len(s) for s in shapes}) != 1:
        return None
    return tuple(s[0] if len(set(s)) == 1 else -1 for s in zip(*shapes, strict=True))


def _like(op_type: str, source: str, *targets: str, rows: bool = False, lod: bool = False) -> None:
    """Outputs look like an input, but for the number of rows if ``rows`` is set.

    With ``lod`` they have as many levels of sequences, too.
    """

    @special(op_type)
    def rule(op: Operator) -> None:
        var = _input(op, source)
        dims = (-1, *var._dims[1:]) if rows else var._dims
        for target in targets:
            for out in _outputs(op, target):
                out.type = var.type
                set_spec(out, Spec(dims, var.dtype))
                if lod:
                    out.lod_level = var.lod_level


_like("print", "In", "Out", lod=True)
_like("select_output", "X", "Out")
_like("rnn_memory_helper", "X", "Out")
_like("rnn_memory_helper_grad", "X", "X@GRAD")
_like("split_lod_tensor", "X", "OutTrue", "OutFalse", rows=True)
_like("merge_lod_tensor", "InTrue", "Out", rows=True)
_like("merge_lod_tensor_infer", "InTrue", "Out", rows=True)
_like("shrink_rnn_memory", "X", "Out", lod=True)
_like("shrink_rnn_memory_grad", "X", "X@GRAD", lod=True)
_like("reorder_lod_tensor_by_rank", "X", "Out", lod=True)
_like("reorder_lod_tensor_by_rank_grad", "Out@GRAD", "X@GRAD", lod=True)


@special("select_input")
def _select_input(op: Operator) -> None:
    sources = [op.block._var_recursive(n) for n in op.inputs["X"]][::-1]  # what holds first
    shape = common_shape([v._dims for v in sources])
    if shape is None:
        shape = sources[0]._dims
    for out in _outputs(op, "Out"):
        out.type = sources[0].type
        set_spec(out, Spec(shape, sources[0].dtype))


@special("write_to_array")
def _write_to_array(op: Operator) -> None:
    value = _input(op, "X")
    for array in _outputs(op, "Out"):
        if array._dtype is not None and array._dims and array.dtype != value.dtype:
            raise InvalidArgumentError(
                f"array_write(x): expected {array.dtype} as the array {array.name!r} holds, but "
                f"{value.name!r} is {value.dtype}."
            )
        array.type = VarType.LOD_TENSOR_ARRAY
        known = [s for s in (array._dims, value._dims) if s]
        shape = common_shape(known)
        array._dims = value._dims if shape is None else shape
        array._dtype = VarType(value.dtype)
        array.lod_level = value.lod_level


@special("read_from_array")
def _read_from_array(op: Operator) -> None:
    array = _input(op, "X")
    for out in _outputs(op, "Out"):
        set_spec(out, Spec(array._dims, array.dtype))
        out.lod_level = array.lod_level


@special("lod_rank_table")
def _lod_rank_table(op: Operator) -> None:
    for out in _outputs(op, "Out"):
        out.type = VarType.LOD_RANK_TABLE


@special("lod_tensor_to_array")
def _lod_tensor_to_array(op: Operator) -> None:
    rows = _input(op, "X")
    for array in _outputs(op, "Out"):
        array.type = VarType.LOD_TENSOR_ARRAY
        set_spec(array, Spec((-1, *rows._dims[1:]), rows.dtype))
        array.lod_level = max(rows.lod_level - 1, 0)


@special("array_to_lod_tensor")
def _array_to_lod_tensor(op: Operator) -> None:
    array = _input(op, "X")
    for out in _outputs(op, "Out"):
        out.type = VarType.LOD_TENSOR
        set_spec(out, Spec((-1, *array._dims[1:]), array.dtype))
        out.lod_level = array.lod_level + 1


@special("beam_search_decode")
def _beam_search_decode(op: Operator) -> None:
    for slot, source in (("SentenceIds", "Ids"), ("SentenceScores", "Scores")):
        for out in _outputs(op, slot):
            out._dtype = VarType(_input(op, source).dtype)


@special("max_sequence_len")
@special("lod_array_length")
def _lod_array_length(op: Operator) -> None:
    for out in _outputs(op, "Out"):
        set_spec(out, Spec((1,), VarType.INT64))


@special("tensor_array_to_tensor")
def _tensor_array_to_tensor(op: Operator) -> None:
    array = _input(op, "X")
    dims, axis = list(array._dims), op.attr("axis")
    rank = len(dims)
    if op.attr("use_stack"):
        dims.insert(axis + rank + 1 if axis < 0 else axis, -1)
    elif -rank <= axis < rank:
        dims[axis] = -1
    for out in _outputs(op, "Out"):
        set_spec(out, Spec(tuple(dims), array.dtype))
    for out in _outputs(op, "OutIndex"):
        set_spec(out, Spec((-1,), VarType.INT32))


@special("split_ids")
def _split_ids(op: Operator) -> None:
    for out in _outputs(op, "Out"):
        set_spec(out, Spec((-1, 1), _input(op, "Ids").dtype))


# -- exchange between processes, and with parameter servers ----------------------------------------


def _received(op: Operator) -> None:
    for out in _outputs(op, "Out"):
        shape = tuple(op.attr("out_shape") or ()) or out._dims
        set_spec(out, Spec(shape, VarType(op.attr("dtype"))))


SPECIAL.update({"recv_v2": _received, "partial_recv": _received})


@special("broadcast")
def _broadcast(op: Operator) -> None:
    given = _input(op, "X" if op.inputs.get("X") else "x")
    for out in [*_outputs(op, "Out"), *_outputs(op, "out")]:
        set_spec(out, Spec(given._dims, given.dtype))


@special("fake_init")
def _fake_init(op: Operator) -> None:
    for out in _outputs(op, "Out"):
        set_spec(out, Spec(tuple(op.attr("shape")), out.dtype))


def _looked_up(op: Operator) -> None:
    """A row of the table's width for each number."""
    numbers, outputs = op.inputs["Ids"], _outputs(op, "Outputs") or _outputs(op, "Out")
    width = op.attrs.get("EmbeddingDim")
    if width is None:
        width = _input(op, "W")._dims[-1]
    kept = op.attrs.get("lookup_table_version") == "lookup_table_v2"
    for name, out in zip(numbers, outputs, strict=True):
        given = op.block._var_recursive(name)
        dims = given._dims if kept or given._dims[-1:] != (1,) else given._dims[:-1]
        set_spec(out, Spec((*dims, width), VarType(op.attrs.get("dtype", VarType.FP32))))
        out.lod_level = given.lod_level


SPECIAL.update(
    dict.fromkeys(
        ("distributed_lookup_table", "pull_sparse", "pull_sparse_v2", "lookup_sparse_table"),
        _looked_up,
    )
)
