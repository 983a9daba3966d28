"""Plans: names, constants, memory, caches, scopes, threads."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import paddle
from paddle.core.errors import PreconditionNotMetError
from paddle.executor.plan import Plan
from paddle.static import Executor, Program, Scope
from tests.executor.building import building, put, run, run_plainly, started, value

F = paddle.nn.functional


# -- names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [
    "s0", "s1", "step", "bind", "writable", "list", "len", "reversed", "print", "_", "@", "x.y",
    "x²", "变量", "ﬁ", "def", "None", "match", "1x", "x y", "c", "shape", "torch", "check", "t",
    "sum_", "relu", "matmul_v2", "__import__", "x@GRAD", "",
])  # fmt: skip
def test_any_name_will_do(name):
    with building() as (main, startup):
        x = paddle.static.data(name, [2, 2], "float32")
        other = paddle.static.data("fi", [2, 2], "float32")
        w = paddle.static.create_parameter([2, 2], "float32", name="w" + name)
        y = F.relu(paddle.matmul(x, w)) + other
        loss = paddle.mean(y)
        paddle.optimizer.SGD(0.1).minimize(loss)
    scope = started(startup)
    w = value(scope, "w" + name)
    x = np.random.RandomState(1).randn(2, 2).astype("float32")
    (got,) = run(main, {name: x, "fi": x}, [y], scope)
    np.testing.assert_allclose(got, np.maximum(x @ w, 0) + x, rtol=1e-6)


def test_names_that_look_alike_are_different_variables():
    with building() as (main, _):
        names = ["a.b", "a_b", "a@b", "a b", "a_b_2"]
        vars_ = [paddle.static.data(n, [1], "float32") for n in names]
        out = paddle.concat([v * float(i + 1) for i, v in enumerate(vars_)])
    feed = {n: np.array([10.0**i], "float32") for i, n in enumerate(names)}
    (got,) = run(main, feed, [out])
    np.testing.assert_allclose(got, [1, 20, 300, 4000, 50000])


# -- constants -------------------------------------------------------------------------------------


def constant_program(finish):
    with building() as (main, _):
        x = paddle.static.data("x", [2], "float32")
        c = paddle.full([2], 0.5) + paddle.full([2], 0.25)
        out = finish(c, x)
    return main, out


CONSTANT = {
    "fetched": lambda c, x: paddle.exp(c),
    "with a feed": lambda c, x: paddle.exp(c) * x,
    "added to": lambda c, x: c + x,
    "summed": lambda c, x: paddle.add_n([c, x]),
    "relu": lambda c, x: F.relu(c) * x,
    "counted": lambda c, x: paddle.increment(c[0:1]) * x,
    "view": lambda c, x: paddle.tanh(paddle.reshape(c, [2, 1])) * x,
    "itself": lambda c, x: paddle.tanh(c),
}


@pytest.mark.parametrize("kind", CONSTANT)
def test_constants_stay_the_same_from_run_to_run(kind):
    main, out = constant_program(CONSTANT[kind])
    x = np.array([2.0, 3.0], "float32")
    (expected,) = run_plainly(main, {"x": x}, [out])
    exe, scope = Executor(paddle.CPUPlace()), Scope()
    for _ in range(3):
        (got,) = exe.run(main, {"x": x}, [out], scope=scope)
        np.testing.assert_array_equal(got, expected)


def test_constants_are_computed_once_and_random_numbers_in_every_run():
    with building() as (main, _):
        x = paddle.static.data("x", [3], "float32")
        half = paddle.full([3], 0.5) * paddle.full([3], 1.0)
        drawn = paddle.uniform([3]) * half
        dropped = F.dropout(half, 0.5)
        kept = x * half
    exe = Executor(paddle.CPUPlace())
    one = np.ones(3, "float32")
    runs = [exe.run(main, {"x": one}, [drawn, dropped, kept], scope=Scope()) for _ in range(2)]
    assert (runs[0][0] != runs[1][0]).any()
    np.testing.assert_array_equal(runs[0][2], np.full(3, 0.5, "float32"))
    source = next(iter(exe._plans.values())).source
    before, _, inside = source.partition("def step")
    assert "fill_constant(" in before and "fill_constant(" not in inside
    assert "uniform_random(" in inside and "dropout(" in inside


def test_an_operator_with_an_effect_runs_in_every_run(capsys):
    with building() as (main, _):
        seen = paddle.static.Print(paddle.full([1], 4.0), message="here")
        out = seen * 2.0
    exe = Executor(paddle.CPUPlace())
    for _ in range(2):
        assert exe.run(main, {}, [out], scope=Scope())[0][0] == 8.0
    assert capsys.readouterr().out.count("here") == 2


# -- fetches ---------------------------------------------------------------------------------------


def test_a_fetched_variable_that_is_written_again_has_its_last_value():
    with building() as (main, _):
        x = paddle.static.data("x", [2], "float32")
        y = x * 2.0
        z = F.relu(y)
        main.global_block().append_op("scale", {"X": x}, {"Out": y}, {"scale": 5.0})
        w = y + 1.0
    x = np.array([1.0, -1.0], "float32")
    got = run(main, {"x": x}, [y, z, w, y])
    expected = [[5.0, -5.0], [2.0, 0.0], [6.0, -4.0], [5.0, -5.0]]
    assert [g.tolist() for g in got] == expected


def test_fetches_may_repeat_and_be_fed():
    with building() as (main, _):
        x = paddle.static.data("x", [2], "float32")
        y = x * 2.0
    x = np.array([1.0, 2.0], "float32")
    got = run(main, {"x": x}, ["x", y, "x", y.name, [y, "x"]])
    assert [g.tolist() for g in got] == [[1, 2], [2, 4], [1, 2], [2, 4], [2, 4], [1, 2]]


def test_what_an_in_place_form_overwrites_can_still_be_fetched():
    with building() as (main, _):
        x = paddle.static.data("x", [2, 2], "float32")
        h = paddle.matmul(x, x)
        r = F.relu(h)
        t = paddle.tanh(paddle.matmul(r, x))
        s = paddle.add_n([paddle.matmul(t, x), paddle.matmul(x, t)])
    x = np.random.RandomState(2).randn(2, 2).astype("float32")
    everything = [h, r, t, s]
    expected = run_plainly(main, {"x": x}, everything)
    for i, var in enumerate(everything):
        np.testing.assert_array_equal(run(main, {"x": x}, [var])[0], expected[i])
    for got, want in zip(run(main, {"x": x}, everything), expected, strict=True):
        np.testing.assert_array_equal(got, want)


def test_sums_in_place_of_operands_that_broadcast_or_repeat():
    with building() as (main, _):
        x = paddle.static.data("x", [None, 3], "float32")
        y = paddle.static.data("y", [None, 3], "float32")
        wide = paddle.matmul(x, paddle.full([3, 3], 1.0))
        narrow = paddle.matmul(y, paddle.full([3, 3], 1.0))
        both = paddle.add(narrow, wide)
        twice = paddle.matmul(x, paddle.full([3, 3], 2.0))
        doubled = paddle.add(twice, twice)
        tripled = paddle.add_n([doubled, doubled, doubled])
    x, y = np.ones([4, 3], "float32"), np.ones([1, 3], "float32")
    got = run(main, {"x": x, "y": y}, [both, tripled])
    assert (got[0] == 6.0).all() and got[0].shape == (4, 3)
    assert (got[1] == 36.0).all()


# -- what is kept and what is dropped --------------------------------------------------------------


def source_of(main, feeds, fetches):
    return Executor(paddle.CPUPlace()).plan(main, feeds, fetches).source


def test_values_are_dropped_after_their_last_use():
    with building() as (main, _):
        x = paddle.static.data("x", [2, 2], "float32")
        a = paddle.matmul(x, x)
        b = paddle.matmul(a, x)
        c = paddle.matmul(b, a)
        d = paddle.matmul(c, c)
    lines = [t.strip() for t in source_of(main, ("x",), [d.name]).splitlines()]
    names = [v.name.replace(".", "_") for v in (a, b, c)]
    made = [next(i for i, t in enumerate(lines) if t.startswith(f"{n} = ")) for n in names]
    gone = [next(i for i, t in enumerate(lines) if t.startswith("del") and n in t) for n in names]
    assert made[2] < gone[0] and made[2] < gone[1] and gone[2] > made[2]
    assert not any(t.startswith("del") and "x" in t.split()[1:] for t in lines)


def test_attributes_can_be_read_in_the_source():
    with building() as (main, _):
        x = paddle.static.data("x", [1, 1, 8, 8], "float32")
        y = F.max_pool2d(F.max_pool2d(x, [2, 2]), [2, 2])
    source = source_of(main, ("x",), [y.name])
    assert "# ksize = [2, 2]" in source.splitlines()
    assert source.count("# ksize") == 1 and source.count("ksize=ksize") == 2


# -- plans are kept --------------------------------------------------------------------------------


def test_a_second_run_builds_nothing():
    with building() as (main, startup):
        x = paddle.static.data("x", [None, 3], "float32")
        loss = paddle.mean(paddle.static.nn.fc(x, 2))
        paddle.optimizer.Adam(0.1).minimize(loss)
    exe, scope = Executor(paddle.CPUPlace()), Scope()
    exe.run(startup, scope=scope)
    feed = {"x": np.ones([2, 3], "float32")}
    exe.run(main, feed, [loss], scope=scope)
    built = Plan.built
    for rows in (2, 3, 4):
        exe.run(main, {"x": np.ones([rows, 3], "float32")}, [loss], scope=scope)
        exe.run(main, feed, [loss.name], scope=scope, use_program_cache=True)
    other = Scope()
    exe.run(startup, scope=other)
    exe.run(main, feed, [loss], scope=other)
    assert Plan.built == built
    exe.run(main, feed, [], scope=scope)
    assert Plan.built == built + 1


def test_a_changed_program_gets_a_new_plan():
    with building() as (main, _):
        x = paddle.static.data("x", [2], "float32")
        y = x * 2.0
        exe = Executor(paddle.CPUPlace())
        feed = {"x": np.ones(2, "float32")}
        assert exe.run(main, feed, [y], scope=Scope())[0].tolist() == [2, 2]
        main.global_block().ops[0]._set_attr("scale", 7.0)
        assert exe.run(main, feed, [y], scope=Scope())[0].tolist() == [7, 7]
        main.global_block().append_op("scale", {"X": y}, {"Out": y}, {"scale": 2.0})
        assert exe.run(main, feed, [y], scope=Scope())[0].tolist() == [14, 14]
        main.global_block()._remove_op(1)
        assert exe.run(main, feed, [y], scope=Scope())[0].tolist() == [7, 7]


@pytest.mark.slow
def test_a_program_that_takes_the_place_of_a_freed_one_gets_its_own_plan():
    exe = Executor(paddle.CPUPlace())
    feed = {"x": np.ones(1, "float32")}
    for factor in range(20):
        with building() as (main, _):
            y = paddle.static.data("x", [1], "float32") * float(factor)
        assert exe.run(main, feed, [y], scope=Scope())[0][0] == factor
        ref = weakref.ref(main)
        del main, y
        gc.collect()
        assert ref() is None  # the plan does not keep the Program


# -- scopes ----------------------------------------------------------------------------------------


def doubling():
    with building() as (main, _):
        w = paddle.static.create_parameter([1], "float32", name="w")
        y = w * 2.0
    return main, y


def test_variables_may_be_erased_and_set_anew():
    main, y = doubling()
    exe, scope = Executor(paddle.CPUPlace()), Scope()
    put(scope, "w", [1.0])
    assert exe.run(main, {}, [y], scope=scope)[0][0] == 2.0
    put(scope, "w", [3.0])
    assert exe.run(main, {}, [y], scope=scope)[0][0] == 6.0
    scope.erase(["w"])
    with pytest.raises(PreconditionNotMetError, match="parameter 'w' is not initialized"):
        exe.run(main, {}, [y], scope=scope)
    put(scope, "w", [5.0])
    assert exe.run(main, {}, [y], scope=scope)[0][0] == 10.0


def test_a_scope_inside_another_one_sees_its_values_until_it_has_its_own():
    main, y = doubling()
    exe, scope = Executor(paddle.CPUPlace()), Scope()
    kid = scope.new_scope()
    with pytest.raises(PreconditionNotMetError, match="not initialized"):
        exe.run(main, {}, [y], scope=kid)
    assert kid.find_var("w") is None  # what failed leaves nothing behind
    put(scope, "w", [1.0])
    assert exe.run(main, {}, [y], scope=kid)[0][0] == 2.0
    put(kid, "w", [4.0])
    assert exe.run(main, {}, [y], scope=kid)[0][0] == 8.0
    assert exe.run(main, {}, [y], scope=scope)[0][0] == 2.0
    kid.erase(["w"])
    assert exe.run(main, {}, [y], scope=kid)[0][0] == 2.0


def test_training_inside_a_scope_updates_the_outer_one():
    with building() as (main, startup):
        x = paddle.static.data("x", [1, 1], "float32")
        w = paddle.static.create_parameter([1, 1], "float32", name="w")
        loss = paddle.sum(paddle.matmul(x, w))
        rate = paddle.optimizer.lr.StepDecay(0.5, 1, 0.5)
        paddle.optimizer.SGD(rate).minimize(loss)
    scope = started(startup)
    put(scope, "w", [[1.0]])
    kid = scope.new_scope()
    run(main, {"x": np.ones([1, 1], "float32")}, [], kid)
    assert value(scope, "w")[0, 0] == 0.5 and kid.local_var_names() == []


def test_a_scope_is_freed_with_its_values():
    main, y = doubling()
    exe = Executor(paddle.CPUPlace())
    scope = Scope()
    put(scope, "w", [1.0])
    exe.run(main, {}, [y], scope=scope)
    tensor = weakref.ref(scope.find_var("w").get_tensor().tensor)
    del scope
    gc.collect()
    assert tensor() is None


def test_a_variable_that_is_not_stored_is_not_left_in_the_scope():
    with building() as (main, startup):
        x = paddle.static.data("x", [None, 3], "float32")
        y = paddle.static.nn.fc(x, 2, name="last")
    scope = started(startup)
    run(main, {"x": np.ones([1, 3], "float32")}, [y], scope)
    assert sorted(scope.local_var_names()) == ["last.b_0", "last.w_0"]


# -- threads ---------------------------------------------------------------------------------------


def in_threads(count, work):
    errors = []

    def guarded(i):
        try:
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors, errors


def test_threads_share_an_executor_with_scopes_of_their_own():
    with building() as (main, startup):
        x = paddle.static.data("x", [None, 2], "float32")
        image = paddle.static.data("image", [None, 1, 4, 4], "float32")
        conv = paddle.nn.Conv2D(1, 2, 3)(image)
        normed = paddle.static.nn.batch_norm(conv, is_test=True)
        w = paddle.static.create_parameter([2, 1], "float32", name="w")
        loss = paddle.sum(paddle.matmul(x, w))
        paddle.optimizer.Adam(0.1).minimize(loss)
    exe = Executor(paddle.CPUPlace())
    scopes = [started(startup, seed) for seed in (1, 2, 3)]
    rng = np.random.RandomState(0)
    feed = {
        "x": rng.randn(2, 2).astype("float32"),
        "image": rng.randn(1, 1, 4, 4).astype("float32"),
    }
    want = [run(main, feed, [normed], s) for s in [started(startup, seed) for seed in (1, 2, 3)]]
    losses = []
    for seed in (1, 2, 3):
        alone = started(startup, seed)
        own = Executor(paddle.CPUPlace())
        losses.append([own.run(main, feed, [loss], scope=alone)[0][0] for _ in range(20)])

    def work(i):
        for step in range(20):
            got = exe.run(main, feed, [loss, normed], scope=scopes[i])
            assert got[0][0] == losses[i][step]
            np.testing.assert_array_equal(got[1], want[i][0])

    in_threads(3, work)


def test_two_executors_take_turns_on_one_scope():
    with building() as (main, startup):
        x = paddle.static.data("x", [1, 2], "float32")
        w = paddle.static.create_parameter([2, 1], "float32", name="w")
        w2 = paddle.static.create_parameter([2, 1], "float32", name="w2")
        loss = paddle.sum(paddle.matmul(x, w) * paddle.matmul(x, w2))
        paddle.optimizer.Adam(0.1).minimize(loss)
    feed = {"x": np.array([[1.0, 2.0]], "float32")}
    one, two = Executor(paddle.CPUPlace()), Executor(paddle.CPUPlace())
    alone, shared = started(startup), started(startup)
    for step in range(6):
        (want,) = one.run(main, feed, [loss], scope=alone)
        (got,) = (one, two)[step % 2].run(main, feed, [loss], scope=shared)
        assert want[0] == got[0], step


def test_programs_with_seeds_of_their_own_draw_alike_in_threads():
    programs = []
    for seed in (3, 4):
        with building() as (main, _):
            main.random_seed = seed
            programs.append((main, paddle.uniform([4])))
    alone = [[run(m.clone(), {}, [y.name])[0] for _ in range(1)] for m, y in programs]
    exe = Executor(paddle.CPUPlace())
    outside = paddle.seed(11)
    first = paddle.rand([3]).numpy()
    paddle.seed(11)
    drawn = [[], []]

    def work(i):
        for _ in range(30):
            drawn[i].append(exe.run(programs[i][0], {}, [programs[i][1]], scope=Scope())[0])

    in_threads(2, work)
    for i in range(2):
        np.testing.assert_array_equal(drawn[i][0], alone[i][0])
    np.testing.assert_array_equal(paddle.rand([3]).numpy(), first)
    assert outside is not None


def test_a_closed_executor_says_so():
    exe = Executor(paddle.CPUPlace())
    exe.close()
    with pytest.raises(PreconditionNotMetError, match="closed"):
        exe.run(Program())


def test_operators_that_only_plans_know_are_listed():
    """What has no kernel has an emitter, but for what is never run."""
    from paddle.core.op import REGISTRY
    from paddle.executor.codegen import EMITTERS
    from paddle.ir.operator import definition

    never = {"feed", "fetch", "custom_gradient", "gradient_hook"}
    kernelless = {op.name for op in REGISTRY.values() if not op.has_kernel}
    assert kernelless - never == {name for name in EMITTERS if definition(name) is None}
    assert all(name in kernelless for name in never)
    assert definition("while_grad") is None and definition("relu_grad") is not None


def test_a_small_program_imports_few_families():
    code = (
        "import paddle, sys; paddle.enable_static(); s = paddle.static\n"
        "x = s.data('x', [None, 4]); loss = paddle.mean(s.nn.fc(x, 2, activation='relu'))\n"
        "paddle.optimizer.Adam().minimize(loss); exe = s.Executor()\n"
        "exe.run(s.default_startup_program())\n"
        "exe.run(feed={'x': __import__('numpy').ones([3, 4], 'float32')}, fetch_list=[loss])\n"
        "print(sum(m.startswith('paddle.ops.') for m in sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(found.stdout) < 40
