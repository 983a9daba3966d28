"""Random functions with control flow on Tensors, as source: what to_static must not change."""

from __future__ import annotations

import linecache
import random
from typing import Any

import paddle

NAMES = ("a", "b", "c")


class Writer:
    """Writes one function; equal seeds write equal functions.

    Args:
        seed (int): which function.
        deepest (int): how deep statements may be nested.
    """

    def __init__(self, seed: int, deepest: int = 3) -> None:
        self.random = random.Random(seed)
        self.deepest = deepest
        self.lines: list[str] = []
        self.counters = 0

    def source(self) -> str:
        """Returns the text of ``function(x, w, flag)``."""
        self.lines = [
            "def helper(v, w):",
            "    if v.sum() > 0:",
            "        return v * w",
            "    return paddle.tanh(v) - w",
            "",
            "",
            "def function(x, w, flag):",
            "    a = x * 1.0",
            "    b = paddle.tanh(x) * w",
            "    c = x - w",
        ]
        self.block(1, self.random.randint(2, 4), loop=False)
        self.line(1, f"return {self.result()}")
        return "\n".join(self.lines) + "\n"

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def pick(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def name(self) -> str:
        return self.pick(*NAMES)

    def value(self, depth: int = 0) -> str:
        kind = self.random.random()
        if depth > 1 or kind < 0.25:
            return self.pick(*NAMES, "x")
        inner = self.value(depth + 1)
        if kind < 0.45:
            return f"paddle.tanh({inner})"
        if kind < 0.6:
            return f"({inner}) * {self.pick(0.5, -0.7, 1.1)}"
        if kind < 0.75:
            return f"({inner}) + {self.value(depth + 1)}"
        if kind < 0.83:
            return f"helper({inner}, w)"
        if kind < 0.9:
            return f"({inner} if {self.condition()} else {self.value(depth + 1)})"
        return f"({inner}) * w"

    def condition(self) -> str:
        limit = self.pick(-9.0, -0.3, 0.0, 0.2, 9.0)
        test = f"{self.name()}.sum() > {limit}"
        kind = self.random.random()
        if kind < 0.5:
            return test
        if kind < 0.6:
            return f"not ({test})"
        if kind < 0.7:
            return f"{test} and {self.name()}.mean() < {self.pick(-0.1, 0.3, 5.0)}"
        if kind < 0.8:
            return f"({test} or flag)"
        if kind < 0.9:
            return f"{limit} < {self.name()}.mean() < {limit + self.pick(0.3, 5.0)}"
        return self.pick("flag", "not flag")

    def result(self) -> str:
        return f"{self.name()} + {self.value(1)}"

    def block(self, depth: int, count: int, loop: bool) -> None:
        for _ in range(count):
            self.statement(depth, loop)

    def statement(self, depth: int, loop: bool) -> None:
        kind = self.random.random()
        if depth > self.deepest or kind < 0.4:
            sign = self.pick("=", "=", "=", "+=")
            self.line(depth, f"{self.name()} {sign} {self.value()}")
        elif kind < 0.65:
            self.choice(depth, loop)
        elif kind < 0.9:
            self.loop(depth)
        else:
            self.leave(depth, loop)

    def choice(self, depth: int, loop: bool) -> None:
        self.line(depth, f"if {self.condition()}:")
        self.block(depth + 1, self.random.randint(1, 2), loop)
        if self.random.random() < 0.3:
            self.line(depth, f"elif {self.condition()}:")
            self.block(depth + 1, 1, loop)
        if self.random.random() < 0.6:
            self.line(depth, "else:")
            self.block(depth + 1, self.random.randint(1, 2), loop)

    def loop(self, depth: int) -> None:
        self.counters += 1
        k = f"k{self.counters}"
        kind = self.random.randint(0, 4)
        if kind == 0:
            self.line(depth, f"{k} = paddle.zeros([1], 'int64')")
            self.line(depth, f"while {k} < {self.pick(0, 1, 2, 3)}:")
            self.line(depth + 1, f"{k} = {k} + 1")
        elif kind == 1:
            self.line(depth, f"{k} = 0")
            self.line(depth, f"while {k} < 3 and ({self.condition()}):")
            self.line(depth + 1, f"{k} += 1")
        elif kind == 2:
            self.line(depth, f"for {k} in range({self.pick(0, 1, 2, 3)}):")
        elif kind == 3:
            self.line(depth, f"{k}n = paddle.full([1], {self.pick(0, 1, 3)}, 'int32')")
            self.line(depth, f"for {k} in range({k}n):")
            self.line(depth + 1, f"{self.name()} *= {k} * 0.25 + 0.5")
        else:
            self.line(depth, f"for {k}, row in enumerate(paddle.stack([x, w])):")
            self.line(depth + 1, f"{self.name()} = {self.name()} * 0.5 + row * (0.1 * {k})")
        self.block(depth + 1, self.random.randint(1, 2), loop=True)

    def leave(self, depth: int, loop: bool) -> None:
        self.line(depth, f"if {self.condition()}:")
        if not loop or self.random.random() < 0.25:
            self.line(depth + 1, f"return {self.result()}")
        else:
            self.line(depth + 1, self.pick("break", "continue"))


def function(seed: int, deepest: int = 3) -> tuple[Any, str]:
    """Returns the function of a seed and its source, which ``inspect`` finds."""
    text = Writer(seed, deepest).source()
    # Not in angle brackets: such files count as code without source.
    file = f"/generated/program_{seed}_{deepest}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"paddle": paddle, "__name__": f"generated_{seed}", "__file__": file}
    exec(compile(text, file, "exec"), names)
    return names["function"], text
