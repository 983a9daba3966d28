"""Which words a call gets that failed inside: of the argument the user wrote, of its contract."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
import paddle.nn as nn
import paddle.nn.functional as F
from paddle.core import documented_types
from paddle.core.attribute_errors import in_our_words
from paddle.core.errors import (
    FrameworkError,
    InvalidArgumentError,
    InvalidTypeError,
    OutOfRangeError,
    ResourceExhaustedError,
)
from paddle.core.failed_call import on_purpose
from paddle.core.guards import Guarded, guarded


def test_types_are_read_off_a_docstring():
    doc = """Does something.

    Args:
        x (Tensor): any.
        axis, start (int|list[int], optional): where.
        **more: handed on.
    """
    assert documented_types.of_docstring(doc) == {
        "x": "Tensor",
        "axis": "int|list[int], optional",
        "start": "int|list[int], optional",
    }


@pytest.mark.parametrize(
    ("text", "good", "bad"),
    [
        ("int", [1, np.int64(3), True, 2.0], [None, "1", 1.5, 2**63, [1], float("nan")]),
        ("int|list[int], optional", [2, [1, 2], (3,)], [None, "a", ["a"], [None], {}]),
        ("float", [1, 0.5, np.float32(2)], [None, "x", 1j, [1.0]]),
        ("str|None", ["a", None], [1, b"a", ["a"]]),
        ("bool", [True, 1, np.bool_(False)], ["yes", None, [True]]),
        ("list[str]|tuple[str]", [["a"], (), ("b",)], ["a", [1], None]),
        ("callable", [len, int], [None, 3]),
        ("Layer", [nn.ReLU()], [None, 1, "relu", nn.initializer.Constant(0.0)]),
        ("str|np.dtype", ["float32", np.dtype("int8")], [3.5, None, []]),
        ("dict", [{}], [[], None]),
        ("what nobody knows", [1, None, "a"], []),
    ],
)
def test_values_are_compared_with_documented_types(text, good, bad):
    assert [v for v in good if not documented_types.fits(text, v)] == []
    assert [v for v in bad if documented_types.fits(text, v)] == []


@guarded
def halves(count: int, name: str | None = None) -> float:
    """Half of a number.

    Args:
        count (int): the number.
        name (str|None): has no effect.

    Raises:
        KeyError: for 7.
    """
    if count == 7:
        raise KeyError(count)
    if count == 8:
        raise InvalidArgumentError("eight")
    return 10 / count


def test_a_user_function_keeps_its_errors():
    with pytest.raises(TypeError, match="unsupported operand"):
        halves([])
    with pytest.raises(ZeroDivisionError):
        halves(0)
    assert halves(5) == 2


class Ours(Guarded):
    """A class as if of the package."""

    def __init__(self, size: int) -> None:
        self.size = size


def test_a_user_class_is_left_alone():
    assert not hasattr(Ours.__init__, "guards")
    assert hasattr(nn.Linear.__init__, "guards")

    class Net(nn.Layer):
        def __init__(self, width):
            super().__init__()
            self.width = width + 1

    assert not hasattr(Net.__init__, "guards")
    with pytest.raises(TypeError, match=r"unsupported operand|can only concatenate"):
        Net(None)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: nn.Hardshrink("a"),
            InvalidTypeError,
            r"Hardshrink\(threshold\): expected a number",
        ),
        (lambda: nn.Softmax({}), InvalidTypeError, r"Softmax\(axis\): expected an int.* dict"),
        (lambda: paddle.vision.models.LeNet(None), TypeError, r"LeNet\(num_classes\): expected"),
        (lambda: F.label_smooth(paddle.ones([2]), epsilon=None), TypeError, r"label_smooth\(eps"),
        (lambda: F.normalize(paddle.ones([2]), p=[]), TypeError, r"normalize\(p\): expected float"),
        (lambda: paddle.dist(paddle.ones([2]), paddle.ones([2]), p=None), TypeError, r"dist\(p\)"),
        (lambda: nn.Conv2D(2**40, 2**20, 3), ResourceExhaustedError, r"Conv2D|bytes"),
        (lambda: paddle.zeros([2**50]), ResourceExhaustedError, "memory"),
        (
            lambda: nn.BatchNorm2D(3)(paddle.ones([3])),
            (ValueError, TypeError),
            r"(?i)batch_?norm",
        ),
    ],
)
def test_the_argument_is_named(call, error, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert "torch" not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda x: paddle.trace(x, offset=None),
            "trace: attribute offset is expected to be an int",
        ),
        (
            lambda x: paddle.topk(x, 1, largest=None),
            "top_k_v2: attribute largest is expected to be a bool",
        ),
        (
            lambda x: paddle.sum(x, keepdim="a"),
            "reduce_sum: attribute keep_dim is expected to be a bool",
        ),
        (
            lambda x: paddle.mean(x, keepdim="a"),
            "reduce_mean: attribute keep_dim is expected to be a bool",
        ),
        (lambda x: paddle.all(x > 0, keepdim=None), "reduce_all: attribute keep_dim is expected"),
        (
            lambda x: paddle.stanh(x, scale_a=None),
            "stanh: attribute scale_a is expected to be a number",
        ),
        (
            lambda x: F.hardsigmoid(x, slope="a"),
            "hard_sigmoid: attribute slope is expected to be a number",
        ),
        (lambda x: paddle.squeeze(x, 2**63), "64 bits|integer|int"),
        (lambda x: paddle.tril(x, True), "tril_triu: attribute diagonal is expected to be an int"),
        (
            lambda x: paddle.diag(x, offset=True),
            "diag_v2: attribute offset is expected to be an int",
        ),
    ],
)
def test_attributes_are_named_in_words_of_the_operator(call, words):
    with pytest.raises((TypeError, ValueError), match=words) as caught:
        call(paddle.ones([2, 2]))
    text = str(caught.value)
    assert "()" not in text and "position" not in text


def test_texts_lose_names_of_the_backend():
    for text in (
        "diagonal(): argument 'offset' (position 2) must be int, not str",
        "torch.linalg.cholesky: A must be batches of square matrices",
        'PyList_Check(arg) INTERNAL ASSERT FAILED at "/pytorch/csrc/utils.h":658, please report',
        "expand(torch.FloatTensor{[1, 2]}, size=[2]): the number of sizes is too small",
        "mul() received an invalid combination of arguments - got (Tensor, str)",
    ):
        said = in_our_words(text)
        assert "torch" not in said and "()" not in said and "ASSERT" not in said, said


def test_what_was_raised_on_purpose_stays():
    with pytest.raises(InvalidArgumentError) as caught:
        nn.Dropout(2.0)
    assert on_purpose(caught.value)
    assert not hasattr(caught.value, "explains")


def test_the_outer_call_is_named():
    """A method that the user did not call is not what the text speaks of."""
    data = [(np.ones([3], "float32"), np.ones([1], "float32"))]
    model = paddle.Model(nn.Linear(3, 1))
    model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
    with pytest.raises(TypeError, match=r"Model\.fit\(verbose\): expected an int"):
        model.fit(data, verbose="nonsense")


def test_callbacks_of_users_keep_their_errors():
    class Broken(paddle.callbacks.Callback):
        def on_train_begin(self, logs=None):
            raise AttributeError("mine")

    class Wrong(paddle.callbacks.Callback):
        def on_train_begin(self, logs=None):
            nn.Hardshrink("a")

    data = [(np.ones([3], "float32"), np.ones([1], "float32"))]
    model = paddle.Model(nn.Linear(3, 1))
    model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
    with pytest.raises(AttributeError, match=r"^mine$"):
        model.fit(data, callbacks=[Broken()], verbose=0)
    with pytest.raises(TypeError, match=r"Hardshrink\(threshold\)"):
        model.fit(data, callbacks=[Wrong()], verbose=0)


@pytest.mark.parametrize("value", [-1.0, float("nan")])
@pytest.mark.parametrize(
    "call",
    [
        lambda v, x: nn.BatchNorm2D(4, epsilon=v),
        lambda v, x: nn.LayerNorm(3, epsilon=v),
        lambda v, x: nn.GroupNorm(2, 4, epsilon=v),
        lambda v, x: nn.InstanceNorm2D(4, epsilon=v),
        lambda v, x: nn.CosineSimilarity(eps=v),
        lambda v, x: nn.PairwiseDistance(epsilon=v),
        lambda v, x: nn.SpectralNorm([2, 2], eps=v),
        lambda v, x: F.layer_norm(x, 3, epsilon=v),
        lambda v, x: F.instance_norm(x, eps=v),
        lambda v, x: F.normalize(x, epsilon=v),
        lambda v, x: F.cosine_similarity(x, x, eps=v),
        lambda v, x: F.log_loss(paddle.ones([2, 1]), paddle.ones([2, 1]), epsilon=v),
        lambda v, x: F.dice_loss(
            paddle.ones([2, 3, 2]), paddle.ones([2, 3, 1], "int64"), epsilon=v
        ),
        lambda v, x: paddle.normal(0.0, v, [2]),
        lambda v, x: paddle.distribution.Normal(0.0, v),
    ],
)
def test_negative_epsilon_and_deviation_are_refused(call, value):
    with pytest.raises(ValueError, match=r"at least 0, but received (-1|nan)"):
        call(value, paddle.ones([2, 4, 3, 3]))


@pytest.mark.parametrize(
    "call",
    [
        lambda n: nn.GRU(2, 2, num_layers=n),
        lambda n: nn.TransformerEncoder(nn.TransformerEncoderLayer(2, 1, 2), n),
        lambda n: paddle.static.cpu_places(n),
        lambda n: paddle.io.DataLoader([1, 2], num_workers=n),
    ],
)
def test_numbers_that_would_take_forever_are_refused(call):
    with pytest.raises(ValueError, match=r"expected .*but received|got 2147483648"):
        call(2**31)


def test_windows_are_read_when_a_pool_is_made():
    for make in (
        lambda: nn.MaxPool2D("a"),
        lambda: nn.AvgPool1D(2, stride={}),
        lambda: nn.AdaptiveAvgPool2D([1, 2, 3]),
        lambda: nn.Conv2DTranspose(2, 2, 3, output_padding="a"),
    ):
        with pytest.raises((TypeError, ValueError), match=r"Pool|Conv2DTranspose\(output_padding"):
            make()


def test_a_list_of_axes_or_an_index_keeps_its_class():
    with pytest.raises(OutOfRangeError):
        paddle.gather(paddle.ones([2]), paddle.to_tensor([5]))
    with pytest.raises(FrameworkError):
        paddle.sum(paddle.ones([2]), axis=7)


def test_median_of_nothing():
    with pytest.raises(ValueError, match=r"median\(x\): expected at least one element"):
        paddle.median(paddle.zeros([0]))
    with pytest.raises(ValueError, match=r"median\(x\).*\[2, 0\]"):
        paddle.median(paddle.zeros([2, 0]), axis=1)


def test_small_integers_wrap_and_int64_does_not():
    x = paddle.full([300], 1, "int8")
    assert paddle.sum(x).item() == 44
    assert paddle.sum(x, dtype="int64").item() == 300
