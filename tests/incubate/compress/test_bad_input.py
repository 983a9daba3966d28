"""What prune refuses, and says about it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.incubate import compress
from paddle.vision import models

SPEC = [None, 1, 28, 28]


def refused(kind: type, *args: Any, net: Any = None, **options: Any) -> str:
    net = models.LeNet() if net is None else net
    options.setdefault("inputs", SPEC)
    before = {n: t.shape for n, t in net.state_dict().items()}
    with pytest.raises(kind) as error:
        compress.prune(net, *args, **options)
    assert {n: t.shape for n, t in net.state_dict().items()} == before
    return str(error.value)


@pytest.mark.parametrize("share", [1, 1.0, 1.2, -0.1, float("nan")])
def test_shares_out_of_range_name_the_parameter(share: float) -> None:
    text = refused(ValueError, {"features.3.weight": share})
    assert "'features.3.weight'" in text
    assert str(share) in text
    assert "[0, 1)" in refused(ValueError, share)


def test_nothing_goes_where_nothing_is_asked_for() -> None:
    net = models.LeNet()
    for done in (
        compress.prune(net, 0, inputs=SPEC),
        compress.prune(net, {"features.0.weight": 0.0}, inputs=SPEC),
        compress.prune(net, flops=1.0, inputs=SPEC),
    ):
        assert str(done) == "Nothing was pruned: all 347,560 operations are left."
        assert (done.parameters, done.kept, done.left) == ([], {}, 1.0)


def test_one_channel_always_stays() -> None:
    net = models.LeNet()
    compress.prune(net, 0.999, inputs=SPEC)
    assert [p.shape for p in net.parameters()][:2] == [[1, 1, 3, 3], [1]]


def test_unknown_parameters_and_such_without_channels() -> None:
    text = refused(ValueError, {"features.9.weight": 0.5})
    assert "'features.9.weight' is no parameter" in text
    assert "'features.0.weight'" in text
    assert "makes no channels of its own" in refused(ValueError, {"features.0.bias": 0.5})
    assert "skip" in refused(ValueError, 0.5, skip=["nothing"])
    assert "expected names" in refused(TypeError, {3: 0.5})


def test_channels_of_the_output_stay() -> None:
    text = refused(ValueError, {"fc.2.weight": 0.5})
    assert "'fc.2.weight' have to stay: they are channels of the output" in text


class Fixed(nn.Layer):
    """A convolution whose result is added to the image, and one that goes with it."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Conv2D(3, 3, 3, padding=1), nn.Conv2D(3, 3, 3, padding=1)
        self.last = nn.Conv2D(3, 2, 3)

    def forward(self, x: Any) -> Any:
        return self.last(self.two(self.one(x) + x) + self.one(x))


def test_a_fixed_partner_is_named() -> None:
    net = Fixed()
    text = refused(ValueError, {"two.weight": 0.4}, net=net, inputs=[None, 3, 6, 6])
    assert "elementwise_add" in text
    assert "'x', whose channels are given" in text
    assert "'one.weight'" in text
    assert "nothing to prune" in refused(ValueError, 0.5, net=net, inputs=[None, 3, 6, 6])


def test_two_shares_for_the_same_channels() -> None:
    net = models.resnet18(num_classes=3)
    text = refused(
        ValueError, {"conv1.weight": 0.5, "layer1.0.conv2.weight": 0.25}, net=net,
        inputs=[None, 3, 32, 32],
    )  # fmt: skip
    assert "'conv1.weight' and 'layer1.0.conv2.weight' lose the same channels" in text


def test_arguments_that_do_not_go_together() -> None:
    assert "neither" in refused(ValueError)
    assert "both" in refused(ValueError, 0.5, flops=0.5)
    assert "together with flops" in refused(ValueError, 0.5, sensitivity=compress.Sensitivity(1.0))
    assert "where ratios names" in refused(ValueError, {"fc.0.weight": 0.5}, skip=["fc.1.weight"])
    assert "(0, 1]" in refused(ValueError, flops=0)
    assert "(0, 1]" in refused(ValueError, flops=1.5)
    assert "expected a number" in refused(TypeError, flops="half")
    assert "expected a number" in refused(TypeError, {"fc.0.weight": "half"})
    assert "can be reached" in refused(ValueError, flops=1e-6)
    assert "expected one of" in refused(ValueError, 0.5, criterion="l3")
    assert "expected one of" in refused(TypeError, 0.5, criterion=3)
    assert "expected 6 numbers" in refused(ValueError, 0.5, criterion=lambda n, w: w)
    assert "shapes of the Layer's inputs" in refused(ValueError, 0.5, inputs=None)
    assert "expected shapes" in refused(TypeError, 0.5, inputs=["x"])
    assert "paddle.optimizer.Optimizer" in refused(TypeError, 0.5, optimizer=3)
    assert "expected None for a Layer" in refused(TypeError, 0.5, scope=paddle.static.Scope())


def test_models_of_another_kind() -> None:
    with pytest.raises(TypeError, match=r"Layer or a paddle.static.Program"):
        compress.prune(lambda x: x, 0.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"inputs.*expected None for a Program"):
        compress.prune(paddle.static.Program(), 0.5, inputs=SPEC)
    with pytest.raises(TypeError, match="expected a Program"):
        compress.Pruning().apply(models.LeNet())  # type: ignore[arg-type]


def test_weights_that_are_not_finite() -> None:
    net = models.LeNet()
    value = net.features[0].weight.numpy()
    value[2] = np.nan
    net.features[0].weight.set_value(value)
    assert "the scores of 'features.0.weight' are not finite" in refused(ValueError, 0.5, net=net)


class Counting(nn.Layer):
    """Its code asks for sizes in a way that no Program shows."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Linear(4, 6), nn.Linear(6, 2)

    def forward(self, x: Any) -> Any:
        y = self.one(x)
        if y.shape[1] != 6:
            raise KeyError("six are needed")
        return self.two(y)


def test_a_layer_whose_code_does_not_run_is_put_back() -> None:
    net = Counting()
    text = refused(RuntimeError, 0.5, net=net, inputs=[None, 4])
    assert "Counting does not run with fewer channels" in text
    assert "six are needed" in text
    assert net.one._out_features == 6
    assert net(paddle.ones([1, 4])).shape == [1, 2]
