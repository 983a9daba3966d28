"""ProgramCall: runs a Program on eager Tensors, as one node of the tape."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

from paddle.analysis.marks import HOISTED
from paddle.core import flags, random
from paddle.core.errors import PreconditionNotMetError, UnimplementedError
from paddle.core.graph_arithmetic import tied
from paddle.core.mode import GRAD, HOOKED, get_mode, hooked
from paddle.core.selected_rows import Rows
from paddle.core.tape import Node, after_updates, edge_of, keeps_graph, overwritten, tie_outputs
from paddle.core.tensor import Tensor, wrap
from paddle.core.writes import sequence, written_since
from paddle.executor.gradient_program import ADVICE, gradient_program, replaced_in, written_in
from paddle.executor.joined import JoinedPlan
from paddle.executor.plan import Plan, checked_plan
from paddle.executor.run import without_torch_gradients
from paddle.executor.scope import Scope
from paddle.ir.autodiff.gradient_flow import carries
from paddle.ir.program import Program
from paddle.ir.randomness import random_in
from paddle.passes import prepare


class ProgramCall:
    """A Program to be called with Tensors.

    Parameters and buffers are eager Tensors: the Program reads what they hold at the time of the
    call, and what it writes (running statistics) goes into them.

    Args:
        program (Program): the forward part.
        feeds (Sequence[str]): variables that a call gives, in this order.
        fetches (Sequence[str]): variables that a call returns.
        tensors (dict[str, Tensor]): stored variables -> the Tensors that stand for them.
    """

    def __init__(
        self,
        program: Program,
        feeds: Sequence[str],
        fetches: Sequence[str],
        tensors: dict[str, Tensor],
    ) -> None:
        self.program = program
        self.feeds = list(feeds)
        self.fetches = list(fetches)
        self.tensors = dict(tensors)
        self.scope = Scope()
        block = program.global_block()
        for name, tensor in self.tensors.items():
            self.scope.var(name).hold(tensor)
        # Those that can have a gradient at all, each with its variable's name.
        self._trainable = [
            (n, t) for n, t in self.tensors.items() if n in block.vars and carries(block.vars[n])
        ]
        self._carrying = [carries(block.var(n)) for n in self.feeds]
        self._plain: tuple[Plan, Any, list[int]] | None = None
        self._joined: dict[tuple, _Joined] = {}
        _calls.add(self)

    def __call__(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Runs the Program.

        Args:
            inputs (Sequence[Tensor]): values of the fed variables.

        Returns:
            list[Tensor]: the fetched variables, part of the graph where gradients are recorded.
        """
        mode = get_mode()
        if mode & HOOKED:
            with hooked(None):
                return self(inputs)
        if mode & GRAD:
            stopped = tuple(
                [t.stop_gradient for t in inputs] + [t.stop_gradient for _, t in self._trainable]
            )
            if not all(stopped):
                joined = self._joined.get(stopped)
                if joined is None:
                    joined = self._joined[stopped] = _Joined(self, stopped)
                return joined(inputs)
        if self._plain is None:
            with checked_plan(self.program):
                prepared = prepare(self.program, self.feeds, self.fetches)
                plan = Plan(prepared, self.feeds, self.fetches)
            self._plain = plan, plan.bound(self.scope), _hoisted(plan, self.fetches)
        plan, step, hoisted = self._plain
        try:
            values = without_torch_gradients(step, [t._buf for t in inputs])
        except Exception as error:
            self._plain = None
            _raise(plan, error, self.scope)
        return _wrapped(values, inputs, hoisted)

    def rebind(self, name: str, tensor: Tensor) -> None:
        """Lets another Tensor of the same kind stand for a stored variable.

        Args:
            name (str): the variable.
            tensor (Tensor): of the shape, dtype and place of the one before.
        """
        before, self.tensors[name] = self.tensors[name], tensor
        self.scope.var(name).held.tensor = tensor
        self._trainable = [(n, tensor if n == name else t) for n, t in self._trainable]
        for joined in self._joined.values():
            joined.stored = [tensor if t is before else t for t in joined.stored]
            joined.replaced = [tensor if t is before else t for t in joined.replaced]
            joined.gradients = None


def _drop_plans(value: float) -> None:
    """Plans are made for the limits of a run; a call need not look whether those have changed."""
    for call in list(_calls):
        call._plain = None
        call._joined.clear()


_calls: weakref.WeakSet[ProgramCall] = weakref.WeakSet()
for _name in ("FLAGS_run_limit_seconds", "FLAGS_run_limit_steps"):
    flags.when_set(_name, _drop_plans)


class _Joined:
    """A call with gradients with respect to certain inputs and Tensors."""

    def __init__(self, call: ProgramCall, stopped: tuple) -> None:
        self.call = call
        inputs = [i for i, on in enumerate(call._carrying) if on and not stopped[i]]
        stored = [
            pair for pair, stop in zip(call._trainable, stopped[len(call.feeds) :], strict=True)
            if not stop
        ]  # fmt: skip
        self.wrt = wrt = [*[call.feeds[i] for i in inputs], *[n for n, _ in stored]]
        with checked_plan(call.program):
            self.plan = JoinedPlan(call.program, call.feeds, call.fetches, wrt)
        found = self.plan.found
        self.inputs = [i for i, on in zip(inputs, found, strict=False) if on]
        self.stored = [t for (_, t), on in zip(stored, found[len(inputs) :], strict=True) if on]
        carrying = set(self.plan.through)
        self.tied = []  # position of the first result of each variable that carries a gradient
        for i, name in enumerate(call.fetches):
            if name in carrying:
                carrying.discard(name)
                self.tied.append(i)
        self.back: Any = None
        self.step: Any = None
        self.hoisted = _hoisted(self.plan, call.fetches)
        self.backward = _Backward(self)
        self.gradients: _Gradients | None = None
        self.draws = random_in(call.program)
        self.replaced = [call.tensors[n] for n in replaced_in(call.program) if n in call.tensors]

    def __call__(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        if self.step is None:
            self.step, self.back = self.plan.bound(self.call.scope)
        buffers = [t._buf for t in inputs]
        before = _Before(self) if self.draws or self.replaced else None
        try:
            values, saved = without_torch_gradients(self.step, buffers)
        except Exception as error:
            self.step = None
            _raise(self.plan, error, self.call.scope)
        outs = _wrapped(values, inputs, self.hoisted)
        if not self.tied:
            return outs
        node = Node()
        node.seq = sequence()
        node.backward = self.backward
        edges = [edge_of(inputs[i]) for i in self.inputs]
        node.edges = (*edges, *[edge_of(t) for t in self.stored])
        node.saved = (saved, buffers, before)
        if len(self.tied) == 1 and not isinstance(outs[self.tied[0]], list):
            out = outs[self.tied[0]]
            out._edge, out.stop_gradient = node, False
        else:
            tie_outputs(node, [outs[i] for i in self.tied])
        _share(outs, self.call.fetches)
        return outs


class _Backward:
    """The step backward of one call; the tape names ``op`` in its errors."""

    def __init__(self, joined: _Joined) -> None:
        self.joined = joined
        self.op = self
        self.name = "run_program"

    def __call__(self, node: Node, *d_outs: Any) -> tuple:
        saved = list(node.saved[0])
        if keeps_graph():
            saved = _copied(saved)
        else:
            node.saved = ()  # what is no longer needed is freed on the way
        joined = self.joined
        try:
            grads = without_torch_gradients(joined.back, [saved, *d_outs])
        except Exception as error:
            _raise(joined.plan, error, joined.call.scope)
        return tuple(map(_for_edge, grads, node.edges))

    def on_tensors(self, node: Node, *d_outs: Tensor) -> tuple:
        """The same as a call of a Program, which can be differentiated in turn."""
        joined = self.joined
        _, buffers, before = node.saved
        if joined.gradients is None:
            joined.gradients = _Gradients(joined)
        read = [t._buf for t in joined.gradients.read]
        if any(written_since(b, node.seq) for b in (*buffers, *read)):
            raise overwritten(node)
        buffers = after_updates(node, [*buffers, *read])[: len(buffers)]
        edges = dict(zip(joined.inputs, node.edges, strict=False))
        inputs = [tied(b, edges.get(i)) for i, b in enumerate(buffers)]
        return tuple(joined.gradients([*inputs, *d_outs], before))


class _Before:
    """What a call found and then changed: with it the call can be repeated."""

    def __init__(self, joined: _Joined) -> None:
        # Handles of their own on the same memory: a write in place copies it first.
        self.values = {id(t): t._buf.detach() for t in joined.replaced}
        generators = random.generators_in_use() if joined.draws else ()
        self.states = [(generator, generator.get_state()) for generator in generators]

    @contextlib.contextmanager
    def drawing_again(self) -> Iterator[None]:
        """Draws the numbers once more that the call drew."""
        now = [(generator, generator.get_state()) for generator, _ in self.states]
        try:
            for generator, state in self.states:
                generator.set_state(state)
            yield
        finally:
            for generator, state in now:
                generator.set_state(state)


class _Gradients:
    """The gradients of a call, as a call of a Program of their own.

    It computes the forward part again, from what the call found. What this updates are copies.
    """

    def __init__(self, joined: _Joined) -> None:
        call = joined.call
        program, feeds, fetches = gradient_program(
            call.program, call.feeds, call.fetches, joined.wrt
        )
        written = set(written_in(call.program))
        self.read = [t for n, t in call.tensors.items() if n not in written]
        self.copies = [(t, wrap(t._buf)) for n, t in call.tensors.items() if n in written]
        copy_of = {id(t): copy for t, copy in self.copies}
        tensors = {n: copy_of.get(id(t), t) for n, t in call.tensors.items()}
        self.call = ProgramCall(program, feeds, fetches, tensors)

    def __call__(self, inputs: Sequence[Tensor], before: _Before | None) -> list[Tensor]:
        values = {} if before is None else before.values
        for tensor, copy in self.copies:
            copy._rebind(values.get(id(tensor), tensor._buf).clone())
        try:
            with contextlib.nullcontext() if before is None else before.drawing_again():
                return self.call(inputs)
        except UnimplementedError as error:
            text = str(error).partition(") ")[2].partition("\n  [Hint")[0]
            raise UnimplementedError(
                f"paddle.grad(create_graph=True) through a converted function: {text}", hint=ADVICE
            ) from None


def _for_edge(grad: Any, edge: Any) -> Any:
    """A table that was computed itself needs its gradient dense."""
    return grad.to_dense() if type(grad) is Rows and not isinstance(edge, Tensor) else grad


def _copied(saved: Any) -> Any:
    """Lists of their own: the function takes what loops kept out of them."""
    if isinstance(saved, list):
        return [_copied(v) for v in saved]
    return tuple(_copied(v) for v in saved) if type(saved) is tuple else saved


def _raise(plan: Plan, error: Exception, scope: Scope) -> Any:
    explained = plan.failed(error, scope)
    if explained is error:
        raise error
    raise explained from error


def _hoisted(plan: Plan, fetches: Sequence[str]) -> list[int]:
    """Positions of results that are hoisted constants: the same buffers in every call."""
    ops = plan.program.global_block().ops
    names = {n for op in ops if op.attrs.get(HOISTED) for n in op.output_arg_names}
    return [i for i, n in enumerate(fetches) if n in names]


def _wrapped(values: Sequence[Any], inputs: Sequence[Tensor], hoisted: list[int]) -> list[Any]:
    """Tensors of what was computed; none is the very buffer of an input or a later result."""
    given = {id(t._buf) for t in inputs}
    given.update(id(values[i]) for i in hoisted)
    outs: list[Any] = []
    for value in values:
        if isinstance(value, list):
            outs.append([wrap(v) for v in value])
        elif value is None:
            raise PreconditionNotMetError("a result of the Program has no value.")
        else:
            outs.append(wrap(value.detach() if id(value) in given else value))
    return outs


def _share(outs: list[Tensor], names: Sequence[str]) -> None:
    """A variable that is returned twice is one value of the graph."""
    first: dict[str, Tensor] = {}
    for i, name in enumerate(names):
        known = first.setdefault(name, outs[i])
        if known is not outs[i] and not isinstance(known, list):
            outs[i]._edge, outs[i].stop_gradient = known._edge, known.stop_gradient
