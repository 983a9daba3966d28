"""Layer: calling, hooks, attributes, registering, naming, printing, copying."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import paddle
from paddle.core.tensor import Parameter, Tensor
from paddle.utils import unique_name

nn = paddle.nn


class Affine(nn.Layer):
    """x * scale + shift with one number each, so that results are easy to see."""

    def __init__(self, scale: float = 2.0, shift: float = 1.0) -> None:
        super().__init__()
        init = nn.initializer.Constant
        self.scale = self.create_parameter([1], default_initializer=init(scale))
        self.shift = self.create_parameter([1], is_bias=True, default_initializer=init(shift))

    def forward(self, x, twice=False):
        y = x * self.scale + self.shift
        return y * 2.0 if twice else y

    def extra_repr(self) -> str:
        return "1"


class Net(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.first = Affine()
        self.rest = nn.Sequential(("a", Affine()), ("b", nn.ReLU()))

    def forward(self, x):
        return self.rest(self.first(x))


def one(value: float = 1.0) -> Tensor:
    return paddle.to_tensor(np.full([1], value, "float32"))


# -- calling ----------------------------------------------------------------------------------


def test_calling_a_layer_computes_forward() -> None:
    assert Net()(one(3.0)).numpy().tolist() == [15.0]
    assert Affine()(one(3.0), twice=True).numpy().tolist() == [14.0]
    assert Affine()(x=one(3.0)).numpy().tolist() == [7.0]


def test_numpy_arrays_become_tensors_at_the_door() -> None:
    array = np.array([3.0], "float32")
    assert isinstance(Affine()(array), Tensor)
    assert Affine()(x=array).numpy().tolist() == [7.0]

    class Seen(nn.Layer):
        def forward(self, *args, **kwargs):
            return [type(a) for a in args] + [type(a) for a in kwargs.values()]

    kinds = Seen()(1, array, "s", np.array(["text"]), key=array)
    assert kinds == [int, Tensor, str, np.ndarray, Tensor]
    array_int = Seen.__call__
    assert array_int(Seen(), np.arange(3)) == [Tensor]


def test_a_layer_without_forward_says_so() -> None:
    with pytest.raises(NotImplementedError, match="Layer must override forward"):
        nn.Layer()(one())
    with pytest.raises(ValueError, match=r"Affine.backward"):
        Affine().backward(one())


def test_pre_hooks_may_replace_the_inputs_and_are_removable() -> None:
    layer, seen = Affine(), []
    watching = layer.register_forward_pre_hook(lambda m, inputs: seen.append((m, inputs)))
    single = layer.register_forward_pre_hook(lambda m, inputs: inputs[0] + 1.0)
    x = one(1.0)
    assert layer(x).numpy().tolist() == [5.0]
    assert seen[0][0] is layer and seen[0][1][0] is x and isinstance(seen[0][1], tuple)
    single.remove()
    several = layer.register_forward_pre_hook(lambda m, inputs: (inputs[0], True))
    assert layer(x).numpy().tolist() == [6.0]
    several.remove()
    watching.remove()
    watching.remove()
    assert layer(x).numpy().tolist() == [3.0] and len(seen) == 2
    with pytest.raises(TypeError, match="expected a function, but received int"):
        layer.register_forward_pre_hook(3)


def test_post_hooks_may_replace_the_outputs_and_run_in_order() -> None:
    layer = Affine()
    layer.register_forward_post_hook(lambda m, inputs, out: out + inputs[0])
    layer.register_forward_post_hook(lambda m, inputs, out: None)
    last = layer.register_forward_post_hook(lambda m, inputs, out: out * 10.0)
    assert layer(one(1.0)).numpy().tolist() == [40.0]
    last.remove()
    assert layer(one(1.0)).numpy().tolist() == [4.0]
    with pytest.raises(TypeError, match="register_forward_post_hook"):
        layer.register_forward_post_hook(None)


def test_a_hook_may_remove_itself_while_it_runs() -> None:
    layer, calls = Affine(), []

    def once(m, inputs):
        calls.append(1)
        handle.remove()

    handle = layer.register_forward_pre_hook(once)
    layer(one())
    layer(one())
    assert calls == [1]


def test_training_mode_reaches_all_sublayers() -> None:
    net = Net()
    assert net.training and net.rest[0].training
    assert net.eval() is None
    assert [layer.training for layer in (net, *net.sublayers())] == [False] * 5
    net.rest.train()
    assert not net.training and not net.first.training and net.rest[0].training


# -- attributes -------------------------------------------------------------------------------


def test_members_are_found_in_the_dictionaries_and_as_attributes() -> None:
    layer = Affine()
    assert list(layer._parameters) == ["scale", "shift"]
    assert layer._parameters["scale"] is layer.scale and isinstance(layer.scale, Parameter)
    new = layer.create_parameter([1])
    layer._parameters["scale"] = new  # client code writes here too
    assert layer.scale is new
    assert layer._parameters.pop("scale") is new
    assert not hasattr(layer, "scale")
    layer._parameters.update({"scale": new})
    assert layer.scale is new and list(layer._parameters) == ["shift", "scale"]
    layer._parameters.clear()
    assert not hasattr(layer, "shift")


def test_a_whole_dictionary_can_be_replaced() -> None:
    net = Net()
    net._sub_layers = {"other": Affine()}
    assert not hasattr(net, "first") and isinstance(net.other, Affine)


def test_members_take_part_in_dir() -> None:
    net = Net()
    net.register_buffer("count", one())
    names = dir(net)
    assert {"first", "rest", "count", "forward", "training"} <= set(names)
    assert names == sorted(set(names))


def test_a_parameter_may_become_none_or_another_parameter() -> None:
    layer = Affine()
    old = layer.scale
    layer.scale = layer.create_parameter([1])
    assert layer.scale is not old
    layer.scale = None
    assert layer.scale is None and "scale" in layer._parameters
    assert [n for n, _ in layer.named_parameters()] == ["shift"]
    layer.scale = old
    assert layer.scale is old
    for wrong, got in ((3.0, "float"), (one(), "Tensor")):
        with pytest.raises(TypeError, match=f"parameter 'scale': expected a Parameter.*{got}"):
            layer.scale = wrong


def test_a_sublayer_may_become_none_or_another_layer() -> None:
    net = Net()
    net.first = nn.ReLU()
    assert isinstance(net.first, nn.ReLU)
    with pytest.raises(TypeError, match=r"sublayer 'first': expected a Layer or None.*int"):
        net.first = 3
    with pytest.raises(TypeError, match=r"sublayer 'first': expected a Layer or None.*Tensor"):
        net.first = one()
    net.first = None
    assert net.first is None and [n for n, _ in net.named_children()] == ["rest"]
    assert "first" not in net.state_dict() and "(first): None" in repr(net)


def test_a_buffer_is_replaced_by_a_tensor() -> None:
    layer = nn.Layer()
    layer.register_buffer("count", one(1.0))
    new = one(2.0)
    layer.count = new
    assert layer._buffers["count"] is new and list(layer.state_dict()) == ["count"]
    with pytest.raises(TypeError, match=r"buffer 'count': expected a Tensor or None.*int"):
        layer.count = 3
    layer.count = None
    assert layer.count is None and layer.buffers() == []


def test_a_tensor_assigned_to_a_new_name_is_a_buffer_that_is_not_saved() -> None:
    layer = nn.Layer()
    layer.cache = 3
    layer.cache = one()
    assert [n for n, _ in layer.named_buffers()] == ["cache"]
    assert list(layer.state_dict()) == []


def test_a_name_can_change_its_kind() -> None:
    layer = nn.Layer()
    layer.x = None
    layer.x = layer.create_parameter([1])
    assert list(layer._parameters) == ["x"]
    layer.x = nn.ReLU()
    assert list(layer._parameters) == [] and list(layer._sub_layers) == ["x"]
    layer.x = layer.create_parameter([1])
    assert list(layer._sub_layers) == [] and isinstance(layer.x, Parameter)
    layer.y = one()
    layer.y = nn.ReLU()
    assert layer._non_persistable_buffer_names_set == set() and layer.buffers() == []


def test_deleting_takes_a_member_out() -> None:
    net = Net()
    net.register_buffer("count", one(), persistable=False)
    net.plain = 3
    for name in ("first", "count", "plain"):
        delattr(net, name)
        assert not hasattr(net, name)
    assert list(net._sub_layers) == ["rest"] and net._non_persistable_buffer_names_set == set()
    with pytest.raises(AttributeError, match="first"):
        del net.first


def test_a_missing_attribute_names_class_and_attribute() -> None:
    with pytest.raises(AttributeError, match="'Affine' object has no attribute 'weights'"):
        _ = Affine().weights


def test_a_default_on_the_class_does_not_hide_a_member() -> None:
    class WithDefault(nn.Layer):
        body = None

    layer = WithDefault()
    layer.body = nn.ReLU()
    assert isinstance(layer.body, nn.ReLU)


def test_a_property_of_a_subclass_stays_a_property() -> None:
    class Scaled(nn.Layer):
        @property
        def factor(self):
            return self._factor * 2

        @factor.setter
        def factor(self, value):
            self._factor = value

    layer = Scaled()
    layer.factor = one(3.0)
    assert layer.factor.numpy().tolist() == [6.0]

    class Wrapped(nn.Layer):
        @property
        def body(self):
            return self._body[0]

        @body.setter
        def body(self, value):
            self._body = nn.Sequential(value)

    outer, inner = Wrapped(), Affine()
    outer.body = inner
    assert outer.body is inner and [n for n, _ in outer.named_children()] == ["_body"]


@pytest.mark.parametrize(
    "value", [lambda: nn.ReLU(), lambda: paddle.create_parameter([1], "float32")]
)
def test_forgetting_super_init_is_told(value) -> None:
    class Late(nn.Layer):
        def __init__(self) -> None:
            self.member = value()

    with pytest.raises(ValueError, match=r"super\(\).__init__\(\) should be called first"):
        Late()


def test_forgetting_super_init_is_told_when_called_or_registering() -> None:
    class Late(nn.Layer):
        def __init__(self) -> None:
            self.number = 3

    layer = Late()
    assert layer.number == 3
    with pytest.raises(AttributeError, match=r"super\(\).__init__\(\) should be called first"):
        layer(one())
    with pytest.raises(ValueError, match=r"super\(\).__init__\(\) should be called first"):
        layer.register_buffer("b", one())


# -- registering by name ----------------------------------------------------------------------


def test_add_parameter() -> None:
    layer = nn.Layer()
    param = layer.create_parameter([2])
    assert layer.add_parameter("w", param) is param and layer.w is param
    assert layer.add_parameter("none", None) is None and layer.none is None
    other = layer.create_parameter([2])
    layer.add_parameter("w", other)
    assert layer.w is other


def test_add_sublayer() -> None:
    net, layer = nn.Layer(), nn.ReLU()
    assert net.add_sublayer("act", layer) is layer and net.act is layer
    net.add_sublayer("block.0", Affine())  # models in use do this
    assert "block.0.scale" in net.state_dict()
    net.second = net.add_sublayer("second", nn.ReLU())
    assert list(net._sub_layers) == ["act", "block.0", "second"]


def test_register_buffer() -> None:
    layer = nn.Layer()
    layer.register_buffer("kept", one(1.0))
    layer.register_buffer("scratch", one(2.0), persistable=False)
    layer.register_buffer("later", None)
    assert [n for n, _ in layer.named_buffers()] == ["kept", "scratch"]
    assert list(layer.state_dict()) == ["kept"]
    layer.register_buffer("scratch", one(3.0))
    assert list(layer.state_dict()) == ["kept", "scratch"]
    layer.later = one(4.0)
    assert "later" in layer.state_dict()


REGISTER = {
    "add_parameter": lambda layer, name: layer.add_parameter(name, layer.create_parameter([1])),
    "register_buffer": lambda layer, name: layer.register_buffer(name, one()),
    "add_sublayer": lambda layer, name: layer.add_sublayer(name, nn.ReLU()),
}


@pytest.mark.parametrize("method", REGISTER)
def test_bad_names_are_refused(method: str) -> None:
    register = REGISTER[method]
    layer = Affine()
    layer.act, layer.plain = nn.ReLU(), 3
    layer.register_buffer("buf", one())
    with pytest.raises(TypeError, match=f"{method}.name.: expected a str, but received int"):
        register(layer, 3)
    with pytest.raises(KeyError, match="cannot be empty"):
        register(layer, "")
    taken = {"add_parameter": "scale", "register_buffer": "buf", "add_sublayer": "act"}
    for name in {"forward", "plain", "scale", "buf", "act"} - {taken[method]}:
        with pytest.raises(KeyError, match=f"Affine has an attribute '{name}' already"):
            register(layer, name)
    if method != "add_sublayer":
        with pytest.raises(KeyError, match="cannot contain a dot"):
            register(layer, "a.b")


def test_bad_members_are_refused() -> None:
    layer = Affine()
    with pytest.raises(TypeError, match=r"'w'.*expected a Parameter or None.*Tensor"):
        layer.add_parameter("w", one())
    with pytest.raises(TypeError, match=r"'sub'.*expected a Layer or None.*int"):
        layer.add_sublayer("sub", 3)
    with pytest.raises(TypeError, match=r"'buf'.*expected a Tensor.*float"):
        layer.register_buffer("buf", 3.0)
    with pytest.raises(TypeError, match=r"'buf'.*no Parameter.*Parameter"):
        layer.register_buffer("buf", layer.scale)


# -- listing ----------------------------------------------------------------------------------


def test_listing_names_everything_in_order() -> None:
    net = Net()
    assert [n for n, _ in net.named_sublayers()] == ["first", "rest", "rest.a", "rest.b"]
    assert [n for n, _ in net.named_children()] == ["first", "rest"]
    assert list(net.children()) == [net.first, net.rest]
    assert net.sublayers() == [net.first, net.rest, net.rest[0], net.rest[1]]
    names = ["first.scale", "first.shift", "rest.a.scale", "rest.a.shift"]
    assert [n for n, _ in net.named_parameters()] == names
    assert [n for n, _ in net.named_parameters(prefix="p")] == [f"p.{n}" for n in names]
    assert net.parameters()[0] is net.first.scale and len(net.parameters()) == 4
    assert net.parameters(include_sublayers=False) == []
    assert next(iter(net.named_sublayers(include_self=True))) == ("", net)
    assert [n for n, _ in net.named_sublayers(prefix="p", include_self=True)][:2] == [
        "p",
        "p.first",
    ]
    assert list(net.named_sublayers(include_sublayers=False)) == []


def test_what_is_shared_is_listed_once_but_saved_under_both_names() -> None:
    net = nn.Layer()
    net.a = Affine()
    net.b = net.a
    net.own = net.a.scale
    assert [n for n, _ in net.named_sublayers()] == ["a"]
    assert [n for n, _ in net.named_children()] == ["a"]
    assert [n for n, _ in net.named_parameters()] == ["own", "a.shift"]
    assert list(net.state_dict()) == ["own", "a.scale", "a.shift", "b.scale", "b.shift"]
    a = set(net.sublayers())
    assert list(net.named_sublayers(layers_set=a)) == []


def test_apply_goes_from_the_leaves_to_the_root() -> None:
    net, order = Net(), []
    assert net.apply(lambda layer: order.append(layer)) is net
    assert order == [net.first, net.rest[0], net.rest[1], net.rest, net]
    with pytest.raises(TypeError, match=r"apply.fn.: expected a function"):
        net.apply(3)


def test_clear_gradients() -> None:
    net = Net()
    net(one(1.0)).sum().backward()
    assert net.first.scale.gradient().tolist() == [2.0]
    net.clear_gradients()
    assert net.first.scale.gradient() is None or net.first.scale.gradient().tolist() == [0.0]


# -- names and printing -----------------------------------------------------------------------


class ResNet50_BN(nn.Layer):
    pass


class HTTPServer2D(nn.Layer):
    pass


def test_full_names_are_made_from_the_class_name() -> None:
    with unique_name.guard():
        assert Affine().full_name() == "affine_0"
        assert Affine().full_name() == "affine_1"
        assert ResNet50_BN().full_name() == "res_net50_bn_0"
        assert HTTPServer2D().full_name() == "http_server2d_0"
        assert nn.Layer(name_scope="MyScope").full_name() == "MyScope_0"
    with pytest.raises(TypeError, match=r"Layer.name_scope.: expected a str or None"):
        nn.Layer(name_scope=3)


def test_parameter_names_follow_the_layer() -> None:
    with unique_name.guard():
        first, second = Affine(), Affine()
        names = [p.name for p in first.parameters() + second.parameters()]
    assert names == ["affine_0.w_0", "affine_0.b_0", "affine_1.w_0", "affine_1.b_0"]


def test_printing_nests_like_paddle() -> None:
    class Outer(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(("x", Affine()), ("y", Affine()))

        def extra_repr(self) -> str:
            return "k=1"

    expected = "Outer(k=1\n  (body): Sequential(\n    (x): Affine(1)\n    (y): Affine(1)\n  )\n)"
    assert repr(Outer()) == expected and str(Outer()) == expected
    assert repr(nn.Layer()) == "Layer()"


# -- copies -----------------------------------------------------------------------------------


def test_a_deep_copy_is_independent() -> None:
    net = Net()
    net.register_buffer("count", one(1.0), persistable=False)
    other = copy.deepcopy(net)
    assert other.first is not net.first and other.first.scale is not net.first.scale
    assert other.first._parameters["scale"] is other.first.scale
    other.first.scale.set_value(np.array([5.0], "float32"))
    assert net.first.scale.numpy().tolist() == [2.0]
    assert other(one(1.0)).numpy().tolist() == [13.0]
    assert other._non_persistable_buffer_names_set == {"count"}
    assert other.first.scale.name != net.first.scale.name
    other.first = nn.ReLU()
    assert isinstance(net.first, Affine)


def test_a_deep_copy_keeps_sharing_inside() -> None:
    net = nn.Layer()
    net.a = Affine()
    net.b = net.a
    other = copy.deepcopy(net)
    assert other.a is other.b and other.a is not net.a


def test_a_shallow_copy_shares_parameters_but_not_the_dictionaries() -> None:
    net = Net()
    other = copy.copy(net)
    assert other.first is net.first
    other.first = nn.ReLU()
    assert isinstance(net.first, Affine)


def test_pickling_keeps_values_names_and_mode() -> None:
    layer = Affine(scale=7.0)
    layer.eval()
    layer.scale.trainable = False
    other = pickle.loads(pickle.dumps(layer))
    assert other(one(1.0)).numpy().tolist() == [8.0]
    assert other.scale.name == layer.scale.name and not other.training
    assert not other.scale.trainable and other.shift.trainable


def test_a_layer_goes_with_its_last_reference() -> None:
    gc.disable()
    try:
        layer = Affine()
        ref = weakref.ref(layer)
        del layer
        assert ref() is None
    finally:
        gc.enable()
