"""Bad input a newcomer gives: the exception class of the slides' table, and words that help."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn


def refused(kind: type[Exception], call: Callable[[], Any], *words: str) -> None:
    """Asserts the class and that every word (a regular expression) is in the message."""
    with pytest.raises(kind) as caught:
        call()
    for word in words:
        assert re.search(word, str(caught.value)), f"{word!r} is not in: {caught.value}"


def ones(*shape: int) -> paddle.Tensor:
    return paddle.ones(list(shape))


# ---------------------------------------------------------------- making tensors


@pytest.mark.parametrize(
    ("data", "lengths"),
    [
        ([[1, 2], [3]], r"\[2, 1\]"),
        ([[[1, 2]], [[3], [4]]], r"\[1, 2\]"),
        ([np.ones(2), np.ones(3)], r"\[2, 3\]"),
        ([paddle.ones([2]), paddle.ones([3])], r"\[2, 3\]"),
        (([1.0, 2.0], 3.0), "different lengths"),
        (np.array([[1, 2], [3]], dtype=object), r"\[2, 1\]"),
    ],
)
def test_ragged_lists(data: Any, lengths: str) -> None:
    refused(ValueError, lambda: paddle.to_tensor(data), r"^\(InvalidArgument\)", lengths)


@pytest.mark.parametrize("data", ["abc", None, {"a": 1}, {1, 2}, object()])
def test_data_that_is_no_number(data: Any) -> None:
    refused(
        TypeError, lambda: paddle.to_tensor(data), "expected a number, list", type(data).__name__
    )


@pytest.mark.parametrize(
    ("data", "came"),
    [
        (["a"], "<U1"),
        (np.array([1], dtype="uint32"), "uint32"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), "datetime64"),
        (np.array([object()]), "object"),
        ([1, None], "NoneType"),
    ],
)
def test_elements_that_are_no_numbers(data: Any, came: str) -> None:
    refused(
        TypeError,
        lambda: paddle.to_tensor(data),
        "to_tensor: expected (data of type|numbers)",
        came,
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda: paddle.to_tensor([1], dtype="float31"),
        lambda: ones(2).astype("float31"),
        lambda: paddle.cast(ones(2), "float31"),
        lambda: paddle.zeros([2], dtype="float31"),
        lambda: paddle.arange(3, dtype="float31"),
        lambda: paddle.rand([3], dtype="float31"),
        lambda: nn.Layer().create_parameter([2], dtype="float31"),
    ],
)
def test_unknown_dtype(call: Callable[[], Any]) -> None:
    refused(ValueError, call, "expected", "float32", "float64", "'float31'")


def test_default_dtype() -> None:
    refused(
        TypeError, lambda: paddle.set_default_dtype("int32"),
        "expected float16, float32 or float64", "'int32'",
    )  # fmt: skip
    assert paddle.get_default_dtype() == "float32"


# ---------------------------------------------------------------- shapes and indices


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: x + y,
        lambda x, y: x - y.numpy(),
        lambda x, y: paddle.multiply(x, y),
        lambda x, y: x / y,
        lambda x, y: x**y,
        lambda x, y: x < y,
        lambda x, y: paddle.maximum(x, y),
        lambda x, y: F.mse_loss(x, y),
    ],
)
def test_shapes_that_do_not_broadcast(call: Callable[..., Any]) -> None:
    refused(
        ValueError, lambda: call(ones(2, 3), ones(2, 4)),
        r"^\(InvalidArgument\)", r"\[2, 3\]", r"\[2, 4\]", "expected",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: paddle.matmul(ones(2, 3), ones(2, 4)), (r"\[2, 3\]", r"\[2, 4\]", "matmul")),
        (lambda: nn.Linear(3, 2)(ones(2, 4)), (r"\[2, 4\]", r"\[3, 2\]", "linear")),
        (lambda: nn.Conv2D(3, 4, 3)(ones(1, 2, 8, 8)), ("2 channels", r"\[4, 3, 3, 3\]")),
        (lambda: nn.BatchNorm2D(3)(ones(1, 2, 8, 8)), ("2 elements", r"\[3\]")),
        (lambda: paddle.concat([ones(2, 3), ones(2, 4)]), (r"\[2, 3\], \[2, 4\]", "axis = 0")),
        (lambda: paddle.stack([ones(2, 3), ones(2, 4)]), (r"\[2, 3\], \[2, 4\]",)),
        (lambda: ones(2, 3).reshape([4, 2]), (r"\[2, 3\]", r"\[4, 2\]", "6", "8")),
        (lambda: ones(2, 3).reshape([-1, -1]), (r"at most one.*-1",)),
        (lambda: ones(2, 3).expand([3, 3]), (r"\[2, 3\]", r"\[3, 3\]")),
        (lambda: ones(2, 3).transpose([0, 0]), (r"\[2, 3\]", r"\[0, 0\]")),
        (lambda: paddle.split(ones(2, 3), 2, axis=1), ("3 elements", "2 equal parts")),
        (lambda: ones(2, 3).sum(axis=5), (r"\[-2, 2\)", "5")),
        (lambda: bool(ones(3, 2) > 3), (r"\[3, 2\]", "one element")),
        (lambda: float(ones(3, 2)), (r"\[3, 2\]", "one element")),
    ],
)
def test_shapes_that_do_not_fit(call: Callable[[], Any], words: tuple[str, ...]) -> None:
    refused(ValueError, call, r"^\(InvalidArgument\)", *words)


def _set(x: paddle.Tensor, index: Any) -> None:
    x[index] = 1.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: x[5], ("5", "dimension 0", "size 2")),
        (lambda x: x[-3], ("-3", "dimension 0", "size 2")),
        (lambda x: x[0, 7], ("7", "dimension 1", "size 3")),
        (lambda x: x[0, 0, 0], ("too many", "dimension 2")),
        (lambda x: x[paddle.to_tensor([0, 9])], ("9", "size 2")),
        (lambda x: _set(x, 5), ("5", "size 2")),
        (lambda x: paddle.gather(x, paddle.to_tensor([0, 9])), (r"\[0, 1\]", "9")),
        (lambda x: paddle.index_select(x, paddle.to_tensor([9])), (r"\[0, 1\]", "9")),
        (lambda x: nn.Embedding(4, 2)(paddle.to_tensor([4])), (r"\[0, 4\)", "received 4")),
    ],
)
def test_index_out_of_range(call: Callable[..., Any], words: tuple[str, ...]) -> None:
    refused(IndexError, lambda: call(ones(2, 3)), r"^\(OutOfRange\)", *words)


@pytest.mark.parametrize("index", ["a", 1.5, {}])
def test_index_of_a_wrong_type(index: Any) -> None:
    refused(TypeError, lambda: ones(2, 3)[index], "expected|must be", type(index).__name__)


# ---------------------------------------------------------------- losses


@pytest.mark.parametrize("label", [[0, 3], [0, -1]])
@pytest.mark.parametrize(
    "loss",
    [
        lambda x, label: nn.CrossEntropyLoss()(x, label),
        lambda x, label: F.cross_entropy(x, label, reduction="none"),
        lambda x, label: F.nll_loss(x, label),
        lambda x, label: F.softmax_with_cross_entropy(x, label.unsqueeze(1)),
    ],
)
def test_label_range(loss: Callable[..., Any], label: list[int]) -> None:
    wrong = str(label[1])
    refused(
        IndexError, lambda: loss(ones(2, 3), paddle.to_tensor(label)),
        r"^\(OutOfRange\)", "label", r"\[0, 3\)", f"received {wrong}",
    )  # fmt: skip


def test_labels_of_a_wrong_kind() -> None:
    loss = nn.CrossEntropyLoss()
    refused(
        TypeError,
        lambda: loss(ones(2, 3), paddle.to_tensor([0.0, 1.0])),
        "expected integer",
        "FP32",
    )
    refused(
        ValueError, lambda: loss(ones(2, 3), paddle.to_tensor([0, 1, 2])),
        r"expected a label of shape \[2, 1\]", r"received \[3, 1\]",
    )  # fmt: skip
    refused(
        ValueError,
        lambda: F.binary_cross_entropy(paddle.full([2], 1.5), paddle.to_tensor([1.0, 0.0])),
        "between 0 and 1",
    )


# ---------------------------------------------------------------- training

OPTIMIZERS = [
    "SGD", "Momentum", "Adam", "AdamW", "Adagrad", "Adamax", "RMSProp", "Adadelta", "Lamb",
]  # fmt: skip


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("rate", [float("nan"), float("inf")])
def test_learning_rate_that_is_no_number(name: str, rate: float) -> None:
    parameters = nn.Linear(2, 2).parameters()
    make = getattr(paddle.optimizer, name)
    refused(
        ValueError, lambda: make(learning_rate=rate, parameters=parameters),
        rf"{name}\(learning_rate\): expected a finite number", str(rate),
    )  # fmt: skip


def test_learning_rate_that_becomes_nan() -> None:
    parameters = nn.Linear(2, 2).parameters()
    sgd = paddle.optimizer.SGD(0.1, parameters=parameters)
    refused(ValueError, lambda: sgd.set_lr(float("nan")), "expected a finite number", "nan")
    assert sgd.get_lr() == 0.1
    refused(
        ValueError, lambda: paddle.optimizer.lr.StepDecay(float("nan"), 3), "finite number", "nan"
    )


def test_learning_rate_of_a_wrong_type() -> None:
    parameters = nn.Linear(2, 2).parameters()
    refused(
        TypeError, lambda: paddle.optimizer.SGD("0.1", parameters=parameters),
        "expected a float or an LRScheduler", "str '0.1'",
    )  # fmt: skip


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_no_parameters(name: str) -> None:
    make = getattr(paddle.optimizer, name)
    refused(ValueError, lambda: make(0.1, parameters=[]), "at least one parameter", "empty list")
    refused(AttributeError, lambda: make(0.1), r"parameters.*expected a list", "None")


def test_parameters_of_a_wrong_type() -> None:
    one = nn.Linear(2, 2).weight
    sgd = paddle.optimizer.SGD
    refused(TypeError, lambda: sgd(0.1, parameters=one), "expected a list of Tensors", "Parameter")
    refused(TypeError, lambda: sgd(0.1, parameters=["a"]), "expected Tensors", "str 'a'")


def warned(call: Callable[[], Any]) -> tuple[Any, str]:
    """The result and every warning, as one text."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return result, "\n".join(str(w.message) for w in caught)


def test_state_dict_of_another_network() -> None:
    net = nn.Linear(3, 2)
    before = net.weight.numpy()
    _, said = warned(lambda: net.set_state_dict(nn.Linear(4, 2).state_dict()))
    assert "weight: expected shape [3, 2], but received [4, 2]" in said
    np.testing.assert_array_equal(net.weight.numpy(), before)
    _, said = warned(lambda: net.set_state_dict({}))
    assert "weight: not found" in said
    assert "bias: not found" in said
    state = {**net.state_dict(), "foo": paddle.ones([1])}
    _, said = warned(lambda: net.set_state_dict(state))
    assert "Not used: foo" in said
    _, said = warned(lambda: net.set_state_dict(net.state_dict()))
    assert said == ""


def test_state_dict_that_is_none() -> None:
    net = nn.Linear(3, 2)
    refused(TypeError, lambda: net.set_state_dict([1]), "expected a dict", "received list")
    refused(
        TypeError, lambda: net.set_state_dict({"weight": "x", "bias": net.bias}),
        "expected a Tensor or a numeric array for 'weight'", "str",
    )  # fmt: skip


def test_backward_twice() -> None:
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    loss = (x * x).sum()
    loss.backward()
    refused(
        RuntimeError, loss.backward, r"^\(PreconditionNotMet\)", "second time", "retain_graph=True"
    )
    assert x.grad.numpy().tolist() == [2.0, 4.0]  # what the first call left
    x.clear_grad()
    loss = (x * x).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    assert x.grad.numpy().tolist() == [4.0, 8.0]


def test_backward_without_a_graph() -> None:
    refused(
        RuntimeError, lambda: ones(2).sum().backward(),
        r"^\(PreconditionNotMet\)", "stop_gradient=False", "stop_gradient=True",
    )  # fmt: skip


class NoLength(paddle.io.Dataset):
    def __getitem__(self, index: int) -> np.ndarray:
        return np.float32([index])


@pytest.mark.parametrize("shuffle", [False, True])
def test_a_dataset_without_len(shuffle: bool) -> None:
    refused(
        NotImplementedError,
        lambda: list(paddle.io.DataLoader(NoLength(), batch_size=2, shuffle=shuffle)),
        "NoLength must define __len__",
    )


def test_fitting_a_dataset_without_len() -> None:
    net = nn.Linear(1, 1)
    model = paddle.Model(net)
    model.prepare(paddle.optimizer.SGD(0.1, parameters=net.parameters()), nn.MSELoss())
    words = ("NoLength must define", "__len__")
    refused(NotImplementedError, lambda: model.fit(NoLength(), verbose=0), *words)
    refused(NotImplementedError, lambda: model.evaluate(NoLength(), verbose=0), *words)


def test_data_that_is_no_dataset() -> None:
    class Half:
        def __getitem__(self, index: int) -> int:
            return index

    refused(
        TypeError, lambda: paddle.io.DataLoader(Half(), batch_size=2),
        "expected a paddle.io.Dataset", "Half",
    )  # fmt: skip
    refused(
        ValueError, lambda: paddle.io.DataLoader([1, 2], batch_size=0), "expected a positive", "0"
    )


def test_fitting_without_prepare() -> None:
    model = paddle.Model(nn.Linear(3, 2))
    refused(
        RuntimeError, lambda: model.fit([[ones(1, 3), ones(1, 2)]], verbose=0),
        "needs an optimizer", "prepare",
    )  # fmt: skip


def test_loading_a_file_that_is_not_there() -> None:
    refused(
        (ValueError, RuntimeError), lambda: paddle.load("/no/such.pdparams"),
        "no file '/no/such.pdparams'",
    )  # fmt: skip


def test_places_that_are_not_there() -> None:
    refused(ValueError, lambda: paddle.set_device("tpu"), "expected 'cpu', 'gpu'", "'tpu'")
    refused(ValueError, lambda: paddle.set_device("gpu:99"), "'gpu:99'", "expected")
    refused(TypeError, lambda: paddle.to_tensor([1], place=3), "place", "int")
