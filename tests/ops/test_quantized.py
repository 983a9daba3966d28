"""Quantised nets as Programs: trained for a step, frozen, saved; gradients through rounding."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.core.op import C
from tests.op_samples.quantization.fake_quantize import each

F = "float32"
RATE = 0.05


@pytest.fixture(autouse=True)
def _static() -> Iterator[None]:
    paddle.enable_static()
    with (
        static.scope_guard(static.Scope()),
        static.program_guard(static.Program(), static.Program()),
    ):
        yield
    paddle.disable_static()


@pytest.fixture
def exe() -> static.Executor:
    return static.Executor(paddle.CPUPlace())


def block() -> Any:
    return static.default_main_program().global_block()


def stored(name: str, value: Any) -> Any:
    """A persistable variable that begins with a value."""
    value = np.asarray(value, F)
    var = block().create_var(name=name, shape=value.shape, dtype=F, persistable=True)
    var.stop_gradient = True
    scope = static.global_scope()
    scope.var(name).get_tensor().set(value, paddle.CPUPlace())
    return var


def parameter(name: str, value: Any) -> Any:
    value = np.asarray(value, F)
    assign = paddle.nn.initializer.Assign(value)
    return static.create_parameter(list(value.shape), F, name=name, default_initializer=assign)


def append(kind: str, inputs: dict, outputs: dict, attrs: dict | None = None) -> Any:
    """Appends an operator; a name among the outputs becomes a new variable. Returns the first."""
    made = {
        slot: v if not isinstance(v, str) else block().create_var(name=v, dtype=F)
        for slot, v in outputs.items()
    }
    as_lists = [
        {slot: v if isinstance(v, list) else [v] for slot, v in d.items()} for d in (inputs, made)
    ]
    block().append_op(type=kind, inputs=as_lists[0], outputs=as_lists[1], attrs=attrs or {})
    return next(iter(made.values()))


def held(name: str) -> np.ndarray:
    return np.array(static.global_scope().find_var(name).get_tensor())


def conv(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))
    return np.einsum("ncyxhw,ochw->noyx", windows, w)


RANDOM = np.random.RandomState(11)
X = RANDOM.uniform(-2, 2, (3, 2, 5, 5)).astype(F)
FILTER = RANDOM.uniform(-1, 1, (4, 2, 3, 3)).astype(F)
OUTER = RANDOM.uniform(-1, 1, (36, 2)).astype(F)


def training_net() -> Any:
    """Activations by moving averages, the filter by channel, the matrix by its largest value."""
    x = static.data("x", [-1, 2, 5, 5], F)
    w, v = parameter("filter", FILTER), parameter("outer", OUTER)
    names = {slot: stored(f"in.{slot}", [1.0]) for slot in ("InScale", "InAccum", "InState")}
    state = {"Out" + slot[2:]: var for slot, var in names.items()}
    x = append(
        "fake_quantize_dequantize_moving_average_abs_max",
        {"X": x, **names},
        {"Out": "x.quantized", **state},
        {"bit_length": 8, "moving_rate": 0.9},
    )
    w = append(
        "fake_channel_wise_quantize_dequantize_abs_max",
        {"X": w},
        {"Out": "filter.quantized", "OutScale": "filter.scale"},
    )
    v = append(
        "fake_quantize_dequantize_abs_max",
        {"X": v},
        {"Out": "outer.quantized", "OutScale": "outer.scale"},
        {"bit_length": 6},
    )
    out = append("conv2d", {"Input": x, "Filter": w}, {"Output": "convolved"})
    observed = {slot: stored(f"out.{slot}", [1.0]) for slot in ("InAccum", "InState")}
    out = append(
        "moving_average_abs_max_scale",
        {"X": out, **observed},
        {
            "Out": "observed",
            "OutScale": stored("out.scale", [0.0]),
            "OutAccum": observed["InAccum"],
            "OutState": observed["InState"],
        },
    )
    return paddle.matmul(paddle.reshape(out, [-1, 36]), v)


def expected_forward(scale: float) -> dict[str, np.ndarray]:
    """All values of the net, where activations are quantised by a scale."""
    x = each(X, np.array([scale]), 8, True)
    w = each(FILTER, np.abs(FILTER).max((1, 2, 3)), 8, True, 0)
    v = each(OUTER, np.abs(OUTER).max(keepdims=True).reshape(1), 6, True)
    hidden = conv(x, w)
    return {"x": x, "v": v, "hidden": hidden, "out": hidden.reshape(-1, 36) @ v}


def test_a_step_of_training(exe: Any) -> None:
    """Gradients pass the rounding unchanged; averages and weights move as by hand."""
    out = training_net()
    loss = paddle.mean(out * out)
    tested = static.default_main_program().clone(for_test=True)
    paddle.optimizer.SGD(RATE).minimize(loss)
    exe.run(static.default_startup_program())
    found, value = exe.run(feed={"x": X}, fetch_list=[out, loss])

    most = np.abs(X).max()
    net = expected_forward((0.9 + most) / 1.9)
    np.testing.assert_allclose(found, net["out"], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(value, [np.mean(net["out"] ** 2)], rtol=1e-4)
    np.testing.assert_allclose(held("in.InState"), [1.9], rtol=1e-6)
    np.testing.assert_allclose(held("in.InAccum"), [0.9 + most], rtol=1e-6)
    np.testing.assert_allclose(held("in.InScale"), [(0.9 + most) / 1.9], rtol=1e-6)
    np.testing.assert_allclose(
        held("out.scale"), [(0.9 + np.abs(net["hidden"]).max()) / 1.9], rtol=1e-5
    )

    d_out = 2 * net["out"] / net["out"].size
    d_outer = net["hidden"].reshape(-1, 36).T @ d_out
    d_hidden = (d_out @ net["v"].T).reshape(net["hidden"].shape)
    windows = np.lib.stride_tricks.sliding_window_view(net["x"], (3, 3), (2, 3))
    d_filter = np.einsum("noyx,ncyxhw->ochw", d_hidden, windows)
    np.testing.assert_allclose(held("outer"), OUTER - RATE * d_outer, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(held("filter"), FILTER - RATE * d_filter, rtol=1e-4, atol=1e-5)

    before = {n: held(n) for n in ("in.InScale", "in.InAccum", "in.InState", "out.scale")}
    exe.run(tested, feed={"x": 3 * X}, fetch_list=[out.name])
    for name, value in before.items():
        np.testing.assert_array_equal(held(name), value, err_msg=name)


def test_what_lies_outside_of_the_scale_has_a_gradient_too() -> None:
    """PaddlePaddle's estimator: 1 everywhere, also where values are cut off."""
    paddle.disable_static()
    x = paddle.to_tensor(np.array([-5.0, -0.3, 0.2, 7.0], F), stop_gradient=False)
    out = C.fake_quantize_dequantize_moving_average_abs_max(
        x, paddle.to_tensor([1.0]), None, None, is_test=True
    )
    np.testing.assert_allclose(out.numpy(), np.array([-127, -38, 25, 127]) / 127, rtol=1e-6)
    out.backward(paddle.to_tensor(np.array([1.0, 2.0, 3.0, 4.0], F)))
    np.testing.assert_array_equal(x.grad.numpy(), [1, 2, 3, 4])


def frozen_net() -> Any:
    """As a Program of 1.x is saved: whole numbers are multiplied, the result is scaled back."""
    scales = np.abs(FILTER).max((1, 2, 3))
    x = static.data("x", [-1, 2, 5, 5], F)
    w = stored("filter.int8", each(FILTER, scales, 8, False, 0))
    scale = stored("in.scale", [1.5])
    numbers = append(
        "fake_quantize_moving_average_abs_max",
        {"X": x, "InScale": scale},
        {"Out": "x.numbers", "OutScale": scale},
        {"is_test": True},
    )
    product = append("conv2d", {"Input": numbers, "Filter": w}, {"Output": "product"})
    hidden = append(
        "fake_channel_wise_dequantize_max_abs",
        {"X": product, "Scales": [stored("filter.scales", scales), scale]},
        {"Out": "hidden"},
        {"quant_bits": [8, 8]},
    )
    most = np.abs(OUTER).max().reshape(1)
    v = append(
        "fake_dequantize_max_abs",
        {"X": stored("outer.int6", each(OUTER, most, 6, False)), "Scale": stored("most", most)},
        {"Out": "outer"},
        {"max_range": 31.0},
    )
    return x, paddle.matmul(paddle.reshape(hidden, [-1, 36]), v)


def linear_net() -> Any:
    """As 2.6 saves it: pairs of operators that quantise and dequantise, weights in bytes."""
    scales = np.abs(FILTER).max((1, 2, 3))
    x = static.data("x", [-1, 2, 5, 5], F)

    def pair(value: Any, name: str, scale: Any, axis: int, bits: int = 8, first: bool = True):
        inputs = {"Scale": scale, "ZeroPoint": stored(name + ".zero", [0.0])}
        attrs = {"quant_axis": axis, "bit_length": bits, "round_type": 1}
        if first:
            quantized = {"Y": name + ".number"}
            value = append("quantize_linear", {"X": value, **inputs}, quantized, attrs)
        return append("dequantize_linear", {"X": value, **inputs}, {"Y": name + ".value"}, attrs)

    x_found = pair(x, "x", stored("in.scale", [1.5]), -1)
    w = block().create_var(name="bytes", shape=FILTER.shape, dtype="int8", persistable=True)
    numbers = each(FILTER, scales, 8, False, 0).astype("int8")
    static.global_scope().var("bytes").get_tensor().set(numbers, paddle.CPUPlace())
    w = pair(w, "filter", stored("filter.scales", scales), 0, first=False)
    most = stored("most", np.abs(OUTER).max().reshape(1))
    v = pair(stored("outer", OUTER), "outer", most, -1, 6)
    hidden = append("conv2d", {"Input": x_found, "Filter": w}, {"Output": "hidden"})
    return x, paddle.matmul(paddle.reshape(hidden, [-1, 36]), v)


@pytest.mark.parametrize("net", [frozen_net, linear_net])
def test_frozen_nets_give_what_training_gave(net: Any, exe: Any, tmp_path: Path) -> None:
    x, out = net()
    found = exe.run(feed={"x": X}, fetch_list=[out])[0]
    np.testing.assert_allclose(found, expected_forward(1.5)["out"], rtol=1e-4, atol=1e-5)
    path = str(tmp_path / "net")
    static.save_inference_model(path, [x], [out], exe)
    with static.scope_guard(static.Scope()):
        program, feeds, fetches = static.load_inference_model(path, exe)
        again = exe.run(program, feed={feeds[0]: X}, fetch_list=fetches)[0]
    np.testing.assert_array_equal(again, found)


def test_the_gradient_operator_of_saved_training_programs(exe: Any) -> None:
    """PaddlePaddle writes one operator for all of them, whose name is not theirs."""
    x = static.data("x", [2, 3], F)
    d_x = append("stright_throuth_estimator_grad", {"Out@GRAD": x}, {"X@GRAD": "x@GRAD"})
    fed = np.arange(6, dtype=F).reshape(2, 3)
    np.testing.assert_array_equal(exe.run(feed={"x": fed}, fetch_list=[d_x])[0], fed)


def test_a_scale_stays_in_a_test(exe: Any) -> None:
    """The observer gives no scale then, and none is taken from the scope."""
    x = static.data("x", [-1, 3], F)
    scale = stored("scale", [2.5])
    out = append(
        "moving_average_abs_max_scale", {"X": x}, {"Out": "out", "OutScale": scale},
        {"is_test": True},
    )  # fmt: skip
    fed = np.full((2, 3), 7, F)
    np.testing.assert_array_equal(exe.run(feed={"x": fed}, fetch_list=[out])[0], fed)
    np.testing.assert_array_equal(held("scale"), [2.5])


@pytest.mark.parametrize("bits", [2, 8, 16])
def test_just_below_a_half_is_not_rounded_up(bits: int) -> None:
    """A half is: away from 0."""
    paddle.disable_static()
    top = 2 ** (bits - 1) - 1
    below = np.nextafter(np.float32(0.5), np.float32(0))
    x = np.array([below, -below, 0.5, -0.5, top], F)
    found, scale = C.fake_quantize_abs_max(paddle.to_tensor(x), bit_length=bits)
    np.testing.assert_array_equal(found.numpy(), [0, 0, 1, -1, top])
    np.testing.assert_array_equal(scale.numpy(), [top])


def test_the_bytes_of_a_table_are_read_on_both_sides_of_the_sign() -> None:
    """Codes from 128 are not negative, and bytes that are no number survive."""
    paddle.disable_static()
    codes = np.array([[0, 127, 128, 255], [255, 255, 255, 127]], "uint8")
    w = np.concatenate([np.array([[-1, 1], [0, 256]], F), codes.view(F)], 1)
    ids = paddle.to_tensor(np.array([[0], [1]]))
    found = C.lookup_table_dequant(paddle.to_tensor(w), ids).numpy()
    np.testing.assert_array_equal(found, [[-1, -1 / 128, 0, 127 / 128], [255, 255, 255, 127]])


def test_scales_of_a_test_are_what_training_has_left(exe: Any) -> None:
    """They are read from OutScale, an output: PaddlePaddle 2.2 and later do so."""
    x = static.data("x", [2, 3], F)
    outs = {"Out": "out", "OutScale": stored("scale", [1.0, 8.0])}
    out = append("fake_channel_wise_quantize_abs_max", {"X": x}, outs, {"is_test": True})
    fed = np.array([[0.25, -0.5, 3], [0.25, -0.5, 3]], F)
    found = exe.run(feed={"x": fed}, fetch_list=[out])[0]
    np.testing.assert_array_equal(found, [[32, -64, 127], [4, -8, 48]])
    np.testing.assert_array_equal(held("scale"), [1, 8])
    paddle.disable_static()
    with pytest.raises(NotImplementedError, match="with is_test it has to read OutScale"):
        C.fake_channel_wise_quantize_abs_max(paddle.to_tensor(fed), is_test=True)


def test_the_largest_value_of_the_last_batches(exe: Any) -> None:
    """Numbers from 2.6.2: scale and window after each batch of a largest value."""
    x = static.data("x", [1, 4], F)
    scale, window = stored("scale", [0.001]), stored("window", [0.0, 0.0, 0.0])
    count = block().create_var(name="count", shape=[1], dtype="int64", persistable=True)
    static.global_scope().var("count").get_tensor().set(np.array([0]), paddle.CPUPlace())
    out = append(
        "fake_quantize_range_abs_max",
        {"X": x, "InScale": scale, "Iter": count},
        {"Out": "out", "OutScale": scale, "OutScales": window},
        {"window_size": 3},
    )
    append("increment", {"X": count}, {"Out": count}, {"step": 1.0})
    expected = [
        (1, 1, [1, 0, 0]),
        (5, 5, [1, 5, 0]),
        (3, 5, [1, 5, 3]),
        (2, 5, [2, 5, 3]),
        (4, 4, [2, 4, 3]),
        (1, 4, [2, 4, 1]),
        (1, 4, [1, 4, 1]),
        (1, 1, [1, 1, 1]),
        (0.5, 1, [1, 1, 1]),
        (2, 2, [2, 1, 1]),
    ]
    for most, of, values in expected:
        fed = np.array([[most, 0.3, -0.2, -1]], F)
        found = exe.run(feed={"x": fed}, fetch_list=[out])[0]
        np.testing.assert_array_equal(held("scale"), [of])
        np.testing.assert_array_equal(held("window"), values)
        np.testing.assert_array_equal(found, each(fed, np.array([of]), 8, False))
