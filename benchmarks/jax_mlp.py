"""The MLP of the training rows in jitted JAX: forward, backward and Adam are one compiled call.

It runs in an interpreter of its own that has JAX but not torch, one thread at ``threads=1``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import cycle
from typing import Any

from benchmarks import training
from benchmarks.static import Loss


def build(task: str, side: str) -> Callable[[], Any]:
    """The workload for a worker process; JAX reads its number of threads when it starts."""
    threads = int(os.environ["OMP_NUM_THREADS"])
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    if threads == 1:
        os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    import jax
    from jax import numpy as jnp

    shapes = [[784, 512], [512], [512, 10], [10]]
    values = [jnp.asarray(value) for value in training.weights(shapes)]
    state = (values, [jnp.zeros_like(v) for v in values], [jnp.zeros_like(v) for v in values], 0)

    def loss_of(parameters: list, images: Any, labels: Any) -> Any:
        w1, b1, w2, b2 = parameters
        hidden = jax.nn.relu(images.reshape(images.shape[0], -1) @ w1 + b1)
        logs = jax.nn.log_softmax(hidden @ w2 + b2)
        return -jnp.mean(jnp.take_along_axis(logs, labels, 1))

    def train(state: tuple, images: Any, labels: Any) -> tuple:
        parameters, first, second, count = state
        loss, grads = jax.value_and_grad(loss_of)(parameters, images, labels)
        count = count + 1
        first = [0.9 * m + 0.1 * g for m, g in zip(first, grads, strict=True)]
        second = [0.999 * v + 0.001 * g * g for v, g in zip(second, grads, strict=True)]
        parameters = [
            p - training.RATE * (m / (1 - 0.9**count)) / (jnp.sqrt(v / (1 - 0.999**count)) + 1e-8)
            for p, m, v in zip(parameters, first, second, strict=True)
        ]
        return (parameters, first, second, count), loss

    compiled = jax.jit(train, donate_argnums=0)
    data = cycle([(jnp.asarray(x), jnp.asarray(y)) for x, y in training.batches()])

    def step() -> Loss:
        nonlocal state
        images, labels = next(data)
        state, loss = compiled(state, images, labels)
        return Loss(loss)

    return step
