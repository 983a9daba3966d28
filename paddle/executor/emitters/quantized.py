"""Emitters of quantisation operators, which read a variable that they list as an output only."""

from __future__ import annotations

from paddle.core.op import REGISTRY
from paddle.executor.codegen import Emitter, emitter
from paddle.ir.operator import Operator


@emitter("fake_channel_wise_quantize_abs_max")
def _channel_wise(em: Emitter, op: Operator) -> None:
    """In a test the scales are what a training Program has left in OutScale."""
    if not op.attrs.get("is_test", False):
        em.kernel(op)
        return
    kernel = em.constant(REGISTRY["quantize_linear"].kernel, "quantize_linear")
    x, scale = em.read(op.inputs["X"][0]), em.read(op.outputs["OutScale"][0])
    axis, bits = op.attrs.get("quant_axis", 0), op.attrs.get("bit_length", 8)
    words = f"quant_axis={int(axis)}, bit_length={int(bits)}, round_type=1"
    em.line(
        f"{em.write(op.outputs['Out'][0])} = {kernel}({x}, {scale}, None, None, None, {words})[0]"
    )


@emitter("fake_quantize_range_abs_max")
def _range(em: Emitter, op: Operator) -> None:
    """In training the largest values of the last batches are in OutScales."""
    if op.attrs.get("is_test", False):
        em.kernel(op)
        return
    from paddle.ops.quantization.fake_quantize import (
        range_step,  # families are imported when they are needed
    )

    known = REGISTRY[op.type]
    args = [em.argument(op, slot) for slot in known.inputs]
    out_scale = next(s for s in known.outputs if s.name == "OutScale")
    args[1] = em.own(op, out_scale, args[1])
    window = op.outputs["OutScales"][0]
    args.append(em.read(window))
    size, bits = op.attrs.get("window_size", 10000), op.attrs.get("bit_length", 8)
    words = f"window_size={int(size)}, bit_length={int(bits)}"
    em.define(op.outputs["OutScale"][0])
    outs = f"{em.write(op.outputs['Out'][0])}, {em.write(window)}"
    em.line(f"{outs} = {em.constant(range_step, 'range_step')}({', '.join(args)}, {words})")
