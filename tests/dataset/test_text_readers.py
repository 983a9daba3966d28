"""The readers of 1.x for texts and tables against PaddlePaddle 2.6.2, on small archives."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.dataset import conll05, imdb, imikolov, movielens, uci_housing, wmt14, wmt16
from paddle.dataset.parsers import movielens as movielens_parser
from tests.dataset import text_archives
from tests.dataset.expected_texts import EXPECTED, named, plain

MODULES = (conll05, imdb, imikolov, movielens, uci_housing, wmt14, wmt16)


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return text_archives.write_home(tmp_path_factory.mktemp("home"))


@pytest.fixture(autouse=True)
def in_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(home))


def twice(reader: Any) -> list[Any]:
    """What a reader gives, which is the same each time."""
    first = plain(list(reader()))
    assert plain(list(reader())) == first
    return first


ALL = re.compile(r"aclImdb/(train|test)/(pos|neg)/.*\.txt$")


def test_imdb() -> None:
    numbers = imdb.build_dict(ALL, 1)
    assert plain(numbers) == EXPECTED["imdb build_dict"]
    assert twice(imdb.train(numbers)) == EXPECTED["imdb train"]
    assert twice(imdb.test(numbers)) == EXPECTED["imdb test"]
    assert isinstance(next(imdb.train(numbers)())[0], list)
    assert imdb.word_dict() == {"<unk>": 0}
    assert list(imdb.tokenize("aclImdb/train/unsup/")) == [[b"film"] * 4 + [b"unsup"]]
    both = imdb.reader_creator("aclImdb/train/pos/sub", "aclImdb/train/(pos|neg)", numbers)
    labels = [label for _, label in both()]
    assert labels == [0, 1, 1, 1, 1]  # a text that fits both patterns comes twice


@pytest.mark.parametrize("mode", ["train", "test"])
@pytest.mark.parametrize("kind, size", [*(("NGRAM", n) for n in (2, 3, 5, 20)), ("SEQ", -1),
                                        ("SEQ", 3), ("SEQ", 5)])  # fmt: skip
def test_imikolov(mode: str, kind: str, size: int) -> None:
    numbers = imikolov.build_dict(0)
    assert plain(numbers) == EXPECTED["imikolov build_dict"]
    reader = getattr(imikolov, mode)(numbers, size, getattr(imikolov.DataType, kind))
    assert twice(reader) == EXPECTED[f"imikolov {mode} {kind} {size}"]


@pytest.mark.parametrize("mode", ["train", "test"])
@pytest.mark.parametrize("ratio, seed", [(0.1, 0), (0.5, 3)])
def test_movielens(mode: str, ratio: float, seed: int) -> None:
    kinds, titles = movielens.movie_categories(), movielens.get_movie_title_dict()
    assert [list(kinds), list(titles)] == EXPECTED["movielens dicts"]
    reader = getattr(movielens, mode)(test_ratio=ratio, rand_seed=seed)
    found = [named(sample, (5, kinds), (6, titles)) for sample in twice(reader)]
    assert found == EXPECTED[f"movielens {mode} {ratio} {seed}"]
    if (ratio, seed) == (0.1, 0):
        assert twice(getattr(movielens, mode)()) == twice(reader)


def test_movielens_tables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    most = [movielens.max_movie_id(), movielens.max_user_id(), movielens.max_job_id()]
    assert most == EXPECTED["movielens most"]
    movies, users = movielens.movie_info(), movielens.user_info()
    assert [str(movie) for movie in movies.values()] == EXPECTED["movielens movies"]
    assert [[repr(user), user.value()] for user in users.values()] == EXPECTED["movielens users"]
    number, kinds, words = movies[1].value()
    assert (number, len(kinds), len(words)) == (1, 3, 2)
    # Another archive in the same place is read again, an unchanged one is not.
    monkeypatch.setattr(movielens_parser, "load", None)
    assert movielens.max_job_id() == most[2]
    monkeypatch.undo()
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(tmp_path))
    (tmp_path / "movielens").mkdir()
    changed = text_archives.USERS.replace("::20::", "::19::")
    text_archives.write_movielens(tmp_path / "movielens" / "ml-1m.zip", users=changed)
    assert movielens.max_job_id() == 19


def test_movielens_refuses_other_arguments() -> None:
    with pytest.raises(TypeError, match="seed"):
        movielens.train(seed=3)
    with pytest.raises(ValueError, match=r"test\(test_ratio\): expected a number from 0 to 1"):
        movielens.test(test_ratio=-1)


def test_uci_housing(tmp_path: Path) -> None:
    for mode in ("train", "test"):
        found = twice(getattr(uci_housing, mode)())
        for (features, price), expected in zip(found, EXPECTED[f"uci_housing {mode}"], strict=True):
            np.testing.assert_allclose(features, expected[0], rtol=1e-12, atol=1e-15)
            assert price == expected[1]
    predicted = uci_housing.predict_reader()
    assert isinstance(predicted, tuple)
    np.testing.assert_allclose(predicted, EXPECTED["uci_housing predict"], rtol=1e-12, atol=1e-15)
    table = tmp_path / "table.txt"
    table.write_text("0 1 5\n4 3 6\n2 2 7\n")
    uci_housing.load_data(str(table), feature_num=3, ratio=0.7)
    assert uci_housing.UCI_TRAIN_DATA.tolist() == [[-0.5, -0.5, 5], [0.5, 0.5, 6]]
    assert uci_housing.UCI_TEST_DATA.tolist() == [[0, 0, 7]]


def test_uci_housing_draws_ranges(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    uci_housing.feature_range(np.arange(13.0), np.zeros(13))
    assert (tmp_path / "image" / "ranges.png").read_bytes().startswith(b"\x89PNG")


def test_uci_housing_says_that_it_needs_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        uci_housing.feature_range([1.0], [0.0])


def test_uci_housing_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = tmp_path / "fit_a_line.fluid.tar"
    text_archives.write_tar(source, [("__model__", "graph"), ("fc_0.w_0", "weights")], "w")
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(uci_housing, "FLUID_URL_MODEL", source.as_uri())
    monkeypatch.setattr(uci_housing, "FLUID_MD5_MODEL", paddle.dataset.common.md5file(str(source)))
    folder = Path(uci_housing.fluid_model())
    assert sorted(path.name for path in folder.iterdir()) == ["__model__", "fc_0.w_0"]


def test_conll05(home: Path) -> None:
    words, predicates, labels = conll05.get_dict()
    assert [plain(words), plain(predicates), sorted(labels)] == EXPECTED["conll05 dicts"]
    found = [named(sample, (8, labels)) for sample in twice(conll05.test())]
    assert found == EXPECTED["conll05 test"]
    folder = "conll05st-release/test.wsj"
    reader = conll05.corpus_reader(
        str(home / "conll05st" / "conll05st-tests.tar.gz"),
        f"{folder}/words/test.wsj.words.gz",
        f"{folder}/props/test.wsj.props.gz",
    )
    dogs = ["Dogs", "bark", "and", "run"]
    assert list(reader())[1:] == [
        (dogs, "bark", ["B-A0", "B-V", "O", "O"]),
        (dogs, "run", ["B-A0", "O", "O", "B-V"]),
    ]
    assert [type(part) for part in next(reader())] == [list, str, list]
    assert Path(conll05.get_embedding()).name == "emb"


@pytest.mark.parametrize("size", [3, 5, 7, 30])
def test_wmt14(size: int, home: Path) -> None:
    for mode in ("train", "test", "gen"):
        assert twice(getattr(wmt14, mode)(size)) == EXPECTED[f"wmt14 {mode} {size}"]
    assert plain(wmt14.get_dict(size, reverse=False)) == EXPECTED[f"wmt14 dicts {size}"]
    assert wmt14.get_dict(size)[0][0] == "<s>"
    path = str(home / "wmt14" / "wmt14.tgz")
    assert twice(wmt14.reader_creator(path, "gen", size)) == EXPECTED[f"wmt14 gen {size}"]


@pytest.mark.parametrize("sizes", [(3, 3), (5, 7), (8, 4), (11, 11)])
@pytest.mark.parametrize("lang", ["en", "de"])
def test_wmt16(sizes: tuple[int, int], lang: str) -> None:
    for mode in ("train", "test", "validation"):
        assert twice(getattr(wmt16, mode)(*sizes, lang)) == EXPECTED[f"wmt16 {mode} {sizes} {lang}"]
    assert [plain(wmt16.get_dict(name, 5)) for name in ("en", "de")] == EXPECTED["wmt16 dict"]
    assert wmt16.get_dict("en", 5, reverse=True)[3] == "A"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_fetch(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, home: Path
) -> None:
    """With the files in the cache nothing is downloaded; without, the error says where to."""

    def no_network(url: str, folder: str, *args: Any, **kwargs: Any) -> str:
        raise RuntimeError(f"{url} to {folder}, {kwargs.get('hint')}")

    monkeypatch.setattr("paddle.dataset.files.fetch_file", no_network)
    monkeypatch.setattr(wmt14, "fetch_file", lambda *args, **kwargs: "the model")
    module.fetch()
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(tmp_path))
    with pytest.raises(RuntimeError, match=f"to {tmp_path}/.*, put .* into {tmp_path}/") as caught:
        module.fetch()
    assert "or give" not in str(caught.value)  # there is no argument to give


def test_cache_of_paddlepaddle(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, home: Path) -> None:
    """It keeps the %2F of addresses in the names of files."""
    (tmp_path / "imdb").mkdir()
    kept = tmp_path / "imdb" / "imdb%2FaclImdb_v1.tar.gz"
    kept.write_bytes((home / "imdb" / "aclImdb_v1.tar.gz").read_bytes())
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(tmp_path))
    assert len(list(imdb.train(imdb.word_dict())())) == 4


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: imdb.train({}), r"\(word_idx\): expected a dict with '<unk>'.* dict of 0 words"),
        (lambda: imdb.train(None), r"\(word_idx\): expected a dict .* but received NoneType"),
        (lambda: imdb.build_dict("(", 1), r"build_dict\(pattern\): expected a regular expression"),
        (lambda: imdb.build_dict(3, 1), r"build_dict\(pattern\): .* but received 3"),
        (lambda: imdb.tokenize(b"a"), r"tokenize\(pattern\): expected .* received b'a'"),
        (lambda: movielens.UserInfo(1, "M", "x", 3), r"UserInfo\(age\): .* digits.* received 'x'"),
        (lambda: uci_housing.load_data("x", 14, 2), r"load_data\(ratio\): .* from 0 to 1.* 2"),
        (lambda: uci_housing.load_data("x", 1), r"load_data\(feature_num\): expected at least 2"),
        (lambda: imikolov.train({"<unk>": 0}, 0), r"imikolov\(n\): expected at least 1"),
        (lambda: imikolov.train({"<unk>": 0}, 2, 3), r"\(data_type\): .*SEQ \(2\).* received 3"),
        (lambda: imikolov.test({"a": 0}, 2), r"\(word_idx\): expected a dict with '<unk>'"),
        (lambda: imikolov.build_dict(-1), r"\(min_word_freq\): expected at least 0"),
        (lambda: wmt14.train(2), r"wmt14\(dict_size\): expected at least 3, but received 2"),
        (lambda: wmt14.get_dict(0), r"get_dict\(dict_size\): expected at least 3"),
        (lambda: wmt16.train(2, 5), r"wmt16\(src_dict_size\): expected at least 3"),
        (lambda: wmt16.train(5, 5, "fr"), r"wmt16\(src_lang\): expected 'en'.* received 'fr'"),
        (lambda: wmt16.get_dict("fr", 5), r"get_dict\(lang\): expected 'en'"),
    ],
)
def test_wrong_values(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_wrong_types() -> None:
    with pytest.raises(TypeError, match=r"word_count\(f\): .* line 2 is of type int"):
        imikolov.word_count(["a", 3])
    with pytest.raises(TypeError, match=r"word_count\(word_freq\): expected a dict or None.* list"):
        imikolov.word_count(["a"], [])
    with pytest.raises(TypeError, match=r"\(dict_size\): expected an int, but received str"):
        wmt14.train("30")


def test_constants() -> None:
    assert imdb.URL == "https://dataset.bj.bcebos.com/imdb%2FaclImdb_v1.tar.gz"
    assert movielens.age_table == [1, 18, 25, 35, 45, 50, 56]
    assert len(uci_housing.feature_names) == 13
    assert (wmt14.START, wmt14.END, wmt14.UNK, wmt14.UNK_IDX) == ("<s>", "<e>", "<unk>", 2)
    assert (wmt16.TOTAL_EN_WORDS, wmt16.TOTAL_DE_WORDS) == (11250, 19220)
    assert conll05.UNK_IDX == 0
    for module in MODULES:
        assert importlib.import_module(module.__name__) is getattr(
            paddle.dataset, module.__name__.rpartition(".")[2]
        )
