"""What pretrained_185.py and pretrained_262.py share: networks, their weights, one way to write."""

from __future__ import annotations

import json
import lzma
import os

import numpy as np

# Name: maker in paddle.vision.models, its arguments, height and width of the images.
CASES = {
    "lenet": ("LeNet", {}, 28),
    "resnet18": ("resnet18", {}, 64),
    "mobilenet_v1_0.25": ("mobilenet_v1", {"scale": 0.25, "num_classes": 10}, 64),
    "mobilenet_v1_0.5": ("mobilenet_v1", {"scale": 0.5, "num_classes": 10}, 64),
    "mobilenet_v1_0.75": ("mobilenet_v1", {"scale": 0.75, "num_classes": 10}, 64),
    "mobilenet_v1_1.0": ("mobilenet_v1", {}, 64),
    "mobilenet_v2_0.25": ("mobilenet_v2", {"scale": 0.25, "num_classes": 10}, 64),
    "mobilenet_v2_0.5": ("mobilenet_v2", {"scale": 0.5, "num_classes": 10}, 64),
    "mobilenet_v2_0.75": ("mobilenet_v2", {"scale": 0.75, "num_classes": 10}, 64),
    "mobilenet_v2_1.0": ("mobilenet_v2", {}, 64),
    "vgg11": ("vgg11", {"num_classes": 0, "with_pool": False}, 64),
    "vgg11_bn": ("vgg11", {"batch_norm": True, "num_classes": 0, "with_pool": False}, 64),
    "vgg13": ("vgg13", {"num_classes": 0, "with_pool": False}, 64),
    "vgg13_bn": ("vgg13", {"batch_norm": True, "num_classes": 0, "with_pool": False}, 64),
    "vgg16": ("vgg16", {"num_classes": 0, "with_pool": False}, 64),
    "vgg16_bn": ("vgg16", {"batch_norm": True, "num_classes": 0, "with_pool": False}, 64),
    "vgg19": ("vgg19", {"num_classes": 0, "with_pool": False}, 64),
    "vgg19_bn": ("vgg19", {"batch_norm": True, "num_classes": 0, "with_pool": False}, 64),
    "resnet34": ("resnet34", {"num_classes": 10}, 64),
    "resnet50": ("resnet50", {"num_classes": 10}, 64),
    "resnet101": ("resnet101", {"num_classes": 10}, 64),
    "resnet152": ("resnet152", {"num_classes": 10}, 64),
}

# What weights of batch normalization are about, for each family of networks.
GAINS = {"mobilenet_v1": 1.1, "mobilenet_v2": 0.8, "resnet": 0.5, "": 0.9}
# Numbers in [-1, 1] that look drawn, of few bits and repeated, so that files pack well.
WAVE = np.array([(i * i * 7 + i * 3 + i**3 * 11) % 509 % 129 - 64 for i in range(509)]) / 64.0


def chosen(names):
    """The networks of these names, or all."""
    return {name: case for name, case in CASES.items() if not names or name in names}


def values(state, name):
    """Weights by a formula of the entry's place; they repeat, so that files pack well.

    What a network computes from them must neither fade nor grow on its way through the layers.
    """
    gain = next(gain for family, gain in GAINS.items() if name.startswith(family))
    made = {}
    for place, (entry, old) in enumerate(state):
        shape = list(old.shape)
        count = int(np.prod(shape))
        wave = np.resize(np.roll(WAVE, 7 * place), count)
        if entry.endswith("_variance"):
            wave = 1.0 + 0.25 * wave
        elif len(shape) > 1:
            fan = np.prod(shape[1:]) if len(shape) == 4 else shape[0]
            wave = wave * 2.0 ** np.round(np.log2(np.sqrt(6.0 / fan)))
        elif entry.endswith("weight"):
            wave = gain + 0.25 * wave
        else:
            wave = 0.125 * wave
        made[entry] = wave.reshape(shape).astype("float32")
    return made


def images(size, channels=3):
    """Two pictures."""
    places = np.arange(channels * size * size)
    both = np.sin([places * 0.37, places * 0.0071]) * 2.0
    return both.reshape(2, channels, size, size).astype("float32")


def pack(source, root, name, release, out):
    """Puts a file among the frozen ones, packed, and what the network computes into their index."""
    target = os.path.join(root, release, name + ".xz")
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(source, "rb") as file, lzma.open(target, "wb", preset=6) as packed:
        packed.write(file.read())
    note(root, name.partition(".pd")[0], release, out)


def note(root, name, release, out):
    """Writes what a network computes into the index."""
    index = os.path.join(root, "index.json")
    known = {}
    if os.path.exists(index):
        with open(index) as file:
            known = json.load(file)
    rows = np.asarray(out, dtype="float64").reshape(2, -1)
    known.setdefault(name, {})[release] = {
        "shape": list(out.shape),
        "first": [[float("%.7g" % v) for v in row[:5]] for row in rows],
        "spread": float("%.7g" % rows.std()),
    }
    with open(index, "w") as file:
        json.dump(known, file, indent=0, sort_keys=True)
        file.write("\n")
    print(release, name, os.path.basename(index), rows[:, :3].tolist(), rows.std(), flush=True)
