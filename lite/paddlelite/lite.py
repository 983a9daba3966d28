"""The interface of Paddle Lite: a config says which model, a predictor runs it."""

from __future__ import annotations

import enum
import importlib
import mmap
import os
import tempfile
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from paddlelite import native
from paddlelite.kernels import NumpyEngine
from paddlelite.reader import LiteError

__version__ = "0.1.0"
ENGINES = ("auto", "c", "numpy")


class TargetType(enum.IntEnum):
    """Kinds of devices; this runtime computes on processors (Host, X86, ARM)."""

    Unk, Host, X86, CUDA, ARM, OpenCL, Any, FPGA, NPU, XPU = range(10)


class PrecisionType(enum.IntEnum):
    """Kinds of numbers."""

    Unk, FP32, INT8, INT32, Any, FP16, BOOL, INT64, INT16, UINT8, FP64 = range(11)


class DataLayoutType(enum.IntEnum):
    """Orders of the dimensions of images; here they are NCHW."""

    Unk, NCHW, Any, NHWC = range(4)


class PowerMode(enum.IntEnum):
    """Which processors compute; here the system chooses (LITE_POWER_NO_BIND)."""

    LITE_POWER_HIGH, LITE_POWER_LOW, LITE_POWER_FULL, LITE_POWER_NO_BIND = range(4)
    LITE_POWER_RAND_HIGH, LITE_POWER_RAND_LOW = 4, 5


class Place(NamedTuple):
    """A device, and the kind and order of numbers there."""

    target: TargetType = TargetType.Host
    precision: PrecisionType = PrecisionType.FP32
    layout: DataLayoutType = DataLayoutType.NCHW
    device: int = 0

    def is_valid(self) -> bool:
        """Says whether this runtime can compute there."""
        on_processor = self.target in (TargetType.Host, TargetType.X86, TargetType.ARM)
        kinds = PrecisionType.FP32, PrecisionType.INT8, PrecisionType.Any
        return on_processor and self.precision in kinds and self.layout in (1, 2)


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

    def set_power_mode(self, mode: PowerMode) -> None:
        """Takes LITE_POWER_NO_BIND alone: the system chooses on which processors threads run."""
        if mode != PowerMode.LITE_POWER_NO_BIND:
            raise LiteError(f"set_power_mode: threads are not bound to processors here: {mode!r}; "
                            "expected LITE_POWER_NO_BIND (taskset binds a process)")  # fmt: skip

    def power_mode(self) -> PowerMode:
        """Returns LITE_POWER_NO_BIND."""
        return PowerMode.LITE_POWER_NO_BIND

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


def _file(name: str, what: str) -> tuple[Callable[..., None], Callable[..., str]]:
    """The methods of a CxxConfig that name a file, and that return its name."""

    def put(self: Any, path: str) -> None:
        self._files[name] = os.fspath(path)

    def get(self: Any) -> str:
        return self._files.get(name, "")

    put.__doc__, get.__doc__ = f"Names {what}.", f"Returns {what}."
    return put, get


class CxxConfig(_Config):
    """Names a model as pypaddle saves it, which is converted when it is loaded (needs pypaddle)."""

    def __init__(self) -> None:
        super().__init__()
        self._files: dict[str, str] = {}

    set_model_dir, model_dir = _file("model_dir", "the prefix of a 2.x model, or folder of 1.x")
    set_model_file, model_file = _file("model_file", "the program")
    set_param_file, param_file = _file("param_file", "the parameters")

    def set_valid_places(self, places: Sequence[Place]) -> None:
        """Says where it may run; a processor (Host, X86, ARM) with float32 has to be among it."""
        if not any(place.is_valid() for place in places):
            raise LiteError("set_valid_places: this runtime computes in float32 and NCHW on Host, "
                            f"X86 or ARM, which is not among {list(places)}")  # fmt: skip

    def _read(self) -> bytes:
        opt = Opt()
        for name, path in self._files.items():
            getattr(opt, f"set_{name}")(path)
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
        """Fills the sizes that :meth:`resize` set; `set_int32_data`, `set_int64_data` are the same.

        Numbers have to be those of the data type that is expected.
        """
        array, value = np.asarray(data), self._value
        fits = np.can_cast(array.dtype, self._dtype, "same_kind")
        if value is None or array.size != value.size or not fits:
            told = f"expected as many of {self._dtype} as resize() says"
            raise LiteError(f"{self._name!r}: {told}, but received {array.size} of {array.dtype}")
        self._value = array.astype(self._dtype).reshape(value.shape)

    set_int32_data = set_int64_data = set_float_data

    def numpy(self) -> np.ndarray:
        """Returns a copy of the contents."""
        if self._value is None:
            raise LiteError(f"tensor {self._name!r} has no contents yet")
        return self._value.copy()

    def float_data(self) -> list[float]:
        """Returns the contents as a flat list."""
        return self.numpy().reshape(-1).tolist()

    int32_data = int64_data = float_data

    def target(self) -> TargetType:
        """Returns where its contents are."""
        return TargetType.Host

    def precision(self) -> PrecisionType:
        """Returns the kind of its numbers."""
        kind = self._dtype if self._value is None else self._value.dtype
        return PrecisionType[{"f": "FP", "i": "INT"}[kind.kind] + str(8 * kind.itemsize)]

    def lod(self) -> list[list[int]]:
        """Returns []: there are no sequences of unlike lengths here."""
        return []

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Takes no levels alone."""
        if len(lod):
            raise LiteError(f"input {self._name!r}: the runtime has no LoD, but received {lod}")

    def shape(self) -> list[int]:
        """Returns the sizes; those that the model states before there are contents."""
        return list(self._dims if self._value is None else self._value.shape)


class Predictor:
    """Runs a model; made by :func:`create_paddle_predictor`."""

    def __init__(self, content: Any, engine: str, threads: int) -> None:
        self._made_of = content, engine, threads
        self._engine = _engine(content, engine, threads)
        self._inputs = [Tensor(t.name, t.dtype, t.dims) for t in self._engine.inputs]
        self._outputs = [Tensor(name, np.dtype("float32")) for name in self._engine.outputs]

    def engine(self) -> str:
        """Returns what computes: "c" or "numpy"."""
        return self._engine.name

    def clone(self) -> Predictor:
        """Returns another predictor of the same model, for another thread."""
        return Predictor(*self._made_of)

    def get_version(self) -> str:
        """Returns the version of this runtime."""
        return __version__

    def save_optimized_model(self, path: str) -> None:
        """Writes the `.nb` file; `.nb` is added where it is not there."""
        with open(path if path.endswith(".nb") else path + ".nb", "wb") as file:
            file.write(self._made_of[0])

    def get_input(self, index: int) -> Tensor:
        """Returns an input."""
        return _found(self._inputs, index)

    def get_output(self, index: int) -> Tensor:
        """Returns an output; it holds what the last run gave."""
        return _found(self._outputs, index)

    def get_input_names(self) -> list[str]:
        """Returns the names of the inputs."""
        return [t.name() for t in self._inputs]

    def get_output_names(self) -> list[str]:
        """Returns the names of the outputs."""
        return [t.name() for t in self._outputs]

    def get_input_by_name(self, name: str) -> Tensor:
        """Returns an input."""
        return _found(self._inputs, name)

    def get_output_by_name(self, name: str) -> Tensor:
        """Returns an output."""
        return _found(self._outputs, name)

    def run(self) -> None:
        """Computes the outputs."""
        missing = [t.name() for t in self._inputs if t._value is None]
        if missing:
            raise LiteError(f"inputs without contents: {', '.join(missing)}")
        made = self._engine.run([t._value for t in self._inputs])
        for tensor, value in zip(self._outputs, made, strict=True):
            tensor._value = value


def _found(tensors: list[Tensor], key: int | str) -> Tensor:
    for i, tensor in enumerate(tensors):
        if key in (i, tensor.name()):
            return tensor
    raise LiteError(f"there is no tensor {key!r}, but {[t.name() for t in tensors]}")


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
    return Predictor(config._read(), config._engine, config._threads)
