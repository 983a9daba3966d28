"""Programs that ranks train, and the same with the joined batch in one process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import paddle
import paddle.distributed as dist
import paddle.static as static

STEPS, ROWS = 20, 8


def batches(steps: int = STEPS, rows: int = ROWS) -> list[dict[str, np.ndarray]]:
    """The joined batches of all ranks."""
    rng = np.random.RandomState(3)
    weight = 0.3 * rng.randn(6, 1)
    found = []
    for _ in range(steps):
        x = rng.randn(rows, 6).astype("float32")
        found.append({"x": x, "y": (x @ weight).astype("float32")})
    return found


def part(feed: dict[str, np.ndarray], rank: int, count: int) -> dict[str, np.ndarray]:
    """The rows of one rank."""
    return {n: np.split(v, count)[rank] for n, v in feed.items()}


def optimizer(name: str) -> Any:
    """One of the optimizers by name."""
    made: dict[str, Callable] = {
        "SGD": lambda: paddle.optimizer.SGD(0.1),
        "Momentum": lambda: paddle.optimizer.Momentum(0.02, 0.9),
        "Adam": lambda: paddle.optimizer.Adam(0.01),
        "Clipped": lambda: paddle.optimizer.Momentum(
            0.05, grad_clip=paddle.nn.ClipGradByGlobalNorm(0.5)
        ),
    }
    return made[name]()


def network(name: str, seed: int = 1, hidden: int = 16) -> tuple:
    """A main and a startup Program and the loss: two layers of squares."""
    main, startup = static.Program(), static.Program()
    startup.random_seed = seed
    with paddle.utils.unique_name.guard(), static.program_guard(main, startup):
        x, y = static.data("x", [None, 6]), static.data("y", [None, 1])
        middle = paddle.nn.functional.relu(static.nn.fc(x, hidden))
        loss = paddle.mean(paddle.square(static.nn.fc(middle, 1) - y))
        optimizer(name).minimize(loss)
    return main, startup, loss


def train(
    main: Any, startup: Any, loss: Any, feeds: list[dict], compiled: Any = None
) -> tuple[list[float], dict[str, np.ndarray]]:
    """Losses of all steps, and the parameters that are left."""
    exe, scope = static.Executor(paddle.CPUPlace()), static.Scope()
    with static.scope_guard(scope):
        exe.run(startup)
        runs = main if compiled is None else compiled
        losses = [float(np.mean(exe.run(runs, feed=f, fetch_list=[loss])[0])) for f in feeds]
        params = {p.name: scope.find_var(p.name).get_tensor() for p in main.all_parameters()}
        return losses, {n: np.array(v) for n, v in params.items()}


def alone(name: str, feeds: list[dict] | None = None) -> tuple[list[float], dict]:
    """One process with the joined batches."""
    paddle.enable_static()
    try:
        return train(*network(name), batches() if feeds is None else feeds)
    finally:
        paddle.disable_static()


def endpoints() -> list[str]:
    """The addresses of the job."""
    return dist.ParallelEnv().trainer_endpoints


def same(results: list[tuple], expected: tuple, tolerance: float = 1e-6) -> None:
    """All ranks' parameters and the mean of their losses are those of one process."""
    losses = np.mean([r[0] for r in results], 0)
    np.testing.assert_allclose(losses, expected[0], rtol=tolerance, atol=tolerance)
    for _, params in results:
        for name, value in params.items():
            np.testing.assert_allclose(
                value, expected[1][name], rtol=10 * tolerance, atol=tolerance, err_msg=name
            )
