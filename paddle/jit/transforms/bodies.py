"""Bodies of ``if`` and loops as functions that take and return what they carry."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from paddle.jit.transforms.carried import Carried, CarriedVariable
from paddle.jit.transforms.context import Context
from paddle.jit.transforms.names import Names
from paddle.jit.transforms.nodes import define, load, located, mark, negated, set_name, thunk

Block = list[ast.stmt]


def function(
    name: str,
    carried: Carried,
    body: Sequence[ast.stmt],
    result: ast.expr | None,
    at: ast.stmt,
    context: Context,
    item: str = "",
    clean: bool = True,
) -> ast.stmt:
    """Makes ``def name(variables): <take over>; body; return result``.

    Args:
        name (str): of the function.
        carried (Carried): the variables.
        body (list): statements of the user.
        result (ast.expr|None): what it returns, None for nothing.
        at (ast.stmt): the statement that it comes from.
        context (Context): of the transform.
        item (str): a first parameter besides the variables.
        clean (bool): whether something may have run before whose traces have to go.
    """
    params = [item] if item else []
    params += [v.param for v in carried.variables]
    start = _declarations(carried.variables) + taken_over(carried.variables, context, clean)
    stored = Names(body).stores
    start += [
        set_name(n, context.call("undefined", ast.Constant(value=n)))
        for n in carried.first
        if n in stored
    ]
    last: Block = [] if result is None else [ast.Return(value=result)]
    made = define(name, params, [located(s, at) for s in start] + list(body) + last)
    for statement in made.body:
        located(statement, at)
    return located(made, at)


def _declarations(variables: Sequence[CarriedVariable]) -> Block:
    found: Block = []
    for word, kind in (("nonlocal", ast.Nonlocal), ("global", ast.Global)):
        names = [v.name for v in variables if v.declared == word]
        if names:
            found.append(kind(names=names))
    return found


def taken_over(variables: Sequence[CarriedVariable], context: Context, clean: bool) -> Block:
    """Gives variables that are not parameters themselves the values of their parameters."""
    found: Block = []
    for variable in variables:
        if variable.place is not None:
            found.append(_put_back(variable, context, clean))
        elif variable.outside:
            unset = context.call("is_undefined", load(variable.param))
            value = set_name(variable.name, load(variable.param))
            found.append(ast.If(test=mark(negated(unset)), body=[value], orelse=[]))
        elif variable.declared:
            found.append(set_name(variable.name, load(variable.param)))
    return found


def _put_back(variable: CarriedVariable, context: Context, clean: bool) -> ast.stmt:
    """``if not is_undefined(self_h): self.h = self_h``; or else no trace of it is left."""
    place = copy.deepcopy(variable.place)
    assert isinstance(place, (ast.Attribute, ast.Subscript))
    there: ast.expr | None = None
    base = copy.deepcopy(place.value)
    if isinstance(place, ast.Attribute):
        args = [base, ast.Constant(value=context.mangled(place.attr))]
        there = mark(ast.Call(func=load("hasattr"), args=args, keywords=[]))
    elif isinstance(place.slice, ast.Constant) and isinstance(place.slice.value, str):
        key = ast.Constant(value=place.slice.value)
        there = mark(ast.Compare(left=key, ops=[ast.In()], comparators=[base]))
    place.ctx = ast.Store()
    value = ast.Assign(targets=[_bare(place)], value=load(variable.param))
    unset = context.call("is_undefined", load(variable.param))
    orelse: Block = []
    if there is not None and clean:
        gone = copy.deepcopy(place)
        gone.ctx = ast.Del()
        removal = ast.Delete(targets=[_bare(gone)])
        orelse = [ast.If(test=_bare(there), body=[removal], orelse=[])]
    return ast.If(test=mark(negated(unset)), body=[value], orelse=orelse)


def _bare(node: ast.expr) -> ast.expr:
    """Forgets where copied nodes stood; whoever places the new ones says where."""
    for part in ast.walk(node):
        if hasattr(part, "lineno"):
            part.lineno = None  # type: ignore[attr-defined]
        if isinstance(part, ast.Attribute):
            mark(part)
    return node


def current(variable: CarriedVariable, context: Context) -> ast.expr:
    """The value that a variable has now."""
    if variable.place is None and not variable.outside:
        return load(variable.name)
    value: ast.expr = load(variable.name)
    if variable.place is not None:
        place = _bare(copy.deepcopy(variable.place))
        place.ctx = ast.Load()  # type: ignore[attr-defined]
        value = place
    return context.call(
        "read_or_undefined", thunk(value), ast.Constant(value=variable.name)
    )  # fmt: skip


def currents(carried: Carried, context: Context) -> ast.Tuple:
    """``(x, y)``: the values of all variables."""
    elts = [current(v, context) for v in carried.variables]
    return ast.Tuple(elts=elts, ctx=ast.Load())


def assigned(carried: Carried, value: ast.expr, single: bool, context: Context) -> Block:
    """Assigns the result of a converter to the variables.

    Args:
        carried (Carried): the variables.
        value (ast.expr): the call of the converter.
        single (bool): whether one variable comes alone, without a tuple.
        context (Context): of the transform.
    """
    if not carried.variables:
        return [ast.Expr(value=value)]
    names, after = [], []
    for variable in carried.variables:
        own = variable.place is None and not variable.outside
        names.append(variable.name if own else variable.param)
        if not own:
            after.append(variable)
    targets: list[ast.expr] = [ast.Name(id=n, ctx=ast.Store()) for n in names]
    target = targets[0]
    if len(targets) > 1 or not single:
        target = ast.Tuple(elts=targets, ctx=ast.Store())
    made: Block = [ast.Assign(targets=[target], value=value)]
    return made + taken_over(after, context, False)
