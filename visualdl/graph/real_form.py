"""The JSON of VisualDL 2.5's graph routes, and which groups are folded between two requests.

There the server keeps what is unfolded. Our own page asks ``graph/model`` once and folds by itself.
"""

from __future__ import annotations

import json
from typing import Any

from visualdl.graph.errors import GraphError
from visualdl.graph.grouping import named
from visualdl.graph.model import Model, Node

_HIDDEN = frozenset(
    {
        "use_mkldnn", "use_cudnn", "op_callstack", "op_role", "op_role_var", "op_namescope",
        "is_test",
    }
)  # fmt: skip
_NATIVE = frozenset(
    {
        "int", "ints", "long", "longs", "float", "floats", "float64", "float64s", "bool", "bools",
    }
)  # fmt: skip
_KINDS = {"bool": "BOOLEAN", "bools": "BOOLEANS"}


class Folding:
    """A model's groups by name scope, and which of them are folded.

    Args:
        model (Model): what is shown.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.parents: dict[str, str] = {}
        self.children: dict[str, list[str]] = {"/": []}
        self.numbers: dict[str, int] = {}
        for at, node in enumerate(model.nodes):
            if node.kind != "operator":
                continue
            above = "/"
            for depth in range(len(node.scope)):
                above = self._place("/" + "/".join(node.scope[: depth + 1]), above, [])
            name = f"{'' if above == '/' else above}/{node.name}"
            name = name if name not in self.parents else f"{name}_{at}"
            self._place(name, above, None)
            self.numbers[name] = at
        self.folded: set[str] = set()
        self.fold_all()

    def _place(self, name: str, parent: str, children: list[str] | None) -> str:
        if name not in self.parents:
            self.parents[name] = parent
            self.children[parent].append(name)
            if children is not None:
                self.children[name] = children
        return name

    def fold_all(self) -> None:
        """Folds the outermost groups."""
        self.folded = {name for name in self.children["/"] if name in self.children}

    def unfold_all(self) -> None:
        """Shows every operator."""
        self.folded.clear()

    def change(self, name: str, expand: bool, keep: bool) -> None:
        """Folds or unfolds a group.

        Args:
            name (str): the group; nothing happens for an operator.
            expand (bool): unfold it.
            keep (bool): groups inside stay as they were; otherwise they are folded.

        Raises:
            GraphError: nothing has this name.
        """
        self._known(name)
        if name not in self.children:
            return
        if not expand:
            self.folded.add(name)
            return
        self.folded.discard(name)
        if not keep:
            self.folded |= {n for n in self.children[name] if n in self.children}

    def show(self, name: str, keep: bool, is_node: bool) -> None:
        """Unfolds what hides a node, or the operators at the ends of a tensor.

        Args:
            name (str): of a node, a group, or a tensor.
            keep (bool): other groups stay as they were; otherwise they are folded.
            is_node (bool): it is no tensor.

        Raises:
            GraphError: nothing has this name.
        """
        if is_node:
            self._known(name)
            return self._show(name, keep)
        found = {i for i, t in enumerate(self.model.tensors) if t.name == name}
        if not found:
            raise GraphError(f"graph: there is no tensor {name!r}.", 404)
        for operator, at in self.numbers.items():
            node = self.model.nodes[at]
            if any(found.intersection(ts) for _, ts in (*node.inputs, *node.outputs)):
                self._show(operator, keep)

    def _show(self, name: str, keep: bool) -> None:
        above = []
        parent = self.parents.get(name, "/")
        while parent != "/":
            above.append(parent)
            parent = self.parents[parent]
        hidden = [group for group in above if group in self.folded]
        if not hidden:
            return
        for group in above[: above.index(hidden[-1]) + 1]:
            self.folded.discard(group)
            if not keep:
                self.folded |= {
                    n for n in self.children[group]
                    if n in self.children and n not in above and n != name
                }  # fmt: skip
        if name in self.children:
            self.folded.add(name)

    def _known(self, name: str) -> None:
        if name != "/" and name not in self.parents:
            raise GraphError(f"graph: there is no node {name!r}.", 404)

    def as_json(self, everything: bool = False) -> dict[str, Any]:
        """Returns the nodes that are to be seen.

        Args:
            everything (bool): also groups and what they hide.
        """
        shown, waiting = [], ["/"]
        for name in waiting:
            inside = self.children.get(name)
            if everything and name != "/":
                shown.append(name)
            if inside is None or (name in self.folded and not everything):
                shown += [] if everything else [name]
            else:
                waiting += inside
        nodes = self.model.nodes
        inputs = [n for n in nodes if n.kind == "input"]
        outputs = [n for n in nodes if n.kind == "output"]
        return {
            "name": "Paddle Graph",
            "nodes": [self._node(name) for name in shown],
            "inputs": [self._port(n.name, n.outputs[0][1]) for n in inputs],
            "outputs": [self._port(f"Output{i}", n.inputs[0][1]) for i, n in enumerate(outputs)],
        }

    def _node(self, name: str) -> dict[str, Any]:
        at = self.numbers.get(name)
        node = self._group(name) if at is None else self.model.nodes[at]
        seen = "/".join(named(part)[1] or part for part in name.split("/"))
        return {
            "name": name,
            "type": node.type,
            "attributes": [
                {"name": key, "value": _value(kind, text), "type": _KINDS.get(kind, kind.upper()),
                 "visible": key not in _HIDDEN}
                for key, kind, text in node.attributes
            ],
            "inputs": [self._port(slot, tensors) for slot, tensors in node.inputs],
            "outputs": [self._port(slot, tensors) for slot, tensors in node.outputs],
            "chain": [],
            "visible": True,
            "is_leaf": at is not None,
            "show_name": seen,
        }  # fmt: skip

    def _group(self, name: str) -> Node:
        """A group as a node: it reads what comes from outside, and writes what is read there."""
        inside, waiting = set(), [name]
        for one in waiting:
            waiting += self.children.get(one, [])
            if one in self.numbers:
                inside.add(self.numbers[one])
        edges = self.model.edges
        read = {t for n in inside for _, ts in self.model.nodes[n].inputs for t in ts}
        made = {t for s, e, t in edges if s in inside and e in inside}
        written = {t for s, e, t in edges if s in inside and e not in inside}
        label, kind = named(name.rpartition("/")[2])
        node = Node(label, kind or label)
        node.inputs = [("X", sorted(read - made))]
        node.outputs = [("Y", sorted(written))]
        return node

    def _port(self, name: str, tensors: list[int]) -> dict[str, Any]:
        arguments = []
        for number in tensors:
            tensor = self.model.tensors[number]
            kind = {
                "dataType": tensor.dtype,
                "shape": {"dimensions": tensor.shape or []},
                "denotation": None,
            }
            arguments.append(
                {
                    "name": tensor.name,
                    "type": kind,
                    "initializer": kind if tensor.parameter else None,
                }
            )
        return {"name": name, "visible": True, "arguments": arguments}


def _value(kind: str, text: str) -> Any:
    if kind in _NATIVE and len(text) < 300:
        try:
            return json.loads(text, parse_constant=str)
        except ValueError:
            return text
    return text
