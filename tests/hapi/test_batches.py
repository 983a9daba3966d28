"""What a batch may be: dicts, several inputs, outputs, labels and losses; and what does not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.static import InputSpec
from tests.hapi.stories import Points, prepared
from tests.hapi.test_model_static import mode

MODES = pytest.mark.parametrize("static", [False, True], ids=["dynamic", "static"])
SPECS = (
    [InputSpec([None, 4], "float32", "left"), InputSpec([None, 5], "float32", "right")],
    [InputSpec([None, 1], "int64", "kind"), InputSpec([None, 2], "float32", "place")],
)


class Two(nn.Layer):
    """Two inputs, two outputs; and one input that may be left out."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(4, 3), nn.Linear(5, 2)

    def forward(self, left: Any, right: Any, extra: Any = None, scale: Any = None) -> Any:
        left = left if extra is None else left + extra
        right = right if scale is None else right * scale
        return self.a(left) + self.b(right).sum(1, keepdim=True), self.b(right)


class Both(nn.Layer):
    """Two losses of two outputs and two labels."""

    def forward(self, kind_out: Any, place_out: Any, kind: Any, place: Any) -> Any:
        return nn.functional.cross_entropy(kind_out, kind), nn.functional.mse_loss(place_out, place)


class Near(paddle.metric.Metric):
    """A metric of the second output and the second label."""

    def __init__(self) -> None:
        super().__init__()
        self.reset()

    def name(self) -> list:
        return ["near", "far"]

    def reset(self) -> None:
        self.distances: list = []

    def compute(self, kind_out: Any, place_out: Any, kind: Any, place: Any) -> Any:
        return (place_out - place).abs().mean(1)

    def update(self, distances: Any) -> None:
        self.distances += distances.tolist()

    def accumulate(self) -> list:
        return [min(self.distances), max(self.distances)]


class Named(paddle.io.Dataset):
    """Samples that are dicts, in the order that is asked for."""

    def __init__(self, *names: str, rename: Any = None) -> None:
        self.names, self.rename = names, rename or {}

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> dict:
        held = {
            "left": np.full([4], index / 8, "float32"),
            "right": np.full([5], 1 - index / 8, "float32"),
            "kind": np.array([index % 3]),
            "place": np.full([2], index / 4, "float32"),
            "extra": np.full([4], index * 0.5, "float32"),
            "scale": np.full([5], 0.5, "float32"),
            "id": np.array([index]),
        }
        return {self.rename.get(name, name): held[name] for name in self.names}


def made(specs: bool = True) -> paddle.Model:
    paddle.seed(2)
    net = Two()
    model = paddle.Model(net, *(SPECS if specs else ()))
    adam = paddle.optimizer.Adam(0.05, parameters=net.parameters())
    model.prepare(adam, Both(), [Near(), paddle.metric.Accuracy()])
    return model


@MODES
def test_several_of_everything(static: bool) -> None:
    class FirstTwo(paddle.metric.Accuracy):
        def compute(self, kind_out: Any, place_out: Any, kind: Any, place: Any) -> Any:
            return super().compute(kind_out, kind)

    with mode(static):
        paddle.seed(2)
        net = Two()
        model = paddle.Model(net, *SPECS)
        adam = paddle.optimizer.Adam(0.05, parameters=net.parameters())
        model.prepare(adam, Both(), [Near(), FirstTwo()])
        data = Named("left", "right", "kind", "place")
        history = model.fit(data, data, batch_size=4, epochs=25, verbose=0, num_workers=0)
        curves = history.history
        names = ["loss", "loss_0", "loss_1", "near", "far", "acc"]
        assert list(curves) == names + ["eval_" + name for name in names]
        assert curves["loss"][-1] < 0.7 * curves["loss"][0]
        result = model.evaluate(data, batch_size=4, verbose=0)
        assert len(result["loss"]) == 2 and result["near"] <= result["far"]
        out = model.predict(data, batch_size=4, stack_outputs=True, verbose=0)
        assert [o.shape for o in out] == [(8, 3), (8, 2)]
        losses, metrics = model.eval_batch(
            [np.ones([2, 4], "float32"), np.ones([2, 5], "float32")],
            [np.ones([2, 1], "int64"), np.ones([2, 2], "float32")],
        )
        assert len(losses) == 2 and len(metrics) == 2


def losses(model: paddle.Model, data: Any) -> list[float]:
    model.prepare(model._optimizer, Both())
    return model.fit(data, batch_size=4, epochs=2, shuffle=False, verbose=0).history["loss"]


@pytest.mark.parametrize("specs", [True, False])
def test_the_order_of_a_dict_does_not_matter(specs: bool) -> None:
    expected = losses(made(), [_tuple(range(4)), _tuple(range(4, 8))])
    for order in (("left", "right", "kind", "place"), ("right", "left", "kind", "place")):
        assert losses(made(specs), Named(*order)) == expected
    if specs:  # what was not declared is left out
        assert losses(made(), Named("id", "place", "kind", "right", "left")) == expected


def test_specs_in_a_dict_name_the_inputs() -> None:
    net = Two()
    specs = {key: InputSpec([None, n], "float32") for key, n in (("right", 5), ("left", 4))}
    model = paddle.Model(net, {key: specs[key] for key in ("left", "right")})
    model.prepare(paddle.optimizer.SGD(0.1, parameters=net.parameters()), Both())
    data = Named("right", "kind", "left", "place")
    assert len(model.fit(data, batch_size=4, verbose=0).epoch) == 1


def _tuple(numbers: Any) -> tuple:
    held = [Named("left", "right", "kind", "place")[i] for i in numbers]
    return tuple(np.stack([one[name] for one in held]) for name in held[0])


def test_inputs_that_may_be_left_out() -> None:
    model = made(specs=False)
    seen: list = []
    forward = model.network.forward

    def noted(left: Any, right: Any, extra: Any = None, scale: Any = None) -> Any:
        seen.append((extra is None, scale is None))
        return forward(left, right, extra, scale)

    model.network.forward = noted
    losses(model, Named("scale", "left", "right", "kind", "place"))
    losses(model, Named("left", "right", "kind", "place", "extra"))
    assert seen == [(True, False)] * 4 + [(False, True)] * 4


@pytest.mark.parametrize("specs", [True, False])
def test_names_that_are_missing(specs: bool) -> None:
    data = Named("left", "right", "kind", "place", rename={"right": "rihgt"})
    with pytest.raises(
        ValueError, match=r"'left', 'right'.*dict with 'left', 'rihgt', 'kind', 'pl"
    ):
        made(specs).fit(data, batch_size=4, verbose=0)
    with pytest.raises(ValueError, match="it lacks 'right'"):
        made(specs).predict(Named("left"), batch_size=4, verbose=0)


def test_labels_that_are_missing() -> None:
    with pytest.raises(ValueError, match="it lacks 'place'"):
        made().evaluate(Named("left", "right", "kind"), batch_size=4, verbose=0)
    assert len(made().predict(Named("left", "right", "kind"), batch_size=4, verbose=0)) == 2


# -- by position ----------------------------------------------------------------------------------
@MODES
@pytest.mark.parametrize("run", ["fit", "evaluate"])
@pytest.mark.parametrize("count", [1, 3, 5])
def test_parts_that_do_not_fit_what_was_declared(static: bool, run: str, count: int) -> None:
    parts = (*_tuple(range(4)), np.zeros([4, 1], "float32"))[:count]
    text = rf"2 inputs \['left', 'right'\] and 2 labels \['kind', 'place'\].*received {count} parts"
    with mode(static), pytest.raises(ValueError, match=text):
        getattr(made(), run)([parts], verbose=0)


def test_too_few_parts_for_the_network() -> None:
    text = "at least 2 parts in a batch, the inputs 'left', 'right' of Two.forward.*received 1"
    for run in ("fit", "evaluate", "predict"):
        with pytest.raises(ValueError, match=text):
            getattr(made(specs=False), run)([_tuple(range(4))[:1]], verbose=0)


@pytest.mark.parametrize("run", ["fit", "evaluate", "predict"])
@pytest.mark.parametrize("bad", ["data", b"data", {"x": 1}, 3, 1.5, Points])
def test_what_is_no_data(run: str, bad: Any) -> None:
    kind = type(bad).__name__
    with pytest.raises(TypeError, match=rf"Model.{run}\(\w+_data\).*DataLoader.*got {kind}"):
        getattr(prepared(), run)(bad)


def test_what_is_no_evaluation_data() -> None:
    with pytest.raises(TypeError, match=r"Model.fit\(eval_data\).*got int"):
        prepared().fit(Points(4), 7)
