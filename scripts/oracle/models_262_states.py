"""States, Programs, nested objects and static models that PaddlePaddle 2.6.2 saved."""

from __future__ import annotations

import collections
import os

import models_262_layers as nets
import numpy as np
from corpus import Built, base, rng, write_values

import paddle
import paddle.nn.functional as F
from paddle import static


def floats(name: str, *shape: int) -> np.ndarray:
    return rng(name).randn(*shape).astype("float32")


# -- static graphs --------------------------------------------------------------------------------


def tower():
    """Batch norm, dropout, embedding, an output of rank 0."""
    x, ids = static.data("x", [None, 6]), static.data("ids", [None], "int64")
    h = static.nn.fc(x, 5) + static.nn.embedding(ids, [8, 5])
    h = F.dropout(static.nn.batch_norm(h, act="relu"), 0.4)
    out = static.nn.fc(h, 3, activation="softmax")
    feeds = {"x": floats("tower", 4, 6), "ids": rng("ids").randint(0, 8, (4,)).astype("int64")}
    return Built(feeds, [out, paddle.mean(out), paddle.argmax(out, 1)])


def control():
    """while_loop, switch_case and case with parameters inside."""
    x = static.data("x", [None, 4])
    w = static.create_parameter([4, 4], "float32", name="w")
    i = paddle.full([1], 0, "int64")
    i, y = static.nn.while_loop(
        lambda i, y: paddle.logical_and(i < 5, paddle.max(y) > 0.1),
        lambda i, y: [i + 1, paddle.tanh(paddle.matmul(y, w))],
        [i, x],
    )
    z = static.nn.switch_case(
        paddle.cast(i, "int32"),
        {1: lambda: y + 1.0, 5: lambda: static.nn.fc(y, 4)},
        default=lambda: y * 2.0,
    )
    last = static.nn.case(
        [(paddle.sum(z) > 0, lambda: paddle.mean(z))], default=lambda: paddle.max(z)
    )
    return Built({"x": floats("control", 3, 4)}, [z, i, last])


def learner():
    """AdamW with a clip under a schedule."""
    x, y = static.data("x", [None, 6]), static.data("y", [None, 1], "int64")
    h = static.nn.batch_norm(static.nn.fc(x, 5))
    loss = F.cross_entropy(static.nn.fc(h, 3), y)
    adam = paddle.optimizer.AdamW(0.05, grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0))
    adam.minimize(loss)
    feeds = {"x": floats("learner", 5, 6)}
    feeds["y"] = rng("learner y").randint(0, 3, (5, 1)).astype("int64")
    return Built(feeds, [loss])


def as_inference(executor, main, built, folder: str) -> None:
    inputs = [main.global_block().var(name) for name in built.feeds]
    prefix = os.path.join(folder, "model", "net")
    static.save_inference_model(prefix, inputs, built.fetches, executor, program=main)


def as_training(executor, main, built, folder: str) -> None:
    static.save(main, os.path.join(folder, "model", "net"))


# -- paddle.save ----------------------------------------------------------------------------------


def state(protocol: int):
    """State of a layer and of Adam under a schedule, then the losses of two more steps."""

    def fill(folder: str) -> dict:
        x, y = floats("state x", 6, 6), floats("state y", 6, 2)
        with base.unique_name.guard():
            paddle.seed(5)
            layer = nets.Normed()
            rate = paddle.optimizer.lr.StepDecay(0.1, 2, 0.5)
            adam = paddle.optimizer.Adam(rate, parameters=layer.parameters())
            losses = []
            for step in range(5):
                if step == 3:
                    expected = {"stored/" + k: v.numpy() for k, v in layer.state_dict().items()}
                    expected.update(
                        ("name/" + k, np.array(v.name)) for k, v in layer.state_dict().items()
                    )
                    for key, value in adam.state_dict().items():
                        if hasattr(value, "numpy"):
                            expected["opt/" + key] = value.numpy()
                    prefix = os.path.join(folder, "model", "net")
                    paddle.save(layer.state_dict(), prefix + ".pdparams", protocol)
                    paddle.save(adam.state_dict(), prefix + ".pdopt", protocol)
                loss = paddle.mean(paddle.square(layer(paddle.to_tensor(x)) - paddle.to_tensor(y)))
                loss.backward()
                adam.step()
                adam.clear_grad()
                rate.step()
                losses.append(float(loss))
        expected["losses"] = np.array(losses, "float32")
        write_values(folder, "feeds.npz", {"x": x, "y": y})
        write_values(folder, "expected.npz", expected)
        return {"kind": "state", "names": {"prefix": "model/net"}}

    return fill


def objects(folder: str) -> dict:
    """Pytrees of Tensors, arrays and plain values, each in a file; expected values by path."""
    made = {
        "tensor": paddle.to_tensor([[1.5, -2.0]]),
        "scalar": paddle.to_tensor(3.25),
        "list": [paddle.to_tensor([1, 2, 3]), 7, "word", None, 1.5],
        "tuple": (paddle.to_tensor([True, False]), np.arange(4, dtype="int8")),
        "dict": {
            "epoch": 3,
            "model": {"w": paddle.ones([2, 2]), "deep": [{"b": paddle.zeros([1])}]},
            "rates": (0.1, 0.2),
        },
        "ordered": collections.OrderedDict(z=paddle.full([2], 9.0), a=paddle.full([1], 8.0)),
        "half": {"h": paddle.to_tensor([0.5, 1.5]).astype("float16")},
        "brain": {"b": paddle.to_tensor([0.5, 1.5, -3.0]).astype("bfloat16")},
        "complex": paddle.to_tensor([1 + 2j, 3 - 4j]),
        "empty": {"nothing": paddle.zeros([0, 3]), "text": ""},
    }
    expected = {}

    def walk(path: str, value) -> None:
        if isinstance(value, dict):
            for key, item in value.items():
                walk(f"{path}/{key}", item)
        elif isinstance(value, (list, tuple)):
            for i, item in enumerate(value):
                walk(f"{path}/{i}", item)
        elif hasattr(value, "numpy"):
            wide = value.astype("float32") if value.dtype == paddle.bfloat16 else value
            expected[path] = wide.numpy()
        elif value is not None:
            expected[path] = np.asarray(value)

    for key, value in made.items():
        protocol = 2 if key in ("tuple", "ordered") else 4
        paddle.save(value, os.path.join(folder, "model", key + ".pdtensor"), protocol)
        walk(key, value)
    layer_file = os.path.join(folder, "model", "layer.pdparams")
    with base.unique_name.guard():
        paddle.seed(6)
        layer = nets.Dense()
        paddle.save({"net": layer.state_dict(), "step": 4}, layer_file)
        for key, value in layer.state_dict().items():
            expected["layer/net/" + key] = value.numpy()
        expected["layer/step"] = np.asarray(4)
    write_values(folder, "feeds.npz", {})
    write_values(folder, "expected.npz", expected)
    return {"kind": "objects", "names": {"dirname": "model"}, "files": [*made, "layer"]}


def program(folder: str) -> dict:
    """paddle.save of a Program, and of its state as a dict."""
    paddle.enable_static()
    try:
        main, startup = static.Program(), static.Program()
        main.random_seed = startup.random_seed = 8
        with static.program_guard(main, startup), base.unique_name.guard():
            built = tower()
        scope, executor = base.core.Scope(), static.Executor(paddle.CPUPlace())
        test = main.clone(for_test=True)
        with static.scope_guard(scope):
            executor.run(startup)
            paddle.save(test, os.path.join(folder, "model", "net.pdmodel"))
            values = main.state_dict("param")
            paddle.save(values, os.path.join(folder, "model", "net.pdparams"))
            paddle.save(main.state_dict("all"), os.path.join(folder, "model", "all.pdparams"))
            found = executor.run(test, feed=built.feeds, fetch_list=built.fetches)
            expected = {f"0/{k}": v for k, v in enumerate(found)}
            everything = main.state_dict("all")
            expected.update(("stored/" + k, np.array(v)) for k, v in everything.items())
    finally:
        paddle.disable_static()
    write_values(folder, "feeds.npz", {"0/" + k: v for k, v in built.feeds.items()})
    write_values(folder, "expected.npz", expected)
    fetches = [v.name for v in built.fetches]
    runs = [{"method": "forward", "feeds": list(built.feeds)}]
    return {"kind": "program", "names": {"program": "model/net.pdmodel"}, "runs": runs,
            "fetches": fetches}  # fmt: skip


def write(models) -> None:
    """Write all cases of this file."""
    for protocol in (2, 3, 4):
        models.add(f"state_protocol_{protocol}", state(protocol))
    models.add("objects", objects)
    models.add("program", program)
    paddle.enable_static()
    names = {"prefix": "model/net"}
    inference = {"kind": "inference", "names": names}
    models.static("static_tower", tower, as_inference, inference, warm=2)
    models.static("static_control", control, as_inference, inference)
    training = {"kind": "training", "layout": "save", "names": names}
    models.static("static_save", learner, as_training, training, warm=2)
    paddle.disable_static()
