"""Graphs in the language of Graphviz, as 1.x draws Programs."""

from __future__ import annotations

import os
import subprocess
from typing import Any

__all__ = ["Edge", "Graph", "GraphPreviewGenerator", "Node", "Rank", "crepr"]


def crepr(v: Any) -> str:
    """A text in quotes, anything else as it prints.

    Args:
        v (object): the value.
    """
    return f'"{v}"' if isinstance(v, str) else str(v)


def _listed(attrs: dict[str, Any]) -> str:
    return ",".join(f"{key}={crepr(value)}" for key, value in sorted(attrs.items()))


class Rank:
    """Nodes that stand in one row.

    Args:
        kind (str): ``same``, ``min`` or ``max``.
        name (str): its name.
        priority (int): rows with smaller numbers are written first.
    """

    def __init__(self, kind: str, name: str, priority: int) -> None:
        assert kind in ("same", "min", "max"), f"Rank(kind): expected same, min or max, got {kind}"
        self.kind = kind
        self.name = name
        self.priority = priority
        self.nodes: list[Node] = []

    def __str__(self) -> str:
        if not self.nodes:
            return ""
        names = ",".join(node.name for node in self.nodes)
        return f"{{rank={self.kind};{names}}}"


class Node:
    """A node.

    Args:
        label (str): what it shows.
        prefix (str): the beginning of its name.
        description (str): told beside it. Default: none.
        **attrs: of Graphviz.
    """

    counter = 1

    def __init__(self, label: str, prefix: str, description: str = "", **attrs: Any) -> None:
        self.label = label
        self.name = f"{prefix}_{Node.counter}"
        self.description = description
        self.attrs = attrs
        Node.counter += 1

    def __str__(self) -> str:
        more = f",{_listed(self.attrs)}" if self.attrs else ""
        return f"{self.name} [label={self.label}{more}];"


class Edge:
    """An edge.

    Args:
        source (Node): where it begins.
        target (Node): where it ends.
        **attrs: of Graphviz.
    """

    def __init__(self, source: Node, target: Node, **attrs: Any) -> None:
        self.source = source
        self.target = target
        self.attrs = attrs

    def __str__(self) -> str:
        more = f"[{_listed(self.attrs)}]" if self.attrs else ""
        return f"{self.source.name} -> {self.target.name} {more}"


class Graph:
    """A directed graph.

    Args:
        title (str): its name.
        **attrs: of Graphviz.

    Examples:
        .. code-block:: python

            from paddle.fluid.graphviz import Graph
            graph = Graph("net")
            one, two = graph.node('"a"', "node"), graph.node('"b"', "node")
            graph.edge(one, two)
            print(graph.code().splitlines()[0])  # digraph G {
    """

    rank_counter = 0

    def __init__(self, title: str, **attrs: Any) -> None:
        self.title = title
        self.attrs = attrs
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []
        self.rank_groups: dict[str, Rank] = {}

    def code(self) -> str:
        """Returns the text."""
        return str(self)

    def rank_group(self, kind: str, priority: int) -> str:
        """Makes a row, and returns its name.

        Args:
            kind (str): ``same``, ``min`` or ``max``.
            priority (int): rows with smaller numbers are written first.
        """
        name = f"rankgroup-{Graph.rank_counter}"
        Graph.rank_counter += 1
        self.rank_groups[name] = Rank(kind, name, priority)
        return name

    def node(self, label: str, prefix: str, description: str = "", **attrs: Any) -> Node:
        """Adds a node.

        Args:
            label (str): what it shows.
            prefix (str): the beginning of its name.
            description (str): told beside it. Default: none.
            **attrs: of Graphviz; ``rank`` is a row.
        """
        rank = attrs.pop("rank", None)
        made = Node(label, prefix, description, **attrs)
        if rank is not None:
            self.rank_groups[rank].nodes.append(made)
        self.nodes.append(made)
        return made

    def edge(self, source: Node, target: Node, **attrs: Any) -> Edge:
        """Adds an edge.

        Args:
            source (Node): where it begins.
            target (Node): where it ends.
            **attrs: of Graphviz.
        """
        made = Edge(source, target, **attrs)
        self.edges.append(made)
        return made

    def compile(self, dot_path: str) -> str:
        """Writes the text to a file, and a picture beside it if Graphviz is installed.

        Args:
            dot_path (str): the file.

        Returns:
            str: the path of the picture.
        """
        with open(dot_path, "w", encoding="utf8") as file:
            file.write(str(self))
        image = os.path.join(os.path.dirname(dot_path), f"{dot_path[:-4]}.pdf")
        try:
            subprocess.run(["dot", "-Tpdf", dot_path, "-o", image], check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        except OSError:  # there is no such program
            pass
        return image

    def show(self, dot_path: str) -> None:
        """Writes the text and the picture.

        Args:
            dot_path (str): the file.
        """
        self.compile(dot_path)

    def __str__(self) -> str:
        lines = ["digraph G {", f"title = {crepr(self.title)}"]
        lines += [f"{name}={crepr(value)};" for name, value in self.attrs.items()]
        rows = sorted(self.rank_groups.values(), key=lambda rank: rank.priority)
        lines += [str(part) for part in (*rows, *self.nodes, *self.edges)]
        return "\n".join([*lines, "}"])


class GraphPreviewGenerator:
    """Draws parameters, operators and arguments of a Program.

    Args:
        title (str): its name.
    """

    def __init__(self, title: str) -> None:
        self.graph = Graph(title, layout="dot", concentrate="true", rankdir="TB")
        self.op_rank = self.graph.rank_group("same", 2)
        self.param_rank = self.graph.rank_group("same", 1)
        self.arg_rank = self.graph.rank_group("same", 0)

    def __call__(self, path: str = "temp.dot", show: bool = False) -> None:
        """Writes the graph.

        Args:
            path (str): the file. Default: temp.dot.
            show (bool): draw a picture too. Default: False.
        """
        if show:
            self.graph.show(path)
        else:
            self.graph.compile(path)

    def add_param(self, name: str, data_type: Any, highlight: bool = False) -> Node:
        """Adds a parameter.

        Args:
            name (str): its name.
            data_type (str): its element type.
            highlight (bool): in a strong colour. Default: False.
        """
        label = f'"{name}\\n{data_type}"'
        return self._node(label, "param", name, "#ff0000" if highlight else "#40b0bf", "box")

    def add_op(self, opType: str, **kwargs: Any) -> Node:
        """Adds an operator.

        Args:
            opType (str): its type.
            **kwargs: ``highlight``.
        """
        colour = "#ff0000" if kwargs.get("highlight") else "#303A3A"
        return self._node(f'"{opType}"', "op", opType, colour, "box")

    def add_arg(self, name: str, highlight: bool = False) -> Node:
        """Adds an argument.

        Args:
            name (str): its name.
            highlight (bool): in a strong colour. Default: False.
        """
        colour = "#ff0000" if highlight else "#999999"
        return self._node(crepr(name), "arg", name, colour, "box")

    def _node(self, label: str, prefix: str, told: str, colour: str, shape: str) -> Node:
        return self.graph.node(
            label, prefix=prefix, description=told, shape=shape, style="rounded,filled,bold",
            color=colour, fontcolor="#ffffff", width="1.3",
        )  # fmt: skip

    def add_edge(self, source: Node, target: Node, **kwargs: Any) -> Edge:
        """Adds an edge.

        Args:
            source (Node): where it begins.
            target (Node): where it ends.
            **kwargs: of Graphviz; ``highlight`` gives a strong colour.
        """
        colour = "#ff0000" if kwargs.pop("highlight", False) else "#00000"
        return self.graph.edge(source, target, color=colour, **kwargs)
