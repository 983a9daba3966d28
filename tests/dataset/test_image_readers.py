"""The readers of 1.x for images, sentiments and rankings against PaddlePaddle 1.8.5."""

from __future__ import annotations

import gzip
import hashlib
import importlib
import itertools
import json
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from PIL import Image

import paddle
from paddle.dataset import cifar, flowers, image, mnist, mq2007, sentiment, voc2012
from tests.dataset import image_archives
from tests.dataset.image_archives import PICTURES, picture

MODULES = (cifar, flowers, mnist, mq2007, sentiment, voc2012)
_FILE = np.load(Path(__file__).parents[1] / "data" / "image_datasets.npz")
TEXTS: dict[str, Any] = json.loads(str(_FILE["texts"]))


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return image_archives.write_home(tmp_path_factory.mktemp("home"))


@pytest.fixture(autouse=True)
def in_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(home))


def digest(samples: Any) -> list[Any]:
    """A hash of all arrays, their type and shape, and the labels."""
    whole = hashlib.sha256()
    labels = []
    for array, label in samples:
        whole.update(f"{array.dtype} {array.shape}".encode() + array.tobytes())
        assert type(label) is int
        labels.append(label)
    return [whole.hexdigest(), labels]


def plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("mode", ["train", "test"])
def test_mnist(mode: str) -> None:
    reader = getattr(mnist, mode)()
    assert digest(reader()) == TEXTS[f"mnist {mode}"]
    assert digest(reader()) == TEXTS[f"mnist {mode}"]


def test_mnist_files_that_are_not_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As scripts/fetch_mnist.sh puts them, whatever the size of the pieces that are read."""
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(tmp_path))
    (tmp_path / "mnist").mkdir()
    image_archives.write_mnist(tmp_path / "mnist", packed=False)
    assert digest(mnist.test()()) == TEXTS["mnist test"]
    paths = [str(tmp_path / "mnist" / f"t10k-{kind}-ubyte") for kind in ("images-idx3",
             "labels-idx1")]  # fmt: skip
    assert digest(mnist.reader_creator(*paths, 33)()) == TEXTS["mnist test"]
    Path(paths[1]).write_bytes(image_archives.idx(np.full(100, 10, np.uint8)))
    with pytest.raises(ValueError, match=r"labels-idx1-ubyte: expected labels from 0 to 9, but"):
        next(mnist.test()())


@pytest.mark.parametrize("name", ["train10", "train100", "test10", "test100"])
def test_cifar(name: str) -> None:
    assert digest(getattr(cifar, name)()()) == TEXTS[f"cifar {name}"]


def test_cifar_again_and_again(home: Path) -> None:
    once = digest(cifar.test10()())[1]
    cycled = itertools.islice(cifar.test10(cycle=True)(), 3 * len(once))
    assert digest(cycled)[1] == once * 3
    path = str(home / "cifar" / "cifar-100-python.tar.gz")
    assert digest(cifar.reader_creator(path, "test")()) == TEXTS["cifar test100"]
    with pytest.raises(ValueError, match=r"expected files named \*no\*.* it holds cifar-100-py"):
        next(cifar.reader_creator(path, "no", cycle=True)())


NAMES = sorted(path.name for path in PICTURES.iterdir())


@pytest.mark.parametrize("is_color", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_images(name: str, is_color: bool) -> None:
    path, key = str(PICTURES / name), f"{name} {is_color}"
    loaded = image.load_image(path, is_color)
    assert (loaded.dtype, loaded.shape) == (np.uint8, _FILE[f"load {key}"].shape)
    # Versions of the JPEG library may differ by one; later ones of OpenCV resize to other bytes.
    jpeg = int(name.endswith("jpg"))
    np.testing.assert_allclose(loaded, _FILE[f"load {key}"], atol=jpeg)
    np.testing.assert_array_equal(image.load_image_bytes(picture(name), is_color), loaded)
    for size in (16, 40):
        made = image.resize_short(loaded, size)
        np.testing.assert_allclose(made.astype(int), _FILE[f"resize {key} {size}"], atol=1 + jpeg)
    mean = [100.0, 110.0, 120.0] if is_color else None
    for mode in ("train", "test"):
        np.random.seed(3)
        found = image.load_and_transform(path, 20, 12, mode == "train", is_color, mean)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, _FILE[f"{mode} {key}"], atol=1 + jpeg)


def test_crops_flips_and_means() -> None:
    photo = np.arange(2 * 4 * 6).reshape(4, 6, 2)
    assert image.center_crop(photo, 2).tolist() == photo[1:3, 2:4].tolist()
    assert image.left_right_flip(photo).tolist() == photo[:, ::-1].tolist()
    assert image.left_right_flip(photo[..., 0], is_color=False)[0].tolist() == [10, 8, 6, 4, 2, 0]
    assert image.to_chw(photo).shape == (2, 4, 6)
    crops = {image.random_crop(photo, 3)[0, 0, 0] for _ in range(60)}
    assert crops == {0, 2, 4, 6, 12, 14, 16, 18}
    grey = np.full((4, 4), 9, np.uint8)
    each = np.arange(16.0).reshape(4, 4)
    made = image.simple_transform(grey, 4, 4, False, is_color=False, mean=each)
    assert made.tolist() == (9 - each).tolist()


def test_batches_of_images(tmp_path: Path) -> None:
    members = {f"{n}.jpg": bytes([n]) * n for n in range(1, 6)}
    path = image_archives.write_tar(tmp_path / "images.tar", members, "w")
    labels = {f"{n}.jpg": n for n in (1, 2, 4, 5)}
    listed = image.batch_images_from_tar(path, "train", labels, num_per_batch=3)
    batches = [pickle.loads(Path(line).read_bytes()) for line in Path(listed).read_text().split()]
    assert batches == [
        {"label": [1, 2, 4], "data": [b"\1", b"\2\2", b"\4" * 4]},
        {"label": [5], "data": [b"\5" * 5]},
    ]
    Path(path).unlink()
    assert image.batch_images_from_tar(path, "train", labels) == listed  # they are there
    folder = Path(f"{path}_batch")
    assert len(list(folder.iterdir())) == 2


def test_batches_of_images_all_or_nothing(tmp_path: Path) -> None:
    path = image_archives.write_tar(tmp_path / "images.tar", {"a.jpg": b"x" * 3000}, "w")
    with pytest.raises(ValueError, match=r"expected b\.jpg in the archive, but it holds a\.jpg"):
        image.batch_images_from_tar(path, "train", {"b.jpg": 0})
    whole = Path(path).read_bytes()
    Path(path).write_bytes(whole[:2000])
    with pytest.raises(ValueError, match=r"images\.tar: expected a complete tar archive"):
        image.batch_images_from_tar(path, "train", {"a.jpg": 0})
    assert list(Path(f"{path}_batch").iterdir()) == []


@pytest.mark.parametrize("use_xmap", [False, True])
@pytest.mark.parametrize("mode", ["train", "test", "valid"])
def test_flowers(mode: str, use_xmap: bool) -> None:
    pytest.importorskip("scipy")
    reader = getattr(flowers, mode)(lambda sample: sample, use_xmap=use_xmap)
    found = list(reader())
    assert [label for _, label in found] == _FILE[f"flowers {mode}"].tolist()
    assert all(isinstance(content, bytes) for content, _ in found)


def test_flowers_mapped() -> None:
    pytest.importorskip("scipy")
    np.random.seed(5)
    found = list(flowers.train(use_xmap=False)())
    assert {(pixels.dtype, pixels.shape) for pixels, _ in found} == {(np.dtype("f4"), (150528,))}
    sampled = np.array([pixels[::997] for pixels, _ in found])
    np.testing.assert_allclose(sampled, _FILE["flowers mapped"], atol=2)
    cycled = itertools.islice(flowers.test(lambda s: s[1], 4, True, cycle=True)(), 5)
    assert list(cycled) == _FILE["flowers test"].tolist() * 5


def test_flowers_lack_a_photo(home: Path, tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    files = [str(home / "flowers" / name) for name in ("imagelabels.mat", "setid.mat")]
    archive = image_archives.write_tar(tmp_path / "f.tgz", {"jpg/image_00001.jpg": b"x"})
    reader = flowers.reader_creator(archive, *files, "tstid", lambda s: s, use_xmap=False)
    with pytest.raises(ValueError, match=r"expected jpg/image_0000[45]\.jpg in the archive, but"):
        list(reader())
    with pytest.raises(ValueError, match=r"a variable 'no' in it, but it holds"):
        flowers.reader_creator(archive, *files, "no", lambda s: s)
    wrong = tmp_path / "labels.mat"
    wrong.write_bytes(image_archives.matlab(labels=[77, 103, 1, 5, 9, 40]))
    with pytest.raises(ValueError, match=r"from 1 to 102, but label 1 .* is 103"):
        flowers.reader_creator(archive, str(wrong), files[1], "tstid", lambda s: s)


def test_voc2012() -> None:
    photo, mask = (np.array(Image.open(PICTURES / name)) for name in ("wide.jpg", "mask.png"))
    for name, count in (("train", 2), ("test", 1), ("val", 1)):
        reader = getattr(voc2012, name)()
        for _ in range(2):
            found = list(reader())
            assert len(found) == count
            for pair, expected in itertools.product(found, [(photo, mask)]):
                assert [part.tolist() for part in pair] == [part.tolist() for part in expected]
    assert set(np.unique(mask).tolist()) == {0, 3, 20, 255}


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"val": b"a\nc\n"}, r"expected VOCdevkit/VOC2012/JPEGImages/c\.jpg in it, as .*val\.txt"),
        ({"val": b"a\n\xff\n"}, r"val\.txt in .*, line 2: expected UTF-8 text, but byte 0xff"),
    ],
)
def test_voc2012_with_wrong_lists(changes: dict, message: str, tmp_path: Path) -> None:
    path = image_archives.write_voc(tmp_path / "voc.tar", **changes)
    with pytest.raises(ValueError, match=message):
        voc2012.reader_creator(path, "val")
    with pytest.raises(ValueError, match=r"Segmentation/no\.txt in it, but it is missing"):
        voc2012.reader_creator(path, "no")


def test_sentiment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentiment, "NUM_TRAINING_INSTANCES", 3)
    assert plain(sentiment.get_word_dict()) == TEXTS["sentiment words"]
    assert plain(list(sentiment.train())) == TEXTS["sentiment train"]
    assert plain(list(sentiment.test())) == TEXTS["sentiment test"]
    assert len(list(paddle.batch(sentiment.train, 2)())) == 2


def test_sentiment_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(tmp_path))
    (tmp_path / "corpora").mkdir()
    path = tmp_path / "corpora" / "movie_reviews.zip"
    image_archives.write_reviews(path, {"movie_reviews/neg/a.txt": "x"})
    with pytest.raises(ValueError, match=r"expected movie_reviews/pos/\*\.txt in the archive, but"):
        sentiment.train()
    image_archives.write_reviews(path, {"movie_reviews/neg/a.txt": b"x\ny \xe9"})
    with pytest.raises(ValueError, match=r"neg/a\.txt in .*, line 2: expected UTF-8.* 0xe9"):
        sentiment.get_word_dict()
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(ValueError, match=r"movie_reviews\.zip: expected a complete zip archive"):
        sentiment.test()


@pytest.mark.parametrize("kind", ["plain_txt", "pointwise", "pairwise", "listwise"])
@pytest.mark.parametrize("mode", ["train", "test"])
def test_mq2007(mode: str, kind: str) -> None:
    assert plain(list(getattr(mq2007, mode)(kind))) == TEXTS[f"mq2007 {mode} {kind}"]


def test_mq2007_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    lists = mq2007.load_from_text("MQ2007/MQ2007/Fold1/train.txt")
    assert [(found.query_id, len(found)) for found in lists] == [(10, 4), (11, 2), (12, 1), (10, 2)]
    assert str(lists[0][0]).startswith("0 10 0.548814 ")
    assert lists[0][1].description == "docid = GX1 inc = 1 prob = 0.1"
    random.seed(1)
    shuffled = mq2007.load_from_text("MQ2007/MQ2007/Fold1/train.txt", shuffle=True)
    numbers = [found.query_id for found in shuffled]
    assert sorted(numbers) == [10, 10, 11, 12] and numbers != [10, 11, 12, 10]
    few = tmp_path / "few.txt"
    few.write_text("1 qid:3 2:0.5 46:NULL\n\n# a remark\n")
    ((document,),) = mq2007.load_from_text(str(few), fill_missing=7)
    assert document.feature_vector == [7.0, 0.5] + [7.0] * 44
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(tmp_path))
    with pytest.raises(RuntimeError, match=rf"Fold1/train\.txt, but.*\s.*unpack .*MQ2007\.rar.*"
                       rf"into {tmp_path}/MQ2007, for instance by `unrar x"):  # fmt: skip
        next(mq2007.train())


@pytest.mark.parametrize("folder", ["Fold1", "MQ2007/Fold1", "here/MQ2007/Fold1"])
def test_mq2007_wherever_it_was_unpacked(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(tmp_path))
    place = tmp_path / "MQ2007" / folder
    place.mkdir(parents=True)
    (place / "train.txt").write_text("2 qid:10 1:0.5\n0 qid:10 1:0.25\n")
    ((label, better, worse),) = mq2007.train()
    assert (label, better[0], worse[0]) == (1, 0.5, 0.25)


@pytest.mark.parametrize(
    "line",
    ["1 10 1:0.5", "x qid:10 1:0.5", "1 qid:10", "1 qid:1 47:1", "1 qid:1 0:1", "1 qid:1 1:x"],
)
def test_mq2007_names_a_wrong_line(line: str, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text(f"1 qid:10 1:0.5 # good\n{line}\n")
    with pytest.raises(ValueError, match=r"bad\.txt, line 2: expected a line such as '0 qid:10"):
        mq2007.load_from_text(str(tmp_path / "bad.txt"))


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_fetch(module: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With the files in the cache nothing is downloaded; without, the error says where to."""

    def no_network(url: str, folder: str, *args: Any, **kwargs: Any) -> str:
        raise RuntimeError(f"{url} to {folder}, {kwargs.get('hint')}")

    monkeypatch.setattr("paddle.dataset.files.fetch_file", no_network)
    module.fetch()
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(tmp_path))
    with pytest.raises(RuntimeError, match=f"to {tmp_path}/.*, put .* into {tmp_path}/") as caught:
        module.fetch()
    assert "or give" not in str(caught.value)


GREY = np.zeros((4, 5), np.uint8)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: mnist.reader_creator("a", "b", 0), r"\(buffer_size\): expected at least 1"),
        (lambda: flowers.train(buffered_size=0), r"flowers\(buffered_size\): expected at least 1"),
        (lambda: image.load_image_bytes(b"x"), r"load_image_bytes\(bytes\): expected an image"),
        (lambda: image.load_image(__file__), r"test_image_readers\.py: expected an image file"),
        (lambda: image.resize_short(GREY, 0), r"resize_short\(size\): expected at least 1"),
        (lambda: image.resize_short([1], 2), r"resize_short\(im\): expected an array.* list"),
        (lambda: image.center_crop(GREY, 2), r"center_crop: .*\[H, W, C\].* received shape \[4, 5"),
        (lambda: image.random_crop(GREY, 5, False), r"\(size\): expected a number from 0 to 4"),
        (lambda: image.to_chw(GREY), r"to_chw: expected .* received \[4, 5\] and order=\(2, 0, 1"),
        (
            lambda: image.simple_transform(GREY[..., None], 4, 4, False, mean=[1, 2]),
            r"simple_transform\(mean\): expected a number for each of 1 channels .* shape \[2\]",
        ),
        (lambda: image.batch_images_from_tar("a", "b", {}, 0), r"\(num_per_batch\): expected at"),
        (lambda: list(mq2007.train("words")), r"mq2007\(format\): .* received 'words'"),
        (lambda: list(mq2007.gen_pair([], "half")), r"\(partial_order\): expected .* 'half'"),
        (
            lambda: mq2007.QueryList([mq2007.Query(1), mq2007.Query(2)]),
            r"expected documents of query 1, .* received one of query 2",
        ),
    ],
)  # fmt: skip
def test_wrong_values(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_wrong_types() -> None:
    with pytest.raises(TypeError, match=r"load_image\(file\): expected the path .* received int"):
        image.load_image(3)
    with pytest.raises(FileNotFoundError, match=r"load_image\(file\): expected a file at /no/file"):
        image.load_image("/no/file")
    with pytest.raises(TypeError, match=r"\(bytes\): expected the bytes .* received str"):
        image.load_image_bytes("x")
    with pytest.raises(TypeError, match=r"\(img2label\): expected a dict .* received list"):
        image.batch_images_from_tar("a", "b", [])
    with pytest.raises(TypeError, match=r"QueryList: expected Query, but received int"):
        mq2007.QueryList([3])


def test_names_of_1x() -> None:
    assert mnist.TRAIN_IMAGE_URL == mnist.URL_PREFIX + "train-images-idx3-ubyte.gz"
    assert cifar.CIFAR10_URL == cifar.URL_PREFIX + "cifar-10-python.tar.gz"
    assert (flowers.TRAIN_FLAG, flowers.TEST_FLAG, flowers.VALID_FLAG) == (
        "tstid",
        "trnid",
        "valid",
    )
    assert voc2012.DATA_FILE.format("a") == "VOCdevkit/VOC2012/JPEGImages/a.jpg"
    for module in (flowers, voc2012):
        assert module.load_image is image.load_image
        assert module.download is paddle.dataset.common.download
    for module in (*MODULES, image):
        assert importlib.import_module(module.__name__) is module


def test_an_unreadable_photo_ends_the_threads_too(home: Path, tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    files = [str(home / "flowers" / name) for name in ("imagelabels.mat", "setid.mat")]
    members = {f"jpg/image_{n:05d}.jpg": b"no image" for n in range(1, 7)}
    archive = image_archives.write_tar(tmp_path / "f.tgz", members)
    reader = flowers.reader_creator(archive, *files, "tstid", flowers.test_mapper)
    with pytest.raises(ValueError, match=r"image_0000[145]\.jpg in .*f\.tgz: .* an image file"):
        list(reader())


def test_archives_that_were_unpacked_by_gunzip(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = home / "cifar" / "cifar-10-python.tar.gz"
    (tmp_path / "cifar").mkdir()
    (tmp_path / "cifar" / "cifar-10-python.tar").write_bytes(gzip.decompress(packed.read_bytes()))
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(tmp_path))
    assert digest(cifar.test10()()) == TEXTS["cifar test10"]


def test_reading_does_not_warn(recwarn: pytest.WarningsRecorder) -> None:
    """PaddlePaddle 2.x warns that the readers are deprecated; whoever takes them knows."""
    next(mnist.train()())
    next(cifar.train10()())
    assert [w for w in recwarn if issubclass(w.category, DeprecationWarning)] == []
