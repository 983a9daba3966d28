"""Follows shapes through the operators that compute with them, and tells reshapes what they find.

A model that takes any batch asks for the shape of a tensor, cuts a number out of it, joins it with
others and reshapes by the result: a dozen small operators in each run. What such a chain says is
mostly known beforehand: numbers, and dimensions of the very tensor that is reshaped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from paddle.analysis.def_use import made_from, own_attributes, single
from paddle.core.dtype import VarType
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.passes.fusion import Replacement


class Dim(NamedTuple):
    """A dimension of a variable, whatever its size."""

    name: str
    axis: int


Entry = int | Dim | None  # a number of a shape; None: not known
_INTEGERS = (VarType.INT32, VarType.INT64)
_MOST = 16  # numbers; what has more is no shape


def fold_shapes(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Gives ``reshape`` and ``fill_constant`` as attributes what they would be given as tensors.

    Matches where all numbers are known, or where a reshape keeps a dimension of its input in place
    or has one number that is not known. Chains of ``shape``, ``slice``, ``concat``, ``stack``,
    ``cast`` and the like are followed, into sub-blocks too, and so are dimensions through products,
    sums, norms, activations, transposes and reshapes, and that of the images through convolutions,
    pools and interpolations. Not matched: variables that are written
    twice. No size of an input is taken from the Program.
    """
    known = _Shapes(program)
    done = []
    for block in program.blocks:
        for i, op in enumerate(block.ops):
            new = _told(op, known)
            if new is not None:
                block.ops[i] = new
                done.append(Replacement([op], [new]))
            known.follow(block.ops[i])
    if done:
        _drop_chains(program, fetches)
    return done


class _Shapes:
    """What is known of the small integer tensors of a Program.

    Attributes:
        values (dict): variable -> its numbers in order, however many dimensions it has.
        shapes (dict): variable -> its dimensions.
    """

    def __init__(self, program: Program) -> None:
        ops = [op for block in program.blocks for op in block.ops]
        self._writers = Counter(n for op in ops for n in op.output_arg_names)
        self.values: dict[str, list[Entry]] = {}
        self.shapes: dict[str, list[Entry]] = {}

    def follow(self, op: Operator) -> None:
        """Notes what an operator makes."""
        self._follow_shape(op)
        rule = _RULES.get(op.type)
        out = single(op, "Y" if op.type == "stack" else "Out", output=True)
        if rule is None or out is None or self._writers[out] != 1:
            return
        var = op.block.vars.get(out)
        if var is None or var.persistable or var.dtype not in _INTEGERS:
            return
        found = rule(op, self)
        if found is not None and len(found) <= _MOST:
            self.values[out] = found

    def _follow_shape(self, op: Operator) -> None:
        out = single(op, _result(op), output=True)
        if out is None or self._writers[out] != 1:
            return
        rule = _SHAPE_RULES.get(op.type)
        known = op.definition
        if rule is None and known is not None and known.infer in ("same", "floating"):
            rule = _shape_of_first
        found = None if rule is None else rule(op, self)
        if found is not None:
            self.shapes[out] = found

    def shape(self, op: Operator, name: str | None) -> list[Entry] | None:
        """The dimensions of a variable that an operator reads; stored ones have their sizes."""
        var = None if name is None else op.block._find_var_recursive(name)
        if name is None or var is None or self._writers[name] > 1:
            return None
        if name in self.shapes:
            return self.shapes[name]
        if var.persistable and not self._writers[name] and -1 not in var.shape:
            return list(var.shape)
        return [Dim(name, i) for i in range(len(var.shape))]

    def of(self, op: Operator, slot: str) -> list[Entry] | None:
        """The numbers of the one variable in a slot."""
        name = single(op, slot)
        return None if name is None else self.values.get(name)


# -- rules ------------------------------------------------------------------------------------


def _shape(op: Operator, known: _Shapes) -> list[Entry] | None:
    return known.shape(op, single(op, "Input"))


def _filled(op: Operator, known: _Shapes) -> list[Entry] | None:
    shape = list(op.attrs.get("shape", ()))
    if op.input_arg_names or len(shape) > 1 or any(not 0 < n <= _MOST for n in shape):
        return None
    value = float(op.attrs.get("str_value") or op.attrs.get("value", 0.0))
    return [int(value)] * (shape[0] if shape else 1) if value.is_integer() else None


def _assigned(op: Operator, known: _Shapes) -> list[Entry] | None:
    if len(op.attrs.get("shape", ())) > 1:
        return None
    values = op.attrs.get("int32_values") or op.attrs.get("int64_values")
    return [int(n) for n in values] if values else None


def _sliced(op: Operator, known: _Shapes) -> list[Entry] | None:
    given = known.of(op, "Input")
    if given is None or set(_filled_slots(op)) != {"Input"} or op.attrs.get("axes") != [0]:
        return None
    [start], [end] = op.attrs["starts"], op.attrs["ends"]
    return given[start:end] or None


def _filled_slots(op: Operator) -> list[str]:
    return [slot for slot, names in op.inputs.items() if names]


def _joined(op: Operator, known: _Shapes) -> list[Entry] | None:
    if op.attrs.get("axis", 0) != 0 or op.inputs.get("AxisTensor"):
        return None
    parts = [known.values.get(name) for name in op.inputs.get("X", ())]
    if op.type == "stack" and any(part is None or len(part) != 1 for part in parts):
        return None
    return None if None in parts else [n for part in parts if part is not None for n in part]


def _same(op: Operator, known: _Shapes) -> list[Entry] | None:
    return known.of(op, "X") if _filled_slots(op) == ["X"] else None


def _scaled(op: Operator, known: _Shapes) -> list[Entry] | None:
    given = _same(op, known)
    scale, bias = op.attrs.get("scale", 1.0), op.attrs.get("bias", 0.0)
    if not op.attrs.get("bias_after_scale", True):
        bias *= scale
    if given is None or not (float(scale).is_integer() and float(bias).is_integer()):
        return None
    if (scale, bias) == (1.0, 0.0):
        return given
    return [int(n * scale + bias) if isinstance(n, int) else None for n in given]


def _computed(function: Callable[[int, int], int]) -> Callable:
    def rule(op: Operator, known: _Shapes) -> list[Entry] | None:
        x, y = known.of(op, "X"), known.of(op, "Y")
        if x is None or y is None or (1 not in (len(x), len(y)) and len(x) != len(y)):
            return None
        count = max(len(x), len(y))
        pairs = zip(x * count if len(x) == 1 else x, y * count if len(y) == 1 else y, strict=True)
        return [
            function(a, b) if isinstance(a, int) and isinstance(b, int) else None for a, b in pairs
        ]

    return rule


_RULES: dict[str, Callable[[Operator, _Shapes], list[Entry] | None]] = {
    "shape": _shape,
    "fill_constant": _filled,
    "assign_value": _assigned,
    "slice": _sliced,
    "concat": _joined,
    "stack": _joined,
    "scale": _scaled,
    **dict.fromkeys(("cast", "assign", "squeeze", "squeeze2", "unsqueeze", "unsqueeze2"), _same),
    "elementwise_add": _computed(lambda a, b: a + b),
    "elementwise_sub": _computed(lambda a, b: a - b),
    "elementwise_mul": _computed(lambda a, b: a * b),
}

# -- dimensions through operators ---------------------------------------------------------------


def _result(op: Operator) -> str:
    return next((slot for slot in ("Out", "Y", "Output") if op.outputs.get(slot)), "Out")


def _shape_of_first(op: Operator, known: _Shapes) -> list[Entry] | None:
    return known.shape(op, single(op, "X"))


def _elementwise(op: Operator, known: _Shapes) -> list[Entry] | None:
    x, y = (known.shape(op, single(op, slot)) for slot in "XY")
    if x is None or y is None or len(y) > len(x):
        return None
    axis = op.attrs.get("axis", -1)
    before = len(x) - len(y) if axis == -1 else axis
    beside = [1] * before + y + [1] * (len(x) - before - len(y))
    return [a if b in (a, 1) else b if a == 1 else None for a, b in zip(x, beside, strict=True)]


def _product(op: Operator, known: _Shapes) -> list[Entry] | None:
    x, y = (known.shape(op, single(op, slot)) for slot in "XY")
    flags = [bool(op.attrs.get(a) or op.attrs.get(b)) for a, b in _TRANSPOSED]
    if x is None or y is None or len(x) < 2 or len(y) < 2:
        return None
    if len(y) > 2 and x[:-2] != y[:-2]:
        return None
    return [*x[:-2], x[-1] if flags[0] else x[-2], y[-2] if flags[1] else y[-1]]


_TRANSPOSED = (("trans_x", "transpose_X"), ("trans_y", "transpose_Y"))


def _rows_product(op: Operator, known: _Shapes) -> list[Entry] | None:
    x, y = (known.shape(op, single(op, slot)) for slot in "XY")
    if x is None or y is None:
        return None
    rows, columns = op.attrs.get("x_num_col_dims", 1), op.attrs.get("y_num_col_dims", 1)
    return [*x[:rows], *y[columns:]]


def _transposed(op: Operator, known: _Shapes) -> list[Entry] | None:
    x, axis = known.shape(op, single(op, "X")), op.attrs.get("axis", ())
    return None if x is None or sorted(axis) != list(range(len(x))) else [x[a] for a in axis]


def _reshaped(op: Operator, known: _Shapes) -> list[Entry] | None:
    x, slots = known.shape(op, single(op, "X")), _TENSORS[op.type]
    given: list[Entry] | None = list(op.attrs.get("shape", ()))
    if any(op.inputs.get(slot) for slot in slots):
        given = _whole_shape(op, slots, known)
    if x is None or given is None:
        return None
    padded = [*x, *[None] * len(given)]
    return [padded[i] if n == 0 else None if n == -1 else n for i, n in enumerate(given)]


def _cut(op: Operator, known: _Shapes) -> list[Entry] | None:
    x = known.shape(op, single(op, "Input"))
    if x is None or set(_filled_slots(op)) != {"Input"}:
        return None
    cut = list(op.attrs.get("axes", ()))
    left = [None if i in cut else n for i, n in enumerate(x)]
    gone = [axis % len(x) for axis in op.attrs.get("decrease_axis") or ()]
    return [n for i, n in enumerate(left) if i not in gone] or None


def _looked_up(op: Operator, known: _Shapes) -> list[Entry] | None:
    ids, table = known.shape(op, single(op, "Ids")), known.shape(op, single(op, "W"))
    if ids is None or table is None:
        return None
    return [*(ids if op.type == "lookup_table_v2" else ids[:-1]), table[-1]]


def _of_images(op: Operator, known: _Shapes) -> list[Entry] | None:
    """As many images as before; their other sizes are their own."""
    x = known.shape(op, single(op, "X" if op.inputs.get("X") else "Input"))
    out = single(op, _result(op), output=True)
    return None if not x or out is None else [x[0], *(Dim(out, i) for i in range(1, len(x)))]


_SHAPE_RULES: dict[str, Callable[[Operator, _Shapes], list[Entry] | None]] = {
    "slice": _cut,
    "matmul": _product,
    "matmul_v2": _product,
    "mul": _rows_product,
    "lookup_table": _looked_up,
    "lookup_table_v2": _looked_up,
    **dict.fromkeys(("layer_norm", "softmax", "dropout", "batch_norm"), _shape_of_first),
    **dict.fromkeys(
        (
            "conv2d",
            "depthwise_conv2d",
            "conv2d_transpose",
            "pool2d",
            "nearest_interp",
            "nearest_interp_v2",
            "bilinear_interp",
            "bilinear_interp_v2",
        ),
        _of_images,
    ),
    **dict.fromkeys(("transpose", "transpose2"), _transposed),
    **dict.fromkeys(("reshape", "reshape2"), _reshaped),
    **dict.fromkeys(
        (f"elementwise_{name}" for name in ("add", "sub", "mul", "div", "max", "min")),
        _elementwise,
    ),
}

# -- who is told ------------------------------------------------------------------------------

_TENSORS = {
    "reshape": ("Shape", "ShapeTensor"),
    "reshape2": ("Shape", "ShapeTensor"),
    "fill_constant": ("ShapeTensor", "ShapeTensorList"),
}


def _told(op: Operator, known: _Shapes) -> Operator | None:
    """The operator with a shape of attributes in place of one of tensors."""
    slots = _TENSORS.get(op.type)
    if slots is None or not any(op.inputs.get(slot) for slot in slots):
        return None
    shape = _whole_shape(op, slots, known)
    if shape is None:
        return None
    if op.type == "fill_constant":
        numbers = [n for n in shape if isinstance(n, int)]
        if len(numbers) != len(shape) or min(numbers, default=0) < 0:
            return None
    else:
        numbers = _for_reshape(shape, known.shape(op, op.inputs["X"][0]) or [])
        if numbers.count(-1) > 1:
            return None
    inputs = {slot: names for slot, names in op.inputs.items() if slot not in slots}
    attrs = own_attributes(op) | {"shape": numbers}
    return made_from(op, op.type, inputs, op.outputs, attrs)


def _whole_shape(
    op: Operator, slots: tuple[str, str], known: _Shapes
) -> list[Entry] | None:  # fmt: skip
    whole, parts = slots
    if op.inputs.get(parts):  # it is looked at first
        found = [known.values.get(name) for name in op.inputs[parts]]
        return [n[0] if n is not None and len(n) == 1 else None for n in found]
    return known.of(op, whole)


def _for_reshape(shape: list[Entry], x: list[Entry]) -> list[int]:
    """The attribute of a reshape: 0 for a dimension that stays, -1 for what is not known."""
    beside = [*x, *[None] * len(shape)]
    return [
        n if isinstance(n, int) else 0 if n is not None and n == beside[i] else -1
        for i, n in enumerate(shape)
    ]


def _drop_chains(program: Program, fetches: Sequence[str]) -> None:
    """Takes out what computed the shapes, where nobody reads it any more."""
    read = Counter(n for b in program.blocks for op in b.ops for n in op.input_arg_names)
    for block in reversed(program.blocks):
        block.ops = _without_unread(block, read, set(fetches))


def _without_unread(block: Block, read: Counter[str], fetched: set[str]) -> list[Operator]:
    kept = []
    for op in reversed(block.ops):
        made = op.output_arg_names
        unread = op.type in _RULES and all(
            not read[n] and n not in fetched and n in block.vars and not block.vars[n].persistable
            for n in made
        )
        if unread:
            read.subtract(op.input_arg_names)
        else:
            kept.append(op)
    return kept[::-1]
