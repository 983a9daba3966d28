"""Bad input: errors say what was expected and what came, and the Predictor stays usable."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import paddle
from paddle.core.errors import FrameworkError
from paddle.inference import Config, create_predictor
from paddle.serialization.program import proto
from tests.inference.conftest import config_of, ones


def create(*paths):
    return create_predictor(Config(*map(str, paths)))


# -- files ----------------------------------------------------------------------------------------


def test_a_file_that_is_missing_is_named(models):
    program, params = models / "linear.pdmodel", models / "linear.pdiparams"
    for paths, missing in (((models / "nope",), "nope.pdmodel"), ((models / "n", params), "n'"),
                           ((program, models / "m"), "m'")):  # fmt: skip
        with pytest.raises(
            FileNotFoundError, match=rf"create_predictor: there is no file .*{missing}"
        ):
            create(*paths)
    with pytest.raises(FileNotFoundError, match="give the prefix"):
        create(models)
    with pytest.raises(RuntimeError, match="names no model"):
        create_predictor(Config())
    with pytest.raises(TypeError, match="expected a Config, but received str"):
        create_predictor(str(program))


def test_exchanged_files_are_told(models):
    program, params = models / "linear.pdmodel", models / "linear.pdiparams"
    with pytest.raises(ValueError, match=r"program was expected first.*\n.*exchange the two"):
        create(params, program)
    config, a, b = Config(), params.read_bytes(), program.read_bytes()
    config.set_model_buffer(a, len(a), b, len(b))
    with pytest.raises(ValueError, match=r"a buffer of \d+ bytes holds a program"):
        create_predictor(config)


@pytest.mark.parametrize("part", ["pdmodel", "pdiparams"])
@pytest.mark.parametrize("damage", ["cut", "noise", "empty", "pickle"])
def test_damaged_files(models, tmp_path, part, damage):
    content = (models / f"linear.{part}").read_bytes()
    noise = np.random.RandomState(0).bytes(len(content))
    bad = {"cut": content[: len(content) // 2], "noise": noise, "empty": b"",
           "pickle": pickle.dumps({"no": "array"}, 2)}[damage]  # fmt: skip
    for suffix in ("pdmodel", "pdiparams"):
        source = bad if suffix == part else (models / f"linear.{suffix}").read_bytes()
        (tmp_path / f"net.{suffix}").write_bytes(source)
    with pytest.raises(FrameworkError) as caught:
        create_predictor(config_of(tmp_path, "net"))
    assert "net." in str(caught.value) or "linear_" in str(caught.value)


def test_parameters_of_another_model(models):
    with pytest.raises(ValueError, match=r"lenet.pdiparams"):
        create(models / "linear.pdmodel", models / "lenet.pdiparams")


def test_a_training_program_is_no_model(tmp_path, models):
    program = proto.from_bytes((models / "linear.pdmodel").read_bytes())
    block = program.global_block()
    block.ops = [op for op in block.ops if op.type not in ("feed", "fetch")]
    (tmp_path / "net.pdmodel").write_bytes(proto.to_bytes(program))
    (tmp_path / "net.pdiparams").write_bytes((models / "linear.pdiparams").read_bytes())
    with pytest.raises(ValueError, match="states no outputs"):
        create(tmp_path / "net")


def test_unknown_operators(tmp_path, models):
    program = proto.from_bytes((models / "linear.pdmodel").read_bytes())
    for op in program.global_block().ops:
        if op.type not in ("feed", "fetch"):
            op.type = f"strange_{op.type}"
    (tmp_path / "net.pdmodel").write_bytes(proto.to_bytes(program))
    (tmp_path / "net.pdiparams").write_bytes((models / "linear.pdiparams").read_bytes())
    for optimised in (True, False):
        config = config_of(tmp_path, "net")
        config.switch_ir_optim(optimised)
        words = r"3 types .* not been registered: .*strange_matmul_v2 \(1\), strange_element"
        with pytest.raises(RuntimeError, match=words):
            create_predictor(config)


# -- names and values -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["y", "", None, 3, ["x"]])
def test_names_that_are_none(linear, name):
    with pytest.raises(RuntimeError, match=r"no input of that name; its inputs are \['x'\]"):
        linear.get_input_handle(name)
    with pytest.raises(RuntimeError, match="no output of that name; its outputs are"):
        linear.get_output_handle(name)


BAD = [
    (ones(2, 4, dtype="float64"), TypeError, r"input 'x': expected float32, .* received float64"),
    (ones(2, 4, dtype="int64"), TypeError, r"expected float32, .* received int64"),
    (ones(2, 4, dtype="uint16"), TypeError, r"expected float32, .* received bfloat16"),
    (ones(2, 4, 1), ValueError, r"expected 2 dimensions, \[-1, 4\].* received \[2, 4, 1\]"),
    (np.float32(3), TypeError, "expected a numpy.ndarray"),
    (np.array(3, "float32"), ValueError, "expected 2 dimensions"),
    (np.array([[None]]), TypeError, "to_tensor|expected"),
    (np.array([["text"]]), TypeError, "expected"),
    ([1.0], TypeError, "expected a numpy.ndarray, but received list"),
    (["text"], NotImplementedError, "take texts"),
    (paddle.ones([2, 4]), TypeError, "expected a numpy.ndarray, but received Tensor"),
    (None, TypeError, "received NoneType"),
]


@pytest.mark.parametrize("value, kind, words", BAD, ids=range(len(BAD)))
def test_values_that_do_not_fit_a_handle(linear, value, kind, words):
    x = linear.get_input_handle("x")
    x.copy_from_cpu(ones(1, 4))
    with pytest.raises(kind, match=words):
        x.copy_from_cpu(value)
    linear.run()
    name = linear.get_output_names()[0]
    assert linear.get_output_handle(name).shape() == [1, 2]


@pytest.mark.parametrize("inputs, kind, words", [
    ([], ValueError, r"list of 1 arrays or Tensors, for \['x'\], but received 0"),
    ([ones(1, 4)] * 2, ValueError, "received 2"), (ones(1, 4), ValueError, "received ndarray"),
    (["x"], TypeError, "input 'x': expected an array or a Tensor, but received str"),
    ([ones(1, 4, dtype="int32")], TypeError, "expected float32, but received int32"),
    ([paddle.ones([4])], ValueError, "expected 2 dimensions"),
])  # fmt: skip
def test_lists_that_do_not_fit(linear, inputs, kind, words):
    with pytest.raises(kind, match=words):
        linear.run(inputs)
    assert linear.run([ones(1, 4)])[0].shape == (1, 2)


def test_sizes_that_the_model_cannot_take(linear):
    x = linear.get_input_handle("x")
    x.copy_from_cpu(ones(2, 5))
    with pytest.raises(ValueError, match=r"'x' is stated as \[-1, 4\], and \[2, 5\] came"):
        linear.run()
    with pytest.raises(ValueError, match=r"\[2, 5\] came"):
        linear.run([ones(2, 5)])
    x.copy_from_cpu(ones(2, 4))
    linear.run()


def test_other_sizes_than_stated_run_where_the_model_can(tmp_path):
    net = paddle.nn.Conv2D(1, 2, 3)
    spec = [paddle.static.InputSpec([1, 1, 8, 8], "float32", "x")]
    paddle.jit.save(net, str(tmp_path / "net"), input_spec=spec)
    x = np.random.RandomState(0).rand(3, 1, 10, 9).astype("float32")
    [found] = create_predictor(config_of(tmp_path, "net")).run([x])
    np.testing.assert_allclose(found, net(paddle.to_tensor(x)).numpy(), rtol=1e-5, atol=1e-6)


def test_inputs_that_were_not_set_are_named(models):
    predictor = create_predictor(config_of(models, "two"))
    predictor.get_input_handle("ids").copy_from_cpu(ones(1, 5, dtype="int64"))
    with pytest.raises(RuntimeError, match=r"input 'x' was not set\.\n.*get_input_handle\('x'\)"):
        predictor.run()
    predictor.get_input_handle("x").copy_from_cpu(ones(1, 4))
    predictor.run()


def test_an_index_out_of_range_leaves_the_predictor_usable(models):
    predictor = create_predictor(config_of(models, "two"))
    with pytest.raises(FrameworkError):
        predictor.run([ones(1, 5, dtype="int64") * 99, ones(1, 4)])
    assert predictor.run([ones(1, 5, dtype="int64"), ones(1, 4)])[0].shape == (1, 3)


def test_an_output_takes_nothing(linear):
    out = linear.get_output_handle(linear.get_output_names()[0])
    with pytest.raises(RuntimeError, match="is an output"):
        out.copy_from_cpu(ones(1, 2))
    with pytest.raises(RuntimeError, match=r"x.*was not set"):
        linear.get_input_handle("x").copy_to_cpu()
