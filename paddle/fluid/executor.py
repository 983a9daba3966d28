"""What scripts of 1.x take from ``fluid.executor`` beside Executor and its scopes."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.executor.scope import global_scope

__all__: list[str] = []


def _fetch_var(name: Any, scope: Any = None, return_numpy: bool = True) -> Any:
    """The value of a stored variable.

    Args:
        name (str|Variable): the variable.
        scope (Scope, optional): None means the global one.
        return_numpy (bool): an array rather than a LoDTensor. Default: True.

    Returns:
        np.ndarray|LoDTensor: the value.

    Raises:
        AssertionError: the scope has no such variable.
    """
    found = (global_scope() if scope is None else scope).find_var(getattr(name, "name", name))
    assert found is not None, (
        f"_fetch_var: there is no {name!r} in the scope; a variable stays there after a run if "
        "var.persistable is True."
    )
    tensor = found.get_tensor()
    return np.array(tensor) if return_numpy else tensor
