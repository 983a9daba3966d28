"""input_spec: names, nesting, defaults, Tensors that do not fit; and the seeds' examples."""

from __future__ import annotations

from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import paddle
from paddle.jit import to_static
from paddle.jit.calls.signature import FunctionSpec
from paddle.nn import Layer
from paddle.static import InputSpec

Pair = namedtuple("Pair", "left right")


def spec(*shape, name=None, dtype="float32"):
    return InputSpec(list(shape), dtype, name)


def ones(*shape):
    return paddle.ones(list(shape))


def names(static):
    return [v.name for v in static.concrete_program.inputs]


def shapes(static):
    return [tuple(v.shape) for v in static.concrete_program.inputs]


class Base(Layer):
    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(10, 3)


# -- the guide, chapter 4.4, and its later form ---------------------------------------------------


def test_guide_decorator():
    class SimpleNet(Base):
        @to_static(input_spec=[InputSpec(shape=[None, 10], name="x"), InputSpec([3], name="y")])
        def forward(self, x, y):
            out = self.linear(x)
            out = out + y
            return out

    net = SimpleNet()
    assert names(net.forward) == ["x", "y"] and shapes(net.forward) == [(-1, 10), (3,)]
    for size in (1, 4):
        expected = net.linear(ones(size, 10)).numpy() + 1
        assert np.allclose(net(ones(size, 10), ones(3)).numpy(), expected)
    assert len(net.forward.program_cache) == 1


def test_guide_function_on_layer():
    class SimpleNet(Base):
        def forward(self, x, y):
            return self.linear(x) + y

    net = SimpleNet()
    net(ones(2, 10), ones(3))
    net = to_static(net, input_spec=[spec(None, 10, name="x"), spec(3, name="y")])
    assert names(net.forward) == ["x", "y"]
    assert [tuple(v.shape) for v in net.forward.outputs] == [(-1, 3)]


def test_guide_list():
    class SimpleNet(Base):
        @to_static(input_spec=[[spec(None, 10, name="x"), spec(3, name="y")]])
        def forward(self, inputs):
            x, y = inputs[0], inputs[1]
            return self.linear(x) + y

    net = SimpleNet()
    assert names(net.forward) == ["x", "y"]
    assert net([ones(2, 10), ones(3)]).shape == [2, 3]
    assert net((ones(5, 10), ones(3))).shape == [5, 3]


def test_guide_dict():
    class SimpleNet(Base):
        @to_static(input_spec=[spec(None, 10, name="x"), {"x": spec(3, name="bias")}])
        def forward(self, x, bias_info):
            x_bias = bias_info["x"]
            return self.linear(x) + x_bias

    net = SimpleNet()
    assert names(net.forward) == ["x", "bias"]
    assert net(ones(2, 10), {"x": ones(3)}).shape == [2, 3]


class Activated(Base):
    def forward(self, x, use_act=False):
        out = self.linear(x)
        if use_act:
            out = paddle.nn.functional.relu(out)
        return out


def test_guide_other_arguments_in_training():
    net = to_static(Activated(), input_spec=[InputSpec(shape=[None, 10], name="x")])
    twin = Activated()
    twin.set_state_dict(net.state_dict())
    losses = []
    for one in (net, twin):
        adam = paddle.optimizer.Adam(parameters=one.parameters())
        paddle.seed(3)
        for step in range(6):
            loss = paddle.mean(one(paddle.rand([4, 10], "float32"), step % 2 == 0))
            loss.backward()
            adam.step()
            one.clear_gradients()
            losses.append(loss.item())
    assert np.allclose(losses[:6], losses[6:], rtol=1e-5)
    assert len(net.forward.program_cache) == 2
    main = net.forward.concrete_program_for().main_program  # what is saved: the default
    assert "relu" not in [op.type for op in main.global_block().ops]


@pytest.mark.parametrize(("entry", "active"), [((), False), ((True,), True), ((False,), False)])
def test_python_values_in_input_spec(entry, active):
    net = to_static(Activated(), input_spec=[spec(None, 10, name="x"), *entry])
    ops = [op.type for op in net.forward.main_program.global_block().ops]
    assert ("relu" in ops) is active
    x = paddle.to_tensor(np.random.RandomState(0).randn(8, 10).astype("float32"))
    assert bool(net(x).numpy().min() >= 0) is active  # left out: as the spec says
    assert net(x, True).numpy().min() >= 0 and net(x, False).numpy().min() < 0


def test_third_form_is_a_decorator():
    convert = to_static(input_spec=[spec(None, 10, name="x"), True])
    net = Activated()
    assert convert(net) is net
    assert names(net.forward) == ["x"]


# -- names ----------------------------------------------------------------------------------------


def nested(x, ys, d):
    return x + ys[0] + d["a"]


def test_missing_names_are_those_of_arguments():
    static = to_static(
        nested,
        input_spec=[spec(None, 3), [spec(3), spec(3)], {"a": spec(3), "b": [spec(2)]}],
    )
    assert names(static) == ["x", "ys_0", "ys_1", "a", "b_0"]


def test_names_without_input_spec():
    static = to_static(nested)
    static(ones(3), [ones(3), ones(3)], {"b": [ones(2)], "a": ones(3), 7: ones(3)})
    assert sorted(names(static)) == ["a", "b_0", "d_7", "x", "ys_0", "ys_1"]


def test_names_are_taken_once():
    static = to_static(nested, input_spec=[spec(3), [spec(3, name="x")], {"a": spec(3)}])
    assert names(static) == ["x_1", "x", "a"]
    with pytest.raises(ValueError, match=r"nested\(input_spec\): .* two are named 'x'"):
        to_static(nested, input_spec=[spec(3, name="x"), [spec(3, name="x")], {"a": spec(3)}])


def test_the_given_spec_is_not_changed():
    given = spec(None, 3)
    static = to_static(doubled, input_spec=[given])
    static(ones(2, 3))
    assert given.name is None and static.function_spec.input_spec == (given,)


def doubled(x):
    return x * 2


def test_tensors_and_arrays_in_input_spec():
    x = ones(2, 3)
    static = to_static(nested, [x, [np.ones([3], "float32")], {"a": spec(None)}])
    assert names(static) == [x.name, "ys_0", "a"]
    assert shapes(static) == [(2, 3), (3,), (-1,)]
    assert static(x, [ones(3)], {"a": ones(3)}).shape == [2, 3]


# -- the form of arguments ------------------------------------------------------------------------


def test_one_program_for_all_sizes():
    static = to_static(doubled, input_spec=[spec(None, None)])
    for shape in ([1, 2], [3, 4], [3, 5]):
        assert static(paddle.ones(shape)).shape == shape
    assert len(static.program_cache) == 1


def test_rank_zero_is_shape_one():
    static = to_static(doubled, input_spec=[spec()])
    assert static(ones(1)).numpy().tolist() == [2] and shapes(static) == [(1,)]


def test_default_none_may_be_left_out():
    @to_static(input_spec=[spec(None), spec(None)])
    def masked(x, mask=None):
        return x if mask is None else x * mask

    assert masked(ones(2)).numpy().tolist() == [1, 1]
    assert masked(ones(2), ones(2) * 3).numpy().tolist() == [3, 3]


def test_rest_arguments():
    @to_static(input_spec=[spec(None), spec(2), spec(2), {"z": spec(2)}])
    def total(x, *rest, flag=True, **named):
        out = x + rest[0] + rest[1]
        return out + named["z"] if flag else out

    assert names(total) == ["x", "rest_0", "rest_1", "z"]
    assert total(ones(2), ones(2), ones(2), z=ones(2)).numpy().tolist() == [4, 4]
    assert total(ones(2), ones(2), ones(2), z=ones(2), flag=False).numpy().tolist() == [3, 3]
    with pytest.raises(ValueError, match=r"total\(rest\): expected a tuple of 2.*tuple of 1"):
        total(ones(2), ones(2), z=ones(2))
    with pytest.raises(ValueError, match=r"total\(named\): expected a dict with keys \['z'\]"):
        total(ones(2), ones(2), ones(2))


def test_keyword_only_arguments():
    @to_static(input_spec=[spec(None), spec(None, name="bias")])
    def shifted(x, *, y):
        return x + y

    assert names(shifted) == ["x", "bias"]
    assert shifted(ones(2), y=ones(2)).numpy().tolist() == [2, 2]


def test_named_tuples_and_ordered_dicts():
    @to_static(input_spec=[Pair(spec(None), spec(None)), OrderedDict(k=spec(None))])
    def of(pair, more):
        return pair.left - pair.right + more["k"]

    assert names(of) == ["pair_0", "pair_1", "k"]
    assert of(Pair(ones(2), ones(2) * 2), OrderedDict(k=ones(2))).numpy().tolist() == [0, 0]


def two(x, y, use=False):
    return x + y if use else x - y


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ([spec(3)], r"two\(input_spec\): .*\['x', 'y', 'use'\].*received 1; \['y'\] have none"),
        ([spec(3)] * 4, r"two\(input_spec\): expected at most 3 entries.*received 4"),
        ([], r"received 0; \['x', 'y'\] have none"),
    ],
)
def test_wrong_length(given, text):
    with pytest.raises(ValueError, match=text):
        to_static(two, input_spec=given)


def test_wrong_length_for_a_method_is_found_with_its_instance():
    class Net(Base):
        @to_static(input_spec=[spec(None, 10), spec(3), spec(3)])
        def forward(self, x, y):
            return self.linear(x) + y

    with pytest.raises(ValueError, match=r"Net\.forward\(input_spec\): expected at most 2"):
        Net()(ones(2, 10), ones(3))


X = "a Tensor of shape [-1, 10] and dtype float32, as its input_spec says, but received"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (ones(2, 9), f"of(x): expected {X} a Tensor of shape [2, 9] and dtype float32."),
        (ones(10), f"of(x): expected {X} a Tensor of shape [10] and dtype float32."),
        (ones(2, 10).astype("int64"), f"expected {X} a Tensor of shape [2, 10] and dtype int64."),
        (np.ones([2, 10]), f"expected {X} a Tensor of shape [2, 10] and dtype float64."),
        (3.0, f"expected {X} 3.0."),
        ([ones(2, 10)], f"expected {X} a list of 1."),
        ({"x": ones(2, 10)}, f"expected {X} a dict with keys ['x']."),
    ],
)
def test_tensor_that_does_not_fit(value, text):
    @to_static(input_spec=[spec(None, 10)])
    def of(x):
        return x

    with pytest.raises(ValueError) as info:
        of(value)
    assert text in str(info.value)
    assert of(ones(2, 10)).shape == [2, 10]  # nothing is kept of the wrong call


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([ones(2)], "expected a list of 2, as its input_spec says, but received a list of 1."),
        ({"a": 1}, "of(pytree): expected a list of 2"),
        (ones(2), "of(pytree): expected a list of 2"),
        (7, "of(pytree): expected a list of 2, as its input_spec says, but received 7."),
        ([ones(2), {"a": ones(3)}], "of(pytree[1]['a']): expected a Tensor of shape [2]"),
        ([ones(2), {"b": ones(2)}], "of(pytree[1]): expected a dict with keys ['a']"),
        ([ones(2), ones(2)], "of(pytree[1]): expected a dict with keys ['a']"),
        ([ones(2), [ones(2)]], "of(pytree[1]): expected a dict with keys ['a']"),
    ],
)  # fmt: skip
def test_wrong_nesting(value, text):
    @to_static(input_spec=[[spec(2), {"a": spec(2)}]])
    def of(pytree):
        return pytree[0] + pytree[1]["a"]

    with pytest.raises(ValueError) as info:
        of(value)
    assert text in str(info.value)


def test_concrete_program_for_another_spec():
    static = to_static(two, input_spec=[spec(3), spec(3)])
    program = static.concrete_program_for([spec(None, name="a"), spec(None, name="b"), True])
    assert [v.name for v in program.inputs] == ["a", "b"]
    assert static.concrete_program_for() is not program
    assert (
        static.concrete_program_for([spec(None, name="a"), spec(None, name="b"), True]) is program
    )
    with pytest.raises(ValueError, match=r"two\(input_spec\): .*\['y'\] have none"):
        static.concrete_program_for([spec(3)])


# -- binding --------------------------------------------------------------------------------------


def test_bind_gives_a_value_per_parameter():
    def function(self, a, /, b, c=3, *rest, d, e=5, **named):
        pass

    found = FunctionSpec(function, None, is_method=True)
    assert found.args_name == ["a", "b", "c", "rest", "d", "e", "named"]
    assert found.bind(None, 1, b=2, d=4) == (1, 2, 3, (), 4, 5, {})
    assert found.bind(None, 1, 2, 7, 8, 9, d=4, z=0) == (1, 2, 7, (8, 9), 4, 5, {"z": 0})
    with pytest.raises(TypeError, match=r"function\(\) missing 1 required keyword-only .*'d'"):
        found.bind(None, 1, 2)


def test_methods_that_take_everything():
    def function(*args, **kwargs):
        pass

    found = FunctionSpec(function, None, is_method=True)
    assert found.bind(None, 1, 2, k=3) == ((1, 2), {"k": 3})


def test_changed_defaults_are_objects_and_stay_so():
    marker = object()

    def function(x, option=marker):
        return x

    assert FunctionSpec(function).bind(1) == (1, marker)
