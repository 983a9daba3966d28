"""What the passes have in common: operators of fake quantisation put into an IrGraph by edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core import unique_name
from paddle.core.errors import InvalidArgumentError
from paddle.executor.scope import global_scope
from paddle.ir.operator import Role
from paddle.quantization.numbers import put, top_step
from paddle.static.ir_graph import IrGraph, IrOpNode, IrVarNode

FIRST_SCALE = 0.001  # before any batch was seen, as PaddlePaddle has it


def check_graph(graph: Any, name: str) -> None:
    """Refuses what is no IrGraph."""
    if not isinstance(graph, IrGraph):
        raise TypeError(
            f"{name}.apply(graph): expected an IrGraph, made by "
            f"IrGraph(core.Graph(program.desc)), but got {type(graph).__name__}."
        )


def check_choice(value: Any, allowed: tuple[str, ...], what: str) -> None:
    """Refuses what is none of some strings."""
    if value not in allowed:
        raise InvalidArgumentError(f"{what}: expected one of {list(allowed)}, but got {value!r}.")


def forward_ops(graph: IrGraph) -> list[IrOpNode]:
    """The operators that are not of backward or optimizer, in order."""
    later = Role.BACKWARD | Role.OPTIMIZE | Role.LR_SCHED
    return [op for op in graph.topology_sort() if not op.node.op.role & later]


def skipped(op: IrOpNode, patterns: list[str]) -> bool:
    """Whether an operator is within a name scope that is left alone."""
    scope = op.node.op.attrs.get("op_namescope", "/")
    return any(pattern in scope for pattern in patterns)


def check_patterns(patterns: Any, name: str) -> list[str]:
    """``skip_pattern`` as a list."""
    found = [patterns] if isinstance(patterns, str) else list(patterns or [])
    if not all(isinstance(p, str) for p in found):
        raise InvalidArgumentError(f"{name}(skip_pattern): expected strings, but got {patterns!r}.")
    return found


def source(op: IrOpNode, name: str) -> IrVarNode:
    """The value that an operator reads under a name."""
    return next(node for node in op.inputs if node.is_var() and node.name() == name)


def target(op: IrOpNode, name: str) -> IrVarNode:
    """The value that an operator writes under a name."""
    return next(node for node in op.outputs if node.is_var() and node.name() == name)


class Inserter:
    """Puts operators of fake quantisation into one graph.

    Args:
        graph (IrGraph): where.
        scope (Scope|None): where scales are kept; None means the global one.
        place (Place|None): where their memory is; None means the CPU.
        is_test (bool): scales stay as they are.
        moving_rate (float): how much of the average of scales stays at each batch.
        window_size (int): batches that ``range_abs_max`` looks back on.
    """

    def __init__(
        self,
        graph: IrGraph,
        scope: Any,
        place: Any,
        is_test: bool,
        moving_rate: float = 0.9,
        window_size: int = 10000,
    ) -> None:
        self.graph = graph
        self.scope = global_scope() if scope is None else scope
        self.place = place
        self.is_test = is_test
        self.moving_rate = moving_rate
        self.window_size = window_size
        self._counter: IrVarNode | None = None

    def add(self, kind: str, attrs: dict, inputs: dict, outputs: dict) -> IrOpNode:
        """Adds an operator with its edges.

        Args:
            kind (str): its type.
            attrs (dict): its attributes.
            inputs (dict): slot -> node, or list of nodes.
            outputs (dict): slot -> node.
        """
        op = self.graph.create_op_node(
            kind, {**attrs, "op_role": int(Role.FORWARD)}, inputs, outputs
        )
        for nodes in inputs.values():
            for node in nodes if isinstance(nodes, list) else [nodes]:
                self.graph.link_to(node, op)
        for node in outputs.values():
            self.graph.link_to(op, node)
        return op

    def stored(self, name: str, first: np.ndarray, like: IrVarNode) -> IrVarNode:
        """A variable that outlives a run, with its first value in the scope."""
        first = np.asarray(first, "float32")
        put(self.scope, name, first, self.place)
        node = self.graph.create_persistable_node(
            name, like.type(), list(first.shape), like.dtype()
        )
        node.node.var.stop_gradient = True  # type: ignore[union-attr]
        return node

    def again(self, node: IrVarNode) -> IrVarNode:
        """The value of a variable that an operator overwrites."""
        return self.graph.create_var_node_from_desc(node.var())

    def like(self, name: str, node: IrVarNode, shape: Any = None) -> IrVarNode:
        """A value of a new variable of the same shape and type."""
        return self.graph.create_var_node(
            name, node.type(), node.shape() if shape is None else shape, node.dtype()
        )

    # -- to steps ---------------------------------------------------------------------------------

    def quantize(
        self, x: IrVarNode, kind: str, bits: int, name: str | None = None
    ) -> tuple[IrVarNode, IrVarNode]:
        """Makes steps of a value; returns them and their scale.

        Args:
            x (IrVarNode): the value.
            kind (str): one of ``ACTIVATION_TYPES``.
            bits (int): how many bits a step has.
            name (str, optional): steps and scale are called after it. Default: the value's.
        """
        name = x.name() if name is None else name
        out = self.like(f"{name}.quantized", x)
        scale = self._scaled(f"fake_quantize_{kind}", x, out, f"{name}.scale", bits, "")
        return out, scale

    def round(self, x: IrVarNode, bits: int) -> IrVarNode:
        """Makes steps of a value and values of them; returns these."""
        top_step(bits)
        out = self.like(f"{x.name()}.quant_dequant", x)
        kind = "fake_quantize_dequantize_moving_average_abs_max"
        self._scaled(kind, x, out, f"{out.name()}.scale", bits, "quant_dequant.")
        return out

    def _scaled(
        self, kind: str, x: IrVarNode, out: IrVarNode, scale: str, bits: int, prefix: str
    ) -> IrVarNode:
        top_step(bits)
        attrs: dict[str, Any] = {"bit_length": bits}
        if kind == "fake_quantize_abs_max":
            made = self.like(scale, x, [1])
            self.add(kind, attrs, {"X": x}, {"Out": out, "OutScale": made})
            return made
        attrs["is_test"] = self.is_test
        before = self.stored(scale, np.array([FIRST_SCALE]), x)
        after = self.again(before)
        inputs, outputs = {"X": x, "InScale": before}, {"Out": out, "OutScale": after}
        if kind == "fake_quantize_range_abs_max":
            attrs["window_size"] = self.window_size
            if not self.is_test:
                window = unique_name.generate("scales")
                outputs["OutScales"] = self.stored(window, np.zeros(self.window_size), x)
                inputs["Iter"] = self._steps()
        else:
            attrs["moving_rate"] = self.moving_rate
            if not self.is_test:
                self.add_state(prefix, x, inputs, outputs)
        self.add(kind, attrs, inputs, outputs)
        return after

    def add_state(self, prefix: str, x: IrVarNode, inputs: dict, outputs: dict) -> None:
        """Adds the variables of which a moving average is made."""
        for slot, name in (("State", "state"), ("Accum", "accum")):
            made = self.stored(unique_name.generate(prefix + name), np.ones(1), x)
            inputs[f"In{slot}"], outputs[f"Out{slot}"] = made, self.again(made)

    def _steps(self) -> IrVarNode:
        """The number of batches so far."""
        if self._counter is None:
            name = "@STEP_COUNTER@"
            put(self.scope, name, np.zeros(1, "int64"), self.place)
            before = self.graph.create_persistable_node(name, None, [1], "int64")
            self._counter = self.again(before)
            self.add("increment", {"step": 1.0}, {"X": before}, {"Out": self._counter})
        return self._counter

    def quantize_channels(
        self, x: IrVarNode, bits: int, axis: int, name: str | None = None
    ) -> tuple[IrVarNode, IrVarNode]:
        """Makes steps of a weight, with a scale for each channel; returns them and the scales.

        Args:
            x (IrVarNode): the weight.
            bits (int): how many bits a step has.
            axis (int): the axis of channels.
            name (str, optional): steps and scales are called after it. Default: the weight's.
        """
        top_step(bits)
        name = x.name() if name is None else name
        out = self.like(f"{name}.quantized", x)
        scale = self.like(f"{name}.scale", x, [x.shape()[axis]])
        attrs = {"bit_length": bits, "quant_axis": axis, "is_test": False}
        kind = "fake_channel_wise_quantize_abs_max"
        self.add(kind, attrs, {"X": x}, {"Out": out, "OutScale": scale})
        return out, scale

    # -- back -------------------------------------------------------------------------------------

    def dequantize(self, steps: IrVarNode, scale: IrVarNode, bits: int) -> IrVarNode:
        """Makes values of steps."""
        out = self.like(f"{steps.name()}.dequantized", steps)
        attrs = {"max_range": float(top_step(bits))}
        self.add("fake_dequantize_max_abs", attrs, {"X": steps, "Scale": scale}, {"Out": out})
        return out

    def dequantize_channels(
        self, steps: IrVarNode, scale: IrVarNode, bits: int, axis: int
    ) -> IrVarNode:
        """Makes values of a weight's steps."""
        out = self.like(f"{steps.name()}.dequantized", steps)
        attrs = {"quant_bits": [bits], "quant_axis": axis}
        kind = "fake_channel_wise_dequantize_max_abs"
        self.add(kind, attrs, {"X": steps, "Scales": [scale]}, {"Out": out})
        return out
