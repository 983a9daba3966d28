"""The stubs of what is attached to Tensor and Variable: up to date, and understood by mypy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import paddle
from scripts import make_stubs

ROOT = Path(__file__).resolve().parent.parent.parent

CALLS = """
import paddle

x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
x.reshape([1]).mean().backward()
y: paddle.Tensor = (x + 1.0).T @ x[0] - 2 * x.astype("float64")
rows: list[paddle.Tensor] = list(x)
v = paddle.static.data("v", [2])
w: paddle.static.Variable = (v * 2).tanh().sum(axis=[0])
z: paddle.Tensor = paddle.matmul(v, w)  # functions take both and are annotated for one
model = paddle.Model(paddle.vision.models.LeNet())
activated: paddle.Tensor = paddle.nn.functional.relu(x)
"""
WRONG = {
    "x.no_such()": 'has no attribute "no_such"',
    "x.mean().no_such": 'has no attribute "no_such"',
    "x.tanh(nam='a')": 'Unexpected keyword argument "nam"',
    "x.sum(axis='0')": "incompatible type",
    "n: int = x.argmax()": "Incompatible types in assignment",
    "paddle.tanh(1.0)": "incompatible type",
    "paddle.tan(x)": 'has no attribute "tan"',
}


@pytest.mark.parametrize("stub", make_stubs.texts(), ids=lambda path: path.name)
def test_the_stubs_are_up_to_date(stub: Path) -> None:
    assert make_stubs.texts()[stub] == stub.read_text(encoding="utf8"), (
        "run `python scripts/make_stubs.py`"
    )


def test_a_stub_has_what_the_class_does_not_define_itself() -> None:
    path, (cls, _) = next(iter(make_stubs.CLASSES.items()))
    names = make_stubs.attached(path, cls)
    assert cls is paddle.Tensor
    assert {"reshape", "tanh", "T", "__add__", "astype"} <= set(names)
    assert not {"numpy", "detach", "shape", "_buf", "stop_gradient"} & set(names)


@pytest.mark.slow
def test_mypy_knows_the_methods_and_no_others(tmp_path: Path) -> None:
    source = CALLS + "".join(f"{line}\n" for line in WRONG)
    file = tmp_path / "uses_tensors.py"
    file.write_text(source, encoding="utf8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--follow-imports=silent", "--no-error-summary",
         str(file)],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    found = {}
    for line in done.stdout.splitlines():
        if ": error: " in line:
            found[int(line.split(":")[1])] = line
    first = CALLS.count("\n") + 1
    assert sorted(found) == list(range(first, first + len(WRONG))), done.stdout
    for number, text in enumerate(WRONG.values(), first):
        assert text in found[number]
