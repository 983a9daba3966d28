"""Small archives of data sets in their true layout, made without Paddle: oracles read them, too."""

from __future__ import annotations

import gzip
import io
import pickle
import struct
import tarfile
import zipfile
from pathlib import Path

import numpy as np
from PIL import Image


def tar_of(path: Path, members: dict[str, bytes], mode: str = "w:gz") -> str:
    """Writes a tar archive."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return str(path)


def picture(seed: int, height: int = 40, width: int = 52) -> Image.Image:
    """A smooth picture of several colours, the same on every machine."""
    y, x = np.mgrid[:height, :width]
    planes = [np.abs((x * (9 + k) + y * (3 + 5 * k) + seed * 40) % 510 - 255) for k in range(3)]
    return Image.fromarray(np.stack(planes, axis=-1).astype(np.uint8))


def encoded(image: Image.Image, form: str) -> bytes:
    """The bytes of an image file."""
    content = io.BytesIO()
    image.save(content, form)
    return content.getvalue()


def cifar(path: Path, key: str, names: list[str], count: int = 3) -> str:
    """An archive of pickled batches."""
    members = {}
    for number, name in enumerate(names):
        pixels = np.arange(count * 3072).reshape(count, 3072) * 7 + number * 50
        batch = {b"data": pixels.astype(np.uint8), key.encode(): [number, 5, 9]}
        content = pickle.dumps(batch, protocol=2).replace(b"numpy._core.", b"numpy.core.")
        members[f"cifar-batches-py/{name}"] = content  # as NumPy named it when they were made
    return tar_of(path, members)


def idx(count: int, seed: int) -> tuple[bytes, bytes]:
    """Images and labels in the IDX format."""
    pixels = (np.arange(count * 784) * (seed + 3) % 256).astype(np.uint8)
    labels = (np.arange(count) * 3 + seed) % 10
    images = struct.pack(">4I", 2051, count, 28, 28) + pixels.tobytes()
    return images, struct.pack(">2I", 2049, count) + labels.astype(np.uint8).tobytes()


def mnist(folder: Path, packed: bool = True) -> None:
    """The four files, packed or not."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed, part in enumerate(("train", "t10k")):
        files = zip(("images-idx3", "labels-idx1"), idx(200, seed), strict=True)
        for name, content in files:
            path = folder / f"{part}-{name}-ubyte{'.gz' if packed else ''}"
            path.write_bytes(gzip.compress(content) if packed else content)


def flowers(folder: Path) -> None:
    """The archive and the two MATLAB files."""
    from scipy.io import savemat

    # Not really JPEGs, whose bytes depend on the encoder; readers look at the contents.
    members = {f"jpg/image_{i:05d}.jpg": encoded(picture(i), "BMP") for i in (3, 1, 2, 6, 5, 4)}
    tar_of(folder / "102flowers.tgz", members)
    savemat(folder / "imagelabels.mat", {"labels": np.array([[15, 16, 102, 1, 19, 20]])})
    sets = {"trnid": [[1]], "valid": [[2, 3]], "tstid": [[4, 6, 5]]}
    savemat(folder / "setid.mat", {name: np.array(ids) for name, ids in sets.items()})


def voc(path: Path) -> str:
    """Two photos with masks."""
    base = "VOCdevkit/VOC2012/"
    lists = {"train": b"a\n", "val": b"b\n", "trainval": b"a\nb\n"}
    members = {f"{base}ImageSets/Segmentation/{k}.txt": v for k, v in lists.items()}
    for i, name in enumerate("ab"):
        members[f"{base}JPEGImages/{name}.jpg"] = encoded(picture(i), "PNG")
        mask = Image.fromarray((np.arange(40 * 52).reshape(40, 52) % 21).astype(np.uint8), "L")
        mask = mask.convert("P")
        mask.putpalette(list(range(256)) * 3)
        members[f"{base}SegmentationClass/{name}.png"] = encoded(mask, "PNG")
    return tar_of(path, members, "w")


REVIEWS = {
    "neg/cv000_1.txt": "a bad film , bad -- really ( ! )\nnot good .\n",
    "neg/cv001_2.txt": "the plot 's dull ; it's 90 minutes too long .\n",
    "pos/cv000_3.txt": "a good film , a good plot .\n",
    "pos/cv001_4.txt": 'the " best " of 1999 !\n',
}


def movie_reviews(path: Path) -> str:
    """NLTK's corpus, of four texts."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("movie_reviews/README", "about")
        for name in reversed(REVIEWS):
            archive.writestr(f"movie_reviews/{name}", REVIEWS[name])
    return str(path)


def letor(path: Path) -> str:
    """Three queries, one of them without a relevant document."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for query, scores in ((10, [0, 2, 1, 2]), (18, [0, 0]), (20, [1, 0])):
        for document, score in enumerate(scores):
            values = [f"{k}:{(query * k + document) % 100 / 100:.6f}" for k in range(1, 47)]
            lines.append(f"{score} qid:{query} {' '.join(values)} #docid = GX{document}")
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def make_all(folder: str | Path) -> Path:
    """All of them in one folder, as a cache has them."""
    root = Path(folder)
    cifar(root / "cifar/ten.tar.gz", "labels", ["data_batch_1", "data_batch_2", "test_batch"])
    cifar(root / "cifar/hundred.tar.gz", "fine_labels", ["train", "test"])
    mnist(root / "mnist")
    flowers(root / "flowers")
    voc(root / "voc2012/voc.tar")
    movie_reviews(root / "corpora/movie_reviews.zip")
    letor(root / "MQ2007/Fold1/train.txt")
    picture(0).save(root / "picture.png")
    return root
