"""The C kernels: compiled at first use and kept, or a library that came with this file."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from paddlelite.reader import DTYPES, LiteError, Tensor

SOURCE = Path(__file__).with_name("csrc") / "paddle_lite.c"
SHIPPED = Path(__file__).with_name("paddle_lite.so")
_PROBLEM: list[str] = []


class _CTensor(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p), ("dtype", ctypes.c_int), ("rank", ctypes.c_int),
        ("dims", ctypes.c_int64 * 8), ("data", ctypes.c_void_p),
    ]  # fmt: skip


def flags() -> list[str]:
    """Returns how the kernels are compiled for this machine."""
    x86 = platform.machine() in ("x86_64", "AMD64")
    # GCC 12 fails on this file for arm64 with -O3.
    speed = ["-O3", "-march=native"] if x86 else ["-O2"]
    return ["-std=gnu99", *speed, "-fno-math-errno", "-fPIC", "-shared", "-DPL_THREADS",
            "-pthread"]  # fmt: skip


@functools.cache
def library() -> Any:
    """Returns the loaded library; None: there is none, and :func:`problem` says why."""
    for find in (_compiled, lambda: SHIPPED):  # the first one is faster: it knows the processor
        try:
            return _declared(ctypes.CDLL(str(find())))
        except (OSError, LiteError) as error:
            _PROBLEM.append(str(error))
    return None


def problem() -> str:
    """Says why there is no library."""
    return _PROBLEM[0] if _PROBLEM else "none"


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf8", errors="replace")
        return next((line for line in text.splitlines() if line.startswith("flags")), "")
    except OSError:
        return platform.processor()


def _compiled() -> Path:
    """The library for this source, compiler and processor; made where it is not there yet."""
    compiler = next(
        (c for c in (os.environ.get("CC"), "cc", "gcc", "clang") if c and shutil.which(c)), ""
    )
    if not compiler:
        raise LiteError("there is no C compiler")
    told = [compiler, *flags(), platform.machine(), _processor(), sys.platform]
    key = hashlib.sha256(SOURCE.read_bytes() + "\n".join(told).encode()).hexdigest()[:24]
    root = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    path = Path(root) / "paddlelite" / f"{key}.so"
    if path.exists():
        return path
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        made = os.path.join(folder, "made.so")
        command = [compiler, *flags(), "-o", made, str(SOURCE), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise LiteError(f"{compiler} cannot compile the kernels: {done.stderr.strip()[:500]}")
        os.replace(made, path)
    return path


def _declared(found: Any) -> Any:
    """The functions of `paddle_lite.h`, with the types that they take."""
    model, integer, text = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
    sizes, out = ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(_CTensor)
    for name, result, takes in [
        ("load", model, [ctypes.c_void_p, ctypes.c_size_t, text, ctypes.c_size_t]),
        ("close", None, [model]),
        ("input_count", integer, [model]),
        ("output_count", integer, [model]),
        ("input", integer, [model, integer, out]),
        ("output", integer, [model, integer, out]),
        ("set_input", integer, [model, integer, integer, integer, sizes, ctypes.c_void_p]),
        ("run", integer, [model]),
        ("error", text, [model]),
        ("set_threads", integer, [model, integer]),
    ]:
        function = getattr(found, f"pl_{name}")
        function.restype, function.argtypes = result, takes
    return found


class CEngine:
    """A model that is run by the C kernels; the bytes of the file have to stay as they are."""

    name = "c"

    def __init__(self, content: Any, found: Any, threads: int = 1) -> None:
        self._library, self._model = found, None
        self._bytes = np.frombuffer(content, np.uint8) if len(content) else np.empty(0, np.uint8)
        reason = ctypes.create_string_buffer(500)
        self._model = found.pl_load(self._bytes.ctypes.data, self._bytes.size, reason, 500)
        if not self._model:
            raise LiteError(reason.value.decode(errors="replace"))
        self._check(found.pl_set_threads(self._model, threads))
        told = [self._told("input", i) for i in range(found.pl_input_count(self._model))]
        self.inputs = [
            Tensor(t.name.decode(errors="replace"), DTYPES[t.dtype], tuple(t.dims[: t.rank]), None)
            for t in told
        ]
        count = found.pl_output_count(self._model)
        self.outputs = [self._told("output", i).name.decode(errors="replace") for i in range(count)]

    def __del__(self) -> None:
        if self._model:
            self._library.pl_close(self._model)

    def _told(self, kind: str, index: int) -> _CTensor:
        tensor = _CTensor()
        self._check(getattr(self._library, f"pl_{kind}")(self._model, index, tensor))
        return tensor

    def _check(self, code: int) -> None:
        if code:
            raise LiteError(self._library.pl_error(self._model).decode(errors="replace"))

    def run(self, arrays: list[np.ndarray]) -> list[np.ndarray]:
        """Returns the outputs for some inputs."""
        for i, array in enumerate(arrays):
            dims = (ctypes.c_int64 * 8)(*array.shape)
            kind = DTYPES.index(array.dtype)
            self._check(self._library.pl_set_input(self._model, i, kind, array.ndim, dims,
                                                   array.ctypes.data))  # fmt: skip
        self._check(self._library.pl_run(self._model))
        return [self._array(self._told("output", i)) for i in range(len(self.outputs))]

    @staticmethod
    def _array(tensor: _CTensor) -> np.ndarray:
        made = np.empty(tuple(tensor.dims[: tensor.rank]), DTYPES[tensor.dtype])
        ctypes.memmove(made.ctypes.data, tensor.data, made.nbytes)
        return made
