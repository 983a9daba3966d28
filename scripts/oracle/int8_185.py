"""An int8 Program for oneDNN by PaddlePaddle 1.8.5: `python int8_185.py MODEL FOLDER`.

MODEL is `aware/model` out of tests/data/models/1.8.5-quantized.zip; FOLDER, zipped, is
tests/data/inference/1.8.5_onednn_int8.zip. 1.8.5 itself cannot run it on CPUs of today.
"""

from __future__ import annotations

import sys

import paddle.fluid as fluid
from paddle.fluid import core
from paddle.fluid.contrib.slim import quantization as q
from paddle.fluid.framework import IrGraph

KINDS = {"conv2d", "depthwise_conv2d", "fc", "pool2d"}


def write(source: str, target: str) -> None:
    place = fluid.CPUPlace()
    exe, scope = fluid.Executor(place), core.Scope()
    with fluid.scope_guard(scope):
        program, feeds, fetches = fluid.io.load_inference_model(source, exe)
        graph = IrGraph(core.Graph(program.desc), for_test=True)
        step = q.Qat2Int8MkldnnPass(KINDS, _scope=scope, _place=place, _core=core)
        made = step.apply(graph).to_program()
        outs = [made.global_block().var(f.name) for f in fetches]
        fluid.io.save_inference_model(target, feeds, outs, exe, made)


if __name__ == "__main__":
    write(*sys.argv[1:3])
