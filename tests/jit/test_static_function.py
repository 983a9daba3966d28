"""to_static and StaticFunction: what is converted, when a Program is recorded, methods, copies."""

from __future__ import annotations

import copy
import functools
import gc
import inspect
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import paddle
from paddle.jit import ProgramTranslator, not_to_static, to_static
from paddle.jit.calls.program_cache import MANY
from paddle.jit.calls.static_function import StaticFunction
from paddle.static import InputSpec


def add(x, y=2.0):
    """Adds."""
    return x + y


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(3, 2)
        self.dropout = paddle.nn.Dropout(0.5)

    @to_static
    def forward(self, x, scale=1.0):
        return self.dropout(self.linear(x)) * scale

    def other(self, x):
        return self.linear(x) * 2


class Plain(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(3, 2)

    def forward(self, x):
        return self.linear(x)


@pytest.fixture(autouse=True)
def _enabled():
    yield
    ProgramTranslator().enable(True)


def ones(*shape):
    return paddle.ones(list(shape))


def count(function):
    return len(function.program_cache)


# -- the forms of to_static -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "convert",
    [to_static, to_static(), to_static(input_spec=[InputSpec([None])]), lambda f: to_static(f)],
    ids=["bare", "empty parentheses", "input_spec", "function"],
)
def test_forms(convert):
    static = convert(add)
    assert isinstance(static, StaticFunction)
    assert static(ones(2)).numpy().tolist() == [3.0, 3.0]
    assert static.__name__ == "add" and static.__doc__ == "Adds." and static.__wrapped__ is add
    assert list(inspect.signature(static).parameters) == ["x", "y"]
    assert static.dygraph_function is add


def test_layer_is_returned_and_its_forward_is_converted():
    net = Plain()
    expected = net(ones(2, 3)).numpy()
    assert to_static(net) is net
    assert isinstance(net.forward, StaticFunction)
    assert np.allclose(net(ones(2, 3)).numpy(), expected)
    assert count(net.forward) == 1
    assert list(inspect.signature(net.forward).parameters) == ["x"]
    assert not isinstance(Plain().forward, StaticFunction)  # only this one


def test_bound_method():
    net = Net()
    net.eval()
    static = to_static(net.other)
    assert np.allclose(static(ones(2, 3)).numpy(), net.other(ones(2, 3)).numpy())
    assert static.dygraph_function == net.other


def test_bound_method_keeps_its_layer_as_bound_methods_do():
    static = to_static(Plain().forward)
    gc.collect()
    assert static(ones(2, 3)).shape == [2, 2]


def test_method_of_a_plain_object():
    class Trainer:
        def __init__(self):
            self.net = paddle.nn.Dropout(0.5)

        @to_static
        def step(self, x):
            return self.net(x)

    trainer = Trainer()
    trainer.net.eval()
    assert trainer.step(ones(4)).numpy().tolist() == [1, 1, 1, 1]
    trainer.net.train()
    assert set(trainer.step(ones(64)).numpy().tolist()) <= {0.0, 2.0}


def test_static_and_class_methods():
    class Holder:
        factor = 3.0

        @staticmethod
        @to_static
        def inner(x):
            return x + 1

        @to_static
        @staticmethod
        def outer(x):
            return x + 2

        @to_static
        @classmethod
        def of_class(cls, x):
            return x * cls.factor

    assert Holder.inner(ones(1)).item() == 2
    assert Holder().inner(ones(1)).item() == 2
    assert Holder.outer(ones(1)).item() == 3
    assert Holder().outer(ones(1)).item() == 3
    assert Holder.of_class(ones(1)).item() == 3


def test_objects_that_can_be_called():
    class Scale:
        def __init__(self, factor):
            self.factor = factor

        def __call__(self, x):
            if x.sum() > 3:
                x = x * 0
            return x * self.factor

    static = to_static(Scale(3))
    assert static(ones(2)).numpy().tolist() == [3, 3]
    assert static(ones(4)).numpy().tolist() == [0, 0, 0, 0]
    assert count(static) == 2


def test_partial():
    static = to_static(functools.partial(scaled_down, by=2))
    assert static(ones(2)).numpy().tolist() == [0.5, 0.5]
    assert static(ones(2) * 4).numpy().tolist() == [4, 4]
    assert count(static) == 1
    assert static(ones(2), by=4).numpy().tolist() == [0.25, 0.25]


def scaled_down(x, by):
    if x.sum() < 8:
        x = x / by
    return x


def test_decorator_without_a_function():
    convert = to_static(input_spec=[InputSpec([None, 3])])
    with pytest.raises(TypeError, match=r"to_static\(net, input_spec=\.\.\.\) gives the Layer"):
        paddle.jit.save(convert, "never_written")


def test_twice_is_harmless():
    static = to_static(add)
    assert to_static(static) is static
    net = Net()
    before = net.forward
    assert to_static(net).forward is before
    other = to_static(static, input_spec=[InputSpec([None])])
    assert other is not static
    assert other.function_spec.input_spec == (InputSpec([None]),)
    assert static.function_spec.input_spec is None


@pytest.mark.parametrize("wrong", [3, "forward", Net, [add]])
def test_what_cannot_be_converted(wrong):
    with pytest.raises(TypeError, match=r"to_static\(function\): expected a function, a method"):
        to_static(wrong)


def test_input_spec_of_wrong_type():
    with pytest.raises(TypeError, match=r"input_spec\): expected a list or tuple.*InputSpec"):
        to_static(add, input_spec=InputSpec([3]))
    with pytest.raises(TypeError, match=r"input_spec\): expected a list or tuple.*InputSpec"):
        to_static(input_spec=InputSpec([3]))


def test_not_to_static():
    @not_to_static
    def plain(x):
        return x

    assert plain(3) == 3
    assert not_to_static()(plain) is plain
    assert not_to_static(len) is len
    with pytest.raises(TypeError, match=r"not_to_static\(func\): expected a function.*5"):
        not_to_static(5)


# -- when a Program is recorded -------------------------------------------------------------------


def test_one_program_per_kind_of_call():
    static = to_static(add)
    x = ones(2)
    calls = [
        (x,), (ones(3),), (x.astype("float64"),), (x, 1), (x, 1.0), (x, True), (x, 2.5), (x, x),
        (x, 0.0), (x, -0.0),
    ]  # fmt: skip
    for number, call in enumerate(calls, start=1):
        static(*call)
        assert count(static) == number
    for call in calls:
        static(*call)
    assert count(static) == len(calls)


def test_equal_calls_share_a_program_however_they_are_written():
    static = to_static(add)
    for value in (static(ones(2)), static(ones(2), 2.0), static(y=2.0, x=ones(2))):
        assert value.numpy().tolist() == [3, 3]
    assert count(static) == 1


def test_arguments_by_keyword_in_any_order():
    static = to_static(signed_sum)
    x, y = paddle.full([1], 5.0), paddle.full([1], 2.0)
    assert static(x, y).item() == 3
    assert static(y=y, x=x).item() == 3
    assert static(b=x, x=y, y=x).item() == 2 - 5 + 5
    assert static(a=y, b=x, x=y, y=x).item() == 2 - 5 + 5 + 20


def signed_sum(x, y, *, b=None, a=None):
    out = x - y
    if b is not None:
        out = out + b
    if a is not None:
        out = out + a * 10
    return out


def test_rest_arguments():
    @to_static
    def total(x, *rest, **named):
        for value in rest:
            x = x + value
        for name in named:
            x = x + named[name]
        return x

    assert total(ones(1)).item() == 1
    assert total(ones(1), ones(1), 2).item() == 4
    assert total(ones(1), ones(1), z=ones(1), a=paddle.full([1], 4.0)).item() == 7


def test_nests_of_tensors_and_values():
    @to_static
    def of(pytree):
        return pytree["a"][0] - pytree["b"] * pytree["k"]

    def pytree(k):
        return {"b": paddle.full([1], 2.0), "a": (paddle.full([1], 7.0), "text"), "k": k}

    assert of(pytree(1)).item() == 5
    assert of(pytree(2)).item() == 3
    assert of(pytree(1)).item() == 5
    assert count(of) == 2


def test_numpy_arrays_become_tensors():
    static = to_static(add)
    array = np.array([1.0, 2.0], "float32")
    assert static(array).numpy().tolist() == [3, 4]
    assert static(paddle.to_tensor(array)).numpy().tolist() == [3, 4]
    assert static(array + 1).numpy().tolist() == [4, 5]
    assert count(static) == 1


def test_same_tensor_twice_then_two():
    static = to_static(signed_sum)
    x, y = paddle.full([1], 5.0), paddle.full([1], 2.0)
    assert static(x, x).item() == 0
    assert static(x, y).item() == 3
    assert count(static) == 1


def test_values_that_cannot_be_hashed():
    class Options:
        __hash__ = None

        def __init__(self, k):
            self.k = k

    @to_static
    def scaled(x, options, part=None):
        return x[part] * options.k if part else x * options.k

    one = Options(2)
    assert scaled(ones(3), one).numpy().tolist() == [2, 2, 2]
    assert scaled(ones(3), one).numpy().tolist() == [2, 2, 2]
    assert count(scaled) == 1
    assert scaled(ones(3), Options(4)).numpy().tolist() == [4, 4, 4]
    assert scaled(ones(3), one, slice(0, 2)).numpy().tolist() == [2, 2]
    assert scaled(ones(3), one, slice(0, 1)).numpy().tolist() == [2]
    assert count(scaled) == 4


def test_nan_is_recorded_once():
    static = to_static(add)
    for _ in range(3):
        assert np.isnan(static(ones(1), float("nan")).item())
    assert count(static) == 1


def test_training_mode_of_any_layer_below():
    net = Net()
    net.eval()
    first = net(ones(4, 3)).numpy()
    assert (net(ones(4, 3)).numpy() == first).all() and count(net.forward) == 1
    net.dropout.train()
    net(ones(4, 3))
    assert count(net.forward) == 2
    net.dropout.training = False
    assert (net(ones(4, 3)).numpy() == first).all() and count(net.forward) == 2
    net.train()
    net.eval()
    net(ones(4, 3))
    assert count(net.forward) == 2


def test_training_mode_of_a_layer_around_the_function():
    dropout = paddle.nn.Dropout(0.5)

    @to_static
    def dropped(x):
        return dropout(x)

    dropout.eval()
    assert dropped(ones(64)).numpy().sum() == 64
    dropout.train()
    assert set(dropped(ones(64)).numpy().tolist()) == {0.0, 2.0}
    dropout.eval()
    assert dropped(ones(64)).numpy().sum() == 64
    assert count(dropped) == 2


def test_other_layer_around_the_function():
    one, two = paddle.nn.Linear(3, 2), paddle.nn.Linear(3, 2)
    net = one

    @to_static
    def through(x):
        return net(x)

    assert np.allclose(through(ones(1, 3)).numpy(), one(ones(1, 3)).numpy())
    net = two
    assert np.allclose(through(ones(1, 3)).numpy(), two(ones(1, 3)).numpy())


def test_replaced_parameter_and_sublayer_are_not_stale():
    net = to_static(Plain())
    net(ones(1, 3))
    net.linear.weight = paddle.nn.Linear(3, 2).weight
    expected = ones(1, 3).matmul(net.linear.weight) + net.linear.bias
    assert np.allclose(net(ones(1, 3)).numpy(), expected.numpy())
    net.linear = paddle.nn.Linear(3, 2)
    assert np.allclose(net(ones(1, 3)).numpy(), net.linear(ones(1, 3)).numpy())
    assert count(net.forward) == 3


def test_changed_values_of_parameters_need_no_program():
    net = to_static(Plain())
    net(ones(1, 3))
    net.linear.weight.set_value(np.zeros([3, 2], "float32"))
    net.linear.bias.set_value(np.array([1.0, 2.0], "float32"))
    assert net(ones(1, 3)).numpy().tolist() == [[1, 2]]
    assert count(net.forward) == 1


SHIFT = paddle.full([1], 1.0)


def shifted(x):
    return x + SHIFT


def test_tensor_of_a_global_that_is_another_now(monkeypatch):
    static = to_static(shifted)
    assert static(ones(1)).item() == 2
    monkeypatch.setitem(globals(), "SHIFT", paddle.full([1], 5.0))
    for _ in range(2):
        assert static(ones(1)).item() == 6
    assert count(static) == 1
    SHIFT.set_value(np.array([7.0], "float32"))
    assert static(ones(1)).item() == 8
    assert static.concrete_program([ones(1)]).item() == 8


def test_tensor_in_a_closure_that_is_another_now():
    shift = paddle.full([1], 1.0)

    @to_static(input_spec=[InputSpec([None])])
    def moved(x):
        return x + shift

    assert moved(ones(1)).item() == 2 and moved(ones(2)).numpy().tolist() == [2, 2]
    shift = paddle.full([1], 5.0)
    assert moved(ones(1)).item() == 6 and moved(ones(2)).numpy().tolist() == [6, 6]
    assert count(moved) == 1


def test_weight_that_a_hook_makes_anew():
    net = paddle.nn.utils.weight_norm(paddle.nn.Linear(3, 2))
    x = ones(1, 3)
    expected = []
    for _ in range(2):
        net(x).sum().backward()
        expected.append([p.grad.numpy() for p in net.parameters()])
        net.clear_gradients()
    to_static(net)
    for before in expected:
        net(x).sum().backward()
        for grad, parameter in zip(before, net.parameters(), strict=True):
            assert np.allclose(grad, parameter.grad.numpy())
        net.clear_gradients()
    net.weight_v.set_value(net.weight_v.numpy() * 3 + 1)
    value = net(x).numpy()
    net.forward.rollback()
    assert np.allclose(value, net(x).numpy())


def test_weight_that_a_hook_makes_anew_inside():
    class Inner(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.linear = paddle.nn.utils.weight_norm(paddle.nn.Linear(3, 2))

        @to_static
        def forward(self, x):
            return self.linear(x)

    net = Inner()
    for factor in (1.0, 2.0, 3.0):
        net.linear.weight_g.set_value(np.full([3], factor, "float32"))
        v = net.linear.weight_v.numpy()
        length = np.sqrt((v**2).sum(1, keepdims=True))
        expected = (factor * v / length).sum(0) + net.linear.bias.numpy()
        assert np.allclose(net(ones(1, 3)).numpy()[0], expected, atol=1e-6)
    assert count(net.forward) == 1
    assert [name for name, _ in net.named_buffers()] == []


def test_state_that_the_function_sets():
    class Counter(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.register_buffer("steps", paddle.zeros([1]))

        @to_static
        def forward(self, x):
            self.steps = self.steps + 1
            self.seen = x * self.steps
            return self.seen

    net = Counter()
    for step in (1, 2, 3):
        assert net(ones(2)).numpy().tolist() == [step, step]
        assert net.steps.item() == step and net.seen.numpy().tolist() == [step, step]
    assert count(net.forward) <= 2  # the second knows that there is net.seen
    gone = weakref.ref(net)
    del net
    assert gone() is None


def test_threads_share_one_program():
    static = to_static(add)
    x = ones(2)

    def work(_):
        return [static(x, 3.0).numpy().tolist() for _ in range(5)]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(8))) == [[[4.0, 4.0]] * 5] * 8
    assert count(static) == 1


def test_layer_as_argument():
    @to_static
    def through(x, layer):
        return layer(x)

    relu, tanh = paddle.nn.ReLU(), paddle.nn.Dropout(0.5)
    assert through(ones(2), relu).numpy().tolist() == [1, 1]
    tanh.eval()
    through(ones(2), tanh)
    through(ones(2), tanh)
    assert count(through) == 2
    tanh.train()
    through(ones(2), tanh)
    assert count(through) == 3


def test_second_call_rebuilds_nothing(monkeypatch):
    net = Net()
    net(ones(2, 3))

    def never(*args, **kwargs):
        raise AssertionError("built again")

    monkeypatch.setattr("paddle.jit.rewriting.source.transform", never)
    monkeypatch.setattr("paddle.jit.calls.concrete_program.record", never)
    monkeypatch.setattr("paddle.jit.calls.static_function.FunctionSpec", never)
    monkeypatch.setattr("paddle.jit.calls.layer_state.fingerprint", never)
    assert net(ones(2, 3)).shape == [2, 2]


def test_gradients_and_their_absence():
    static = to_static(add)
    x = paddle.to_tensor([1.0], stop_gradient=False)
    (static(x) * 3).backward()
    assert x.grad.item() == 3
    assert static(x.detach()).stop_gradient
    with paddle.no_grad():
        assert static(x).stop_gradient


def test_no_grad_needs_no_program_of_its_own():
    net = to_static(Plain())
    with paddle.no_grad():
        assert net(ones(1, 3)).stop_gradient
    net(ones(1, 3)).sum().backward()
    assert net.linear.weight.grad.numpy().tolist() == [[1, 1]] * 3
    assert count(net.forward) == 1


def test_default_dtype():
    @to_static
    def more(x):
        return paddle.ones([2])

    assert more(ones(2)).dtype is paddle.float32
    paddle.set_default_dtype("float64")
    try:
        assert more(ones(2).astype("float32")).dtype is paddle.float64
    finally:
        paddle.set_default_dtype("float32")


def test_many_programs_warn_once_and_name_the_argument(capfd):
    static = to_static(add)
    for size in range(1, MANY + 3):
        static(ones(size))
    text = capfd.readouterr().err
    assert text.count("WARNING") == 1
    assert "add has 17 Programs" in text and "argument 'x' came in 17 kinds" in text
    assert "[16], [17]" in text and "InputSpec([None, ...])" in text


def test_many_values_warn_of_constants(capfd):
    static = to_static(add)
    for step in range(MANY + 1):
        static(ones(1), float(step))
    text = capfd.readouterr().err
    assert "argument 'y' came in 17 kinds" in text and "give what changes" in text


# -- wrong calls ----------------------------------------------------------------------------------


def raised(call):
    with pytest.raises(TypeError) as info:
        call()
    return str(info.value)


def test_wrong_calls_raise_what_python_raises():
    net, plain, static, x = Net(), Net.forward._function, to_static(add), ones(2, 3)
    for args, kwargs in [((), {}), ((x, 1, 2), {}), ((x,), {"z": 1}), ((x,), {"x": 1})]:
        assert raised(lambda: static(*args, **kwargs)) == raised(lambda: add(*args, **kwargs))  # noqa: B023
        method = raised(lambda: net.forward(*args, **kwargs))  # noqa: B023
        assert method == raised(lambda: plain(net, *args, **kwargs))  # noqa: B023
    assert "forward() missing 1 required positional argument: 'x'" in raised(lambda: net())


# -- instances ------------------------------------------------------------------------------------


def test_each_instance_has_its_own_programs():
    one, two = Net(), Net()
    assert one.forward is one.forward and one.forward is not two.forward
    one(ones(1, 3))
    assert count(one.forward) == 1 and count(two.forward) == 0
    assert count(Net.forward) == 0


def test_instances_share_the_conversion(monkeypatch):
    first = Net()
    first(ones(1, 3))
    monkeypatch.setattr("paddle.jit.rewriting.source.transform", None)
    assert Net()(ones(1, 3)).shape == [1, 2]
    assert Net().forward.code == first.forward.code == Net.forward.code


@pytest.mark.parametrize("make", [Net, lambda: to_static(Plain())], ids=["decorated", "given"])
def test_layers_are_freed_at_once(make):
    net = make()
    net(ones(1, 3)).sum().backward()
    gone = weakref.ref(net)
    gc.disable()
    try:
        del net
        assert gone() is None
    finally:
        gc.enable()


def test_method_whose_object_is_gone():
    forward = Net().forward
    gc.collect()
    with pytest.raises(RuntimeError, match=r"Net\.forward: the object .* is gone"):
        forward.get_concrete_program(ones(1, 3))
    with pytest.raises(RuntimeError, match=r"Net\.forward: the object .* is gone"):
        forward(ones(1, 3))


def test_call_through_the_class_and_super():
    class Child(Net):
        @to_static
        def forward(self, x):
            return super().forward(x) + 1

    net = Net()
    net.eval()
    assert np.allclose(Net.forward(net, ones(1, 3)).numpy(), net(ones(1, 3)).numpy())
    assert count(net.forward) == 1
    child = Child()
    child.eval()
    expected = child.linear(ones(1, 3)).numpy() + 1
    assert np.allclose(child(ones(1, 3)).numpy(), expected)


@pytest.mark.parametrize("make", [Net, lambda: to_static(Plain())], ids=["decorated", "given"])
@pytest.mark.parametrize(
    "again", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))], ids=["copy", "pickle"]
)
def test_copies_of_layers(make, again):
    net = make()
    net.eval()
    expected = net(ones(1, 3)).numpy()
    other = again(net)
    assert isinstance(other.forward, StaticFunction) and other.forward is not net.forward
    assert np.allclose(other(ones(1, 3)).numpy(), expected)
    other.linear.bias.set_value(other.linear.bias.numpy() + 1)
    assert np.allclose(other(ones(1, 3)).numpy(), expected + 1)
    assert np.allclose(net(ones(1, 3)).numpy(), expected)


def test_copies_of_functions():
    static = to_static(add)
    assert copy.deepcopy(static) is static and copy.copy(static) is static
    assert pickle.loads(pickle.dumps(static))(ones(1)).item() == 3

    @to_static
    def local(x):
        return x

    with pytest.raises(pickle.PicklingError, match="local"):
        pickle.dumps(local)


# -- what it shows --------------------------------------------------------------------------------


def test_properties():
    static = to_static(add)
    static(ones(2))
    assert static.code.startswith("def add(x, y=2.0):")
    program = static.concrete_program
    assert static.main_program is program.main_program
    assert [v.name for v in static.inputs] == ["x"]
    assert [tuple(v.shape) for v in static.outputs] == [(2,)]
    assert static.program_cache.concrete_programs() == [program]
    assert static.program_cache.last() is program
    assert static.function_spec.args_name == ["x", "y"]
    assert repr(static) == "<StaticFunction add>"


def test_last_of_several_programs(capfd):
    static = to_static(add)
    static(ones(2))
    static(ones(3))
    assert list(static.inputs[0].shape) == [3]
    assert "add has 2 Programs; the one that was recorded last is taken" in capfd.readouterr().err


def test_no_program_yet():
    static = to_static(add)
    with pytest.raises(ValueError, match=r"add: expected an input_spec that describes 'x'"):
        static.concrete_program
    with pytest.raises(LookupError, match="no Program has been recorded"):
        static.program_cache.last()


def test_get_concrete_program():
    static = to_static(add)
    x = ones(2)
    program, tensors = static.get_concrete_program(x)
    assert tensors == [x] or tensors[0] is x
    assert program(tensors).numpy().tolist() == [3, 3]
    static(x)
    assert static.program_cache.concrete_programs() == [program]
    of_spec, none = static.get_concrete_program(InputSpec([None, 3]), y=1.0)
    assert none == [] and list(of_spec.inputs[0].shape) == [-1, 3]


def test_clear():
    static = to_static(add)
    static(ones(2))
    static.program_cache.clear()
    assert count(static) == 0
    assert static(ones(2)).numpy().tolist() == [3, 3]
    assert count(static) == 1


@pytest.mark.parametrize("make", [Net, lambda: to_static(Plain())], ids=["decorated", "given"])
def test_rollback(make):
    net = make()
    net.eval()
    expected = net(ones(1, 3)).numpy()
    original = net.forward.rollback()
    assert not isinstance(net.forward, StaticFunction)
    assert np.allclose(net(ones(1, 3)).numpy(), expected)
    assert np.allclose(original(ones(1, 3)).numpy(), expected)
    assert to_static(add).rollback() is add


# -- modes ----------------------------------------------------------------------------------------


def test_inside_another_it_is_part_of_its_program():
    inner = to_static(add)

    @to_static
    def outer(x):
        return inner(x) * 2

    assert outer(ones(1)).item() == 6
    assert count(outer) == 1 and count(inner) == 0


def test_static_mode_adds_to_the_program():
    static = to_static(add)
    main = paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(main):
            out = static(paddle.static.data("x", [None, 2]))
        assert list(out.shape) == [-1, 2]
        exe = paddle.static.Executor()
        (value,) = exe.run(main, feed={"x": np.ones([3, 2], "float32")}, fetch_list=[out])
    finally:
        paddle.disable_static()
    assert (value == 3).all() and count(static) == 0


@pytest.mark.filterwarnings("ignore:mixed precision on a CPU")
def test_auto_cast_has_a_program_of_its_own():
    net = to_static(Plain())
    net(ones(1, 3))
    for _ in range(2):
        with paddle.amp.auto_cast():
            net(ones(1, 3))
    assert count(net.forward) == 2
    with paddle.amp.auto_cast(custom_black_list=["matmul_v2", "linear", "mul", "matmul"]):
        net(ones(1, 3))
    assert count(net.forward) == 3
    with paddle.amp.auto_cast(enable=False):
        net(ones(1, 3))
    assert count(net.forward) == 3


def test_what_cannot_be_converted_runs_as_it_is_after_one_warning(capfd):
    static = to_static(abs)
    assert static(ones(2)).numpy().tolist() == [1, 1]
    assert static(ones(3)).numpy().tolist() == [1, 1, 1]
    text = capfd.readouterr().err
    assert text.count("WARNING") == 1 and "<built-in function abs>" in text
    assert "run as-is" in text and count(static) == 0
