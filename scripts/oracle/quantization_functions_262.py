"""What functions of one's own do in PaddlePaddle 2.6.2: `python FILE tests/quantization/data`.

QuantizationTransformPass puts a clipping with a trained limit before values, weights or both, or
in the place of their rounding; losses, limits and weights after three steps are stored.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import paddle
from paddle import static
from paddle.base import core
from paddle.base.framework import IrGraph
from paddle.static.quantization import QuantizationTransformPass

CASES = {
    "act": ["act_preprocess_func"],
    "weight": ["weight_preprocess_func"],
    "both": ["act_preprocess_func", "weight_preprocess_func"],
    "act_instead": ["act_quantize_func"],
    "weight_instead": ["weight_quantize_func"],
}


def clipped(x):
    first = paddle.nn.initializer.Constant(0.5)
    limit = static.create_parameter([1], "float32", f"{x.name}_alpha", default_initializer=first)
    relu = paddle.nn.functional.relu
    return x - relu(x - limit) + relu(-limit - x)


def train(functions: list, start: dict | None) -> dict:
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup), paddle.utils.unique_name.guard():
        x, y = static.data("x", [None, 1, 8, 8]), static.data("y", [None, 1], "int64")
        x.stop_gradient = False
        hidden = paddle.nn.functional.relu(static.nn.conv2d(x, 4, 3))
        out = static.nn.fc(hidden, 5)
        loss = paddle.mean(paddle.nn.functional.cross_entropy(out, y))
        paddle.optimizer.Momentum(0.05, 0.9).minimize(loss)
    exe, scope = static.Executor(paddle.CPUPlace()), static.Scope()
    found = {}
    with static.scope_guard(scope):
        exe.run(startup)
        weights = [p.name for p in main.all_parameters()]
        for name in weights:
            if start is None:
                found[f"before/{name}"] = np.array(scope.find_var(name).get_tensor())
            else:
                tensor = scope.find_var(name).get_tensor()
                tensor.set(start[f"before/{name}"], paddle.CPUPlace())
        graph = IrGraph(core.Graph(main.desc), for_test=False)
        QuantizationTransformPass(
            scope, paddle.CPUPlace(), activation_quantize_type="moving_average_abs_max",
            weight_quantize_type="channel_wise_abs_max", quantizable_op_type=["conv2d", "mul"],
            optimizer_func=lambda: paddle.optimizer.Momentum(0.02, 0.9), executor=exe,
            **dict.fromkeys(functions, clipped),
        ).apply(graph)  # fmt: skip
        program, random = graph.to_program(), np.random.RandomState(0)
        losses = []
        for _ in range(3):
            feed = {"x": random.randn(4, 1, 8, 8).astype("float32")}
            feed["y"] = random.randint(0, 5, [4, 1])
            losses.append(np.asarray(exe.run(program, feed=feed, fetch_list=[loss.name])[0]).item())
        limits = [p.name for p in program.all_parameters() if p.name.endswith("_alpha")]
        for name in weights + limits:
            found[f"after/{name}"] = np.array(scope.find_var(name).get_tensor())
    return {**found, "losses": np.array(losses)}


def main(folder: Path) -> None:
    paddle.enable_static()
    paddle.seed(3)
    found, start = {}, None
    for case, functions in CASES.items():
        seen = train(functions, start)
        start = start or seen
        found.update({f"{case}|{k}": v for k, v in seen.items() if not k.startswith("before")})
    found.update({k: v for k, v in start.items() if k.startswith("before")})
    np.savez_compressed(folder / "262-functions.npz", **found)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
