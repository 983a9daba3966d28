"""Layer.create_parameter, create_variable and ParamAttr."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.core.tensor import Parameter
from paddle.utils import unique_name

nn = paddle.nn
I = nn.initializer


@pytest.fixture
def layer():
    with unique_name.guard():
        yield nn.Layer(name_scope="my")


def test_defaults_of_weight_and_bias(layer) -> None:
    weight = layer.create_parameter([20, 30])
    bias = layer.create_parameter([30], is_bias=True)
    assert isinstance(weight, Parameter) and weight.shape == [20, 30]
    assert weight.dtype == paddle.float32 and not weight.stop_gradient and weight.persistable
    assert 0 < np.abs(weight.numpy()).max() <= np.sqrt(6 / 50)
    assert bias.numpy().tolist() == [0.0] * 30
    assert (weight.name, bias.name) == ("my_0.w_0", "my_0.b_0")
    assert layer.create_parameter([1]).name == "my_0.w_1"


def test_shape_forms(layer) -> None:
    assert layer.create_parameter((2, np.int64(3))).shape == [2, 3]
    assert layer.create_parameter(4).shape == [4]
    assert layer.create_parameter([]).shape == [1]
    assert layer.create_parameter([0, 3]).shape == [0, 3]


@pytest.mark.parametrize(
    "shape, error, text",
    [
        ("23", TypeError, "list of ints, but received str"),
        (None, TypeError, "list of ints, but received NoneType"),
        ([2.0], TypeError, "holds float 2.0"),
        ([True], TypeError, "holds bool"),
        ([2, -1], ValueError, r"sizes >= 0, but received \[2, -1\]"),
    ],
)
def test_bad_shapes(layer, shape, error, text) -> None:
    with pytest.raises(error, match=text):
        layer.create_parameter(shape)


def test_attr_forms(layer) -> None:
    assert layer.create_parameter([1], attr=False) is None
    assert layer.create_parameter([1], attr=True).name == "my_0.w_0"
    assert layer.create_parameter([1], attr="given").name == "given"
    filled = layer.create_parameter([2], attr=I.Constant(3.0))
    assert filled.numpy().tolist() == [3.0, 3.0]
    decayed = layer.create_parameter([2], attr=paddle.regularizer.L2Decay(0.5))
    assert isinstance(decayed.regularizer, paddle.regularizer.L2Decay)
    for wrong in (3, object()):
        with pytest.raises(TypeError, match="attr: expected a ParamAttr, a name, an Initializer"):
            layer.create_parameter([1], attr=wrong)
    with pytest.raises(TypeError, match="expected one ParamAttr, but received a list"):
        layer.create_parameter([1], attr=[None])


def test_param_attr_reaches_the_parameter(layer) -> None:
    decay = paddle.regularizer.L1Decay(0.1)
    attr = paddle.ParamAttr(
        name="all",
        initializer=I.Constant(4.0),
        learning_rate=0.5,
        regularizer=decay,
        trainable=False,
        do_model_average=False,
        need_clip=False,
    )
    made = layer.create_parameter([1], attr=attr, default_initializer=I.Constant(1.0))
    assert made.name == "all" and made.numpy().tolist() == [4.0]
    assert made.optimize_attr == {"learning_rate": 0.5} and made.regularizer is decay
    assert made.trainable is False and made.stop_gradient is True
    assert made.do_model_average is False and made.need_clip is False


def test_a_name_is_given_once_among_living_parameters(layer) -> None:
    first = layer.create_parameter([1], attr="once")
    with pytest.raises(ValueError, match="parameter named 'once' already"):
        layer.create_parameter([1], attr="once")
    with unique_name.guard():
        assert layer.create_parameter([1], attr="once").name == "once"
    del first
    assert layer.create_parameter([1], attr="once").name == "once"


def test_one_param_attr_without_a_name_serves_many(layer) -> None:
    attr = paddle.ParamAttr(initializer=I.Constant(1.0))
    names = {layer.create_parameter([1], attr=attr).name for _ in range(3)}
    assert len(names) == 3 and attr.name is None


def test_which_initializer_wins(layer) -> None:
    def value(**options):
        return layer.create_parameter([1], **options).item()

    own, default = I.Constant(1.0), I.Constant(2.0)
    try:
        I.set_global_initializer(I.Constant(3.0), I.Constant(4.0))
        assert value(attr=own, default_initializer=default) == 1.0
        assert value(default_initializer=default) == 3.0
        assert value(is_bias=True, default_initializer=default) == 4.0
        I.set_global_initializer(I.Constant(5.0))
        assert value() == 5.0 and value(is_bias=True) == 0.0
    finally:
        I.set_global_initializer(None)
    assert value(attr=own, default_initializer=default) == 1.0
    assert value(default_initializer=default) == 2.0
    assert value(is_bias=True) == 0.0
    with pytest.raises(TypeError, match=r"default_initializer.: expected an Initializer or None"):
        value(default_initializer=3)


def test_set_global_initializer_checks_its_arguments() -> None:
    with pytest.raises(TypeError, match=r"weight_init.: expected an Initializer or None.*int"):
        I.set_global_initializer(3)
    with pytest.raises(TypeError, match=r"bias_init.: expected an Initializer or None.*float"):
        I.set_global_initializer(I.Constant(), 1.0)


def test_dtypes(layer) -> None:
    assert layer.create_parameter([1], dtype="float64").dtype == paddle.float64
    assert nn.Layer(dtype="float64").create_parameter([1]).dtype == paddle.float64
    assert nn.Layer(dtype=paddle.float64)._dtype == "float64"
    ints = layer.create_parameter([2], dtype="int32", default_initializer=I.Constant(2))
    assert ints.dtype == paddle.int32 and ints.numpy().tolist() == [2, 2]
    with pytest.raises(TypeError, match="dtype is int32; give default_initializer"):
        layer.create_parameter([1], dtype="int32")
    with pytest.raises(ValueError, match="expected a data type"):
        nn.Layer(dtype="float31")
    paddle.set_default_dtype("float64")
    try:
        assert layer.create_parameter([1]).dtype == paddle.float64
        assert nn.Layer()._dtype == "float64" and nn.Layer(dtype="float16")._dtype == "float16"
    finally:
        paddle.set_default_dtype("float32")


def test_create_variable_and_tensor(layer) -> None:
    var = layer.create_variable()
    assert var.name == "my_0._generated_var_0" and var.dtype == paddle.float32
    assert not var.persistable and var.stop_gradient
    named = layer.create_tensor(name="t", persistable=True, dtype="int64")
    assert named.name == "t" and named.persistable and named.dtype == paddle.int64


# -- ParamAttr --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options, error, text",
    [
        ({"name": 3}, TypeError, r"ParamAttr\(name\): expected a str or None, but received int 3"),
        ({"name": ""}, ValueError, "expected a name or None, but received ''"),
        ({"initializer": "x"}, TypeError, "initializer.: expected an Initializer or None.*str"),
        ({"learning_rate": "a"}, TypeError, "learning_rate.: expected a float.*str 'a'"),
        ({"learning_rate": None}, TypeError, "learning_rate.: expected a float.*NoneType"),
        ({"learning_rate": True}, TypeError, "learning_rate.: expected a float.*bool"),
        ({"regularizer": 0.1}, TypeError, "regularizer.: expected paddle.regularizer.*float"),
        ({"trainable": 1}, TypeError, "trainable.: expected a bool, but received int"),
        ({"do_model_average": None}, TypeError, "do_model_average.: expected a bool"),
        ({"need_clip": "no"}, TypeError, "need_clip.: expected a bool, but received str"),
    ],
)
def test_param_attr_checks_its_arguments(options, error, text) -> None:
    with pytest.raises(error, match=text):
        paddle.ParamAttr(**options)


def test_to_attr() -> None:
    to = paddle.ParamAttr._to_attr
    attr = paddle.ParamAttr()
    assert to(attr) is attr and to(False) is False
    assert to(None).name is None and to(True).name is None and to("n").name == "n"
    init = I.Constant()
    assert to(init).initializer is init
    many = to([None, "a", False])
    assert many[0].name is None and many[1].name == "a" and many[2] is False


def test_param_attr_prints_its_fields() -> None:
    text = repr(paddle.ParamAttr(name="w", trainable=False))
    assert text.startswith("ParamAttr(name='w'") and "trainable=False" in text
