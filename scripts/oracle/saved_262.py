"""Every layout in which PaddlePaddle 2.6.2 stores static Programs with their parameters."""

from __future__ import annotations

import os

from corpus import Built, Corpus, clean_program_files, rng, write_json, write_values

import paddle
import paddle.nn.functional as F
from paddle import static


def classifier():
    feeds = {"x": rng("saved").randn(3, 6).astype("float32")}
    x = static.data("x", [None, 6])
    hidden = F.dropout(static.nn.fc(x, 5, activation="relu"), 0.4)
    return Built(feeds, [hidden, static.nn.fc(hidden, 3, activation="softmax")])


def chooser():
    """Control flow inside a saved model, with a parameter read only in a branch."""
    feeds = {"x": rng("chooser").randn(3, 6).astype("float32")}
    x = static.data("x", [None, 6])
    w = static.create_parameter([6, 2], "float32", name="w")
    y = static.nn.cond(paddle.sum(x) > 0.0, lambda: paddle.matmul(x, w), lambda: x[:, 0:2])
    i = paddle.full([1], 0, "int64")
    _, y = static.nn.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, y * 1.5], [i, y])
    return Built(feeds, [y])


def constant():
    feeds = {"x": rng("constant").randn(3, 6).astype("float32")}
    x = static.data("x", [None, 6])
    return Built(feeds, [paddle.tanh(x) * 2.0])


def trained():
    random = rng("trained")
    feeds = {
        "x": random.randn(5, 6).astype("float32"),
        "y": random.randint(0, 3, (5, 1)).astype("int64"),
    }
    x, y = static.data("x", [None, 6]), static.data("y", [None, 1], "int64")
    logits = static.nn.fc(static.nn.batch_norm(static.nn.fc(x, 5)), 3)
    loss = paddle.mean(F.cross_entropy(logits, y))
    paddle.optimizer.Adam(0.05).minimize(loss)
    return Built(feeds, [loss])


def as_inference(executor, main, built, folder: str) -> None:
    inputs = [main.global_block().var(name) for name in built.feeds]
    prefix = os.path.join(folder, "model", "net")
    static.save_inference_model(prefix, inputs, built.fetches, executor, program=main)


def as_training(executor, main, built, folder: str) -> None:
    static.save(main, os.path.join(folder, "model", "net"))


class Net(paddle.nn.Layer):
    """A layer with a buffer, for jit.save."""

    def __init__(self):
        super().__init__()
        self.first = paddle.nn.Linear(6, 4)
        self.norm = paddle.nn.BatchNorm1D(4)
        self.register_buffer("shift", paddle.to_tensor([0.1, 0.2, 0.3, 0.4]))

    def forward(self, x, flag):
        y = self.norm(self.first(x)) + self.shift
        if flag > 0:
            y = F.relu(y)
        return y, paddle.sum(y, axis=1)


def traced(folder: str) -> None:
    """jit.save of a layer whose forward has a data-dependent `if`."""
    paddle.disable_static()
    paddle.seed(7)
    net = Net()
    net(paddle.to_tensor(rng("traced").randn(8, 6).astype("float32")), paddle.to_tensor([1]))
    net.eval()
    spec = [static.InputSpec([None, 6], name="x"), static.InputSpec([1], "int64", name="flag")]
    feeds = {"x": rng("traced2").randn(3, 6).astype("float32"), "flag": [1]}
    out = net(paddle.to_tensor(feeds["x"]), paddle.to_tensor(feeds["flag"]))
    values = {f"fetch_{i}": value.numpy() for i, value in enumerate(out)}
    values.update(("stored/" + k, v.numpy()) for k, v in net.state_dict().items())
    paddle.jit.save(net, os.path.join(folder, "model", "net"), input_spec=spec)
    paddle.enable_static()
    clean_program_files(folder)
    write_values(folder, "feeds.npz", feeds)
    write_values(folder, "expected.npz", values)
    meta = {"release": "2.6.2", "kind": "saved", "layout": "jit", "names": {"prefix": "model/net"}}
    write_json(folder, "meta.json", dict(meta, feeds=list(feeds), fetches=[]))


def write(corpus: Corpus) -> None:
    """Write all cases of this file."""
    names = {"prefix": "model/net"}
    corpus.saved("saved_inference", classifier, as_inference, "inference", names)
    corpus.saved("saved_inference_control", chooser, as_inference, "inference", names)
    corpus.saved("saved_inference_constant", constant, as_inference, "inference", names)
    corpus.saved("saved_training", trained, as_training, "training", names, steps=2)
    if corpus.wants("saved_jit"):
        corpus.pack("saved_jit", traced)
