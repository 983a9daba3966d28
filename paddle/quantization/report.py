"""What quantisation does to a model, layer by layer: errors, sizes, a picture."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.executor.scope import Scope, scope_guard
from paddle.quantization.numbers import held
from paddle.quantization.post_training import PostTrainingQuantization
from paddle.quantization.tables import WEIGHTED
from paddle.static.io_inference import load_inference_model


class LayerReport(NamedTuple):
    """What became of a layer.

    Attributes:
        name (str): the variable that it computes.
        kind (str): the operator.
        weight (str): its weight.
        scale (float): the value that the highest step of what it reads stands for.
        error (float): how far its result is off: the norm of the difference, relative.
        before (int): bytes of its weight in floats.
        after (int): bytes of its weight in steps, with their scales.
    """

    name: str
    kind: str
    weight: str
    scale: float
    error: float
    before: int
    after: int


def relative_error(found: np.ndarray, expected: np.ndarray) -> float:
    """The norm of the difference by that of what was expected."""
    off = np.linalg.norm((found - expected).astype("float64"))
    return float(off / max(np.linalg.norm(expected.astype("float64")), 1e-12))


def layers(
    ptq: PostTrainingQuantization, executor: Any, load: Callable[[], Any], feed: dict[str, Any]
) -> list[LayerReport]:
    """Compares the layers of a quantised model with those in floats.

    Args:
        ptq (PostTrainingQuantization): ``quantize`` was called.
        executor (Executor): runs both.
        load (callable): loads the model in floats into the current scope.
        feed (dict): a batch of data.
    """
    names = list(ptq.table)
    if not names:
        return []
    with scope_guard(Scope()):
        plain = executor.run(load()[0], feed=feed, fetch_list=names)
    with scope_guard(ptq.scope):
        program = ptq.program
        rounded = executor.run(program, feed=feed, fetch_list=[ptq.table[n] for n in names])
        block = program.global_block()  # type: ignore[union-attr]
        made = {}
        for op in block.ops:
            if op.type in WEIGHTED and op.output(WEIGHTED[op.type][2])[0] in ptq.table:
                made[op.output(WEIGHTED[op.type][2])[0]] = op
        found = []
        for name, expected, value in zip(names, plain, rounded, strict=True):
            op = made[name]
            slot_x, slot_w = WEIGHTED[op.type][:2]
            weight, read = op.input(slot_w)[0], op.input(slot_x)[0].removesuffix(".quantized")
            count = int(np.prod(block.var(weight).shape))
            scale = held(ptq.scope, f"{read}.scale")
            size = 1 if ptq.bits["weight_bits"] <= 8 else 2
            error = relative_error(value, expected)
            scales = 4 * _scales(block.var(weight).shape, op.type, ptq)
            at = float(scale.reshape(-1)[0])
            found.append(
                LayerReport(name, op.type, weight, at, error, 4 * count, size * count + scales)
            )
    return found


def _scales(shape: Any, kind: str, ptq: PostTrainingQuantization) -> int:
    """How many scales a weight has."""
    by_channel = ptq.kinds["weight_quantize_type"] == "channel_wise_abs_max"
    return int(shape[WEIGHTED[kind][3]]) if by_channel else 1


def sensitivities(
    make: Callable[[list[str]], PostTrainingQuantization],
    executor: Any,
    load: Callable[[], Any],
    feed: dict[str, Any],
    found: list[LayerReport],
) -> dict[str, float]:
    """How far the model's result is off if one layer alone is quantised, by layer.

    Args:
        make (callable): makes what quantises all layers but those with some weights.
        executor (Executor): runs the models.
        load (callable): loads the model in floats into the current scope.
        feed (dict): a batch of data.
        found (list): the layers.
    """
    with scope_guard(Scope()):
        program, _, fetches = load()
        expected = executor.run(program, feed=feed, fetch_list=fetches)
    errors = {}
    for layer in found:
        ptq = make([other.weight for other in found if other.weight != layer.weight])
        program = ptq.quantize()
        result = executor.run(program, feed=feed, fetch_list=ptq.fetches, scope=ptq.scope)
        pairs = zip(result, expected, strict=True)
        errors[layer.name] = max(relative_error(value, plain) for value, plain in pairs)
    return errors


def table(found: list[LayerReport], alone: dict[str, float] | None = None) -> str:
    """The layers as a text.

    Args:
        found (list): what :func:`layers` returned.
        alone (dict, optional): what :func:`sensitivities` returned.
    """
    head = ["layer", "operator", "scale", "error", "before", "after"]
    rows = [
        [r.name, r.kind, f"{r.scale:.5g}", f"{100 * r.error:.2f} %", str(r.before), str(r.after)]
        for r in found
    ]
    total = [str(sum(r.before for r in found)), str(sum(r.after for r in found))]
    rows.append(["all", "", "", "", *total])
    if alone is not None:
        head.append("model if alone")
        for row, r in zip(rows, found, strict=False):
            row.append(f"{100 * alone[r.name]:.3f} %")
        rows[-1].append("")
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = []
    for row in [head, *rows]:
        cells = [c.ljust(w) if i < 2 else c.rjust(w)
                 for i, (c, w) in enumerate(zip(row, widths, strict=True))]  # fmt: skip
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def picture(found: list[LayerReport]) -> str:
    """The errors of layers as bars, in SVG.

    Args:
        found (list): what :func:`layers` returned.
    """
    most = max([r.error for r in found], default=0.0) or 1.0
    height = 22 * len(found) + 40
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="760" height="{height}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="760" height="{height}" fill="white"/>',
        '<text x="10" y="20">Error of each layer, relative to its result in floats</text>',
    ]
    for i, r in enumerate(found):
        y, width = 34 + 22 * i, max(1.0, 380 * r.error / most)
        lines.append(f'<text x="240" y="{y + 13}" text-anchor="end">{escape(r.name)}</text>')
        lines.append(f'<rect x="250" y="{y}" width="{width:.1f}" height="16" fill="#3b6ea8"/>')
        lines.append(f'<text x="{256 + width:.1f}" y="{y + 13}">{100 * r.error:.2f} %</text>')
    return "\n".join([*lines, "</svg>", ""])


def draw(found: list[LayerReport], path: Path) -> None:
    """Writes the errors of layers as bars: an SVG by itself, other kinds by matplotlib.

    Args:
        found (list): what :func:`layers` returned.
        path (Path): the file; its end says the kind.

    Raises:
        ValueError: another kind than SVG, and matplotlib is not installed or does not know it.
    """
    if path.suffix.lower() == ".svg":
        path.write_text(picture(found), encoding="utf8")
        return
    try:
        figures = importlib.import_module("matplotlib.figure")
    except ImportError:
        raise InvalidArgumentError(
            f"--picture {path}: only .svg is drawn without matplotlib. Give a name that ends in "
            ".svg, or: pip install matplotlib"
        ) from None
    figure = figures.Figure(figsize=(8, 0.3 * len(found) + 1), layout="constrained")
    axes = figure.subplots()
    axes.barh([r.name for r in found], [100 * r.error for r in found])
    axes.invert_yaxis()
    axes.set_xlabel("error of each layer, % of its result in floats")
    figure.savefig(path)


def loader(path: str, executor: Any, files: dict[str, str]) -> Callable[[], Any]:
    """What loads a model in floats into the current scope.

    Args:
        path (str): the folder of the model, or the prefix of its files.
        executor (Executor): on whose device.
        files (dict): ``model_filename`` and ``params_filename``, if any.
    """
    return lambda: load_inference_model(path, executor, **files)
