"""Writes into docs/compression.md what of PaddleSlim runs here: a row for each public name.

    python scripts/make_slim_table.py [FOLDER [MORE_FOLDERS ...]]

FOLDER holds PaddleSlim: .venv/slim, where `make clients` puts it. The stories of tests/slim are run
with it. A name passes if all stories pass that it stands in. Each further folder, of another
version (.venv/slim-2.1.1), makes a list below the table.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.slim.run import later, put_back, stories_of, version  # noqa: E402
from tests.slim.stories import THEMES  # noqa: E402

TARGET = ROOT / "docs" / "compression.md"
BEGIN, END = "<!-- slim table: begin -->", "<!-- slim table: end -->"
PACKAGES = ("prune", "dygraph", "analysis", "dist", "quant", "nas", "nas.ofa", "core", "common",
            "models")  # fmt: skip
# Why a story does not come out where its error does not tell.
REASONS = {
    "the_space_of_inception_c": "PaddleSlim's own: its first tokens are not in its table, "
    "whatever it runs on",
}


def public_names(folder: str) -> list[str]:
    """The public names below ``paddleslim.``, each object once."""
    sys.path.insert(1, folder)
    put_back()
    found, seen = [], set()
    for package in PACKAGES:
        module = importlib.import_module(f"paddleslim.{package}")
        own = [
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and callable(value) and name != "get_paddle_version"
            and getattr(value, "__module__", "").startswith("paddleslim.")
            and not value.__module__.startswith("paddleslim.common.log")
        ]  # fmt: skip
        for name in getattr(module, "__all__", own) if package != "models" else own:
            value = getattr(module, name)
            if not inspect.ismodule(value) and id(value) not in seen:
                seen.add(id(value))
                found.append(f"{package}.{name}")
    return found


def run_stories(folder: str) -> dict[str, Any]:
    """What became of each story with the PaddleSlim of a folder."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as home:
        for theme in THEMES:
            target = Path(home) / f"{theme}.json"
            subprocess.run(
                [sys.executable, str(ROOT / "tests/slim/run.py"), folder, str(target), theme],
                env={**os.environ, "HOME": home, "OMP_NUM_THREADS": "1"}, cwd=home,
                capture_output=True,
            )  # fmt: skip
            if target.is_file():
                found |= json.loads(target.read_text())
            for each in stories_of(theme):
                missing = {"names": each.names, "error": "the process ended", "theme": theme}
                if not each.not_before:
                    found.setdefault(each.name, missing)
    return found


def imports(folder: str) -> dict[str, Any]:
    """How many modules could be imported, and why not the others."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests/slim/importing.py"), folder],
        env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1])


def row(name: str, stories: dict[str, Any]) -> tuple[str, str]:
    """Whether a name passes, and a word to it."""
    about = {key: found for key, found in stories.items() if name in found["names"]}
    if not about:
        return "not tried", ""
    failed = {key: found["error"] for key, found in about.items() if found["error"]}
    if failed:
        key, error = next(iter(failed.items()))
        return "fails", REASONS.get(key, error.replace("|", "/"))
    return "passes", ", ".join(key.replace("_", " ") for key in about)


def table(folder: str, others: list[str]) -> str:
    """The text between the markers."""
    stories = run_stories(folder)
    names = public_names(folder)
    listed = [*names, *dict.fromkeys(
        name for found in stories.values() for name in found["names"]
        if "." in name and name not in names and name.rpartition(".")[2].islower()
        and name.count(".") > 1
    )]  # fmt: skip
    rows = {name: row(name, stories) for name in listed}
    counts = {kind: sum(r[0] == kind for r in rows.values())
              for kind in ("passes", "fails", "not tried")}  # fmt: skip
    modules = imports(folder)
    lines = [
        f"PaddleSlim {version(folder)}: {modules['imported']} of "
        f"{modules['imported'] + len(modules['failed'])} modules can be imported. Of "
        f"{len(rows)} public names {counts['passes']} pass, {counts['fails']} fail, "
        f"{counts['not tried']} are not tried.",
        "",
        "| below `paddleslim.` | | the stories it stands in, or why it fails |",
        "|---|---|---|",
        *[f"| `{name}` | {kind} | {word} |" for name, (kind, word) in rows.items()],
        "",
    ]
    reasons: dict[str, int] = {}
    for error in modules["failed"].values():
        reasons[error] = reasons.get(error, 0) + 1
    lines += [f"Modules that cannot be imported: {_counted(reasons)}.", ""]
    for other in others:
        lines += _other_release(other)
    return "\n".join(lines)


def _other_release(folder: str) -> list[str]:
    """What is told of another release."""
    found = imports(folder)
    told = {} if "paddleslim" in found["failed"] else run_stories(folder)
    reasons: dict[str, int] = {}
    for error in found["failed"].values():
        reasons[error] = reasons.get(error, 0) + 1
    passed = sum(not each["error"] for each in told.values())
    stories = f"{passed} of {len(told)} stories come out" if told else "no story can begin"
    total = found["imported"] + len(found["failed"])
    lines = [
        f"PaddleSlim {version(folder)}: {found['imported']} of {total} modules; {stories}. "
        f"Not imported: {_counted(reasons)}."
    ]
    failed = {k: v["error"] for k, v in told.items() if v["error"]}
    listed = [f"- {k.replace('_', ' ')}: {REASONS.get(k, error)}" for k, error in failed.items()]
    later_names = _later_names(version(folder))
    if later_names:
        listed.append(f"- not there yet: {later_names}")
    return [*lines, *([""] if listed else []), *listed, ""]


def _later_names(release: str) -> str:
    """The names of stories that a release has not yet."""
    return ", ".join(
        f"`{name}`"
        for theme in THEMES
        for each in stories_of(theme)
        if each.not_before and later(each.not_before, release)
        for name in each.names
        if "." in name
    )


def _counted(reasons: dict[str, int]) -> str:
    if not reasons:
        return "none"
    shown: dict[str, int] = {}
    for reason, count in reasons.items():
        without_path = re.sub(r" \((/|unknown)[^)]*\)", "", reason)
        shown[without_path] = shown.get(without_path, 0) + count
    rows = sorted(shown.items(), key=lambda row: -row[1])
    return "; ".join(f"{count} by `{reason}`" for reason, count in rows)


def main() -> None:
    folders = [str(Path(f).resolve()) for f in sys.argv[1:]] or [str(ROOT / ".venv" / "slim")]
    made = table(folders[0], folders[1:])
    text = TARGET.read_text(encoding="utf8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    TARGET.write_text(f"{before}{BEGIN}\n{made}\n{END}{after}", encoding="utf8")
    print(made.splitlines()[0])
    sys.stdout.flush()
    os._exit(0)  # threads of the package may wait for ever


if __name__ == "__main__":
    main()
