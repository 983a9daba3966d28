"""The import graph: no circles, no imports that run upward, and a script that would see them."""

from __future__ import annotations

import pytest

from scripts import import_graph


@pytest.fixture(scope="session")
def edges() -> dict[str, set[str]]:
    return import_graph.imports()


def test_no_module_is_part_of_a_circle(edges: dict[str, set[str]]) -> None:
    assert not import_graph.circles(edges)


def test_no_import_runs_upward(edges: dict[str, set[str]]) -> None:
    assert not import_graph.upward(edges)


def test_every_package_has_a_place(edges: dict[str, set[str]]) -> None:
    placed = {name for layer in import_graph.packages() for name in layer}
    top = {"paddle", "paddle._packages", "paddle._module_paths", "paddle.version"}
    top |= {"paddle._names_told", "paddle._launching"}  # beside _module_paths
    assert {import_graph.package(m) for m in edges} <= placed | top


def test_circles_are_found() -> None:
    edges = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}, "f": {"a"}}
    assert import_graph.circles(edges) == [["d", "e"], ["a", "b", "c"]]


def test_upward_imports_are_found() -> None:
    edges = {"paddle.core.op": {"paddle.ops.nn"}, "paddle.nn.clip": {"paddle.core.op"}}
    assert import_graph.upward(edges) == [("paddle.core.op", "paddle.ops.nn")]
