"""How many levels of sequences (``lod_level``) the results of an operator have in a Program.

That follows from the operator's trait ``lod``: the levels of its source go to all results. The
table says what else PaddlePaddle 1.8.5 does, measured call by call
(``scripts/oracle/fluid_levels_185.py``). ``X -> Y`` names the sources and the results; a number in
place of a source is what there is in any case, ``X - 1`` is one level less, and behind ``if``
stands a condition of :data:`_CONDITIONS`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from paddle.core.op import OpDef
from paddle.ir.operator import EMPTY, declared


def _keeps_rows(source: Any, out: Any, attrs: dict[str, Any]) -> bool:
    return source.shape[:1] == out.shape[:1]


def _may_keep_rows(source: Any, out: Any, attrs: dict[str, Any]) -> bool:
    return not attrs.get("shape") or _keeps_rows(source, out, attrs)


def _not_over_rows(source: Any, out: Any, attrs: dict[str, Any]) -> bool:
    dims = attrs.get("dim", [0])
    rank = len(source.shape)
    listed = dims if isinstance(dims, (list, tuple)) else [dims]
    return not attrs.get("reduce_all") and 0 not in [n % rank for n in listed]


def _not_along_rows(source: Any, out: Any, attrs: dict[str, Any]) -> bool:
    return bool(attrs.get("axis", 0) % max(len(source.shape), 1))


def _first_axis(source: Any, out: Any, attrs: dict[str, Any]) -> bool:
    return list(attrs.get("axes", [0]))[:1] != [0]


_CONDITIONS: dict[str, Callable[[Any, Any, dict[str, Any]], bool]] = {
    "rows stay": _keeps_rows,
    "rows may stay": _may_keep_rows,
    "axis 0": lambda source, out, attrs: not attrs.get("axis", 0),
    "axis 1": lambda source, out, attrs: attrs.get("axis", 0) == 1,
    "rows are not reduced": _not_over_rows,
    "not along rows": _not_along_rows,
    "rows are not sliced": _first_axis,
}

_REDUCED = "X -> Out if rows are not reduced"
_BOXES = "1 -> Out Index; BBoxes -> Out Index"
_TABLE = {
    "accuracy": "Out -> Accuracy",
    "affine_channel": "X -> Out",
    "array_to_lod_tensor": "RankTable -> Out",
    "batch_norm": "X -> Y",
    "beam_search": "",
    "box_coder": "TargetBox -> OutputBox if axis 0; PriorBox -> OutputBox if axis 1",
    "box_decoder_and_assign": "TargetBox -> DecodeBox; PriorBox -> OutputAssignBox",
    "center_loss": "X -> Loss",
    "collect_fpn_proposals": "MultiLevelRois -> FpnRois",
    "conv3d": "Input -> Output",
    "cos_sim": "X -> Out",
    "cross_entropy2": "X -> Y XShape",
    "cudnn_lstm": "",
    "data_norm": "X -> Y",
    "dequantize": "Input -> Output",
    "distribute_fpn_proposals": "FpnRois -> MultiFpnRois",
    "dropout": "X -> Out",
    "expand": "X -> Out if rows stay",
    "fake_channel_wise_quantize_abs_max": "X -> Out",
    "fake_quantize_abs_max": "X -> Out",
    "fake_quantize_dequantize_moving_average_abs_max": "X -> Out",
    "fake_quantize_moving_average_abs_max": "X -> Out",
    "fake_quantize_range_abs_max": "X -> Out",
    "flatten": "X -> Out if rows stay",
    "flatten2": "X -> XShape; X -> Out if rows stay",
    "frobenius_norm": _REDUCED,
    "fused_elemwise_activation": "X -> Out IntermediateOut",
    "grid_sampler": "X -> Output",
    "group_norm": "X -> Y",
    "gru": "Input -> Hidden",
    "hierarchical_sigmoid": "X -> Out",
    "huber_loss": "X -> Out",
    "im2sequence": "1 -> Out",
    "index_sample": "Index -> Out",
    "index_select": "X -> Out",
    "instance_norm": "X -> Y",
    "layer_norm": "X -> Y",
    "lod_reset": "1 -> Out; Y -> Out",
    "lrn": "X -> Out",
    "lstm": "Input -> Hidden Cell",
    "lstmp": "Input -> Projection Cell",
    "matrix_nms": _BOXES,
    "moving_average_abs_max_scale": "X -> Out",
    "multiclass_nms": _BOXES,
    "multiclass_nms2": _BOXES,
    "pad": "X -> Out if rows stay",
    "pad2d": "X -> Out",
    "pool3d": "X -> Out",
    "quantize": "Input -> Output",
    "requantize": "Input -> Output",
    "reshape": "X -> Out if rows may stay",
    "reshape2": "X -> XShape; X -> Out if rows may stay",
    "roi_perspective_transform": "ROIs -> Out",
    "scatter": "",
    "sequence_concat": "X -> Out",
    "sequence_erase": "X -> Out",
    "sequence_expand": "X -> Out",
    "sequence_expand_as": "Y -> Out",
    "sequence_pool": "X - 1 -> Out",
    "sequence_reshape": "1 -> Out",
    "sequence_topk_avg_pooling": "X -> Out",
    "sequence_unpad": "1 -> Out",
    "shuffle_batch": "X -> Out; Seed -> SeedOut",
    "slice": "Input -> Out if rows are not sliced",
    "split": "X -> Out if not along rows",
    "squared_l2_distance": "X -> Out",
    "squeeze": "X -> Out if rows stay",
    "squeeze2": "X -> XShape; X -> Out if rows stay",
    "strided_slice": "Input -> Out if rows are not sliced",
    "transpose2": "X -> XShape",
    "unbind": "X -> Out",
    "unsqueeze": "X -> Out if rows stay",
    "unsqueeze2": "X -> XShape; X -> Out if rows stay",
    "where": "X -> Out",
    **{f"reduce_{kind}": _REDUCED for kind in ["all", "any", "max", "mean", "min", "prod", "sum"]},
}


class Step(NamedTuple):
    """A part of a rule.

    Attributes:
        source (str): the input slot whose first variable has the levels; empty: none is asked.
        change (int): what is added to its number of levels.
        results (tuple[str, ...]): the output slots; None: all.
        condition (callable): ``condition(source, result, attributes)``; None: always.
    """

    source: str
    change: int
    results: tuple[str, ...] | None
    condition: Callable[[Any, Any, dict[str, Any]], bool] | None


def _parsed(text: str) -> Iterable[Step]:
    for part in filter(None, text.split("; ")):
        left, _, right = part.partition(" -> ")
        right, _, condition = right.partition(" if ")
        source, _, less = left.partition(" - ")
        fixed = int(source) if source.isdigit() else 0
        found = _CONDITIONS[condition] if condition else None
        yield Step("" if fixed else source, fixed - int(less or 0), tuple(right.split()), found)


@functools.cache
def steps(name: str) -> tuple[Step, ...]:
    """The rule of an operator."""
    text = _TABLE.get(name)
    if text is not None:
        return tuple(_parsed(text))
    slots = handed_on(declared(name)) or ""
    if slots in ("own", "array"):
        return ()
    return tuple(Step(s, 0, None, None) for s in slots.replace("joined", "X").split())


def handed_on(known: OpDef | None) -> str | None:
    """The trait ``lod`` of an operator; what it does not say follows from its shape rule.

    Returns:
        Names of input slots in their order, or another value of the trait; None where only the
        Program tells.
    """
    if known is None or known.base is not None:
        return None
    if "sub_block" in known.attrs:  # the operators of the block do it
        return ""
    if known.lod is None and isinstance(known.infer, str):
        return known.inputs[0].name
    return known.lod


def results_of(name: str) -> frozenset[str] | None:
    """The output slots that may get levels from inputs; None: all of them."""
    text = _TABLE.get(name)
    if text is None:
        return None
    return frozenset(slot for step in steps(name) for slot in step.results or ())


def has_fixed_levels(name: str) -> bool:
    """Whether results have levels even where no input has any."""
    return name in _FIXED


_FIXED = frozenset(name for name, text in _TABLE.items() if text.startswith("1 "))


def set_levels(name: str, inputs: dict[str, list[Any]], outputs: dict[str, list[Any]],
               attrs: dict[str, Any]) -> None:  # fmt: skip
    """Sets the ``lod_level`` of the variables that an operator writes; none is lowered.

    Args:
        name (str): the operator.
        inputs (dict): slot -> Variables.
        outputs (dict): slot -> Variables.
        attrs (dict): its attributes.
    """
    done: set[str] = set()
    for step in steps(name):
        source = (inputs.get(step.source) or [None])[0]
        level = (source.lod_level if source is not None else 0) + step.change
        if level <= 0:
            continue
        for slot in outputs if step.results is None else step.results:
            if slot in done:
                continue
            for var in outputs.get(slot, ()):
                if step.condition is None or step.condition(source, var, attrs):
                    var.lod_level = max(level, var.lod_level)
            if step.results is None:
                done.add(slot)


def set_levels_by_name(op: Any) -> None:
    """The same for an Operator of a Block."""
    block = op.block
    find = block._find_var_recursive
    ins = {s: [v for n in names if (v := find(n)) is not None] for s, names in op.inputs.items()}
    if op.type not in _FIXED and not any(v.lod_level for vs in ins.values() for v in vs):
        return
    outs = {
        s: [v for n in names if n != EMPTY and (v := find(n)) is not None]
        for s, names in op.outputs.items()
    }
    set_levels(op.type, ins, outs, op.attrs)
