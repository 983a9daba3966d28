"""Operators of paddle/extension.h: values, gradients, lists, attributes, in place, in all modes."""

from __future__ import annotations

import gc
import inspect
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.core.op import REGISTRY, C
from tests.native.libraries import loaded

X = np.array([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]], "float32")
Y = np.arange(9, dtype="float32").reshape(3, 3)


@pytest.fixture(scope="module")
def relu(built_here: Path) -> Iterator[Any]:
    with loaded(built_here, "relu_21.cc", extra_cxx_cflags=["-std=c++11"]) as module:
        yield module


def tensor(value: Any, grad: bool = True) -> Any:
    return paddle.to_tensor(value, stop_gradient=not grad)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_relu_and_its_gradient(relu: Any, dtype: str) -> None:
    x = tensor(X.astype(dtype))
    y = relu.custom_relu(x)
    assert y.dtype == x.dtype and y.numpy().tolist() == np.maximum(X, 0).tolist()
    (y * y).sum().backward()
    assert x.grad.numpy().tolist() == (2 * np.maximum(X, 0)).tolist()


def test_the_function_tells_what_it_takes(relu: Any, forms: Any) -> None:
    assert list(inspect.signature(relu.custom_relu).parameters) == ["X"]
    assert "X (Tensor)" in relu.custom_relu.__doc__ and relu.__all__ == ["custom_relu"]
    assert list(inspect.signature(forms.all_attributes).parameters) == ["X", *"abcdefghijkl"]
    assert "g (std::vector<bool>)" in forms.all_attributes.__doc__
    assert "It has no gradient." in forms.row_sums.__doc__
    assert paddle.utils.cpp_extension.parse_op_info("add_all") == (["X"], ["scale"], ["Out"])


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.t(), lambda x: x[:, 1:], lambda x: x[::2], lambda x: x[0], lambda x: x[1, 2],
        lambda x: x.expand([4, 2, 3]), lambda x: x[:0], lambda x: x.reshape([1, 1, 1, 6]),
    ],
)  # fmt: skip
def test_views_shapes_and_nothing(relu: Any, change: Any) -> None:
    x = change(paddle.to_tensor(X))
    assert relu.custom_relu(x).numpy().tolist() == np.maximum(x.numpy(), 0).tolist()
    assert relu.custom_relu(x).shape == x.shape


def test_calls_that_look_alike_share_nothing(relu: Any) -> None:
    made = [relu.custom_relu(paddle.full([2, 2], i)) for i in range(5)]
    assert [m.numpy()[0, 0] for m in made] == [0, 1, 2, 3, 4]


def test_threads(relu: Any) -> None:
    wrong: list[Any] = []

    def work(seed: int) -> None:
        values = np.random.default_rng(seed).normal(size=(64, 33)).astype("float32")
        x = paddle.to_tensor(values)
        for _ in range(200):
            if not (relu.custom_relu(x).numpy() == np.maximum(values, 0)).all():
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_list_as_output(forms: Any) -> None:
    x, y = tensor(X), tensor(Y)
    rows = forms.rows_of(x, y)
    assert [r.shape for r in rows] == [[1, 3]] * 5
    assert np.concatenate([r.numpy() for r in rows]).tolist() == np.concatenate([X, Y]).tolist()
    (rows[1] * 2 + rows[4] * 3).sum().backward()
    assert x.grad.numpy().tolist() == [[0] * 3, [2] * 3]
    assert y.grad.numpy().tolist() == [[0] * 3, [0] * 3, [3] * 3]


def test_a_list_as_input(forms: Any) -> None:
    x, y = tensor(X), tensor(X + 1)
    out = forms.add_all([x, y, x], 0.5)
    np.testing.assert_allclose(out.numpy(), 0.5 * (3 * X + 1))
    out.sum().backward()
    assert x.grad.numpy().tolist() == np.full((2, 3), 1.0).tolist()
    assert y.grad.numpy().tolist() == np.full((2, 3), 0.5).tolist()


def test_second_derivatives(forms: Any) -> None:
    x = tensor(X.astype("float64"))
    (first,) = paddle.grad(forms.cube(x).sum(), x, create_graph=True)
    np.testing.assert_allclose(first.numpy(), 3 * X.astype("float64") ** 2)
    (first * first).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 36 * X.astype("float64") ** 3)


def test_in_place(forms: Any) -> None:
    x, y = paddle.to_tensor(X), tensor(X + 1)
    before = x * 2
    out = forms.add_into(x, y)
    assert out is x and x.numpy().tolist() == (2 * X + 1).tolist()
    assert before.numpy().tolist() == (2 * X).tolist()
    (x * x).sum().backward()
    np.testing.assert_allclose(y.grad.numpy(), 2 * (2 * X + 1))
    leaf = tensor(X)
    with pytest.raises(ValueError, match="cannot be changed in place"):
        forms.add_into(leaf, y)
    assert leaf.numpy().tolist() == X.tolist()
    inner = leaf * 1
    forms.add_into(inner, y)
    inner.sum().backward()
    assert leaf.grad.numpy().tolist() == np.ones_like(X).tolist()


VALUES: dict[str, Any] = {
    "a": True, "b": -7, "c": 2**40 + 5, "d": 0.5, "e": 1e-9, "f": "wörter",
    "g": [True, False, True], "h": [1, 2, 3], "i": [2**33], "j": [0.5, 1.5], "k": [],
    "l": ["a", "bc", ""],
}  # fmt: skip
TOLD = [1, -7, (2**40 + 5) % 1000, 0.5, 1e-9, 7, 4, 14, 2**33, 3.5, 0, 120]


def test_attributes_of_each_type(forms: Any) -> None:
    out = forms.all_attributes(paddle.to_tensor(X), **VALUES)
    assert out.dtype == paddle.float64 and out.numpy().tolist() == TOLD
    of_numpy = {
        **VALUES, "a": np.bool_(True), "b": np.int64(-7), "d": np.float32(0.5),
        "h": np.array([1, 2, 3]), "j": (0.5, 1.5), "f": "wörter",
    }  # fmt: skip
    assert forms.all_attributes(paddle.to_tensor(X), **of_numpy).numpy().tolist() == TOLD


@pytest.mark.parametrize(
    "name, value, said",
    [
        ("a", "yes", "a of operator all_attributes is a bool: expected a bool, but received str"),
        ("b", 1.5, "is a int: expected an int, but received float 1.5"),
        ("b", 2**31, "is of 32 bits, but received 2147483648"),
        ("c", 2**63, "is of 64 bits"),
        ("d", "1", "is a float: expected a number"),
        ("f", 3, "is a std::string: expected a str"),
        ("g", True, "is a std::vector<bool>: expected a list"),
        ("h", [1, "2"], r"attribute h\[1\] of operator .* expected an int, but received str"),
        ("l", ["a", None], r"attribute l\[1\] .* expected a str"),
    ],
)
def test_attributes_of_another_type(forms: Any, name: str, value: Any, said: str) -> None:
    with pytest.raises((TypeError, IndexError), match=said):
        forms.all_attributes(paddle.to_tensor(X), **{**VALUES, name: value})


def test_equal_numbers_that_are_not_the_same_attribute(forms: Any) -> None:
    x = paddle.ones([2], "float64")
    assert np.signbit(forms.scaled(x, 0.0).numpy()).tolist() == [False, False]
    assert np.signbit(forms.scaled(x, -0.0).numpy()).tolist() == [True, True]
    assert forms.scaled(x, 1).numpy().tolist() == forms.scaled(x, True and 1.0).numpy().tolist()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_numbers_of_16_bits(forms: Any, dtype: str) -> None:
    values = np.array([1.0, -0.3, 65504.0, 1e-7, 3.14159, 0.0, np.inf, 1e-40], "float32")
    x = tensor(paddle.to_tensor(values).astype(dtype), grad=False)
    x.stop_gradient = False
    out = forms.scaled(x, 0.5)
    want = (x.astype("float32") * 0.5).astype(dtype)
    assert out.dtype == x.dtype
    assert out.astype("float32").numpy().tolist() == want.astype("float32").numpy().tolist()
    out.backward(paddle.ones_like(out))
    assert set(x.grad.astype("float32").numpy().tolist()) == {0.5}


def test_complex_numbers_that_are_conjugated_already(forms: Any) -> None:
    z = paddle.to_tensor(np.array([1 + 2j, 3 - 4j], "complex64"))
    assert forms.conjugated(z).numpy().tolist() == [1 - 2j, 3 + 4j]
    assert forms.conjugated(paddle.conj(z)).numpy().tolist() == z.numpy().tolist()


def test_an_input_may_be_missing(forms: Any) -> None:
    x = paddle.to_tensor(X)
    assert forms.add_maybe(x, x).numpy().tolist() == (2 * X).tolist()
    assert forms.add_maybe(x).numpy().tolist() == forms.add_maybe(x, None).numpy().tolist()


def test_memory_that_is_returned(forms: Any) -> None:
    paddle.set_flags({"FLAGS_check_native": False})
    x = paddle.to_tensor(X)
    a, b = forms.handed(x, "input")
    a[0, 0] = 100.0
    assert x.numpy().tolist() == X.tolist() == b.numpy().tolist()
    a, b = forms.handed(x, "parts")
    assert a.numpy().tolist() == X[1:].tolist() and b.numpy().tolist() == X.tolist()
    a, b = forms.handed(x, "twice")
    a[0, 0] = 100.0
    assert b.numpy().tolist() == np.full((2, 3), 7).tolist()
    a, b = forms.handed(x, "cast")
    assert a.dtype == paddle.int64 and b.numpy().tolist() == [[7, 7, 7]]
    for i in range(1, 4):
        a, b = forms.handed(x, "kept")
        assert a.numpy()[0, 0] == i == b.numpy()[0, 0]
        del a, b
        gc.collect()


def test_nothing_stays_behind(forms: Any, relu: Any) -> None:
    from paddle.core import native

    paddle.set_flags({"FLAGS_check_native": False})
    x = tensor(X)
    gc.collect()
    before = len(native._held)
    for _ in range(20):
        forms.rows_of(x, x)[0].sum().backward()
        forms.row_sums(x)
        forms.add_all([x, x], 0.5).sum().backward()
        forms.handed(x, "cast")
        with pytest.raises(Exception):
            forms.handed(x, "few")
    assert len(native._held) == before


def recorded(function: Any, shape: list[Any]) -> Any:
    """Runs a function recorded in a Program; the shape in it, and what came of X."""
    paddle.enable_static()
    try:
        with static.program_guard(static.Program(), static.Program()):
            x = static.data("x", shape, "float32")
            x.stop_gradient = False
            out = function(x)
            loss = paddle.sum(out * out)
            static.append_backward(loss, parameter_list=[x])
            exe = static.Executor()
            got = exe.run(feed={"x": X}, fetch_list=[out, "x@GRAD"])
            return out.shape, got, [op.type for op in out.block.program.global_block().ops]
    finally:
        paddle.disable_static()


def test_in_a_program(relu: Any) -> None:
    shape, (out, grad), types = recorded(relu.custom_relu, [None, 3])
    assert tuple(shape) == (-1, 3)
    assert out.tolist() == np.maximum(X, 0).tolist()
    assert grad.tolist() == (2 * np.maximum(X, 0)).tolist()
    assert types[0] == "custom_relu" and "custom_relu_grad" in types


def test_forms_in_a_program(forms: Any) -> None:
    shape, (out, grad), _ = recorded(lambda x: forms.scaled(x, by=0.5), [-1, 3])
    assert grad.tolist() == (0.5 * X).tolist() and out.tolist() == (0.5 * X).tolist()
    shape, (out, grad), _ = recorded(lambda x: forms.add_into(x * 1, x), [2, 3])
    assert tuple(shape) == (2, 3) and grad.tolist() == (8 * X).tolist()
    _, (out, grad), _ = recorded(lambda x: forms.add_all([x, x], 1.0), [2, None])
    assert out.tolist() == (2 * X).tolist() and grad.tolist() == (8 * X).tolist()
    _, (out, grad), _ = recorded(lambda x: forms.rows_of(x, x[:1])[1], [2, 3])
    assert out.tolist() == X[1:].tolist()
    assert grad.tolist() == np.array([[0, 0, 0], 2 * X[1]]).tolist()


def test_shapes_are_refused_when_they_are_recorded(forms: Any) -> None:
    paddle.enable_static()
    try:
        with static.program_guard(static.Program(), static.Program()):
            x = static.data("x", [None, 3, 4], "float32")
            with pytest.raises(OSError, match="row_sums: expected a matrix, but X has 3 dim"):
                forms.row_sums(x)
            assert tuple(forms.row_sums(static.data("y", [None, 3])).shape) == (-1,)
    finally:
        paddle.disable_static()


def test_to_static_amp_and_saving(relu: Any, forms: Any, tmp_path: Path) -> None:
    class Net(paddle.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.linear = paddle.nn.Linear(3, 4)

        def forward(self, x: Any) -> Any:
            y = relu.custom_relu(self.linear(x))
            return forms.scaled(y, by=2.0) if y.shape[-1] == 4 else y

    net = Net()
    x = tensor(X)
    want = net(x)
    fast = paddle.jit.to_static(net, [static.InputSpec([None, 3], "float32")])
    got = fast(x)
    np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-6)
    got.sum().backward()
    grad = x.grad.numpy()
    x.clear_grad()
    want.sum().backward()
    np.testing.assert_allclose(grad, x.grad.numpy(), rtol=1e-6)
    path = str(tmp_path / "net")
    paddle.jit.save(fast, path)
    again = paddle.jit.load(path)
    np.testing.assert_allclose(again(x).numpy(), want.numpy(), rtol=1e-6)
    config = paddle.inference.Config(path + ".pdmodel", path + ".pdiparams")
    predictor = paddle.inference.create_predictor(config)
    handle = predictor.get_input_handle(predictor.get_input_names()[0])
    handle.copy_from_cpu(X)
    predictor.run()
    out = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
    np.testing.assert_allclose(out, want.numpy(), rtol=1e-6)
    with paddle.amp.auto_cast(custom_white_list={"scaled"}, custom_black_list={"custom_relu"}):
        y = relu.custom_relu(x)
        assert forms.scaled(y, by=1.0).dtype in (paddle.float16, paddle.bfloat16)
        assert y.dtype == paddle.float32


def test_what_debugging_prints(
    relu: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setenv("PADDLE_DEBUG", "calls")
    vars(C).pop("custom_relu", None)
    C.custom_relu(paddle.to_tensor(X))
    assert "def custom_relu(X):" in capsys.readouterr().out


def test_it_is_an_ordinary_operator(relu: Any) -> None:
    op = REGISTRY["custom_relu"]
    assert [s.name for s in op.inputs] == ["X"] and op.differentiable
    grad = REGISTRY["custom_relu_grad"]
    assert [s.name for s in grad.inputs] == ["Out@GRAD", "X", "Out"] and not grad.differentiable


def test_by_layer_helper_in_both_modes(relu: Any) -> None:
    """As the guide wraps operators of a library, 8.4.3."""
    assert paddle.fluid.load_op_library is paddle.utils.load_op_library
    assert paddle.incubate.load_op_library is paddle.utils.load_op_library

    def wrapped(x: Any) -> Any:
        helper = paddle.incubate.LayerHelper("custom_relu", x=x)
        out = helper.create_variable_for_type_inference(dtype=x.dtype)
        helper.append_op(type="custom_relu", inputs={"X": x}, outputs={"Out": out})
        return out

    x = tensor(X)
    y = wrapped(x)
    y.sum().backward()
    assert y.numpy().tolist() == np.maximum(X, 0).tolist()
    assert x.grad.numpy().tolist() == (X > 0).astype("float32").tolist()
    shape, (out, grad), types = recorded(wrapped, [None, 3])
    assert tuple(shape) == (-1, 3) and out.tolist() == np.maximum(X, 0).tolist()
    assert types[0] == "custom_relu" and grad.tolist() == (2 * np.maximum(X, 0)).tolist()
