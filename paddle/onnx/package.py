"""The package ``onnx``, which only those need who export; and how it is asked for."""

from __future__ import annotations

import importlib
from types import ModuleType

from paddle.core.errors import NotFoundError


def onnx_package(where: str = "paddle.onnx.export") -> ModuleType:
    """Returns the package ``onnx`` with what is used of it.

    Args:
        where (str): the function that is called, for the error.

    Raises:
        NotFoundError: it is not installed.
    """
    try:
        for part in ("checker", "external_data_helper", "helper"):
            importlib.import_module(f"onnx.{part}")
        return importlib.import_module("onnx")
    except ImportError as error:
        raise NotFoundError(
            f"{where}: the package onnx, which writes the file, cannot be imported: {error}.",
            hint="install it: pip install onnx",
        ) from error
