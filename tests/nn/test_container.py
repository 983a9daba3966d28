"""Sequential, LayerList, ParameterList and LayerDict."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import paddle

nn = paddle.nn


class Times(nn.Layer):
    """Multiplies by a number."""

    def __init__(self, factor: float = 1.0) -> None:
        super().__init__()
        self.factor = self.create_parameter(
            [1], default_initializer=nn.initializer.Constant(factor)
        )

    def forward(self, x):
        return x * self.factor

    def extra_repr(self) -> str:
        return f"{self.factor.item():g}"


def x():
    return paddle.to_tensor(np.array([1.0], "float32"))


def factors(layers) -> list[float]:
    return [layer.factor.item() for layer in layers]


def made(value: float = 0.0):
    return nn.Layer().create_parameter([1], default_initializer=nn.initializer.Constant(value))


# -- Sequential -------------------------------------------------------------------------------


def test_sequential_computes_one_after_the_other() -> None:
    net = nn.Sequential(Times(2.0), nn.ReLU(), Times(5.0))
    assert net(x()).numpy().tolist() == [10.0]
    assert [n for n, _ in net.named_parameters()] == ["0.factor", "2.factor"]
    named = nn.Sequential(("a", Times(2.0)), ("b", Times(3.0)))
    assert named(x()).numpy().tolist() == [6.0]
    assert list(named.state_dict()) == ["a.factor", "b.factor"]
    mixed = nn.Sequential(Times(2.0), ["b", Times(3.0)])
    assert [n for n, _ in mixed.named_children()] == ["0", "b"]
    data = x()
    assert nn.Sequential()(data) is data and len(nn.Sequential()) == 0


def test_sequential_is_read_by_position_name_and_slice() -> None:
    net = nn.Sequential(("a", Times(1.0)), ("b", Times(2.0)), ("c", Times(3.0)))
    assert factors([net[0], net[-1], net["b"]]) == [1.0, 3.0, 2.0]
    assert net.b is net[1] and len(net) == 3 and factors(net) == [1.0, 2.0, 3.0]
    part = net[1:]
    assert isinstance(part, nn.Sequential) and part[0] is net[1]
    assert [n for n, _ in part.named_children()] == ["0", "1"]


def test_sequential_is_changed_by_position_and_name() -> None:
    net = nn.Sequential(Times(1.0), Times(2.0))
    net[0], net[-1] = Times(3.0), Times(4.0)
    net["1"] = Times(5.0)
    assert factors(net) == [3.0, 5.0]
    net["tail"] = Times(6.0)
    net[3] = Times(7.0)
    assert [n for n, _ in net.named_children()] == ["0", "1", "tail", "3"]
    assert net(x()).numpy().tolist() == [630.0]
    del net[0], net["tail"]
    assert factors(net) == [5.0, 7.0] and net[0].factor.item() == 5.0
    del net[0:2]
    assert len(net) == 0


def test_sequential_refuses_what_is_no_layer() -> None:
    for bad, text in (
        ((3,), "as argument 0, but received int"),
        ((Times(), ("b", 3)), "as argument 1, but received int"),
        (([Times(), Times()],), r"argument 0.*list of 2; give a list of layers as Sequential\(\*"),
        (([Times()],), "argument 0.*list of 1"),
        (((1, Times()),), r"\(name, Layer\) pair as argument 0.*tuple of 2"),
    ):
        with pytest.raises(TypeError, match=text):
            nn.Sequential(*bad)
    with pytest.raises(KeyError, match="'a' is given twice"):
        nn.Sequential(("a", Times()), ("a", Times()))
    with pytest.raises(KeyError, match="'forward' already"):
        nn.Sequential(("forward", Times()))


def test_sequential_refuses_bad_positions() -> None:
    net = nn.Sequential(Times(), Times())
    for bad in (2, -3):
        with pytest.raises(IndexError, match=f"index from -2 to 1, but received {bad}"):
            net[bad]
        with pytest.raises(IndexError, match=f"received {bad}"):
            del net[bad]
    with pytest.raises(IndexError, match="received 3"):
        net[3] = Times()
    with pytest.raises(KeyError, match=r"\['0', '1'\], but no 'z'"):
        net["z"]
    with pytest.raises(TypeError, match="expected an int as index, but received float"):
        net[1.0]
    with pytest.raises(TypeError, match="expected a Layer or None, but received int"):
        net[0] = 3


# -- LayerList --------------------------------------------------------------------------------


def test_layer_list_is_read_like_a_list() -> None:
    layers = nn.LayerList(Times(float(i)) for i in range(4))
    assert len(layers) == 4 and factors(layers) == [0.0, 1.0, 2.0, 3.0]
    assert factors([layers[-1], layers[np.int64(1)]]) == [3.0, 1.0]
    assert isinstance(layers[1:3], nn.LayerList) and factors(layers[1:3]) == [1.0, 2.0]
    assert [n for n, _ in layers.named_parameters()] == [f"{i}.factor" for i in range(4)]
    assert len(nn.LayerList()) == 0
    with pytest.raises(NotImplementedError, match="LayerList must override forward"):
        layers(x())


def test_layer_list_is_changed_like_a_list() -> None:
    layers = nn.LayerList([Times(1.0)])
    assert layers.append(Times(2.0)) is layers
    assert layers.extend([Times(3.0), Times(4.0)]) is layers
    layers.insert(0, Times(0.0))
    layers.insert(-1, Times(3.5))
    layers.insert(6, Times(5.0))
    assert factors(layers) == [0.0, 1.0, 2.0, 3.0, 3.5, 4.0, 5.0]
    layers[-1] = Times(6.0)
    del layers[0], layers[0:2], layers[-2]
    assert factors(layers) == [3.0, 3.5, 6.0]
    assert list(layers.state_dict()) == ["0.factor", "1.factor", "2.factor"]
    assert layers.extend(layers[:1]) is layers and layers[3] is layers[0]


def test_layer_list_refuses_bad_input() -> None:
    layers = nn.LayerList([Times(), Times()])
    for call in (
        lambda: layers.append(3),
        lambda: layers.extend([Times(), 3]),
        lambda: layers.insert(0, 3),
        lambda: layers.__setitem__(0, 3),
        lambda: nn.LayerList([3]),
    ):
        with pytest.raises(TypeError, match="expected a Layer, but received int"):
            call()
    assert len(layers) == 2, "nothing is taken when one of several is wrong"
    for bad in (3, {"a": Times()}):
        with pytest.raises(TypeError, match=f"list of Layers, but received {type(bad).__name__}"):
            layers.extend(bad)
    for call in (lambda: layers[2], lambda: layers.__delitem__(2), lambda: layers[-3]):
        with pytest.raises(IndexError, match="LayerList: expected an index from -2 to 1"):
            call()
    with pytest.raises(IndexError, match="index from -2 to 2, but received 9"):
        layers.insert(9, Times())
    with pytest.raises(TypeError, match="expected an int as index, but received str"):
        layers["0"]


# -- ParameterList ----------------------------------------------------------------------------


def test_parameter_list() -> None:
    held = nn.ParameterList([made(1.0), made(2.0)])
    assert held.append(made(3.0)) is held
    assert len(held) == 3 and [p.item() for p in held] == [1.0, 2.0, 3.0]
    assert held[-1].item() == 3.0 and [p.item() for p in held[:2]] == [1.0, 2.0]
    held[0] = made(9.0)
    held[-1] = made(8.0)
    assert [p.item() for p in held.parameters()] == [9.0, 2.0, 8.0]
    assert list(held.state_dict()) == ["0", "1", "2"]
    assert len(nn.ParameterList()) == 0


def test_parameter_list_refuses_bad_input() -> None:
    held = nn.ParameterList([made()])
    for call in (
        lambda: held.append(3),
        lambda: held.__setitem__(0, 3),
        lambda: nn.ParameterList([3]),
    ):
        with pytest.raises(TypeError, match="expected a Parameter, but received int"):
            call()
    with pytest.raises(TypeError, match="expected a Parameter, but received Tensor"):
        held.append(x())
    with pytest.raises(TypeError, match="list of Parameters, but received int"):
        nn.ParameterList(3)
    with pytest.raises(IndexError, match="ParameterList: expected an index from -1 to 0"):
        held[1]


# -- LayerDict --------------------------------------------------------------------------------


def test_layer_dict() -> None:
    layers = nn.LayerDict({"a": Times(1.0), "b": Times(2.0)})
    layers["c"] = Times(3.0)
    assert list(layers) == ["a", "b", "c"] == list(layers.keys()) and len(layers) == 3
    assert "a" in layers and "z" not in layers and layers.b is layers["b"]
    assert factors(layers.values()) == [1.0, 2.0, 3.0]
    assert [(k, v.factor.item()) for k, v in layers.items()][0] == ("a", 1.0)
    assert layers.pop("a").factor.item() == 1.0 and "a" not in layers
    layers.update([("b", Times(5.0)), ["d", Times(4.0)]])
    layers.update(nn.LayerDict({"e": Times(6.0)}))
    assert factors(layers.values()) == [5.0, 3.0, 4.0, 6.0]
    del layers["c"]
    assert list(layers.state_dict()) == ["b.factor", "d.factor", "e.factor"]
    layers.clear()
    assert len(layers) == 0 and len(nn.LayerDict()) == 0


def test_layer_dict_keys_may_be_names_of_its_own_attributes() -> None:
    layers = nn.LayerDict({"pop": Times(1.0), "training": Times(2.0)})
    assert layers.training is True
    assert layers["training"].factor.item() == 2.0
    layers["training"] = Times(3.0)
    assert layers.training is True
    assert layers.pop("pop").factor.item() == 1.0
    other = copy.deepcopy(layers)
    assert other.training is True and other["training"].factor.item() == 3.0
    del layers["training"]
    assert layers.training is True


def test_layer_dict_refuses_bad_input() -> None:
    layers = nn.LayerDict({"a": Times()})
    for call in (lambda: layers["z"], lambda: layers.pop("z"), lambda: layers.__delitem__("z")):
        with pytest.raises(KeyError, match=r"\['a'\], but no 'z'"):
            call()
    with pytest.raises(TypeError, match=r"LayerDict\['b'\]: expected a Layer, but received int"):
        layers["b"] = 3
    for key in (1, ""):
        with pytest.raises(TypeError, match="expected a non-empty str as key"):
            layers[key] = Times()
    for bad in (3, "ab"):
        with pytest.raises(TypeError, match=r"expected a dict or .name, Layer. pairs"):
            layers.update(bad)
    for bad in ([3], [("a", Times(), 1)]):
        with pytest.raises(TypeError, match=r"expected .name, Layer. pairs, got"):
            layers.update(bad)


def test_containers_print_their_contents() -> None:
    net = nn.Sequential(("a", Times(2.0)), ("b", nn.LayerList([Times(3.0)])))
    assert repr(net) == "Sequential(\n  (a): Times(2)\n  (b): LayerList(\n    (0): Times(3)\n  )\n)"
    assert repr(nn.LayerDict({"q": Times(2.0)})) == "LayerDict(\n  (q): Times(2)\n)"
    assert repr(nn.Sequential()) == "Sequential()" and repr(nn.ParameterList()) == "ParameterList()"
