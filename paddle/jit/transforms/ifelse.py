"""``if``: both bodies become functions, of which ``convert_ifelse`` runs one or records both."""

from __future__ import annotations

import ast

from paddle.jit.transforms.bodies import assigned, current, currents, function
from paddle.jit.transforms.context import Context, ScopedTransformer
from paddle.jit.transforms.nodes import generated, located


def transform(tree: ast.AST, context: Context) -> ast.AST:
    """Rewrites every ``if`` on which the names that it carries are noted."""
    return _IfElse(context).visit(tree)


class _IfElse(ScopedTransformer):
    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        if not hasattr(node, "carried") or generated(node):
            return self.generic_visit(node)
        context, carried = self.context, node.carried
        names = context.fresh("true_fn", "false_fn")
        self.generic_visit(node)
        out: list[ast.stmt] = []
        for name, body in zip(names, (node.body, node.orelse)):
            result: ast.expr | None = None
            if carried.variables:
                result = currents(carried, context)
                if len(carried.variables) == 1:
                    result = current(carried.variables[0], context)
            clean = body is node.orelse  # both are recorded, this one last
            out.append(function(name, carried, body, result, node, context, clean=clean))
        parts = [currents(carried, context) for _ in range(3)]
        refs = [ast.Name(id=name, ctx=ast.Load()) for name in names]
        call = context.call("convert_ifelse", node.test, *refs, *parts)
        out += assigned(carried, call, True, context)
        return [located(stmt, node) for stmt in out]
