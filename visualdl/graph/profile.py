"""Reads the JSON that ``add_graph`` of the other VisualDL (2.5) wrote: ``vdlgraph.<time>.log``."""

from __future__ import annotations

import json
from typing import Any

from visualdl.graph.errors import GraphError
from visualdl.graph.model import Model, Node, Tensor, numbers, shortened

_PART = 10_000  # characters of one name


def read_profile(data: bytes, name: str) -> Model:
    """Reads nodes and variables; its group nodes are made again of the operators' paths.

    Args:
        data (bytes): what the file holds.
        name (str): what the page calls the model.

    Returns:
        Model: its nodes in the order of the file.

    Raises:
        GraphError: it is no JSON, or not of this form.
    """
    try:
        top = json.loads(data)
        nodes, variables = top["nodes"], {str(v["name"]): v for v in top["vars"]}
        model = Model(name, "vdlgraph", shortened(str(top.get("version", ""))))
        _fill(model, nodes, variables)
    except GraphError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise GraphError(f"{name}: expected the JSON of a graph with nodes and vars.") from error
    return model


def _fill(model: Model, nodes: list[dict[str, Any]], variables: dict[str, Any]) -> None:
    made: dict[str, int] = {}

    def tensors(slots: dict[str, list[str]]) -> list[tuple[str, list[int]]]:
        found = []
        for slot, names in slots.items():
            for name in names:
                if name not in made:
                    made[name] = model.add_tensor(_tensor(name, variables.get(name, {})))
            found.append((str(slot)[:_PART], [made[name] for name in names]))
        return [(slot, numbers) for slot, numbers in found if numbers]

    leaves = [n for n in nodes if n.get("is_leaf_node", not n.get("children_node"))]
    for node in leaves:
        if node["type"] == "feed":
            for _, found in tensors(node["output_vars"]):
                for tensor in found:
                    label = model.tensors[tensor].name
                    model.add_node(Node(label, "input", "input", outputs=[("", [tensor])]))
    fetched = []
    for node in leaves:
        if node["type"] == "fetch":
            fetched += [t for _, found in tensors(node["input_vars"]) for t in found]
        elif node["type"] != "feed":
            model.add_node(_node(node, tensors))
    for tensor in fetched:
        model.add_node(
            Node(model.tensors[tensor].name, "output", "output", inputs=[("", [tensor])])
        )


def _node(node: dict[str, Any], tensors: Any) -> Node:
    path = [p[:_PART] for p in str(node["name"]).split("/") if p]
    made = Node(path[-1] if path else "?", str(node["type"])[:_PART], scope=tuple(path[:-1][:32]))
    made.inputs = tensors(node["input_vars"])
    made.outputs = tensors(node["output_vars"])
    kinds = node.get("attr_types", {})
    for name, value in node.get("attrs", {}).items():
        kind = str(kinds.get(name, "")).lower()
        made.attributes.append((str(name)[:_PART], kind[:32], _text(name, value)))
    made.attributes.sort()
    return made


def _tensor(name: str, var: dict[str, Any]) -> Tensor:
    shape = var.get("shape")
    listed: list[int | str] | None = None
    if isinstance(shape, list):
        listed = [n for n in shape[:64] if isinstance(n, int)]
    dtype = str(var.get("dtype", "")).rpartition(".")[2].lower()[:32]
    dtype = {"fp32": "float32", "fp16": "float16", "fp64": "float64", "bf16": "bfloat16"}.get(
        dtype, dtype
    )
    return Tensor(str(name)[:_PART], listed, dtype, var.get("persistable") is True)


def _text(name: str, value: Any) -> str:
    if name == "op_callstack" and isinstance(value, list):
        return shortened(" ".join(str(v).strip() for v in value[-2:]))
    if isinstance(value, list) and all(isinstance(v, (int, float, bool)) for v in value[:64]):
        return numbers(value)
    return shortened(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
