"""An operator with a kernel for a GPU; needs one, and nvcc."""

from __future__ import annotations

from pathlib import Path

import paddle
from paddle.utils.cpp_extension import load

HERE = Path(__file__).parent


def main() -> float:
    """Returns the largest difference between both kernels and the built-in relu."""
    ops = load("gpu_relu_ops", [str(HERE / "relu.cc"), str(HERE / "relu.cu")])
    worst = 0.0
    for device in ("cpu", "gpu:0"):
        paddle.set_device(device)
        x = paddle.randn([1000, 33])
        x.stop_gradient = False
        y = ops.gpu_relu(x)
        (y * y).sum().backward()
        want = paddle.nn.functional.relu(x.detach())
        worst = max(worst, float((y - want).abs().max()), float((x.grad - 2 * want).abs().max()))
    return worst


if __name__ == "__main__":
    print(main())
