"""The calls of one expression, rewritten from the inside out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from . import handlers_dynamic, handlers_feed, handlers_math, handlers_nets  # noqa: F401
from .calls import CallEdit, Stays, activated
from .handlers import HANDLERS
from .names import Chain
from .places import DYNAMIC, OPTIMIZER, Place
from .rules import Rule, find

if TYPE_CHECKING:
    from .convert import File

_FLUID = "paddle.fluid"
STEPS_OF_OPTIMIZER = ("minimize", "backward")
MARK = re.compile(r"__upgrade_(\d+)__")
"""What stands in the place of a dotted name while its expression is a tree."""


class Calls(cst.CSTTransformer):
    """Rewrites the calls of one expression, the inner ones first."""

    def __init__(self, file: File, chains: list[Chain]) -> None:
        super().__init__()
        self.file, self.chains = file, chains

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        """Rewrite a call whose function is one of the names."""
        func = updated_node.func
        found = MARK.fullmatch(func.value) if isinstance(func, cst.Name) else None
        if found is None:
            return self._method(original_node, updated_node)
        chain = self.chains[int(found.group(1))]
        if chain.action is not None:
            return self._action(chain, updated_node)
        if not chain.full.startswith(_FLUID):
            return updated_node
        rule = find(chain.full)[0]
        if rule is None or chain.tail:
            return updated_node  # decided as a name
        if rule.kind == "rename":
            self.file.write(chain, rule.new, "api_rename")
            return updated_node
        if rule.kind == "stays":
            self.file.leave(chain, rule.message)
            return updated_node
        if rule.handler == "guard":
            self.file.leave(
                chain, "is no whole `with` statement; write paddle.disable_static(place)"
            )
            return updated_node
        return self._moved(chain, rule, updated_node)

    def _moved(self, chain: Chain, rule: Rule, node: cst.Call) -> cst.BaseExpression:
        if "args_to_kwargs" in self.file.steps and "refactor_kwargs" not in self.file.steps:
            return _with_keywords(node, rule)
        if "refactor_kwargs" not in self.file.steps:
            self.file.write(chain, "", "refactor_kwargs")
            return node
        place = Place(self.file, chain)
        try:
            edit = CallEdit(node, rule)
            if place.rate_left:
                raise Stays(f"its learning rate is a {place.rate_left}, which stays")
            if place.rate_may_stay(edit):
                raise Stays("its learning rate may be a schedule of 1.x, which stays")
            if rule.handler:
                new = HANDLERS[rule.handler](edit, place)
            else:
                edit.move()
                if rule.old.startswith(DYNAMIC) and "act" in rule.moves:
                    new = place.with_activation(edit, rule.new)
                else:
                    new = edit.build(rule.new)
        except Stays as reason:
            self.file.leave(chain, str(reason))
            return node
        if rule.message:
            place.note(rule.message)
        for message in place.notes:
            self.file.note(chain, message)
        chain.new = rule.new
        chain.settled = True
        self.file.converted += 1
        return new

    def _method(self, before: cst.Call, node: cst.Call) -> cst.Call:
        """Rewrite `Adam(...).minimize(...)`, where the optimizer is one of 2.0 now."""
        func = node.func
        if not isinstance(func, cst.Attribute) or func.attr.value not in STEPS_OF_OPTIMIZER:
            return node
        inner = before.func.value if isinstance(before.func, cst.Attribute) else None
        made = inner.func if isinstance(inner, cst.Call) else None
        found = MARK.fullmatch(made.value) if isinstance(made, cst.Name) else None
        chain = self.chains[int(found.group(1))] if found else None
        if chain is None or chain.new is None or not chain.name.startswith(OPTIMIZER):
            return node
        return _parameters(node)

    def _action(self, chain: Chain, node: cst.Call) -> cst.BaseExpression:
        chain.settled = True
        kind, value = chain.action or ("", "")
        self.file.converted += 1
        if kind == "act":
            return activated(node, value)
        if kind == "feed":
            chain.new = f"{chain.parts[0]}.set_sample_list_generator"
            return handlers_feed.fed(node, value)
        if kind == "source":
            chain.new = value
            return handlers_feed.source(node)
        if kind == "parameters":
            return _parameters(node)
        chain.new = value
        return node.with_changes(args=[])


def rename_parameters(file: File) -> None:
    """Note where `parameter_list=` goes to a method of an optimizer that is one of 2.0 now."""
    for chain in file.walk.chains:
        made = file.optimizers.get(".".join(chain.parts[:-1]))
        if made is None or made.new is None or chain.call is None or chain.action is not None:
            continue
        if chain.parts[-1] in STEPS_OF_OPTIMIZER:
            if any(k.arg == "parameter_list" for k in chain.call.keywords):
                chain.action = ("parameters", "")


def _parameters(node: cst.Call) -> cst.Call:
    """Rename `parameter_list=` in a call of an optimizer's method."""
    args = [
        arg.with_changes(keyword=arg.keyword.with_changes(value="parameters"))
        if arg.keyword is not None and arg.keyword.value == "parameter_list"
        else arg
        for arg in node.args
    ]
    return node.with_changes(args=args)


def _with_keywords(node: cst.Call, rule: Rule) -> cst.BaseExpression:
    try:
        edit = CallEdit(node, rule)
    except Stays:
        return node
    for name in edit.names:
        edit.rename(name, name)
    return edit.build()
