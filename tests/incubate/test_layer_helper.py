"""LayerHelper: layer functions in the style of 1.x and 2.0, and the library that has none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle
import paddle.incubate as incubate
from paddle import static
from paddle.incubate import LayerHelper

X = np.array([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]], "float32")


def relu2(x: Any, name: str | None = None) -> Any:
    """As in the guide, 8.4.3."""
    helper = LayerHelper("relu2", **locals())
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op(type="relu", inputs={"X": x}, outputs={"Out": out})
    return out


def dense(
    input: Any, size: int, param_attr: Any = None, bias_attr: Any = None, act: Any = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    helper = LayerHelper("dense", **locals())
    results = []
    for x, attr in helper.iter_inputs_and_params():
        w = helper.create_parameter(attr, [x.shape[1], size], helper.input_dtype())
        out = helper.create_variable_for_type_inference(x.dtype)
        helper.append_op(
            type="mul", inputs={"X": x, "Y": w}, outputs={"Out": out},
            attrs={"x_num_col_dims": 1, "y_num_col_dims": 1},
        )  # fmt: skip
        results.append(out)
    made = results[0]
    if len(results) > 1:
        made = helper.create_variable_for_type_inference(helper.input_dtype())
        helper.append_op(type="sum", inputs={"X": results}, outputs={"Out": made})
    return helper.append_activation(helper.append_bias_op(made))


@pytest.fixture
def programs() -> Any:
    main, startup = static.Program(), static.Program()
    paddle.enable_static()
    with static.program_guard(main, startup), paddle.utils.unique_name.guard():
        yield main, startup
    paddle.disable_static()


def test_a_function_of_the_guide_in_both_modes(programs: Any) -> None:
    main, _ = programs
    out = relu2(static.data("x", [2, 3]))
    assert [op.type for op in main.global_block().ops] == ["relu"]
    assert static.Executor().run(main, {"x": X}, [out])[0].tolist() == np.maximum(X, 0).tolist()
    paddle.disable_static()
    x = paddle.to_tensor(X, stop_gradient=False)
    y = relu2(x)
    y.sum().backward()
    assert y.numpy().tolist() == np.maximum(X, 0).tolist()
    assert x.grad.numpy().tolist() == (X > 0).astype("float32").tolist()


def test_a_layer_with_parameters_bias_and_activation(programs: Any) -> None:
    main, startup = programs
    x, y = static.data("x", [None, 3]), static.data("y", [None, 3])
    ones = paddle.nn.initializer.Constant(1.0)
    out = dense([x, y], 4, param_attr=ones, act={"type": "leaky_relu", "alpha": 0.1})
    names = [p.name for p in main.all_parameters()]
    assert names == ["dense_0.w_0", "dense_0.w_1", "dense_0.b_0"]
    assert [p.shape for p in main.all_parameters()] == [(3, 4), (3, 4), (4,)]
    exe = static.Executor()
    with static.scope_guard(static.Scope()):
        exe.run(startup)
        (got,) = exe.run(main, {"x": X, "y": -2 * X}, [out])
    total = -X.sum(1)
    want = np.repeat(np.where(total > 0, total, 0.1 * total)[:, None], 4, 1)
    np.testing.assert_allclose(got, want, rtol=1e-6)
    assert dense(x, 2, bias_attr=False, act=None).op.type == "mul"


def test_variables_of_a_program(programs: Any) -> None:
    main, startup = programs
    helper = LayerHelper("count", name="mine")
    assert (helper.name, helper.layer_type) == ("mine", "count")
    assert helper.main_program is main and helper.startup_program is startup
    var, new = helper.create_or_get_global_variable("steps", shape=[1], dtype="int64")
    assert new and helper.create_or_get_global_variable("steps") == (var, False)
    var.persistable = True
    helper.set_variable_initializer(var, paddle.nn.initializer.Constant(7))
    assert startup.global_block().ops[0].output("Out") == ["steps"]
    assert helper.create_global_variable(shape=[2], dtype="float32").name.startswith("mine.tmp")
    assert helper.create_variable(name="v", shape=[2]).name == "v"
    helper.create_parameter(paddle.ParamAttr("w"), [2], "float32", stop_gradient=True)
    assert helper.get_parameter("w").stop_gradient
    with pytest.raises(ValueError, match="'steps' is a variable, but no parameter"):
        helper.get_parameter("steps")
    op = helper.append_op(type="increment", inputs={"X": var}, outputs={"Out": var})
    assert op.type == "increment"


def test_what_arguments_may_not_be() -> None:
    x = paddle.ones([2, 3])
    helper = LayerHelper("dense", input=[x, x], x=x, param_attr=[None] * 3, act="reluu")
    with pytest.raises(ValueError, match="dense: expected one input as 'input', but received 2"):
        helper.input()
    assert helper.input("x") is x and helper.multiple_input("x") == [x]
    with pytest.raises(ValueError, match=r"param_attr\): expected 2 .* received 3"):
        helper.multiple_param_attr(2)
    helper.kwargs["input"] = [x, x.astype("int64")]
    with pytest.raises(ValueError, match=r"one data type as 'input', but .*FP32.*INT64"):
        helper.input_dtype()
    with pytest.raises(TypeError, match=r"dense\(x\): expected str, but received Tensor"):
        helper.is_instance("x", str)
    with pytest.raises(ValueError, match="no activation named 'reluu'"):
        helper.append_activation(x)
    with pytest.raises(TypeError, match=r"dense\(act\): expected the activation's name, got int"):
        helper.append_activation(x, 3)
    with pytest.raises(ValueError, match="there is no operator 'relu3'"):
        helper.append_op(type="relu3", inputs={"X": x}, outputs={"Out": x})
    assert helper.to_variable(x) is x and helper.to_variable([1, 2], "n").name == "n"


def test_libraries_of_native_operators() -> None:
    with pytest.raises(FileNotFoundError, match=r"the library relu2_op\.so is not there"):
        incubate.load_op_library("relu2_op.so")
    assert incubate.load_op_library is paddle.utils.load_op_library
