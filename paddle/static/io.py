"""Saving and loading of Programs: the public functions in one place."""

from __future__ import annotations

from paddle.core.guards import guard_module
from paddle.static.io_inference import (
    deserialize_persistables,
    deserialize_program,
    load_from_file,
    load_inference_model,
    normalize_program,
    save_inference_model,
    save_to_file,
    serialize_persistables,
    serialize_program,
)
from paddle.static.io_state import load, load_program_state, save, set_program_state
from paddle.static.io_vars import load_vars, save_vars

__all__ = [
    "deserialize_persistables", "deserialize_program", "load", "load_from_file",
    "load_inference_model", "load_program_state", "load_vars", "normalize_program", "save",
    "save_inference_model", "save_to_file", "save_vars", "serialize_persistables",
    "serialize_program", "set_program_state",
]  # fmt: skip


guard_module(globals())
