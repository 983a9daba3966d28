"""FLOPs, sizes and latencies."""

from __future__ import annotations

import pickle
from pathlib import Path

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
    import paddle
    from paddleslim.analysis import (
        LatencyPredictor,
        TableLatencyPredictor,
        get_key_from_op,
        save_cls_model,
    )
    from paddleslim.core import GraphWrapper

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
    table = {key: 2.0 for key in keys}
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
