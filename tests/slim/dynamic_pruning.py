"""Pruning of Layers."""

from __future__ import annotations

import numpy as np

from tests.slim.stories import SIDE, dynamic_net, pictures, right, story, train

SHAPE = [1, 3, SIDE, SIDE]


def _weights(net) -> dict:
    return {name: p.shape for name, p in net.named_parameters()}


def _cut_by(kind: str, kept) -> None:
    import paddleslim

    import paddle

    net = dynamic_net()
    weights = net[0].weight.numpy()
    before = paddleslim.dygraph_flops(net, SHAPE)
    pruner = getattr(paddleslim, kind)(net, SHAPE)
    plan = pruner.prune_vars({net[0].weight.name: 0.5}, 0)
    assert _weights(net)["0.weight"] == [4, 3, 3, 3]
    assert _weights(net)["1.weight"] == [4]
    assert _weights(net)["3.weight"] == [16, 4, 3, 3]
    if kept is not None:
        np.testing.assert_array_equal(net[0].weight.numpy(), weights[kept(weights)])
    assert before * 0.4 < paddleslim.dygraph_flops(net, SHAPE) < before * 0.65
    assert plan.contains(net[0].weight.name)
    optimizer = paddle.optimizer.Momentum(0.05, parameters=net.parameters())
    losses = train(net, optimizer, 15)
    assert losses[-1] < 0.6 * losses[0]
    plan.restore(net)
    assert _weights(net)["0.weight"] == [8, 3, 3, 3]
    np.testing.assert_array_equal(net[0].weight.numpy(), weights)


@story("dygraph.L1NormFilterPruner", "L1NormFilterPruner", "dygraph_flops")
def filters_of_the_smallest_sum_go() -> None:
    assert "L1NormFilterPruner" and "dygraph_flops"
    _cut_by("L1NormFilterPruner", lambda w: np.sort(np.abs(w).sum((1, 2, 3)).argsort()[4:]))


@story("dygraph.L2NormFilterPruner", "L2NormFilterPruner")
def filters_of_the_smallest_norm_go() -> None:
    _cut_by("L2NormFilterPruner", lambda w: np.sort((w**2).sum((1, 2, 3)).argsort()[4:]))


@story("dygraph.FPGMFilterPruner", "FPGMFilterPruner")
def filters_nearest_to_the_others_go() -> None:
    def kept(w):
        flat = w.reshape(len(w), -1)
        far = np.sqrt(((flat[:, None] - flat) ** 2).sum(-1)).sum(-1)
        return np.sort(far.argsort()[4:])

    _cut_by("FPGMFilterPruner", kept)


@story("dygraph.L1NormFilterPruner", "dygraph.Status")
def sensitivities_lead_to_half_the_flops() -> None:
    import paddleslim
    from paddleslim.dygraph import L1NormFilterPruner, Status

    import paddle

    net = dynamic_net()
    train(net, paddle.optimizer.Momentum(0.05, parameters=net.parameters()), 30)
    assert right(net) > 0.9
    before = paddleslim.dygraph_flops(net, SHAPE)
    pruner = L1NormFilterPruner(net, SHAPE, skip_leaves=False)

    def sure() -> float:
        net.eval()
        image, label = pictures(64, seed=99)
        said = paddle.nn.functional.softmax(net(paddle.to_tensor(image))).numpy()
        return float(np.take_along_axis(said, label, 1).mean())

    found = pruner.sensitive(sure, "net.sen")
    assert set(found) == {net[0].weight.name, net[3].weight.name}
    assert all(sorted(f) == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] for f in found.values())
    assert Status("net.sen").sensitivies == found
    assert right(net) > 0.9 and _weights(net)["0.weight"] == [8, 3, 3, 3]
    plan = pruner.sensitive_prune(0.4)
    after = paddleslim.dygraph_flops(net, SHAPE)
    assert abs((1 - after / before) - plan.pruned_flops) < 0.02
    assert 0.2 < plan.pruned_flops < 0.8  # as near as its own search comes
    assert net(paddle.to_tensor(pictures(2)[0])).shape == [2, 4]


@story("dygraph.FilterPruner", "dygraph.Pruner")
def one_variable_and_lazily() -> None:
    from paddleslim.dygraph import FilterPruner, L1NormFilterPruner, Pruner

    net = dynamic_net()
    pruner = L1NormFilterPruner(net, SHAPE)
    assert isinstance(pruner, FilterPruner) and isinstance(pruner, Pruner)
    plan = pruner.prune_var(net[0].weight.name, 0, 0.25, apply="lazy")
    assert _weights(net)["0.weight"] == [8, 3, 3, 3]
    assert (net[0].weight.numpy() == 0).all((1, 2, 3)).sum() == 2
    assert plan.masks
    plan = pruner.prune_var(net[0].weight.name, 0, 0.25, apply=None)
    plan.apply(net)
    assert _weights(net)["0.weight"] == [6, 3, 3, 3]


@story("dygraph.L1NormFilterPruner")
def an_optimizer_follows() -> None:
    from paddleslim.dygraph import L1NormFilterPruner

    import paddle

    net = dynamic_net()
    optimizer = paddle.optimizer.Momentum(0.05, 0.9, parameters=net.parameters())
    train(net, optimizer, 3)
    pruner = L1NormFilterPruner(net, SHAPE, opt=optimizer)
    pruner.prune_vars({net[0].weight.name: 0.5}, 0)
    losses = train(net, optimizer, 12)
    assert losses[-1] < 0.8 * losses[0]
    state = {k: v for k, v in optimizer.state_dict().items() if "velocity" in k}
    assert sorted(v.shape for v in state.values())[-1] == [32 * 2, 4]
    assert [4, 3, 3, 3] in [v.shape for v in state.values()]


@story("dygraph.L1NormFilterPruner")
def residuals_and_groups_are_pruned_together() -> None:
    from paddleslim.dygraph import L1NormFilterPruner

    import paddle
    from paddle import nn

    class Net(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.a = nn.Conv2D(3, 8, 3, padding=1)
            self.depth = nn.Conv2D(8, 8, 3, padding=1, groups=8)
            self.b = nn.Conv2D(8, 8, 1)
            self.c = nn.Conv2D(8, 6, 1)

        def forward(self, x):
            x = self.a(x)
            y = x + self.b(self.depth(x))
            return self.c(y).mean([2, 3])

    net = Net()
    L1NormFilterPruner(net, SHAPE).prune_vars({net.a.weight.name: 0.5}, 0)
    found = _weights(net)
    assert found["a.weight"] == [4, 3, 3, 3] and found["a.bias"] == [4]
    assert found["depth.weight"] == [4, 1, 3, 3] and net.depth._groups == 4
    assert found["b.weight"] == [4, 4, 1, 1]
    assert found["c.weight"] == [6, 4, 1, 1]
    assert net(paddle.rand([2, 3, SIDE, SIDE])).shape == [2, 6]


@story("dygraph.DygraphPruningCollections")
def what_hangs_together_is_found() -> None:
    import paddleslim.dygraph as dygraph

    net = dynamic_net()
    kind = getattr(dygraph, "DygraphPruningCollections", None) or dygraph.VarGroup
    found = kind(net, SHAPE).find_collection_by_master(net[0].weight.name, 0)
    assert {net[0].weight.name, net[1].weight.name, net[3].weight.name} <= set(found.variables())


@story("dygraph.UnstructuredPruner", "UnstructuredPruner")
def small_weights_become_zero_as_it_trains() -> None:
    from paddleslim import UnstructuredPruner

    import paddle

    net = dynamic_net()
    optimizer = paddle.optimizer.Momentum(0.05, parameters=net.parameters())
    train(net, optimizer, 5)
    pruner = UnstructuredPruner(net, "ratio", ratio=0.7)
    losses = train(net, optimizer, 25, pruner.step)
    pruner.update_params()
    assert 0.6 < (net[3].weight.numpy() == 0).mean() < 0.85
    assert 0.6 < UnstructuredPruner.total_sparse(net) < 0.75
    assert losses[-1] < 0.6 * losses[0] and right(net) > 0.9


@story("dygraph.GMPUnstructuredPruner", "GMPUnstructuredPruner", not_before="2.2.0")
def the_ratio_of_a_layer_grows() -> None:
    from paddleslim import GMPUnstructuredPruner

    import paddle

    net = dynamic_net()
    configs = {
        "stable_iterations": 0, "pruning_iterations": 40, "tunning_iterations": 20,
        "resume_iteration": 0, "pruning_steps": 2, "initial_ratio": 0.2,
    }  # fmt: skip
    pruner = GMPUnstructuredPruner(net, ratio=0.6, configs=configs)
    optimizer = paddle.optimizer.Momentum(0.05, parameters=net.parameters())
    shares = []
    for count in (2, 28, 20):
        train(net, optimizer, count, pruner.step)
        pruner.update_params()
        shares.append(float(pruner.total_sparse(net)))
    assert shares[0] < shares[1] <= shares[2] and 0.5 < shares[2] < 0.65, shares
