"""Models and states saved by PaddlePaddle 1.8.5: `python models_185.py ROOT [NAME]`.

ROOT is tests/data/models; with NAME only cases whose name contains it (write those elsewhere).
"""

from __future__ import annotations

import os
import sys

import models_185_dygraph
import numpy as np
from corpus import Built, rng, write_program
from models import Models

import paddle.fluid as fluid

layers = fluid.layers


def floats(name: str, *shape: int) -> np.ndarray:
    return rng(name).randn(*shape).astype("float32")


# -- networks -------------------------------------------------------------------------------------


def several_outputs():
    """Heads of one trunk; the order of outputs is not that of their making."""
    x, y = fluid.data("x", [None, 6]), fluid.data("y", [None, 3])
    trunk = layers.fc([x, y], 8, act="leaky_relu")
    a, b = layers.split(trunk, 2, dim=1)
    score = layers.fc(a, 1, act="sigmoid")
    logits = layers.fc(b, 3, name="logits")
    both = layers.concat([a, logits], axis=1)
    feeds = {"x": floats("outputs x", 4, 6), "y": floats("outputs y", 4, 3)}
    return Built(feeds, [both, score, layers.softmax(logits), layers.reduce_max(logits, dim=1)])


def digits():
    """LeNet with batch norm and dropout."""
    image = fluid.data("image", [None, 1, 14, 14])
    h = layers.conv2d(image, 4, 5, padding=2, act="relu")
    h = layers.pool2d(layers.batch_norm(h), 2, "max", 2)
    h = layers.batch_norm(layers.conv2d(h, 6, 3, bias_attr=False), act="relu")
    h = layers.dropout(layers.pool2d(h, 2, "max", 2, ceil_mode=True), 0.3)
    h = layers.dropout(layers.fc(h, 10, act="relu"), 0.5, dropout_implementation="upscale_in_train")
    return Built({"image": floats("digits", 3, 1, 14, 14)}, [layers.fc(h, 5, act="softmax")])


def sentiment():
    """Embedding, an LSTM over a fixed number of words, the last state and attention over all."""
    words = fluid.data("words", [None, 7], "int64")
    table = fluid.embedding(words, [30, 6], padding_idx=0)
    outputs, (h, c) = layers.rnn(layers.LSTMCell(5), table)
    weights = layers.softmax(layers.fc(outputs, 1, num_flatten_dims=2), axis=1)
    pooled = layers.reduce_sum(layers.elementwise_mul(outputs, weights), dim=1)
    logits = layers.fc([h, pooled], 2)
    return Built({"words": rng("sentiment").randint(0, 30, (3, 7)).astype("int64")}, [logits, c])


def forecast():
    """A GRU running backwards, with sequence lengths."""
    series = fluid.data("series", [None, 6, 3])
    length = fluid.data("length", [None], "int64")
    outputs, state = layers.rnn(layers.GRUCell(4), series, sequence_length=length, is_reverse=True)
    feeds = {"series": floats("forecast", 3, 6, 3), "length": np.array([6, 2, 4], "int64")}
    return Built(feeds, [layers.fc(state, 2), outputs])


def halving():
    """A loop until a norm is small, with a parameter inside, and a branch behind it."""
    x = fluid.data("x", [None, 4])
    w = layers.create_parameter([4, 4], "float32", name="w")
    limit = layers.fill_constant([1], "float32", 0.5)
    count = layers.fill_constant([1], "int64", 0)

    def going(count, x):
        small = layers.less_than(layers.reduce_max(layers.abs(x)), limit)
        return layers.logical_and(
            layers.logical_not(small), count < layers.fill_constant([1], "int64", 20)
        )

    def body(count, x):
        return [count + 1, layers.tanh(layers.matmul(x, w)) * 0.8]

    count, y = layers.while_loop(going, body, [count, x])
    bound = layers.fill_constant([1], "int64", 3)
    out = layers.cond(
        layers.less_than(bound, count),
        lambda: layers.fc(y, 2, name="often"),
        lambda: layers.fc(y, 2, name="seldom") + 1.0,
    )
    return Built({"x": floats("halving", 3, 4)}, [out, count, y])


def transformer():
    """One block of self attention with a mask, and its feed-forward part."""
    x = fluid.data("x", [None, 5, 8])
    mask = fluid.data("mask", [None, 1, 5, 5])

    def heads(name):
        flat = layers.fc(x, 8, num_flatten_dims=2, name=name)
        return layers.transpose(layers.reshape(flat, [0, 0, 2, 4]), [0, 2, 1, 3])

    scores = layers.matmul(heads("query"), heads("key"), transpose_y=True, alpha=0.5) + mask
    seen = layers.matmul(layers.dropout(layers.softmax(scores), 0.1), heads("value"))
    joined = layers.reshape(layers.transpose(seen, [0, 2, 1, 3]), [0, 0, 8])
    h = layers.layer_norm(x + layers.fc(joined, 8, num_flatten_dims=2), begin_norm_axis=2)
    wide = layers.fc(h, 12, num_flatten_dims=2, act="gelu")
    out = layers.layer_norm(h + layers.fc(wide, 8, num_flatten_dims=2), begin_norm_axis=2)
    hidden = (rng("mask").rand(2, 1, 5, 5) < 0.3) * -1e4
    return Built({"x": floats("transformer", 2, 5, 8), "mask": hidden.astype("float32")}, [out])


def classes():
    """int64 in and out: the old lookup, argmax, topk, one_hot, argsort, comparisons."""
    ids = layers.data("ids", [4, 1], dtype="int64")
    table = layers.embedding(ids, [12, 6])
    logits = layers.fc(layers.reduce_mean(table, dim=1), 5)
    best = layers.argmax(logits, axis=1)
    values, places = layers.topk(logits, 2)
    hot = layers.one_hot(layers.unsqueeze(best, [1]), 5)
    ordered, order = layers.argsort(logits, axis=1)
    same = layers.cast(layers.equal(best, layers.argmin(logits * -1.0, axis=1)), "int64")
    feeds = {"ids": rng("classes").randint(0, 12, (3, 4, 1)).astype("int64")}
    return Built(feeds, [best, values, places, hot, ordered, order, same])


def detection():
    """A head with yolo_box: boxes and scores of two scales."""
    image = fluid.data("image", [None, 3, 16, 16])
    size = fluid.data("size", [None, 2], "int32")
    h = layers.conv2d(image, 6, 3, stride=4, padding=1, bias_attr=False)
    h = layers.batch_norm(h, act="leaky_relu")
    fine = layers.conv2d(layers.resize_nearest(h, scale=2.0), 14, 1)
    coarse = layers.conv2d(h, 14, 1)
    boxes, scores = [], []
    for tensor, ratio in ((coarse, 4), (fine, 2)):
        anchors = [3, 4, 6, 5]
        b, s = layers.yolo_box(tensor, size, anchors, 2, 0.2, ratio)
        boxes.append(b)
        scores.append(layers.transpose(s, [0, 2, 1]))
    objectness = layers.sigmoid(coarse[:, 4:5])
    feeds = {
        "image": floats("detection", 2, 3, 16, 16),
        "size": np.array([[16, 16], [32, 24]], "int32"),
    }
    return Built(feeds, [layers.concat(boxes, 1), layers.concat(scores, 2), objectness])


def mobile():
    """Depthwise convolutions, relu6, hard_swish, and a squeeze-and-excitation gate."""
    image = fluid.data("image", [None, 3, 12, 12])

    def conv(x, width, size, stride=1, groups=1, act=None):
        h = layers.conv2d(x, width, size, stride, size // 2, groups=groups, bias_attr=False)
        return layers.batch_norm(h, act=act)

    h = layers.hard_swish(conv(image, 4, 3, 2))
    wide = layers.relu6(conv(h, 8, 1))
    wide = conv(wide, 8, 3, groups=8, act="relu6")
    gate = layers.pool2d(wide, pool_type="avg", global_pooling=True)
    gate = layers.hard_sigmoid(layers.fc(layers.fc(gate, 2, act="relu"), 8))
    h = h + conv(layers.elementwise_mul(wide, gate, axis=0), 4, 1)
    h = layers.pool2d(layers.swish(h), pool_type="avg", global_pooling=True)
    return Built({"image": floats("mobile", 2, 3, 12, 12)}, [layers.fc(h, 3)])


def segmentation():
    """Strided and dilated convolution, group and instance norm, transposed convolution, resizing."""
    image = fluid.data("image", [None, 2, 10, 12])
    h = layers.prelu(layers.conv2d(image, 4, 3, 2, 1), "channel")
    h = layers.group_norm(layers.conv2d(h, 4, 3, padding=2, dilation=2), 2, act="relu")
    h = layers.instance_norm(h)
    up = layers.conv2d_transpose(h, 3, filter_size=4, stride=2, padding=1)
    smooth = layers.resize_bilinear(h, out_shape=[10, 12], align_corners=False, align_mode=0)
    out = layers.softmax(layers.conv2d(layers.concat([up, smooth], 1), 3, 1), axis=1)
    return Built({"image": floats("segmentation", 1, 2, 10, 12)}, [out, up, smooth])


def ranking():
    """Two towers, cos_sim and other operators of 1.x around shapes: expand, gather, pad, where."""
    user, item = fluid.data("user", [None, 4]), fluid.data("item", [None, 4])
    left = layers.l2_normalize(layers.fc(user, 3, act="tanh"), axis=1)
    right = layers.fc(item, 3, act="softsign")
    similar = layers.cos_sim(left, right)
    taken = layers.gather(right, layers.fill_constant([2], "int32", 1))
    wide = layers.expand(layers.unsqueeze(left, [1]), [1, 2, 1])
    padded = layers.pad(similar, [0, 0, 1, 1], 0.5)
    chosen = layers.elementwise_max(left, right) - layers.clip(layers.square(right), 0.0, 0.4)
    feeds = {"user": floats("user", 3, 4), "item": floats("item", 3, 4)}
    return Built(feeds, [similar, taken, wide, padded, chosen, layers.shape(left)])


def constant():
    """Nothing is stored."""
    x = fluid.data("x", [None, 3])
    return Built({"x": floats("constant", 2, 3)}, [layers.scale(layers.exp(x), 2.0, 1.0, False)])


def trained():
    """A classifier with batch norm, an embedding and momentum under a schedule."""
    ids, label = fluid.data("ids", [None, 3], "int64"), fluid.data("label", [None, 1], "int64")
    hidden = layers.fc(fluid.embedding(ids, [9, 4]), 6, bias_attr=False)
    logits = layers.fc(layers.relu(layers.batch_norm(hidden)), 3)
    loss = layers.mean(layers.softmax_with_cross_entropy(logits, label))
    rate = layers.exponential_decay(0.2, 1, 0.9)
    fluid.optimizer.Momentum(rate, 0.9, use_nesterov=True).minimize(loss)
    feeds = {
        "ids": rng("trained ids").randint(0, 9, (6, 3)).astype("int64"),
        "label": rng("trained label").randint(0, 3, (6, 1)).astype("int64"),
    }
    return Built(feeds, [loss])


# -- how they are saved ---------------------------------------------------------------------------


def inference(**names):
    def save(executor, main, built, folder: str) -> None:
        path = os.path.join(folder, "model")
        fluid.io.save_inference_model(
            path, list(built.feeds), built.fetches, executor, main_program=main, **names
        )

    return save


def variables(function, **names):
    def save(executor, main, built, folder: str) -> None:
        path = os.path.join(folder, "model")
        function(executor, path, main_program=main, **names)
        write_program(folder, "net.pdmodel", main)

    return save


def as_training(executor, main, built, folder: str) -> None:
    fluid.save(main, os.path.join(folder, "model", "net"))


SEPARATE, NAMED = {}, {"model_filename": "net.model"}
COMBINED = {"params_filename": "weights"}
BOTH = dict(NAMED, params_filename="net.params")
MODELS = (
    ("several_outputs", several_outputs, SEPARATE, 0),
    ("digits", digits, BOTH, 2),
    ("sentiment", sentiment, NAMED, 0),
    ("forecast", forecast, COMBINED, 0),
    ("halving", halving, COMBINED, 0),
    ("transformer", transformer, COMBINED, 0),
    ("classes", classes, SEPARATE, 0),
    ("detection", detection, BOTH, 2),
    ("mobile", mobile, SEPARATE, 2),
    ("segmentation", segmentation, NAMED, 0),
    ("ranking", ranking, BOTH, 0),
    ("constant", constant, SEPARATE, 0),
)


def write(models: Models) -> None:
    """Write all static cases."""
    for name, build, files, warm in MODELS:
        meta = {"kind": "inference", "names": dict(files, dirname="model")}
        models.static(name, build, inference(**files), meta, warm)
    models.static(
        "saved",
        trained,
        as_training,
        {"kind": "training", "layout": "save", "names": {"prefix": "model/net"}},
        warm=2,
    )
    io = fluid.io
    for name, function, names in (
        ("save_params", io.save_params, {}),
        ("save_params_file", io.save_params, {"filename": "all"}),
        ("save_persistables", io.save_persistables, {}),
        ("save_persistables_file", io.save_persistables, {"filename": "all"}),
    ):
        meta = {"kind": "training", "layout": name.replace("_file", "")}
        meta["names"] = dict(names, dirname="model", program="net.pdmodel")
        models.static(name, trained, variables(function, **names), meta, warm=2)


def main(root: str, only: str = "") -> None:
    models = Models(root, only)
    write(models)
    models_185_dygraph.write(models)
    models.finish()


if __name__ == "__main__":
    main(*sys.argv[1:3])
