"""Asks PaddlePaddle 2.6.2 about models in the form of ONNX: quantises one, and runs one of ours.

    PYTHON_OF_262 scripts/oracle/quantization_linear_262.py make FOLDER
    PYTHON_OF_262 scripts/oracle/quantization_linear_262.py run MODEL

``make`` quantises the model of tests/quantization/data/ptq-262 with ``onnx_format=True`` and saves
it with what it computes (``seen.npz``); tests/quantization/data/linear-262 was made so. ``run``
prints what a model, given as the prefix of its files, computes for the same data.
"""

import os
import sys

import numpy as np

import paddle
from paddle import static
from paddle.static.quantization import PostTrainingQuantization

DATA = os.path.join(os.path.dirname(__file__), "../../tests/quantization/data/ptq-262")
FILES = {"model_filename": "model.pdmodel", "params_filename": "model.pdiparams"}


class Rows(paddle.io.Dataset):
    def __init__(self, x):
        self.x = x

    def __len__(self):
        return len(self.x)

    def __getitem__(self, at):
        return (self.x[at],)


def make(folder, x):
    exe = static.Executor(paddle.CPUPlace())
    given = static.data("x", [None, *x.shape[1:]], "float32")
    loader = paddle.io.DataLoader(
        Rows(x), feed_list=[given], batch_size=8, return_list=False, places=paddle.CPUPlace()
    )
    ptq = PostTrainingQuantization(
        exe, DATA, **FILES, data_loader=loader, algo="abs_max", onnx_format=True,
        quantizable_op_type=["conv2d", "depthwise_conv2d", "mul", "matmul_v2"],
    )  # fmt: skip
    ptq.quantize()
    ptq.save_quantized_model(folder, **FILES)
    np.savez_compressed(os.path.join(folder, "seen.npz"), x=x, out=run(folder + "/model", x))


def run(prefix, x):
    exe = static.Executor(paddle.CPUPlace())
    with static.scope_guard(static.Scope()):
        program, feeds, fetches = static.load_inference_model(prefix, exe)
        return exe.run(program, feed={feeds[0]: x}, fetch_list=fetches)[0]


if __name__ == "__main__":
    paddle.enable_static()
    images = np.load(os.path.join(DATA, "seen.npz"))["x"]
    if sys.argv[1] == "make":
        make(sys.argv[2], images)
    else:
        np.set_printoptions(threshold=10000, precision=7)
        print(run(sys.argv[2], images).ravel().tolist())
