"""The cache entry of a call: what runs the Program of calls with the same key."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from paddle.core.pytree import leaves
from paddle.core.tensor import Tensor
from paddle.jit.calls.layer_state import Guards
from paddle.jit.calls.signature import Call

Run = Callable[[list[Tensor]], Any]  # takes the Tensors of a call in the order of its key


def order(call: Call) -> list[int]:
    """For each input of the Program, which Tensor of the call it is."""
    at = {id(spec): i for i, spec in enumerate(call.specs)}
    return [at[id(leaf)] for leaf in leaves([list(call.args), call.kwargs]) if id(leaf) in at]


def in_order(program: Run, call: Call) -> Run:
    """Runs a Program with the Tensors in the order of its inputs."""
    wanted = order(call)
    if wanted == list(range(len(wanted))):
        return program
    return lambda tensors: program([tensors[i] for i in wanted])


def guarded(run: Run, guards: Guards, function: Any, key: tuple, call: Call) -> Run:
    """Runs a Program as long as the Tensors in variables are those that it uses.

    Args:
        run (callable): runs the Program.
        guards (Guards): tells whether it is still valid.
        function (StaticFunction): makes another entry if not; held weakly, as it holds this one.
        key (tuple): the cache key of the call.
        call (Call): the call.
    """
    if not len(guards):
        return run
    reference = weakref.ref(function)

    def checked(tensors: list[Tensor]) -> Any:
        owner = reference()
        if owner is None or guards.hold():
            return run(tensors)
        return owner.new_entry(key, call)(tensors)

    return checked
