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
# Words and macros of C++, and what paddle/native/*.h declares.
TAKEN = {
    "assert", "and", "or", "not", "xor", "switch", "case", "default", "delete", "new", "while",
    "for", "if", "else", "do", "int", "float", "double", "bool", "register", "union",
    "template", "this", "throw", "try", "catch", "static", "auto", "signed", "unsigned", "long",
    "short", "void", "complex", "optional", "none", "empty", "empty_like", "full", "full_like",
    "zeros", "zeros_like", "ones", "ones_like", "call", "Tensor", "Tensors", "Attribute",
    "Attributes", "Place", "native", "functions",
}  # fmt: skip

HEAD = """\
// Operators of the framework as functions; paddle/extension.h includes this.
//
//   Tensor z = paddle::add(paddle::matmul(x, y, {{"trans_y", true}}), bias);
//
// Made by scripts/make_operator_header.py of the registry; do not edit. Attributes that are not
// given have their defaults. An operator with several outputs gives a list for each of them.

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
#define PD_ONE_(name) PD_FUNCTION_(name, name, Tensor, {native::some(x)}, const Tensor& x)
#define PD_TWO_(name) \\
  PD_FUNCTION_(name, name, Tensor, PD_LIST_(native::some(x), native::some(y)), const Tensor& x, \\
               const Tensor& y)

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
    rows = [row for macro, names in short.items() for row in _rows(macro, names)]
    return HEAD + "\n".join([*rows, "", *lines]) + "\n" + TAIL


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
