"""QuantizationTransformPass: values and weights of products pass through steps."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.quantization.inserting import (
    Inserter,
    check_choice,
    check_graph,
    check_patterns,
    forward_ops,
    skipped,
    source,
)
from paddle.quantization.tables import ACTIVATION_TYPES, WEIGHT_TYPES, WEIGHTED, channel_axis
from paddle.static.ir_graph import IrGraph, IrOpNode, IrVarNode

__all__ = ["QuantizationTransformPass"]

_NAME = "QuantizationTransformPass"


class QuantizationTransformPass:
    """Lets what products read, values and weights, pass through the steps of so many bits.

    Gradient operators read the same rounded values; the gradients go to the original ones.

    Args:
        scope (Scope, optional): where scales are kept. Default: the global one.
        place (Place, optional): where their memory is. Default: the CPU.
        weight_bits (int): bits of a weight. Default: 8.
        activation_bits (int): bits of a value. Default: 8.
        activation_quantize_type (str): ``abs_max``, ``range_abs_max`` or
            ``moving_average_abs_max``. Default: "abs_max".
        weight_quantize_type (str): ``abs_max`` or ``channel_wise_abs_max``, or one of those of
            values. Default: "abs_max".
        window_size (int): batches that ``range_abs_max`` looks back on. Default: 10000.
        moving_rate (float): of ``moving_average_abs_max``. Default: 0.9.
        skip_pattern (list|str): products within a name scope with such a name are left alone.
        quantizable_op_type (list): which operators.
        weight_quantize_func (callable, optional): has to be None.
        act_quantize_func (callable, optional): has to be None.
        weight_preprocess_func (callable, optional): has to be None.
        act_preprocess_func (callable, optional): has to be None.
        optimizer_func (callable, optional): has to be None.
        executor (Executor, optional): has to be None.
        is_test (bool, optional): scales stay as they are. Default: as the graph says.

    Raises:
        ValueError: a type of quantisation or of operator that there is not.
        NotImplementedError: one of the functions is given.

    Examples:
        .. code-block:: python

            import paddle
            from paddle import static
            from paddle.quantization import QuantizationTransformPass
            from paddle.static.ir_graph import Graph, IrGraph
            paddle.enable_static()
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                static.nn.fc(static.data("x", [None, 3]), 4, weight_attr="w")
            graph = IrGraph(Graph(main.desc), for_test=False)
            QuantizationTransformPass(weight_quantize_type="channel_wise_abs_max").apply(graph)
            print([op.type for op in graph.to_program().global_block().ops][0])
            # fake_quantize_abs_max
            paddle.disable_static()
    """

    _supported_quantizable_op_type = tuple(WEIGHTED)  # what PaddleSlim asks for

    def __init__(
        self,
        scope: Any = None,
        place: Any = None,
        weight_bits: int = 8,
        activation_bits: int = 8,
        activation_quantize_type: str = "abs_max",
        weight_quantize_type: str = "abs_max",
        window_size: int = 10000,
        moving_rate: float = 0.9,
        skip_pattern: Any = ["skip_quant"],  # noqa: B006
        quantizable_op_type: Any = ["conv2d", "depthwise_conv2d", "mul"],  # noqa: B006
        weight_quantize_func: Any = None,
        act_quantize_func: Any = None,
        weight_preprocess_func: Any = None,
        act_preprocess_func: Any = None,
        optimizer_func: Any = None,
        executor: Any = None,
        is_test: bool | None = None,
    ) -> None:
        check_choice(
            activation_quantize_type, ACTIVATION_TYPES, f"{_NAME}(activation_quantize_type)"
        )
        check_choice(weight_quantize_type, WEIGHT_TYPES, f"{_NAME}(weight_quantize_type)")
        functions = {
            "weight_quantize_func": weight_quantize_func, "act_quantize_func": act_quantize_func,
            "weight_preprocess_func": weight_preprocess_func, "optimizer_func": optimizer_func,
            "act_preprocess_func": act_preprocess_func, "executor": executor,
        }  # fmt: skip
        for name, value in functions.items():
            if value is not None:
                raise NotImplementedError(
                    f"{_NAME}({name}): functions of one's own are not part of this version; "
                    "train with the layers of ImperativeQuantAware, or change the graph yourself."
                )
        for kind in quantizable_op_type:
            if kind not in WEIGHTED:
                raise InvalidArgumentError(
                    f"{_NAME}(quantizable_op_type): expected some of {list(WEIGHTED)}, "
                    f"but got {kind!r}."
                )
        self._scope, self._place = scope, place
        self._bits = {"weight": weight_bits, "activation": activation_bits}
        self._activation, self._weight = activation_quantize_type, weight_quantize_type
        self._window, self._rate = window_size, moving_rate
        self._skip = check_patterns(skip_pattern, _NAME)
        self._types = list(quantizable_op_type)
        self._is_test = is_test

    def apply(self, graph: IrGraph) -> IrGraph:
        """Changes a graph, and returns it.

        Args:
            graph (IrGraph): of a Program for training or inference.
        """
        check_graph(graph, _NAME)
        test = graph.is_test() if self._is_test is None else self._is_test
        work = Inserter(graph, self._scope, self._place, test, self._rate, self._window)
        found: dict[tuple[str, int], IrVarNode] = {}
        for op in forward_ops(graph):
            if op.name() not in self._types or not has_weight(op):
                continue
            if skipped(op, self._skip):
                op.set_attr("skip_quant", True)
                continue
            self._op(work, op, found)
        redirect_gradients(graph, {name: made for (name, _), made in found.items()}, self._skip)
        return graph

    def _op(self, work: Inserter, op: IrOpNode, found: dict) -> None:
        value_slot, weight_slot, _, _ = WEIGHTED[op.name()]
        op.set_attr("quantization_type", "qat_with_weight")
        op.set_attr("with_quant_attr", True)
        for slot in (value_slot, weight_slot):
            for name in op.input(slot):
                node = source(op, name)
                weight = slot == weight_slot and node.persistable()
                axis = channel_axis(op.node.op) if weight else -1
                key = (name, node.id())
                if key not in found:
                    found[key] = self._through(work, node, weight, axis)
                work.graph.update_input_link(node, found[key], op)

    def _through(self, work: Inserter, node: IrVarNode, weight: bool, axis: int) -> IrVarNode:
        bits = self._bits["weight" if weight else "activation"]
        if weight and self._weight == "channel_wise_abs_max":
            steps, scales = work.quantize_channels(node, bits, axis)
            return work.dequantize_channels(steps, scales, bits, axis)
        steps, scale = work.quantize(node, self._weight if weight else self._activation, bits)
        return work.dequantize(steps, scale, bits)


def has_weight(op: IrOpNode) -> bool:
    """Whether an operator that may have a weight reads one."""
    names = op.input(WEIGHTED[op.name()][1])
    return any(source(op, name).persistable() for name in names)


def redirect_gradients(graph: IrGraph, changed: dict[str, IrVarNode], skip: list[str]) -> None:
    """Lets the gradient operators of changed operators read what those read.

    Args:
        graph (IrGraph): where.
        changed (dict): name of a value -> what stands for it now.
        skip (list): name scopes that are left alone.
    """
    readers = {(op.name(), made.name()) for made in changed.values() for op in made.outputs}
    for op in graph.topology_sort():
        if not op.name().endswith("_grad") or skipped(op, skip):
            continue
        for name in dict.fromkeys(op.input_arg_names()):
            made = changed.get(name)
            if made is not None and (op.name()[:-5], made.name()) in readers:
                graph.update_input_link(source(op, name), made, op)
