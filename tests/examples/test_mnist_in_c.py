"""LeNet with int8 weights, answered by C."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.examples.running import load, needs_mnist

FILE = Path(__file__).parents[2] / "examples" / "lite" / "mnist_in_c.py"


@pytest.mark.slow
@needs_mnist
@pytest.mark.skipif(not shutil.which("gcc"), reason="needs a C compiler")
def test_c_answers(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [str(FILE), "--images", "6400"])
    load("lite/mnist_in_c").main()
    float_line, int8_line, _ = capsys.readouterr().out.splitlines()
    whole, small = (float(line.split()[-2]) for line in (float_line, int8_line))
    assert whole > 75 and abs(whole - small) < 1
