"""The routes under graph/: which models there are, uploads, downloads, names."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from visualdl.graph import routes
from visualdl.graph.errors import GraphError
from visualdl.graph.routes import POST, ROUTES, UPLOAD, tabs

DATA = Path(__file__).parents[2] / "data"


class File:
    """What a server hands on of an upload."""

    def __init__(self, data: bytes, filename: str) -> None:
        self.filename = filename
        self.read = io.BytesIO(data).read


def model(name: str = "digits") -> bytes:
    with zipfile.ZipFile(DATA / "models/2.6.2.zip") as opened:
        return opened.read(f"{name}/model/net.pdmodel")


def context(*folders: Path, **more: Any) -> SimpleNamespace:
    return SimpleNamespace(folders=[str(f) for f in folders], **{"model": None, **more})


def put(path: Path, data: bytes, time: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (time, time))
    return path


def test_runs(tmp_path: Path) -> None:
    old = put(tmp_path / "a" / "vdlgraph.1.pdmodel", model(), 100)
    put(tmp_path / "a" / "vdlgraph.2.pdmodel", model("dense"), 200)
    put(tmp_path / "b" / "c" / "__model__", model(), 100)
    put(tmp_path / "b" / "notes.txt", b"", 100)
    given = put(tmp_path / "elsewhere.pdmodel", model(), 100)
    asking = context(
        tmp_path / "a", tmp_path / "b", model=str(given), names={str(tmp_path / "b" / "c"): "shown"}
    )
    assert ROUTES["graph/runs"]({}, asking) == [
        "elsewhere.pdmodel",
        str(tmp_path / "a"),
        str(old),
        "shown",
    ]
    assert ROUTES["graph_runs"]({}, asking) == ROUTES["graph/runs"]({}, asking)
    found = ROUTES["graph/models"]({}, asking)
    assert found[1] == {
        "run": str(tmp_path / "a"), "file": "vdlgraph.2.pdmodel", "source": "log",
        "size": len(model("dense")), "time": 200_000,
    }  # fmt: skip
    for run in (
        str(tmp_path / "a"),
        str(old),
        "shown",
        "elsewhere.pdmodel",
        str(tmp_path / "b" / "c"),
    ):
        assert ROUTES["graph/model"]({"run": run}, asking)["nodes"]
    assert tabs(asking) == ["static_graph", "dynamic_graph"]
    assert tabs(context(tmp_path / "none")) == []


def test_a_new_file_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    put(tmp_path / "vdlgraph.1.pdmodel", model(), 100)
    asking = context(tmp_path)
    first = ROUTES["graph/model"]({"run": str(tmp_path)}, asking)
    put(tmp_path / "vdlgraph.1.pdmodel", model("dense"), 300)
    assert ROUTES["graph/model"]({"run": str(tmp_path)}, asking)["operators"] != first["operators"]


@pytest.mark.parametrize("given", ["net.pdmodel", "net", "."])
def test_model_option(tmp_path: Path, given: str) -> None:
    put(tmp_path / "net.pdmodel", model(), 1)
    put(tmp_path / "__model__", model(), 1)
    asking = context(model=str(tmp_path / given))
    (run,) = ROUTES["graph/runs"]({}, asking)
    assert ROUTES["graph/model"]({"run": run}, asking)["nodes"]
    sent = ROUTES["graph/static_graph"]({}, asking)
    assert (sent.data, sent.name) == (model(), run)
    assert ROUTES["graph/static_graph"]({}, context()).data == b""
    assert ROUTES["graph/runs"]({}, context(model=str(tmp_path / "nothing"))) == []


def test_upload() -> None:
    assert "graph/upload" in POST
    sent = context(client="a", file=File(model(), "C:\\nets\\..\\my net.pdmodel"))
    assert ROUTES["graph/upload"]({}, sent) == {"run": UPLOAD, "file": "my net.pdmodel"}
    one, other = context(client="a"), context(client="b")
    assert ROUTES["graph/runs"]({}, one) == [UPLOAD]
    assert ROUTES["graph/model"]({"run": UPLOAD}, one)["name"] == "my net.pdmodel"
    assert ROUTES["graph/get_all_nodes"]({"run": UPLOAD}, one)["nodes"]
    assert ROUTES["graph/runs"]({}, other) == []
    with pytest.raises(GraphError) as caught:
        ROUTES["graph/model"]({"run": UPLOAD}, other)
    assert caught.value.status == 404


def test_refused_uploads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "UPLOAD_LIMIT", 1000)
    for file, said in (
        (None, "expected a file"),
        (File(b"x" * 1001, "large"), "at most"),
        (File(b"no model", "x.pdmodel"), "begins like none"),
        (File(b"", ""), "empty"),
    ):
        with pytest.raises(GraphError, match=said):
            ROUTES["graph/upload"]({}, context(client="refused", file=file))
    for number in range(30):
        sent = context(client=str(number), file=File(model("dense")[:], "x"))
        monkeypatch.setattr(routes, "UPLOAD_LIMIT", 1 << 20)
        ROUTES["graph/upload"]({}, sent)
    assert len(routes._uploads) <= 8


def test_paths_are_no_names(tmp_path: Path) -> None:
    secret = put(tmp_path / "secret" / "net.pdmodel", model(), 1)
    (tmp_path / "logs").mkdir()
    asking = context(tmp_path / "logs")
    for run in (
        str(secret),
        str(tmp_path / "logs" / ".." / "secret"),
        "../secret",
        "/etc/passwd",
        "",
        "\0",
    ):
        for route in ("graph/model", "graph/graph", "graph/get_all_nodes"):
            with pytest.raises(GraphError):
                ROUTES[route]({"run": run}, asking)
