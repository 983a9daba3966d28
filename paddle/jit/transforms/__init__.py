"""The AST transforms of dynamic-to-static conversion, one in a file, in the order they run."""

from __future__ import annotations

import ast
from collections.abc import Callable

from paddle.jit.transforms import (
    asserts,
    break_continue,
    calls,
    carried,
    casts,
    containers,
    declarations,
    decorators,
    early_return,
    ifelse,
    inplace,
    logical,
    loops,
    prints,
    shapes,
    super_calls,
    ternary,
)
from paddle.jit.transforms.context import Context, NotConvertible

Transform = Callable[[ast.AST, Context], ast.AST]

STATEMENTS: tuple[tuple[str, Transform], ...] = (
    ("Declarations", declarations.transform),
    ("Decorators", decorators.transform),
    ("EarlyReturn", early_return.transform),
    ("BreakContinue", break_continue.transform),
    ("InPlaceCalls", inplace.transform),
    ("Containers", containers.transform),
    ("CarriedVariables", carried.transform),
    ("IfElse", ifelse.transform),
    ("Loops", loops.transform),
)
EXPRESSIONS: tuple[tuple[str, Transform], ...] = (
    ("LogicalOperators", logical.transform),
    ("ConditionalExpressions", ternary.transform),
    ("Asserts", asserts.transform),
    ("Prints", prints.transform),
    ("Casts", casts.transform),
    ("Shapes", shapes.transform),
    ("Calls", calls.transform),
    ("SuperCalls", super_calls.transform),
)

# Statements first: expressions become lambdas, which would look like closures of the user's.
TRANSFORMS = STATEMENTS + EXPRESSIONS


def apply(
    tree: ast.AST, context: Context, after: Callable[[str, ast.AST], None] | None = None
) -> ast.AST:
    """Runs all transforms over a function.

    Args:
        tree (ast.AST): the function or lambda; it is changed.
        context (Context): of the function.
        after (Callable|None): called with the name and the tree after each transform.

    Raises:
        NotConvertible: the function has to stay as it is.
    """
    for i, (name, transform) in enumerate(TRANSFORMS):
        context.settled = i >= len(STATEMENTS)
        tree = transform(tree, context)
        if after is not None:
            after(name, tree)
    return tree
