"""Read the table of the 2.0 API and compare a Python object with the signature written there."""

from __future__ import annotations

import ast
import csv
import functools
import importlib
import inspect
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests" / "data" / "api-2.0.tsv"
FLUID_TABLE = ROOT / "tests" / "data" / "fluid-1.8-api.tsv"
DEVIATIONS = ROOT / "scripts" / "deviations.tsv"

MISSING = object()
"""Returned by `resolve` for a name that does not exist."""

ANY = object()
"""A default that the table does not spell out (an object address, a path): any default will do."""

OPERATOR = re.compile(r"__(?!call__|init__)\w+__")


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    kind: str
    signature: str
    signature_202: str
    aliases: tuple[str, ...]
    base: str
    evidence: str

    @property
    def is_member(self) -> bool:
        return self.evidence == "member"

    @property
    def parent(self) -> str:
        return self.name.rpartition(".")[0]


@dataclass(frozen=True)
class Arg:
    """A parameter: its name with `*` or `**` in front if variadic, its default if it has one."""

    name: str
    default: Any = MISSING

    def __str__(self) -> str:
        if self.default is MISSING:
            return self.name
        return f"{self.name}=..." if self.default is ANY else f"{self.name}={self.default!r}"


@functools.lru_cache(maxsize=1)
def rows() -> tuple[Row, ...]:
    """All lines of the table, in its order."""
    return _read(TABLE, "signature_2.0.2")


@functools.lru_cache(maxsize=1)
def fluid_rows() -> tuple[Row, ...]:
    """All lines of the table of 1.8; a call may also have the form that 2.0's fluid has."""
    return _read(FLUID_TABLE, "signature_2.0.0")


def _read(table: Path, later: str) -> tuple[Row, ...]:
    with table.open(encoding="utf8", newline="") as file:
        return tuple(
            Row(
                line["name"],
                line["kind"],
                line["signature"],
                line[later],
                tuple(a for a in line["aliases"].split(",") if a),
                line["base"],
                line["evidence"],
            )
            for line in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        )


@functools.lru_cache(maxsize=1)
def deviations() -> dict[str, str]:
    """Names that differ from the table on purpose, with the reason."""
    found: dict[str, str] = {}
    for line in DEVIATIONS.read_text(encoding="utf8").splitlines():
        if line and not line.startswith("#"):
            name, _, reason = line.partition("\t")
            found[name] = reason
    return found


def resolve(name: str) -> Any:
    """The object behind a dotted name, `MISSING` if there is none."""
    from paddle._module_paths import NotThereYet
    from paddle.core.not_yet import NotYet

    parts = name.split(".")
    for split in range(len(parts), 0, -1):
        module = ".".join(parts[:split])
        try:
            found: Any = importlib.import_module(module)
        except ModuleNotFoundError as err:
            # a missing part of the name itself, not a broken import inside a module that exists
            if err.name and (module == err.name or module.startswith(err.name + ".")):
                continue
            if isinstance(err, NotThereYet):
                continue
            raise
        if split > 1:  # a function hides a module of its name, as nn.functional.pad does
            shown = getattr(sys.modules[".".join(parts[: split - 1])], parts[split - 1], found)
            # paddle.batch.batch means the hidden module all the same
            if split == len(parts) or hasattr(shown, parts[split]):
                found = shown
        for part in [None, *parts[split:]]:
            found = found if part is None else getattr(found, part, MISSING)
            if found is MISSING or isinstance(found, NotYet):
                return MISSING
        return found
    return MISSING


def _default(text: str) -> Any:
    """The value of a default as the table writes it."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return ANY


def parse(signature: str) -> list[Arg]:
    """The parameters of one signature of the table, such as `(x, axis=-1, name=None)`."""
    text = re.sub(r"\s*\[(classmethod|static)\]$", "", signature.strip())
    text = re.sub(r"<[A-Za-z][^<>]*>", "ANY", text)
    tree = ast.parse(f"def f{text}: pass").body[0]
    assert isinstance(tree, ast.FunctionDef)
    spec = tree.args
    plain = spec.posonlyargs + spec.args
    defaults = [MISSING] * (len(plain) - len(spec.defaults))
    defaults += [_default(ast.unparse(d)) for d in spec.defaults]
    found = [Arg(a.arg, d) for a, d in zip(plain, defaults)]
    if spec.vararg:
        found.append(Arg("*" + spec.vararg.arg))
    for arg, value in zip(spec.kwonlyargs, spec.kw_defaults):
        found.append(Arg(arg.arg, MISSING if value is None else _default(ast.unparse(value))))
    if spec.kwarg:
        found.append(Arg("**" + spec.kwarg.arg))
    return found


def actual(row: Row, obj: Any) -> list[Arg] | None:
    """The parameters that `obj` takes, without self; None where Python cannot tell."""
    try:
        parameters = list(inspect.signature(obj).parameters.values())
    except (TypeError, ValueError):
        return None
    if row.is_member and parameters and not inspect.ismethod(obj):
        owner = resolve(row.parent)
        raw = inspect.getattr_static(owner, row.name.rpartition(".")[2], None)
        if not isinstance(raw, staticmethod):
            parameters = parameters[1:]
    marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    empty = inspect.Parameter.empty
    return [
        Arg(marks.get(p.kind, "") + p.name, MISSING if p.default is empty else p.default)
        for p in parameters
    ]


def _same_default(want: Any, got: Any) -> bool:
    if want is ANY:
        return got is not MISSING
    if want is MISSING or got is MISSING:
        return want is got
    if isinstance(want, bool) or isinstance(got, bool) or want is None or got is None:
        return want is got
    if isinstance(want, (list, tuple)) and isinstance(got, (list, tuple)):
        return list(want) == list(got)
    try:
        return bool(want == got)
    except Exception:
        return False


def _compare(want: list[Arg], got: list[Arg]) -> str | None:
    """None if `got` takes everything `want` promises, else the first difference."""
    if want and all(a.name.startswith("*") for a in want):
        return None  # the table only says that anything is passed on
    variadic = {a.name[: a.name.count("*")] for a in got}
    plain = [a for a in got if a.name[0] != "*"]
    index = 0
    for arg in want:
        if arg.name.startswith("*"):
            stars = "**" if arg.name.startswith("**") else "*"
            if stars not in variadic:
                return f"takes no {arg.name}"
            continue
        if index >= len(plain):
            return f"parameter {index + 1} should be `{arg}`, there is none"
        if plain[index].name != arg.name:
            return f"parameter {index + 1} should be `{arg}`, it is `{plain[index]}`"
        if not _same_default(arg.default, plain[index].default):
            return f"parameter {index + 1} should be `{arg}`, it is `{plain[index]}`"
        index += 1
    for extra in plain[index:]:
        if extra.default is MISSING:
            return f"the extra parameter `{extra}` has no default"
    return None


def mismatch(row: Row, obj: Any) -> str | None:
    """What differs between the object and the table; None if nothing does."""
    if row.kind == "module-constant":
        return None
    if row.kind == "property":
        return "is a method, the table has a property" if inspect.isroutine(obj) else None
    if row.kind == "class" and not inspect.isclass(obj):
        return f"should be a class, is a {type(obj).__name__}"
    if not callable(obj):
        return f"should be callable, is a {type(obj).__name__}"
    got = actual(row, obj)
    if got is None:
        return "has a signature that inspect cannot read"
    versions = [*row.signature.split(" | "), *filter(None, [row.signature_202])]
    if OPERATOR.fullmatch(row.name.rpartition(".")[2]):
        # Python passes operands by position: only their number matters
        got = [Arg(w.name, g.default) for w, g in zip(parse(versions[0]), got)] + got[
            len(parse(versions[0])) :
        ]
    found = [_compare(parse(v), got) for v in versions if v]
    if not found or None in found:
        return None
    return f"{found[0]}; the table has {row.signature}, found ({', '.join(map(str, got))})"
