"""The forecast beats the naive one, and the exported network forecasts a plausible year."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.examples.running import load


@pytest.mark.slow
def test_time_series(tmp_path: Path) -> None:
    errors, coming = load("time_series").main(tmp_path)
    assert errors["naive"] == pytest.approx(0.749, abs=0.001)
    assert errors["LSTM"] < 0.56
    assert coming.argmax() == 4  # May has most carbon dioxide, autumn has least
    assert coming.argmin() in (8, 9)
    assert 371 < coming.mean() < 375
    written = {path.name for path in tmp_path.iterdir()}
    assert {"forecast.png", "curves.png", "forecaster.pdmodel"} <= written


def test_months_nobody_measured_lie_between_their_neighbours(tmp_path: Path) -> None:
    table = tmp_path / "series.csv"
    table.write_text("month,co2\n1958-03,316.0\n1958-04,\n1958-05,317.0\n")
    months, series = load("time_series").read_series(table)
    assert months == ["1958-03", "1958-04", "1958-05"]
    assert series.tolist() == [316.0, 316.5, 317.0]


def test_windows_tell_differences_from_the_last_known_month() -> None:
    example = load("time_series")
    windows = example.Windows(np.arange(100.0))
    assert len(windows) == 100 - example.PAST - example.FUTURE + 1
    past, future = windows[7]
    assert past.shape == (example.PAST, 1)
    np.testing.assert_allclose(past[-2:, 0] * example.SCALE, [-1, 0], atol=1e-6)
    np.testing.assert_allclose(future * example.SCALE, np.arange(1, example.FUTURE + 1), rtol=1e-6)


def test_the_naive_forecast_is_right_where_seasons_repeat_and_growth_is_steady() -> None:
    example = load("time_series")
    months = np.arange(100)
    windows = example.Windows(0.1 * months + np.sin(months * np.pi / 6))
    np.testing.assert_allclose(example.naive(windows.past), windows.future)
