"""An operator in C++, built when it is first used: eager, with gradients, and in a Program."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import paddle
from paddle import static
from paddle.utils.cpp_extension import load

HERE = Path(__file__).parent


def main() -> tuple[list, list, list]:
    """Returns what the operator computes, its gradient, and what a Program computes."""
    ops = load(name="sloped_relu_ops", sources=[str(HERE / "relu.cc")])
    values = np.array([[1.0, -2.0], [-3.0, 4.0]], "float32")
    x = paddle.to_tensor(values, stop_gradient=False)
    y = ops.sloped_relu(x, slope=0.5)
    y.sum().backward()
    paddle.enable_static()
    try:
        program = static.Program()
        with static.program_guard(program):
            out = ops.sloped_relu(static.data("x", [None, 2]), slope=0.5)
        (ran,) = static.Executor().run(program, feed={"x": values}, fetch_list=[out])
    finally:
        paddle.disable_static()
    return y.numpy().tolist(), x.grad.numpy().tolist(), ran.tolist()


if __name__ == "__main__":
    for what in main():
        print(what)
