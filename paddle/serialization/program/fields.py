"""Which fields of the ProgramDesc messages hold what: the values of attributes."""

from __future__ import annotations

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
SCALAR = {1: "b", 2: "i", 3: "r", 4: "c"}
