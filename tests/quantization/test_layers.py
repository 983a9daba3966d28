"""Kinds of layers, quantised in PaddlePaddle 2.6.2 and run here, and the other way round."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle import static
from tests.quantization.layers import FILES, KINDS, STORED, VARIANTS, WEIGHTS, outputs, write
from tests.quantization.nets import DATA


@pytest.fixture(autouse=True)
def _static() -> Iterator[None]:
    paddle.enable_static()
    yield
    paddle.disable_static()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("layers")
    with zipfile.ZipFile(DATA / "layers-262.zip") as file:
        file.extractall(made)
    return made


@pytest.fixture(scope="module")
def seen(folder: Path) -> dict[str, np.ndarray]:
    with np.load(folder / "seen.npz") as file:
        return dict(file)


def kinds(folder: Path) -> list[str]:
    with static.scope_guard(static.Scope()):
        program = static.load_inference_model(str(folder), static.Executor(), **FILES)[0]
    return [op.type for op in program.global_block().ops]


@pytest.mark.parametrize("kind", KINDS)
def test_quantised_there_it_runs_here(kind: str, folder: Path, seen: dict) -> None:
    found = outputs(folder / kind / "there", seen[f"{kind}|x"])
    np.testing.assert_allclose(found, seen[f"{kind}|there"], atol=1e-6)
    if kind in WEIGHTS:
        found = outputs(folder / kind / "weights" / "test_model", seen[f"{kind}|x"])
        np.testing.assert_allclose(found, seen[f"{kind}|weights"], atol=1e-6)


@pytest.mark.parametrize("kind", list(dict.fromkeys([*KINDS, *STORED])))
def test_quantised_here_it_ran_there(kind: str, folder: Path, seen: dict) -> None:
    """The numbers are what 2.6.2 computed on the files that are written here."""
    value, plain = seen[f"{kind}|x"], seen[f"{kind}|float"]
    write(folder, kind, value)
    for name in [*(VARIANTS if kind in KINDS else ()), *["here_weights"] * (kind in STORED)]:
        found = outputs(folder / kind / name, value)
        np.testing.assert_allclose(found, seen[f"{kind}|{name}"], atol=1e-6, err_msg=name)
        assert 0 < np.abs(found - plain).max() < 0.05 * np.abs(plain).max()
    if kind in KINDS:
        assert set(kinds(folder / kind / "here")) == set(kinds(folder / kind / "there"))
        np.testing.assert_allclose(seen[f"{kind}|here"], seen[f"{kind}|there"], atol=1e-5)
