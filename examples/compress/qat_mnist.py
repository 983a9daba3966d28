"""A network for digits trained on with rounded numbers, so that 8 bits cost it nothing.

    python examples/compress/qat_mnist.py [--net mobilenet] [--quick]

Measured: LeNet 98.34 in float, 98.47 tuned in float, 98.50 tuned in 8 bits, the same from its files
(80 s); a quarter of MobileNetV1 98.43, 98.50 and 98.44 (eight minutes of a core).

`ImperativeQuantAware` puts layers into the network that round weights and values as 8 bits will;
gradients pass through them. The float network is tuned for as long, for comparison. Needs MNIST
(`make mnist` fetches it).
"""

import argparse
import copy
import os
import tempfile
import time

from digits import SHAPES, TRAINING, accuracy, arrays, network, train

import paddle
from paddle.quantization import ImperativeQuantAware
from paddle.static import InputSpec


def main(net="lenet", quick=False):
    """Returns the accuracies: float, float tuned, quantised, and quantised from its files."""
    paddle.seed(1)
    began = time.time()
    x, y = arrays("train", net, 6000 if quick else None)
    test = arrays("test", net, 2000 if quick else None)
    model, (epochs, rate) = network(net), TRAINING[net]
    train(model, x, y, 1 if quick else epochs, rate)
    whole = accuracy(model, *test)

    tuned, aware = copy.deepcopy(model), copy.deepcopy(model)
    train(tuned, x, y, 1, 5e-4, seed=1)
    rounding = ImperativeQuantAware(weight_quantize_type="channel_wise_abs_max")
    rounding.quantize(aware)
    train(aware, x, y, 1, 5e-4, seed=1)
    plain, rounded = accuracy(tuned, *test), accuracy(aware, *test)

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "digits")
        rounding.save_quantized_model(aware, path, [InputSpec(SHAPES[net], "float32", "x")])
        served = accuracy(paddle.jit.load(path), *test)
    print(f"{net}: float {whole:.2f}, tuned {plain:.2f}; 8 bits {rounded:.2f}, from its files "
          f"{served:.2f}; {time.time() - began:.0f} s")  # fmt: skip
    return whole, plain, rounded, served


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--net", choices=list(SHAPES), default="lenet")
    parser.add_argument("--quick", action="store_true", help="a tenth of the images")
    given = parser.parse_args()
    main(given.net, given.quick)
