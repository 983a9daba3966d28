"""FLOPs, sizes and latencies."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np

from tests.slim.stories import CLASSES, SIDE, dynamic_net, static_net, story

SHAPE = [1, 3, SIDE, SIDE]
FULL, HALF = SIDE * SIDE, SIDE * SIDE // 4  # positions of the first layers, and after the stride


@story("analysis.flops", "flops", static=True)
def flops_of_a_program() -> None:
    from paddleslim.analysis import flops

    net = static_net(optimizer=False)
    convs = {
        "conv1_weights": FULL * 8 * 3 * 9.0, "conv2_weights": FULL * 8 * 8 * 9.0,
        "conv3_weights": HALF * 16 * 8 * 9.0,
    }  # fmt: skip
    total, found = flops(net.main, detail=True)
    head = 16 * CLASSES  # PaddleSlim counts the first two sizes of what goes in
    assert total == sum(convs.values()) + head
    assert {name: found[name] for name in convs} == convs
    assert flops(net.main, only_conv=False) > total


@story("analysis.dygraph_flops", "dygraph_flops", "analysis.flops")
def flops_of_a_layer() -> None:
    from paddleslim.analysis import dygraph_flops, flops

    net = dynamic_net()
    convs = FULL * 8 * 3 * 9.0 + FULL * 16 * 8 * 9.0
    assert dygraph_flops(net, SHAPE, only_conv=True) == flops(net, SHAPE) == convs
    assert flops(net, [[2, 3, SIDE, SIDE]]) == convs  # of one picture, whatever the batch
    rest = 2 * FULL * (8 + 16) + 4 * 16 * 4  # normalisation and relu, pooling of 2x2
    assert dygraph_flops(net, SHAPE, only_conv=False) == convs + rest
    _, found = flops(net, SHAPE, detail=True)
    assert found == {net[0].weight.name: FULL * 8 * 27.0, net[3].weight.name: FULL * 16 * 72.0}


@story("analysis.model_size", "model_size", static=True)
def size_of_a_program() -> None:
    from paddleslim.analysis import model_size

    net = static_net(optimizer=False)
    weights = 8 * 27 + 8 * 72 + 16 * 72
    norms = 4 * (8 + 8 + 16)  # scale, bias, mean, variance
    assert model_size(net.main) in (
        weights + norms + 64 * CLASSES + CLASSES,
        weights + norms // 2 + 64 * CLASSES + CLASSES,
    )


@story("analysis.LatencyEvaluator", "analysis.TableLatencyEvaluator", static=True)
def latency_out_of_a_table() -> None:
    from paddleslim.analysis import LatencyEvaluator, TableLatencyEvaluator
    from paddleslim.core import GraphWrapper

    net = static_net(optimizer=False)
    test = net.main.clone(for_test=True)
    test.global_block().var("image").shape = (1, 3, SIDE, SIDE)
    graph = GraphWrapper(test)
    graph.infer_shape()
    rows = [",".join(map(str, op)) for op in LatencyEvaluator()._get_ops_from_graph(graph, True)]
    assert len(rows) >= 3 and len({row for row in rows if row.startswith("conv")}) == 3
    lines = ["engine\tdevice\tnow"] + [
        f"{row}\t{i + 1}" for i, row in enumerate(dict.fromkeys(rows))
    ]
    Path("table.txt").write_text("\n".join(lines) + "\n")
    evaluator = TableLatencyEvaluator("table.txt")
    known = {row: i + 1 for i, row in enumerate(dict.fromkeys(rows))}
    assert evaluator.latency(test) == sum(known[row] for row in rows)
    assert evaluator.infer_engine_name == "engine" and evaluator.device_name == "device"


@story("analysis.LatencyPredictor", "analysis.TableLatencyPredictor", "analysis.get_key_from_op",
       "analysis.save_cls_model", not_before="2.2.0")  # fmt: skip
def latency_of_an_optimised_model() -> None:
    """The tool that optimises is one of Lite's; here a script copies the model instead."""
    from paddleslim.analysis import (
        LatencyPredictor,
        TableLatencyPredictor,
        get_key_from_op,
        save_cls_model,
    )
    from paddleslim.core import GraphWrapper

    import paddle

    net = dynamic_net()
    net.eval()
    model_file, params_file = save_cls_model(net, SHAPE, "saved", "fp32")
    assert Path(model_file).is_file() and Path(params_file).is_file()
    exe = paddle.static.Executor()
    paddle.enable_static()
    program, *_ = paddle.static.load_inference_model("saved/fp32model", exe)
    keys = [get_key_from_op(op) for op in GraphWrapper(program).ops()]
    keys = [key for key in keys if key]
    assert len(keys) >= 5
    paddle.disable_static()
    table = dict.fromkeys(keys, 2.0)
    Path("845_threads_4_power_mode_3_batchsize_1.pkl").write_bytes(pickle.dumps(table))
    tool = Path("opt.sh")
    tool.write_text(
        '#!/bin/sh\nfor a in "$@"; do case $a in --model_file=*) m=${a#*=};; '
        "--optimize_out=*) o=${a#*=};; esac; done\n" + 'cp "$m" "$o/model"\n'
    )
    tool.chmod(0o755)
    predictor = TableLatencyPredictor(f"{tool.resolve()}")
    assert isinstance(predictor, LatencyPredictor)
    found = predictor.predict_latency(net, SHAPE, "saved", "fp32", "cls")
    paddle.disable_static()
    assert found == 2.0 * len(keys)


@story("analysis.save_det_model", not_before="2.2.0")
def a_detector_is_saved() -> None:
    """Detectors take a dict: an image alone, or with its size and its scale."""
    from paddleslim.analysis import save_det_model

    import paddle

    class Detector(paddle.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.net = dynamic_net()

        def forward(self, inputs):
            found = self.net(inputs["image"])
            if "scale_factor" in inputs:
                return found * paddle.sum(inputs["scale_factor"] * inputs["im_shape"])
            return found

    image, ones = np.ones(SHAPE, "float32"), np.ones([1, 2], "float32")
    for more in (False, True):
        for kind in ("fp32", "int8"):
            net = Detector()
            net.eval()
            expected = net.net(paddle.to_tensor(image)).numpy() * (2 if more else 1)
            files = save_det_model(net, SHAPE, f"det_{kind}_{more}", kind, det_multi_input=more)
            feed = {"image": image, "im_shape": ones, "scale_factor": ones}
            found = _answer(*files, feed)
            far = np.abs(found - expected).max() / np.abs(expected).max()
            assert far < (1e-5 if kind == "fp32" else 0.3), (kind, more, far)


@story("analysis.save_seg_model", not_before="2.2.0")
def a_segmenter_is_saved() -> None:
    from paddleslim.analysis import save_seg_model

    import paddle

    image = np.ones(SHAPE, "float32")
    for kind in ("fp32", "int8"):
        net = paddle.nn.Sequential(*list(dynamic_net())[:4])  # a map goes in, a map comes out
        net.eval()
        for _ in range(2):
            expected = net(paddle.to_tensor(image)).numpy()
        files = save_seg_model(net, SHAPE, f"seg_{kind}", kind)
        found = _answer(*files, image)
        assert found.shape == expected.shape == (1, 16, SIDE, SIDE)
        assert kind == "int8" or np.abs(found - expected).max() < 1e-5


def _answer(model: str, params: str, feed):
    """What a saved model says; an array is fed to its only input."""
    import paddle

    assert Path(model).is_file() and Path(params).is_file()
    paddle.enable_static()
    exe = paddle.static.Executor()
    with paddle.static.scope_guard(paddle.static.Scope()):
        path = model.removesuffix(".pdmodel")
        program, names, fetches = paddle.static.load_inference_model(path, exe)
        given = feed if isinstance(feed, dict) else {names[0]: feed}
        found = exe.run(program, {name: given[name] for name in names}, fetches)[0]
    paddle.disable_static()
    return found
