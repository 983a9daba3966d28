"""``a.append(v)``, ``a.pop()`` and ``x[i] = v`` on local names: assignments to the name itself."""

from __future__ import annotations

import ast
import copy

from paddle.jit.transforms.context import Context, ScopedTransformer
from paddle.jit.transforms.names import is_place
from paddle.jit.transforms.nodes import load, located, mark, own_nodes, pure, set_name, store

Block = list[ast.stmt]
# Methods that change a list, dict or set: as statements they count as assignments of its name.
_BOTH = ("append", "pop")
_CHANGES = frozenset(
    ["add", "clear", "discard", "extend", "insert", "move_to_end", "popitem", "popleft", "remove"]
    + ["reverse", "setdefault", "sort", "update", "appendleft"]
)


def transform(tree: ast.AST, context: Context) -> ast.AST:
    """Writes changes of local containers as calls of converters."""
    return _Containers(context).visit(tree)


class _Containers(ScopedTransformer):
    _lists: frozenset[str] = frozenset()

    def _own(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and self.is_own_local(node.id) and not self.in_class

    # -- append and pop ------------------------------------------------------------------------

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        call = node.value
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
            return self.generic_visit(node)
        target, args = call.func.value, call.args
        if call.func.attr in _CHANGES or (call.func.attr in _BOTH and not self._own(target)):
            self.generic_visit(node)
            self._note_change(call, target)
            return node
        plain = call.func.attr == "append" and len(args) == 1 and not call.keywords
        if not plain or isinstance(args[0], ast.Starred) or not self._own(target):
            return self.generic_visit(node)
        assert isinstance(target, ast.Name)
        made = self.context.call("convert_append", target, self.visit(args[0]))
        return located(set_name(target.id, located(made, call)), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        func = node.func
        if not (isinstance(func, ast.Attribute) and func.attr == "pop" and self._own(func.value)):
            return node
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            return node
        made = located(self.context.call("convert_pop", func.value, *node.args), node)
        made.changes = func.value.id  # type: ignore[attr-defined]
        return made

    def _note_change(self, call: ast.Call, target: ast.expr) -> None:
        """Notes what a method changes: a name, an attribute, or what an item is part of."""
        while isinstance(target, (ast.Attribute, ast.Subscript)) and not self.in_class:
            if is_place(target):
                call.changes_place = target  # type: ignore[attr-defined]
                return
            target = target.value
        if self._own(target):
            call.changes = target.id  # type: ignore[attr-defined]

    # -- lists read at a position that a Tensor may tell ----------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        outer, self._lists = self._lists, _lists_of(node)
        made = super().visit_FunctionDef(node)
        self._lists = outer
        return made

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        target, key = node.value, node.slice
        if not isinstance(node.ctx, ast.Load) or not self._own(target):
            return node
        assert isinstance(target, ast.Name)
        if target.id not in self._lists or not isinstance(key, (ast.Name, ast.BinOp, ast.Call)):
            return node
        return located(self.context.call("convert_getitem", target, key), node)

    # -- x[i] = v ------------------------------------------------------------------------------

    def _is_item(self, node: ast.AST) -> bool:
        if not (isinstance(node, ast.Subscript) and self._own(node.value)):
            return False
        key = node.slice
        text = isinstance(key, ast.Constant) and isinstance(key.value, str)
        return not text and not _has_star(key) and self.builtin(load("slice")) == "slice"

    def visit_Assign(self, node: ast.Assign) -> ast.AST | Block:
        self.generic_visit(node)
        out: Block = []
        if len(node.targets) == 1 and self._is_item(node.targets[0]):
            value = self._once(node.value, "item", out, node, pure(node.targets[0].slice))  # type: ignore
            return [*out, self._set(node.targets[0], value, node)]
        if not any(self._is_item(e) for t in node.targets for e in _leaves(t)):
            return node
        node.value = self._once(node.value, "value", out, node, len(node.targets) == 1)
        for target in node.targets:
            value = _again(node.value)
            if self._is_item(target):
                out.append(self._set(target, value, node))
                continue
            after: Block = []
            if isinstance(target, (ast.Tuple, ast.List)):
                target = self._renamed(target, after, node)
            out.append(located(ast.Assign(targets=[target], value=value), node))
            out += after
        return out

    def _renamed(self, target: ast.expr, after: Block, at: ast.stmt) -> ast.expr:
        """Gives every part of a target a name of its own; the parts are assigned in order."""
        if isinstance(target, (ast.Tuple, ast.List)):
            if any(self._is_item(e) for e in _leaves(target)):
                target.elts = [self._renamed(e, after, at) for e in target.elts]
            return target
        if isinstance(target, ast.Starred):
            target.value = self._renamed(target.value, after, at)
            return target
        temporary = self.context.fresh("item")[0]
        if self._is_item(target):
            after.append(self._set(target, load(temporary), at))
        else:
            value = located(load(temporary), at)
            after.append(located(ast.Assign(targets=[target], value=value), at))
        return located(store(temporary), target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | Block:
        super().visit_AnnAssign(node)
        if node.value is None or not self._is_item(node.target):
            return node
        return self._set(node.target, node.value, node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | Block:
        self.generic_visit(node)
        target = node.target
        if not self._is_item(target):
            return node
        assert isinstance(target, ast.Subscript)
        # As Python does it: read, change (in place if the element can), write back.
        out: Block = []
        target.slice = self._once(_index(target.slice), "index", out, node, pure(target.slice))
        element = self.context.fresh("item")[0]
        read = ast.Subscript(value=target.value, slice=target.slice, ctx=ast.Load())
        out.append(located(set_name(element, read), node))
        change = ast.AugAssign(target=store(element), op=node.op, value=node.value)
        out.append(located(change, node))
        return [*out, self._set(target, load(element), node)]

    def _once(self, value: ast.expr, stem: str, out: Block, at: ast.stmt, simple: bool) -> ast.expr:
        """Returns something that may be read where it is needed without changing the order."""
        if simple or pure(value):
            return value
        name = self.context.fresh(stem)[0]
        out.append(located(set_name(name, value), at))
        return located(load(name), value)

    def _set(self, target: ast.expr, value: ast.expr, at: ast.stmt) -> ast.stmt:
        assert isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)
        name = target.value.id
        made = self.context.call("convert_setitem", load(name), _index(target.slice), value)
        return located(set_name(name, located(made, at)), at)


def _lists_of(function: ast.FunctionDef) -> frozenset[str]:
    """The names that a function gives lists or tuples to."""
    displays = (ast.List, ast.ListComp, ast.Tuple)
    return frozenset(
        target.id for stmt in own_nodes(function.body)
        if isinstance(stmt, ast.Assign) and isinstance(stmt.value, displays)
        for target in stmt.targets if isinstance(target, ast.Name)
    )  # fmt: skip


def _has_star(key: ast.expr) -> bool:
    return isinstance(key, ast.Tuple) and any(isinstance(e, ast.Starred) for e in key.elts)


def _again(value: ast.expr) -> ast.expr:
    return copy.deepcopy(value) if pure(value) else value


def _leaves(target: ast.expr) -> list[ast.expr]:
    if isinstance(target, (ast.Tuple, ast.List)):
        return [leaf for e in target.elts for leaf in _leaves(e)]
    return _leaves(target.value) if isinstance(target, ast.Starred) else [target]


def _index(key: ast.expr) -> ast.expr:
    """An index as an expression of its own: ``1:n`` becomes ``slice(1, n)``."""
    if isinstance(key, ast.Slice):
        parts = [key.lower, key.upper, key.step]
        while len(parts) > 2 and parts[-1] is None:
            parts.pop()
        args = [p if p is not None else ast.Constant(value=None) for p in parts]
        return located(mark(ast.Call(func=load("slice"), args=args, keywords=[])), key)
    if isinstance(key, ast.Tuple):
        made = ast.Tuple(elts=[_index(e) for e in key.elts], ctx=ast.Load())
        return located(made, key)
    return key
