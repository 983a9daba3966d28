"""The board with what is long, large, constant or much: it stays readable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from visualdl import LogWriter

RUNS = 24
LONG_TAG = "block/" + "a_module_with_a_name_" * 14
LONG_TEXT = str(list(range(100, 160)))


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Many runs; the first has what is out of the ordinary."""
    root = tmp_path_factory.mktemp("extremes")
    for number in range(RUNS):
        with LogWriter(str(root / f"run{number:02}")) as writer:
            writer.add_pr_curve("pr", [0, 1, 1], [0.2, 0.6, 0.7], 0)
            writer.add_hparams({"rate": 0.1 * number, "widths": LONG_TEXT}, ["constant"])
            for step in range(50):
                writer.add_scalar("constant", 3.3, step)
            if number == 0:
                writer.add_scalar(LONG_TAG, 1e30, 0)
                writer.add_histogram("alone", np.arange(10.0), 5)
                for name, labels in (("no", [0, 0]), ("yes", [1, 1]), ("both", [0, 1])):
                    writer.add_pr_curve(f"one/{name}", labels, [0.2, 0.6], 0)
                    writer.add_roc_curve(f"one/{name}", labels, [0.2, 0.6], 0)
    return root


def test_numbers_of_axes(view: Any, server: Any) -> None:
    seen = view(server, "#/scalar")
    given = [0, 1500, 15000, 2.5e6, 1e9, 2e16, 1e37, -1e30, 1e-30]
    shown = seen.value("(all) => import('./js/format.js').then((m) => all.map(m.short))", given)
    assert shown == ["0", "1500", "15k", "2.5M", "1e9", "2e16", "1e37", "−1e30", "1e−30"]


def test_a_constant_stays_one_when_it_is_smoothed(view: Any, server: Any, logs: Path) -> None:
    seen = view(server, "#/scalar?smooth=0.9&search=constant")
    charts = "window.__board.pages.scalar.charts"
    seen.until(f"Object.keys({charts}.data('constant') ?? {{}}).length > 0")
    rows = seen.value(f"{charts}.data('constant')")[str(logs / "run00")]
    assert {smoothed for _, _, smoothed in rows} == {float(np.float32(3.3))}


def test_a_long_tag_takes_two_lines(view: Any, server: Any) -> None:
    seen = view(server, "#/scalar?search=block")
    heading = seen.page.locator("article h3")
    assert heading.get_attribute("title") == LONG_TAG
    assert heading.bounding_box()["height"] < 50 and seen.fits()
    seen.page.get_by_role("button", name="Full size").click()
    assert seen.page.locator("article.full .tag-name").inner_text() == LONG_TAG
    assert heading.bounding_box()["height"] < 120


def test_many_runs_below_a_curve_are_scrolled(view: Any, server: Any) -> None:
    seen = view(server, "#/curves?search=^pr")
    seen.until(f"document.querySelectorAll('.curve-run').length === {RUNS}")
    box = "document.querySelector('.curve-runs')"
    assert seen.value(f"{box}.clientHeight < 240 && {box}.scrollHeight > 2 * {box}.clientHeight")


def test_there_is_no_area_where_a_class_is_missing(view: Any, server: Any) -> None:
    seen = view(server, "#/curves?search=one")
    seen.until("document.querySelectorAll('.curve-area').length === 6")
    shown = seen.value("""[...document.querySelectorAll('.curve-card')].map((one) =>
        [one.dataset.tag, one.querySelector('.curve-area').innerText])""")
    assert sorted(map(tuple, shown)) == sorted([
        ("one/no", "AP –"), ("one/yes", "AP 1.0000"), ("one/both", "AP 1.0000"),
        ("one/no", "AUC –"), ("one/yes", "AUC –"), ("one/both", "AUC 1.0000"),
    ])  # fmt: skip


@pytest.mark.parametrize(("width", "most"), [(360, 281), (1280, 600)])
def test_long_settings_are_cut(view: Any, server: Any, width: int, most: int) -> None:
    seen = view(server, "#/hparam", width=width)
    cell = seen.page.locator("tbody td.long").first
    assert cell.get_attribute("title") == LONG_TEXT == cell.inner_text()
    assert cell.bounding_box()["width"] <= most and seen.fits()
    name = seen.page.locator("tbody th a").first.bounding_box()
    assert name["height"] < 30, "the name of a run stands beside its colour"


def test_a_histogram_alone_fills_its_card(view: Any, server: Any, logs: Path) -> None:
    seen = view(server, "#/histogram")
    name = f"window.__board.pages.histogram.shown('alone', {str(logs / 'run00')!r})"
    seen.until(f"{name}.drawn.length === 1 && {name}.option.series.length")
    low, high = seen.value(f"(({{min, max}}) => [min, max])([{name}.option.yAxis].flat()[0])")
    assert high == 5 and low < -5  # of several, the first has half a step for its height
