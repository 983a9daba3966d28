"""Whatever is asked, whatever the folders hold: an answer, never a failure of the server."""

from __future__ import annotations

import io
import os
import random
import shutil
from pathlib import Path

import pytest

from tests.visualdl.server.boards import TIME, Log
from visualdl.server.api import ROUTES

GRAPH = Path(__file__).parents[2] / "data" / "visualdl" / "graph" / "vdlgraph.1700000000.log"
ODD = ["a/b", "100%", "..", "../../etc/passwd", "<script>alert(1)</script>", "损失/训练",
       "a b+c&d=e", "%2e%2e%2f", "x" * 100, "\n", "'\"", "\u202e", "#?"]  # fmt: skip


@pytest.mark.parametrize("tag", ODD)
def test_odd_tags_and_runs(tmp_path, board, tag):
    log = Log(tmp_path / "run")
    log.meta(tag)
    log.scalars(tag, [1.0, 2.0])
    log.add({"tag": tag, "timestamp": TIME, "text": {"encoded_text_string": tag}})
    client = board(tmp_path)
    assert client.data("scalar/tags") == {"runs": [tag], "tags": [[tag]]}
    assert client.data("changes")["changed"] == {"scalar": {tag: [tag]}, "text": {tag: [tag]}}
    assert client.data("scalar/list", run=tag, tag=tag) == [[TIME, 0, 1.0], [TIME + 1, 1, 2.0]]
    answer = client.ask("text/text", run=tag, tag=tag)
    assert answer.data.decode() == tag and answer.mimetype == "text/plain"


def test_runs_deleted_and_added_again(tmp_path, board):
    log = Log(tmp_path / "a")
    log.scalars("loss", [1, 2, 3])
    log.add({"tag": "note", "text": {"encoded_text_string": "hello"}})
    Log(tmp_path / "b").scalars("loss", [1])
    client = board(tmp_path)
    run = str(tmp_path / "a")
    before = client.data("changes")
    shutil.rmtree(tmp_path / "a")
    assert client.ask("text/text", run=run, tag="note").status_code == 404
    after = client.data("changes", since=before["cursor"])
    assert after["changed"] == "all"
    assert [one["run"] for one in after["runs"]] == [str(tmp_path / "b")]
    assert client.ask("scalar/list", run=run, tag="loss").status_code == 404
    assert client.data("scalar/many", run=run, tag="loss") == {}
    Log(tmp_path / "a").scalars("loss", [7])
    assert client.data("scalar/list", run=run, tag="loss") == [[TIME, 0, 7.0]]
    colors = {one["run"]: one["color_index"] for one in client.data("changes")["runs"]}
    assert colors == {run: 0, str(tmp_path / "b"): 1}


def test_a_file_that_another_took_the_place_of(tmp_path, board):
    log = Log(tmp_path)
    log.scalars("loss", range(100))
    client = board(tmp_path)
    assert len(client.data("scalar/list", run=str(tmp_path), tag="loss")) == 100
    os.remove(log.path)
    log.scalars("acc", [5])
    assert client.ask("scalar/list", run=str(tmp_path), tag="loss").status_code == 404
    assert client.data("scalar/list", run=str(tmp_path), tag="acc") == [[TIME, 0, 5.0]]


def every_component():
    """Gives values of every component, one each."""
    numbers = [0.5, 1.5, 2.5]
    return [
        {"tag": "i", "image": {"encoded_image_string": b"\x89PNG"}},
        {"tag": "a", "audio": {"encoded_audio_string": b"RIFF"}},
        {"tag": "t", "text": {"encoded_text_string": "text"}},
        {"tag": "h", "histogram": {"hist": numbers, "bin_edges": [*numbers, 3.5]}},
        {"tag": "p", "pr_curve": {"precision": numbers, "recall": numbers}},
        {"tag": "r", "roc_curve": {"tpr": numbers, "fpr": numbers}},
        {"tag": "e", "embeddings": {"embeddings": [{"label": ["a"], "vectors": numbers}] * 3}},
        {"tag": "m", "tag_value": {"tag": "x", "value": 1}},
        {"tag": "hparam", "hparam": {"hparamInfos": [{"name": "lr", "float_value": 1}]}},
        {"tag": "s", "timestamp": TIME, "value": 1.0},
    ]


def test_a_log_that_comes_byte_by_byte(tmp_path, board):
    """At each byte the whole records show, and nothing else."""
    whole = Log(tmp_path / "whole")
    ends = {}
    for value in every_component():
        whole.add(value)
        ends[os.path.getsize(whole.path)] = value["tag"]
    with open(whole.path, "rb") as file:
        text = file.read()
    part = Log(tmp_path / "part" / "run")
    client = board(tmp_path / "part")
    shown = set()
    with open(part.path, "wb", buffering=0) as file:
        for at in range(len(text)):
            file.write(text[at : at + 1])
            tags = {tag.rpartition("/")[2] for tag in client.data("tags")}
            shown |= {ends[at + 1]} if at + 1 in ends else set()
            assert tags == shown, at
    assert shown == {value["tag"] for value in every_component()}


@pytest.mark.parametrize("seed", range(2))
def test_logs_cut_anywhere(tmp_path, board, seed):
    """A file that another takes the place of, each cut and overwritten at random."""
    chance = random.Random(seed)
    log = Log(tmp_path / "run")
    log.add(*every_component())
    with open(log.path, "rb") as file:
        text = file.read()
    client = board(tmp_path)
    for _ in range(20):
        broken = bytearray(text[: chance.randrange(len(text))])
        for _ in range(chance.choice([0, 1, 5, 50])):
            if broken:
                broken[chance.randrange(len(broken))] = chance.randrange(256)
        os.remove(log.path)
        with open(log.path, "wb") as file:
            file.write(broken)
        assert len(client.data("tags")) <= len(every_component()) + 10
        for route in ROUTES:
            tag = route[0] if not route.startswith(("roc", "scalars")) else "rm"[route[0] == "s"]
            name = f"{tmp_path / 'run'}/e"
            client.ask(
                route, run=str(tmp_path / "run"), tag=tag, name=name, sub_tag="x", metric="s"
            )


def test_broken_ends(tmp_path, board):
    log = Log(tmp_path)
    log.scalars("loss", [1, 2, 3])
    client = board(tmp_path)
    with open(log.path, "ab") as file:
        file.write(b"\xff" * 500)
    log.scalars("loss", [4], first=3)
    assert len(client.data("scalar/list", run=str(tmp_path), tag="loss")) >= 3


def test_folders_that_are_not_there_yet(tmp_path, board):
    client = board(tmp_path / "later", tmp_path / "never")
    assert client.data("runs") == []
    assert client.data("changes")["changed"] == {}
    Log(tmp_path / "later" / "run").scalars("loss", [1])
    assert client.data("runs") == [str(tmp_path / "later" / "run")]


def test_nothing_outside_the_folders(tmp_path, board):
    Log(tmp_path / "secret").scalars("loss", [1])
    inside = tmp_path / "logs"
    Log(inside / "run").scalars("loss", [2])
    os.symlink(tmp_path / "secret", inside / "link")
    os.symlink(
        tmp_path / "secret" / "vdlrecords.1700000000.log", inside / "run" / "vdlrecords.9.log"
    )
    shutil.copy(GRAPH, tmp_path / "secret" / GRAPH.name)
    os.symlink(tmp_path / "secret" / GRAPH.name, inside / "run" / GRAPH.name)
    client = board(inside)
    assert client.data("runs") == [str(inside / "run")]
    assert client.data("graph/models") == []
    for name in ("../secret", str(tmp_path / "secret"), str(inside / "run"), "/etc/passwd"):
        for route in ("graph/model", "graph/graph", "graph/get_all_nodes"):
            assert client.ask(route, run=name).status_code == 404
    for name in (f"{tmp_path}/secret/loss", "../secret/loss"):
        assert client.ask("embedding/tensor", name=name).status_code == 404
    assert client.data("scalar/list", run=str(inside / "run"), tag="loss") == [[TIME, 0, 2.0]]
    for run in ("../secret", str(tmp_path / "secret"), str(inside / "link"), "/etc"):
        assert client.ask("scalar/list", run=run, tag="loss").status_code == 404
    for path in ("../app.py", "%2e%2e/app.py", "js/../../app.py", "..%5capp.py", "/etc/passwd",
                 "js/..%2f..%2fapp.py", "%00", "js/%00.js", "."):  # fmt: skip
        answer = client.http.get(f"/app/{path}")
        assert answer.status_code in (308, 404), path
        assert b"import" not in answer.data


def test_two_hundred_thousand_tags_have_a_bounded_answer(tmp_path, board):
    log = Log(tmp_path)
    values = ({"id": 1, "tag": f"tag/{i}", "timestamp": TIME, "value": i} for i in range(200_000))
    log.add(*values)
    client = board(tmp_path)
    found = client.data("scalar/tags")
    while client.data("changes")["reading"]:
        pass
    found = client.data("scalar/tags")
    assert len(found["tags"][0]) == 10_000
    answer = client.ask("changes")
    assert len(answer.data) < 1_000_000
    assert client.data("scalar/list", run=str(tmp_path), tag="tag/199999") == [[TIME, 1, 199999.0]]
    assert client.data("scalar/tags", match="19999")["tags"][0][0] == "tag/19999"


def test_values_that_are_not_finite(tmp_path, board):
    log = Log(tmp_path)
    numbers = [float("nan"), float("inf"), float("-inf")]
    log.scalars("loss", numbers)
    log.add(
        {"tag": "h", "histogram": {"hist": numbers, "bin_edges": [*numbers, 1.0]}},
        {"tag": "p", "pr_curve": {"precision": numbers, "recall": numbers, "TP": [1]}},
        {"tag": "e", "embeddings": {"embeddings": [{"label": ["a"], "vectors": numbers}] * 3}},
        {"tag": "hparam", "hparam": {"hparamInfos": [{"name": "lr", "float_value": numbers[0]}],
                                     "metricInfos": [{"name": "loss"}]}},
    )  # fmt: skip
    client = board(tmp_path)
    run = str(tmp_path)
    texts = ["NaN", "Infinity", "-Infinity"]
    assert [row[2] for row in client.data("scalar/list", run=run, tag="loss")] == texts
    bars = client.data("histogram/list", run=run, tag="h")[0][2]
    assert bars[0] == ["NaN", "Infinity", "NaN"] and len(bars) == 3
    assert client.data("pr-curve/list", run=run, tag="p")[0][2] == texts
    assert client.data("embedding/points", run=run, tag="e")["points"] == [[0.0, 0.0]] * 3
    found = client.data("hparams/list")[0]
    assert (found["hparams"], found["metrics"]) == ({"lr": "NaN"}, {"loss": "-Infinity"})


def test_empty_and_uneven_records(tmp_path, board):
    log = Log(tmp_path)
    uneven = [{"vectors": [1, 2]}, {"vectors": [1]}, {"vectors": [3, 4], "label": ["x"]}]
    log.add(
        {"tag": "h", "histogram": {"hist": [1, 2, 3]}},
        {"tag": "p", "pr_curve": {}},
        {"tag": "e", "embeddings": {}},
        {"tag": "u", "embeddings": {"embeddings": uneven}},
        {"tag": "c", "roc_curve": {"tpr": [1, 2, 3], "fpr": [1], "TP": [-1], "FP": [7] * 9}},
        {"tag": "i", "image": {}},
        {"tag": "a", "audio": {}},
        {"tag": "t", "text": {}},
        {"tag": "hparam", "hparam": {}},
        {"tag": "", "value": 1.0},
        {"tag": "nothing"},
    )
    client = board(tmp_path)
    run = str(tmp_path)
    assert client.data("histogram/list", run=run, tag="h") == [[0, 0, []]]
    assert client.data("pr-curve/list", run=run, tag="p") == [[0, 0, [], [], [], [], [], [], []]]
    curve = client.data("roc-curve/list", run=run, tag="c")[0]
    assert curve[2:5] == [[1.0, 2.0, 3.0], [1.0], [-1]] and len(curve) == 9
    assert client.data("embedding/points", run=run, tag="e")["points"] == []
    assert client.data("embedding/points", run=run, tag="u")["shape"] == [2, 2]
    assert client.ask("embedding/neighbors", run=run, tag="e").status_code == 404
    assert client.ask("image/image", run=run, tag="i").data == b""
    assert client.ask("text/text", run=run, tag="t").data == b""
    assert client.data("hparams/importance") == []
    assert client.data("scalar/list", run=run, tag="") == [[0, 0, 1.0]]


@pytest.mark.parametrize("seed", range(4))
def test_random_questions(tmp_path, board, seed):
    """Never a failure: every answer is one of ours, and `Client.ask` checks its form."""
    chance = random.Random(seed)
    log = Log(tmp_path / "run")
    numbers = [chance.random() for _ in range(5)]
    rows = [{"label": ["a"], "vectors": numbers}] * 3
    bytes_ = bytes(chance.randrange(256) for _ in range(30))
    log.scalars("s", numbers)
    log.add(
        {"tag": "i", "image": {"encoded_image_string": bytes_}},
        {"tag": "a", "audio": {"encoded_audio_string": bytes_}},
        {"tag": "t", "text": {"encoded_text_string": "text"}},
        {"tag": "h", "histogram": {"hist": numbers, "bin_edges": numbers}},
        {"tag": "p", "pr_curve": {"precision": numbers}},
        {"tag": "r", "roc_curve": {"tpr": numbers}},
        {"tag": "e", "embeddings": {"embeddings": rows}},
        {"tag": "m", "tag_value": {"tag": "x", "value": 1}},
        {"tag": "hparam", "hparam": {"hparamInfos": [{"name": "lr", "float_value": 1}]}},
    )
    client = board(tmp_path)
    routes = [*ROUTES, "changes", "settings", "component_tabs", "graph/graph", "graph_runs", "no"]
    names = ["run", "tag", "sub_tag", "index", "points", "since", "from", "to", "axis", "type",
             "name", "dimension", "metric", "k", "method", "reduction", "match",
             "nodeid"]  # fmt: skip
    run = str(tmp_path / "run")
    texts = [run, f"{run}/m_x", f"{run}/e", *"siathprem", "x", "0", "1", "-1", "2", "3", "1e400",
             "9" * 40, "nan", "inf", "-1.5", "", "\0", "\ud800".encode("utf-8", "surrogatepass"),
             b"\xff\xfe", "csv", "wall", "cosine", "pca", "./..", "%", "٣", *ODD]  # fmt: skip
    for _ in range(600):
        query = {name: chance.choice(texts) for name in names if chance.random() < 0.4}
        if chance.random() < 0.7:
            query["run"] = run
        client.ask(chance.choice(routes), **query)


def test_odd_paths_methods_and_headers(tmp_path, board):
    client = board(tmp_path)
    for path in ("/app/api/", "/app/api", "/app/api/%00", "/app/api/..", "/app/api/a/b/c", "/x",
                 "/app/api/scalar/list?run=%ff&tag=%00", "//", "/app//api/runs",
                 "/%ff"):  # fmt: skip
        for method in ("get", "post", "put", "delete", "options", "head", "patch"):
            answer = getattr(client.http, method)(path)
            assert answer.status_code < 500, (method, path)
    odd = [{"Accept-Encoding": "\xff"}, {"If-None-Match": "x" * 9000}, {"Range": "bytes=-"},
           {"Content-Length": "5"}, {"Accept-Language": ";;q=,"}]  # fmt: skip
    for headers in odd:
        assert client.http.get("/app/api/runs", headers=headers).status_code < 500
    assert client.http.post("/app/api/runs").status_code == 405
    sent = {"file": (io.BytesIO(b"x"), "m.pdmodel")}
    answer = client.http.post("/app/api/graph/upload", data=sent, headers={"Origin": "http://evil"})
    assert answer.status_code == 403
