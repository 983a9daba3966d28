"""Places and the current device."""

from __future__ import annotations

import pickle

import pytest

import paddle
from paddle.core import place as places

without_gpu = pytest.mark.skipif(places.device_count() > 0, reason="there is a GPU")


@pytest.fixture(autouse=True)
def _device():
    before = paddle.get_device()
    yield
    paddle.set_device(before)


def test_printing_and_kinds():
    cpu, gpu = paddle.CPUPlace(), paddle.CUDAPlace(1)
    pinned, xpu = paddle.CUDAPinnedPlace(), paddle.XPUPlace(0)
    assert [repr(p) for p in (cpu, gpu, pinned, xpu)] == [
        "CPUPlace", "CUDAPlace(1)", "CUDAPinnedPlace", "XPUPlace(0)",
    ]  # fmt: skip
    assert cpu.is_cpu_place() and gpu.is_gpu_place() and pinned.is_cuda_pinned_place()
    assert xpu.is_xpu_place() and not cpu.is_gpu_place() and not pinned.is_cpu_place()
    assert gpu.get_device_id() == 1 and cpu.get_device_id() == 0


def test_equality():
    assert paddle.CUDAPlace(0) == paddle.CUDAPlace(0) != paddle.CUDAPlace(1)
    assert paddle.CPUPlace() == paddle.CPUPlace() != paddle.CUDAPinnedPlace()
    assert len({paddle.CPUPlace(), paddle.CPUPlace(), paddle.CUDAPlace(0)}) == 2
    assert paddle.CPUPlace() != "cpu"
    assert pickle.loads(pickle.dumps(paddle.CUDAPlace(2))) == paddle.CUDAPlace(2)


@pytest.mark.parametrize("name", ["cpu", "CPU", " cpu "])
def test_set_device(name):
    assert repr(paddle.set_device(name)) == "CPUPlace"
    assert paddle.get_device() == "cpu"
    assert repr(paddle.ones([1]).place) == "CPUPlace"


@pytest.mark.parametrize("wrong", ["", "tpu", "gpu:", "gpu:x", "cpu:0", "gpu:-1", "cuda:0"])
def test_unknown_devices(wrong):
    with pytest.raises(ValueError, match="expected 'cpu', 'gpu' or 'gpu:n', but received"):
        paddle.set_device(wrong)


def test_wrong_types():
    with pytest.raises(TypeError, match=r"set_device\(device\): expected a str, but received int"):
        paddle.set_device(0)
    for wrong in ("0", 1.0, None, True):
        with pytest.raises(
            TypeError, match=r"CUDAPlace\(dev_id\): expected an int.*" + type(wrong).__name__
        ):
            paddle.CUDAPlace(wrong)
    with pytest.raises(ValueError, match="at least 0, but received -1"):
        paddle.CUDAPlace(-1)


def test_xpu_is_refused():
    with pytest.raises(ValueError, match="no XPU kernels here"):
        paddle.set_device("xpu")
    with pytest.raises(RuntimeError, match="no XPU kernels here"):
        paddle.to_tensor(1, place=paddle.XPUPlace(0))


@without_gpu
def test_a_gpu_that_is_not_there():
    with pytest.raises(ValueError, match=r"(?s)'gpu:0'.*GPU below 0.*set_device\('cpu'\)"):
        paddle.set_device("gpu:0")
    with pytest.raises(ValueError, match="GPU below 0"):
        paddle.set_device("gpu")
    with pytest.raises(
        RuntimeError, match=r"(?s)CUDAPlace\(0\) was asked for, but 0 GPUs.*CPUPlace"
    ):
        paddle.ones([1]).cuda()
    assert paddle.get_device() == "cpu" and paddle.get_cudnn_version() is None


def test_is_compiled_with_cuda():
    assert paddle.is_compiled_with_cuda() in (True, False)


def test_other_devices_of_later_releases():
    assert paddle.is_compiled_with_npu() is False and paddle.device.is_compiled_with_npu() is False
    assert paddle.is_compiled_with_rocm() in (True, False)
