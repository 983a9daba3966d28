"""Shape rules of the operators that the executor runs by itself, and what a rule sets."""

from __future__ import annotations

from collections.abc import Callable

from paddle.core.dtype import VarType
from paddle.core.infer import Spec
from paddle.ir.operator import Operator
from paddle.ir.variable import Variable

# Operators that the executor runs by itself: rule(op) sets the outputs, None leaves them alone.
SPECIAL: dict[str, Callable[[Operator], None] | None] = {
    "feed": None, "fetch": None, "create_py_reader": None, "create_double_buffer_reader": None,
    "read": None,
}  # fmt: skip


def special(name: str) -> Callable:
    """Decorator that gives an operator of the executor its shape rule."""

    def register(rule: Callable[[Operator], None]) -> Callable[[Operator], None]:
        SPECIAL[name] = rule
        return rule

    return register


def set_spec(var: Variable, spec: Spec) -> None:
    """Gives a variable what was inferred; a persistable one keeps what it was declared as."""
    if var._persistable and var._dims and var._dtype is not None:
        return
    var._dims = tuple(spec.shape)
    var._dtype = VarType(spec.dtype)
