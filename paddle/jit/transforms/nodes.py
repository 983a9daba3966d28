"""Small builders of AST nodes for generated code; what they make is marked ``generated``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

Node = TypeVar("Node", bound=ast.AST)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def generated(node: ast.AST) -> bool:
    """Says whether a node was made by a transform: later transforms leave it as it is."""
    return getattr(node, "generated", False)


def mark(node: Node) -> Node:
    """Marks a node as made by a transform."""
    node.generated = True  # type: ignore[attr-defined]
    return node


def load(name: str) -> ast.Name:
    """``name`` as a value."""
    return ast.Name(id=name, ctx=ast.Load())


def store(name: str) -> ast.Name:
    """``name`` as a target."""
    return ast.Name(id=name, ctx=ast.Store())


def set_name(name: str, value: ast.expr) -> ast.Assign:
    """``name = value``."""
    return ast.Assign(targets=[store(name)], value=value)


def set_flag(name: str, value: bool) -> ast.Assign:
    """``name = True``: a mark that a jump was taken."""
    return mark(set_name(name, ast.Constant(value=value)))


def thunk(body: ast.expr, *params: str) -> ast.Lambda:
    """``lambda params: body``."""
    return mark(ast.Lambda(args=parameters(params), body=body))


def parameters(names: Iterable[str]) -> ast.arguments:
    """Positional parameters."""
    return ast.arguments(
        posonlyargs=[], args=[ast.arg(arg=n) for n in names], kwonlyargs=[],
        kw_defaults=[], defaults=[],
    )  # fmt: skip


def define(name: str, params: Iterable[str], body: Sequence[ast.stmt]) -> ast.FunctionDef:
    """``def name(params): body``."""
    fields: dict[str, Any] = {"type_params": []} if "type_params" in ast.FunctionDef._fields else {}
    return mark(
        ast.FunctionDef(
            name=name,
            args=parameters(params),
            body=list(body) or [ast.Pass()],
            decorator_list=[],
            **fields,
        )
    )


def negated(test: ast.expr) -> ast.expr:
    """``not test``."""
    return ast.UnaryOp(op=ast.Not(), operand=test)


def joined(op: ast.boolop, tests: Sequence[ast.expr]) -> ast.expr:
    """``a or b``; one test alone stays alone."""
    return tests[0] if len(tests) == 1 else ast.BoolOp(op=op, values=list(tests))


def located(new: Node, at: ast.AST) -> Node:
    """Gives the parts of a generated node that have no place in the file yet the place of ``at``.

    A statement with a body lends the place of its head only: whoever reads a traceback wants to
    see the line of ``if``, not all of its body.
    """
    place = _place(at)
    todo: list[ast.AST] = [new]
    while todo:
        node = todo.pop()
        if "lineno" in node._attributes:
            if getattr(node, "lineno", None) is not None:
                continue
            node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = place  # type: ignore
        todo.extend(ast.iter_child_nodes(node))
    return new


def _place(at: ast.AST) -> tuple[int, int, int | None, int | None]:
    head = at
    if isinstance(at, (ast.If, ast.While)):
        head = at.test
    elif isinstance(at, (ast.For, ast.AsyncFor)):
        head = at.iter
    elif isinstance(at, ast.stmt) and getattr(at, "body", None):
        return at.lineno, at.col_offset, at.lineno, at.col_offset + 1
    return head.lineno, head.col_offset, head.end_lineno, head.end_col_offset  # type: ignore


def pure(expr: ast.expr) -> bool:
    """Says whether reading an expression twice is the same as reading it once."""
    if isinstance(expr, (ast.Tuple, ast.Slice)):
        return all(pure(e) for e in ast.iter_child_nodes(expr) if isinstance(e, ast.expr))
    if isinstance(expr, ast.UnaryOp):
        return isinstance(expr.operand, ast.Constant)
    return isinstance(expr, (ast.Name, ast.Constant))


def own_nodes(nodes: Iterable[ast.AST]) -> Iterable[ast.AST]:
    """The nodes of a function's own code: nested functions and classes are not entered."""
    todo = list(nodes)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            todo.extend(ast.iter_child_nodes(node))


def blocks_of(stmt: ast.stmt) -> list[tuple[ast.AST, str]]:
    """Where a statement keeps lists of statements: pairs of a node and a field's name."""
    found: list[tuple[ast.AST, str]] = []
    if isinstance(stmt, (*FUNCTIONS, ast.ClassDef)):
        return found
    for field in ("body", "orelse", "finalbody"):
        if getattr(stmt, field, None):
            found.append((stmt, field))
    for part in [*getattr(stmt, "handlers", ()), *getattr(stmt, "cases", ())]:
        found.append((part, "body"))
    return found
