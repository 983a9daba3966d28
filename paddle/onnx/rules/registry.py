"""Which rule an operator has; the families are imported when one is first asked for."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from typing import Any

Rule = Callable[..., Any]  # rule(graph, step) -> values of the outputs

_RULES: dict[str, Rule] = {}
_loaded = False


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Decorator that makes a function the rule of operators.

    Args:
        *names (str): the operators' types.
    """

    def register(function: Rule) -> Rule:
        for name in names:
            _RULES[name] = function
        return function

    return register


def table(types: Mapping[str, str]) -> None:
    """Gives rules to operators that have one of ONNX with the same inputs and no attributes.

    Args:
        types (Mapping): operator -> ONNX's operator.
    """
    for name, type in types.items():
        _RULES[name] = _renamed(type)


def _renamed(type: str) -> Rule:
    def convert(g: Any, op: Any) -> Any:
        known = op.op.declared
        return g.node(type, *[op.get(slot.name) for slot in known.inputs])

    return convert


def rule_of(name: str) -> Rule | None:
    """Returns the rule of an operator, or None."""
    if not _loaded:
        _load()
    return _RULES.get(name)


def known_operators() -> list[str]:
    """Returns the operators that have a rule, sorted."""
    if not _loaded:
        _load()
    return sorted(_RULES)


def _load() -> None:
    global _loaded
    _loaded = True
    package = importlib.import_module("paddle.onnx.rules")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"paddle.onnx.rules.{module.name}")


__all__ = ["known_operators", "rule", "rule_of", "table"]
