"""Saves a model in the ways of 1.x; works with PaddlePaddle 1.8.5 too."""

import os

import numpy as np

X = np.cos(np.arange(12, dtype="float32")).reshape(4, 3)


def build(fluid):
    """A net with fixed parameters: main and startup Program, its output and its loss."""
    init = fluid.initializer.NumpyArrayInitializer
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [None, 3], "float32")
        first = fluid.ParamAttr(initializer=init(X[:3] * 0.5))
        hidden = fluid.layers.fc(x, 3, act="tanh", param_attr=first)
        hidden = fluid.layers.dropout(hidden, 0.3)
        out = fluid.layers.fc(hidden, 2, param_attr=fluid.ParamAttr(initializer=init(X[:3, :2])))
        loss = fluid.layers.mean(out)
        fluid.optimizer.Momentum(0.1, 0.9).minimize(loss)
    return main, startup, out, loss


def run(fluid, folder):
    """Writes the files; returns what the model computes."""
    main, startup, out, _ = build(fluid)
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        io = fluid.io
        names = io.save_inference_model(
            os.path.join(folder, "model"), ["x"], [out], exe, main_program=main
        )
        assert names == ["save_infer_model/scale_0.tmp_0"]
        io.save_inference_model(
            os.path.join(folder, "one"), ["x"], [out], exe, main_program=main,
            model_filename="net", params_filename="values",
        )  # fmt: skip
        io.save_persistables(exe, os.path.join(folder, "all"), main, filename="all")
        io.save_params(exe, os.path.join(folder, "params"), main)
        program, feeds, fetches = io.load_inference_model(os.path.join(folder, "model"), exe)
        return exe.run(program, {feeds[0]: X}, fetches)[0]
