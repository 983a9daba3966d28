"""Executor.run: feeds, fetches, scopes, and what is said when they are wrong."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import paddle
import paddle.static as static
from paddle.core.errors import InvalidArgumentError, NotFoundError, PreconditionNotMetError
from paddle.executor.plan import Plan
from tests.executor.building import building, put, run, started, value

X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "float32")


@pytest.fixture
def exe():
    return static.Executor(paddle.CPUPlace())


def doubled(shape=(None, 3), dtype="float32", **options):
    """A Program that doubles what is fed."""
    with building() as (main, _):
        out = paddle.scale(static.data("x", list(shape), dtype, **options), 2.0)
    return main, out


# -- feeds -----------------------------------------------------------------------------------------


def lod_tensor(array, lengths=()):
    holder = static.Scope().var("t").get_tensor()
    holder.set(array, paddle.CPUPlace())
    if lengths:
        holder.set_recursive_sequence_lengths([list(lengths)])
    return holder


READ_ONLY = X.copy()
READ_ONLY.flags.writeable = False
FEEDS = {
    "array": X,
    "list": X.tolist(),
    "tuple": tuple(map(tuple, X.tolist())),
    "Tensor": paddle.to_tensor(X),
    "LoDTensor": lod_tensor(X),
    "view": np.asfortranarray(X),
    "negative strides": X[::-1][::-1],
    "read only": READ_ONLY,
}


@pytest.mark.parametrize("kind", FEEDS)
def test_what_may_be_fed(exe, kind):
    main, out = doubled()
    (got,) = exe.run(main, feed={"x": FEEDS[kind]}, fetch_list=[out], scope=static.Scope())
    np.testing.assert_array_equal(got, X * 2)
    assert got.dtype == np.float32


def test_a_number_is_a_tensor_of_one_element(exe):
    main, out = doubled([1])
    for fed in (3.0, 3, np.float32(3), [3], np.array(3.0, "float32")):
        assert exe.run(main, {"x": fed}, [out], scope=static.Scope())[0].tolist() == [6.0]


def test_a_variable_may_be_the_key_and_a_feed_the_only_entry_of_a_list(exe):
    main, out = doubled()
    x = main.global_block().var("x")
    for feed in ({x: X}, [{"x": X}], ({"x": X},)):
        np.testing.assert_array_equal(exe.run(main, feed, [out], scope=static.Scope())[0], X * 2)


def test_what_is_fed_stays_as_it_was(exe):
    with building() as (main, _):
        x = static.data("x", [None, 3])
        out = paddle.nn.functional.relu(x - 3.0)
        paddle.assign(x * 0.0, x)
    fed = X.copy()
    (got,) = exe.run(main, {"x": fed}, [out], scope=static.Scope())
    np.testing.assert_array_equal(fed, X)
    got += 1.0
    np.testing.assert_array_equal(fed, X)


def test_an_intermediate_variable_may_be_fed(exe):
    with building() as (main, _):
        middle = paddle.tanh(static.data("x", [None, 3]))
        out = middle * 2.0
    feed = {middle.name: X}
    (got,) = exe.run(main, feed, [out], scope=static.Scope(), use_prune=True)
    np.testing.assert_array_equal(got, X * 2)


# -- fetches ---------------------------------------------------------------------------------------


def test_fetches_by_variable_by_name_and_alone(exe):
    main, out = doubled()
    for fetch in ([out], [out.name], out, out.name, (out,), [[out]]):
        got = exe.run(main, {"x": X}, fetch, scope=static.Scope())
        assert len(got) == 1
        np.testing.assert_array_equal(got[0], X * 2)
    assert exe.run(main, {"x": X}, scope=static.Scope()) == []
    assert exe.run(main, {"x": X}, [], scope=static.Scope()) == []


def test_tensors_instead_of_arrays(exe):
    main, out = doubled()
    (got,) = exe.run(main, {"x": X}, [out], scope=static.Scope(), return_numpy=False)
    assert not isinstance(got, np.ndarray) and got.shape() == [2, 3] and got.lod() == []
    np.testing.assert_array_equal(np.array(got), X * 2)


def test_what_is_fetched_stays_as_it_was(exe):
    with building() as (main, startup):
        w = static.create_parameter([1, 3], "float32", name="w")
        loss = paddle.sum(static.data("x", [None, 3]) * w)
        paddle.optimizer.SGD(1.0).minimize(loss)
    scope = started(startup)
    put(scope, "w", np.zeros([1, 3], "float32"))
    arrays, tensors = [], []
    for _ in range(2):
        arrays += exe.run(main, {"x": X}, ["w"], scope=scope)
        tensors += exe.run(main, {"x": X}, ["w"], scope=scope, return_numpy=False)
    step = X.sum(0)
    for i, got in enumerate((arrays[0], tensors[0], arrays[1], tensors[1]), 1):
        np.testing.assert_allclose(np.array(got)[0], -i * step)
    arrays[0][:] = 7.0
    np.testing.assert_allclose(value(scope, "w")[0], -4 * step)


def test_the_names_of_1x_for_feed_and_fetch_variables(exe):
    main, out = doubled()
    (got,) = exe.run(main, {"x": X}, [out], "in", "out", static.Scope())
    np.testing.assert_array_equal(got, X * 2)


def test_the_default_program_and_scope(exe):
    scope = static.Scope()
    with building() as (_main, startup), static.scope_guard(scope):
        out = static.nn.fc(static.data("x", [None, 3]), 2, bias_attr=False, name="only")
        exe.run(startup)
        (got,) = exe.run(feed={"x": X}, fetch_list=[out])
    np.testing.assert_allclose(got, X @ value(scope, "only.w_0"), rtol=1e-6)


def test_use_prune_leaves_out_the_update(exe):
    with building() as (main, startup):
        loss = paddle.mean(static.nn.fc(static.data("x", [None, 3]), 2, name="f"))
        paddle.optimizer.SGD(1.0).minimize(loss)
    scope = started(startup)
    before = value(scope, "f.w_0")
    exe.run(main, {"x": X}, [loss], scope=scope, use_prune=True)
    np.testing.assert_array_equal(value(scope, "f.w_0"), before)
    exe.run(main, {"x": X}, [loss], scope=scope)
    assert (value(scope, "f.w_0") != before).all()


# -- plans -----------------------------------------------------------------------------------------


def test_what_makes_a_new_plan_and_what_does_not(exe):
    main, out = doubled()
    scope = static.Scope()

    def made(**options):
        before = Plan.built
        options = {"feed": {"x": X}, "fetch_list": [out], "scope": scope} | options
        exe.run(main, **options)
        return Plan.built - before

    assert made() == 1
    for _ in range(3):
        assert made() == 0
    assert made(use_program_cache=True) == made(return_numpy=False) == made(feed={"x": X[:1]}) == 0
    assert made(scope=static.Scope()) == made(fetch_list=[out.name]) == 0
    assert made(fetch_list=[out, "x"]) == 1 and made(fetch_list=[]) == 1
    assert made(use_prune=True) == 1 and made(use_prune=True) == 0
    main.global_block().ops[0]._set_attr("scale", 3.0)
    assert made() == 1 and made() == 0
    with static.program_guard(main):
        paddle.enable_static()
        try:
            extra = out + 1.0
        finally:
            paddle.disable_static()
    assert made() == 1 and made(fetch_list=[extra]) == 1 and made() == 0


# -- wrong use -------------------------------------------------------------------------------------

NET_LINE = "h = paddle.matmul(x, w) + y"


def network():
    with building() as (main, startup):
        x, y = static.data("x", [None, 3]), static.data("y", [None, 2])
        w = static.create_parameter([3, 2], "float32", name="w")
        h = paddle.matmul(x, w) + y
        main.global_block().create_var(name="lost", shape=[2], dtype="float32")
    return main, startup, h


Y = np.ones([2, 2], "float32")


def mine(text):
    """Says whether a message shows the line of the network."""
    lines, first = inspect.getsourcelines(network)
    number = first + next(i for i, line in enumerate(lines) if NET_LINE in line)
    return f'File "{__file__}", line {number}, in network' in text and NET_LINE in text


def test_a_missing_feed_names_the_operator_and_the_line(exe):
    main, startup, out = network()
    with pytest.raises(PreconditionNotMetError) as caught:
        exe.run(main, {"x": X}, [out], scope=started(startup))
    text = str(caught.value)
    assert "variable 'y' is needed by operator elementwise_add, but nothing was fed for it" in text
    assert "fed were ['x']" in text and "Executor.run(feed={'y': array})" in text and mine(text)


def test_a_missing_feed_that_the_fetched_values_do_not_need_is_none(exe):
    main, startup, _ = network()
    product = main.global_block().ops[0].output_arg_names[0]
    assert exe.run(main, {"x": X}, [product], scope=started(startup))[0].shape == (2, 2)


def test_an_unknown_feed(exe):
    main, startup, out = network()
    with pytest.raises(
        NotFoundError, match=r"no variable 'z' in .* data variables are \['x', 'y'\]"
    ):
        exe.run(main, {"x": X, "y": Y, "z": Y}, [out], scope=started(startup))


WRONG = [
    (X.astype("float64"), InvalidArgumentError, "expected to be float32, but received float64"),
    (X.astype("int64"), InvalidArgumentError, r"float32, but received int64[\s\S]*astype"),
    (X[0], InvalidArgumentError, r"expected to have shape \[-1, 3\] .*received \[3\]"),
    (X[:, :2], InvalidArgumentError, r"expected to have shape \[-1, 3\] .*received \[2, 2\]"),
    (X[None], InvalidArgumentError, r"shape \[-1, 3\] .*received \[1, 2, 3\]"),
    (paddle.to_tensor(X.astype("float64")), InvalidArgumentError, "but received float64"),
    ([[1.0, 2.0, 3.0], [4.0]], TypeError, "'x' is expected to be an array or numbers"),
    ("abc", TypeError, r"'x' is expected to be an array or numbers.* str"),
    (None, TypeError, r"'x' is expected to be an array or numbers.*NoneType"),
    ([[1.0, None, 3.0]], TypeError, r"'x' is expected .*received list: it holds None"),
    ("3.0", TypeError, r"'x' is expected to be an array or numbers.* str"),
    (object(), TypeError, r"'x' is expected to be an array or numbers.*object"),
]


@pytest.mark.parametrize(("fed", "error", "message"), WRONG)
def test_a_wrong_feed(exe, fed, error, message):
    main, startup, out = network()
    with pytest.raises(error, match=message):
        exe.run(main, {"x": fed, "y": Y}, [out], scope=started(startup))


@pytest.mark.parametrize("feed", [X, "x", 3, [{"x": X}, {"x": X}]])
def test_a_feed_that_is_no_dict(exe, feed):
    main, _, out = network()
    with pytest.raises(TypeError, match=rf"expected a dict .*received {type(feed).__name__}"):
        exe.run(main, feed, [out], scope=static.Scope())


def test_shapes_that_do_not_fit_each_other_name_the_line(exe):
    main, startup, out = network()
    with pytest.raises(ValueError, match="elementwise_add") as caught:
        exe.run(main, {"x": X, "y": np.ones([3, 2], "float32")}, [out], scope=started(startup))
    assert mine(str(caught.value))


def test_fetching_what_nothing_makes(exe):
    main, startup, _ = network()
    feed = {"x": X, "y": Y}
    with pytest.raises(
        PreconditionNotMetError, match="'lost' is to be fetched, but it has no value"
    ):
        exe.run(main, feed, ["lost"], scope=started(startup))
    with pytest.raises(NotFoundError, match=r"fetch_list\): there is no variable 'nothing'"):
        exe.run(main, feed, ["nothing"], scope=started(startup))
    with pytest.raises(PreconditionNotMetError, match="'y' is needed by operator fetch"):
        exe.run(main, {"x": X}, ["y"], scope=started(startup))
    for wrong, kind in (([3], "int"), ([None], "NoneType"), ([X], "ndarray"), (3, "int")):
        with pytest.raises(TypeError, match=rf"fetch_list\): expected .* {kind}\."):
            exe.run(main, feed, wrong, scope=started(startup))


def test_a_variable_of_another_program(exe):
    main, startup, _ = network()
    with building() as (_other, _):
        foreign = paddle.exp(static.data("z", [1]))
    with pytest.raises(NotFoundError, match=f"no variable '{foreign.name}'"):
        exe.run(main, {"x": X, "y": Y}, [foreign], scope=started(startup))


def test_startup_was_not_run(exe):
    main, startup, out = network()
    scope = static.Scope()
    with pytest.raises(PreconditionNotMetError) as caught:
        exe.run(main, {"x": X, "y": Y}, [out], scope=scope)
    text = str(caught.value)
    assert "parameter 'w' is not initialized: the scope holds no value for it" in text
    assert "run the startup program first" in text
    exe.run(startup, scope=scope)
    assert exe.run(main, {"x": X, "y": Y}, [out], scope=scope)[0].shape == (2, 2)


@pytest.mark.parametrize("program", [3, "main", object(), [None]])
def test_what_is_no_program(exe, program):
    with pytest.raises(TypeError, match=rf"Program or .*received {type(program).__name__}"):
        exe.run(program)


def test_a_scope_of_another_type(exe):
    main, out = doubled()
    with pytest.raises(TypeError, match=r"Executor.run\(scope\): expected a Scope.*received dict"):
        exe.run(main, {"x": X}, [out], scope={})


@pytest.mark.parametrize("place", [3, object(), [paddle.CPUPlace()]])
def test_a_wrong_place(place):
    with pytest.raises(TypeError, match=rf"Executor\(place\).*received {type(place).__name__}"):
        static.Executor(place)


def test_places(exe):
    main, out = doubled()
    for place in (None, "cpu", paddle.CPUPlace()):
        got = static.Executor(place).run(main, {"x": X}, [out], scope=static.Scope())[0]
        np.testing.assert_array_equal(got, X * 2)


def test_closed(exe):
    main, out = doubled()
    exe.run(main, {"x": X}, [out], scope=static.Scope())
    exe.close()
    exe.close()
    with pytest.raises(PreconditionNotMetError, match="the executor was closed"):
        exe.run(main, {"x": X}, [out], scope=static.Scope())
    assert run(main, {"x": X}, [out])[0].shape == (2, 3)  # another one is not closed


@pytest.mark.parametrize("name", ["train_from_dataset", "infer_from_dataset"])
def test_no_dataset(exe, name):
    with pytest.raises(RuntimeError, match="dataset is need and should be initialized"):
        getattr(exe, name)(program=static.Program(), debug=True)
    with pytest.raises(
        TypeError, match=rf"Executor.{name}\(dataset\): expected a dataset of files"
    ):
        getattr(exe, name)(program=static.Program(), dataset=[1])


def test_no_trainer_of_the_parameter_server(exe):
    with pytest.raises(NotImplementedError, match="there is no parameter server; use train_from"):
        exe.start_heter_trainer(program=static.Program(), debug=True)


@pytest.mark.parametrize("writable", [True, False])
def test_bits_of_bfloat16_are_fed_as_numpy_holds_them(exe, writable):
    main, out = doubled(dtype="bfloat16")
    bits = np.full((2, 3), 0x3F80, "uint16")  # 1.0
    bits.flags.writeable = writable
    (found,) = exe.run(main, feed={"x": bits}, fetch_list=[out])
    assert found.dtype == np.uint16 and (found == 0x4000).all()  # 2.0
