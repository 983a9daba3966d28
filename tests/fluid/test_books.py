"""The examples of fluid have the losses of 1.8.5, and the results that they state."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import paddle
from tests.fluid.book_runs import BOOKS, losses

FROZEN = Path(__file__).parents[1] / "data" / "fluid" / "books.json"


@pytest.fixture(autouse=True)
def static_mode() -> Iterator[None]:
    paddle.enable_static()
    yield
    paddle.disable_static()


@pytest.mark.parametrize("name, network", [(n, k) for n, kinds in BOOKS.items() for k in kinds])
def test_ten_losses_equal_185(name: str, network: str) -> None:
    """Frozen by scripts/oracle/fluid_books_185.py."""
    want = json.loads(FROZEN.read_text(encoding="utf8"))[f"{name}.{network}"]
    np.testing.assert_allclose(losses(name, network), want, rtol=2e-4)


@pytest.mark.slow
def test_machine_translation(capsys: pytest.CaptureFixture[str]) -> None:
    import machine_translation  # type: ignore[import-not-found]

    assert machine_translation.main() > 0.97
    assert "sentences right" in capsys.readouterr().out
