"""The board's example: what two trainings log, kind by kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.examples.running import load, needs_mnist
from visualdl import LogReader


@pytest.mark.slow
@needs_mnist
def test_everything_that_the_board_shows_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    accuracies = load("visualdl_board").main(["--no-board"])
    assert min(accuracies.values()) > 0.94
    reader = LogReader("output/visualdl_board")
    assert {Path(run).name for run in reader.runs()} >= set(accuracies)
    for kind in accuracies:
        run = LogReader(f"output/visualdl_board/{kind}")
        tags = run.get_tags()
        shown = {
            "audio",
            "embeddings",
            "histogram",
            "image",
            "pr_curve",
            "roc_curve",
            "scalar",
            "text",
        }
        assert shown <= set(tags), tags
        losses = [record.value for record in run.get_data("scalar", "train/loss")]
        assert len(losses) == 600
        assert sum(losses[-50:]) < 0.3 * sum(losses[:50])
        assert list(Path(f"output/visualdl_board/{kind}").glob("*.pdmodel"))
