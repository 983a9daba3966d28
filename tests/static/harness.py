"""Records a call into a fresh Program, runs it, and runs the same call eagerly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import paddle
from paddle.core import unique_name
from paddle.ir.variable import Variable
from paddle.testing.cases import fed_variable
from paddle.testing.programs import run, shape_fits, static

__all__ = ["both", "data", "flat", "run", "shape_fits", "static"]


def data(name: str, array: np.ndarray, batch: bool = False, stop_gradient: bool = True) -> Variable:
    """A fed Variable of the shape of an array; with ``batch`` its first size is unknown."""
    return fed_variable(name, array, batch, stop_gradient=stop_gradient)


def flat(value: Any) -> list[Any]:
    """The Tensors or Variables of a (nested) result, in order."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in flat(item)]
    return [value]


def both(
    call: Callable, arrays: dict[str, np.ndarray], batch: bool = False, fixed: Any = ()
) -> tuple[list[Any], list[Any], list[Variable]]:
    """Runs ``call(**arguments)`` eagerly and in a Program.

    Args:
        call: what is run.
        arrays: its arguments.
        batch: whether the first dimension of Variables is unknown, but for those named ``fixed``.

    Returns:
        (eager results, static results, Variables of the static results), flat.
    """
    paddle.seed(7)
    with unique_name.guard():
        eager = flat(call(**{k: paddle.to_tensor(v) for k, v in arrays.items()}))
    with static() as (main, startup):
        paddle.seed(7)
        found = flat(call(**{k: data(k, v, batch and k not in fixed) for k, v in arrays.items()}))
    assert all(isinstance(v, Variable) for v in found if v is not None), found
    got = run(main, startup, arrays, [v for v in found if v is not None])
    return [e.numpy() for e in eager if e is not None], got, [v for v in found if v is not None]
