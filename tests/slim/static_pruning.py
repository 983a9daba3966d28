"""Pruning and sensitivities of Programs."""

from __future__ import annotations

import numpy as np

from tests.slim.stories import free_port, static_net, story, value


@story("prune.Pruner", static=True)
def filters_are_cut_out() -> None:
    from paddleslim.prune import Pruner

    import paddle

    net = static_net(steps=2)
    weights = value("conv1_weights")
    kept = np.sort(np.abs(weights).sum((1, 2, 3)).argsort()[4:])
    place, scope = paddle.CPUPlace(), paddle.static.global_scope()
    program, backup, shapes = Pruner("l1_norm").prune(
        net.main, scope, ["conv1_weights"], [0.5], place, param_backup=True,
        param_shape_backup=True,
    )  # fmt: skip
    found = {p.name: p.shape for p in program.global_block().all_parameters()}
    assert found["conv1_weights"] == (4, 3, 3, 3)
    assert found["conv2_weights"] == (4, 4, 3, 3)  # in and out: it is added to conv1's result
    assert found["conv3_weights"] == (16, 4, 3, 3)
    assert value("conv1_weights").shape == (4, 3, 3, 3)
    np.testing.assert_array_equal(value("conv1_weights"), weights[kept])
    assert value("conv3_weights").shape == (16, 4, 3, 3)
    np.testing.assert_array_equal(backup["conv1_weights"], weights)
    assert tuple(shapes["conv1_weights"]) == (8, 3, 3, 3)
    before = [net.step(program, seed) for seed in range(12)]
    assert before[-1] < 0.5 * before[0]  # and it learns, velocities cut as well


@story("prune.Pruner", static=True)
def only_the_graph_or_only_zeros() -> None:
    from paddleslim.prune import Pruner

    import paddle

    net = static_net()
    weights = value("conv3_weights")
    place, scope = paddle.CPUPlace(), paddle.static.global_scope()
    program, _, _ = Pruner().prune(
        net.test, scope, ["conv3_weights"], [0.25], place, only_graph=True
    )
    assert program.global_block().var("conv3_weights").shape == (12, 8, 3, 3)
    assert value("conv3_weights").shape == (16, 8, 3, 3)
    program, _, _ = Pruner().prune(net.test, scope, ["conv3_weights"], [0.25], place, lazy=True)
    assert program.global_block().var("conv3_weights").shape == (16, 8, 3, 3)
    now = value("conv3_weights")
    assert (np.abs(now).sum((1, 2, 3)) == 0).sum() == 4
    np.testing.assert_array_equal(now[now != 0], weights[now != 0])


@story("prune.l1_norm", "prune.CRITERION", "prune.IDX_SELECTOR",
       "prune.StaticPruningCollections", "prune.PruningCollections", "prune.PruningCollection",
       static=True)  # fmt: skip
def criteria_order_the_channels() -> None:
    import paddleslim.prune as prune
    from paddleslim.core import GraphWrapper

    net = static_net()
    graph = GraphWrapper(net.main)
    groups = prune.StaticPruningCollections(["conv1_weights"], graph)
    assert isinstance(groups, prune.PruningCollections)
    (group,) = list(groups)
    assert isinstance(group, prune.PruningCollection)
    assert group.master["name"] == "conv1_weights"
    assert {"conv1_weights", "conv2_weights", "conv3_weights"} <= set(group.variables())
    parameters = {p.name for p in net.main.all_parameters()}
    values = {name: value(name) for name in group.variables() if name in parameters}
    for criterion in ("l1_norm", "geometry_median", "bn_scale"):
        scores = prune.CRITERION.get(criterion)(group, values, graph)
        order = np.asarray(scores["conv1_weights"][0])
        assert order.shape == (8,), (criterion, order.shape)
    expected = np.abs(values["conv1_weights"]).sum((1, 2, 3))
    got = np.asarray(prune.l1_norm(group, values, graph)["conv1_weights"][0])
    np.testing.assert_allclose(got, expected, rtol=1e-5)
    chosen = prune.IDX_SELECTOR.get("default_idx_selector")(
        group, prune.l1_norm(group, values, graph), {"conv1_weights": 0.25}
    )
    assert {len(each[2]) for each in chosen} == {2}
    assert any(each[0] == "conv1_weights" for each in chosen)


@story("prune.Pruner", static=True)
def a_threshold_of_norms_chooses_channels() -> None:
    from paddleslim.prune import Pruner

    import paddle

    net = static_net(steps=3)
    scope = paddle.static.global_scope()
    pruner = Pruner(criterion="bn_scale", idx_selector="optimal_threshold")
    program, _, _ = pruner.prune(net.main, scope, ["conv3_weights"], [0.5], paddle.CPUPlace())
    left = program.global_block().var("conv3_weights").shape[0]
    assert 1 <= left < 16
    assert value("conv3_weights").shape == (left, 8, 3, 3)


@story("prune.save_model", "prune.load_model", static=True)
def a_pruned_program_is_saved_and_loaded() -> None:
    from paddleslim.prune import Pruner, load_model, save_model

    import paddle

    net = static_net(steps=2)
    scope = paddle.static.global_scope()
    program, _, _ = Pruner().prune(net.test, scope, ["conv2_weights"], [0.5], paddle.CPUPlace())
    kept, loss = value("conv2_weights"), net.step(program)
    save_model(net.exe, program, "saved")
    with paddle.static.scope_guard(paddle.static.Scope()):
        net.exe.run(net.startup)
        assert value("conv2_weights").shape == (8, 8, 3, 3)
        load_model(net.exe, net.test, "saved")
        np.testing.assert_array_equal(value("conv2_weights"), kept)
        assert net.test.global_block().var("conv2_weights").shape == kept.shape
        assert abs(net.step(net.test) - loss) < 1e-6


@story("prune.sensitivity", "prune.load_sensitivities", "prune.merge_sensitive",
       "prune.get_ratios_by_loss", static=True)  # fmt: skip
def sensitivities_say_what_may_go() -> None:
    from paddleslim.prune import (
        get_ratios_by_loss,
        load_sensitivities,
        merge_sensitive,
        sensitivity,
    )

    import paddle

    net = static_net(steps=30)
    base = net.right()
    assert base > 0.9
    before = value("conv3_weights")

    def look(names: list[str], ratios: list[float], file: str) -> dict:
        return sensitivity(net.test, paddle.CPUPlace(), names, net.right, file, ratios)

    one = look(["conv1_weights"], [0.25, 0.5], "one.sen")
    two = look(["conv3_weights"], [0.25, 0.875], "two.sen")
    np.testing.assert_array_equal(value("conv3_weights"), before)  # put back
    assert abs(net.right() - base) < 1e-6
    assert set(one["conv1_weights"]) == {0.25, 0.5}
    assert load_sensitivities("one.sen") == one
    merged = merge_sensitive(["one.sen", "two.sen"])
    assert merged == merge_sensitive([one, two]) == {**one, **two}
    ratios = get_ratios_by_loss({"w": {0.1: 0.0, 0.3: 0.1, 0.5: 0.3}}, 0.2)
    assert abs(ratios["w"] - 0.4) < 1e-9  # halfway between two that were tried
    assert get_ratios_by_loss(merged, 2.0) == {"conv1_weights": 0.5, "conv3_weights": 0.875}


@story("prune.AutoPruner", static=True)
def ratios_are_searched_for() -> None:
    from paddleslim.analysis import flops
    from paddleslim.prune import AutoPruner

    import paddle

    net = static_net(steps=5)
    base, before = flops(net.test), value("conv3_weights")
    pruner = AutoPruner(
        net.test, paddle.static.global_scope(), paddle.CPUPlace(),
        params=["conv1_weights", "conv3_weights"], init_ratios=[0.5, 0.5], pruned_flops=0.3,
        server_addr=("127.0.0.1", free_port()), init_temperature=10, max_try_times=100,
        search_steps=5, max_ratios=[0.8, 0.8], min_ratios=[0.1, 0.1],
    )  # fmt: skip
    for _ in range(2):
        program, _ = pruner.prune(net.test)
        assert flops(program) <= 0.7 * base
        score = net.right(program)
        assert 0 <= score <= 1
        pruner.reward(score)
        np.testing.assert_array_equal(value("conv3_weights"), before)


@story("prune.UnstructuredPruner", static=True)
def small_weights_become_zero() -> None:
    from paddleslim.prune import UnstructuredPruner

    import paddle

    net = static_net(steps=10)
    place = paddle.CPUPlace()
    pruner = UnstructuredPruner(net.main, "ratio", ratio=0.6, place=place)
    losses = []
    for step in range(10):
        losses.append(net.step(seed=step))
        pruner.step()
    pruner.update_params()
    weights = value("conv3_weights"), value("conv2_weights")
    assert 0.4 < float(np.mean([(w == 0).mean() for w in weights])) < 0.9
    total = UnstructuredPruner.total_sparse(net.main)
    assert 0.3 < total < 0.7, total
    assert net.right() > 0.9 and losses[-1] < 0.5


@story("prune.UnstructuredPruner", static=True)
def weights_below_a_threshold_become_zero() -> None:
    from paddleslim.prune import UnstructuredPruner

    net = static_net()
    pruner = UnstructuredPruner(net.main, "threshold", threshold=0.05)
    weights = value("conv3_weights")
    pruner.step()
    net.step()
    pruner.update_params()
    now = value("conv3_weights")
    small = np.abs(weights) < 0.03
    assert small.any() and (now[small] == 0).mean() > 0.9
    assert not (now[np.abs(weights) > 0.1] == 0).any()


@story("prune.GMPUnstructuredPruner", static=True, not_before="2.2.0")
def the_ratio_grows_step_by_step() -> None:
    from paddleslim.prune import GMPUnstructuredPruner

    net = static_net()
    configs = {
        "stable_iterations": 0, "pruning_iterations": 40, "tunning_iterations": 20,
        "resume_iteration": 0, "pruning_steps": 2, "initial_ratio": 0.2,
    }  # fmt: skip
    pruner = GMPUnstructuredPruner(net.main, ratio=0.6, configs=configs)
    shares = []
    for step in range(50):
        net.step(seed=step)
        pruner.step()
        if step in (2, 30, 49):
            pruner.update_params()
            shares.append(float(pruner.total_sparse(net.main)))
    assert shares[0] < shares[1] < shares[2] and shares[2] > 0.4, shares
    assert net.right() > 0.8
