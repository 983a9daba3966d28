"""ConcreteProgram: what a function computes for inputs of one kind, recorded as a Program."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from paddle.core import unique_name
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import unchecked
from paddle.core.mode import current_hook, hooked, set_grad_enabled
from paddle.core.pytree import leaves, rebuilt
from paddle.core.tensor import Parameter, Tensor
from paddle.executor.program_call import ProgramCall
from paddle.ir.autodiff.gradient_flow import flags_of
from paddle.ir.current import default_main_program, program_guard
from paddle.ir.operator import stacks_up_to
from paddle.ir.program import Program
from paddle.ir.recording.captured import Captured
from paddle.ir.recording.context import capturing
from paddle.ir.recording.static_mode import record as record_operator
from paddle.ir.variable import Variable
from paddle.jit.calls.layer_side_effects import SideEffect, side_effects_on
from paddle.jit.dy2static.symbolic_union import holds_alternatives, outermost, picked
from paddle.static.input import InputSpec
from paddle.tensor.creation import assign

_clock = itertools.count()


class ConcreteProgram:
    """A function recorded for inputs of one kind.

    Attributes:
        function (callable): what was recorded.
        main_program (Program): the operators.
        startup_program (Program): empty: parameters have their values already.
        inputs (list[Variable]): the data variables, in the order of the Tensors that are given.
        outputs: what the function returned, with Variables in the place of Tensors.
        tensors (dict[str, Tensor]): the eager Tensors it uses, by the name of their variable.
        side_effects (list[SideEffect]): attributes of layers that a call sets.
        used (int): greater, the later it ran last, or was recorded.
    """

    def __init__(
        self,
        function: Callable,
        main_program: Program,
        startup_program: Program,
        inputs: list[Variable],
        outputs: Any,
        tensors: dict[str, Tensor],
        side_effects: list[SideEffect],
    ) -> None:
        self.function = function
        self.main_program = main_program
        self.startup_program = startup_program
        self.inputs = inputs
        self.outputs = outputs
        self.tensors = tensors
        self.side_effects = side_effects
        self.used = next(_clock)
        flat = leaves([outputs, [e.value for e in side_effects]])
        self._at = [i for i, v in enumerate(flat) if isinstance(v, Variable)]
        self._flat = flat
        self._one = isinstance(outputs, Variable) and not side_effects
        self._picks = holds_alternatives(outputs)
        self._call = ProgramCall(
            main_program, [v.name for v in inputs], [flat[i].name for i in self._at], tensors
        )

    @property
    def parameters(self) -> list[Parameter]:
        """The eager parameters that the function uses."""
        return [t for t in self.tensors.values() if isinstance(t, Parameter)]

    @property
    def buffers(self) -> list[Tensor]:
        """The other eager Tensors that it uses."""
        return [t for t in self.tensors.values() if not isinstance(t, Parameter)]

    def __call__(self, tensors: Sequence[Tensor]) -> Any:
        """Runs the Program as one node of the tape and returns what the function would."""
        self.used = next(_clock)
        results = self._call(tensors)
        if self._one:
            return results[0]
        flat = list(self._flat)
        for i, value in zip(self._at, results, strict=True):
            flat[i] = value
        outputs, side_effects = rebuilt([self.outputs, [e.value for e in self.side_effects]], flat)
        if self._picks:
            outputs = picked(outputs)
        for where, value in zip(self.side_effects, side_effects, strict=True):
            where.set(value)
        return outputs

    def rebind(self, moved: dict[int, Tensor]) -> None:
        """Lets other Tensors of the same kind stand for some that the Program uses.

        Args:
            moved (dict[int, Tensor]): the id of a Tensor -> the one that takes its place.
        """
        for name, tensor in self.tensors.items():
            if id(tensor) in moved:
                self._call.rebind(name, moved[id(tensor)])
        self.tensors = {n: moved.get(id(t), t) for n, t in self.tensors.items()}


def record(
    function: Callable,
    args: Sequence[Any] = (),
    kwargs: dict[str, Any] | None = None,
    layers: Sequence[Any] = (),
    runs: bool = False,
) -> ConcreteProgram:
    """Runs a function once under static recording.

    Args:
        function (callable): the transformed function.
        args (Sequence): its arguments: pytrees in which an :class:`InputSpec` (or a Tensor) stands
            for a Tensor; they become data variables of the spec's name.
        kwargs (dict, optional): arguments by keyword, in the same form.
        layers (Sequence[Layer]): whose attributes the function may set; they are put back, and
            every call of the result sets them.
        runs (bool): it is run at once; then what a run refuses need not be looked for before.

    Returns:
        ConcreteProgram: the Program, and what it needs to run.
    """
    main, startup = Program(), Program()
    captured = Captured(main)
    inputs: list[Variable] = []
    given = [list(args), dict(kwargs or {})]
    with _recording(main, startup, captured), unchecked() if runs else contextlib.nullcontext():
        flat = [_declared(leaf, inputs) for leaf in leaves(given)]
        fed = [v.name for v in inputs]
        positional, named = rebuilt(given, flat)
        with side_effects_on(layers) as changed:
            with outermost(function):
                outputs = function(*positional, **named)
            side_effects = changed()
        outputs = _returned(outputs, captured)
        for where in side_effects:
            where.value = _returned(where.value, captured)
        side_effects = _write_buffers(side_effects, captured)
    inputs = [main.global_block().vars[name] for name in fed]  # changed in place: another object
    return ConcreteProgram(function, main, startup, inputs, outputs, captured.tensors, side_effects)


def _recorder() -> Any:
    """The recorder, behind the casts of an auto_cast that is on."""
    casts = getattr(current_hook(), "over", None)
    return record_operator if casts is None else casts(record_operator)


@contextlib.contextmanager
def _recording(main: Program, startup: Program, captured: Captured) -> Iterator[None]:
    from paddle.jit.rewriting.convert import converting_layers

    before = set_grad_enabled(True)
    try:
        with (
            program_guard(main, startup),
            unique_name.guard(),
            hooked(_recorder()),
            capturing(captured.take),
            stacks_up_to(record.__code__),
            converting_layers(),
        ):
            yield
    finally:
        set_grad_enabled(before)


def _declared(leaf: Any, inputs: list[Variable]) -> Any:
    """The data variable for a spec or a Tensor; other values stay."""
    if not isinstance(leaf, (InputSpec, Tensor)):
        return leaf
    block = default_main_program().global_block()
    name = leaf.name if isinstance(leaf, Tensor) or leaf.name else f"generated_input_{len(inputs)}"
    if name in block.vars:
        name = unique_name.generate(name)
    stop = getattr(leaf, "stop_gradient", True)
    var = block.create_var(
        name=name, shape=leaf.shape, dtype=leaf.dtype, is_data=True, stop_gradient=stop,
        need_check_feed=True,
    )  # fmt: skip
    inputs.append(var)
    return var


def _unseen(value: Variable) -> Exception:
    """A branch or a loop's body left its value where no variable of the function carries it."""
    made = value.op.location if value.op is not None else None
    return InvalidArgumentError(
        f"{value.name!r} was made in a branch or loop that a Tensor decides about, and is still "
        "used after it, but not through a variable that the branch or loop assigns."
        + (f" It was made here:\n  {made}" if made is not None else ""),
        hint="assign it to a local variable or an attribute in the branch itself, not in a "
        "function that the branch calls",
    )


def _returned(outputs: Any, captured: Captured) -> Any:
    """What is returned: values of the run, each in memory of its own."""
    block = default_main_program().global_block()

    def own(value: Any) -> Any:
        if isinstance(value, Tensor):
            value = captured.take(value)
        if isinstance(value, Variable) and (value.persistable or value.is_data):
            return assign(value)
        if isinstance(value, Variable) and value.name not in block.vars:
            raise _unseen(value)
        return value

    return rebuilt(outputs, [own(v) for v in leaves(outputs)])


def _write_buffers(side_effects: list[SideEffect], captured: Captured) -> list[SideEffect]:
    """Records that buffers get new values, where that can be in place; returns the others.

    A value that a gradient flows through is another Tensor, in a graph of its own.
    """
    block = captured.program.global_block()
    names = {n for n, t in captured.tensors.items() if not t.stop_gradient}
    names |= {n for n, v in block.vars.items() if v.is_data and not v.stop_gradient}
    dependent: set[str] = set()
    for op, flags in zip(block.ops, flags_of(block, block.ops, lambda v, _: v.name in names)):
        if flags:
            dependent.update(op.output_arg_names)
    others = []
    for where in side_effects:
        old: Any = where.before if where.is_buffer() else None
        new = where.value
        if old is None or not isinstance(new, Variable) or new.name in dependent:
            others.append(where)
        elif list(new.shape) == old.shape and new.dtype == old.dtype:
            into: Any = captured.take(old)
            assign(new, output=into)
        else:
            others.append(where)
    return others
