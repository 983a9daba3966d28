"""What holds for each page: new records appear, runs go and come again, and keys are enough.

The pages of scalars, images and graphs have tests of the first two of their own.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.visualdl.browser.board import Server
from visualdl import LogWriter

TAG = "part/x"


@dataclass
class Page:
    """How a page is tried.

    Attributes:
        name: its name, as in the address.
        write: logs a record that depends on a number, at the step of this number.
        shown: what the page shows of a run, as JavaScript; RUN stands for the run's name.
        wanted: what that is, by the number of the record that is shown.
    """

    name: str
    write: Callable[[LogWriter, int], None]
    shown: str
    wanted: Callable[[int], Any]


def hparam(writer: LogWriter, number: int) -> None:
    """A metric of the run's only set of hyper-parameters."""
    if number % 2 == 0:  # the first record of a run
        writer.add_hparams({"lr": 0.5}, ["acc"])
    writer.add_scalar("acc", number / 4, number)


def image(writer: LogWriter, number: int) -> None:
    """A picture of one colour."""
    writer.add_image(TAG, np.full((2, 2, 3), 10 * number, np.uint8), number)


def audio(writer: LogWriter, number: int) -> None:
    """A sound that is longer each time."""
    writer.add_audio(TAG, np.zeros(800 * (number + 1), np.float32), number, 8000)


def text(writer: LogWriter, number: int) -> None:
    """A text with the number."""
    writer.add_text(TAG, f"number {number}", number)


def histogram(writer: LogWriter, number: int) -> None:
    """More values each time."""
    writer.add_histogram(TAG, np.arange(10.0 * (number + 1)), number)


def curves(writer: LogWriter, number: int) -> None:
    """More labels each time."""
    labels = np.arange(10 * (number + 1)) % 2
    writer.add_roc_curve(TAG, labels, labels * 0.5, number)


AT = "window.__board.pages"
SHOWN = f"shown({TAG!r}).runs[RUN]"
PAGES = {
    page.name: page
    for page in [
        Page("image", image, f"{AT}.image.{SHOWN}?.step", lambda number: number),
        Page("audio", audio, f"{AT}.audio.{SHOWN}?.head?.frames", lambda n: 800 * (n + 1)),
        Page("text", text, f"{AT}.text.{SHOWN}?.text", lambda number: f"number {number}"),
        Page(
            "histogram",
            histogram,
            f"{AT}.histogram.shown({TAG!r}, RUN)?.rows?.at(-1)?.bins"
            ".reduce((sum, [, , count]) => sum + count, 0)",
            lambda number: 10 * (number + 1),
        ),
        Page("curves", curves, f"{AT}.curves.{SHOWN}?.TP?.[0]", lambda number: 5 * (number + 1)),
        Page(
            "hparam",
            hparam,
            f"{AT}.hparam.rows().find((one) => one.name === RUN)?.metrics.acc",
            lambda number: number / 4,
        ),
    ]
}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PAGES if name != "image"])
def test_live_deleted_and_again(view, serve, tmp_path, name):
    page = PAGES[name]
    runs = {one: tmp_path / one for one in ("stays", "goes")}
    value = {run: page.shown.replace("RUN", repr(str(path))) for run, path in runs.items()}
    gone = (
        f"[undefined, null].includes((() => {{ try {{ return {value['goes']} }} catch {{}} }})())"
    )
    with LogWriter(str(runs["stays"])) as other:
        page.write(other, 0)
    with LogWriter(str(runs["goes"])) as writer:
        page.write(writer, 0)
        writer.flush()
        seen = view(serve(tmp_path), f"#/{name}")
        for run in runs:
            seen.until(f"{value[run]} === {page.wanted(0)!r}")
        page.write(writer, 1)
        writer.flush()
        seen.until(f"{value['goes']} === {page.wanted(1)!r}")
        assert seen.value(value["stays"]) == page.wanted(0)
    shutil.rmtree(runs["goes"])
    seen.until(gone)
    assert seen.value(value["stays"]) == page.wanted(0)
    with LogWriter(str(runs["goes"])) as again:
        page.write(again, 2)
    seen.until(f"{value['goes']} === {page.wanted(2)!r}")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on two runs with records of all kinds."""
    root = tmp_path_factory.mktemp("all-kinds")
    for run in ("a", "b"):
        with LogWriter(str(root / run)) as writer:
            writer.add_scalar("loss", 1.0, 0)
            for page in PAGES.values():
                for number in range(3 if page.name != "hparam" else 1):
                    page.write(writer, number)
    started = Server(root)
    yield started
    started.close()


def tab_to(seen: Any, selector: str, most: int = 80) -> None:
    """Presses Tab until an element that the selector describes has the focus, and shows it."""
    there = f"document.activeElement.matches({selector!r})"
    for _ in range(most):
        seen.page.keyboard.press("Tab")
        if seen.value(there):
            ring = "getComputedStyle(document.activeElement)"
            assert seen.value(f"{ring}.outlineStyle !== 'none' || {ring}.boxShadow !== 'none'")
            return
    raise AssertionError(f"Tab does not reach {selector}")


def slider(seen: Any, name: str) -> None:
    """Moves the slider of a page of samples to the first step and one on."""
    steps = f"Object.values({AT}.{name}.shown({TAG!r}).runs).map((one) => one?.step).join()"
    seen.until(f"{steps} === '2,2'")
    tab_to(seen, ".places input")
    seen.page.keyboard.press("Home")
    seen.until(f"{steps} === '0,0'")
    seen.page.keyboard.press("ArrowRight")
    seen.until(f"{steps} === '1,1'")


def plot(seen: Any, name: str) -> None:
    """Reads a chart, and shows it at full size and back."""
    seen.until("document.querySelector('.plot canvas')")
    tab_to(seen, ".plot")
    seen.page.keyboard.press("Home")
    seen.page.keyboard.press("ArrowRight")
    seen.page.locator(".tip tr").first.wait_for()
    seen.page.keyboard.press("Escape")
    seen.until("document.querySelector('.tip') === null")
    tab_to(seen, "button[aria-label='Full size']")
    seen.page.keyboard.press("Enter")
    seen.until("document.querySelector('.card.full')")
    seen.page.keyboard.press("Escape")
    seen.until("document.querySelector('.card.full') === null")


def play(seen: Any, name: str) -> None:
    """Plays a sound."""
    slider(seen, name)
    tab_to(seen, "button.play")
    seen.page.keyboard.press("Enter")
    seen.until("document.querySelector('.playing') || !document.querySelector('.time')"
               ".textContent.startsWith('0:00.00')")  # fmt: skip
    seen.until("!document.querySelector('.playing')")


def table(seen: Any, name: str) -> None:
    """Sorts the table and follows a link to the scalars of a run."""
    rows = f"{AT}.hparam.rows().map((one) => one.name.at(-1)).join()"
    seen.until(f"{rows} === 'a,b'")
    tab_to(seen, "thead button[data-sort]")
    head = "document.activeElement.closest('th').getAttribute('aria-sort')"
    for order, wanted in [("descending", "b,a"), ("ascending", "a,b")]:
        seen.page.keyboard.press("Enter")
        seen.until(f"{head} === {order!r} && {rows} === {wanted!r}")
    tab_to(seen, "tbody a")
    seen.page.keyboard.press("Enter")
    seen.until("window.__board.page === 'scalar' && window.__board.runs.length === 1")


KEYS = {"image": slider, "audio": play, "text": slider, "histogram": plot, "curves": plot,
        "hparam": table}  # fmt: skip
DIGITS = {name: str(2 + at) for at, name in enumerate(KEYS)} | {"hparam": "8"}


@pytest.mark.parametrize("name", KEYS)
def test_keyboard_only(view, server, name):
    seen = view(server)
    seen.until("window.__board.page === 'scalar'")
    seen.page.keyboard.press(DIGITS[name])
    seen.until(f"window.__board.page === {name!r} && document.querySelector('.page-{name}')")
    KEYS[name](seen, name)
