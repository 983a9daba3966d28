"""PaddleSlim: a network of which narrower parts work too is trained once, and a part taken out.

    python examples/compress/paddleslim_ofa.py [--quick]

Measured: the whole network has 98.52; its part of half the width, which was not trained again,
96.03 with 30.7% of the operations; two and a half minutes of a core that is shared.

`supernet` says how narrow layers may become, `OFA` trains another part in each step with a loss
against the whole network, `export` makes a network of a part. Needs PaddleSlim 2.2.2
(docs/compression.md) and MNIST.
"""

import argparse
import time

import mnist_programs  # noqa: F401
import numpy as np
from digits import BATCH, accuracy, arrays, train
from paddleslim.analysis import dygraph_flops
from paddleslim.nas.ofa import OFA, DistillConfig, RunConfig, supernet
from paddleslim.nas.ofa.convert_super import Convert

import paddle
from paddle import nn
from paddle.nn import functional as F

SHAPE = [1, 1, 28, 28]


def network():
    """Convolutions with batch norms, two linear layers."""
    return nn.Sequential(
        nn.Conv2D(1, 8, 5, padding=2), nn.BatchNorm2D(8), nn.ReLU(), nn.MaxPool2D(2),
        nn.Conv2D(8, 16, 5, padding=2), nn.BatchNorm2D(16), nn.ReLU(), nn.MaxPool2D(2),
        nn.Flatten(), nn.Linear(16 * 49, 64), nn.ReLU(), nn.Linear(64, 10),
    )  # fmt: skip


def train_parts(net, x, y, epochs, rate):
    """Trains parts chosen by chance, each also against the whole network that was trained."""
    random = np.random.RandomState(0)
    falling = paddle.optimizer.lr.CosineAnnealingDecay(rate, T_max=epochs * (len(x) // BATCH))
    adam = paddle.optimizer.Adam(falling, parameters=net.parameters())
    net.train()
    for epoch in range(epochs):
        net.set_epoch(epoch)
        order = random.permutation(len(x))
        for i in range(len(x) // BATCH):
            at = order[i * BATCH : (i + 1) * BATCH]
            said, _ = net(paddle.to_tensor(x[at]))
            loss = F.cross_entropy(said, paddle.to_tensor(y[at])) + net.calc_distill_loss()
            loss.backward()
            adam.step()
            adam.clear_grad()
            falling.step()


def main(quick=False):
    """Returns the accuracies of the whole network and of a narrow part, and the part's cost."""
    paddle.seed(1)
    np.random.seed(1)
    began = time.time()
    x, y = arrays("train", count=6000 if quick else None)
    test = arrays("test", count=2000 if quick else None)
    origin = network()
    train(origin, x, y, 2, 2e-3)
    whole, before = accuracy(origin, *test), dygraph_flops(origin, SHAPE)

    config = supernet(expand_ratio=[0.5, 0.75, 1.0])
    copies = []
    for _ in range(2):  # the supernet, and the teacher that keeps its weights
        copy = network()
        copy.set_state_dict(origin.state_dict())
        copies.append(Convert(config).convert(copy))
    run = RunConfig(train_batch_size=BATCH, n_epochs=[[2]], total_images=len(x))
    distill = DistillConfig(
        lambda_distill=0.1, teacher_model=copies[1], mapping_layers=["11"], mapping_op=None
    )  # the last layer is compared as it is
    net = OFA(copies[0], run, distill_config=distill, elastic_order=["width"])
    train_parts(net, x, y, 2, 1e-3)

    net.eval()
    net.set_task("width")
    net(paddle.to_tensor(x[:2]))
    narrow = {
        name: {key: 0.5 if key == "expand_ratio" else value for key, value in choice.items()}
        for name, choice in net.get_current_config.items()
    }
    part = net.export(narrow, [SHAPE], ["float32"], origin_model=network())
    found, left = accuracy(part, *test), 100 * dygraph_flops(part, SHAPE) / before
    print(f"whole {whole:.2f}; a part of half the width {found:.2f}, with {left:.1f}% of the "
          f"operations; {time.time() - began:.0f} s")  # fmt: skip
    return whole, found, left


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="a tenth of the images")
    main(parser.parse_args().quick)
