"""The names of 1.8: PaddleTensors, NativeConfig, handles without copies."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.fluid import core
from paddle.inference import Config, DataType, PlaceType, legacy, native_config, pass_builder
from tests.api.test_docstrings import examples
from tests.inference.conftest import config_of, ones
from tests.inference.deployed import INDEX, read_deployed

IDS = np.arange(10, dtype="int64").reshape(2, 5)


def test_the_paths_of_1_8():
    assert core.AnalysisConfig is Config and core.PaddleDType is DataType
    assert (
        core.PaddlePlace is PlaceType and core.create_predictor is paddle.inference.create_predictor
    )
    assert core.PaddleTensor is legacy.PaddleTensor
    assert core.PaddlePassBuilder is pass_builder.PassBuilder
    assert core.ZeroCopyTensor is paddle.inference.Tensor
    assert core.NativeConfig is native_config.NativeConfig
    for name in ("PaddlePredictor", "NativePaddlePredictor", "AnalysisPredictor"):
        assert issubclass(getattr(core, name), paddle.inference.Predictor)
    assert core.AnalysisConfig.Precision.Half.name == "Half"
    assert core.AnalysisConfig.Precision.Half is core.AnalysisConfig.Half


def test_zero_copy(models):
    config = config_of(models, "linear")
    config.switch_use_feed_fetch_ops(False)
    config.switch_specify_input_names(True)
    predictor = core.create_paddle_predictor(config)
    x = predictor.get_input_tensor("x")
    x.copy_from_cpu(ones(2, 4))
    assert predictor.zero_copy_run() is True
    out = predictor.get_output_tensor(predictor.get_output_names()[0])
    expected = paddle.jit.load(str(models / "linear"))(paddle.ones([2, 4])).numpy()
    np.testing.assert_allclose(out.copy_to_cpu(), expected, rtol=1e-6)
    clone = predictor.clone()
    assert type(clone) is type(predictor)
    [found] = clone.run([core.PaddleTensor(ones(2, 4), "x")])
    np.testing.assert_allclose(found.as_ndarray(), expected, rtol=1e-6)


def test_paddle_tensors_by_order_and_by_name(models):
    ids, x = core.PaddleTensor(IDS, "ids"), core.PaddleTensor(ones(2, 4), "x")
    first = core.create_paddle_predictor(config_of(models, "two")).run([ids, x])
    config = config_of(models, "two")
    config.switch_specify_input_names()
    predictor = core.create_paddle_predictor(config)
    second = predictor.run([x, ids])
    assert [t.name for t in second] == predictor.get_output_names()
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a.as_ndarray(), b.as_ndarray())
    assert [t.dtype for t in first] == [DataType.FLOAT32, DataType.INT64]
    with pytest.raises(ValueError, match=r"expected PaddleTensors named \['ids', 'x'\]"):
        predictor.run([x, core.PaddleTensor(IDS, "other")])
    with pytest.raises(ValueError, match="list of 2 arrays"):
        core.create_paddle_predictor(config_of(models, "two")).run([ids])
    with pytest.raises(NotImplementedError, match="switch_ir_debug"):
        predictor.get_serialized_program()


def test_levels_of_sequences_go_in_and_come_out(tmp_path):
    name = "1.8.5/" + next(n for n in INDEX["1.8.5"] if _has_levels(f"1.8.5/{n}"))
    case = read_deployed(name)
    predictor = core.create_paddle_predictor(Config(*case.paths(tmp_path)))
    for inputs, expected in case.rounds():
        given = [core.PaddleTensor(v.array, n, v.levels) for n, v in inputs.items()]
        found = predictor.run(given)
        assert [t.lod for t in found] == [v.levels for v in expected]
        for got, wanted in zip(found, expected, strict=True):
            np.testing.assert_allclose(got.as_ndarray(), wanted.array, rtol=1e-4, atol=1e-5)
    given[0].lod = [[0, 1]]
    with pytest.raises(ValueError, match=r"level 0 ends at 1, but there are 2 rows"):
        predictor.run(given)


def _has_levels(name):
    inputs, outputs = read_deployed(name).rounds()[0]
    values = [*inputs.values(), *outputs]
    return all(any(v.levels for v in part) for part in (inputs.values(), outputs)) and all(
        v.array.dtype.kind in "fi" for v in values
    )


def test_a_native_config(models):
    native = core.NativeConfig()
    native.prog_file = str(models / "linear.pdmodel")
    native.param_file = str(models / "linear.pdiparams")
    native.set_cpu_math_library_num_threads(1)
    [out] = core.create_paddle_predictor(native).run([core.PaddleTensor(ones(1, 4))])
    assert out.shape == [1, 2]
    config = legacy.config_of(native)
    assert not config.ir_optim() and config.cpu_math_library_num_threads() == 1
    back = config_of(models, "linear").to_native_config()
    assert (back.model_dir, back.prog_file) == ("", str(models / "linear.pdmodel"))
    native = core.NativeConfig()
    native.model_dir = str(models / "linear")
    assert core.NativePaddlePredictor(native).get_input_names() == ["x"]


def test_a_buffer():
    buf = core.PaddleBuf([1.0, 2.0])
    assert buf.length() == 8 and not buf.empty() and buf.tolist("float32") == [1.0, 2.0]
    buf.reset(np.array([3, 4], "int64"))
    assert buf.int64_data() == [3, 4] and buf.length() == 16
    assert buf.int32_data() == [3, 0, 4, 0]
    buf.resize(4)
    assert buf.length() == 4 and buf.float_data() == [0.0]
    assert core.PaddleBuf(0).empty()
    with pytest.raises(ValueError, match="expected int32, int64 or float32"):
        buf.tolist("int8")


def test_a_paddle_tensor():
    given = ones(2, 3)
    shared, copied = core.PaddleTensor(given, copy=False), core.PaddleTensor(given, "x", [[0, 2]])
    given[:] = 5
    assert shared.as_ndarray()[0, 0] == 5 and copied.as_ndarray()[0, 0] == 1
    assert copied.lod == [[0, 2]] and copied.name == "x" and copied.shape == [2, 3]
    empty = core.PaddleTensor()
    empty.shape, empty.dtype = [2], DataType.INT64
    empty.data = core.PaddleBuf(np.array([1, 2], "int64"))
    np.testing.assert_array_equal(empty.as_ndarray(), [1, 2])
    empty.shape = [3]
    with pytest.raises(ValueError, match="needs 3 numbers of type int64, but there are 2"):
        empty.as_ndarray()
    with pytest.raises(TypeError, match=r"expected a numpy.ndarray, but received list"):
        core.PaddleTensor([1.0])
    with pytest.raises(TypeError, match="no PaddleDType for complex64"):
        core.PaddleTensor(np.zeros(2, "complex64"))


PUBLIC = [legacy.PaddleBuf, legacy.PaddleTensor, legacy.AnalysisPredictor,
          legacy.create_paddle_predictor, native_config.NativeConfig, pass_builder.PassBuilder,
          paddle.inference.quantizing.QuantizerConfig]  # fmt: skip


@pytest.mark.parametrize("subject", PUBLIC, ids=lambda subject: subject.__name__)
def test_examples_run(subject, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    [source] = examples(subject.__doc__)
    exec(compile(source, f"<example of {subject.__name__}>", "exec"), {})
    shown = [line.split("  # ")[1] for line in source.splitlines() if "  # " in line]
    assert capsys.readouterr().out.splitlines() == shown
