"""Where a call stands: what handlers may ask about the file around it."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

import libcst as cst

from .calls import ACTIVATIONS, MISSING, CallEdit, Stays, code, literal
from .names import Chain
from .rules import find
from .uses import argument, called, calls_of_layer, declared, method_calls, shaped_as, uses_of

if TYPE_CHECKING:
    from .convert import File

DYNAMIC = "paddle.fluid.dygraph."
OPTIMIZER = "paddle.fluid.optimizer."
_SCHEDULES = re.compile(r"\.(dygraph\.\w+Decay|layers\.(\w+_decay|linear_lr_warmup))$")


class Place:
    """The surroundings of one call."""

    def __init__(self, file: File, chain: Chain) -> None:
        self.file, self.chain = file, chain
        self.notes: list[str] = []

    @property
    def mode(self) -> str:
        """What the file is written for: "static", "dynamic", or "" where that cannot be seen."""
        return self.file.mode

    @property
    def levels(self) -> bool:
        """Whether the file works with sequences that have levels."""
        return self.file.levels

    @property
    def layer_self(self) -> str:
        """The name of the Layer whose method this is, "" if it is none."""
        scope = self.chain.scope
        function = scope.enclosing("function")
        owner = function.parent if function else None
        if function is None or owner is None or owner.kind != "class":
            return ""
        if not self.file.is_layer(owner):
            return ""
        args = function.node.args.args  # type: ignore[attr-defined]
        return args[0].arg if args else ""

    @property
    def steps(self) -> bool:
        """Whether the schedule's optimizer is stepped where the tool can see it."""
        return self.chain.call in self.file.scheduled

    @property
    def rate_left(self) -> str:
        """The schedule that stays of 1.x and is the rate of this optimizer, "" if there is none."""
        call = self.chain.call
        if call is None or not self.chain.name.startswith(OPTIMIZER):
            return ""
        given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "learning_rate")]
        names = {ast.unparse(node) for node in given if isinstance(node, (ast.Name, ast.Attribute))}
        for other in self.file.fluid:
            rule = find(other.full)[0]
            if rule is None or other.call is None:
                continue
            counted = rule.handler == "schedule" and other.call not in self.file.scheduled
            if rule.kind == "stays" or counted:
                if other.call in given or Place(self.file, other).assigned_to() in names - {""}:
                    return other.name
        return ""

    @property
    def inference_pairs(self) -> set[str]:
        """The folders that this file saves a model for inference to, and loads it from."""
        return self.file.inference_pairs

    def note(self, message: str) -> None:
        """Convert the call, and ask the user to look at it."""
        self.notes.append(message)

    def assigned_to(self) -> str:
        """Return what the call's result is assigned to, "" if it is used in another way."""
        statement = self.chain.stmt
        if isinstance(statement, ast.Assign) and statement.value is self.chain.call:
            if len(statement.targets) == 1:
                return self.file.source.of(statement.targets[0])
        return ""

    def insert_before(self, lines: list[str]) -> bool:
        """Write lines in front of the statement that the call stands in; False if that cannot be.

        They are indented as the statement is.
        """
        statement, source = self.chain.stmt, self.file.source
        start = source.starts[statement.lineno - 1]
        indent = source.indent(statement.lineno)
        if source.span(statement)[0] != start + len(indent):
            return False
        self.file.pending.append((start, [indent + line for line in lines]))
        return True

    @property
    def unit(self) -> str:
        """By what this file indents, as far as its first indented line shows."""
        found = re.search(r"^([ \t]+)\S", self.file.text, re.MULTILINE)
        return "\t" if found and found.group(1)[0] == "\t" else "    "

    def unused_name(self, *wanted: str) -> str:
        """Return the first of some names that the file does not say anywhere, "" if it says all."""
        free = (n for n in wanted if not re.search(rf"\b{n}\b", self.file.text))
        return next(free, "")

    def rank(self, index: int, name: str) -> int | None:
        """Return how many dimensions an argument has, None if that cannot be seen."""
        node = argument(self.chain.call, index, name) if self.chain.call else None
        sizes = declared(self.file, node, self.chain.scope) if node is not None else None
        return len(sizes) if sizes is not None else None

    def method_calls(self, method: str) -> list[Chain] | None:
        """Return all uses of what this call makes, if each is `name.method(argument)`."""
        return method_calls(self.file, self.chain, method)

    def shaped_as(self, index: int, name: str) -> str:
        """Return a name that has as many dimensions as an argument, "" if none can be seen."""
        return shaped_as(
            self.file, argument(self.chain.call, index, name) if self.chain.call else None
        )

    def uses(self) -> list[Chain] | None:
        """Return all uses of the name that is given to what this call makes, None if unknown."""
        return uses_of(self.file, self.chain)

    def device(self, index: int, name: str) -> str:
        """Return a place as it can be written elsewhere in the file, "" if that cannot be seen."""
        node = argument(self.chain.call, index, name) if self.chain.call else None
        text = ast.unparse(node) if node is not None else ""
        made = called(self.file, node)
        if made is not None and made.name in ("paddle.fluid.CPUPlace", "paddle.fluid.CUDAPlace"):
            number = re.search(r"\(\d*\)$", text)
            return made.name.replace(".fluid", "") + number.group() if number else ""
        if text.isidentifier() and sum(
            (isinstance(item, ast.Name) and item.id == text and not isinstance(item.ctx, ast.Load))
            or (isinstance(item, ast.arg) and item.arg == text)
            for item in ast.walk(self.file.tree)
        ) == 1:  # fmt: skip
            return text
        return ""

    def rate_may_stay(self, edit: CallEdit) -> bool:
        """Whether a learning rate may be, in ways that cannot be seen, a schedule that stays."""
        rate = edit.get("learning_rate") if self.chain.name.startswith(OPTIMIZER) else None
        if rate is None or not self._schedules_stay() or literal(rate) is not MISSING:
            return False
        return not isinstance(rate, cst.Name) or (
            rate.value not in self.file.numbers and rate.value not in self.file.scheduled.values()
        )

    def _schedules_stay(self) -> bool:
        """Whether the file calls schedules of 1.x that are not converted."""
        return any(
            c.call is not None and c.call not in self.file.scheduled and _SCHEDULES.search(c.full)
            for c in self.file.fluid
        )

    def number(self, node: cst.BaseExpression) -> int | None:
        """Return the value of a number, or of a name that the module binds to one, once."""
        value = literal(node)
        if isinstance(value, int):
            return value
        return self.file.numbers.get(node.value) if isinstance(node, cst.Name) else None

    def unpacked(self) -> tuple[bool, bool] | None:
        """Return which of two results are used, None if that cannot be seen."""
        statement = self.chain.stmt
        if not (isinstance(statement, ast.Assign) and statement.value is self.chain.call):
            return None
        target = statement.targets[0]
        if len(statement.targets) != 1 or not isinstance(target, (ast.Tuple, ast.List)):
            return None
        if len(target.elts) != 2:
            return None
        used = []
        for item in target.elts:
            unused = isinstance(item, ast.Name) and self.file.never_read(item.id)
            used.append(not unused)
        if used == [False, False]:
            used = [True, False]
        return used[0], used[1]

    def state_of(self, node: cst.BaseExpression) -> str:
        """Return the suffix of a saved state: ".pdparams", ".pdopt", or "" if unknown."""
        text = code(node)
        owner, dot, method = text.rpartition(".")
        if not dot or method != "state_dict()":
            return ""
        if owner in self.file.optimizers:
            return ".pdopt"
        if owner in self.file.models or (owner == self.layer_self and owner):
            return ".pdparams"
        return ""

    def variable_called(self, name: Any) -> str:
        """Return the Python name of the variable that was made by `data(name=...)` here."""
        return self.file.feeds.get((id(self.chain.scope), name), "")

    def with_activation(self, edit: CallEdit, function: str) -> cst.BaseExpression:
        """Build a Layer; its activation goes around the places where it is called."""
        act, edit.act = edit.act, None
        if act is not None and act not in ACTIVATIONS:
            raise Stays(f"act={act!r}: write {function} and the activation around its calls")
        if act is not None:
            uses = calls_of_layer(self.file, self.chain)
            if uses is None:
                name = function.rpartition(".")[2]
                raise Stays(
                    f"act={act!r}: write {function} and the activation around its calls (not "
                    f"every call of this {name} can be seen)"
                )
            for use in uses:
                use.action = ("act", act)
        return edit.build(function)
