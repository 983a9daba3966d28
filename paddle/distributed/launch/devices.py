"""The GPUs and XPUs of this machine, and which of them the user names."""

from __future__ import annotations

import glob
import importlib
import os
import re
import subprocess
import sys

from paddle.distributed.launch.sockets import AddressError


def count_gpus() -> int:
    """Returns how many GPUs the processes will see; asks PyTorch only where there may be one.

    Importing it takes longer than all else that the launcher does.
    """
    if os.environ.get("CUDA_VISIBLE_DEVICES", "all").strip() in ("", "-1", "NoDevFiles"):
        return 0
    if not glob.glob("/dev/nvidia[0-9]*") and not os.path.exists("/dev/dxg"):
        return 0
    torch = importlib.import_module("torch")
    return torch.cuda.device_count() if torch.cuda.is_available() else 0


def visible_gpus(text: str, there: int) -> list[str]:
    """Returns the numbers, among the visible GPUs, of those that the user names.

    Args:
        text (str): ``0,1``; where ``CUDA_VISIBLE_DEVICES`` is set, numbers from it.
        there (int): how many are visible.

    Raises:
        ValueError: one is not there, or named twice.
    """
    named = [part.strip() for part in text.split(",")]
    listed = os.environ.get("CUDA_VISIBLE_DEVICES")
    visible = [v.strip() for v in listed.split(",")] if listed else [str(i) for i in range(there)]
    wrong = [n for n in named if not re.fullmatch(r"\d+", n) or n not in visible]
    if wrong or len(set(named)) != len(named):
        raise AddressError(
            f"--gpus {text}: expected different numbers of {','.join(visible)}, which are the GPUs "
            "that can be seen here."
        )
    return [str(visible.index(n)) for n in named]


def xpus(text: str) -> list[str]:
    """Returns the numbers of the XPUs that the user names.

    A process of its own counts them: their plug-in may need all of paddle, and a process that has
    opened a device cannot always be forked.

    Args:
        text (str): ``0,1``.

    Raises:
        ValueError: one is not there, or named twice.
    """
    named = [re.sub("^0+(?=[0-9])", "", part.strip()) for part in text.split(",")]
    there = _count("xpu")
    if not there:
        raise AddressError(
            f"--xpus {text}: there is no XPU here that can be used; start processes on the CPU by "
            "--nproc_per_node N. `python -c 'import paddle; paddle.set_device(\"xpu\")'` says what "
            "is missing."
        )
    wrong = [n for n in named if not re.fullmatch("[0-9]+", n) or int(n) >= there]
    if wrong or len(set(named)) != len(named):
        raise AddressError(
            f"--xpus {text}: expected different numbers from 0 to {there - 1}, of the {there} XPUs "
            "that can be seen here."
        )
    return named


def _count(name: str) -> int:
    script = (
        f"from paddle.core.backends import named; d = named({name!r}); print(d.count() if d else 0)"
    )
    told = subprocess.run(
        [sys.executable, "-c", f"import paddle; {script}"], stdout=subprocess.PIPE, text=True
    )
    lines = told.stdout.split()
    return int(lines[-1]) if told.returncode == 0 and lines else 0
