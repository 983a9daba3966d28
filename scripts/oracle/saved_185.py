"""Every layout in which PaddlePaddle 1.8.5 stores static Programs with their parameters."""

from __future__ import annotations

import os

from corpus import Built, Corpus, clean_program_files, rng, write_json, write_program, write_values

import paddle.fluid as fluid

layers = fluid.layers


def classifier():
    feeds = {"x": rng("saved").randn(3, 6).astype("float32")}
    x = fluid.data("x", [None, 6])
    hidden = layers.dropout(layers.fc(x, 5, act="relu"), 0.4)
    return Built(feeds, [hidden, layers.fc(hidden, 3, act="softmax")])


def trained():
    random = rng("trained")
    feeds = {
        "x": random.randn(5, 6).astype("float32"),
        "y": random.randint(0, 3, (5, 1)).astype("int64"),
    }
    x, y = fluid.data("x", [None, 6]), fluid.data("y", [None, 1], "int64")
    logits = layers.fc(layers.batch_norm(layers.fc(x, 5)), 3)
    loss = layers.mean(layers.softmax_with_cross_entropy(logits, y))
    fluid.optimizer.Adam(0.05).minimize(loss)
    return Built(feeds, [loss])


def inference(**names):
    def save(executor, main, built, folder: str) -> None:
        fluid.io.save_inference_model(
            os.path.join(folder, "model"),
            list(built.feeds),
            built.fetches,
            executor,
            main_program=main,
            **names,
        )

    return save


def variables(function, **names):
    def save(executor, main, built, folder: str) -> None:
        path = os.path.join(folder, "model")
        function(executor, path, main_program=main, **names)
        write_program(path, "net.pdmodel", main)

    return save


def as_training(executor, main, built, folder: str) -> None:
    fluid.save(main, os.path.join(folder, "model", "net"))


class Net(fluid.dygraph.Layer):
    """A layer for save_dygraph and TracedLayer."""

    def __init__(self):
        super().__init__()
        self.first = fluid.dygraph.Linear(6, 4, act="relu")
        self.norm = fluid.dygraph.BatchNorm(4)
        self.last = fluid.dygraph.Linear(4, 2)

    def forward(self, x):
        return self.last(self.norm(self.first(x)))


def traced(folder: str) -> None:
    """TracedLayer.save_inference_model of a dygraph layer."""
    feeds = {"x": rng("traced").randn(3, 6).astype("float32")}
    with fluid.dygraph.guard():
        fluid.default_main_program().random_seed = 7
        fluid.default_startup_program().random_seed = 7
        net = Net()
        net.eval()
        x = fluid.dygraph.to_variable(feeds["x"])
        out, layer = fluid.dygraph.TracedLayer.trace(net, [x])
        layer.save_inference_model(os.path.join(folder, "model"))
        values = {"fetch_0": out.numpy()}
        values.update(("stored/" + v.name, v.numpy()) for v in net.parameters())
        fluid.save_dygraph(net.state_dict(), os.path.join(folder, "state", "net"))
    clean_program_files(folder)
    write_values(folder, "feeds.npz", feeds)
    write_values(folder, "expected.npz", values)
    meta = {"release": "1.8.5", "kind": "saved", "layout": "inference"}
    names = {"dirname": "model", "state": "state/net"}
    write_json(folder, "meta.json", dict(meta, names=names, feeds=[None], fetches=[]))


def write(corpus: Corpus) -> None:
    """Write all cases of this file."""
    add, io = corpus.saved, fluid.io
    one = {"dirname": "model"}
    add("saved_separate", classifier, inference(), "inference", one)
    combined = {"params_filename": "__params__"}
    add("saved_combined", classifier, inference(**combined), "inference", dict(one, **combined))
    renamed = {"model_filename": "net.model", "params_filename": "net.params"}
    add("saved_renamed", classifier, inference(**renamed), "inference", dict(one, **renamed))
    add("saved_training", trained, as_training, "training", {"prefix": "model/net"}, steps=2)
    whole = dict(one, program="model/net.pdmodel")
    add("saved_persistables", trained, variables(io.save_persistables), "variables", whole, 2)
    file = {"filename": "all"}
    one_file = variables(io.save_persistables, **file)
    add("saved_persistables_file", trained, one_file, "variables", dict(whole, **file), 2)
    if corpus.wants("saved_traced"):
        corpus.pack("saved_traced", traced)
