"""SavedModel: what every reader gets of a folder, and what every writer puts there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.serialization.models.layouts import MAIN, folder_layout, prefix_layout
from paddle.serialization.models.saved_model import SavedModel
from paddle.static import InputSpec
from tests.jit.cases.model_cases import names, read_case
from tests.jit.cases.saved_cases import FOUR, Methods, Plain

OLD = [n for n in names("inference") if n.startswith("1.8.5")]


@pytest.fixture
def exe() -> Iterator[static.Executor]:
    with static.scope_guard(static.Scope()):
        yield static.Executor(paddle.CPUPlace())


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the methods by which SavedModels are read and written."""
    seen: list[str] = []

    def counted(name: str, function: Callable) -> Callable:
        def call(*args: Any, **kwargs: Any) -> Any:
            seen.append(name)
            return function(*args, **kwargs)

        return call

    monkeypatch.setattr(SavedModel, "read", staticmethod(counted("read", SavedModel.read)))
    monkeypatch.setattr(SavedModel, "write", counted("write", SavedModel.write))
    return seen


# -- writers --------------------------------------------------------------------------------------


def by_jit(path: str, **options: Any) -> None:
    net = Plain()
    net.eval()
    paddle.jit.save(net, path, FOUR, **options)


def by_traced(path: str) -> None:
    net = Plain()
    net.eval()
    _, traced = paddle.jit.TracedLayer.trace(net, [paddle.rand([2, 4])])
    traced.save_inference_model(path)


def by_static(path: str) -> None:
    main, startup = static.Program(), static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(main, startup), static.scope_guard(static.Scope()):
            x = static.data("x", [None, 4])
            y = static.nn.fc(x, 3)
            exe = static.Executor(paddle.CPUPlace())
            exe.run(startup)
            static.save_inference_model(path, [x], [y], exe)
    finally:
        paddle.disable_static()


def by_model(path: str) -> None:
    paddle.Model(Plain(), FOUR).save(path, training=False)


def by_static_model(path: str) -> None:
    paddle.enable_static()
    try:
        main = static.program_guard(static.Program(), static.Program())
        with main, static.scope_guard(static.Scope()):
            model = paddle.Model(paddle.nn.Linear(4, 3), [InputSpec([None, 4], "float32", "x")])
            model.prepare()
            model.save(path, training=False)
    finally:
        paddle.disable_static()


def in_folder(path: str) -> None:
    by_jit(path, separate_params=True)


def in_named_files(path: str) -> None:
    by_jit(path, model_filename="m", params_filename="p")


WRITERS = [by_jit, by_traced, by_static, by_model, by_static_model, in_folder, in_named_files]
OPTIONS = {in_named_files: {"model_filename": "m", "params_filename": "p"}}


def filenames(options: dict[str, str]) -> tuple[str | None, str | None]:
    return options.get("model_filename"), options.get("params_filename")


def files_of(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir()}


@pytest.mark.parametrize("writer", WRITERS, ids=lambda w: w.__name__)
def test_writers(writer: Callable, tmp_path: Path, calls: list[str]) -> None:
    """Each writes a SavedModel; what is read of it is written again byte for byte."""
    writer(str(tmp_path / "one" / "net"))
    assert calls == ["write"]
    given = filenames(OPTIONS.get(writer, {}))
    model = SavedModel.read(str(tmp_path / "one" / "net"), "test", given)
    assert model.release == 2_000_000 and model.left_out == {}
    again = str(tmp_path / "two" / "net")
    if writer in (in_folder, in_named_files):
        model.write(folder_layout(again, *given), "test")
        assert files_of(tmp_path / "two" / "net") == files_of(tmp_path / "one" / "net")
    else:
        model.write(prefix_layout(again, model.programs, table=bool(model.table)), "test")
        assert files_of(tmp_path / "two") == files_of(tmp_path / "one")


@pytest.mark.parametrize("shared", [False, True])
def test_several_methods(shared: bool, tmp_path: Path) -> None:
    net = Methods()
    net.eval()
    paddle.jit.save(net, str(tmp_path / "one" / "net"), combine_params=shared)
    model = SavedModel.read(str(tmp_path / "one" / "net"), "test")
    assert list(model.programs) == [MAIN, "another_forward"]
    assert sorted(model.structured_names.values()) == [
        "one.bias", "one.weight", "two.bias", "two.weight",
    ]  # fmt: skip
    model.write(prefix_layout(str(tmp_path / "two" / "net"), model.programs, shared), "test")
    assert files_of(tmp_path / "two") == files_of(tmp_path / "one")


def test_a_layout_without_a_table_writes_none(tmp_path: Path) -> None:
    by_jit(str(tmp_path / "net"))
    model = SavedModel.read(str(tmp_path / "net"), "test")
    assert model.table
    model.write(prefix_layout(str(tmp_path / "two" / "net"), [MAIN], table=False), "test")
    assert sorted(files_of(tmp_path / "two")) == ["net.pdiparams", "net.pdmodel"]


# -- readers --------------------------------------------------------------------------------------


def same_for_all(path: str, exe: Any, calls: list[str], options: dict[str, str]) -> None:
    expected = SavedModel.read(path, "test", filenames(options))
    calls.clear()
    program, feeds, fetches = static.load_inference_model(path, exe, **options)
    layer = paddle.jit.load(path, **options)
    state = paddle.load(path, return_numpy=True, **options)
    assert calls == ["read"] * 3

    content = expected.programs[MAIN].desc.serialize_to_string()
    assert program.desc.serialize_to_string() == content
    assert layer.program().desc.serialize_to_string() == content
    assert feeds == expected.feeds()
    assert [v.name for v in fetches] == [v.name for v in expected.fetches()]
    table, held = expected.structured_names, layer._tensors()
    assert len(state) == len(held) == len(expected.values)
    for name, value in expected.values.items():
        of_scope = np.array(static.global_scope().find_var(name).get_tensor())
        for found in (of_scope, held[name].numpy(), state[table.get(name, name)]):
            np.testing.assert_array_equal(found.reshape(value.array.shape), value.array)


@pytest.mark.parametrize("writer", WRITERS, ids=lambda w: w.__name__)
def test_readers(writer: Callable, tmp_path: Path, exe: Any, calls: list[str]) -> None:
    """static.load_inference_model, jit.load and paddle.load give the same Program and values."""
    writer(str(tmp_path / "net"))
    same_for_all(str(tmp_path / "net"), exe, calls, OPTIONS.get(writer, {}))


@pytest.mark.parametrize("name", OLD)
def test_readers_of_old_models(name: str, tmp_path: Path, exe: Any, calls: list[str]) -> None:
    case = read_case(name)
    same_for_all(case.unpack(tmp_path), exe, calls, case.filenames)


def test_contents_in_place_of_a_path(tmp_path: Path, exe: Any) -> None:
    by_jit(str(tmp_path / "net"))
    parts = [(tmp_path / f"net{s}").read_bytes() for s in (".pdmodel", ".pdiparams")]
    model = SavedModel.from_bytes(*parts, "test")
    expected = SavedModel.read(str(tmp_path / "net"), "test", forward_only=True)
    assert model.programs[MAIN].desc.serialize_to_string() == parts[0]
    assert model.table == expected.table == {}
    assert sorted(model.values) == sorted(expected.values)
    for name, value in model.values.items():
        np.testing.assert_array_equal(value.array, expected.values[name].array)
