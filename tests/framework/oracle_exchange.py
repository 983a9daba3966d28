"""Exchange saved files with real PaddlePaddle, by hand: each side writes, the other one checks.

    P26=/path/to/paddle-2.6.2/bin/python   HERE=.venv/bin/python
    $P26 tests/framework/oracle_exchange.py write /tmp/theirs
    PYTHONPATH=. $HERE tests/framework/oracle_exchange.py check /tmp/theirs
    PYTHONPATH=. $HERE tests/framework/oracle_exchange.py write /tmp/ours
    $P26 tests/framework/oracle_exchange.py check /tmp/ours
    $HERE tests/framework/oracle_exchange.py identical /tmp/ours /tmp/theirs
    $P26 tests/framework/oracle_exchange.py freeze tests/data     (makes the corpus of the suite)

It is not part of the suite, which reads only the frozen corpus.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import saveload_cases as cases


def _paddle() -> Any:
    import paddle

    return paddle


def _tensor(array: np.ndarray, name: str, bf16: bool = False) -> Any:
    paddle = _paddle()
    if bf16:
        made = paddle.to_tensor((array.astype("uint32") << 16).view("float32")).astype("bfloat16")
    else:
        made = paddle.to_tensor(array)
    made.name = name
    return made


def write(folder: str) -> None:
    os.makedirs(folder, exist_ok=True)
    for name, obj in cases.build(_tensor).items():
        for protocol in (2, 3, 4):
            path = os.path.join(folder, f"{name}.{protocol}")
            _paddle().save(obj, path, protocol=protocol)


def check(folder: str) -> int:
    bad = 0
    for name, want in cases.build(cases.as_array).items():
        for protocol in (2, 3, 4):
            path = os.path.join(folder, f"{name}.{protocol}")
            for as_numpy in (False, True):
                got = _paddle().load(path, return_numpy=as_numpy)
                if not cases.same(got, want):
                    bad += 1
                    print("DIFFERENT", path, "return_numpy =", as_numpy, got, want)
    print("all equal" if not bad else f"{bad} different")
    return bad


def identical(one: str, other: str) -> int:
    differing = []
    for file in sorted(os.listdir(one)):
        with open(os.path.join(one, file), "rb") as a, open(os.path.join(other, file), "rb") as b:
            if a.read() != b.read():
                differing.append(file)
    print("byte-identical" if not differing else f"bytes differ: {differing}")
    return len(differing)


def freeze(folder: str) -> None:
    """Writes a trained layer, its optimizer, a static program and two cases, with their values."""
    paddle = _paddle()
    paddle.seed(7)
    layer = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.BatchNorm1D(3))
    schedule = paddle.optimizer.lr.StepDecay(0.1, 2)
    adam = paddle.optimizer.Adam(schedule, parameters=layer.parameters())
    layer(paddle.to_tensor(cases.values("float32", (4, 2)))).square().sum().backward()
    adam.step()
    schedule.step()
    prefix = os.path.join(folder, "saveload_262")
    for protocol in (2, 4):
        paddle.save(layer.state_dict(), f"{prefix}_p{protocol}.pdparams", protocol=protocol)
        paddle.save(adam.state_dict(), f"{prefix}_p{protocol}.pdopt", protocol=protocol)
        nested = cases.build(_tensor)
        paddle.save(
            {k: nested[k] for k in ("nested", "bf16")},
            f"{prefix}_nested_p{protocol}.pdparams",
            protocol=protocol,
        )
    arrays = {f"pdparams/{k}": v.numpy() for k, v in layer.state_dict().items()}
    arrays |= {f"pdopt/{k}": v.numpy() for k, v in adam.state_dict().items() if k != "LR_Scheduler"}
    arrays |= _freeze_static(paddle, prefix + "_static")
    np.savez(prefix + "_expected.npz", **arrays)


def _freeze_static(paddle: Any, prefix: str) -> dict[str, np.ndarray]:
    paddle.enable_static()
    program, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(program, startup):
        x = paddle.static.data("x", [None, 2], "float32")
        loss = paddle.static.nn.fc(x, 3).sum()
        paddle.optimizer.Momentum(0.1).minimize(loss)
    executor = paddle.static.Executor()
    executor.run(startup)
    executor.run(program, feed={"x": cases.values("float32", (4, 2))}, fetch_list=[loss])
    paddle.static.save(program, prefix)
    os.remove(prefix + ".pdmodel")
    scope = paddle.static.global_scope()
    found = {}
    for suffix in ("pdparams", "pdopt"):
        import pickle

        with open(f"{prefix}.{suffix}", "rb") as file:
            names = list(pickle.load(file))
        for name in names:
            found[f"static.{suffix}/{name}"] = np.array(scope.find_var(name).get_tensor())
    return found


if __name__ == "__main__":
    action = {"write": write, "check": check, "identical": identical, "freeze": freeze}[sys.argv[1]]
    sys.exit(action(*sys.argv[2:]))
