"""IrGraph: a Program as a graph, by the names of 1.x, for passes that change it.

It and its nodes (``ir_nodes.py``) show ``paddle.passes.graph``, and hold nothing of their own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from typing import Any

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, NotFoundError
from paddle.ir.operator import EMPTY
from paddle.ir.program import Program
from paddle.passes.graph import Graph, described, link, unlink
from paddle.static.ir_nodes import IrNode, IrOpNode, IrVarNode, view

__all__ = ["Graph", "IrGraph", "IrNode", "IrOpNode", "IrVarNode"]


class IrGraph:
    """A Program as a graph of operators and values of variables.

    Args:
        graph (core.Graph): ``core.Graph(program.desc)``; the Program itself stays as it is.
        for_test (bool): the Program is for inference. Default: False.

    Raises:
        TypeError: ``graph`` is no ``core.Graph``.

    Examples:
        .. code-block:: python

            import paddle
            from paddle import static
            from paddle.static.ir_graph import Graph, IrGraph
            paddle.enable_static()
            main = static.Program()
            with static.program_guard(main, static.Program()):
                paddle.nn.functional.relu(static.data("x", [2, 3]))
            graph = IrGraph(Graph(main.desc), for_test=True)
            print([op.name() for op in graph.all_op_nodes()])  # ['relu']
            print(graph.to_program().global_block().ops[0].type)  # relu
            paddle.disable_static()
    """

    def __init__(self, graph: Graph, for_test: bool = False) -> None:
        if not isinstance(graph, Graph):
            raise TypeError(
                "IrGraph(graph): expected core.Graph(program.desc), "
                f"but got {type(graph).__name__}."
            )
        self.graph = graph
        self._for_test = for_test

    def clone(self) -> IrGraph:
        """Returns a graph of its own of the same operators."""
        return IrGraph(Graph(self.graph.to_program()), self._for_test)

    def is_test(self) -> bool:
        """Says whether it is for inference."""
        return self._for_test

    # -- nodes ------------------------------------------------------------------------------------

    def all_nodes(self) -> set[IrNode]:
        """Returns all nodes."""
        return {*self.all_op_nodes(), *map(view, self.graph.values)}

    def all_op_nodes(self) -> set[IrOpNode]:
        """Returns the operators."""
        return {view(node) for node in self.graph.ops}

    def all_var_nodes(self) -> set[IrVarNode]:
        """Returns the values of variables, one for each time that one is written."""
        return {view(node) for node in self.graph.values if node.var is not None}

    def all_persistable_nodes(self) -> set[IrVarNode]:
        """Returns the values of variables that outlive a run."""
        return {node for node in self.all_var_nodes() if node.persistable()}

    def var_node(self, name: str) -> IrVarNode:
        """Returns a value of a variable, the first one.

        Args:
            name (str): the variable.

        Raises:
            ValueError: there is none.
        """
        for node in self.graph.values:
            if node.name == name and node.var is not None:
                return view(node)
        raise InvalidArgumentError(f"IrGraph: expected a variable, but there is no {name!r}.")

    _var_node = var_node

    def _find_node_by_name(self, nodes: Iterable[IrNode], node_name: str) -> Any:
        for node in nodes:
            if node.name() == node_name:
                return node
        raise NotFoundError(f"IrGraph: none of these nodes is called {node_name!r}.")

    def create_persistable_node(
        self, name: str, var_type: Any, shape: Any, var_dtype: Any
    ) -> IrVarNode:
        """Adds a value of a variable that outlives a run.

        Args:
            name (str): its name.
            var_type (VarType): its kind.
            shape (list): its shape.
            var_dtype (VarType): its data type.
        """
        return self._create(name, var_type, shape, var_dtype, persistable=True)

    def create_var_node(self, name: str, var_type: Any, shape: Any, var_dtype: Any) -> IrVarNode:
        """Adds a value of a variable.

        Args:
            name (str): its name.
            var_type (VarType): its kind.
            shape (list): its shape.
            var_dtype (VarType): its data type.
        """
        return self._create(name, var_type, shape, var_dtype, persistable=False)

    def _create(self, name: str, kind: Any, shape: Any, dtype: Any, **more: Any) -> IrVarNode:
        if not isinstance(name, str):
            raise TypeError(f"IrGraph: expected a name of a variable, but got {name!r}.")
        kind = VarType.LOD_TENSOR if kind is None else kind
        made = self.graph.add_value(name, type=kind, shape=list(shape), dtype=dtype, **more)
        return view(made)

    def create_var_node_from_desc(self, var_desc: Any) -> IrVarNode:
        """Adds another value of a variable, or one that looks like a variable of another Program.

        Args:
            var_desc (VarDesc): what ``node.var()`` returned.
        """
        var = described(var_desc)
        if self.graph.block._find_var_recursive(var.name) is None:
            self.graph.block._clone_variable(var, force_persistable=False)
        return view(self.graph.add_value(var.name))

    def create_control_dep_var(self) -> IrVarNode:
        """Adds an edge of control: link it between two operators."""
        return view(self.graph.add_control())

    def create_op_node(self, op_type: str, attrs: Any, inputs: Any, outputs: Any) -> IrOpNode:
        """Adds an operator; :meth:`link_to` adds its edges.

        Args:
            op_type (str): its type.
            attrs (dict): its attributes.
            inputs (dict): slot -> node or list of nodes.
            outputs (dict): slot -> node or list of nodes.
        """
        made = self.graph.add_op(op_type, _names(inputs), _names(outputs), _plain(attrs))
        return view(made)

    def create_op_node_from_desc(self, op_desc: Any) -> IrOpNode:
        """Adds an operator like another one, without edges.

        Args:
            op_desc (OpDesc): what ``node.op()`` returned.
        """
        op = described(op_desc)
        inputs = {slot: list(names) for slot, names in op.inputs.items()}
        outputs = {slot: list(names) for slot, names in op.outputs.items()}
        return view(self.graph.add_op(op.type, inputs, outputs, dict(op.attrs)))

    # -- edges ------------------------------------------------------------------------------------

    def link_to(self, node_in: IrNode, node_out: IrNode) -> None:
        """Adds an edge.

        Args:
            node_in (IrNode): where it comes from.
            node_out (IrNode): where it goes.
        """
        self._own(node_in, node_out)
        if node_in.is_op() == node_out.is_op():
            raise InvalidArgumentError(
                "IrGraph.link_to: expected an edge between an operator and a variable, but "
                f"{node_in.name()!r} and {node_out.name()!r} are both {node_in.node_type().value}s."
            )
        link(node_in.node, node_out.node)

    def update_input_link(
        self, old_input_node: IrNode, new_input_node: IrNode, op_node: IrOpNode
    ) -> None:
        """Lets an operator read another value.

        Args:
            old_input_node (IrNode): what it reads.
            new_input_node (IrNode): what it reads from now on.
            op_node (IrOpNode): the operator.
        """
        self._own(old_input_node, new_input_node, op_node)
        unlink(old_input_node.node, op_node.node)
        link(new_input_node.node, op_node.node)
        op_node.rename_input(old_input_node.name(), new_input_node.name())

    def update_output_link(
        self, old_output_node: IrNode, new_output_node: IrNode, op_node: IrOpNode
    ) -> None:
        """Lets an operator write another value.

        Args:
            old_output_node (IrNode): what it writes.
            new_output_node (IrNode): what it writes from now on.
            op_node (IrOpNode): the operator.
        """
        self._own(old_output_node, new_output_node, op_node)
        unlink(op_node.node, old_output_node.node)
        link(op_node.node, new_output_node.node)
        op_node.rename_output(old_output_node.name(), new_output_node.name())

    def _own(self, *nodes: IrNode) -> None:
        for node in nodes:
            if not isinstance(node, IrNode):
                raise TypeError(f"IrGraph: expected a node, but got {type(node).__name__}.")
            if node.node.graph is not self.graph:
                raise InvalidArgumentError(
                    f"IrGraph: expected nodes of this graph, but {node.name()!r} is of another."
                )

    def safe_remove_nodes(self, remove_nodes: Any) -> None:
        """Takes out nodes and their edges.

        Args:
            remove_nodes (set|IrNode): which ones.
        """
        nodes = [remove_nodes] if isinstance(remove_nodes, IrNode) else list(remove_nodes)
        self._own(*nodes)
        self.graph.remove(node.node for node in nodes)

    def resolve_hazard(self) -> None:
        """Adds edges of control where a variable is overwritten that others read before."""
        for serial, before in self.graph.before().items():
            node = next(n for n in self.graph.ops if n.serial == serial)
            ahead = {w.serial for value in node.inputs for w in value.inputs}
            for other in before:
                if other.serial not in ahead:
                    control = self.graph.add_control()
                    link(other, control)
                    link(control, node)

    # -- order ------------------------------------------------------------------------------------

    def has_circle(self) -> bool:
        """Says whether an operator depends on its own result."""
        try:
            self.graph.sorted_ops()
        except InvalidArgumentError:
            return True
        return False

    def topology_sort(self) -> list[IrOpNode]:
        """Returns the operators in an order in which they can run.

        Raises:
            ValueError: there is none.
        """
        return [view(node) for node in self.graph.sorted_ops()]

    def build_adjacency_list(self) -> dict[IrNode, set[IrNode]]:
        """Returns for each operator those that must come before it."""
        before = self.graph.before()
        return {view(node): {view(n) for n in before[node.serial]} for node in self.graph.ops}

    def graph_num(self) -> int:
        """Returns how many parts the graph falls into that no edge joins."""
        open_, parts = {id(n): n for n in (*self.graph.ops, *self.graph.values)}, 0
        while open_:
            parts += 1
            reached = [open_.popitem()[1]]
            while reached:
                node = reached.pop()
                for other in (*node.inputs, *node.outputs):
                    if open_.pop(id(other), None) is not None:
                        reached.append(other)
        return parts

    # -- out of it --------------------------------------------------------------------------------

    def to_program(self) -> Program:
        """Returns a Program of the operators in order. Parameters stay Parameters.

        Raises:
            ValueError: the graph has a circle.
        """
        return self.graph.to_program()

    def draw(
        self, save_path: str, name: str, marked_nodes: Any = None, remove_ctr_var: bool = True
    ) -> None:
        """Writes the graph for Graphviz, ``NAME.dot``, and as PDF where ``dot`` is installed.

        Args:
            save_path (str): the folder; it is made if needed.
            name (str): the file without its end.
            marked_nodes (set, optional): nodes in another colour.
            remove_ctr_var (bool): leave edges of control out. Default: True.
        """
        marked = set() if marked_nodes is None else set(marked_nodes)
        lines = ["digraph G {"]
        shown = [n for n in self.all_nodes() if not (remove_ctr_var and n.is_ctrl_var())]
        for node in sorted(shown, key=IrNode.id):
            shape = "box" if node.is_op() else "ellipse"
            fill = ", style=filled, fillcolor=yellow" if node in marked else ""
            label = node.name().replace("\\", "\\\\").replace('"', '\\"')
            lines.append(f'  node_{node.id()} [label="{label}", shape={shape}{fill}];')
            lines += [f"  node_{node.id()} -> node_{o.id()};" for o in node.outputs if o in shown]
        os.makedirs(save_path, exist_ok=True)
        path = os.path.join(save_path, f"{name}.dot")
        with open(path, "w", encoding="utf8") as file:
            file.write("\n".join([*lines, "}", ""]))
        if shutil.which("dot"):
            subprocess.run(["dot", "-Tpdf", path, "-o", f"{path[:-4]}.pdf"], check=False)


def _names(slots: Any) -> dict[str, list[str]]:
    found = {}
    for slot, value in (slots or {}).items():
        nodes = value if isinstance(value, (list, tuple, set)) else [value]
        for node in nodes:
            if node is not None and not isinstance(node, IrNode):
                raise TypeError(
                    f"IrGraph.create_op_node: expected nodes in slot {slot!r}, but got "
                    f"{type(node).__name__}."
                )
        found[slot] = [EMPTY if node is None else node.name() for node in nodes]
    return found


def _plain(attrs: Any) -> dict[str, Any]:
    """Attributes; those of NumPy become Python's."""
    return {k: v.item() if hasattr(v, "item") else v for k, v in (attrs or {}).items()}
