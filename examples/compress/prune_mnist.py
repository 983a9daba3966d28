"""Half the operations of a network for digits pruned away, then one epoch of tuning.

    python examples/compress/prune_mnist.py [--net mobilenet] [--quick]

Measured (LeNet): accuracy 98.56; 80.67 with 48.0% of the operations and 25.4% of the parameters
left; 98.39 after one epoch of tuning; two minutes of a core that is shared. A quarter of
MobileNetV1, trained to 98.43 in six epochs, had 97.73 with half its operations after that epoch.

Which channels go is decided by what each layer's channels are worth (`sensitivity`), so that the
accuracy falls little even before tuning. Needs MNIST (`make mnist` fetches it).
"""

import argparse
import time

from digits import SHAPES, accuracy, arrays, network, train

import paddle
from paddle.incubate import compress


def main(net="lenet", quick=False):
    """Returns the accuracies of the whole, the pruned and the tuned network, and what was done."""
    paddle.seed(1)
    began = time.time()
    x, y = arrays("train", net, 6000 if quick else None)
    test = arrays("test", net, 2000 if quick else None)
    model, epochs = network(net), 1 if quick else 3
    train(model, x, y, epochs, 2e-3)
    whole = accuracy(model, *test)

    held_out = x[-2000:], y[-2000:]
    table = compress.sensitivity(
        model, lambda m: accuracy(m, *held_out), [0.2, 0.4, 0.6, 0.8], inputs=SHAPES[net]
    )
    print(table)
    done = compress.prune(model, flops=0.5, inputs=SHAPES[net], sensitivity=table)
    print(done)
    pruned = accuracy(model, *test)

    train(model, x, y, 1, 2e-3, seed=1)
    tuned = accuracy(model, *test)
    print(f"{net}: whole {whole:.2f}, pruned {pruned:.2f}, tuned {tuned:.2f}; "
          f"{done.left:.1%} of the operations left; {time.time() - began:.0f} s")  # fmt: skip
    return whole, pruned, tuned, done


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--net", choices=list(SHAPES), default="lenet")
    parser.add_argument("--quick", action="store_true", help="a tenth of the images")
    given = parser.parse_args()
    main(given.net, given.quick)
