"""Several CPU places: divided feeds, joined gradients, fetched values, errors."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
import paddle.static as static
from paddle.core.errors import (
    InvalidArgumentError,
    NotFoundError,
    PreconditionNotMetError,
    UnimplementedError,
)
from paddle.core.rings import Alone, rings
from paddle.distributed.fleet.meta_optimizers.fp16_allreduce import _in_16_bits
from paddle.distributed.transpiler.inserting import insert_allreduce
from paddle.executor.plan import Plan
from paddle.ir.operator import Role
from tests.executor.building import building, started, value

F = paddle.nn.functional
Scale = static.BuildStrategy.GradientScaleStrategy
Reduce = static.BuildStrategy.ReduceStrategy
RNG = np.random.RandomState(4)
X = {
    "x": RNG.randn(8, 3).astype("float32"),
    "label": RNG.randint(0, 4, (8, 1)).astype("int64"),
}


def classifier(optimizer=None, norm=False):
    """A network that trains on X: (main, startup, loss, logits)."""
    with building() as (main, startup):
        x = static.data("x", [None, 3])
        label = static.data("label", [None, 1], "int64")
        hidden = static.nn.fc(x, 6, activation="relu")
        if norm:
            hidden = static.nn.batch_norm(hidden, moving_mean_name="mean", moving_variance_name="v")
        logits = static.nn.fc(hidden, 4)
        loss = paddle.mean(F.softmax_with_cross_entropy(logits, label))
        (optimizer or OPTIMIZERS["sgd"])().minimize(loss)
    return main, startup, loss, logits


def compiled(main, loss, count=2, build=None, execution=None):
    return static.CompiledProgram(main).with_data_parallel(
        getattr(loss, "name", loss), build, execution, places=static.cpu_places(count)
    )


def weights(scope):
    return [value(scope, f"fc_{i}.{kind}_0") for i in (0, 1) for kind in "wb"]


def strategy(**switches):
    build = static.BuildStrategy()
    for name, given in switches.items():
        setattr(build, name, given)
    return build


# -- training --------------------------------------------------------------------------------------

OPTIMIZERS = {
    "sgd": lambda: paddle.optimizer.SGD(0.2),
    "adam": lambda: paddle.optimizer.Adam(0.05),
    "momentum": lambda: paddle.optimizer.Momentum(
        paddle.optimizer.lr.StepDecay(0.1, 2), weight_decay=0.1,
        grad_clip=paddle.nn.ClipGradByGlobalNorm(0.3),
    ),
}  # fmt: skip


@pytest.mark.parametrize("reduce", ["AllReduce", "Reduce"])
@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_equal_parts_train_like_one_place(kind, count, reduce):
    main, startup, loss, _ = classifier(OPTIMIZERS[kind])
    alone, shared = started(startup), started(startup)
    exe = static.Executor(paddle.CPUPlace())
    build = strategy(reduce_strategy=getattr(Reduce, reduce))
    several = compiled(main, loss, count, build)
    for _ in range(3):
        (want,) = exe.run(main, X, [loss], scope=alone)
        (got,) = exe.run(several, X, [loss], scope=shared)
        assert got.shape == (count,)
        np.testing.assert_allclose(got.mean(), want[0], rtol=1e-5)
    for a, b in zip(weights(shared), weights(alone), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def gradient_step(build, feed=X, count=2, rate=1.0):
    """By how much a step moves the weights, and the gradients of the parts one by one."""
    main, startup, loss, _ = classifier(lambda: paddle.optimizer.SGD(rate))
    exe = static.Executor(paddle.CPUPlace())
    scope = started(startup)
    before = weights(scope)
    exe.run(compiled(main, loss, count, build), feed, [], scope=scope)
    moved = [b - a for a, b in zip(weights(scope), before, strict=True)]
    names = [f"fc_{i}.{kind}_0@GRAD" for i in (0, 1) for kind in "wb"]
    rows = -(-len(X["x"]) // count)
    parts = [{k: v[i : i + rows] for k, v in X.items()} for i in range(0, 8, rows)]
    return moved, [exe.run(main, p, names, scope=started(startup)) for p in parts]


@pytest.mark.parametrize("scale", ["CoeffNumDevice", "One", "Customized"])
def test_gradient_scale_strategies(scale):
    main, _, loss, _ = classifier()
    build = strategy(gradient_scale_strategy=getattr(Scale, scale))
    feed, factors = X, {"CoeffNumDevice": (0.5, 0.5), "One": (1, 1), "Customized": (3, -2)}[scale]
    if scale == "Customized":
        feed = {**X, loss.name + "@GRAD": np.array([3.0, -2.0], "float32")}
    moved, parts = gradient_step(build, feed)
    for i, got in enumerate(moved):
        want = sum(f * part[i] for f, part in zip(factors, parts, strict=True))
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-6)
    assert main is not None


def test_an_uneven_batch_gives_the_first_places_one_row_more():
    main, startup, loss, logits = classifier()
    exe, scope = static.Executor(paddle.CPUPlace()), started(startup)
    feed = {k: v[:7] for k, v in X.items()}
    (parts,) = exe.run(compiled(main, loss, 3), feed, [logits], scope=scope, return_merged=False)
    assert [len(p) for p in parts] == [3, 2, 2]
    (whole,) = exe.run(main, feed, [logits], scope=started(startup))
    np.testing.assert_allclose(np.concatenate(parts), whole, rtol=1e-5)


def test_running_statistics_are_those_of_the_first_place():
    main, startup, loss, _ = classifier(norm=True)
    exe, scope, first = static.Executor(paddle.CPUPlace()), started(startup), started(startup)
    exe.run(compiled(main, loss, 2), X, [loss], scope=scope)
    exe.run(main, {k: v[:4] for k, v in X.items()}, [loss], scope=first)
    np.testing.assert_allclose(value(scope, "mean"), value(first, "mean"), rtol=1e-5)


def test_a_seed_of_the_program_counts():
    def drawn(count):
        with building() as (main, _):
            main.random_seed = 7
            x = static.data("x", [None, 3])
            out = F.dropout(x, 0.5)
        exe = static.Executor(paddle.CPUPlace())
        program = main if count == 0 else compiled(main, None, count)
        return [exe.run(program, {"x": X["x"]}, [out], scope=static.Scope())[0] for _ in range(2)]

    alone, one, two = drawn(0), drawn(1), drawn(2)
    np.testing.assert_array_equal(alone, one)
    np.testing.assert_array_equal(two, drawn(2))


# -- what comes back -------------------------------------------------------------------------------


def test_merged_or_not_and_as_tensors():
    main, startup, loss, logits = classifier()
    exe, scope = static.Executor(paddle.CPUPlace()), started(startup)
    several = compiled(main, loss, 2)
    fetch = [loss, logits, "fc_0.w_0"]
    merged = exe.run(several, X, fetch, scope=scope)
    assert [v.shape for v in merged] == [(2,), (8, 4), (3, 6)]
    apart = exe.run(several, X, fetch, scope=scope, return_merged=False)
    assert [[p.shape for p in v] for v in apart[:2]] == [[(1,)] * 2, [(4, 4)] * 2]
    tensors = exe.run(several, X, [loss], scope=scope, return_numpy=False)
    assert np.array(tensors[0]).shape == (2,) and not isinstance(tensors[0], np.ndarray)
    tensors = exe.run(several, X, [loss], scope=scope, return_numpy=False, return_merged=False)
    assert [np.array(t).shape for t in tensors[0]] == [(1,), (1,)]


def test_values_that_cannot_be_joined():
    with building() as (main, _):
        x = static.data("x", [None, 3])
        wide = paddle.transpose(x, [1, 0])
    exe = static.Executor(paddle.CPUPlace())
    feed = {"x": X["x"][:3]}
    with pytest.raises(InvalidArgumentError, match=r"different shapes.*\[3, 2\], \[3, 1\]"):
        exe.run(compiled(main, None), feed, [wide], scope=static.Scope())
    (parts,) = exe.run(
        compiled(main, None), feed, [wide], scope=static.Scope(), return_merged=False
    )
    assert [p.shape for p in parts] == [(3, 2), (3, 1)]


def test_without_data_parallel_a_compiled_program_is_the_program():
    main, startup, loss, logits = classifier()
    exe = static.Executor(paddle.CPUPlace())
    want = exe.run(main, X, [loss, logits], scope=started(startup))
    for merged in (True, False):
        got = exe.run(static.CompiledProgram(main), X, [loss, logits], scope=started(startup),
                      return_merged=merged)  # fmt: skip
        for a, b in zip(got, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6)


def test_use_prune():
    main, startup, loss, logits = classifier()
    exe, scope = static.Executor(paddle.CPUPlace()), started(startup)
    before = weights(scope)
    exe.run(compiled(main, loss), {"x": X["x"]}, [logits], scope=scope, use_prune=True)
    for a, b in zip(weights(scope), before, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_second_run_builds_nothing():
    main, startup, loss, _ = classifier()
    exe, scope = static.Executor(paddle.CPUPlace()), started(startup)
    several = compiled(main, loss)
    exe.run(several, X, [loss], scope=scope)
    built = Plan.built
    exe.run(several, X, [loss.name], scope=scope)
    assert Plan.built == built
    main.global_block().append_op("scale", {"X": loss}, {"Out": loss}, {"scale": 2.0})
    exe.run(several, X, [loss], scope=scope)
    assert Plan.built > built


# -- feeds -----------------------------------------------------------------------------------------


def test_every_place_may_get_a_feed_of_its_own():
    main, startup, loss, logits = classifier()
    exe = static.Executor(paddle.CPUPlace())
    feeds = [{k: v[:5] for k, v in X.items()}, {k: v[5:] for k, v in X.items()}]
    (got,) = exe.run(compiled(main, loss), feeds, [logits], scope=started(startup))
    (want,) = exe.run(main, X, [logits], scope=started(startup))
    np.testing.assert_allclose(got, want, rtol=1e-5)


class Rows(paddle.io.Dataset):
    def __getitem__(self, i):
        return X["x"][i], X["label"][i]

    def __len__(self):
        return 8


@pytest.mark.parametrize("kind", ["dataset", "generator"])
def test_a_loader_yields_a_feed_for_every_place(kind):
    """Two places, batches of two: 2.6.2 yields lists of two dicts; a batch left over is dropped."""
    main, startup, loss, logits = classifier()
    feeds = [main.global_block().var(n) for n in ("x", "label")]
    places = static.cpu_places(2)
    if kind == "dataset":
        loader = paddle.io.DataLoader(
            Rows(), feeds, places, return_list=False, batch_size=2, drop_last=True
        )
    else:
        loader = paddle.io.DataLoader.from_generator(feeds, 4)
        loader.set_batch_generator(
            lambda: ((X["x"][i : i + 2], X["label"][i : i + 2]) for i in (0, 2, 4)), places
        )
    exe, several = static.Executor(paddle.CPUPlace()), compiled(main, loss)
    scope, alone = started(startup), started(startup)
    count = 0
    for i, feed in enumerate(loader()):
        assert [sorted(part) for part in feed] == [["label", "x"]] * 2
        assert [part["x"].shape for part in feed] == [[2, 3]] * 2
        (got,) = exe.run(several, feed, [logits], scope=scope)
        whole = {k: v[4 * i : 4 * i + 4] for k, v in X.items()}
        (want,) = exe.run(main, whole, [logits], scope=alone)
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-6)
        count += 1
    assert count == (2 if kind == "dataset" else 1)
    with pytest.raises(TypeError, match=r"received list.\n.*with_data_parallel"):
        exe.run(main, feed, [logits], scope=scope)


def test_a_loader_yields_lists_for_every_place_and_what_is_left():
    main, _, _, _ = classifier()
    feeds = [main.global_block().var(n) for n in ("x", "label")]
    places = static.cpu_places(2)
    loader = paddle.io.DataLoader(Rows(), feeds, places, batch_size=2)
    assert [[[t.shape for t in part] for part in group] for group in loader] == (
        [[[[2, 3], [2, 1]]] * 2] * 2
    )
    loader = paddle.io.DataLoader.from_generator(feeds, 4, drop_last=False)
    loader.set_sample_generator(lambda: zip(X["x"], X["label"], strict=True), 3, places=places)
    assert [len(group) for group in loader()] == [2]
    loader.set_sample_generator(lambda: zip(X["x"], X["label"], strict=True), 3, False, places)
    assert [len(group) for group in loader()] == [2, 1]


def test_lists_tensors_and_lod_tensors_are_divided():
    with building() as (main, _):
        out = static.data("x", [None, 3]) * 2.0
    exe, several = static.Executor(paddle.CPUPlace()), compiled(main, None)
    holder = static.Scope().var("t").get_tensor()
    holder.set(X["x"], paddle.CPUPlace())
    for fed in (X["x"], X["x"].tolist(), paddle.to_tensor(X["x"]), holder):
        (got,) = exe.run(several, {"x": fed}, [out], scope=static.Scope())
        np.testing.assert_array_equal(got, X["x"] * 2)


WRONG = [
    ([X, X, X], InvalidArgumentError, "expected one dict for each of 2 places, but received 3"),
    ([X, {"x": X["x"]}], InvalidArgumentError, r"same .*\['label', 'x'\].* 1 gets \['x'\]"),
    ([X, 3], TypeError, "expected a dict of arrays, but received int"),
    ({k: v[:1] for k, v in X.items()}, InvalidArgumentError, "has 1 rows, but there are 2 places"),
    ({**X, "x": 3.0}, InvalidArgumentError, "'x' cannot be divided among 2 places.*float"),
    ({"x": X["x"]}, PreconditionNotMetError, "'label' is needed by operator .*nothing was fed"),
    ({**X, "y": X["x"]}, NotFoundError, r"no variable 'y'.* data variables are \['label', 'x'\]"),
    ({**X, "x": X["x"].astype("float64")}, InvalidArgumentError, "float32, but received float64"),
    ({**X, "x": X["x"][:, :2]}, InvalidArgumentError, r"shape \[-1, 3\].*received \[4, 2\]"),
]  # fmt: skip


@pytest.mark.parametrize(("feed", "error", "message"), WRONG)
def test_wrong_feeds(feed, error, message):
    main, startup, loss, _ = classifier()
    exe = static.Executor(paddle.CPUPlace())
    with pytest.raises(error, match=message):
        exe.run(compiled(main, loss), feed, [loss], scope=started(startup))


# -- places and arguments --------------------------------------------------------------------------


def test_cpu_places(monkeypatch):
    assert len(static.cpu_places(3)) == 3 and str(static.cpu_places(1)[0]) == "CPUPlace"
    monkeypatch.delenv("CPU_NUM", raising=False)
    assert len(static.cpu_places()) == 1
    monkeypatch.setenv("CPU_NUM", "2")
    assert len(static.cpu_places()) == 2
    for bad in (0, -1, 1.5, "2"):
        with pytest.raises(InvalidArgumentError, match="expected an int >= 1"):
            static.cpu_places(bad)


@pytest.mark.skipif(paddle.is_compiled_with_cuda(), reason="there is a GPU")
def test_cuda_places_without_a_gpu():
    with pytest.raises(PreconditionNotMetError, match="no GPU that can be used"):
        static.cuda_places()
    with pytest.raises(PreconditionNotMetError, match="no GPU"):
        static.ParallelExecutor(use_cuda=True)


def test_wrong_arguments():
    main, _, loss, _ = classifier()
    with pytest.raises(TypeError, match=r"CompiledProgram\(program_or_graph\).*received str"):
        static.CompiledProgram("main")
    with pytest.raises(InvalidArgumentError, match=r"loss_name\): the Program has no variable 'l'"):
        compiled(main, "l")
    with pytest.raises(InvalidArgumentError, match=r"places\): the list is empty"):
        static.CompiledProgram(main).with_data_parallel(loss.name, places=[])
    with pytest.raises(PreconditionNotMetError, match="has been called already"):
        compiled(main, loss).with_data_parallel(loss.name)
    with pytest.raises(InvalidArgumentError, match=r"with_data_parallel\(share_vars_from\)"):
        static.CompiledProgram(main).with_data_parallel(
            share_vars_from=static.CompiledProgram(main)
        )
    alone = static.ParallelExecutor(use_cuda=False, main_program=main, num_trainers=2)
    with pytest.raises(InvalidArgumentError, match=r"num_trainers: expected 1, as many processes"):
        alone.run([loss.name], feed={})


def test_startup_was_not_run():
    main, _, loss, _ = classifier()
    exe = static.Executor(paddle.CPUPlace())
    with pytest.raises(
        PreconditionNotMetError, match=r"(?s)'fc_0.\w_0' is not initialized.*startup"
    ):
        exe.run(compiled(main, loss), X, [loss], scope=static.Scope())


def test_parallel_executor_can_start_afresh(monkeypatch):
    monkeypatch.setenv("CPU_NUM", "2")
    main, startup, loss, _ = classifier()
    exe = static.ParallelExecutor(False, loss.name, main, scope=started(startup))
    first = exe.run([loss], feed=X)[0]
    exe.drop_local_exe_scopes()
    built = Plan.built
    assert exe.run([loss], feed=X)[0].shape == first.shape == (2,)
    assert Plan.built > built and exe.device_count == 2


class Two(Alone):
    """A ring of two processes, over which nothing may be exchanged."""

    size = 2


@pytest.mark.parametrize("kind", ["cast", "c_reduce_sum", "c_allgather"])
def test_exchanges_that_places_would_mix_up(kind, monkeypatch):
    """Alone such a Program runs; several places at once would take turns at random."""
    main, startup, loss, _ = classifier()
    block = main.global_block()
    if kind == "cast":
        insert_allreduce(main, nranks=1)
        for op in [o for o in block.ops if o.type == "c_allreduce_sum"]:
            _in_16_bits(block, op, op.input("X")[0])
    else:
        out = block.create_var(name="out", dtype="float32")
        attrs = {"op_role": int(Role.BACKWARD)} | ({"nranks": 1} if kind == "c_allgather" else {})
        block.append_op(kind, {"X": [f"{loss.name}@GRAD"]}, {"Out": [out]}, attrs)
    exe = static.Executor(paddle.CPUPlace())
    assert exe.run(compiled(main, loss), X, [loss], scope=started(startup))[0].shape == (2,)
    scope = started(startup)
    monkeypatch.setitem(rings._rings, 0, Two())
    with pytest.raises(UnimplementedError, match=rf"(?s)operator {kind} .*ring 0.*each place by"):
        exe.run(compiled(main, loss), X, [loss], scope=scope)


@pytest.mark.parametrize("kind", ["send_v2", "recv_v2"])
def test_what_several_places_would_send_at_once(kind, monkeypatch):
    main, startup, loss, _ = classifier()
    slots = ({"X": [f"{loss.name}@GRAD"]}, {}) if kind == "send_v2" else ({}, {"Out": [loss]})
    attrs = {"peer": 1, "ring_id": 0, "op_role": int(Role.BACKWARD)}
    if kind == "recv_v2":
        attrs |= {"out_shape": [1], "dtype": int(loss.dtype)}
    main.global_block().append_op(kind, *slots, attrs)
    scope = started(startup)
    monkeypatch.setitem(rings._rings, 0, Two())
    with pytest.raises(UnimplementedError, match=rf"(?s)operator {kind} .*ring 0.*each place by"):
        static.Executor(paddle.CPUPlace()).run(compiled(main, loss), X, [loss], scope=scope)


def normalizing_under_a_condition(places):
    """Trains on X with batch norm in a branch; the statistics are those of the whole batch."""
    with building() as (main, startup):
        x, turn = static.data("x", [None, 3]), static.data("turn", [None, 1])
        hidden = static.nn.fc(x, 6)
        hidden = static.nn.cond(
            paddle.sum(turn) > 0.0, lambda: static.nn.batch_norm(hidden), lambda: hidden
        )
        loss = paddle.mean(paddle.square(static.nn.fc(hidden, 1) - 1.0))
        OPTIMIZERS["sgd"]().minimize(loss)
    return main, startup, compiled(main, loss, places, strategy(sync_batch_norm=True)), loss


def test_batch_norm_of_all_places_under_a_condition():
    exe, found = static.Executor(paddle.CPUPlace()), []
    feed = {"x": X["x"], "turn": np.ones((8, 1), "float32")}
    for places in (1, 2, 4):
        _, startup, program, loss = normalizing_under_a_condition(places)
        scope = started(startup)
        losses = [exe.run(program, feed, [loss], scope=scope)[0].mean() for _ in range(4)]
        found.append((losses, value(scope, "fc_0.w_0"), value(scope, "batch_norm_0.w_1")))
    for losses, weight, statistics in found[1:]:
        np.testing.assert_allclose(losses, found[0][0], rtol=1e-5)
        np.testing.assert_allclose(weight, found[0][1], rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(statistics, found[0][2], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("first", [1.0, -1.0])
def test_a_branch_that_one_place_does_not_take(first, threads):
    main, startup, _, loss = normalizing_under_a_condition(2)
    execution = static.ExecutionStrategy()
    execution.num_threads = threads
    program = compiled(main, loss, 2, strategy(sync_batch_norm=True), execution)
    feed = {"x": X["x"], "turn": np.repeat(np.array([[first], [-first]], "float32"), 4, 0)}
    with pytest.raises(PreconditionNotMetError, match=r"(?s)1 of 2 places .* another place left"):
        static.Executor(paddle.CPUPlace()).run(program, feed, [loss], scope=started(startup))
