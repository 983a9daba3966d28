"""``x.tanh_()`` and ``paddle.tanh_(x)`` on local names: assignments to the name."""

from __future__ import annotations

import ast

from paddle.jit.transforms.context import MISSING, Context, ScopedTransformer
from paddle.jit.transforms.nodes import generated, load, located, own_nodes, set_name

_METHODS = ("set_value",)
_FUNCTIONS = ("increment",)


def transform(tree: ast.AST, context: Context) -> ast.AST:
    """Writes ``x = convert_changed(x)`` in front of statements that change ``x`` in place."""
    return _InPlace(context).visit(tree)


class _InPlace(ScopedTransformer):
    def _statement(self, node: ast.stmt) -> ast.AST | list[ast.stmt]:
        made = self.generic_visit(node)
        names = dict.fromkeys(
            part.id for call in own_nodes([node]) if isinstance(call, ast.Call)
            for part in [self._changed(call)] if part is not None
        )  # fmt: skip
        before = [
            located(set_name(name, self.context.call("convert_changed", load(name))), node)
            for name in names
        ]
        return [*before, made] if before else made  # type: ignore[list-item]

    visit_Expr = visit_Assign = visit_AugAssign = visit_Return = _statement  # type: ignore

    def _changed(self, call: ast.Call) -> ast.Name | None:
        """The local name whose Tensor a call changes."""
        func = call.func
        if self.in_class or generated(call) or not isinstance(func, ast.Attribute):
            return None
        if isinstance(func.value, ast.Name) and self.is_own_local(func.value.id):
            return func.value if _in_place(func.attr, _METHODS) else None
        found = self.value_of(func)
        if found is MISSING or not (getattr(found, "__module__", "") or "").startswith("paddle"):
            return None
        first = call.args[0] if call.args and _in_place(func.attr, _FUNCTIONS) else None
        own = isinstance(first, ast.Name) and self.is_own_local(first.id)
        return first if own else None  # type: ignore[return-value]


def _in_place(name: str, others: tuple[str, ...]) -> bool:
    return name in others or (name.endswith("_") and not name.startswith("_") and name[-2] != "_")
