"""What a program catches in PaddlePaddle it catches here.

The classes beside the calls are those that PaddlePaddle 2.6.2 raises for them.
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.core import errors

X, W = paddle.ones([2, 3]), paddle.ones([3, 4], "float64")
MASK, NUMBERS = paddle.to_tensor([True, False]), paddle.to_tensor([0, 1])
IMAGE = paddle.ones([2, 3, 8, 8])


def t(*values: float) -> paddle.Tensor:
    return paddle.to_tensor(list(values))


CALLS: list[tuple[type, Callable]] = [
    # an argument that is no Tensor
    (ValueError, lambda: paddle.exp(3)),
    (ValueError, lambda: paddle.exp(np.ones(2))),
    (ValueError, lambda: paddle.add(X, None)),
    (ValueError, lambda: paddle.add(X, "a")),
    (ValueError, lambda: paddle.matmul(X, np.ones([3, 2]))),
    (ValueError, lambda: X + None),
    (ValueError, lambda: X + [1, 2]),
    (ValueError, lambda: X % None),
    (ValueError, lambda: F.relu(None)),
    (ValueError, lambda: nn.Linear(3, 4)(None)),
    (ValueError, lambda: F.cross_entropy(np.ones([2, 3]), NUMBERS)),
    (ValueError, lambda: paddle.concat([])),
    (ValueError, lambda: paddle.add_n(3)),
    (ValueError, lambda: paddle.cast(3, "float32")),
    # attributes of a wrong type
    (ValueError, lambda: F.softmax(X, axis="a")),
    (ValueError, lambda: F.leaky_relu(X, "a")),
    (ValueError, lambda: paddle.reshape(X, "a")),
    (ValueError, lambda: paddle.reshape(X, None)),
    (ValueError, lambda: X.reshape(4)),
    (ValueError, lambda: paddle.transpose(X, None)),
    (ValueError, lambda: paddle.unsqueeze(X, "a")),
    (ValueError, lambda: paddle.sum(X, axis="a")),
    (ValueError, lambda: paddle.ones([2.5])),
    (ValueError, lambda: paddle.full([2], "a")),
    (ValueError, lambda: paddle.arange("a")),
    (ValueError, lambda: paddle.to_tensor(["a"])),
    (ValueError, lambda: X["a"]),
    (ValueError, lambda: X[0.5]),
    (ValueError, lambda: X.clone().__setitem__(0, "a")),
    (ValueError, lambda: nn.Conv2D(3, 4, "a")),
    (ValueError, lambda: nn.ClipGradByNorm("a")),
    (ValueError, lambda: paddle.optimizer.SGD(None, parameters=[X])),
    (ValueError, lambda: paddle.optimizer.Momentum(0.1, None, parameters=[X])),
    (ValueError, lambda: paddle.save({}, 3)),
    (ValueError, lambda: paddle.static.InputSpec.from_tensor(3)),
    (ValueError, lambda: paddle.static.Executor(3)),
    (ValueError, lambda: nn.Linear(2, 2).to(3)),
    # data types
    (ValueError, lambda: nn.Linear(3, 4)(X.astype("float64"))),
    (ValueError, lambda: nn.Linear(3, 4)(np.ones([2, 3]))),
    (ValueError, lambda: nn.Linear(3, 4)(paddle.to_tensor([[1, 2, 3]]))),
    (ValueError, lambda: nn.Conv2D(3, 4, 3)(IMAGE.astype("float64"))),
    (ValueError, lambda: nn.BatchNorm2D(3)(IMAGE.astype("float64"))),
    (ValueError, lambda: F.linear(X, W)),
    (RuntimeError, lambda: F.relu(MASK)),
    (RuntimeError, lambda: F.softmax(NUMBERS)),
    (RuntimeError, lambda: paddle.abs(MASK)),
    (RuntimeError, lambda: ~X),
    (RuntimeError, lambda: X & X),
    (RuntimeError, lambda: F.one_hot(t(1.5), 3)),
    (RuntimeError, lambda: paddle.randn([2], "int32")),
    (TypeError, lambda: paddle.cast(X, "foo")),
    (TypeError, lambda: paddle.ones([2], "foo")),
    (TypeError, lambda: paddle.to_tensor([1], dtype="foo")),
    (TypeError, lambda: nn.Linear(2, 2).to(dtype="foo")),
    # positions
    (IndexError, lambda: X[5]),
    (ValueError, lambda: nn.Embedding(10, 4)(paddle.to_tensor([10]))),
    (ValueError, lambda: F.nll_loss(X, paddle.to_tensor([5, 0]))),
    (ValueError, lambda: F.cross_entropy(X, paddle.to_tensor([5, 0]))),
    (ValueError, lambda: paddle.gather_nd(X, paddle.to_tensor([[5, 5]]))),
    (ValueError, lambda: paddle.index_select(X, paddle.to_tensor([5]))),
    (ValueError, lambda: X.item(10)),
    (ValueError, lambda: X.sum(axis=5)),
    (ValueError, lambda: paddle.concat([X, X], axis=5)),
    (IndexError, lambda: paddle.gather(X, paddle.to_tensor([0]), axis=5)),
    (IndexError, lambda: paddle.index_select(X, paddle.to_tensor([0]), axis=5)),
    (IndexError, lambda: paddle.cumsum(X, axis=5)),
    # what is not there
    (ValueError, lambda: paddle.jit.load("nowhere")),
    (ValueError, lambda: paddle.load("nowhere")),
    (FileNotFoundError, lambda: paddle.vision.datasets.DatasetFolder("nowhere")),
    (ValueError, lambda: paddle.grad(X, X)),
    (ValueError, lambda: paddle.grad(X.sum(), nn.Linear(2, 2).weight)),
]


@pytest.mark.parametrize(("kind", "call"), CALLS, ids=[str(i) for i in range(len(CALLS))])
def test_the_class_is_caught(
    kind: type, call: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind) as caught:
        call()
    back = pickle.loads(pickle.dumps(caught.value))
    assert type(back) is type(caught.value) and str(back) == str(caught.value)


def test_types_that_python_checks_stay_type_errors() -> None:
    for call in (lambda: paddle.exp(3), lambda: X[0.5], lambda: F.relu(MASK), lambda: X + None):
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda: nn.Linear(3, 4)(X.astype("float64")), 'x.astype("float32")'),
        (lambda: nn.Linear(3, 4)(np.ones([2, 3])), 'x.astype("float32")'),
        (lambda: nn.BatchNorm2D(3)(IMAGE.astype("float64")), 'x.astype("float32")'),
        (lambda: nn.Conv2D(3, 4, 3)(IMAGE.astype("float64")), 'input.astype("float32")'),
        (lambda: F.linear(X, W), 'w.astype("float32")'),
        (lambda: F.relu(MASK), "cast the inputs with astype."),
    ],
)
def test_two_types_that_meet_name_the_cast(call: Callable, hint: str) -> None:
    with pytest.raises(ValueError) as caught:
        call()
    assert hint in str(caught.value).partition("[Hint: ")[2]


class Programs:
    """Calls of static mode."""

    def setup_method(self) -> None:
        paddle.enable_static()

    def teardown_method(self) -> None:
        paddle.disable_static()


class TestPrograms(Programs):
    def test_what_is_not_fed_or_not_initialized(self) -> None:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            x = paddle.static.data("x", [None, 3])
            out = nn.Linear(3, 4)(x)
        exe = paddle.static.Executor()
        feed = {"x": np.ones([2, 3], "float32")}
        with paddle.static.scope_guard(paddle.static.Scope()):
            with pytest.raises(ValueError, match="is not initialized"):
                exe.run(main, feed, [out])
            exe.run(startup)
            with pytest.raises(ValueError, match="nothing was fed for it"):
                exe.run(main, {}, [out])
            with pytest.raises(RuntimeError, match="nothing was fed for it"):
                exe.run(main, {}, [out])
            with pytest.raises(ValueError, match="array or numbers"):
                exe.run(main, {"x": "a"}, [out])

    @pytest.mark.parametrize("protocol", [float, len, int])
    def test_a_variable_is_no_number(self, protocol: Callable) -> None:
        with paddle.static.program_guard(paddle.static.Program()):
            x = paddle.static.data("x", [None, 3])
            with pytest.raises(TypeError, match="no value before a run"):
                protocol(x)

    def test_names(self) -> None:
        with paddle.static.program_guard(paddle.static.Program()):
            block = paddle.static.default_main_program().global_block()
            with pytest.raises(ValueError, match="nope"):
                block.append_op("nope", {}, {})
            with pytest.raises(TypeError, match="data type"):
                paddle.static.data("x", [2], "foo")


def test_a_mask_beside_a_number_needs_no_warning() -> None:
    x = paddle.to_tensor([1.0, 3.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (x * (x > 2)).numpy().tolist() == [0.0, 3.0]
        assert (NUMBERS + MASK).numpy().tolist() == [1, 1]
    with pytest.warns(UserWarning, match="left and right"):  # this loses something
        (x > 2) * x


def test_classes_say_what_they_are() -> None:
    for kind in vars(errors).values():
        if isinstance(kind, type) and issubclass(kind, Exception):
            assert kind.__doc__ and kind.__module__ == errors.__name__
