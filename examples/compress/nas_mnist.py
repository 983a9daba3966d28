"""A search over widths and kernels for the best network for digits within a budget of operations.

    python examples/compress/nas_mnist.py [--quick]

Measured: TODO

Candidates have a width for each of four layers, and kernels of 3 or 5. An evolution changes the
best of them a little, drops what costs more than the budget, trains each for a moment, and goes on
from what does best on images held out. The winner is trained with all images from two seeds, beside
LeNet with all widths made smaller alike. Needs MNIST (`make mnist` fetches it).
"""

import argparse
import contextlib
import functools
import io
import time

import numpy as np
from digits import accuracy, arrays, train

import paddle
from paddle import nn

LENET = (6, 3, 16, 5, 120, 84)  # channels and kernel, twice; sizes of two hidden layers
WIDTHS = (0, 2, 4, 5)  # which of these are widths
BUDGET = 100_000  # operations; LeNet has 347,560
CHOICES = (
    (2, 3, 4, 6, 8, 12), (3, 5), (4, 6, 8, 12, 16, 24), (3, 5), (0, 16, 32, 60), (0, 16, 32, 60),
)  # fmt: skip


def build(genes):
    """LeNet with other widths and kernels; a hidden layer of size 0 is left out."""
    a, first, b, second, c, d = genes
    layers = [
        nn.Conv2D(1, a, first, padding=first // 2), nn.ReLU(), nn.MaxPool2D(2, 2),
        nn.Conv2D(a, b, second), nn.ReLU(), nn.MaxPool2D(2, 2), nn.Flatten(),
    ]  # fmt: skip
    size = b * ((15 - second) // 2) ** 2
    for width in (c, d):
        if width:
            layers += [nn.Linear(size, width), nn.ReLU()]
            size = width
    return nn.Sequential(*layers, nn.Linear(size, 10))


@functools.cache
def operations(widths):
    """The operations for one image."""
    with contextlib.redirect_stdout(io.StringIO()):
        return paddle.flops(build(widths), [1, 1, 28, 28])


def changed(genes, random):
    """Other choices at one or two places."""
    made = list(genes)
    for at in random.permutation(len(CHOICES))[: random.randint(1, 3)]:
        made[at] = int(random.choice(CHOICES[at]))
    return tuple(made)


def uniform():
    """LeNet with all widths made smaller by the same factor, as large as the budget allows."""
    for part in np.arange(1, 0.1, -0.01):
        genes = tuple(max(round(n * part), 1) if i in WIDTHS else n for i, n in enumerate(LENET))
        if operations(genes) <= BUDGET:
            return genes
    raise ValueError("the budget is too small")


def search(score, rounds, random):
    """Returns all that was tried: genes -> accuracy."""
    tried, genes = {}, uniform()
    while True:
        tried[genes] = score(genes)
        print(f"{genes}: {tried[genes]:.2f}")
        if len(tried) == rounds:
            return tried
        best = sorted(tried, key=tried.get)[-3:]
        while genes in tried or not BUDGET * 0.8 <= operations(genes) <= BUDGET:
            genes = changed(best[random.randint(len(best))], random)


def main(quick=False):
    """Returns what was found, their accuracy, and that of the smaller LeNet."""
    began = time.time()
    x, y = arrays("train", count=6000 if quick else None)
    test = arrays("test", count=2000 if quick else None)
    few, held_out = (x[:8000], y[:8000]), (x[-5000:], y[-5000:])

    def trained(genes, images, labels, epochs, seed=3):
        paddle.seed(seed)
        model = build(genes)
        train(model, images, labels, epochs, 4e-3, seed)
        return model

    def score(genes):
        return accuracy(trained(genes, *few, 1 if quick else 2), *held_out)

    tried = search(score, 4 if quick else 12, np.random.RandomState(0))
    best = max(tried, key=tried.get)
    seeds = range(1 if quick else 2)
    found, plain = (
        np.mean([accuracy(trained(w, x, y, 1, seed), *test) for seed in seeds])
        for w in (best, uniform())
    )
    print(f"{best} ({operations(best):,} operations) {found:.2f}; smaller LeNet {uniform()} "
          f"({operations(uniform()):,}) {plain:.2f}; {time.time() - began:.0f} s")  # fmt: skip
    return best, found, plain


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="four candidates, fewer images")
    main(parser.parse_args().quick)
