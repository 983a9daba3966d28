"""Takes out operators that hand on what they are given, and pairs that undo one another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from paddle.analysis.def_use import DefUse, made_from, own_attributes, single
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.program import Program
from paddle.passes.fusion import Replacement

# -- taking an operator out -------------------------------------------------------------------


def bypass(
    block: Block, fetches: Sequence[str], is_identity: Callable[[Operator, Block], bool]
) -> list[Replacement]:
    """Takes the operators out of a block whose one result is their one input.

    Where the result is fetched, or an outer block reads it, what makes the input makes it instead.

    Args:
        block (Block): what is changed.
        fetches (Sequence[str]): variables that are asked for.
        is_identity (callable): ``is_identity(op, block)`` says it of an operator.
    """
    found = [op for op in block.ops if is_identity(op, block)]
    if not found:
        return []
    done = []
    def_use = DefUse(block, fetches)
    for op in found:
        x, out = single(op, _first(op.inputs)), single(op, _first(op.outputs), output=True)
        if x is None or out is None or x == out or _others_read(op, out, def_use):
            continue
        if def_use.is_temporary(out) and _stays(x, op, def_use):
            def_use.redirect(out, x)
            def_use.substitute(op)
        elif not _hands_back(op, x, out, def_use):
            continue
        done.append(Replacement([op], []))
    def_use.commit()
    return done


def _first(slots: dict[str, list[str]]) -> str:
    """The slot that holds the data; auxiliary results have others."""
    return next((s for s in ("X", "Out", "Y", "Output") if slots.get(s)), "")


def _others_read(op: Operator, out: str, def_use: DefUse) -> bool:
    """Whether auxiliary results (a mask, XShape) are read or asked for."""
    others = {n for n in op.output_arg_names if n not in (out, EMPTY)}
    return any(def_use.uses.get(n) or not def_use.is_temporary(n) for n in others)


def _stays(name: str, reader: Operator, def_use: DefUse) -> bool:
    """Whether a variable keeps the value that an operator reads until the block ends."""
    writers = def_use.definitions.get(name, ())
    return not writers or (len(writers) == 1 and def_use.precedes(writers[0], reader))


def _hands_back(op: Operator, x: str, out: str, def_use: DefUse) -> bool:
    """Lets the maker of the input make the result, and everyone read that."""
    maker = def_use.definition(x)
    var = def_use.block.vars.get(out)
    if maker is None or maker is op or maker.sub_blocks or not def_use.is_temporary(x):
        return False
    if var is None or var.persistable or len(def_use.definitions.get(out, ())) != 1:
        return False
    known = maker.definition
    if known is None or any(slot.writes for slot in known.outputs):
        return False
    if def_use.uses.get(out) and not all(def_use.precedes(op, o) for o in def_use.uses[out]):
        return False
    slots = {s: [out if n == x else n for n in names] for s, names in maker.outputs.items()}
    made = made_from(maker, maker.type, maker.inputs, slots, own_attributes(maker))
    def_use.substitute(op)
    def_use.substitute(maker, [made])
    def_use.redirect(x, out)
    return True


# -- dropout ----------------------------------------------------------------------------------


def delete_dropout(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Takes out ``dropout`` that drops nothing; where it scales instead, ``scale`` takes its place.

    Matches those in test mode, and those with a probability of 0. Not matched: dropout that is
    meant to drop, and masks that are read.
    """
    done = []
    for block in program.blocks:
        done += bypass(block, fetches, _keeps_everything)
        for i, op in enumerate(block.ops):
            scaled = op.type == "dropout" and op.attrs.get("is_test") and not op.inputs.get("Seed")
            if not scaled or _others_read(op, op.outputs["Out"][0], DefUse(block, fetches)):
                continue
            attrs = {"scale": 1.0 - op.attrs.get("dropout_prob", 0.5)}
            inputs, outputs = {"X": op.inputs["X"]}, {"Out": op.outputs["Out"]}
            block.ops[i] = made_from(op, "scale", inputs, outputs, attrs)
            done.append(Replacement([op], [block.ops[i]]))
    return done


def _keeps_everything(op: Operator, block: Block) -> bool:
    if op.type != "dropout":
        return False
    upscale = op.attrs.get("dropout_implementation", "downgrade_in_infer") == "upscale_in_train"
    return not op.attrs.get("dropout_prob", 0.5) or bool(upscale and op.attrs.get("is_test"))


# -- identities -------------------------------------------------------------------------------


def clean_identities(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Takes out operators that change nothing.

    Matches ``assign``, ``scale`` by 1, ``cast`` to the type that is there, ``transpose`` that keeps
    the order, and ``concat``, ``sum`` or ``stack`` of one tensor that keep its shape. Not matched:
    where the input or the result is written again, or the result is stored.
    """
    fed = set(feeds)

    def is_identity(op: Operator, block: Block) -> bool:
        test = _IDENTITIES.get(op.type)
        if test is None or len(op.input_arg_names) != 1 or not test(op):
            return False
        name = op.input_arg_names[0]
        x, out = (block._find_var_recursive(n) for n in (name, op.output_arg_names[0]))
        if x is None or out is None or x.dtype != out.dtype or x.type != out.type:
            return False
        return not (op.type == "cast" and name in fed)  # whatever it is fed with

    return [done for block in program.blocks for done in bypass(block, fetches, is_identity)]


def _keeps_order(op: Operator) -> bool:
    axis = list(op.attrs.get("axis", ()))
    return bool(axis) and axis == list(range(len(axis)))


_IDENTITIES: dict[str, Callable[[Operator], bool]] = {
    "assign": lambda op: True,
    "scale": lambda op: op.attrs.get("scale", 1.0) == 1.0 and op.attrs.get("bias", 0.0) == 0.0,
    "cast": lambda op: op.attrs.get("in_dtype") == op.attrs.get("out_dtype", -1),
    "transpose": _keeps_order,
    "transpose2": _keeps_order,
    "concat": lambda op: True,
    "sum": lambda op: True,
}

# -- pairs ------------------------------------------------------------------------------------

_RESHAPES = ("reshape", "reshape2")
_TRANSPOSES = ("transpose", "transpose2")


def cancel_transposes(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Makes one ``transpose`` of two that follow one another, or none where they cancel out.

    Not matched: a first result that is fetched or written again. It may be read elsewhere too.
    """

    def joined(first: Operator, second: Operator) -> dict[str, Any] | None:
        inner, outer = first.attrs.get("axis", ()), second.attrs.get("axis", ())
        if len(inner) != len(outer) or not inner:
            return None
        return {"axis": [inner[a] for a in outer]}

    done = _join(program, fetches, _TRANSPOSES, joined)
    if done:
        done += clean_identities(program, feeds, fetches)
    return done


def cancel_reshapes(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Makes one ``reshape`` of several that follow one another.

    Matches where the last one does not depend on the shapes in between: it has no 0 in its shape,
    or the dimension that the 0 stands for is known. Reshapes, squeezes and flattenings before it
    count. Not matched: shapes that are computed, results in between that are written again.
    """

    def joined(first: Operator, second: Operator) -> dict[str, Any] | None:
        shape = list(second.attrs.get("shape", ()))
        between = first.block._find_var_recursive(_out(first))
        if between is None or not shape:
            return None
        for i, n in enumerate(shape):
            if n == 0:
                known = between.shape[i] if i < len(between.shape) else -1
                source = list(first.attrs.get("shape", ()))
                told = source[i] if first.type in _RESHAPES and i < len(source) else -1
                if known > 0 and told == known:
                    shape[i] = known
                elif told != 0:  # a 0 in both stands for the same dimension
                    return None
        return {"shape": shape}

    return _join(program, fetches, _RESHAPES, joined, before=_KEEP_ORDER)


_KEEP_ORDER = (
    *_RESHAPES, "squeeze", "squeeze2", "unsqueeze", "unsqueeze2", "flatten", "flatten2",
    "flatten_contiguous_range",
)  # fmt: skip


def _out(op: Operator) -> str:
    return op.outputs["Out"][0]


def _shaped(op: Operator) -> bool:
    return any(op.inputs.get(slot) for slot in ("Shape", "ShapeTensor"))


def _join(
    program: Program,
    fetches: Sequence[str],
    types: tuple[str, ...],
    joined: Callable[[Operator, Operator], dict[str, Any] | None],
    before: tuple[str, ...] = (),
) -> list[Replacement]:
    """Lets the second operator of a pair read what the first one reads."""
    done = []
    for block in program.blocks:
        if sum(op.type in (*types, *before) for op in block.ops) < 2:
            continue
        def_use = DefUse(block, fetches)
        for second in [op for op in block.ops if op.type in types]:
            if not def_use.present(second) or not single(second, "X") or _shaped(second):
                continue
            first = def_use.definition(second.inputs["X"][0])
            if first is None or first.type not in (before or types) or first.sub_blocks:
                continue
            x = single(first, "X")
            attrs = joined(first, second)
            if x is None or attrs is None or not def_use.precedes(first, second):
                continue
            if not def_use.is_temporary(_out(first)) or not _stays(x, first, def_use):
                continue
            own = own_attributes(second) | attrs
            new = made_from(second, second.type, {"X": [x]}, second.outputs, own)
            def_use.substitute(second, [new])
            done.append(Replacement([first, second], [new]))
        def_use.commit()
    if done:
        _drop_unread(program, fetches, before or types)
    return done


def _drop_unread(program: Program, fetches: Sequence[str], types: tuple[str, ...]) -> None:
    """Takes out operators of some types whose results nobody reads any more."""
    for block in program.blocks:
        def_use = DefUse(block, fetches)
        for op in reversed(list(block.ops)):
            made = [n for n in op.output_arg_names if n != EMPTY]
            if op.type in types and all(
                def_use.is_temporary(n) and not def_use.uses.get(n) for n in made
            ):
                def_use.substitute(op)
        def_use.commit()


# -- transposes into products -----------------------------------------------------------------

_FLAGS = {"matmul_v2": ("trans_x", "trans_y"), "matmul": ("transpose_X", "transpose_Y")}


def fuse_transpose_matmul(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Lets a product transpose its operand itself.

    Matches ``matmul`` and ``matmul_v2`` of a ``transpose`` that exchanges the last two dimensions
    of more than one. The transposed tensor may be read elsewhere too. Not matched: products by
    one matrix, which are better off with rows.
    """
    done = []
    for block in program.blocks:
        if not any(op.type in _FLAGS for op in block.ops):
            continue
        def_use = DefUse(block, fetches)
        for op in [op for op in block.ops if op.type in _FLAGS]:
            new = op
            if not _of_batches(op):
                continue
            for slot, flag in zip("XY", _FLAGS[op.type], strict=True):
                source = _before_exchange(new, slot, def_use)
                if source is not None:
                    inputs = {**new.inputs, slot: [source]}
                    attrs = own_attributes(new) | {flag: not new.attrs.get(flag, False)}
                    new = made_from(op, op.type, inputs, op.outputs, attrs)
            if new is not op:
                def_use.substitute(op, [new])
                done.append(Replacement([op], [new]))
        def_use.commit()
    if done:
        _drop_unread(program, fetches, _TRANSPOSES)
    return done


def _of_batches(op: Operator) -> bool:
    """Whether both operands of a product hold as many matrices as the other."""
    x, y = (op.block._find_var_recursive(op.inputs[slot][0]) for slot in "XY")
    return x is not None and y is not None and len(x.shape) == len(y.shape) > 2


def _before_exchange(op: Operator, slot: str, def_use: DefUse) -> str | None:
    """What a transpose of an operand's last two dimensions reads."""
    name = single(op, slot)
    maker = None if name is None else def_use.definition(name)
    if maker is None or maker.type not in _TRANSPOSES or not def_use.is_temporary(_out(maker)):
        return None
    axis = list(maker.attrs.get("axis", ()))
    rank = len(axis)
    x = single(maker, "X")
    if rank < 2 or axis != [*range(rank - 2), rank - 1, rank - 2] or x is None:
        return None
    return x if _stays(x, maker, def_use) else None


# -- axes -------------------------------------------------------------------------------------


def state_plain_axes(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Writes -1 for an ``axis`` of an elementwise operator that says the same.

    1.x writes 0 beside operands of one rank, and the position of a bias beside shorter ones.
    """
    for block in program.blocks:
        for op in block.ops:
            axis = op.attrs.get("axis", -1)
            if axis == -1 or not op.type.startswith("elementwise_") or "Y" not in op.inputs:
                continue
            x, y = (block._find_var_recursive(op.inputs[slot][0]) for slot in "XY")
            if x is None or y is None or x.type != y.type or not x.shape or not y.shape:
                continue
            if axis == len(x.shape) - len(y.shape):
                op.attrs["axis"] = -1
