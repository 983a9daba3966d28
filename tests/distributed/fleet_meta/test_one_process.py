"""What these rewrites do in one process: parts of a batch by fluid's PipelineOptimizer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
import paddle.static as static
from tests.distributed.fleet_meta import jobs


def train(parts: int, clip: bool = False, batch: int = 8, sections: bool = True) -> Any:
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    with (
        static.program_guard(main, startup),
        paddle.utils.unique_name.guard(),
        static.scope_guard(static.Scope()),
    ):
        loss, _ = jobs.network(devices=sections)
        inner = fluid.optimizer.Momentum(
            0.1, 0.9, grad_clip=fluid.clip.GradientClipByGlobalNorm(0.1) if clip else None
        )
        made = fluid.optimizer.PipelineOptimizer(inner, num_microbatches=parts)
        made.minimize(loss, startup)
        exe = static.Executor()
        exe.run(startup)
        losses = []
        for step in range(4):
            x, y = jobs.data(step)
            fed = {"x": x[:batch], "y": y[:batch]}
            losses.append(float(exe.run(main, fed, [loss])[0].item()))
        weight = np.array(static.global_scope().find_var("w1").get_tensor().numpy())
    paddle.disable_static()
    return losses, weight, [op.type for op in main.global_block().ops]


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize("sections", [False, True])
def test_parts_of_a_batch(clip: bool, sections: bool) -> None:
    losses, weight, ops = train(1, clip, sections=sections)
    for parts in (2, 4):
        again, other, more = train(parts, clip, sections=sections)
        np.testing.assert_allclose(again, losses, atol=2e-6)
        np.testing.assert_allclose(other, weight, atol=2e-6)
        assert more.count("mul_grad") == parts * ops.count("mul_grad")
        assert more.count("momentum") == 4 and "send_v2" not in more


def test_a_batch_that_cannot_be_cut() -> None:
    try:
        with pytest.raises(ValueError, match="split"):
            train(4, batch=7)
    finally:
        paddle.disable_static()


@pytest.mark.parametrize("parts", [0, -1, True])
def test_wrong_number_of_parts(parts: Any) -> None:
    paddle.enable_static()
    try:
        with pytest.raises(ValueError, match="expected 1 or more"):
            fluid.optimizer.PipelineOptimizer(fluid.optimizer.SGD(0.1), num_microbatches=parts)
    finally:
        paddle.disable_static()
