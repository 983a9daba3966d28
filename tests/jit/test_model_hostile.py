"""Damaged files of saved models: a clear error or a result, never a crash, whatever loads them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import paddle
from paddle import static
from paddle.core.errors import FrameworkError, InvalidArgumentError
from tests.jit.cases.model_cases import Case, names, read_case

# No loops: one that loses its counter runs for ever, as it says.
FUZZED = (
    "1.8.5/classes", "1.8.5/declarative", "1.8.5/several_outputs", "1.8.5/transformer",
    "2.6.2/branches", "2.6.2/classes", "2.6.2/indexing", "2.6.2/methods", "2.6.2/recurrent",
    "2.6.2/scalars",
)  # fmt: skip
CUT = ("1.8.5/digits", "1.8.5/mobile", "1.8.5/halving", "2.6.2/dense", "2.6.2/static_control")


def model_files(case: Case) -> list[str]:
    return [name for name, content in case.files.items() if name.startswith("model/") and content]


def by_executor(path: str, case: Case) -> None:
    with static.scope_guard(static.Scope()):
        exe = static.Executor(paddle.CPUPlace())
        program, feeds, fetches = static.load_inference_model(path, exe, **case.filenames)
        exe.run(program, dict(zip(feeds, case.runs()[0][1], strict=False)), fetches)


def by_layer(path: str, case: Case) -> None:
    layer = paddle.jit.load(path, **case.filenames)
    layer.eval()
    layer(*[paddle.to_tensor(v) for v in case.runs()[0][1]])


def damaged(content: bytes, r: random.Random) -> bytes:
    """Some flipped bits, a cut, a row of zeros, or bytes from elsewhere in the file."""
    made, how = bytearray(content), r.choice(("flip", "flip", "cut", "zero", "move"))
    at = r.randrange(len(made))
    if how == "flip":
        for _ in range(r.randint(1, 4)):
            made[r.randrange(len(made))] ^= 1 << r.randrange(8)
    elif how == "cut":
        del made[at:]
    elif how == "zero":
        made[at : at + 8] = bytes(len(made[at : at + 8]))
    else:
        start = r.randrange(len(made))
        made[at:at] = made[start : start + 16]
    return bytes(made)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUZZED)
def test_damaged_files(name: str, tmp_path: Path) -> None:
    """Twenty damages for each model: 200 in all."""
    case, r = read_case(name), random.Random(f"2021 {name}")
    path, refused = case.unpack(tmp_path), 0
    for i in range(20):
        file = r.choice(model_files(case))
        (tmp_path / file).write_bytes(damaged(case.files[file], r))
        try:
            (by_executor if i % 2 else by_layer)(path, case)
        except Exception as error:
            assert isinstance(error, FrameworkError), (i, file, repr(error))
            assert str(error).startswith("(") and len(str(error)) > 30, (i, file, str(error))
            refused += 1
        (tmp_path / file).write_bytes(case.files[file])
    assert refused >= 5


@pytest.mark.parametrize("name", CUT)
@pytest.mark.parametrize("load", [by_executor, by_layer])
def test_a_truncated_file_is_named(name: str, load: Any, tmp_path: Path) -> None:
    case, r = read_case(name), random.Random(name)
    path = case.unpack(tmp_path)
    for file in model_files(case):
        if file.endswith(".info") and load is by_executor:
            continue  # not read
        for _ in range(2):
            at = r.randrange(len(case.files[file]))
            (tmp_path / file).write_bytes(case.files[file][:at])
            with pytest.raises(ValueError, match=Path(file).name):
                load(path, case)
        (tmp_path / file).write_bytes(case.files[file])


@pytest.mark.parametrize("load", [by_executor, by_layer])
@pytest.mark.parametrize(
    ("name", "other"),
    [("2.6.2/dense", "2.6.2/shared"), ("2.6.2/shared", "2.6.2/dense"),
     ("2.6.2/batch_norm", "2.6.2/frozen"), ("2.6.2/encoder", "2.6.2/attention")],
)  # fmt: skip
def test_parameters_of_another_model(name: str, other: str, load: Any, tmp_path: Path) -> None:
    """The error names the file, and says what does not fit."""
    case = read_case(name)
    path = case.unpack(tmp_path)
    stolen = read_case(other).files["model/net.pdiparams"]
    (tmp_path / "model" / "net.pdiparams").write_bytes(stolen)
    with pytest.raises(InvalidArgumentError, match=r"variables|expected shape") as caught:
        load(path, case)
    assert path in str(caught.value)


@pytest.mark.parametrize("load", [by_executor, by_layer])
def test_a_program_of_another_model(load: Any, tmp_path: Path) -> None:
    case = read_case("2.6.2/dense")
    path = case.unpack(tmp_path)
    other = read_case("2.6.2/mobile").files["model/net.pdmodel"]
    (tmp_path / "model" / "net.pdmodel").write_bytes(other)
    with pytest.raises(InvalidArgumentError, match=r"net\.pdiparams"):
        load(path, case)


@pytest.mark.parametrize("load", [by_executor, by_layer])
@pytest.mark.parametrize("name", ["1.8.5/digits", "1.8.5/mobile", "2.6.2/dense"])
def test_a_missing_file_is_named(name: str, load: Any, tmp_path: Path) -> None:
    case = read_case(name)
    path = case.unpack(tmp_path)
    for file in model_files(case):
        if file.endswith(".info"):
            continue  # models of static.save_inference_model have none
        (tmp_path / file).unlink()
        with pytest.raises(FileNotFoundError, match=Path(file).name):
            load(path, case)
        (tmp_path / file).write_bytes(case.files[file])


def test_every_case_has_files() -> None:
    """A case of the index without files would pass for the wrong reason."""
    for name in names("inference", "jit", "training", "state", "objects", "program"):
        assert model_files(read_case(name)), name
