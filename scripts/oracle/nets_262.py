"""Networks of the corpus for PaddlePaddle 2.6.2: dense, convolution, embedding, optimizers."""

from __future__ import annotations

from corpus import Built, Corpus, rng

import paddle
import paddle.nn.functional as F
from paddle import static


def images(name: str):
    random = rng(name)
    feeds = {
        "image": random.rand(4, 1, 12, 12).astype("float32"),
        "label": random.randint(0, 5, (4, 1)).astype("int64"),
    }
    image = static.data("image", [None, 1, 12, 12])
    label = static.data("label", [None, 1], "int64")
    return feeds, image, label


def dense():
    x = static.data("x", [None, 8])
    hidden = static.nn.fc(x, 16, activation="relu")
    y = static.nn.fc(hidden, 4, activation="softmax")
    return Built({"x": rng("dense").randn(3, 8).astype("float32")}, [hidden, y])


def dense_two_inputs():
    """A sum of two products, on inputs of three dimensions."""
    x = static.data("x", [None, 3, 4])
    y = static.data("y", [None, 3, 6])
    out = static.nn.fc([x, y], 5, num_flatten_dims=2, activation="tanh")
    random = rng("dense_two_inputs")
    feeds = {"x": random.randn(2, 3, 4), "y": random.randn(2, 3, 6)}
    return Built({k: v.astype("float32") for k, v in feeds.items()}, [out])


def lenet(image):
    h = static.nn.conv2d(image, 4, 3, padding=1, act="relu")
    h = F.max_pool2d(h, 2, 2)
    h = static.nn.conv2d(h, 6, 3, bias_attr=False)
    h = F.relu(static.nn.batch_norm(h))
    h = F.avg_pool2d(h, 2, 2)
    return static.nn.fc(paddle.flatten(h, 1), 5)


def lenet_loss(name: str):
    feeds, image, label = images(name)
    logits = lenet(image)
    loss = paddle.mean(F.cross_entropy(logits, label))
    accuracy = static.accuracy(F.softmax(logits), label)
    return feeds, loss, accuracy


def lenet_inference():
    feeds, image, _ = images("lenet")
    logits = lenet(image)
    return Built({"image": feeds["image"]}, [logits, F.softmax(logits)])


def lenet_sgd():
    feeds, loss, accuracy = lenet_loss("lenet_sgd")
    paddle.optimizer.SGD(0.1, weight_decay=paddle.regularizer.L2Decay(0.01)).minimize(loss)
    return Built(feeds, [loss, accuracy])


def lenet_momentum():
    feeds, loss, accuracy = lenet_loss("lenet_momentum")
    paddle.optimizer.Momentum(
        0.05,
        0.9,
        use_nesterov=True,
        weight_decay=0.001,
        grad_clip=paddle.nn.ClipGradByGlobalNorm(0.5),
    ).minimize(loss)
    return Built(feeds, [loss, accuracy])


def lenet_adam():
    feeds, loss, accuracy = lenet_loss("lenet_adam")
    scheduler = paddle.optimizer.lr.PiecewiseDecay([2, 3], [0.02, 0.01, 0.005])
    optimizer = paddle.optimizer.Adam(
        scheduler,
        epsilon=1e-4,
        grad_clip=paddle.nn.ClipGradByNorm(0.3),
        weight_decay=paddle.regularizer.L2Decay(0.01),
    )
    optimizer.minimize(loss)
    return Built(feeds, [loss, accuracy], scheduler, optimizer._global_learning_rate())


def words(sparse: bool):
    random = rng("words")
    feeds = {
        "ids": random.randint(0, 20, (6, 3)).astype("int64"),
        "label": random.randint(0, 7, (6, 1)).astype("int64"),
    }
    ids = static.data("ids", [None, 3], "int64")
    label = static.data("label", [None, 1], "int64")
    table = static.nn.embedding(ids, [20, 6], is_sparse=sparse, padding_idx=None if sparse else 0)
    hidden = static.nn.fc(paddle.flatten(table, 1), 8, activation="sigmoid")
    logits = static.nn.fc(hidden, 7)
    return feeds, paddle.mean(F.softmax_with_cross_entropy(logits, label))


def embedding_dense():
    feeds, loss = words(False)
    paddle.optimizer.Adam(0.02, epsilon=1e-4).minimize(loss)
    return Built(feeds, [loss])


def embedding_sparse_sgd():
    feeds, loss = words(True)
    paddle.optimizer.SGD(0.5).minimize(loss)
    return Built(feeds, [loss])


def embedding_sparse_adam():
    feeds, loss = words(True)
    paddle.optimizer.Adam(0.02, epsilon=1e-4, lazy_mode=True).minimize(loss)
    return Built(feeds, [loss])


def small_regression():
    random = rng("small_regression")
    feeds = {
        "x": random.randn(5, 4).astype("float32"),
        "y": random.randn(5, 1).astype("float32"),
    }
    x, y = static.data("x", [None, 4]), static.data("y", [None, 1])
    out = static.nn.fc(static.nn.fc(x, 6, activation="tanh"), 1)
    return feeds, paddle.mean(F.square_error_cost(out, y))


def trained_by(make):
    def build():
        feeds, loss = small_regression()
        make().minimize(loss)
        return Built(feeds, [loss])

    return build


def scheduled():
    feeds, loss = small_regression()
    scheduler = paddle.optimizer.lr.LinearWarmup(
        paddle.optimizer.lr.ExponentialDecay(0.1, 0.8), 2, 0.01, 0.1
    )
    optimizer = paddle.optimizer.Momentum(
        scheduler,
        0.9,
        grad_clip=paddle.nn.ClipGradByValue(0.2, -0.1),
        weight_decay=paddle.regularizer.L1Decay(0.01),
    )
    optimizer.minimize(loss)
    return Built(feeds, [loss], scheduler, optimizer._global_learning_rate())


def layers():
    """Other layers with parameters, in one training program."""
    random = rng("layers")
    feeds = {"image": random.rand(2, 4, 6, 6).astype("float32")}
    image = static.data("image", [None, 4, 6, 6])
    a = static.nn.group_norm(image, 2)
    b = static.nn.instance_norm(image)
    c = static.nn.layer_norm(image, begin_norm_axis=2)
    d = static.nn.prelu(image - 0.5, "channel")
    e = static.nn.conv2d(a + b + c + d, 4, 3, padding=1, groups=4, dilation=1)
    f = static.nn.conv2d_transpose(e, 3, filter_size=3, stride=2, padding=1)
    g = static.nn.conv2d(f, 2, 3, stride=2, padding="SAME", data_format="NCHW")
    pooled = F.adaptive_avg_pool2d(g, 2) + F.adaptive_max_pool2d(g, 2)
    vector = paddle.flatten(pooled, 1)
    out = static.nn.bilinear_tensor_product(vector, vector, 3)
    loss = paddle.mean(paddle.tanh(out))
    paddle.optimizer.SGD(0.001).minimize(loss)
    return Built(feeds, [a, b, c, d, e, f, g, out, loss])


def convolution_3d():
    random = rng("convolution_3d")
    feeds = {"volume": random.rand(1, 2, 4, 5, 5).astype("float32")}
    volume = static.data("volume", [None, 2, 4, 5, 5])
    a = static.nn.conv3d(volume, 3, 3, padding=1)
    b = static.nn.conv3d_transpose(a, 2, filter_size=2, stride=2)
    c = F.max_pool3d(b, 2, 2)
    d = F.avg_pool3d(b, 2, 2, ceil_mode=True)
    paddle.optimizer.SGD(0.1).minimize(paddle.mean(c * d))
    return Built(feeds, [a, b, c, d])


def recurrent():
    """paddle.nn.LSTM and GRU in a static program (operator rnn)."""
    random = rng("recurrent")
    feeds = {"x": random.randn(2, 4, 3).astype("float32")}
    x = static.data("x", [2, 4, 3])
    out, (h, c) = paddle.nn.LSTM(3, 4, num_layers=2, direction="bidirect")(x)
    out2, h2 = paddle.nn.GRU(8, 3)(out)
    loss = paddle.mean(paddle.square(out2))
    paddle.optimizer.SGD(0.5).minimize(loss)
    return Built(feeds, [out, h, c, h2, loss])


def attention():
    random = rng("attention")
    feeds = {"x": random.randn(2, 3, 4).astype("float32")}
    x = static.data("x", [2, 3, 4])
    layer = paddle.nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0, activation="gelu")
    out = layer(x)
    loss = paddle.mean(paddle.square(out[:, 0]))
    paddle.optimizer.SGD(0.1).minimize(loss)
    return Built(feeds, [out, loss])


def write(corpus: Corpus) -> None:
    """Write all cases of this file."""
    corpus.case("dense", dense, for_test=True)
    corpus.case("dense_two_inputs", dense_two_inputs)
    corpus.case("lenet", lenet_inference, for_test=True)
    corpus.case("lenet_sgd", lenet_sgd, steps=4)
    corpus.case("lenet_momentum", lenet_momentum, steps=4)
    corpus.case("lenet_adam", lenet_adam, steps=5)
    corpus.case("embedding_dense", embedding_dense, steps=3)
    corpus.case("embedding_sparse_sgd", embedding_sparse_sgd, steps=3)
    corpus.case("embedding_sparse_adam", embedding_sparse_adam, steps=3)
    corpus.case("scheduled", scheduled, steps=5)
    o = paddle.optimizer
    for name, make in {
        "adamw": lambda: o.AdamW(0.01, weight_decay=0.1),
        "adamax": lambda: o.Adamax(0.01),
        "adagrad": lambda: o.Adagrad(0.1, initial_accumulator_value=0.1),
        "adadelta": lambda: o.Adadelta(0.5),
        "rmsprop": lambda: o.RMSProp(0.05, momentum=0.9, centered=True),
        "lamb": lambda: o.Lamb(0.01),
    }.items():
        corpus.case("optimizer_" + name, trained_by(make), steps=3)
    corpus.case("layers", layers, steps=2)
    corpus.case("convolution_3d", convolution_3d, steps=2)
    corpus.case("recurrent", recurrent, steps=2)
    corpus.case("attention", attention, steps=2)
