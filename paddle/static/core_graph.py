"""What 1.x asks of a ``core.Graph`` by functions of its native module."""

from __future__ import annotations

from typing import Any

from paddle.passes.graph import Graph
from paddle.static.ir_graph import IrGraph, IrNode, IrOpNode

__all__ = [
    "build_adjacency_list", "graph_num", "graph_safe_remove_nodes", "has_circle", "topology_sort",
]  # fmt: skip


def has_circle(graph: Graph) -> bool:
    """Says whether an operator of a graph depends on its own result.

    Args:
        graph (core.Graph): the graph.
    """
    return IrGraph(graph).has_circle()


def graph_num(graph: Graph) -> int:
    """Returns how many parts a graph falls into that no edge joins.

    Args:
        graph (core.Graph): the graph.
    """
    return IrGraph(graph).graph_num()


def topology_sort(graph: Graph) -> list[IrOpNode]:
    """Returns the operators of a graph in an order in which they can run.

    Args:
        graph (core.Graph): the graph.
    """
    return IrGraph(graph).topology_sort()


def build_adjacency_list(graph: Graph) -> dict[IrNode, set[IrNode]]:
    """Returns for each operator of a graph those that must come before it.

    Args:
        graph (core.Graph): the graph.
    """
    return IrGraph(graph).build_adjacency_list()


def graph_safe_remove_nodes(graph: Graph, remove_nodes: Any) -> None:
    """Takes nodes and their edges out of a graph.

    Args:
        graph (core.Graph): the graph.
        remove_nodes (set|core.Node): which ones.
    """
    IrGraph(graph).safe_remove_nodes(remove_nodes)
