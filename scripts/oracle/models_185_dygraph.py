"""Layers that PaddlePaddle 1.8.5 saved: ProgramTranslator, TracedLayer, save_dygraph."""

from __future__ import annotations

import os

import numpy as np
from corpus import base, rng, write_values

import paddle.fluid as fluid

layers, dygraph = fluid.layers, fluid.dygraph


def floats(name: str, *shape: int) -> np.ndarray:
    return rng(name).randn(*shape).astype("float32")


class Perceptron(dygraph.Layer):
    """Two outputs, batch norm."""

    def __init__(self):
        super().__init__()
        self.first = dygraph.Linear(5, 6, act="relu")
        self.norm = dygraph.BatchNorm(6)
        self.last = dygraph.Linear(6, 2)

    @dygraph.jit.declarative
    def forward(self, x):
        h = self.norm(self.first(x))
        return self.last(h), layers.reduce_sum(h, dim=1)


class Decided(dygraph.Layer):
    """An if and a while on values of the input."""

    def __init__(self):
        super().__init__()
        self.inner = dygraph.Linear(4, 4)
        self.outer = dygraph.Linear(4, 3)

    @dygraph.jit.declarative
    def forward(self, x):
        total = layers.reduce_sum(x)
        if total > 0:
            h = self.inner(x)
        else:
            h = x - 1.0
        i = layers.fill_constant([1], "int64", 0)
        while i < 3:
            h = layers.tanh(self.inner(h)) + h
            i = i + 1
        return self.outer(h)


class Pictures(dygraph.Layer):
    """Convolution, pooling, group norm, an embedding of a second input."""

    def __init__(self):
        super().__init__()
        self.conv = dygraph.Conv2D(2, 4, 3, padding=1)
        self.pool = dygraph.Pool2D(2, "avg", 2)
        self.norm = dygraph.GroupNorm(4, 2)
        self.table = dygraph.Embedding([7, 4])
        self.last = dygraph.Linear(4, 3, act="softmax")

    def forward(self, image, kind):
        h = self.norm(self.pool(self.conv(image)))
        h = layers.reduce_mean(h, dim=[2, 3]) + self.table(kind)
        return self.last(h), h


def filled(layer, inputs):
    """Some runs in training mode, so that statistics are no longer zeros and ones."""
    for _ in range(2):
        layer(*inputs)
    layer.eval()
    return layer


def variables(arrays):
    return [dygraph.to_variable(a) for a in arrays]


def flat(outputs) -> list:
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


def runs_of(layer, rounds, folder: str) -> list:
    """Run a layer on inputs of several rounds, write them and what came out."""
    feeds, expected = {}, {}
    for i, arrays in enumerate(rounds):
        feeds.update((f"{i}/{k}", a) for k, a in enumerate(arrays))
        for k, value in enumerate(flat(layer(*variables(arrays)))):
            expected[f"{i}/{k}"] = value.numpy()
    for key, value in layer.state_dict().items():
        expected["stored/" + key] = value.numpy()
        expected["name/" + key] = np.array(value.name)
    write_values(folder, "feeds.npz", feeds)
    write_values(folder, "expected.npz", expected)
    return [{"method": "forward", "feeds": len(arrays)} for arrays in rounds]


def rerun(path: str, rounds, folder: str) -> None:
    """Take the outputs of the saved model: a declarative layer ignores eval() in 1.8.5."""
    with np.load(os.path.join(folder, "expected.npz")) as found:
        expected = {k: found[k] for k in found.files if k[:1].isalpha()}
    executor = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        program, feeds, fetches = fluid.io.load_inference_model(path, executor)
        for i, arrays in enumerate(rounds):
            outputs = executor.run(program, dict(zip(feeds, arrays)), fetches)
            expected.update((f"{i}/{k}", value) for k, value in enumerate(outputs))
    write_values(folder, "expected.npz", expected)


def declared(make, rounds, **chosen):
    """What ProgramTranslator saves of a declarative forward; 1.8.5 has no jit.save yet."""

    def fill(folder: str) -> dict:
        translator = dygraph.ProgramTranslator()
        translator.get_program_cache()._caches.clear()
        with base.unique_name.guard():
            with dygraph.guard():
                seed(3)
                layer = filled(make(), variables(rounds[0]))
                runs = runs_of(layer, rounds, folder)
            path = os.path.join(folder, "model")
            translator.save_inference_model(path, **chosen)
        rerun(path, rounds, folder)
        names = {"dirname": "model"}
        return {"kind": "inference", "layout": "declarative", "names": names, "runs": runs}

    return fill


def traced(make, rounds, **chosen):
    def fill(folder: str) -> dict:
        with dygraph.guard(), base.unique_name.guard():
            seed(4)
            layer = filled(make(), variables(rounds[0]))
            _, trace = dygraph.TracedLayer.trace(layer, variables(rounds[0]))
            trace.save_inference_model(os.path.join(folder, "model"), **chosen)
            runs = runs_of(layer, rounds, folder)
        taken = chosen.get("fetch")
        return {"kind": "inference", "layout": "traced", "names": {"dirname": "model"},
                "runs": runs, "taken": taken}  # fmt: skip

    return fill


def states(folder: str) -> dict:
    """save_dygraph of a layer and of Adam under a schedule, then the losses of two more steps."""
    x, y = floats("states x", 6, 5), floats("states y", 6, 2)
    with dygraph.guard(), base.unique_name.guard():
        seed(5)
        layer = Perceptron()
        rate = dygraph.ExponentialDecay(0.1, 1, 0.5, begin=0)
        adam = fluid.optimizer.Adam(rate, parameter_list=layer.parameters())
        losses = []
        for step in range(5):
            if step == 3:
                kept = {k: v.numpy() for k, v in layer.state_dict().items()}
                moments = {
                    k: v.numpy() for k, v in adam.state_dict().items() if hasattr(v, "numpy")
                }
                fluid.save_dygraph(layer.state_dict(), os.path.join(folder, "model", "net"))
                fluid.save_dygraph(adam.state_dict(), os.path.join(folder, "model", "net"))
                names = {k: v.name for k, v in layer.state_dict().items()}
            a, _ = layer(dygraph.to_variable(x))
            loss = layers.mean(layers.square(a - dygraph.to_variable(y)))
            loss.backward()
            adam.minimize(loss)
            layer.clear_gradients()
            losses.append(loss.numpy())
    expected = {"stored/" + k: v for k, v in kept.items()}
    expected.update(("opt/" + k, v) for k, v in moments.items())
    expected.update(("name/" + k, np.array(v)) for k, v in names.items())
    expected["losses"] = np.concatenate(losses)
    write_values(folder, "feeds.npz", {"x": x, "y": y})
    write_values(folder, "expected.npz", expected)
    return {"kind": "state", "names": {"prefix": "model/net"}}


def seed(n: int) -> None:
    fluid.default_main_program().random_seed = n
    fluid.default_startup_program().random_seed = n


def write(models) -> None:
    """Write all cases of this file."""
    xs = [[floats("perceptron 0", 4, 5)], [floats("perceptron 1", 2, 5)]]
    models.add("declarative", declared(Perceptron, xs))
    models.add("declarative_chosen", declared(Perceptron, xs, feed=[0], fetch=[1]))
    positive = abs(floats("decided", 3, 4))
    models.add("declarative_control", declared(Decided, [[positive], [-positive]]))
    kinds = rng("kinds").randint(0, 7, (3,)).astype("int64")
    pictures = [[floats("pictures", 3, 2, 6, 6), kinds], [floats("more", 3, 2, 6, 6), kinds[::-1]]]
    pictures[1][1] = np.ascontiguousarray(pictures[1][1])
    models.add("traced", traced(Pictures, pictures))
    models.add("traced_chosen", traced(Pictures, pictures, feed=[0, 1], fetch=[1]))
    models.add("dygraph_state", states)
