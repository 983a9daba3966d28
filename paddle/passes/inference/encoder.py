"""Joins what encoders are made of: norms, sums, embeddings and the rows of attention."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.analysis.def_use import DefUse, made_from, own_attributes, single
from paddle.core.dtype import VarType
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.passes.fusion import Fusion, Replacement, fuse
from paddle.passes.matching import Match, Operand, Pattern

_FLOATS = (VarType.FP32, VarType.FP64)

# -- layer norm of its parts ------------------------------------------------------------------


def _means_last(op: Operator) -> bool:
    """Whether a mean is taken over the last dimension, which stays."""
    dims = op.attrs.get("dim", [0])
    dims = [dims] if isinstance(dims, int) else list(dims)
    x = op.block._find_var_recursive(op.inputs["X"][0])
    last = -1 if x is None else len(x.shape) - 1
    return bool(op.attrs.get("keep_dim")) and dims in ([-1], [last]) and last > 0


def _squares(op: Operator) -> bool:
    return op.type != "pow" or (op.attrs.get("factor", 1.0) == 2.0)


def _adds_epsilon(op: Operator) -> bool:
    return op.attrs.get("scale", 1.0) == 1.0 and op.attrs.get("bias", 0.0) > 0.0


_mean = Pattern("reduce_mean", _means_last, X=Operand("X"))
_centred = Pattern("elementwise_sub", X=Operand("X"), Y=_mean)


def _parts(square: Pattern, shifted: bool) -> tuple[Pattern, Pattern, Pattern]:
    """The pattern of a norm, and its operator that adds epsilon."""
    variance = Pattern("reduce_mean", _means_last, X=square)
    if shifted:
        sum = Pattern("scale", _adds_epsilon, X=variance)
    else:
        sum = Pattern("elementwise_add", X=variance, Y=Operand("Epsilon"))
    normal = Pattern("elementwise_div", X=_centred, Y=Pattern("sqrt", X=sum))
    scaled = Pattern("elementwise_mul", X=normal, Y=Operand("Scale"))
    return Pattern("elementwise_add", X=scaled, Y=Operand("Bias")), sum, square


_SQUARES = (
    Pattern("pow square", _squares, X=_centred),
    Pattern("elementwise_pow", X=_centred, Y=Operand("Exponent")),
    Pattern("elementwise_mul", X=_centred, Y=_centred),
)


def _constant(operand: str, match: Match, def_use: DefUse) -> float | None:
    """The number that an operand is filled with."""
    [name] = match.operands[operand]
    maker = def_use.definition(name)
    if maker is None or maker.type != "fill_constant" or maker.input_arg_names:
        return None
    return float(maker.attrs.get("str_value") or maker.attrs.get("value", 0.0))


def _norm_fusion(square: Pattern, shifted: bool) -> Fusion:
    pattern, sum, _ = _parts(square, shifted)
    found: dict[str, float] = {}

    def where(match: Match, def_use: DefUse) -> bool:
        x, scale, bias = (match.var(name) for name in ("X", "Scale", "Bias"))
        if x is None or scale is None or bias is None or x.dtype not in _FLOATS:
            return False
        if scale.shape != x.shape[-1:] or bias.shape != x.shape[-1:] or scale.dtype != x.dtype:
            return False
        if "Exponent" in match.operands and _constant("Exponent", match, def_use) != 2.0:
            return False
        epsilon = match[sum].attrs.get("bias") if shifted else _constant("Epsilon", match, def_use)
        found["epsilon"] = epsilon or 0.0
        return epsilon is not None and epsilon > 0

    def attributes(match: Match) -> dict:
        x = match.var("X")
        return {**found, "begin_norm_axis": len(x.shape) - 1 if x is not None else 1}

    return Fusion(pattern, "layer_norm", attributes, where)


LAYER_NORMS = [_norm_fusion(square, shifted) for square in _SQUARES for shifted in (True, False)]


def fuse_layer_norm(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Makes ``layer_norm`` of the operators that it is written as by hand, or by converters.

    Matches ``(x - mean) / sqrt(mean((x - mean) ** 2) + epsilon) * scale + bias`` over the last
    dimension. Not matched: other dimensions, and what is fetched or read on the way.
    """
    return [done for norm in LAYER_NORMS for done in fuse(norm, program.blocks, fetches)]


# -- sum and norm -----------------------------------------------------------------------------

_sum = Pattern("elementwise_add", X=Operand("X"), Y=Operand("Y"))
_norm_of_sum = Pattern(
    "layer_norm", out="Y", X=_sum, Scale=Operand("Scale"), Bias=Operand("Bias")
)  # fmt: skip


def _alike(match: Match, def_use: DefUse) -> bool:
    """Whether both terms are of one shape, as far as it is known, and everything of one dtype."""
    x, y = match.var("X"), match.var("Y")
    given = [match.var(name) for name in ("X", "Y", "Scale", "Bias")]
    if x is None or y is None or list(x.shape) != list(y.shape):
        return False
    dtypes = {var.dtype for var in given if var is not None}
    return len(dtypes) == 1 and x.dtype in _FLOATS


def _norm_attributes(match: Match) -> dict:
    attrs = match.root.attrs
    return {
        "epsilon": attrs.get("epsilon", 1e-5),
        "begin_norm_axis": attrs.get("begin_norm_axis", 1),
    }


SUM_AND_NORM = Fusion(_norm_of_sum, "skip_layernorm", _norm_attributes, _alike)


def fuse_skip_layernorm(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Makes ``skip_layernorm`` of a sum and the ``layer_norm`` of it.

    Not matched: terms of different shapes, a norm without scale or bias, a sum or statistics that
    are fetched or read elsewhere.
    """
    return fuse(SUM_AND_NORM, program.blocks, fetches)


_norm = Pattern(
    "layer_norm", out="Y", X=Operand("X"),
    Scale=Operand("Scale", optional=True), Bias=Operand("Bias", optional=True),
)  # fmt: skip


def _one_dtype(match: Match, def_use: DefUse) -> bool:
    given = [match.var(name) for name in ("X", "Scale", "Bias") if name in match.operands]
    dtypes = {None if var is None else var.dtype for var in given}
    return len(dtypes) == 1 and dtypes <= set(_FLOATS)


NORM = Fusion(_norm, "layer_norm_result", _norm_attributes, _one_dtype)


def drop_statistics(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Lets a ``layer_norm`` compute its result alone where nothing reads its statistics."""
    return fuse(NORM, program.blocks, fetches)


# -- embeddings -------------------------------------------------------------------------------

_LOOKUPS = {"lookup_table": 3, "lookup_table_v2": 2}  # type -> dimensions of Ids


def fuse_embeddings(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Makes one operator of the rows of several tables, their sum and its ``layer_norm``.

    Matches sums of two look-ups and more of [batch, n] row numbers ([batch, n, 1] in 1.x). The row
    of ``padding_idx`` is set to zeros once. Not matched: a norm without scale or bias, tables that
    the Program writes, sums, rows or statistics that are fetched or read elsewhere.
    """
    done = []
    for block in program.blocks:
        if not any(op.type in _LOOKUPS for op in block.ops):
            continue
        def_use = DefUse(block, fetches)
        for norm in [op for op in block.ops if op.type == "layer_norm"]:
            lookups: list[Operator] = []
            sums: list[Operator] = []
            if not _only_result(norm, def_use) or not _terms(norm, lookups, sums, def_use):
                continue
            new = _embedding(norm, lookups)
            if new is None:
                continue
            for op in (*sums, *lookups):
                def_use.substitute(op)
            def_use.substitute(norm, new)
            done.append(Replacement([*lookups, *sums, norm], new))
        def_use.commit()
    return done


def _only_result(norm: Operator, def_use: DefUse) -> bool:
    """Whether a norm over the last dimension has scale and bias, and its statistics are unread."""
    x = norm.block._find_var_recursive(norm.inputs["X"][0])
    rows = x is not None and norm.attrs.get("begin_norm_axis", 1) == len(x.shape) - 1 == 2
    others = {n for s in ("Mean", "Variance") for n in norm.outputs.get(s, ()) if n != EMPTY}
    return (
        rows
        and bool(norm.inputs.get("Scale") and norm.inputs.get("Bias"))
        and all(def_use.is_temporary(n) and not def_use.uses.get(n) for n in others)
    )


def _terms(
    reader: Operator, lookups: list[Operator], sums: list[Operator], def_use: DefUse
) -> bool:
    """Collects the look-ups that a sum adds up; says whether there is nothing else in it."""
    for slot in ("X",) if reader.type == "layer_norm" else ("X", "Y"):
        name = single(reader, slot)
        maker = None if name is None else def_use.definition(name)
        if name is None or maker is None or not def_use.precedes(maker, reader):
            return False
        if not def_use.is_temporary(name) or len(def_use.uses.get(name, ())) != 1:
            return False
        if maker.type in _LOOKUPS:
            ids = reader.block._find_var_recursive(maker.inputs["Ids"][0])
            if ids is None or len(ids.shape) != _LOOKUPS[maker.type]:
                return False
            if not all(def_use.unchanged(maker.inputs[s], maker, reader) for s in ("Ids", "W")):
                return False
            lookups.append(maker)
        elif maker.type == "elementwise_add" and maker.attrs.get("axis", -1) in (-1, 0):
            sums.append(maker)
            if not _terms(maker, lookups, sums, def_use):
                return False
        else:
            return False
    return reader.type != "layer_norm" or len(lookups) > 1


def _embedding(norm: Operator, lookups: list[Operator]) -> list[Operator] | None:
    """The operators that take the place of look-ups, sums and norm."""
    new, tables = [], []
    for i, op in enumerate(lookups):
        table = norm.block._find_var_recursive(op.inputs["W"][0])
        if table is None or table.dtype not in _FLOATS or not table.persistable:
            return None
        padding = op.attrs.get("padding_idx", -1)
        if padding != -1:
            name = f"{norm.outputs['Y'][0]}@TABLE{i}"
            padded = _variable_like(norm, name, table)
            inputs, outputs = {"W": [table.name]}, {"Out": [padded.name]}
            new.append(made_from(norm, "padded_table", inputs, outputs, {"padding_idx": padding}))
            table = padded
        tables.append(table)
    if len({(table.dtype, table.shape[1]) for table in tables}) != 1:
        return None
    inputs = {
        "Ids": [n for op in lookups for n in op.inputs["Ids"]],
        "Embs": [table.name for table in tables],
        "Bias": norm.inputs["Bias"],
        "Scale": norm.inputs["Scale"],
    }
    attrs = {"epsilon": norm.attrs.get("epsilon", 1e-5)}
    type = "fused_embedding_eltwise_layernorm"
    return [*new, made_from(norm, type, inputs, {"Out": norm.outputs["Y"]}, attrs)]


def _variable_like(op: Operator, name: str, like: Variable) -> Variable:
    return op.block.create_var(name=name, shape=list(like.shape), dtype=like.dtype)


# -- attention --------------------------------------------------------------------------------


def _exchanges(op: Operator) -> bool:
    return list(op.attrs.get("axis", ())) == [0, 2, 1, 3]


def _splits(op: Operator) -> bool:
    shape = list(op.attrs.get("shape", ()))
    return len(shape) == 4 and min(shape[2:]) > 0


def _rows(name: str) -> tuple[Pattern, Pattern]:
    """Rows whose heads come forward, and the operator that splits them."""
    split = Pattern("reshape2 reshape", _splits, X=Operand(name))
    return Pattern("transpose2 transpose", _exchanges, X=split), split


_q, _q_split = _rows("Q")
_k, _k_split = _rows("K")
_v, _v_split = _rows("V")
_attention = Pattern(
    "scaled_dot_product_attention", lambda op: not op.attrs.get("dropout_prob"),
    Q=_q, K=_k, V=_v, Mask=Operand("Mask", optional=True),
)  # fmt: skip
_back = Pattern("transpose2 transpose", _exchanges, X=_attention)
_joined = Pattern(
    "reshape2 reshape", lambda op: len(op.attrs.get("shape", ())) == 3, X=_back
)  # fmt: skip


def _keeps_rows(match: Match, def_use: DefUse) -> bool:
    """Whether batch and rows stay as they are, and all have the same heads."""
    size = None
    for name, split in (("Q", _q_split), ("K", _k_split), ("V", _v_split)):
        x, shape = match.var(name), list(match[split].attrs["shape"])
        if x is None or len(x.shape) != 3 or x.dtype not in _FLOATS:
            return False
        if shape[2] * shape[3] != x.shape[2] or not _same_front(shape, x):
            return False
        size = size or shape[2:]
        if shape[2:] != size:
            return False
    q, out = match.var("Q"), list(match.root.attrs["shape"])
    if q is None or size is None:
        return False
    width = size[0] * size[1]
    return out[2] in (width, -1) and out.count(-1) <= 1 and _same_front(out, q)


def _same_front(shape: list[int], x: Variable) -> bool:
    """Whether a reshape leaves the first two dimensions of x alone."""
    known = [n in (0, -1) or n == m for n, m in zip(shape[:2], x.shape[:2], strict=True)]
    return all(known) and shape[:2] != [-1, -1]


def _attention_attributes(match: Match) -> dict:
    own = own_attributes(match[_attention])
    return {"scale": own["scale"], "heads": match[_q_split].attrs["shape"][2]}


ROWS = Fusion(_joined, "attention_of_rows", _attention_attributes, _keeps_rows)


def _splits_joined(op: Operator) -> bool:
    shape = list(op.attrs.get("shape", ()))
    return len(shape) == 5 and shape[2] == 3 and min(shape[3:]) > 0


def _third(number: int) -> Pattern:
    """The operator that cuts queries, keys or values out."""
    wanted = {"axes": [0], "starts": [number], "ends": [number + 1], "decrease_axis": [0]}
    return Pattern(
        "slice", lambda op: all(list(op.attrs.get(k, ())) == v for k, v in wanted.items()),
        Input=_thirds,
    )  # fmt: skip


_joined_split = Pattern("reshape2 reshape", _splits_joined, X=Operand("X"))
_thirds = Pattern(
    "transpose2 transpose", lambda op: list(op.attrs.get("axis", ())) == [2, 0, 3, 1, 4],
    X=_joined_split,
)  # fmt: skip
_joined_attention = Pattern(
    "scaled_dot_product_attention", lambda op: not op.attrs.get("dropout_prob"),
    Q=_third(0), K=_third(1), V=_third(2), Mask=Operand("Mask", optional=True),
)  # fmt: skip
_joined_rows = Pattern(
    "reshape2 reshape", lambda op: len(op.attrs.get("shape", ())) == 3,
    X=Pattern("transpose2 transpose", _exchanges, X=_joined_attention),
)  # fmt: skip


def _keeps_joined_rows(match: Match, def_use: DefUse) -> bool:
    """Whether batch and rows stay as they are, and a row is all heads three times."""
    x, shape = match.var("X"), list(match[_joined_split].attrs["shape"])
    if x is None or len(x.shape) != 3 or x.dtype not in _FLOATS or not _same_front(shape, x):
        return False
    width, out = shape[3] * shape[4], list(match.root.attrs["shape"])
    fits = out[2] in (width, -1) and out.count(-1) <= 1 and _same_front(out, x)
    return fits and x.shape[2] == 3 * width


def _joined_attributes(match: Match) -> dict:
    scale = own_attributes(match[_joined_attention])["scale"]
    return {"scale": scale, "heads": match[_joined_split].attrs["shape"][3]}


JOINED_ROWS = Fusion(
    _joined_rows, "attention_of_joined_rows", _joined_attributes, _keeps_joined_rows
)


def fuse_rows_of_attention(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Lets attention take rows apart and put them together itself.

    Matches ``scaled_dot_product_attention``, left by the pass before, of operands that ``reshape``
    and ``transpose`` make of rows [batch, n, heads * size], or that ``slice`` cuts out of rows
    [batch, n, 3 * heads * size], with the same around its result. Not matched: computed shapes,
    different heads, dimensions that are moved otherwise.
    """
    return [done for rows in (ROWS, JOINED_ROWS) for done in fuse(rows, program.blocks, fetches)]
