"""QuantConfig, QAT and PTQ in the form of 2.4 and later, against plain NumPy forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.nn.quant import Stub
from paddle.nn.quant.format import LinearDequanter, LinearQuanter, LinearQuanterDequanter
from paddle.nn.quant.qat import QuantedConv2D, QuantedLinear
from paddle.quantization import PTQ, QAT, BaseObserver, BaseQuanter, QuantConfig, quanter
from paddle.quantization.observers import AbsmaxObserver, GroupWiseWeightObserver
from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver
from paddle.quantization.wrapper import ObserveWrapper


def net() -> nn.Layer:
    paddle.seed(4)
    return nn.Sequential(
        nn.Conv2D(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 16, 8), nn.Linear(8, 3)
    )


def images(seed: int = 0) -> Any:
    return paddle.to_tensor(np.random.RandomState(seed).rand(5, 1, 6, 6).astype("float32"))


def rounded(value: np.ndarray, top: float, bits: int = 8) -> np.ndarray:
    steps = 2 ** (bits - 1) - 1
    return np.clip(np.round(value / top * steps), -steps - 1, steps) * top / steps


def both(**given: Any) -> QuantConfig:
    made = AbsmaxObserver(**given)
    return QuantConfig(activation=made, weight=made)


def test_a_linear_layer_is_calibrated_and_converted() -> None:
    layer = nn.Sequential(nn.Linear(4, 3))
    layer.eval()
    ptq = PTQ(both(quant_bits=4))
    watched = ptq.quantize(layer)
    batches = [np.random.RandomState(i).randn(6, 4).astype("float32") for i in range(3)]
    for batch in batches:  # what watches changes nothing
        x = paddle.to_tensor(batch)
        np.testing.assert_array_equal(watched(x).numpy(), layer(x).numpy())
    weight, bias = layer[0].weight.numpy(), layer[0].bias.numpy()
    top = max(np.abs(b).max() for b in batches)
    expected = rounded(batches[0], top, 4) @ rounded(weight, np.abs(weight).max(), 4) + bias
    made = ptq.convert(watched)
    np.testing.assert_allclose(made(paddle.to_tensor(batches[0])).numpy(), expected, atol=1e-5)
    steps = made[0].weight.numpy()  # stored as steps
    assert (steps == np.round(steps)).all() and np.abs(steps).max() == 7
    floats = ptq.convert(watched, remain_weight=True)
    np.testing.assert_array_equal(floats[0].weight.numpy(), weight)
    np.testing.assert_allclose(floats(paddle.to_tensor(batches[0])).numpy(), expected, atol=1e-5)
    np.testing.assert_array_equal(layer[0].weight.numpy(), weight)  # a copy was quantised
    assert type(watched[0]) is QuantedLinear and type(layer[0]) is nn.Linear


def test_training_follows_an_average_and_the_optimizer_learns(tmp_path: Path) -> None:
    made = FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
    qat = QAT(QuantConfig(activation=made, weight=made))
    model = qat.quantize(net())
    kinds = [type(layer) for layer in model]
    assert kinds == [QuantedConv2D, ObserveWrapper, ObserveWrapper, QuantedLinear, QuantedLinear]
    before = model[3].weight.numpy()
    top = np.abs(before).max()
    adam = paddle.optimizer.Adam(0.01, parameters=model.parameters())
    x, label = images(), paddle.to_tensor([0, 1, 2, 0, 1])
    losses = []
    for step in range(30):
        loss = nn.functional.cross_entropy(model(x), label)
        if step == 0:  # state and accumulator begin with 1
            scale = model[3].weight_quanter.scales()
            np.testing.assert_allclose(scale.item(), (0.9 + top) / 1.9, rtol=1e-6)
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < 0.5 * losses[0]
    model.eval()
    expected = model(x).numpy()
    converted = qat.convert(model)
    found = converted(x).numpy()
    np.testing.assert_allclose(found, expected, atol=0.05 * np.abs(expected).max())
    assert type(converted[3].activation_quanter) is LinearQuanterDequanter
    assert type(model[3].activation_quanter) is not LinearQuanterDequanter
    path = str(tmp_path / "int8")
    paddle.jit.save(converted, path, [paddle.static.InputSpec([None, 1, 6, 6], "float32")])
    np.testing.assert_allclose(paddle.jit.load(path)(x).numpy(), found, atol=1e-5)
    config = paddle.inference.Config(f"{path}.pdmodel", f"{path}.pdiparams")
    predictor = paddle.inference.create_predictor(config)
    predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(x.numpy())
    predictor.run()
    served = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
    np.testing.assert_allclose(served, found, atol=1e-5)


def test_names_come_before_types_and_these_before_what_is_around() -> None:
    model = nn.Sequential(nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2), nn.Conv2D(1, 1, 1)),
                          nn.Linear(2, 2))  # fmt: skip
    one, two, three = (AbsmaxObserver(quant_bits=bits) for bits in (4, 5, 6))
    config = QuantConfig(activation=None, weight=None)
    config.add_layer_config(model[0], activation=one, weight=one)
    config.add_type_config([nn.Conv2D], weight=two)
    config.add_name_config(model[0][1].full_name(), activation=three)
    model.eval()
    ptq = PTQ(config)
    made = ptq.quantize(model)
    inner = made[0]
    assert inner[0].weight_quanter.bit_length() == inner[0].activation_quanter.bit_length() == 4
    assert inner[1].weight_quanter is None and inner[1].activation_quanter.bit_length() == 6
    assert inner[2].weight_quanter.bit_length() == 5 and inner[2].activation_quanter is None
    assert type(made[1]) is nn.Linear  # nothing is said of it
    text = ptq._config.details()
    assert "0.1 (Linear): activation: AbsmaxObserver(quant_bits=6), weight: None" in text
    assert "Layer names:" in str(config) and "Conv2D: activation: None" in str(config)
    assert config.details() == str(config)  # it has seen no network itself


def test_stubs_leaves_and_mappings() -> None:
    class Adding(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.left, self.right = Stub(), Stub(AbsmaxObserver(quant_bits=4))
            self.inner = nn.Sequential(nn.ReLU())
            self.words = nn.Embedding(3, 2)

        def forward(self, x: Any, y: Any, ids: Any) -> Any:
            return self.inner(self.left(x) + self.right(y)) + self.words(ids)

    class Own(nn.Layer):
        def __init__(self, layer: nn.Layer, config: Any) -> None:
            super().__init__()
            self.layer, self.config = layer, config

        def forward(self, x: Any) -> Any:
            return self.layer(x)

    x, y, ids = paddle.to_tensor([1.0, 0.3]), paddle.to_tensor([0.5, 0.1]), paddle.to_tensor([2])
    model = Adding()
    model.eval()
    plain = model(x, y, ids).numpy()
    config = QuantConfig(activation=AbsmaxObserver(), weight=None)
    config.add_customized_leaf(nn.Sequential)
    ptq = PTQ(config)
    made = ptq.quantize(model)
    np.testing.assert_array_equal(made(x, y, ids).numpy(), plain)  # ids pass by the observer
    assert type(made.inner) is ObserveWrapper and type(made.inner._observed) is nn.Sequential
    assert made.right._observer.scales().item() == 0.5
    del made.words  # its observer saw no floats
    made.words = model.words
    found = ptq.convert(made)(x, y, ids).numpy()
    inside = rounded(x.numpy(), 1.0) + rounded(y.numpy(), 0.5, 4)
    expected = rounded(inside, (x + y).numpy().max()) + model.words.weight.numpy()[2]
    np.testing.assert_allclose(found[0], expected, atol=1e-5)
    config.add_qat_layer_mapping(nn.Sequential, Own)
    assert type(PTQ(config).quantize(model).inner) is Own
    assert config.qat_layer_mappings[nn.Sequential] is Own
    assert nn.Sequential not in config.default_qat_layer_mapping


@quanter("Clipping")
class ClippingLayer(BaseQuanter):
    """A quanter of a user's."""

    def __init__(self, layer: nn.Layer, top: float = 1.0) -> None:
        super().__init__()
        self.top = self.create_parameter([1], default_initializer=nn.initializer.Constant(top))

    def forward(self, input: Any) -> Any:
        return paddle.maximum(paddle.minimum(input, self.top), -self.top)

    def scales(self) -> Any:
        return self.top

    def zero_points(self) -> None:
        return None

    def quant_axis(self) -> int:
        return -1

    def bit_length(self) -> int:
        return 8


def test_quanters_of_a_user() -> None:
    made = Clipping(top=0.5)  # type: ignore[name-defined]  # noqa: F821
    assert str(made) == "Clipping(top=0.5)" and made.kwargs == {"top": 0.5} and made.args == ()
    model = QAT(QuantConfig(activation=made, weight=None)).quantize(nn.Sequential(nn.Linear(2, 1)))
    x = paddle.to_tensor([[2.0, -0.25]])
    expected = np.array([[0.5, -0.25]]) @ model[0].weight.numpy() + model[0].bias.numpy()
    np.testing.assert_allclose(model(x).numpy(), expected, rtol=1e-6)
    assert len(model.parameters()) == 3  # its bound is trained
    with pytest.raises(TypeError, match="abstract"):
        BaseObserver()  # type: ignore[abstract]


def test_scales_of_groups() -> None:
    weight = paddle.to_tensor(np.random.RandomState(0).randn(128, 3).astype("float32"))
    observer = GroupWiseWeightObserver(quant_bits=4, group_size=64)._instance(nn.Linear(128, 3))
    assert observer(weight) is weight and observer.bit_length() == 4
    expected = np.abs(weight.numpy().reshape(2, 64, 3)).max(1)
    np.testing.assert_array_equal(observer.scales().numpy(), expected)
    with pytest.raises(
        NotImplementedError, match=r"one for each channel, but got the shape \[2, 3\]"
    ):
        LinearQuanter.from_quanter(observer)
    with pytest.raises(ValueError, match=r"a multiple of 64, but got the shape \[100, 3\]"):
        observer(weight[:100])
    with pytest.raises(ValueError, match="expected 64 or 128, but got 32"):
        GroupWiseWeightObserver(group_size=32)._instance(nn.Linear(2, 2))


def test_steps_and_what_they_stand_for_by_channel() -> None:
    x = np.random.RandomState(1).randn(3, 4).astype("float32")
    tops = np.abs(x).max(0)
    steps = LinearQuanter(tops, quant_axis=1)(paddle.to_tensor(x))
    np.testing.assert_array_equal(steps.numpy(), np.round(x / tops * 127))
    back = LinearDequanter(tops, quant_axis=1)(steps)
    np.testing.assert_allclose(back.numpy(), rounded(x, tops), rtol=1e-6)


def test_bad_input() -> None:
    model = net()
    with pytest.raises(TypeError, match=r"QuantConfig\(weight\): expected a factory.*but got int"):
        QuantConfig(activation=None, weight=8)
    with pytest.raises(TypeError, match=r"QAT\(config\): expected a QuantConfig, but got dict"):
        QAT({})
    with pytest.raises(
        RuntimeError, match=r"PTQ.quantize\(model\): expected a network in evaluation"
    ):
        PTQ(both()).quantize(model)
    model.eval()
    with pytest.raises(
        RuntimeError, match=r"QAT.quantize\(model\): expected a network in training"
    ):
        QAT(both()).quantize(model)
    for kind in (PTQ, QAT):
        with pytest.raises(TypeError, match=rf"{kind.__name__}.*expected a Layer, but got int"):
            kind(both()).quantize(3)
    with pytest.warns(UserWarning, match=r"PTQ.quantize: nothing to quantise"):
        PTQ(QuantConfig(activation=None, weight=None)).quantize(model)
    ptq = PTQ(both())
    watched = ptq.quantize(model)
    with pytest.raises(RuntimeError, match=r"AbsmaxObserverLayer, but it saw no value yet"):
        ptq.convert(watched)
    config = both()
    for call, value in (
        ("add_layer_config", "x"),
        ("add_name_config", 3),
        ("add_type_config", int),
    ):
        with pytest.raises(TypeError, match=rf"QuantConfig.{call}.*expected a"):
            getattr(config, call)(value)
    with pytest.raises(TypeError, match=r"expected types of Layer, but got <class 'int'>"):
        config.add_qat_layer_mapping(nn.Linear, int)
    with pytest.raises(TypeError, match=r"expected a class of Layers, got 3"):
        quanter("Name")(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"expected a name for a class, got 'a b'"):
        quanter("a b")
    with pytest.raises(ValueError, match="bits"):
        PTQ(both(quant_bits=0)).quantize(model)
    with pytest.raises(NotImplementedError, match=r"zero_point\): expected 0"):
        LinearQuanter([1.0], zero_point=3.0)
