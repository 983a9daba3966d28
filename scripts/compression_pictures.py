"""Draws the pictures of docs/compression.md: accuracy over size, error by layer, milliseconds.

python scripts/compression_pictures.py

Accuracies are those of the first lines of examples/compress, milliseconds those of the rows of
benchmarks/README.md. For the errors it trains LeNet on MNIST (`make mnist`) and quantises it by
`python -m paddle.quantization`, whose table it prints.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import matplotlib
import numpy as np

import paddle
from paddle.quantization.__main__ import main as quantise
from paddle.static import InputSpec

matplotlib.use("Agg")
from matplotlib import pyplot as plt

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "img"
EXAMPLES = ROOT / "examples" / "compress"
_NUMBER = r"([\d.]+\d)"
# Where an example's first lines say a number; each in the order of the names.
MEASURED = {
    "prune_mnist.py": (
        rf"accuracy {_NUMBER}; {_NUMBER} with {_NUMBER}% of the operations and {_NUMBER}% of the "
        rf"parameters left; {_NUMBER} after",
        ("whole", "cut", "operations", "parameters", "pruned"),
    ),
    "ptq_mnist.py": (
        rf"LeNet {_NUMBER} in float, {_NUMBER} and {_NUMBER} in 8 bits",
        ("float", "abs_max", "hist"),
    ),
    "qat_mnist.py": (
        rf"LeNet {_NUMBER} in float, {_NUMBER} tuned in float, {_NUMBER} tuned in 8 bits",
        ("float", "tuned", "aware"),
    ),
    "distill_mnist.py": (
        rf"the student {_NUMBER} alone and {_NUMBER} with the teacher",
        ("alone", "taught"),
    ),
}
_ROW = re.compile(
    r"^\| int8 +\| ([^|/]+?)(?:, no AMX)? / ([^|]+?) +\|[^|]+\|[^|]+\| ([\d.]+) ms +\| ([\d.]+) ms",
    re.M,
)


class Point(NamedTuple):
    """A network: what it is called, the bytes of its parameters, its accuracy in percent."""

    label: str
    size: float
    accuracy: float


def measured() -> dict[str, dict[str, float]]:
    """What the first lines of the examples say, by example."""
    found = {}
    for name, (pattern, keys) in MEASURED.items():
        head = " ".join((EXAMPLES / name).read_text("utf8").split('"""')[1].split())
        numbers = re.search(pattern, head)
        if numbers is None:
            raise SystemExit(f"{name}: its first lines do not say {pattern!r}")
        found[name] = dict(zip(keys, map(float, numbers.groups()), strict=True))
    return found


def loaded(name: str) -> ModuleType:
    """An example as a module."""
    sys.path.insert(0, str(EXAMPLES))
    try:
        spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module


def sizes(model: paddle.nn.Layer) -> tuple[int, int]:
    """Bytes of the parameters in float32, and with weights in 8 bits and a scale by channel."""
    weights = [p for p in model.parameters() if len(p.shape) > 1]
    count = sum(int(np.prod(p.shape)) for p in model.parameters())
    steps = sum(int(np.prod(p.shape)) for p in weights)
    scales = sum(p.shape[0] if len(p.shape) == 4 else p.shape[-1] for p in weights)
    return 4 * count, 4 * (count - steps + scales) + steps


def points() -> list[Point]:
    """What the first picture shows."""
    say = measured()
    whole, eight = sizes(paddle.vision.models.LeNet())
    student, _ = sizes(loaded("distill_mnist").small())
    pruned, ptq, aware, taught = (say[name] for name in MEASURED)
    left = whole * pruned["parameters"] / 100
    return [
        Point("float, 2 epochs", whole, ptq["float"]),
        Point("float, 3 epochs", whole, pruned["whole"]),
        Point("calibrated, 8 bits", eight, ptq["hist"]),
        Point("trained in 8 bits", eight, aware["aware"]),
        Point("pruned and tuned", left, pruned["pruned"]),
        Point("student, 1,000 labels", student, taught["alone"]),
        Point("the same with a teacher", student, taught["taught"]),
    ]


def draw_accuracy(found: list[Point], path: Path) -> None:
    """Accuracy over size, in two parts: the students are far below the others."""
    parts = [[p for p in found if p.accuracy > 95], [p for p in found if p.accuracy <= 95]]
    figure, both = plt.subplots(2, 1, sharex=True, figsize=(6.8, 4.4), height_ratios=[3, 2])
    for axes, part, color in zip(both, parts, ("#3b6ea8", "#b3592d"), strict=True):
        for p in part:
            axes.plot(p.size / 1e3, p.accuracy, "o", color=color)
            axes.annotate(
                f"{p.label}: {p.accuracy:.2f}", (p.size / 1e3, p.accuracy), fontsize=8,
                xytext=(7, -3), textcoords="offset points",
            )  # fmt: skip
        axes.margins(y=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    both[0].spines["bottom"].set_visible(False)
    both[0].tick_params(axis="x", length=0)
    both[1].set_xscale("log")
    both[1].set_xlim(7, 800)
    both[1].set_xticks(ticks := [10, 20, 50, 100, 200], [str(t) for t in ticks])
    both[1].minorticks_off()
    both[1].set_xlabel("parameters in kB")
    figure.supylabel("accuracy on MNIST, %", fontsize=10)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def latencies(text: str) -> dict[str, dict[str, float]]:
    """Network -> what computes -> milliseconds, of the rows of benchmarks/README.md."""
    found: dict[str, dict[str, float]] = {}
    for network, other, ours, theirs in _ROW.findall(text):
        row = found.setdefault(network, {})
        row["pypaddle in 8 bits"] = float(ours)
        row[other.replace("ours", "pypaddle")] = float(theirs)
    if not found:
        raise SystemExit("benchmarks/README.md: no rows of int8")
    return found


def draw_latency(found: dict[str, dict[str, float]], path: Path) -> None:
    """One group of bars for each network."""
    figure, axes = plt.subplots(figsize=(6.8, 3.0))
    labels = list(dict.fromkeys(label for row in found.values() for label in row))
    places, height = np.arange(len(found)), 0.8 / len(labels)
    for i, label in enumerate(labels):
        values = [row.get(label, 0.0) for row in found.values()]
        bars = axes.barh(places + (i - 1) * height, values, height * 0.9, label=label)
        axes.bar_label(bars, [f"{v:.3g} ms" if v else "" for v in values], padding=3, fontsize=8)
    axes.set_yticks(places, [name.removesuffix(" b1").replace(" b1 ", ", ") for name in found])
    axes.invert_yaxis()
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("milliseconds for one sample, one thread")
    axes.margins(x=0.12)
    axes.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def draw_layers(path: Path) -> None:
    """Trains LeNet, and lets the command quantise it, print its table and draw its picture."""
    digits = loaded("digits")
    paddle.seed(1)
    x, y = digits.arrays("train", count=12000)
    model = digits.network("lenet")
    digits.train(model, x, y, 1, 2e-3)
    model.eval()
    with tempfile.TemporaryDirectory() as folder:
        net, data = Path(folder) / "lenet", Path(folder) / "data"
        spec = [InputSpec([None, 1, 28, 28], "float32", "image")]
        paddle.jit.save(model, str(net), input_spec=spec)
        data.mkdir()
        np.save(data / "0.npy", x[:64])
        if quantise([str(net), "--data", str(data), "--sensitivity", "--picture", str(path)]):
            raise SystemExit("nothing was quantised")


def main() -> int:
    """Draws the pictures."""
    draw_accuracy(points(), IMAGES / "compression_accuracy.png")
    rows = (ROOT / "benchmarks" / "README.md").read_text("utf8")
    draw_latency(latencies(rows), IMAGES / "compression_latency.png")
    draw_layers(IMAGES / "compression_layers.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
