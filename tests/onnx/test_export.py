"""paddle.onnx.export: what it takes, what it writes, and what it says of bad input."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import onnx
import pytest

import paddle
from paddle import nn
from paddle.core.errors import InvalidArgumentError, NotFoundError, UnimplementedError
from paddle.onnx import exporting
from paddle.onnx.model import newest_opset, of_saved_model, to_onnx
from paddle.serialization.models.saved_model import SavedModel
from paddle.static import InputSpec
from tests.onnx.running import run

X = np.random.RandomState(0).randn(2, 4).astype("float32")
SPEC = [InputSpec([None, 4], "float32", "x")]


def net() -> nn.Layer:
    made = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Dropout(0.5))
    made.eval()
    return made


def opset_of(path) -> int:
    return onnx.load(str(path)).opset_import[0].version


@pytest.fixture
def static():
    paddle.enable_static()
    yield
    paddle.disable_static()


# -- what it takes --------------------------------------------------------------------------------


def test_a_layer(tmp_path):
    layer = net()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert paddle.onnx.export(layer, str(tmp_path / "new" / "net"), input_spec=SPEC) is None
    assert [p.name for p in (tmp_path / "new").iterdir()] == ["net.onnx"]
    proto = onnx.load(str(tmp_path / "new" / "net.onnx"))
    onnx.checker.check_model(proto, full_check=True)
    (result,) = run(proto, {"x": X})
    np.testing.assert_allclose(result, layer(paddle.to_tensor(X)).numpy(), 1e-5, 1e-6)


def test_examples_stand_for_specs(tmp_path):
    paddle.onnx.export(net(), str(tmp_path / "net"), [paddle.to_tensor(X)])
    (port,) = onnx.load(str(tmp_path / "net.onnx")).graph.input
    assert [d.dim_value for d in port.type.tensor_type.shape.dim] == [2, 4]


def test_a_function_and_its_control_flow_that_is_decided(tmp_path):
    @paddle.jit.to_static(input_spec=[InputSpec([None, 4]), InputSpec([None, 4])])
    def total(a, b):
        for _ in range(3):
            a = a + b
        return a

    paddle.onnx.export(total, str(tmp_path / "net"))
    (result,) = run(onnx.load(str(tmp_path / "net.onnx")), {"a": X, "b": X})
    np.testing.assert_allclose(result, 4 * X, 1e-6)


class Several(nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)

    @paddle.jit.to_static(input_spec=[InputSpec([None, 4], name="x")])
    def forward(self, x):
        y = self.linear(x)
        return y, paddle.tanh(y)

    @paddle.jit.to_static(input_spec=[InputSpec([None, 4], name="x")])
    def other(self, x):
        return paddle.inverse(x)  # ONNX has none, and nobody asks for it


def test_only_forward_is_written(tmp_path):
    layer = Several()
    paddle.onnx.export(layer, str(tmp_path / "net"))
    results = run(onnx.load(str(tmp_path / "net.onnx")), {"x": X})
    for result, want in zip(results, layer(paddle.to_tensor(X)), strict=True):
        np.testing.assert_allclose(result, want.numpy(), 1e-5, 1e-6)


def test_a_translated_layer(tmp_path):
    layer = net()
    paddle.jit.save(layer, str(tmp_path / "saved"), input_spec=SPEC)
    loaded = paddle.jit.load(str(tmp_path / "saved"))
    paddle.onnx.export(loaded, str(tmp_path / "net"), input_spec=[InputSpec([2, 4], name="x")])
    proto = onnx.load(str(tmp_path / "net.onnx"))
    assert proto.graph.input[0].type.tensor_type.shape.dim[0].dim_value == 2
    np.testing.assert_allclose(
        run(proto, {"x": X})[0], layer(paddle.to_tensor(X)).numpy(), 1e-5, 1e-6
    )


def test_a_saved_model_keeps_its_names(tmp_path):
    paddle.jit.save(net(), str(tmp_path / "saved"), input_spec=SPEC)
    model = SavedModel.read(str(tmp_path / "saved"), "test")
    proto = of_saved_model(model, newest_opset())
    assert [p.name for p in proto.graph.input] == model.feeds() == ["x"]
    assert [p.name for p in proto.graph.output] == [v.name for v in model.fetches()]


def test_output_spec_of_a_layer(tmp_path):
    layer = Several()
    _, wanted = layer(paddle.to_tensor(X))
    paddle.onnx.export(layer, str(tmp_path / "net"), output_spec=[wanted])
    (result,) = run(onnx.load(str(tmp_path / "net.onnx")), {"x": X})
    np.testing.assert_allclose(result, wanted.numpy(), 1e-5, 1e-6)


def program():
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        x = paddle.static.data("x", [None, 4])
        label = paddle.static.data("label", [None, 1])
        y = paddle.static.nn.fc(x, 3, activation="relu")
        loss = paddle.mean(paddle.square(y - label))
        paddle.optimizer.SGD(0.1).minimize(loss)
    exe = paddle.static.Executor(paddle.CPUPlace())
    exe.run(startup)
    return main, exe, x, y, loss


@pytest.mark.parametrize("form", ["variables", "names", "spec", "none"])
def test_a_program(form, tmp_path, static):
    main, exe, x, y, _ = program()
    spec = {"variables": [x], "names": ["x"], "none": None,
            "spec": [InputSpec([2, 4], "float32", "x")]}[form]  # fmt: skip
    paddle.onnx.export(
        main, str(tmp_path / "net"), input_spec=spec,
        output_spec=[y.name] if form == "names" else [y],
    )  # fmt: skip
    proto = onnx.load(str(tmp_path / "net.onnx"))
    assert [p.name for p in proto.graph.output] == [y.name]
    size = proto.graph.input[0].type.tensor_type.shape.dim[0].dim_value
    assert size == (2 if form == "spec" else 0)
    (want,) = exe.run(main.clone(for_test=True), {"x": X, "label": X[:, :1]}, [y])
    np.testing.assert_allclose(run(proto, {"x": X})[0], want, 1e-5, 1e-6)


def test_a_program_for_inference_states_its_ends(tmp_path, static):
    main, exe, x, y, _ = program()
    (want,) = exe.run(main.clone(for_test=True), {"x": X, "label": X[:, :1]}, [y])
    prefix = str(tmp_path / "saved")
    paddle.static.save_inference_model(prefix, [x], [y], exe, program=main)
    loaded, feeds, fetches = paddle.static.load_inference_model(prefix, exe)
    paddle.onnx.export(loaded, str(tmp_path / "net"))
    proto = onnx.load(str(tmp_path / "net.onnx"))
    assert [p.name for p in proto.graph.input] == feeds
    assert [p.name for p in proto.graph.output] == [v.name for v in fetches]
    np.testing.assert_allclose(run(proto, {"x": X})[0], want, 1e-5, 1e-6)


# -- what it writes -------------------------------------------------------------------------------


def test_opsets_that_are_too_old_are_raised_with_a_warning(tmp_path):
    class Lower(nn.Layer):
        def forward(self, x):
            return paddle.scatter_nd_add(x, paddle.to_tensor([[0], [0]]), x)

    path = str(tmp_path / "net")
    with pytest.warns(
        UserWarning, match=r"opset_version\): 10 was asked for, but 11 is the oldest"
    ):
        paddle.onnx.export(net(), path, input_spec=SPEC, opset_version=10)
    assert opset_of(path + ".onnx") == 11
    with pytest.warns(UserWarning, match="13 was asked for, but scatter_nd_add needs opset 16"):
        paddle.onnx.export(Lower(), path, input_spec=[InputSpec([2, 4])], opset_version=13)
    assert opset_of(path + ".onnx") == 16
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        paddle.onnx.export(Lower(), path, input_spec=[InputSpec([2, 4])])
    assert opset_of(path + ".onnx") == 16


def test_outputs_that_are_inputs_constants_or_given_twice(tmp_path):
    class Ends(nn.Layer):
        def forward(self, x):
            y = x + 1.0
            return x, y, y, y, paddle.ones([2], "int64"), x.sum()

    paddle.onnx.export(Ends(), str(tmp_path / "net"), input_spec=SPEC)
    results = run(onnx.load(str(tmp_path / "net.onnx")), {"x": X})
    for result, want in zip(results, [X, X + 1, X + 1, X + 1, [1, 1], [X.sum()]], strict=True):
        np.testing.assert_allclose(result, want, 1e-5, 1e-6)


def test_large_models_keep_their_data_beside_them(tmp_path, monkeypatch):
    monkeypatch.setattr(exporting, "_LARGEST", 1000)
    layer = nn.Linear(64, 64)
    paddle.onnx.export(layer, str(tmp_path / "net"), input_spec=[InputSpec([None, 64])])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["net.onnx", "net.onnx.data"]
    assert (tmp_path / "net.onnx").stat().st_size < 1000
    x = np.ones([1, 64], "float32")
    (result,) = run(str(tmp_path / "net.onnx"), {"x": x, "input": x})
    np.testing.assert_allclose(result, layer(paddle.to_tensor(x)).numpy(), 1e-5, 1e-5)


@pytest.mark.parametrize("check", [True, False, None])
def test_the_checker_can_be_left_out(check, tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr(onnx.checker, "check_model", calls.append)
    options = {} if check is None else {"enable_onnx_checker": check}
    paddle.onnx.export(net(), str(tmp_path / "net"), input_spec=SPEC, **options)
    assert len(calls) == (0 if check is False else 1)


def test_an_older_file_stays_where_the_checker_refuses(tmp_path, monkeypatch):
    def refuse(content):
        raise onnx.checker.ValidationError("no")

    path = tmp_path / "net.onnx"
    path.write_bytes(b"old")
    monkeypatch.setattr(onnx.checker, "check_model", refuse)
    with pytest.raises(onnx.checker.ValidationError):
        paddle.onnx.export(net(), str(tmp_path / "net"), input_spec=SPEC)
    assert path.read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 1


# -- what it says ---------------------------------------------------------------------------------


class Unknown(nn.Layer):
    def forward(self, x):
        y = paddle.inverse(x)  # the first
        z = paddle.inverse(y)
        return z + paddle.cholesky(x)


def test_operators_without_a_rule_are_named_with_their_lines(tmp_path):
    with pytest.raises(UnimplementedError) as caught:
        paddle.onnx.export(Unknown(), str(tmp_path / "net"), [InputSpec([3, 3])])
    text = str(caught.value)
    assert "2 operators cannot be expressed in ONNX" in text
    assert "inverse (2 times)" in text and "y = paddle.inverse(x)  # the first" in text
    assert "(once)" in text and __file__ in text and "output_spec" in text
    assert not list(tmp_path.iterdir())


def test_the_package_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx.checker", None)
    with pytest.raises(NotFoundError, match=r"pip install onnx"):
        paddle.onnx.export(net(), str(tmp_path / "net"), input_spec=SPEC)


@pytest.mark.parametrize(
    ("arguments", "kind", "match"),
    [
        ({"layer": 3}, TypeError, "expected a Layer or a function, but received int"),
        ({"path": 3}, TypeError, r"export\(path\): expected a str, but received int"),
        ({"path": "a/"}, InvalidArgumentError, "expected the form folder/name"),
        ({"input_spec": 3}, TypeError, r"export\(input_spec\): expected a list or tuple"),
        ({"opset_version": "11"}, TypeError, "expected an int, but received str"),
        ({"opset_version": True}, TypeError, "expected an int, but received bool"),
        ({"opset_version": 0}, InvalidArgumentError, "expected one of 11 to"),
        ({"opset_version": 99}, InvalidArgumentError, "but received 99"),
        ({"output_spec": 3}, TypeError, r"export\(output_spec\): expected a list"),
        ({"output_spec": ["no"]}, InvalidArgumentError, "has no output 'no'"),
        ({"enable_onnx_checker": 1}, TypeError, "expected a bool, but received int"),
        ({"onnx_checker": True}, InvalidArgumentError, "no option 'onnx_checker'"),
    ],
)
def test_bad_arguments(arguments, kind, match, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = {"layer": net(), "path": "net", "input_spec": SPEC, **arguments}
    with pytest.raises(kind, match=match):
        paddle.onnx.export(**given)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "kind", "match"),
    [
        ({}, InvalidArgumentError, "states no outputs.*\n.*output_spec"),
        ({"output_spec": []}, InvalidArgumentError, "at least one output"),
        ({"output_spec": ["no"]}, InvalidArgumentError, "no variable 'no'; its data variables"),
        ({"output_spec": [3]}, TypeError, r"expected \[0\] to be a Variable, its name"),
        ({"output_spec": 3}, TypeError, "expected a list of Variables of the Program"),
        ({"input_spec": ["no"]}, InvalidArgumentError, r"input_spec\): the Program has no"),
        ({"input_spec": [InputSpec([None, 4])]}, TypeError, "an InputSpec with its name"),
        ({"input_spec": [InputSpec([3], name="x")]}, InvalidArgumentError, "of shape .-1, 4."),
        ({"input_spec": [InputSpec([1, 4], "int64", "x")]}, InvalidArgumentError, "INT64"),
        ({"input_spec": []}, InvalidArgumentError, "expected every input of"),
        ({"input_spec": ["x", "label"]}, InvalidArgumentError, "'label' is not needed"),
    ],
)
def test_bad_arguments_with_a_program(arguments, kind, match, tmp_path, static):
    main, _, _, y, _ = program()
    given = {"output_spec": [y], **arguments} if arguments else {}
    with pytest.raises(kind, match=match):
        paddle.onnx.export(main, str(tmp_path / "net"), **given)
    assert not list(tmp_path.iterdir())


def test_values_that_are_missing(tmp_path, static):
    main, _, _, y, _ = program()
    with (
        paddle.static.scope_guard(paddle.static.Scope()),
        pytest.raises(
            RuntimeError, match=r"paddle.onnx.export: 2 of 2 variables are not initialized"
        ),
    ):
        paddle.onnx.export(main, str(tmp_path / "net"), output_spec=[y])
    with pytest.raises(InvalidArgumentError, match="there is no value for variable"):
        to_onnx(main.clone(for_test=True), {}, ["x"], [y.name])
