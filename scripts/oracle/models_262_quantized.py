"""Quantised models saved by PaddlePaddle 2.6.2: `python models_262_quantized.py ROOT [NAME]`.

Run in scripts/oracle. A conv net quantised while it is trained (frozen, whole numbers as floats;
and with pairs of quantize_linear and dequantize_linear), and one after training by samples.
"""

from __future__ import annotations

import os
import sys
import tempfile

import models
from corpus import base, rng, write_values
from models import Models

import paddle
from paddle import static
from paddle.base.framework import IrGraph
from paddle.static import quantization as q

models.RELEASE = "2.6.2-quantized"
PLACE = paddle.CPUPlace()
CHANNELS = "channel_wise_abs_max"


def net(image):
    hidden = paddle.nn.functional.relu(static.nn.conv2d(image, 4, 3, padding=1, name="first"))
    hidden = static.nn.conv2d(hidden, 4, 3, groups=4, name="deep")
    hidden = paddle.nn.functional.relu(static.nn.batch_norm(hidden, name="norm"))
    hidden = paddle.nn.functional.max_pool2d(hidden, 2)
    return paddle.nn.functional.softmax(static.nn.fc(hidden, 5, name="last"))


def programs():
    paddle.seed(7)
    main, startup = static.Program(), static.Program()
    with base.unique_name.guard(), static.program_guard(main, startup):
        image = static.data("image", [None, 2, 8, 8])
        label = static.data("label", [None, 1], "int64")
        out = net(image)
        loss = paddle.mean(paddle.nn.functional.cross_entropy(out, label, use_softmax=False))
        test = main.clone(for_test=True)
        paddle.optimizer.SGD(0.05).minimize(loss)
    return main, test, startup, loss, out


def batch(i: int) -> dict:
    random = rng("quantized%d" % i)
    images = random.randn(4, 2, 8, 8).astype("float32")
    return {"image": images, "label": random.randint(0, 5, (4, 1)).astype("int64")}


def finish(folder: str, exe, program, out, model=None) -> dict:
    """Save the test Program, load it, and note what it gives."""
    prefix = os.path.join(folder, "model", "net")
    if model is None:
        image = program.global_block().var("image")
        static.save_inference_model(prefix, [image], [out], exe, program=program)
    else:
        model(prefix)
    feeds, expected = {}, {}
    with static.scope_guard(base.core.Scope()):
        loaded, names, fetches = static.load_inference_model(prefix, exe)
        for i in range(2):
            image = batch(10 + i)["image"] * (1 + i)
            feeds["%d/%s" % (i, names[0])] = image
            expected["%d/0" % i] = exe.run(loaded, {names[0]: image}, fetches)[0]
    write_values(folder, "feeds.npz", feeds)
    write_values(folder, "expected.npz", expected)
    return {
        "kind": "inference",
        "names": {"prefix": "model/net"},
        "runs": [{"method": "forward", "feeds": list(names)}] * 2,
    }


def aware(freeze, transform, more=None, activation="moving_average_abs_max", weight=CHANNELS):
    """Trained for three steps with quantisation; `freeze` changes the test Program then."""

    def fill(folder: str) -> dict:
        main, test, startup, loss, out = programs()
        exe, scope = static.Executor(PLACE), base.core.Scope()
        with static.scope_guard(scope):
            exe.run(startup)
            graphs = []
            for program, is_test in ((main, False), (test, True)):
                graph = IrGraph(base.core.Graph(program.desc), for_test=is_test)
                step = transform(
                    scope=scope,
                    place=PLACE,
                    activation_quantize_type=activation,
                    weight_quantize_type=weight,
                    is_test=is_test,
                )
                step.apply(graph)
                if more:
                    kinds = {"quantizable_op_type": ["pool2d"], "is_test": is_test}
                    more(scope=scope, place=PLACE, **kinds).apply(graph)
                graphs.append(graph)
            with base.unique_name.guard("scale"):
                q.OutScaleForTrainingPass(scope=scope, place=PLACE).apply(graphs[0])
            quantized = graphs[0].to_program()
            for i in range(3):
                exe.run(quantized, batch(i), [loss.name])
            freeze(scope, graphs[1], weight)
            return finish(folder, exe, graphs[1].to_program(), out)

    return fill


def unchanged(scope, graph, weight):
    pass


def frozen(scope, graph, weight):
    q.QuantizationFreezePass(scope, PLACE, weight_quantize_type=weight).apply(graph)


def linear(scope, graph, weight):
    q.QuantWeightPass(scope, PLACE).apply(graph)


def afterwards(linear_form):
    """Trained as usual, then quantised by the largest values of three batches."""

    def fill(folder: str) -> dict:
        main, test, startup, loss, out = programs()
        exe, scope = static.Executor(PLACE), base.core.Scope()
        with static.scope_guard(scope), tempfile.TemporaryDirectory() as place:
            exe.run(startup)
            for i in range(3):
                exe.run(main, batch(i), [loss.name])
            image, target = (test.global_block().var(n) for n in ("image", out.name))
            static.save_inference_model(place + "/net", [image], [target], exe, program=test)

            class Samples(paddle.io.Dataset):
                def __len__(self):
                    return 6

                def __getitem__(self, i):
                    return (batch(i)["image"][0],)

            loader = paddle.io.DataLoader(
                Samples(),
                feed_list=[image],
                places=[PLACE],
                batch_size=2,
                return_list=False,
            )
            files = {"model_filename": "net.pdmodel", "params_filename": "net.pdiparams"}
            tool = q.PostTrainingQuantization(
                executor=exe,
                model_dir=place,
                data_loader=loader,
                batch_size=2,
                batch_nums=3,
                algo="abs_max",
                quantizable_op_type=["conv2d", "depthwise_conv2d", "mul", "matmul_v2"],
                onnx_format=linear_form,
                scope=scope,
                **files,
            )
            tool.quantize()

            def model(prefix):
                tool.save_quantized_model(os.path.dirname(prefix), "net.pdmodel", "net.pdiparams")

            return finish(folder, exe, None, None, model)

    return fill


def write(found: Models) -> None:
    found.add("aware_frozen", aware(frozen, q.QuantizationTransformPass))
    found.add(
        "aware_frozen_whole",
        aware(frozen, q.QuantizationTransformPass, q.AddQuantDequantPass, weight="abs_max"),
    )
    found.add(
        "aware_frozen_range", aware(frozen, q.QuantizationTransformPass, activation="range_abs_max")
    )
    found.add(
        "aware_unfrozen", aware(unchanged, q.QuantizationTransformPass, q.AddQuantDequantPass)
    )
    found.add("aware_linear", aware(linear, q.QuantizationTransformPassV2, q.AddQuantDequantPassV2))
    found.add("after", afterwards(False))
    found.add("after_linear", afterwards(True))


if __name__ == "__main__":
    paddle.enable_static()
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    made = Models(*sys.argv[1:3])
    write(made)
    made.finish()
