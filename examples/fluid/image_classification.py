"""Ten kinds of small pictures in 1.x's `paddle.fluid`: a residual network, and one like VGG.

Measured on 1,000 pictures not trained on: 92 to 99 % by the residual network, whose running means
follow the last batches and so the machine's rounding, and 97 % by the other one; 30 s on one core.

    python examples/fluid/image_classification.py [resnet|vgg]

The pictures are drawn here, and written in the true layout of CIFAR-10: a packed archive of pickled
batches, with rows of 3072 bytes. There are five shapes with bars across or along, of any colour,
size and place, on a noisy ground. The file runs unchanged on PaddlePaddle 1.8.5, and has its losses
from the same parameters (tests/fluid/test_books.py).
"""

import io
import os
import pickle
import random
import sys
import tarfile

import numpy as np

import paddle
import paddle.dataset.cifar
import paddle.fluid as fluid

OUTPUT = os.path.join("output", "image_classification")
CLASSES = 10
BATCH = 50


# ---- data ---------------------------------------------------------------------------------------


def drawn(random, label):
    """A picture of a kind, [3, 32, 32] bytes."""
    size, (row, column) = random.randint(9, 12), random.randint(12, 20, 2)
    y, x = np.mgrid[:32, :32]
    y, x = y - row, x - column
    inside = [
        x**2 + y**2 < size**2,
        np.maximum(abs(x), abs(y)) < size - 1,
        (abs(x) < (y + size) / 2) & (y < size),
        np.minimum(abs(x), abs(y)) * 3 < size * (np.maximum(abs(x), abs(y)) < size),
        (x**2 + y**2 < size**2) & (x**2 + y**2 > size**2 / 4),
    ][label // 2]
    bars = (x if label % 2 else y) % 4 < 2
    picture = random.normal(0, 12, (3, 32, 32)) + random.uniform(40, 215, (3, 1, 1))
    picture = np.where(inside & bars, random.uniform(0, 255, (3, 1, 1)), picture)
    picture = np.where(inside & ~bars, random.uniform(0, 255, (3, 1, 1)), picture)
    return picture.clip(0, 255).astype("uint8")


def rows(random, number):
    """Rows of bytes as in CIFAR-10, and their labels."""
    labels = random.randint(0, CLASSES, number)
    return np.array([drawn(random, label).reshape(-1) for label in labels]), labels


def archive(path, batches=5, size=1000):
    """Writes `data_batch_1` and so on, and `test_batch`."""
    random = np.random.RandomState(2)
    names = [f"data_batch_{i + 1}" for i in range(batches)] + ["test_batch"]
    with tarfile.open(path, "w:gz") as file:
        for name in names:
            data, labels = rows(random, size)
            packed = pickle.dumps({b"data": data, b"labels": labels.tolist()}, protocol=2)
            info = tarfile.TarInfo("cifar-10-batches-py/" + name)
            info.size = len(packed)
            file.addfile(info, io.BytesIO(packed))


def batch(random):
    """A small batch: what steps are compared on."""
    data, labels = rows(random, 20)
    images = (data / 255.0).astype("float32").reshape(-1, 3, 32, 32)
    return {"image": images, "label": labels.reshape(-1, 1).astype("int64")}


# ---- networks -----------------------------------------------------------------------------------


def convolution(x, channels, size, stride, act):
    """A convolution with a normalization behind it."""
    x = fluid.layers.conv2d(
        input=x, num_filters=channels, filter_size=size, stride=stride, padding=(size - 1) // 2,
        bias_attr=False,
    )  # fmt: skip
    return fluid.layers.batch_norm(input=x, act=act)


def residual(image):
    """Chances of the kinds: three stages of a block each, 16 to 64 channels."""
    x = convolution(image, 16, 3, 1, "relu")
    for channels, stride in ((16, 1), (32, 2), (64, 2)):
        short = x if x.shape[1] == channels else convolution(x, channels, 1, stride, None)
        deep = convolution(convolution(x, channels, 3, stride, "relu"), channels, 3, 1, None)
        x = fluid.layers.elementwise_add(x=short, y=deep, act="relu")
    x = fluid.layers.pool2d(input=x, pool_type="avg", global_pooling=True)
    return fluid.layers.fc(x, size=CLASSES, act="softmax")


def like_vgg(image, dropped=0.3):
    """Chances of the kinds: groups of convolutions, and two wide layers."""
    x = image
    for channels, depth in ((16, 1), (32, 2), (64, 2)):
        x = fluid.nets.img_conv_group(
            input=x, pool_size=2, pool_stride=2, conv_num_filter=[channels] * depth,
            conv_filter_size=3, conv_act="relu", conv_with_batchnorm=True, pool_type="max",
        )  # fmt: skip
    x = fluid.layers.dropout(x, dropout_prob=dropped)
    x = fluid.layers.fc(x, size=64, act=None)
    x = fluid.layers.batch_norm(input=x, act="relu")
    x = fluid.layers.dropout(x, dropout_prob=dropped)
    return fluid.layers.fc(x, size=CLASSES, act="softmax")


def _built(network):
    image = fluid.data("image", [None, 3, 32, 32], "float32")
    label = fluid.data("label", [None, 1], "int64")
    guess = network(image)
    loss = fluid.layers.mean(fluid.layers.cross_entropy(input=guess, label=label))
    right = fluid.layers.accuracy(input=guess, label=label)
    test = fluid.default_main_program().clone(for_test=True)
    decay = fluid.regularizer.L2Decay(1e-4)
    fluid.optimizer.Adam(3e-3, regularization=decay).minimize(loss)
    return loss, right, test


def resnet():
    """The loss of the residual network."""
    return _built(residual)[0]


def vgg():
    """The loss of the other one, with nothing dropped: what is dropped comes by chance."""
    return _built(lambda image: like_vgg(image, dropped=0.0))[0]


# ---- training -----------------------------------------------------------------------------------


def main(network, epochs=3):
    """Trains; returns the accuracy on the pictures of `test_batch`."""
    path = os.path.join(OUTPUT, "cifar-10-python.tar.gz")
    if not os.path.exists(path):
        os.makedirs(OUTPUT, exist_ok=True)
        archive(path)
    train = paddle.dataset.cifar.reader_creator(path, "data_batch")
    test_reader = paddle.dataset.cifar.reader_creator(path, "test_batch")

    program, startup = fluid.Program(), fluid.Program()
    program.random_seed = startup.random_seed = 1
    with fluid.program_guard(program, startup), fluid.unique_name.guard():
        loss, right, test = _built(network)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)

    def fed(pictures):
        images = np.array([pixels for pixels, _ in pictures], "float32").reshape(-1, 3, 32, 32)
        return {"image": images, "label": np.array([[kind] for _, kind in pictures], "int64")}

    random.seed(0)
    batches = paddle.batch(paddle.reader.shuffle(train, buf_size=5000), BATCH, drop_last=True)
    for epoch in range(epochs):
        values = [exe.run(program, fed(each), [loss])[0] for each in batches()]
        print(f"{network.__name__}, epoch {epoch}: loss {np.mean(values):.3f}")
    shares = [exe.run(test, fed(each), [right])[0] for each in paddle.batch(test_reader, 250)()]
    print(f"{network.__name__}: accuracy {np.mean(shares):.3f}")
    return float(np.mean(shares))


NETWORKS = {"resnet": residual, "vgg": like_vgg}

if __name__ == "__main__":
    for name in sys.argv[1:] or NETWORKS:
        main(NETWORKS[name])
