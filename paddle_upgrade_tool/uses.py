"""Where what a call made is used: the calls of a layer, the methods of an object, ranks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .names import Chain, Scope

if TYPE_CHECKING:
    from .convert import File

_FLUID = "paddle.fluid."


def calls_of_layer(file: File, made: Chain) -> list[Chain] | None:
    """Return every call of the layer that `made` assigns, None if some cannot be seen."""
    target = file.target(made)
    if not target:
        return None
    parts = tuple(target.split("."))
    if len(parts) > 2 or ("getattr" in file.text and len(parts) == 2):
        return None
    outer = made.scope.enclosing("class") if len(parts) == 2 else made.scope
    if outer is None or (len(parts) == 2 and parts[1] in file.walk.loose):
        return None
    uses = []
    for chain in file.walk.chains:
        inside = _within(chain.scope, outer)
        if len(parts) == 2 and not inside:
            if parts[1] in chain.parts[1:] and not chain.full:
                if not _of_another_class(file, chain, outer):
                    return None
        if not inside or chain.parts[: len(parts)] != parts:
            if inside and len(parts) == 2 and chain.parts == parts[:1] and chain.call is None:
                # `self` itself is handed on: whoever gets it could call the layer, but only by
                # its name, which would be seen in this file.
                continue
            continue
        if not chain.load:
            if chain.parts == parts and chain.stmt is not made.stmt:
                return None
            continue
        if chain.parts == parts and chain.call is None:
            return None
        if chain.parts == parts:
            if chain.quoted:
                return None
            uses.append(chain)
        elif chain.parts[len(parts)] in ("forward", "__call__"):
            return None
    if len(parts) == 1:
        stores = [s for s in ast.walk(outer.node) if isinstance(s, ast.Name)
                  and s.id == parts[0] and isinstance(s.ctx, ast.Store)]  # fmt: skip
        if len(stores) != 1 or (outer.kind == "module" and parts[0] in file.walk.exported):
            return None
    return uses


def _of_another_class(file: File, chain: Chain, outer: Scope) -> bool:
    """Whether `file.x` is an attribute of a class that has nothing to do with `outer`."""
    function = chain.scope.enclosing("function")
    owner = function.parent if function else None
    if function is None or owner is None or owner.kind != "class" or len(chain.parts) < 2:
        return False
    arguments = function.node.args.args  # type: ignore[attr-defined]
    if not arguments or arguments[0].arg != chain.parts[0]:
        return False
    return not (_derives(file, owner, outer) or _derives(file, outer, owner))


def _derives(file: File, scope: Scope, base: Scope, depth: int = 0) -> bool:
    for node in scope.node.bases:  # type: ignore[attr-defined]
        found = file.walk.classes.get(node.id) if isinstance(node, ast.Name) else None
        if found is base or (found and depth < 8 and _derives(file, found, base, depth + 1)):
            return True
    return False


def _within(scope: Scope | None, outer: Scope) -> bool:
    while scope is not None:
        if scope is outer:
            return True
        scope = scope.parent
    return False


def uses_of(file: File, made: Chain) -> list[Chain] | None:
    """Return every use of the name that `made` assigns an object to; None if not all are seen."""
    target = file.target(made)
    if not target.isidentifier() or target in file.walk.exported or made.scope.kind == "class":
        return None
    if _stores(made.scope, target) != 1:
        return None
    uses = [c for c in file.walk.chains if c.parts[0] == target and _within(c.scope, made.scope)]
    return None if any(chain.quoted for chain in uses) else uses


def method_calls(file: File, made: Chain, method: str) -> list[Chain] | None:
    """Return every use of the object that `made` assigns to a name; None if one is no such call.

    Each has to be `name.method(argument)`.
    """
    uses = uses_of(file, made)
    for chain in uses or ():
        if chain.call is None or chain.parts[1:] != (method,):
            return None
        if len(chain.call.args) + len(chain.call.keywords) != 1:
            return None
    return uses


def _stores(scope: Scope, name: str) -> int:
    """How often a name is bound inside of a scope, arguments of functions counted."""
    return sum(
        (isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load))
        or (isinstance(node, ast.arg) and node.arg == name)
        or (isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names)
        for node in ast.walk(scope.node)
    )


def _own(scope: Scope) -> Iterator[ast.AST]:
    """Walk over a scope; functions and classes in it, which have their own, are not entered."""
    waiting = list(ast.iter_child_nodes(scope.node))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)


def _bindings(file: File, scope: Scope) -> dict[str, ast.expr | None]:
    """Return what a scope's names stand for; None where they are bound in another way, or twice."""
    known = file.bindings.get(id(scope))
    if known is not None:
        return known
    found: dict[str, ast.expr | None] = {}
    values: dict[int, ast.expr] = {}
    for node in _own(scope):
        name = getattr(node, "name", None)
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            values[id(node.targets[0])] = node.value
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            name = node.id
        elif isinstance(node, ast.arg):
            name = node.arg
        if name:
            found[name] = values.get(id(node)) if name not in found else None
    found.update(dict.fromkeys(file.walk.declared))
    file.bindings[id(scope)] = found
    return found


def bound_to(file: File, node: ast.expr, scope: Scope) -> ast.expr | None:
    """Return the expression that a name stands for, None if it is bound in another way, or twice.

    What is no name stands for itself.
    """
    if not isinstance(node, ast.Name):
        return node
    here: Scope | None = scope
    while here is not None and node.id not in here.bound:
        here = here.parent
    if here is None or here.kind in ("class", "comprehension"):
        return None
    return _bindings(file, here).get(node.id)


def called(file: File, node: ast.expr | None) -> Chain | None:
    """Return the name of fluid that a call calls, None if it is anything else."""
    if not isinstance(node, ast.Call):
        return None
    return next((c for c in file.fluid if c.call is node and not c.tail), None)


def argument(made: ast.Call, index: int, name: str) -> ast.expr | None:
    """Return an argument of a call by its place or its name."""
    if any(isinstance(a, ast.Starred) for a in made.args):
        return None
    if index < len(made.args):
        return made.args[index]
    return next((k.value for k in made.keywords if k.arg == name), None)


def declared(file: File, node: ast.expr, scope: Scope) -> list[int | None] | None:
    """Return the sizes of a variable of Programs: -1 for any, None for one that cannot be seen.

    They are known of what `data`, `reshape` and `fc` make, and of reductions of that. Where not
    even their number is known the answer is None.
    """
    value = bound_to(file, node, scope)
    chain = called(file, value)
    if chain is None or not isinstance(value, ast.Call):
        return None
    kind = chain.name.removeprefix(_FLUID)
    if kind == "layers.fc":
        return None if argument(value, 2, "num_flatten_dims") else [None, None]
    if kind.startswith("layers.reduce_"):
        return _reduced(file, value, chain.scope)
    if kind not in ("data", "layers.data", "layers.reshape"):
        return None
    shape = argument(value, 1, "shape")
    if not isinstance(shape, (ast.List, ast.Tuple)):
        return None
    if any(isinstance(element, ast.Starred) for element in shape.elts):
        return None
    sizes = [_size(file, element) for element in shape.elts]
    if kind == "layers.data":
        append = argument(value, 2, "append_batch_size")
        if append is not None and not isinstance(append, ast.Constant):
            return None
        if append is None or append.value:  # type: ignore[attr-defined]
            if None in sizes:
                return None  # a size that may be -1, and then no batch is put in front
            if -1 not in sizes:
                return [-1, *sizes]
    return sizes


_SAME_SHAPE = frozenset(
    f"layers.{name}"
    for name in [
        "abs",
        "cast",
        "dropout",
        "exp",
        "log",
        "relu",
        "scale",
        "sigmoid",
        "softmax",
        "sqrt",
        "square",
        "tanh",
    ]
)


def shaped_as(file: File, node: ast.expr | None) -> str:
    """Return a name that has as many dimensions as an operand, "" if none can be seen."""
    chain = called(file, node)
    while chain is not None and isinstance(node, ast.Call):
        if chain.name.removeprefix(_FLUID) not in _SAME_SHAPE:
            return ""
        node = argument(node, 0, "x")
        chain = called(file, node)
    return node.id if isinstance(node, ast.Name) else ""


def _reduced(file: File, made: ast.Call, scope: Scope) -> list[int | None] | None:
    operand, axis = argument(made, 0, "input"), argument(made, 1, "dim")
    sizes = declared(file, operand, scope) if operand is not None else None
    kept = argument(made, 2, "keep_dim")
    if sizes is None or axis is None or not re.fullmatch(r"-?\d", ast.unparse(axis)):
        return None
    index = int(ast.unparse(axis))
    if not -len(sizes) <= index < len(sizes) or len(sizes) < 2:
        return None
    if kept is None or ast.unparse(kept) == "False":
        del sizes[index]
        return sizes
    return None


def _size(file: File, node: ast.expr) -> int | None:
    text = ast.unparse(node)
    if text in ("None", "-1"):
        return -1
    return int(text) if text.isdigit() else file.numbers.get(text)


def whole(file: File, node: ast.expr, scope: Scope) -> bool:
    """Whether a variable of Programs holds integers, as far as a literal dtype shows."""
    value = bound_to(file, node, scope)
    chain = called(file, value)
    if chain is None or not isinstance(value, ast.Call):
        return False
    place = {"data": 2, "layers.data": 3, "layers.cast": 1, "layers.fill_constant": 1}
    index = place.get(chain.name.removeprefix(_FLUID))
    dtype = argument(value, index, "dtype") if index is not None else None
    return isinstance(dtype, ast.Constant) and str(dtype.value).startswith(("int", "uint"))
