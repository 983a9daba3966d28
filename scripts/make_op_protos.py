"""Writes what is known of PaddlePaddle's operator schemas.

tests/data/op-protos.json is what the tests compare with; paddle/fluid/_intermediate_slots.json has
the outputs that PaddlePaddle calls intermediate, which ``fluid.op`` tells.

Usage: python scripts/make_op_protos.py PATH/op-protos.json [PATH/op-protos-2.0.0-src.json]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

FLAGS = ("dispensable", "duplicable", "intermediate")
# Attributes of 2.0 to 2.4, which the two releases that the facts are from do not have.
BETWEEN = {
    "set_value": [f"{kind}_values" for kind in ("bool", "int32", "int64", "fp32", "fp64")],
}


def compact(entry: dict) -> dict:
    """Keeps names, flags and the defaults of every release."""

    def slots(listed: list) -> dict:
        return {s["name"]: {f: True for f in FLAGS if s.get(f)} for s in listed}

    attrs = {}
    for attr in entry["attrs"]:
        defaults = [attr[k] for k in ("default",) if k in attr]
        defaults += [
            v["default"] for k, v in attr.items() if k.startswith("at_") and "default" in v
        ]
        attrs[attr["name"]] = {"defaults": defaults}
    attrs |= {name: {"defaults": [[]]} for name in BETWEEN.get(entry["name"], [])}
    return {"inputs": slots(entry["inputs"]), "outputs": slots(entry["outputs"]), "attrs": attrs}


def intermediate(tables: list[dict]) -> dict[str, list[str]]:
    """Operator -> outputs that one of the tables calls intermediate."""
    found: dict[str, set[str]] = {}
    for table in tables:
        for name, entry in table.items():
            slots = entry.get("outputs", ()) if not name.startswith("__") else ()
            marked = {slot["name"] for slot in slots if slot.get("intermediate")}
            if marked:
                found.setdefault(name, set()).update(marked)
    return {name: sorted(slots) for name, slots in sorted(found.items())}


def main() -> None:
    """Reads the facts and writes the tables, an operator a line."""
    tables = [json.loads(Path(path).read_text("utf8")) for path in sys.argv[1:]]
    facts = tables[0]
    root = Path(__file__).parents[1]
    lines = [f"{json.dumps(n)}: {json.dumps(slots)}" for n, slots in intermediate(tables).items()]
    slots_file = root / "paddle" / "fluid" / "_intermediate_slots.json"
    slots_file.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf8")
    target = root / "tests" / "data" / "op-protos.json"
    lines = [
        f"{json.dumps(name)}: {json.dumps(compact({'name': name, **entry}), separators=(',', ':'))}"
        for name, entry in facts.items()
        if not name.startswith("__")
    ]
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf8")


if __name__ == "__main__":
    main()
