"""``while`` and ``for``: condition and body become functions for the converters of loops."""

from __future__ import annotations

import ast

from paddle.jit.transforms.bodies import assigned, currents, function
from paddle.jit.transforms.context import Context, ScopedTransformer
from paddle.jit.transforms.flow import has_stop
from paddle.jit.transforms.nodes import load, located, thunk


def transform(tree: ast.AST, context: Context) -> ast.AST:
    """Rewrites every loop on which the names that it carries are noted."""
    return _Loops(context).visit(tree)


class _Loops(ScopedTransformer):
    def visit_While(self, node: ast.While) -> ast.AST | list[ast.stmt]:
        if not hasattr(node, "carried"):
            return self.generic_visit(node)
        context, carried = self.context, node.carried
        names = context.fresh("while_condition", "while_body")
        context.unused_after[names[1]] = _unused(node)
        self.generic_visit(node)
        result = currents(carried, context)
        call = context.call(
            "convert_while_loop", load(names[0]), load(names[1]), currents(carried, context)
        )
        out = [
            function(names[0], carried, [], node.test, node, context),
            function(names[1], carried, node.body, result, node, context),
            *assigned(carried, call, False, context),
        ]
        return [located(stmt, node) for stmt in out]

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        if not hasattr(node, "carried"):
            return self.generic_visit(node)
        context, carried = self.context, node.carried
        name = context.fresh("for_body")[0]
        context.unused_after[name] = _unused(node)
        stop = node.body.pop().test if has_stop(node) else None  # type: ignore[attr-defined]
        self.generic_visit(node)
        target = node.target
        taken = [v.name for v in carried.variables]
        if isinstance(target, ast.Name) and target.id not in taken:
            item, start = target.id, []
        else:
            item = context.fresh("item")[0]
            first = ast.Assign(targets=[target], value=load(item))
            start = [located(first, target)]
        result = currents(carried, context)
        made = function(name, carried, [*start, *node.body], result, node, context, item)
        keywords = {}
        if stop is not None:
            params = [v.param for v in carried.variables]
            keywords["stop"] = thunk(_by_param(stop, carried), *params)
        call = context.call(
            "convert_for_loop", node.iter, load(name), currents(carried, context), **keywords
        )
        out = [made, *assigned(carried, call, False, context)]
        return [located(stmt, node) for stmt in out]


def _unused(node: ast.For | ast.While) -> frozenset[str]:
    """The parameters of a loop's body whose variables nobody reads after the loop."""
    own = [v for v in node.carried.variables if v.place is None and not v.outside]  # type: ignore
    return frozenset(v.param for v in own if v.name not in node.live_out)  # type: ignore


def _by_param(test: ast.expr, carried: object) -> ast.expr:
    """The flags under the names of the parameters that bring them."""
    params = {v.name: v.param for v in carried.variables}  # type: ignore[attr-defined]
    for part in ast.walk(test):
        if isinstance(part, ast.Name):
            part.id = params.get(part.id, part.id)
    return test
