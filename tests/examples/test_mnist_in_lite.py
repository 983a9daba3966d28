"""LeNet with int8 weights, answered by C, by C on arm64, and by NumPy alone."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.examples.running import load, needs_mnist

FOLDER = Path(__file__).parents[2] / "examples" / "lite"
TOOLS = {
    "mnist_in_c": ["gcc"],
    "mnist_in_python": ["gcc"],
    "mnist_on_arm64": ["aarch64-linux-gnu-gcc", "qemu-aarch64"],
}


@pytest.mark.slow
@needs_mnist
@pytest.mark.parametrize("name", TOOLS)
def test_it_answers(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not all(map(shutil.which, TOOLS[name])):
        pytest.skip(f"needs {', '.join(TOOLS[name])}")
    monkeypatch.setitem(sys.modules, "mnist_in_c", load("lite/mnist_in_c"))  # others import it
    monkeypatch.setattr(sys, "argv", [str(FOLDER / f"{name}.py"), "--images", "6400"])
    load(f"lite/{name}").main()
    whole, *others = capsys.readouterr().out.splitlines()
    first = float(whole.split()[-2])
    found = [float(line.split(" %")[0].split()[-1]) for line in others if line.startswith("int8")]
    assert first > 75 and found and all(abs(first - small) < 1 for small in found)
