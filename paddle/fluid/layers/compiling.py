"""From a row of the table to a function: its text, compiled, and what it says of itself."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from paddle.core.dtype import to_vartype
from paddle.core.failed_call import described
from paddle.core.guards import guarded
from paddle.core.mode import recording
from paddle.core.op import REGISTRY, C, py
from paddle.fluid.layers.examples import example
from paddle.fluid.layers.results import recorded, stored
from paddle.fluid.layers.rows import Row
from paddle.incubate.layer_helper import LayerHelper


def _dtype(value: Any) -> int:
    return int(to_vartype(value))


def _ints(value: Any) -> list[int]:
    """An int, or a list of them, as a list."""
    return [int(v) for v in value] if isinstance(value, (list, tuple)) else [int(value)]


def _dims(value: Any) -> list[int]:
    """Dimensions to reduce; None: all, which an attribute of its own says."""
    return [0] if value is None else _ints(value)


def _pair(value: Any) -> list[int]:
    return [int(value)] * 2 if isinstance(value, int) else _ints(value)


def _edges(value: Any) -> list[int]:
    """Paddings of four sides, given as one number, one for each dimension, or all."""
    listed = _pair(value)
    return listed * 2 if len(listed) == 2 else listed


def _none(value: Any) -> bool:
    return value is None


def _listed(value: Any) -> Any:
    return value if isinstance(value, (list, tuple)) else [value]


def _of_kind(value: Any, kind: type, argument: str) -> Any:
    """An attribute as the operator declares it, by its default."""
    if type(value) is kind or value is None:
        return value
    if isinstance(value, (bool, int, float, np.generic)):
        if kind is float or (isinstance(value, (bool, int, np.bool_, np.integer))):
            return kind(value)
        if kind is int and float(value).is_integer():
            return int(value)
    raise TypeError(
        f"fluid.layers.{argument}: expected {_WORDS[kind]}, but received {described(value)}."
    )


_WORDS = {bool: "True or False", int: "an int", float: "a number"}

CONVERTERS: dict[str, Callable] = {
    "dtype": _dtype, "list": list, "float": float, "int": int, "str": str, "bool": bool,
    "ints": _ints, "dims": _dims, "pair": _pair, "edges": _edges, "none": _none, "listed": _listed,
}  # fmt: skip
_GIVES_INTO = ("out", "cond", "output")  # parameters that take the result


def function(row: Row) -> Callable:
    """The function that a row describes."""
    scope = {
        "C": C, "LayerHelper": LayerHelper, "_recording": recording, "_recorded": recorded,
        "_stored": stored, "_chosen": operator.itemgetter, "_of_kind": _of_kind,
        **{f"_{name}": made for name, made in CONVERTERS.items()},
    }  # fmt: skip
    exec(compile(_source(row), __file__, "exec"), scope)
    made = scope[row.name]
    assert isinstance(made, FunctionType)
    made.__doc__ = _documentation(row)
    made.__module__ = "paddle.fluid.layers"
    return guarded(made)


def snake(slot: str) -> str:
    """A slot's name as parameters are written: ``RoisNum`` is ``rois_num``."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", slot).lower()


def _parameters(signature: str) -> list[str]:
    return [p.split("=")[0].strip() for p in re.split(r",\s*(?![^\[(]*[\])])", signature[1:-1])]


def _source(row: Row) -> str:
    """Python text of the function: one way for dynamic mode, one for static mode."""
    op = REGISTRY[row.operator]
    given = dict(pair.split("=") for pair in row.inputs.split())
    operands = ", ".join(
        f"_listed({given[s.name + '*']})" if s.name + "*" in given else given.get(s.name, "None")
        for s in op.inputs
    )
    attrs = [_attribute(row, p) for p in row.attributes.split() if not p.startswith("-")]
    arguments = ", ".join(filter(None, [operands, *attrs]))
    takes = _parameters(row.signature)
    act = "act" if "act" in takes else "None"
    name = "name" if "name" in takes else "None"
    layer = row.layer or row.name
    if layer.startswith("_"):  # its results have names without the layer's
        name = repr(layer)
    target = next((p for p in _GIVES_INTO if p in takes), None)
    order = f", order={row.outputs!r}" if row.outputs else ""
    lines = [f"def {row.name}{row.signature}:", "    if not _recording():"]
    lines.append(f"        result = {_picked(f'C.{row.operator}({arguments})', row, op)}")
    if target:
        lines.append(f"        result = _stored({target}, result)")
    if act == "act":
        lines.append("        if act is None:\n            return result")
        lines.append(
            f"        return LayerHelper({layer!r}, act=act, name={name}).append_activation(result)"
        )
    else:
        lines.append("        return result")
    lines.append(f"    helper = LayerHelper({layer!r}, act={act}, name={name})")
    if target:
        lines.append(f"    if {target} is not None:")
        lines.append(
            f"        return _recorded({target}, {row.operator!r}, [{operands}], "
            f"dict({', '.join(attrs)}))"
        )
    call = _picked(f"helper.call({row.operator!r}, {arguments}{order})", row, op)
    lines.append(f"    return helper.append_activation({call})" if act == "act" else
                 f"    return {call}")  # fmt: skip
    return "\n".join(lines)


def _attribute(row: Row, pair: str) -> str:
    attr, _, text = pair.partition("=")
    key = py(attr)
    if text.endswith("!"):
        return f"{key}={text[:-1]}"
    optional = text.endswith("?")
    parameter, _, converter = text.rstrip("?").partition(":")
    value = f"_{converter}({parameter})" if converter else parameter
    kind = type(REGISTRY[row.operator].attrs.get(attr))
    if not converter and kind in _WORDS:
        value = f"_of_kind({parameter}, {kind.__name__}, '{row.name}({parameter})')"
    if optional:
        return f"**({{}} if {parameter} is None else {{{key!r}: {value}}})"
    return f"{key}={value}"


def _picked(call: str, row: Row, op: Any) -> str:
    """The text of a call, with what of the operator's results is returned."""
    returned = [s.name for s in op.outputs if not s.writes]
    wanted = row.result.split()
    if not wanted or wanted == returned:
        return call
    at = [returned.index(slot) for slot in wanted]
    if len(at) == 1:
        return f"{call}[{at[0]}]"
    return f"_chosen{tuple(at)}({call})"


# -- what a function says of itself ----------------------------------------------------------------

_MEANING = {
    "act": "name of an activation that the result goes through",
    "name": "what the results are named after",
    "use_cudnn": "changes nothing: there is one kernel",
    "out": "takes the result, and is returned",
    "cond": "takes the result, and is returned",
    "output": "takes the result, and is returned",
}


def _documentation(row: Row) -> str:
    """The text of a function: operator, arguments, 2.0's name."""
    op = REGISTRY[row.operator]
    slots = {p: s for s, p in (pair.split("=") for pair in row.inputs.split())}
    attrs = {}
    for pair in row.attributes.split():
        attr, _, text = pair.partition("=")
        attrs[text.rstrip("?").partition(":")[0]] = attr
    lines = [f"The layer of 1.x that calls the operator ``{row.operator}``.", ""]
    if row.new:
        lines += [f"In 2.0: {', '.join(f'``{n}``' for n in row.new.split(','))}.", ""]
    lines.append("Args:")
    for parameter in _parameters(row.signature):
        if parameter in slots:
            slot = slots[parameter]
            many = ", a list of Variables or Tensors" if slot.endswith("*") else ""
            told = f"the operator's input {slot.rstrip('*')}{many}"
        elif parameter in attrs:
            told = f"its attribute {attrs[parameter]}"
        else:
            told = _MEANING.get(parameter, "an option")
        lines.append(f"    {parameter}: {told}.")
    results = row.result.split() or [s.name for s in op.outputs if not s.writes]
    shape = ", of the shape of the first input" if op.infer == "same" else ""
    lines += ["", "Returns:", f"    {' and '.join(results)} of the operator{shape}."]
    lines += ["", "Raises:", "    InvalidArgumentError: the operator does not take what it got."]
    text = example(row.name)
    if text:
        body = [" " * 8 + line if line else "" for line in text.splitlines()]
        lines += ["", "Examples:", "    .. code-block:: python", "", *body, ""]
    return "\n".join(lines)
