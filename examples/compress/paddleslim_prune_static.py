"""PaddleSlim: sensitivities say which filters of a Program can go, then it is tuned.

    python examples/compress/paddleslim_prune_static.py [--quick]

Measured: accuracy 98.56; 73.07 with 60.1% of the operations left; 98.35 after one epoch of tuning;
a minute and a half to three minutes of a core that is shared.

`sensitivity` removes more and more filters of each layer and looks what that costs; what costs at
most a few points is pruned for good. Needs PaddleSlim 2.2.2 (docs/compression.md) and MNIST.
"""

import argparse
import tempfile
import time

from mnist_programs import Task, digits, lenet, steps_of
from paddleslim.analysis import flops
from paddleslim.prune import Pruner, get_ratios_by_loss, sensitivity

import paddle
from paddle import static


def main(quick=False):
    """Returns the accuracies of the whole, the pruned and the tuned network; the part left."""
    paddle.enable_static()
    began = time.time()
    x, y, test_x, test_y = digits(quick)
    epochs, tuning = 2, 1
    task = Task(lenet, steps_of(x, epochs))
    task.learn(x, y, epochs)
    whole, before = task.right(test_x, test_y), flops(task.test)

    layers = ["conv1_weights", "conv2_weights"]
    with tempfile.TemporaryDirectory() as folder:
        found = sensitivity(
            task.test, paddle.CPUPlace(), layers, lambda p: task.right(x[-1000:], y[-1000:], p),
            sensitivities_file=f"{folder}/sensitivities", pruned_ratios=[0.25, 0.5, 0.75],
        )  # fmt: skip
    ratios = get_ratios_by_loss(found, 0.25)
    print("filters to prune:", {name: f"{ratio:.0%}" for name, ratio in ratios.items()})

    scope, place = static.global_scope(), paddle.CPUPlace()
    names, shares = list(ratios), list(ratios.values())
    pruner = Pruner("l1_norm")
    small, _, _ = pruner.prune(task.train, scope, names, shares, place)
    small_test, _, _ = pruner.prune(task.test, scope, names, shares, place, only_graph=True)
    pruned, left = task.right(test_x, test_y, small_test), 100 * flops(small_test) / before

    task.rate.base_lr, task.rate.T_max = 1e-3, steps_of(x, tuning)
    task.rate.step(0)
    task.learn(x, y, tuning, small, seed=1)
    tuned = task.right(test_x, test_y, small_test)
    print(f"whole {whole:.2f}, pruned {pruned:.2f}, tuned {tuned:.2f}; "
          f"{left:.1f}% of the operations left; {time.time() - began:.0f} s")  # fmt: skip
    return whole, pruned, tuned, left


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="a tenth of the images")
    main(parser.parse_args().quick)
