"""What there is to say of a Program for inference: operators, parameters, and what passes do."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from paddle.analysis.marks import HOISTED
from paddle.core.dtype import dtype_name, numpy_dtype
from paddle.core.op import REQUIRED
from paddle.executor.codegen import EMITTERS
from paddle.inference.signature import Signature
from paddle.ir.block import Block
from paddle.ir.inference import FEED, FETCH, feed_names, fetch_variables, persistables
from paddle.ir.operator import COMMON_ATTRS, EMPTY, Operator
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.ir.versions import rows_for
from paddle.passes.inference import prepare_inference

_SHOWN = 8  # names and values of a longer list
_UNSAID = frozenset({*COMMON_ATTRS, "op_callstack", "with_quant_attr", "is_test"})
_SHAPES_ONLY = "XShape"  # a slot that tells the shape of the input, for gradients


class PassResult(NamedTuple):
    """What a pass did to a Program.

    Attributes:
        name (str): the pass.
        gone (dict[str, int]): how many operators of each type there are less.
        come (dict[str, int]): and how many more.
        hoisted (int): how many more are computed once, when the model is loaded.
    """

    name: str
    gone: dict[str, int]
    come: dict[str, int]
    hoisted: int = 0

    @property
    def changed(self) -> bool:
        """Whether it did anything that shows in these numbers."""
        return bool(self.gone or self.come or self.hoisted)

    def __str__(self) -> str:
        told = []
        if self.gone:
            told.append(f"{_counted(self.gone)} -> {_counted(self.come) or 'nothing'}")
        elif self.come:
            told.append(f"added {_counted(self.come)}")
        if self.hoisted:
            told.append(f"{self.hoisted} computed once, when the model is loaded")
        return f"{self.name}: {'; '.join(told) or 'nothing to do'}"


def optimised(program: Program, passes: Sequence[str]) -> tuple[Program, list[PassResult]]:
    """Returns a Program after some passes, and what each of them did.

    Args:
        program (Program): for inference; stays as it is.
        passes (Sequence[str]): names of passes.
    """
    results: list[PassResult] = []
    last = [_counts(program)]

    def note(name: str, made: Program) -> None:
        (before, once_before), (after, once_after) = last[0], _counts(made)
        last[0] = after, once_after
        more = once_after - once_before
        results.append(PassResult(name, dict(before - after), dict(after - before), more))

    feeds, fetches = feed_names(program), [v.name for v in fetch_variables(program)]
    made = prepare_inference(program, feeds, fetches, passes, note)
    return made, results


def operator_counts(program: Program) -> dict[str, int]:
    """Returns how many operators of each type all blocks have, the most frequent first."""
    return dict(_counts(program)[0].most_common())


def unknown_types(program: Program) -> list[str]:
    """Returns the types of operators that this engine cannot run."""
    rows = rows_for(program.program_version)
    ops = {op.type: op for block in program.blocks for op in block.ops}
    known = {*EMITTERS, *rows, FEED, FETCH}
    return sorted(t for t, op in ops.items() if t not in known and op.definition is None)


def parameter_size(program: Program) -> tuple[int, int, int]:
    """Returns how many parameters a Program has, and their elements and bytes."""
    stored = persistables(program)
    sizes = [math.prod(v.shape) for v in stored]
    total = sum(n * numpy_dtype(v.dtype).itemsize for n, v in zip(sizes, stored, strict=True))
    return len(stored), sum(sizes), total


def release_text(program: Program) -> str:
    """Returns the release that wrote a Program, such as ``"PaddlePaddle 2.0.0"``."""
    version = program.program_version
    if not version:
        return "PaddlePaddle before 2.0, or a release that does not tell"
    return f"PaddlePaddle {version // 1_000_000}.{version // 1000 % 1000}.{version % 1000}"


def summary(program: Program, passes: Sequence[str] = ()) -> str:
    """Returns what a model takes and gives, what it consists of, and what passes make of it.

    Args:
        program (Program): for inference.
        passes (Sequence[str]): names of passes; none: nothing is said of them.
    """
    signature, unknown = Signature.of(program), unknown_types(program)
    lines = [f"written by  {release_text(program)}"]
    lines += [f"input       {given}" for given in signature.inputs]
    lines += [f"output      {given}" for given in signature.outputs]
    count, elements, size = parameter_size(program)
    lines.append(f"parameters  {count}, {elements:,} elements, {size / 2**20:.2f} MB")
    counts = operator_counts(program)
    blocks = f" in {program.num_blocks} blocks" if program.num_blocks > 1 else ""
    lines.append(f"operators   {sum(counts.values())} of {len(counts)} types{blocks}")
    lines += [
        f"{count:11} {type}" + ("  (CANNOT BE RUN: no kernel)" if type in unknown else "")
        for type, count in counts.items()
    ]
    if passes and unknown:
        lines.append(f"passes      not run: there is no kernel for {', '.join(unknown)}")
    elif passes:
        made, results = optimised(program, passes)
        left, once = _counts(made)
        lines.append(f"passes      leave {left.total() - once} operators for each run")
        lines += [f"            {result}" for result in results if result.changed]
        idle = [result.name for result in results if not result.changed]
        lines.append(f"            nothing to do: {', '.join(dict.fromkeys(idle)) or 'none'}")
    return "\n".join(lines)


def _counts(program: Program) -> tuple[Counter[str], int]:
    """How many operators of each type there are, and how many are computed once."""
    ops = [op for block in program.blocks for op in block.ops if op.type not in (FEED, FETCH)]
    return Counter(op.type for op in ops), sum(bool(op.attrs.get(HOISTED)) for op in ops)


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {type}" for type, count in counts.items())


# -- the operators one by one ---------------------------------------------------------------------


def readable(program: Program) -> str:
    """Returns a Program as text: a line for each operator, with what differs from the defaults.

    Args:
        program (Program): before or after passes.
    """
    lines = []
    for block in program.blocks:
        lines.append(f"block {block.idx}" + (f" in {block.parent_idx}" if block.idx else ""))
        lines += [f"  {operator_text(op)}" for op in block.ops]
    return "\n".join(lines)


def operator_text(op: Operator) -> str:
    """Returns one operator as ``y: float32[?, 10] = softmax(X=x, axis=1)``."""
    results = [n for slot, names in op.outputs.items() if slot != _SHAPES_ONLY for n in names]
    made = ", ".join(_described(op, name) for name in results if name != EMPTY)
    read = [f"{slot}={_names(names)}" for slot, names in op.inputs.items() if names]
    known = op.definition
    defaults = {} if known is None else known.attrs
    attrs = [
        f"{name}={_value(value)}"
        for name, value in sorted(op.attrs.items())
        if name not in _UNSAID and not name.startswith("_") and _differs(value, defaults.get(name))
    ]
    once = "  # once" if op.attrs.get(HOISTED) else ""
    return f"{made} = {op.type}({', '.join([*read, *attrs])}){once}"


def _differs(value: object, default: object) -> bool:
    if default is None or default is REQUIRED:
        return value not in (None, "", [])
    return _plain(value) != _plain(default)


def _plain(value: object) -> object:
    return tuple(value) if isinstance(value, (list, tuple)) else value


def _described(op: Operator, name: str) -> str:
    var = op.block._find_var_recursive(name)
    return name if var is None else f"{name}{_type_text(var)}"


def _type_text(var: Variable) -> str:
    try:
        dtype = dtype_name(var.dtype)
    except ValueError:  # no tensor
        return ""
    return f": {dtype}[{', '.join('?' if size < 0 else str(size) for size in var.shape)}]"


def _names(names: list[str]) -> str:
    return names[0] if len(names) == 1 else _listed(names)


def _value(value: object) -> str:
    if isinstance(value, Block):
        return f"block {value.idx}"
    if isinstance(value, (list, tuple)):
        return _listed([_value(v) for v in value])
    return f"{value:g}" if isinstance(value, float) else repr(value)


def _listed(parts: Sequence[str]) -> str:
    more = f", ... {len(parts)} in all" if len(parts) > _SHOWN else ""
    return f"[{', '.join(parts[:_SHOWN])}{more}]"
