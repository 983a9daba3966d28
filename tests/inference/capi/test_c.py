"""The C interface by ctypes: switches, tensors, and what wrong calls say; none ends the process."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_bool, c_char_p, c_float, c_int, c_size_t, c_uint64, c_void_p
from pathlib import Path

import numpy as np
import pytest

import paddle

FLOAT32, INT32, INT64, UINT8 = range(4)


class Buffer(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("length", c_size_t), ("capacity", c_size_t)]


class ZeroCopyTensor(ctypes.Structure):
    _fields_ = [
        ("data", Buffer),
        ("shape", Buffer),
        ("lod", Buffer),
        ("dtype", c_int),
        ("name", c_char_p),
    ]


_RESULTS = {
    c_void_p: ["PD_NewAnalysisConfig", "PD_NewPredictor", "PD_ClonePredictor"],
    c_char_p: [
        *("PD_GetLastError", "PD_ModelDir", "PD_ProgFile", "PD_ParamsFile"),
        *("PD_GetInputName", "PD_GetOutputName"),
    ],
    c_float: ["PD_FractionOfGpuMemoryForPool"],
    POINTER(ZeroCopyTensor): ["PD_NewZeroCopyTensor"],
    c_bool: [
        *("PD_ModelFromMemory", "PD_SpecifyInputName", "PD_UseFeedFetchOpsEnabled", "PD_UseGpu"),
        *("PD_CudnnEnabled", "PD_IrOptim", "PD_MemoryOptimEnabled", "PD_TensorrtEngineEnabled"),
        *("PD_MkldnnEnabled", "PD_MkldnnQuantizerEnabled", "PD_MkldnnBfloat16Enabled"),
        *("PD_ProfileEnabled", "PD_IsValid"),
    ],
}


@pytest.fixture(scope="session")
def api(library):
    api = ctypes.CDLL(str(library))
    for result, names in _RESULTS.items():
        for name in names:
            getattr(api, name).restype = result
    return api


@pytest.fixture
def config(api):
    config = c_void_p(api.PD_NewAnalysisConfig())
    yield config
    api.PD_DeleteAnalysisConfig(config)


@pytest.fixture
def predictor(api, config, mixed):
    api.PD_SetModel(config, mixed.prog.encode(), mixed.params.encode())
    predictor = c_void_p(api.PD_NewPredictor(config))
    assert predictor, api.PD_GetLastError()
    yield predictor
    api.PD_DeletePredictor(predictor)


def _failed(api, capfd, call, *args) -> str:
    """Calls what has to fail and returns what it said, on stderr and by PD_GetLastError."""
    api.PD_ClearLastError()
    call(*args)
    text = api.PD_GetLastError().decode()
    assert text and text in capfd.readouterr().err
    return text


def _tensor(name: str, array: np.ndarray, dtype: int, offsets: np.ndarray | None = None):
    """A tensor over an array; what it points to is kept in `kept`."""
    shape = np.array(array.shape, "int32")
    tensor = ZeroCopyTensor(dtype=dtype, name=name.encode())
    tensor.kept = array, shape, offsets
    for buffer, part in ((tensor.data, array), (tensor.shape, shape), (tensor.lod, offsets)):
        if part is not None:
            buffer.data, buffer.length, buffer.capacity = part.ctypes.data, part.nbytes, part.nbytes
    return tensor


def _array(tensor: ZeroCopyTensor) -> np.ndarray:
    """A copy of what a tensor of the library holds."""
    dtype = {FLOAT32: "float32", INT32: "int32", INT64: "int64", UINT8: "uint8"}[tensor.dtype]
    shape = np.frombuffer(ctypes.string_at(tensor.shape.data, tensor.shape.length), "int32")
    data = ctypes.string_at(tensor.data.data, tensor.data.length)
    return np.frombuffer(data, dtype).reshape(shape)


def _inputs(rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.RandomState(3)
    return rng.randn(rows, 4).astype("float32"), rng.randint(0, 10, rows)


def _run(api, predictor, x: np.ndarray, ids: np.ndarray) -> None:
    api.PD_SetZeroCopyInput(predictor, ctypes.byref(_tensor("x", x, FLOAT32)))
    api.PD_SetZeroCopyInput(predictor, ctypes.byref(_tensor("ids", ids, INT64)))
    api.PD_ZeroCopyRun(predictor)


def _output(api, predictor, number: int) -> ZeroCopyTensor:
    tensor = ZeroCopyTensor(name=api.PD_GetOutputName(predictor, number))
    api.PD_GetZeroCopyOutput(predictor, ctypes.byref(tensor))
    return tensor


# ------------------------------------------------------------------------------- configurations


def test_the_files_of_a_model_are_set_and_asked(api, config):
    api.PD_SetModel(config, b"folder", None)
    assert api.PD_ModelDir(config) == b"folder"
    api.PD_SetModel(config, "ordner/modäll".encode(), b"folder/params")
    assert api.PD_ProgFile(config).decode() == "ordner/modäll"
    assert api.PD_ParamsFile(config) == b"folder/params"
    api.PD_SetProgFile(config, b"p")
    api.PD_SetParamsFile(config, b"q")
    assert (api.PD_ProgFile(config), api.PD_ParamsFile(config)) == (b"p", b"q")
    assert not api.PD_ModelFromMemory(config)


@pytest.mark.parametrize(
    ("setter", "question"),
    [
        ("PD_SwitchIrOptim", "PD_IrOptim"),
        ("PD_SwitchSpecifyInputNames", "PD_SpecifyInputName"),
        ("PD_SwitchUseFeedFetchOps", "PD_UseFeedFetchOpsEnabled"),
    ],
)
def test_switches_go_on_and_off(api, config, setter, question):
    for x in (True, False, True):
        getattr(api, setter)(config, c_bool(x))
        assert getattr(api, question)(config) is x


@pytest.mark.parametrize(
    ("switch", "question"),
    [
        ("PD_EnableMKLDNN", "PD_MkldnnEnabled"),
        ("PD_EnableMkldnnQuantizer", "PD_MkldnnQuantizerEnabled"),
        ("PD_EnableMemoryOptim", "PD_MemoryOptimEnabled"),
        ("PD_EnableProfile", "PD_ProfileEnabled"),
    ],
)
def test_what_is_enabled_says_so(api, config, switch, question):
    getattr(api, switch)(config)
    assert getattr(api, question)(config) is True


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_a_machine_lacks_is_switched_without_harm(api, config):
    api.PD_EnableTensorRtEngine(config, 1 << 20, 1, 3, 0, c_bool(False), c_bool(False))
    assert api.PD_TensorrtEngineEnabled(config) is False
    api.PD_EnableUseGpu(config, c_uint64(100), 0)
    api.PD_EnableCUDNN(config)
    api.PD_DisableGpu(config)
    assert not api.PD_UseGpu(config) and not api.PD_CudnnEnabled(config)
    assert api.PD_GpuDeviceId(config) == 0
    assert api.PD_FractionOfGpuMemoryForPool(config) >= 0
    assert api.PD_IsValid(config) is True
    api.PD_SetInValid(config)
    assert api.PD_IsValid(config) is False


# ------------------------------------------------------------------------------------ predictors


def test_inputs_and_outputs_are_copied(api, predictor, mixed):
    assert (api.PD_GetInputNum(predictor), api.PD_GetOutputNum(predictor)) == (2, 3)
    assert [api.PD_GetInputName(predictor, n) for n in (0, 1)] == [b"x", b"ids"]
    x, ids = _inputs(6)
    _run(api, predictor, x, ids)
    sums, doubled = _output(api, predictor, 0), _output(api, predictor, 1)
    expected = mixed.net(paddle.to_tensor(x), paddle.to_tensor(ids))[0].numpy()
    np.testing.assert_allclose(_array(sums), expected, rtol=1e-5, atol=1e-6)
    assert doubled.dtype == INT64 and sums.lod.length == 0
    np.testing.assert_array_equal(_array(doubled), ids * 2)
    for tensor in (sums, doubled):
        api.PD_DestroyZeroCopyTensor(ctypes.byref(tensor))
        assert tensor.data.data is None and tensor.shape.capacity == 0


def test_the_buffers_of_an_output_are_used_again(api, predictor):
    x, ids = _inputs(6)
    _run(api, predictor, x, ids)
    tensor = _output(api, predictor, 0)
    first, room = tensor.data.data, tensor.data.capacity
    _run(api, predictor, x[:2], ids[:2])
    api.PD_GetZeroCopyOutput(predictor, ctypes.byref(tensor))
    assert (tensor.data.data, tensor.data.capacity, tensor.data.length) == (first, room, 40)
    assert _array(tensor).shape == (2, 5)
    _run(api, predictor, *_inputs(7))
    api.PD_GetZeroCopyOutput(predictor, ctypes.byref(tensor))
    assert tensor.data.length == tensor.data.capacity == 140
    api.PD_DestroyZeroCopyTensor(ctypes.byref(tensor))


def test_a_clone_outlives_its_origin(api, config, mixed):
    api.PD_SetModel(config, mixed.prog.encode(), mixed.params.encode())
    origin = c_void_p(api.PD_NewPredictor(config))
    clone = c_void_p(api.PD_ClonePredictor(origin))
    api.PD_DeletePredictor(origin)
    x, ids = _inputs(3)
    _run(api, clone, x, ids)
    tensor = _output(api, clone, 1)
    np.testing.assert_array_equal(_array(tensor), ids * 2)
    api.PD_DestroyZeroCopyTensor(ctypes.byref(tensor))
    api.PD_DeletePredictor(clone)


def test_a_model_in_memory(api, config, mixed):
    prog, params = (Path(path).read_bytes() for path in (mixed.prog, mixed.params))
    sizes = c_size_t(len(prog)), c_size_t(len(params))
    api.PD_SetModelBuffer(config, prog, sizes[0], params, sizes[1])
    assert api.PD_ModelFromMemory(config)
    predictor = c_void_p(api.PD_NewPredictor(config))
    assert api.PD_GetInputNum(predictor) == 2
    api.PD_DeletePredictor(predictor)


def test_offsets_of_one_level_are_taken(api, config, sequences, capfd):
    api.PD_SetModel(config, sequences.prog.encode(), sequences.params.encode())
    predictor = c_void_p(api.PD_NewPredictor(config))
    x = np.array([[1.0], [-2.0], [3.0]], "float32")
    tensor = _tensor("x", x, FLOAT32, np.array([0, 1, 3], "uint64"))
    api.PD_SetZeroCopyInput(predictor, ctypes.byref(tensor))
    api.PD_ZeroCopyRun(predictor)
    output = _output(api, predictor, 0)
    np.testing.assert_array_equal(_array(output), np.maximum(x, 0))
    offsets = ctypes.string_at(output.lod.data, output.lod.length)
    assert np.frombuffer(offsets, "uint64").tolist() == [0, 1, 3]
    api.PD_DestroyZeroCopyTensor(ctypes.byref(output))

    tensor = _tensor("x", x, FLOAT32, np.array([0, 2], "uint64"))
    api.PD_SetZeroCopyInput(predictor, ctypes.byref(tensor))
    assert "offsets" in _failed(api, capfd, api.PD_ZeroCopyRun, predictor)
    api.PD_DeletePredictor(predictor)


def test_a_tensor_of_the_library_begins_empty(api):
    tensor = api.PD_NewZeroCopyTensor()
    held = tensor.contents
    assert (held.data.data, held.shape.length, held.lod.capacity) == (None, 0, 0)
    assert (held.dtype, held.name) == (FLOAT32, None)
    api.PD_DeleteZeroCopyTensor(tensor)


# ------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize("function", [
    "PD_SetModel", "PD_DisableGpu", "PD_ModelDir", "PD_IrOptim", "PD_DeletePass", "PD_NewPredictor",
    "PD_GetInputNum", "PD_GetOutputName", "PD_SetZeroCopyInput", "PD_GetZeroCopyOutput",
    "PD_ZeroCopyRun", "PD_ClonePredictor",
])  # fmt: skip
def test_null_is_an_error(api, capfd, function):
    said = _failed(api, capfd, getattr(api, function), None, None, None)
    assert said.startswith(f"{function}: ") and "is NULL" in said


def test_deleting_null_does_nothing(api):
    api.PD_ClearLastError()
    for what in ("AnalysisConfig", "Predictor", "ZeroCopyTensor"):
        getattr(api, f"PD_Delete{what}")(None)
    api.PD_InitZeroCopyTensor(None)
    api.PD_DestroyZeroCopyTensor(None)
    assert api.PD_GetLastError() == b""


def test_a_model_that_is_not_there(api, config, mixed, capfd):
    said = _failed(api, capfd, api.PD_NewPredictor, config)
    assert "names no model" in said
    api.PD_SetModel(config, mixed.prog.encode(), b"/no/such/params")
    assert "'/no/such/params'" in _failed(api, capfd, api.PD_NewPredictor, config)
    assert api.PD_NewPredictor(config) is None
    api.PD_SetModel(config, mixed.prog.encode(), mixed.params.encode())
    predictor = c_void_p(api.PD_NewPredictor(config))
    assert predictor
    api.PD_DeletePredictor(predictor)


def test_wrong_inputs_say_what_is_wrong(api, predictor, capfd):
    x, ids = _inputs(4)
    _run(api, predictor, x, ids)

    def said(tensor: ZeroCopyTensor) -> str:
        return _failed(api, capfd, api.PD_SetZeroCopyInput, predictor, ctypes.byref(tensor))

    assert "no input of that name" in said(_tensor("y", x, FLOAT32))
    assert "expected int64" in said(_tensor("ids", ids.astype("int32"), INT32))
    assert "expected dtype PD_FLOAT32" in said(_tensor("x", x, 4))
    assert "expected 2 dimensions" in said(_tensor("x", x[0].copy(), FLOAT32))
    unnamed = _tensor("x", x, FLOAT32)
    unnamed.name = None
    assert "name is NULL" in said(unnamed)
    short = _tensor("x", x, FLOAT32)
    short.data.length -= 1
    assert "has 63 bytes, but its shape needs 64" in said(short)
    nowhere = _tensor("x", x, FLOAT32)
    nowhere.data.data = None
    assert "is NULL" in said(nowhere)
    negative = _tensor("x", x, FLOAT32)
    negative.kept[1][0] = -4
    assert "negative" in said(negative)
    odd = _tensor("x", x, FLOAT32)
    odd.shape.length = 7
    assert "shape has 7 bytes" in said(odd)

    _run(api, predictor, x, ids)  # the predictor is of use still
    tensor = _output(api, predictor, 1)
    np.testing.assert_array_equal(_array(tensor), ids * 2)
    api.PD_DestroyZeroCopyTensor(ctypes.byref(tensor))


def test_a_run_before_inputs_are_set(api, predictor, capfd):
    assert "was not set" in _failed(api, capfd, api.PD_ZeroCopyRun, predictor)
    assert "holds nothing yet" in _failed(api, capfd, _output, api, predictor, 0)
    said = _failed(api, capfd, api.PD_GetInputName, predictor, 2)
    assert "an input below 2, but got 2" in said
    assert "below 3, but got -1" in _failed(api, capfd, api.PD_GetOutputName, predictor, -1)


def test_an_output_of_another_type_is_told_of(api, predictor, capfd):
    _run(api, predictor, *_inputs(2))
    said = _failed(api, capfd, _output, api, predictor, 2)  # bool
    assert "no PD_DataType" in said


# --------------------------------------------------------------------- what later releases have


def test_the_interface_of_later_releases(compiled, mixed):
    later = ctypes.CDLL(str(compiled("later.c", shared=True, standard="c99"))).later
    x, ids = _inputs(5)
    out = np.zeros([5, 5], "float32")
    files = mixed.prog.encode(), mixed.params.encode()
    pointers = [c_void_p(array.ctypes.data) for array in (x, ids, out)]
    line = later(*files, *pointers[:2], 5, pointers[2])
    assert line == 0, f"later.c, line {line}"
    expected = mixed.net(paddle.to_tensor(x), paddle.to_tensor(ids))[0].numpy()
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-6)
