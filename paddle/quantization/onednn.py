"""Quantised Programs as those of oneDNN: QuantInt8MkldnnPass, Quant2Int8MkldnnPass."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, UnimplementedError
from paddle.core.place import CPUPlace
from paddle.executor.scope import global_scope
from paddle.quantization.inserting import Inserter, check_graph, forward_ops, source, target
from paddle.quantization.numbers import held, put, scales_of, steps_of, top_step, values_of
from paddle.quantization.tables import WEIGHTED, channel_axis
from paddle.static.ir_graph import IrGraph, IrOpNode, IrVarNode

__all__ = ["Qat2Int8MkldnnPass", "QatInt8MkldnnPass", "Quant2Int8MkldnnPass", "QuantInt8MkldnnPass"]

_BITS = 8
_BACK = ("fake_dequantize_max_abs", "fake_channel_wise_dequantize_max_abs")
_BOTH = "quantize_dequantize"


class _Floats:
    """Takes the operators of quantisation out of a graph, and keeps their scales.

    Attributes:
        values (dict): name of a value -> its scale.
        weights (dict): name of a weight -> its scales.
    """

    def __init__(self, graph: IrGraph, scope: Any, place: Any) -> None:
        self.graph, self.scope, self.place = graph, scope, place
        self.values: dict[str, float] = {}
        self.weights: dict[str, np.ndarray] = {}

    def run(self) -> None:
        """Changes the graph; weights in the scope are values on steps then."""
        for op in forward_ops(self.graph):
            if op.name() in WEIGHTED:
                self._product(op)
        for op in forward_ops(self.graph):
            if op.name().startswith("fake_"):
                self._around(op)
            elif op.name() == "moving_average_abs_max_scale":
                self.graph.safe_remove_nodes([op])
        alone = [n for n in self.graph.all_var_nodes() if not n.inputs and not n.outputs]
        self.graph.safe_remove_nodes(alone)

    def _product(self, op: IrOpNode) -> None:
        """Finds the scales of a weight, and puts values in the place of steps."""
        _, weight_slot, out_slot, _ = WEIGHTED[op.name()]
        node = source(op, op.input(weight_slot)[0])
        while node.inputs and node.inputs[0].name().startswith("fake_"):
            maker = node.inputs[0]
            node = source(maker, maker.input("X")[0])
        name = node.name()
        if not node.persistable() or name in self.weights:
            return
        weight = held(self.scope, name).astype("float32")
        axis = channel_axis(op.node.op)
        direct = source(op, op.input(weight_slot)[0]) == node
        if direct:
            readers = target(op, op.output(out_slot)[0]).outputs
            back = next((r for r in readers if r.name() in _BACK), None)
            if back is None:
                return  # never quantised
            scales = self._kept(back)
            steps = weight
        else:
            maker = source(op, op.input(weight_slot)[0]).inputs[0]
            by_channel = "channel_wise" in maker.name()
            scales = scales_of(weight, axis if by_channel else None)
            steps = steps_of(weight, scales, _BITS, axis if by_channel else None)
        along = axis if scales.size > 1 else None
        put(self.scope, name, values_of(steps, scales, _BITS, along), self.place)
        self.weights[name] = scales

    def _kept(self, back: IrOpNode) -> np.ndarray:
        """The weight's scales in what dequantises a product."""
        if back.name() == _BACK[1]:
            return held(self.scope, back.input("Scales")[0]).reshape(-1).astype("float32")
        tops = top_step(_BITS) ** 2
        return np.array([tops / back.node.op.attrs["max_range"]], "float32")

    def _around(self, op: IrOpNode) -> None:
        """Lets what reads an operator's result read what it reads."""
        node = source(op, op.input("X")[0])
        if op.name() not in _BACK and not node.persistable():
            slot = "InScale" if op.node.op.inputs.get("InScale") else None
            if slot is not None:
                scale = held(self.scope, op.input(slot)[0]).reshape(-1)
                self.values[node.name()] = float(scale[0])
        out = target(op, op.output("Out")[0])
        for reader in list(out.outputs):
            self.graph.update_input_link(out, node, reader)
        self.graph.safe_remove_nodes([op])


class _Int8:
    """What the passes have in common."""

    _ops: set[str]
    _skip: set[int]

    def __init__(self, scope: Any, place: Any) -> None:
        self._scope = global_scope() if scope is None else scope
        self._place = CPUPlace() if place is None else place

    def apply(self, graph: IrGraph) -> IrGraph:
        """Changes a graph, and returns it.

        Args:
            graph (IrGraph): for inference, with operators of fake quantisation, frozen or not.

        Raises:
            ValueError: nothing in it is quantised.
        """
        check_graph(graph, type(self).__name__)
        skip = {op.node.op for op in graph.all_op_nodes() if op.id() in self._skip}
        found = self._to_floats(graph)
        if not found.weights and not found.values:
            raise InvalidArgumentError(
                f"{type(self).__name__}: no operator of the graph is quantised. Expected a Program "
                "of QuantizationFreezePass, PostTrainingQuantization or ImperativeQuantAware."
            )
        made: dict[str, IrVarNode] = {}
        for op in forward_ops(graph):
            if op.name() in self._ops and op.name() in WEIGHTED and op.node.op not in skip:
                self._product(graph, op, found, made)
        return graph

    def _to_floats(self, graph: IrGraph) -> _Floats:
        found = _Floats(graph, self._scope, self._place)
        found.run()
        return found

    def _product(
        self, graph: IrGraph, op: IrOpNode, found: _Floats, made: dict[str, IrVarNode]
    ) -> None:
        value_slot, weight_slot, _, _ = WEIGHTED[op.name()]
        name, weight = op.input(value_slot)[0], op.input(weight_slot)[0]
        if name not in found.values or weight not in found.weights:
            return
        top = float(top_step(_BITS))
        scale = top / max(found.values[name], 1e-8)
        node = source(op, name)
        if name not in made:
            out = graph.create_var_node(
                f"{name}.int8", node.type(), node.shape(), VarType.INT8
            )  # fmt: skip
            attrs = {"Scale": scale, "is_negative_input": True, "output_format": "NHWC"}
            work = Inserter(graph, self._scope, self._place, is_test=True)
            work.add("quantize", attrs, {"Input": node}, {"Output": out})
            made[name] = out
        graph.update_input_link(node, made[name], op)
        scales = (top / np.maximum(found.weights[weight], 1e-8)).astype("float64")
        product = op.name().startswith(("mul", "matmul"))
        attrs = {"Scale_x": scale, "Scale_y": scales.tolist()} if product else {}
        attrs.update(Scale_in=scale, Scale_weights=scales.tolist(), Scale_out=1.0)
        attrs.update(force_fp32_output=True, use_mkldnn=True)
        for key, value in attrs.items():
            op.set_attr(key, value)


class QuantInt8MkldnnPass(_Int8):
    """Writes convolutions and products that were quantised as oneDNN's int8 operators.

    The Program is for a predictor; weights in the scope become values on steps.

    Args:
        _scope (Scope, optional): where weights and scales are. Default: the global one.
        _place (Place, optional): where their memory is. Default: the CPU.

    Examples:
        .. code-block:: python

            import paddle
            from paddle import static
            from paddle.quantization import QuantInt8MkldnnPass, QuantizationTransformPass
            from paddle.static.ir_graph import Graph, IrGraph
            paddle.enable_static()
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                static.nn.fc(static.data("x", [None, 3]), 4)
            static.Executor().run(startup)
            graph = IrGraph(Graph(main.desc), for_test=True)
            kind = "moving_average_abs_max"
            QuantizationTransformPass(activation_quantize_type=kind).apply(graph)
            made = QuantInt8MkldnnPass().apply(graph).to_program()
            print([op.type for op in made.global_block().ops][:2])  # ['quantize', 'mul']
            paddle.disable_static()
    """

    _ops = set(WEIGHTED)
    _skip: set[int] = set()

    def __init__(self, _scope: Any = None, _place: Any = None) -> None:
        super().__init__(_scope, _place)


class Quant2Int8MkldnnPass(_Int8):
    """The same for some operators; the others compute in floats, on weights that are on steps.

    Args:
        _ops_to_quantize (set): types of operators; those without a weight stay in floats.
        _op_ids_to_skip (set, optional): ``id()`` of nodes that stay in floats.
        _scope (Scope, optional): where weights and scales are. Default: the global one.
        _place (Place, optional): where their memory is. Default: the CPU.
        _core (module, optional): ``paddle.fluid.core``, as scripts of 1.8 hand over.
        _debug (bool): has to be False; ``graph.draw`` draws a graph.

    Raises:
        NotImplementedError: ``_debug`` is True.
    """

    def __init__(
        self,
        _ops_to_quantize: Iterable[str],
        _op_ids_to_skip: Any = None,
        _scope: Any = None,
        _place: Any = None,
        _core: Any = None,
        _debug: bool = False,
    ) -> None:
        if _debug:
            raise UnimplementedError(
                f"{type(self).__name__}(_debug=True): graphs are not drawn while it runs.",
                hint="call graph.draw(folder, name) before and after apply",
            )
        super().__init__(_scope, _place)
        self._ops = set(_ops_to_quantize)
        self._skip = set(_op_ids_to_skip or ())
        if "fc" in self._ops:
            self._ops.add("mul")

    def prepare_and_optimize_fp32(self, graph: IrGraph) -> IrGraph:
        """Takes the operators of quantisation out: what computes the same in floats.

        Args:
            graph (IrGraph): for inference.
        """
        check_graph(graph, type(self).__name__)
        self._to_floats(graph)
        return graph


class QatInt8MkldnnPass(QuantInt8MkldnnPass):
    """The name of 1.8 for QuantInt8MkldnnPass.

    Args:
        _scope (Scope, optional): where weights and scales are. Default: the global one.
        _place (Place, optional): where their memory is. Default: the CPU.
    """


class Qat2Int8MkldnnPass(Quant2Int8MkldnnPass):
    """The name of 1.8 for Quant2Int8MkldnnPass.

    Args:
        _quantized_ops (set): types of operators.
        _scope (Scope, optional): where weights and scales are. Default: the global one.
        _place (Place, optional): where their memory is. Default: the CPU.
        _core (module, optional): ``paddle.fluid.core``, as scripts of 1.8 hand over.
        _debug (bool): has to be False; ``graph.draw`` draws a graph.

    Raises:
        NotImplementedError: ``_debug`` is True.
    """

    def __init__(
        self,
        _quantized_ops: Iterable[str],
        _scope: Any = None,
        _place: Any = None,
        _core: Any = None,
        _debug: bool = False,
    ) -> None:
        super().__init__(_quantized_ops, None, _scope, _place, _core, _debug)

    def apply_fp32(self, graph: IrGraph) -> IrGraph:
        """Takes the operators of quantisation out: what computes the same in floats.

        Args:
            graph (IrGraph): for inference.
        """
        return self.prepare_and_optimize_fp32(graph)
