"""The pages of images, audio and texts in a real browser: what is shown is what was logged."""

from __future__ import annotations

import io
import shutil
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from visualdl import LogReader, LogWriter

RUNS = ["a", "b", "深/c"]
HOSTILE = "<script>window.pwned=1</script>/../'标签' onerror=x"
TEXT = """# Step {step}

**bold** and `code`, [web](https://example.org/x), [bad](javascript:alert(1)),
[worse](data:text/html;base64,PHNjcmlwdD4=), [there](#/scalar), ![pic](https://example.org/p.png)

<script>window.pwned = 1</script> <img src=x onerror="window.pwned = 1">

| a | b |
|---|--:|
| 1 | 2 |

- [file](file:///etc/passwd) <javascript:alert(2)> <https://example.org/auto>
"""


def picture(run: int, step: int) -> np.ndarray:
    """The image that a run logs at a step."""
    return np.random.default_rng(100 * run + step).integers(0, 256, (12, 16, 3), np.uint8)


def sound(run: int, step: int) -> np.ndarray:
    """The sound that a run logs at a step."""
    at = np.arange(4000) / 8000
    return np.float32(0.5 * np.sin(2 * np.pi * (200 + 50 * run + step) * at))


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three runs; the second logs every other step only."""
    root = tmp_path_factory.mktemp("samples")
    for number, run in enumerate(RUNS):
        with LogWriter(str(root / run)) as writer:
            for step in range(0, 10, 2 if number == 1 else 1):
                writer.add_image("digits/one", picture(number, step), step)
                writer.add_audio("speech", sound(number, step), step, 8000)
                writer.add_text("notes", TEXT.format(step=step), step)
            if number == 0:
                writer.add_image(HOSTILE, picture(7, 7), 3)
                stereo = np.stack([sound(0, 0), np.zeros(4000, np.float32)], -1)
                writer.add_audio("stereo", stereo, 0, 16000)
                writer.add_text("long", "word " * 30_000, 0)
                for tag in range(60):
                    writer.add_image(f"many/{tag:02d}", picture(0, tag), 0)
    return root


def shown(view: Any, page: str, tag: str, wanted: int = 1) -> dict[str, Any]:
    """What the card of a tag shows: run -> what its panel has, as soon as `wanted` runs have."""
    name = f"window.__board.pages.{page}.shown({tag!r})"
    view.until(f"Object.values({name}.runs).filter((one) => one).length >= {wanted}")
    return view.value(name)


def pixels(view: Any, run: Path) -> np.ndarray:
    """The pixels of the image that is shown of a run."""
    found = view.value(
        """(run) => {
            const image = document.querySelector(`figure[data-run="${CSS.escape(run)}"] img`);
            const canvas = document.createElement("canvas");
            canvas.width = image.naturalWidth;
            canvas.height = image.naturalHeight;
            canvas.getContext("2d").drawImage(image, 0, 0);
            const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            return [canvas.height, canvas.width, [...data]];
        }""",
        str(run),
    )
    return np.array(found[2], np.uint8).reshape(found[0], found[1], 4)[..., :3]


def test_images_of_the_runs_equal_the_log(view, server, logs):
    seen = view(server, "#/image?search=digits")
    found = shown(seen, "image", "digits/one", 3)
    assert found["steps"] == list(range(10)) and found["at"] == 9
    seen.until(
        "Object.values(window.__board.pages.image.shown('digits/one').runs)"
        ".every((one) => one.shown)"
    )
    for number, (run, step) in enumerate(zip(RUNS, [9, 8, 9])):
        np.testing.assert_array_equal(pixels(seen, logs / run), picture(number, step))
    seen.picture("image-light")


def test_more_records_than_an_answer_names(view, serve, tmp_path):
    with LogWriter(str(tmp_path / "run"), max_queue=100_000) as writer:
        for step in range(10_007):
            writer.add_text("t", f"text {step}", step)
    seen = view(serve(tmp_path), "#/text")
    found = shown(seen, "text", "t")
    assert found["at"] == 10_006
    seen.page.get_by_text("text 10006").wait_for()


def test_slider_by_keys(view, server, logs):
    seen = view(server, "#/image?search=digits")
    shown(seen, "image", "digits/one", 3)
    seen.page.locator("[data-tag='digits/one'] .places input").focus()
    for key in ["Home", "ArrowRight", "ArrowRight", "ArrowRight"]:
        seen.page.keyboard.press(key)
    name = "window.__board.pages.image.shown('digits/one').runs"
    seen.until(f"Object.values({name}).map((one) => one?.step).join() === '3,2,3'")
    seen.until(f"Object.values({name}).every((one) => one.shown)")
    np.testing.assert_array_equal(pixels(seen, logs / RUNS[1]), picture(1, 2))
    seen.page.get_by_role("button", name="One back").first.click()
    seen.until(f"Object.values({name}).map((one) => one?.step).join() === '2,2,2'")


def test_only_what_is_in_sight_is_asked_for(view, server):
    seen = view(server, "#/image?search=many")
    shown(seen, "image", "many/00")
    seen.until("document.querySelectorAll('.sample-image img[src]').length >= 4")
    asked = [url for url in seen.requests if "image/image" in url]
    assert len(asked) < 24, len(asked)
    assert seen.page.locator("article.card").count() == 24
    # again and again: what is drawn above pushes it down
    seen.until(
        "(document.querySelectorAll('article.card')[23].scrollIntoView(), "
        "window.__board.pages.image.shown('many/23').runs) && "
        "Object.values(window.__board.pages.image.shown('many/23').runs)[0]"
    )


def test_hostile_tag_is_a_text(view, server, logs):
    seen = view(server, "#/image?search=script")
    found = shown(seen, "image", HOSTILE)
    assert found["runs"][str(logs / "a")]["step"] == 3
    assert seen.page.locator("h3").first.inner_text() == HOSTILE
    assert seen.value("window.pwned === undefined")
    seen.page.get_by_label("Find tags (regex)").fill("[")
    seen.until("document.querySelector('input.wrong') && document.querySelector('.empty')")


def test_size_and_pixels_are_kept_in_the_address(view, server):
    seen = view(server, "#/image?search=digits&size=320&sharp=0")
    shown(seen, "image", "digits/one", 3)
    width = seen.page.locator(".sample-image").first.bounding_box()["width"]
    assert 300 <= width <= 330
    assert seen.page.get_by_label("Sharp pixels").is_checked() is False
    seen.page.get_by_label("Sharp pixels").check()
    seen.until("!location.href.includes('sharp')")


def test_all_cards_at_the_same_step(view, server):
    seen = view(server, "#/text?together=1&at=3")
    found = shown(seen, "text", "notes", 3)
    assert [one["step"] for one in found["runs"].values()] == [3, 2, 3]


@pytest.mark.parametrize("page", ["image", "audio", "text"])
def test_narrow_dark_chinese(view, server, page):
    titles = {"image": "图像", "audio": "音频", "text": "文本"}
    tags = {"image": "digits/one", "audio": "speech", "text": "notes"}
    seen = view(
        server,
        f"#/{page}?search={tags[page]}",
        width=360,
        height=740,
        locale="zh-CN",
        color_scheme="dark",
    )
    shown(seen, page, tags[page])
    assert seen.fits()
    assert titles[page] in seen.page.title()
    assert seen.value("document.documentElement.dataset.theme") == "dark"
    seen.page.get_by_role("button", name="最大化").first.click()
    seen.until("document.querySelector('.card.full')")
    assert seen.fits()
    seen.page.keyboard.press("Escape")
    seen.until("!document.querySelector('.card.full')")
    seen.picture(f"{page}-narrow-dark-zh")


def test_audio_equals_the_log(view, server, logs):
    seen = view(server, "#/audio")
    found = shown(seen, "audio", "speech", 3)
    head = found["runs"][str(logs / "a")]["head"]
    assert (head["rate"], head["channels"], head["bits"], head["frames"]) == (8000, 1, 16, 4000)
    stereo = shown(seen, "audio", "stereo")["runs"][str(logs / "a")]["head"]
    assert (stereo["rate"], stereo["channels"], stereo["frames"]) == (16000, 2, 4000)
    with seen.page.expect_download() as waiting:
        seen.page.locator("[data-tag='speech'] figure").first.get_by_label("Save").click()
    assert waiting.value.suggested_filename == "a-speech-9.wav"
    saved = Path(waiting.value.path()).read_bytes()
    records = LogReader(str(logs / "a")).get_data("audio", "speech")
    assert saved == records[9].audio.encoded_audio_string
    with wave.open(io.BytesIO(saved)) as file:
        samples = np.frombuffer(file.readframes(4000), "<i2")
    np.testing.assert_allclose(samples / 32768, sound(0, 9), atol=1e-3)
    seen.picture("audio-light")


def test_wave_is_drawn_from_the_sound(view, server):
    seen = view(server, "#/audio")
    shown(seen, "audio", "stereo")
    rows = seen.value("""() => {
        const canvas = document.querySelector("[data-tag='stereo'] canvas");
        const {width, height} = canvas;
        const {data} = canvas.getContext("2d").getImageData(width >> 1, 0, width >> 2, height);
        const part = (from, to) => data.slice(from * (width >> 2) * 4, to * (width >> 2) * 4)
            .filter((_, at) => at % 4 === 3).reduce((sum, one) => sum + one / 255, 0);
        return [part(0, height >> 1), part(height >> 1, height)];
    }""")
    assert rows[0] > 8 * rows[1] > 0  # the second channel is silent: a thin line


def test_play_seek_and_volume(view, server):
    seen = view(server, "#/audio?search=speech")
    shown(seen, "audio", "speech", 3)
    first = seen.page.locator("figure").first
    time = "document.querySelector('.time').textContent"
    assert seen.value(time) == "0:00.00 / 0:00.50"
    first.get_by_role("button", name="Play").click()
    seen.until(f"!{time}.startsWith('0:00.00')")
    seen.until("!document.querySelector('.playing')")
    first.get_by_role("slider", name="Position").focus()
    seen.page.keyboard.press("Home")
    seen.until(f"{time}.startsWith('0:00.00')")
    for _ in range(5):
        seen.page.keyboard.press("ArrowRight")
    seen.until(f"{time}.startsWith('0:00.05')")
    first.get_by_role("slider", name="Volume").focus()
    seen.page.keyboard.press("Home")
    values = "[...document.querySelectorAll('.volume input')].map((one) => one.value).join()"
    assert seen.value(values) == "0,0,0"


def test_text_equals_the_log_and_is_harmless(view, server, logs):
    seen = view(server, "#/text?search=notes")
    found = shown(seen, "text", "notes", 3)
    assert found["runs"][str(logs / "b")] == {"index": 4, "step": 8, "text": TEXT.format(step=8)}
    inside = ".sample-text"
    assert seen.page.locator(f"{inside} h1").first.inner_text() == "Step 9"
    assert (
        seen.page.locator(f"{inside} td").nth(1).evaluate("(one) => one.style.textAlign") == "right"
    )
    for name in ["script", "img", "iframe", "style"]:
        assert seen.page.locator(f"{inside} {name}").count() == 0
    links = seen.value(
        "[...document.querySelectorAll('.sample-text a')].map((one) =>"
        " [one.getAttribute('href'), one.rel, one.target])"
    )
    wanted = ["https://example.org/x", "https://example.org/p.png", "https://example.org/auto"]
    assert [link[0] for link in links] == wanted * 3
    assert all("noopener" in rel and target == "_blank" for _, rel, target in links)
    assert seen.value("window.pwned === undefined")
    assert "<script>" in seen.page.locator(inside).first.inner_text()
    seen.picture("text-light")
    seen.page.get_by_role("button", name="Plain text").click()
    plain = seen.page.locator(inside).first
    assert plain.inner_text() == TEXT.format(step=9)
    seen.until("location.href.includes('form=plain')")


def test_long_text_is_cut_until_asked_for(view, server):
    seen = view(server, "#/text?search=long&form=plain")
    shown(seen, "text", "long")
    body = seen.page.locator(".sample-text")
    assert len(body.inner_text()) < 61_000
    seen.page.get_by_role("button", name="Show all").click()
    assert len(body.inner_text()) >= 149_999


@pytest.mark.slow
def test_live_deleted_and_again(view, serve, tmp_path):
    run = tmp_path / "run"
    with LogWriter(str(tmp_path / "other")) as other:
        other.add_image("x", picture(5, 5), 0)
    writer = LogWriter(str(run))
    writer.add_image("x", picture(0, 0), 0)
    writer.flush()
    seen = view(serve(tmp_path), "#/image")
    shown(seen, "image", "x", 2)
    name = f"window.__board.pages.image.shown('x').runs[{str(run)!r}]"
    writer.add_image("x", picture(0, 1), 1)
    writer.flush()
    seen.until(f"{name}.step === 1 && {name}.shown")
    np.testing.assert_array_equal(pixels(seen, run), picture(0, 1))
    writer.close()
    shutil.rmtree(run)
    seen.until("Object.keys(window.__board.pages.image.shown('x').runs).length === 1")
    with LogWriter(str(run)) as again:
        again.add_image("x", picture(3, 3), 0)
    seen.until(f"{name}?.step === 0 && {name}.shown")
    np.testing.assert_array_equal(pixels(seen, run), picture(3, 3))
