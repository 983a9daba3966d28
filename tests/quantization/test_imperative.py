"""Layers trained with rounded values: what they compute, gradients, what is saved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle import quantization as q

X = np.random.RandomState(0).randn(6, 1, 8, 8).astype("float32")


def net() -> nn.Layer:
    paddle.seed(4)
    return nn.Sequential(
        nn.Conv2D(1, 4, 3), nn.BatchNorm2D(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 5)
    )


def rounded(x: np.ndarray, scale: np.ndarray) -> np.ndarray:
    return np.round(np.clip(x, -scale, scale) / scale * 127) * scale / 127


@pytest.mark.parametrize("kind", ["abs_max", "channel_wise_abs_max"])
def test_a_linear_computes_with_rounded_numbers(kind: str) -> None:
    layer = nn.Linear(16, 5)
    model = nn.Sequential(layer)
    q.ImperativeQuantAware(weight_quantize_type=kind).quantize(model)
    x = X.reshape(-1, 16)
    out = model(paddle.to_tensor(x))
    scale = (0.9 + np.abs(x).max()) / 1.9
    w = layer.weight.numpy()
    by = np.abs(w).max(0) if kind == "channel_wise_abs_max" else np.abs(w).max()
    expected = rounded(x, scale) @ rounded(w, by) + layer.bias.numpy()
    np.testing.assert_allclose(out.numpy(), expected, atol=1e-4)
    out.sum().backward()  # as if nothing was rounded away
    np.testing.assert_allclose(
        layer.weight.grad.numpy()[:, 0], rounded(x, scale).sum(0), rtol=1e-4, atol=1e-3
    )
    np.testing.assert_allclose(model[0]._fake_quant_input._scale.numpy(), [scale], rtol=1e-6)


def test_training_goes_on_and_what_is_saved_computes_the_same(tmp_path: Path) -> None:
    model = net()
    names = set(model.state_dict())
    aware = q.ImperativeQuantAware(weight_quantize_type="channel_wise_abs_max")
    assert aware.quantize(model) is model
    assert names <= set(model.state_dict())
    sgd = paddle.optimizer.SGD(0.05, parameters=model.parameters())
    y = paddle.to_tensor(np.arange(6) % 5)
    losses = []
    for _ in range(12):
        loss = paddle.nn.functional.cross_entropy(model(paddle.to_tensor(X)), y)
        loss.backward()
        sgd.step()
        sgd.clear_grad()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]
    path = str(tmp_path / "net")
    aware.save_quantized_model(
        model, path, input_spec=[paddle.static.InputSpec([None, 1, 8, 8], "float32")]
    )
    assert model.training
    model.eval()
    out = paddle.jit.load(path)(paddle.to_tensor(X))
    np.testing.assert_allclose(out.numpy(), model(paddle.to_tensor(X)).numpy(), atol=1e-5)
    again = net()
    aware.quantize(again)
    again.set_state_dict(model.state_dict())
    again.eval()
    np.testing.assert_array_equal(
        again(paddle.to_tensor(X)).numpy(), model(paddle.to_tensor(X)).numpy()
    )


def test_which_layers(tmp_path: Path) -> None:
    model = net()
    model[0].skip_quant = True
    copy = q.ImperativeQuantAware(quantizable_layer_type=["Conv2D", "Linear", "ReLU"]).quantize(
        model, inplace=False
    )
    kinds = [type(layer).__name__ for layer in copy]
    assert kinds == ["Conv2D", "BatchNorm2D", "QuantizedNoweightLayer", "Flatten",
                     "QuantizedLinear"]  # fmt: skip
    assert type(model[4]) is nn.Linear
    copy(paddle.to_tensor(X))


def test_layers_of_ones_own() -> None:
    class Half(nn.Layer):
        def forward(self, x: paddle.Tensor) -> paddle.Tensor:
            return x * 0.5

    model = nn.Sequential(nn.Linear(4, 4))
    plain = model(paddle.ones([1, 4])).numpy() - model[0].bias.numpy()
    q.ImperativeQuantAware(act_preprocess_layer=Half, weight_preprocess_layer=Half).quantize(model)
    found = model(paddle.ones([1, 4])).numpy() - model[0].bias.numpy()
    np.testing.assert_allclose(found, plain / 4, atol=0.02)


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="'LSTM'"):
        q.ImperativeQuantAware(quantizable_layer_type=["LSTM"])
    with pytest.raises(ValueError, match="weight_quantize_type"):
        q.ImperativeQuantAware(weight_quantize_type="mean")
    with pytest.raises(TypeError, match="expected a type of Layer"):
        q.ImperativeQuantAware(act_preprocess_layer=abs)
    with pytest.raises(TypeError, match="expected a Layer, but got int"):
        q.ImperativeQuantAware().quantize(3)
