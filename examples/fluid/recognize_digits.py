"""Handwritten digits in 1.x's `paddle.fluid`: a perceptron and a convolutional network.

Measured on the 10,000 test digits of MNIST after one epoch: 95 % by the perceptron and 98 % by the
convolutional network, which files serve just the same; 11 s on one core for both.

    python examples/fluid/recognize_digits.py [mlp|conv]

The file runs unchanged on PaddlePaddle 1.8.5, and has its losses from the same parameters
(tests/fluid/test_books.py).
"""

import os
import random
import sys

import numpy as np

import paddle
import paddle.fluid as fluid

OUTPUT = os.path.join("output", "recognize_digits")
BATCH = 64


# ---- data ---------------------------------------------------------------------------------------


def batch(random):
    """Strokes in the layout of MNIST: what steps are compared on where there is no MNIST."""
    images = np.full((BATCH, 1, 28, 28), -1, "float32")
    labels = random.randint(0, 10, (BATCH, 1)).astype("int64")
    for image, label in zip(images[:, 0], labels[:, 0]):
        row, column = random.randint(4, 9, 2)
        image[row : row + 2 * label + 1, column : column + 3] = 1
        image[row : row + 3, column : column + 19 - 2 * label] = 1
    return {"image": images, "label": labels}


# ---- networks -----------------------------------------------------------------------------------


def inputs():
    """The variables of images and labels."""
    image = fluid.data("image", [None, 1, 28, 28], "float32")
    label = fluid.data("label", [None, 1], "int64")
    return image, label


def perceptron(image):
    """Chances of the digits, by two hidden layers."""
    hidden = fluid.layers.fc(image, size=128, act="relu")
    hidden = fluid.layers.fc(hidden, size=64, act="relu")
    return fluid.layers.fc(hidden, size=10, act="softmax")


def convolutional(image):
    """Chances of the digits, by two convolutions with a normalization between them."""
    x = fluid.nets.simple_img_conv_pool(
        image, num_filters=16, filter_size=5, pool_size=2, pool_stride=2, act="relu"
    )
    x = fluid.layers.batch_norm(x)
    x = fluid.nets.simple_img_conv_pool(
        x, num_filters=32, filter_size=5, pool_size=2, pool_stride=2, act="relu"
    )
    return fluid.layers.fc(x, size=10, act="softmax")


def _built(network):
    image, label = inputs()
    guess = network(image)
    loss = fluid.layers.mean(fluid.layers.cross_entropy(input=guess, label=label))
    right = fluid.layers.accuracy(input=guess, label=label)
    test = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.Adam(learning_rate=0.001).minimize(loss)
    return image, label, guess, loss, right, test


def mlp():
    """The loss of the perceptron."""
    return _built(perceptron)[3]


def conv():
    """The loss of the convolutional network."""
    return _built(convolutional)[3]


# ---- training -----------------------------------------------------------------------------------


def main(network):
    """Trains one epoch; returns the share of test digits found, and that of the served files."""
    program, startup = fluid.Program(), fluid.Program()
    program.random_seed = startup.random_seed = 1
    with fluid.program_guard(program, startup), fluid.unique_name.guard():
        image, label, guess, loss, right, test = _built(network)
    place = fluid.CPUPlace()
    exe = fluid.Executor(place)
    exe.run(startup)

    loader = fluid.io.DataLoader.from_generator(feed_list=[image, label], capacity=8)
    reader = fluid.io.shuffle(paddle.dataset.mnist.train(), buf_size=60000)
    loader.set_sample_list_generator(paddle.batch(reader, BATCH, drop_last=True), places=place)
    random.seed(0)
    for step, feed in enumerate(loader()):
        (value,) = exe.run(program, feed=feed, fetch_list=[loss])
        if step % 300 == 0:
            print(f"{network.__name__}, step {step}: loss {float(value[0]):.3f}")

    shares = []
    tests = list(paddle.batch(paddle.dataset.mnist.test(), 500)())
    tests = [(np.array([row[0] for row in rows], "float32").reshape(-1, 1, 28, 28),
              np.array([[row[1]] for row in rows], "int64")) for rows in tests]  # fmt: skip
    for images, labels in tests:
        shares += exe.run(test, feed={"image": images, "label": labels}, fetch_list=[right])

    folder = os.path.join(OUTPUT, network.__name__)
    fluid.io.save_inference_model(folder, ["image"], [guess], exe, main_program=program)
    served, names, found = fluid.io.load_inference_model(folder, exe)
    hits = []
    for images, labels in tests:
        (chances,) = exe.run(served, feed={names[0]: images}, fetch_list=found)
        hits.append((chances.argmax(1) == labels[:, 0]).mean())
    share, again = float(np.mean(shares)), float(np.mean(hits))
    print(
        f"{network.__name__}: {100 * share:.2f} % of the test digits; from files {100 * again:.2f}"
    )
    return share, again


NETWORKS = {"mlp": perceptron, "conv": convolutional}

if __name__ == "__main__":
    for name in sys.argv[1:] or NETWORKS:
        main(NETWORKS[name])
