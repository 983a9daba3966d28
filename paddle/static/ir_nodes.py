"""The nodes of an IrGraph: operators and values of variables."""

from __future__ import annotations

import enum
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.passes.graph import Node, OpNode, VarNode, link, unlink

__all__ = ["IrNode", "IrOpNode", "IrVarNode", "NodeType"]


class NodeType(str, enum.Enum):
    """The kinds of nodes."""

    Operation = "operation"
    Variable = "variable"


class IrNode:
    """A node of an :class:`IrGraph`; ``core.Node`` is the same class.

    Args:
        node (Node|IrNode): what it shows.

    Raises:
        TypeError: it is made of something else.
    """

    Type = NodeType
    node: Node

    def __init__(self, node: Node | IrNode) -> None:
        found = node.node if isinstance(node, IrNode) else node
        if not isinstance(found, Node):
            raise TypeError(f"IrNode: expected a node of a graph, but got {type(node).__name__}.")
        self.node = found

    def __hash__(self) -> int:
        return self.node.serial

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IrNode) and other.node is self.node

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.node.name!r}, id={self.node.serial})"

    def name(self) -> str:
        """Returns the name of the variable, or the type of the operator."""
        return self.node.name

    def node_type(self) -> NodeType:
        """Returns ``Node.Type.Operation`` or ``Node.Type.Variable``."""
        return NodeType.Operation if isinstance(self.node, OpNode) else NodeType.Variable

    def id(self) -> int:
        """Returns a number that no other node of the graph has."""
        return self.node.serial

    def is_op(self) -> bool:
        """Says whether it is an operator."""
        return isinstance(self.node, OpNode)

    def is_var(self) -> bool:
        """Says whether it is a variable; edges of control are none."""
        return isinstance(self.node, VarNode) and self.node.var is not None

    def is_ctrl_var(self) -> bool:
        """Says whether it only orders two operators."""
        return isinstance(self.node, VarNode) and self.node.var is None

    def var(self) -> Any:
        """Returns the description of the variable; None if it has none."""
        found = getattr(self.node, "var", None)
        return None if found is None else found.desc

    def op(self) -> Any:
        """Returns the description of the operator; None if it is a variable."""
        found = getattr(self.node, "op", None)
        return None if found is None else found.desc

    @property
    def inputs(self) -> list[Any]:
        """The nodes that it comes from."""
        return [view(node) for node in self.node.inputs]

    @property
    def outputs(self) -> list[Any]:
        """The nodes that come from it."""
        return [view(node) for node in self.node.outputs]

    def clear_inputs(self) -> None:
        """Takes out the edges to it."""
        for other in list(self.node.inputs):
            unlink(other, self.node)

    def clear_outputs(self) -> None:
        """Takes out the edges from it."""
        for other in list(self.node.outputs):
            unlink(self.node, other)

    def append_input(self, node: IrNode) -> None:
        """Adds an edge to it.

        Args:
            node (IrNode): where the edge comes from.
        """
        link(node.node, self.node)

    def append_output(self, node: IrNode) -> None:
        """Adds an edge from it.

        Args:
            node (IrNode): where the edge goes.
        """
        link(self.node, node.node)

    def remove_input(self, node: IrNode) -> None:
        """Takes out an edge to it.

        Args:
            node (IrNode): where the edge comes from.
        """
        unlink(node.node, self.node)

    def remove_output(self, node: IrNode) -> None:
        """Takes out an edge from it.

        Args:
            node (IrNode): where the edge goes.
        """
        unlink(self.node, node.node)

    def remove_input_by_id(self, node_id: int) -> None:
        """Takes out an edge to it.

        Args:
            node_id (int): the ``id()`` of the node that the edge comes from.
        """
        for other in [n for n in self.node.inputs if n.serial == node_id]:
            unlink(other, self.node)

    def remove_output_by_id(self, node_id: int) -> None:
        """Takes out an edge from it.

        Args:
            node_id (int): the ``id()`` of the node that the edge goes to.
        """
        for other in [n for n in self.node.outputs if n.serial == node_id]:
            unlink(self.node, other)


class IrVarNode(IrNode):
    """A value of a variable.

    Args:
        node (VarNode): what it shows.
    """

    node: VarNode

    def _variable(self) -> Any:
        if self.node.var is None:
            raise InvalidArgumentError(
                f"IrVarNode {self.node.name!r} is an edge of control and has no variable."
            )
        return self.node.var

    def persistable(self) -> bool:
        """Says whether the variable outlives a run."""
        return self._variable().persistable

    def type(self) -> Any:
        """Returns the kind of variable."""
        return self._variable().type

    def dtype(self) -> Any:
        """Returns the data type."""
        return self._variable().dtype

    def shape(self) -> list[int]:
        """Returns the shape; -1 stands for an unknown size."""
        return list(self._variable().shape)

    def set_shape(self, shape: Any) -> None:
        """Gives the variable another shape.

        Args:
            shape (list): the sizes; -1 stands for an unknown one.
        """
        self._variable().shape = shape


class IrOpNode(IrNode):
    """An operator.

    Args:
        node (OpNode): what it shows.
    """

    node: OpNode

    def rename_input(self, old_input_name: str, new_input_name: str) -> None:
        """Lets it read another variable; the edges stay.

        Args:
            old_input_name (str): what it reads.
            new_input_name (str): what it reads from now on.
        """
        self.node.op._rename_input(old_input_name, new_input_name)

    def rename_output(self, old_output_name: str, new_output_name: str) -> None:
        """Lets it write another variable; the edges stay.

        Args:
            old_output_name (str): what it writes.
            new_output_name (str): what it writes from now on.
        """
        self.node.op._rename_output(old_output_name, new_output_name)

    def input(self, name: str) -> list[str]:
        """Returns the names in an input slot.

        Args:
            name (str): the slot.
        """
        return self.node.op.input(name)

    def output(self, name: str) -> list[str]:
        """Returns the names in an output slot.

        Args:
            name (str): the slot.
        """
        return self.node.op.output(name)

    def input_arg_names(self) -> list[str]:
        """Returns the names of all that it reads."""
        return self.node.op.input_arg_names

    def output_arg_names(self) -> list[str]:
        """Returns the names of all that it writes."""
        return self.node.op.output_arg_names

    def set_type(self, new_type: str) -> None:
        """Makes it another operator, with the same slots and attributes.

        Args:
            new_type (str): its type.
        """
        self.node.op.type = new_type
        self.node.name = new_type

    def set_attr(self, name: str, val: Any) -> None:
        """Sets an attribute.

        Args:
            name (str): which one.
            val: its value.
        """
        self.node.op._set_attr(name, val)


def view(node: Node) -> Any:
    """The one public node that shows a node."""
    if node.view is None:
        node.view = IrOpNode(node) if isinstance(node, OpNode) else IrVarNode(node)
    return node.view
