"""Writes the tables of serialized Programs that the package ships, out of the API facts.

Usage: python scripts/make_serialization_tables.py PATH/api

``paddle/serialization/program/framework.json``: messages and enumerations of ProgramDesc, the
union of all releases.
``paddle/ir/attribute_kinds.json``: the kind each operator's attributes have in a ProgramDesc.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1] / "paddle"
ROOTS = ("ProgramDesc", "VarType.TensorDesc")


def schema(facts: dict[str, Any]) -> dict[str, Any]:
    """Joins the releases, the newest first, and keeps what a ProgramDesc can reach."""
    releases = [facts[f"framework@{v}"] for v in ("2.6.2", "2.0.0", "1.8.5")]
    messages: dict[str, dict[str, Any]] = {}
    enums: dict[str, dict[str, int]] = {}
    for release in releases:
        for name, values in release["enums"].items():
            enums[name] = values | enums.get(name, {})
        for name, fields in release["messages"].items():
            messages[name] = fields | messages.get(name, {})
    reached: set[str] = set()
    waiting = list(ROOTS)
    while waiting:
        name = waiting.pop()
        if name in reached:
            continue
        reached.add(name)
        waiting += [f["type"] for f in messages.get(name, {}).values()]
        if "." in name:  # the message around a nested one
            waiting.append(name.rpartition(".")[0])
    return {
        "package": releases[0]["package"],
        "enums": {n: dict(sorted(e.items(), key=lambda p: p[1])) for n, e in sorted(enums.items())
                  if n in reached},
        "messages": {n: compact(m) for n, m in sorted(messages.items()) if n in reached},
    }  # fmt: skip


def compact(fields: dict[str, Any]) -> dict[str, list]:
    """Writes a field as [number, label, type] and its default where there is one."""
    ordered = sorted(fields.items(), key=lambda pair: pair[1]["n"])
    return {
        name: [f["n"], f["label"], f["type"], *([f["default"]] if "default" in f else [])]
        for name, f in ordered
    }


def kinds(facts: dict[str, Any], more: dict[str, Any], codes: dict[str, int]) -> dict[str, Any]:
    """Finds the usual kind of every attribute name and the operators that differ from it."""
    found: dict[str, dict[str, int]] = {}
    for table in (more, facts):  # the second goes over the first
        for op, entry in table.items():
            if not op.startswith("__"):
                attrs = {a["name"]: codes[a["type"]] for a in entry.get("attrs", [])}
                found[op] = found.get(op, {}) | attrs
    counts: dict[str, Counter] = defaultdict(Counter)
    for release in facts["__common_attrs__"].values():
        for attr in release:
            counts[attr["name"]][codes[attr["type"]]] += 1
    for attrs in found.values():
        for name, kind in attrs.items():
            counts[name][kind] += 1
    usual = {
        name: min(kind for kind, n in c.items() if n == max(c.values()))
        for name, c in sorted(counts.items())
    }
    differing = {}
    for op, attrs in sorted(found.items()):
        other = {n: k for n, k in sorted(attrs.items()) if usual[n] != k}
        if other:
            differing[op] = other
    return {"usual": usual, "differing": differing}


def dump(data: dict[str, dict], name: str) -> None:
    """Writes one entry a line, so that a change can be read."""
    parts = []
    for key, value in data.items():
        if isinstance(value, dict):
            lines = ",\n".join(
                f"  {json.dumps(k)}: {json.dumps(v, separators=(', ', ': '))}"
                for k, v in value.items()
            )
            parts.append(f"{json.dumps(key)}: {{\n{lines}\n}}")
        else:
            parts.append(f"{json.dumps(key)}: {json.dumps(value)}")
    (PACKAGE / name).write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf8")


def main() -> None:
    """Reads the facts and writes both tables."""
    folder = Path(sys.argv[1])
    facts = {
        name: json.loads((folder / f"{name}.json").read_text("utf8"))
        for name in ("framework-proto", "op-protos", "op-protos-2.0.0-src")
    }
    described = schema(facts["framework-proto"])
    dump(described, "serialization/program/framework.json")
    codes = described["enums"]["AttrType"]
    table = kinds(facts["op-protos"], facts["op-protos-2.0.0-src"], codes)
    dump(table, "ir/attribute_kinds.json")


if __name__ == "__main__":
    main()
