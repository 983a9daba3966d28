"""QuantizationFreezePass: a trained Program with fake quantisation becomes one of whole numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from paddle.core import unique_name
from paddle.core.errors import InvalidArgumentError
from paddle.core.place import CPUPlace
from paddle.executor.executor import Executor
from paddle.executor.scope import global_scope, scope_guard
from paddle.quantization.inserting import Inserter, check_choice, check_graph, forward_ops, source
from paddle.quantization.inserting import target as written
from paddle.quantization.numbers import (
    check_finite,
    held,
    put,
    scales_of,
    steps_of,
    top_step,
)
from paddle.quantization.rounding import correct_bias
from paddle.quantization.tables import WEIGHT_TYPES, WEIGHTED, channel_axis
from paddle.static.ir_graph import Graph, IrGraph, IrNode, IrOpNode, IrVarNode

__all__ = ["QuantizationFreezePass"]

_NAME = "QuantizationFreezePass"
_ENDS = (".quantized", ".quantized.dequantized")
_DEQUANTIZE = ("fake_dequantize_max_abs", "fake_channel_wise_dequantize_max_abs")


class _Steps(NamedTuple):
    """Where steps come from: their value, its scale, and the operators between."""

    steps: IrVarNode
    quantize: IrOpNode
    dequantize: IrOpNode


class QuantizationFreezePass:
    """Makes whole numbers of weights, lets products compute with steps, and dequantises results.

    The weights are changed in the scope, under their names; they stay floats, of whole numbers.

    Args:
        scope (Scope): where the weights are.
        place (Place): where their memory is.
        weight_bits (int): bits of a weight. Default: 8.
        activation_bits (int): bits of a value. Default: 8.
        weight_quantize_type (str): as in QuantizationTransformPass. Default: "abs_max".
        quantizable_op_type (list, optional): which operators. Default: all with a weight.
        bias_correction (bool): let the mean and the spread of each channel stay. Default: False.
        round_type (str): ``round``, or ``adaround``: the weights in the scope lie on steps, where
            PostTrainingQuantization's adaptive rounding has put them. Default: "round".

    Examples:
        .. code-block:: python

            import paddle
            from paddle import static
            from paddle.quantization import QuantizationFreezePass, QuantizationTransformPass
            from paddle.static.ir_graph import Graph, IrGraph
            paddle.enable_static()
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                static.nn.fc(static.data("x", [None, 3]), 4, weight_attr="frozen.w")
            static.Executor().run(startup)
            graph = IrGraph(Graph(main.desc), for_test=True)
            QuantizationTransformPass().apply(graph)
            QuantizationFreezePass(static.global_scope(), paddle.CPUPlace()).apply(graph)
            weight = main.global_block().var("frozen.w").get_value().numpy()
            print((weight == weight.round()).all(), abs(weight).max())  # True 127.0
            paddle.disable_static()
    """

    def __init__(
        self,
        scope: Any,
        place: Any,
        weight_bits: int = 8,
        activation_bits: int = 8,
        weight_quantize_type: str = "abs_max",
        quantizable_op_type: Any = None,
        *,
        bias_correction: bool = False,
        round_type: str = "round",
    ) -> None:
        check_choice(weight_quantize_type, WEIGHT_TYPES, f"{_NAME}(weight_quantize_type)")
        check_choice(round_type, ("round", "adaround"), f"{_NAME}(round_type)")
        self._scope = global_scope() if scope is None else scope
        self._place = place
        self._correct = bias_correction
        self._bits = {"weight": weight_bits, "activation": activation_bits}
        self._round_type = round_type
        self._weight = weight_quantize_type
        self._types = list(WEIGHTED if quantizable_op_type is None else quantizable_op_type)
        self._scales: dict[str, np.ndarray] = {}
        self._bare: set[str] = set()
        for bits in self._bits.values():
            top_step(bits)

    def apply(self, graph: IrGraph) -> IrGraph:
        """Changes a graph, and returns it.

        ``graph.out_node_mapping_table`` has the name of each result that is steps now, and of the
        values that stand for it.

        Args:
            graph (IrGraph): of a Program for inference, to which QuantizationTransformPass was
                applied.
        """
        check_graph(graph, _NAME)
        work = Inserter(graph, self._scope, self._place, is_test=True)
        table: dict[str, str] = {}
        for op in forward_ops(graph):
            if op.name() in self._types:
                self._op(work, op, table)
        _remove_unread(graph, self._bare)
        graph.out_node_mapping_table = table  # type: ignore[attr-defined]
        return graph

    def _op(self, work: Inserter, op: IrOpNode, table: dict[str, str]) -> None:
        value_slot, weight_slot, out_slot, _ = WEIGHTED[op.name()]
        value = _steps(op, value_slot)
        weight = _steps(op, weight_slot)
        if value is None or weight is None:
            return
        stored = source(weight.quantize, _x(weight.quantize))
        if not stored.persistable():
            found = self._computed(work.graph, stored, weight.steps.name())
            if found is None:
                return
            self._bare.add(stored.name())
            stored = found
        by_channel = weight.quantize.name().startswith("fake_channel_wise")
        axis = channel_axis(op.node.op) if by_channel else None
        scales = self._make_steps(stored.name(), axis)
        graph = work.graph
        graph.update_input_link(source(op, op.input(value_slot)[0]), value.steps, op)
        graph.update_input_link(source(op, op.input(weight_slot)[0]), stored, op)
        out = written(op, op.output(out_slot)[0])
        readers = list(out.outputs)
        scale = _scale_node(value)
        made = work.like(f"{out.name()}.dequantized", out)
        if by_channel:
            by = work.stored(unique_name.generate("channel_scale"), scales, stored)
            bits = [self._bits["weight"], self._bits["activation"]]
            attrs: dict[str, Any] = {"quant_bits": bits, "quant_axis": axis}
            attrs["x_num_col_dims"] = _channels_of_result(op, out)
            kind, inputs = _DEQUANTIZE[1], {"X": out, "Scales": [by, scale]}
        else:
            tops = top_step(self._bits["weight"]) * top_step(self._bits["activation"])
            kind, inputs = _DEQUANTIZE[0], {"X": out, "Scale": scale}
            attrs = {"max_range": tops / max(float(scales[0]), 1e-8)}
        work.add(kind, attrs, inputs, {"Out": made})
        for reader in readers:
            graph.update_input_link(out, made, reader)
        table[out.name()] = made.name()

    def _computed(self, graph: IrGraph, node: IrVarNode, steps: str) -> IrVarNode | None:
        """Puts what a function makes of a weight in the weight's place; None if it is of values."""
        ops, weight = _ancestors(node), None
        name = steps.removesuffix(".quantized")
        for leaf in {n for op in ops for n in op.inputs if not n.inputs}:
            if not leaf.persistable():
                return None
            weight = leaf if leaf.name() == name else weight
        if weight is None:
            return None
        if name not in self._scales:
            part = Graph(graph.to_program())
            written = {n for op in ops for n in op.output_arg_names()}
            part.ops = [op for op in part.ops if written & set(op.op.output_arg_names)]
            with scope_guard(self._scope):
                made = Executor(self._place or CPUPlace()).run(
                    part.to_program(), fetch_list=[node.name()]
                )
            put(self._scope, name, np.asarray(made[0]), self._place)
        return weight

    def _make_steps(self, name: str, axis: int | None) -> np.ndarray:
        """Makes whole numbers of a weight in the scope, once; returns its scales."""
        if name in self._scales:
            return self._scales[name]
        weight = held(self._scope, name)
        check_finite(weight, name)
        if weight.size and (weight == np.round(weight)).all() and np.abs(weight).max() > 1:
            raise InvalidArgumentError(
                f"{_NAME}: weight {name!r} has whole numbers only: it is quantised already. "
                "Load the model in floats again, and freeze it once."
            )
        bits = self._bits["weight"]
        scales = scales_of(weight, axis)
        known = self._scope.find_var(f"{name}.scale")
        if self._weight in ("range_abs_max", "moving_average_abs_max") and known is not None:
            scales = held(self._scope, f"{name}.scale").reshape(1).astype("float32")
        steps = steps_of(weight, scales, bits, axis)
        if self._correct:
            steps = correct_bias(weight, steps, scales, bits, axis)
        put(self._scope, name, steps, self._place)
        self._scales[name] = scales
        return scales


def _x(op: IrOpNode) -> str:
    return op.input("X")[0]


def _maker(node: IrNode) -> IrOpNode | None:
    return node.inputs[0] if node.inputs else None


def _steps(op: IrOpNode, slot: str) -> _Steps | None:
    """Where what an operator reads was steps; None if it never was."""
    names = op.input(slot)
    if len(names) != 1:
        return None
    dequantize = _maker(source(op, names[0]))
    if dequantize is None or dequantize.name() not in _DEQUANTIZE:
        return None
    steps = source(dequantize, _x(dequantize))
    quantize = _maker(steps)
    if quantize is None or "quantize" not in quantize.name():
        return None
    return _Steps(steps, quantize, dequantize)


def _ancestors(node: IrVarNode) -> set[IrOpNode]:
    """The operators that a value is made by."""
    found: set[IrOpNode] = set()
    open_: list[IrNode] = [node]
    while open_:
        for maker in open_.pop().inputs:
            if maker not in found:
                found.add(maker)
                open_ += maker.inputs
    return found


def _scale_node(value: _Steps) -> IrVarNode:
    return source(value.dequantize, value.dequantize.input("Scale")[0])


def _channels_of_result(op: IrOpNode, out: IrVarNode) -> int:
    """The axis of a product's result that the weight's channels are on."""
    if op.name() == "mul":
        return int(op.node.op.attrs.get("x_num_col_dims", 1))
    return max(len(out.shape()) - 1, 1) if op.name().startswith("matmul") else 1


def _remove_unread(graph: IrGraph, bare: set[str]) -> None:
    """Takes out operators of quantisation that nothing reads from, and values without edges.

    Args:
        graph (IrGraph): where.
        bare (set): results of functions that were put into weights; these functions go too.
    """
    while True:
        unread = [
            op
            for op in graph.all_op_nodes()
            if not any(n.outputs for n in op.outputs if n.name() in _results(op))
            and any(n.name().endswith(_ENDS) or n.name() in bare for n in op.outputs)
        ]
        if not unread:
            break
        for op in unread:
            bare |= {n.name() for n in op.inputs if op.output_arg_names()[0] in bare and n.inputs}
        graph.safe_remove_nodes(unread)
    graph.safe_remove_nodes([n for n in graph.all_var_nodes() if not n.inputs and not n.outputs])


def _results(op: IrOpNode) -> list[str]:
    """What an operator writes; of one of quantisation, without scales."""
    of_ours = op.name().startswith("fake_")
    return op.node.op.outputs.get("Out", []) if of_ours else op.output_arg_names()
