"""Python's operators on Variables of Programs: where 1.x means something else by them than 2.0."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .names import Chain, Scope
from .report import Finding
from .uses import declared, whole

if TYPE_CHECKING:
    from .convert import File

_SIGNS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**",
}  # fmt: skip


def note(file: File) -> None:
    """Report the operators of a file that give other numbers in a Program of 2.0."""
    if file.mode == "dynamic":
        return
    made: dict[int, Chain] = {id(c.node): c for c in file.walk.chains}
    made.update({id(c.call): c for c in file.walk.chains if c.call is not None})
    for node in ast.walk(file.tree):
        if not isinstance(node, ast.BinOp) or type(node.op) not in _SIGNS:
            continue
        sides = [(side, made.get(id(side))) for side in (node.left, node.right)]
        scopes = [chain.scope if chain is not None else None for _, chain in sides]
        sign = _SIGNS[type(node.op)]
        message = _lined_up(file, node, scopes, sign) or _divided(file, node, scopes[0])
        if message:
            line, column = file.lines(node.lineno), node.col_offset + 1
            file.findings.append(Finding(line, column, "note", f"operator {sign}", message))


def _lined_up(file: File, node: ast.BinOp, scopes: list[Scope | None], sign: str) -> str:
    """1.x begins at the first dimension of x where that of y is unknown; 2.0 ends at the last."""
    if scopes[0] is None or scopes[1] is None:
        return ""
    x = declared(file, node.left, scopes[0])
    y = declared(file, node.right, scopes[1])
    if not y or y[0] != -1 or (x is None and len(y) > 1) or (x is not None and len(x) == len(y)):
        return ""
    if x is None and not _variable(file, node.left):
        return ""
    right = file.source.of(node.right)
    return (
        f"1.x lines {right} up with the first dimension, since its own first size is unknown; 2.0 "
        f"with the last: give it a 1 for each dimension behind, as in x {sign} "
        f"paddle.unsqueeze({right}, axis=1)"
    )


def _variable(file: File, node: ast.expr) -> bool:
    """Whether an operand that nothing is known of can be a Variable: a name, or a call of fluid."""
    return isinstance(node, ast.Name) or any(c.call is node for c in file.fluid)


def _divided(file: File, node: ast.BinOp, scope: Scope | None) -> str:
    if not isinstance(node.op, ast.Div) or scope is None or not whole(file, node.left, scope):
        return ""
    text = file.source.of(node.left)
    return f"{text} holds integers, which 1.x divides as integers, 2.0 as floats: write //"
