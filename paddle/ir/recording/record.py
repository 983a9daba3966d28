"""Static recording: an operator call becomes an Operator of the current block.

The hook in :mod:`paddle.ir.recording.static_mode` calls it, to which generated callers hand over in
static mode; so every public function records the operator that it would run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from paddle.core import unique_name
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec, checked_infer
from paddle.core.mode import GRAD, get_mode
from paddle.core.op import REGISTRY, OpDef, Slot
from paddle.core.tensor import Tensor
from paddle.ir.current import default_main_program
from paddle.ir.operator import Operator, user_location
from paddle.ir.recording.context import capture, current_layer, named_first
from paddle.ir.recording.level_rules import has_fixed_levels, set_levels
from paddle.ir.recording.shapes import spec_of
from paddle.ir.variable import Variable

# Operators of our own that a Program holds in PaddlePaddle's terms: name -> function(args, attrs).
LOWERINGS: dict[str, Callable[[tuple, dict[str, Any]], Any]] = {}

# Results that are missing because the call does without them, not because nothing computes them.
_ASKED_FOR = frozenset(["Index", "Indices", "Counts", "MasterParamOut"])
_WIDER = (
    VarType.FP64, VarType.FP32, VarType.INT64, VarType.INT32, VarType.INT16, VarType.UINT8,
    VarType.INT8, VarType.BOOL,
)  # fmt: skip
_AUXILIARY_DTYPES = {"Mask": VarType.UINT8, "DropoutState": VarType.UINT8}


def lowering(name: str) -> Callable:
    """Decorator: how calls of an operator are recorded, ``function(args, attrs)``."""

    def register(function: Callable) -> Callable:
        LOWERINGS[name] = function
        return function

    return register


def append(op: OpDef, args: tuple, attrs: dict[str, Any]) -> Any:
    """Adds ``op`` to the current block; inputs by position, attributes by name."""
    if op.name == "elementwise_floordiv" and _rounds_down(*args):
        return _floored(op, *args)
    values = [_taken(op, slot, arg) for slot, arg in zip(op.inputs, args, strict=True)]
    if op.unify and values[0]._dt is not values[1]._dt:
        from paddle.core.promotion import unify

        together = unify if op.unify is True else _comparable
        values[:2] = together(*values[:2])
    block = default_main_program().current_block()
    _check_reachable(op, values, block)
    plain = {k: plain_attr(v) for k, v in attrs.items() if v is not None}
    specs = [_spec(v) for v in values]
    results = checked_infer(op, specs, plain)
    inputs = {
        s.name: [v._name for v in (value if s.many else [value])]
        for s, value in zip(op.inputs, values, strict=True)
        if value is not None
    }
    outputs, made = _outputs(op, values, results, block)
    step = Operator(block, op.name, inputs, outputs, plain, user_location())
    block.program._mark(step)
    for listed in made:
        for var in listed if isinstance(listed, list) else [listed]:
            if var is not None:
                var.op = step
    block.ops.append(step)
    block.note_change()
    if has_fixed_levels(op.name) or any(_level(v) for v in values):
        _hand_on_levels(op, values, outputs, attrs, block)
    if values and op.arithmetic and all(v is None or v._weak for v in values):
        made[0]._weak = True
    returned = [v for s, v in zip(op.outputs, made, strict=True) if not s.writes]
    if not returned:
        return None
    return returned[0] if len(returned) == 1 else tuple(returned)


def _level(value: Any) -> int:
    if isinstance(value, list):
        return value[0]._lod_level if value else 0
    return 0 if value is None else value._lod_level


def _hand_on_levels(op: OpDef, values: list, outputs: dict, attrs: dict, block: Any) -> None:
    """The levels of sequences that results have where inputs have any."""
    inputs = {
        slot.name: value if slot.many else [value]
        for slot, value in zip(op.inputs, values, strict=True)
        if value is not None
    }
    made = {slot: [block._var_recursive(n) for n in names] for slot, names in outputs.items()}
    set_levels(op.name, inputs, made, attrs)


def _comparable(x: Variable, y: Variable) -> list[Variable]:
    """Two operands of a comparison in a type that holds both: a Program compares like with like."""
    kinds = [VarType(v.dtype) for v in (x, y)]
    order = [k for k in _WIDER if k in kinds]
    if len(order) < 2:
        return [x, y]
    common = order[0]
    return [
        v if k is common else append(
            REGISTRY["cast"], (v,), {"in_dtype": int(k), "out_dtype": int(common)}
        )
        for v, k in zip((x, y), kinds, strict=True)
    ]  # fmt: skip


def _rounds_down(x: Any, y: Any) -> bool:
    """Whether a quotient is one of Python's numbers, and may be negative: 2.0 rounds to zero."""
    if not getattr(x, "_weak", False) or not getattr(y, "_weak", False):
        return False
    top, bottom = getattr(x, "op", None), getattr(y, "op", None)
    a_size = top is not None and top.type in ("slice", "shape", "size", "lod_array_length")
    number = bottom is not None and bottom.type == "fill_constant"
    positive = bottom is not None and number and bottom.attrs.get("value", 0) > 0
    return not (a_size and positive)


def _floored(op: OpDef, x: Variable, y: Variable) -> Any:
    """``x // y`` as Python rounds it, down."""
    even = append(REGISTRY["elementwise_sub"], (x, append(
        REGISTRY["elementwise_mod"], (x, y), {"axis": -1})), {"axis": -1})  # fmt: skip
    even._weak = False
    made = append(op, (even, y), {"axis": -1})
    made._weak = True
    return made


def _taken(op: OpDef, slot: Slot, arg: Any) -> Any:
    """The Variable (or list of them) for one argument."""
    if arg is None:
        if slot.optional:
            return None
        raise _wrong(op, slot, arg)
    if not slot.many:
        return _variable(op, slot, arg)
    if isinstance(arg, (Tensor, Variable)) or not hasattr(arg, "__iter__"):
        raise _wrong(op, slot, arg)
    return [_variable(op, slot, item) for item in arg]


def _variable(op: OpDef, slot: Slot, arg: Any) -> Variable:
    if isinstance(arg, Variable):
        return arg
    take = capture.get()
    if isinstance(arg, Tensor) and take is not None:
        return take(arg)
    if isinstance(arg, Tensor):
        raise InvalidArgumentError(
            f"operator {op.name}: {slot.name} is an eager Tensor, but in static mode a Variable is "
            "expected.",
            hint="make it inside the Program (paddle.static.data, paddle.assign(numpy_array), "
            "create_parameter), or call paddle.disable_static() first",
        )
    raise _wrong(op, slot, arg)


def _check_reachable(op: OpDef, values: list, block: Any) -> None:
    """Refuses variables that the current block cannot see: those of a block that is over.

    What counts is the name, for copies of a Program have other variables of the same names.
    """
    for value in values:
        for var in value if isinstance(value, list) else (value,):
            if var is None or var.block is block:
                continue
            if block._find_var_recursive(var._name) is not None:
                continue
            same = var.block.program is block.program
            where = f"block {var.block.idx}" if same else "another Program"
            raise InvalidArgumentError(
                f"operator {op.name}: {var._name!r} belongs to {where}, which block {block.idx} "
                f"does not see.{_line_of(var)}",
                hint="return it from the function that made it, as a result of cond or while_loop"
                if same
                else "build both inside of one paddle.static.program_guard",
            )


def _line_of(var: Variable) -> str:
    found = var.op.location if var.op is not None else None
    return f"\n  it was made here:\n  {found}" if found else ""


def _wrong(op: OpDef, slot: Slot, arg: Any) -> TypeError:
    expected = "a list of Variables" if slot.many else "a Variable"
    return TypeError(
        f"operator {op.name}: {slot.name} is expected to be {expected}, "
        f"but received {type(arg).__name__}."
    )


def _spec(value: Any) -> Any:
    if value is None:
        return None
    return [spec_of(v) for v in value] if isinstance(value, list) else spec_of(value)


def plain_attr(value: Any) -> Any:
    """An attribute as a Program holds it: Python numbers, strings and lists of them."""
    if isinstance(value, (VarType, np.generic)):
        return int(value) if isinstance(value, VarType) else value.item()
    if isinstance(value, (list, tuple, range)):
        return [plain_attr(v) for v in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value


def _outputs(op: OpDef, values: list, results: list, block: Any) -> tuple[dict, list]:
    """Makes the variables of the results; those written into an input are that input."""
    trained = set(op.grad_outputs) if get_mode() & GRAD and op.inputs else set()
    prefix = current_layer.get()
    helper = unique_name.generate(op.name) if prefix is None else prefix
    outputs: dict[str, list[str]] = {}
    slots = list(enumerate(zip(op.outputs, results, strict=True)))
    first = named_first.get().split()
    if first:
        slots.sort(key=lambda item: first.index(item[1][0].name))
    made: list[Any] = [None] * len(slots)
    for i, (slot, result) in slots:
        if slot.writes:
            source = values[[s.name for s in op.inputs].index(slot.writes)]
            made[i] = source
        elif result is None:
            made[i] = None
            specs = _auxiliary(slot, values[0])
            if specs:
                outputs[slot.name] = [_fresh(block, helper, s, True)._name for s in specs]
        else:
            listed = result if slot.many else [result]
            new = [
                None if spec is None else _fresh(block, helper, spec, i not in trained)
                for spec in listed
            ]
            made[i] = new if slot.many else new[0]
        if made[i] is not None:
            outputs[slot.name] = [
                v._name for v in (made[i] if slot.many else [made[i]]) if v is not None
            ]
    return outputs, made


def _auxiliary(slot: Slot, source: Any) -> list[Spec]:
    """Results that kernels of PaddlePaddle leave for the gradient, and ours do without.

    A Program has variables for them nevertheless, for 2.6.2 does not run it otherwise.
    """
    if slot.name in _ASKED_FOR:
        return []
    dtype = _AUXILIARY_DTYPES.get(slot.name)
    sources = source if slot.many else [source[0] if isinstance(source, list) else source]
    first = (0,) if slot.name == "XShape" else ()
    return [Spec((*first, *var.shape), dtype or var.dtype) for var in sources]


def _fresh(block: Any, helper: str, spec: Any, stop: bool) -> Variable:
    # PaddlePaddle names the result of its elementwise layers after the layer itself.
    whole = helper.startswith("elementwise_") and current_layer.get() is None
    name = helper if whole else unique_name.generate(helper + ".tmp")
    if helper in ("tmp", "_generated_var"):  # of Python's arithmetic, and of layers without names
        name = unique_name.generate(helper)
    return block.create_var(name=name, shape=spec.shape, dtype=spec.dtype, stop_gradient=stop)
