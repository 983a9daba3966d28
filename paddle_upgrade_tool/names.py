"""Which names of a file mean something of paddle: a table of scopes made from its syntax tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from .rules import modules

_NEWLINE = re.compile(r"\r\n|\n|\r")
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
UNCERTAIN = "?"


@dataclass
class Scope:
    """A module, class, function, lambda or comprehension, and what its names are bound to."""

    kind: str
    node: ast.AST
    parent: Scope | None
    # None stands for anything but an import; a string for the full name that was imported.
    bound: dict[str, set[str | None]] = field(default_factory=dict)
    outer: dict[str, str] = field(default_factory=dict)  # global and nonlocal declarations

    def bind(self, name: str, meaning: str | None) -> None:
        """Note that `name` is bound here."""
        if self.outer.get(name) == "global":
            scope: Scope = self
            while scope.parent is not None:
                scope = scope.parent
            scope.bound.setdefault(name, set()).add(meaning)
        else:
            self.bound.setdefault(name, set()).add(meaning)

    def enclosing(self, kind: str) -> Scope | None:
        """Return the nearest scope of that kind, this one included."""
        scope: Scope | None = self
        while scope is not None and scope.kind != kind:
            scope = scope.parent
        return scope


@dataclass
class Chain:
    """A dotted name as it is written, `fluid.layers.fc`, and where."""

    parts: tuple[str, ...]
    node: ast.expr
    scope: Scope
    root: ast.expr  # the outermost expression around it
    stmt: ast.stmt
    call: ast.Call | None  # the call whose function it is
    start: int = 0
    end: int = 0
    load: bool = True
    quoted: bool = False  # inside of an f-string
    decorator: bool = False
    place: tuple[int, int] = (0, 0)
    # What the tool found out, and decided.
    full: str = ""  # the whole name, from `paddle` on
    name: str = ""  # the name in the table of rules, if there is one
    tail: str = ""  # attributes after it
    new: str | None = None  # what to write in its place
    action: tuple[str, str] | None = None  # what to do with the call besides the rules
    settled: bool = False

    @property
    def text(self) -> str:
        """The dotted name as it is written."""
        return ".".join(self.parts)


@dataclass
class Alias:
    """A module under a name of its own: `layers = fluid.layers`."""

    node: ast.Assign
    name: str
    full: str


@dataclass
class Import:
    """An import statement, with the names that it binds."""

    node: ast.Import | ast.ImportFrom
    scope: Scope
    suite: list[ast.stmt] | None = None


class Source:
    """The text of a file, and offsets into it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0] + [m.end() for m in _NEWLINE.finditer(text)]
        self.ascii = text.isascii()

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a place that `ast` gives (columns count bytes of UTF-8)."""
        start = self.starts[line - 1]
        if self.ascii or not column:
            return start + column
        end = self.starts[line] if line < len(self.starts) else len(self.text)
        return start + len(self.text[start:end].encode()[:column].decode())

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return where a node begins and ends."""
        return (
            self.offset(node.lineno, node.col_offset),  # type: ignore[attr-defined]
            self.offset(node.end_lineno, node.end_col_offset),  # type: ignore[attr-defined]
        )

    def of(self, node: ast.AST) -> str:
        """Return the text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def indent(self, line: int) -> str:
        """Return the blanks a line begins with."""
        start = self.starts[line - 1]
        end = start
        while end < len(self.text) and self.text[end] in " \t\f":
            end += 1
        return self.text[start:end]


class Walk:
    """One walk over a tree: scopes, imports, and every dotted name."""

    def __init__(self, tree: ast.Module) -> None:
        self.module = Scope("module", tree, None)
        self.chains: list[Chain] = []
        self.imports: list[Import] = []
        self.aliases: list[Alias] = []
        self.stars: list[str] = []
        self.parents: dict[ast.AST, ast.AST] = {}
        self.withs: list[tuple[ast.With, Scope]] = []
        self.classes: dict[str, Scope] = {}
        self.exported: set[str] = set()
        self.loose: set[str] = set()  # attributes of what is no dotted name, as in `f().x`
        self.declared: set[str] = set()  # names that some function calls global or nonlocal
        self._stmt: ast.stmt | None = None
        self._body(tree.body, self.module)

    # ------------------------------------------------------------ statements
    def _body(self, body: list[ast.stmt], scope: Scope) -> None:
        for statement in body:
            self._statement(statement, scope)

    def _statement(self, node: ast.stmt, scope: Scope) -> None:
        outer, self._stmt = self._stmt, node
        if isinstance(node, _FUNCTIONS):
            self._function(node, scope)
        elif isinstance(node, ast.ClassDef):
            self._class(node, scope)
        elif isinstance(node, ast.Import):
            self.imports.append(Import(node, scope))
            for alias in node.names:
                if alias.asname:
                    scope.bind(alias.asname, alias.name)
                else:
                    first = alias.name.split(".")[0]
                    scope.bind(first, first)
        elif isinstance(node, ast.ImportFrom):
            self._import_from(node, scope)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            for name in node.names:
                self.declared.add(name)
                scope.outer[name] = "global" if isinstance(node, ast.Global) else "nonlocal"
        else:
            if isinstance(node, ast.With):
                self.withs.append((node, scope))
            elif isinstance(node, ast.Assign) and scope is self.module:
                self._exports(node)
            if not (outer is None and isinstance(node, ast.Assign) and self._alias(node)):
                self._children(node, scope, None)
        self._stmt = outer

    def _alias(self, node: ast.Assign) -> bool:
        """Whether the statement gives a module of fluid another name, as an import would."""
        target = node.targets[0]
        if not isinstance(node.value, (ast.Name, ast.Attribute)):
            return False
        parts = ast.unparse(node.value).split(".")
        if len(node.targets) != 1 or not isinstance(target, ast.Name):
            return False
        first = meaning(parts[0], self.module, {})
        full = ".".join([first or "", *parts[1:]])
        if not full.startswith("paddle.fluid.") or full not in modules():
            return False
        self._expression(node.value, self.module, node.value)
        self.module.bind(target.id, full)
        self.aliases.append(Alias(node, target.id, full))
        return True

    def _exports(self, node: ast.Assign) -> None:
        if any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            for item in ast.walk(node.value):
                if isinstance(item, ast.Constant) and isinstance(item.value, str):
                    self.exported.add(item.value)

    def _import_from(self, node: ast.ImportFrom, scope: Scope) -> None:
        self.imports.append(Import(node, scope))
        for alias in node.names:
            if node.level or not node.module:
                scope.bind(alias.asname or alias.name, None)
            elif alias.name == "*":
                self.stars.append(node.module)
            else:
                scope.bind(alias.asname or alias.name, f"{node.module}.{alias.name}")

    def _function(self, node, scope: Scope) -> None:
        scope.bind(node.name, None)
        for item in node.decorator_list:
            self._expression(item, scope, item, decorator=True)
        self._arguments(node.args, scope)
        if node.returns:
            self._expression(node.returns, scope, node.returns)
        inner = Scope("function", node, scope)
        self._bind_arguments(node.args, inner)
        # A declaration holds in the whole of a function, so it is looked for first.
        for statement in node.body:
            for item in ast.walk(statement) if isinstance(statement, ast.Global) else ():
                inner.outer.update(dict.fromkeys(item.names, "global"))  # type: ignore[attr-defined]
        self._body(node.body, inner)

    def _class(self, node: ast.ClassDef, scope: Scope) -> None:
        scope.bind(node.name, None)
        for item in [*node.decorator_list, *node.bases, *(k.value for k in node.keywords)]:
            self._expression(item, scope, item, decorator=item in node.decorator_list)
        inner = Scope("class", node, scope)
        self.classes[node.name] = inner
        self._body(node.body, inner)

    def _arguments(self, args: ast.arguments, scope: Scope) -> None:
        for value in [*args.defaults, *(d for d in args.kw_defaults if d is not None)]:
            self._expression(value, scope, value)
        for item in _all_arguments(args):
            if item.annotation:
                self._expression(item.annotation, scope, item.annotation)

    @staticmethod
    def _bind_arguments(args: ast.arguments, scope: Scope) -> None:
        for item in _all_arguments(args):
            scope.bind(item.arg, None)

    def _children(self, node: ast.AST, scope: Scope, root: ast.expr | None) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                self._statement(child, scope)
            elif isinstance(child, ast.expr):
                self._expression(child, scope, root or child)
            else:
                if isinstance(child, ast.ExceptHandler) and child.name:
                    scope.bind(child.name, None)
                bound = getattr(child, "name", None) or getattr(child, "rest", None)
                if bound and isinstance(child, ast.pattern):
                    scope.bind(bound, None)
                self._children(child, scope, root)

    # ----------------------------------------------------------- expressions
    def _expression(
        self,
        node: ast.expr,
        scope: Scope,
        root: ast.expr,
        call: ast.Call | None = None,
        *,
        quoted: bool = False,
        decorator: bool = False,
    ) -> None:
        if isinstance(node, ast.Constant):
            return
        if isinstance(node, (ast.Name, ast.Attribute)):
            if self._chain(node, scope, root, call, quoted, decorator):
                return
        if isinstance(node, ast.Call):
            self.parents[node.func] = node
            self._expression(
                node.func, scope, root, node, quoted=quoted, decorator=decorator and root is node
            )
            for item in node.args:
                self.parents[item] = node
                self._expression(item, scope, root, quoted=quoted)
            for keyword in node.keywords:
                self.parents[keyword.value] = node
                self._expression(keyword.value, scope, root, quoted=quoted)
        elif isinstance(node, ast.Lambda):
            self._arguments_in(node, scope, root, quoted)
        elif isinstance(node, _COMPREHENSIONS):
            self._comprehension(node, scope, root, quoted)
        elif isinstance(node, ast.NamedExpr):
            target = scope
            while target.kind == "comprehension" and target.parent:
                target = target.parent
            target.bind(node.target.id, None)
            self._expression(node.value, scope, root, quoted=quoted)
        else:
            quoted = quoted or isinstance(node, ast.JoinedStr)
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self.parents[child] = node
                    self._expression(child, scope, root, quoted=quoted)

    def _arguments_in(self, node: ast.Lambda, scope: Scope, root: ast.expr, quoted: bool) -> None:
        for value in [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]:
            self._expression(value, scope, root, quoted=quoted)
        inner = Scope("lambda", node, scope)
        self._bind_arguments(node.args, inner)
        self._expression(node.body, inner, root, quoted=quoted)

    def _comprehension(self, node, scope: Scope, root: ast.expr, quoted: bool) -> None:
        inner = Scope("comprehension", node, scope)
        for index, part in enumerate(node.generators):
            # The first iterable is evaluated outside.
            self._expression(part.iter, scope if index == 0 else inner, root, quoted=quoted)
            self._expression(part.target, inner, root, quoted=quoted)
            for test in part.ifs:
                self._expression(test, inner, root, quoted=quoted)
        for value in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
            self._expression(value, inner, root, quoted=quoted)

    def _chain(self, node, scope: Scope, root, call, quoted: bool, decorator: bool) -> bool:
        parts: list[str] = []
        base = node
        while isinstance(base, ast.Attribute):
            parts.append(base.attr)
            base = base.value
        if not isinstance(base, ast.Name):
            self.loose.update(parts)
            return False
        parts.append(base.id)
        load = isinstance(node.ctx, ast.Load)
        if isinstance(base.ctx, (ast.Store, ast.Del)):
            scope.bind(base.id, None)
            if node is base:
                return True
        assert self._stmt is not None
        self.chains.append(
            Chain(
                tuple(reversed(parts)), node, scope, root, self._stmt, call,
                load=load, quoted=quoted, decorator=decorator,
            )
        )  # fmt: skip
        return True


def _all_arguments(args: ast.arguments) -> Iterator[ast.arg]:
    yield from args.posonlyargs
    yield from args.args
    yield from args.kwonlyargs
    if args.vararg:
        yield args.vararg
    if args.kwarg:
        yield args.kwarg


def meaning(name: str, scope: Scope, stars: dict[str, str]) -> str | None:
    """Return the full name that `name` was imported from, None if it is anything else.

    `UNCERTAIN` is returned where it is bound in several ways, and one of them is fluid.
    """
    here: Scope | None = scope
    while here is not None:
        if name in here.bound and not (here.kind == "class" and here is not scope):
            if here.outer.get(name) is None:
                found = here.bound[name]
                if len(found) == 1:
                    return next(iter(found))
                several = any(full and full.startswith("paddle.fluid") for full in found)
                return UNCERTAIN if several else None
        here = here.parent
    return stars.get(name)


def numbers(tree: ast.Module) -> dict[str, int]:
    """Return the names that a module binds to a whole number, and that are bound only there."""
    found: dict[str, int] = {}
    for node in tree.body:
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target, value = node.targets[0], node.value
        both = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
        pairs = zip(target.elts, value.elts) if both else [(target, value)]  # type: ignore[attr-defined]
        for name, item in pairs:
            if isinstance(name, ast.Name) and re.fullmatch(r"-?\d+", ast.unparse(item)):
                found[name.id] = int(ast.unparse(item))
    bound: list[str] = []
    for inner in ast.walk(tree):
        if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load):
            bound.append(inner.id)
        elif isinstance(inner, ast.arg):
            bound.append(inner.arg)
        elif isinstance(inner, (*_FUNCTIONS, ast.ClassDef)):
            bound.append(inner.name)
        elif isinstance(inner, ast.alias):
            bound.append(inner.asname or inner.name)
    return {name: value for name, value in found.items() if bound.count(name) == 1}
