"""The page of PR and ROC curves in a real browser: what is drawn is what was logged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.visualdl.browser.board import Server
from visualdl import LogReader, LogWriter

COUNT = 11
HOSTILE = "<script>window.pwned=1</script>/曲线"
STEPS = {"a": range(0, 50, 10), "b": range(0, 50, 20)}


def sample(run: str, step: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels and predictions of a run at a step."""
    source = np.random.default_rng(ord(run) * 100 + step)
    labels = source.integers(0, 2, 400)
    return labels, np.clip(0.5 * source.random(400) + 0.01 * step * labels, 0, 1)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs; the second is slower and logs less often."""
    root = tmp_path_factory.mktemp("curves")
    for run, steps in STEPS.items():
        with LogWriter(str(root / run)) as writer:
            for step in steps:
                time = 1_700_000_000 + step * (1 if run == "a" else 3)
                more = {"num_thresholds": COUNT, "walltime": time}
                writer.add_pr_curve("val/pr", *sample(run, step), step, **more)
                writer.add_roc_curve("val/roc", *sample(run, step), step, **more)
            if run == "a":
                writer.add_pr_curve(HOSTILE, *sample("a", 0), 0)
                writer.add_roc_curve("one class", np.zeros(9), np.zeros(9), 0)
    return root


@pytest.fixture(scope="module")
def server(logs: Path) -> Iterator[Server]:
    """A server on the folder."""
    started = Server(logs)
    yield started
    started.close()


def shown(view: Any, tag: str, runs: int = 2) -> dict[str, Any]:
    """What the card of a tag shows, as soon as it shows so many runs."""
    name = f"window.__board.pages.curves.shown({tag!r})"
    view.until(f"Object.keys({name}.runs).length >= {runs} && {name}.option.series.length")
    return view.value(name)


def steps(view: Any, tag: str, wanted: str) -> None:
    """Waits until the runs of a card are at these steps."""
    name = f"window.__board.pages.curves.shown({tag!r}).runs"
    view.until(f"Object.values({name}).map((one) => one.step).join() === {wanted!r}")


def card(view: Any, tag: str) -> Any:
    """The card of a tag."""
    return view.page.locator(f"article[data-tag='{tag}']")


def read(view: Any) -> dict[str, str]:
    """The table beside the pointer."""
    rows = view.page.locator(".tip tr")
    table = {row.locator("th").inner_text(): row.locator("td").inner_text() for row in rows.all()}
    table["head"] = view.page.locator(".tip-head").inner_text().strip()
    return table


def counts(run: str, step: int, at: int) -> dict[str, int]:
    """What threshold number `at` makes of the sample of a run."""
    labels, found = sample(run, step)
    taken = np.floor(found * (COUNT - 1)) >= at
    return {
        "TP": int((taken & (labels == 1)).sum()),
        "FP": int((taken & (labels == 0)).sum()),
        "TN": int((~taken & (labels == 0)).sum()),
        "FN": int((~taken & (labels == 1)).sum()),
    }


@pytest.mark.parametrize("kind", ["pr", "roc"])
def test_curves_equal_the_log(view, server, logs, kind):
    seen = view(server, "#/curves?search=val")
    found = shown(seen, f"val/{kind}")
    assert found["kind"] == f"{kind}_curve" and found["places"] == [0, 10, 20, 30, 40]
    names = ("precision", "recall") if kind == "pr" else ("tpr", "fpr")
    for run in STEPS:
        one = found["runs"][str(logs / run)]
        records = LogReader(str(logs / run)).get_data(f"{kind}_curve", f"val/{kind}")
        curve = getattr(records[-1], f"{kind}_curve")
        assert one["step"] == 40
        np.testing.assert_array_equal(one["y"], getattr(curve, names[0]))
        np.testing.assert_array_equal(one["x"], getattr(curve, names[1]))
        for at in range(COUNT):
            assert {name: one[name][at] for name in ("TP", "FP", "TN", "FN")} == counts(run, 40, at)
        np.testing.assert_allclose(one["threshold"], np.linspace(0, 1, COUNT))
    seen.picture("curves-light")


def test_drawn_points(view, server, logs):
    seen = view(server, "#/curves?search=val")
    found = shown(seen, "val/roc")
    lines = [one for one in found["option"]["series"] if one.get("id") in found["runs"]]
    assert len(lines) == 2
    for line in lines:
        one = found["runs"][line["id"]]
        np.testing.assert_array_equal(line["data"], np.stack([one["x"], one["y"]], -1))
    found = shown(seen, "val/pr")
    line = next(one for one in found["option"]["series"] if one["id"] == str(logs / "a"))
    one = found["runs"][str(logs / "a")]
    for (_, y), true, false, logged in zip(line["data"], one["TP"], one["FP"], one["y"]):
        assert y == (logged if true + false else None)  # there is no precision of nothing


def test_area(view, server, logs):
    seen = view(server, "#/curves?search=val&kind=roc_curve")
    one = shown(seen, "val/roc")["runs"][str(logs / "a")]
    wanted = -np.trapezoid([*one["y"], 0], [*one["x"], 0])
    text = card(seen, "val/roc").locator(".curve-area").first.inner_text()
    assert text == f"AUC {wanted:.4f}"
    assert seen.value("window.__board.pages.curves.cards()") == ["roc_curve val/roc"]
    seen.page.get_by_role("button", name="PR", exact=True).click()
    one = shown(seen, "val/pr")["runs"][str(logs / "a")]
    wanted = -np.sum(np.diff([*one["x"], 0]) * one["y"])
    text = card(seen, "val/pr").locator(".curve-area").first.inner_text()
    assert text == f"AP {wanted:.4f}"


def test_slider_by_keys(view, server, logs):
    seen = view(server, "#/curves?search=val")
    shown(seen, "val/pr")
    card(seen, "val/pr").get_by_role("slider", name="Step").first.focus()
    seen.page.keyboard.press("Home")
    steps(seen, "val/pr", "0,0")
    seen.page.keyboard.press("ArrowRight")
    steps(seen, "val/pr", "10,0")
    found = shown(seen, "val/pr")["runs"]
    assert found[str(logs / "a")]["TP"][3] == counts("a", 10, 3)["TP"]
    steps(seen, "val/roc", "40,40")


def test_axis_of_time(view, server, logs):
    seen = view(server, "#/curves?search=val&axis=relative")
    found = shown(seen, "val/pr")
    # a needs 10 s for 10 steps, b 60 s for 20
    assert found["places"] == [0, 10_000, 20_000, 30_000, 40_000, 60_000, 120_000]
    slider = card(seen, "val/pr").get_by_role("slider", name="Relative").first
    slider.fill("5")
    steps(seen, "val/pr", "40,20")
    assert slider.get_attribute("aria-valuetext") == "1m 00s"
    seen.page.get_by_role("button", name="Wall").click()
    steps(seen, "val/pr", "40,40")
    assert shown(seen, "val/pr")["places"][-1] == (1_700_000_000 + 120) * 1000


def test_slider_of_each_run(view, server):
    seen = view(server, "#/curves?search=val")
    shown(seen, "val/pr")
    seen.page.get_by_label("A slider for each run").check()
    card(seen, "val/pr").get_by_role("slider", name="Step of b").focus()
    seen.page.keyboard.press("ArrowLeft")
    steps(seen, "val/pr", "40,20")
    assert card(seen, "val/pr").locator(".places:visible").count() == 2
    seen.until("location.href.includes('own=1')")


def test_hover_and_keys_tell_the_counts(view, server, logs):
    seen = view(server, "#/curves?search=val&kind=roc_curve")
    found = shown(seen, "val/roc")["runs"][str(logs / "a")]
    plot = card(seen, "val/roc").locator(".plot")
    plot.focus()
    for key in ["Home", "ArrowRight", "ArrowRight", "ArrowRight"]:
        seen.page.keyboard.press(key)
    table = read(seen)
    assert table["head"] == "a · Step 40" and table["Threshold"] == "0.3"
    wanted = counts("a", 40, 3)
    assert {key[-3:-1]: int(table[key]) for key in table if key.endswith(")")} == wanted
    assert float(table["True positive rate"]) == pytest.approx(found["y"][3], abs=1e-4)
    seen.page.keyboard.press("ArrowDown")
    assert read(seen)["head"] == "b · Step 40"
    seen.page.keyboard.press("Escape")
    box = plot.bounding_box()
    seen.page.mouse.move(box["x"] + box["width"] - 20, box["y"] + 14)
    table = read(seen)
    assert table["Threshold"] == "0" and table["False positive rate"] == "1"
    seen.picture("curves-hover")


def test_full_size_and_picture(view, server):
    seen = view(server, "#/curves?search=val&kind=pr_curve")
    shown(seen, "val/pr")
    small = card(seen, "val/pr").locator(".plot").bounding_box()["height"]
    card(seen, "val/pr").get_by_role("button", name="Full size").click()
    seen.until(f"document.querySelector('.card.full .plot').clientHeight > {1.4 * small}")
    with seen.page.expect_download() as waiting:
        card(seen, "val/pr").get_by_role("button", name="Save as PNG").click()
    assert waiting.value.suggested_filename == "val_pr-pr_curve.png"
    assert Path(waiting.value.path()).read_bytes().startswith(b"\x89PNG")
    card(seen, "val/pr").get_by_role("button", name="Back to the grid").click()
    seen.until("!document.querySelector('.card.full')")


def test_tab_stays_in_a_card_of_full_size(view, server):
    seen = view(server, "#/curves?search=val&kind=pr_curve")
    shown(seen, "val/pr")
    card(seen, "val/pr").get_by_role("button", name="Full size").click()
    for key in ["Tab"] * 8 + ["Shift+Tab"] * 12:
        seen.page.keyboard.press(key)
        assert seen.value("document.querySelector('.card.full').contains(document.activeElement)")


def test_hostile_tag_and_one_class(view, server):
    seen = view(server, "#/curves?search=script|class")
    shown(seen, HOSTILE, 1)
    shown(seen, "one class", 1)
    assert any(HOSTILE in text for text in seen.page.locator("h3").all_inner_texts())
    assert seen.value("window.pwned === undefined")


def test_examples_that_count_little(view, serve, tmp_path):
    """Records hold whole counts: those of small weights are 0, though the curves are there."""
    with LogWriter(str(tmp_path / "run")) as writer:
        writer.add_pr_curve("p", *sample("a", 40), 40, num_thresholds=COUNT, weights=0.001)
        writer.add_pr_curve("q", *sample("a", 40), 40, num_thresholds=COUNT)
    seen = view(serve(tmp_path), "#/curves")
    drawn = [shown(seen, tag, 1)["option"]["series"][0]["data"] for tag in "pq"]
    some = [at for at, (_, y) in enumerate(drawn[1]) if y]
    assert len(some) > 5
    np.testing.assert_allclose([drawn[0][at] for at in some], [drawn[1][at] for at in some])
    texts = [card(seen, tag).locator(".curve-area").first.inner_text() for tag in "pq"]
    assert texts[0] == texts[1]


def test_live(view, serve, tmp_path):
    with LogWriter(str(tmp_path / "run")) as writer:
        writer.add_pr_curve("p", *sample("a", 0), 0)
        writer.flush()
        seen = view(serve(tmp_path), "#/curves")
        shown(seen, "p", 1)
        writer.add_pr_curve("p", *sample("a", 40), 40, num_thresholds=COUNT)
        writer.flush()
        steps(seen, "p", "40")
        found = shown(seen, "p", 1)["runs"][str(tmp_path / "run")]
        assert found["FN"][5] == counts("a", 40, 5)["FN"]


def test_narrow_dark_chinese(view, server):
    seen = view(
        server,
        "#/curves?search=val&own=1",
        width=360,
        height=740,
        locale="zh-CN",
        color_scheme="dark",
    )
    shown(seen, "val/pr")
    assert seen.fits()
    card(seen, "val/pr").locator(".plot").focus()
    seen.page.keyboard.press("ArrowRight")
    assert read(seen)["阈值"] == "0"
    assert seen.fits()
    seen.picture("curves-narrow-dark-zh")
