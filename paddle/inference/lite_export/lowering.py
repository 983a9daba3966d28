"""A saved model becomes a program of the lite runtime: optimised, computed once, lowered."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from paddle.analysis.frozen import frozen_variables
from paddle.analysis.marks import DROPS, HOISTED
from paddle.core.backends import CPU
from paddle.core.dtype import dtype_name
from paddle.core.errors import UnimplementedError
from paddle.executor.inference import InferenceProgram
from paddle.executor.inference_values import arrays_sharing
from paddle.executor.scope import Scope
from paddle.inference.interface import inputs_and_outputs
from paddle.inference.lite_export import (  # noqa: F401  (register rules)
    rules_detection,
    rules_forms,
    rules_norms,
)
from paddle.inference.lite_export.layout import DTYPES, Lowered, Step
from paddle.inference.lite_export.rules import RULES, Refused
from paddle.ir.cloning import clone
from paddle.ir.inference import FEED, FETCH, persistables
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.passes.inference import GRAPH, TABLE, prepare_inference
from paddle.passes.inference.freeze import Frozen, fix_statistics
from paddle.passes.inference.integer_programs import to_values
from paddle.passes.inference.quantised_forms import normalize_quantization
from paddle.serialization.models.layouts import MAIN
from paddle.serialization.models.saved_model import SavedModel
from paddle.serialization.program_state import put_values

WHERE = "paddle_lite_opt"
# Passes that make forms which the runtime has no kernel for: weights packed for this machine,
# and joined operators of encoders.
_LEFT = frozenset([
    "layer_norm_fuse_pass", "embedding_eltwise_layernorm_fuse_pass",
    "multihead_matmul_fuse_pass_v2", "multihead_matmul_fuse_pass_v3", "fc_mkldnn_pass",
    "skip_layernorm_fuse_pass",
    "layer_norm_result_pass", "conv_weight_prepack_pass", "depthwise_conv_mkldnn_pass",
    "conv_transpose_weight_prepack_pass", "fc_act_mkldnn_fuse_pass",
    "fc_elementwise_add_mkldnn_fuse_pass", "matmul_scale_fuse_pass", "transpose_matmul_fuse_pass",
])  # fmt: skip
_ANY_BATCH = ("prior_box", "density_prior_box", "anchor_generator")
# Operators of whose operand, in this slot, only the sizes matter.
_SIZES_OF: dict[str, tuple[str, ...]] = {
    "prior_box": ("Input", "Image"), "density_prior_box": ("Input", "Image"),
    "anchor_generator": ("Input",), "shape": ("Input",), "fill_any_like": ("X",),
    "fill_zeros_like": ("X",), "fill_constant_batch_size_like": ("Input",),
}  # fmt: skip
MOST_STATED = 1 << 26  # elements of such an operand
PASSES = [p.name for p in TABLE if p.switch == GRAPH and p.name not in _LEFT]


class Lowering:
    """What rules see: operators, values of constants, and the program that is made.

    Args:
        program (Program): optimised.
        made (Lowered): gets the steps.
    """

    def __init__(self, program: Program, made: Lowered) -> None:
        self.block, self.made = program.global_block(), made
        self.zeros: set[str] = set()  # states of recurrent operators, which begin with zeros
        # tensors of sizes -> of which variable and axis each is
        self.sizes: dict[str, list[tuple[str, int]]] = {}

    def add(self, name: str, ins: Any, out: Any, ints: Any = (), floats: Any = ()) -> None:
        """Appends one step."""
        outs = [out] if isinstance(out, str) else list(out)
        self.made.steps.append(Step(name, list(ins), outs, list(ints), list(floats)))

    def passes_sizes(self, given: str, name: str) -> bool:
        """Says whether a variable is a tensor of sizes; if so, its copy is one too."""
        if given in self.sizes:
            self.sizes[name] = self.sizes[given]
        return given in self.sizes

    def value(self, name: str) -> np.ndarray | None:
        """Returns the value of a constant; None: it is computed in each run."""
        return self.made.constants.get(name)

    def constant(self, name: str, array: np.ndarray) -> str:
        """Adds a constant; returns its name."""
        self.made.constants[name] = array
        return name

    def shape(self, name: str) -> tuple[int, ...]:
        """Returns the sizes that the Program states for a variable; -1: any."""
        return tuple(self.block.var(name).shape)

    def dtype(self, name: str) -> str:
        """Returns the data type that the Program states for a variable."""
        return dtype_name(self.block.var(name).dtype)

    def runtime_dtype(self, name: str) -> str:
        """Returns what a variable is in the runtime, where bool is float32 of 0 and 1.

        Raises:
            Refused: the runtime has no such numbers.
        """
        dtype = "float32" if self.dtype(name) == "bool" else self.dtype(name)
        if dtype not in DTYPES:
            raise Refused(f"it is of {dtype}; the runtime has {', '.join(DTYPES)}")
        return dtype


def lower(model: SavedModel) -> Lowered:
    """Returns the program of a model.

    Args:
        model (SavedModel): for inference.

    Raises:
        UnimplementedError: operators are outside of the runtime; lists all of them, with reasons.
    """
    program, scope = model.programs[MAIN], Scope()
    variables = {v.name: v for v in persistables(program)}
    put_values(variables, model.values, scope, CPU.device(), WHERE, complete=True)
    expected, outputs = inputs_and_outputs(model)
    feeds = [e.name for e in expected]
    optimised = prepare_inference(_one_form(program, feeds, outputs), feeds, outputs, PASSES)
    put_values(*_standing_in(optimised), scope, CPU.device(), WHERE, complete=True)
    for op in Frozen(optimised, feeds, outputs).operators:
        op.attrs[HOISTED] = True
    ops = [op for op in optimised.global_block().ops if op.type not in (FEED, FETCH)]
    running = [op for op in ops if not op.attrs.get(HOISTED)]
    read = {n for op in running for n in op.input_arg_names if n != EMPTY}
    inputs = {n: (dtype_name(program.global_block().var(n).dtype),
                  tuple(program.global_block().var(n).shape)) for n in feeds}  # fmt: skip
    made = Lowered(inputs, list(outputs))
    constants = _constants(optimised, feeds, read, scope)
    made.constants.update({n: _kept(a) for n, a in constants.items()})
    _lower_all(Lowering(optimised, made), running, inputs)
    used = {n for step in made.steps for n in step.ins}
    made.constants = {n: a for n, a in made.constants.items() if n in used or n in outputs}
    return made


def _one_form(program: Program, feeds: list[str], outputs: list[str]) -> Program:
    """A quantised Program in whose stead one of values stands that are rounded to their steps.

    What dequantises its weights is computed once; what watches how large values are goes.
    """
    made = clone(program)
    for rewrite in (to_values, fix_statistics, normalize_quantization):
        rewrite(made, feeds, outputs)
    return made


def _standing_in(program: Program) -> tuple[dict[str, Variable], dict[str, np.ndarray]]:
    """Lets operators that read nothing but sizes, which are stated, read zeros of these sizes."""
    block = program.global_block()
    variables: dict[str, Variable] = {}
    for op in block.ops:
        for slot in () if op.attrs.get(HOISTED) else _SIZES_OF.get(op.type, ()):
            given = block.var(op.inputs[slot][0])
            shape = list(given.shape)
            if op.type in _ANY_BATCH:
                shape[:1] = [1]
            if -1 in shape or int(np.prod(shape)) > MOST_STATED:
                continue
            name = f"{given.name}@SIZES_{'x'.join(map(str, shape))}"
            if name not in variables:
                variables[name] = block.create_var(
                    name=name, shape=shape, dtype=given.dtype, persistable=True
                )
            op.inputs[slot] = [name]
    zeros = {n: np.zeros(v.shape, dtype_name(v.dtype)) for n, v in variables.items()}
    return variables, zeros


def _kept(array: np.ndarray) -> np.ndarray:
    """Constants in a data type that the runtime has, where they have another."""
    if array.dtype.name in DTYPES:
        return array
    return array.astype("float32" if array.dtype.kind in "fb" else "int64")


def _constants(
    program: Program, feeds: list[str], read: set[str], scope: Scope
) -> dict[str, np.ndarray]:
    """The values of all that is the same in every run and read in each."""
    once = clone(program)
    block = once.global_block()
    block.ops = [op for op in block.ops if op.attrs.get(HOISTED)]
    for op in block.ops:
        op.attrs.pop(HOISTED), op.attrs.pop(DROPS, None)
    results = {n for op in block.ops for n in op.output_arg_names}
    names = sorted(read & (results | frozen_variables(program, feeds)))
    if not names:
        return {}
    buffers = InferenceProgram(once, [], names, scope).call([])
    return {n: np.array(a) for n, a in zip(names, arrays_sharing(buffers), strict=True)}


def _lower_all(
    lowering: Lowering, ops: list[Operator], inputs: dict[str, tuple[str, tuple[int, ...]]]
) -> None:
    refused: dict[tuple[str, str], int] = Counter()
    for name, (dtype, _) in inputs.items():
        if dtype not in DTYPES:
            refused[f"input {name!r}", f"is of {dtype}; the runtime has {', '.join(DTYPES)}"] += 1
    for op in ops:
        rule = RULES.get(op.type)
        try:
            if rule is None:
                raise Refused("the lite runtime has no such operator")
            rule(lowering, op)
        except Refused as reason:
            refused[op.type, str(reason)] += 1
    made = {n for step in lowering.made.steps for n in step.outs}
    made |= {*inputs, *lowering.made.constants, ""}
    for step in lowering.made.steps:
        for name in {*step.ins} - made if not refused else ():
            refused[step.name, f"it reads {name!r}, which the runtime does not make"] += 1
    for name in lowering.made.outputs:
        if name not in made and not refused:
            refused[f"output {name!r}", "the runtime does not make it"] += 1
        elif lowering.dtype(name) == "bool":
            refused[f"output {name!r}", "is of bool, which the runtime does not have; cast it"] += 1
    if refused:
        rows = [f"  {n} x {name}: {reason}" for (name, reason), n in sorted(refused.items())]
        raise UnimplementedError(
            "\n".join([f"{WHERE}: this model is outside of the lite runtime:", *rows]),
            hint="paddle_lite_opt --print_supported_ops lists what it has; paddle.inference "
            "runs all of them",
        )
