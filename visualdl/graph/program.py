"""Reads Programs of PaddlePaddle: ``.pdmodel``, 1.x ``__model__``, what ``add_graph`` wrote."""

from __future__ import annotations

from typing import Any

from visualdl.graph.errors import GraphError
from visualdl.graph.model import Model, Node, Tensor, name_of, numbers, shortened, text_of
from visualdl.graph.schema import parse
from visualdl.graph.wire import check

_TYPES = {
    0: "bool", 1: "int16", 2: "int32", 3: "int64", 4: "float16", 5: "float32", 6: "float64",
    19: "size_t", 20: "uint8", 21: "int8", 22: "bfloat16", 23: "complex64", 24: "complex128",
    25: "string", 29: "pstring",
}  # fmt: skip
_HOLDERS = {
    7: "LoDTensor", 8: "SelectedRows", 9: "feed", 10: "fetch", 11: "step scopes", 12: "rank table",
    13: "TensorArray", 14: "places", 15: "reader", 17: "raw", 18: "tuple", 25: "string",
    26: "strings", 27: "vocabulary", 28: "feed list", 30: "sparse COO", 31: "sparse CSR",
}  # fmt: skip
_DESCRIBED = {
    7: "lod_tensor", 8: "selected_rows", 13: "tensor_array", 25: "string", 26: "strings",
    27: "vocab", 30: "sparse_coo", 31: "sparse_csr",
}  # fmt: skip
_NEVER_VALUES = {9, 10, 11, 28}  # feed, fetch, scopes, feed list

# The kinds of attributes in the file: field, name on the page.
_ATTRIBUTES = {
    0: ("i", "int"), 1: ("f", "float"), 2: ("s", "string"), 3: ("ints", "ints"),
    4: ("floats", "floats"), 5: ("strings", "strings"), 6: ("b", "bool"), 7: ("bools", "bools"),
    8: ("block_idx", "block"), 9: ("l", "long"), 10: ("blocks_idx", "blocks"),
    11: ("longs", "longs"), 12: ("float64s", "float64s"), 13: ("var_name", "variable"),
    14: ("vars_name", "variables"), 15: ("float64", "float64"), 16: ("scalar", "scalar"),
    17: ("scalars", "scalars"),
}  # fmt: skip
_SCALARS = {1: "b", 2: "i", 3: "r"}
_DEEPEST = 32  # blocks within blocks

Path = tuple[str, ...]


def read_program(data: bytes, name: str, structured: dict[str, str] | None = None) -> Model:
    """Reads a ProgramDesc.

    Args:
        data (bytes): what the file holds.
        name (str): what the page calls the model.
        structured (dict, optional): names of parameters in their Layer, by name in the Program.

    Returns:
        Model: its nodes in the order in which they run.

    Raises:
        GraphError: it is no ProgramDesc, or contradicts itself.
    """
    check(data, "paddle", "ProgramDesc", name)
    desc = parse("paddle", "ProgramDesc", data, name)
    if not desc.blocks:
        raise GraphError(f"{name}: expected a Program, but there is no block in the file.")
    model = Model(name, "paddle", _version(desc.version.version))
    model.structured = structured or {}
    _Reading(desc, model).run()
    return model


class _Reading:
    """The way from a message to a Model."""

    def __init__(self, desc: Any, model: Model) -> None:
        self.desc, self.model = desc, model
        self.entered: set[int] = set()

    def run(self) -> None:
        main = _Block(self.desc.blocks[0], None)
        fetched: list[tuple[int, int]] = []
        self._inputs(main)
        self._block(main, (), (), fetched)
        for _, tensor in sorted(fetched):
            label = self.model.tensors[tensor].name
            self.model.add_node(Node(label, "output", "output", inputs=[("", [tensor])]))

    def _inputs(self, block: _Block) -> None:
        """Input nodes: what feed operators write, or data that nobody writes."""
        model, fed, written, read = self.model, [], set(), []
        for op in block.desc.ops:
            outputs = [a for slot in op.outputs for a in slot.arguments]
            if op.type == b"feed":
                fed.append((_column(op), outputs[0] if outputs else b""))
            for slot in op.inputs:
                read += [a for a in slot.arguments if a not in written]
            written.update(outputs)
        names = [n for _, n in sorted(fed, key=lambda p: p[0])]
        if not fed:
            for name in dict.fromkeys(read):
                var = block.vars.get(name)
                if var is not None and not var.persistable and name not in _EMPTY:
                    names.append(name)
        for name in dict.fromkeys(n for n in names if n):
            tensor = block.tensor(model, name)
            label = model.tensors[tensor].name
            model.add_node(Node(label, "input", "input", outputs=[("", [tensor])]))

    def _block(
        self, block: _Block, above: Path, inside: Path, fetched: list[tuple[int, int]]
    ) -> None:
        for op in block.desc.ops:
            if op.type == b"feed":
                continue
            if op.type == b"fetch":
                names = [a for slot in op.inputs for a in slot.arguments]
                fetched += [(_column(op), block.tensor(self.model, n)) for n in names]
                continue
            self._operator(op, block, above, inside, fetched)

    def _operator(
        self,
        op: Any,
        block: _Block,
        above: Path,
        inside: Path,
        fetched: list[tuple[int, int]],
    ) -> None:
        model = self.model
        node = Node(model.unique(text_of(op.type)), text_of(op.type))
        inner: list[int] = []
        scope: Path = ()
        for slot in op.inputs:
            self._slot(node.inputs, slot.parameter, slot.arguments, block)
        for slot in op.outputs:
            self._slot(node.outputs, slot.parameter, slot.arguments, block)
        for attr in op.attrs:
            field, kind = _ATTRIBUTES.get(attr.type, ("", "unknown"))
            name = text_of(attr.name)
            if kind in ("variable", "variables"):
                named = list(attr.vars_name) if kind == "variables" else [attr.var_name]
                self._slot(node.inputs, attr.name, named, block)
            if kind in ("block", "blocks"):
                inner += list(attr.blocks_idx) if kind == "blocks" else [attr.block_idx]
            if name == "op_namescope":
                scope = tuple(p for p in text_of(attr.s).split("/")[:_DEEPEST] if p)
            if name == "op_role":
                node.role = _role(attr.i)
            value = getattr(attr, field) if field else ""
            node.attributes.append((name, kind, _text(name, kind, value)))
        node.attributes.sort()
        node.scope = (*above, *scope)
        own = [i for i in inner if 0 < i < len(self.desc.blocks) and i not in self.entered]
        node.inside = (*inside, node.name) if own else inside
        if own:
            node.scope = (*node.scope, node.name)
        model.add_node(node)
        if own and len(inside) < _DEEPEST:
            for i in own:
                self.entered.add(i)
                self._block(_Block(self.desc.blocks[i], block), node.scope, node.inside, fetched)

    def _slot(
        self, slots: list[tuple[str, list[int]]], name: bytes, arguments: Any, block: _Block
    ) -> None:
        found = [block.tensor(self.model, a) for a in arguments if a not in _EMPTY]
        if found:
            slots.append((text_of(name), found))


_EMPTY = frozenset((b"", b"@EMPTY@"))


class _Block:
    """A block's variables; a name that it has not is looked for in the block outside."""

    def __init__(self, desc: Any, outer: _Block | None) -> None:
        self.desc, self.outer = desc, outer
        self.vars = {var.name: var for var in desc.vars}
        self.numbers: dict[bytes, int] = {}

    def tensor(self, model: Model, name: bytes) -> int:
        """Returns the number of a variable's tensor, which is made at the first use."""
        home: _Block | None = self
        while home is not None and name not in home.vars:
            home = home.outer
        home = home or self
        if name not in home.numbers:
            home.numbers[name] = model.add_tensor(_tensor(name, home.vars.get(name)))
        return home.numbers[name]


def _tensor(name: bytes, var: Any) -> Tensor:
    made = Tensor(name_of(name))
    if var is None:
        return made
    kind = var.type.type
    field = _DESCRIBED.get(kind)
    if field is not None and var.type.HasField(field):
        desc = getattr(var.type, field)
        desc = desc.tensor if field in ("lod_tensor", "tensor_array") else desc
        made.shape = list(desc.dims[:64])
        made.dtype = _TYPES.get(desc.data_type, "")
    if kind != 7:
        made.dtype = " ".join(filter(None, (_HOLDERS.get(kind, f"kind {kind}"), made.dtype)))
    made.parameter = var.persistable and kind not in _NEVER_VALUES
    return made


def _text(name: str, kind: str, value: Any) -> str:
    if kind in ("string", "variable"):
        return shortened(text_of(value))
    if kind in ("strings", "variables"):
        if name == "op_callstack":
            return shortened(" ".join(text_of(v).strip() for v in value[-2:]))
        listed = ", ".join(text_of(v) for v in value[:32])
        return shortened(f"[{listed}]" if len(value) <= 32 else f"[{listed}, …] ({len(value)})")
    if kind == "scalar":
        return _scalar(value)
    if kind == "scalars":
        return shortened(f"[{', '.join(_scalar(v) for v in value[:32])}]")
    if kind in ("bool",):
        return "true" if value else "false"
    if kind == "bools":
        return numbers([str(bool(v)).lower() for v in value[:33]])
    if isinstance(value, (int, float, str)):
        return f"{value:.7g}" if isinstance(value, float) else str(value)
    return numbers(value)


def _scalar(value: Any) -> str:
    if value.type == 4:
        return f"{value.c.r:.7g}{value.c.i:+.7g}j"
    found = getattr(value, _SCALARS.get(value.type, "i"))
    return str(found).lower() if isinstance(found, bool) else f"{found:.7g}"


def _role(number: int) -> str:
    """Roles are bits: 1 backward, 2 optimizer, 16 its schedule."""
    if number & 1:
        return "backward"
    return "optimizer" if number & (2 | 16) else ""


def _column(op: Any) -> int:
    return next((attr.i for attr in op.attrs if attr.name == b"col"), 0)


def _version(number: int) -> str:
    """2006002 is 2.6.2; a file that states nothing is of 1.x or of a development version."""
    if not 0 < number < 1 << 31:
        return ""
    return f"{number // 1_000_000}.{number // 1_000 % 1_000}.{number % 1_000}"
