"""The routes answer as VisualDL 2.5.3 does: its file and its steps, frozen in tests/data.

Written by the real ``add_graph`` (LeNet, without call stacks), then taken through its server's
functions; see steps.json.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from visualdl.graph.errors import GraphError
from visualdl.graph.routes import ROUTES

FOLDER = Path(__file__).parents[2] / "data" / "visualdl" / "graph"
REAL = json.loads((FOLDER / "steps.json").read_text("utf8"))


def asked(route: str, client: str, **query: object) -> dict:
    context = SimpleNamespace(folders=[str(FOLDER)], model=None, client=client)
    texts = {
        name: str(value).lower() if value in (True, False) else str(value)
        for name, value in query.items()
    }
    return ROUTES[f"graph/{route}"]({"run": str(FOLDER), **texts}, context)


def test_steps() -> None:
    """What is visible after each request is the same."""
    for kind, query, names in REAL["steps"]:
        got = asked(kind, "steps", **query)
        assert sorted(node["name"] for node in got["nodes"]) == [n for n in names if n != "/"], (
            kind,
            query,
        )


def test_forms() -> None:
    """Inputs, outputs and a node have the same members and values."""
    got = asked("graph", "forms", expand_all=True)
    assert sorted(got) == ["inputs", "name", "nodes", "outputs"]
    for mine, real in ((got["inputs"], REAL["inputs"]), (got["outputs"], REAL["outputs"])):
        assert _shapes(mine) == _shapes(real)
    want = REAL["node"]
    node = next(n for n in got["nodes"] if n["name"] == want["name"])
    assert sorted(node) == sorted(want)
    for name in ("type", "show_name", "is_leaf", "visible", "chain"):
        assert node[name] == want[name]
    for name in ("inputs", "outputs"):
        assert _shapes(node[name]) == _shapes(want[name])
    mine, real = ({a["name"]: a for a in n["attributes"]} for n in (node, want))
    assert sorted(mine) == sorted(real)
    for name, attribute in real.items():
        assert mine[name]["visible"] == attribute["visible"], name
        if attribute["value"] != []:
            assert mine[name]["value"] == attribute["value"], name


def _shapes(ports: list) -> dict:
    found = {}
    for port in ports:
        if port["arguments"]:
            found[port["name"]] = [
                (a["name"], a["type"]["shape"]["dimensions"], a["initializer"] is None)
                for a in port["arguments"]
            ]
    return found


def test_clients_do_not_share_what_is_unfolded() -> None:
    asked("manipulate", "one", nodeid="/LeNet[model]", expand=True)
    assert len(asked("graph", "two")["nodes"]) == 2
    assert len(asked("graph", "one", refresh=False)["nodes"]) == 4


def test_unknown_names() -> None:
    for route, query in (
        ("graph", {"run": "elsewhere"}),
        ("graph", {"run": str(FOLDER / ".." / "graph")}),
        ("manipulate", {"nodeid": "/nothing", "expand": True}),
        ("search", {"nodeid": "nothing", "is_node": False}),
        ("search", {}),
    ):
        with pytest.raises(GraphError):
            asked(route, "unknown", **query)
