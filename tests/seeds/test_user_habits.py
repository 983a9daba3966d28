"""What users of Paddle 2.x do beyond the guide's text: it works, and repeats to the last bit."""

from __future__ import annotations

import copy
import pickle
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn

ROOT = Path(__file__).resolve().parents[2]


class Block(nn.Layer):
    """Two convolutions with a way around them."""

    def __init__(self, channels: int, filters: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2D(channels, filters, 3, stride, 1, bias_attr=False)
        self.norm1 = nn.BatchNorm2D(filters)
        self.conv2 = nn.Conv2D(filters, filters, 3, 1, 1, bias_attr=False)
        self.norm2 = nn.BatchNorm2D(filters)
        self.short = None
        if stride != 1 or channels != filters:
            self.short = nn.Sequential(
                nn.Conv2D(channels, filters, 1, stride, bias_attr=False), nn.BatchNorm2D(filters)
            )

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        y = F.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        return F.relu(y + (x if self.short is None else self.short(x)))


class SmallResNet(nn.Layer):
    """A stem, two blocks, dropout, five classes."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2D(3, 4, 3, padding=1), nn.BatchNorm2D(4), nn.ReLU())
        self.blocks = nn.LayerList([Block(4, 4), Block(4, 8, 2)])
        self.pool = nn.AdaptiveAvgPool2D(1)
        self.drop = nn.Dropout(0.1)
        self.fc = nn.Linear(8, 5)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.fc(self.drop(paddle.flatten(self.pool(x), 1)))


def one_batch() -> tuple[paddle.Tensor, paddle.Tensor]:
    rng = np.random.default_rng(0)
    images = rng.standard_normal((16, 3, 8, 8)).astype("float32")
    return paddle.to_tensor(images), paddle.to_tensor(rng.integers(0, 5, (16, 1)))


def state_of(net: nn.Layer) -> dict[str, np.ndarray]:
    return {name: value.numpy() for name, value in net.state_dict().items()}


# ---------------------------------------------------------------- training


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("SGD", {"learning_rate": 0.1}),
        ("SGD", {"learning_rate": 0.1, "grad_clip": nn.ClipGradByNorm(1.0)}),
        ("SGD", {"learning_rate": 0.1, "grad_clip": nn.ClipGradByValue(0.1)}),
        ("SGD", {"learning_rate": 0.1, "weight_decay": paddle.regularizer.L1Decay(1e-4)}),
        ("Momentum", {"momentum": 0.9}),
        ("Momentum", {"use_nesterov": True, "weight_decay": 1e-4}),
        ("Momentum", {"weight_decay": paddle.regularizer.L2Decay(1e-4)}),
        ("Adam", {}),
        ("Adam", {"grad_clip": nn.ClipGradByGlobalNorm(1.0)}),
        ("AdamW", {"weight_decay": 0.01}),
        ("Adagrad", {}),
        ("Adamax", {}),
        ("RMSProp", {"learning_rate": 0.002}),
        ("Adadelta", {"learning_rate": 10.0}),
        ("Lamb", {}),
    ],
)
def test_every_optimizer_learns_a_batch_by_heart(name: str, options: dict) -> None:
    paddle.seed(1)
    net = SmallResNet()
    images, labels = one_batch()
    optimizer = getattr(paddle.optimizer, name)(
        **{"learning_rate": 0.01, "parameters": net.parameters(), **options}
    )
    losses = []
    for _ in range(30):
        loss = F.cross_entropy(net(images), labels)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    assert np.mean(losses[-3:]) < 0.8 * losses[0]


def test_gradients_accumulate_until_they_are_cleared() -> None:
    net = nn.Linear(4, 3)
    x, y = paddle.rand([8, 4]), paddle.randint(0, 3, [8, 1])
    F.cross_entropy(net(x), y).backward()
    whole = net.weight.grad.numpy()
    net.clear_gradients()
    for first in range(0, 8, 2):
        part = slice(first, first + 2)
        (F.cross_entropy(net(x[part]), y[part]) / 4).backward()
    np.testing.assert_allclose(net.weight.grad.numpy(), whole, rtol=1e-5, atol=1e-7)


def test_accumulated_steps_equal_one_step_of_the_whole_batch() -> None:
    x, y = paddle.rand([8, 4]), paddle.rand([8, 1])
    one, other = nn.Linear(4, 1), nn.Linear(4, 1)
    other.set_state_dict(one.state_dict())
    for net, parts in ((one, 1), (other, 4)):
        sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
        for i in range(0, 8, 8 // parts):
            part = slice(i, i + 8 // parts)
            (F.mse_loss(net(x[part]), y[part]) / parts).backward()
        sgd.step()
    np.testing.assert_allclose(one.weight.numpy(), other.weight.numpy(), rtol=1e-5)


def test_a_scheduler_in_the_loop() -> None:
    net = nn.Linear(2, 1)
    decay = paddle.optimizer.lr.PiecewiseDecay([5, 7], [0.1, 0.01, 0.001])
    schedule = paddle.optimizer.lr.LinearWarmup(decay, 3, 0.0, 0.1)
    sgd = paddle.optimizer.SGD(schedule, parameters=net.parameters())
    rates, moved = [], []
    for _ in range(11):
        before = net.bias.numpy()
        net(paddle.ones([1, 2])).sum().backward()  # the gradient of the bias is 1
        sgd.step()
        sgd.clear_grad()
        rates.append(sgd.get_lr())
        moved.append(float((before - net.bias.numpy())[0]))
        schedule.step()
    wanted = [0, 0.1 / 3, 0.2 / 3, *[0.1] * 5, *[0.01] * 2, 0.001]
    np.testing.assert_allclose(rates, wanted, rtol=1e-6)
    np.testing.assert_allclose(moved, wanted, atol=1e-6)
    with pytest.raises(RuntimeError, match=r"LRScheduler|schedule"):
        sgd.set_lr(0.5)


def test_a_frozen_part_stays_as_it_is() -> None:
    net = SmallResNet()
    for parameter in net.stem.parameters():
        parameter.stop_gradient = True
    before = state_of(net)
    images, labels = one_batch()
    adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
    F.cross_entropy(net(images), labels).backward()
    adam.step()
    after = state_of(net)
    np.testing.assert_array_equal(after["stem.0.weight"], before["stem.0.weight"])
    assert not np.array_equal(after["fc.weight"], before["fc.weight"])


def test_eval_is_deterministic_and_leaves_the_statistics_alone() -> None:
    net = SmallResNet()
    images, _ = one_batch()
    net(images)
    net.eval()
    before = state_of(net)
    first, second = net(images).numpy(), net(images).numpy()
    np.testing.assert_array_equal(first, second)
    alone = net(images[:1]).numpy()
    np.testing.assert_allclose(alone, first[:1], rtol=1e-4, atol=1e-6)
    for name, value in state_of(net).items():
        np.testing.assert_array_equal(value, before[name])
    net.train()
    assert not np.array_equal(net(images).numpy(), first)
    assert not np.array_equal(state_of(net)["stem.1._mean"], before["stem.1._mean"])


# ---------------------------------------------------------------- repeating a run


class Drawn(paddle.io.Dataset):
    """Every sample is drawn when it is asked for, in whichever process that is."""

    def __len__(self) -> int:
        return 32

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        image = np.random.rand(3, 8, 8).astype("float32") + float(paddle.rand([1]))
        return image, np.random.randint(0, 5, (1,))


def seeded_run(workers: int) -> tuple[list[float], dict[str, np.ndarray]]:
    paddle.seed(77)
    np.random.seed(77)
    random.seed(77)
    net = SmallResNet()
    adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
    losses = []
    for _ in range(2):
        loader = paddle.io.DataLoader(Drawn(), batch_size=8, shuffle=True, num_workers=workers)
        for image, label in loader():
            loss = F.cross_entropy(net(image), label)
            loss.backward()
            adam.step()
            adam.clear_grad()
            losses.append(float(loss))
    return losses, state_of(net)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_seeded_run_repeats_to_the_last_bit(workers: int) -> None:
    first, first_state = seeded_run(workers)
    second, second_state = seeded_run(workers)
    assert first == second
    assert len(set(first)) == len(first) == 8
    for name, value in first_state.items():
        np.testing.assert_array_equal(value, second_state[name], err_msg=name)


# ---------------------------------------------------------------- copies and files


def test_a_deep_copy_is_a_network_of_its_own() -> None:
    net = SmallResNet()
    images, labels = one_batch()
    net.eval()
    other = copy.deepcopy(net)
    np.testing.assert_array_equal(net(images).numpy(), other(images).numpy())
    names = {p.name for p in net.parameters()}
    assert not names & {p.name for p in other.parameters()}
    before = state_of(net)
    other.train()
    F.cross_entropy(other(images), labels).backward()
    paddle.optimizer.SGD(0.1, parameters=other.parameters()).step()
    assert net.fc.weight.grad is None
    for name, value in state_of(net).items():
        np.testing.assert_array_equal(value, before[name], err_msg=name)
    assert not np.array_equal(state_of(other)["fc.weight"], before["fc.weight"])


def test_pickling() -> None:
    net = SmallResNet()
    net.eval()
    images, _ = one_batch()
    again = pickle.loads(pickle.dumps(net))
    np.testing.assert_array_equal(again(images).numpy(), net(images).numpy())
    assert not again.training
    tensor = pickle.loads(pickle.dumps(images))
    np.testing.assert_array_equal(tensor.numpy(), images.numpy())
    weight = pickle.loads(pickle.dumps(net.fc.weight))
    assert (weight.name, weight.stop_gradient) == (net.fc.weight.name, False)
    things = (paddle.CPUPlace(), paddle.CUDAPlace(0), paddle.float32)
    assert pickle.loads(pickle.dumps(things)) == things


WRITER = """
import sys, numpy as np, paddle
from paddle import nn
paddle.set_device("cpu")
paddle.seed({seed})
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1D(4), nn.Linear(4, 2))
decay = paddle.optimizer.lr.StepDecay(0.1, 2)
adam = paddle.optimizer.Adam(decay, parameters=net.parameters())
x = paddle.to_tensor(np.linspace(-1, 1, 18).reshape(6, 3).astype("float32"))

def steps(count):
    for _ in range(count):
        (net(x) ** 2).mean().backward()
        adam.step()
        adam.clear_grad()
        decay.step()

"""
SAVE = """
steps(3)
paddle.save(net.state_dict(), "net.pdparams")
paddle.save(adam.state_dict(), "net.pdopt")
steps(3)
"""
LOAD = """
net.set_state_dict(paddle.load("net.pdparams"))
adam.set_state_dict(paddle.load("net.pdopt"))
steps(3)
"""
SHOW = """
print(adam.get_lr(), [v.numpy().tolist() for v in net.state_dict().values()])
"""


@pytest.mark.slow
def test_a_fresh_process_goes_on_where_another_stopped(tmp_path: Path) -> None:
    said = []
    for seed, middle in ((1, SAVE), (2, LOAD)):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", WRITER.format(seed=seed) + middle + SHOW],
            cwd=tmp_path, env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        said.append(done.stdout)
    assert said[0] == said[1]
    assert float(said[0].split()[0]) == pytest.approx(0.1 * 0.1**3)  # two steps each


# ---------------------------------------------------------------- everyday Tensor habits


def test_tensors_behave_like_python_values() -> None:
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    assert (float(x.sum()), int(paddle.to_tensor(3)), len(x)) == (10.0, 3, 2)
    assert [row.numpy().tolist() for row in x] == [[1, 2], [3, 4]]
    np.testing.assert_array_equal(np.array(x), [[1, 2], [3, 4]])
    assert f"{float(x.sum()):.2f}" == "{:.2f}".format(x.sum()) == "10.00"  # noqa: UP032
    assert bool(x.sum() > 9)
    assert {x: "as a key"}[x] == "as a key"
    assert (x.dtype == paddle.float32, x.dtype == paddle.int64) == (True, False)
    for got, wanted in [
        (1 - x, [[0, -1], [-2, -3]]), (2**x, [[2, 4], [8, 16]]), (-x, [[-1, -2], [-3, -4]]),
        (np.ones((2, 2), "float32") * x, [[1, 2], [3, 4]]), (x @ x, [[7, 10], [15, 22]]),
        (x[x > 2], [3, 4]), (x[[1, 0]], [[3, 4], [1, 2]]), (x[:, None, 0], [[1], [3]]),
    ]:  # fmt: skip
        assert isinstance(got, paddle.Tensor)
        assert got.numpy().tolist() == wanted
    y = x.clone()
    y += 1
    y *= 2
    assert y.numpy().tolist() == [[4, 6], [8, 10]]
    assert x.numpy().tolist() == [[1, 2], [3, 4]]
    taken = x.numpy()
    taken[:] = 0
    assert float(x.sum()) == 10.0  # numpy() is a copy


def test_gradient_habits() -> None:
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    (x * x).sum().backward()
    assert isinstance(x.grad, paddle.Tensor)
    assert x.gradient().tolist() == [2.0, 4.0]
    x.clear_grad()
    assert x.grad is None or x.grad.numpy().tolist() == [0.0, 0.0]
    (cube,) = paddle.grad((x**3).sum(), x, create_graph=True)
    cube.sum().backward()
    assert x.grad.numpy().tolist() == [6.0, 12.0]
    with paddle.no_grad():
        assert (x * 2).stop_gradient
    assert paddle.no_grad()(lambda: (x * 2).stop_gradient)()
    assert x.detach().stop_gradient
    assert not x.clone().stop_gradient
