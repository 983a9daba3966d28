"""What readers of data sets give for the archives of archives.py; real PaddlePaddle runs this, too.

``tests/data/dataset_*`` have what 1.8.5 gave. To make them again:

    python -c "from tests.dataset.archives import make_all; make_all('/tmp/small')"
    /path/to/paddle-1.8.5/bin/python tests/dataset/readers.py /tmp/small
"""

import hashlib
import itertools
import json
import os
import sys

import numpy as np

LETOR = "Fold1/train.txt"


def digest(samples):
    """Count and MD5 of samples, types and shapes of their parts included."""
    seen, count = hashlib.md5(), 0
    for count, sample in enumerate(samples, 1):  # noqa: B007
        for part in sample:
            array = np.asarray(part)
            seen.update(repr((array.dtype.str, array.shape)).encode() + array.tobytes())
    return [count, seen.hexdigest()]


def digests(folder):
    """Name -> digest of the samples of each reader."""
    from paddle.dataset import cifar, flowers, mnist

    ten, hundred = (os.path.join(folder, "cifar", n) for n in ("ten.tar.gz", "hundred.tar.gz"))
    images, labels = (
        os.path.join(folder, "mnist", n)
        for n in ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz")
    )
    names = ("102flowers.tgz", "imagelabels.mat", "setid.mat")
    paths = [os.path.join(folder, "flowers", n) for n in names]

    def photos(flag):
        reader = flowers.reader_creator(*paths, flag, lambda sample: sample, use_xmap=False)
        return [(np.frombuffer(content, "u1"), label) for content, label in reader()]

    found = {
        "cifar10": digest(cifar.reader_creator(ten, "data_batch")()),
        "cifar10 cycle": digest(
            itertools.islice(cifar.reader_creator(ten, "test_batch", cycle=True)(), 8)
        ),
        "cifar100": digest(cifar.reader_creator(hundred, "train")()),
        "mnist": digest(mnist.reader_creator(images, labels, 100)()),
        "flowers tstid": digest(photos("tstid")),
        "flowers valid": digest(photos("valid")),
    }
    found.update(letor_digests(folder))
    return found


def letor_digests(folder):
    """The same of mq2007, which finds its folder in another way."""
    from paddle.dataset import mq2007

    if hasattr(mq2007, "__initialize_meta_info__"):  # it would download
        mq2007.__initialize_meta_info__ = lambda: os.path.join(folder, "MQ2007")
        path = LETOR
    else:
        path = os.path.join(folder, "MQ2007", LETOR)
    kinds = ("pairwise", "listwise", "pointwise", "plain_txt")
    return {"mq2007 " + kind: digest(mq2007.__reader__(path, format=kind)) for kind in kinds}


def images(folder):
    """Name -> what functions of paddle.dataset.image make of a picture."""
    from paddle.dataset import flowers, image

    path = os.path.join(folder, "picture.png")
    with open(path, "rb") as file:
        content = file.read()
    color, gray = image.load_image_bytes(content), image.load_image(path, False)
    found = {"color": color, "gray": gray}
    for size in (17, 40, 61):
        found["short_" + str(size)] = image.resize_short(color, size)
    found["tall"] = image.resize_short(gray.T.copy(), 23)
    found["gray_test"] = image.simple_transform(gray, 30, 24, False, is_color=False)
    np.random.seed(5)
    mean = [103.94, 116.78, 123.68]
    for turn in range(4):
        found["train_" + str(turn)] = image.simple_transform(color, 30, 20, True, mean=mean)
    found["transformed"] = image.load_and_transform(path, 30, 24, False)
    pixels, label = flowers.default_mapper(False, (content, 7))
    found["mapped"], found["label"] = pixels[::997], label
    return found


if __name__ == "__main__":
    place = os.path.join(os.path.dirname(__file__), "..", "data", "dataset_%s")
    with open(place % "readers.json", "w") as file:
        json.dump(digests(sys.argv[1]), file, indent=1)
    np.savez_compressed(place % "images.npz", **images(sys.argv[1]))
