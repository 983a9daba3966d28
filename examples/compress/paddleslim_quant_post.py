"""PaddleSlim: a saved model gets 8 bits, with a few images and with none.

    python examples/compress/paddleslim_quant_post.py [--quick]

Measured: accuracy 98.56 in floats; with 8 bits 98.59 by `hist`, 98.54 by `KL`, 98.58 by `mse`; with
weights of 8 bits alone 98.60, in a file of a quarter of the size; two minutes of a shared core.

`quant_post_static` looks at what layers compute for some images and rounds everything,
`quant_post_dynamic` only stores weights in 8 bits. Needs PaddleSlim 2.2.2 (docs/compression.md) and
MNIST.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from mnist_programs import Task, digits, lenet, steps_of
from paddleslim.quant import quant_post_dynamic, quant_post_static

import paddle
from paddle import static

FILES = {"model_filename": "model", "params_filename": "params"}


def right(exe, folder, x, y):
    """How many answers of a saved model are right, in points."""
    with static.scope_guard(static.Scope()):
        program, feeds, fetches = static.load_inference_model(
            str(folder), exe, model_filename="model", params_filename="params"
        )
        parts = np.array_split(x, 10)
        found = [exe.run(program, {feeds[0]: part}, fetches)[0].argmax(1) for part in parts]
    return float(100 * np.mean(np.concatenate(found) == y[:, 0]))


def main(quick=False):
    """Returns the accuracies: in floats, by each algorithm, with weights of 8 bits."""
    paddle.enable_static()
    began = time.time()
    x, y, test_x, test_y = digits(quick)
    task = Task(lenet, steps_of(x, 2))
    task.learn(x, y, 2)

    def images():
        for image in x[:256]:
            yield (image,)

    with tempfile.TemporaryDirectory() as home:
        whole = Path(home) / "whole"
        logits = task.test.global_block().var(task.logits.name)
        paddle.fluid.io.save_inference_model(
            str(whole), ["image"], [logits], task.exe, task.test, **FILES
        )
        found = {"float": right(task.exe, whole, test_x, test_y)}
        for algo in ("hist", "KL", "mse"):
            made = Path(home) / algo
            quant_post_static(
                task.exe, str(whole), str(made), sample_generator=images, batch_size=32,
                batch_nums=8, algo=algo, save_model_filename="model",
                save_params_filename="params", **FILES,
            )  # fmt: skip
            found[algo] = right(task.exe, made, test_x, test_y)
        small = Path(home) / "small"
        quant_post_dynamic(
            str(whole), str(small), save_model_filename="model", save_params_filename="params",
            weight_bits=8, generate_test_model=True, **FILES,
        )  # fmt: skip
        found["weights"] = right(task.exe, small / "test_model", test_x, test_y)
        sizes = [
            (small / "quantized_model/params").stat().st_size,
            (whole / "params").stat().st_size,
        ]
    print(f"float {found['float']:.2f}; 8 bits: hist {found['hist']:.2f}, KL {found['KL']:.2f}, "
          f"mse {found['mse']:.2f}; weights alone {found['weights']:.2f}, their file "
          f"{sizes[0] / sizes[1]:.0%}; {time.time() - began:.0f} s")  # fmt: skip
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="a tenth of the images")
    main(parser.parse_args().quick)
