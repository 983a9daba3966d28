"""Methods of Program, Block, Operator, Variable and Graph that reach beyond the graph itself.

Copies, text, bytes, values in a scope and hooks need modules that lie above ``paddle/ir``. So the
classes there know nothing of them; ``import paddle`` attaches these methods, as
``paddle/tensor/methods.py`` does for Tensor. Type checkers read the stubs that
``scripts/make_stubs.py`` writes.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from paddle.core.errors import NotFoundError
from paddle.core.guards import guard_methods
from paddle.framework.by_name import trace
from paddle.framework.dygraph import tensor_to_fill
from paddle.ir.block import Block
from paddle.ir.current import default_main_program
from paddle.ir.operator import Operator, here
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.passes.graph import Graph
from paddle.static.ir_graph import IrGraph


class OperatorMethods:
    """What is attached to Operator."""

    __slots__ = ()

    @property
    def desc(self: Any) -> Any:
        """What it is, to be read in the way of 2.0: ``op.desc.type()``."""
        from paddle.serialization.program.desc import OpDesc

        return OpDesc(self)

    def to_string(self: Any, throw_on_error: bool = False) -> str:
        """Returns the operator in the text format of its protobuf message.

        Args:
            throw_on_error (bool): fail where a required field is not set. Default: False.
        """
        from paddle.serialization.program.text_format import operator_details

        return operator_details(self, throw_on_error)

    def __repr__(self: Any) -> str:
        from paddle.ir.text.printing import operator_line

        return operator_line(self)

    __str__ = __repr__


class BlockMethods:
    """What is attached to Block."""

    @property
    def desc(self: Any) -> Any:
        """What it is, to be read in the way of 2.0: ``block.desc.op_size()``."""
        from paddle.serialization.program.desc import BlockDesc

        return BlockDesc(self)

    def _is_default(self: Any) -> bool:
        return self.program is default_main_program()

    _create_tensor = staticmethod(tensor_to_fill)

    def _run_op(
        self: Any, type: Any, inputs: dict, outputs: dict, attrs: dict, stop_gradient: bool
    ) -> Operator:
        trace("Block.append_op", type, inputs, outputs, attrs, stop_gradient)
        return Operator(self, type, attrs=dict(attrs))

    def to_string(self: Any, throw_on_error: bool = False, with_details: bool = False) -> str:
        """Returns the block in the text format of its protobuf message.

        Args:
            throw_on_error (bool): fail where a required field is not set. Default: False.
            with_details (bool): add what is not serialized. Default: False.
        """
        from paddle.serialization.program.text_format import block_details

        return block_details(self, throw_on_error, with_details)

    def __repr__(self: Any) -> str:
        from paddle.ir.text.printing import block_text

        return block_text(self)

    __str__ = __repr__


class VariableMethods:
    """What is attached to Variable."""

    def register_hook(self: Any, hook: Any) -> Any:
        """Calls ``hook(gradient)`` where the Program's gradient of this variable is computed.

        The hook is recorded: it runs once, on a Variable, and its operators go to where gradients
        are added later.

        Args:
            hook (callable): takes the gradient; what it returns (unless None) replaces it.

        Returns:
            An object whose ``remove()`` takes the hook off, for gradients that are added later.

        Examples:
            .. code-block:: python

                import paddle
                import paddle.static as static
                paddle.enable_static()
                with static.program_guard(static.Program(), static.Program()):
                    x = static.data("x", [2])
                    x.stop_gradient = False
                    y = x * x
                    y.register_hook(lambda gradient: gradient * 10.0)
                    g, = static.gradients(y, x)
                    found = static.Executor().run(feed={"x": [1.0, 2.0]}, fetch_list=[g])
                print(found[0])  # [20. 40.]
                paddle.disable_static()
        """
        from paddle.ir.autodiff.custom_gradients import record_hook

        return record_hook(self, hook)

    def get_value(self: Any, scope: Any = None) -> Any:
        """Returns the Tensor that a scope holds for this variable.

        Args:
            scope (Scope, optional): None means the global one.
        """
        from paddle.executor.scope import holder

        return holder(self, scope)

    def set_value(self: Any, value: Any, scope: Any = None) -> Any:
        """Puts a value into a scope; in a Program this is how a parameter is overwritten.

        Args:
            value (Tensor|np.ndarray): of the variable's shape.
            scope (Scope, optional): None means the global one.
        """
        from paddle.executor.scope import put

        put(self, value, scope)

    @property
    def desc(self: Any) -> Any:
        """What it is, to be read in the way of 2.0: ``x.desc.type()``."""
        from paddle.serialization.program.desc import VarDesc

        return VarDesc(self)

    def to_string(self: Any, throw_on_error: bool, with_details: bool = False) -> str:
        """Returns a description.

        Args:
            throw_on_error (bool): fail where a required field is not set.
            with_details (bool): add what is not serialized. Default: False.
        """
        from paddle.serialization.program.text_format import variable_details

        return variable_details(self, throw_on_error, with_details)

    def __repr__(self: Any) -> str:
        from paddle.ir.text.printing import variable_line

        return variable_line(self)

    __str__ = __repr__


class ProgramMethods:
    """What is attached to Program."""

    def state_dict(self: Any, mode: str = "all", scope: Any = None) -> dict[str, Any]:
        """Returns the persistable variables' values by name.

        Args:
            mode (str): ``"param"``: parameters, ``"opt"``: what optimizers keep, ``"all"``.
            scope (Scope, optional): where the values are; None means the global one.

        Returns:
            dict: name -> Tensor.
        """
        from paddle.serialization.program_state import program_state

        return program_state(self, mode, scope)

    def set_state_dict(self: Any, state_dict: dict[str, Any], scope: Any = None) -> None:
        """Gives persistable variables the values of :meth:`state_dict`.

        Args:
            state_dict (dict): name -> Tensor or array.
            scope (Scope, optional): where the values go; None means the global one.
        """
        from paddle.serialization.program_state import set_program_state

        set_program_state(self, state_dict, scope)

    def clone(self: Any, for_test: bool = False) -> Program:
        """Returns a copy; for testing without backward, optimizer and training behaviour.

        Args:
            for_test (bool): leave out operators of backward and optimizer and set ``is_test``
                where an operator has it. Default: False.

        Examples:
            .. code-block:: python

                import paddle
                import paddle.static as static
                paddle.enable_static()
                main = static.Program()
                with static.program_guard(main, static.Program()):
                    x = static.data("x", [None, 4])
                    loss = paddle.nn.functional.dropout(x, 0.5).mean()
                    test = main.clone(for_test=True)
                print(main.global_block().ops[0].attr("is_test"))  # False
                print(test.global_block().ops[0].attr("is_test"))  # True
                paddle.disable_static()
        """
        from paddle.ir.cloning import clone, for_testing

        if not isinstance(for_test, bool):
            raise TypeError(
                f"Program.clone(for_test): expected a bool, but got {type(for_test).__name__}."
                f"{here()}"
            )
        return for_testing(self) if for_test else clone(self)

    def _prune(self: Any, targets: Any) -> Program:
        from paddle.ir.cloning import prune

        return prune(self, [], targets)

    def _prune_with_input(self: Any, feeded_var_names: list[str], targets: Any) -> Program:
        from paddle.ir.cloning import prune

        return prune(self, feeded_var_names, targets)

    def _inference_optimize(self: Any, prune_read_op: bool = True) -> Program:
        return self.clone(for_test=True)

    @property
    def desc(self: Any) -> Any:
        """The Program as it is serialized, with ``serialize_to_string()``."""
        from paddle.serialization.program.desc import ProgramDesc

        return ProgramDesc(self)

    @desc.setter
    def desc(self: Any, desc: Any) -> None:
        """Takes another Program's description; :meth:`_sync_with_cpp` then follows it."""
        self._described = desc.program

    def _sync_with_cpp(self: Any) -> None:
        """Makes the Program what the description says that was assigned to ``desc``.

        Without one there is nothing to do: descriptions show what is there.
        """
        described = vars(self).pop("_described", None)
        if described is None or described is self:
            return
        self.desc.take(described.clone())

    @staticmethod
    def parse_from_string(binary_str: bytes) -> Program:
        """Makes a Program of the bytes of a ProgramDesc.

        Args:
            binary_str (bytes): what ``program.desc.serialize_to_string()`` returned.

        Examples:
            .. code-block:: python

                import paddle
                import paddle.static as static
                paddle.enable_static()
                main = static.Program()
                with static.program_guard(main, static.Program()):
                    z = static.data("X", [10, 4]).matmul(static.data("Y", [4, 2]))
                restored = static.Program.parse_from_string(main.desc.serialize_to_string())
                print(str(restored) == str(main))  # True
                paddle.disable_static()
        """
        from paddle.serialization.program.proto import from_bytes

        return from_bytes(binary_str)

    def to_string(self: Any, throw_on_error: bool, with_details: bool = False) -> str:
        """Returns the Program in the text format of its protobuf message.

        Args:
            throw_on_error (bool): fail where a required field is not set.
            with_details (bool): add what is not serialized. Default: False.
        """
        from paddle.serialization.program.text_format import program_details

        return program_details(self, throw_on_error, with_details)

    def to_python(self: Any, startup_program: Program | None = None) -> str:
        """Returns readable Python source that builds the Program anew.

        The source defines ``build()``, which returns an equal Program: the same blocks, names and
        bytes. What is no part of a Program is not in it: values of parameters, a scheduler that an
        optimizer was given, functions of ``py_func`` (their numbers hold in this process only).

        Args:
            startup_program (Program, optional): the source then also defines ``build_startup()``,
                which returns this Program.

        Raises:
            InvalidArgumentError: an attribute cannot be written as Python source.

        Examples:
            .. code-block:: python

                import paddle
                paddle.enable_static()
                main = paddle.static.Program()
                with paddle.static.program_guard(main, paddle.static.Program()):
                    y = paddle.static.data("x", [None, 3]) * 2.0
                made = {}
                exec(main.to_python(), made)
                print(str(made["build"]()) == str(main))  # True
                paddle.disable_static()
        """
        from paddle.serialization.program.python_source import program_source

        return program_source(self, startup_program)

    def __repr__(self: Any) -> str:
        from paddle.ir.text.printing import program_text

        return program_text(self)

    __str__ = __repr__


class GraphMethods:
    """What is attached to Graph: the methods of 2.0's ``core.Graph``, whose nodes are IrNodes."""

    def nodes(self: Any) -> set[Any]:
        """Returns all nodes: operators, values of variables, edges of control."""
        return IrGraph(self).all_nodes()

    def create_var_node(self: Any, var_desc: Any) -> Any:
        """Adds a value of a variable.

        Args:
            var_desc (VarDesc): what the variable is.
        """
        return IrGraph(self).create_var_node_from_desc(var_desc)

    def create_op_node(self: Any, op_desc: Any) -> Any:
        """Adds an operator without edges.

        Args:
            op_desc (OpDesc): what the operator is.
        """
        return IrGraph(self).create_op_node_from_desc(op_desc)

    def create_control_dep_var(self: Any) -> Any:
        """Adds an edge of control: link it between two operators."""
        return IrGraph(self).create_control_dep_var()

    def remove_node(self: Any, node: Any) -> Any:
        """Takes out a node and its edges; returns it.

        Args:
            node (core.Node): which one.
        """
        IrGraph(self).safe_remove_nodes(node)
        return node

    def retrieve_node(self: Any, node_id: int) -> Any:
        """Returns the node of a number.

        Args:
            node_id (int): what its ``id()`` returned.

        Raises:
            NotFoundError: there is none.
        """
        for node in self.nodes():
            if node.id() == node_id:
                return node
        raise NotFoundError(f"core.Graph: there is no node of the number {node_id!r}.")

    def resolve_hazard(self: Any) -> None:
        """Adds edges of control where a variable is overwritten that others read before."""
        IrGraph(self).resolve_hazard()

    def clone(self: Any) -> Graph:
        """Returns a graph of its own of the same operators."""
        return Graph(self.to_program())

    def origin_program_desc(self: Any) -> Any:
        """Returns the description of the Program that it shows; changes made since are in it."""
        return self.to_program().desc


def attach() -> None:
    """Gives the classes their methods; done once, by ``import paddle``."""
    pairs: list[tuple[type, type]] = [
        (OperatorMethods, Operator),
        (BlockMethods, Block),
        (VariableMethods, Variable),
        (ProgramMethods, Program),
        (GraphMethods, Graph),
    ]
    for methods, owner in pairs:
        for name, member in list(vars(methods).items()):
            if isinstance(member, (FunctionType, property, staticmethod)):
                function: Any = getattr(member, "fget", None) or getattr(member, "__func__", member)
                function.__qualname__ = f"{owner.__name__}.{name}"
                setattr(owner, name, member)
    guard_methods(Program)
