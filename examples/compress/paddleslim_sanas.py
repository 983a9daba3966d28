"""PaddleSlim: simulated annealing looks for a network for digits within a budget of operations.

    python examples/compress/paddleslim_sanas.py [--quick]

Measured: within a budget of 400,000 operations, the best of twenty networks has the widths 4, 12,
128 and 98.47 with 266,240 operations; two and a half minutes of a core that is shared.

`SANAS` proposes tokens, a space of our own makes networks of them. Each is trained for a moment and
its accuracy is the reward; what costs more than the budget gets none. `SANAS` opens a server on
this machine, so that several processes could search together. Needs PaddleSlim 2.2.2
(docs/compression.md) and MNIST.
"""

import argparse
import socket
import time

import numpy as np
from mnist_programs import Task, digits, steps_of
from paddleslim.analysis import flops
from paddleslim.nas import SANAS, SEARCHSPACE, SearchSpaceBase

import paddle
from paddle import static
from paddle.nn import functional as F

WIDTHS, KERNELS, HIDDEN = (2, 4, 6, 8, 12, 16), (3, 5), (16, 32, 64, 128)
BUDGET = 400_000


@SEARCHSPACE.register
class DigitsSpace(SearchSpaceBase):
    """Widths and kernels of two convolutions, and the width of a linear layer."""

    def __init__(self, input_size, output_size, block_num, block_mask=None):
        super().__init__(input_size, output_size, block_num, block_mask)

    def init_tokens(self):
        """Where the search begins: small."""
        return [1, 0, 1, 0, 0]

    def range_table(self):
        """How many choices there are for each token."""
        return [len(WIDTHS), len(KERNELS), len(WIDTHS), len(KERNELS), len(HIDDEN)]

    def token2arch(self, tokens=None):
        """A function of image and label that builds the network."""
        a, ka, b, kb, hidden = tokens or self.init_tokens()

        def build(image, label):
            x = image
            for width, kernel in ((WIDTHS[a], KERNELS[ka]), (WIDTHS[b], KERNELS[kb])):
                x = static.nn.conv2d(x, width, kernel, padding=kernel // 2, bias_attr=False)
                x = F.max_pool2d(F.relu(static.nn.batch_norm(x)), 2, 2)
            logits = static.nn.fc(static.nn.fc(x, HIDDEN[hidden], activation="relu"), 10)
            loss = F.cross_entropy(logits, label)
            return logits, loss, paddle.metric.accuracy(F.softmax(logits), label)

        return build


def free_port():
    """A port nobody listens to."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main(quick=False):
    """Returns the best network's tokens, operations, and accuracy when it has been trained."""
    paddle.enable_static()
    paddle.seed(1)
    np.random.seed(1)
    began = time.time()
    x, y, test_x, test_y = digits(quick)
    few = x[:4000], y[:4000]
    search = SANAS(
        [("DigitsSpace", {"input_size": 28, "output_size": 7, "block_num": 2})],
        server_addr=("127.0.0.1", free_port()), init_temperature=1.0, reduce_rate=0.85,
        save_checkpoint=None, is_server=True,
        search_steps=100,  # more than we ask for: the server ends with the last
    )  # fmt: skip
    for _ in range(4 if quick else 20):
        (build,) = search.next_archs()
        task = Task(build, steps_of(few[0], 1), 5e-3)
        if flops(task.test) > BUDGET:
            search.reward(0.0)
            continue
        task.learn(*few, 1)
        search.reward(task.right(x[-2000:], y[-2000:]) / 100)
    found = search.current_info()
    (build,) = search.tokens2arch(found["best_tokens"])
    best = Task(build, steps_of(x, 2))
    best.learn(x, y, 2)
    cost, accuracy = int(flops(best.test)), best.right(test_x, test_y)
    print(f"best {found['best_tokens']} ({cost:,} operations) {accuracy:.2f}; "
          f"{time.time() - began:.0f} s")  # fmt: skip
    return found["best_tokens"], cost, accuracy


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="a tenth of the images")
    main(parser.parse_args().quick)
