"""How each type of operator is differentiated in a Program: the gradient operators it leads to.

An operator without an entry in :data:`GRAD_MAKERS` gets ``<type>_grad`` in PaddlePaddle's default
form: all inputs and outputs of the forward operator and ``<Out>@GRAD`` go in, ``<X>@GRAD`` come
out. Entries are for operators whose gradient is another operator, as it is in PaddlePaddle, which
has no ``scale_grad`` or ``split_grad``, and for control flow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddle.core.derive import gradient_of, gradient_operator
from paddle.core.errors import UnimplementedError
from paddle.core.op import OpDef, Slot
from paddle.ir.autodiff.gradient_walk import GradientWalk, Names
from paddle.ir.operator import EMPTY, Operator

Maker = Callable[[Operator, GradientWalk], None]

GRAD_MAKERS: dict[str, Maker] = {}


def grad_maker(*types: str) -> Callable[[Maker], Maker]:
    """Decorator that says how operators of the given types are differentiated."""

    def register(maker: Maker) -> Maker:
        GRAD_MAKERS.update(dict.fromkeys(types, maker))
        return maker

    return register


def differentiate(op: Operator, walk: GradientWalk) -> None:
    """Adds the gradient operators of one operator."""
    maker = GRAD_MAKERS.get(op.type)
    if maker is not None:
        maker(op, walk)
        return
    if op.definition is None:
        raise UnimplementedError(
            f"operator {op.type} has no gradient here."
            + (f"\n  {op.location}" if op.location else ""),
            hint="set stop_gradient of its output, or leave it out with no_grad_set",
        )
    _default(op, op.definition, walk)


# -- the default form ------------------------------------------------------------------------------


def _default(op: Operator, known: OpDef, walk: GradientWalk) -> None:
    made = gradient_operator(known)
    inputs = _values(op, known, walk)
    for slot, position in zip(made.inputs, known.grad_outputs, strict=False):
        gradients = _arrived(op, known.outputs[position], walk, zeros=known.base is None)
        if gradients is not None:
            inputs[slot.name] = gradients
    outputs = {
        target.name: walk.outgoing(slot.name)
        for slot, target in zip(known.inputs, made.outputs, strict=True)
    }
    attrs = op.attrs
    if attrs.get("reduce_all") and "dim" in attrs:
        attrs = attrs | {"dim": []}  # a number has no dimension 0 in 2.6.2, which checks this here
    step = walk.emit(f"{op.type}_grad", inputs, outputs, attrs)  # type: ignore[arg-type]
    step.kinds = None if op.attr_kinds is None else dict(op.attr_kinds)


def _values(op: Operator, known: OpDef, walk: GradientWalk) -> dict[str, Names]:
    """The forward values that go into a gradient operator, those that it reads being checked."""
    read = {t for t in gradient_of(known).saves if "." not in t}
    shaped = {t.split(".")[0] for t in _tokens(known)}  # what overwrites them may be larger
    if known.base is None:
        chosen = {*op.inputs, *op.outputs}
    else:  # of higher order: none but what it needs, for slots may have one name on both sides
        chosen = read | shaped
    found: dict[str, Names] = {}
    for slots, written in ((op.inputs, False), (op.outputs, True)):
        for slot, names in slots.items():
            if slot in read | shaped and slot not in found:
                found[slot] = [walk.value(n, written) for n in names]
            elif slot in chosen and slot not in found:
                found[slot] = [walk.name_of(n) for n in names]
    return found


def _tokens(known: OpDef) -> list[str]:
    """Attributes and saved values of the form ``X.shape`` of an operator and its gradient."""
    return [t for t in [*gradient_of(known).saves, *known.attrs] if "." in t]


def _arrived(op: Operator, slot: Slot, walk: GradientWalk, zeros: bool) -> Names | None:
    """The gradients of one output slot; with ``zeros``, those of outputs that nobody used too."""
    names = op.outputs.get(slot.name, [])
    found = [walk.incoming(n) for n in names]
    if not zeros and not any(found):
        return None
    result: Names = []
    for name, gradient in zip(names, found, strict=True):
        if gradient is None and zeros and name != EMPTY:
            gradient = walk.gradient_name(name)
            like = walk.value(name, written=True)
            walk.emit("fill_zeros_like", {"X": [like]}, {"Out": [gradient]}, {})
        result.append(gradient or EMPTY)
    return result


# -- gradients that are other operators ------------------------------------------------------------


def _alike(op: Operator) -> dict[str, Any]:
    """Attributes that say where an operator belongs, for another one in its place."""
    return {k: op.attrs[k] for k in ("op_namescope", "op_device") if k in op.attrs}


def _same(op: Operator, walk: GradientWalk, type: str, slot: str = "X", out: str = "Out",
          into: str = "Out", **attrs: Any) -> None:  # fmt: skip
    """Adds an operator that turns the gradient of the only output into that of the only input."""
    d_out = walk.incoming(op.outputs[out][0])
    inputs = {slot: None if d_out is None else [d_out]}
    walk.emit(type, inputs, {into: walk.outgoing("X")}, {**attrs, **_alike(op)})  # type: ignore[arg-type]


@grad_maker("assign", "increment")
def _assign(op: Operator, walk: GradientWalk) -> None:
    _same(op, walk, "assign")


@grad_maker("cast")
def _cast(op: Operator, walk: GradientWalk) -> None:
    back = {"in_dtype": op.attr("out_dtype"), "out_dtype": op.attr("in_dtype")}
    _same(op, walk, "cast", **back)


@grad_maker("scale")
def _scale(op: Operator, walk: GradientWalk) -> None:
    d_out = walk.incoming(op.outputs["Out"][0])
    factor = [walk.value(n) for n in op.inputs.get("ScaleTensor", ())]
    inputs: dict[str, Any] = {"X": [d_out], "ScaleTensor": factor or None}
    attrs = {"scale": op.attr("scale"), "bias": 0.0, "bias_after_scale": True}
    walk.emit("scale", inputs, {"Out": walk.outgoing("X")}, attrs | _alike(op))


@grad_maker("sign")
def _sign(op: Operator, walk: GradientWalk) -> None:
    _same(op, walk, "scale", scale=0.0, bias=0.0, bias_after_scale=True)


@grad_maker("conj")
def _conj(op: Operator, walk: GradientWalk) -> None:
    _same(op, walk, "conj")


@grad_maker("flip", "reverse")
def _flip(op: Operator, walk: GradientWalk) -> None:
    _same(op, walk, op.type, axis=op.attr("axis"))


@grad_maker("as_real")
def _as_real(op: Operator, walk: GradientWalk) -> None:
    _same(op, walk, "as_complex")


@grad_maker("as_complex")
def _as_complex(op: Operator, walk: GradientWalk) -> None:
    _same(op, walk, "as_real")


@grad_maker("sum")
def _sum(op: Operator, walk: GradientWalk) -> None:
    """Every term has the gradient of the sum; a copy each, for one may be written to."""
    d_out = walk.incoming(op.outputs["Out"][0])
    assert d_out is not None
    for at, want in enumerate(walk.needs_grad("X")):
        if want:
            walk.emit("assign", {"X": [d_out]}, {"Out": walk.outgoing_at("X", at)}, _alike(op))


def _joined(op: Operator, walk: GradientWalk, type: str, into: str, **attrs: Any) -> None:
    """Adds an operator that puts the gradients of a list of outputs together again."""
    known = op.definition
    assert known is not None
    slot = known.outputs[0]
    inputs = {"X": _arrived(op, slot, walk, zeros=True)}
    axis = op.inputs.get("AxisTensor")
    if axis:
        inputs["AxisTensor"] = [walk.value(n) for n in axis]
    walk.emit(type, inputs, {into: walk.outgoing("X")}, attrs | _alike(op))


@grad_maker("split")
def _split(op: Operator, walk: GradientWalk) -> None:
    _joined(op, walk, "concat", "Out", axis=op.attr("axis"))


@grad_maker("unbind")
def _unbind(op: Operator, walk: GradientWalk) -> None:
    var = walk.block._var_recursive(op.inputs["X"][0])
    if len(var.shape) == 1:  # its elements have one dimension here
        _joined(op, walk, "concat", "Out", axis=0)
    else:
        _joined(op, walk, "stack", "Y", axis=op.attr("axis"))


# -- rows of sequences of different lengths, step by step ------------------------------------------


def _ranked(op: Operator, walk: GradientWalk, type: str) -> None:
    """Adds an operator that undoes another one by the same rank table."""
    d_out = walk.incoming(op.outputs["Out"][0])
    inputs: dict[str, Any] = {"X": [d_out], "RankTable": list(op.inputs["RankTable"])}
    walk.emit(type, inputs, {"Out": walk.outgoing("X")}, _alike(op))


@grad_maker("lod_tensor_to_array")
def _lod_tensor_to_array(op: Operator, walk: GradientWalk) -> None:
    _ranked(op, walk, "array_to_lod_tensor")


@grad_maker("array_to_lod_tensor")
def _array_to_lod_tensor(op: Operator, walk: GradientWalk) -> None:
    _ranked(op, walk, "lod_tensor_to_array")


@grad_maker("reorder_lod_tensor_by_rank")
def _reorder_lod_tensor_by_rank(op: Operator, walk: GradientWalk) -> None:
    inputs: dict[str, Any] = {
        "RankTable": list(op.inputs["RankTable"]),
        "Out@GRAD": [walk.incoming(op.outputs["Out"][0])],
    }
    outputs = {"X@GRAD": walk.outgoing("X")}
    walk.emit("reorder_lod_tensor_by_rank_grad", inputs, outputs, _alike(op))


@grad_maker("shrink_rnn_memory")
def _shrink_rnn_memory(op: Operator, walk: GradientWalk) -> None:
    inputs: dict[str, Any] = {
        "X": [walk.value(op.inputs["X"][0])],
        "Out@GRAD": [walk.incoming(op.outputs["Out"][0])],
    }
    walk.emit("shrink_rnn_memory_grad", inputs, {"X@GRAD": walk.outgoing("X")}, _alike(op))


@grad_maker("lod_rank_table", "max_sequence_len")
def _no_gradient(op: Operator, walk: GradientWalk) -> None:
    """Lengths do not depend on what the rows hold."""


# -- exchange between processes --------------------------------------------------------------------


def _ring(op: Operator, *more: str) -> dict[str, Any]:
    return {name: op.attr(name) for name in ("ring_id", "use_calc_stream", *more)}


@grad_maker("c_allreduce_sum")
def _c_allreduce_sum(op: Operator, walk: GradientWalk) -> None:
    if op.attrs.get("use_model_parallel"):
        _same(op, walk, "c_identity", **_ring(op, "use_model_parallel"))
    else:
        _same(op, walk, "c_allreduce_sum", **_ring(op))


@grad_maker("mp_allreduce_sum")
def _mp_allreduce_sum(op: Operator, walk: GradientWalk) -> None:
    _same(op, walk, "c_identity", use_model_parallel=True, **_ring(op))


@grad_maker("c_identity")
def _c_identity(op: Operator, walk: GradientWalk) -> None:
    _same(op, walk, "c_allreduce_sum", **_ring(op, "use_model_parallel"))


@grad_maker("c_allgather")
def _c_allgather(op: Operator, walk: GradientWalk) -> None:
    _same(op, walk, "c_reducescatter", **_ring(op, "nranks"))


@grad_maker("alltoall")
def _alltoall(op: Operator, walk: GradientWalk) -> None:
    _same(op, walk, "alltoall", **_ring(op))


_COLUMNS = ("rank", "nranks", "use_model_parallel")


@grad_maker("c_concat")
def _c_concat(op: Operator, walk: GradientWalk) -> None:
    _same(op, walk, "c_split", **_ring(op, *_COLUMNS))


@grad_maker("c_split")
def _c_split(op: Operator, walk: GradientWalk) -> None:
    """PaddlePaddle gathers rows here, which has not the shape of X; columns are meant."""
    _same(op, walk, "c_concat", **_ring(op, *_COLUMNS))
