"""What 2.6.2 gets when it loads models of 1.8.5 by jit.load and trains them further."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np
from corpus import base, write_values

import paddle

PREDICTED_ONLY = {"digits": "dropout", "transformer": "dropout"}
NOT_LOADED = {  # 2.6.2 adds the gradients when it loads
    "classes": "no operator one_hot",
    "constant": "no parameters: list index out of range",
    "declarative_control": "gradients of a block: no attribute use_mkldnn of cast",
    "forecast": "no operator rnn_memory_helper",
    "halving": "as declarative_control",
    "ranking": "no operator cos_sim",
    "segmentation": "gradient of conv2d_transpose: another type of attribute",
    "sentiment": "no operator rnn_memory_helper",
    "traced": "gradient of group_norm: no input Scale",
}


def old(root: str, name: str, meta: dict, begin, tune):
    """One model of the 1.8.5 part of the corpus in ROOT."""

    def fill(folder: str) -> dict:
        place = tempfile.mkdtemp()
        archive = os.path.join(root, "1.8.5.zip")  # unpacked elsewhere for the reason of pack.py
        subprocess.check_call([sys.executable, "-m", "zipfile", "-e", archive, place])
        path = os.path.join(place, name, "model")
        names = {k: v for k, v in meta["names"].items() if k.endswith("_filename")}
        with np.load(os.path.join(place, name, "feeds.npz")) as found:
            run = meta["runs"][0]["feeds"]
            keys = run if isinstance(run, list) else range(run)
            arrays = [found[f"0/{key}"] for key in keys]
        expected = {}
        try:
            with base.unique_name.guard():
                layer = paddle.jit.load(path, **names)
                outputs = layer(*[paddle.to_tensor(a) for a in arrays])
                outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
                expected.update((f"0/{k}", v.numpy()) for k, v in enumerate(outputs))
                train = None
                if name not in PREDICTED_ONLY:
                    train = tune(begin(path, **names), arrays, expected)
        finally:
            shutil.rmtree(place)
        write_values(folder, "expected.npz", expected)
        return {"kind": "tuned", "of": "1.8.5/" + name, "train": train, "names": meta["names"]}

    return fill


def write(models, begin, tune) -> None:
    """Write all cases of this file."""
    with open(os.path.join(models.root, "index.json")) as file:
        index = json.load(file)["1.8.5"]
    for name, meta in sorted(index.items()):
        if meta["kind"] == "inference" and not meta.get("taken") and name not in NOT_LOADED:
            models.add("old_" + name, old(models.root, name, meta, begin, tune))
