"""Linear regression finds what least squares calls best, and its files hold all it needs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.examples.running import load


@pytest.mark.slow
def test_linear_regression_agrees_with_least_squares(tmp_path: Path) -> None:
    found = load("linear_regression").main(tmp_path)
    assert found["error"] == pytest.approx(272, abs=2)
    assert found["error"] == pytest.approx(found["error of least squares"], rel=0.01)
    assert found["explained"] > 0.88
    assert found["difference of weights"] < 0.005
    assert found["same when loaded"]
    assert (tmp_path / "regression.png").stat().st_size > 1000


def test_rows_with_gaps_are_left_out_and_words_become_indicators(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text(
        "species,island,bill_length_mm,bill_depth_mm,flipper_length_mm,body_mass_g,sex,year\n"
        "Adelie,Dream,39.5,17.0,186,3800,female,2007\n"
        "Adelie,Dream,39.5,17.0,186,NA,female,2007\n"
        "Gentoo,Biscoe,50.0,15.5,220,5700,male,2008\n"
    )
    features, mass, species = load("linear_regression").read_table(table)
    np.testing.assert_allclose(features[:, 2:], [[186, 0, 0, 0], [220, 0, 1, 1]])
    np.testing.assert_allclose(mass, [[3.8], [5.7]])
    assert species.tolist() == ["Adelie", "Gentoo"]


def test_the_bundled_table_has_the_penguins_that_were_measured_completely() -> None:
    example = load("linear_regression")
    features, mass, _ = example.read_table()
    assert features.shape == (333, len(example.FEATURES))
    assert 2.5 < mass.min() < mass.max() < 6.5
