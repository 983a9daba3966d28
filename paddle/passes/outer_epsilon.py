"""Adam of 1.x, where epsilon is not scaled with the correction of the bias."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.core import unique_name
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program


def write_epsilon(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Computes the epsilon of an Adam of 1.x: ``epsilon / sqrt(1 - beta2 ** t)``.

    Matches ``adam`` marked by the conversion of older operators, where no pass before has joined it
    with others; what is joined computes that itself.
    """
    for block in program.blocks:
        marked = [op for op in block.ops if op.type == "adam" and _is_open(op)]
        for op in marked:
            at = block.ops.index(op)
            block.ops[at:at] = _made(block, op)
        if marked:
            program.note_change()


def _is_open(op: Operator) -> bool:
    return bool(op.attrs.get("_epsilon_outside")) and not op.inputs.get("EpsilonTensor")


def _made(block: Block, op: Operator) -> list[Operator]:
    power = op.inputs["Beta2Pow"][0]
    like = block._var_recursive(power)
    rest, root, epsilon = (
        block.create_var(
            name=unique_name.generate(f"{power}@CONVERTED"), shape=like.shape, dtype=like.dtype,
            stop_gradient=True,
        ).name
        for _ in range(3)
    )  # fmt: skip
    role = {"op_role": op.role}
    op.inputs["EpsilonTensor"] = [epsilon]
    steps: list[tuple[str, str, str, dict]] = [
        ("scale", power, rest, {"scale": -1.0, "bias": 1.0}),
        ("rsqrt", rest, root, {}),
        ("scale", root, epsilon, {"scale": op.attrs.get("epsilon", 1e-8), "bias": 0.0}),
    ]
    return [
        Operator(block, kind, {"X": [source]}, {"Out": [target]}, {**attrs, **role}, op.location)
        for kind, source, target, attrs in steps
    ]
