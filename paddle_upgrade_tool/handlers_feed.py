"""What brings data to Programs: feeders."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import libcst as cst

from .calls import CallEdit, Stays, call, code, expression, literal
from .handlers import handler

if TYPE_CHECKING:
    from .places import Place

_ONE_BY_ONE = "; feed a dict of arrays, or use paddle.io.DataLoader"


@handler
def data_feeder(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """A feeder becomes a loader that reads one list of samples each time.

    `feeder.feed(rows)` and the loader both give the fields the dtype, shape and levels of their
    Variables.
    """
    feeds = edit.get("feed_list")
    if not isinstance(feeds, (cst.List, cst.Tuple)) or not feeds.elements:
        raise Stays("feed_list is no list of Variables" + _ONE_BY_ONE)
    program = edit.get("program")
    owner = code(program) if program is not None and literal(program) is not None else ""
    block = f"{owner or 'paddle.static.default_main_program()'}.global_block()"
    elements = []
    for element in feeds.elements:
        value = element.value
        if isinstance(value, cst.SimpleString):
            element = element.with_changes(value=expression(f"{block}.var({value.value})"))
        elements.append(element)
    where = place.device(1, "place")
    uses = place.method_calls("feed")
    if not where or not uses:
        raise Stays("only feed(samples) of a feeder that has a name can be written" + _ONE_BY_ONE)
    for use in uses:
        text = place.file.source.of(use.call) if use.call is not None else ""
        if re.search(r":=|\b(yield|await)\b|#", text):
            raise Stays("what it is fed is computed on the way" + _ONE_BY_ONE)
    for use in uses:
        use.action = ("feed", where)
    edit.set("feed_list", feeds.with_changes(elements=elements))
    for name in ("place", "program"):
        edit.drop(name)
    edit.add("capacity", "1")
    return edit.build("paddle.io.DataLoader.from_generator")


_SOURCES = {
    "decorate_sample_generator": "set_sample_generator",
    "decorate_sample_list_generator": "set_sample_list_generator",
    "decorate_batch_generator": "set_batch_generator",
}


@handler
def py_reader(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """`PyReader` is the loader of `from_generator`, whose methods have other names."""
    hint = "; write paddle.io.DataLoader.from_generator(feed_list, capacity, return_list=...)"
    uses = place.uses()
    if uses is None:
        raise Stays("not every use of this reader can be seen" + hint)
    if place.mode != "static" and edit.get("feed_list") is not None:
        raise Stays("in dynamic mode a loader with a feed_list gives dicts" + hint)
    for use in uses:
        method, statement = ".".join(use.parts[1:]), use.stmt
        if method in _SOURCES:
            seen = isinstance(statement, ast.Expr) and statement.value is use.call
        elif method:
            seen = method in ("start", "reset") and use.call is not None
        else:
            seen = use.call is not None or getattr(statement, "iter", None) is use.node
        if not seen:
            raise Stays(f"{use.text} is not used as a loader is" + hint)
    for use in uses:
        if use.parts[-1] in _SOURCES:
            use.action = ("source", f"{use.parts[0]}.{_SOURCES[use.parts[-1]]}")
    return edit.build("paddle.io.DataLoader.from_generator")


def source(node: cst.Call) -> cst.Call:
    """Give `sample_generator=` the name that the loader's method has for it."""
    args = [
        arg.with_changes(keyword=arg.keyword.with_changes(value="reader"))
        if arg.keyword is not None and arg.keyword.value == "sample_generator"
        else arg
        for arg in node.args
    ]
    return node.with_changes(args=args)


def fed(node: cst.Call, where: str) -> cst.BaseExpression:
    """Write `feeder.feed(rows)`, where the feeder is a loader now."""
    rows = cst.Lambda(cst.Parameters(), cst.List([cst.Element(node.args[0].value)]))
    made = call("f", rows, f"places={where}").with_changes(func=node.func)
    batch = call("next", call("iter", made))
    return cst.Subscript(batch, [cst.SubscriptElement(cst.Index(cst.Integer("0")))])
