"""The frame of the board in a real browser: empty folders, live data, runs, switches, keys."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from visualdl import LogWriter

CHARTS = "window.__board.pages.scalar.charts"


def write(folder: Path, steps: int, tag: str = "loss") -> None:
    """Writes a run."""
    with LogWriter(str(folder)) as writer:
        for step in range(steps):
            writer.add_scalar(tag, float(step), step)


def test_empty_folder_is_named_and_waited_for(view, serve, tmp_path):
    folder = tmp_path / "nothing <i>yet</i>"
    seen = view(serve(folder))
    seen.page.get_by_text("No logs yet").wait_for()
    assert str(folder) in seen.page.locator(".empty p").first.inner_text()
    seen.picture("empty")
    write(folder / "first", 5)
    seen.until(f"({CHARTS}?.data('loss') && Object.values({CHARTS}.data('loss'))[0]?.length) === 5")


@pytest.mark.slow
def test_live_points_and_an_idle_tab(view, serve, tmp_path):
    write(tmp_path / "run", 3)
    seen = view(serve(tmp_path))
    seen.until(f"Object.values({CHARTS}.data('loss') ?? {{}})[0]?.length === 3")
    with LogWriter(str(tmp_path / "run"), file_name="vdlrecords.1000000000.log") as writer:
        for step in range(3, 9):
            writer.add_scalar("loss", float(step), step)
            writer.flush()
            begin = time.monotonic()
            seen.until(f"Object.values({CHARTS}.data('loss'))[0].length === {step + 1}")
            print(f"point {step} after {time.monotonic() - begin:.2f} s")
        writer.add_scalar("new/tag", 1.0, 0)
        writer.flush()
        seen.until(f"{CHARTS}.tags().includes('new/tag')")
    seen.value("""() => {
        Object.defineProperty(document, "hidden", {value: true, configurable: true});
        document.dispatchEvent(new Event("visibilitychange"));
    }""")
    seen.page.wait_for_timeout(300)
    before = len(seen.requests)
    seen.page.wait_for_timeout(2500)
    assert len(seen.requests) == before
    seen.value("""() => {
        delete document.hidden;
        document.dispatchEvent(new Event("visibilitychange"));
    }""")
    seen.page.wait_for_timeout(2500)
    assert len(seen.requests) > before


@pytest.mark.slow
def test_run_deleted_and_added_again(view, serve, tmp_path):
    write(tmp_path / "stays", 4)
    write(tmp_path / "goes", 6)
    seen = view(serve(tmp_path))
    lengths = f"Object.values({CHARTS}.data('loss') ?? {{}}).map((one) => one.length).sort().join()"
    seen.until(f"{lengths} === '4,6'")
    shutil.rmtree(tmp_path / "goes")
    seen.until(f"{lengths} === '4'")
    assert seen.page.locator(".run-rows li").count() == 1
    write(tmp_path / "goes", 2)
    seen.until(f"{lengths} === '2,4'")
    shutil.rmtree(tmp_path / "goes")
    shutil.rmtree(tmp_path / "stays")
    seen.page.get_by_text("No logs yet").wait_for()
    write(tmp_path / "stays", 1)
    seen.until(f"{lengths} === '1'")


@pytest.mark.slow
def test_choice_of_runs_is_kept_in_the_address(view, serve, tmp_path):
    for name in ["a", "b", "c"]:
        write(tmp_path / name, 2)
    server = serve(tmp_path)
    seen = view(server)
    count = f"Object.keys({CHARTS}.data('loss') ?? {{}}).length"
    seen.until(f"{count} === 3")
    colors = seen.value(
        "[...document.querySelectorAll('.run-rows li')].map((li) => li.style"
        ".getPropertyValue('--run'))"
    )
    assert len(set(colors)) == 3
    seen.page.locator(".run-rows input").nth(1).uncheck()
    seen.until(f"{count} === 2 && location.href.includes('hide=')")
    write(tmp_path / "d", 2)
    seen.until(f"{count} === 3")
    seen.page.get_by_label("Show only c").click()
    seen.until(f"{count} === 1 && location.href.includes('run=')")
    again = view(server, seen.page.url.split("/app/")[1])
    again.until(f"{count} === 1")
    seen.page.get_by_role("button", name="None", exact=True).click()
    seen.page.get_by_text("No run is checked").wait_for()
    seen.page.get_by_role("button", name="All", exact=True).click()
    seen.until(f"{count} === 4")
    seen.page.get_by_placeholder("Find runs (regex)").fill("^[ab]$")
    seen.until("document.querySelectorAll('.run-rows li').length === 2")


def test_language_by_option_and_switch(view, serve, tmp_path):
    write(tmp_path, 2)
    server = serve(tmp_path, options=("--language", "zh", "--theme", "dark"))
    seen = view(server, color_scheme="light")
    assert seen.page.title().startswith("标量")
    assert seen.value("document.documentElement.dataset.theme") == "dark"
    seen.page.locator("#language").select_option("en")
    seen.until("document.title.startsWith('Scalars')")
    seen.page.reload()
    seen.until("document.title.startsWith('Scalars')")
    seen.page.locator("#theme").click()
    seen.until("document.documentElement.dataset.theme === 'light'")
    foot = seen.page.locator("#version").inner_text()
    assert "0.1" in foot and "pypaddle" in foot


def test_regions_are_named_in_the_language(view, serve, tmp_path):
    with LogWriter(str(tmp_path / "run")) as writer:
        writer.add_scalar("x", 1.0, 0)
    seen = view(serve(tmp_path), "#/scalar", locale="zh-CN")
    seen.page.get_by_role("region", name="标量").wait_for()


def test_keys_and_help(view, serve, tmp_path):
    write(tmp_path, 2)
    seen = view(serve(tmp_path))
    keys = seen.page.keyboard
    keys.press("Tab")
    assert seen.value("document.activeElement.className") == "skip"
    keys.press("Enter")
    assert seen.value("document.activeElement.id") == "main"
    keys.press("8")
    seen.until("window.__board.page === 'hparam'")
    seen.page.get_by_text("Nothing of this kind was logged").wait_for()
    keys.press("1")
    seen.until("window.__board.page === 'scalar'")
    keys.press("?")
    seen.page.locator("dialog[open]").wait_for()
    keys.press("Escape")
    seen.until("document.querySelector('dialog[open]') === null")
    keys.press("r")
    assert not seen.page.locator(".side").is_visible()
    keys.press("r")
    assert seen.page.locator(".side").is_visible()
    seen.page.go_back()
    seen.until("window.__board.page === 'hparam'")


def test_server_that_goes_and_comes(view, serve, tmp_path):
    write(tmp_path, 2)
    server = serve(tmp_path)
    seen = view(server)
    seen.until(f"{CHARTS}.visible().includes('loss') && window.__board.state === 'live'")
    server.close()
    seen.until("window.__board.state === 'offline'")
    assert seen.problems and all("ERR_CONNECTION_REFUSED" in one for one in seen.problems)
    seen.problems.clear()
    seen.page.close()


@pytest.mark.slow
def test_pause(view, serve, tmp_path):
    write(tmp_path / "run", 2)
    seen = view(serve(tmp_path))
    seen.until(f"Object.values({CHARTS}.data('loss') ?? {{}})[0]?.length === 2")
    seen.page.locator("#live").click()
    seen.until("window.__board.state === 'paused'")
    write(tmp_path / "other", 2)
    seen.page.wait_for_timeout(2500)
    assert seen.page.locator(".run-rows li").count() == 1
    seen.page.locator("#live").click()
    seen.until("document.querySelectorAll('.run-rows li').length === 2")


@pytest.mark.parametrize("place", ["#/no such page", "#/%", "#/scalar?smooth=x&axis=<&zoom=1~2"])
def test_bad_addresses(view, serve, tmp_path, place):
    write(tmp_path, 2)
    seen = view(serve(tmp_path), place)
    seen.until("document.querySelector('main section').children.length > 0")
    seen.page.keyboard.press("1")
    seen.until(f"{CHARTS}?.data('loss')")


def test_pages_of_option(view, serve, tmp_path):
    write(tmp_path, 2)
    seen = view(serve(tmp_path, options=("--component_tabs", "scalar", "image")))
    seen.until(f"{CHARTS}?.data('loss')")
    assert seen.page.locator("nav.pages a").all_inner_texts() == ["Scalars", "Images"]
