"""The operator library: kernels and their gradients, a file a family; nothing else."""

from __future__ import annotations

import importlib
import pkgutil


def load_all() -> None:
    """Imports every family, which registers its operators."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
