"""Pruned Layers: equal to masked ones, smaller, and saved, loaded and exported."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.incubate import compress
from paddle.static import InputSpec
from paddle.vision import models
from tests.incubate.compress import nets

WORDS = [InputSpec([None, 2, 5, 5], "float32"), InputSpec([None], "int64")]
CASES: dict[str, tuple[Any, Any]] = {
    "lenet": (models.LeNet, [None, 1, 28, 28]),
    "resnet18": (lambda: models.resnet18(num_classes=4), [None, 3, 32, 32]),
    "resnet50": (lambda: models.resnet50(num_classes=4), [None, 3, 32, 32]),
    "mobilenet_v1": (lambda: models.mobilenet_v1(scale=0.25, num_classes=4), [None, 3, 32, 32]),
    "mobilenet_v2": (lambda: models.mobilenet_v2(scale=0.25, num_classes=4), [None, 3, 32, 32]),
    "concat": (nets.Concat, [None, 2, 6, 6]),
    "grouped": (nets.Grouped, [None, 3, 6, 6]),
    "shuffled": (nets.Shuffled, [None, 3, 6, 6]),
    "mixed": (nets.Mixed, WORDS),
}


def samples(spec: Any) -> list[Any]:
    random = np.random.RandomState(5)
    if spec is WORDS:
        image = random.standard_normal([3, 2, 5, 5]).astype("float32")
        return [paddle.to_tensor(image), paddle.to_tensor(np.array([1, 6, 0]))]
    return [paddle.to_tensor(random.standard_normal([2, *spec[1:]]).astype("float32"))]


@pytest.mark.parametrize("name", CASES)
def test_the_pruned_layer_equals_the_one_with_masked_channels(name: str) -> None:
    made, spec = CASES[name]
    net = nets.settle(made())
    masked = copy.deepcopy(net)
    done = compress.prune(net, 0.5, inputs=spec)
    assert done.left < 0.6
    assert len(done.parameters) > 3
    nets.mask(masked, done.kept)
    given = samples(spec)
    np.testing.assert_allclose(net(*given).numpy(), masked(*given).numpy(), rtol=2e-4, atol=2e-5)
    shapes = {n: t.shape for n, t in [*net.named_parameters(), *net.named_buffers()]}
    assert all(shapes[p.name] == p.after != p.before for p in done.parameters)


@pytest.mark.parametrize("name", ["lenet", "resnet18", "mobilenet_v1", "mobilenet_v2"])
def test_operations_are_those_of_paddle_flops(name: str, capsys: Any) -> None:
    made, spec = CASES[name]
    net = made()
    size = [1, *spec[1:]]
    before = paddle.flops(net, size)
    done = compress.prune(net, flops=0.5, inputs=spec)
    assert (done.flops_before, done.flops_after) == (before, paddle.flops(net, size))
    assert 0.4 < done.left <= 0.5
    assert sum(p.flops_before for p in done.parameters) <= before


def test_layers_note_their_new_sizes_and_stay_the_same_objects() -> None:
    net = nets.Grouped()
    weight = net.depthwise.weight
    compress.prune(net, {"grouped.weight": 0.34}, inputs=[None, 3, 6, 6])
    assert net.depthwise.weight is weight
    # places go in all four groups together
    assert (net.grouped._out_channels, net.grouped._groups, net.grouped._in_channels) == (8, 4, 8)
    assert (net.depthwise._out_channels, net.depthwise._groups) == (16, 8)
    assert net.depthwise._in_channels == 8
    assert net.last._in_channels == 16
    assert net.first._out_channels == 8
    text = repr(net)
    assert "Conv2D(8, 16, kernel_size=[3, 3], padding=1, groups=8" in text


def test_the_plan_of_a_residual_network_keeps_sums_together() -> None:
    net = models.resnet18(num_classes=4)
    done = compress.prune(net, {"conv1.weight": 0.25}, inputs=[None, 3, 32, 32])
    rows = {"conv1.weight", "layer1.0.conv2.weight", "layer1.1.conv2.weight"}
    columns = {"layer1.0.conv1.weight", "layer1.1.conv1.weight", "layer2.0.conv1.weight",
               "layer2.0.downsample.0.weight"}  # fmt: skip
    weights = {n: axes for n, axes in done.kept.items() if ".bn" not in n and "bn" not in n}
    assert set(weights) == rows | columns
    assert all(list(weights[n]) == [0] for n in rows)
    assert all(list(weights[n]) == [1] for n in columns)
    assert {len(places) for axes in done.kept.values() for places in axes.values()} == {48}


def test_channels_behind_a_concat_are_counted_from_their_offset() -> None:
    net = nets.settle(nets.Concat())
    value = net.right.weight.numpy()
    value[[1, 4]] = 0
    net.right.weight.set_value(value)
    done = compress.prune(net, {"right.weight": 0.34}, inputs=[None, 2, 6, 6])
    assert done.kept["right.weight"][0].tolist() == [0, 2, 3, 5]
    assert done.kept["after.weight"][1].tolist() == [0, 1, 2, 3, 4, 6, 7, 9]
    assert done.kept["norm.bias"][0].tolist() == [0, 1, 2, 3, 4, 6, 7, 9]
    assert done.kept["also.weight"][1].tolist() == [0, 2, 3, 5]
    assert "left.weight" not in done.kept


def test_constants_in_a_layers_code_hold_their_channels() -> None:
    free, bound = nets.Shuffled(), nets.Shuffled(constant=True)
    spec = [None, 3, 6, 6]
    assert "first.weight" in compress.prune(free, 0.5, inputs=spec).kept
    done = compress.prune(bound, 0.5, inputs=spec)
    assert set(done.kept) == {"squeeze.weight", "squeeze.bias", "excite.weight"}
    with pytest.raises(ValueError, match=r"'first.weight' have to stay: reshape2.*as a constant"):
        compress.prune(bound, {"first.weight": 0.5}, inputs=spec)


@pytest.mark.parametrize("criterion", ["l1", "l2", "fpgm", "bn_scale", "random"])
def test_criteria_choose_what_their_formula_says(criterion: str) -> None:
    net = nn.Sequential(nn.Conv2D(2, 6, 3), nn.BatchNorm2D(6), nn.Conv2D(6, 3, 3))
    nets.settle(net)
    rows = net[0].weight.numpy().reshape(6, -1).astype("float64")
    distances = np.linalg.norm(rows[:, None] - rows[None], axis=2).sum(1)
    scores = {
        "l1": np.abs(rows).sum(1),
        "l2": np.linalg.norm(rows, axis=1),
        "fpgm": distances,
        "bn_scale": np.abs(net[1].weight.numpy()),
        "random": np.random.RandomState(7).permutation(6),
    }[criterion]
    done = compress.prune(
        net, {"0.weight": 0.5}, criterion=criterion, seed=7, inputs=[None, 2, 9, 9]
    )
    assert done.kept["0.weight"][0].tolist() == sorted(np.argsort(scores)[3:].tolist())


def test_a_function_may_be_the_criterion() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    seen = []

    def first_stay(name: str, weights: np.ndarray) -> Any:
        seen.append((name, weights.shape))
        return -np.arange(len(weights))

    done = compress.prune(net, {"0.weight": 0.5}, criterion=first_stay, inputs=[None, 3])
    assert seen == [("0.weight", (4, 3))]
    assert done.kept["0.weight"][1].tolist() == [0, 1]


def test_parameters_may_be_named_by_their_own_names() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
    compress.prune(net, {net[0].weight.name: 0.25}, inputs=[None, 3])
    assert net[0].weight.shape == [3, 3]


def test_skipped_parameters_keep_their_channels() -> None:
    net = models.LeNet()
    done = compress.prune(net, 0.5, inputs=[None, 1, 28, 28], skip=["features.0.weight"])
    assert "features.0.weight" not in done.kept
    assert net.features[3].weight.shape == [8, 6, 5, 5]


@pytest.mark.parametrize("kind", ["Momentum", "Adam"])
def test_training_goes_on_with_smaller_accumulators(kind: str) -> None:
    paddle.seed(1)
    net = models.LeNet()
    options = {"learning_rate": 0.01, "parameters": net.parameters()}
    optimizer = getattr(paddle.optimizer, kind)(**options)
    x, y = paddle.rand([4, 1, 28, 28]), paddle.to_tensor([1, 2, 3, 4])

    def step() -> float:
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return float(loss)

    step()
    before = {n: t.numpy().copy() for n, t in optimizer.state_dict().items()}
    done = compress.prune(net, 0.5, inputs=[4, 1, 28, 28], optimizer=optimizer)
    name = net.features[0].weight.name
    slot = "velocity" if kind == "Momentum" else "moment1"
    after = optimizer.state_dict()[f"{name}_{slot}_0"].numpy()
    places = done.kept["features.0.weight"][0]
    np.testing.assert_array_equal(after, before[f"{name}_{slot}_0"][places])
    losses = [step() for _ in range(5)]
    assert losses[-1] < losses[0]


def test_an_optimizer_that_was_forgotten_says_so() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
    optimizer = paddle.optimizer.Adam(parameters=net.parameters())
    net(paddle.rand([2, 3])).mean().backward()
    optimizer.step()
    compress.prune(net, 0.5, inputs=[None, 3])
    net(paddle.rand([2, 3])).mean().backward()
    with pytest.raises(RuntimeError, match=r"prune\(optimizer=...\)"):
        optimizer.step()


def test_pruned_layers_are_saved_loaded_and_exported(tmp_path: Path) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    net = nets.settle(models.mobilenet_v2(scale=0.25, num_classes=4))
    spec = [InputSpec([None, 3, 32, 32], "float32", "x")]
    compress.prune(net, flops=0.5, inputs=spec)
    x = samples([None, 3, 32, 32])[0]
    expected = net(x).numpy()
    paddle.jit.save(net, str(tmp_path / "net"), spec)
    loaded = paddle.jit.load(str(tmp_path / "net"))
    loaded.eval()
    np.testing.assert_allclose(loaded(x).numpy(), expected, rtol=1e-5, atol=1e-6)
    other = models.mobilenet_v2(scale=0.25, num_classes=4)
    compress.prune(other, flops=0.5, inputs=spec)
    paddle.save(net.state_dict(), str(tmp_path / "net.pdparams"))
    other.set_state_dict(paddle.load(str(tmp_path / "net.pdparams")))
    other.eval()
    np.testing.assert_allclose(other(x).numpy(), expected, rtol=1e-5, atol=1e-6)
    paddle.onnx.export(net, str(tmp_path / "net"), spec)
    session = onnxruntime.InferenceSession(str(tmp_path / "net.onnx"))
    (found,) = session.run(None, {"x": x.numpy()})
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_a_decorated_layer_runs_its_new_program() -> None:
    net = paddle.jit.to_static(nets.settle(models.LeNet()), [InputSpec([None, 1, 28, 28])])
    x = samples([None, 1, 28, 28])[0]
    net(x)
    masked = copy.deepcopy(net)
    done = compress.prune(net, 0.5)
    nets.mask(masked, done.kept)
    np.testing.assert_allclose(net(x).numpy(), masked(x).numpy(), rtol=1e-4, atol=1e-5)
    assert net.training is False


def test_what_is_printed_names_layers_and_operations() -> None:
    net = models.LeNet()
    text = str(compress.prune(net, 0.5, inputs=[None, 1, 28, 28])).splitlines()
    assert text[0].split() == ["parameter", "before", "after", "operations", "left"]
    assert text[1].split() == ["features.0.weight", "6x1x3x3", "3x1x3x3", "42,336", "21,168"]
    assert text[-1].split() == ["all", "347,560", "99,260", "(28.6%)"]
