"""Models of all families that are deployed, written by 1.8.5 and 2.6.2: the same numbers here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.core.lod import LoDTensor
from paddle.inference import Config, Tensor, create_predictor
from paddle.ir.versions import unknown_operators
from tests.inference.deployed import CASES, Deployed, Value, read_deployed

# What jit.save wrote.
LAYERS = [n for n in CASES if n.startswith("2.6.2/") and not n.endswith("rows_of_sequences")]
# Handles take levels as soon as they have a method for it.
PREDICTED = [
    n
    for n in CASES
    if hasattr(Tensor, "set_lod")
    or not any(v.levels for inputs, _ in read_deployed(n).rounds() for v in inputs.values())
]


@pytest.fixture(autouse=True)
def _static() -> Iterator[None]:
    paddle.enable_static()
    with static.scope_guard(static.Scope()):
        yield
    paddle.disable_static()


def fed(value: Value) -> Any:
    if not value.levels:
        return value.array
    made = LoDTensor()
    made.set(value.array, paddle.CPUPlace())
    made.set_lod(value.levels)
    return made


def by_executor(case: Deployed, folder: Path) -> list[list[Value]]:
    """The outputs of every round by load_inference_model and Executor.run."""
    path, names = case.unpack(folder)
    exe = static.Executor(paddle.CPUPlace())
    program, feeds, fetches = static.load_inference_model(path, exe, **names)
    assert not unknown_operators(program)
    made = []
    for inputs, _ in case.rounds():
        assert list(inputs) == feeds
        feed = {name: fed(value) for name, value in inputs.items()}
        outs = exe.run(program, feed=feed, fetch_list=fetches, return_numpy=False)
        made.append([Value(np.asarray(out), out.lod()) for out in outs])
    return made


def by_predictor(case: Deployed, folder: Path) -> list[list[Value]]:
    """The outputs of every round by one Predictor and its handles."""
    predictor = create_predictor(Config(*case.paths(folder)))
    made = []
    for inputs, _ in case.rounds():
        assert list(inputs) == predictor.get_input_names()
        for name, value in inputs.items():
            handle = predictor.get_input_handle(name)
            handle.copy_from_cpu(value.array)
            if value.levels:
                handle.set_lod(value.levels)
        predictor.run()
        handles = [predictor.get_output_handle(n) for n in predictor.get_output_names()]
        lods = [handle.lod() if hasattr(handle, "lod") else None for handle in handles]
        made.append([Value(h.copy_to_cpu(), lod) for h, lod in zip(handles, lods, strict=True)])
    return made


def compare(case: Deployed, results: list[list[Value]]) -> None:
    for i, (found, (_, expected)) in enumerate(zip(results, case.rounds(), strict=True)):
        assert len(found) == len(expected)
        for k, (a, b) in enumerate(zip(found, expected, strict=True)):
            what = f"{case.name}, round {i}, output {k}"
            close(a.array, b.array, what)
            # 2.6.2 leaves out the levels where an operator counts the rows of each image, too.
            if a.levels is not None and (b.levels or case.name.startswith("1.8.5/")):
                assert a.levels == b.levels, what


def close(found: np.ndarray, expected: np.ndarray, what: str) -> None:
    """Equal up to rounding, relative to the largest element."""
    assert found.dtype == expected.dtype, f"{what}: {found.dtype}, not {expected.dtype}"
    if expected.shape == ():  # a number of rank 0 may come with the one dimension of 2.0
        found = found.reshape(())
    assert found.shape == expected.shape, f"{what}: {found.shape}, not {expected.shape}"
    if expected.dtype.kind != "f":
        np.testing.assert_array_equal(found, expected, err_msg=what)
        return
    size = float(np.max(np.abs(expected), initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=2e-5 * size, err_msg=what)


@pytest.mark.parametrize("name", CASES)
def test_the_same_numbers_and_levels(name: str, tmp_path: Path) -> None:
    case = read_deployed(name)
    compare(case, by_executor(case, tmp_path))


@pytest.mark.parametrize("name", PREDICTED)
def test_by_a_predictor(name: str, tmp_path: Path) -> None:
    case = read_deployed(name)
    compare(case, by_predictor(case, tmp_path))


@pytest.mark.parametrize("name", LAYERS)
def test_as_a_layer(name: str, tmp_path: Path) -> None:
    """By jit.load: called with Tensors, it gives the same."""
    paddle.disable_static()
    case = read_deployed(name)
    layer = paddle.jit.load(case.unpack(tmp_path)[0])
    for i, (inputs, expected) in enumerate(case.rounds()):
        outs = layer(*[paddle.to_tensor(value.array) for value in inputs.values()])
        flat = list(outs) if isinstance(outs, (list, tuple)) else [outs]
        assert len(flat) == len(expected)
        for k, (a, b) in enumerate(zip(flat, expected, strict=True)):
            close(a.numpy(), b.array, f"{name}, round {i}, output {k}")
