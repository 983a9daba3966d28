"""OutScaleForTrainingPass, OutScaleForInferencePass: how large results become, for Paddle Lite."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core import unique_name
from paddle.core.dtype import VarType
from paddle.executor.scope import global_scope
from paddle.ir.operator import Role
from paddle.quantization.inserting import Inserter, check_graph, forward_ops, target
from paddle.quantization.numbers import held, put
from paddle.quantization.tables import OUT_SCALE, result_slot
from paddle.static.ir_graph import IrGraph, IrOpNode, IrVarNode

__all__ = ["OutScaleForInferencePass", "OutScaleForTrainingPass"]


def scale_name(name: str) -> str:
    """The variable with the scale of a result."""
    return f"{name}@scale"


def results(graph: IrGraph) -> list[tuple[IrOpNode, list[IrVarNode]]]:
    """The operators whose results' scales count, and these results."""
    found = []
    for op in forward_ops(graph):
        slot = result_slot(op.name()) if op.name() in OUT_SCALE else None
        names = [] if slot is None else op.node.op.outputs.get(slot, [])
        nodes = [target(op, name) for name in names]
        nodes = [n for n in nodes if n.dtype() in (VarType.FP32, VarType.FP64)]
        if nodes:
            found.append((op, nodes))
    return found


class OutScaleForTrainingPass:
    """Takes down the scales of what operators compute, as averages over batches.

    Args:
        scope (Scope, optional): where scales are kept. Default: the global one.
        place (Place, optional): where their memory is. Default: the CPU.
        moving_rate (float): how much of the average stays at each batch. Default: 0.9.
        is_test (bool, optional): scales stay as they are. Default: as the graph says.
        scale_dict (dict, optional): name of a result -> its scale, known from elsewhere.

    Examples:
        .. code-block:: python

            import paddle
            from paddle import static
            from paddle.quantization import OutScaleForTrainingPass
            from paddle.static.ir_graph import Graph, IrGraph
            paddle.enable_static()
            main = static.Program()
            with static.program_guard(main, static.Program()):
                paddle.nn.functional.relu(static.data("x", [None, 3]))
            graph = OutScaleForTrainingPass().apply(IrGraph(Graph(main.desc)))
            print(graph.to_program().global_block().ops[-1].type)  # moving_average_abs_max_scale
            paddle.disable_static()
    """

    def __init__(
        self,
        scope: Any = None,
        place: Any = None,
        moving_rate: float = 0.9,
        is_test: bool | None = None,
        scale_dict: dict[str, float] | None = None,
    ) -> None:
        self._scope, self._place, self._rate = scope, place, moving_rate
        self._is_test = is_test
        self._scales = dict(scale_dict or {})

    def apply(self, graph: IrGraph) -> IrGraph:
        """Changes a graph, and returns it.

        Args:
            graph (IrGraph): of a Program for training or inference.
        """
        check_graph(graph, "OutScaleForTrainingPass")
        test = graph.is_test() if self._is_test is None else self._is_test
        work = Inserter(graph, self._scope, self._place, test, self._rate)
        for _, nodes in results(graph):
            for node in nodes:
                self._watch(work, node)
        return graph

    def _watch(self, work: Inserter, node: IrVarNode) -> None:
        name = scale_name(node.name())
        scale = work.stored(name, np.ones(1), node)
        if node.name() in self._scales:
            put(work.scope, name, np.asarray(self._scales[node.name()], "float32").reshape(1))
        out = work.like(unique_name.generate(f"{node.name()}.watched"), node)
        inputs: dict = {"X": node}
        outputs: dict = {"Out": out, "OutScale": scale}
        if not work.is_test:
            for slot, stem in (("State", "scale_state@"), ("Accum", "scale_accum@")):
                made = work.stored(unique_name.generate(stem), np.ones(1), node)
                inputs[f"In{slot}"], outputs[f"Out{slot}"] = made, work.again(made)
        attrs = {"moving_rate": self._rate, "is_test": work.is_test, "op_role": int(Role.FORWARD)}
        work.add("moving_average_abs_max_scale", attrs, inputs, outputs)


class OutScaleForInferencePass:
    """Writes the scales of results into the attribute ``out_threshold`` of their operators.

    Args:
        scope (Scope, optional): where scales are kept. Default: the global one.

    Examples:
        .. code-block:: python

            import paddle
            from paddle import static
            from paddle.quantization import OutScaleForInferencePass, OutScaleForTrainingPass
            from paddle.static.ir_graph import Graph, IrGraph
            paddle.enable_static()
            main = static.Program()
            with static.program_guard(main, static.Program()):
                paddle.nn.functional.relu(static.data("x", [None, 3]))
            graph = OutScaleForTrainingPass().apply(IrGraph(Graph(main.desc), for_test=True))
            graph = OutScaleForInferencePass().apply(graph)
            print(graph.to_program().global_block().ops[0].attr("out_threshold"))  # 1.0
            paddle.disable_static()
    """

    def __init__(self, scope: Any = None) -> None:
        self._scope = scope

    def apply(self, graph: IrGraph) -> IrGraph:
        """Changes a graph, and returns it.

        Args:
            graph (IrGraph): to which OutScaleForTrainingPass was applied.
        """
        check_graph(graph, "OutScaleForInferencePass")
        scope = global_scope() if self._scope is None else self._scope
        for op, nodes in results(graph):
            for at, node in enumerate(nodes):
                name = scale_name(node.name())
                found = scope.find_var(name)
                if found is None or not found.is_initialized():
                    continue
                scale = float(held(scope, name).reshape(-1)[0])
                op.set_attr("out_threshold", scale)
                op.set_attr(f"{result_slot(op.name())}{at}_threshold", scale)
                op.set_attr("with_quant_attr", True)
        return graph
