"""profile_op: how long one operator takes, called in each way."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from paddle.autograd import grad
from paddle.core.backends import backend_for
from paddle.core.errors import NotFoundError
from paddle.core.guards import guard_module
from paddle.core.mode import no_grad
from paddle.core.op import C, computed, py
from paddle.core.place import current_place
from paddle.executor.executor import Executor
from paddle.executor.scope import Scope, scope_guard
from paddle.testing.cases import by_slot, tensors
from paddle.testing.op_call import Call
from paddle.testing.programs import dynamic, static

__all__ = ["OpProfile", "profile_op"]

_COPIES = 17  # of the operator in the longer one of the two Programs


@dataclass
class OpProfile:
    """Microseconds of one call, the median of several rounds; None: it cannot be called so.

    Attributes:
        op_type (str): the operator.
        kernel (float): the kernel alone, on buffers.
        forward (float): a call in dynamic mode without gradients.
        recorded (float): a call that is recorded for backward.
        backward (float): backward of that.
        program (float): what one more such operator, whose result is fetched, adds to a run.
    """

    op_type: str
    kernel: float
    forward: float
    recorded: float | None
    backward: float | None
    program: float | None

    def __str__(self) -> str:
        rows = [
            ("kernel alone", self.kernel), ("forward", self.forward), ("recorded", self.recorded),
            ("backward", self.backward), ("in a Program", self.program),
        ]  # fmt: skip
        lines = [f"{label:<14}{us:>10.2f} us" for label, us in rows if us is not None]
        return "\n".join([f"operator {self.op_type}", *lines])


def profile_op(
    op_type: str, inputs: Mapping[str, Any], attrs: Mapping[str, Any] | None = None, *,
    place: Any = None, seconds: float = 0.1, rounds: int = 5,
) -> OpProfile:  # fmt: skip
    """Measures one operator in dynamic mode, backward, and in a Program.

    Args:
        op_type (str): the operator's name.
        inputs (dict): slot -> array, in the forms of :class:`OpTest`.
        attrs (dict, optional): attributes that differ from their defaults.
        place (Place, optional): where. Default: the current place.
        seconds (float): about how long each figure is measured. Default: 0.1.
        rounds (int): of which the median is taken. Default: 5.

    Returns:
        OpProfile: microseconds; printed, it is a table.

    Raises:
        RuntimeError: there is no such operator, or no kernel computes it.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.testing import profile_op
            found = profile_op("relu", {"X": np.ones((4, 4), "float32")}, seconds=0.01)
            print(found.forward < 1e6, str(found).splitlines()[0])  # True operator relu
    """
    op = computed(op_type)
    if op is None:
        raise NotFoundError(f"profile_op(op_type): there is no operator {op_type!r} with a kernel.")
    made = Call(op, dict(inputs), dict(attrs or {}), {})
    given = {py(k): v for k, v in made.case.attrs.items()}
    full = {py(k): v for k, v in {**op.attrs, **made.case.attrs}.items()}
    function = getattr(C, op.name)
    at = current_place() if place is None else place
    backend = backend_for(at)
    wait = (lambda: None) if backend is None or backend.host else backend.synchronize

    def measured(call: Callable[[], Any]) -> float:
        return _median(call, wait, seconds, rounds)

    with dynamic(at):
        args = tensors(made.case)
        buffers = [_buffers(arg) for arg in args]
        with no_grad():
            kernel = measured(lambda: op.kernel(*buffers, **full))
            forward = measured(lambda: function(*args, **given))
        recorded = backward = None
        leaves = _leaves(args) if op.grad_outputs else []
        if leaves:
            recorded = measured(lambda: function(*args, **given))
            outs = _results(made, args, function(*args, **given))
            both = measured(
                lambda: grad(
                    _results(made, args, function(*args, **given)), leaves, allow_unused=True
                )
            )
            backward = max(both - recorded, 0.0) if outs else None
    return OpProfile(op.name, kernel, forward, recorded, backward, _program(made, at, measured))


def _median(call: Callable[[], Any], wait: Callable[[], Any], seconds: float, rounds: int) -> float:
    for _ in range(3):
        call()
    wait()
    start = time.perf_counter()
    call()
    wait()
    once = max(time.perf_counter() - start, 1e-7)
    number = max(1, int(seconds / rounds / once))
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(number):
            call()
        wait()
        times.append((time.perf_counter() - start) / number)
    return statistics.median(times) * 1e6


def _buffers(arg: Any) -> Any:
    if arg is None:
        return None
    return [one._buf for one in arg] if isinstance(arg, list) else arg._buf


def _leaves(args: list[Any]) -> list[Any]:
    found = [one for arg in args for one in (arg if isinstance(arg, list) else [arg])]
    found = [one for one in found if one is not None and one._buf.is_floating_point()]
    for one in found:
        one.stop_gradient = False
    return found


def _results(made: Call, args: list[Any], outs: Any) -> list[Any]:
    """The differentiable results of a call."""
    op = made.definition
    returned = [s for s in op.outputs if not s.writes]
    listed = [] if not returned else [outs] if len(returned) == 1 else list(outs)
    slots = by_slot(made.case, args, listed)
    found = []
    for slot in op.outputs:
        value = slots[slot.name]
        if slot.differentiable and not slot.writes and value is not None:
            found += value if isinstance(value, list) else [value]
    return [one for one in found if not one.stop_gradient]


def _program(made: Call, place: Any, measured: Callable) -> float | None:
    """What one more of the operator adds to a Program."""
    op = made.definition
    if op.effects or any(s.writes or s.many for s in op.outputs):
        return None  # copies of it would work on one another, or how many results is not known
    times = []
    for copies in (1, _COPIES):
        with static() as (main, _):
            block = main.global_block()
            step, names, feed = made.record()
            first = op.outputs[0].name
            fetch = list(names[first])
            for i in range(1, copies):
                outputs = {slot: [f"{n}_{i}" for n in listed] for slot, listed in names.items()}
                block.append_op(step.type, step.inputs, outputs, made.attrs)
                fetch += outputs[first]
        with dynamic(), scope_guard(Scope()):
            executor = Executor(place)

            def run(executor: Any = executor, main: Any = main, feed: Any = feed,
                    fetch: Any = fetch) -> Any:  # fmt: skip
                return executor.run(main, feed=feed, fetch_list=fetch, return_numpy=False)

            times.append(measured(run))
    return max(times[1] - times[0], 0.0) / (_COPIES - 1)


guard_module(globals())
