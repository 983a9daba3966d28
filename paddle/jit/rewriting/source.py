"""From a function to its source's AST, and from the converted AST to a function in its place."""

from __future__ import annotations
import __future__

import ast
import copy
import functools
import linecache
import operator
import os
import sys
import time
import types
from collections.abc import Callable, Iterator
from typing import Any

from paddle.core.parsing import parse
from paddle.jit.transforms import apply
from paddle.jit.transforms.context import Context, NotConvertible
from paddle.jit.transforms.names import all_args

__all__ = ["NotConvertible", "TransformedFunction", "is_transformed", "transform"]

_STARTED = time.time()
_FUTURE_FLAGS = functools.reduce(
    operator.or_, (getattr(__future__, f).compiler_flag for f in __future__.all_feature_names)
)
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class TransformedFunction:
    """A function whose control flow, calls and containers go through ``paddle.jit.dy2static``.

    Attributes:
        function (Callable): what to call in place of the original.
        original (Callable): the user's function.
    """

    def __init__(self, function: Callable, original: Callable, made: _Made) -> None:
        self.function = function
        self.original = original
        self._made = made

    @property
    def code(self) -> str:
        """The text of the converted function, without decorators."""
        return self._made.text

    @property
    def tree(self) -> ast.AST:
        """The converted function as a tree whose nodes have the lines of the original."""
        return self._made._tree

    @property
    def steps(self) -> dict[str, str]:
        """The name of every transform -> the text after it; made when it is asked for."""
        return self._made.steps()


def transform(function: Callable) -> TransformedFunction:
    """Converts a function.

    Args:
        function (Callable): a function, method or lambda of Python. Of a function decorated through
            ``functools.wraps`` the innermost one is converted, and its wrappers call that.

    Returns:
        TransformedFunction: the result; functions made from the same code share the work. A
        function that is converted already, by itself or with the one around it, stays.

    Raises:
        NotConvertible: the function has to run as it is; the message says why.
    """
    if isinstance(function, (staticmethod, classmethod)):
        function = function.__func__
    if isinstance(function, types.MethodType):
        made = transform(function.__func__)
        bound = types.MethodType(made.function, function.__self__)
        return TransformedFunction(bound, function, made._made)
    if not isinstance(function, types.FunctionType):
        raise NotConvertible(f"{function!r} is no Python function: {_kind(function)}")
    if is_transformed(function):
        return TransformedFunction(function, function, _results[id(function.__code__)][1])
    inner = getattr(function, "__wrapped__", None)
    if isinstance(inner, types.FunctionType):
        place = _cell_of(function, inner)
        if place is not None:
            made = transform(inner)
            return TransformedFunction(_rewrapped(function, place, made), function, made._made)
    compiled = _made_of(function)
    return TransformedFunction(compiled.function_like(function), function, compiled)


def _kind(value: Any) -> str:
    if isinstance(value, type):
        return "it is a class"
    if isinstance(value, (types.BuiltinFunctionType, types.MethodDescriptorType)):
        return "it is written in C"
    return f"it is a {type(value).__name__}"


# -- functions with wrappers -------------------------------------------------------------------


def _cell_of(wrapper: types.FunctionType, inner: Callable) -> int | None:
    """Where in a wrapper's closure the function is that it wraps."""
    for i, cell in enumerate(wrapper.__closure__ or ()):
        try:
            if cell.cell_contents is inner:
                return i
        except ValueError:  # nothing assigned yet
            continue
    return None


def _rewrapped(
    wrapper: types.FunctionType, place: int, made: TransformedFunction
) -> types.FunctionType:
    """A wrapper around the converted function; itself converted where it is the user's."""
    code = wrapper.__code__
    cells = dict(zip(code.co_freevars, wrapper.__closure__ or ()))
    name = code.co_freevars[place]
    if not _is_library(code.co_filename):
        try:
            compiled = _made_of(wrapper)
        except NotConvertible:
            pass
        else:
            cells[name] = types.CellType(made.function)
            return compiled.function_like(wrapper, cells)
    cells[name] = types.CellType(made.function)
    closure = tuple(cells[n] for n in code.co_freevars)
    found = types.FunctionType(
        code, wrapper.__globals__, wrapper.__name__, wrapper.__defaults__, closure
    )
    return _dressed(found, wrapper)


def _is_library(filename: str) -> bool:
    paddle = sys.modules.get("paddle")
    own = os.path.dirname(getattr(paddle, "__file__", None) or "\0") + os.sep
    standard = os.path.dirname(os.__file__) + os.sep
    return filename.startswith((own, standard)) or "site-packages" in filename


# -- code that has been made -------------------------------------------------------------------

# Both are looked up by identity: code objects of different files may be equal. Entries keep their
# code alive, so no number is used again.
_made: dict[tuple[int, int], _Made] = {}
_results: dict[int, tuple[types.CodeType, _Made]] = {}
_unused: dict[int, frozenset[str]] = {}


def is_transformed(function: Any) -> bool:
    """Says whether a function was made by :func:`transform`, or is defined inside of such a one."""
    function = getattr(function, "__func__", function)
    return id(getattr(function, "__code__", None)) in _results


def unused_after(function: Any) -> frozenset[str]:
    """Returns the parameters of a loop's body whose variables nobody reads after the loop.

    Args:
        function (callable): the function that a loop's body became.
    """
    return _unused.get(id(getattr(function, "__code__", None)), frozenset())


def _made_of(function: types.FunctionType) -> _Made:
    key = id(function.__code__), id(function.__globals__)
    if key not in _made:
        _made[key] = _Made(function)
    return _made[key]


class _Made:
    """The converted code of one code object."""

    def __init__(self, function: types.FunctionType) -> None:
        self._code, self._globals = function.__code__, function.__globals__
        self._node, self._class = find(function)
        self._cells = _contents(function)
        self._text = ""
        tree, context = self._start()
        self._tree = apply(tree, context)
        self._root = context.root
        self._new_code = build(self._tree, self._code, self._class, self._root)
        for code in _all_codes(self._new_code):
            _results[id(code)] = code, self
            if code.co_name in context.unused_after:
                _unused[id(code)] = context.unused_after[code.co_name]

    def _start(self) -> tuple[ast.AST, Context]:
        tree = copy.deepcopy(self._node)
        return tree, Context(tree, self._globals, self._cells, self._class)

    @property
    def text(self) -> str:
        if not self._text:
            self._text = unparsed(self._tree)
        return self._text

    def steps(self) -> dict[str, str]:
        found: dict[str, str] = {}
        tree, context = self._start()
        apply(tree, context, lambda name, tree: found.__setitem__(name, unparsed(tree)))
        return found

    def function_like(
        self, original: types.FunctionType, cells: dict[str, types.CellType] | None = None
    ) -> types.FunctionType:
        """A function with this code and the surroundings of another."""
        if cells is None:
            cells = dict(zip(original.__code__.co_freevars, original.__closure__ or ()))
        closure = []
        for name in self._new_code.co_freevars:
            if name == self._root and name not in cells:
                cells[name] = types.CellType(sys.modules["paddle"])
            closure.append(cells[name])
        made = types.FunctionType(
            self._new_code, original.__globals__, original.__name__, original.__defaults__,
            tuple(closure),
        )  # fmt: skip
        return _dressed(made, original)


def _dressed(made: types.FunctionType, original: types.FunctionType) -> types.FunctionType:
    for name in ("__doc__", "__module__", "__qualname__", "__kwdefaults__"):
        setattr(made, name, getattr(original, name))
    made.__annotations__ = dict(original.__annotations__)
    if hasattr(original, "__type_params__"):
        made.__type_params__ = original.__type_params__  # type: ignore[attr-defined]  # since 3.12
    made.__dict__.update({k: v for k, v in vars(original).items() if k != "__wrapped__"})
    made.__already_transformed__ = True  # type: ignore[attr-defined]
    return made


def _contents(function: types.FunctionType) -> dict[str, Any]:
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            found[name] = None  # not assigned yet: no builtin and no module
    return found


def _all_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from _all_codes(const)


def unparsed(tree: ast.AST) -> str:
    """The text of a tree; f-strings that Python before 3.12 cannot write are written as calls."""
    try:
        return ast.unparse(tree)
    except ValueError:
        return ast.unparse(ast.fix_missing_locations(_Formats().visit(copy.deepcopy(tree))))


class _Formats(ast.NodeTransformer):
    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        self.generic_visit(node)
        text, args = "", []
        for part in node.values:
            if isinstance(part, ast.Constant):
                text += str(part.value).replace("{", "{{").replace("}", "}}")
            else:
                text += "{}"
                args.append(part.value)  # type: ignore[attr-defined]
        func = ast.Attribute(value=ast.Constant(value=text), attr="format", ctx=ast.Load())
        return ast.Call(func=func, args=args, keywords=[])


# -- from text to tree -------------------------------------------------------------------------

_files: dict[str, tuple[str, dict[int, list[tuple[FunctionNode, str]]]]] = {}


def find(function: types.FunctionType) -> tuple[FunctionNode, str]:
    """Finds the source of a function.

    Returns:
        The node, and the name of the class around it (empty: none), which hides ``__names``.

    Raises:
        NotConvertible: there is no source, or it is not the function's.
    """
    code = function.__code__
    nodes = _index_of(code, function.__globals__).get(code.co_firstlineno, [])
    fitting = [
        (node, owner) for node, owner in nodes
        if getattr(node, "name", "<lambda>") == code.co_name and _same_parameters(node, code)
    ]  # fmt: skip
    if len(fitting) > 1:
        fitting = _by_columns(fitting, code)
    if not fitting:
        raise NotConvertible(
            f"line {code.co_firstlineno} of {code.co_filename} has no {code.co_name} like this "
            "one: the file was changed after it was loaded"
        )
    if _changed_since_start(code.co_filename) and not _is_in_file(code):
        raise NotConvertible(f"{code.co_filename} was changed after it was loaded")
    if len(fitting) > 1 and len({ast.dump(node) for node, _ in fitting}) > 1:
        raise NotConvertible(
            f"several lambdas on line {code.co_firstlineno} of {code.co_filename} look alike; "
            "give each a line of its own"
        )
    return fitting[0]


def _index_of(
    code: types.CodeType, globals: dict[str, Any]
) -> dict[int, list[tuple[FunctionNode, str]]]:
    filename = code.co_filename
    linecache.checkcache(filename)
    text = "".join(linecache.getlines(filename, globals))
    if not text:
        raise NotConvertible(_no_source(filename))
    known = _files.get(filename)
    if known is not None and known[0] == text:
        return known[1]
    try:
        tree = parse(text, filename)
    except SyntaxError as error:
        raise NotConvertible(
            f"{filename} is not the file that was loaded: line {error.lineno}: {error.msg}"
        ) from None
    index: dict[int, list[tuple[FunctionNode, str]]] = {}
    _enter(tree, "", index)
    _files[filename] = text, index
    return index


def _no_source(filename: str) -> str:
    if filename.startswith("<"):
        return (
            f"no source: it was made by exec, eval or an interactive session ({filename}); "
            "put the function into a file"
        )
    if not os.path.exists(filename):
        return f"no source: the file {filename} does not exist"
    return f"no source: the file {filename} cannot be read or is empty"


def _enter(tree: ast.AST, owner: str, index: dict[int, list[tuple[FunctionNode, str]]]) -> None:
    todo = [(tree, owner)]
    while todo:
        node, owner = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            decorators = getattr(node, "decorator_list", [])
            line = decorators[0].lineno if decorators else node.lineno
            index.setdefault(line, []).append((node, owner))
        if isinstance(node, ast.ClassDef):
            todo.extend((part, owner) for part in node.decorator_list)
            todo.extend((part, node.name) for part in node.body)
            continue
        todo.extend((part, owner) for part in ast.iter_child_nodes(node))


def _same_parameters(node: FunctionNode, code: types.CodeType) -> bool:
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    names = [a.arg for a in all_args(node.args)]
    found = list(code.co_varnames[:count])
    mangled = zip(names, found)
    return len(names) == len(found) and all(a == b or b.endswith(a) for a, b in mangled)


def _by_columns(
    fitting: list[tuple[FunctionNode, str]], code: types.CodeType
) -> list[tuple[FunctionNode, str]]:
    """Chooses among lambdas of one line by where their instructions come from, or by their code."""
    if hasattr(code, "co_positions"):
        places = {(p[0], p[2]) for p in code.co_positions() if p[0] and p[2]}
        chosen = []
        for node, owner in fitting:
            body = node.body if isinstance(node, ast.Lambda) else node
            inside = {
                (part.lineno, part.col_offset) for part in ast.walk(body)  # type: ignore
                if hasattr(part, "lineno")
            }  # fmt: skip
            if places and places <= inside:
                chosen.append((node, owner))
        if len(chosen) == 1:
            return chosen
    return [pair for pair in fitting if _same_code(*pair, code)] or fitting


def _changed_since_start(filename: str) -> bool:
    try:
        return os.stat(filename).st_mtime > _STARTED
    except OSError:
        return False


def _is_in_file(code: types.CodeType) -> bool:
    """Says whether a file, as it is now, compiles to the code of a function."""
    wanted = _fingerprint(code)
    text = _files[code.co_filename][0]
    found = _all_codes(compile(text, code.co_filename, "exec", dont_inherit=True))
    same_place = (
        c for c in found if (c.co_name, c.co_firstlineno) == (code.co_name, code.co_firstlineno)
    )
    return not wanted or any(_fingerprint(c) == wanted for c in same_place)


def _same_code(node: FunctionNode, owner: str, code: types.CodeType) -> bool:
    """Says whether a node compiles to what a function runs."""
    return _fingerprint(build(node, code, owner, "")) == _fingerprint(code)


def _fingerprint(code: types.CodeType) -> tuple:
    # Code rewritten on the way to being loaded (asserts under pytest) is told by its names only.
    rewritten = any(name.startswith("@py") for name in code.co_names + code.co_varnames)
    consts = [
        _fingerprint(c) if isinstance(c, types.CodeType) else (type(c), repr(c))
        for c in code.co_consts
    ]
    return () if rewritten else (code.co_code, code.co_names, code.co_varnames, consts)


# -- from tree to code -------------------------------------------------------------------------


def build(tree: ast.AST, original: types.CodeType, owner: str, extra: str) -> types.CodeType:
    """Compiles a function in surroundings that give it the same free variables.

    Args:
        tree (ast.AST): the function or lambda.
        original (CodeType): the user's code, for its file, flags and free variables.
        owner (str): the class around it.
        extra (str): one more free variable; empty for none.
    """
    names = dict.fromkeys([*original.co_freevars, *([extra] if extra else [])])
    inside = _statement(tree, owner)
    # What is defined here must not look like a local variable of the surroundings.
    own = owner or getattr(inside, "name", "")
    outside = bool(own) and own not in names
    if owner:
        body: list[ast.stmt] = parse(f"class {owner}: pass").body
        body[0].body = [inside]  # type: ignore[attr-defined]
    else:
        body = [inside]
    if outside:
        body.insert(0, ast.Global(names=[own]))
    module = parse(f"def surroundings({', '.join(names)}): pass")
    module.body[0].body = body  # type: ignore[attr-defined]
    ast.fix_missing_locations(module)
    flags = original.co_flags & _FUTURE_FLAGS
    code = compile(module, original.co_filename, "exec", flags=flags, dont_inherit=True)
    found = _inner(code, "surroundings")
    found = _inner(_inner(found, owner) if owner else found, original.co_name)
    prefix = "" if outside else "surroundings.<locals>."
    return _renamed(found, f"{prefix}{owner + '.' if owner else ''}{original.co_name}", original)


def _statement(tree: ast.AST, owner: str) -> ast.stmt:
    """A function or lambda as a statement, without what is evaluated where it is defined."""
    if isinstance(tree, ast.Lambda):
        kept = ast.Lambda(args=_bare_arguments(tree.args), body=tree.body)
        ast.copy_location(kept, tree)
        made: ast.stmt = ast.Expr(value=kept) if owner else ast.Return(value=kept)
        return ast.copy_location(made, tree)
    assert isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef))
    inside = copy.copy(tree)
    inside.decorator_list, inside.returns = [], None
    inside.args = _bare_arguments(tree.args)
    if hasattr(inside, "type_params"):
        inside.type_params = []
    return inside


def _bare_arguments(args: ast.arguments) -> ast.arguments:
    """Parameters without the expressions that the surrounding code evaluates."""

    def bare(arg: ast.arg) -> ast.arg:
        return ast.copy_location(ast.arg(arg=arg.arg), arg)

    def nothing(default: ast.expr) -> ast.expr:
        return ast.Constant(value=None)

    return ast.arguments(
        posonlyargs=[bare(a) for a in args.posonlyargs],
        args=[bare(a) for a in args.args],
        vararg=args.vararg and bare(args.vararg),
        kwonlyargs=[bare(a) for a in args.kwonlyargs],
        kw_defaults=[d and nothing(d) for d in args.kw_defaults],
        kwarg=args.kwarg and bare(args.kwarg),
        defaults=[nothing(d) for d in args.defaults],
    )


def _inner(code: types.CodeType, name: str) -> types.CodeType:
    found = [c for c in code.co_consts if isinstance(c, types.CodeType) and c.co_name == name]
    return found[0]


def _renamed(code: types.CodeType, prefix: str, original: types.CodeType) -> types.CodeType:
    """Gives the code, and functions in it, the qualified names that the original has."""
    qualified = getattr(original, "co_qualname", original.co_name)

    def fixed(const: Any) -> Any:
        if isinstance(const, types.CodeType):
            return _renamed(const, prefix, original)
        if isinstance(const, str) and const.startswith(prefix + "."):
            return qualified + const[len(prefix) :]  # Python 3.10 keeps the name as a constant
        return const

    changes: dict[str, Any] = {"co_consts": tuple(fixed(c) for c in code.co_consts)}
    if hasattr(code, "co_qualname"):
        name = code.co_qualname
        changes["co_qualname"] = (
            qualified + name[len(prefix) :] if name.startswith(prefix) else name
        )
    return code.replace(**changes)
