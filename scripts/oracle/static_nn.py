"""Computes what PaddlePaddle makes of tests/static/nn/cases.py, for tests/data/static_nn.npz.

Run it from the repository root with both oracles, 2.6.2 first:

    /tmp/oracle/p26/bin/python scripts/oracle/static_nn.py tests/data/static_nn.npz
    /tmp/oracle/p185/bin/python scripts/oracle/static_nn.py tests/data/static_nn.npz
"""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tests", "static", "nn"))
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
import cases

import paddle

NEW = not paddle.__version__.startswith("1.")
if NEW:
    import paddle.static as static

    paddle.enable_static()
    unique_name = paddle.utils.unique_name
    mean, square = paddle.mean, paddle.square
    backward = static.append_backward
else:
    import paddle.fluid as static

    static.nn, static.data_of = static.layers, static.data
    unique_name = static.unique_name
    mean, square = static.layers.mean, static.layers.square
    backward = static.backward.append_backward


class Engine:
    """What a case sees of a release."""

    nn = static.nn
    ParamAttr = static.ParamAttr if not NEW else paddle.ParamAttr
    WeightNormParamAttr = static.WeightNormParamAttr
    create_parameter = staticmethod(
        static.create_parameter if NEW else static.layers.create_parameter
    )

    def __init__(self, name):
        self.name, self.feed = name, {}

    def given(self, name, array):
        self.feed[name] = array
        var = static.data(name, [None] + list(array.shape[1:]), str(array.dtype))
        var.stop_gradient = array.dtype != np.float32
        return var

    def data(self, name, *shape):
        return self.given(name, cases.rng(self.name + name).randn(*shape).astype("float32"))

    def integers(self, name, high, *shape):
        return self.given(name, cases.rng(self.name + name).randint(0, high, shape).astype("int64"))


def run(name):
    """Returns key -> array: results, gradients and the state after the run."""
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup), unique_name.guard():
        engine = Engine(name)
        outs = cases.CASES[name](engine)
        if name not in cases.FORWARD and str(outs[0].dtype).endswith(("float32", "FP32")):
            backward(mean(square(outs[0])))
    scope, place = (
        static.Scope() if NEW else static.core.Scope(),
        static.CPUPlace() if not NEW else paddle.CPUPlace(),
    )
    found = {}
    with static.scope_guard(scope):
        exe = static.Executor(place)
        exe.run(startup)
        for p in main.all_parameters():
            array = cases.values(name, p.name, p.shape)
            scope.find_var(p.name).get_tensor().set(array, place)
            found["shape/" + p.name] = np.array(p.shape)
        block = main.global_block()
        wanted = sorted(engine.feed) + [p.name for p in main.all_parameters()]
        grads = [n for n in wanted if block.has_var(n + "@GRAD")]
        got = exe.run(main, engine.feed, outs + [n + "@GRAD" for n in grads])
        for i, array in enumerate(got[: len(outs)]):
            found["out/%d" % i] = np.asarray(array)
        for n, array in zip(grads, got[len(outs) :]):
            found["grad/" + n] = np.asarray(array)
        for p in main.all_parameters():
            if not p.trainable:
                found["after/" + p.name] = np.array(scope.find_var(p.name).get_tensor())
    kinds = [op.type for op in main.global_block().ops if op.attr("op_role") == 0]
    found["operators"] = np.array(" ".join(kinds))
    return {name + "/" + key: value for key, value in found.items()}


if __name__ == "__main__":
    path = sys.argv[1]
    old = dict(np.load(path)) if os.path.exists(path) else {}
    for name in cases.CASES:
        if (name in cases.ONLY_185) == NEW:
            continue
        old = {k: v for k, v in old.items() if not k.startswith(name + "/")}
        old.update(run(name))
        print(name)
    np.savez_compressed(path, **old)
