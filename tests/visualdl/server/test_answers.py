"""Answers of every route: as VisualDL 2.5.3 gave them for the same logs, and ours besides.

Logs and answers are of scripts/oracle/visualdl_253_answers.py. Graphs: tests/visualdl/graph.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.visualdl.server.boards import TIME, Client, Log
from visualdl.server import scalars
from visualdl.server.api import ROUTES
from visualdl.server.options import Options

DATA = Path(__file__).parents[2] / "data" / "visualdl" / "server"
ANSWERS = json.loads((DATA / "answers.json").read_text(encoding="utf-8"))
OURS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
PART_ONLY = "scalar/data"
"""VisualDL gives the parts of all runs under the name of each."""


def same(data: Any) -> Any:
    """Brings an answer into a form in which the order of runs does not count."""
    if isinstance(data, dict) and set(data) == {"runs", "tags"}:
        return dict(zip(data["runs"], data["tags"]))
    if isinstance(data, dict) and set(data) == {"hparams", "metrics"}:
        return {name: same(found) for name, found in data.items()}
    if isinstance(data, list) and data and all(isinstance(one, str) for one in data):
        return sorted(data)
    if isinstance(data, list) and data and isinstance(data[0], dict) and "name" in data[0]:
        found = [{**one, "values": sorted(one.get("values", []))} for one in data]
        return sorted(found, key=lambda one: one["name"])
    if isinstance(data, list) and data and isinstance(data[0], list):
        return [[OURS.get(v, v) if isinstance(v, str) else v for v in row] for row in data]
    return data


@pytest.fixture
def real(monkeypatch):
    """Gives clients over the frozen logs, whose runs have the paths that they had."""
    monkeypatch.chdir(DATA)
    made = {}

    def client(folder):
        if folder not in made:
            made[folder] = Client(Options(logdir=[f"./{folder}"]))
        return made[folder]

    yield client
    for one in made.values():
        one.api.close()


def routes():
    """Gives the routes that there are answers of."""
    return sorted({asked.partition("?")[0].split()[1] for asked in ANSWERS})


@pytest.mark.parametrize("route", routes())
def test_as_the_real_one(real, route):
    for asked, (kind, expected) in ANSWERS.items():
        place, _, query = asked.partition("?")
        folder, name = place.split()
        if name != route:
            continue
        parameters = json.loads(query)
        answer = real(folder).ask(route, **parameters)
        assert answer.status_code == 200, asked
        assert answer.mimetype == kind, asked
        if kind == "application/json":
            assert same(answer.json["data"]) == same(expected["data"]), asked
        elif route == PART_ONLY and parameters["tag"] == "multi":
            lines = answer.data.decode().splitlines()
            part = parameters["run"].rpartition("_")[2]
            theirs = [line for line in expected.splitlines() if f"multi,{part}," in line]
            assert lines == [expected.splitlines()[0], *theirs] and len(lines) == 3
        elif route == "hparams/data":  # a row for each run
            assert sorted(answer.data.decode().splitlines()) == sorted(expected.splitlines())
        else:
            assert answer.data.decode("latin-1") == expected, asked


def test_there_are_answers_of_every_route_that_the_real_one_answers():
    fails = {"scalars/tags", "scalars/list", "scalars/data", "logs", "embedding/tags",
             "embedding/embedding", "hparams/importance"}  # fmt: skip
    ours = {"scalar/many", "embedding/points", "embedding/neighbors", "embedding/sample",
            "hparams/tags"}  # fmt: skip
    assert set(ROUTES) - fails - ours == set(routes()) - {"component_tabs"}


def test_scalars_has_both_ends_and_increments(tmp_path, board):
    log = Log(tmp_path / "run")
    log.scalars("loss", range(10))
    client = board(tmp_path)
    run = str(tmp_path / "run")
    assert client.data("scalar/list", run=run, tag="loss", since=8) == [
        [TIME + 8, 8, 8.0],
        [TIME + 9, 9, 9.0],
    ]
    log.scalars("loss", [7.5], first=10)
    found = client.data("scalar/many", run=[run, "none"], tag="loss", since=10)
    assert found == {
        run: {
            "points": [[TIME + 10, 10, 7.5]],
            "total": 11,
            "next": 11,
            "last": [TIME + 10, 10, 7.5],
        }
    }
    near = client.data("scalar/list", run=run, tag="loss", **{"from": 3, "to": 4})
    assert [step for _, step, _ in near] == [2, 3, 4, 5]
    near = client.data("scalar/list", run=run, tag="loss", axis="wall", **{"from": TIME + 9})
    assert [step for _, step, _ in near] == [8, 9, 10]


def test_many_points_are_sampled(tmp_path, board):
    values = np.sin(np.arange(5000) / 50)
    values[1234], values[4321] = 50, -50
    log = Log(tmp_path)
    log.scalars("wave", values)
    client = board(tmp_path)
    found = client.data("scalar/list", run=str(tmp_path), tag="wave", points=100)
    assert len(found) <= 100
    steps = [step for _, step, _ in found]
    assert {0, 1234, 4321, 4999} <= set(steps) and steps == sorted(steps)
    assert len(client.data("scalar/list", run=str(tmp_path), tag="wave")) <= 2000
    assert len(client.data("scalar/list", run=str(tmp_path), tag="wave", points=0)) == 5000
    table = client.ask("scalar/data", run=str(tmp_path), tag="wave", type="csv").data
    assert table.count(b"\r\n") == 5001


def test_an_answer_about_many_runs_is_bounded(tmp_path, board, monkeypatch):
    monkeypatch.setattr(scalars, "MOST_OF_ALL", 300)
    runs = [tmp_path / name for name in "abc"]
    for run in runs:
        Log(run).scalars("wave", np.arange(500.0))
    client = board(*runs)
    found = client.data("scalar/many", run=[*map(str, runs)], tag="wave", points=100_000)
    assert [90 < len(one["points"]) <= 100 for one in found.values()] == [True] * 3
    assert len(client.data("scalar/many", run=str(runs[0]), tag="wave", points=0)) == 1


def test_changes_names_what_is_new(tmp_path, board):
    first = Log(tmp_path / "a")
    first.scalars("loss", [1, 2])
    client = board(tmp_path)
    whole = client.data("changes")
    run = str(tmp_path / "a")
    assert whole["changed"] == {"scalar": {run: ["loss"]}}
    assert [one["run"] for one in whole["runs"]] == [run]
    assert not whole["reading"]
    nothing = client.data("changes", since=whole["cursor"])
    assert nothing["changed"] == {} and nothing["runs"] == whole["runs"]
    first.scalars("acc", [1])
    first.add({"tag": "note", "text": {"encoded_text_string": "hello"}})
    second = Log(tmp_path / "b")
    second.scalars("loss", [1])
    later = client.data("changes", since=whole["cursor"])
    assert later["changed"] == {
        "scalar": {run: ["acc"], str(tmp_path / "b"): ["loss"]},
        "text": {run: ["note"]},
    }
    assert [one["color_index"] for one in later["runs"]] == [0, 1]
    for unknown in ("", "x", "0.0", f"{later['cursor']}9"):
        changed = client.data("changes", since=unknown)["changed"]
        assert changed == "all" or unknown == ""


def test_parts_of_scalars_are_runs_of_the_chart(tmp_path, board):
    log = Log(tmp_path / "run")
    for step in range(3):
        for part in ("train", "test"):
            value = {"tag": part, "value": step}
            log.add({"id": step, "tag": "a/b", "timestamp": TIME, "tag_value": value})
    client = board(tmp_path)
    run = str(tmp_path / "run")
    whole = client.data("changes")
    names = [run, f"{run}/a_b_train", f"{run}/a_b_test"]
    assert [one["run"] for one in whole["runs"]] == names
    assert whole["changed"]["scalar"] == {name: ["a/b"] for name in names[1:]}
    found = client.data("scalar/many", tag="a/b", run=names)
    assert list(found) == names[1:]
    expected = [[TIME, step, float(step)] for step in range(3)]
    assert client.data("scalars/list", run=run, tag="a/b", sub_tag="test") == expected
    log.add({"id": 3, "tag": "a/b", "timestamp": TIME, "tag_value": {"tag": "test", "value": 1}})
    changed = client.data("changes", since=whole["cursor"])["changed"]
    assert f"{run}/a_b_test" in changed["scalar"]


def test_names_for_runs(tmp_path, board):
    for folder, name in (("a", "one"), ("b", "two"), ("c", "two"), ("d", "")):
        log = Log(tmp_path / folder)
        log.meta(name)
        log.scalars("loss", [1])
    client = board(tmp_path)
    assert client.data("runs") == [
        "one",
        f"two ({tmp_path / 'b'})",
        f"two ({tmp_path / 'c'})",
        str(tmp_path / "d"),
    ]
    for name in [*client.data("runs"), str(tmp_path / "a")]:
        assert client.data("scalar/list", run=name, tag="loss") == [[TIME, 0, 1.0]]
    logs = client.data("logs")
    assert logs["one"] == [str(tmp_path / "a" / "vdlrecords.1700000000.log")]


def test_several_files_of_a_run(tmp_path, board):
    for number in range(3):
        log = Log(tmp_path, f"vdlrecords.170000000{number}.log")
        log.scalars("loss", [number], first=number)
    found = board(tmp_path).data("scalar/list", run=str(tmp_path), tag="loss")
    assert [value for _, _, value in found] == [0, 1, 2]


def test_embeddings(tmp_path, board):
    generator = np.random.default_rng(0)
    vectors = generator.normal(size=(30, 6)).astype("float32")
    rows = [{"label": [f"l{i}", str(i)], "vectors": row.tolist()} for i, row in enumerate(vectors)]
    log = Log(tmp_path)
    log.add({"tag": "words", "embeddings": {"embeddings": rows, "label_meta": ["name", "n"]}})
    client = board(tmp_path)
    run = str(tmp_path)
    name = f"{run}/words"
    assert client.data("embedding/list") == [{"name": name, "shape": [30, 6], "path": name}]
    tensor = client.ask("embedding/tensor", name=name).data
    np.testing.assert_array_equal(np.frombuffer(tensor, "<f4").reshape(30, 6), vectors)
    for most, must, count in ((30, 7, 30), (40, -1, 30), (8, 29, 8), (8, 3, 8), (8, 99, 8)):
        answer = client.ask("embedding/sample", run=run, tag="words", most=most, **{"with": must})
        head = np.frombuffer(answer.data, "<i4", 3)
        assert head.tolist() == [30, 6, count]
        rows = np.frombuffer(answer.data, "<i4", count, 12)
        assert (np.diff(rows) > 0).all() and rows[0] >= 0 and rows[-1] < 30
        assert must in rows or must not in range(30)
        kept = np.frombuffer(answer.data, "<f4", offset=12 + 4 * count).reshape(count, 6)
        np.testing.assert_array_equal(kept, np.frombuffer(tensor, "<f4").reshape(30, 6)[rows])
    least = client.ask("embedding/sample", run=run, tag="words", most=0).data
    assert len(least) == 12 + 4 + 24
    lines = client.ask("embedding/metadata", name=name).data.decode().splitlines()
    assert lines[:2] == ["name\tn", "l0\t0"] and len(lines) == 31
    for dimension in (2, 3):
        found = client.data("embedding/points", run=run, tag="words", dimension=dimension)
        points = np.array(found["points"])
        assert points.shape == (30, dimension)
        centred = vectors - vectors.mean(0)
        shares = np.linalg.svd(centred, compute_uv=False) ** 2
        np.testing.assert_allclose(found["variance"], shares[:dimension] / shares.sum(), rtol=1e-4)
        assert found["labels"][3] == ["l3", "3"] and found["header"] == ["name", "n"]
    for metric in ("cosine", "euclidean"):
        near = client.data("embedding/neighbors", run=run, tag="words", index=4, k=5, metric=metric)
        if metric == "euclidean":
            distances = np.linalg.norm(vectors - vectors[4], axis=1)
        else:
            unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
            distances = 1 - unit @ unit[4]
        expected = [i for i in np.argsort(distances) if i != 4][:5]
        assert [one["index"] for one in near] == expected
        assert near[0]["label"] == [f"l{expected[0]}", str(expected[0])]
    assert client.ask("embedding/neighbors", run=run, tag="words", index=30).status_code == 404


def test_importance_of_hparams(tmp_path, board):
    for number in range(4):
        log = Log(tmp_path / str(number))
        infos = [
            {"name": "lr", "float_value": float(number)},
            {"name": "size", "int_value": [1, 1, -1, -1][number]},
            {"name": "kind", "string_value": "x"},
        ]
        hparam = {"hparamInfos": infos, "metricInfos": [{"name": "acc"}, {"name": "none"}]}
        log.add({"tag": "hparam", "timestamp": TIME + number, "hparam": hparam})
        log.scalars("acc", [0, number * 2.0])
    client = board(tmp_path)
    first = client.data("hparams/list")[0]
    assert first == {
        "name": str(tmp_path / "0"),
        "hparams": {"lr": 0.0, "size": 1, "kind": "x"},
        "metrics": {"acc": 0.0, "none": None},
    }
    found = client.data("hparams/importance")
    assert [one["name"] for one in found] == ["lr", "size"]
    assert sum(one["value"] for one in found) == pytest.approx(1)
    assert found[0]["value"] > found[1]["value"] > 0
    assert [one["name"] for one in client.data("hparams/indicators")["metrics"]] == ["acc"]


def test_settings_and_tabs(tmp_path, board):
    client = board(tmp_path, language="zh-CN", theme="dark", component_tabs=["scalar", "image"])
    settings = client.data("settings")
    assert (settings["language"], settings["theme"]) == ("zh", "dark")
    assert settings["logdirs"] == [str(tmp_path)] and settings["version"]
    assert client.data("component_tabs") == settings["tabs"] == ["scalar", "image"]
    assert board().data("component_tabs") == ["static_graph"]
