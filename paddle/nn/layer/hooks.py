"""Handles that take a hook off a layer again."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from itertools import count
from typing import Any

_next_id = count().__next__


class HookRemoveHelper:
    """What registering a hook returns; :meth:`remove` takes the hook off.

    Args:
        hooks (OrderedDict): the layer's hooks of one kind.
        hook (callable): the hook to put there.
    """

    def __init__(self, hooks: OrderedDict[int, Callable], hook: Callable) -> None:
        self._hook_id = _next_id()
        self._hooks_ref = weakref.ref(hooks)
        hooks[self._hook_id] = hook

    def remove(self) -> None:
        """Takes the hook off; a second call does nothing."""
        hooks = self._hooks_ref()
        if hooks is not None:
            hooks.pop(self._hook_id, None)


def check_hook(where: str, hook: Any) -> None:
    """Raises unless ``hook`` can be called."""
    if not callable(hook):
        raise TypeError(f"{where}(hook): expected a function, but received {type(hook).__name__}.")
