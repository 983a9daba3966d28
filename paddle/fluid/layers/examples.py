"""The examples of layer functions that are made from rows: a call of each, and what it gives.

``_examples.tsv`` has the arguments of a call and the shape of its result, which a test compares.
"""

from __future__ import annotations

import csv
import functools
import os
import re

_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_examples.tsv")
# Variable of an example -> how it is declared.
_DECLARED = {
    "x": "[2, 3]",
    "y": "[2, 3]",
    "square": "[3, 3]",
    "batch": "[2, 3, 4]",
    "batch_t": "[2, 4, 3]",
    "weight": "[4, 5]",
    "column": "[2]",
    "row": "[1, 3]",
    "row_of": "[3]",
    "small": "[1, 2]",
    "image": "[2, 8, 6, 6]",
    "scale": "[8]",
    "bias": "[8]",
    "grid": "[2, 6, 6, 2]",
    "probability": "[2, 3]",
    "score": "[2, 1]",
    "answer": "[2, 1]",
    "label": '[2, 1], "int64"',
    "numbers": '[2, 3], "int64"',
    "flags": '[2, 3], "bool"',
    "index": '[2], "int64"',
    "pairs": '[2, 2], "int64"',
    "places": '[2, 2], "int64"',
    "updates": "[2]",
    "choice": '[2, 1], "int32"',
    "row_int": '[5], "int64"',
    "beams": '[4, 2, 3], "int64"',
    "foreground": '[1], "int32"',
    "words": '[None, 1], "int64", lod_level=1',
    "rows": "[None, 5], lod_level=1",
    "shows": "[None, 2]",
    "tags": '[None, 1], "int64", lod_level=1',
    "wanted": '[1], "int64"',
    "rois": "[None, 4], lod_level=1",
    "corners": "[None, 8], lod_level=1",
    "im_info": "[2, 3]",
    "anchors": "[5, 4]",
    "variances": "[4]",
    "box_deltas": "[5, 12]",
    "box_scores": "[5, 3]",
    "boxes": "[2, 5, 4]",
    "scores": "[2, 3, 5]",
    "class_scores": "[2, 5, 3]",
    "one_box": "[1, 5, 4]",
    "one_score": "[1, 3, 5]",
    "classes": '[None, 1], "int32", lod_level=1',
    "crowd": '[None, 1], "int32", lod_level=1',
    "polygons": "[None, 2], lod_level=3",
    "roi_labels": '[None, 1], "int32", lod_level=1',
    "yolo": "[2, 14, 4, 4]",
    "image_size": '[2, 2], "int32"',
}
_NAME = re.compile(r"\b[a-z_]+\b(?!=)")
_TEXT = re.compile(r'"[^"]*"')


@functools.lru_cache(maxsize=1)
def _calls() -> dict[str, tuple[str, str]]:
    with open(_FILE, encoding="utf8", newline="") as file:
        lines = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(lines)
        return {name: (arguments, shape) for name, arguments, shape in lines}


def example(layer: str) -> str:
    """The lines of a layer's example; empty: it has none.

    Args:
        layer (str): the function.
    """
    if layer not in _calls():
        return ""
    arguments, shape = _calls()[layer]
    names = [n for n in dict.fromkeys(_NAME.findall(_TEXT.sub("", arguments))) if n in _DECLARED]
    shown = "[out.shape for out in outs]" if shape[0] == "[" else "out.shape"
    lines = [
        "import paddle", "import paddle.fluid as fluid", "",
        "paddle.enable_static()",
        *(f'{name} = fluid.data("{name}", {_DECLARED[name]})' for name in names),
        f"{'outs' if shape[0] == '[' else 'out'} = fluid.layers.{layer}({arguments})",
        f"print({shown})  # {shape}",
        "paddle.disable_static()",
    ]  # fmt: skip
    return "\n".join(lines)
