"""Small archives of images, sentiments and rankings with the layout of the published ones.

Old Pythons, which old PaddlePaddles need, run this file as well.
"""

from __future__ import annotations

import gzip
import io
import os
import pickle
import struct
import tarfile
import zipfile
from pathlib import Path

import numpy as np

PICTURES = Path(__file__).parents[1] / "data" / "pictures"
DIGITS = 100


def picture(name: str) -> bytes:
    """The contents of a file in tests/data/pictures."""
    return (PICTURES / name).read_bytes()


def write_tar(path, members, mode="w:gz") -> str:
    """Writes a tar archive of a dict: name -> contents."""
    with tarfile.open(path, mode) as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return str(path)


def idx(array: np.ndarray) -> bytes:
    """A file in the IDX format of bytes."""
    return struct.pack(f">{1 + array.ndim}I", 0x800 + array.ndim, *array.shape) + array.tobytes()


def digits(seed: int) -> tuple:
    """Images and labels, drawn."""
    drawn = np.random.RandomState(seed)
    images = np.zeros((DIGITS, 28, 28), np.uint8)
    images[:, 10:18, 10:18] = drawn.randint(0, 256, (DIGITS, 8, 8))
    return images, drawn.randint(0, 10, DIGITS).astype(np.uint8)


def write_mnist(folder: Path, packed: bool = True) -> None:
    """Writes the four files."""
    for seed, name in enumerate(("train", "t10k")):
        for kind, array in zip(("images-idx3", "labels-idx1"), digits(seed)):
            path = folder / f"{name}-{kind}-ubyte{'.gz' if packed else ''}"
            path.write_bytes(gzip.compress(idx(array)) if packed else idx(array))


def cifar_batch(key: bytes, count: int, kinds: int, seed: int) -> bytes:
    """A pickled batch."""
    drawn = np.random.RandomState(seed)
    pixels = drawn.randint(0, 256, (count, 3072)).astype(np.uint8)
    labels = [int(label) for label in drawn.randint(0, kinds, count)]
    names = [f"{n}.png".encode() for n in range(count)]
    return pickle.dumps({b"data": pixels, key: labels, b"filenames": names}, protocol=2)


def write_cifar(folder: Path) -> None:
    """Writes both archives."""
    ten = {f"cifar-10-batches-py/data_batch_{n}": n for n in (1, 2)}
    members = {
        name: cifar_batch(b"labels", 4, 10, seed)
        for name, seed in dict(ten, **{"cifar-10-batches-py/test_batch": 3}).items()
    }
    write_tar(folder / "cifar-10-python.tar.gz", dict(members, **{"cifar-10-batches-py/x": b"x"}))
    hundred = {f"cifar-100-python/{n}": s for s, n in enumerate(("train", "test"))}
    members = {name: cifar_batch(b"fine_labels", 4, 100, s) for name, s in hundred.items()}
    write_tar(folder / "cifar-100-python.tar.gz", dict(members, **{"cifar-100-python/meta": b"x"}))


def matlab(**arrays: list) -> bytes:
    """A MATLAB file (version 4) of rows of numbers."""
    content = b""
    for name, values in arrays.items():
        title = name.encode() + b"\0"
        content += struct.pack("<5i", 20, 1, len(values), 0, len(title)) + title
        content += struct.pack(f"<{len(values)}i", *values)
    return content


PHOTOS = ("wide.jpg", "tall.jpg", "turned.jpg", "colors.png", "wide.jpg", "palette.png")
SETID = {"trnid": [2], "valid": [6, 3], "tstid": [5, 1, 4]}
FLOWER_LABELS = [77, 102, 1, 5, 9, 40]


def write_flowers(folder: Path) -> None:
    """Writes the three files; photos lie in the archive in an order of their own."""
    order = (3, 1, 5, 6, 2, 4)
    members = {f"jpg/image_{n:05d}.jpg": picture(PHOTOS[n - 1]) for n in order}
    write_tar(folder / "102flowers.tgz", members)
    (folder / "imagelabels.mat").write_bytes(matlab(labels=FLOWER_LABELS))
    (folder / "setid.mat").write_bytes(matlab(**SETID))


def write_voc(path: Path, **changes: bytes) -> str:
    """Writes the archive; ``trainval=``, ``train=`` and ``val=`` replace a list of names."""
    base = "VOCdevkit/VOC2012/"
    lists = dict({"trainval": b"a\nb\n", "train": b"b\n", "val": b"a\n"}, **changes)
    members = {f"{base}ImageSets/Segmentation/{k}.txt": text for k, text in lists.items()}
    for name in "ab":
        members[f"{base}JPEGImages/{name}.jpg"] = picture("wide.jpg")
        members[f"{base}SegmentationClass/{name}.png"] = picture("mask.png")
    return write_tar(path, members, "w")


REVIEWS = {
    "movie_reviews/neg/cv000_1.txt": "plot : two bad , bad films . \nit's over !! \n",
    "movie_reviews/neg/cv001_2.txt": "bad ( really ) 1/10 ...",
    "movie_reviews/neg/cv002_3.txt": "never paired",
    "movie_reviews/pos/cv000_4.txt": "a film , a good one . ",
    "movie_reviews/pos/cv001_5.txt": "good _plot_ . well-made\n\n",
    "movie_reviews/README": "about",
}


def write_reviews(path: Path, texts: dict = REVIEWS) -> str:
    """Writes movie_reviews.zip."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("movie_reviews/", "")
        for name, text in texts.items():
            archive.writestr(name, text)
    return str(path)


def rankings(seed: int) -> str:
    """Lines of documents, drawn."""
    drawn = np.random.RandomState(seed)
    lines = []
    for query, scores in ((10, [0, 2, 1, 2]), (11, [0, 0]), (12, [1]), (10, [1, 0])):
        for number, score in enumerate(scores):
            values = " ".join(f"{n}:{drawn.rand():.6f}" for n in range(1, 47))
            lines.append(f"{score} qid:{query} {values} #docid = GX{number} inc = 1 prob = 0.1\n")
    return "".join(lines)


def write_rankings(folder: Path) -> None:
    """Writes what the .rar archive holds, in the place where it is unpacked."""
    fold = folder / "MQ2007" / "MQ2007" / "Fold1"
    fold.mkdir(parents=True, exist_ok=True)
    for seed, name in enumerate(("train", "test")):
        (fold / f"{name}.txt").write_text(rankings(seed))
    (folder / "7b6dbbe2-842c-11e4-a536-bcaec51b9163_MQ2007.rar").write_bytes(b"Rar!")


def write_home(home: Path) -> Path:
    """Writes all of them as a cache of data sets, and returns its folder."""
    for folder in ("mnist", "cifar", "flowers", "voc2012", "corpora", "MQ2007"):
        os.makedirs(str(home / folder), exist_ok=True)
    write_mnist(home / "mnist")
    write_cifar(home / "cifar")
    write_flowers(home / "flowers")
    write_voc(home / "voc2012" / "VOCtrainval_11-May-2012.tar")
    write_reviews(home / "corpora" / "movie_reviews.zip")
    write_rankings(home / "MQ2007")
    return home
