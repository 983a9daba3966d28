"""Nets with fake quantisation, and ways to run a Program with and without the passes of int8."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import paddle
from paddle import static
from paddle.executor.inference import InferenceProgram
from paddle.executor.scope import Scope
from paddle.inference.calibrating import calibrated
from paddle.ir.inference import persistables
from paddle.passes.inference.table import GRAPH, INT8, passes_of
from paddle.serialization.models.layouts import MAIN
from paddle.serialization.models.saved_model import SavedModel
from paddle.serialization.program_state import put_values

F = "float32"


class Net:
    """A Program with its weights.

    Args:
        program: the Program.
        feeds, fetches (list[str]): its inputs and outputs.
        scope: its weights.
    """

    def __init__(self, program: Any, feeds: list[str], fetches: list[str], scope: Any) -> None:
        self.program, self.feeds, self.fetches, self.scope = program, feeds, fetches, scope

    @classmethod
    def read(cls, path: str) -> Net:
        model = SavedModel.read(path, "test", forward_only=True)
        program, scope = model.programs[MAIN], Scope()
        variables = {v.name: v for v in persistables(program)}
        put_values(variables, model.values, scope, "cpu", "test", complete=True)
        return cls(program, model.feeds(), [v.name for v in model.fetches()], scope)

    def prepared(self, *switches: str) -> InferenceProgram:
        passes = passes_of(switches)
        return InferenceProgram(self.program, self.feeds, self.fetches, self.scope, passes)

    def integers(self) -> InferenceProgram:
        return self.prepared(GRAPH, INT8)

    def calibrated(self, *data: np.ndarray, **options: Any) -> Net:
        options = {"least": 0} | options
        made = calibrated(self.program, self.feeds, self.scope, data, len(data[0]), **options)
        return Net(made, self.feeds, self.fetches, self.scope)


def run(prepared: InferenceProgram, *arrays: np.ndarray) -> list[np.ndarray]:
    """What a Program gives for arrays."""
    import torch  # buffers of a prepared Program are torch's

    return [out.numpy() for out in prepared([torch.from_numpy(a) for a in arrays])]


def types(prepared: InferenceProgram) -> list[str]:
    """The operators that run each time, in their order."""
    ops = prepared.optimised.global_block().ops
    kinds = [op.type for op in ops if not op.attrs.get("_hoisted")]
    return [kind.replace("packed_conv2d", "conv2d") for kind in kinds]


def block() -> Any:
    return static.default_main_program().global_block()


def stored(name: str, value: Any) -> Any:
    """A stored variable with a value."""
    value = np.asarray(value, F)
    var = block().create_var(name=name, shape=value.shape, dtype=F, persistable=True)
    static.global_scope().var(name).get_tensor().set(value, paddle.CPUPlace())
    return var


def new(kind: str, shape: Any = None) -> Any:
    """A variable that nothing else is called like."""
    return block().create_var(name=f"{kind}_{len(block().vars)}", dtype=F, shape=shape)


def append(kind: str, inputs: dict, outputs: list[str], attrs: dict) -> Any:
    """Appends an operator with new variables as results; returns the first."""
    made = {slot: new(kind) for slot in outputs}
    block().append_op(type=kind, inputs=inputs, outputs=made, attrs=attrs)
    return made[outputs[0]]


def rounded(x: Any, scale: float, bits: int = 8) -> Any:
    """A value that is rounded to the steps of a scale."""
    kept = stored(f"{x.name}_scale_{scale}", [scale])
    kind = "fake_quantize_dequantize_moving_average_abs_max"
    made = new("rounded", x.shape)
    inputs, outputs = {"X": x, "InScale": kept}, {"Out": made, "OutScale": kept}
    attrs = {"bit_length": bits, "is_test": True}
    block().append_op(type=kind, inputs=inputs, outputs=outputs, attrs=attrs)
    return made


def weight(name: str, value: np.ndarray, axis: int = 0) -> Any:
    """A weight that is rounded to the steps of its channels."""
    kind = "fake_channel_wise_quantize_dequantize_abs_max"
    attrs = {"bit_length": 8, "quant_axis": axis}
    return append(kind, {"X": stored(name, value)}, ["Out", "OutScale"], attrs)


def conv(x: Any, name: str, value: np.ndarray, padding: Any = 1, **attrs: Any) -> Any:
    """A convolution with a rounded weight; the value it reads is rounded outside."""
    paddings = padding if isinstance(padding, list) else [padding, padding]
    attrs = {"strides": [1, 1], "paddings": paddings, "dilations": [1, 1], "groups": 1} | attrs
    kind = attrs.pop("kind", "conv2d")
    return append(kind, {"Input": x, "Filter": weight(name, value)}, ["Output"], attrs)


def net(build: Callable[..., Any], *shapes: list[int]) -> Net:
    """The Net whose function ``build`` makes the outputs of the inputs."""
    paddle.enable_static()
    try:
        main, scope = static.Program(), Scope()
        with static.scope_guard(scope), static.program_guard(main, static.Program()):
            given = [static.data(f"x{i}", shape, F) for i, shape in enumerate(shapes)]
            outs = build(*given)
            outs = list(outs) if isinstance(outs, (list, tuple)) else [outs]
    finally:
        paddle.disable_static()
    return Net(main, [v.name for v in given], [v.name for v in outs], scope)
