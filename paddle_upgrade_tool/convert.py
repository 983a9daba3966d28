"""Convert the text of one file.

`ast` gives the meaning of names and the places; the outermost expression around something to
change is parsed by libcst, changed, and put back. What is not changed is not touched, so line
ends, tabs, quotes and comments stay by themselves.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable

import libcst as cst

from . import guards, imports, operators
from .names import UNCERTAIN, Chain, Scope, Source, Walk, meaning, numbers
from .places import DYNAMIC, OPTIMIZER
from .report import Finding
from .rewrite import MARK, Calls, rename_parameters
from .rules import Rule, find, modules, star_names

STEPS = ("refactor_import", "norm_api_alias", "args_to_kwargs", "refactor_kwargs", "api_rename",
         "refactor_with", "post_refactor")  # fmt: skip

_FLUID = "paddle.fluid"
_LAYERS = "paddle.fluid.layers."
_STATIC_NAMES = frozenset(
    [f"{_FLUID}.{n}" for n in ("Executor", "ParallelExecutor", "CompiledProgram", "program_guard",
                               "data", "Program", "embedding", "DataFeeder")]
    + [_LAYERS + n for n in ("data", "fc", "conv2d", "conv3d", "conv2d_transpose", "embedding",
                             "batch_norm", "py_reader", "While", "Switch", "StaticRNN",
                             "DynamicRNN", "create_parameter", "create_global_var", "layer_norm",
                             "conv3d_transpose", "group_norm", "dynamic_gru", "dynamic_lstm")]
)  # fmt: skip
_FEEDS = (f"{_FLUID}.DataFeeder", f"{_FLUID}.io.PyReader")
_RUNS = frozenset(f"{_FLUID}.{n}" for n in ("Executor", "ParallelExecutor"))
_LEVELS = re.compile(
    r"\.(sequence_|dynamic_lstm|dynamic_gru|lod_|DynamicRNN|.*crf|create_lod_tensor)"
)


class File:
    """One file being converted."""

    def __init__(self, text: str, name: str = "", steps: frozenset[str] = frozenset(STEPS)) -> None:
        self.text, self.name, self.steps = text, name, steps
        self.findings: list[Finding] = []
        self.fluid: list[Chain] = []
        self.fluid_imports: list[imports.Import] = []
        self.mode = ""
        self._script: bool | None = None
        self.converted = 0
        self.matches: list[str] = []
        self.lines: Callable[[int], int] = lambda line: line

    # ------------------------------------------------------------- the whole
    def convert(self) -> str:
        """Return the converted text."""
        self._read()
        if not self.fluid and not self.fluid_imports:
            return self.text
        if self._refuses():
            return self.text
        if "refactor_with" in self.steps:
            changed = guards.unguard(self)
            if changed is not None:
                self.text, lines = changed
                self.lines = lambda line: lines[min(line, len(lines)) - 1]
                had = self.fluid
                mode, script = self.mode, self._is_script()
                self._read()
                self.mode = mode
                self._script = script
                self.fluid = self.fluid or had
        self._plan()
        operators.note(self)
        edits = self._rewrite()
        if "refactor_import" in self.steps:
            edits += imports.edit(self)
        text = _apply(self.text, edits)
        self._report()
        return text

    def _read(self) -> None:
        self.source = Source(self.text)
        self.tree = ast.parse(self.text)
        self.walk = Walk(self.tree)
        stars: dict[str, str] = {}
        for module in self.walk.stars:
            if module.startswith(_FLUID):
                stars.update(star_names(module))
        self.chains = [c for c in self.walk.chains if self._resolve(c, stars)]
        self.fluid = [c for c in self.chains if c.full.startswith((_FLUID, UNCERTAIN))]
        # Unused imports of fluid are something of 1.x too.
        self.fluid_imports = [i for i in self.walk.imports if imports.of_fluid(i.node)]
        self.scheduled: dict[ast.Call | None, str] = {}
        self.after: dict[int, list[str]] = {}
        self.before: dict[int, list[str]] = {}
        self.pending: list[tuple[int, list[str]]] = []
        self.bindings: dict[int, dict[str, ast.expr | None]] = {}
        self._look_around()

    def _resolve(self, chain: Chain, stars: dict[str, str]) -> bool:
        full = meaning(chain.parts[0], chain.scope, stars)
        if full is None:
            return False
        chain.full = ".".join([full, *chain.parts[1:]])
        if full == UNCERTAIN:
            return True
        if not full.startswith("paddle"):
            chain.full = ""
            return False
        if chain.full.startswith(_FLUID):
            rule, chain.tail = find(chain.full)
            chain.name = rule.old if rule else ""
        return True

    def _refuses(self) -> bool:
        """Whether the name `paddle` means something else somewhere."""
        scopes = {id(c.scope): c.scope for c in self.walk.chains}
        scopes[id(self.walk.module)] = self.walk.module
        for scope in scopes.values():
            here: Scope | None = scope
            while here is not None:
                if here.bound.get("paddle", {"paddle"}) != {"paddle"}:
                    for chain in self.fluid:
                        self.leave(chain, "the name paddle is bound to something else in this file")
                    self._report()
                    return True
                here = here.parent
        return False

    # ------------------------------------------------------- the surroundings
    def _look_around(self) -> None:
        names = {c.name or c.full for c in self.chains}
        dynamic = any(n.startswith(DYNAMIC) for n in names)
        dynamic |= bool({f"{_FLUID}.enable_dygraph", f"{_FLUID}.enable_imperative"} & names)
        static = bool(_STATIC_NAMES & names) or "paddle.enable_static" in names
        self.mixed = static and dynamic
        self.mode = (
            "static" if static and not dynamic else "dynamic" if dynamic and not static else ""
        )
        self.levels = any(_LEVELS.search(n) for n in names) or "lod_level" in self.text
        self.models: set[str] = set()
        self.optimizers: dict[str, Chain] = {}
        self.feeds: dict[tuple[int, str], str] = {}
        saves: set[str] = set()
        loads: set[str] = set()
        for chain in self.chains:
            if chain.call is None:
                continue
            if chain.name.endswith(("save_inference_model", "load_inference_model")) and (
                chain.call.args or chain.call.keywords
            ):
                first = (chain.call.args or [k.value for k in chain.call.keywords])[0]
                kind = saves if "save_" in chain.name else loads
                kind.add(self.source.of(first))
            target = self.target(chain)
            if not target:
                continue
            if chain.name.startswith(OPTIMIZER):
                self.optimizers[target] = chain
            elif chain.name in (f"{_FLUID}.data", _LAYERS + "data"):
                values = [k.value for k in chain.call.keywords if k.arg == "name"]
                for value in [*chain.call.args[:1], *values]:
                    if isinstance(value, ast.Constant) and isinstance(value.value, str):
                        self.feeds[id(chain.scope), value.value] = target
        self.inference_pairs = saves & loads
        for chain in self.walk.chains:
            # `net = Net(...)` where Net is a Layer of this file.
            if chain.call is not None and len(chain.parts) == 1:
                owner = self.walk.classes.get(chain.parts[0])
                target = self.target(chain)
                if owner is not None and target and self.is_layer(owner):
                    self.models.add(target)
        self._script = None

    @staticmethod
    def target(chain: Chain) -> str:
        """Return the name that the call's result is assigned to, "" if it is used otherwise."""
        statement = chain.stmt
        if isinstance(statement, ast.Assign) and statement.value is chain.call:
            if len(statement.targets) == 1:
                target = statement.targets[0]
                if isinstance(target, (ast.Name, ast.Attribute)):
                    return ast.unparse(target)
        return ""

    def is_layer(self, scope: Scope, depth: int = 0) -> bool:
        """Whether a class derives from Layer, as far as this file shows."""
        for base in scope.node.bases:  # type: ignore[attr-defined]
            for chain in self.chains:
                if chain.node is base:
                    if chain.name == DYNAMIC + "Layer" or chain.full == "paddle.nn.Layer":
                        return True
            inner = self.walk.classes.get(base.id) if isinstance(base, ast.Name) else None
            if inner is not None and depth < 8 and inner is not scope:
                if self.is_layer(inner, depth + 1):
                    return True
        return False

    def never_read(self, name: str) -> bool:
        """Whether a name is only assigned to in this file."""
        return not any(c.parts[0] == name and c.load for c in self.walk.chains)

    # ------------------------------------------------------------------ plans
    def _plan(self) -> None:
        """Find the statements of training in dynamic mode: backward, minimize, clear_gradients."""
        if "post_refactor" not in self.steps:
            return
        backward = [c for c in self.walk.chains if c.parts[-1] == "backward" and c.call is not None]
        every = [c for c in self.walk.chains if c.parts[-1] == "minimize"]
        self.steppers: dict[str, list[Chain]] = {}
        for chain in every:
            loss = self._loss_of(chain)
            before = any(
                b.parts[:-1] == loss
                and b.scope is chain.scope
                and b.node.lineno < chain.node.lineno
                for b in backward
            )
            owner = ".".join(chain.parts[:-1])
            if loss and before and owner in self.optimizers and chain.load:
                self.steppers.setdefault(owner, []).append(chain)
        for owner, chains in self.steppers.items():
            if len([c for c in every if ".".join(c.parts[:-1]) == owner]) != len(chains):
                continue
            self._plan_schedule(owner, chains)

    def _loss_of(self, chain: Chain) -> tuple[str, ...]:
        call = chain.call
        if call is None or not isinstance(chain.stmt, ast.Expr) or chain.stmt.value is not call:
            return ()
        values = [*call.args, *(k.value for k in call.keywords if k.arg == "loss")]
        if len(values) != 1 or len(call.args) + len(call.keywords) != 1:
            return ()
        if not isinstance(values[0], (ast.Name, ast.Attribute)):
            return ()
        return tuple(ast.unparse(values[0]).split("."))

    def _plan_schedule(self, owner: str, steps: list[Chain]) -> None:
        made = self.optimizers[owner]
        call = made.call
        assert call is not None
        if any(isinstance(a, ast.Starred) for a in call.args) or any(
            not k.arg for k in call.keywords
        ):
            return
        rates = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "learning_rate")]
        if not rates or not isinstance(rates[0], ast.Name):
            return
        name = rates[0].id
        for chain in self.fluid:
            rule = find(chain.full)[0]
            if rule is None or rule.handler != "schedule" or self.target(chain) != name:
                continue
            if chain.scope is made.scope and all(s.scope is made.scope for s in steps):
                stores = [n for n in ast.walk(chain.scope.node) if isinstance(n, ast.Name)
                          and n.id == name and isinstance(n.ctx, ast.Store)]  # fmt: skip
                if len(stores) == 1 and all(s.stmt.col_offset >= 0 for s in steps):
                    self.scheduled[chain.call] = name

    # ---------------------------------------------------------------- rewrite
    def _rewrite(self) -> list[tuple[int, int, str]]:
        edits: dict[int, tuple[int, int, str]] = {}
        layers = [c for c in self.fluid if self._makes_layer(c)]
        first = {id(c.root) for c in layers}
        done: set[int] = set()
        for chains in self._roots(lambda c: id(c.root) in first):
            self._root(chains, edits)
            done.add(id(chains[0].root))
        self._plan_steps()
        for chains in self._roots(lambda c: id(c.root) not in done or c.action is not None):
            self._root(chains, edits)
        result = list(edits.values())
        for place, texts in [*self.before.items(), *self.after.items()]:
            result += [(place, place, text) for text in texts]
        return result

    @staticmethod
    def _makes_layer(chain: Chain) -> bool:
        if chain.call is None:
            return False
        if chain.name.startswith(OPTIMIZER) or chain.name in _FEEDS:
            return True
        rule = find(chain.full)[0]
        return rule is not None and rule.old.startswith(DYNAMIC) and "act" in rule.moves

    def _plan_steps(self) -> None:
        rename_parameters(self)
        for owner, chains in getattr(self, "steppers", {}).items():
            made = self.optimizers[owner]
            if made.new is None:
                continue
            rates = [n for n in self.scheduled.values() if n in self._rate_of(made)]
            for chain in chains:
                chain.action = ("text", f"{owner}.step")
                if rates:
                    self._insert_after(chain.stmt, [f"{rates[0]}.step()"])
            model = self._parameters_of(made)
            for other in self.walk.chains:
                if other.parts[-1] != "clear_gradients" or other.call is None:
                    continue
                if ".".join(other.parts[:-1]) in (owner, model) and not other.call.args:
                    if other.scope is chains[0].scope:
                        other.action = ("text", f"{owner}.clear_grad")

    @staticmethod
    def _rate_of(made: Chain) -> set[str]:
        call = made.call
        assert call is not None
        rates = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "learning_rate")]
        return {r.id for r in rates if isinstance(r, ast.Name)}

    @staticmethod
    def _parameters_of(made: Chain) -> str:
        assert made.call is not None
        for keyword in made.call.keywords:
            if keyword.arg == "parameter_list":
                text = ast.unparse(keyword.value)
                if text.endswith(".parameters()"):
                    return text[: -len(".parameters()")]
        return ""

    def _insert_after(self, statement: ast.stmt, lines: list[str]) -> None:
        end = self.source.span(statement)[1]
        text = self.text
        newline = self.newline
        stop = end
        while stop < len(text) and text[stop] not in "\r\n":
            stop += 1
        if text[end:stop].strip()[:1] in ("", "#"):
            indent = self.source.indent(statement.lineno)
            self.after.setdefault(stop, []).extend(newline + indent + line for line in lines)

    @functools.cached_property
    def numbers(self) -> dict[str, int]:
        """Names that stand for one whole number in all of this file."""
        return numbers(self.tree)

    @functools.cached_property
    def newline(self) -> str:
        """How lines end in this file."""
        found = re.search(r"\r\n|\n|\r", self.text)
        return found.group() if found else "\n"

    def _roots(self, wanted: Callable[[Chain], bool]) -> list[list[Chain]]:
        groups: dict[int, list[Chain]] = {}
        for chain in self.walk.chains:
            if chain.action is not None or chain.full.startswith(_FLUID):
                if wanted(chain) and not chain.quoted:
                    groups.setdefault(id(chain.root), []).append(chain)
        return list(groups.values())

    def _root(self, chains: list[Chain], edits: dict[int, tuple[int, int, str]]) -> None:
        """Rewrite one outermost expression."""
        root = chains[0].root
        start, end = self.source.span(root)
        piece = self.text[start:end]
        newlines = piece.count("\r\n")
        marked, last = [], start
        for index, chain in enumerate(sorted(chains, key=lambda c: self.source.span(c.node))):
            chain.start, chain.end = self.source.span(chain.node)
            marked += [self.text[last : chain.start], f"__upgrade_{index}__"]
            last = chain.end
            self.matches.append(f"{chain.full or chain.text}: {piece.splitlines()[0]}")
        marked.append(self.text[last:end])
        text = "".join(marked).replace("\r\n", "\n")
        ordered = sorted(chains, key=lambda c: c.start)
        if all(self._is_plain(chain) for chain in ordered):
            for chain in ordered:
                self._plain(chain, root)
            new = text
        else:
            try:
                tree = cst.parse_expression(f"({text})")
            except (cst.ParserSyntaxError, RecursionError):
                for chain in ordered:
                    self.leave(chain, "libcst cannot read this expression")
                return
            tree = tree.with_changes(lpar=tree.lpar[1:], rpar=tree.rpar[:-1])
            changed = tree.visit(Calls(self, ordered))
            assert isinstance(changed, cst.BaseExpression)
            for chain in ordered:
                if not chain.settled:
                    self._bare(chain, root)
            new = cst.Module([]).code_for_node(changed)
        new = MARK.sub(lambda m: _written(ordered[int(m.group(1))]), new)
        for at, lines in self.pending:
            self.before[at] = [
                MARK.sub(lambda m: _written(ordered[int(m.group(1))]), f"{line}\n").replace(
                    "\n", self.newline
                )
                for line in lines
            ]
        self.pending = []
        if newlines:
            new = new.replace("\n", "\r\n")
        if new != piece:
            edits[id(root)] = (start, end, new)

    @staticmethod
    def _is_plain(chain: Chain) -> bool:
        """Whether at most the name changes, and no argument: that needs no tree."""
        rule = find(chain.full)[0] if chain.action is None else None
        return chain.action is None and (
            rule is None or bool(chain.tail) or chain.call is None or rule.kind != "call"
        ) and (rule is None or not rule.handler or chain.call is None)  # fmt: skip

    def _plain(self, chain: Chain, root: ast.expr) -> None:
        rule = find(chain.full)[0]
        if rule is None or chain.tail or chain.call is None:
            self._bare(chain, root)
        elif rule.kind == "rename":
            self.write(chain, rule.new, "api_rename")
        else:
            self.leave(chain, rule.message)

    def _bare(self, chain: Chain, root: ast.expr) -> None:
        """Decide about a name that is not called."""
        chain.settled = True
        if not chain.full.startswith(_FLUID):
            return
        rule = find(chain.full)[0]
        if any(alias.node.value is chain.node for alias in self.walk.aliases):
            return  # goes if nothing needs it: `imports.unalias`
        if rule is None or not chain.load:
            self.leave(chain, _unknown(chain))
        elif rule.old == DYNAMIC + "no_grad" and chain.decorator and not chain.tail:
            self.write(chain, "paddle.no_grad()", "api_rename")
        elif rule.kind == "rename" or self._asked_of_class(chain, rule):
            self.write(chain, rule.new + chain.tail, "api_rename")
        else:
            what = rule.message or f"is no call here; {rule.new or 'nothing'} takes other arguments"
            self.leave(chain, what)

    def _asked_of_class(self, chain: Chain, rule: Rule) -> bool:
        """Whether the name stands in `isinstance(x, name)`."""
        if rule.kind != "call" or chain.tail:
            return False
        outer = self.walk.parents.get(chain.node)
        if isinstance(outer, ast.Tuple):
            outer = self.walk.parents.get(outer)
        return (
            isinstance(outer, ast.Call)
            and isinstance(outer.func, ast.Name)
            and outer.func.id in ("isinstance", "issubclass")
        )

    def write(self, chain: Chain, new: str, step: str) -> None:
        """Write `new` for a name, if that step is asked for."""
        chain.settled = True
        if step in self.steps:
            chain.new = new
            self.converted += 1
        elif "refactor_import" in self.steps:
            chain.new = chain.full
        elif "norm_api_alias" in self.steps and chain.name:
            if chain.full != chain.name + chain.tail and chain.text.startswith("paddle."):
                chain.new = chain.name + chain.tail

    def leave(self, chain: Chain, message: str) -> None:
        """Leave a name of 1.x as it is, and say so."""
        chain.settled = True
        line = self.lines(chain.node.lineno)
        column = chain.node.col_offset + 1
        shown = chain.full.removeprefix(UNCERTAIN + ".") if chain.full else chain.text
        self.findings.append(Finding(line, column, "left", shown, message))

    def note(self, chain: Chain, message: str) -> None:
        """Ask the user to look at something that was converted."""
        line = self.lines(chain.node.lineno)
        self.findings.append(Finding(line, chain.node.col_offset + 1, "note", chain.full, message))

    # ----------------------------------------------------------------- report
    def _report(self) -> None:
        for chain in self.fluid:
            if not chain.settled and chain.new is None:
                if chain.full.startswith(UNCERTAIN):
                    self.leave(chain, "the name is bound in several ways")
                elif chain.quoted:
                    self.leave(chain, "inside of an f-string: take it out")
        self.findings = sorted(set(self.findings))

    def _is_script(self) -> bool:
        if self._script is None:
            self._script = any(
                c.name in _RUNS
                or (c.name in _STATIC_NAMES and c.scope.enclosing("function") is None)
                for c in self.fluid
            )
        return self._script

    @property
    def wants_static(self) -> bool:
        """Whether the file runs Programs, so that it has to turn static mode on."""
        if "post_refactor" not in self.steps or not self._is_script():
            return False
        modes = ("paddle.enable_static", "paddle.disable_static", f"{_FLUID}.enable_dygraph",
                 f"{_FLUID}.disable_dygraph", f"{_FLUID}.enable_imperative")  # fmt: skip
        if self.mixed or self.mode == "":
            return not any(c.full == "paddle.enable_static" and _at_top(c) for c in self.chains)
        return not any(c.full in modes or c.name in modes for c in self.chains)


def _at_top(chain: Chain) -> bool:
    return chain.scope.parent is None and chain.stmt.col_offset == 0


def _written(chain: Chain) -> str:
    return chain.text if chain.new is None else chain.new


def _unknown(chain: Chain) -> str:
    if chain.full in modules() or chain.full == _FLUID:
        return imports.MODULE
    return "2.0 has no public name for it; it stays as it is"


def _apply(text: str, edits: list[tuple[int, int, str]]) -> str:
    """Return the text with pieces replaced, which must not overlap."""
    result, last = [], 0
    for start, end, new in sorted(edits, key=lambda e: (e[0], e[1])):
        if start < last:
            raise ValueError("two changes overlap")
        result += [text[last:start], new]
        last = end
    return "".join([*result, text[last:]])


def convert(
    text: str, name: str = "", steps: frozenset[str] = frozenset(STEPS)
) -> tuple[str, list[Finding], int]:
    """Return the converted text of a file, what is to be said about it, and how many changes.

    Raises:
        SyntaxError: the text is not Python 3.
    """
    if "paddle" not in text:
        return text, [], 0
    file = File(text, name, steps)
    return file.convert(), file.findings, file.converted
