"""Writes inference models with the framework of this repository, for a real release to run.

    PYTHONPATH=. .venv/bin/python scripts/oracle/written_here.py FOLDER [NAME]
    for case in FOLDER/*/; do /path/to/paddle-2.6.2/python scripts/oracle/run_program.py $case; done

Each case holds the model, what goes in, and in expected.npz what came out here; run_program.py
compares and writes what the release got to oracle.npz. `--freeze NAME` packs such a finished case to
tests/data/programs/here_<NAME>.zip.
"""

from __future__ import annotations

import argparse
import json
import os
import zlib

import nets_here
import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import static


def rng(name: str) -> np.random.RandomState:
    return np.random.RandomState(zlib.crc32(name.encode()) & 0x7FFFFFFF)


def classifier(random):
    x = static.data("x", [None, 6])
    hidden = F.dropout(static.nn.fc(x, 5, activation="relu"), 0.4)
    return {"x": random.randn(3, 6)}, [hidden, static.nn.fc(hidden, 3, activation="softmax")]


def trained(random):
    """Saved from a training program, with inputs and operators that only training needs."""
    x, y = static.data("x", [None, 6]), static.data("y", [None, 1], "int64")
    logits = static.nn.fc(static.nn.batch_norm(static.nn.fc(x, 5)), 3)
    loss = paddle.mean(F.cross_entropy(logits, y))
    paddle.optimizer.Adam(0.05).minimize(loss)
    return {"x": random.randn(3, 6)}, [F.softmax(logits)]


def lenet(random):
    image = static.data("image", [None, 1, 28, 28])
    x = static.nn.conv2d(image, 6, 5, padding=2)
    x = F.max_pool2d(F.relu(static.nn.batch_norm(x)), 2, 2)
    x = F.avg_pool2d(F.relu(static.nn.conv2d(x, 16, 5)), 2, 2)
    x = static.nn.fc(paddle.flatten(x, 1), 84, activation="relu")
    return {"image": random.randn(2, 1, 28, 28)}, [F.softmax(static.nn.fc(x, 10))]


def attention(random):
    ids = static.data("ids", [None, 5], "int64")
    x = static.nn.embedding(ids, [11, 8])
    q, k, v = (static.nn.fc(x, 8, num_flatten_dims=2) for _ in range(3))
    q, k, v = (paddle.transpose(paddle.reshape(t, [0, 5, 2, 4]), [0, 2, 1, 3]) for t in (q, k, v))
    weights = F.softmax(paddle.matmul(q, k, transpose_y=True) * 0.5)
    y = paddle.transpose(paddle.matmul(weights, v), [0, 2, 1, 3])
    y = static.nn.layer_norm(paddle.reshape(y, [0, 0, 8]) + x, begin_norm_axis=2)
    return {"ids": random.randint(0, 11, (3, 5))}, [y, paddle.argmax(y, axis=-1)]


def shapes(random):
    """Outputs of all kinds, and operators with auxiliary results."""
    x = static.data("x", [None, 4, 6])
    parts = paddle.split(x, 2, axis=1)
    y = paddle.concat([paddle.squeeze(paddle.unsqueeze(p, 1), 1) for p in parts], axis=2)
    y = paddle.stack([y, F.gelu(y)], axis=1)[:, 1, 0:1]
    top, where = paddle.topk(paddle.flatten(y, 1), 3)
    sorted_ = paddle.sort(paddle.expand(top, [2, 3]), axis=1)
    return {"x": random.randn(2, 4, 6)}, [top, where, sorted_, paddle.sum(y, axis=1), y > 0.5]


def control(random):
    x = static.data("x", [None, 6])
    w = static.create_parameter([6, 2], "float32", name="w")
    y = static.nn.cond(paddle.sum(x) > 0.0, lambda: paddle.matmul(x, w), lambda: x[:, 0:2])
    i = paddle.full([1], 0, "int64")
    _, y = static.nn.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, y * 1.5], [i, y])
    return {"x": random.randn(3, 6)}, [y]


def constant(random):
    x = static.data("x", [None, 6])
    return {"x": random.randn(3, 6)}, [paddle.tanh(x) * 2.0]


def resnet(random):
    image = static.data("image", [None, 3, 16, 16])
    x = static.nn.batch_norm(static.nn.conv2d(image, 8, 3, padding=1, bias_attr=False), act="relu")
    x = nets_here.residual(nets_here.residual(x, 8, 1), 16, 2)
    x = static.nn.fc(F.adaptive_avg_pool2d(x, 1), 4)
    return {"image": random.randn(2, 3, 16, 16)}, [x, F.softmax(x)]


def words(random):
    ids, lengths = static.data("ids", [None, 5], "int64"), static.data("lengths", [None], "int64")
    x = static.nn.embedding(ids, [11, 8], padding_idx=0)
    there = paddle.unsqueeze(paddle.arange(5), 0) < paddle.unsqueeze(lengths, 1)
    x = x * paddle.unsqueeze(paddle.cast(there, "float32"), 2)
    x = static.nn.fc(paddle.sum(x, axis=1), 3, activation="tanh")
    return {"ids": random.randint(0, 11, (3, 5)), "lengths": random.randint(1, 6, 3)}, [x]


CASES = {f.__name__: f for f in (
    classifier, trained, lenet, attention, shapes, control, constant, resnet, words
)}  # fmt: skip


def write(folder: str, name: str, build) -> None:
    """Build, initialise, save and run one case."""
    main, startup = static.Program(), static.Program()
    main.random_seed = startup.random_seed = 2021
    with static.program_guard(main, startup), paddle.utils.unique_name.guard():
        feeds, fetches = build(rng(name))
    feeds = {k: v.astype("int64" if v.dtype.kind == "i" else "float32") for k, v in feeds.items()}
    executor = static.Executor(paddle.CPUPlace())
    with static.scope_guard(static.Scope()):
        executor.run(startup)
        inputs = [main.global_block().var(n) for n in feeds]
        prefix = os.path.join(folder, "model", "net")
        static.save_inference_model(prefix, inputs, fetches, executor, program=main)
        values = executor.run(main.clone(for_test=True), feed=feeds, fetch_list=fetches)
    np.savez(os.path.join(folder, "feeds.npz"), **feeds)
    expected = {f"fetch_{i}": value for i, value in enumerate(values)}
    np.savez(os.path.join(folder, "expected.npz"), **expected)
    meta = {
        "release": "here",
        "kind": "here",
        "inference": {"prefix": "model/net"},
        "feeds": list(feeds),
        "fetches": [v.name for v in fetches],
    }
    with open(os.path.join(folder, "meta.json"), "w") as file:
        json.dump(meta, file, indent=1, sort_keys=True)
        file.write("\n")


def write_training(folder: str) -> None:
    """A training Program with values of static.save, after two steps; the next ones are wanted."""
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup), paddle.utils.unique_name.guard():
        feeds, fetches = nets_here.lenet()
        main, startup = static.default_main_program(), static.default_startup_program()
    executor = static.Executor(paddle.CPUPlace())
    with static.scope_guard(static.Scope()):
        executor.run(startup)
        for _ in range(2):
            executor.run(main, feed=feeds)
        static.save(main, os.path.join(folder, "model", "net"))
        for name, program in (("main.pb", main), ("startup.pb", startup)):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(program.desc.serialize_to_string())
        runs = [executor.run(main, feed=feeds, fetch_list=fetches) for _ in range(3)]
    expected = {f"fetch_{i}": np.stack([run[i] for run in runs]) for i in range(len(fetches))}
    np.savez(os.path.join(folder, "expected.npz"), **expected)
    np.savez(os.path.join(folder, "feeds.npz"), **feeds)
    meta = {"release": "here", "kind": "here", "saved": "model/net", "steps": 3}
    meta |= {"feeds": list(feeds), "fetches": [v.name for v in fetches]}
    with open(os.path.join(folder, "meta.json"), "w") as file:
        json.dump(meta, file, indent=1, sort_keys=True)
        file.write("\n")


def freeze(folder: str, name: str) -> None:
    """Pack a case, with the numbers of the release, to the corpus."""
    import zipfile

    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/data/programs")
    path = os.path.join(os.path.normpath(root), f"here_{name}.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for below, _, names in sorted(os.walk(os.path.join(folder, name))):
            for file in sorted(names):
                full = os.path.join(below, file)
                inner = os.path.relpath(full, os.path.join(folder, name))
                entry = zipfile.ZipInfo(inner, (2020, 1, 1, 0, 0, 0))
                entry.compress_type = zipfile.ZIP_DEFLATED
                with open(full, "rb") as source:
                    archive.writestr(entry, source.read())
    print(path, os.path.getsize(path), "bytes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*", default=[*CASES, "training"])
    parser.add_argument("--freeze", help="pack this case instead, after a release has run it")
    options = parser.parse_args()
    if options.freeze:
        freeze(options.folder, options.freeze)
        return
    paddle.enable_static()
    for name in options.names:
        target = os.path.join(options.folder, name)
        os.makedirs(target, exist_ok=True)
        if name == "training":
            os.makedirs(os.path.join(target, "model"), exist_ok=True)
            write_training(target)
        else:
            write(target, name, CASES[name])
        print("written", target)


if __name__ == "__main__":
    main()
