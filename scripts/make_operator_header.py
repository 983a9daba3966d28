"""Writes paddle/include/paddle/operators.h: a C++ function for each operator of the registry.

Usage: python scripts/make_operator_header.py
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from paddle.core.op import REGISTRY, OpDef, py  # noqa: E402

TARGET = ROOT / "paddle" / "include" / "paddle" / "operators.h"

# Names of 2.0 for operators that Programs call otherwise; their first result is returned. Operators
# of 1.x that have such a name are called by paddle::call alone.
PUBLIC = {
    "matmul": "matmul_v2", "add": "elementwise_add", "subtract": "elementwise_sub",
    "multiply": "elementwise_mul", "divide": "elementwise_div", "maximum": "elementwise_max",
    "minimum": "elementwise_min", "remainder": "elementwise_mod", "max": "reduce_max",
    "min": "reduce_min", "prod": "reduce_prod", "reshape": "reshape2", "transpose": "transpose2",
    "squeeze": "squeeze2", "unsqueeze": "unsqueeze2", "flatten": "flatten_contiguous_range",
    "expand": "expand_v2", "embedding": "lookup_table_v2", "argmax": "arg_max", "argmin": "arg_min",
}  # fmt: skip
# What sources of 2.3 and 2.4 call with attributes by position: function, operator, its first slots
# (a list has a star), attributes in their order. Without the first attribute it is the other form.
POSITIONAL = """
matmul matmul_v2 x,y | bool trans_x, bool trans_y = false
concat concat x* | int64_t axis
stack stack x* | int64_t axis
split split x | Sizes sections, int64_t axis
reshape reshape2 x | Sizes shape
transpose transpose2 x | Sizes axis
squeeze squeeze2 x | Sizes axes
unsqueeze unsqueeze2 x | Sizes axes
flatten flatten_contiguous_range x | int start_axis, int stop_axis = -1
expand expand_v2 x | Sizes shape
tile tile x | Sizes repeat_times
softmax softmax x | int axis
scale scale x | double scale, double bias = 0.0, bool bias_after_scale = true
clip clip x | double min, double max
pow pow x | double factor
leaky_relu leaky_relu x | double alpha
gelu gelu x | bool approximate
cumsum cumsum x | int64_t axis
gather gather x,index | int64_t axis
mean reduce_mean x | Sizes dim, bool keep_dim = false
max reduce_max x | Sizes dim, bool keep_dim = false
min reduce_min x | Sizes dim, bool keep_dim = false
sum reduce_sum x | Sizes dim, DataType type = DataType::UNDEFINED, bool keep_dim = false
"""
# Words and macros of C++, and what paddle/native/*.h declares.
TAKEN = {
    "assert", "and", "or", "not", "xor", "switch", "case", "default", "delete", "new", "while",
    "for", "if", "else", "do", "int", "float", "double", "bool", "register", "union",
    "template", "this", "throw", "try", "catch", "static", "auto", "signed", "unsigned", "long",
    "short", "void", "complex", "optional", "none", "empty", "empty_like", "full", "full_like",
    "zeros", "zeros_like", "ones", "ones_like", "call", "Tensor", "Tensors", "Attribute",
    "Attributes", "Place", "native", "functions", "Sizes",
}  # fmt: skip

HEAD = """\
// Operators of the framework as functions; paddle/extension.h includes this.
//
//   Tensor z = paddle::add(paddle::matmul(x, y, {{"trans_y", true}}), bias);
//
// Made by scripts/make_operator_header.py of the registry; do not edit. Attributes that are not
// given have their defaults. An operator with several outputs gives a list for each of them. Those
// that stand last take attributes by position, too, as 2.3 does: paddle::matmul(x, y, true).

#ifndef PADDLE_OPERATORS_H_
#define PADDLE_OPERATORS_H_

#include "paddle/native/calling.h"

namespace paddle {
namespace functions {  // found by paddle::add, but not instead of an add of the user's

#define PD_FUNCTION_(name, op, result, inputs, ...)                          \\
  inline result name(__VA_ARGS__, const Attributes& attributes = {}) {       \\
    return native::called<result>(#op, inputs, attributes);                  \\
  }
#define PD_LIST_(...) {__VA_ARGS__}
#define PD_ONE_(name)                                                         \\
  inline Tensor name(const Tensor& x, const Attributes& attributes = {}) {    \\
    return native::of_one(#name, x, attributes);                              \\
  }
#define PD_TWO_(name)                                                                            \\
  inline Tensor name(const Tensor& x, const Tensor& y, const Attributes& attributes = {}) {      \\
    return native::of_two(#name, x, y, attributes);                                              \\
  }

"""
TAIL = """
#undef PD_ONE_
#undef PD_TWO_
#undef PD_LIST_
#undef PD_FUNCTION_

}  // namespace functions
using namespace functions;  // NOLINT
}  // namespace paddle

#endif  // PADDLE_OPERATORS_H_
"""


def listed() -> list[OpDef]:
    """The operators that get a function: those of PaddlePaddle with inputs and a kernel."""
    ops = (o for o in REGISTRY.values() if o.has_kernel and o.base is None and o.proto is None)
    return sorted((o for o in ops if o.inputs and o.name not in TAKEN), key=lambda o: o.name)


def result(op: OpDef) -> str:
    """What a call of an operator gives in C++."""
    if len(op.outputs) > 1:
        return "std::vector<Tensors>"
    return "Tensors" if op.outputs[0].many else "Tensor"


def declared(name: str, op: OpDef, returns: str) -> str:
    """The line of a function."""
    names: list[str] = []
    for slot in op.inputs:
        made = py(slot.name).lower()
        names.append(made + "_" if made in TAKEN or made == "attributes" else made)
    last = max((i for i, s in enumerate(op.inputs) if not s.optional), default=-1)
    parameters = []
    for i, (slot, given) in enumerate(zip(op.inputs, names, strict=True)):
        kind = "Tensors" if slot.many else "Tensor"
        parameters.append(f"const {kind}& {given}" + (f" = {kind}()" if i > last else ""))
    some = ", ".join(f"native::some({n})" for n in names)
    return f"PD_FUNCTION_({name}, {op.name}, {returns}, PD_LIST_({some}), {', '.join(parameters)})"


def text() -> str:
    """The header."""
    ops = [op for op in listed() if op.name not in PUBLIC]
    short: dict[str, list[str]] = {"PD_ONE_": [], "PD_TWO_": []}
    lines = []
    for op in ops:
        plain = not any(s.many or s.optional for s in op.inputs) and result(op) == "Tensor"
        if plain and len(op.inputs) <= 2:
            short["PD_ONE_" if len(op.inputs) == 1 else "PD_TWO_"].append(op.name)
        else:
            lines.append(declared(op.name, op, result(op)))
    lines += [declared(name, REGISTRY[of], "Tensor") for name, of in PUBLIC.items()]
    lines += ["", *(by_position(row) for row in POSITIONAL.strip().splitlines())]
    rows = [row for macro, names in short.items() for row in _rows(macro, names)]
    return HEAD + "\n".join([*rows, "", *lines]) + "\n" + TAIL


def by_position(row: str) -> str:
    """The lines of a function whose attributes are told by their position."""
    left, right = row.split(" | ")
    name, op, slots = left.split()
    inputs = slots.split(",")
    parameters = [f"const Tensor{'s' if s[-1] == '*' else ''}& {s.rstrip('*')}" for s in inputs]
    attributes, converted = [], ""
    for told in right.split(", "):
        kind, attribute = told.partition(" =")[0].split()
        parameters.append(told.replace("Sizes ", "const Sizes& "))
        if kind == "DataType":
            converted = (
                f"  return {attribute} == DataType::UNDEFINED ? made : made.cast({attribute});\n"
            )
        else:
            attributes.append(f'{{"{attribute}", {attribute}}}')
    if op.startswith("reduce_"):
        attributes.append('{"reduce_all", dim.empty()}')
    returns = result(REGISTRY[op]) if len(REGISTRY[op].outputs) == 1 else "Tensor"
    some = ", ".join(f"native::some({s.rstrip('*')})" for s in inputs)
    call = f'native::called<{returns}>("{op}", {{{some}}}, {{{", ".join(attributes)}}});'
    body = f"  {returns} made = {call}\n{converted}" if converted else f"  return {call}\n"
    return f"inline {returns} {name}({', '.join(parameters)}) {{\n{body}}}"


def _rows(macro: str, names: list[str]) -> list[str]:
    """Calls of a macro, as many to a line as fit."""
    rows, row = [], ""
    for name in names:
        word = f"{macro}({name})"
        if row and len(row) + 1 + len(word) > 100:
            rows.append(row)
            row = ""
        row += (" " if row else "") + word
    return [*rows, row] if row else rows


def main() -> None:
    """Writes the header."""
    TARGET.write_text(text(), "utf8")


if __name__ == "__main__":
    main()
