"""A trained network for digits quantised to 8 bits with 128 images and no training.

    python examples/compress/ptq_mnist.py [--net mobilenet] [--quick]

Measured: LeNet 98.34 in float, 98.33 and 98.37 in 8 bits (20 s); a quarter of MobileNetV1 98.43 in
float after six epochs, 98.44 and 98.39 in 8 bits (six minutes of a core).

The network sees some images, which gives the scales of its values; each channel of a weight gets a
scale of its own. Two ways to find the scales are compared: the largest value, and what all but a
few values stay below. Needs MNIST (`make mnist` fetches it).
"""

import argparse
import os
import tempfile
import time

import numpy as np
from digits import SHAPES, TRAINING, accuracy, arrays, network, train

import paddle
from paddle.quantization import (
    AbsmaxQuantizer,
    HistQuantizer,
    ImperativePTQ,
    PerChannelAbsmaxQuantizer,
    PTQConfig,
)
from paddle.static import InputSpec

WAYS = {"abs_max": AbsmaxQuantizer, "hist": HistQuantizer}


def main(net="lenet", quick=False):
    """Returns the accuracy of the whole network, and of the quantised one for each way."""
    paddle.seed(1)
    began = time.time()
    x, y = arrays("train", net, 6000 if quick else None)
    test = arrays("test", net, 2000 if quick else None)
    model, (epochs, rate) = network(net), TRAINING[net]
    train(model, x, y, 1 if quick else epochs, rate)
    whole = accuracy(model, *test)

    found = {}
    for name, values in WAYS.items():
        ptq = ImperativePTQ(PTQConfig(values(), PerChannelAbsmaxQuantizer()))
        watched = ptq.quantize(model)
        for part in np.split(x[:128], 4):
            watched(paddle.to_tensor(part))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "digits")
            ptq.save_quantized_model(watched, path, [InputSpec(SHAPES[net], "float32", "x")])
            found[name] = accuracy(paddle.jit.load(path), *test)
    shown = ", ".join(f"{name} {value:.2f}" for name, value in found.items())
    print(f"{net}: float {whole:.2f}; 8 bits: {shown}; {time.time() - began:.0f} s")
    return whole, found


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--net", choices=list(SHAPES), default="lenet")
    parser.add_argument("--quick", action="store_true", help="a tenth of the images")
    given = parser.parse_args()
    main(given.net, given.quick)
