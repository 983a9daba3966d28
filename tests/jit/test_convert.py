"""convert_call: what is converted, what is left alone, and Layers while something is recorded."""

from __future__ import annotations

import collections
import functools
import threading

import numpy as np
import pytest

import paddle
from paddle.core.errors import InvalidArgumentError
from paddle.jit import to_static
from paddle.jit.dy2static import convert_call as public
from paddle.jit.rewriting import convert
from paddle.jit.rewriting.convert import convert_call, converting_layers, is_user_code
from tests.static.harness import static

X = np.array([[1.0, 2.0], [3.0, 4.0]], "float32")


@pytest.fixture
def program():
    with static() as (main, _):
        yield main


def run(program, out, x=X):
    return paddle.static.Executor().run(program, feed={"x": x}, fetch_list=[out])[0]


def given():
    return paddle.static.data("x", [2, 2])


def signed(x, by=2.0, *, more=0.0):
    if x.sum() > 0:
        y = x * by
    else:
        y = x - by
    return y + more


def check(program, function, up, down, *args, **kwargs):
    """Calls the converted form; its Program does what each of the branches does."""
    out = convert_call(function)(given(), *args, **kwargs)
    np.testing.assert_allclose(run(program, out, X), up)
    np.testing.assert_allclose(run(program, out, -X), down)


def test_function(program):
    check(program, signed, X * 2, -X - 2)


def test_defaults_and_keywords(program):
    check(program, signed, X * 3 + 1, -X - 3 + 1, 3.0, more=1.0)


def test_public_name_is_the_same(program):
    out = public(signed)(given())
    np.testing.assert_allclose(run(program, out), X * 2)


def test_plain_values_give_what_python_gives():
    def function(n):
        total = 0
        while n:
            total, n = total + n, n - 1
        return total

    assert convert_call(function)(4) == 10
    x = paddle.to_tensor(-X)
    np.testing.assert_allclose(convert_call(signed)(x).numpy(), -X - 2)


class Scaled:
    by = 2.0

    def __call__(self, x):
        return self.method(x)

    def method(self, x):
        return signed(x, self.by)

    @classmethod
    def of_class(cls, x):
        return signed(x, cls.by)

    @staticmethod
    def of_none(x):
        return signed(x)


@pytest.mark.parametrize(
    "function",
    [
        Scaled(), Scaled().method, Scaled.of_class, Scaled().of_class, Scaled.of_none,
        functools.partial(signed, by=2.0), paddle.no_grad()(signed), to_static(signed),
        functools.partial(Scaled().method),
    ],
)  # fmt: skip
def test_callables(program, function):
    check(program, function, X * 2, -X - 2)


def test_decorated(program):
    def twice(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs) * 2

        return wrapper

    check(program, twice(signed), X * 4, (-X - 2) * 2)


def test_closures_of_one_code_are_told_apart(program):
    def make(by):
        def inner(x):
            if x.sum() > 0:
                return x * by
            return x

        return inner

    x = given()
    outs = [convert_call(make(by))(x) for by in (2.0, 5.0)]
    for out, by in zip(outs, (2.0, 5.0), strict=True):
        np.testing.assert_allclose(run(program, out), X * by)


def test_functions_of_one_code_keep_their_defaults():
    made = [lambda x, by=by: x * by for by in (2, 3)]
    assert [convert_call(f)(5) for f in made] == [10, 15]


def test_converted_once(monkeypatch):
    """The work is shared by all functions of one code, and told of once."""
    told = []
    monkeypatch.setattr(convert.logs, "log_transformed", told.append)

    def make():
        def inner(x):
            return x + 1

        return inner

    made = [convert_call(make()) for _ in range(3)]
    assert [f(i) for i, f in enumerate(made)] == [1, 2, 3]
    assert len({f.__wrapped__.__code__ for f in made}) == len(told) == 1


class Pair(collections.namedtuple("Pair", "a b")):
    pass


@paddle.jit.not_to_static
def kept(x):
    return x


def generating(n):
    yield from range(n)


async def waiting():
    return 1


@pytest.mark.parametrize(
    "function",
    [
        len, print, np.square, np.mean, np.ones, functools.reduce, paddle.tanh, int, Pair, Scaled,
        paddle.nn.functional.relu, functools.partial(np.mean, axis=0), kept, generating, waiting,
        "abc".upper, [].append, paddle.nn.Linear(2, 2), threading.Thread.start,
    ],
)  # fmt: skip
def test_left_alone(function):
    assert convert_call(function) is function


def test_user_code():
    assert is_user_code(signed) and is_user_code(Scaled().method)
    assert not is_user_code(paddle.tanh) and not is_user_code(functools.wraps)
    assert not is_user_code(np.mean) and not is_user_code(len)
    assert not is_user_code(pytest.raises)


def test_without_source_it_warns_once_and_runs_as_it_is(capsys):
    names: dict = {}
    exec("def typed(x):\n    return x + 1\n", names)
    typed = names["typed"]
    assert convert_call(typed) is typed and convert_call(typed)(1) == 2
    text = capsys.readouterr().err
    assert text.count("cannot be converted to a static function, it will be run as-is") == 1
    assert "WARNING: <function typed at 0x" in text


def test_inner_function_was_transformed_before(capsys):
    @to_static
    def func():
        def inner_func(x):
            return paddle.to_tensor(x)

        data = np.ones([3]).astype("int32")
        return inner_func(data)

    np.testing.assert_array_equal(func().numpy(), [1, 1, 1])
    text = capsys.readouterr().err
    assert "inner_func at 0x" in text
    assert (
        "doesn't have to be transformed to static function because it has been transformed "
        "before, it will be run as-is." in text
    )


# -- recursion -------------------------------------------------------------------------------------


def power(x, n):
    if n == 0:
        return paddle.ones_like(x)
    return x * power(x, n - 1)


def shrinking(x):
    if x.sum() > 1:
        return shrinking(x / 2)
    return x


def bounded(x, depth=3):
    if depth == 0:
        return x
    if x.sum() > 1:
        x = bounded(x / 2, depth - 1)
    return x


def test_recursion_on_python_values(program):
    out = convert_call(power)(given(), 150)
    np.testing.assert_allclose(run(program, out, X * 0 + 1), 1.0)


def test_bounded_recursion_on_a_tensor(program):
    check(program, bounded, X / 8, -X)


def test_endless_recursion_on_a_tensor(program):
    with pytest.raises(InvalidArgumentError, match="shrinking calls itself under a condition"):
        convert_call(shrinking)(given())
    assert program.num_blocks == 1
    with pytest.raises(ValueError, match="write it as a loop"):
        to_static(shrinking)(paddle.ones([2]))


# -- layers ----------------------------------------------------------------------------------------


class Choosing(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(2, 2)

    def forward(self, x, more=None):
        if x.sum() > 0:
            x = self.linear(x)
        return x if more is None else x + more


class Outer(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.inside = paddle.nn.Sequential(Choosing(), paddle.nn.ReLU(), Choosing())

    def forward(self, x):
        return self.inside(x)


@pytest.mark.parametrize("hooked", [False, True])
def test_layers_inside_of_containers(hooked):
    net = Outer()
    if hooked:
        net.inside.register_forward_pre_hook(lambda layer, inputs: signed(inputs[0]))
        net.register_forward_post_hook(lambda layer, inputs, out: signed(out, 5.0))
    wanted = [net(paddle.to_tensor(v)).numpy() for v in (X, -X)]
    converted = to_static(net) if not hooked else to_static(lambda x: net(x))
    got = [converted(paddle.to_tensor(v)).numpy() for v in (X, -X)]
    np.testing.assert_allclose(got, wanted, rtol=1e-6)


def test_numpy_inputs_and_keywords():
    net = Choosing()
    function = to_static(lambda x: net(x, more=np.ones([2, 2], "float32")))
    wanted = net(paddle.to_tensor(X), more=np.ones([2, 2], "float32"))
    np.testing.assert_allclose(function(paddle.to_tensor(X)).numpy(), wanted.numpy(), rtol=1e-6)


def test_eager_calls_are_not_touched():
    plain = paddle.nn.Layer.__call__
    net, seen = Choosing(), []
    with converting_layers():
        assert paddle.nn.Layer.__call__ is not plain
        with converting_layers():
            pass
        assert paddle.nn.Layer.__call__ is not plain

        def other():
            seen.append(net(paddle.to_tensor(X)).numpy())

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert paddle.nn.Layer.__call__ is plain
    np.testing.assert_allclose(seen[0], net(paddle.to_tensor(X)).numpy())


def test_only_the_thread_that_records_converts(program):
    errors = []

    def other():
        with static():
            try:
                Choosing()(paddle.static.data("x", [2, 2]))
            except Exception as error:
                errors.append(error)

    with converting_layers():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert "cannot be a Python condition" in str(errors[0])


def test_an_error_puts_the_call_back():
    plain = paddle.nn.Layer.__call__
    with pytest.raises(KeyError), converting_layers():
        raise KeyError("mine")
    assert paddle.nn.Layer.__call__ is plain


def test_auto_cast_inside():
    net = paddle.nn.Linear(2, 2)

    def function(x):
        with paddle.amp.auto_cast():
            y = net(x)
        if y.sum() > 0:
            y = y * 2
        return y

    wanted, got = function(paddle.to_tensor(X)), to_static(function)(paddle.to_tensor(X))
    assert got.dtype == wanted.dtype != paddle.to_tensor(X).dtype
    np.testing.assert_array_equal(got.astype("float32").numpy(), wanted.astype("float32").numpy())
