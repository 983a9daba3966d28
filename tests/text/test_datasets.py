"""paddle.text.datasets against PaddlePaddle 2.6.2, on small archives of the true layout."""

from __future__ import annotations

import importlib
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.io import DataLoader, Dataset
from paddle.text.datasets import (
    WMT14,
    WMT16,
    Conll05st,
    Imdb,
    Imikolov,
    Movielens,
    UCIHousing,
)
from tests.dataset import text_archives
from tests.dataset.expected_texts import EXPECTED, named, plain


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return text_archives.write_home(tmp_path_factory.mktemp("home"))


@pytest.fixture(autouse=True)
def in_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(home))


def same(data: Dataset, key: str, *dictionaries: tuple[int, dict[str, int]]) -> None:
    """Compares types and values of all samples."""
    expected = EXPECTED[key]
    assert len(data) == len(expected["samples"])
    for number, there in enumerate(expected["samples"]):
        sample = data[number]
        assert isinstance(sample, tuple)
        assert named(plain(sample), *dictionaries) == there
        # PaddlePaddle gives float64 for a text without words.
        assert [str(field.dtype) for field in sample] == expected["types"]


@pytest.mark.parametrize("mode", ["train", "test"])
@pytest.mark.parametrize("cutoff", [0, 1])
def test_imdb(mode: str, cutoff: int) -> None:
    data = Imdb(mode=mode, cutoff=cutoff)
    same(data, f"Imdb {mode} {cutoff}")
    assert plain(data.word_idx) == EXPECTED[f"Imdb {mode} {cutoff}"]["dict"]


GRAMS = [("NGRAM", n) for n in (2, 3, 5, 20)] + [("SEQ", n) for n in (-1, 3, 5)]


@pytest.mark.parametrize("mode", ["train", "test"])
@pytest.mark.parametrize("kind, size", GRAMS)
def test_imikolov(mode: str, kind: str, size: int) -> None:
    data = Imikolov(data_type=kind.lower(), window_size=size, mode=mode.upper(), min_word_freq=1)
    same(data, f"Imikolov {mode} {kind} {size}")
    assert plain(data.word_idx) == EXPECTED[f"Imikolov {mode} {kind} {size}"]["dict"]
    assert (data.mode, data.data_type) == (mode, kind)


def test_imikolov_counts_words() -> None:
    data = Imikolov(window_size=2)
    assert data.word_idx == {"<unk>": 0}  # nothing comes more than 50 times
    assert data.word_count([b"a b", b"a"], {b"a": 1}) == {b"a": 3, b"b": 1, "<s>": 2, "<e>": 2}


@pytest.mark.parametrize("mode", ["train", "test"])
@pytest.mark.parametrize("ratio, seed", [(0.1, 0), (0.5, 3)])
def test_movielens(mode: str, ratio: float, seed: int) -> None:
    np.random.seed(1)
    data = Movielens(mode=mode, test_ratio=ratio, rand_seed=seed)
    assert np.random.random() == np.random.RandomState(1).random_sample()  # not seeded anew
    tables = (5, data.categories_dict), (6, data.movie_title_dict)
    same(data, f"Movielens {mode} {ratio} {seed}", *tables)
    assert [list(numbers) for _, numbers in tables] == EXPECTED["movielens dicts"]
    assert [str(movie) for movie in data.movie_info.values()] == EXPECTED["movielens movies"]
    assert [str(u) for u in data.user_info.values()] == [u for u, _ in EXPECTED["movielens users"]]


@pytest.mark.parametrize("mode", ["train", "test"])
def test_uci_housing(mode: str) -> None:
    data = UCIHousing(mode=mode)
    expected = EXPECTED[f"UCIHousing {mode}"]
    assert len(data) == len(expected["samples"])
    for number, (features, price) in enumerate(expected["samples"]):
        assert [field.dtype for field in data[number]] == expected["types"]
        np.testing.assert_allclose(data[number][0], features, rtol=1e-6)
        np.testing.assert_array_equal(data[number][1], np.float32(price))


def test_uci_housing_follows_the_default_type() -> None:
    paddle.set_default_dtype("float64")
    try:
        assert UCIHousing()[0][0].dtype == "float64"
    finally:
        paddle.set_default_dtype("float32")


def test_uci_housing_of_equal_values_has_no_nan(tmp_path: Path) -> None:
    file = tmp_path / "housing.data"
    file.write_text("\n".join(" ".join(["2"] * 14) for _ in range(5)))
    assert UCIHousing(str(file))[3][0].tolist() == [0.0] * 13


def test_conll05st() -> None:
    data = Conll05st()
    words, predicates, labels = data.get_dict()
    same(data, "Conll05st", (8, labels))
    assert [plain(words), plain(predicates), sorted(labels)] == EXPECTED["conll05 dicts"]
    assert list(labels) == ["B-V", "I-V", "B-A0", "I-A0", "B-AM-LOC", "I-AM-LOC", "O"]
    assert Path(data.get_embedding()).read_bytes()[:3] == b"\0\1\2"


@pytest.mark.parametrize("mode", ["train", "test", "gen"])
@pytest.mark.parametrize("size", [3, 5, 7, 30])
def test_wmt14(mode: str, size: int) -> None:
    data = WMT14(mode=mode, dict_size=size)
    same(data, f"WMT14 {mode} {size}")
    assert plain(data.get_dict()) == EXPECTED[f"wmt14 dicts {size}"]
    french, english = data.get_dict(reverse=True)
    assert french[0] == "<s>" and [english[n] for n in range(3)] == ["<s>", "<e>", "<unk>"]


@pytest.mark.parametrize("mode", ["train", "test", "val"])
@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize("sizes", [(3, 3), (5, 7), (8, 4), (11, 11)])
def test_wmt16(mode: str, lang: str, sizes: tuple[int, int]) -> None:
    """As PaddlePaddle's reader: its class makes both dictionaries of one language."""
    data = WMT16(None, mode, *sizes, lang)
    reader = "validation" if mode == "val" else mode
    assert [plain(data[n]) for n in range(len(data))] == EXPECTED[f"wmt16 {reader} {sizes} {lang}"]
    assert {field.dtype for field in data[0]} == {np.dtype("int64")}


def test_wmt16_dictionaries() -> None:
    data = WMT16(src_dict_size=5, trg_dict_size=5, lang="de")
    assert [plain(data.get_dict(lang)) for lang in ("en", "de")] == EXPECTED["wmt16 dict"]
    assert data.get_dict("de", reverse=True)[4] == "Eine"
    assert len(WMT16(src_dict_size=10**6, trg_dict_size=9).get_dict("en")) == 10  # all there are
    with pytest.raises(ValueError, match=r"get_dict\(lang\): expected 'en'.* but received 'fr'"):
        data.get_dict("fr")


MADE: dict[str, Any] = {
    "Conll05st": lambda: Conll05st(),
    "Imdb": lambda: Imdb(cutoff=0),
    "Imikolov": lambda: Imikolov(window_size=3, min_word_freq=0),
    "Movielens": lambda: Movielens(),
    "UCIHousing": lambda: UCIHousing(),
    "WMT14": lambda: WMT14(dict_size=30),
    "WMT16": lambda: WMT16(src_dict_size=30, trg_dict_size=30),
}


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("workers", [0, 2])
def test_loader(name: str, workers: int) -> None:
    """Samples of one length in batches, others one by one."""
    data = MADE[name]()
    size = 4 if name in ("Imikolov", "UCIHousing") else 1
    loader = DataLoader(data, batch_size=size, num_workers=workers, return_list=True)
    batches = list(loader)
    assert len(batches) == -(-len(data) // size)
    rows = [
        row for batch in batches for row in zip(*(field.numpy() for field in batch), strict=True)
    ]
    assert plain(rows) == [plain(data[n]) for n in range(len(data))]


@pytest.mark.parametrize("name", MADE)
def test_pickled(name: str) -> None:
    data = MADE[name]()
    again = pickle.loads(pickle.dumps(data))
    assert plain(again[1]) == plain(data[1]) and len(again) == len(data)


def test_samples_can_be_changed() -> None:
    data = Imdb(cutoff=0)
    words, label = data[0]
    words[:], label[:] = 99, 5
    assert data[0][0].max() < 99 and data[0][1] == 0


@pytest.mark.parametrize("name", MADE)
def test_module_paths(name: str) -> None:
    module = importlib.import_module(MADE_IN[name])
    assert (
        getattr(module, name) is getattr(paddle.text, name) is getattr(paddle.text.datasets, name)
    )


MADE_IN = {
    "Conll05st": "paddle.text.datasets.conll05",
    "Imdb": "paddle.text.datasets.imdb",
    "Imikolov": "paddle.text.datasets.imikolov",
    "Movielens": "paddle.text.datasets.movielens",
    "UCIHousing": "paddle.text.datasets.uci_housing",
    "WMT14": "paddle.text.datasets.wmt14",
    "WMT16": "paddle.text.datasets.wmt16",
}


def test_movie_and_user_info() -> None:
    from paddle.text.datasets.movielens import MovieInfo, UserInfo

    assert UserInfo("7", "F", "25", "3").value() == [[7], [1], [2], [3]]
    film = MovieInfo("3", ["Drama"], "Heat X")
    assert film.value({"Drama": 4}, {"heat": 7, "x": 1}) == [[3], [4], [7, 1]]
    with pytest.raises(ValueError, match=r"UserInfo\(age\): expected one of .* received '26'"):
        UserInfo("7", "F", "26", "3")
    with pytest.raises(ValueError, match=r"UserInfo\(gender\): expected 'M' or 'F'"):
        UserInfo("7", "x", "25", "3")


def test_what_movielens_tells_of_films_and_users_is_found_beside_it() -> None:
    assert paddle.text.datasets.MovieInfo is paddle.text.datasets.movielens.MovieInfo
    assert paddle.text.datasets.UserInfo is paddle.text.datasets.movielens.UserInfo
    film = paddle.text.datasets.MovieInfo("3", ["Drama"], "Heat")
    assert str(film) == "<MovieInfo id(3), title(Heat), categories(['Drama'])>"
