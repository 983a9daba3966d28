"""A model as nodes and tensors, and the JSON that the graph page draws.

Readers of the formats (:mod:`program`, :mod:`onnx_file`, :mod:`profile`) add nodes in the order in
which they run; a node reads what was written last before it, so edges never form a circle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from visualdl.graph.errors import GraphError

MOST_NODES = 100_000
MOST_EDGES = 400_000
ATTRIBUTES_UP_TO = 20_000  # nodes; beyond that the page would load tens of megabytes of text
TEXT = 300  # characters of an attribute that are shown


@dataclass(slots=True)
class Tensor:
    """A value between operators, or a parameter."""

    name: str
    shape: list[int | str] | None = None
    dtype: str = ""
    parameter: bool = False

    @property
    def count(self) -> int:
        """Number of elements; 0 where a dimension is unknown."""
        known = [n for n in self.shape or () if isinstance(n, int) and 0 <= n < 1 << 40]
        return math.prod(known) if self.shape is not None and len(known) == len(self.shape) else 0


@dataclass(slots=True)
class Node:
    """An operator, an input or an output of the model."""

    name: str
    type: str
    kind: str = "operator"  # or "input", "output"
    inputs: list[tuple[str, list[int]]] = field(default_factory=list)
    outputs: list[tuple[str, list[int]]] = field(default_factory=list)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)
    scope: tuple[str, ...] = ()
    role: str = ""  # "", "backward" or "optimizer"
    inside: tuple[str, ...] = ()  # the operators whose blocks (loops, branches) it lies in


class Model:
    """What a reader makes of a file.

    Args:
        name (str): what the page calls the model.
        format (str): ``"paddle"``, ``"onnx"`` or ``"vdlgraph"``.
        version (str): release that wrote it, where the file says so.
    """

    def __init__(self, name: str, format: str, version: str = "") -> None:
        self.name, self.format, self.version = name, format, version
        self.nodes: list[Node] = []
        self.tensors: list[Tensor] = []
        self.edges: list[tuple[int, int, int]] = []
        self.structured: dict[str, str] = {}  # parameter -> its name in the Layer
        self.notes: list[str] = []
        self._writer: dict[int, int] = {}
        self._counts: dict[str, int] = {}

    def add_tensor(self, tensor: Tensor) -> int:
        """Adds a tensor; returns its number."""
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def add_node(self, node: Node) -> int:
        """Adds a node with edges from what wrote its inputs; returns its number.

        Raises:
            GraphError: there are more than the page could draw.
        """
        at = len(self.nodes)
        if at >= MOST_NODES:
            raise GraphError(f"{self.name}: the model has more than {MOST_NODES} operators.")
        self.nodes.append(node)
        found = set()
        for _, tensors in node.inputs:
            for tensor in tensors:
                source = self._writer.get(tensor, -1)
                if source >= 0 and (source, tensor) not in found:
                    found.add((source, tensor))
                    self.edges.append((source, at, tensor))
        if len(self.edges) > MOST_EDGES:
            raise GraphError(f"{self.name}: the model has more than {MOST_EDGES} connections.")
        for _, tensors in node.outputs:
            for tensor in tensors:
                self._writer[tensor] = at
        return at

    def wrote(self, tensor: int) -> int:
        """Returns the node that wrote a tensor last; -1: none yet."""
        return self._writer.get(tensor, -1)

    def unique(self, name: str) -> str:
        """Returns ``name_0``, ``name_1`` and so on."""
        count = self._counts[name] = self._counts.get(name, -1) + 1
        return f"{name}_{count}"

    def parameters(self) -> dict[str, int]:
        """Returns how many parameters there are, and how many numbers they hold."""
        found = [t for t in self.tensors if t.parameter]
        return {"tensors": len(found), "count": sum(t.count for t in found)}

    def as_json(self) -> dict[str, Any]:
        """Returns what the page draws; docs/visualdl.md tells the fields."""
        from visualdl.graph.grouping import groupings

        brief = len(self.nodes) > ATTRIBUTES_UP_TO
        notes = [*self.notes]
        if brief:
            notes.append(f"attributes are left out: more than {ATTRIBUTES_UP_TO} operators")
        groups, paths = groupings(self)
        kinds: dict[str, int] = {}
        nodes = []
        for at, node in enumerate(self.nodes):
            if node.kind == "operator":
                kinds[node.type] = kinds.get(node.type, 0) + 1
            nodes.append(
                {
                    "id": at,
                    "name": node.name,
                    "type": node.type,
                    "kind": node.kind,
                    "role": node.role,
                    "inputs": [[slot, tensors] for slot, tensors in node.inputs],
                    "outputs": [[slot, tensors] for slot, tensors in node.outputs],
                    "attributes": [] if brief else [list(a) for a in node.attributes],
                    "groups": {name: path[at] for name, path in paths.items()},
                }
            )
        tensors = [
            {"name": t.name, "shape": t.shape, "dtype": t.dtype, "parameter": t.parameter}
            for t in self.tensors
        ]
        return {
            "name": self.name,
            "format": self.format,
            "version": self.version,
            "nodes": nodes,
            "tensors": tensors,
            "edges": [list(edge) for edge in self.edges],
            "groupings": groups,
            "grouping": next((n for n in ("scope", "layer", "block") if groups.get(n)), "none"),
            "inputs": [n["id"] for n in nodes if n["kind"] == "input"],
            "outputs": [n["id"] for n in nodes if n["kind"] == "output"],
            "parameters": self.parameters(),
            "operators": dict(sorted(kinds.items(), key=lambda p: (-p[1], p[0]))),
            "notes": notes,
        }


def text_of(data: bytes) -> str:
    """Returns bytes of a file as text; what is not UTF-8 is marked."""
    return data[: 4 * TEXT].decode("utf-8", "replace")


def name_of(data: bytes) -> str:
    """Returns a name as text; names are told apart by all their bytes."""
    return data.decode("utf-8", "backslashreplace")


def shortened(text: str) -> str:
    """Returns at most ``TEXT`` characters."""
    return text if len(text) <= TEXT else text[:TEXT] + "…"


def numbers(values: Any) -> str:
    """Returns numbers as text; of a long list its beginning and its length."""
    count = len(values)
    shown = [_number(v) for v in values[:32]]
    return f"[{', '.join(shown)}]" if count <= 32 else f"[{', '.join(shown)}, …] ({count})"


def _number(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.7g}"
    return str(value)
