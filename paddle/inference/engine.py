"""Engines: what runs a model behind a Predictor and its clones."""

from __future__ import annotations

import math
import os
import sys
import time
import warnings
import weakref
from collections.abc import Sequence
from typing import Any, Protocol

from paddle.core import allocator
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.executor.inference import InferenceProgram
from paddle.executor.inference_values import ExpectedInput
from paddle.executor.profiling import Profile
from paddle.executor.scope import Scope
from paddle.inference.calibrating import calibrated
from paddle.inference.config import Config
from paddle.inference.handles import Tensor
from paddle.inference.interface import inputs_and_outputs
from paddle.inference.model_source import WHERE
from paddle.inference.onnxruntime import OnnxRuntime
from paddle.ir.inference import persistables
from paddle.ir.program import Program
from paddle.ir.text.printing import program_text
from paddle.ops.quantization.int8 import usable, why_in_floats
from paddle.passes.inference.table import QUANTIZES
from paddle.serialization.models.layouts import MAIN
from paddle.serialization.models.saved_model import SavedModel
from paddle.serialization.program_state import put_values

_KEPT = 10.0  # seconds for which memory is kept that was asked to be given back before


class Engine(Protocol):
    """Runs one model, for any number of threads at once.

    Attributes:
        device: where inputs are expected.
        expected (list[ExpectedInput]): what it takes, in this order.
        outputs (list[str]): names of what it returns.
        handles (type): the class of handles on what it takes and returns.
    """

    device: Any
    expected: list[ExpectedInput]
    outputs: list[str]
    handles: Any

    def call(self, buffers: Sequence[Any]) -> Sequence[Any]:
        """Returns what the outputs are for what the inputs are."""

    def taken(self, buffer: Any) -> Any:
        """Returns what it takes for a buffer."""

    def given(self, value: Any) -> Any:
        """Returns the buffer of what it gave."""

    def shrink_memory(self) -> int:
        """Gives unused memory back; returns by how many bytes the process became smaller."""


def engine_of(config: Config) -> Engine:
    """Reads the model of a Config, and returns what runs it.

    Args:
        config (Config): which model, and how.
    """
    model = config.read_model()
    if not model.fetches():
        raise InvalidArgumentError(
            f"{WHERE}: the Program states no outputs, for it has no fetch operators; it is not a "
            "model for inference.",
            hint="paddle.static.save_inference_model or paddle.jit.save write such models",
        )
    if config.onnxruntime_enabled():
        return OnnxRuntime(model, config)
    return Native(model, config)


class Native:
    """Runs a model by the kernels of this package.

    Args:
        model (SavedModel): the model.
        config (Config): how to run it.
        profile (Profile, optional): is told of every operator.
    """

    def __init__(self, model: SavedModel, config: Config, profile: Profile | None = None) -> None:
        program, scope = model.programs[MAIN], Scope()
        config.settings.device.configure()
        self.device = config.settings.device.torch_device()
        variables = {v.name: v for v in persistables(program)}
        put_values(variables, model.values, scope, self.device, WHERE, complete=True)
        self.expected, self.outputs = inputs_and_outputs(model)
        feeds = [e.name for e in self.expected]
        program = _quantized(program, feeds, scope, config)
        printed = Profile() if config.profile_enabled() and profile is None else None
        self.program = InferenceProgram(
            program, feeds, self.outputs, scope, config.passes(), profile or printed, self.device,
            _Dumps(config.optim_cache_dir()) if config.ir_debug() else None, config.pass_options(),
        )  # fmt: skip
        self.call = self.program.call
        if printed is not None:
            weakref.finalize(self, _print, printed)

    handles = Tensor
    _shrunk = -math.inf  # when memory was given back

    def taken(self, buffer: Any) -> Any:
        """Returns the buffer."""
        return buffer

    given = taken

    def shrink_memory(self) -> int:
        """Gives unused memory of the process back, unless it did so just now."""
        if time.monotonic() - self._shrunk < _KEPT:
            return 0
        self._shrunk = time.monotonic()
        before = allocator.resident()
        allocator.trim()
        return max(0, before - allocator.resident())


def _quantized(program: Program, feeds: list[str], scope: Scope, config: Config) -> Program:
    """The Program with ranges for 8 bits, where the Config asks for that and has data."""
    told = config.settings.quantizer
    has_ranges = any("quantize" in op.type for block in program.blocks for op in block.ops)
    if has_ranges and config.mkldnn_int8_enabled():
        _tell_of_floats(why_in_floats(config.settings.device.torch_device()))
    if told is None or not config.ir_optim():
        return program
    if config.settings.device.backend:
        if not has_ranges:
            _tell_of_floats("ranges are measured on the CPU alone; load a model that has them")
        return program
    if has_ranges or (usable() and QUANTIZES not in config.passes()):
        return program
    if told.data:
        return calibrated(program, feeds, scope, told.data, told.batch_size, told.op_types)
    if not has_ranges:
        raise PreconditionNotMetError(
            f"{WHERE}: enable_quantizer needs data to calibrate with, for the model has no "
            "operators of quantisation.",
            hint="config.quantizer_config().set_quant_data([array, ...])",
        )
    return program


def _tell_of_floats(reason: str) -> None:
    """Says why a model that was to compute with bytes computes in floats, if there is a reason."""
    if reason:
        warnings.warn(
            f"{WHERE}: 8 bits were asked for, but the model runs in floats, for {reason}.",
            stacklevel=6,
        )


def _print(profile: Profile) -> None:
    if profile.runs:
        print(profile.table(), file=sys.stderr)


class _Dumps:
    """Writes a Program as text after each pass."""

    def __init__(self, folder: str) -> None:
        self._folder, self._count = folder or ".", 0

    def __call__(self, name: str, program: Program) -> None:
        os.makedirs(self._folder, exist_ok=True)
        path = os.path.join(self._folder, f"{self._count}_ir_{name}.txt")
        with open(path, "w", encoding="utf8") as file:
            file.write(program_text(program))
        self._count += 1
