"""Writes tests/data/image_datasets.npz: what PaddlePaddle 1.8.5 with OpenCV makes of small archives.

    /tmp/p185/bin/python scripts/oracle/image_datasets.py tests/data/image_datasets.npz

It needs opencv-python, scipy and nltk beside it. The archives are those of
tests/dataset/image_archives.py. Its reader of VOC2012 fails under Python 3, and is left out.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "dataset"))
HOME = tempfile.mkdtemp()
os.environ["HOME"] = HOME  # where PaddlePaddle keeps data sets

import image_archives  # noqa: E402
import numpy as np  # noqa: E402

import paddle  # noqa: E402

PLACE = image_archives.write_home(Path(HOME, ".cache", "paddle", "dataset"))


def put(url, module_name, md5sum, save_name=None):
    """Finds a file in the place of a download."""
    return str(PLACE / module_name / (save_name or re.split("/|%2F", url)[-1]))


def legacy(name):
    return importlib.import_module("paddle.dataset." + name)


def digest(samples):
    """A hash of all arrays, their type and shape, and the labels."""
    whole = hashlib.sha256()
    labels = []
    for array, label in samples:
        whole.update(f"{array.dtype} {array.shape}".encode() + array.tobytes())
        labels.append(label)
    return [whole.hexdigest(), labels]


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def texts():
    mnist, cifar = legacy("mnist"), legacy("cifar")
    for mode in ("train", "test"):
        yield f"mnist {mode}", digest(getattr(mnist, mode)()())
        for kind in ("10", "100"):
            yield f"cifar {mode}{kind}", digest(getattr(cifar, mode + kind)()())
    sentiment, mq2007 = legacy("sentiment"), legacy("mq2007")
    sentiment.NUM_TRAINING_INSTANCES = 3
    yield "sentiment words", plain(sentiment.get_word_dict())
    yield "sentiment train", plain(list(sentiment.train()))
    yield "sentiment test", plain(list(sentiment.test()))
    mq2007.__initialize_meta_info__ = lambda: str(PLACE / "MQ2007")
    for mode in ("train", "test"):
        for kind in ("plain_txt", "pointwise", "pairwise", "listwise"):
            yield f"mq2007 {mode} {kind}", plain(list(getattr(mq2007, mode)(format=kind)))


def images():
    image, flowers = legacy("image"), legacy("flowers")
    for path in sorted(image_archives.PICTURES.iterdir()):
        for is_color in (True, False):
            key = f"{path.name} {is_color}"
            yield f"load {key}", image.load_image(str(path), is_color)
            for size in (16, 40):
                made = image.resize_short(image.load_image(str(path), is_color), size)
                yield f"resize {key} {size}", made
            np.random.seed(3)
            mean = [100.0, 110.0, 120.0] if is_color else None
            made = image.load_and_transform(str(path), 20, 12, True, is_color, mean)
            yield f"train {key}", made
            made = image.load_and_transform(str(path), 20, 12, False, is_color, mean)
            yield f"test {key}", made
    for mode in ("train", "test", "valid"):
        read = getattr(flowers, mode)(mapper=lambda sample: sample, use_xmap=False)
        yield f"flowers {mode}", np.array([label for _, label in read()])
    np.random.seed(5)
    samples = list(flowers.train(use_xmap=False)())
    yield "flowers mapped", np.array([pixels[::997] for pixels, _ in samples])


if __name__ == "__main__":
    paddle.dataset.common.download = put
    for name in ("flowers", "voc2012"):
        legacy(name).download = put
    found = dict(images())
    found["texts"] = np.array(json.dumps(dict(texts())))
    np.savez_compressed(sys.argv[1], **found)
