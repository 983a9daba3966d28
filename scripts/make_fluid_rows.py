"""Writes paddle/fluid/layers/_rows.tsv: what each layer function of 1.x is made of.

A function that a module in paddle/fluid/layers names in its `__all__` is written by hand. Of the
others the signature in tests/data/fluid-1.8-api.tsv is matched with the slots and attributes of
the operator of the same name; scripts/fluid_renames.tsv says what differs, and which functions are
made from rows at all.
"""

from __future__ import annotations

import ast
import csv
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from paddle.core.op import REGISTRY  # noqa: E402
from paddle.fluid.layers.compiling import snake  # noqa: E402

DATA = ROOT / "tests" / "data"
LAYERS = ROOT / "paddle" / "fluid" / "layers"
TARGET = LAYERS / "_rows.tsv"
RENAMES = ROOT / "scripts" / "fluid_renames.tsv"
PUBLIC = "paddle.fluid.layers."
FIELDS = [
    "name", "signature", "module", "operator", "inputs", "attributes", "outputs", "result", "layer",
    "new",
]  # fmt: skip
# Parameters that are neither slot nor attribute of any operator.
HANDLED = ("name", "act", "out", "cond", "output", "use_cudnn")


def _lines(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def written_by_hand() -> dict[str, str]:
    """Name -> the module in paddle/fluid/layers that defines it."""
    found: dict[str, str] = {}
    for file in sorted(LAYERS.rglob("*.py")):
        if file.name == "__init__.py" and file.parent == LAYERS:
            continue
        parts = file.relative_to(ROOT).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        for node in ast.parse(file.read_text(encoding="utf8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                found |= dict.fromkeys(ast.literal_eval(node.value), module)
    return found


def renames() -> dict[str, dict[str, str]]:
    """Layer -> field -> what scripts/fluid_renames.tsv says."""
    return {line["name"]: line for line in _lines(RENAMES)}


def _parameters(signature: str) -> dict[str, str]:
    """Parameter -> its default as text; empty: none."""
    spec = ast.parse(f"def f{signature}: pass").body[0].args  # type: ignore[attr-defined]
    defaults = [""] * (len(spec.args) - len(spec.defaults)) + [*map(ast.unparse, spec.defaults)]
    return dict(zip((a.arg for a in spec.args), defaults, strict=True))


def _slot_of(parameter: str, op: Any, taken: set[str]) -> str | None:
    """The slot that a parameter names."""
    free = [s for s in op.inputs if s.name not in taken]
    for slot in free:
        if parameter.lower() in (slot.name.lower(), snake(slot.name)):
            return slot.name + "*" * slot.many
    if parameter in ("input", "x"):
        for slot in free:
            if slot.name in ("X", "Input"):
                return slot.name + "*" * slot.many
    return None


def _split(text: str) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in text.split())


def row(name: str, signature: str, said: dict[str, str], new: str) -> list[str]:
    """The row of one layer."""
    op = REGISTRY[said["operator"] or name]
    inputs, attrs = _split(said["inputs"]), _split(said["attributes"])
    used = {*inputs.values(), *(v.rstrip("?").split(":")[0] for v in attrs.values())}
    for parameter, default in _parameters(signature).items():
        if parameter in used:
            continue
        if parameter in op.attrs:
            kind = ":dtype" if parameter == "dtype" else ""
            attrs[parameter] = parameter + kind + "?" * (default == "None")
            continue
        slot = _slot_of(parameter, op, {s.rstrip("*") for s in inputs})
        if slot is not None:
            inputs[slot] = parameter
        elif parameter not in HANDLED:
            raise SystemExit(f"{name}: {op!r} has nothing for {parameter!r}")
    missing = [
        s.name for s in op.inputs if not s.optional and not {s.name, s.name + "*"} & {*inputs}
    ]
    if missing:
        raise SystemExit(f"{name}: nothing goes into {missing} of {op!r}")
    fields = [" ".join(f"{k}={v}" for k, v in pairs.items()) for pairs in (inputs, attrs)]
    return [
        name,
        signature,
        "",
        op.name,
        *fields,
        said["outputs"],
        said["result"],
        said["layer"],
        new,
    ]


def text() -> str:
    """The contents of the file."""
    hand, said = written_by_hand(), renames()
    stands = {
        line["old"]: line["new"].replace(" ", "") for line in _lines(DATA / "api-map-1x-to-2.tsv")
    }
    rows = []
    for line in _lines(DATA / "fluid-1.8-api.tsv"):
        name = line["name"].removeprefix(PUBLIC)
        if not line["name"].startswith(PUBLIC) or "." in name or line["evidence"] == "member":
            continue
        new = stands.get(line["name"], "")
        if name in hand:
            rows.append([name, "", hand[name], "", "", "", "", "", "", new])
        elif name in said:
            rows.append(row(name, line["signature"], said[name], new))
    rows.sort()
    return "".join("\t".join(fields) + "\n" for fields in [FIELDS, *rows])


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf8")
