"""Builds a network with control flow in dynamic mode and as a Program, and compares both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import paddle
from paddle.nn.initializer import Assign
from paddle.static import append_backward
from tests.static.harness import data, flat, run, static


def eager(build: Callable, inputs: dict, parameters: dict) -> tuple[list, dict]:
    """Values of what ``build`` returns, and gradients of the first of them."""
    tensors = {k: paddle.to_tensor(v) for k, v in inputs.items()}
    trained = {k: paddle.to_tensor(v, stop_gradient=False) for k, v in parameters.items()}
    outs = flat(build(**tensors, **trained))
    grads = {}
    if parameters:
        if not outs[0].stop_gradient:
            outs[0].backward()
        grads = {
            k: np.zeros_like(parameters[k]) if v.grad is None else v.grad.numpy()
            for k, v in trained.items()
        }
    return [o.numpy() for o in outs], grads


def recorded(build: Callable, inputs: dict, parameters: dict, batch: bool = False) -> Any:
    """Records ``build``: (main, startup, outputs, names of gradients by parameter)."""
    with static() as (main, startup):
        variables = {k: data(k, v, batch) for k, v in inputs.items()}
        for name, value in parameters.items():
            variables[name] = paddle.create_parameter(
                list(value.shape), str(value.dtype), name=name, default_initializer=Assign(value)
            )
        outs = flat(build(**variables))
        pairs = append_backward(outs[0]) if parameters else []
    return main, startup, outs, {p.name: g.name for p, g in pairs}


def compare(
    build: Callable,
    inputs: dict | None = None,
    parameters: dict | None = None,
    batch: bool = False,
    rtol: float = 1e-5,
    atol: float = 1e-6,
) -> tuple[Any, list]:
    """Asserts that values and gradients are the same in both modes; returns main and the values."""
    inputs, parameters = inputs or {}, parameters or {}
    wanted, wanted_grads = eager(build, inputs, parameters)
    main, startup, outs, grads = recorded(build, inputs, parameters, batch)
    values = run(main, startup, inputs, [*outs, *grads.values()])
    for got, want in zip(values, wanted, strict=False):
        assert got.shape == want.shape and got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol, atol)
    for name, got in zip(grads, values[len(outs) :], strict=True):
        np.testing.assert_allclose(got, wanted_grads[name], rtol, atol, err_msg=name)
    for name in set(wanted_grads) - set(grads):
        np.testing.assert_allclose(wanted_grads[name], 0.0, err_msg=name)
    return main, values
