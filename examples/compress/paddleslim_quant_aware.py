"""PaddleSlim: a Program learns with numbers rounded to 8 bits, is frozen, saved and loaded.

    python examples/compress/paddleslim_quant_aware.py [--quick]

Measured: accuracy 98.56 in floats; 98.67 with 8 bits after one epoch of tuning, and the same from
the saved files; three minutes of a core that is shared.

`quant_aware` puts rounding before each layer, `convert` makes of that a Program for inference.
Needs PaddleSlim 2.2.2 (docs/compression.md) and MNIST.
"""

import argparse
import tempfile
import time

import numpy as np
from mnist_programs import Task, digits, lenet, steps_of
from paddleslim.quant import convert, quant_aware

import paddle
from paddle import static

CONFIG = {
    "weight_quantize_type": "channel_wise_abs_max",
    "activation_quantize_type": "moving_average_abs_max",
    "quantize_op_types": ["conv2d", "depthwise_conv2d", "mul", "matmul_v2"],
}


def main(quick=False):
    """Returns the accuracies in floats, rounded before and after tuning, and from the files."""
    paddle.enable_static()
    began = time.time()
    x, y, test_x, test_y = digits(quick)
    epochs, tuning = 2, 1
    task = Task(lenet, steps_of(x, epochs))
    task.learn(x, y, epochs)
    whole = task.right(test_x, test_y)

    place = paddle.CPUPlace()
    rounded = quant_aware(task.train, place, CONFIG, for_test=False)
    rounded_test = quant_aware(task.test, place, CONFIG, for_test=True)
    task.rate.base_lr, task.rate.T_max = 2e-4, steps_of(x, tuning)
    task.rate.step(0)
    task.learn(x, y, tuning, rounded, seed=1)
    tuned = task.right(test_x, test_y, rounded_test)

    frozen = convert(rounded_test, place, CONFIG)
    with tempfile.TemporaryDirectory() as folder:
        block = frozen.global_block()
        feeds, fetches = [block.var("image")], [block.var(task.logits.name)]
        path = f"{folder}/int8"
        static.save_inference_model(path, feeds, fetches, task.exe, program=frozen)
        with static.scope_guard(static.Scope()):
            program, names, outs = static.load_inference_model(path, task.exe)
            answers = [
                task.exe.run(program, {names[0]: part}, outs)[0].argmax(1)
                for part in np.array_split(test_x, 10)
            ]
    served = float(100 * np.mean(np.concatenate(answers) == test_y[:, 0]))
    print(f"float {whole:.2f}; 8 bits {tuned:.2f}, from its files {served:.2f}; "
          f"{time.time() - began:.0f} s")  # fmt: skip
    return whole, tuned, served


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="a tenth of the images")
    main(parser.parse_args().quick)
