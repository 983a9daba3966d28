"""Draws the picture of docs/lite.md: how long each engine takes for one image.

python -m benchmarks --only lite: --json lite.json
python scripts/lite_pictures.py lite.json
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot as plt

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "img"
NETWORKS = ("MobileNetV1 b1", "ResNet50 b1")
ENGINES = {"C": "paddlelite, C", "NumPy": "paddlelite, NumPy"}


def latencies(record: dict, threads: int) -> dict[str, list[float]]:
    """The milliseconds of each engine, a number for each of NETWORKS."""
    rows = {r["name"]: r for r in record["rows"] if r["threads"] == threads}
    found = {"pypaddle": [rows[f"{name}, C"]["torch"] for name in NETWORKS]}
    for engine, label in ENGINES.items():
        found[label] = [rows[f"{name}, {engine}"]["ours"] for name in NETWORKS]
    return found


def draw(found: dict[str, list[float]], path: Path) -> None:
    """Writes one group of bars for each network."""
    figure, axes = plt.subplots(figsize=(6.4, 2.8))
    places, height = np.arange(len(NETWORKS)), 0.8 / len(found)
    for i, (label, values) in enumerate(found.items()):
        bars = axes.barh(places + (i - 1) * height, values, height * 0.9, label=label)
        axes.bar_label(bars, [f"{v:.0f} ms" for v in values], padding=3, fontsize=8)
    axes.set_yticks(places, [name.removesuffix(" b1") for name in NETWORKS])
    axes.invert_yaxis()
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("milliseconds for one image of 224x224, one thread")
    axes.margins(x=0.12)
    axes.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main() -> int:
    """Draws the picture."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("record", type=Path, help="what the benchmarks wrote with --json")
    given = parser.parse_args()
    record = json.loads(given.record.read_text())
    draw(latencies(record, 1), IMAGES / "lite_latency.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
