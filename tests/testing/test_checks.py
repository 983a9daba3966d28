"""assert_allclose, gradcheck and profile_op."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.testing import assert_allclose, gradcheck, profile_op


def test_close_values_pass() -> None:
    x = paddle.to_tensor([[1.0, np.nan], [np.inf, -3.0]])
    assert_allclose(x, x.numpy())
    assert_allclose([x, {"a": x}], [x.numpy(), {"a": x.numpy() * (1 + 1e-7)}])
    assert_allclose(paddle.to_tensor([2]), 2)
    assert_allclose(paddle.to_tensor([1.0, 2.0]).astype("bfloat16"), [1.0, 2.0])
    assert_allclose(np.array([1, 2]), [1, 2])
    assert_allclose(paddle.zeros([0, 3]), np.zeros((0, 3)))


@pytest.mark.parametrize(
    ("actual", "expected", "text"),
    [
        (
            [1.0, 2.5],
            [1.0, 2.0],
            r"1 of 2 elements .* at \[1\]: got 2.5, expected 2.0 \(off by 0.5",
        ),
        ([np.nan, 1.0], [1.0, 1.0], r"at \[0\]: got nan, expected 1.0"),
        ([np.inf, 1.0], [-np.inf, 1.5], r"2 of 2 elements .* at \[0\]: got inf, expected -inf"),
        ([1e300], [-1e300], r"got 1e\+300"),
        ([[1.0]], [1.0], r"shape \[1, 1\] came, expected \[1\]"),
        ([True, False], [True, True], r"at \[1\]: got False, expected True"),
        ([1 + 1j], [1 - 1j], r"off by 2"),
        ([2**62], [2**62 - 4], r"off by 4"),
    ],
)
def test_the_worst_element_is_shown(actual: list, expected: list, text: str) -> None:
    with pytest.raises(AssertionError, match=rf"^actual: .*{text}"):
        assert_allclose(
            np.array(actual), np.array(expected), rtol=0 if text == "off by 4" else 1e-5
        )


def test_worst_is_by_what_an_element_may_be_off() -> None:
    with pytest.raises(AssertionError, match=r"2 of 2 .* at \[1\]: got 0.2, expected 0.1"):
        assert_allclose(np.array([1001.0, 0.2]), np.array([1000.0, 0.1]))


def test_forms_that_differ() -> None:
    x = paddle.ones([2])
    with pytest.raises(AssertionError, match=r"actual\['b'\]\[1\]: 2 of 2"):
        assert_allclose({"a": x, "b": [x, x]}, {"a": x, "b": [x, x * 2]})
    with pytest.raises(AssertionError, match="2 parts came"):
        assert_allclose([x, x], [x])
    with pytest.raises(AssertionError, match=r"keys \['a'\], expected \['b'\]"):
        assert_allclose({"a": x}, {"b": x})
    with pytest.raises(AssertionError, match="one is a dict"):
        assert_allclose({"a": x}, [x])
    with pytest.raises(ValueError, match=r"assert_allclose\(atol\): expected a number of at least"):
        assert_allclose(x, x, atol=-1.0)


def leaf(data: object, dtype: str = "float64") -> paddle.Tensor:
    return paddle.to_tensor(data, dtype=dtype, stop_gradient=False)


def test_gradients_of_functions() -> None:
    x, y = leaf([[0.5, 1.0], [1.5, 2.0]]), leaf([[1.0, -1.0], [0.3, 0.7]])
    assert gradcheck(lambda x, y: (paddle.tanh(x) @ y, x * y), [x, y], order=3) is True
    assert gradcheck(paddle.nn.Linear(2, 3).to(dtype="float64"), x)
    z = leaf([1 + 2j, 0.5 - 1j], "complex128")
    assert gradcheck(lambda z: paddle.real(z * z), z)
    constant = paddle.to_tensor([[2.0, 3.0], [1.0, 0.0]], dtype="float64")
    assert gradcheck(lambda x, c: x * c, [x, constant])
    assert x.grad is None and not x.stop_gradient
    with paddle.no_grad():
        assert gradcheck(paddle.exp, x)
    turned = paddle.transpose(x, [1, 0]).detach()
    turned.stop_gradient = False
    assert gradcheck(paddle.exp, turned)


class Wrong(paddle.autograd.PyLayer):
    """Its first derivative at 1.5 is wrong."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, d):
        (x,) = ctx.saved_tensor()
        return d * paddle.where(x > 1.2, 3 * x, 2 * x)


def test_wrong_gradients_are_found() -> None:
    with pytest.raises(AssertionError, match=r"order 1 of input 0: 1 of 2 .* worst at \[1\]"):
        gradcheck(Wrong.apply, leaf([1.0, 1.5]))
    with pytest.raises(AssertionError, match="no result depends on the inputs"):
        gradcheck(lambda x: x.detach(), leaf([1.0]))
    with pytest.raises(ValueError, match="with stop_gradient=False, but there is none"):
        gradcheck(paddle.exp, paddle.ones([2], dtype="float64"))
    with pytest.raises(ValueError, match=r"inputs\[0\]\): expected float64 or complex128"):
        gradcheck(paddle.exp, leaf([1.0], "float32"))
    with pytest.raises(TypeError, match=r"inputs\[0\]\): expected a Tensor, but received ndarray"):
        gradcheck(paddle.exp, np.ones(2))


def test_times_of_an_operator() -> None:
    x = np.ones((4, 4), "float32")
    found = profile_op("mul", {"X": x, "Y": x}, seconds=0.005, rounds=2)
    assert found.op_type == "mul" and found.kernel > 0 and found.forward > 0
    assert found.recorded is not None and found.backward is not None and found.program is not None
    assert [line.split("  ")[0] for line in str(found).splitlines()] == [
        "operator mul", "kernel alone", "forward", "recorded", "backward", "in a Program",
    ]  # fmt: skip
    whole = profile_op("concat", {"X": [("a", x), ("b", x)]}, {"axis": 1}, seconds=0.002, rounds=1)
    assert whole.backward is not None
    update = {"Param": x, "Grad": x, "LearningRate": np.ones(1, "float32")}
    assert profile_op("sgd", update, seconds=0.002, rounds=1).program is None
    assert profile_op("equal", {"X": x, "Y": x}, seconds=0.002, rounds=1).recorded is None
    with pytest.raises(RuntimeError, match="there is no operator 'mull' with a kernel"):
        profile_op("mull", {"X": x})
