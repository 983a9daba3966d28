"""Places: choosing a device, moving between devices, and the same training on CPU and GPU."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle import nn

HAS_GPU = paddle.is_compiled_with_cuda() and paddle.device.get_device() != "cpu"
needs_gpu = pytest.mark.skipif(not HAS_GPU, reason="no GPU here")
without_gpu = pytest.mark.skipif(HAS_GPU, reason="there is a GPU here")
DEVICES = ["cpu", pytest.param("gpu", marks=needs_gpu)]


@pytest.fixture(autouse=True)
def _restored_device() -> Iterator[None]:
    before = paddle.get_device()
    yield
    paddle.set_device(before)


# ---------------------------------------------------------------- choosing


@pytest.mark.parametrize("device", DEVICES)
def test_the_chosen_device_is_where_tensors_are_made(device: str) -> None:
    place = paddle.set_device(device)
    assert paddle.get_device() == ("cpu" if device == "cpu" else "gpu:0")
    assert isinstance(place, paddle.CPUPlace if device == "cpu" else paddle.CUDAPlace)
    shown = "CPUPlace" if device == "cpu" else "CUDAPlace(0)"
    made = [paddle.to_tensor([1.0]), paddle.ones([2]), paddle.rand([2]), nn.Linear(2, 2).weight]
    made.append(made[1] + made[2])
    assert [str(x.place) for x in made] == [shown] * 5
    assert f"place={shown}" in str(made[0])


def test_choosing_again_and_again() -> None:
    for name in ("cpu", "cpu"):
        paddle.set_device(name)
        assert paddle.get_device() == "cpu"


@pytest.mark.parametrize("device", ["tpu", "", "gpu:", "gpu:x", "cpu:0", "gpu:-1"])
def test_a_device_there_is_not(device: str) -> None:
    before = paddle.get_device()
    with pytest.raises(ValueError, match=r"set_device.*expected.*'cpu'"):
        paddle.set_device(device)
    assert paddle.get_device() == before


@pytest.mark.parametrize("device", [None, 0, paddle.ones([1])])
def test_a_device_of_a_wrong_type(device: object) -> None:
    with pytest.raises(TypeError, match=r"set_device.*expected.*str"):
        paddle.set_device(device)


@without_gpu
def test_asking_for_a_gpu_where_there_is_none() -> None:
    with pytest.raises(ValueError, match=r"set_device\('gpu'\).*\n.*Hint.*'cpu'"):
        paddle.set_device("gpu")
    with pytest.raises(RuntimeError, match=r"CUDAPlace\(0\) was asked for, but 0 GPUs"):
        paddle.to_tensor([1.0], place=paddle.CUDAPlace(0))
    with pytest.raises(RuntimeError, match=r"0 GPUs"):
        paddle.to_tensor([1.0]).cuda()
    assert paddle.get_device() == "cpu"


# ---------------------------------------------------------------- places


def test_places_of_one_device_are_equal_whatever_their_class() -> None:
    named, of_class = paddle.CustomPlace("xpu", 1), paddle.XPUPlace(1)
    assert named == of_class and hash(named) == hash(of_class) and len({named, of_class}) == 1
    assert named != paddle.XPUPlace(0) and named != paddle.CUDAPlace(1) and named != "xpu:1"
    for place in (named, of_class, paddle.CPUPlace(), paddle.CUDAPinnedPlace()):
        for other in (copy.deepcopy(place), pickle.loads(pickle.dumps(place))):
            assert other == place and type(other) is type(place) and repr(other) == repr(place)
    assert repr(paddle.CUDAPlace(np.int64(1))) == "CUDAPlace(1)"  # NumPy's numbers
    assert paddle.CustomPlace("npu", np.int32(2)).get_device_id() == 2


def test_digits_are_those_of_ascii() -> None:
    with pytest.raises(
        ValueError, match=r"(?s)but received 'gpu:\u0663'.*paddle\.device\.register"
    ):
        paddle.set_device("gpu:\u0663")


def test_places_compare_and_print() -> None:
    assert str(paddle.CPUPlace()) == repr(paddle.CPUPlace()) == "CPUPlace"
    assert str(paddle.CUDAPlace(1)) == "CUDAPlace(1)"
    assert str(paddle.CUDAPinnedPlace()) == "CUDAPinnedPlace"
    assert paddle.CPUPlace() == paddle.CPUPlace()
    assert paddle.CUDAPlace(0) == paddle.CUDAPlace(0)
    assert paddle.CUDAPlace(0) != paddle.CUDAPlace(1)
    assert paddle.CPUPlace() != paddle.CUDAPinnedPlace()
    assert paddle.CUDAPlace(1).get_device_id() == 1


def test_the_guides_pinned_tensor() -> None:
    pin_memory_tensor = paddle.to_tensor(1, place=paddle.CUDAPinnedPlace())
    assert str(pin_memory_tensor).startswith(
        "Tensor(shape=[1], dtype=int64, place=CUDAPinnedPlace, stop_gradient=True,"
    )
    assert pin_memory_tensor.numpy().tolist() == [1]


@needs_gpu
def test_the_guides_gpu_tensor() -> None:
    gpu_tensor = paddle.to_tensor(1, place=paddle.CUDAPlace(0))
    assert str(gpu_tensor) == (
        "Tensor(shape=[1], dtype=int64, place=CUDAPlace(0), stop_gradient=True,\n       [1])"
    )


@needs_gpu
def test_moving_to_the_gpu_and_back() -> None:
    paddle.set_device("cpu")
    x = paddle.to_tensor([[1.0, -2.0]], stop_gradient=False)
    there = x.cuda()
    assert (str(x.place), str(there.place)) == ("CPUPlace", "CUDAPlace(0)")
    back = there.cpu()
    assert str(back.place) == "CPUPlace"
    np.testing.assert_array_equal(back.numpy(), x.numpy())
    pinned = x.pin_memory()
    assert str(pinned.place) == "CUDAPinnedPlace"
    np.testing.assert_array_equal(pinned.cuda().numpy(), x.numpy())


def test_moving_to_where_it_is_keeps_the_values() -> None:
    x = paddle.to_tensor([1.0, 2.0], place=paddle.CPUPlace())
    assert x.cpu().numpy().tolist() == [1.0, 2.0]


# ---------------------------------------------------------------- training


class Digits(paddle.io.Dataset):
    """Two classes of 8 x 8 images, told apart by their brighter half."""

    def __len__(self) -> int:
        return 96

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        label = index % 2
        image = np.random.default_rng(index).random((1, 8, 8)).astype("float32")
        image[:, :, 4 * label : 4 * label + 4] += 1
        return image, np.int64([label])


def build() -> nn.Layer:
    return nn.Sequential(
        nn.Conv2D(1, 4, 3, padding=1), nn.BatchNorm2D(4), nn.ReLU(), nn.MaxPool2D(2),
        nn.Flatten(), nn.Linear(64, 2),
    )  # fmt: skip


def trained(start: dict[str, np.ndarray] | None = None) -> tuple[list[float], nn.Layer]:
    """The losses of two epochs, from given parameters, and the network."""
    paddle.seed(3)
    np.random.seed(3)
    net = build()
    if start is not None:
        net.set_state_dict({name: paddle.to_tensor(value) for name, value in start.items()})
    adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
    loader = paddle.io.DataLoader(Digits(), batch_size=16, num_workers=0)
    losses = []
    for _ in range(2):
        for image, label in loader():
            loss = nn.functional.cross_entropy(net(image), label)
            loss.backward()
            adam.step()
            adam.clear_grad()
            losses.append(float(loss))
    return losses, net


@pytest.mark.parametrize("device", DEVICES)
def test_training_by_hand_learns(device: str) -> None:
    paddle.set_device(device)
    losses, net = trained()
    assert losses[-1] < 0.3 * losses[0]
    again, _ = trained()
    np.testing.assert_allclose(again, losses, rtol=0 if device == "cpu" else 1e-4)
    assert {str(p.place) for p in net.parameters()} == {
        "CPUPlace" if device == "cpu" else "CUDAPlace(0)"
    }


@pytest.mark.parametrize("device", DEVICES)
def test_training_with_model_learns(device: str, tmp_path: Path) -> None:
    paddle.set_device(device)
    paddle.seed(3)
    model = paddle.Model(build())
    model.prepare(
        paddle.optimizer.Adam(0.01, parameters=model.parameters()),
        nn.CrossEntropyLoss(),
        paddle.metric.Accuracy(),
    )
    model.fit(Digits(), epochs=2, batch_size=16, verbose=0)
    result = model.evaluate(Digits(), batch_size=16, verbose=0)
    assert result["acc"] > 0.95
    model.save(str(tmp_path / "net"))
    paddle.set_device("cpu")  # what was trained on any device is loaded on any other
    on_cpu = paddle.Model(build())
    on_cpu.prepare(loss=nn.CrossEntropyLoss(), metrics=paddle.metric.Accuracy())
    on_cpu.load(str(tmp_path / "net"))
    assert on_cpu.evaluate(Digits(), batch_size=16, verbose=0)["acc"] == result["acc"]


@needs_gpu
def test_cpu_and_gpu_agree() -> None:
    paddle.set_device("cpu")
    paddle.seed(11)
    start = {name: value.numpy() for name, value in build().state_dict().items()}
    on_cpu, _ = trained(start)
    paddle.set_device("gpu")
    on_gpu, _ = trained(start)
    np.testing.assert_allclose(on_gpu, on_cpu, rtol=2e-2)
