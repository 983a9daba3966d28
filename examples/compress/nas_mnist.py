"""A search over widths for the best network for digits within a budget of operations.

    python examples/compress/nas_mnist.py [--quick]

Measured: TODO

Candidates have a width for each of four layers. An evolution changes the best of them a little,
drops what costs more than the budget, trains each for a moment, and goes on from what does best on
images held out. The winner is trained with all images from three seeds, beside LeNet with all
widths made smaller alike. Needs MNIST (`make mnist` fetches it).
"""

import argparse
import contextlib
import io
import time

import numpy as np
from digits import accuracy, arrays, train

import paddle
from paddle import nn

LENET = (6, 16, 120, 84)
BUDGET = 100_000  # operations; LeNet has 347,560
CHOICES = (
    (2, 3, 4, 6, 8, 12, 16),
    (4, 6, 8, 12, 16, 24),
    (0, 16, 32, 60, 120),
    (0, 16, 32, 60, 84),
)


def build(widths):
    """LeNet with other widths; 0 leaves a layer out."""
    a, b, c, d = widths
    layers = [
        nn.Conv2D(1, a, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2),
        nn.Conv2D(a, b, 5), nn.ReLU(), nn.MaxPool2D(2, 2), nn.Flatten(),
    ]  # fmt: skip
    size = b * 25
    for width in (c, d):
        if width:
            layers += [nn.Linear(size, width), nn.ReLU()]
            size = width
    return nn.Sequential(*layers, nn.Linear(size, 10))


def operations(widths):
    """The operations for one image."""
    with contextlib.redirect_stdout(io.StringIO()):
        return paddle.flops(build(widths), [1, 1, 28, 28])


def changed(widths, random):
    """Other widths at one or two places."""
    made = list(widths)
    for at in random.permutation(4)[: random.randint(1, 3)]:
        made[at] = int(random.choice(CHOICES[at]))
    return tuple(made)


def uniform():
    """LeNet with all widths made smaller by the same factor, as large as the budget allows."""
    for part in np.arange(1, 0.1, -0.01):
        widths = tuple(max(round(w * part), 1) for w in LENET)
        if operations(widths) <= BUDGET:
            return widths
    raise ValueError("the budget is too small")


def search(score, rounds, random):
    """Returns all that was tried: widths -> accuracy."""
    tried, widths = {}, uniform()
    while True:
        tried[widths] = score(widths)
        print(f"{widths}: {tried[widths]:.2f}")
        if len(tried) == rounds:
            return tried
        best = sorted(tried, key=tried.get)[-3:]
        while widths in tried or not BUDGET * 0.8 <= operations(widths) <= BUDGET:
            widths = changed(best[random.randint(len(best))], random)


def main(quick=False):
    """Returns the widths found, their accuracy, and that of the smaller LeNet."""
    began = time.time()
    x, y = arrays("train", count=6000 if quick else None)
    test = arrays("test", count=2000 if quick else None)
    few, held_out = (x[:10000], y[:10000]), (x[-5000:], y[-5000:])

    def trained(widths, images, labels, epochs, seed=3):
        paddle.seed(seed)
        model = build(widths)
        train(model, images, labels, epochs, 4e-3, seed)
        return model

    def score(widths):
        return accuracy(trained(widths, *few, 1 if quick else 3), *held_out)

    tried = search(score, 4 if quick else 16, np.random.RandomState(0))
    best = max(tried, key=tried.get)
    epochs = 1 if quick else 2
    seeds = range(1 if quick else 3)
    found, plain = (
        np.mean([accuracy(trained(w, x, y, epochs, seed), *test) for seed in seeds])
        for w in (best, uniform())
    )
    print(f"{best} ({operations(best):,} operations) {found:.2f}; smaller LeNet {uniform()} "
          f"({operations(uniform()):,}) {plain:.2f}; {time.time() - began:.0f} s")  # fmt: skip
    return best, found, plain


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="four candidates, fewer images")
    main(parser.parse_args().quick)
