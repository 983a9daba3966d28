"""Gives products by stored matrices the form in which they run fastest."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from paddle.analysis.def_use import DefUse, made_from, own_attributes, single
from paddle.core.dtype import VarType
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.ops.nn.packed_linear import WORTH_PACKING, bfloat16_pays
from paddle.passes.bias import fuse_fc
from paddle.passes.fusion import Fusion, Replacement, fuse
from paddle.passes.inference.freeze import Frozen
from paddle.passes.matching import Match, Operand, Pattern

# -- products by the transposed of a matrix ---------------------------------------------------

_PRODUCTS = frozenset(["fc", "linear", "matmul", "matmul_v2", "mul"])
_TRANSPOSED = {"matmul_v2": ("trans_x", "trans_y"), "matmul": ("transpose_X", "transpose_Y")}


def use_plain_products(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Makes ``matmul_v2`` by a plain matrix of products by the transposed of a stored one.

    Matches ``matmul`` and ``matmul_v2`` of rows by a stored matrix or what is made of such; the
    matrix is turned, or scaled by ``alpha``, once. Not matched: an X that is transposed or has no
    rows, and plain ``matmul_v2``.
    """
    done = []
    made: dict[tuple[str, bool, float], str] = {}
    for op, weight in _products(program, Frozen(program, feeds, fetches), tuple(_TRANSPOSED)):
        left, right = _TRANSPOSED[op.type]
        turned, alpha = bool(op.attrs.get(right)), float(op.attrs.get("alpha", 1.0))
        if op.attrs.get(left) or (op.type == "matmul_v2" and not turned):
            continue
        key = weight.name, turned, alpha
        if key not in made:
            made[key] = _turned(program, weight, turned, alpha)
        inputs = {"X": op.inputs["X"], "Y": [made[key]]}
        new = made_from(op, "matmul_v2", inputs, op.outputs, {"trans_x": False, "trans_y": False})
        done.append(_put(op, new))
    return done


def _turned(program: Program, weight: Variable, turned: bool, alpha: float) -> str:
    """Adds the operators that turn and scale a weight; returns the name of the result."""
    name = weight.name
    if turned:
        shape = weight.shape[::-1]
        name = _once(program, "transpose2", weight, shape, "TURNED", {"axis": [1, 0]})
    if alpha != 1.0:
        weight = program.global_block().var(name)
        name = _once(program, "scale", weight, weight.shape, "SCALED", {"scale": alpha})
    return name


def _once(
    program: Program, type: str, source: Variable, shape: Sequence[int], word: str, attrs: dict
) -> str:
    """Adds an operator of a weight right behind where that is made; returns its result's name."""
    block = program.global_block()
    slot = "W" if type == "pack_linear_weight" else "X"
    result = block.create_var(
        name=_unused(program, f"{source.name}@{word}"), shape=list(shape), dtype=source.dtype
    )
    op = Operator(block, type, {slot: [source.name]}, {"Out": [result.name]}, attrs)
    makers = [i for i, known in enumerate(block.ops) if source.name in known.output_arg_names]
    block.ops.insert(max(makers, default=-1) + 1, op)
    return result.name


def _unused(program: Program, name: str) -> str:
    count, text = 1, name
    while any(text in block.vars for block in program.blocks):
        count, text = count + 1, f"{name}{count + 1}"
    return text


def _products(
    program: Program, frozen: Frozen, types: tuple[str, ...]
) -> Iterator[tuple[Operator, Variable]]:
    """The products of rows by a frozen float32 matrix, in all blocks, and the matrix."""
    for block in program.blocks:
        for op in list(block.ops):
            if op.type not in types:
                continue
            x = single(op, "Input" if op.type == "fc" else "X")
            name = single(op, "Y" if "Y" in op.inputs else "W")
            if x is None or name is None or name not in frozen.names:
                continue
            given, weight = block._find_var_recursive(x), program.global_block().vars.get(name)
            if given is None or weight is None or len(weight.shape) != 2 or -1 in weight.shape:
                continue
            if len(given.shape) >= 2 and given.dtype == weight.dtype == VarType.FP32:
                yield op, weight


def _put(old: Operator, new: Operator) -> Replacement:
    ops = old.block.ops
    ops[next(i for i, op in enumerate(ops) if op is old)] = new
    return Replacement([old], [new])


# -- fc ---------------------------------------------------------------------------------------

_flattened = Pattern("mul", X=Operand("Input"), Y=Operand("W"))
_flattened_and_bias = Pattern("elementwise_add", X=_flattened, Y=Operand("Bias"))


def _is_fc(match: Match, def_use: DefUse) -> bool:
    """Whether a row of the same dtype is added along the last dimension of the product."""
    weight, bias = match.var("W"), match.var("Bias")
    rows = match[_flattened].attrs.get("x_num_col_dims", 1)
    if weight is None or bias is None or bias.dtype != weight.dtype:
        return False
    if len(weight.shape) != 2 or match[_flattened].attrs.get("y_num_col_dims", 1) != 1:
        return False
    fits = len(bias.shape) == 1 and bias.shape[0] == weight.shape[1] != -1
    return fits and match.root.attrs.get("axis", -1) in (-1, rows)


FC = Fusion(
    _flattened_and_bias,
    "fc",
    lambda match: {"in_num_col_dims": match[_flattened].attrs.get("x_num_col_dims", 1)},
    _is_fc,
)


def fuse_all_fc(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Makes ``linear`` of products and the addition of their bias, or ``fc``.

    The second where ``mul`` joins dimensions of X. Not matched besides what
    :func:`paddle.passes.bias.fuse_fc` leaves alone: weights of more dimensions, a bias that is
    added along another dimension.
    """
    return [*fuse_fc(program, feeds, fetches), *fuse(FC, program.blocks, fetches)]


# -- scale ------------------------------------------------------------------------------------


def _multiplies(op: Operator) -> bool:
    return not op.attrs.get("bias", 0.0)


_scaled_product = Pattern("linear", X=Operand("X"), W=Operand("W"), Bias=Operand("Bias", True))
_scale = Pattern("scale", _multiplies, X=_scaled_product)


def _of_stored(match: Match, def_use: DefUse) -> bool:
    """Whether the weight and the bias are stored, and nothing writes them."""
    given = [match.var(name) for name in ("W", "Bias") if name in match.operands]
    return all(
        var is not None and var.persistable and def_use.is_constant(var.name) for var in given
    )


def _with_scaled_weight(match: Match) -> list[Operator]:
    block, product, root = match.block, match[_scaled_product], match.root
    new, inputs = [], {"X": product.inputs["X"]}
    for slot in ("W", "Bias"):
        for name in product.inputs.get(slot, ()):
            var = block._var_recursive(name)
            made = f"{root.outputs['Out'][0]}@{slot.upper()}"
            block.create_var(name=made, shape=list(var.shape), dtype=var.dtype)
            attrs = {"scale": root.attrs.get("scale", 1.0)}
            new.append(made_from(root, "scale", {"X": [name]}, {"Out": [made]}, attrs))
            inputs[slot] = [made]
    return [*new, made_from(root, "linear", inputs, root.outputs, own_attributes(product))]


SCALE = Fusion(_scale, where=_of_stored, build=_with_scaled_weight)


def fuse_scale(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> list[Replacement]:
    """Lets the weight and bias of ``linear`` take in the ``scale`` of its result.

    Matches in the global block, where the weights are stored. Not matched: a scale that adds too,
    a product that is fetched or read elsewhere.
    """
    return fuse(SCALE, [program.global_block()], fetches)


# -- packing ----------------------------------------------------------------------------------


def pack_linear(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Lets products by a stored matrix take it in the form that a library multiplies fastest by.

    Matches ``linear``, ``fc``, ``matmul_v2`` and ``mul`` of rows by a float32 matrix that nothing
    writes, with at least 2**16 elements, in sub-blocks too. The matrix is packed once, for all
    products by it. Not matched: products of transposed X, weights of more dimensions.
    """
    done = []
    packed: dict[str, str] = {}
    types = "linear", "fc", "matmul_v2", "mul"
    for op, weight in _products(program, Frozen(program, feeds, fetches), types):
        attrs = _packable(op)
        if attrs is None or weight.shape[0] * weight.shape[1] < WORTH_PACKING:
            continue
        if weight.name not in packed:
            shape = weight.shape[::-1]
            packed[weight.name] = _once(program, "pack_linear_weight", weight, shape, "PACKED", {})
        inputs = {
            "X": op.inputs["Input" if op.type == "fc" else "X"],
            "W": [packed[weight.name]],
            "Bias": op.inputs.get("Bias", []),
        }
        done.append(_put(op, made_from(op, "packed_linear", inputs, op.outputs, attrs)))
    return done


def _packable(op: Operator) -> dict | None:
    """The attributes of the packed product that does the same; None if there is none."""
    if op.type == "linear":
        return {}
    if op.type == "matmul_v2":
        return None if op.attrs.get("trans_x") or op.attrs.get("trans_y") else {}
    if op.type == "mul":
        one = op.attrs.get("y_num_col_dims", 1) == 1
        return {"in_num_col_dims": op.attrs.get("x_num_col_dims", 1)} if one else None
    if op.attrs.get("padding_weights"):
        return None
    split = op.attrs.get("in_num_col_dims", 1)
    return {"in_num_col_dims": split, "activation": op.attrs.get("activation_type", "")}


# -- what follows a product -------------------------------------------------------------------

_product = Pattern(
    "packed_linear",
    lambda op: not op.attrs.get("activation") and not op.attrs.get("to_bfloat16"),
    X=Operand("X"), W=Operand("W"), Bias=Operand("Bias", optional=True),
)  # fmt: skip


def _plain_form(op: Operator) -> bool:
    """Whether an activation has the attributes that its name alone stands for."""
    usual = {"swish": {"beta": 1.0}, "relu6": {"threshold": 6.0},
             "hard_swish": {"threshold": 6.0, "scale": 6.0, "offset": 3.0}}  # fmt: skip
    return all(op.attrs.get(k, v) == v for k, v in usual.get(op.type, {}).items())


_activation = Pattern("relu relu6 gelu tanh sigmoid swish hard_swish silu", _plain_form, X=_product)


def _with_activation(match: Match) -> dict:
    name = match.root.type
    if name == "gelu" and match.root.attrs.get("approximate"):
        name = "gelu_tanh"
    return {"activation": "swish" if name == "silu" else name}


ACTIVATION = Fusion(_activation, _product, _with_activation)


def fuse_activation(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Lets a packed product compute the activation that follows it.

    Matches ``relu``, ``relu6``, ``gelu``, ``tanh``, ``sigmoid``, ``swish``, ``silu`` and
    ``hard_swish`` of a product that nothing else reads. Not matched: ``swish``, ``relu6`` and
    ``hard_swish`` with other numbers than the usual ones.
    """
    return fuse(ACTIVATION, program.blocks, fetches)


_left_sum = Pattern("elementwise_add", X=_product, Y=Operand("Residual"))
_right_sum = Pattern("elementwise_add", X=Operand("Residual"), Y=_product)


def _same_shape(match: Match, def_use: DefUse) -> bool:
    """Whether the two terms are of one shape, as far as it is known, and one dtype."""
    added = match.var("Residual")
    product = match.block._find_var_recursive(match[_product].outputs["Out"][0])
    if added is None or product is None or added.dtype != product.dtype:
        return False
    return list(added.shape) == list(product.shape) and product.shape[-1] != -1


RESIDUALS = [Fusion(sum, _product, where=_same_shape) for sum in (_left_sum, _right_sum)]


def fuse_residual(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> list[Replacement]:
    """Lets a packed product add what is added to it.

    Matches ``elementwise_add`` of a product that nothing else reads and something of the same
    shape and dtype. Not matched: a product with an activation.
    """
    return [done for sum in RESIDUALS for done in fuse(sum, program.blocks, fetches)]


# -- bfloat16 ---------------------------------------------------------------------------------


def use_bfloat16(
    program: Program,
    feeds: Sequence[str],
    fetches: Sequence[str],
    types: Collection[str] | None = None,
) -> list[Replacement]:
    """Lets packed products, and attention between them, compute in bfloat16.

    Matches ``pack_linear_weight`` where the processor multiplies bfloat16 itself. What only such
    products and attention read stays in bfloat16, and what several products read is converted
    once. Sums, norms and everything else go on in float32. Not matched: other processors, and
    anything at all where ``types`` names no product.
    """
    if not bfloat16_pays() or not (types is None or _PRODUCTS.intersection(types)):
        return []
    for op in program.global_block().ops:
        if op.type == "pack_linear_weight":
            op.attrs["bfloat16"] = True
            program.global_block().var(op.outputs["Out"][0]).dtype = VarType.BF16
    done = []
    for block in program.blocks:
        def_use = DefUse(block, fetches)
        for op in block.ops:
            if op.type == "attention_of_rows":
                _narrow_attention(op, def_use)
        for op in block.ops:
            out = op.outputs.get("Out", [""])[0]
            if op.type == "packed_linear" and _stays_narrow(op, out, def_use):
                op.attrs["to_bfloat16"] = True
                block.var(out).dtype = VarType.BF16
        done += _convert_once(block, def_use)
    return done


def _narrow_attention(op: Operator, def_use: DefUse) -> None:
    """Lets attention take and give bfloat16, where products stand before and behind it."""
    out = op.outputs["Out"][0]
    made = [def_use.definition(op.inputs[slot][0]) for slot in "QKV"]
    makers = [maker for maker in made if maker is not None and maker.type == "packed_linear"]
    sole = all(def_use.is_temporary(_out(m)) and def_use.uses.get(_out(m)) == [op] for m in makers)
    plain = not any(maker.inputs.get("Residual") for maker in makers)
    if len(makers) == 3 and sole and plain and _only_multiplied(out, def_use):
        for maker in makers:
            maker.attrs["to_bfloat16"] = True
        for name in (out, *map(_out, makers)):
            op.block.var(name).dtype = VarType.BF16


def _out(op: Operator) -> str:
    return op.outputs["Out"][0]


def _stays_narrow(op: Operator, out: str, def_use: DefUse) -> bool:
    return not op.inputs.get("Residual") and _only_multiplied(out, def_use)


def _only_multiplied(name: str, def_use: DefUse) -> bool:
    """Whether only packed products read a variable."""
    readers = def_use.uses.get(name, [])
    return (
        def_use.is_temporary(name)
        and bool(readers)
        and all(_multiplies_it(op, name) for op in readers)
    )


def _multiplies_it(op: Operator, name: str) -> bool:
    return op.type == "packed_linear" and name not in op.inputs.get("Residual", [])


def _convert_once(block: Block, def_use: DefUse) -> list[Replacement]:
    """Adds a conversion behind what several packed products read in float32."""
    done = []
    for op in list(block.ops):
        for name in op.output_arg_names:
            readers = [o for o in def_use.uses.get(name, ()) if _multiplies_it(o, name)]
            var = block.vars.get(name)
            if len(readers) < 2 or var is None or var.dtype != VarType.FP32:
                continue
            if op.sub_blocks or not def_use.is_temporary(name):
                continue
            types = {"in_dtype": int(VarType.FP32), "out_dtype": int(VarType.BF16)}
            made = f"{name}@BFLOAT16"
            block.create_var(name=made, shape=list(var.shape), dtype=VarType.BF16)
            new = made_from(op, "cast", {"X": [name]}, {"Out": [made]}, types)
            block.ops.insert(next(i for i, o in enumerate(block.ops) if o is op) + 1, new)
            for reader in readers:
                reader.inputs = {**reader.inputs, "X": [made]}
            done.append(Replacement([], [new]))
    return done
