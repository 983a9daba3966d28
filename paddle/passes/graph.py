"""The operators of a Program's global block as a graph in which each write makes a node of its own.

Passes that put in and take out operators by edges, as those of quantisation do, work on this;
``paddle.static.ir_graph`` gives them the names that 1.x knows them by.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from paddle.core.errors import InvalidArgumentError, NotFoundError
from paddle.ir.cloning import clone
from paddle.ir.needs import inner_names
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.ir.variable import Variable


class Node:
    """An operator or one value of a variable; edges go from the one to the other.

    Args:
        graph (Graph): where it belongs.
        name (str): the operator's type, or the variable's name.
        serial (int): tells the nodes of a graph apart; rising in the order in which they are made.

    Attributes:
        inputs (list[Node]): what it comes from.
        outputs (list[Node]): what comes from it.
    """

    def __init__(self, graph: Graph, name: str, serial: int) -> None:
        self.graph = graph
        self.name = name
        self.serial = serial
        self.inputs: list[Node] = []
        self.outputs: list[Node] = []
        self.view: Any = None  # what a public graph shows of it


class OpNode(Node):
    """An operator.

    Attributes:
        op (Operator): of the graph's own Program.
        place (int|None): its position in the Program that the graph was made of, if it was there.
    """

    def __init__(self, graph: Graph, op: Operator, serial: int, place: int | None) -> None:
        super().__init__(graph, op.type, serial)
        self.op = op
        self.place = place


class VarNode(Node):
    """A value of a variable: what it holds before any operator, or what one operator wrote.

    Attributes:
        var (Variable|None): in the graph's own Program; None for an edge of control alone.
    """

    def __init__(self, graph: Graph, name: str, serial: int, var: Variable | None) -> None:
        super().__init__(graph, name, serial)
        self.var = var


class Graph:
    """Operators and values of the global block of a copy of a Program.

    Args:
        program (Program): what to show. It is copied and stays as it is.
        name (str): what it is called in messages.

    Raises:
        TypeError: it is made of something else.
    """

    def __init__(self, program: Any, name: str = "Graph") -> None:
        source = described(program)
        if not isinstance(source, Program):
            raise TypeError(
                f"{name}: expected program.desc of a Program, but got {type(program).__name__}."
            )
        self.program = clone(source)
        self.block = self.program.global_block()
        self.ops: list[OpNode] = []
        self.values: list[VarNode] = []
        self._serial = 0
        latest: dict[str, VarNode] = {}
        for place, op in enumerate(self.block.ops):
            self._read_in(op, place, latest)

    def _read_in(self, op: Operator, place: int, latest: dict[str, VarNode]) -> None:
        node = self._op_node(op, place)
        inner = sorted(inner_names(op)) if self.program.num_blocks > 1 else []
        inner = [n for n in inner if self.block._find_var_recursive(n) is not None]
        for name in dict.fromkeys([*op.input_arg_names, *inner]):
            if name not in latest:
                latest[name] = self._value(name)
            link(latest[name], node)
        written = inner_writes(op) if inner else set()
        for name in dict.fromkeys([*op.output_arg_names, *(n for n in inner if n in written)]):
            latest[name] = self._value(name)
            link(node, latest[name])

    def _next(self) -> int:
        self._serial += 1
        return self._serial - 1

    def _op_node(self, op: Operator, place: int | None) -> OpNode:
        node = OpNode(self, op, self._next(), place)
        self.ops.append(node)
        return node

    def _value(self, name: str) -> VarNode:
        node = VarNode(self, name, self._next(), self.block._find_var_recursive(name))
        self.values.append(node)
        return node

    # -- what is added ----------------------------------------------------------------------------

    def add_value(self, name: str, **info: Any) -> VarNode:
        """Adds a value of a variable, which is made if there is none of that name.

        Args:
            name (str): the variable.
            **info: what a new variable is: ``type``, ``shape``, ``dtype``, ``persistable``, ...
        """
        if self.block._find_var_recursive(name) is None:
            self.block.create_var(name=name, **info)
        return self._value(name)

    def add_control(self) -> VarNode:
        """Adds a node that only says which of two operators comes first."""
        serial = self._next()
        node = VarNode(self, f"__control_var@{serial}", serial, None)
        self.values.append(node)
        return node

    def add_op(
        self,
        type: str,
        inputs: dict[str, list[str]],
        outputs: dict[str, list[str]],
        attrs: dict[str, Any],
    ) -> OpNode:
        """Adds an operator without edges.

        Args:
            type (str): its type.
            inputs (dict): slot -> names of variables.
            outputs (dict): slot -> names of variables.
            attrs (dict): its attributes.
        """
        return self._op_node(Operator(self.block, type, inputs, outputs, attrs), None)

    def remove(self, nodes: Iterable[Node]) -> None:
        """Takes out nodes and their edges.

        Args:
            nodes (iterable): which ones.
        """
        gone = {id(node) for node in nodes}
        for node in (*self.ops, *self.values):
            if id(node) in gone:
                for other in list(node.inputs):
                    unlink(other, node)
                for other in list(node.outputs):
                    unlink(node, other)
        self.ops = [node for node in self.ops if id(node) not in gone]
        self.values = [node for node in self.values if id(node) not in gone]

    # -- order ------------------------------------------------------------------------------------

    def before(self) -> dict[int, list[OpNode]]:
        """For each operator, by its serial number, those that must come before it.

        An operator comes after those that write what it reads, and after those that read what it
        overwrites.
        """
        found: dict[int, dict[int, OpNode]] = {node.serial: {} for node in self.ops}

        def put(first: Node, then: Node) -> None:
            if first is not then and isinstance(first, OpNode):
                found[then.serial][first.serial] = first

        for node in self.ops:
            for read in node.inputs:
                for writer in read.inputs:
                    put(writer, node)
        versions: dict[str, list[VarNode]] = {}
        for value in self.values:
            if value.var is not None and (value.inputs or value.outputs):
                versions.setdefault(value.name, []).append(value)
        for chain in versions.values():
            for old, new in itertools.pairwise(chain):
                for writer in new.inputs:
                    for other in (*old.inputs, *old.outputs):
                        put(other, writer)
        return {serial: sorted(ops.values(), key=_by_serial) for serial, ops in found.items()}

    def sorted_ops(self) -> list[OpNode]:
        """Returns the operators in an order in which they can run, as close to the old as possible.

        Raises:
            ValueError: there is none, because the graph has a circle.
        """
        before = self.before()
        done: dict[int, OpNode] = {}
        entered: set[int] = set()
        for root in sorted(self.ops, key=lambda node: _place(node, before)):
            stack = [(root, False)]
            while stack:
                node, complete = stack.pop()
                if node.serial in done:
                    continue
                if complete:
                    done[node.serial] = node
                    continue
                if node.serial in entered:
                    raise InvalidArgumentError(
                        f"graph: operator {node.name} (writes {node.op.output_arg_names}) depends "
                        "on its own result. Expected a graph without circles."
                    )
                entered.add(node.serial)
                stack.append((node, True))
                stack += [(n, False) for n in reversed(before[node.serial]) if n.serial not in done]
        return list(done.values())

    def to_program(self) -> Program:
        """Returns a Program of the operators, in order, and of the variables that they use.

        Raises:
            ValueError: the graph has a circle.
            NotFoundError: an operator uses a variable that there is not.
        """
        order = [node.op for node in self.sorted_ops()]
        old = self.block.ops
        try:
            self.block.ops = order
            made = clone(self.program)
        finally:
            self.block.ops = old
        block = made.global_block()
        used = {node.name for node in self.values if node.var is not None}
        for op in block.ops:
            inner = inner_names(op)
            for name in {*op.input_arg_names, *op.output_arg_names}:
                if block._find_var_recursive(name) is None:
                    raise NotFoundError(
                        f"graph: operator {op.type} uses variable {name!r}, of which the graph has "
                        "no node. Make one with create_var_node."
                    )
                used.add(name)
            used |= inner
        block.vars = {name: var for name, var in block.vars.items() if name in used}
        return made


def described(shown: Any) -> Any:
    """The Program, operator or variable that a description shows; what is none stays."""
    return getattr(shown, "_of", shown)


def inner_writes(op: Operator) -> set[str]:
    """Names that operators in the sub-blocks of an operator write."""
    found: set[str] = set()
    for sub in op.sub_blocks:
        for inner in sub.ops:
            found |= {n for n in inner.output_arg_names if n not in sub.vars} | inner_writes(inner)
    return found


def link(first: Node, then: Node) -> None:
    """Adds an edge, unless it is there."""
    if all(other is not then for other in first.outputs):
        first.outputs.append(then)
    if all(other is not first for other in then.inputs):
        then.inputs.append(first)


def unlink(first: Node, then: Node) -> None:
    """Takes out an edge."""
    first.outputs = [node for node in first.outputs if node is not then]
    then.inputs = [node for node in then.inputs if node is not first]


def _by_serial(node: Node) -> int:
    return node.serial


def _place(node: OpNode, before: dict[int, list[OpNode]]) -> tuple[int, int]:
    """Where an operator stands if nothing needs it: as before, or behind what it reads from."""
    if node.place is not None:
        return node.place, -1
    places = [n.place for n in before[node.serial] if n.place is not None]
    return max(places, default=-1), node.serial
