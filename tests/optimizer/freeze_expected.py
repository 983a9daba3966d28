"""Freezes what PaddlePaddle 2.6.2 computes; to be run by a Python that has it.

It writes tests/data/optimizer_expected.npz, and optimizer_262.pdopt and .pdparams: a training that
was interrupted after three steps.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import paddle

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import cases  # noqa: E402

DATA = HERE.parent / "data"


def main() -> None:
    """Runs every case and one interrupted training."""
    arrays = {}
    for name in cases.CASES:
        for key, value in cases.run(paddle, name).items():
            arrays[f"{name}/{key}"] = value
    paddle.utils.unique_name.switch()
    linear, optimizer = cases.build(paddle, "adam_scheduler")
    cases.train(paddle, linear, optimizer, range(3))
    paddle.save(linear.state_dict(), str(DATA / "optimizer_262.pdparams"))
    paddle.save(optimizer.state_dict(), str(DATA / "optimizer_262.pdopt"))
    cases.train(paddle, linear, optimizer, range(3, 6))
    arrays["resumed/weight"] = linear.weight.numpy()
    arrays["resumed/bias"] = linear.bias.numpy()
    np.savez_compressed(DATA / "optimizer_expected.npz", **arrays)


if __name__ == "__main__":
    main()
