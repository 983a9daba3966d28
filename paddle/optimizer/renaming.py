"""The state of an optimizer under the names that the parameters have in this process."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def renamed(state: dict[str, Any], names: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Returns a state whose entries are named after other parameters.

    An entry is named after its parameter, ``linear_0.w_0_moment1_0``, and a network that is made
    a second time has parameters of other names, ``linear_1.w_0``.

    Args:
        state (dict): what ``state_dict`` of an optimizer returned.
        names (iterable): the names of each parameter, then and now.
    """
    pairs = list(names)
    changed = [(old + "_", new + "_") for old, new in pairs if old != new]
    if not changed:
        return state
    masters = state.get("master_weights")
    if isinstance(masters, dict):
        now = dict(pairs)
        state = {**state, "master_weights": {now.get(k, k): v for k, v in masters.items()}}
    made = {}
    for key, value in state.items():
        fitting = [(old, new) for old, new in changed if key.startswith(old)]
        old, new = max(fitting, key=lambda pair: len(pair[0]), default=("", ""))
        made[new + key[len(old) :]] = value
    return made
