"""The page of histograms in a real browser: what is drawn is what was logged."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from visualdl import LogReader, LogWriter

STEPS = 30
HOSTILE = "<script>window.pwned=1</script>/<b>权重"


def values(run: int, step: int) -> np.ndarray:
    """What a run logs at a step."""
    return np.random.default_rng(100 * run + step).normal(step / 10, 1 + run, 500)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs."""
    root = tmp_path_factory.mktemp("histograms")
    for number, run in enumerate(["a", "b"]):
        with LogWriter(str(root / run)) as writer:
            for step in range(STEPS):
                time = 1_700_000_000 + 60 * step
                writer.add_histogram("fc/weight", values(number, step), step, time, buckets=20)
            if number == 0:
                writer.add_histogram(HOSTILE, values(0, 0), 5)
                writer.add_histogram("odd/one value", np.full(9, 3.5), 0)
                writer.add_histogram("odd/nothing", np.full(9, math.nan), 0)
                for step in range(200):
                    writer.add_histogram("long", values(0, step), step)
    return root


def shown(view: Any, tag: str, run: Path, rows: int = 1) -> dict[str, Any]:
    """What the card of a tag and a run shows, as soon as so many steps are drawn."""
    name = f"window.__board.pages.histogram.shown({tag!r}, {str(run)!r})"
    view.until(f"{name}.drawn.length >= {rows} && {name}.option.series.length")
    return view.value(f"(({{mode, rows, drawn}}) => ({{mode, rows, drawn}}))({name})")


def card(view: Any, tag: str) -> Any:
    """The first card of a tag."""
    return view.page.locator(f"article[data-tag='{tag}']").first


def read(view: Any) -> dict[str, str]:
    """The table beside the pointer."""
    rows = view.page.locator(".tip tr")
    table = {row.locator("th").inner_text(): row.locator("td").inner_text() for row in rows.all()}
    table["head"] = view.page.locator(".tip-head").inner_text().strip()
    return table


def test_histograms_equal_the_log(view, server, logs):
    seen = view(server, "#/histogram?search=fc")
    for number, run in enumerate(["a", "b"]):
        found = shown(seen, "fc/weight", logs / run, STEPS)
        assert found["mode"] == "offset" and found["drawn"] == list(range(STEPS))
        records = LogReader(str(logs / run)).get_data("histogram", "fc/weight")
        for step, (row, record) in enumerate(zip(found["rows"], records)):
            counts, edges = np.histogram(values(number, step), 20)
            assert row["ms"] == (1_700_000_000 + 60 * step) * 1000
            bins = np.array(row["bins"])
            np.testing.assert_array_equal(bins[:, 2], counts)
            np.testing.assert_allclose(bins[:, 0], edges[:-1])
            np.testing.assert_allclose(bins[:, 1], edges[1:])
            np.testing.assert_array_equal(bins[:, 2], record.histogram.hist)
    seen.picture("histogram-offset")


def test_overlay_density_and_axes(view, server, logs):
    seen = view(server, "#/histogram?search=fc&mode=overlay")
    shown(seen, "fc/weight", logs / "a", STEPS)
    option = f"window.__board.pages.histogram.shown('fc/weight', {str(logs / 'a')!r}).option"
    tallest = max(np.histogram(values(0, step), 20)[0].max() for step in range(STEPS))
    assert seen.until(f"{option}.yAxis[0].max") == pytest.approx(1.04 * tallest)
    seen.picture("histogram-overlay")
    seen.page.get_by_label("Height").select_option("density")
    wanted = max(np.histogram(values(0, s), 20, density=True)[0].max() for s in range(STEPS))
    seen.until(f"{option}.yAxis[0].max < 2")
    assert seen.value(f"{option}.yAxis[0].max") == pytest.approx(1.04 * wanted)
    seen.page.get_by_role("button", name="Offset").click()
    seen.page.get_by_role("button", name="Wall").click()
    seen.until(f"{option}.yAxis[0].type === 'time' && {option}.yAxis[0].inverse")
    seen.until("location.href.includes('height=density') && location.href.includes('axis=wall')")


def test_keys_tell_value_step_and_count(view, server, logs):
    seen = view(server, "#/histogram?search=fc")
    shown(seen, "fc/weight", logs / "a", STEPS)
    counts, edges = np.histogram(values(0, STEPS - 1), 20)
    at = int(counts.argmax())
    card(seen, "fc/weight").locator(".plot").focus()
    seen.page.keyboard.press("ArrowRight")  # the first key goes to the top of the last step
    table = read(seen)
    assert table["head"] == f"Step {STEPS - 1}" and table["Count"] == str(counts[at])
    left, right = [float(one.replace("−", "-")) for one in table["Value"].split("…")]
    assert (left, right) == pytest.approx((edges[at], edges[at + 1]), rel=1e-3)
    assert table["Share"] == f"{100 * counts[at] / 500:.3g} %"
    for key in ["ArrowUp", "ArrowRight"]:
        seen.page.keyboard.press(key)
    counts, _ = np.histogram(values(0, STEPS - 2), 20)
    assert read(seen)["head"] == f"Step {STEPS - 2}"
    assert read(seen)["Count"] == str(counts[at + 1])
    seen.page.keyboard.press("Home")
    assert read(seen)["head"] == "Step 0"
    seen.page.keyboard.press("Escape")
    assert seen.page.locator(".tip").count() == 0


def test_pointer_reads_the_nearest_step(view, server, logs):
    seen = view(server, "#/histogram?search=fc")
    shown(seen, "fc/weight", logs / "a", STEPS)
    plot = card(seen, "fc/weight").locator(".plot")
    box = plot.bounding_box()
    seen.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.9)
    table = read(seen)
    step = int(table["head"].split()[1])
    assert step > STEPS - 4
    left, right = [float(one.replace("−", "-")) for one in table["Value"].split("…")]
    counts, edges = np.histogram(values(0, step), 20)
    at = int(np.abs(edges[:-1] - left).argmin())
    assert right == pytest.approx(edges[at + 1], abs=1e-3) and table["Count"] == str(counts[at])
    seen.page.mouse.move(5, 5)
    seen.until("!document.querySelector('.tip')")


def test_full_size_and_picture(view, server, logs):
    seen = view(server, "#/histogram?search=fc")
    shown(seen, "fc/weight", logs / "a", STEPS)
    plot = card(seen, "fc/weight").locator(".plot")
    small = plot.bounding_box()["height"]
    card(seen, "fc/weight").get_by_role("button", name="Full size").click()
    seen.until(f"document.querySelector('.card.full .plot').clientHeight > {1.5 * small}")
    seen.picture("histogram-full")
    seen.page.keyboard.press("Escape")
    seen.until("!document.querySelector('.card.full')")
    with seen.page.expect_download() as waiting:
        card(seen, "fc/weight").get_by_role("button", name="Save as PNG").click()
    assert waiting.value.suggested_filename == "fc_weight-a.png"
    assert Path(waiting.value.path()).read_bytes().startswith(b"\x89PNG")


def test_most_steps(view, server, logs):
    seen = view(server, "#/histogram?search=long")
    found = shown(seen, "long", logs / "a", 60)
    assert len(found["drawn"]) == 60
    assert (found["drawn"][0], found["drawn"][-1]) == (0, 199)
    seen.page.get_by_label("Max. steps").select_option("400")
    assert shown(seen, "long", logs / "a", 200)["drawn"] == list(range(200))


def test_odd_values_and_hostile_tags(view, server, logs):
    seen = view(server, "#/histogram?search=odd|script")
    shown(seen, "odd/one value", logs / "a")
    shown(seen, "odd/nothing", logs / "a")
    shown(seen, HOSTILE, logs / "a")
    assert HOSTILE in [one.inner_text().split("\n")[0] for one in seen.page.locator("h3").all()]
    assert seen.value("window.pwned === undefined")


def test_runs_are_chosen(view, server, logs):
    seen = view(server, "#/histogram?search=fc")
    shown(seen, "fc/weight", logs / "b", STEPS)
    seen.page.locator(f"#runs input[data-run='{logs / 'a'}']").uncheck()
    seen.until("window.__board.pages.histogram.cards().length === 1")
    assert seen.page.locator("article.card").get_attribute("data-run") == str(logs / "b")
    seen.page.locator("#runs").get_by_role("button", name="None").click()
    seen.until("document.querySelector('.empty')")


def test_live(view, serve, tmp_path):
    with LogWriter(str(tmp_path / "run")) as writer:
        writer.add_histogram("w", values(0, 0), 0)
        writer.flush()
        seen = view(serve(tmp_path), "#/histogram")
        shown(seen, "w", tmp_path / "run")
        for step in range(1, 4):
            writer.add_histogram("w", values(0, step), step)
        writer.flush()
        found = shown(seen, "w", tmp_path / "run", 4)
        assert [row[2] for row in found["rows"][3]["bins"]] == [*np.histogram(values(0, 3), 10)[0]]


@pytest.mark.parametrize("mode", ["offset", "overlay"])
def test_narrow_dark_chinese(view, server, logs, mode):
    seen = view(
        server,
        f"#/histogram?search=fc&mode={mode}",
        width=360,
        height=740,
        locale="zh-CN",
        color_scheme="dark",
    )
    shown(seen, "fc/weight", logs / "a", STEPS)
    assert seen.fits() and "直方图" in seen.page.title()
    card(seen, "fc/weight").locator(".plot").focus()
    seen.page.keyboard.press("ArrowLeft")
    assert read(seen)["head"] == f"步数 {STEPS - 1}"
    assert seen.fits()
    seen.picture(f"histogram-{mode}-narrow-dark-zh")
