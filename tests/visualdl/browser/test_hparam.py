"""The page of hyper-parameters in a real browser."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from visualdl import LogWriter

PAGE = "window.__board.pages.hparam"
NAMES = f"{PAGE}.rows().map((one) => one.name.split('/').at(-1)).join()"


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six runs with hyper-parameters."""
    root = tmp_path_factory.mktemp("hparam-logs")
    for number in range(6):
        with LogWriter(str(root / f"run{number}")) as writer:
            given = {"lr": 10.0**-number, "batch": 16 * number, "opt": ["sgd", "adam"][number % 2]}
            writer.add_hparams(given, ["acc", "loss"])
            for step in range(3):
                writer.add_scalar("acc", number / 10 + step / 100, step)
                writer.add_scalar("loss", 1 / (number + 1), step)
    return root


def test_table_equals_log(view, server):
    seen = view(server, "#/hparam")
    rows = seen.until(f"{PAGE}?.rows?.().length === 6 && {PAGE}.rows()")
    for number, row in enumerate(rows):
        assert row["hparams"] == {
            "lr": 10.0**-number,
            "batch": 16 * number,
            "opt": ["sgd", "adam"][number % 2],
        }
        assert row["metrics"]["acc"] == pytest.approx(number / 10 + 0.02, rel=1e-6)
    cells = seen.page.locator("tbody tr").nth(2).locator("td").all_inner_texts()
    assert cells == ["0.01", "32", "sgd", "0.22", "0.333333"]
    drawn = seen.until(f"{PAGE}.option()?.series?.[0]?.data?.length && {PAGE}.option()")
    assert [axis["name"] for axis in drawn["parallelAxis"]] == ["lr", "batch", "opt", "acc", "loss"]
    assert drawn["series"][0]["data"][3]["value"][2] == "adam"
    seen.picture("hparam-parallel")


@pytest.mark.slow
def test_sort_filter_and_address(view, server):
    seen = view(server, "#/hparam")
    seen.until(f"{PAGE}?.rows?.().length === 6")
    head = seen.page.locator("thead").get_by_role("button", name="acc")
    head.click()
    seen.until(f"{NAMES} === 'run0,run1,run2,run3,run4,run5'")
    head.click()
    seen.until(f"{NAMES} === 'run5,run4,run3,run2,run1,run0'")
    seen.page.get_by_text("Columns and filters").click()
    seen.page.get_by_label("Least batch").fill("20")
    seen.page.get_by_label("sgd").uncheck()
    seen.until(f"{NAMES} === 'run5,run3'")
    seen.page.get_by_label("Show loss").uncheck()
    seen.until("document.querySelectorAll('thead th').length === 5")
    seen.until("location.href.includes('not=') && location.href.includes('range=')")
    again = view(server, seen.page.url.split("/app/")[1])
    again.until(f"{PAGE}?.rows && {NAMES} === 'run5,run3'")
    seen.page.get_by_role("button", name="Clear the filters").click()
    seen.until(f"{PAGE}.rows().length === 6")
    seen.page.get_by_placeholder("Find runs and values (regex)").fill("opt=adam")
    seen.until(f"{NAMES} === 'run5,run3,run1'")
    seen.page.locator(".run-rows input").nth(3).uncheck()
    seen.until(f"{NAMES} === 'run5,run1'")


def test_what_comes_while_the_page_opens(view, serve, tmp_path):
    with LogWriter(str(tmp_path / "a")) as writer:
        writer.add_hparams({"lr": 1.0}, ["acc"])
    seen = view(serve(tmp_path), "#/text")
    held = []

    def hold(route):
        held.append((route, route.fetch()))

    seen.page.route("**/hparams/list?*", hold, times=1)
    seen.page.evaluate("location.hash = '#/hparam'")
    until = time.monotonic() + 30
    while not held and time.monotonic() < until:
        seen.page.wait_for_timeout(50)
    with LogWriter(str(tmp_path / "b")) as writer:
        writer.add_hparams({"lr": 2.0}, ["acc"])
    seen.until("window.__board.runs.length === 2")
    route, answer = held[0]
    route.fulfill(response=answer)
    seen.until(f"{PAGE}?.rows?.().length === 2")


def test_runs_with_names_of_their_own(view, serve, tmp_path):
    with LogWriter(str(tmp_path / "a"), display_name="the first") as writer:
        writer.add_hparams({"lr": 1.0}, ["acc"])
        writer.add_scalar("acc", 0.5, 0)
    seen = view(serve(tmp_path), "#/hparam?chart=table")
    seen.until(f"{PAGE}?.rows && {NAMES} === 'the first'")
    seen.page.get_by_role("link", name="the first").click()
    seen.until("window.__board.page === 'scalar' && window.__board.runs.length === 1")
    seen.until("window.__board.pages.scalar.charts.data('acc')['the first'].length === 1")


def test_runs_without_a_metric_come_last(view, serve, tmp_path):
    for number, name in enumerate(["constructor", "toString", "sgd"]):
        with LogWriter(str(tmp_path / f"run{number}")) as writer:
            writer.add_hparams({"opt": name}, ["acc"])
            if number:
                writer.add_scalar("acc", float(number), 0)
    seen = view(serve(tmp_path), "#/hparam?sort=metric:acc")
    seen.until(f"{PAGE}?.rows && {NAMES} === 'run1,run2,run0'")
    seen.page.locator("thead").get_by_role("button", name="acc").click()
    seen.until(f"{NAMES} === 'run2,run1,run0'")
    # names that every object has are texts as others are
    assert seen.page.locator("tbody td:first-of-type").all_inner_texts() == [
        "sgd", "toString", "constructor",
    ]  # fmt: skip
    assert seen.value(f"{PAGE}.columns()[0].type") == "text"


def test_scatter(view, server):
    seen = view(server, "#/hparam?chart=scatter&x=parameter:batch&y=metric:acc&log=1")
    drawn = seen.until(f"{PAGE}?.option?.()?.series?.[0]?.data?.length && {PAGE}.option()")
    assert [row["value"][0] for row in drawn["series"][0]["data"]] == [0, 16, 32, 48, 64, 80]
    assert drawn["xAxis"][0]["type"] == "value"  # zero has no place on a logarithmic axis
    assert drawn["yAxis"][0]["type"] == "log"
    box = seen.page.locator(".hparam-plot").bounding_box()
    assert box["height"] > 200
    seen.picture("hparam-scatter")


def test_download(view, server):
    seen = view(server, "#/hparam")
    seen.until(f"{PAGE}?.rows?.().length === 6")
    seen.page.locator(".toolbar").get_by_role("button", name="Download").click()
    with seen.page.expect_download() as waiting:
        seen.page.get_by_role("menuitem", name="Table (CSV)").click()
    rows = Path(waiting.value.path()).read_text().splitlines()
    assert rows[0] == "Trial ID,lr,batch,opt,acc,loss"
    assert len(rows) == 7


def test_keyboard_and_link_to_scalars(view, server):
    seen = view(server, "#/hparam?chart=table")
    seen.until(f"{PAGE}?.rows?.().length === 6")
    button = seen.page.locator("thead").get_by_role("button", name="loss")
    button.focus()
    seen.page.keyboard.press("Enter")
    seen.until(f"{NAMES} === 'run5,run4,run3,run2,run1,run0'")
    assert seen.value("document.activeElement.dataset.sort") == "metric:loss"
    seen.page.get_by_role("link", name="run4").click()
    seen.until("window.__board.page === 'scalar' && window.__board.runs.length === 1")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_languages_themes_and_a_narrow_window(view, server, theme, locale):
    seen = view(server, "#/hparam", width=360, height=740, color_scheme=theme, locale=locale)
    seen.until(f"{PAGE}?.option?.()?.series?.length")
    assert seen.fits()
    assert seen.page.title().startswith("超参数" if locale == "zh-CN" else "Hyper-parameters")
    seen.picture(f"hparam-360-{theme}-{locale}")


@pytest.mark.slow
def test_live(view, serve, tmp_path):
    writer = LogWriter(str(tmp_path / "a"))
    writer.add_hparams({"lr": 1.0}, ["acc"])
    writer.add_scalar("acc", 0.5, 0)
    writer.flush()
    seen = view(serve(tmp_path), "#/hparam")
    seen.until(f"{PAGE}?.rows?.()[0]?.metrics?.acc === 0.5")
    writer.add_scalar("acc", 0.75, 1)
    writer.flush()
    seen.until(f"{PAGE}.rows()[0].metrics.acc === 0.75")
    with LogWriter(str(tmp_path / "b")) as other:
        other.add_hparams({"lr": 2.0, "more": "x"}, ["acc"])
    seen.until(f"{PAGE}.rows().length === 2 && {PAGE}.columns().length === 3")
    writer.close()
