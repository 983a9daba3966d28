"""Writes tests/data/op-protos.json, the operator schemas the tests compare with.

Usage: python scripts/make_op_protos.py PATH/op-protos.json
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


def main() -> None:
    """Reads the facts and writes the table, an operator a line."""
    facts = json.loads(Path(sys.argv[1]).read_text("utf8"))
    target = Path(__file__).parents[1] / "tests" / "data" / "op-protos.json"
    lines = [
        f"{json.dumps(name)}: {json.dumps(compact({'name': name, **entry}), separators=(',', ':'))}"
        for name, entry in facts.items()
        if not name.startswith("__")
    ]
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf8")


if __name__ == "__main__":
    main()
