"""Gradients of Variables beside differences; found as ``gradient_checker`` by PaddlePaddle's tests.

A test builds a Program and says what was differentiated: values of the leaves come in, the Program
runs with each element moved to either side, and what changes is compared with its own gradients.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.executor.executor import Executor
from paddle.executor.scope import Scope, global_scope
from paddle.framework.checks import convert_dtype
from paddle.ir.autodiff.backward import gradients
from paddle.ir.current import default_main_program, default_startup_program, program_guard
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.testing.cases import fed_variable
from paddle.testing.comparing import difference
from paddle.testing.decorator_helper import prog_scope
from paddle.testing.testsuite import put

__all__ = [
    "double_grad_check", "dtype_to_np_dtype", "grad_check", "prog_scope", "set_var_in_scope",
    "triple_grad_check", "var_to_np_array_in_scope",
]  # fmt: skip


def dtype_to_np_dtype(dtype: Any) -> type:
    """Returns NumPy's type of floating or complex variables.

    Args:
        dtype (VarType|str): of a Variable.

    Raises:
        ValueError: it is another one.
    """
    name = convert_dtype(dtype)
    if name not in ("float16", "float32", "float64", "complex64", "complex128"):
        raise InvalidArgumentError(
            f"dtype_to_np_dtype: expected a floating or complex type, but received {name}."
        )
    return np.dtype(name).type


def set_var_in_scope(
    scope: Scope, place: Any, name: str, value: Any, recursive_seq_len: Any = None
) -> Any:
    """Puts an array into a variable of a scope, and returns what holds it.

    Args:
        scope (Scope): gets the variable.
        place (Place): where the array lies.
        name (str): the variable.
        value (array): what it gets.
        recursive_seq_len (list[list[int]], optional): the lengths of its sequences.
    """
    held = scope.var(name).get_tensor()
    put(held, value, recursive_seq_len, place)
    return held


def var_to_np_array_in_scope(scope: Scope, place: Any, name: str) -> np.ndarray:
    """Returns the array in a variable of a scope.

    Args:
        scope (Scope): has the variable.
        place (Place): where it lies; the array is a copy in any case.
        name (str): the variable.
    """
    return np.array(scope.var(name).get_tensor())


def grad_check(
    x: Any, y: Any, x_init: Any = None, place: Any = None, program: Program | None = None,
    eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3, raise_exception: bool = True,
) -> bool:  # fmt: skip
    """Compares the gradients of a Program with differences, element by element.

    Args:
        x (Variable|list[Variable]): leaves.
        y (Variable|list[Variable]): what is differentiated; added up with fixed random weights.
        x_init (array|list[array], optional): values of the leaves. Default: what the scope holds.
        place (Place, optional): where. Default: on the CPU.
        program (Program, optional): that of the variables. Default: the current one.
        eps (float): how far an element is moved to either side. Default: 1e-6.
        atol, rtol (float): a gradient may be off by ``atol + rtol * |expected|``.
        raise_exception (bool): a wrong gradient is an error, not the result False. Default: True.

    Returns:
        bool: whether all are right.

    Raises:
        AssertionError: one is not; the text shows the worst element.
    """
    return _checked(1, x, y, x_init, None, place, program, (eps, atol, rtol), raise_exception)


def double_grad_check(
    x: Any, y: Any, x_init: Any = None, y_grads: Any = None, place: Any = None,
    program: Program | None = None, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:  # fmt: skip
    """Does for second derivatives what :func:`grad_check` does for first ones.

    Args:
        x, y, x_init, place, program, eps, atol, rtol, raise_exception: as there.
        y_grads (list[array], optional): the gradients of ``y``. Default: random ones.
    """
    return _checked(2, x, y, x_init, y_grads, place, program, (eps, atol, rtol), raise_exception)


def triple_grad_check(
    x: Any, y: Any, x_init: Any = None, y_grads: Any = None, x_grads_grads: Any = None,
    place: Any = None, program: Program | None = None, eps: float = 1e-6, atol: float = 1e-5,
    rtol: float = 1e-3, raise_exception: bool = True,
) -> bool:  # fmt: skip
    """Does for third derivatives what :func:`grad_check` does for first ones.

    Args:
        x, y, x_init, y_grads, place, program, eps, atol, rtol, raise_exception: as for
            :func:`double_grad_check`.
        x_grads_grads (list[array], optional): the gradients of those. Default: random ones.
    """
    given = [y_grads, x_grads_grads]
    limits = (eps, atol, rtol)
    return _checked(3, x, y, x_init, given, place, program, limits, raise_exception, several=True)


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _checked(
    order: int, x: Any, y: Any, x_init: Any, given: Any, place: Any, program: Program | None,
    limits: tuple, raise_exception: bool, several: bool = False,
) -> bool:  # fmt: skip
    leaves, targets = _listed(x), _listed(y)
    for var in [*leaves, *targets]:
        if not isinstance(var, Variable):
            raise TypeError(f"grad_check: expected Variables, but received {type(var).__name__}.")
    main = default_main_program() if program is None else program
    executor = Executor(place)
    executor.run(default_startup_program())
    values = _values(leaves, x_init)
    weights = (given if several else [given]) + [None] * order
    feed: dict[str, np.ndarray] = {}
    with program_guard(main, default_startup_program()):
        for depth in range(order - 1):
            targets = _gradients(targets, leaves, weights[depth], depth, values, feed)
        found = _gradients(targets, leaves, weights[order - 1], order - 1, values, feed)
    run = functools.partial(_run, executor, main, leaves, values, feed)
    seeds = [feed[f"grad_check_{order - 1}_{i}"] for i in range(len(targets))]
    got = run(found)

    def number() -> float:
        outs = run(targets)
        return sum(float(np.sum(np.conj(w) * o).real) for w, o in zip(seeds, outs, strict=True))

    eps, atol, rtol = limits
    for var, array, value in zip(leaves, got, values, strict=True):
        wrong = difference(array, _by_element(number, value, eps), rtol, atol)
        if wrong is not None:
            if not raise_exception:
                return False
            raise AssertionError(
                f"gradient of order {order} of {var.name}: {wrong}\n"
                f"  allowed: {atol:g} + {rtol:g} * |expected|"
            )
    return True


def _values(leaves: list[Variable], x_init: Any) -> list[np.ndarray]:
    given = _listed(x_init)
    if given and len(given) != len(leaves):
        raise InvalidArgumentError(
            f"grad_check(x_init): expected {len(leaves)} of them, one for each leaf, but received "
            f"{len(given)}."
        )
    values = given or [np.array(global_scope().var(v.name).get_tensor()) for v in leaves]
    return [np.array(value) for value in values]


def _gradients(
    targets: list[Variable], leaves: list[Variable], given: Any, depth: int,
    values: list[np.ndarray], feed: dict[str, np.ndarray],
) -> list[Variable]:  # fmt: skip
    """Adds the gradients of targets, weighted by what is fed; those that there are."""
    state = np.random.RandomState(11 + depth)
    seeds = []
    for i, target in enumerate(targets):
        name = f"grad_check_{depth}_{i}"
        shape = [v if v != -1 else values[0].shape[0] for v in target.shape]
        listed = _listed(given)
        weight = np.asarray(listed[i]) if listed else state.uniform(-1, 1, shape)
        kind = "float64" if str(target.dtype).endswith("64") else "float32"
        feed[name] = weight.astype(kind) if weight.dtype.kind == "f" else weight
        seeds.append(fed_variable(name, feed[name], stop_gradient=False))
    for leaf in leaves:
        leaf.stop_gradient = False
    found = gradients(targets, leaves, seeds)
    missing = [v.name for v, g in zip(leaves, found, strict=True) if g is None]
    if missing and depth == 0:
        raise AssertionError(f"grad_check: y does not depend on {missing}")
    return [g for g in found if g is not None]


def _run(
    executor: Executor, main: Program, leaves: list[Variable], values: list[np.ndarray],
    feed: dict[str, np.ndarray], fetch: list[Variable],
) -> list[np.ndarray]:  # fmt: skip
    given = dict(feed)
    for leaf, value in zip(leaves, values, strict=True):
        if leaf.is_data:
            given[leaf.name] = value
        else:
            global_scope().var(leaf.name).get_tensor().set(value, executor.place)
    return executor.run(main, feed=given, fetch_list=fetch)


def _by_element(number: Callable[[], float], value: np.ndarray, eps: float) -> np.ndarray:
    elements = value.reshape(-1)
    found = np.zeros(elements.size, "complex128" if value.dtype.kind == "c" else "float64")
    for i in range(elements.size):
        before = elements[i]
        for step in (eps, eps * 1j) if value.dtype.kind == "c" else (eps,):
            elements[i] = before + step
            up = number()
            elements[i] = before - step
            found[i] += (up - number()) / (2 * eps) * (step / eps)
        elements[i] = before
    return found.reshape(value.shape)
