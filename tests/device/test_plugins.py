"""Devices by plug-in: packages that bring them, what users do with them, and what is refused."""

from __future__ import annotations

import re
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.utils import backend_registration

import paddle
from paddle.core import backends, flags
from paddle.core.backends import CPU, CUDA, XPU
from paddle.device import Device, fallback, plugins
from tests.device import installed
from tests.distributed.launch.jobs import Launched

HERE = Path(__file__).parent
implemented = pytest.mark.skipif(
    not hasattr(backend_registration, "_setup_privateuseone_for_python_backend"),
    reason="this torch has no device type that Python can implement",
)


@pytest.fixture
def one_xpu(tmp_path: Path) -> Path:
    return installed.install(tmp_path, "xpu", "kunlun:devices", installed.PRACTICE)


def test_the_document_shows_the_practice_device_which_is_short() -> None:
    code = installed.PRACTICE.read_text(encoding="utf-8")
    assert f"```python\n{code}```\n" in (installed.ROOT / "docs/devices.md").read_text("utf8")
    told = re.sub(r'^ *""".*"""$', "", code, flags=re.M)
    assert sum(1 for line in told.splitlines() if line.strip()) <= 60


# -- a package, in a process of its own ------------------------------------------------------------


@implemented
def test_a_package_brings_xpus(one_xpu: Path) -> None:
    done = installed.run(one_xpu, str(HERE / "plugin_script.py"))
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stdout.strip().endswith("done") and "works well on 1 XPU." in done.stdout
    values = paddle.load(str(one_xpu / "net.pdparams"))  # here nobody knows of XPUs
    assert repr(values["0.weight"].place) == "CPUPlace"
    states = [paddle.load(str(one_xpu / f"{device}.pdopt")) for device in ("xpu", "cpu")]
    assert len(states[0]) == len(states[1])


@implemented
@pytest.mark.parametrize("step", [17, pytest.param(1, marks=pytest.mark.slow)])
def test_operators_compute_there_what_they_do_here(one_xpu: Path, step: int) -> None:
    done = installed.run(one_xpu, str(HERE / "samples_script.py"), "0", str(step))
    assert done.returncode == 0, done.stderr[-4000:]
    assert re.search(r"^[1-9]\d+ samples, 0 failed$", done.stdout, re.M), done.stdout[-4000:]


@pytest.mark.slow
@implemented
def test_two_processes_on_two_xpus(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    installed.install(folder, "xpu", "two_xpus:devices", installed.PRACTICE, HERE / "two_xpus.py")
    script = (HERE / "rank_script.py").read_text(encoding="utf-8")
    job = Launched(
        tmp_path / "job", script, "--xpus", "0,1",
        PYTHONPATH=installed.path(folder), OMP_NUM_THREADS="1",
    )  # fmt: skip
    status, out, err = job.finish()
    logs = "\n".join(p.read_text() for p in sorted((tmp_path / "job" / "log").glob("*")))
    assert status == 0, f"{out}\n{err}\n{logs}"
    assert re.search(r"rank 0 on xpu:0: 0\.\d", out + logs)
    assert re.search(r"rank 1 on xpu:1: 0\.\d", out + logs)
    job = Launched(tmp_path / "wrong", script, "--xpus", "1,2", PYTHONPATH=installed.path(folder))
    status, out, err = job.finish()
    assert status == 2 and "different numbers from 0 to 1, of the 2 XPUs" in err


@pytest.mark.slow
@implemented
def test_the_switches_of_the_environment(one_xpu: Path) -> None:
    script = (
        "import paddle; paddle.set_device('xpu')\n"
        "x = paddle.nn.functional.relu(paddle.to_tensor([1.0]))\n"
        "try: paddle.exp(x)\nexcept NotImplementedError as error: print('no', error)\n"
    )
    done = installed.run(one_xpu, "-c", script, FLAGS_device_fallback="0")
    assert done.stdout.startswith("no (Unimplemented) 'xpu' has no kernel for aten::exp"), done
    script = "import paddle; print(paddle.static.xpu_places(), paddle.set_device('xpu:0'))"
    done = installed.run(one_xpu, "-c", script, FLAGS_selected_xpus="0")
    assert done.stdout == "[XPUPlace(0)] XPUPlace(0)\n", done.stderr


@implemented
def test_devices_that_torch_alone_was_told_of(tmp_path: Path) -> None:
    (tmp_path / "kunlun.py").write_text(installed.PRACTICE.read_text("utf8"), "utf8")
    script = (
        "import kunlun; kunlun.devices()  # as `import torch_npu` does\n"
        "import paddle; print(paddle.set_device('kunlun'), paddle.device.get_available_device())\n"
        "print(paddle.nn.functional.relu(paddle.to_tensor([-1.0, 2.0])))"
    )
    done = installed.run(tmp_path, "-c", script)
    assert done.stdout.startswith("CustomPlace(kunlun, 0) ['cpu', 'kunlun:0']\n"), done.stderr
    assert "place=CustomPlace(kunlun, 0)" in done.stdout and "[0., 2.]" in done.stdout


@implemented
def test_a_package_that_fails_is_told_and_left_out(tmp_path: Path) -> None:
    installed.install(tmp_path, "npu", "no_such_module:devices")
    script = (
        "import paddle\nfor device in ('npu', 'xpu'):\n"
        "    try: paddle.set_device(device)\n    except ValueError as error: print(error)\n"
    )
    done = installed.run(tmp_path, "-c", script)
    assert done.stderr.count("the devices 'npu' of no_such_module:devices cannot be used") == 1
    assert "ModuleNotFoundError" in done.stderr
    assert "'gpu:n', but received 'npu'" in done.stdout
    assert "entry point 'paddle.devices'" in done.stdout


# -- registration ----------------------------------------------------------------------------------


class Tpu(Device):
    """Devices of which torch knows nothing."""

    torch_type, name = "tpu", "tpu"

    def count(self) -> int:
        return 2


@pytest.fixture
def restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "_by_type", dict(backends._by_type))
    monkeypatch.setattr(backends, "_by_name", dict(backends._by_name))
    monkeypatch.setattr(flags, "TABLE", dict(flags.TABLE))


@pytest.mark.usefixtures("restored")
def test_what_a_kind_of_devices_needs_is_its_names() -> None:
    made = paddle.device.register(Tpu)
    assert made.title == "TPU" and made.selection == "FLAGS_selected_tpus"
    place = made.place(1)
    assert repr(place) == "CustomPlace(tpu, 1)" and place == paddle.CustomPlace("tpu", 1)
    assert place.get_device_type() == "tpu" and place.is_custom_place()
    assert paddle.device.get_available_device()[-2:] == ["tpu:0", "tpu:1"]
    assert paddle.device.get_all_custom_device_type() == ["tpu"]
    assert paddle.device.is_compiled_with_custom_device("tpu")
    assert paddle.get_flags("FLAGS_selected_tpus") == {"FLAGS_selected_tpus": "0"}
    with pytest.raises(ValueError, match="expected a TPU below 2"):
        paddle.set_device("tpu:2")
    assert paddle.device.register(made) is made  # once more is no harm
    with pytest.raises(RuntimeError, match=r"'tpu' \(tpu\) is that of .*\.Tpu"):
        paddle.device.register(Tpu())


@pytest.mark.usefixtures("restored")
@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"name": "gpu"}, "'gpu' .* is that of paddle.core.backends._Cuda"),
        ({"name": "cpu"}, "is that of paddle.core.backends._Cpu"),
        ({"torch_type": "cuda"}, "is that of paddle.core.backends._Cuda"),
        ({"name": "pinned"}, "is the box's own"),
        (
            {"name": "T P U"},
            r"Tpu.*\.name to be a name of small letters and digits, but .* 'T P U'",
        ),
        ({"torch_type": None}, "torch_type to be a name"),
        ({"name": ""}, "but it is ''"),
    ],
)
def test_names_that_cannot_be(names: dict, message: str) -> None:
    wrong = type("Tpu2", (Tpu,), names)
    with pytest.raises((ValueError, RuntimeError), match=message):
        paddle.device.register(wrong)
    assert "tpu" not in backends.choices()


@pytest.mark.parametrize("wrong", [None, "tpu", int, 3])
def test_what_is_no_device(wrong: object) -> None:
    with pytest.raises(TypeError, match=r"expected a paddle\.device\.Device, but received"):
        paddle.device.register(wrong)


@pytest.mark.usefixtures("restored")
def test_an_entry_point_has_the_name_of_its_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    value = f"{__name__}:Tpu"
    monkeypatch.setattr(EntryPoint, "load", lambda self: Tpu)
    points = [EntryPoint("tpu", value, plugins.GROUP), EntryPoint("other", value, plugins.GROUP)]
    monkeypatch.setattr(plugins, "entry_points", lambda group: points)
    with pytest.warns(UserWarning, match=r"'other' of .* expected devices named 'other'.* 'tpu'"):
        plugins.find()
    assert backends.named("tpu") is not None


def test_places_of_devices_that_nobody_brings() -> None:
    npu = paddle.CustomPlace("npu", 1)
    assert npu.get_device_id() == 1 and npu != paddle.CustomPlace("npu", 0)
    for place in (npu, paddle.XPUPlace(0)):
        with pytest.raises(RuntimeError, match=r"(?s)was asked for, but.*paddle\.device\.register"):
            paddle.to_tensor([1.0], place=place)
    with pytest.raises(TypeError, match=r"CustomPlace\(dev_type\): expected a str"):
        paddle.CustomPlace(0, 0)
    for wrong in (-1, "0", True):
        with pytest.raises((TypeError, ValueError), match=r"CustomPlace\(dev_id\)"):
            paddle.CustomPlace("npu", wrong)
    with pytest.raises(TypeError, match="expected a str"):
        paddle.device.is_compiled_with_custom_device(0)
    with pytest.raises(RuntimeError, match=r"xpu_places: this machine has no XPU"):
        paddle.static.xpu_places()


# -- records ---------------------------------------------------------------------------------------


def test_a_device_without_streams_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    class Module:
        def __getattr__(self, name: str):
            return lambda *args: calls.append((name, *args))

    tpu = Tpu()
    monkeypatch.setattr(Tpu, "module", Module())
    device = torch.device("cpu")
    tpu.wait(device)
    tpu.use(device)
    tpu.empty_cache()
    assert calls == [("synchronize", device), ("set_device", device), ("empty_cache",)]
    assert tpu.process_group(None, 0, 2, 1.0) is None
    tpu.configure({"l3_workspace_size": 1})


def test_torchs_own_xpus_have_a_record_where_torch_has_them() -> None:
    assert XPU.compiled() == torch.xpu._is_compiled() == (XPU in backends.choices().values())
    assert (XPU.label(1), repr(XPU.place(1))) == ("xpu:1", "XPUPlace(1)")
    assert isinstance(CUDA, Device) and isinstance(CPU, Device)


# -- what a device lacks, without a device ---------------------------------------------------------


class Here(Device):
    """Devices that are the CPU under another name: what is asked of them is what is counted."""

    torch_type, name, title = "meta", "here", "HERE"


def test_calls_that_a_plug_in_has_to_bring() -> None:
    call = torch.ops.aten.empty_strided.default
    with pytest.raises(RuntimeError, match=r"'here' has no kernel for aten::empty_strided, which"):
        fallback.on_cpu(Here(), call, [2], [1])


def test_numbers_in_the_place_of_tensors() -> None:
    with pytest.warns(UserWarning, match="'here' has no kernel for aten::remainder"):
        got = fallback.on_cpu(Here(), torch.ops.aten.remainder.Tensor, torch.tensor([7, 8]), 5)
    assert got.tolist() == [2, 3]
    left = torch.arange(6.0).reshape(2, 3)
    view = fallback.on_cpu(Here(), torch.ops.aten.as_strided.default, left, [3], [1], 3)
    view.zero_()
    np.testing.assert_array_equal(left.numpy(), [[0, 1, 2], [0, 0, 0]])
