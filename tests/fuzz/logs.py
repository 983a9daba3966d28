"""Damaged logs of VisualDL: whatever is in them, they are read, and what is read can be shown."""

from __future__ import annotations

import json
import logging
import random
from pathlib import Path
from typing import Any

from tests.fuzz.files import damaged
from tests.visualdl.records.logs import both_ways
from visualdl import LogReader
from visualdl.component import audio, curve, embedding, histogram, hparam, image, meta, scalar, text
from visualdl.export import FORMATS, export

FROZEN = Path(__file__).resolve().parents[1] / "data" / "visualdl"
SHOWN: dict[str, Any] = {
    "scalar": scalar, "scalars": scalar, "image": image, "audio": audio, "text": text,
    "histogram": histogram, "pr_curve": curve, "roc_curve": curve, "embeddings": embedding,
    "hyper_parameters": hparam, "meta_data": meta,
}  # fmt: skip


def real_logs() -> dict[str, bytes]:
    """Gives the logs that VisualDL 2.5.3 wrote, and all of them as one."""
    found = {
        path.parent.name: path.read_bytes() for path in sorted(FROZEN.glob("*/vdlrecords.*.log"))
    }
    return {**found, "all": b"".join(found.values())}


def use(path: Path) -> tuple[int, int]:
    """Reads a log in every way there is.

    Returns:
        tuple: how many records it has, and how many places were passed over.
    """
    count, problems = both_ways(str(path))
    reader = LogReader(file_path=str(path))
    rows = 0
    for component, tags in reader.get_tags().items():
        for tag in tags:
            for row in reader.get_data(component, tag):
                json.dumps(SHOWN[component].to_json(row), allow_nan=False)
                rows += 1
    if rows > count:
        raise AssertionError(f"{rows} records of {count}")
    for name in FORMATS:
        written = export(str(path), name, str(path.parent / f"out.{name}"))
        if name == "json" and sum(written.values()) != rows:
            raise AssertionError(f"{written} are written of {rows}")
    if len(json.loads((path.parent / "out.json").read_text("utf-8"))) != rows:
        raise AssertionError("the JSON has not all of them")
    return count, len(problems)


def fuzz_logs(r: random.Random, count: int, folder: Path) -> dict[str, Any]:
    """Reads damaged logs; `refused` counts those of which a part was passed over."""
    whole = list(real_logs().values())
    found: dict[str, Any] = {"ran": 0, "refused": 0, "failures": []}
    path = folder / "run" / "vdlrecords.1700000000.log"
    path.parent.mkdir(exist_ok=True)
    logger = logging.getLogger("visualdl")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        for _ in range(count):
            content = r.choice(whole)
            for _ in range(r.randint(1, 3)):
                content = damaged(content, r)
            if r.random() < 0.3:
                content += r.choice(whole)
            path.write_bytes(content)
            try:
                _, problems = use(path)
                found["refused" if problems else "ran"] += 1
            except Exception as error:
                text = f"{type(error).__name__}: {str(error)[:200]}"
                found["failures"].append(f"{text}: {content!r}")
    finally:
        logger.setLevel(level)
    return found
