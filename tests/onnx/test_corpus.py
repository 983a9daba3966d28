"""Models that PaddlePaddle 1.8.5 and 2.6.2 saved: onnxruntime gives the numbers they gave."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from paddle.core.errors import UnimplementedError
from paddle.onnx.model import to_onnx
from paddle.onnx.rules.registry import rule_of
from paddle.serialization.models.saved_model import SavedModel
from tests.jit.cases.model_cases import Case, close, names, read_case
from tests.onnx.running import run

COMPLEX = {"2.6.2/newer_operators"}  # they have operators on complex numbers
# Rounding to 8 bits may go the other way where two numbers differ in their last bits.
TOLERANCE = {"quantized": 2e-2}


def _read(case: Case, folder: Path) -> SavedModel:
    given = case.filenames
    named = given.get("model_filename"), given.get("params_filename")
    return SavedModel.read(case.unpack(folder), "test", named)


def _open(model: SavedModel, method: str, inputs: list[np.ndarray]) -> dict[str, list[int]]:
    """Sizes of inputs that were saved with those of an example, and come with others."""
    block = model.programs[method].global_block()
    found = {}
    for name, array in zip(model.feeds(method), inputs, strict=True):
        shape = list(block.var(name).shape)
        if any(n not in (-1, m) for n, m in zip(shape, array.shape, strict=True)):
            found[name] = [-1, *shape[1:]]
    return found


@pytest.mark.parametrize("name", names("inference", "jit"))
def test_models_of_releases(name: str, tmp_path: Path) -> None:
    case = read_case(name)
    model = _read(case, tmp_path)
    rtol = next((v for k, v in TOLERANCE.items() if k in name), 1e-4)
    for method, inputs, expected in case.runs():
        sizes = _open(model, method, inputs)
        try:
            proto = to_onnx(model.programs[method], model.values, opset=0, sizes=sizes)
        except UnimplementedError as error:
            types = re.findall(r"^  (\w+) \(", str(error), re.MULTILINE)
            assert types and (name in COMPLEX or not any(map(rule_of, types))), error
            return
        results = run(proto, dict(zip(model.feeds(method), inputs, strict=True)))
        for k, (result, want) in enumerate(zip(results, expected, strict=True)):
            close(result, want, f"{name} {method} {k}", rtol)
