"""AddQuantDequantPass: values of operators without a weight pass through steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.quantization.inserting import (
    Inserter,
    check_graph,
    check_patterns,
    forward_ops,
    skipped,
    source,
)
from paddle.quantization.numbers import put
from paddle.quantization.tables import WEIGHTLESS
from paddle.quantization.transform import redirect_gradients
from paddle.static.ir_graph import IrGraph, IrOpNode, IrVarNode

__all__ = ["AddQuantDequantPass"]

_NAME = "AddQuantDequantPass"


class AddQuantDequantPass:
    """Lets what operators without a weight read pass through steps, at once made values again.

    Left alone is an operator with a parameter among what it reads, as the sum with a bias.

    Args:
        scope (Scope, optional): where scales are kept. Default: the global one.
        place (Place, optional): where their memory is. Default: the CPU.
        moving_rate (float): how much of the average of scales stays at each batch. Default: 0.9.
        quant_bits (int): bits of a value. Default: 8.
        skip_pattern (list|str): operators within a name scope with such a name are left alone.
        quantizable_op_type (list): which operators. Default: sums and pooling.
        is_full_quantized (bool): all that can be. Default: False.
        is_test (bool, optional): scales stay as they are. Default: as the graph says.
        scale_dict (dict, optional): name of a value -> its scale, known from elsewhere.

    Raises:
        ValueError: a type of operator that cannot be quantised.

    Examples:
        .. code-block:: python

            import paddle
            from paddle import static
            from paddle.quantization import AddQuantDequantPass
            from paddle.static.ir_graph import Graph, IrGraph
            paddle.enable_static()
            main = static.Program()
            with static.program_guard(main, static.Program()):
                x = static.data("x", [None, 3])
                paddle.add(x, static.data("y", [None, 3]))
            graph = AddQuantDequantPass().apply(IrGraph(Graph(main.desc), for_test=True))
            print(graph.to_program().global_block().ops[0].type)
            # fake_quantize_dequantize_moving_average_abs_max
            paddle.disable_static()
    """

    _supported_quantizable_op_type = tuple(WEIGHTLESS)  # what PaddleSlim asks for

    def __init__(
        self,
        scope: Any = None,
        place: Any = None,
        moving_rate: float = 0.9,
        quant_bits: int = 8,
        skip_pattern: Any = ["skip_quant"],  # noqa: B006
        quantizable_op_type: Any = ["elementwise_add", "pool2d"],  # noqa: B006
        is_full_quantized: bool = False,
        is_test: bool | None = None,
        scale_dict: dict[str, float] | None = None,
    ) -> None:
        for kind in quantizable_op_type:
            if kind not in WEIGHTLESS:
                raise InvalidArgumentError(
                    f"{_NAME}(quantizable_op_type): {kind!r} is none of the operators without a "
                    f"weight that can be quantised: {sorted(WEIGHTLESS)}."
                )
        self._scope, self._place = scope, place
        self._rate, self._bits = moving_rate, quant_bits
        self._skip = check_patterns(skip_pattern, _NAME)
        self._types = set(WEIGHTLESS if is_full_quantized else quantizable_op_type)
        self._is_test = is_test
        self._scales = dict(scale_dict or {})

    def apply(self, graph: IrGraph) -> IrGraph:
        """Changes a graph, and returns it.

        Args:
            graph (IrGraph): of a Program for training or inference.
        """
        check_graph(graph, _NAME)
        test = graph.is_test() if self._is_test is None else self._is_test
        work = Inserter(graph, self._scope, self._place, test, self._rate)
        found: dict[tuple[str, int], IrVarNode] = {}
        for op in forward_ops(graph):
            if op.name() not in self._types or not self._fits(op):
                continue
            if skipped(op, self._skip):
                continue
            op.set_attr("quantization_type", "qat_without_weight")
            op.set_attr("with_quant_attr", True)
            for node in _values(op):
                key = (node.name(), node.id())
                if key not in found:
                    found[key] = work.round(node, self._bits)
                    if node.name() in self._scales:
                        at = f"{found[key].name()}.scale"
                        put(work.scope, at, _one(self._scales[node.name()]), self._place)
                graph.update_input_link(node, found[key], op)
        redirect_gradients(graph, {name: made for (name, _), made in found.items()}, self._skip)
        return graph

    @staticmethod
    def _fits(op: IrOpNode) -> bool:
        if op.node.op.attrs.get("quantization_type") is not None:
            return False  # its weight and value are quantised
        values = _values(op)
        return bool(values) and not any(
            node.persistable() or node.dtype() != VarType.FP32 for node in values
        )


def _one(scale: Any) -> Any:
    return np.asarray(scale, "float32").reshape(1)


def _values(op: IrOpNode) -> list[IrVarNode]:
    names = [n for slot in WEIGHTLESS[op.name()][0] for n in op.node.op.inputs.get(slot, ())]
    return [source(op, name) for name in dict.fromkeys(names)]
