"""The image models against PaddlePaddle 2.6.2: names and shapes of all entries, and outputs."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.core import unique_name
from paddle.vision import models
from paddle.vision.models import pretrained

FROZEN = json.loads(Path(__file__).with_name("paddle_2_6_2.json").read_text())

# The networks of the frozen file; those that take seconds to build are left out.
MAKERS: dict[str, Any] = {
    "resnet18": lambda: models.resnet18(),
    "resnet34": lambda: models.resnet34(),
    "resnet50": lambda: models.resnet50(),
    "resnet50_c3": lambda: models.resnet50(num_classes=3),
    "resnet18_nofc": lambda: models.resnet18(num_classes=0),
    "resnet18_nopool": lambda: models.resnet18(num_classes=0, with_pool=False),
    "vgg11_nofc": lambda: models.vgg11(num_classes=0),
    "vgg11_nopool": lambda: models.vgg11(num_classes=0, with_pool=False),
    "mobilenet_v1_1.0": lambda: models.mobilenet_v1(num_classes=5),
    "mobilenet_v1_0.5": lambda: models.mobilenet_v1(scale=0.5, num_classes=5),
    "mobilenet_v1_0.25": lambda: models.mobilenet_v1(scale=0.25, num_classes=5),
    "mobilenet_v2_0.5": lambda: models.mobilenet_v2(scale=0.5, num_classes=5),
    "mobilenet_v2_0.25": lambda: models.mobilenet_v2(scale=0.25, num_classes=5),
    "mobilenet_v2_1.4": lambda: models.mobilenet_v2(scale=1.4),
    "mv1_nofc": lambda: models.mobilenet_v1(num_classes=0, with_pool=False),
    "mv2_nofc": lambda: models.mobilenet_v2(num_classes=0, with_pool=False),
    "lenet": lambda: models.LeNet(),
    "lenet0": lambda: models.LeNet(0),
}
SLOW = {
    "resnet101": lambda: models.resnet101(),
    "resnet152": lambda: models.resnet152(),
    "vgg11": lambda: models.vgg11(num_classes=7),
    "vgg16": lambda: models.vgg16(num_classes=7),
    "vgg13_bn": lambda: models.vgg13(batch_norm=True, num_classes=7),
    "vgg19_bn": lambda: models.vgg19(batch_norm=True, num_classes=7),
}


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


def _check_structure(name: str, make: Any) -> None:
    with unique_name.guard():
        net = make()
    state = [[key, list(value.shape)] for key, value in net.state_dict().items()]
    layers = [[key, type(sub).__name__, sub.full_name()] for key, sub in net.named_sublayers()]
    expected = FROZEN["structure"][name]
    total = sum(int(np.prod(shape)) for _, shape in state)
    assert (len(state), total) == (expected["entries"], expected["total"])
    assert _digest(state) == expected["state"], [key for key, _ in state][:12]
    assert _digest(layers) == expected["layers"], layers[:12]


@pytest.mark.parametrize("name", MAKERS)
def test_structure_is_that_of_paddle(name: str) -> None:
    _check_structure(name, MAKERS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_structure_of_large_models_is_that_of_paddle(name: str) -> None:
    _check_structure(name, SLOW[name])


def _fill(net: paddle.nn.Layer) -> None:
    """The weights that the frozen outputs were computed with."""
    drawn = np.random.RandomState(5)
    for name, value in net.state_dict().items():
        shape = list(value.shape)
        if "variance" in name:
            array = drawn.rand(*shape) + 0.5
        elif len(shape) > 1:
            fan = np.prod(shape[1:] if len(shape) == 4 else shape[:1])
            array = drawn.randn(*shape) * np.sqrt(2 / fan)
        else:
            array = drawn.randn(*shape) * 0.1 + (1.0 if "weight" in name else 0)
        value.set_value(array.astype("float32"))


@pytest.mark.parametrize("name", FROZEN["forward"])
def test_outputs_are_those_of_paddle(name: str) -> None:
    net = MAKERS[name]()
    net.eval()
    _fill(net)
    channels, size = (1, 28) if name == "lenet" else (3, 64)
    x = np.random.RandomState(1).randn(2, channels, size, size).astype("float32")
    out = net(paddle.to_tensor(x)).numpy()
    expected = FROZEN["forward"][name]
    assert list(out.shape) == expected["shape"]
    scale = np.abs(expected["first"]).max()
    np.testing.assert_allclose(out.reshape(-1)[:6], expected["first"], rtol=1e-4, atol=1e-4 * scale)
    np.testing.assert_allclose(np.abs(out).mean(), expected["mean_abs"], rtol=1e-4)


def test_the_list_is_the_one_of_the_guide() -> None:
    assert paddle.vision.models.__all__ == [
        "ResNet", "resnet18", "resnet34", "resnet50", "resnet101", "resnet152",
        "VGG", "vgg11", "vgg13", "vgg16", "vgg19",
        "MobileNetV1", "mobilenet_v1", "MobileNetV2", "mobilenet_v2", "LeNet",
    ]  # fmt: skip


def test_names_are_found_in_paddle_vision_too() -> None:
    for name in models.__all__:
        assert getattr(paddle.vision, name) is getattr(models, name)
    assert paddle.vision.MNIST is paddle.vision.datasets.MNIST
    assert paddle.vision.Resize is paddle.vision.transforms.Resize
    assert paddle.vision.set_image_backend is paddle.vision.image.set_image_backend


def test_a_training_step_changes_every_parameter_of_resnet18() -> None:
    paddle.seed(1)
    net = models.resnet18(num_classes=2)
    before = {name: p.numpy() for name, p in net.named_parameters()}
    optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    x = paddle.to_tensor(np.random.RandomState(0).rand(4, 3, 32, 32).astype("float32"))
    loss = paddle.nn.CrossEntropyLoss()(net(x), paddle.to_tensor([0, 1, 0, 1]))
    loss.backward()
    optimizer.step()
    trained = [name for name, p in net.named_parameters() if p.trainable]
    still = [n for n in trained if np.array_equal(before[n], net.state_dict()[n].numpy())]
    assert not still


def test_depth_that_does_not_exist() -> None:
    with pytest.raises(ValueError, match=r"one of \[18, 34, 50, 101, 152\].*received 20"):
        models.ResNet(models.resnet.BasicBlock, 20)


def test_weights_that_were_never_published() -> None:
    with pytest.raises(ValueError, match=r"mobilenetv1_0\.5 has none"):
        models.mobilenet_v1(pretrained=True, scale=0.5)
    with pytest.raises(ValueError, match="vgg16_bn has none"):
        models.vgg16(pretrained=True, batch_norm=True, num_classes=0)


def test_weights_come_from_the_file_that_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = models.mobilenet_v2(num_classes=0)
    path = str(tmp_path / "weights.pdparams")
    paddle.save(source.state_dict(), path)
    asked = []

    def fetch(url: str, md5sum: str) -> str:
        asked.append((url.rpartition("/")[2], md5sum))
        return path

    monkeypatch.setattr(pretrained, "get_weights_path_from_url", fetch)
    net = models.mobilenet_v2(pretrained=True, num_classes=0)
    assert asked == [("mobilenet_v2_x1.0.pdparams", "0340af0a901346c8d46f4529882fb63d")]
    for name, value in source.state_dict().items():
        np.testing.assert_array_equal(net.state_dict()[name].numpy(), value.numpy())
