"""Which fields of the ProgramDesc messages hold what: values of attributes, types of variables."""

from __future__ import annotations

from collections.abc import Iterable

from paddle.ir.attribute_kinds import AttrType

# Where the message of each kind of attribute has its value.
FIELD = {
    AttrType.INT: "i",
    AttrType.FLOAT: "f",
    AttrType.STRING: "s",
    AttrType.INTS: "ints",
    AttrType.FLOATS: "floats",
    AttrType.STRINGS: "strings",
    AttrType.BOOLEAN: "b",
    AttrType.BOOLEANS: "bools",
    AttrType.BLOCK: "block_idx",
    AttrType.LONG: "l",
    AttrType.BLOCKS: "blocks_idx",
    AttrType.LONGS: "longs",
    AttrType.FLOAT64S: "float64s",
    AttrType.VAR: "var_name",
    AttrType.VARS: "vars_name",
    AttrType.FLOAT64: "float64",
    AttrType.SCALAR: "scalar",
    AttrType.SCALARS: "scalars",
}
MANY = frozenset(kind for kind in AttrType if kind.name.endswith("S"))
# Where a variable of each kind has its element type and sizes; kinds that have none are absent.
TENSOR = {7: "lod_tensor", 8: "selected_rows", 13: "tensor_array", 25: "string", 26: "strings",
           27: "vocab", 30: "sparse_coo", 31: "sparse_csr"}  # fmt: skip
WITH_LOD = ("lod_tensor", "tensor_array")
SCALAR = {1: "b", 2: "i", 3: "r", 4: "c"}


class ReadKinds(dict[str, int]):
    """The kinds of an operator's attributes as a file states them.

    Attributes:
        order (tuple[str, ...]): names in the order of the file, if it has some of them twice.
    """

    order: tuple[str, ...] = ()

    def ordered(self, names: Iterable[str]) -> None:
        """Sets the order."""
        self.order = tuple(names)

    def copy(self) -> ReadKinds:
        """Returns an equal one."""
        made = ReadKinds(self)
        made.order = self.order
        return made
