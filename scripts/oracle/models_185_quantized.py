"""Quantised models saved by PaddlePaddle 1.8.5: `python models_185_quantized.py ROOT [NAME]`.

A conv net quantised while it is trained, then frozen. The release is called 1.8.5-quantized in the
index, so that the corpus of 1.8.5 stays as it is.
"""

from __future__ import annotations

import os
import sys

import models
from corpus import rng, write_values
from models import Models

import paddle.fluid as fluid
from paddle.fluid.contrib.slim import quantization as q
from paddle.fluid.framework import IrGraph

models.RELEASE = "1.8.5-quantized"
PLACE = fluid.CPUPlace()


def net(image):
    layers = fluid.layers
    hidden = layers.conv2d(image, 4, 3, padding=1, act="relu", param_attr="first.w")
    hidden = layers.conv2d(hidden, 4, 3, groups=4, use_cudnn=False, param_attr="deep.w")
    hidden = layers.batch_norm(hidden, act="relu", name="norm")
    hidden = layers.pool2d(hidden, 2, "max", 2)
    return layers.fc(hidden, 5, act="softmax", param_attr="last.w")


def programs():
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 7
    with fluid.unique_name.guard(), fluid.program_guard(main, startup):
        image = fluid.data("image", [None, 2, 8, 8])
        label = fluid.data("label", [None, 1], "int64")
        out = net(image)
        loss = fluid.layers.mean(fluid.layers.cross_entropy(out, label))
        test = main.clone(for_test=True)
        fluid.optimizer.SGD(0.05).minimize(loss)
    return main, test, startup, loss, out


def batch(i):
    random = rng("quantized%d" % i)
    images = random.randn(4, 2, 8, 8).astype("float32")
    return {"image": images, "label": random.randint(0, 5, (4, 1)).astype("int64")}


def aware(activation, weight, more=False):
    """Trained for three steps with quantisation; the weights are whole numbers afterwards."""

    def fill(folder):
        main, test, startup, loss, out = programs()
        exe, scope = fluid.Executor(PLACE), fluid.core.Scope()
        kinds = {"activation_quantize_type": activation, "weight_quantize_type": weight}
        with fluid.scope_guard(scope):
            exe.run(startup)
            graphs = []
            for program, is_test in ((main, False), (test, True)):
                graph = IrGraph(fluid.core.Graph(program.desc), for_test=is_test)
                q.QuantizationTransformPass(scope=scope, place=PLACE, window_size=2, **kinds).apply(
                    graph
                )
                if more:
                    q.AddQuantDequantPass(scope=scope, place=PLACE).apply(graph)
                graphs.append(graph)
            trained = graphs[0].to_program()
            for i in range(3):
                exe.run(trained, batch(i), [loss.name])
            q.QuantizationFreezePass(scope, PLACE, weight_quantize_type=weight).apply(graphs[1])
            program = graphs[1].to_program()
            target = [program.global_block().var(out.name)]
            path = os.path.join(folder, "model")
            fluid.io.save_inference_model(path, ["image"], target, exe, program)
        feeds, expected = {}, {}
        with fluid.scope_guard(fluid.core.Scope()):
            program, _, fetches = fluid.io.load_inference_model(path, exe)
            for i in range(2):
                image = batch(10 + i)["image"] * (1 + i)
                feeds["%d/image" % i] = image
                expected["%d/0" % i] = exe.run(program, {"image": image}, fetches)[0]
        write_values(folder, "feeds.npz", feeds)
        write_values(folder, "expected.npz", expected)
        runs = [{"method": "forward", "feeds": ["image"]}] * 2
        return {"kind": "inference", "names": {"dirname": "model"}, "runs": runs}

    return fill


def write(found):
    found.add("aware", aware("moving_average_abs_max", "channel_wise_abs_max", True))
    found.add("aware_range", aware("range_abs_max", "abs_max"))
    found.add("aware_abs_max", aware("abs_max", "abs_max"))


if __name__ == "__main__":
    made = Models(*sys.argv[1:3])
    write(made)
    made.finish()
