"""Handles: copies, shared memory, shapes, levels, types."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import paddle
from paddle.inference import DataType, create_predictor, get_num_bytes_of_data_type
from paddle.inference.kinds import PlaceType, PrecisionType
from tests.inference.conftest import config_of, ones


def output(predictor):
    return predictor.get_output_handle(predictor.get_output_names()[0])


def run(predictor):
    predictor.run()
    return output(predictor).copy_to_cpu()


@pytest.fixture
def x(linear):
    return linear.get_input_handle("x")


RANDOM = np.random.RandomState(3).rand(6, 4).astype("float32")


@pytest.mark.parametrize("given", [
    RANDOM, RANDOM[::2], RANDOM[::-1], np.asfortranarray(RANDOM), RANDOM.T.copy().T,
    np.concatenate([RANDOM, RANDOM], 1)[:, 2:6], RANDOM.astype(">f4"),
], ids=["plain", "steps", "back", "fortran", "transposed", "columns", "big-endian"])  # fmt: skip
def test_any_array_is_copied_as_it_reads(linear, x, given):
    read_only = given.copy()
    read_only.flags.writeable = False
    expected = linear.run([np.ascontiguousarray(given, "float32")])[0]
    for array in (given, read_only):
        x.copy_from_cpu(array)
        np.testing.assert_allclose(run(linear), expected, rtol=1e-6)


def test_a_copy_is_a_copy(linear, x):
    given = RANDOM.copy()
    x.copy_from_cpu(given)
    before = run(linear)
    given[:] = 0
    np.testing.assert_array_equal(run(linear), before)
    out = output(linear)
    taken = out.copy_to_cpu()
    taken[:] = 7
    np.testing.assert_array_equal(out.copy_to_cpu(), before)


@pytest.mark.parametrize("read_only", [False, True])
def test_shared_memory_is_read_in_place(linear, x, read_only):
    given = RANDOM.copy()
    given.flags.writeable = not read_only
    x.share_external_data(given)
    assert x.buffer.data_ptr() == given.ctypes.data
    before = run(linear)
    given.flags.writeable = True
    given *= 2
    after = run(linear)
    assert np.abs(after - before).max() > 1e-3
    np.testing.assert_array_equal(given, RANDOM * 2)


def test_shared_memory_of_a_tensor(linear, x):
    tensor = paddle.to_tensor(RANDOM)
    x.share_external_data(tensor)
    assert x.buffer.data_ptr() == tensor._buf.data_ptr()
    np.testing.assert_allclose(run(linear), linear.run([RANDOM])[0])


def test_shared_memory_is_kept_alive(linear, x):
    class Array(np.ndarray):
        """An array that can be weakly referred to."""

    given = RANDOM.copy().view(Array)
    there, expected = weakref.ref(given), linear.run([RANDOM])[0]
    x.share_external_data(given)
    del given
    gc.collect()
    assert there() is not None
    np.testing.assert_allclose(run(linear), expected)
    x.copy_from_cpu(RANDOM)
    gc.collect()
    assert there() is None


@pytest.mark.parametrize("given, words", [
    (RANDOM[::-1], "steps .* cannot be shared"), (RANDOM.astype(">f4"), "byte order"),
    (np.array([["a"]]), "cannot be shared"),
])  # fmt: skip
def test_memory_that_cannot_be_shared(x, given, words):
    with pytest.raises(ValueError, match=words):
        x.share_external_data(given)


def test_shapes(linear, x):
    assert x.shape() == [0] and x.name() == "x"
    x.reshape([2, 4])
    assert x.shape() == [2, 4]
    with pytest.raises(RuntimeError, match=r"reshape\(\[2, 4\]\) alone sets no contents"):
        linear.run()
    x.copy_from_cpu(RANDOM[:1])
    assert x.shape() == [1, 4]
    x.copy_from_cpu(RANDOM)
    x.reshape(np.array([6, 4]))
    assert run(linear).shape == (6, 2)
    x.reshape([1, 24])
    assert x.shape() == [1, 24]
    x.reshape([5, 4])
    assert x.shape() == [5, 4] and x.buffer is None
    with pytest.raises(ValueError, match="not negative"):
        x.reshape([-1, 4])
    with pytest.raises(NotImplementedError, match="list of texts"):
        x.reshape(3)


def test_types(models):
    predictor = create_predictor(config_of(models, "two"))
    ids = predictor.get_input_handle("ids")
    assert ids.type() is DataType.INT64
    ids.copy_from_cpu(ones(2, 5, dtype="int64"))
    predictor.get_input_handle("x").copy_from_cpu(ones(2, 4))
    predictor.run()
    kinds = [predictor.get_output_handle(n).type() for n in predictor.get_output_names()]
    assert kinds == [DataType.FLOAT32, DataType.INT64]


def test_codes_print_as_paddlepaddles():
    assert str(DataType.INT32) == f"{DataType.INT32}" == "DataType.INT32"
    assert {k.name: int(k) for k in DataType if k < 5} == {
        "FLOAT32": 0, "INT64": 1, "INT32": 2, "UINT8": 3, "INT8": 4,
    }  # fmt: skip
    assert [int(k) for k in (PlaceType.UNK, PlaceType.CPU, PlaceType.GPU, PlaceType.XPU)] == [
        -1, 0, 1, 2,
    ]  # fmt: skip
    assert [int(PrecisionType[n]) for n in ("Float32", "Int8", "Half")] == [0, 1, 2]
    sizes = {k: get_num_bytes_of_data_type(k) for k in DataType}
    assert sizes[DataType.FLOAT32] == 4 and sizes[DataType.INT64] == 8 and sizes[DataType.BOOL] == 1
    assert sizes[DataType.BFLOAT16] == sizes[DataType.FLOAT16] == 2
    with pytest.raises(ValueError, match=r"expected a paddle.inference.DataType"):
        get_num_bytes_of_data_type("float32")


def test_versions():
    assert paddle.inference.get_version().startswith("version: 2.0")
    assert paddle.inference.get_trt_compile_version() == (0, 0, 0)
    assert paddle.inference.get_trt_runtime_version() == (0, 0, 0)


# -- levels ---------------------------------------------------------------------------------------


def test_levels_are_kept_and_checked(linear, x):
    x.set_lod([[0, 2, 6]])
    x.copy_from_cpu(RANDOM)
    assert x.lod() == [[0, 2, 6]] and run(linear).shape == (6, 2)
    x.set_lod(np.array([[0, 1, 2], [0, 3, 6]]))
    run(linear)
    for bad, words in (([[0, 2, 5]], r"end at 5, but they split 6 rows"),
                       ([[0, 3], [0, 3, 6]], "level 0 ends at 3, but there are 2")):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            x.set_lod(bad)
            linear.run()
    with pytest.raises(ValueError, match="start with 0"):
        x.set_lod([[1, 6]])
    x.set_lod([])
    assert run(linear).shape == (6, 2) and x.lod() == []


def test_an_array_of_bfloat16(tmp_path):
    class Cast(paddle.nn.Layer):
        def forward(self, value):
            return value.astype("float32") * 2, value

    spec = [paddle.static.InputSpec([None], "bfloat16", "value")]
    paddle.jit.save(Cast(), str(tmp_path / "cast"), input_spec=spec)
    predictor = create_predictor(config_of(tmp_path, "cast"))
    bits = np.array([0x3F80, 0x4000], "uint16")  # 1, 2
    value = predictor.get_input_handle("value")
    for give in (value.copy_from_cpu, value.share_external_data):
        give(bits)
        predictor.run()
        first, second = (predictor.get_output_handle(n) for n in predictor.get_output_names())
        np.testing.assert_array_equal(first.copy_to_cpu(), [2, 4])
        assert value.type() is DataType.BFLOAT16
        np.testing.assert_array_equal(second.copy_to_cpu(), bits)
