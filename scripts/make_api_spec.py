"""Writes docs/API.spec: every public name with its signature, so that no change of one is missed.

    make api-spec REASON="why"      writes it, and adds the reason to docs/API.changes
    python scripts/make_api_spec.py --check      shows what changed; the status says whether it did

Names come from three places: the tables of the 1.x and the 2.0 API (what of them exists here), the
packages that these tables name, and the `__all__` of every other module above the internal layers.
An object is told of once, under its name in the tables or its shortest path; other names that the
tables have for it follow as `name = name`. More paths to the same are in paddle/_module_paths.tsv.

Each line of the spec has a number, made of its text. A line of docs/API.changes has the sum of what
was added less what was removed, and the reason. All of them together give the sum of the spec. So
reasons cannot be forgotten, and those of two branches stay true when the branches are merged.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import difflib
import enum
import functools
import hashlib
import importlib
import inspect
import io
import re
import sys
import types
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from paddle.core.not_yet import NotYet  # noqa: E402
from scripts import api_table  # noqa: E402

TARGET = ROOT / "docs" / "API.spec"
CHANGES = ROOT / "docs" / "API.changes"
PACKAGES = ("paddle", "paddle_upgrade_tool", "visualdl")
HEAD = "# Every public name with its signature. Written by `make api-spec`; do not edit.\n"
HEAD_CHANGES = """\
# Why docs/API.spec changed; `make api-spec` adds the lines. Each has the sum of the numbers of the
# lines of the spec that came, less those that went; how many names came, changed and went; why.
"""
SHOWN = 80  # lines of a difference


# ---------------------------------------------------------------- which names there are
def internal() -> set[str]:
    """The packages below the public API, by the contract of imports."""
    contract = re.search(
        r'^name = "(.+) <- public API"', (ROOT / "pyproject.toml").read_text(), re.M
    )
    assert contract is not None
    return {f"paddle.{layer}" for layer in contract[1].split(" <- ")}


def modules() -> Iterator[str]:
    """Modules that say by `__all__` what is public, by their text alone."""
    below = internal()
    for file in sorted(f for package in PACKAGES for f in (ROOT / package).rglob("*.py")):
        parts = file.relative_to(ROOT).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        if ".".join(parts[:2]) in below or any(part.startswith("_") for part in parts):
            continue
        for node in ast.parse(file.read_text(encoding="utf8")).body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            if any(isinstance(t, ast.Name) and t.id == "__all__" for t in targets):
                yield ".".join(parts)


def _of_tables() -> Iterator[str]:
    for row in (*api_table.rows(), *api_table.fluid_rows()):
        if not row.is_member:
            yield row.name


def _of_packages() -> Iterator[tuple[str, Any]]:
    """What packages that the tables name have beside `__all__`, or instead of it."""
    for parent in sorted({name.rpartition(".")[0] for name in _of_tables()}):
        module = api_table.resolve(parent)
        if not isinstance(module, types.ModuleType):
            continue
        if parent in PACKAGES or not hasattr(module, "__all__"):
            for name in dir(module):
                value = getattr(module, name)
                home = f"{getattr(value, '__module__', '')}."
                if not name.startswith("_") and home.startswith(f"{parent}."):
                    yield f"{parent}.{name}", value


def _of_modules() -> Iterator[tuple[str, Any]]:
    for path in modules():
        module = importlib.import_module(path)
        for name in module.__all__:
            yield f"{path}.{name}", getattr(module, name)


def names() -> dict[str, Any]:
    """Public name -> object, the names of the tables first, then the shortest ones."""
    found = {name: api_table.resolve(name) for name in _of_tables()}
    told = {id(value) for value in found.values()}
    more = {**dict(_of_packages()), **dict(_of_modules())}
    for name in sorted(more.keys() - found.keys(), key=lambda n: (n.count("."), n)):
        if not _has_identity(more[name]) or id(more[name]) not in told:
            found[name] = more[name]
            told.add(id(more[name]))
    return {name: value for name, value in found.items() if _is_there(value)}


def _is_there(value: Any) -> bool:
    missing = value is api_table.MISSING or isinstance(value, NotYet)
    return not missing and not isinstance(value, types.ModuleType)


def _has_identity(value: Any) -> bool:
    """Whether two names of the same object are aliases; equal numbers and texts are not."""
    return callable(value) and not isinstance(value, enum.Enum)


def _is_ours(value: Any) -> bool:
    return str(getattr(value, "__module__", "")).partition(".")[0] in PACKAGES


# ---------------------------------------------------------------- what is said of a name
def default(value: Any) -> str:
    """A default value in the same words on every machine."""
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        kind = next(k for k in (type(None), bool, int, float, complex, str, bytes)
                    if isinstance(value, k))  # fmt: skip
        return kind.__repr__(value)  # NumPy shows its own floats in another way in each version
    if isinstance(value, (list, tuple)):
        inner = ", ".join(map(default, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(value) == 1)})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{default(k)}: {default(v)}" for k, v in value.items()) + "}"
    named = value if hasattr(value, "__qualname__") else type(value)
    return f"<{named.__qualname__.lstrip('_')}>"


def signature(function: Any, bound: bool = False) -> str:
    """The parameters of a callable with their defaults, without annotations."""
    try:
        parameters = list(inspect.signature(function).parameters.values())[int(bound) :]
    except (TypeError, ValueError):
        return "(...)"
    marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    shown: list[str] = []
    starred = False
    for before, parameter in zip([None, *parameters], [*parameters, None]):
        if before is not None and before.kind is before.POSITIONAL_ONLY:
            if parameter is None or parameter.kind is not parameter.POSITIONAL_ONLY:
                shown.append("/")
        if parameter is None:
            break
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            shown.append("*")
        starred |= parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        text = marks.get(parameter.kind, "") + parameter.name
        optional = parameter.default is not parameter.empty
        shown.append(f"{text}={default(parameter.default)}" if optional else text)
    return f"({', '.join(shown)})"


class Spec:
    """The lines of the spec.

    Attributes:
        lines: sorted by name.
    """

    def __init__(self, found: dict[str, Any], special: Iterable[str] = ()) -> None:
        """Makes the lines.

        Args:
            found: public name -> object.
            special: names of members with underscores that are public all the same.
        """
        self._special = set(special)
        self._home: dict[int, str] = {}
        for name, value in found.items():
            if _has_identity(value):
                self._home.setdefault(id(value), name)
        lines = [line for name, value in found.items() for line in self._told(name, value)]
        self.lines = sorted({*lines})

    def _told(self, name: str, value: Any) -> Iterator[str]:
        home = self._home.get(id(value), name) if _has_identity(value) else name
        if home != name:
            yield f"{name} = {home}"
        elif inspect.isclass(value):
            yield f"{name} class {self._class(value)}"
            for member, text in sorted(self._members(name, value).items()):
                yield f"{name}.{member} {text}"
        elif callable(value):
            yield f"{name} {signature(value)}"
        else:
            yield f"{name} {type(value).__name__}"

    def _is_told(self, cls: type) -> bool:
        return id(cls) in self._home

    def _class(self, cls: type) -> str:
        bases: list[type] = []
        for base in cls.__mro__[1:]:
            known = self._is_told(base) or not _is_ours(base)
            if known and base is not object and not any(issubclass(b, base) for b in bases):
                bases.append(base)
        of = ", ".join(self._home.get(id(b), b.__qualname__) for b in bases)
        return self._made_by(cls) + (f" of {of}" if of else "")

    def _made_by(self, cls: type) -> str:
        """The signature of a class, if it is of our making."""
        if issubclass(cls, enum.Enum):
            return "(value)"
        ours = [c for c in cls.__mro__ if _is_ours(c) and {"__init__", "__new__"} & {*vars(c)}]
        if not ours and any(c is not object and not _is_ours(c) for c in cls.__mro__):
            return "(...)"
        return signature(cls) if ours else "()"

    def _members(self, name: str, cls: type) -> dict[str, str]:
        """The members that a class does not have of a public base."""
        others = [c for base in cls.__mro__[1:] if self._is_told(base) for c in base.__mro__]
        own = [c for c in cls.__mro__ if _is_ours(c) and c not in others]
        found: dict[str, str] = {}
        if issubclass(cls, enum.Enum):
            found = dict.fromkeys(cls.__members__, "value")
        for klass in own:
            for member, value in vars(klass).items():
                if not member.startswith("_") or f"{name}.{member}" in self._special:
                    found.setdefault(member, self._member(value))
        return found

    @staticmethod
    def _member(value: Any) -> str:
        if isinstance(value, staticmethod):
            return f"static {signature(value.__func__)}"
        if isinstance(value, classmethod):
            return f"class method {signature(value.__func__, bound=True)}"
        if isinstance(value, (property, functools.cached_property)):
            return "property"
        if inspect.isclass(value):
            return "class"
        return signature(value, bound=True) if callable(value) else "attribute"


def lines() -> list[str]:
    """The lines of the spec as the code has it."""
    printed = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
        warnings.simplefilter("ignore")
        special = [r.name for r in (*api_table.rows(), *api_table.fluid_rows()) if r.is_member]
        return Spec(names(), special).lines


# ---------------------------------------------------------------- changes and their reasons
def read(target: Path = TARGET) -> list[str]:
    """The lines of the spec as it was committed."""
    if not target.exists():
        return []
    return [x for x in target.read_text(encoding="utf8").splitlines() if not x.startswith("#")]


def number(found: Iterable[str]) -> int:
    """The sum of the numbers of some lines."""
    return sum(int(hashlib.sha256(x.encode()).hexdigest()[:12], 16) for x in found)


def accounted(changes: Path = CHANGES) -> int:
    """The sum of all changes that have a reason."""
    if not changes.exists():
        return 0
    rows = changes.read_text(encoding="utf8").splitlines()
    return sum(int(row.split("\t")[0], 16) for row in rows if row and not row.startswith("#"))


def difference(before: list[str], now: list[str]) -> list[str]:
    """The lines that are gone and the new ones."""
    found = difflib.unified_diff(before, now, n=0, lineterm="")
    return [line for line in found if not line.startswith(("---", "+++", "@@"))]


def _counts(changed: list[str]) -> str:
    """How many names are new, changed and gone."""
    new, gone = ({line[1:].split(" ")[0] for line in changed if line[0] == s} for s in "+-")
    return f"+{len(new - gone)} ~{len(new & gone)} -{len(gone - new)}"


def check(now: list[str], target: Path = TARGET, changes: Path = CHANGES) -> str:
    """What is wrong with the files; empty if nothing is."""
    before = read(target)
    if before != now:
        changed = difference(before, now)
        rest = len(changed) - SHOWN
        more = [f"... and {rest} lines more"] if rest > 0 else []
        return "\n".join([
            f"the public API is not that of docs/{target.name} ({_counts(changed)}):",
            *changed[:SHOWN], *more,
            'If that is meant: make api-spec REASON="why", and commit both files. If a line',
            "is not yours, merge main first.",
        ])  # fmt: skip
    if accounted(changes) != number(now):
        return (
            f"docs/{changes.name} has no reason for a change of docs/{target.name}: "
            'make api-spec REASON="why"'
        )
    return ""


def write(
    now: list[str], reason: str, target: Path = TARGET, changes: Path = CHANGES
) -> str | None:
    """Writes the spec and the reason; what to say if there is none and one is needed.

    Args:
        now: the lines of the spec.
        reason: why it changed. None is needed where all changes have one, as after a merge.
        target: the spec.
        changes: the reasons.
    """
    missing = number(now) - accounted(changes)
    changed = difference(read(target), now)
    if missing and not reason.strip():
        return "\n".join([*changed[:SHOWN], 'say why: make api-spec REASON="..."'])
    target.write_text(HEAD + "".join(f"{line}\n" for line in now), encoding="utf8")
    if missing:
        told = changes.read_text(encoding="utf8") if changes.exists() else HEAD_CHANGES
        told += f"{missing:+x}\t{_counts(changed)}\t{' '.join(reason.split())}\n"
        changes.write_text(told, encoding="utf8")
    return None


def main(arguments: list[str]) -> int:
    """Writes or checks the spec."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing")
    parser.add_argument("--reason", default="", help="why the public API changed")
    options = parser.parse_args(arguments)
    now = lines()
    told = check(now) if options.check else write(now, options.reason)
    print(told or f"docs/{TARGET.name}: {len(now)} names")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
