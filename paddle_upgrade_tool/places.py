"""Where a call stands: what handlers may ask about the file around it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import libcst as cst

from .calls import ACTIVATIONS, MISSING, CallEdit, Stays, code, literal
from .names import Chain
from .rules import find

if TYPE_CHECKING:
    from .convert import File

DYNAMIC = "paddle.fluid.dygraph."
OPTIMIZER = "paddle.fluid.optimizer."


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

    def rate_may_stay(self, edit: CallEdit) -> bool:
        """Whether a learning rate may be, in ways that cannot be seen, a schedule that stays."""
        rate = edit.get("learning_rate") if self.chain.name.startswith(OPTIMIZER) else None
        if rate is None or not self.file.schedules_stay or literal(rate) is not MISSING:
            return False
        return not isinstance(rate, cst.Name) or (
            rate.value not in self.file.numbers and rate.value not in self.file.scheduled.values()
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
            uses = self.file.calls_of_layer(self.chain)
            if uses is None:
                name = function.rpartition(".")[2]
                raise Stays(
                    f"act={act!r}: write {function} and the activation around its calls (not "
                    f"every call of this {name} can be seen)"
                )
            for use in uses:
                use.action = ("act", act)
        return edit.build(function)
