"""QuantizeTranspiler of 1.x, and ImperativeCalcOutScale of 2.0."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle import fluid, nn, static
from paddle import quantization as q
from tests.quantization.nets import build, held, seen


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    with static.scope_guard(static.Scope()), paddle.utils.unique_name.guard():
        yield
    paddle.disable_static()


@pytest.mark.parametrize("kind", ["abs_max", "range_abs_max"])
def test_the_transpiler_gives_the_numbers_of_the_passes(kind: str) -> None:
    """1.8.5's numbers of the same net by its passes, but for AddQuantDequantPass, which moves."""
    paddle.enable_static()
    there, net = seen(f"185-{kind}"), build(of_1x=True)
    tool = fluid.contrib.QuantizeTranspiler(activation_quantize_type=kind)
    tool.training_transpile(net.main, net.startup)
    test = net.main.clone(for_test=True)
    exe = static.Executor()
    exe.run(net.startup)
    for name in net.weights:
        net.main.global_block().var(name).set_value(there[f"before/{name}"])
    losses = [
        exe.run(net.main, feed={"x": x, "y": y}, fetch_list=[net.loss])[0].item()
        for x, y in zip(there["x"][:3], there["y"], strict=False)
    ]
    np.testing.assert_allclose(losses, there["losses"], rtol=2e-2)
    feed = {"x": there["x"][3], "y": there["y"][3]}
    pruned = test._prune_with_input(["x"], [net.out])
    aware = exe.run(pruned, feed=feed, fetch_list=[net.out])[0]
    tool.freeze_program(pruned, paddle.CPUPlace())
    frozen = exe.run(pruned, feed=feed, fetch_list=[net.out])[0]
    np.testing.assert_allclose(frozen, aware, atol=1e-5)
    tool.convert_to_int8(pruned, paddle.CPUPlace())
    whole = [name for name in net.weights if f"{name}.int8" in pruned.global_block().vars]
    assert len(whole) == 4 and all(held(f"{name}.int8").dtype == np.int8 for name in whole)


def test_the_startup_program_gives_first_scales() -> None:
    paddle.enable_static()
    net = build(of_1x=True)
    tool = fluid.contrib.QuantizeTranspiler(activation_quantize_type="range_abs_max")
    tool.training_transpile(net.main, net.startup)
    with static.scope_guard(static.Scope()):  # none of these variables are there yet
        static.Executor().run(net.startup)
        x, y = np.ones([2, 1, 8, 8], "float32"), np.zeros([2, 1], "int64")
        out = static.Executor().run(net.main, feed={"x": x, "y": y}, fetch_list=[net.loss])[0]
        assert np.isfinite(out).all()


def test_bad_kinds() -> None:
    with pytest.raises(ValueError, match=r"activation_quantize_type\): expected one of"):
        fluid.contrib.QuantizeTranspiler(activation_quantize_type="KL")
    with pytest.raises(ValueError, match="from 2 to 16 bits"):
        fluid.contrib.QuantizeTranspiler(weight_bits=1)


@pytest.mark.parametrize("aware", [False, True])
def test_scales_of_results_are_saved(aware: bool, tmp_path: Path) -> None:
    paddle.seed(1)
    net = nn.Sequential(nn.Conv2D(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(72, 3))
    if aware:
        q.ImperativeQuantAware().quantize(net)
    watch = q.ImperativeCalcOutScale()
    watch.calc_out_scale(net)
    x = np.random.RandomState(0).randn(4, 1, 8, 8).astype("float32")
    net.train()
    state = accum = 1.0
    for k in (1, 2):
        conv = net[0](paddle.to_tensor(x * k)) if not aware else None
        net(paddle.to_tensor(x * k))
        if conv is not None:  # the layer was called twice
            for _ in range(2):
                state, accum = 0.9 * state + 1, 0.9 * accum + np.abs(conv.numpy()).max()
    path = str(tmp_path / "net")
    spec = [static.InputSpec([None, 1, 8, 8], "float32")]
    watch.save_quantized_model(net, path, spec)
    assert net.training
    paddle.enable_static()
    program = static.load_inference_model(path, static.Executor())[0]
    ops = {op.type: op for op in program.global_block().ops}
    found = {kind: op.attr("out_threshold") for kind, op in ops.items()
             if op.attrs.get("out_threshold")}  # fmt: skip
    assert "relu" in found and "moving_average_abs_max_scale" not in ops
    np.testing.assert_allclose(found["relu"], net[1]._out_scale._scale.item(), rtol=1e-6)
    if not aware:
        np.testing.assert_allclose(net[0]._out_scale._scale.item(), accum / state, rtol=1e-5)
    paddle.disable_static()
    again = paddle.jit.load(path)
    net.eval()
    np.testing.assert_allclose(
        again(paddle.to_tensor(x)).numpy(), net(paddle.to_tensor(x)).numpy(), atol=1e-5
    )


def test_out_scale_bad_input() -> None:
    with pytest.raises(TypeError, match="expected a Layer, but got int"):
        q.ImperativeCalcOutScale().calc_out_scale(3)
    with pytest.raises(ValueError, match=r"call calc_out_scale\(model\) first"):
        q.ImperativeCalcOutScale().save_quantized_model(nn.ReLU(), "nowhere")
    with pytest.raises(NotImplementedError, match="save_quantized_model"):
        q.ImperativeCalcOutScale().op_match("relu", [], {})


def test_training_with_rounding_saves_scales_of_results(tmp_path: Path) -> None:
    """As in 2.0, and also of a copy of the model; what saw no batch has none."""
    net = nn.Sequential(nn.Conv2D(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(72, 3))
    aware = q.ImperativeQuantAware()
    aware.quantize(net)
    spec = [static.InputSpec([None, 1, 8, 8], "float32")]
    aware.save_quantized_model(net, str(tmp_path / "first"), input_spec=spec)
    x = paddle.to_tensor(np.random.RandomState(0).randn(4, 1, 8, 8).astype("float32"))
    net(x)
    net.eval()
    seen = (0.9 + float(net[1](net[0](x)).max())) / 1.9
    aware.save_quantized_model(copy.deepcopy(net), str(tmp_path / "net"), input_spec=spec)
    paddle.enable_static()
    found = {}
    for name in ("first", "net"):
        program, _, _ = static.load_inference_model(str(tmp_path / name), static.Executor())
        ops = program.global_block().ops
        found[name] = {
            op.type: op.attr("out_threshold") for op in ops if op.has_attr("out_threshold")
        }
    assert found["first"] == {}
    assert set(found["net"]) == {"elementwise_add", "relu"}
    assert found["net"]["relu"] == pytest.approx(seen, rel=1e-2)
