"""Lets convolutions, products and what stands between them run in bfloat16.

One pass says which operators, the other one casts at the edges. Weights are cast once, when the
plan is bound; a value that goes from one of these operators to another is never cast.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from paddle.analysis.def_use import made_from, own_attributes
from paddle.analysis.frozen import frozen_variables
from paddle.core.dtype import VarType
from paddle.ir.block import Block
from paddle.ir.needs import inner_names
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.program import Program

MARK = "mkldnn_data_type"  # PaddlePaddle's attribute for it
_BFLOAT16 = "bfloat16"
# What may follow: their kernels in 16 bits lose no more than the rounding of the result.
_BETWEEN = frozenset(
    """
    abs batch_norm bilinear_interp bilinear_interp_v2 brelu clip concat dropout elementwise_add
    elementwise_max elementwise_min elementwise_mul elementwise_sub flatten2
    flatten_contiguous_range gelu hard_sigmoid hard_swish layer_norm leaky_relu mish
    nearest_interp nearest_interp_v2 pad2d pad3d pixel_shuffle pool2d prelu relu relu6
    reshape2 scale shuffle_channel sigmoid silu slice split squeeze2 stack strided_slice sum
    swish tanh transpose2 unsqueeze2
    """.split()  # noqa: SIM905  (one name a line would fill a page)
)
# What operators left by other passes are for those who name operators.
_KNOWN_AS = {
    "packed_conv2d": ("conv2d", "depthwise_conv2d", "fused_conv2d"),
    "linear": ("fc", "mul", "matmul", "matmul_v2"),
    "scaled_dot_product_attention": ("matmul", "matmul_v2"),
}


def place_bfloat16(
    program: Program,
    feeds: Sequence[str],
    fetches: Sequence[str],
    types: Collection[str] | None = None,
) -> None:
    """Marks the operators that are to run in bfloat16.

    Matches operators of the global block that mixed precision runs in 16 bits (convolutions,
    products, attention) on float32, and after them what only moves, adds or activates their
    results. Not matched: operators with sub-blocks, and ones of the second kind that read anything
    but such results and fixed weights.

    Args:
        program (Program): is changed.
        feeds, fetches (Sequence[str]): what is given and asked for.
        types (Collection[str], optional): the types of operators it may be. Default: any.
    """
    block = program.global_block()
    fixed = frozen_variables(program, feeds)
    for op in block.ops:  # folded weights and the like
        if op.definition is not None and op.input_arg_names and not op.sub_blocks:
            if fixed.issuperset(n for n in op.input_arg_names if n != EMPTY):
                fixed.update(op.output_arg_names)
    narrow: set[str] = set()
    there = set(fixed)  # what is in bfloat16 without another cast in each run
    for op in block.ops:
        if _wanted(op.type, types) and _fits(op, fixed, there, narrow):
            op.attrs[MARK] = _BFLOAT16
            made = _floats(block, op.output_arg_names)
            narrow.update(made)
            there.update(made, _floats(block, _data(op)))
        else:
            written = {n for n in op.output_arg_names if n not in fixed}
            narrow -= written
            there -= written


def _fits(op: Operator, fixed: set[str], there: set[str], narrow: set[str]) -> bool:
    """Whether an operator runs in bfloat16 for what it is, or for what it reads."""
    known = op.definition
    if known is None or op.sub_blocks:
        return False
    given = _floats(op.block, _data(op))
    if not given or fixed.issuperset(given) or _writes(op):
        return False
    if known.amp == "white":
        return True
    return op.type in _BETWEEN and there.issuperset(given) and not narrow.isdisjoint(given)


def _wanted(type: str, types: Collection[str] | None) -> bool:
    return types is None or not {type, *_KNOWN_AS.get(type, ())}.isdisjoint(types)


def _data(op: Operator) -> list[str]:
    """What an operator reads that may be of 16 bits; a norm's factors stay as they are."""
    known = op.definition
    assert known is not None
    if known.amp == "norm":
        return op.inputs.get(known.inputs[0].name, [])
    return op.input_arg_names


def _writes(op: Operator) -> bool:
    known = op.definition
    assert known is not None
    return any(slot.writes and op.outputs.get(slot.name) for slot in known.outputs)


def _floats(block: Block, names: Sequence[str]) -> list[str]:
    found = ((n, block._find_var_recursive(n)) for n in names if n != EMPTY)
    return [n for n, var in found if var is not None and var.dtype == VarType.FP32]


class _Casting:
    """Gives marked operators their operands in bfloat16, and the others theirs in float32.

    Attributes:
        narrow (dict): variable -> the one that holds it in bfloat16 here.
    """

    def __init__(self, program: Program, fetches: Sequence[str]) -> None:
        self.block = program.global_block()
        self.narrow: dict[str, str] = {}
        self._made_narrow: set[str] = set()  # those which no operator has made in float32 yet
        self._fetches = fetches

    def rewritten(self) -> Iterator[Operator]:
        """The operators of the block with casts among them."""
        for op in self.block.ops:
            if op.attrs.get(MARK) == _BFLOAT16 and op.definition is not None:
                yield from self._narrowed(op)
            else:
                yield from self._widened(op, [*op.input_arg_names, *inner_names(op)])
                yield op
                for name in {*op.output_arg_names, *inner_names(op)}:
                    self.narrow.pop(name, None)  # it has another value from here
                    self._made_narrow.discard(name)
        if self.block.ops:
            yield from self._widened(self.block.ops[-1], list(self._fetches))

    def _narrowed(self, op: Operator) -> Iterator[Operator]:
        given, made = _floats(self.block, _data(op)), _floats(self.block, op.output_arg_names)
        for name in dict.fromkeys(given):
            if name not in self.narrow:
                yield self._cast(op, name, self._twin(name), VarType.FP32, VarType.BF16)
        inputs = {
            slot: [self.narrow[n] if n in given else n for n in names]
            for slot, names in op.inputs.items()
        }
        outputs = {
            slot: [self._twin(n) if n in made else n for n in names]
            for slot, names in op.outputs.items()
        }
        self._made_narrow.update(made)
        yield made_from(op, op.type, inputs, outputs, own_attributes(op))

    def _widened(self, reader: Operator, names: Sequence[str]) -> Iterator[Operator]:
        for name in dict.fromkeys(names):
            if name in self._made_narrow:
                self._made_narrow.discard(name)
                yield self._cast(reader, self.narrow[name], name, VarType.BF16, VarType.FP32)

    def _twin(self, name: str) -> str:
        var = self.block._var_recursive(name)
        twin = self.block.create_var(
            name=f"{name}@BF16", shape=var.shape, dtype=VarType.BF16, lod_level=var.lod_level
        )
        self.narrow[name] = twin.name
        return twin.name

    def _cast(self, op: Operator, name: str, to: str, old: VarType, new: VarType) -> Operator:
        attrs = {"in_dtype": old, "out_dtype": new}
        return made_from(op, "cast", {"X": [name]}, {"Out": [to]}, attrs)


def cast_bfloat16(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Casts what marked operators read and give, at the edges of where they stand together."""
    block = program.global_block()
    if any(op.attrs.get(MARK) == _BFLOAT16 for op in block.ops):
        block.ops = list(_Casting(program, fetches).rewritten())
