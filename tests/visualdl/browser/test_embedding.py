"""The page of high-dimensional vectors in a real browser: points, labels, search, neighbours."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from visualdl import LogReader, LogWriter

ROWS, WIDTH = 150, 12
KINDS = ["bird", "fish", "tree"]
HOSTILE = "<img src=x onerror=window.pwned=1>"
LONG = {"tsne.steps": 5000, "umap.steps": 2000, "umap.neighborCount": 40}
"""Settings with which a computation takes longer than what a test does meanwhile."""
PAGE = "window.__board.pages.embedding"
SHOWN = f"{PAGE}.shown()"
RUN = f"{PAGE}.run()"


def vectors(seed: int = 0, rows: int = ROWS) -> np.ndarray:
    """Three clouds, which differ most along directions of clearly different weight."""
    source = np.random.default_rng(seed)
    middles = 6 * source.standard_normal((len(KINDS), WIDTH))
    spread = source.standard_normal((rows, WIDTH)) * np.linspace(2, 0.3, WIDTH)
    return (middles[np.arange(rows) % len(KINDS)] + spread).astype(np.float32)


def labels(rows: int = ROWS) -> list[list[str]]:
    """Name, kind and a number for each row."""
    return [[f"word {row:03}", KINDS[row % len(KINDS)], f"{row / 4}"] for row in range(rows)]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs: one of three clouds, one of few and odd vectors."""
    root = tmp_path_factory.mktemp("embeddings")
    header = ["name", "kind", "score"]
    with LogWriter(str(root / "a")) as writer:
        writer.add_embeddings("clouds", vectors(), labels(), header)
        writer.add_embeddings("many", vectors(1, 700), labels(700), header)
    with LogWriter(str(root / "b")) as writer:
        few = np.eye(5, 4)
        few[4] = np.nan
        writer.add_embeddings("odd/<b>", few, [HOSTILE, "中文", 'a,"b"', "", "e" * 500])
        writer.add_embeddings("same", np.ones((6, 3)), list("uvwxyz"))
        writer.add_embeddings("two", np.eye(2), ["one", "other"])
    return root


def shown(view: Any, count: int = ROWS) -> dict[str, Any]:
    """What the picture shows, as soon as it has so many points and was drawn."""
    view.until(f"{SHOWN}.count === {count} && {SHOWN}.drawn")
    return view.value(SHOWN)


def points(view: Any, dimension: int) -> np.ndarray:
    """Where the points are."""
    return np.array(view.value(f"{PAGE}.points()")).reshape(-1, dimension)


def place(logs: Path, run: str, tag: str, **more: Any) -> str:
    """The address that shows these vectors."""
    values = "".join(f"&{key}={value}" for key, value in more.items())
    return f"#/embedding?of={logs / run}&tag={tag}{values}".replace("<", "%3C")


def choose(view: Any, label: str, value: str) -> None:
    """Takes an option of a select."""
    view.page.get_by_role("combobox", name=label, exact=True).select_option(value)


def press(view: Any, name: str) -> None:
    """Presses a button by its name."""
    view.page.get_by_role("button", name=name, exact=True).click()


def nearest(data: np.ndarray, row: int, metric: str, count: int) -> list[tuple[int, float]]:
    """The rows nearest to a row and how far they are, by plain NumPy."""
    data = data.astype(np.float64)
    if metric == "cosine":
        unit = data / np.linalg.norm(data, axis=1, keepdims=True)
        far = 1 - unit @ unit[row]
    else:
        far = np.linalg.norm(data - data[row], axis=1)
    far[row] = np.inf
    return [(int(one), far[one]) for one in np.argsort(far)[:count]]


def apart(found: np.ndarray) -> float:
    """How far the clouds are from each other, compared with how wide they are."""
    clouds = [found[kind :: len(KINDS)] for kind in range(len(KINDS))]
    middles = [cloud.mean(0) for cloud in clouds]
    wide = max(
        np.linalg.norm(cloud - middle, axis=1).mean() for cloud, middle in zip(clouds, middles)
    )
    gaps = [np.linalg.norm(middles[i] - middles[j]) for i in range(3) for j in range(i)]
    return min(gaps) / wide


@pytest.mark.parametrize("dimension", [2, 3])
def test_points_equal_a_pca(view, server, logs, dimension):
    seen = view(server, place(logs, "a", "clouds", dimension=dimension))
    found = shown(seen)
    assert found["dimension"] == dimension
    data = vectors().astype(np.float64)
    data -= data.mean(0)
    _, lengths, directions = np.linalg.svd(data, full_matrices=False)
    wanted = data @ directions[:dimension].T
    got = points(seen, dimension)
    signs = np.sign((got * wanted).sum(0))
    np.testing.assert_allclose(got, wanted * signs, rtol=1e-3, atol=1e-3)
    share = 100 * (lengths[:dimension] ** 2).sum() / (lengths**2).sum()
    status = seen.page.locator(".embedding-status").inner_text()
    assert float(re.findall(r"[\d.]+", status)[0]) == pytest.approx(share, abs=0.06)
    logged = LogReader(str(logs / "a")).get_data("embeddings", "clouds")[0].embeddings.embeddings
    np.testing.assert_array_equal([list(one.vectors) for one in logged], vectors())
    head = seen.page.locator(".embedding-card h3").inner_text()
    assert head == "a · clouds 150 points of 12 dimensions"
    seen.picture(f"embedding-pca-{dimension}d")


def test_labels_columns_and_colours(view, server, logs):
    seen = view(server, place(logs, "a", "clouds", dimension=2))
    found = shown(seen)
    assert [one["name"] for one in found["groups"]] == KINDS  # the column of kinds was chosen
    assert [one["count"] for one in found["groups"]] == [50, 50, 50]
    assert len({one["color"] for one in found["groups"]}) == 3
    assert found["of"] == [row % 3 for row in range(ROWS)] and found["labels"] == []
    seen.page.get_by_label("Labels", exact=True).check()
    seen.until(f"{SHOWN}.labels.length > 20")
    assert set(seen.value(f"{SHOWN}.labels")) <= {row[0] for row in labels()}
    choose(seen, "Label by", "kind")
    seen.until(f"{SHOWN}.labels.length && {SHOWN}.labels.every(one => one.length === 4)")
    choose(seen, "Colour by", "score")
    seen.until(f"{SHOWN}.groups.length === 33")  # a scale of colours, and one for what has none
    assert seen.page.locator(".embedding-ends").inner_text().split() == ["0", "37.25"]
    of = np.array(seen.value(f"{SHOWN}.of"))
    assert (np.diff(of) >= 0).all() and of[0] == 0 and of[-1] == 31
    seen.picture("embedding-scale")
    press(seen, "groups")
    seen.until(f"{SHOWN}.groups.length === 25 && {SHOWN}.groups[24].count === {ROWS - 24}")
    choose(seen, "Colour by", "one colour")
    seen.until(f"{SHOWN}.groups.length === 1")
    seen.until("location.hash.includes('color=-1') && location.hash.includes('label=1')")


def test_groups_are_hidden_and_shown(view, server, logs):
    seen = view(server, place(logs, "a", "clouds", dimension=2))
    shown(seen)
    box = seen.page.locator(".embedding-legend").get_by_role("checkbox", name="fish")
    box.focus()
    seen.page.keyboard.press("Space")
    seen.until(f"{SHOWN}.hidden.join() === '1'")
    assert seen.value("document.activeElement.dataset.group") == "1"
    x, y = seen.value(f"{PAGE}.pixel(1)")  # a fish: not there for the pointer either
    seen.page.locator(".embedding-picture").hover(position={"x": x, "y": y})
    assert seen.value(f"{SHOWN}.cursor") % 3 != 1
    press(seen, "Show all groups")
    seen.until(f"{SHOWN}.hidden.length === 0")


def test_search_finds_and_lists(view, server, logs):
    seen = view(server, place(logs, "a", "clouds"))
    shown(seen)
    seen.page.keyboard.press("/")
    seen.page.keyboard.type("word 01[0-4]$")
    seen.until(f"{SHOWN}.found?.length === 5")
    found = seen.value(SHOWN)
    assert found["found"] == [10, 11, 12, 13, 14]
    assert [row for row, mark in enumerate(found["marks"]) if mark] == found["found"]
    part = seen.page.get_by_label("Found")
    assert "5 of 150 points" in part.inner_text()
    seen.page.get_by_role("searchbox", name="Find points").fill("fish|tree")
    seen.until(f"{SHOWN}.found.length === 100")
    choose(seen, "Search in", "name")
    seen.until(f"{SHOWN}.found.length === 0")
    choose(seen, "Search in", "kind")
    seen.until(f"{SHOWN}.found.length === 100")
    part.get_by_role("button").nth(1).click()
    seen.until(f"{SHOWN}.chosen === 2")
    seen.picture("embedding-search")
    seen.until("location.hash.includes('search=fish')")
    seen.page.reload()
    seen.until(f"{SHOWN}.found?.length === 100 && {SHOWN}.chosen === 2")


def still(seen):
    """Waits until nothing moves the first point any more; gives where it is."""
    before = None
    while (now := seen.value(f"{PAGE}.pixel(0)")) != before:
        before = now
        seen.page.wait_for_timeout(300)
    return now


def test_neighbours_equal_numpy(view, server, logs):
    seen = view(server, place(logs, "a", "clouds", dimension=2))
    shown(seen)
    still(seen)
    x, y = seen.value(f"{PAGE}.pixel(7)")
    seen.page.locator(".embedding-picture").click(position={"x": x, "y": y})
    seen.until(f"{SHOWN}.near.length === 10")
    row = seen.value(f"{SHOWN}.chosen")
    there = np.array([seen.value(f"{PAGE}.pixel({row})"), [x, y]])
    assert np.abs(there[0] - there[1]).max() < 4  # the point that was pressed, or one over it
    facts = seen.page.locator(".embedding-facts").inner_text()
    assert labels()[row][0] in facts and labels()[row][1] in facts and "score" in facts
    for metric, count in [("cosine", 10), ("euclidean", 20)]:
        seen.page.locator(".embedding-near select").first.select_option(metric)
        seen.page.locator(".embedding-near select").nth(1).select_option(str(count))
        wanted = nearest(vectors(), row, metric, count)
        seen.until(f"{SHOWN}.near.length === {count} && {SHOWN}.near[0].index === {wanted[0][0]}")
        got = seen.value(f"{SHOWN}.near")
        far = dict(wanted)
        assert sum(one["index"] in far for one in got) >= count - 1  # the last may be a tie
        for one, (_, distance) in zip(got, wanted):
            assert one["distance"] == pytest.approx(distance, rel=1e-3, abs=1e-5)
        listed = seen.page.locator(".embedding-near li").all_inner_texts()
        assert len(listed) == count and labels()[got[0]["index"]][0] in listed[0]
    seen.picture("embedding-neighbours")
    first = seen.value(f"{SHOWN}.near[0].index")
    seen.page.locator(".embedding-near li button").first.click()
    seen.until(f"{SHOWN}.chosen === {first} && {SHOWN}.near.length === 20")
    press(seen, "Let go")
    seen.until(f"{SHOWN}.chosen === -1 && {SHOWN}.marks.every(mark => mark === 0)")


def test_keys_alone(view, server, logs):
    seen = view(server, place(logs, "a", "clouds"))
    shown(seen)
    seen.page.get_by_role("button", name="Full size").focus()
    seen.page.keyboard.press("Tab")
    assert seen.value("document.activeElement.className").startswith("embedding-picture")
    seen.page.keyboard.press("ArrowRight")
    first = seen.until(f"{SHOWN}.cursor >= 0 && [{SHOWN}.cursor]")[0]
    seen.page.keyboard.press("ArrowRight")
    second = seen.value(f"{SHOWN}.cursor")
    assert second != first
    assert seen.value(f"{PAGE}.pixel({second})[0] > {PAGE}.pixel({first})[0]")
    assert labels()[second][0] in seen.page.locator(".embedding-hint").inner_text()
    assert labels()[second][0] in seen.page.locator(".embedding-picture [aria-live]").inner_text()
    seen.page.keyboard.press("Enter")
    seen.until(f"{SHOWN}.chosen === {second} && {SHOWN}.near.length === 10")
    turned = seen.value(f"{SHOWN}.yaw")
    seen.page.keyboard.press("Shift+ArrowRight")
    assert seen.value(f"{SHOWN}.yaw") > turned
    seen.page.keyboard.press("+")
    assert seen.value(f"{SHOWN}.zoom") == pytest.approx(1.25)
    seen.page.keyboard.press("0")
    assert seen.value(f"{SHOWN}.zoom") == 1 and seen.value(f"{SHOWN}.yaw") == turned
    seen.page.keyboard.press("Escape")
    seen.until(f"{SHOWN}.chosen === -1")


def test_pointer_turns_moves_and_zooms(view, server, logs):
    seen = view(server, place(logs, "a", "clouds"))
    shown(seen)
    reset = seen.page.get_by_role("button", name="Show everything")
    assert reset.is_disabled()
    box = seen.page.locator(".embedding-picture").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse = seen.page.mouse
    turned = seen.value(f"{SHOWN}.yaw")
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 90, y + 10, steps=4)
    mouse.up()
    assert seen.value(f"{SHOWN}.yaw") > turned + 0.3
    assert seen.value(f"{SHOWN}.chosen") == -1  # a drag chooses nothing
    before = seen.value(f"{PAGE}.pixel(0)")
    mouse.wheel(0, -300)
    seen.until(f"{SHOWN}.zoom > 1.2")
    seen.until(f"{PAGE}.pixel(0)[0] !== {before[0]}")
    reset.click()
    assert seen.value(f"{SHOWN}.zoom") == 1 and reset.is_disabled()
    press(seen, "2D")
    seen.until(f"{SHOWN}.dimension === 2")
    seen.until(f"{SHOWN}.drawn")
    before = still(seen)
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 40, y - 30, steps=4)
    mouse.up()
    wanted = [before[0] + 40, before[1] - 30]
    seen.until(f"Math.abs({PAGE}.pixel(0)[0] - {wanted[0]}) < 1")
    assert seen.value(f"{PAGE}.pixel(0)") == pytest.approx(wanted, abs=1)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["t-SNE", "UMAP"])
def test_computed_in_a_worker(view, server, logs, method):
    name = method.replace("-", "").lower()
    seen = view(server, place(logs, "a", "many", dimension=2, **LONG))
    shown(seen, 700)
    before = points(seen, 2)
    asked = len(seen.requests)
    press(seen, method)
    seen.until(f"{RUN}.step >= 5")
    press(seen, "Pause")
    seen.until(f"{RUN}.state === 'paused'")
    seen.page.wait_for_timeout(150)
    step, first = seen.value(f"{RUN}.step"), points(seen, 2)
    seen.page.wait_for_timeout(300)
    assert seen.value(f"{RUN}.step") == step and (points(seen, 2) == first).all()
    assert "Paused at step" in seen.page.locator(".embedding-status").inner_text()
    assert not np.array_equal(first, before) and np.isfinite(first).all()
    press(seen, "Go on")
    seen.until(f"{RUN}.step > {step} && {RUN}.step < {RUN}.steps")
    press(seen, "Stop")
    assert seen.value(f"{RUN}.state") == "stopped"
    stopped = points(seen, 2)
    assert not np.array_equal(stopped, first)
    seen.page.wait_for_timeout(300)
    assert (points(seen, 2) == stopped).all()
    field = seen.page.get_by_role("spinbutton", name="Steps")
    field.fill("150")
    field.press("Enter")
    press(seen, "Start again")
    seen.until(f"{RUN}.state === 'done'")
    done = points(seen, 2)
    assert seen.value(RUN)["step"] == 150
    assert apart(done) > 2
    if method == "t-SNE":
        assert 0 < seen.value(f"{RUN}.cost") < 3
    seen.picture(f"embedding-{name}")
    press(seen, "Start again")  # the same data and settings give the same picture
    seen.until(f"{RUN}.state !== 'done'")
    seen.until(f"{RUN}.state === 'done'")
    assert (points(seen, 2) == done).all()
    new = seen.requests[asked:]
    assert any(f"js/workers/{name}.js" in one for one in new)
    press(seen, "PCA")
    seen.until(f"{RUN}.state === 'idle'")
    np.testing.assert_array_equal(points(seen, 2), before)
    seen.until("!location.hash.includes('method=')")


@pytest.mark.parametrize("method", ["tsne", "umap"])
@pytest.mark.parametrize("tag", ["odd/<b>", "same", "two"])
def test_few_and_odd_vectors_are_computed(view, server, logs, tag, method):
    seen = view(server, place(logs, "b", tag, method=method, **{f"{method}.steps": 50}))
    ended = seen.until(f"['done', 'failed'].includes({RUN}.state) && {RUN}.state")
    assert ended == ("failed" if tag == "two" and method == "umap" else "done")
    if ended == "failed":
        assert "fewer than three" in seen.page.locator(".embedding-status").inner_text()
    assert np.isfinite(points(seen, 3)).all()


def test_more_vectors_than_a_method_takes(view, server, logs):
    address = place(logs, "a", "many", method="tsne", search="word 01", **{"tsne.most": 500})
    seen = view(server, address)
    found = shown(seen, 500)
    seen.until(f"{RUN}.step > 0")
    press(seen, "Stop")
    assert "500 of 700 points" in seen.page.locator(".embedding-card h3").inner_text()
    ids = found["ids"]
    assert ids == sorted(set(ids)) and ids[-1] < 700
    assert found["of"] == [row % 3 for row in ids]
    away = next(row for row in range(10, 20) if row not in ids)
    seen.page.locator(f".embedding-list button[data-row='{away}']").click()
    seen.until(f"{SHOWN}.near.length === 10")
    assert "not among those shown" in seen.page.get_by_label("Chosen point").inner_text()
    marks = seen.value(f"{SHOWN}.marks")
    near = {one["index"] for one in seen.value(f"{SHOWN}.near")}
    assert {ids[at] for at, mark in enumerate(marks) if mark == 2} == near & set(ids)
    asked = [url for url in seen.requests if "/api/embedding/" in url]
    assert any("/sample?" in url and "most=500" in url for url in asked)
    assert not any("/tensor?" in url for url in asked)  # 400 MB of 200,000 x 512
    press(seen, "Start again")  # what is chosen takes part
    seen.until(f"{SHOWN}.ids.length === 500 && {SHOWN}.ids.includes({away})")
    press(seen, "PCA")
    shown(seen, 700)


def test_hostile_labels_stay_text(view, server, logs):
    seen = view(server, place(logs, "b", "odd/<b>", dimension=2, point=0))
    found = shown(seen, 5)
    assert HOSTILE in seen.page.locator(".embedding-facts").inner_text()
    assert seen.value("document.querySelectorAll('.embedding img').length") == 0
    assert seen.value("window.pwned === undefined")
    assert "中文" in seen.page.locator(".embedding-legend").inner_text()
    assert "(none)" in seen.page.locator(".embedding-legend").inner_text()
    assert len(found["groups"]) == 5
    seen.until(f"{SHOWN}.labels.length >= 2")
    assert seen.fits()


def test_runs_are_chosen(view, server, logs):
    seen = view(server, place(logs, "b", "same"))
    shown(seen, 6)
    seen.page.locator(f"#runs input[data-run='{logs / 'b'}']").uncheck()
    shown(seen)
    seen.page.get_by_role("combobox", name="Vectors").select_option("a · many")
    shown(seen, 700)
    seen.page.locator("#runs").get_by_role("button", name="None").click()
    seen.until("document.querySelector('.empty')")
    seen.page.locator("#runs").get_by_role("button", name="All", exact=True).click()
    shown(seen, 700)  # what was looked at before


def test_downloads(view, server, logs):
    seen = view(server, place(logs, "a", "clouds", dimension=2))
    shown(seen)
    kept = {}
    for item in ["Picture (PNG)", "Points as shown (CSV)", "Vectors (float32)", "Labels (TSV)"]:
        seen.page.get_by_role("button", name="Download").click()
        with seen.page.expect_download() as waiting:
            seen.page.get_by_role("menuitem", name=item).click()
        kept[waiting.value.suggested_filename] = Path(waiting.value.path()).read_bytes()
    assert kept["a-clouds.png"].startswith(b"\x89PNG")
    rows = list(csv.reader(kept["a-clouds.csv"].decode().splitlines()))
    assert rows[0] == ["row", "x", "y", "name", "kind", "score"]
    assert [row[3:] for row in rows[1:]] == labels()
    table = np.array([row[1:3] for row in rows[1:]], float)
    np.testing.assert_allclose(table, points(seen, 2), rtol=1e-6)
    np.testing.assert_array_equal(
        np.frombuffer(kept["a-clouds.f32"], "<f4").reshape(ROWS, WIDTH), vectors()
    )
    assert kept["a-clouds.tsv"].decode().splitlines()[:2] == [
        "name\tkind\tscore",
        "word 000\tbird\t0.0",
    ]


def test_full_size(view, server, logs):
    seen = view(server, place(logs, "a", "clouds"))
    shown(seen)
    plot = seen.page.locator(".embedding-picture")
    small = plot.bounding_box()["height"]
    press(seen, "Full size")
    seen.until(f"document.querySelector('.card.full .embedding-picture').clientHeight > {small}")
    height = "document.querySelector('.embedding-picture').clientHeight"
    seen.until(f"document.querySelector('.embedding-picture canvas').height === {height}")
    for _ in range(12):
        seen.page.keyboard.press("Tab")
        assert seen.value("Boolean(document.activeElement.closest('.card.full'))")
    seen.page.keyboard.press("Escape")
    seen.until("!document.querySelector('.card.full')")


@pytest.mark.slow
def test_live(view, serve, tmp_path):
    with LogWriter(str(tmp_path / "run")) as writer:
        writer.add_embeddings("w", vectors(1, 700)[:300], labels(300))
        writer.flush()
        seen = view(serve(tmp_path), "#/embedding?dimension=2&point=3&tsne.steps=5000")
        shown(seen, 300)
        zoomed = seen.page.get_by_role("button", name="Larger")
        zoomed.click()
        writer.add_embeddings("w", vectors(1, 700)[:400], labels(400))
        writer.flush()
        found = shown(seen, 400)
        assert found["chosen"] == 3 and found["zoom"] == pytest.approx(1.25)  # the view stays
        press(seen, "t-SNE")
        seen.until(f"{RUN}.step > 0")
        press(seen, "Pause")
        writer.add_embeddings("w", vectors(1, 700)[:500], labels(500))
        writer.add_embeddings("later", vectors()[:9], labels()[:9])
        writer.flush()
        seen.until("document.querySelector('.embedding-part [role=status]').textContent")
        assert shown(seen, 400)["count"] == 400  # what is computed is not thrown away
        press(seen, "Start again")
        shown(seen, 500)
        seen.until(f"{RUN}.step > 0 && {RUN}.state === 'running' || {RUN}.state === 'done'")
        seen.page.get_by_role("combobox", name="Vectors").select_option("run · later")
        shown(seen, 9)


def test_theme_changes_the_colours(view, server, logs):
    seen = view(server, place(logs, "a", "clouds"))
    light = shown(seen)["groups"]
    seen.page.keyboard.press("t")  # auto, light, dark
    seen.page.keyboard.press("t")
    seen.until("document.documentElement.dataset.theme === 'dark'")
    seen.until(f"{SHOWN}.groups[0].color !== '{light[0]['color']}'")
    seen.picture("embedding-dark")
    seen.page.locator("#language").select_option("zh")
    seen.until("document.querySelector('.embedding-part h3').textContent === '降维'")
    shown(seen)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_narrow_chinese(view, server, logs, scheme, dimension):
    seen = view(
        server,
        place(logs, "a", "many", dimension=dimension, point=7, **LONG),
        width=360,
        height=740,
        locale="zh-CN",
        color_scheme=scheme,
    )
    shown(seen, 700)
    seen.until(f"{SHOWN}.near.length === 10")
    assert seen.fits() and "高维数据" in seen.page.title()
    seen.picture(f"embedding-narrow-{scheme}-{dimension}d-zh")
    seen.page.get_by_role("button", name="UMAP").click()
    seen.until(f"{RUN}.step > 0")
    assert seen.fits() and "步" in seen.page.locator(".embedding-status").inner_text()
    press(seen, "停止")
    assert seen.value(f"{RUN}.state") == "stopped"
    part = seen.page.get_by_label("选中的点")
    part.scroll_into_view_if_needed()
    assert "最近邻" in part.inner_text()
    seen.picture(f"embedding-narrow-{scheme}-{dimension}d-zh-side")
