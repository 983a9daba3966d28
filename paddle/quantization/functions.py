"""Functions of one's own in a graph: what values and weights go through before they are rounded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from paddle.core import unique_name
from paddle.core.errors import InvalidArgumentError
from paddle.core.place import CPUPlace
from paddle.executor.executor import Executor
from paddle.executor.scope import scope_guard
from paddle.ir.autodiff.backward import gradients
from paddle.ir.current import program_guard
from paddle.ir.operator import EMPTY, Operator, Role
from paddle.ir.program import Program
from paddle.ir.variable import Parameter, Variable
from paddle.quantization.inserting import skipped, source, target
from paddle.static.data import data
from paddle.static.ir_graph import IrGraph, IrOpNode, IrVarNode

_LATER = Role.BACKWARD | Role.OPTIMIZE | Role.LR_SCHED


class _Put(NamedTuple):
    """A function that was put behind a value.

    Attributes:
        value (IrVarNode): what goes in.
        result (IrVarNode): what comes out.
        later (list[Operator]): its gradients and updates, of the Program that it was recorded in.
        names (dict): of that Program -> of the graph.
        slope (str|None): the gradient of the value there.
        kinds (set): the operators that read the result, rounded or not.
    """

    value: IrVarNode
    result: IrVarNode
    later: list[Operator]
    names: dict[str, str]
    slope: str | None
    kinds: set[str]


class Functions:
    """Puts functions of one's own into one graph, with their gradients and updates.

    Args:
        graph (IrGraph): where.
        scope (Scope): where the functions' parameters are kept.
        place (Place|None): where their memory is; None means the CPU.
        executor (Executor|None): gives parameters their first values; None means one of the place.
        optimizer (callable|None): returns an optimizer for the parameters of a function.
        is_test (bool): nothing is trained.
        owner (str): the pass, for messages.
    """

    def __init__(
        self,
        graph: IrGraph,
        scope: Any,
        place: Any,
        executor: Any,
        optimizer: Callable | None,
        is_test: bool,
        owner: str,
    ) -> None:
        self.graph, self.scope, self.owner = graph, scope, owner
        self._executor = Executor(place or CPUPlace()) if executor is None else executor
        self._optimizer = optimizer
        self._new = not is_test
        roles = [op.node.op.role for op in graph.all_op_nodes()]
        self._trains = not is_test and any(role & Role.BACKWARD for role in roles)
        self._puts: list[_Put] = []
        self.names: dict[str, str] = {}  # of a result -> of the value

    def put(self, value: IrVarNode, function: Callable) -> IrVarNode:
        """Lets a value go through a function.

        Args:
            value (IrVarNode): what goes in.
            function (callable): gets a Variable and returns one.

        Returns:
            IrVarNode: what comes out.
        """
        name = value.name()
        main, startup = Program(), Program()
        with program_guard(main, startup), unique_name.guard(f"{name}_"):
            given = data(f"{name}_tmp_input", value.shape(), value.dtype())
            given.stop_gradient = False
            out = function(given)
            self._check(out, main, name)
            if out.name == given.name:
                return value
            slope = self._record_gradients(main, given, out) if self._trains else None
        self._start(startup)
        forward = [op for op in main.global_block().ops if not op.role & _LATER]
        later = [op for op in main.global_block().ops if op.role & _LATER]
        names = {given.name: name}
        nodes = {name: value}
        for op in forward:
            self._add(op, names, nodes)
        found = _Put(value, nodes[out.name], later, names, slope, set())
        self._puts.append(found)
        self.names[out.name] = name
        return found.result

    def read(self, name: str, kind: str) -> None:
        """Takes down that an operator reads what came of a value.

        Args:
            name (str): the value.
            kind (str): the operator.
        """
        for put in self._puts:
            if put.value.name() == name:
                put.kinds.add(kind)

    def backward(self, patterns: list[str]) -> set[str]:
        """Lets gradients go back through the functions.

        Args:
            patterns (list): name scopes that are left alone.

        Returns:
            set[str]: the values whose gradient operators were changed.
        """
        for put in self._puts if self._trains else ():
            self._back(put, patterns)
        return {put.value.name() for put in self._puts}

    # -- recording --------------------------------------------------------------------------------

    def _check(self, out: Any, main: Program, name: str) -> None:
        if not isinstance(out, Variable):
            raise TypeError(
                f"{self.owner}: a function for {name!r} has to return a Variable of the static "
                f"Program, but returned {type(out).__name__}."
            )
        if main.num_blocks > 1:
            raise NotImplementedError(
                f"{self.owner}: the function for {name!r} branches or loops. Expected operators in "
                "a row: write it with paddle.where or clip."
            )
        block = self.graph.graph.block
        for made in main.global_block().vars:
            if block._find_var_recursive(made) is not None:
                raise InvalidArgumentError(
                    f"{self.owner}: the function for {name!r} makes a variable {made!r}, which "
                    "there is already. Make names of that of its input: f'{x.name}_alpha'."
                )

    def _record_gradients(self, main: Program, given: Variable, out: Variable) -> str:
        trained = [p for p in main.all_parameters() if p.trainable]
        after = data(f"{out.name}@GRAD", list(out.shape), out.dtype)
        found = gradients(out, [given, *trained], after)
        if found[0] is None:
            raise InvalidArgumentError(
                f"{self.owner}: no gradient goes back through the function for "
                f"{given.name.removesuffix('_tmp_input')!r}. Use operators that have one."
            )
        if trained and self._optimizer is None:
            raise InvalidArgumentError(
                f"{self.owner}(optimizer_func): expected a function that returns an optimizer, "
                f"for there are parameters to train: {[p.name for p in trained]}."
            )
        if trained:
            pairs = [pair for pair in zip(trained, found[1:], strict=True) if pair[1] is not None]
            self._optimizer().apply_gradients(pairs)  # type: ignore[misc]
        return found[0].name

    def _start(self, startup: Program) -> None:
        """Gives variables their first values; for inference, those that have none."""
        block = startup.global_block()
        if not self._new:
            block.ops = [op for op in block.ops if not all(map(self._held, op.output_arg_names))]
        if block.ops:
            with scope_guard(self.scope):
                self._executor.run(startup)

    def _held(self, name: str) -> bool:
        found = self.scope.find_var(name)
        return found is not None and found.is_initialized()

    # -- into the graph ---------------------------------------------------------------------------

    def _node(self, var: Variable, name: str) -> IrVarNode:
        block = self.graph.graph.block
        if block._find_var_recursive(name) is None:
            if var.persistable:
                made = block.clone_with_kind(var)
                if isinstance(made, Parameter):
                    made.trainable = getattr(var, "trainable", True)
            else:
                block._clone_variable(var, force_persistable=False)
        return self.graph.create_var_node_from_desc(block.var(name).desc)

    def _add(self, op: Operator, names: dict[str, str], nodes: dict[str, IrVarNode]) -> IrOpNode:
        """Adds an operator of the Program that was recorded, with its edges."""
        made = self.graph.create_op_node_from_desc(op.desc)
        for old, new in names.items():
            made.rename_input(old, new)
            made.rename_output(old, new)
        variables = {names.get(n, n): var for n, var in op.block.vars.items()}
        for name in dict.fromkeys(n for n in made.input_arg_names() if n != EMPTY):
            if name not in nodes:
                nodes[name] = self._node(variables[name], name)
            self.graph.link_to(nodes[name], made)
        for name in dict.fromkeys(n for n in made.output_arg_names() if n != EMPTY):
            nodes[name] = self._node(variables[name], name)
            self.graph.link_to(made, nodes[name])
        return made

    # -- gradients --------------------------------------------------------------------------------

    def _back(self, put: _Put, patterns: list[str]) -> None:
        name, result = put.value.name(), put.result.name()
        readers = [
            op for op in self.graph.topology_sort()
            if op.name().endswith("_grad") and op.name()[:-5] in put.kinds
            and name in op.input_arg_names() and not skipped(op, patterns)
        ]  # fmt: skip
        parts: list[IrVarNode] = []  # gradients of the result
        known: list[IrVarNode] = []  # gradients of the value that are to come from the function
        for op in readers:
            slot = next(s for s, names in op.node.op.inputs.items() if name in names)
            part = self.graph.create_var_node(
                f"{result}@GRAD" if len(readers) == 1 else f"{result}@GRAD@RENAME@{len(parts)}",
                put.result.type(), put.result.shape(), put.result.dtype(),
            )  # fmt: skip
            old = (op.node.op.outputs.get(f"{slot}@GRAD") or [EMPTY])[0]
            if old == EMPTY:  # the value needed none, but the function does
                op.node.op.outputs[f"{slot}@GRAD"] = [part.name()]
                self.graph.link_to(op, part)
            else:
                known.append(target(op, old))
                self.graph.update_output_link(known[-1], part, op)
            self.graph.update_input_link(source(op, name), put.result, op)
            parts.append(part)
        if parts:
            self._add_later(put, self._sum(parts, f"{result}@GRAD"), known)

    def _sum(self, parts: list[IrVarNode], name: str) -> IrVarNode:
        if len(parts) == 1:
            return parts[0]
        first = parts[0]
        whole = self.graph.create_var_node(name, first.type(), first.shape(), first.dtype())
        attrs = {"op_role": int(Role.BACKWARD)}
        op = self.graph.create_op_node("sum", attrs, {"X": parts}, {"Out": whole})
        for part in parts:
            self.graph.link_to(part, op)
        self.graph.link_to(op, whole)
        return whole

    def _add_later(self, put: _Put, slope: IrVarNode, known: list[IrVarNode]) -> None:
        """Adds the gradients and updates of a function; its own gradient takes the known ones'."""
        nodes = {slope.name(): slope, put.value.name(): put.value, put.result.name(): put.result}
        for node in self.graph.all_var_nodes():  # what the function computed, and its parameters
            nodes.setdefault(node.name(), node)
        for op in put.later:
            self._add(op, put.names, nodes)
        if not known or put.slope is None:
            return
        mine = nodes[put.slope]
        (last,) = mine.inputs
        self.graph.update_output_link(mine, known[0], last)
        for node in known[1:]:  # summed up with the first one: they are in it already
            for reader in list(node.outputs):
                reader.node.op.inputs["X"].remove(node.name())
                reader.remove_input(node)
        self.graph.safe_remove_nodes([mine, *known[1:]])
