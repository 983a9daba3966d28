"""One call, being rewritten: its arguments by the names of 1.x, with commas and comments kept."""

from __future__ import annotations

import ast
import functools
from typing import Any

import libcst as cst

from .rules import Rule

MISSING: Any = object()

# Activations by the name that `act=` takes, with 1.x's own constants.
ACTIVATIONS = {
    "relu": ("paddle.nn.functional.relu", ()),
    "sigmoid": ("paddle.nn.functional.sigmoid", ()),
    "tanh": ("paddle.tanh", ()),
    "softmax": ("paddle.nn.functional.softmax", ()),
    "relu6": ("paddle.nn.functional.relu6", ()),
    "leaky_relu": ("paddle.nn.functional.leaky_relu", ("negative_slope=0.02",)),
    "hard_sigmoid": ("paddle.nn.functional.hardsigmoid", ("slope=0.2",)),
    "softplus": ("paddle.nn.functional.softplus", ()),
    "softsign": ("paddle.nn.functional.softsign", ()),
    "swish": ("paddle.nn.functional.swish", ()),
    "exp": ("paddle.exp", ()),
    "sqrt": ("paddle.sqrt", ()),
    "square": ("paddle.square", ()),
    "abs": ("paddle.abs", ()),
    "gelu": ("paddle.nn.functional.gelu", ()),
    "elu": ("paddle.nn.functional.elu", ()),
}


class Stays(Exception):
    """The call cannot be written equally; the text says why, or what to write."""


@functools.lru_cache(maxsize=512)
def expression(text: str) -> cst.BaseExpression:
    """Return the tree of a piece of code."""
    return cst.parse_expression(text)


_EMPTY = cst.Module([])


def code(node: cst.CSTNode) -> str:
    """Return the text of a tree."""
    return _EMPTY.code_for_node(node)


def literal(node: cst.CSTNode) -> Any:
    """Return the value of a literal, `MISSING` if it is none."""
    try:
        return ast.literal_eval(code(node).strip())
    except (ValueError, SyntaxError, TypeError, MemoryError):
        return MISSING


def call(function: str, *arguments: cst.BaseExpression | str) -> cst.Call:
    """Return a call of `function`; texts like `axis=1` are keywords."""
    args = []
    for item in arguments:
        if isinstance(item, str):
            name, equals, value = item.partition("=")
            if equals and name.isidentifier():
                args.append(_keyword(name, expression(value)))
                continue
            item = expression(item)
        args.append(cst.Arg(item))
    args[:-1] = [arg.with_changes(comma=_COMMA) for arg in args[:-1]]
    return cst.Call(expression(function), args)


_COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
_TIGHT = cst.AssignEqual(
    whitespace_before=cst.SimpleWhitespace(""), whitespace_after=cst.SimpleWhitespace("")
)


def _keyword(name: str, value: cst.BaseExpression) -> cst.Arg:
    return cst.Arg(value, keyword=cst.Name(name), equal=_TIGHT)


def activated(node: cst.BaseExpression, act: Any) -> cst.BaseExpression:
    """Return `node` with the activation of that name around it."""
    if act is None:
        return node
    if act not in ACTIVATIONS:
        raise Stays(f"write the activation {act!r} around the call")
    function, more = ACTIVATIONS[act]
    return call(function, node, *more)


class CallEdit:
    """The arguments of a call by 1.x's names; `build` returns the call of 2.0."""

    def __init__(self, node: cst.Call, rule: Rule) -> None:
        self.node, self.rule = node, rule
        self.args: list[cst.Arg] = list(node.args)
        self.names: list[str] = []
        self._act: Any = None
        params = list(rule.moves)
        for index, arg in enumerate(self.args):
            if arg.star:
                raise Stays("has * or ** arguments, so which argument is which cannot be seen")
            if arg.keyword is not None:
                name = arg.keyword.value
                if name not in rule.moves:
                    raise Stays(f"{rule.old.rpartition('.')[2]} of 1.8 has no argument {name!r}")
            elif index < len(params):
                name = params[index]
            else:
                raise Stays("has more arguments than 1.8 takes")
            self.names.append(name)

    # ---------------------------------------------------------------- looking
    def get(self, name: str) -> cst.BaseExpression | None:
        """Return the value of an argument, None if it is not given."""
        return self.args[self.names.index(name)].value if name in self.names else None

    def literal(self, name: str, default: Any = MISSING) -> Any:
        """Return an argument's value, which has to be a literal if it is given."""
        node = self.get(name)
        if node is None:
            return default
        value = literal(node)
        if value is MISSING:
            raise Stays(f"{name}={code(node)} is not a literal")
        return value

    # --------------------------------------------------------------- changing
    def set(self, name: str, value: cst.BaseExpression | str) -> None:
        """Put another value in an argument's place."""
        i = self.names.index(name)
        node = expression(value) if isinstance(value, str) else value
        self.args[i] = self.args[i].with_changes(value=node)

    def rename(self, name: str, new: str) -> None:
        """Give an argument by the keyword `new`."""
        i = self.names.index(name)
        arg = self.args[i]
        if arg.keyword is not None:
            self.args[i] = arg.with_changes(keyword=arg.keyword.with_changes(value=new))
        else:
            self.args[i] = arg.with_changes(keyword=cst.Name(new), equal=_TIGHT)

    def drop(self, name: str) -> None:
        """Take an argument away; comments beside it stay."""
        if name not in self.names:
            return
        i = self.names.index(name)
        gone = self.args.pop(i)
        self.names.pop(i)
        comments = _comments(gone)
        if i == len(self.args) and self.args:
            last = self.args[-1]
            keep = _comments(last)
            if keep or comments:
                after = _with_comments(last.comma, comments, closing=gone)
                self.args[-1] = last.with_changes(comma=after)
            else:
                self.args[-1] = last.with_changes(
                    comma=gone.comma, whitespace_after_arg=gone.whitespace_after_arg
                )
        elif comments and i:
            before = self.args[i - 1]
            self.args[i - 1] = before.with_changes(comma=_with_comments(before.comma, comments))

    def add(self, name: str, value: cst.BaseExpression | str) -> None:
        """Add a keyword at the end."""
        node = expression(value) if isinstance(value, str) else value
        new = _keyword(name, node)
        if self.args:
            last = self.args[-1]
            between = _COMMA
            if len(self.args) > 1 and isinstance(self.args[-2].comma, cst.Comma):
                space = self.args[-2].comma.whitespace_after
                plain = cst.ParenthesizedWhitespace(
                    indent=getattr(space, "indent", False),
                    last_line=getattr(space, "last_line", cst.SimpleWhitespace(" ")),
                )
                multi = isinstance(space, cst.ParenthesizedWhitespace)
                between = cst.Comma(whitespace_after=plain if multi else space)
            if isinstance(last.whitespace_after_arg, cst.ParenthesizedWhitespace):
                # A comment or a line end stands before the closing parenthesis.
                new = new.with_changes(whitespace_after_arg=cst.SimpleWhitespace(""))
                if last.whitespace_after_arg.first_line.comment is not None:
                    between = cst.Comma(whitespace_after=last.whitespace_after_arg)
                else:
                    new = new.with_changes(whitespace_after_arg=last.whitespace_after_arg)
                last = last.with_changes(whitespace_after_arg=cst.SimpleWhitespace(""))
            if isinstance(last.comma, cst.Comma):
                after: Any = last.comma.whitespace_after
                first = getattr(after, "first_line", None)
                if first is not None and first.comment is not None:
                    between = last.comma
                    new = new.with_changes(comma=cst.Comma(
                        whitespace_after=cst.ParenthesizedWhitespace(
                            indent=after.indent, last_line=after.last_line)))  # fmt: skip
                else:
                    new = new.with_changes(comma=last.comma)
            self.args[-1] = last.with_changes(comma=between)
        self.args.append(new)
        self.names.append("+" + name)

    def move(self, *skip: str) -> None:
        """Move all arguments as the rule says, but for those in `skip`."""
        for name in list(self.names):
            move = self.rule.moves.get(name)
            if move is None or name in skip:
                continue
            value = self.get(name)
            assert value is not None
            if move.kind == "drop":
                self.drop(name)
            elif move.kind == "act":
                self._act = self._activation(value)
                self.drop(name)
            elif move.kind == "default":
                if not _is_default(value, move.default or "None"):
                    hint = ""
                    if name == "axis" and "elementwise" in self.rule.old:
                        hint = f"; write paddle.unsqueeze(y, ...) to line y up, and {self.rule.new}"
                    raise Stays(f"{self.rule.new} has nothing for {name}={code(value)}{hint}")
                self.drop(name)
            elif move.none_drops and literal(value) is None:
                self.drop(name)
            elif move.new != name and self.args[self.names.index(name)].keyword is not None:
                self.rename(name, move.new)
        keywords = False
        for index, name in enumerate(self.names):
            move = self.rule.moves.get(name)
            if self.args[index].keyword is not None or move is None or name in skip:
                continue
            params = list(self.rule.moves)
            in_place = params.index(name) < self.rule.positional and params.index(name) == index
            if keywords or not in_place:
                self.rename(name, move.new)
                keywords = True
        for name, move in self.rule.moves.items():
            if move.kind == "to" and move.default is not None and name not in self.names:
                if name not in skip:
                    self.add(move.new, move.default)
        for key, value_text in self.rule.add:
            self.add(key, value_text)

    def _activation(self, value: cst.BaseExpression) -> Any:
        act = literal(value)
        if act is MISSING:
            raise Stays(
                f"act={code(value)} is known only when it runs; write the activation around the "
                "call"
            )
        return act

    # --------------------------------------------------------------- building
    def build(self, function: cst.BaseExpression | str | None = None) -> cst.BaseExpression:
        """Return the new call, with the activation around it if it had one."""
        if isinstance(function, str):
            function = expression(function)
        changes: dict[str, Any] = {"args": self.args}
        if function is not None:
            changes["func"] = function
        return activated(self.node.with_changes(**changes), self._act)

    @property
    def act(self) -> Any:
        """The activation, once the arguments have moved."""
        return self._act

    @act.setter
    def act(self, value: Any) -> None:
        self._act = value


def _is_default(value: cst.BaseExpression, default: str) -> bool:
    found = literal(value)
    if found is MISSING:
        return False
    return found is None or found == ast.literal_eval(default)


def _comments(arg: cst.Arg) -> list[str]:
    spaces = [arg.whitespace_after_arg]
    if isinstance(arg.comma, cst.Comma):
        spaces.append(arg.comma.whitespace_after)
    found = []
    for space in spaces:
        if isinstance(space, cst.ParenthesizedWhitespace):
            if space.first_line.comment is not None:
                found.append(space.first_line.comment.value)
            found += [line.comment.value for line in space.empty_lines if line.comment is not None]
    return found


def _with_comments(comma, comments: list[str], closing: cst.Arg | None = None):
    """Return the comma with those comments after it; before a closing one, with its last line."""
    space = comma.whitespace_after if isinstance(comma, cst.Comma) else None
    if not isinstance(space, cst.ParenthesizedWhitespace):
        last = cst.SimpleWhitespace(" ")
        space = cst.ParenthesizedWhitespace(indent=True, last_line=last)
    lines = list(space.empty_lines)
    first = space.first_line
    for text in comments:
        if first.comment is None:
            first = first.with_changes(
                whitespace=cst.SimpleWhitespace("  "), comment=cst.Comment(text)
            )
        else:
            lines.append(
                cst.EmptyLine(indent=True, whitespace=space.last_line, comment=cst.Comment(text))
            )
    space = space.with_changes(first_line=first, empty_lines=lines)
    if closing is not None:
        for old in (closing.whitespace_after_arg, getattr(closing.comma, "whitespace_after", None)):
            if isinstance(old, cst.ParenthesizedWhitespace):
                space = space.with_changes(last_line=old.last_line, indent=old.indent)
    return cst.Comma(whitespace_after=space)
