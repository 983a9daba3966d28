"""ConvertToInt8Pass: weights that are whole numbers are kept as bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.executor.scope import global_scope
from paddle.quantization.inserting import check_graph, forward_ops, source
from paddle.quantization.numbers import held, integers, put
from paddle.quantization.tables import WEIGHTED
from paddle.static.ir_graph import IrGraph, IrVarNode

__all__ = ["ConvertToInt8Pass"]


class ConvertToInt8Pass:
    """Keeps weights that QuantizationFreezePass made whole as bytes, ``<name>.int8``.

    Args:
        scope (Scope): where the weights are.
        place (Place): where their memory is.
        quantizable_op_type (list, optional): which operators. Default: all with a weight.

    Examples:
        .. code-block:: python

            import paddle
            from paddle import static
            from paddle.quantization import ConvertToInt8Pass
            from paddle.static.ir_graph import Graph, IrGraph
            paddle.enable_static()
            graph = IrGraph(Graph(static.Program().desc), for_test=True)
            print(ConvertToInt8Pass(static.Scope(), paddle.CPUPlace()).apply(graph) is graph)
            # True: nothing to do
            paddle.disable_static()
    """

    def __init__(self, scope: Any, place: Any, quantizable_op_type: Any = None) -> None:
        self._scope = global_scope() if scope is None else scope
        self._place = place
        self._types = list(WEIGHTED if quantizable_op_type is None else quantizable_op_type)

    def apply(self, graph: IrGraph) -> IrGraph:
        """Changes a graph, and returns it.

        Args:
            graph (IrGraph): to which QuantizationFreezePass was applied.

        Raises:
            ValueError: a quantised operator's weight is none of whole numbers.
        """
        check_graph(graph, "ConvertToInt8Pass")
        made: dict[str, IrVarNode] = {}
        for op in forward_ops(graph):
            if op.name() not in self._types or not self._is_frozen(op):
                continue
            name = op.input(WEIGHTED[op.name()][1])[0]
            node = source(op, name)
            if not node.persistable() or node.dtype() == VarType.INT8:
                continue
            if name not in made:
                made[name] = self._bytes(graph, node)
            graph.update_input_link(node, made[name], op)
        graph.safe_remove_nodes(
            [n for n in graph.all_var_nodes() if not n.inputs and not n.outputs]
        )
        return graph

    @staticmethod
    def _is_frozen(op: Any) -> bool:
        names = op.input(WEIGHTED[op.name()][0])
        makers = source(op, names[0]).inputs if len(names) == 1 else []
        return (
            bool(makers)
            and makers[0].name().startswith("fake_quantize_")
            and ("dequantize" not in makers[0].name())
        )

    def _bytes(self, graph: IrGraph, node: IrVarNode) -> IrVarNode:
        weight = held(self._scope, node.name())
        if (weight != np.round(weight)).any() or np.abs(weight).max(initial=0) > 127:
            raise InvalidArgumentError(
                f"ConvertToInt8Pass: weight {node.name()!r} is not of whole numbers from -127 to "
                "127. Apply QuantizationFreezePass with weight_bits=8 first."
            )
        name = f"{node.name()}.int8"
        put(self._scope, name, integers(weight), self._place)
        return graph.create_persistable_node(name, node.type(), node.shape(), VarType.INT8)
