"""The interface of Paddle Lite: a config says which model, a predictor runs it."""

from __future__ import annotations

import enum
import importlib
import mmap
import os
import tempfile
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from paddlelite import native
from paddlelite.errors import LiteError
from paddlelite.numpy_engine import NumpyEngine

ENGINES = ("auto", "c", "numpy")


class TargetType(enum.IntEnum):
    """Kinds of devices; this runtime computes on processors."""

    Unk, Host, X86, ARM = 0, 1, 2, 4


class PrecisionType(enum.IntEnum):
    """Kinds of numbers."""

    Unk, FP32, INT8 = 0, 1, 2


class Place(NamedTuple):
    """A device and the kind of numbers there."""

    target: TargetType = TargetType.Host
    precision: PrecisionType = PrecisionType.FP32


class _Config:
    """What both configs have: threads, and the engine."""

    def __init__(self) -> None:
        self._threads, self._engine = 1, os.environ.get("PADDLELITE_ENGINE") or "auto"

    def set_threads(self, threads: int) -> None:
        """Says how many threads compute; more than one needs the C kernels."""
        if not isinstance(threads, int) or threads < 1:
            raise LiteError(f"set_threads: expected 1 or more, but received {threads!r}")
        self._threads = threads

    def threads(self) -> int:
        """Returns how many threads compute."""
        return self._threads

    def set_engine(self, engine: str) -> None:
        """Says what computes: "c", "numpy", or "auto": C where a library or a compiler is.

        The environment variable PADDLELITE_ENGINE is the default.
        """
        if engine not in ENGINES:
            raise LiteError(f"set_engine: expected one of {ENGINES}, but received {engine!r}")
        self._engine = engine


class MobileConfig(_Config):
    """Names a `.nb` file."""

    def __init__(self) -> None:
        super().__init__()
        self._path, self._content = "", b""

    def set_model_from_file(self, path: str) -> None:
        """Names the file."""
        self._path, self._content = os.fspath(path), b""

    def set_model_from_buffer(self, content: bytes) -> None:
        """Gives the contents of a file."""
        self._path, self._content = "", bytes(content)

    def _read(self) -> Any:
        if self._content:
            return self._content
        if not self._path:
            raise LiteError("the config names no model: set_model_from_file(path)")
        return _mapped(self._path)


class CxxConfig(_Config):
    """Names a model as pypaddle saves it, which is converted when it is loaded (needs pypaddle)."""

    def __init__(self) -> None:
        super().__init__()
        self._files: dict[str, str] = {}

    def set_model_dir(self, path: str) -> None:
        """Names the prefix of a 2.x model, or the folder of a 1.x model."""
        self._files["set_model_dir"] = os.fspath(path)

    def set_model_file(self, path: str) -> None:
        """Names the program."""
        self._files["set_model_file"] = os.fspath(path)

    def set_param_file(self, path: str) -> None:
        """Names the parameters."""
        self._files["set_param_file"] = os.fspath(path)

    def set_valid_places(self, places: Sequence[Place]) -> None:
        """Says where it may run; a host, x86 or ARM processor is all there is."""
        if not any(place.target != TargetType.Unk for place in places):
            raise LiteError("set_valid_places: expected at least one Place of a processor")

    def _read(self) -> bytes:
        opt = Opt()
        for name, path in self._files.items():
            getattr(opt, name)(path)
        with tempfile.TemporaryDirectory() as folder:
            opt.set_optimize_out(os.path.join(folder, "model"))
            with open(opt.run(), "rb") as file:
                return file.read()


def _mapped(path: str) -> Any:
    """The bytes of a file, without a copy."""
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                return b""
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise LiteError(f"cannot read {path!r}: {error.strerror}") from None


def Opt() -> Any:
    """Returns a new Opt of pypaddle, which makes `.nb` files of saved models."""
    try:
        return importlib.import_module("paddle.inference.lite_export").Opt()
    except ImportError:
        raise LiteError("Opt needs pypaddle, which is not installed; a .nb file does not") from None


class Tensor:
    """An input or output of a predictor."""

    def __init__(self, name: str, dtype: np.dtype, dims: Sequence[int] = ()) -> None:
        self._name, self._dtype, self._dims = name, dtype, tuple(dims)
        self._value: np.ndarray | None = None

    def name(self) -> str:
        """Returns its name."""
        return self._name

    def from_numpy(self, array: np.ndarray) -> None:
        """Copies an array in, which has the data type and number of dimensions that it expects."""
        array = np.asarray(array)
        if array.dtype != self._dtype or array.ndim != len(self._dims):
            raise LiteError(
                f"input {self._name!r}: expected {self._dtype.name} of sizes {self._dims}, but "
                f"received {array.dtype} of sizes {array.shape}"
            )
        self._value = np.array(array, order="C")

    def resize(self, sizes: Sequence[int]) -> None:
        """Sets the sizes; the contents are zeros until they are given."""
        if len(sizes) != len(self._dims) or min(sizes, default=0) < 0:
            raise LiteError(f"input {self._name!r}: {list(sizes)} does not fit {self._dims}")
        self._value = np.zeros(tuple(sizes), self._dtype)

    def set_float_data(self, data: Sequence[float]) -> None:
        """Fills the sizes that :meth:`resize` set."""
        if self._value is None or len(data) != self._value.size:
            raise LiteError(f"input {self._name!r}: resize() to the number of values first")
        self.from_numpy(np.asarray(data, self._dtype).reshape(self._value.shape))

    def numpy(self) -> np.ndarray:
        """Returns a copy of the contents."""
        if self._value is None:
            raise LiteError(f"tensor {self._name!r} has no contents yet")
        return self._value.copy()

    def float_data(self) -> list[float]:
        """Returns the contents as a flat list."""
        return self.numpy().reshape(-1).tolist()

    def shape(self) -> list[int]:
        """Returns the sizes; those that the model states before there are contents."""
        return list(self._dims if self._value is None else self._value.shape)


class Predictor:
    """Runs a model; made by :func:`create_paddle_predictor`."""

    def __init__(self, config: Any) -> None:
        self._engine = _engine(config._read(), config._engine, config._threads)
        self._inputs = [Tensor(t.name, t.dtype, t.dims) for t in self._engine.inputs]
        self._outputs = [Tensor(name, np.dtype("float32")) for name in self._engine.outputs]

    def engine(self) -> str:
        """Returns what computes: "c" or "numpy"."""
        return self._engine.name

    def get_input(self, index: int) -> Tensor:
        """Returns an input."""
        return _item(self._inputs, index)

    def get_output(self, index: int) -> Tensor:
        """Returns an output; it holds what the last run gave."""
        return _item(self._outputs, index)

    def get_input_names(self) -> list[str]:
        """Returns the names of the inputs."""
        return [t.name() for t in self._inputs]

    def get_output_names(self) -> list[str]:
        """Returns the names of the outputs."""
        return [t.name() for t in self._outputs]

    def get_input_by_name(self, name: str) -> Tensor:
        """Returns an input."""
        return _named(self._inputs, name)

    def get_output_by_name(self, name: str) -> Tensor:
        """Returns an output."""
        return _named(self._outputs, name)

    def run(self) -> None:
        """Computes the outputs."""
        missing = [t.name() for t in self._inputs if t._value is None]
        if missing:
            raise LiteError(f"inputs without contents: {', '.join(missing)}")
        made = self._engine.run([t._value for t in self._inputs])
        for tensor, value in zip(self._outputs, made, strict=True):
            tensor._value = value


def _item(tensors: list[Tensor], index: int) -> Tensor:
    if not 0 <= index < len(tensors):
        raise LiteError(f"there is no tensor {index}; there are {len(tensors)}")
    return tensors[index]


def _named(tensors: list[Tensor], name: str) -> Tensor:
    for tensor in tensors:
        if tensor.name() == name:
            return tensor
    raise LiteError(f"there is no tensor {name!r}, but {', '.join(t.name() for t in tensors)}")


def _engine(content: Any, engine: str, threads: int) -> Any:
    if engine != "numpy":
        library = native.library()
        if library is not None:
            return native.CEngine(content, library, threads)
        if engine == "c":
            raise LiteError(f"no C kernels: {native.problem()}")
    if threads > 1:
        raise LiteError(
            f"set_threads({threads}) needs the C kernels; NumPy's own threads are set by the "
            f"environment (OPENBLAS_NUM_THREADS). C kernels: {native.problem()}"
        )
    return NumpyEngine(content)


def create_paddle_predictor(config: Any) -> Predictor:
    """Returns a predictor for a MobileConfig or CxxConfig."""
    return Predictor(config)
