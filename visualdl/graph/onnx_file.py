"""Reads models of ONNX; weights are passed over, so a file of gigabytes costs its graph alone."""

from __future__ import annotations

from typing import Any

from visualdl.graph.errors import GraphError
from visualdl.graph.model import Model, Node, Tensor, name_of, numbers, shortened, text_of
from visualdl.graph.schema import parse
from visualdl.graph.wire import MOST_FIELDS, check, fields

_TYPES = {
    1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64",
    8: "string", 9: "bool", 10: "float16", 11: "float64", 12: "uint32", 13: "uint64",
    14: "complex64", 15: "complex128", 16: "bfloat16", 17: "float8e4m3fn", 18: "float8e4m3fnuz",
    19: "float8e5m2", 20: "float8e5m2fnuz", 21: "uint4", 22: "int4",
}  # fmt: skip
_ATTRIBUTES = {
    1: ("f", "float"), 2: ("i", "int"), 3: ("s", "string"), 4: ("t", "tensor"), 5: ("g", "graph"),
    6: ("floats", "floats"), 7: ("ints", "ints"), 8: ("strings", "strings"),
    9: ("tensors", "tensors"), 10: ("graphs", "graphs"),
}  # fmt: skip
_GRAPH, _INITIALIZER = 7, 5  # numbers of fields
_TENSOR_FIELDS = {1, 2, 8}  # dims, data_type, name
_MOST_BYTES = 1 << 26  # of a graph without its weights
_DEEPEST = 16

Path = tuple[str, ...]


def read_onnx(data: Any, name: str) -> Model:
    """Reads a ModelProto.

    Args:
        data (bytes|mmap): what the file holds.
        name (str): what the page calls the model.

    Returns:
        Model: its nodes in the order of the file.

    Raises:
        GraphError: it is no ModelProto, or its graph is too large.
    """
    rest, graph, weights = _without_weights(data, name)
    check(rest, "onnx", "ModelProto", name)
    check(graph, "onnx", "GraphProto", name)
    top = parse("onnx", "ModelProto", rest, name)
    desc = parse("onnx", "GraphProto", graph, name)
    if not desc.node and not desc.output:
        raise GraphError(f"{name}: expected a model of ONNX, but there is no graph in the file.")
    sets = {text_of(s.domain) or "ai.onnx": s.version for s in top.opset_import[:16]}
    producer = " ".join(filter(None, map(text_of, (top.producer_name, top.producer_version))))
    opset = ", ".join(f"{domain} {number}" for domain, number in sets.items())
    model = Model(name, "onnx", "; ".join(filter(None, (producer, opset))))
    _Graph(desc, model, None, weights).run((), ())
    return model


def _without_weights(data: Any, name: str) -> tuple[bytes, bytes, list[Any]]:
    """Parts the file: the model without graph, the graph without weights, the weights' heads."""
    rest, graph, weights, count = [], [], [], 0
    for number, kind, begin, content, end in fields(data, 0, len(data), name):
        if number != _GRAPH or kind != 2:
            rest.append(data[begin : min(end, begin + (1 << 16))] if kind == 2 else data[begin:end])
            if kind == 2 and end - begin > 1 << 16:
                rest.pop()
            continue
        for inner, wire, start, body, stop in fields(data, content, end, name):
            count += 1
            if inner == _INITIALIZER and wire == 2:
                head = b"".join(
                    data[at:to]
                    for n, _, at, _, to in fields(data, body, stop, name)
                    if n in _TENSOR_FIELDS and to - at < 1 << 12
                )
                weights.append(parse("onnx", "TensorProto", head, name))
            else:
                graph.append((start, stop))
            if count > MOST_FIELDS:
                raise GraphError(f"{name}: the model has more than {MOST_FIELDS} fields.")
    if sum(stop - start for start, stop in graph) > _MOST_BYTES:
        raise GraphError(f"{name}: the graph without its weights has more than 64 MB.")
    return b"".join(rest), b"".join(data[a:b] for a, b in graph), weights


class _Graph:
    """One graph: that of the model, or one inside an attribute (If, Loop, Scan)."""

    def __init__(self, desc: Any, model: Model, outer: _Graph | None, weights: list[Any]) -> None:
        self.desc, self.model, self.outer = desc, model, outer
        self.numbers: dict[bytes, int] = {}
        self.described = {}
        for info in (*desc.value_info, *desc.input, *desc.output):
            self.described[info.name] = info
        self.weights = {w.name: w for w in (*weights, *desc.initializer)}

    def run(self, above: Path, inside: Path) -> None:
        model = self.model
        if self.outer is None:
            for info in self.desc.input:
                if info.name not in self.weights:  # older files list weights as inputs too
                    label = name_of(info.name)
                    model.add_node(
                        Node(label, "input", "input", outputs=[("", [self.tensor(info.name)])])
                    )
        for desc in self.desc.node:
            self._node(desc, above, inside)
        if self.outer is None:
            for info in self.desc.output:
                label, tensor = name_of(info.name), self.tensor(info.name)
                model.add_node(Node(label, "output", "output", inputs=[("", [tensor])]))

    def _node(self, desc: Any, above: Path, inside: Path) -> None:
        model = self.model
        kind = text_of(desc.op_type)
        domain = text_of(desc.domain)
        own = name_of(desc.name)
        node = Node(own or model.unique(kind), kind)
        scope = tuple(p for p in own.split("/")[:-1] if p)[:_DEEPEST]
        node.inputs = self._slots(desc.input)
        node.outputs = self._slots(desc.output, written=True)
        if domain not in ("", "ai.onnx"):
            node.attributes.append(("domain", "string", shortened(domain)))
        inner = []
        for attr in desc.attribute:
            field, kind = _ATTRIBUTES.get(attr.type, ("", "unknown"))
            value = getattr(attr, field) if field else ""
            if kind in ("graph", "graphs"):
                inner += [value] if kind == "graph" else list(value)
            node.attributes.append((text_of(attr.name), kind, _text(kind, value)))
        node.attributes.sort()
        node.scope = (*above, *scope)
        node.inside = (*inside, node.name) if inner else inside
        if inner:
            node.scope = (*node.scope, node.name)
        model.add_node(node)
        if len(inside) < _DEEPEST:
            for graph in inner:
                _Graph(graph, model, self, []).run(node.scope, node.inside)

    def _slots(self, names: Any, written: bool = False) -> list[tuple[str, list[int]]]:
        return [(str(at), [self.tensor(name, written)]) for at, name in enumerate(names) if name]

    def tensor(self, name: bytes, written: bool = False) -> int:
        home: _Graph | None = self
        while not written and home is not None and not home.has(name):
            home = home.outer
        home = home or self
        if name not in home.numbers:
            home.numbers[name] = self.model.add_tensor(home.described_as(name))
        return home.numbers[name]

    def has(self, name: bytes) -> bool:
        return name in self.numbers or name in self.weights or name in self.described

    def described_as(self, name: bytes) -> Tensor:
        weight = self.weights.get(name)
        if weight is not None:
            return Tensor(
                name_of(name), list(weight.dims[:64]), _TYPES.get(weight.data_type, ""), True
            )
        made, info = Tensor(name_of(name)), self.described.get(name)
        if info is not None and info.type.HasField("tensor_type"):
            found = info.type.tensor_type
            made.dtype = _TYPES.get(found.elem_type, "")
            if found.HasField("shape"):
                made.shape = [_dimension(d) for d in found.shape.dim[:64]]
        return made


def _dimension(dim: Any) -> int | str:
    if dim.HasField("dim_value"):
        return int(dim.dim_value)
    return shortened(text_of(dim.dim_param)) or "?"


def _text(kind: str, value: Any) -> str:
    if kind == "string":
        return shortened(text_of(value))
    if kind == "strings":
        return shortened(f"[{', '.join(text_of(v) for v in value[:32])}] ({len(value)})")
    if kind == "tensor":
        return f"{_TYPES.get(value.data_type, '?')} {list(value.dims[:16])}"
    if kind == "graph":
        return shortened(text_of(value.name)) or "graph"
    if kind in ("tensors", "graphs"):
        return f"{len(value)} {kind}"
    if isinstance(value, float):
        return f"{value:.7g}"
    return str(value) if isinstance(value, (int, str)) else numbers(value)
