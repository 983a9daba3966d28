"""TransformForMobilePass: operators of quantisation by the names of Paddle Mobile."""

from __future__ import annotations

from paddle.quantization.inserting import check_graph
from paddle.static.ir_graph import IrGraph

__all__ = ["TransformForMobilePass"]

_NAMES = {
    "fake_quantize_abs_max": "quantize",
    "fake_quantize_range_abs_max": "quantize",
    "fake_quantize_moving_average_abs_max": "quantize",
    "fake_channel_wise_quantize_abs_max": "quantize",
    "fake_dequantize_max_abs": "dequantize",
    "fake_channel_wise_dequantize_max_abs": "dequantize",
}


class TransformForMobilePass:
    """Calls operators of quantisation ``quantize`` and ``dequantize``, as Paddle Mobile does.

    The Program that comes of it is for Paddle Mobile; an Executor does not run it.

    Examples:
        .. code-block:: python

            import paddle
            from paddle import static
            from paddle.quantization import TransformForMobilePass
            from paddle.static.ir_graph import Graph, IrGraph
            paddle.enable_static()
            graph = IrGraph(Graph(static.Program().desc), for_test=True)
            print(TransformForMobilePass().apply(graph) is graph)  # True: nothing to do
            paddle.disable_static()
    """

    def apply(self, graph: IrGraph) -> IrGraph:
        """Changes a graph, and returns it.

        Args:
            graph (IrGraph): to which QuantizationFreezePass was applied.
        """
        check_graph(graph, "TransformForMobilePass")
        for op in graph.all_op_nodes():
            if op.name() in _NAMES:
                op.set_type(_NAMES[op.name()])
        graph.safe_remove_nodes(
            [n for n in graph.all_var_nodes() if not n.inputs and not n.outputs]
        )
        return graph
