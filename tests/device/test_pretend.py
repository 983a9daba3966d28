"""A new kind of device is a new record: one that only a test makes known trains a network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch.utils import backend_registration

from paddle.core import backends
from paddle.core.backends import CPU, CUDA, backend_for, backend_of, holds
from paddle.core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace, XPUPlace, expected_names

HERE = Path(__file__).parent
PACKAGE = Path(backends.__file__).parents[1]


@pytest.mark.skipif(
    not hasattr(backend_registration, "_setup_privateuseone_for_python_backend"),
    reason="this torch has no device type that Python can implement",
)
def test_a_device_that_only_a_record_makes_known():
    done = subprocess.run(
        [sys.executable, str(HERE / "pretend_script.py")],
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), "OMP_NUM_THREADS": "1"},
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stdout.strip().endswith("done")


# -- what the records say --------------------------------------------------------------------------


def test_the_record_of_a_place_and_of_a_buffer():
    assert backend_for(CPUPlace()) is backend_for(CUDAPinnedPlace()) is CPU
    assert backend_for(CUDAPlace(1)) is CUDA and backend_for(XPUPlace(0)) is None
    assert backend_of(torch.ones(1)) is CPU
    assert backend_of(torch.empty(1, device="meta")).place() == CPUPlace()
    assert CUDA.device(1) == torch.device("cuda:1") and CUDA.place(1) == CUDAPlace(1)
    assert (CUDA.label(1), CPU.label()) == ("gpu:1", "cpu")
    assert expected_names() == "'cpu', 'gpu' or 'gpu:n'"


@pytest.mark.parametrize("fact", backends._FACTS)
def test_what_holds_of_a_buffer_is_what_its_record_says(fact):
    for buf in (torch.ones(1), torch.empty(1, device="meta")):
        assert getattr(holds, fact)(buf) is getattr(backend_of(buf), fact)


def test_a_device_without_a_record_is_told():
    with pytest.raises(RuntimeError, match=r"(?s)no record of devices like xla:0.*register"):
        backends.backend_on(torch.device("xla:0"))


def test_a_gpu_is_asked_what_it_was_asked_before(monkeypatch):
    """The calls that CUDA's record makes of torch, on a machine that may have no GPU."""
    calls = []

    class Module:
        def __getattr__(self, name):
            return lambda *args: calls.append((name, *args))

    monkeypatch.setattr(torch, "cuda", Module())
    device, stream = torch.device("cuda:1"), object()
    CUDA.use(device)
    CUDA.synchronize()
    CUDA.stream(device)
    CUDA.on_stream(stream)
    CUDA.current_stream(device)
    CUDA.empty_cache()
    CUDA.memory_allocated(device)
    CUDA.max_memory_allocated(device)
    assert calls == [
        ("set_device", device), ("synchronize",), ("Stream", device), ("stream", stream),
        ("current_stream", device), ("empty_cache",), ("memory_allocated", device),
        ("max_memory_allocated", device),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("chosen", "count", "selected", "places"),
    [(None, 2, 0, [0, 1]), ("1", 2, 1, [1]), ("1,0", 2, 1, [1, 0]), ("5", 2, 0, [5])],
)
def test_the_gpus_a_launcher_chose(chosen, count, selected, places, monkeypatch):
    from paddle.core import flags

    monkeypatch.setattr(type(CUDA), "count", lambda self: count)
    monkeypatch.delenv("FLAGS_selected_gpus", raising=False)
    if chosen is not None:
        monkeypatch.setenv("FLAGS_selected_gpus", chosen)
    monkeypatch.delitem(flags._values, "FLAGS_selected_gpus", raising=False)
    assert CUDA.selected() == selected
    assert CUDA.places() == [CUDAPlace(n) for n in places]
    flags._values.pop("FLAGS_selected_gpus", None)


def test_only_the_records_know_the_kinds_of_devices():
    asks = re.compile(r'"cuda"|torch\.cuda|\.is_(cpu|cuda)\b|type [!=]= "cpu"')
    found = [
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if asks.search(path.read_text(encoding="utf-8"))
    ]
    allowed = {
        "core/backends.py": "the records",
        "core/user_kernels.py": "whether a buffer can be an array as it is",
        "distributed/launch/devices.py": "before paddle is imported",
        "ir/variable.py": "as a method's name",
        "ops/native_buffers.py": "numbers by which DLPack knows devices",
        "utils/cpp_extension/setup.py": "a language",
    }
    assert set(found) <= set(allowed)
