"""What the programs that run libraries of 1.x share; they run in PaddlePaddle 1.8.5 as well."""

from __future__ import annotations

import importlib
import os
from typing import Any

import numpy as np


def wave(shape: Any, start: float = 0.0, scale: float = 1.0) -> np.ndarray:
    """Numbers that follow from their position."""
    count = int(np.prod(shape))
    return (scale * np.sin(start + 0.37 * np.arange(count))).reshape(shape).astype("float32")


def fill(program: Any, start: int = 0) -> None:
    """Gives the parameters of a Program values that follow from order and shape."""
    import paddle.fluid as fluid

    scope, place = fluid.global_scope(), fluid.CPUPlace()
    for index, param in enumerate(program.global_block().all_parameters()):
        shape = list(param.shape)
        if not param.trainable:  # running statistics
            continue
        inputs = np.prod(shape[1:]) if len(shape) == 4 else shape[0]
        drawn = np.random.RandomState(index + start).randn(*shape)
        values = (drawn * (np.sqrt(1.0 / inputs) if len(shape) > 1 else 0.1)).astype("float32")
        if (len(shape) == 1 and ".w_" in param.name) or param.name.endswith("scale"):
            values = 1 + np.abs(values)
        scope.find_var(param.name).get_tensor().set(values, place)


def import_all(library: str, but: tuple = ()) -> list:
    """Imports every module of a package; returns their names.

    Args:
        library (str): the package.
        but (tuple): beginnings of names that are left out.
    """
    found = [library]
    for place in importlib.import_module(library).__path__:
        for folder, _, files in os.walk(place):
            parts = os.path.relpath(folder, os.path.dirname(place)).split(os.sep)
            for file in sorted(name for name in files if name.endswith(".py")):
                name = ".".join(parts + [file[:-3]] if file != "__init__.py" else parts)
                if not name.startswith(but or ("?",)):
                    importlib.import_module(name)
                    found.append(name)
    return found
