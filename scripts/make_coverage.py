"""Write docs/coverage.md: which names of the 2.0 API exist here, and where they differ."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts import api_table  # noqa: E402

TARGET = ROOT / "docs" / "coverage.md"

HEAD = """# Coverage of the 2.0 API

Written by `make docs` from `tests/data/api-2.0.tsv`; do not edit. A name counts as present when it
can be imported; a signature differs when a parameter's name, place or default is another one.
Names that were importable in 2.0 but neither exported nor documented are counted apart.
"""


@dataclass
class Namespace:
    """What was found for the names directly under one module or class."""

    total: int = 0
    present: int = 0
    missing: list[str] = field(default_factory=list)
    differing: list[tuple[str, str]] = field(default_factory=list)


def _owner(row: api_table.Row) -> str:
    """The module a row is counted under: members count under the module of their class."""
    parts = row.name.split(".")
    return ".".join(parts[:-2] if row.is_member else parts[:-1]) or row.name


def survey(
    rows: tuple[api_table.Row, ...] | None = None,
) -> tuple[dict[str, Namespace], Namespace]:
    """Per module what exists, and the same for the undocumented names together."""
    known = api_table.deviations()
    spaces: dict[str, Namespace] = defaultdict(Namespace)
    hidden = Namespace()
    for row in api_table.rows() if rows is None else rows:
        space = hidden if rows is None and row.evidence == "attr" else spaces[_owner(row)]
        space.total += 1
        obj = api_table.resolve(row.name)
        if obj is api_table.MISSING:
            if row.name not in known:
                space.missing.append(row.name)
            continue
        space.present += 1
        overloaded = any(" | (" in text for text in (row.signature, row.signature_202))
        skip = row.name in known or (rows is not None and overloaded)
        difference = None if skip else api_table.mismatch(row, obj)
        if difference:
            space.differing.append((row.name, difference))
    return dict(sorted(spaces.items())), hidden


def render(spaces: dict[str, Namespace], hidden: Namespace) -> str:
    """The page as Markdown."""
    total = sum(s.total for s in spaces.values())
    present = sum(s.present for s in spaces.values())
    differing = sum(len(s.differing) for s in spaces.values())
    lines = [
        HEAD,
        f"**{present} of {total}** public names are present; {differing} differ in signature.",
        f"Of {hidden.total} undocumented names, {hidden.present} are present.",
        "",
        "| namespace | present | total | signature differs |",
        "|---|---:|---:|---:|",
    ]
    for name, space in spaces.items():
        lines.append(f"| `{name}` | {space.present} | {space.total} | {len(space.differing)} |")
    lines += ["", "## Deliberate deviations", "", "| name | reason |", "|---|---|"]
    lines += [f"| `{n}` | {reason} |" for n, reason in sorted(api_table.deviations().items())]
    if differing:
        lines += ["", "## Signatures that differ", ""]
        for space in spaces.values():
            lines += [f"- `{n}`: {why}" for n, why in space.differing]
    lines += ["", "## Missing", ""]
    for name, space in spaces.items():
        if space.missing:
            short = ", ".join(f"`{m.removeprefix(name + '.')}`" for m in space.missing)
            lines += [f"- **{name}** ({len(space.missing)}): {short}"]
    return "\n".join(lines) + "\n"


FLUID = """
## The 1.x API, `paddle.fluid`

From `tests/data/fluid-1.8-api.tsv`: the names and members of 1.8.5, and those that only 2.0's fluid
has. A call of a name works in the form of 1.8.5 and, where 2.0 has another one, in that form too.
What is left out on purpose is told by reason below; [fluid.md](fluid.md) says what happens when
such a name is used.
"""


@dataclass
class Fluid:
    """What was found for a module of 1.x: names and members apart."""

    present: list[int] = field(default_factory=lambda: [0, 0])
    total: list[int] = field(default_factory=lambda: [0, 0])


def survey_fluid() -> tuple[dict[str, Fluid], dict[str, list[str]], dict[str, list[str]]]:
    """The 1.x API: per module what exists; by reason what does not, and what is another one."""
    from tests.fluid.test_conformance import EXCEPTIONS, REFUSED, REFUSED_CLASSES, _wrong

    spaces: dict[str, Fluid] = defaultdict(Fluid)
    missing: dict[str, list[str]] = defaultdict(list)
    differing: dict[str, list[str]] = defaultdict(list)
    for row in api_table.fluid_rows():
        space = spaces[_part(_owner(row))]
        space.total[row.is_member] += 1
        wrong = _wrong(row)
        if wrong != "is missing":
            space.present[row.is_member] += 1
        if wrong is not None:
            why = _reason(row.name, REFUSED | REFUSED_CLASSES | EXCEPTIONS)
            (missing if wrong == "is missing" else differing)[why].append(row.name)
    return dict(sorted(spaces.items())), missing, differing


def _reason(name: str, reasons: dict[str, str]) -> str:
    """Why a name is left out, or in another form."""
    short = name.removeprefix("paddle.fluid.")
    found = [why for pattern, why in reasons.items() if re.fullmatch(pattern, short)]
    return re.sub(r"^\w: ", "", found[0]) if found else "not yet"


def _part(module: str) -> str:
    """The namespace under which a module is counted: `paddle.fluid.layers`, `paddle.dataset`."""
    parts = module.split(".")
    deep = parts[1:2] == ["fluid"] and parts[2:3] in (["contrib"], ["incubate"])
    return ".".join(parts[: (4 if deep else 3) if parts[1:2] == ["fluid"] else 2])


def render_fluid() -> str:
    """The part about the 1.x API."""
    spaces, missing, differing = survey_fluid()
    sums = [
        sum(counts(s)[member] for s in spaces.values())
        for member in (0, 1)
        for counts in (lambda s: s.present, lambda s: s.total)
    ]
    lines = [
        FLUID,
        "**{} of {}** names and **{} of {}** members are present.".format(*sums),
        "",
        "| namespace | names | of | members | of |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, space in spaces.items():
        (names, members), (of_names, of_members) = space.present, space.total
        lines.append(f"| `{name}` | {names} | {of_names} | {members} | {of_members} |")
    for title, found in (("Left out", missing), ("In another form", differing)):
        lines += ["", f"### {title}", "", "| why | how many | which |", "|---|---:|---|"]
        for why, names in sorted(found.items()):
            lines.append(f"| {why} | {len(names)} | {_shortened(names)} |")
    return "\n".join(lines) + "\n"


def _shortened(names: list[str]) -> str:
    """Names without their members; whole modules where there are many."""
    short = [name.removeprefix("paddle.fluid.") for name in names]
    if len(short) > 12:
        heads = {name: ".".join(name.split(".")[:2]) for name in short}
        short = [head + ".*" * (head != name) for name, head in heads.items()]
        short = [name for name in short if name + ".*" not in short]
    return ", ".join(f"`{name}`" for name in sorted(set(short)))


def main() -> None:
    """Write the page and print its summary."""
    spaces, hidden = survey()
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(render(spaces, hidden) + render_fluid(), encoding="utf8")
    total = sum(s.total for s in spaces.values())
    present = sum(s.present for s in spaces.values())
    print(f"{TARGET.relative_to(ROOT)}: {present} of {total} names present")


if __name__ == "__main__":
    main()
