"""Checks that the package works on this machine."""

from __future__ import annotations

from paddle.core.errors import FatalError
from paddle.core.place import current_backend

__all__ = ["run_check"]


def _train() -> float:
    """Three steps towards a known line; returns the last loss."""
    import paddle

    x = paddle.reshape(paddle.arange(8, dtype="float32"), [4, 2]) / 8.0
    target = paddle.sum(x, axis=1, keepdim=True)
    layer = paddle.nn.Linear(2, 1)
    sgd = paddle.optimizer.SGD(learning_rate=0.1, parameters=layer.parameters())
    losses = []
    for _ in range(3):
        loss = paddle.mean((layer(x) - target) ** 2)
        loss.backward()
        sgd.step()
        sgd.clear_grad()
        losses.append(float(loss))
    if not losses[-1] < losses[0]:
        raise FatalError(
            f"run_check: expected the loss of a small network to fall, but it went {losses}."
        )
    return losses[-1]


def _run_program() -> None:
    """A product in a Program, run by an Executor."""
    import numpy as np

    import paddle

    main = paddle.static.Program()
    with paddle.static.program_guard(main, paddle.static.Program()):
        x = paddle.static.data("x", [2, 2], "float32")
        y = paddle.matmul(x, x)
    exe = paddle.static.Executor()
    ones = np.ones([2, 2], "float32")
    (got,) = exe.run(main, feed={"x": ones}, fetch_list=[y])
    if not np.array_equal(got, 2 * ones):
        raise FatalError(f"run_check: expected a product of 2s from a Program, but got {got}.")


def run_check() -> None:
    """Trains a small network and runs a small Program, and says whether that works.

    Raises:
        SystemError: it runs, but computes something else.

    Examples:
        .. code-block:: python

            import paddle
            paddle.utils.run_check()
    """
    import paddle

    print("Running verify PaddlePaddle program ... ")
    eager = paddle.in_dynamic_mode()
    state = paddle.core.random.default_generator().get_state()
    try:
        paddle.disable_static()
        _train()
        paddle.enable_static()
        _run_program()
    finally:
        paddle.core.random.default_generator().set_state(state)
        if eager:
            paddle.disable_static()
        else:
            paddle.enable_static()
    backend = current_backend()
    count = backend.count()
    print(f"PaddlePaddle works well on {count} {backend.title}{'s' * (count > 1)}.")
    print(
        "PaddlePaddle is installed successfully! Let's start deep learning with PaddlePaddle now."
    )
