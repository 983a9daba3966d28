"""Networks of the corpus for PaddlePaddle 1.8.5: dense, convolution, embedding, optimizers."""

from __future__ import annotations

from corpus import Built, Corpus, rng

import paddle.fluid as fluid

layers = fluid.layers


def images(name: str):
    random = rng(name)
    feeds = {
        "image": random.rand(4, 1, 12, 12).astype("float32"),
        "label": random.randint(0, 5, (4, 1)).astype("int64"),
    }
    image = fluid.data("image", [None, 1, 12, 12])
    label = fluid.data("label", [None, 1], "int64")
    return feeds, image, label


def dense():
    x = fluid.data("x", [None, 8])
    hidden = layers.fc(x, 16, act="relu")
    y = layers.fc(hidden, 4, act="softmax")
    return Built({"x": rng("dense").randn(3, 8).astype("float32")}, [hidden, y])


def dense_two_inputs():
    """A sum of two products on inputs of three dimensions, one with an appended batch size."""
    x = layers.data("x", [3, 4])
    y = fluid.data("y", [None, 3, 6])
    out = layers.fc([x, y], 5, num_flatten_dims=2, act="tanh")
    random = rng("dense_two_inputs")
    feeds = {"x": random.randn(2, 3, 4), "y": random.randn(2, 3, 6)}
    return Built({k: v.astype("float32") for k, v in feeds.items()}, [out])


def features(image):
    h = fluid.nets.simple_img_conv_pool(image, 4, 3, 2, 2, conv_padding=1, act="relu")
    h = layers.conv2d(h, 6, 3, bias_attr=False)
    h = layers.batch_norm(h, act="relu")
    return layers.pool2d(h, 2, "avg", 2)


def lenet_loss(name: str):
    feeds, image, label = images(name)
    probability = layers.softmax(layers.fc(features(image), 5))
    loss = layers.mean(layers.cross_entropy(probability, label))
    return feeds, loss, layers.accuracy(probability, label, k=2)


def lenet_inference():
    feeds, image, _ = images("lenet")
    logits = layers.fc(layers.dropout(features(image), 0.3), 5)
    return Built({"image": feeds["image"]}, [logits, layers.softmax(logits)])


def lenet_sgd():
    feeds, loss, accuracy = lenet_loss("lenet_sgd")
    regularizer = fluid.regularizer.L2Decay(0.01)
    fluid.optimizer.SGD(0.1, regularization=regularizer).minimize(loss)
    return Built(feeds, [loss, accuracy])


def lenet_momentum():
    feeds, loss, accuracy = lenet_loss("lenet_momentum")
    fluid.optimizer.Momentum(
        0.05,
        0.9,
        use_nesterov=True,
        regularization=fluid.regularizer.L2Decay(0.001),
        grad_clip=fluid.clip.GradientClipByGlobalNorm(0.5),
    ).minimize(loss)
    return Built(feeds, [loss, accuracy])


def lenet_adam():
    """The scheduler is part of a 1.8.5 Program: a counter, comparisons, conditional blocks."""
    feeds, loss, accuracy = lenet_loss("lenet_adam")
    rate = layers.piecewise_decay([2, 3], [0.02, 0.01, 0.005])
    fluid.optimizer.Adam(
        rate,
        epsilon=1e-4,
        grad_clip=fluid.clip.GradientClipByNorm(0.3),
        regularization=fluid.regularizer.L2Decay(0.01),
    ).minimize(loss)
    return Built(feeds, [loss, accuracy, rate])


def words(sparse: bool, old: bool):
    """`old` takes the table lookup whose ids end in a dimension of one."""
    random = rng("words")
    feeds = {
        "ids": random.randint(0, 20, (6, 3)).astype("int64"),
        "label": random.randint(0, 7, (6, 1)).astype("int64"),
    }
    ids = fluid.data("ids", [None, 3], "int64")
    label = fluid.data("label", [None, 1], "int64")
    if old:
        table = layers.embedding(
            layers.unsqueeze(ids, [2]), [20, 6], is_sparse=sparse, padding_idx=None if sparse else 0
        )
    else:
        table = fluid.embedding(ids, [20, 6], is_sparse=sparse, padding_idx=None if sparse else 0)
    hidden = layers.fc(table, 8, act="sigmoid")
    logits = layers.fc(hidden, 7)
    return feeds, layers.mean(layers.softmax_with_cross_entropy(logits, label))


def embedding(make, sparse: bool, old: bool):
    def build():
        feeds, loss = words(sparse, old)
        make().minimize(loss)
        return Built(feeds, [loss])

    return build


def small_regression():
    random = rng("small_regression")
    feeds = {
        "x": random.randn(5, 4).astype("float32"),
        "y": random.randn(5, 1).astype("float32"),
    }
    x, y = fluid.data("x", [None, 4]), fluid.data("y", [None, 1])
    out = layers.fc(layers.fc(x, 6, act="tanh"), 1)
    return feeds, layers.mean(layers.square_error_cost(out, y))


def trained_by(make):
    def build():
        feeds, loss = small_regression()
        make().minimize(loss)
        return Built(feeds, [loss])

    return build


def scheduled(make, **options):
    def build():
        feeds, loss = small_regression()
        rate = make()
        fluid.optimizer.Momentum(rate, 0.9, **options).minimize(loss)
        return Built(feeds, [loss, rate])

    return build


def other_layers():
    """Other layers with parameters, in one training program."""
    random = rng("layers")
    feeds = {"image": random.rand(2, 4, 6, 6).astype("float32")}
    image = fluid.data("image", [None, 4, 6, 6])
    image.stop_gradient = False  # the 1.8.5 gradient of instance_norm insists on that of its input
    a = layers.group_norm(image, 2)
    b = layers.instance_norm(image)
    c = layers.layer_norm(image, begin_norm_axis=2)
    d = layers.prelu(image - 0.5, "channel")
    e = layers.conv2d(a + b + c + d, 4, 3, padding=1, groups=4)
    f = layers.conv2d_transpose(e, 3, filter_size=3, stride=2, padding=1)
    g = layers.conv2d(f, 2, 3, stride=2, padding="SAME")
    pooled = layers.adaptive_pool2d(g, 2, "avg") + layers.adaptive_pool2d(g, 2, "max")
    vector = layers.flatten(pooled)
    out = layers.bilinear_tensor_product(vector, vector, 3)
    h = layers.row_conv(layers.squeeze(image[:, 0:1], [1]), 2)
    loss = layers.mean(layers.tanh(out)) + layers.reduce_mean(layers.square(h))
    fluid.optimizer.SGD(0.001).minimize(loss)
    return Built(feeds, [a, b, c, d, e, f, g, out, h, loss])


def convolution_3d():
    random = rng("convolution_3d")
    feeds = {"volume": random.rand(1, 2, 4, 5, 5).astype("float32")}
    volume = fluid.data("volume", [None, 2, 4, 5, 5])
    a = layers.conv3d(volume, 3, 3, padding=1)
    b = layers.conv3d_transpose(a, 2, filter_size=2, stride=2)
    c = layers.pool3d(b, 2, "max", 2)
    d = layers.pool3d(b, 2, "avg", 2, ceil_mode=True)
    fluid.optimizer.SGD(0.1).minimize(layers.mean(c * d))
    return Built(feeds, [a, b, c, d])


def write(corpus: Corpus) -> None:
    """Write all cases of this file."""
    o, clip = fluid.optimizer, fluid.clip
    corpus.case("dense", dense, for_test=True)
    corpus.case("dense_two_inputs", dense_two_inputs)
    corpus.case("lenet", lenet_inference, for_test=True)
    corpus.case("lenet_sgd", lenet_sgd, steps=4)
    corpus.case("lenet_momentum", lenet_momentum, steps=4)
    corpus.case("lenet_adam", lenet_adam, steps=5)
    corpus.case(
        "embedding_dense", embedding(lambda: o.Adam(0.02, epsilon=1e-4), False, False), steps=3
    )
    corpus.case(
        "embedding_old", embedding(lambda: o.Adam(0.02, epsilon=1e-4), False, True), steps=3
    )
    corpus.case("embedding_sparse_sgd", embedding(lambda: o.SGD(0.5), True, True), steps=3)
    lazy = embedding(lambda: o.Adam(0.02, epsilon=1e-4, lazy_mode=True), True, False)
    corpus.case("embedding_sparse_adam", lazy, steps=3)
    for name, make in {
        "adamax": lambda: o.Adamax(0.01),
        "adagrad": lambda: o.Adagrad(0.1, initial_accumulator_value=0.1),
        "decayed_adagrad": lambda: o.DecayedAdagrad(0.1),
        "adadelta": lambda: o.Adadelta(0.5),
        "rmsprop": lambda: o.RMSProp(0.05, momentum=0.9, centered=True),
        "lamb": lambda: o.Lamb(0.01),
        "ftrl": lambda: o.Ftrl(0.1, l1=0.01, l2=0.01),
        "lars": lambda: o.LarsMomentum(0.1, 0.9),
        "lookahead": lambda: o.LookaheadOptimizer(o.SGD(0.1), 0.5, 2),
    }.items():
        corpus.case("optimizer_" + name, trained_by(make), steps=3)
    by_value = {
        "grad_clip": clip.GradientClipByValue(0.2, -0.1),
        "regularization": fluid.regularizer.L1Decay(0.01),
    }
    for name, make, options in (
        ("exponential", lambda: layers.exponential_decay(0.1, 2, 0.5, True), by_value),
        ("noam", lambda: layers.noam_decay(8, 3, 0.5), {}),
        ("polynomial", lambda: layers.polynomial_decay(0.1, 3, 0.01, 2.0, cycle=True), {}),
        (
            "warmup_cosine",
            lambda: layers.linear_lr_warmup(layers.cosine_decay(0.1, 2, 3), 2, 0.01, 0.1),
            {},
        ),
        ("inverse_time", lambda: layers.inverse_time_decay(0.1, 2, 0.5), {}),
    ):
        corpus.case("schedule_" + name, scheduled(make, **options), steps=5)
    corpus.case("layers", other_layers, steps=2)
    corpus.case("convolution_3d", convolution_3d, steps=2)
