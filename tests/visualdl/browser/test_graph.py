"""The page of graphs in a real browser: what is drawn is the Program that was logged."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import paddle
from paddle.static import InputSpec, Program
from tests.visualdl.browser.board import Server
from visualdl import LogWriter

PAGE = "window.__board.pages.graph"
SPEC = [InputSpec([None, 1, 8, 8], "float32", "image")]
ENDS = ("feed", "fetch")


def network(width: int = 16) -> paddle.nn.Layer:
    """Two groups of layers with one between them."""
    nn = paddle.nn
    return nn.Sequential(
        ("features", nn.Sequential(nn.Conv2D(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2))),
        ("flat", nn.Flatten()),
        ("head", nn.Sequential(nn.Linear(64, width), nn.ReLU(), nn.Linear(width, 3))),
    )


def log(folder: Path, layer: paddle.nn.Layer) -> None:
    """Writes a run that has a graph."""
    with LogWriter(str(folder)) as writer:
        writer.add_graph(layer, SPEC)
        writer.add_scalar("a", 1.0, 0)


def operators(folder: Path) -> list[Any]:
    """The operators of the Program beside a log, as paddle reads it."""
    (file,) = folder.glob("vdlgraph.*.pdmodel")
    found = Program.parse_from_string(file.read_bytes()).global_block().ops
    return [op for op in found if op.type not in ENDS]


def feeds(ops: list[Any]) -> set[tuple[int, int]]:
    """Which operator reads what another one writes, by their places."""
    made = {name: at for at, op in enumerate(ops) for name in op.output_arg_names}
    return {
        (made[name], at) for at, op in enumerate(ops) for name in op.input_arg_names if name in made
    }


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs; the first one's network is that of the tests."""
    root = tmp_path_factory.mktemp("graphs")
    log(root / "net", network())
    log(root / "小/other", paddle.nn.Sequential(paddle.nn.Flatten(), paddle.nn.Linear(64, 2)))
    return root


def settled(seen: Any) -> None:
    """Waits until the model is laid out and drawn."""
    seen.until(f"{PAGE}?.model() && {PAGE}.settled() && document.querySelector('[data-key]')")


def opened(view: Any, server: Server, run: Path, more: str = "", **options: Any) -> Any:
    """The page with the graph of a run, drawn."""
    seen = view(server, f"#/graph?model={run}{more}", **options)
    settled(seen)
    return seen


def keys(seen: Any) -> list[str]:
    """What is drawn: n1 is a node, g1 a group."""
    return seen.value(
        "[...document.querySelectorAll('.graph-canvas [data-key]')].map((one) => one.dataset.key)"
    )


def unfold(seen: Any) -> None:
    """Shows every node."""
    seen.page.get_by_role("button", name="Unfold all").click()
    settled(seen)
    count = seen.value(f"{PAGE}.data().nodes.length")
    seen.until(f"document.querySelectorAll('.graph-canvas .node[data-key]').length === {count}")


def selected(seen: Any) -> str:
    """What is selected: its name."""
    return seen.value(f"{PAGE}.selected() && {PAGE}.model().name({PAGE}.selected())")


def test_graph_equals_the_program(view, server, logs):
    seen = opened(view, server, logs / "net")
    data = seen.value(f"{PAGE}.data()")
    ops = operators(logs / "net")
    nodes = [node for node in data["nodes"] if node["kind"] == "operator"]
    assert [node["type"] for node in nodes] == [op.type for op in ops]
    block = ops[0].block
    tensors = data["tensors"]
    for node, op in zip(nodes, ops):
        for side, names in (("inputs", op.input_arg_names), ("outputs", op.output_arg_names)):
            told = [tensors[at] for _, found in node[side] for at in found]
            assert {one["name"] for one in told} == set(names)
            for one in told:
                assert list(block.var(one["name"]).shape) == one["shape"]
    place = {node["id"]: at for at, node in enumerate(nodes)}
    edges = {(place[a], place[b]) for a, b, *_ in data["edges"] if a in place and b in place}
    assert edges == feeds(ops)
    assert data["parameters"]["count"] == sum(
        int(one.size) for one in (p.numpy() for p in network().parameters())
    )


def test_every_node_is_drawn_below_what_feeds_it(view, server, logs):
    seen = opened(view, server, logs / "net")
    unfold(seen)
    data = seen.value(f"{PAGE}.data()")
    assert sorted(key for key in keys(seen) if key[0] == "n") == sorted(
        f"n{node['id']}" for node in data["nodes"]
    )
    at = seen.value(
        f"Object.fromEntries([...{PAGE}.drawing().where].map(([key, box]) => [key, box.y]))"
    )
    assert all(at[f"n{a}"] < at[f"n{b}"] for a, b, *_ in data["edges"])
    titles = seen.value(
        "[...document.querySelectorAll('.graph-canvas .node .title')].map((one) => one.textContent)"
    )
    assert {op.type for op in operators(logs / "net")} <= set(titles)
    assert seen.page.locator(".graph-canvas .label", has_text="?×4×8×8").count() >= 1
    seen.picture("graph-light")


@pytest.mark.slow
def test_groups_fold_by_double_click_and_are_kept_in_the_address(view, server, logs):
    seen = opened(view, server, logs / "net")
    seen.page.get_by_role("button", name="Fold all", exact=True).click()
    settled(seen)
    groups = "document.querySelectorAll('.graph-canvas .group.closed').length"
    seen.until(f"{groups} === 2")  # features and head; the layer between them is no group
    key = seen.value(f"{PAGE}.keyOf('features')")
    seen.page.locator(f"[data-key={key}] .title").dblclick()
    seen.until(f"{PAGE}.model().isOpen({key!r}) && {PAGE}.settled()")
    seen.until("location.href.includes('open=')")
    again = view(server, seen.page.url.split("/app/")[1])
    settled(again)
    assert again.value(f"{PAGE}.model().isOpen({key!r})")
    assert not again.value(f"{PAGE}.model().isOpen({PAGE}.keyOf('head'))")


def test_details_tell_what_the_operator_has(view, server, logs):
    seen = opened(view, server, logs / "net", "&node=conv2d_0")
    panel = seen.page.locator(".graph-panel")
    panel.get_by_role("heading", name="conv2d", exact=True).wait_for()
    conv = operators(logs / "net")[0]
    row = panel.locator("tr", has=seen.page.get_by_role("rowheader", name="paddings", exact=True))
    assert row.locator("td").inner_text() == str(conv.attr("paddings"))
    assert panel.get_by_text("float32 4×1×3×3").count() == 1
    panel.get_by_role("button", name="→ elementwise_add_0").click()
    seen.until(f"{PAGE}.model().name({PAGE}.selected()) === 'elementwise_add_0'")
    seen.until("location.href.includes('node=elementwise_add_0')")


@pytest.mark.parametrize("way, name", [("in", "inputs"), ("out", "outputs"), ("both", "both")])
def test_flow_marks_what_feeds_a_node_and_what_it_feeds(view, server, logs, way, name):
    seen = opened(view, server, logs / "net", "&node=relu_1")
    unfold(seen)
    seen.page.get_by_role("button", name=name, exact=True).click()
    ops = operators(logs / "net")
    start = [at for at, op in enumerate(ops) if op.type == "relu"][1]
    wanted = {start}
    for reverse in [r for r in (True, False) if way in ("both", "in" if r else "out")]:
        waiting = [start]
        while waiting:
            here = waiting.pop()
            more = {a if reverse else b for a, b in feeds(ops) if here == (b if reverse else a)}
            waiting += more
            wanted |= more
    seen.until(f"{PAGE}.marked().nodes?.size > 1")
    lit = seen.value(
        f"[...{PAGE}.marked().nodes].filter((key) => key[0] === 'n')"
        f".map((key) => {PAGE}.data().nodes[Number(key.slice(1))])"
        ".filter((node) => node.kind === 'operator').map((node) => node.name)"
    )
    nodes = [n for n in seen.value(f"{PAGE}.data().nodes") if n["kind"] == "operator"]
    assert sorted(lit) == sorted(nodes[at]["name"] for at in wanted)
    drawn = seen.page.locator(".graph-canvas .node.on").count()
    assert drawn == seen.value(f"[...{PAGE}.marked().nodes].filter((k) => k[0] === 'n').length")


def test_search_steps_from_one_to_the_next(view, server, logs):
    seen = opened(view, server, logs / "net")
    field = seen.page.get_by_label("Find a node or tensor")
    field.fill("elementwise")
    seen.page.get_by_text("3 found").wait_for()
    names = []
    for number in range(1, 4):
        field.press("Enter")
        seen.page.get_by_text(f"{number} of 3").wait_for()
        settled(seen)
        names.append(selected(seen))
    assert names == ["elementwise_add_0", "elementwise_add_1", "elementwise_add_2"]
    field.fill("no such thing")
    seen.page.get_by_text("nothing found").wait_for()


def test_a_file_is_opened_and_the_runs_stay(view, server, logs, tmp_path):
    seen = opened(view, server, logs / "net")
    (file,) = (logs / "小/other").glob("vdlgraph.*.pdmodel")
    shutil.copy(file, tmp_path / "<b>大&.pdmodel")
    seen.page.locator("input[type=file]").first.set_input_files(tmp_path / "<b>大&.pdmodel")
    seen.until(f"{PAGE}.data()?.nodes.filter((node) => node.kind === 'operator').length < 6")
    settled(seen)
    nodes = [n["type"] for n in seen.value(f"{PAGE}.data().nodes") if n["kind"] == "operator"]
    assert nodes == [op.type for op in operators(logs / "小/other")]
    choice = seen.page.get_by_label("Model", exact=True)
    assert "uploaded: <b>大&.pdmodel" in choice.locator("option").all_inner_texts()
    choice.select_option(str(logs / "net"))
    seen.until(f"{PAGE}.data().nodes.some((node) => node.type === 'conv2d')")


def test_a_damaged_file_is_told_of_and_the_graph_stays(view, server, logs, tmp_path):
    seen = opened(view, server, logs / "net")
    (file,) = (logs / "net").glob("vdlgraph.*.pdmodel")
    (tmp_path / "cut.pdmodel").write_bytes(file.read_bytes()[:-300])
    seen.page.locator("input[type=file]").first.set_input_files(tmp_path / "cut.pdmodel")
    seen.page.locator(".messages, [role=alert]").get_by_text("cut.pdmodel").first.wait_for()
    assert seen.value(f"{PAGE}.data().nodes.some((node) => node.type === 'conv2d')")
    assert all("status of 400" in one for one in seen.problems), seen.problems
    seen.problems.clear()


@pytest.mark.parametrize("kind, head", [("PNG", b"\x89PNG"), ("SVG", b"<svg")])
def test_pictures(view, server, logs, kind, head):
    seen = opened(view, server, logs / "net")
    seen.page.get_by_role("button", name="Save picture").click()
    with seen.page.expect_download() as waiting:
        seen.page.get_by_role("menuitem", name=kind).click()
    assert waiting.value.suggested_filename.endswith(f".{kind.lower()}")
    assert head in Path(waiting.value.path()).read_bytes()[:200]


def test_keyboard_only(view, server, logs):
    seen = opened(view, server, logs / "net")
    press = seen.page.keyboard.press
    on_canvas = "document.activeElement.classList.contains('graph-canvas')"
    for _ in range(60):
        press("Tab")
        if seen.value(on_canvas):
            break
    assert seen.value(on_canvas)
    press("ArrowDown")  # the first key takes the topmost
    assert selected(seen) == "image"
    press("ArrowDown")
    first = seen.value(f"{PAGE}.selected()")
    assert seen.value("document.activeElement.getAttribute('aria-activedescendant')") == (
        f"graph-{first}"
    )
    for _ in range(20):
        group = seen.value(f"{PAGE}.selected()")
        if group[0] == "g":
            break
        press("ArrowDown")
    assert group[0] == "g"
    was = seen.value(f"{PAGE}.model().isOpen({group!r})")
    press("Enter")
    seen.until(f"{PAGE}.model().isOpen({group!r}) === {str(not was).lower()} && {PAGE}.settled()")
    scale = f"{PAGE}.viewport().scale"
    before = seen.value(scale)
    press("+")
    seen.until(f"{scale} > {before}")
    press("f")
    press("/")
    assert seen.value("document.activeElement.getAttribute('role')") == "combobox"
    seen.page.keyboard.type("pool2d")
    press("Enter")
    seen.until(f"{PAGE}.model().name({PAGE}.selected()) === 'pool2d_0'")
    assert seen.fits()


@pytest.mark.slow
def test_live_deleted_and_again(view, serve, tmp_path):
    with LogWriter(str(tmp_path / "stays")) as writer:
        writer.add_scalar("a", 1.0, 0)
    seen = view(serve(tmp_path), "#/graph")
    seen.page.get_by_text("No model yet").wait_for()
    log(tmp_path / "run", network(16))
    settled(seen)
    count = f"{PAGE}.data().parameters.count"
    sizes = [seen.value(count)]
    shutil.rmtree(tmp_path / "run")
    seen.page.get_by_text("No model yet").wait_for()
    assert keys(seen) == []
    log(tmp_path / "run", network(20))
    seen.until(f"{PAGE}.model() && {count} !== {sizes[0]}")
    settled(seen)
    assert seen.value(count) - sizes[0] == 4 * (64 + 1 + 3)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_languages_themes_and_a_narrow_window(view, server, logs, theme, locale):
    options = {"color_scheme": theme, "locale": locale}
    seen = opened(view, server, logs / "net", width=360, height=740, **options)
    assert seen.fits()
    assert seen.value("document.documentElement.dataset.theme") == theme
    title, fold = ("网络结构", "全部折叠") if locale == "zh-CN" else ("Graph", "Fold all")
    assert seen.page.title().startswith(title)
    seen.page.get_by_role("button", name=fold, exact=True).click()
    seen.until("document.querySelectorAll('.graph-canvas .group.closed').length === 2")
    ground = seen.value("getComputedStyle(document.body).backgroundColor")
    red = int(ground.removeprefix("rgb(").split(",")[0])
    assert red > 200 if theme == "light" else red < 80
    seen.picture(f"graph-360-{theme}-{locale}")
