"""ONNX Runtime as the engine of a Predictor."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest

import paddle
from paddle.inference import DataType, create_predictor
from paddle.inference.capi import bridge
from tests.inference.conftest import config_of, ones

IDS = np.arange(10, dtype="int64").reshape(2, 5)


@pytest.fixture
def config(models):
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    made = config_of(models, "lenet")
    made.enable_onnxruntime()
    return made


def test_it_gives_what_the_model_gives(config, models):
    assert "onnxruntime 1." in config.summary()
    config.enable_ort_optimization()
    predictor, own = create_predictor(config), create_predictor(config_of(models, "lenet"))
    for batch in (1, 3):  # sizes are open
        x = np.random.RandomState(batch).rand(batch, 1, 28, 28).astype("float32")
        predictor.get_input_handle("x").copy_from_cpu(x)
        predictor.run()
        name = predictor.get_output_names()[0]
        assert predictor.get_output_names() == own.get_output_names()
        found = predictor.get_output_handle(name).copy_to_cpu()
        np.testing.assert_allclose(found, own.run([x])[0], rtol=1e-4, atol=1e-5)


def test_several_inputs_and_types(models, config):
    predictor = config_of(models, "two")
    predictor.enable_onnxruntime()
    predictor.switch_ir_optim(False)
    predictor = create_predictor(predictor)
    own = create_predictor(config_of(models, "two"))
    found, expected = predictor.run([IDS, ones(2, 4)]), own.run([IDS, ones(2, 4)])
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-5)
    np.testing.assert_array_equal(found[1], expected[1])


def test_clones_share_the_session(config):
    first = create_predictor(config)
    clones = [first.clone() for _ in range(2)]
    x = np.random.RandomState(0).rand(2, 1, 28, 28).astype("float32")
    expected, found = first.run([x])[0], []

    def work(predictor):
        found.extend(predictor.run([x])[0] for _ in range(10))

    workers = [threading.Thread(target=work, args=(clone,)) for clone in clones]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 20 and all(np.array_equal(f, expected) for f in found)
    assert clones[0]._shared.engine.session is first._shared.engine.session


def test_bad_sizes_leave_it_usable(config):
    predictor = create_predictor(config)
    with pytest.raises(ValueError, match=r"ONNX Runtime(.|\n)*\[1, 1, 28, 27\] came"):
        predictor.run([ones(1, 1, 28, 27)])
    with pytest.raises(TypeError, match="expected float32"):
        predictor.run([ones(1, 1, 28, 28, dtype="float64")])
    assert predictor.run([ones(1, 1, 28, 28)])[0].shape == (1, 10)
    assert predictor.try_shrink_memory() == 0


def test_without_the_package(models, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    config = config_of(models, "linear")
    config.enable_onnxruntime()
    assert "onnxruntime: not installed" in config.summary()
    with pytest.raises(RuntimeError, match=r"pip install onnx onnxruntime"):
        create_predictor(config)
    config.disable_onnxruntime()
    create_predictor(config)


def test_its_handles(config):
    predictor = create_predictor(config)
    x, [name] = predictor.get_input_handle("x"), predictor.get_output_names()
    out = predictor.get_output_handle(name)
    assert x.shape() == [0] and x.type() is DataType.FLOAT32 and x.lod() == []
    given = np.random.RandomState(1).rand(2, 1, 28, 28).astype("float32")
    for value in (given, given[::-1][::-1], np.asfortranarray(given), given.astype(">f4")):
        x.copy_from_cpu(value)
        predictor.run()
        np.testing.assert_allclose(out.copy_to_cpu(), predictor.run([given])[0], rtol=1e-5)
    assert out.type() is DataType.FLOAT32 and out.shape() == [2, 10]
    x.copy_from_cpu(given)
    first = predictor.run([given])[0]
    given *= 2
    predictor.run()
    np.testing.assert_allclose(out.copy_to_cpu(), first, rtol=1e-5)  # it was a copy
    x.share_external_data(given)
    assert np.shares_memory(x.buffer, given)
    x.share_external_data(paddle.to_tensor(given))
    predictor.run()
    assert np.abs(out.copy_to_cpu() - first).max() > 1e-3
    x.reshape([1, 1, 56, 28])
    assert x.shape() == [1, 1, 56, 28]
    x.reshape([1, 1, 28, 28])
    assert x.buffer is None
    for value, words in ((ones(1, 1, 28, 28, dtype="int64"), "expected float32"),
                         (ones(1, 28), "expected 4 dimensions"), ([1], "a numpy")):  # fmt: skip
        with pytest.raises((TypeError, ValueError), match=words):
            x.copy_from_cpu(value)
    with pytest.raises(RuntimeError, match="alone sets no contents"):
        predictor.run()
    x.set_lod([])
    with pytest.raises(NotImplementedError, match="no levels"):
        x.set_lod([[0, 1]])
    with pytest.raises(RuntimeError, match="is an output"):
        out.copy_from_cpu(ones(2, 10))


def test_its_handles_serve_the_c_library(config):
    predictor = create_predictor(config)
    x, [name] = predictor.get_input_handle("x"), predictor.get_output_names()
    x.reshape([1, 1, 28, 28])
    room = bridge.writable(x, int(DataType.FLOAT32))
    room[:] = 0.5
    predictor.run()
    out = predictor.get_output_handle(name)
    found = bridge.contents(out, int(DataType.FLOAT32))
    np.testing.assert_array_equal(found, out.copy_to_cpu())
    expected = predictor.run([ones(1, 1, 28, 28) * np.float32(0.5)])[0]
    np.testing.assert_array_equal(found, expected)


def test_its_profile_is_a_file(config, tmp_path):
    config.enable_profile()
    config.set_optim_cache_dir(str(tmp_path))
    predictor = create_predictor(config)
    predictor.run([ones(1, 1, 28, 28)])
    predictor._shared.engine.session.end_profiling()
    [file] = tmp_path.iterdir()
    assert file.name.startswith("onnxruntime_profile") and "Conv" in file.read_text()
