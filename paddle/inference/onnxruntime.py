"""ONNX Runtime as an engine: runs a model through its export to ONNX."""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from paddle.core.backends import CPU
from paddle.core.dtype import VarType, numpy_dtype, to_vartype
from paddle.core.errors import (
    ExternalError,
    InvalidArgumentError,
    UnavailableError,
    UnimplementedError,
)
from paddle.executor.inference_values import ExpectedInput, arrays_sharing, buffers_sharing
from paddle.inference.handles import Tensor
from paddle.inference.interface import inputs_and_outputs
from paddle.inference.kinds import DataType, data_type_of
from paddle.inference.model_source import WHERE
from paddle.serialization.models.saved_model import SavedModel

if TYPE_CHECKING:
    from paddle.inference.config import Config

_OPSET = 17  # what ONNX Runtime's fused kernels match best; the exporter raises it where need be


def package() -> ModuleType | None:
    """Returns the package onnxruntime, or None where it cannot be imported."""
    try:
        return importlib.import_module("onnxruntime")
    except ImportError:
        return None


def version() -> str | None:
    """Returns the version of onnxruntime, or None where it is not installed."""
    found = package()
    return None if found is None else str(found.__version__)


class ArrayTensor(Tensor):
    """A handle whose contents are an array, as ONNX Runtime takes and gives them."""

    __slots__ = ("_dtype",)

    def __init__(self, name: str, device: Any, expected: ExpectedInput | None = None) -> None:
        super().__init__(name, device, expected)
        plain = expected is not None and expected.rank >= 0 and expected.kind != VarType.BF16
        self._dtype = numpy_dtype(expected.kind) if plain and expected else None
        self._plain = False  # there is more to do than to copy into a buffer

    def copy_from_cpu(self, data: np.ndarray) -> None:
        """Copies an array in; see :meth:`Tensor.copy_from_cpu`."""
        if (
            type(data) is np.ndarray
            and data.dtype == self._dtype
            and data.ndim == self._expected.rank  # type: ignore[union-attr]
        ):
            self.buffer = data.copy()
        else:
            super().copy_from_cpu(data)

    def _take(self, buffer: Any) -> None:
        super()._take(buffer)
        self.buffer = taken(self.buffer)

    def reshape(self, shape: Sequence[int]) -> None:
        """Sets the shape; see :meth:`Tensor.reshape`."""
        if self.buffer is not None:
            self.buffer = given(self.buffer)
        super().reshape(shape)
        if self.buffer is not None:
            self.buffer = taken(self.buffer)

    def set_lod(self, lod: Any) -> None:
        """Raises for anything but no levels: ONNX has none."""
        if len(lod):
            raise UnimplementedError(
                f"set_lod: input {self.name()!r}: ONNX Runtime takes no levels of sequences.",
                hint="config.disable_onnxruntime()",
            )

    def copy_to_cpu(self) -> np.ndarray:
        """Returns the contents as an array of its own memory; see :meth:`Tensor.copy_to_cpu`."""
        return super().copy_to_cpu() if self.buffer is None else self.buffer.copy()

    def lod(self) -> list[list[int]]:
        """Returns no levels: ONNX has none."""
        return []

    def type(self) -> DataType:
        """Returns the data type; see :meth:`Tensor.type`."""
        if self.buffer is None:
            return super().type()
        return data_type_of(to_vartype(self.buffer.dtype))


def taken(buffer: Any) -> np.ndarray:
    """Returns an array for a buffer, in its memory where NumPy has the data type."""
    return arrays_sharing([buffer])[0]


def given(array: np.ndarray) -> Any:
    """Returns a buffer for an array that nobody else has."""
    return buffers_sharing([array])[0]


class OnnxRuntime:
    """Runs a model by ONNX Runtime; its session serves any number of threads.

    Args:
        model (SavedModel): the model.
        config (Config): how to run it.

    Raises:
        UnavailableError: onnxruntime is not installed.
        UnimplementedError: ONNX cannot express some operators; names all of them.
    """

    def __init__(self, model: SavedModel, config: Config) -> None:
        found = package()
        if found is None:
            raise UnavailableError(
                f"{WHERE}: the Config asks for ONNX Runtime, but the package onnxruntime is not "
                "installed.",
                hint="pip install onnx onnxruntime; or config.disable_onnxruntime()",
            )
        self.device = CPU.device()
        self.expected, self.outputs = inputs_and_outputs(model)
        # Its rules are imported only by those who use them.
        export = importlib.import_module("paddle.onnx.model").of_saved_model
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*opset_version")  # no user asked for one
            content = export(model, _OPSET, WHERE).SerializeToString()
        self.session = _session(found, content, config)
        self._given = [port.name for port in self.session.get_inputs()]
        self._made = [port.name for port in self.session.get_outputs()]

    def call(self, buffers: Sequence[Any]) -> Sequence[Any]:
        """Returns the arrays of the outputs for those of the inputs."""
        try:
            return self.session.run(self._made, dict(zip(self._given, buffers)))
        except Exception as error:  # the package has no class of its own for all of them
            kind = InvalidArgumentError if "INVALID_ARGUMENT" in str(error) else ExternalError
            raise kind(f"ONNX Runtime: {error}") from error

    taken, given = staticmethod(taken), staticmethod(given)
    handles = ArrayTensor

    def shrink_memory(self) -> int:
        """Returns 0: ONNX Runtime keeps its memory."""
        return 0


def _session(package: Any, content: bytes, config: Config) -> Any:
    options = package.SessionOptions()
    levels = package.GraphOptimizationLevel
    optimises = config.ir_optim() or config.settings.ort_optimization
    level = levels.ORT_ENABLE_ALL if optimises else levels.ORT_DISABLE_ALL
    options.graph_optimization_level = level
    options.intra_op_num_threads = config.cpu_math_library_num_threads()
    options.enable_profiling = config.profile_enabled()
    options.profile_file_prefix = os.path.join(config.optim_cache_dir(), "onnxruntime_profile")
    options.log_severity_level = 3
    return package.InferenceSession(content, options, providers=["CPUExecutionProvider"])
