"""What local SGD and gradient compression ought to do, computed by NumPy from single gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import paddle
import paddle.static as static
from tests.distributed.fleet_meta import jobs

WIDE = 4096  # the first weight then has 24576 elements
NAMES = ("w1", "b1", "w2", "b2")
Values = dict[str, np.ndarray]


class Gradients:
    """Loss and gradients of the network for any parameters and batch."""

    def __init__(self, width: int) -> None:
        paddle.enable_static()
        self.main, self.startup, self.scope = static.Program(), static.Program(), static.Scope()
        with static.program_guard(self.main, self.startup), paddle.utils.unique_name.guard():
            self.loss, _ = jobs.network(width)
            static.append_backward(self.loss)
        self.exe = static.Executor()
        with static.scope_guard(self.scope):
            self.exe.run(self.startup)
            self.start = {n: np.array(self._held(n).numpy()) for n in NAMES}
        paddle.disable_static()

    def _held(self, name: str) -> Any:
        return static.global_scope().find_var(name).get_tensor()

    def __call__(self, values: Values, x: np.ndarray, y: np.ndarray) -> tuple[float, Values]:
        """Returns the loss, and a gradient for each parameter."""
        paddle.enable_static()
        with static.scope_guard(self.scope):
            for name in NAMES:
                self._held(name).set(values[name].astype("float32"))
            fetch = [self.loss.name, *(f"{n}@GRAD" for n in NAMES)]
            loss, *grads = self.exe.run(self.main, {"x": x, "y": y}, fetch)
        paddle.disable_static()
        return loss.item(), dict(zip(NAMES, grads, strict=True))


class Local:
    """Momentum or SGD of one worker."""

    def __init__(self, rule: tuple, start: Values) -> None:
        self.values = {n: v.astype("float64") for n, v in start.items()}
        self.speed = {n: np.zeros_like(v) for n, v in self.values.items()}
        self.mu = 0.9 if rule[0] == "Momentum" else 0.0
        self.rate = rule[1]["learning_rate"]
        self.decay = rule[1].get("weight_decay", 0.0)

    def step(self, grads: Values) -> None:
        for name, grad in grads.items():
            whole = grad + self.decay * self.values[name]
            self.speed[name] = self.mu * self.speed[name] + whole
            self.values[name] = self.values[name] - self.rate * self.speed[name]


def part(step: int, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """A rank's rows of a step's batch."""
    x, y = jobs.data(step)
    return np.ascontiguousarray(x[rank::2]), np.ascontiguousarray(y[rank::2])


def check_local(
    made: list[jobs.Trained], rule: tuple, steps: int, period: Callable, begin: int,
    first: int | None = None,
) -> list[int]:  # fmt: skip
    """Compares two ranks with two workers that are averaged after ``period`` steps."""
    gradients = Gradients(4)
    workers = [Local(rule, gradients.start) for _ in range(2)]
    last, wait, used, loss_0 = 0, first or period(0.0, 1.0), [], 0.0
    for step in range(1, steps + 1):
        losses = []
        for rank, worker in enumerate(workers):
            loss, grads = gradients(worker.values, *part(step - 1, rank))
            losses.append(loss)
            assert abs(made[rank].losses[step - 1] - loss) < 5e-6, (step, rank)
            worker.step(grads)
        loss_0 = loss_0 or float(np.mean(losses))
        due = step - last == wait
        if step > begin and not due:
            continue
        for name in NAMES:
            mean = np.mean([w.values[name] for w in workers], axis=0)
            for worker in workers:
                worker.values[name] = mean
        last = step
        if step > begin:
            wait = period(float(np.mean(losses)), loss_0)
            used.append(wait)
    for rank, worker in enumerate(workers):
        for name in NAMES:
            np.testing.assert_allclose(made[rank].values[name], worker.values[name], atol=5e-6)
    return used


def check_dgc(
    made: list[jobs.Trained], rule: tuple, steps: int, begin: int, sparsity: list, ramp: int
) -> None:
    """Compares two ranks with two workers that send the largest of what has accumulated."""
    gradients = Gradients(WIDE)
    values = {n: v.astype("float64") for n, v in gradients.start.items()}
    speed = {n: np.zeros_like(v) for n, v in values.items()}
    waiting = [{"u": 0.0 * values["w1"], "v": 0.0 * values["w1"]} for _ in range(2)]
    rate, nesterov = rule[1]["learning_rate"], rule[1]["use_nesterov"]
    decay, clip = rule[1].get("weight_decay", 0.0), rule[1].get("clip_one")
    for step in range(steps):
        found = [gradients(values, *part(step, rank)) for rank in range(2)]
        for rank in range(2):
            assert abs(made[rank].losses[step] - found[rank][0]) < 1e-5, (step, rank)
        for name in NAMES:
            grads = [f[1][name].astype("float64") for f in found]
            late = name == "w1" and step >= begin
            if name == "w1":
                if late and clip:  # locally, what was divided by the number of processes
                    grads = [2 * _clipped(g / 2, clip / np.sqrt(2)) for g in grads]
                grads = [g + decay * values[name] for g in grads]
                if late:
                    at = min(int((step - begin) * len(sparsity) / ramp), len(sparsity) - 1)
                    grads = [
                        _largest(w, g, nesterov, sparsity[at])
                        for w, g in zip(waiting, grads, strict=True)
                    ]
                grad = np.mean(grads, axis=0)
            else:
                grad = np.mean(grads, axis=0)
                grad = _clipped(grad, clip) if clip else grad
                grad = grad + decay * values[name]
            if late:
                values[name] = values[name] - rate * grad
                continue
            speed[name] = 0.9 * speed[name] + grad
            change = grad + 0.9 * speed[name] if nesterov else speed[name]
            values[name] = values[name] - rate * change
    for name in NAMES:
        np.testing.assert_allclose(made[0].values[name], values[name], atol=5e-6, err_msg=name)


def _clipped(grad: np.ndarray, norm: float) -> np.ndarray:
    return grad * min(1.0, norm / np.linalg.norm(grad))


def _largest(held: Values, grad: np.ndarray, nesterov: bool, sparsity: float) -> np.ndarray:
    """What one worker lets out; the rest stays in ``held``."""
    if nesterov:
        held["u"] = 0.9 * (held["u"] + grad)
        held["v"] = held["v"] + held["u"] + grad
    else:
        held["u"] = 0.9 * held["u"] + grad
        held["v"] = held["v"] + held["u"]
    count = max(int(grad.size * (1.0 - sparsity)), 1)
    chosen = np.abs(held["v"]) >= np.sort(np.abs(held["v"]).ravel())[-count]
    sent = held["v"] * chosen
    held["u"], held["v"] = held["u"] * ~chosen, held["v"] * ~chosen
    return sent
