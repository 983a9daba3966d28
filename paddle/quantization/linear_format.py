"""Quantisation written as ``quantize_linear`` and ``dequantize_linear``, as ONNX has it."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.ir.operator import Role
from paddle.quantization.inserting import Inserter, check_graph, forward_ops, source, target
from paddle.quantization.numbers import (
    check_finite,
    held,
    integers,
    put,
    scales_of,
    steps_of,
    top_step,
)
from paddle.quantization.rounding import correct_bias
from paddle.static.ir_graph import IrGraph, IrOpNode, IrVarNode

__all__ = ["QuantWeightPass", "ReplaceFakeQuantDequantPass"]

# What makes values of steps again behind an operator that makes steps.
_BACK = ("fake_dequantize_max_abs", "fake_channel_wise_dequantize_max_abs")
_OF_CHANNELS = "fake_channel_wise_"
_KINDS = {"int8": VarType.INT8, "int16": VarType.INT16}
_LATER = Role.BACKWARD | Role.OPTIMIZE | Role.LR_SCHED


class ReplaceFakeQuantDequantPass:
    """Writes operators of fake quantisation as ``quantize_linear`` and ``dequantize_linear``.

    Args:
        scope (Scope): where weights and scales are.
        place (Place): where their memory is.
        quant_bits (int): of operators that do not say. Default: 8.

    Examples:
        .. code-block:: python

            import paddle
            from paddle import static
            from paddle.quantization import (
                QuantizationTransformPass, QuantWeightPass, ReplaceFakeQuantDequantPass)
            from paddle.static.ir_graph import Graph, IrGraph
            paddle.enable_static()
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                static.nn.fc(static.data("x", [None, 3]), 4, weight_attr="linear.w")
            static.Executor().run(startup)
            graph = IrGraph(Graph(main.desc), for_test=True)
            rounding = QuantizationTransformPass(activation_quantize_type="range_abs_max")
            rounding.apply(graph)
            at = static.global_scope(), paddle.CPUPlace()
            ReplaceFakeQuantDequantPass(*at).apply(graph)
            QuantWeightPass(*at).apply(graph)
            kinds = [op.type for op in graph.to_program().global_block().ops]
            print(sorted(kind for kind in kinds if "linear" in kind))
            # ['dequantize_linear', 'dequantize_linear', 'quantize_linear']
            paddle.disable_static()
    """

    def __init__(self, scope: Any, place: Any, quant_bits: int = 8) -> None:
        top_step(quant_bits)
        self._scope, self._place, self._bits = scope, place, quant_bits

    def apply(self, graph: IrGraph) -> IrGraph:
        """Changes a graph, and returns it.

        Args:
            graph (IrGraph): of a Program for inference.

        Raises:
            ValueError: the scale of a value is taken from each batch, or is not finite.
        """
        check_graph(graph, type(self).__name__)
        if any(op.node.op.role & _LATER for op in graph.all_op_nodes()):
            raise InvalidArgumentError(
                f"{type(self).__name__}: expected a Program for inference, but it has gradients or "
                "updates. Apply it to what clone(for_test=True) gives."
            )
        work = Inserter(graph, self._scope, self._place, is_test=True)
        gone: list[IrOpNode] = []
        for op in forward_ops(graph):
            if not op.name().startswith("fake_") or op.name() in _BACK:
                continue
            out = target(op, op.output("Out")[0])
            if "quantize_dequantize" in op.name():
                self._write(work, op, out)
            else:
                backs = [reader for reader in out.outputs if reader.name() in _BACK]
                if len(backs) != len(out.outputs):
                    raise InvalidArgumentError(
                        f"{type(self).__name__}: the steps {out.name()!r} are read by a product. "
                        "Expected a Program that QuantizationFreezePass was not applied to."
                    )
                for back in backs:
                    self._write(work, op, target(back, back.output("Out")[0]))
                gone += backs
            gone.append(op)
        graph.safe_remove_nodes(gone)
        graph.safe_remove_nodes(
            [n for n in graph.all_var_nodes() if not n.inputs and not n.outputs]
        )
        return graph

    def _write(self, work: Inserter, op: IrOpNode, out: IrVarNode) -> None:
        """Lets what reads ``out`` read what the two operators make of what ``op`` reads."""
        x = source(op, op.input("X")[0])
        attrs = op.node.op.attrs
        axis = int(attrs.get("quant_axis", 0)) if op.name().startswith(_OF_CHANNELS) else -1
        scale = self._scale(work, op, x, axis)
        zeros = np.zeros(scale.shape(), "int32")
        put(work.scope, f"{x.name()}.zero_point", zeros, self._place)
        zero = work.graph.create_persistable_node(
            f"{x.name()}.zero_point", None, list(zeros.shape), VarType.INT32
        )
        written = {"quant_axis": axis, "bit_length": int(attrs.get("bit_length", self._bits))}
        steps, made = work.like(f"{x.name()}.steps", x), work.like(f"{x.name()}.values", x)
        readers = list(out.outputs)
        inputs = {"X": x, "Scale": scale, "ZeroPoint": zero}
        work.add("quantize_linear", written, inputs, {"Y": steps})
        work.add("dequantize_linear", written, {**inputs, "X": steps}, {"Y": made})
        for reader in readers:
            work.graph.update_input_link(out, made, reader)

    def _scale(self, work: Inserter, op: IrOpNode, x: IrVarNode, axis: int) -> IrVarNode:
        if x.persistable():
            weight = held(work.scope, x.name())
            check_finite(weight, x.name())
            scales = scales_of(weight, axis if axis >= 0 else None)
            return work.stored(f"{x.name()}.scales", scales, x)
        if not op.node.op.inputs.get("InScale"):
            raise InvalidArgumentError(
                f"{type(self).__name__}: the scale of {x.name()!r} is taken from each batch "
                f"({op.name()}), but quantize_linear has one that stays. Expected "
                "activation_quantize_type='moving_average_abs_max' or 'range_abs_max'."
            )
        node = source(op, op.input("InScale")[0])
        check_finite(held(work.scope, node.name()), node.name())
        return node


class QuantWeightPass:
    """Stores weights behind ``quantize_linear`` as whole numbers, and takes that operator out.

    Args:
        scope (Scope): where the weights are.
        place (Place): where their memory is.
        bias_correction (bool): let mean and spread of each channel stay. Default: False.
        quant_bits (int): of operators that do not say. Default: 8.
        save_int_weight (bool): as ``<name>.int8`` (16 bits: ``.int16``); else as floats of whole
            numbers, ``<name>.steps``. Default: True.
    """

    def __init__(
        self,
        scope: Any,
        place: Any,
        bias_correction: bool = False,
        quant_bits: int = 8,
        save_int_weight: bool = True,
    ) -> None:
        top_step(quant_bits)
        self._scope, self._place, self._bits = scope, place, quant_bits
        self._correct, self._whole = bias_correction, save_int_weight

    def apply(self, graph: IrGraph) -> IrGraph:
        """Changes a graph, and returns it.

        Args:
            graph (IrGraph): with ``quantize_linear`` in front of weights.

        Raises:
            ValueError: a weight is not finite, or the scope does not hold it.
        """
        check_graph(graph, "QuantWeightPass")
        work = Inserter(graph, self._scope, self._place, is_test=True)
        gone: list[IrOpNode] = []
        for op in forward_ops(graph):
            if op.name() != "quantize_linear":
                continue
            weight = source(op, op.input("X")[0])
            if weight.persistable():
                stored = self._store(work, op, weight)
                steps = target(op, op.output("Y")[0])
                for reader in list(steps.outputs):
                    graph.update_input_link(steps, stored, reader)
                gone.append(op)
        graph.safe_remove_nodes(gone)
        graph.safe_remove_nodes(
            [n for n in graph.all_var_nodes() if not n.inputs and not n.outputs]
        )
        return graph

    def _store(self, work: Inserter, op: IrOpNode, node: IrVarNode) -> IrVarNode:
        name, attrs = node.name(), op.node.op.attrs
        bits, at = int(attrs.get("bit_length", self._bits)), int(attrs.get("quant_axis", -1))
        weight, axis = held(work.scope, name), None if at < 0 else at
        check_finite(weight, name)
        scales = held(work.scope, op.input("Scale")[0])
        steps = steps_of(weight, scales, bits, axis)
        if self._correct:
            steps = correct_bias(weight, steps, scales, bits, axis)
        kind, end = node.dtype(), "steps"
        if self._whole:
            steps = integers(steps, bits)
            kind, end = _KINDS[steps.dtype.name], steps.dtype.name
        put(work.scope, f"{name}.{end}", steps, self._place)
        return work.graph.create_persistable_node(f"{name}.{end}", node.type(), node.shape(), kind)
