"""Groups of nodes that the page folds: by name scope, by layer, by the form of the graph.

- ``scope``: what the program states: ``op_namescope``, or the folders in the names of ONNX nodes.
- ``layer``: parameters tell it. ``layer1.0.conv1.weight`` (names that ``jit.save`` notes beside a
  model) puts its operator into layer1, 0, conv1; without them ``linear_0.w_0`` and ``linear_0.b_0``
  belong to linear_0. Operators without parameters go where their neighbours are.
- ``block``: a stretch between two places through which a single tensor passes, as a residual block.
"""

from __future__ import annotations

import re
from typing import Any

from visualdl.graph.model import Model

_PREFIX = re.compile(
    r"^(.*?)(?:\.[wb]_\d+|_(?:weights?|bias|scale|offset|mean|variance))(?:\..*)?$"
)
_SCOPE = re.compile(r"^([^\[\]]*)\[([^\[\]]*)\](_\d+)?$")
_STAYS = frozenset(
    {
        "relu", "relu6", "sigmoid", "tanh", "gelu", "swish", "silu", "mish", "hard_swish",
        "hardswish", "hard_sigmoid", "leaky_relu", "elementwise_add", "elementwise_mul",
        "elementwise_sub", "dropout", "softmax", "scale", "batch_norm", "prelu", "Relu", "Sigmoid",
        "Tanh", "Gelu", "Add", "Mul", "Clip", "Softmax", "LeakyRelu", "HardSwish", "Dropout",
    }
)  # fmt: skip
_DEEPEST = 64

Path = tuple[str, ...]


def groupings(model: Model) -> tuple[dict[str, list[dict[str, Any]]], dict[str, list[int]]]:
    """Finds the groups of a model.

    Args:
        model (Model): with all nodes and edges.

    Returns:
        tuple: for each grouping its groups (name, kind, parent, and what is in them), and for each
            grouping the group of each node; -1: none.
    """
    groups, members = {}, {}
    inside = [node.inside for node in model.nodes]
    blocks = [(*i, *b) for i, b in zip(inside, _blocks(model), strict=True)]
    for name, paths in (
        ("scope", [node.scope for node in model.nodes]),
        ("layer", _layers(model, blocks)),
        ("block", blocks),
    ):
        roles = [((n.role, *p) if n.role else p) for n, p in zip(model.nodes, paths, strict=True)]
        groups[name], members[name] = _tree(model, roles)
    return groups, members


def _tree(model: Model, paths: list[Path]) -> tuple[list[dict[str, Any]], list[int]]:
    """Numbers the groups; one that would hold a single node and nothing else is left out."""
    sizes: dict[Path, int] = {}
    for path in paths:
        for depth in range(1, min(len(path), _DEEPEST) + 1):
            sizes[path[:depth]] = sizes.get(path[:depth], 0) + 1
    numbers: dict[Path, int] = {}
    groups: list[dict[str, Any]] = []
    members = []
    parameters: list[set[int]] = []
    for node, path in zip(model.nodes, paths, strict=True):
        parent = -1
        used = {t for _, ts in node.inputs for t in ts if model.tensors[t].parameter}
        for depth in range(1, min(len(path), _DEEPEST) + 1):
            key = path[:depth]
            if sizes[key] < 2:
                break
            if key not in numbers:
                numbers[key] = len(groups)
                label, kind = named(path[depth - 1])
                groups.append(
                    {"name": label, "kind": kind, "parent": parent, "operators": 0, "parameters": 0}
                )
                parameters.append(set())
            parent = numbers[key]
            groups[parent]["operators"] += node.kind == "operator"
            parameters[parent] |= used
        members.append(parent)
    for group, used in zip(groups, parameters, strict=True):
        group["parameters"] = sum(model.tensors[t].count for t in used)
    return groups, members


def named(part: str) -> tuple[str, str]:
    """Parts ``Conv2D[conv1]``, as add_graph writes it, into name and class."""
    found = _SCOPE.match(part)
    if found is None:
        return part, ""
    return found[2] + (found[3] or ""), found[1]


def _layers(model: Model, blocks: list[Path]) -> list[Path]:
    """The layer of each node, by its parameters."""
    own: list[Path | None] = []
    names = model.structured
    for node in model.nodes:
        used = [
            model.tensors[t].name
            for _, tensors in node.inputs
            for t in tensors
            if model.tensors[t].parameter
        ]
        structured = [names[n] for n in used if n in names]
        if structured:
            own.append(tuple(structured[0].split(".")[:-1]))
        elif names:
            own.append(None)
        else:
            found = next((m[1] for m in map(_PREFIX.match, used) if m and m[1]), None)
            own.append((found,) if found else None)
    if names:
        return [(*n.inside, *p) for n, p in zip(model.nodes, _spread(model, own), strict=True)]
    if not any(own):
        return [node.inside for node in model.nodes]
    return [(*block, *layer) if layer else block for block, layer in zip(blocks, own, strict=True)]


def _spread(model: Model, own: list[Path | None]) -> list[Path]:
    """Nodes without parameters lie in the layer that their neighbours share."""
    sources: list[list[int]] = [[] for _ in own]
    targets: list[list[int]] = [[] for _ in own]
    for source, target, _ in model.edges:
        sources[target].append(source)
        targets[source].append(target)
    made: list[Path] = []
    for at, path in enumerate(own):
        node = model.nodes[at]
        if path is not None:
            made.append(path)
            continue
        if node.kind != "operator":
            made.append(())
            continue
        before = [
            made[s] if own[s] is None else made[s][:-1]
            for s in sources[at]
            if model.nodes[s].kind == "operator"
        ]
        around = _shared(before)
        if node.type not in _STAYS:
            after = [own[t][:-1] for t in targets[at] if own[t]]  # type: ignore[index]
            around = _shared([around, *after]) if after else around[:-1]
        made.append(around)
    return made


def _shared(paths: list[Path]) -> Path:
    """The longest beginning that all paths have."""
    if not paths:
        return ()
    low, high = min(paths), max(paths)
    for at, part in enumerate(low):
        if at >= len(high) or high[at] != part:
            return low[:at]
    return low


def _blocks(model: Model) -> list[Path]:
    """Blocks between the nodes where a single tensor is alive."""
    last: dict[int, int] = {}
    born: dict[int, int] = {}
    readers: dict[int, int] = {}
    for _, _, tensor in model.edges:
        readers[tensor] = readers.get(tensor, 0) + 1
    for source, target, tensor in model.edges:
        if readers[tensor] > 4:
            continue  # a mask that every layer reads, for example: it does not tie them together
        last[tensor] = max(last.get(tensor, 0), target)
        born[tensor] = min(born.get(tensor, source), source)
    events: list[int] = [0] * (len(model.nodes) + 1)
    for tensor, end in last.items():
        events[born[tensor]] += 1
        events[end] -= 1
    alive, cuts = 0, []
    for at in range(len(model.nodes)):
        alive += events[at]
        cuts.append(alive <= 1)
    paths: list[Path] = [()] * len(model.nodes)
    start, count = 0, 0
    for at, cut in enumerate(cuts):
        if not cut:
            continue
        inside = [
            n for n in range(start, at + 1)
            if model.nodes[n].kind == "operator" and not model.nodes[n].role
        ]  # fmt: skip
        if 3 <= len(inside) < len(model.nodes) - 8:
            for n in inside:
                paths[n] = (f"block_{count}",)
            count += 1
        start = at + 1
    return paths
