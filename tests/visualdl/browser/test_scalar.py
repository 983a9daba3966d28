"""The page of scalars in a real browser: what is drawn is what was logged."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from visualdl import LogWriter

STEPS = 300
LONG = 30_000
CHARTS = "window.__board.pages.scalar.charts"


def loss(step: int, run: int) -> float:
    """The value logged at a step."""
    return math.exp(-step / 80 * (1 + run)) + 0.1


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two folders with three runs."""
    root = tmp_path_factory.mktemp("scalar logs")
    for number, run in enumerate(["one/a", "one/b", "two/训练"]):
        with LogWriter(str(root / run)) as writer:
            for step in range(STEPS):
                writer.add_scalar("train/loss", loss(step, number), step, walltime=1000 + step)
                value = math.nan if step == 7 else math.inf if step == 9 else float(step)
                writer.add_scalar("odd/values <b>", value, step)
            writer.add_scalar("single", 5.0, 0)
            if number == 0:
                for step in range(20):
                    writer.add_scalars("pair", {"up": step, "down": -step}, step)
                for step in range(LONG):
                    writer.add_scalar("long", math.sin(step / 500) + 5 * (step == 12_345), step)
                for step in range(30):
                    writer.add_scalar("many/spike", 1e6 if step == 3 else step + 1.0, step)
                for tag in range(60):
                    writer.add_scalar(f"layers/{tag:02d}", tag, 0)
    return root


def data(view: Any, tag: str) -> dict[str, np.ndarray]:
    """What the chart of a tag shows: run -> rows of position, value, smoothed value."""
    view.until(f"Object.keys({CHARTS}.data({tag!r}) ?? {{}}).length > 0")
    found = view.value(f"""Object.fromEntries(Object.entries({CHARTS}.data({tag!r})).map(
        ([run, rows]) => [run, rows.map((row) => row.map((one) =>
            typeof one === "number" && !Number.isFinite(one) ? String(one) : one))]))""")
    number = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf, None: math.nan}
    return {
        run: np.array([[number.get(one, one) for one in row] for row in rows], np.float64)
        for run, rows in found.items()
    }


def test_chart_equals_log(view, server, logs):
    seen = view(server, "#/scalar?search=train")
    found = data(seen, "train/loss")
    assert sorted(found) == sorted(str(logs / run) for run in ["one/a", "one/b", "two/训练"])
    for number, run in enumerate(["one/a", "one/b", "two/训练"]):
        rows = found[str(logs / run)]
        np.testing.assert_array_equal(rows[:, 0], np.arange(STEPS))
        wanted = np.array([loss(step, number) for step in range(STEPS)], np.float32)
        np.testing.assert_array_equal(rows[:, 1].astype(np.float32), wanted)
    drawn = seen.value(f"{CHARTS}.option('train/loss').series.map((one) => one.data.length)")
    assert drawn == [STEPS] * 3
    seen.picture("scalar-light")


def test_not_finite(view, server, logs):
    seen = view(server, "#/scalar?search=odd")
    rows = data(seen, "odd/values <b>")[str(logs / "one/a")]
    assert math.isnan(rows[7, 1]) and rows[9, 1] == math.inf
    badge = seen.page.locator(".badge").first
    assert "6" in badge.inner_text()
    assert "step 7 is NaN" in badge.get_attribute("title")
    assert seen.page.locator("h3", has_text="odd/values <b>").count() == 1


def test_parts_of_add_scalars_and_single_points(view, server):
    seen = view(server, "#/scalar?search=pair")
    found = data(seen, "pair")
    ends = sorted(rows[-1, 1] for rows in found.values())
    assert ends == [-19, 19]
    seen = view(server, "#/scalar?search=single")
    data(seen, "single")
    assert seen.until(f"{CHARTS}.option('single')?.series?.[0]?.showSymbol") is True


def test_smoothing_is_the_moving_average(view, server, logs):
    seen = view(server, "#/scalar?search=train&smooth=0.9")
    rows = data(seen, "train/loss")[str(logs / "one/a")]
    total = norm = 0.0
    for _, value, smoothed in rows:
        total = total * 0.9 + value * 0.1
        norm = norm * 0.9 + 0.1
        assert smoothed == pytest.approx(total / norm, rel=1e-9)
    assert seen.value(f"{CHARTS}.option('train/loss').series.length") == 6


def test_axes(view, server, logs):
    seen = view(server, "#/scalar?search=train&axis=relative")
    rows = data(seen, "train/loss")[str(logs / "one/a")]
    np.testing.assert_allclose(rows[:, 0], np.arange(STEPS))
    seen.page.get_by_role("button", name="Wall").click()
    seen.until(f"{CHARTS}.option('train/loss').xAxis[0].type === 'time'")
    rows = data(seen, "train/loss")[str(logs / "one/a")]
    np.testing.assert_allclose(rows[:, 0], (1000 + np.arange(STEPS)) * 1000)
    seen.page.get_by_label("Log scale").check()
    seen.until(f"{CHARTS}.option('train/loss').yAxis[0].type === 'log'")
    seen.until("location.href.includes('axis=wall') && location.href.includes('log=1')")


def test_outliers(view, server):
    seen = view(server, "#/scalar?search=spike")
    data(seen, "many/spike")
    seen.page.get_by_label("Ignore outliers").check()
    top = seen.until(f"{CHARTS}.option('many/spike').yAxis[0].max")
    assert 28 < top < 100


@pytest.mark.slow
def test_zoom_fetches_finer_points(view, server, logs):
    seen = view(server, "#/scalar?search=^long$")
    run = str(logs / "one/a")
    rows = data(seen, "long")[run]
    assert 1000 < len(rows) <= 2100
    assert rows[:, 1].max() == pytest.approx(math.sin(12_345 / 500) + 5, abs=1e-6)
    box = seen.page.locator(".plot").bounding_box()
    y = box["y"] + 60
    seen.page.mouse.move(box["x"] + box["width"] * 0.4, y)
    seen.page.mouse.down()
    seen.page.mouse.move(box["x"] + box["width"] * 0.44, y, steps=4)
    seen.page.mouse.up()
    low, high = seen.until(f"{CHARTS}.range('long')")
    inside = f"([x]) => x >= {low} && x <= {high}"
    count = math.floor(high) - math.ceil(low) + 1
    assert 100 < count < 2000
    seen.until(f"{CHARTS}.data('long')[{run!r}].filter({inside}).length === {count}")
    seen.until("location.href.includes('zoom=')")
    again = view(server, seen.page.url.split("/app/")[1])
    data(again, "long")
    again.until(f"{CHARTS}.data('long')[{run!r}].filter({inside}).length === {count}")
    seen.page.get_by_role("button", name="Show the whole range").click()
    seen.until(f"{CHARTS}.range('long') === null")


def test_a_part_follows_the_log(view, serve, tmp_path):
    """What comes while a part is shown is there in it, and after going back to the whole."""
    run = str(tmp_path / "run")
    with LogWriter(run) as writer:
        for step in range(10):
            writer.add_scalar("x", step, step)
        writer.flush()
        seen = view(serve(tmp_path), "#/scalar?zoom=2~20~x")
        assert len(data(seen, "x")[run]) == 10
        for step in range(10, 30):
            writer.add_scalar("x", step, step)
        writer.flush()
        seen.until(f"{CHARTS}.data('x')[{run!r}].length === 30")
        seen.page.get_by_role("button", name="Show the whole range").click()
        seen.until(f"{CHARTS}.range('x') === null")
        np.testing.assert_array_equal(data(seen, "x")[run][:, 1], np.arange(30))


def test_a_chart_that_left_while_it_was_read_is_read_again(view, serve, tmp_path):
    run = str(tmp_path / "run")
    with LogWriter(run) as writer:
        for tag in range(20):
            writer.add_scalar(f"x{tag:02d}", 1.0, 0)
        writer.flush()
        seen = view(serve(tmp_path), "#/scalar?size=large", height=500)
        data(seen, "x00")
        held = []
        seen.page.route("**/scalar/many?tag=x00&*", lambda route: held.append(route))
        writer.add_scalar("x00", 2.0, 1)
        writer.flush()
        seen.page.wait_for_timeout(100)
        until = time.monotonic() + 30
        while not held and time.monotonic() < until:
            seen.page.wait_for_timeout(50)
        seen.page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        seen.until(f"!{CHARTS}.visible().includes('x00') && {CHARTS}.visible().length > 0")
        seen.page.unroute("**/scalar/many?tag=x00&*")
        seen.page.evaluate("window.scrollTo(0, 0)")
        seen.until(f"{CHARTS}.data('x00')[{run!r}].length === 2")


def test_leaving_at_full_size_leaves_a_page_that_scrolls(view, server):
    seen = view(server, "#/scalar?search=train")
    data(seen, "train/loss")
    seen.page.get_by_role("button", name="Full size").click()
    seen.until("document.documentElement.classList.contains('has-full')")
    seen.page.keyboard.press("2")
    seen.until("window.__board.page !== 'scalar'")
    assert not seen.value("document.documentElement.classList.contains('has-full')")


def test_end_is_the_first_key(view, server):
    seen = view(server, "#/scalar?search=train")
    data(seen, "train/loss")
    seen.page.locator(".plot").focus()
    seen.page.keyboard.press("End")
    seen.until(f"document.querySelector('.tip td:nth-child(3)').textContent === '{STEPS - 1}'")


@pytest.mark.slow
def test_search_pin_and_address(view, server):
    seen = view(server)
    seen.until("location.hash.startsWith('#/scalar')")
    search = seen.page.get_by_placeholder("Find tags (regex)")
    search.fill("^(single|pair)$")
    seen.until(f"{CHARTS}.tags().length === 2")
    seen.page.locator("[data-tag=single]").get_by_role("button", name="Pin at the top").click()
    seen.until(f"{CHARTS}.tags().length === 2 && location.href.includes('pin=single')")
    assert seen.page.locator("summary .name").all_inner_texts() == ["Pinned", "Other"]
    again = view(server, seen.page.url.split("/app/")[1])
    again.until(f"{CHARTS}.tags().length === 2")
    assert again.page.locator("summary .name").first.inner_text() == "Pinned"
    search.fill("(")
    seen.until("document.querySelector('input.wrong') !== null")
    search.fill("nothing like this")
    seen.page.get_by_text("Nothing matches the search.").wait_for()


def test_only_what_is_in_sight_is_asked_for(view, server):
    seen = view(server, "#/scalar?size=large", height=500)
    seen.until(f"{CHARTS}.visible().length > 0")
    seen.page.wait_for_timeout(700)
    asked = [url for url in seen.requests if "scalar/many" in url]
    assert len(asked) < 8
    assert seen.value("window.__board.charts") < 8
    seen.page.locator("summary", has_text="layers").scroll_into_view_if_needed()
    seen.page.mouse.wheel(0, 300)
    seen.until(f"{CHARTS}.visible().some((tag) => tag.startsWith('layers/'))")
    assert seen.value("window.__board.traffic.most") <= 6
    assert len(seen.value(f"{CHARTS}.tags()")) <= 40  # long groups come in steps


def test_downloads(view, server, logs):
    seen = view(server, "#/scalar?search=train")
    data(seen, "train/loss")
    card = seen.page.locator("[data-tag='train/loss']")
    for name, check in [("Picture (PNG)", b"\x89PNG"), ("All values (CSV)", b"run,id,tag")]:
        card.get_by_role("button", name="Download").click()
        with seen.page.expect_download() as waiting:
            card.get_by_role("menuitem", name=name).click()
        content = Path(waiting.value.path()).read_bytes()
        assert content.startswith(check)
    rows = content.decode().splitlines()
    assert len(rows) == 1 + 3 * STEPS
    assert rows[1].startswith(f'"{logs / "one/a"}",0,train/loss,')


def test_tooltip_is_sorted(view, server):
    seen = view(server, "#/scalar?search=train")
    data(seen, "train/loss")
    box = seen.page.locator(".plot").bounding_box()
    seen.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 100)
    rows = seen.page.locator(".tip tbody tr")
    rows.first.wait_for()
    assert rows.count() == 3
    values = [float(row.locator("td").nth(1).inner_text()) for row in rows.all()]
    assert values == sorted(values, reverse=True)
    seen.page.get_by_label("Values by").select_option("up")
    seen.page.mouse.move(box["x"] + box["width"] / 3, box["y"] + 100)
    values = [float(row.locator("td").nth(1).inner_text()) for row in rows.all()]
    assert values == sorted(values)


def test_keyboard_only(view, server):
    seen = view(server, "#/scalar?search=train")
    data(seen, "train/loss")
    keys = seen.page.keyboard
    plot = "document.activeElement.classList.contains('plot')"
    for _ in range(60):
        if seen.value(plot):
            break
        keys.press("Tab")
    assert seen.value(plot)
    keys.press("ArrowRight")
    seen.page.locator(".tip tbody tr").first.wait_for()
    keys.press("End")
    seen.until(f"document.querySelector('.tip td:nth-child(3)').textContent === '{STEPS - 1}'")
    keys.press("+")
    seen.until(f"{CHARTS}.range('train/loss') !== null")
    keys.press("0")
    seen.until(f"{CHARTS}.range('train/loss') === null")
    keys.press("Shift+Tab")
    assert seen.value("document.activeElement.getAttribute('aria-label')") == "Full size"
    keys.press("Enter")
    seen.page.locator(".card.full .values table").wait_for()
    seen.picture("scalar-full")
    keys.press("Escape")
    seen.until("document.querySelector('.card.full') === null")
    keys.press("/")
    assert seen.value("document.activeElement.type") == "search"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_languages_themes_and_a_narrow_window(view, server, theme, locale):
    seen = view(server, "#/scalar", width=360, height=740, color_scheme=theme, locale=locale)
    seen.until(f"{CHARTS}.visible().length > 0")
    assert seen.fits()
    assert seen.value("document.documentElement.dataset.theme") == theme
    title = "标量" if locale == "zh-CN" else "Scalars"
    assert seen.page.title().startswith(title)
    seen.picture(f"scalar-360-{theme}-{locale}")
