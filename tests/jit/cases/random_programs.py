"""Random functions over plain Python values, as source: conversion must not change what they do."""

from __future__ import annotations

import random
from typing import Any

NAMES = ("a", "b", "c", "d")

HEAD = '''
import contextlib

LOG = []


class Stop(Exception):
    pass


class Box:
    def __init__(self, **values):
        self.__dict__.update(values)

    def __eq__(self, other):
        return isinstance(other, Box) and vars(self) == vars(other)

    def __repr__(self):
        return f"Box({vars(self)})"


def tick(value=None):
    """Notes a value; ends functions that do not end by themselves."""
    LOG.append(repr(value))
    if len(LOG) > 150:
        raise Stop
    return value


def num(value):
    return value if isinstance(value, (int, float)) else len(str(value))


g = 0
'''


class Writer:
    """Writes one function; equal seeds write equal functions.

    Args:
        seed (int): which function.
        deepest (int): how deep statements may be nested.
    """

    def __init__(self, seed: int, deepest: int = 4) -> None:
        self.random = random.Random(seed)
        self.deepest = deepest
        self.lines: list[str] = []
        self.used = 0

    def source(self) -> str:
        """The text of a module with ``function(a, b, xs, box, table)``."""
        self.lines = ["", "", "def function(a, b, xs, box, table):"]
        if self.chance(0.3):
            self.line(1, "global g")
        if self.chance(0.3):
            self.line(1, "c = 1")
        self.block(1, loop=False, jumps=True)
        self.line(1, f"return {self.result()}")
        return HEAD + "\n".join(self.lines) + "\n"

    # -- helpers -------------------------------------------------------------------------------

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def pick(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def fresh(self, stem: str) -> str:
        self.used += 1
        return f"{stem}{self.used}"

    def name(self) -> str:
        return self.pick(*NAMES) if self.chance(0.9) else "g"

    def result(self) -> str:
        return self.pick("a", "(a, b)", "(a, c, xs)", "d", "None", "(a, b, xs, box, table, g)")

    # -- expressions ---------------------------------------------------------------------------

    def value(self, depth: int = 0) -> str:
        if depth > 2 or self.chance(0.35):
            return self.pick(*NAMES, "g", "1", "2", "3", "0", "len(xs)", "box.n", "table['k']")
        one, two = self.value(depth + 1), self.value(depth + 1)
        return self.pick(
            f"num({one}) + num({two})",
            f"num({one}) - {self.pick('1', '2')}",
            f"num({one}) % 5",
            f"tick({one})",
            f"({one} if {self.test(depth + 1)} else {two})",
            f"({one} {self.pick('and', 'or')} {two})",
            f"(lambda v: num(v) + num({two}))({one})",
            f"sum(num(v) for v in xs if num(v) < num({one}))",
            f"[num(v) + num({one}) for v in xs[:2]]",
            f"({self.pick(*NAMES)} := {one})",
            f"int(num({one}))",
            f"1 // num({one})",
            f"xs[num({one}) % 4]",
        )

    def test(self, depth: int = 0) -> str:
        if depth > 2:
            return self.pick(*NAMES)
        one, two = self.value(depth + 1), self.value(depth + 1)
        return self.pick(
            f"num({one}) {self.pick('<', '>', '==', '<=', '!=')} num({two})",
            f"num({one}) % {self.pick('2', '3')}",
            f"not {self.test(depth + 1)}",
            f"({self.test(depth + 1)} {self.pick('and', 'or')} {self.test(depth + 1)})",
            f"0 < num({one}) <= num({two}) < 9",
            f"{self.pick(*NAMES)} is None",
            f"{one} in xs",
        )

    # -- statements ----------------------------------------------------------------------------

    def block(self, depth: int, loop: bool, jumps: bool) -> None:
        for _ in range(self.random.randint(1, 4)):
            self.statement(depth, loop, jumps)

    def statement(self, depth: int, loop: bool, jumps: bool) -> None:
        kinds = ["assign"] * 4 + ["augment", "target", "container", "call", "function"]
        if depth < self.deepest:
            kinds += ["if"] * 5 + ["while", "for", "for", "try", "with"]
        if jumps:
            kinds += ["return"]
        if loop and jumps:
            kinds += ["break", "continue"] * 2
        if self.chance(0.15):
            kinds = ["delete", "raise", "assert"]
        getattr(self, self.pick(*kinds) + "_")(depth, loop, jumps)

    def assign_(self, depth: int, loop: bool, jumps: bool) -> None:
        if self.chance(0.2):
            first, second = self.random.sample(NAMES, 2)
            self.line(depth, f"{first}, {second} = {self.value()}, {self.value()}")
        else:
            self.line(depth, f"{self.pick(*NAMES)} = {self.value()}")

    def augment_(self, depth: int, loop: bool, jumps: bool) -> None:
        target = self.pick(*NAMES, "box.n", "table['k']", "xs[0]", "xs[num(a) % 3]")
        self.line(depth, f"{target} = num({target}) + num({self.value()})")
        self.line(depth, f"{target} {self.pick('+=', '-=')} 1")

    def target_(self, depth: int, loop: bool, jumps: bool) -> None:
        target = self.pick("box.n", "box.new", "table['k']", "table['new']", "box.sub.m")
        self.line(depth, f"{target} = {self.value()}")

    def container_(self, depth: int, loop: bool, jumps: bool) -> None:
        text = self.pick(
            f"xs.append({self.value()})",
            f"{self.pick(*NAMES)} = xs.pop()",
            f"xs[{self.pick('0', '-1', '1', 'num(a)')}] = {self.value()}",
            f"table[num({self.value()})] = {self.value()}",
            f"xs[0], {self.pick(*NAMES)} = {self.value()}, xs[-1]",
            "xs[1:2] = [a, b]",
        )
        self.line(depth, text)

    def call_(self, depth: int, loop: bool, jumps: bool) -> None:
        self.line(depth, f"tick({self.value()})")

    def function_(self, depth: int, loop: bool, jumps: bool) -> None:
        name = self.fresh("f")
        if depth > 2 or self.chance(0.3):
            self.line(depth, f"{name} = lambda: {self.value(1)}")
        else:
            self.line(depth, f"def {name}():")
            if self.chance(0.5):
                self.line(depth + 1, "nonlocal a")
            self.block(max(depth + 1, self.deepest - 1), False, True)
            self.lines[-1:] = [*self.lines[-1:], "    " * (depth + 1) + "return a"]
            self._indent_from(name, depth)
        self.line(depth, f"b = {name}() if tick(True) else 0")

    def _indent_from(self, name: str, depth: int) -> None:
        # The body was written deeper than its function to keep it short.
        extra = max(depth + 1, self.deepest - 1) - depth - 1
        start = max(i for i, text in enumerate(self.lines) if text.lstrip() == f"def {name}():")
        for i in range(start + 1, len(self.lines)):
            text = self.lines[i]
            if len(text) - len(text.lstrip()) > 4 * (depth + 1):
                self.lines[i] = text[4 * extra :]

    def if_(self, depth: int, loop: bool, jumps: bool) -> None:
        self.line(depth, f"if {self.test()}:")
        self.block(depth + 1, loop, jumps)
        while self.chance(0.25):
            self.line(depth, f"elif {self.test()}:")
            self.block(depth + 1, loop, jumps)
        if self.chance(0.5):
            self.line(depth, "else:")
            self.block(depth + 1, loop, jumps)

    def while_(self, depth: int, loop: bool, jumps: bool) -> None:
        test = self.pick("tick(True)", "True", self.test(), f"(d := {self.value()})")
        self.line(depth, f"while {test}:")
        self.line(depth + 1, "tick()")
        self.block(depth + 1, True, jumps)
        self.loop_else(depth, loop and ":=" not in test, jumps)

    def for_(self, depth: int, loop: bool, jumps: bool) -> None:
        target, over = self.pick(
            ("c", "range(num(a) % 4)"), ("d", "list(xs)"), ("i", "range(3)"),
            ("c, d", "enumerate(xs[:3])"), ("i", "xs"), ("k, v", "list(table.items())"),
            ("box.n", "(1, 2)"), ("c, (d, _)", "zip(xs, [(1, 2), (3, 4)])"),
        )  # fmt: skip
        self.line(depth, f"for {target} in {over}:")
        self.line(depth + 1, "tick()")
        self.block(depth + 1, True, jumps)
        self.loop_else(depth, loop, jumps)

    def loop_else(self, depth: int, loop: bool, jumps: bool) -> None:
        if self.chance(0.3):
            self.line(depth, "else:")
            self.block(depth + 1, loop, jumps)

    def try_(self, depth: int, loop: bool, jumps: bool) -> None:
        self.line(depth, "try:")
        self.block(depth + 1, loop, jumps)
        handled = self.chance(0.8)
        if handled:
            kind = self.pick(
                "ZeroDivisionError", "(TypeError, IndexError)", "NameError", "KeyError"
            )
            self.line(depth, f"except {kind}{self.pick('', ' as e', ' as c')}:")
            self.block(depth + 1, loop, jumps)
            if self.chance(0.3):
                self.line(depth, "else:")
                self.block(depth + 1, loop, jumps)
        if not handled or self.chance(0.4):
            self.line(depth, "finally:")
            self.block(depth + 1, False, False)

    def with_(self, depth: int, loop: bool, jumps: bool) -> None:
        context = self.pick(
            "contextlib.suppress(ZeroDivisionError, TypeError, NameError)",
            f"contextlib.nullcontext({self.value()}) as {self.pick(*NAMES)}",
        )
        self.line(depth, f"with {context}:")
        self.block(depth + 1, loop, jumps)

    def return_(self, depth: int, loop: bool, jumps: bool) -> None:
        self.line(depth, f"return {self.pick(self.result(), self.value(), '')}")

    def break_(self, depth: int, loop: bool, jumps: bool) -> None:
        self.line(depth, "break")

    def continue_(self, depth: int, loop: bool, jumps: bool) -> None:
        self.line(depth, "continue")

    def delete_(self, depth: int, loop: bool, jumps: bool) -> None:
        self.line(depth, f"del {self.pick(*NAMES, 'box.n', 'table[' + repr('k') + ']')}")

    def raise_(self, depth: int, loop: bool, jumps: bool) -> None:
        self.line(
            depth, f"raise {self.pick('ValueError', 'KeyError', 'IndexError')}({self.value()})"
        )

    def assert_(self, depth: int, loop: bool, jumps: bool) -> None:
        self.line(depth, f"assert {self.test()}, tick({self.value()})")
