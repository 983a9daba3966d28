"""PaddleSlim: filters of a Layer are pruned by their norms or their sensitivities, then tuned.

    python examples/compress/paddleslim_prune_dygraph.py [--quick]

Measured: accuracy 98.52; 83.25 with 57.6% of the operations left; 98.56 after one epoch of tuning;
two and a half minutes of a core that is shared.

`L1NormFilterPruner` finds out what hangs together, removes filters with all that belongs to them,
and the optimizer goes on with what is left. Needs PaddleSlim 2.2.2 (docs/compression.md) and MNIST.
"""

import argparse
import tempfile
import time

import mnist_programs  # noqa: F401
from digits import accuracy, arrays, train
from paddleslim import L1NormFilterPruner, dygraph_flops

import paddle
from paddle import nn

SHAPE = [1, 1, 28, 28]


def network():
    """Convolutions with batch norms, two linear layers."""
    return nn.Sequential(
        nn.Conv2D(1, 8, 5, padding=2), nn.BatchNorm2D(8), nn.ReLU(), nn.MaxPool2D(2),
        nn.Conv2D(8, 16, 5, padding=2), nn.BatchNorm2D(16), nn.ReLU(), nn.MaxPool2D(2),
        nn.Flatten(), nn.Linear(16 * 49, 64), nn.ReLU(), nn.Linear(64, 10),
    )  # fmt: skip


def main(quick=False):
    """Returns the accuracies of the whole, the pruned and the tuned network; the part left."""
    paddle.seed(1)
    began = time.time()
    x, y = arrays("train", count=6000 if quick else None)
    test = arrays("test", count=2000 if quick else None)
    model = network()
    train(model, x, y, 2, 2e-3)
    whole, before = accuracy(model, *test), dygraph_flops(model, SHAPE)

    pruner = L1NormFilterPruner(model, SHAPE)
    with tempfile.TemporaryDirectory() as folder:
        pruner.sensitive(lambda: accuracy(model, x[-1000:], y[-1000:]), f"{folder}/sensitivities")
        plan = pruner.sensitive_prune(0.5)
    pruned, left = accuracy(model, *test), 100 * dygraph_flops(model, SHAPE) / before
    print(f"pruned {plan.pruned_flops:.0%} of the operations")

    train(model, x, y, 1, 2e-3, seed=1)
    tuned = accuracy(model, *test)
    print(f"whole {whole:.2f}, pruned {pruned:.2f}, tuned {tuned:.2f}; "
          f"{left:.1f}% of the operations left; {time.time() - began:.0f} s")  # fmt: skip
    return whole, pruned, tuned, left


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="a tenth of the images")
    main(parser.parse_args().quick)
