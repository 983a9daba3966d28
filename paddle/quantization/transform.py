"""QuantizationTransformPass: values and weights of products pass through steps."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.quantization.functions import Functions
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
        weight_quantize_func (callable, optional): gets each weight, as a Variable, and returns
            what products read in its place; it rounds, or does not.
        act_quantize_func (callable, optional): the same for values.
        weight_preprocess_func (callable, optional): gets each weight, and returns what is rounded.
        act_preprocess_func (callable, optional): gets each value, and returns what is rounded;
            PACT is one.
        optimizer_func (callable, optional): returns an optimizer for the parameters that these
            functions make; needed where there are some and the graph has gradients.
        executor (Executor, optional): gives these parameters their first values. Default: one of
            the place.
        is_test (bool, optional): scales stay as they are. Default: as the graph says.

    Raises:
        ValueError: a type of quantisation or of operator that there is not.
        TypeError: what is to be a function is none.

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
            "weight_preprocess_func": weight_preprocess_func,
            "weight_quantize_func": weight_quantize_func,
            "act_preprocess_func": act_preprocess_func, "act_quantize_func": act_quantize_func,
            "optimizer_func": optimizer_func,
        }  # fmt: skip
        for name, value in functions.items():
            if value is not None and not callable(value):
                raise TypeError(
                    f"{_NAME}({name}): expected a function, but got {type(value).__name__}."
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
        self._functions = functions
        self._executor = executor

    def apply(self, graph: IrGraph) -> IrGraph:
        """Changes a graph, and returns it.

        Args:
            graph (IrGraph): of a Program for training or inference.
        """
        check_graph(graph, _NAME)
        test = graph.is_test() if self._is_test is None else self._is_test
        work = Inserter(graph, self._scope, self._place, test, self._rate, self._window)
        own = Functions(
            graph, work.scope, self._place, self._executor, self._functions["optimizer_func"],
            test, _NAME,
        )  # fmt: skip
        found: dict[tuple[str, int], IrVarNode] = {}
        for op in forward_ops(graph):
            if op.name() not in self._types or not has_weight(op):
                continue
            if skipped(op, self._skip):
                op.set_attr("skip_quant", True)
                continue
            self._op(work, own, op, found)
        done = own.backward(self._skip)
        others = {name: made for (name, _), made in found.items() if name not in done}
        redirect_gradients(graph, others, self._skip)
        graph.out_node_mapping_table = own.names  # type: ignore[attr-defined]
        return graph

    def _op(self, work: Inserter, own: Functions, op: IrOpNode, found: dict) -> None:
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
                    found[key] = self._through(work, own, node, weight, axis)
                own.read(name, op.name())
                work.graph.update_input_link(node, found[key], op)

    def _through(
        self, work: Inserter, own: Functions, node: IrVarNode, weight: bool, axis: int
    ) -> IrVarNode:
        kind, name = ("weight" if weight else "act"), node.name()
        before = self._functions[f"{kind}_preprocess_func"]
        instead = self._functions[f"{kind}_quantize_func"]
        if before is not None and instead is not None:
            node = own.put(node, lambda x: instead(before(x)))
        elif before is not None or instead is not None:
            node = own.put(node, before or instead)
        if instead is not None:
            return node
        bits = self._bits["weight" if weight else "activation"]
        if weight and self._weight == "channel_wise_abs_max":
            steps, scales = work.quantize_channels(node, bits, axis, name)
            return work.dequantize_channels(steps, scales, bits, axis)
        kind = self._weight if weight else self._activation
        steps, scale = work.quantize(node, kind, bits, name)
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
