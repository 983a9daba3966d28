"""Models and states that PaddlePaddle 1.8.5 and 2.6.2 saved, in every layout, run here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import static
from tests.ir.corpus_cases import Case, names, read_case

CASES = names("saved")
INFERENCE = [n for n in CASES if read_case(n).meta["layout"] in ("inference", "jit")]
TRAINING = [n for n in CASES if read_case(n).meta["layout"] == "training"]
VARIABLES = [n for n in CASES if read_case(n).meta["layout"] == "variables"]


@pytest.fixture
def exe() -> Iterator[static.Executor]:
    with static.scope_guard(static.Scope()):
        yield static.Executor(paddle.CPUPlace())


def unpacked(name: str, folder: Path) -> tuple[Case, str, dict[str, Any]]:
    """The case, the path of its model, and the file names that a loader is given."""
    case = read_case(name)
    case.unpack(folder)
    where = case.meta["names"]
    path = str(folder / where.get("prefix", where.get("dirname")))
    return case, path, {k: v for k, v in where.items() if k.endswith("_filename")}


def stored(case: Case) -> dict[str, np.ndarray]:
    found = case.values("expected.npz")
    return {k.removeprefix("stored/"): v for k, v in found.items() if k.startswith("stored/")}


def check_run(exe: Any, program: Any, feeds: dict, fetches: Any, case: Case) -> None:
    got = exe.run(program, feed=feeds, fetch_list=fetches)
    expected = [v for k, v in case.values("expected.npz").items() if k.startswith("fetch_")]
    assert len(got) == len(expected)
    for a, b in zip(got, expected, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", INFERENCE)
def test_inference_model_gives_the_numbers_of_the_release(
    name: str, tmp_path: Path, exe: Any
) -> None:
    case, path, files = unpacked(name, tmp_path)
    program, feeds, fetches = static.load_inference_model(path, exe, **files)
    given = case.values("feeds.npz")
    if case.meta["feeds"] == [None]:  # a traced model names its inputs itself
        given = dict(zip(feeds, given.values(), strict=True))
    assert feeds == list(given)
    check_run(exe, program, given, fetches, case)


@pytest.mark.parametrize("name", INFERENCE)
def test_inference_model_saved_again_gives_the_same(name: str, tmp_path: Path, exe: Any) -> None:
    _, path, files = unpacked(name, tmp_path)
    program, feeds, fetches = static.load_inference_model(path, exe, **files)
    inputs = [program.global_block().var(n) for n in feeds]
    again = str(tmp_path / "again" / "net")
    static.save_inference_model(again, inputs, fetches, exe, program=program)
    values = {k: v.numpy() for k, v in program.state_dict().items()}
    with static.scope_guard(static.Scope()):
        second, feeds2, fetches2 = static.load_inference_model(again, exe)
        assert feeds2 == feeds
        assert [v.name for v in fetches2] == [v.name for v in fetches]
        assert second.program_version == program.program_version
        found = second.state_dict()
        assert set(found) == set(values)
        for key, value in found.items():
            np.testing.assert_array_equal(value.numpy(), values[key])


@pytest.mark.parametrize("name", TRAINING)
def test_training_state_continues_where_the_release_stopped(
    name: str, tmp_path: Path, exe: Any
) -> None:
    case, path, _ = unpacked(name, tmp_path)
    program = paddle.load(path + ".pdmodel")
    static.load(program, path, exe)
    wanted = stored(case)
    found = program.state_dict()
    assert set(found) == set(wanted)
    for key, value in wanted.items():
        np.testing.assert_array_equal(found[key].numpy().reshape(value.shape), value)
    check_run(exe, program, case.values("feeds.npz"), case.meta["fetches"], case)


@pytest.mark.parametrize("name", TRAINING)
def test_training_state_is_written_as_it_was_read(name: str, tmp_path: Path, exe: Any) -> None:
    case, path, _ = unpacked(name, tmp_path)
    program = paddle.load(path + ".pdmodel")
    static.load(program, path)
    static.save(program, str(tmp_path / "again"))
    assert (tmp_path / "again.pdmodel").read_bytes() == Path(path + ".pdmodel").read_bytes()
    for key, value in static.load_program_state(str(tmp_path / "again")).items():
        want = stored(case)[key]
        assert value.shape == want.shape and value.dtype == want.dtype
        np.testing.assert_array_equal(value, want)


@pytest.mark.parametrize("name", VARIABLES)
@pytest.mark.parametrize("how", ["load_vars", "load", "state"])
def test_persistables_of_1x(name: str, how: str, tmp_path: Path, exe: Any) -> None:
    case, path, _ = unpacked(name, tmp_path)
    file = case.meta["names"].get("filename")
    whole = path if file is None else f"{path}/{file}"
    program = paddle.load(str(tmp_path / case.meta["names"]["program"]))
    kept = [v for v in program.list_vars() if v.persistable]
    if how == "load_vars":
        static.load_vars(exe, path, program, filename=file)
    elif how == "load":
        static.load(program, whole, exe, kept)
    else:
        state = paddle.io.load_program_state(whole, None if file is None else kept)
        assert set(state) == set(stored(case))
        static.set_program_state(program, state)
    check_run(exe, program, case.values("feeds.npz"), case.meta["fetches"], case)


@pytest.mark.parametrize("name", CASES)
def test_state_of_every_layout(name: str, tmp_path: Path) -> None:
    case, path, _ = unpacked(name, tmp_path)
    state = static.load_program_state(path)
    wanted = stored(case)
    if case.meta["layout"] != "jit" and "traced" not in name:  # those list a Layer's names
        wanted = {
            k: v for k, v in wanted.items() if k in state or case.meta["layout"] != "inference"
        }
        assert set(state) == set(wanted)
        for key, value in wanted.items():
            np.testing.assert_array_equal(state[key], value)
    assert all(isinstance(v, np.ndarray) for v in state.values())


@pytest.mark.parametrize("name", INFERENCE)
def test_paddle_load_of_a_model_gives_its_parameters(name: str, tmp_path: Path) -> None:
    case, path, files = unpacked(name, tmp_path)
    found = paddle.load(path, **files)
    arrays = paddle.load(path, return_numpy=True, **files)
    assert all(isinstance(v, paddle.Tensor) for v in found.values())
    assert set(found) == set(arrays)
    for key, value in arrays.items():
        np.testing.assert_array_equal(found[key].numpy(), value)
    if case.meta["layout"] == "jit":  # by the Layer's own names, from .pdiparams.info
        wanted = stored(case)
        assert set(found) == set(wanted)
        assert found["first.weight"].name == "linear_0.w_0"
        for key, value in wanted.items():
            np.testing.assert_array_equal(arrays[key], value)
        table = paddle.load(path, keep_name_table=True)["StructuredToParameterName@@"]
        assert table["first.weight"] == "linear_0.w_0"


def test_paddle_load_of_save_persistables(tmp_path: Path) -> None:
    case, path, _ = unpacked("1.8.5_saved_persistables", tmp_path)
    found = paddle.load(path, return_numpy=True)
    wanted = stored(case)
    assert set(found) == set(wanted)
    for key, value in wanted.items():
        np.testing.assert_array_equal(found[key], value)
    one = paddle.load(path + "/fc_0.w_0")
    np.testing.assert_array_equal(one.numpy(), wanted["fc_0.w_0"])


def test_layer_takes_the_parameters_of_a_1x_model(tmp_path: Path) -> None:
    case, path, _ = unpacked("1.8.5_saved_separate", tmp_path)
    layer = paddle.nn.Linear(6, 5)
    layer.weight.name, layer.bias.name = "fc_0.w_0", "fc_0.b_0"
    with pytest.warns(UserWarning, match=r"Not used: fc_1\.b_0, fc_1\.w_0"):
        layer.set_state_dict(paddle.load(path), use_structured_name=False)
    np.testing.assert_array_equal(layer.weight.numpy(), stored(case)["fc_0.w_0"])


def test_model_written_here_gave_262_the_same_numbers(tmp_path: Path, exe: Any) -> None:
    """here_trained.zip: saved by scripts/oracle/written_here.py; oracle.npz is of 2.6.2."""
    case = read_case("here_trained")
    case.unpack(tmp_path)
    program, feeds, fetches = static.load_inference_model(str(tmp_path / "model" / "net"), exe)
    given = case.values("feeds.npz")
    assert feeds == list(given)
    got = exe.run(program, feed=given, fetch_list=fetches)
    oracle, ours = case.values("oracle.npz"), case.values("expected.npz")
    np.testing.assert_allclose(got[0], oracle["fetch_0"], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(got[0], ours["fetch_0"], rtol=1e-5, atol=1e-6)
    for name, value in program.state_dict().items():
        np.testing.assert_array_equal(value.numpy(), oracle["after/" + name])
    # Saving it once more gives the same bytes, so what 2.6.2 accepted is what is written now.
    inputs = [program.global_block().var(n) for n in feeds]
    again = tmp_path / "again"
    static.save_inference_model(str(again), inputs, fetches, exe, program=program)
    params = (tmp_path / "model" / "net.pdiparams").read_bytes()
    assert again.with_suffix(".pdiparams").read_bytes() == params
