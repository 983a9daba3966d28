"""Data sets of texts with wrong arguments, damaged archives and files that are not there."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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

MAKERS: dict[str, Callable[..., Any]] = {
    "Imdb": Imdb,
    "Imikolov": lambda *args, **kw: Imikolov(*args, window_size=2, **kw),
    "Movielens": Movielens,
    "UCIHousing": UCIHousing,
    "WMT14": lambda *args, **kw: WMT14(*args, dict_size=5, **kw),
    "WMT16": lambda *args, **kw: WMT16(*args, src_dict_size=5, trg_dict_size=5, **kw),
    "Conll05st": Conll05st,
}
ARCHIVES = {
    "Imdb": "imdb/aclImdb_v1.tar.gz",
    "Imikolov": "imikolov/simple-examples.tgz",
    "Movielens": "movielens/ml-1m.zip",
    "UCIHousing": "uci_housing/housing.data",
    "WMT14": "wmt14/wmt14.tgz",
    "WMT16": "wmt16/wmt16.tar.gz",
    "Conll05st": "conll05st/conll05st-tests.tar.gz",
}


@pytest.fixture(scope="session")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return text_archives.write_home(tmp_path_factory.mktemp("home"))


@pytest.fixture
def home(archives: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(archives))
    return archives


@pytest.mark.parametrize("name", MAKERS)
def test_without_download_the_error_says_where_the_file_belongs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(tmp_path))
    with pytest.raises(RuntimeError, match=f"{name}: data_file is not given") as caught:
        MAKERS[name](download=False)
    folder, file = ARCHIVES[name].split("/")
    assert f"put {file} into {tmp_path / folder}, or give data_file" in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", MAKERS)
def test_a_given_file_that_is_not_there(name: str, home: Path) -> None:
    with pytest.raises(RuntimeError, match=rf"{name}\(data_file\): expected a file at /no/where"):
        MAKERS[name]("/no/where")
    with pytest.raises(TypeError, match=rf"{name}\(data_file\): expected the path.*received int"):
        MAKERS[name](5)


@pytest.mark.parametrize("name", [n for n in MAKERS if n != "Conll05st"])
@pytest.mark.parametrize("mode", ["valid", 1, None])
def test_unknown_modes(name: str, mode: Any, home: Path) -> None:
    with pytest.raises(ValueError, match=rf"{name}\(mode\): expected one of \['train', 'test'"):
        MAKERS[name](mode=mode)


TAR = [n for n in MAKERS if n not in ("Movielens", "UCIHousing")]


def shortened(home: Path, name: str, tmp_path: Path, part: float) -> str:
    """A file with the first bytes of an archive."""
    content = (home / ARCHIVES[name]).read_bytes()
    cut = tmp_path / "cut"
    cut.write_bytes(content[: int(len(content) * part)])
    return str(cut)


@pytest.mark.parametrize("name", [*TAR, "Movielens"])
@pytest.mark.parametrize("part", [0.95, 0.5, 0.02])
def test_truncated_archives(name: str, part: float, home: Path, tmp_path: Path) -> None:
    cut = shortened(home, name, tmp_path, part)
    with pytest.raises(ValueError, match=r"expected a complete .* archive, but reading") as caught:
        MAKERS[name](cut)
    assert cut in str(caught.value) and "delete the file" in str(caught.value)


@pytest.mark.parametrize("name", TAR)
def test_truncated_plain_tar(name: str, home: Path, tmp_path: Path) -> None:
    """Without compression nothing but the sizes tells that the end is missing."""
    whole = gzip.decompress((home / ARCHIVES[name]).read_bytes())
    end = whole.rstrip(b"\0")
    path = tmp_path / "cut.tar"
    path.write_bytes(end[: len(end) - 5])
    with pytest.raises(ValueError, match=r"has .* bytes, but only .* are there"):
        MAKERS[name](str(path))


@pytest.mark.parametrize("name", [*TAR, "Movielens"])
def test_flipped_bits(name: str, home: Path, tmp_path: Path) -> None:
    """A changed bit of the contents is seen by the checksum, wherever it is."""
    content = bytearray((home / ARCHIVES[name]).read_bytes())
    path = tmp_path / "flipped"
    place = content.index(b"movies.dat") + 30 if name == "Movielens" else len(content) // 2
    content[place] ^= 0x10
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"expected a complete .* archive"):
        MAKERS[name](str(path))


@pytest.mark.parametrize("name", [*TAR, "Movielens"])
def test_files_that_are_no_archives(name: str, home: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<html>404</html>" * 100)
    with pytest.raises(ValueError, match=r"expected a complete .* archive, but reading"):
        MAKERS[name](str(page))


@pytest.mark.parametrize("name", TAR)
def test_empty_archives(name: str, home: Path, tmp_path: Path) -> None:
    empty = text_archives.write_tar(tmp_path / "empty.tgz", [])
    with pytest.raises(ValueError, match=r"expected .* in the archive, but it holds no files"):
        MAKERS[name](empty)


def without(members: list, part: str) -> list:
    return [(name, content) for name, content in members if part not in name]


@pytest.mark.parametrize(
    "name, members, part, message",
    [
        ("Imdb", text_archives.IMDB, "train/pos", r"expected aclImdb/train/pos/\*\.txt"),
        ("Imikolov", text_archives.PTB, "ptb.valid", "expected simple-examples/data/ptb.valid.txt"),
        ("WMT14", text_archives.WMT14, "src.dict", "expected src.dict"),
        ("WMT14", text_archives.WMT14, "train/train", "expected train/train"),
        ("WMT16", text_archives.WMT16, "wmt16/train", "expected wmt16/train"),
    ],
)
def test_missing_members(
    name: str, members: list, part: str, message: str, home: Path, tmp_path: Path
) -> None:
    path = text_archives.write_tar(tmp_path / "part.tgz", without(members, part))
    with pytest.raises(ValueError, match=message + " in the archive, but it holds "):
        MAKERS[name](path)


@pytest.mark.parametrize("part", ["movies", "users", "ratings"])
def test_movielens_without_a_file(part: str, tmp_path: Path) -> None:
    path = text_archives.write_movielens(tmp_path / "ml.zip", **{part: None})
    with pytest.raises(ValueError, match=rf"expected ml-1m/{part}.dat in the archive"):
        Movielens(path)


@pytest.mark.parametrize(
    "changed, line",
    [
        ({"movies": "1::Heat (1995)::Drama\n2::No year::Drama\n"}, 2),
        ({"movies": "1::Heat (1995)\n"}, 1),
        ({"users": "1::F::1::10::48067\n2::M::57::16::70072\n"}, 2),
        ({"users": "1::X::1::10::48067\n"}, 1),
        ({"ratings": "1::1::5::97\n1::1::6::97\n"}, 2),
        ({"ratings": "1::1::good::97\n"}, 1),
        ({"ratings": "1::1::5::97\n9::1::5::97\n"}, 2),
        ({"ratings": "1::1::5::97\n1::77::5::97\n"}, 2),
        ({"ratings": "1::1::5::97\n\n1::1::5::97\n"}, 2),
    ],
)
def test_movielens_names_malformed_lines(
    changed: dict[str, str], line: int, tmp_path: Path
) -> None:
    path = text_archives.write_movielens(tmp_path / "ml.zip", **changed)
    [(name, text)] = changed.items()
    with pytest.raises(
        ValueError, match=rf"ml-1m/{name}.dat in .*, line {line}: expected"
    ) as caught:
        Movielens(path)
    assert repr(text.split("\n")[line - 1]) in str(caught.value)


@pytest.mark.parametrize("text, line", [("1 2 3\n", 1), ("\n" + " ".join(["x"] * 14), 2)])
def test_uci_housing_names_malformed_lines(text: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "housing.data"
    path.write_text(text)
    with pytest.raises(ValueError, match=rf"housing.data, line {line}: expected 14 numbers"):
        UCIHousing(str(path))


def test_uci_housing_without_lines(tmp_path: Path) -> None:
    path = tmp_path / "housing.data"
    path.write_text("\n\n")
    with pytest.raises(ValueError, match="expected lines of 14 numbers, but the file has none"):
        UCIHousing(str(path))


@pytest.mark.parametrize("name, file", [("WMT14", "train/train"), ("WMT16", "wmt16/train")])
def test_text_in_another_encoding(name: str, file: str, home: Path, tmp_path: Path) -> None:
    members = {"WMT14": text_archives.WMT14, "WMT16": text_archives.WMT16}[name]
    changed = [
        (n, b"a\tb\ncaf\xe9\tb\n" if n.endswith(file) else content) for n, content in members
    ]
    path = text_archives.write_tar(tmp_path / "latin.tgz", changed)
    message = rf"{file} in .*, line 2: expected UTF-8 text, but byte 0xe9 in column 4 is none"
    with pytest.raises(ValueError, match=message):
        MAKERS[name](path)


def test_wmt14_dictionary_without_marks(tmp_path: Path) -> None:
    changed = [
        (n, "<s>\nle\nchat\n" if n.endswith("src.dict") else c) for n, c in text_archives.WMT14
    ]
    path = text_archives.write_tar(tmp_path / "marks.tgz", changed)
    with pytest.raises(ValueError, match=r"src.dict in .*, line 2: expected '<e>'.*but it is 'le'"):
        WMT14(path, dict_size=5)


@pytest.mark.parametrize(
    "words, props, message",
    [
        ("a\nb\n\n", "sit (V*)\n\n", "expected as many lines in .*words.gz as in .*props.gz"),
        ("a\nb\n\n", "sit (V*)\n\n- *\n", "line 2: expected a predicate or -.* for the word 'b'"),
        ("a\n\nb\n", "sit (V*)\n- *\n\n", "line 2: expected a blank line"),
        ("a\nb\n\n", "sit (V*)\n- * *\n\n", "line 2: expected 2 columns, one more than"),
        ("x\n\na\nb\n\n", "-\n\nsit (V*)\n- (A0\n\n", r"line 4: expected a label such as .*'\(A0'"),
    ],
)
def test_conll_files_that_do_not_fit(
    words: str, props: str, message: str, home: Path, tmp_path: Path
) -> None:
    path = text_archives.write_conll(tmp_path / "conll.tgz", words, props)
    with pytest.raises(ValueError, match=message):
        Conll05st(path)


def test_conll_with_a_damaged_member(home: Path, tmp_path: Path) -> None:
    folder = "conll05st-release/test.wsj"
    members: text_archives.Members = [
        (f"{folder}/words/test.wsj.words.gz", gzip.compress(b"a\n\n" * 50)[:-12]),
        (f"{folder}/props/test.wsj.props.gz", gzip.compress(b"-\n\n" * 50)),
    ]
    path = text_archives.write_tar(tmp_path / "conll.tgz", members)
    with pytest.raises(ValueError, match=r"words.gz in .*conll.tgz: expected a complete gzip file"):
        Conll05st(path)


@pytest.mark.parametrize(
    "words, props, message",
    [
        ("a\n\n", "fly (V*)\n\n", "expected 'fly' in the dictionary of predicates"),
        ("a\nb\n\n", "sit (V*)\n- (A9*)\n\n", "expected 'B-A9' in the dictionary of labels"),
        ("a\n\n", "sit (A0*)\n\n", "expected a B-V among the labels of 'a'"),
    ],
)
def test_conll_sentences_beyond_the_dictionaries(
    words: str, props: str, message: str, home: Path, tmp_path: Path
) -> None:
    data = Conll05st(text_archives.write_conll(tmp_path / "conll.tgz", words, props))
    assert len(data) == 1
    with pytest.raises(ValueError, match=message):
        data[0]


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: Imikolov(data_type="CHAR"), r"Imikolov\(data_type\): .* received 'CHAR'"),
        (lambda: Imikolov(data_type=3), r"Imikolov\(data_type\): expected 'NGRAM' or 'SEQ'"),
        (lambda: Imikolov(), r"Imikolov\(window_size\): expected at least 1, but received -1"),
        (lambda: Imikolov(window_size=0), r"\(window_size\): expected at least 1"),
        (lambda: Imikolov(data_type="SEQ", window_size=-2), "window_size.*at least -1"),
        (lambda: Imikolov(window_size=2, min_word_freq=-1), "min_word_freq.*at least 0"),
        (lambda: Imdb(cutoff=-1), r"Imdb\(cutoff\): expected at least 0, but received -1"),
        (lambda: Movielens(test_ratio=1.5), r"Movielens\(test_ratio\): .* from 0 to 1.*1.5"),
        (lambda: Movielens(rand_seed=-1), r"Movielens\(rand_seed\): expected at least 0"),
        (lambda: WMT14(), r"WMT14\(dict_size\): expected at least 3, but received -1"),
        (lambda: WMT14(dict_size=0), r"WMT14\(dict_size\): expected at least 3"),
        (lambda: WMT16(), r"WMT16\(src_dict_size\): expected at least 3, but received -1"),
        (lambda: WMT16(src_dict_size=5, trg_dict_size=2), r"\(trg_dict_size\): .*received 2"),
        (lambda: WMT16(None, "train", 5, 5, "fr"), r"WMT16\(lang\): .* received 'fr'"),
    ],
)
def test_wrong_values(call: Callable[[], Any], message: str, home: Path) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: Imdb(cutoff="5"), r"Imdb\(cutoff\): expected an int, but received str"),
        (lambda: Imikolov(window_size=2.0), r"window_size\): expected an int.* float"),
        (lambda: WMT14(dict_size=True), r"WMT14\(dict_size\): expected an int.* bool"),
        (lambda: Movielens(rand_seed=None), r"rand_seed\): expected an int.* NoneType"),
    ],
)
def test_wrong_types(call: Callable[[], Any], message: str, home: Path) -> None:
    with pytest.raises(TypeError, match=message):
        call()


def test_a_download_with_a_wrong_checksum_leaves_nothing(
    archives: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PADDLE_DATASET_HOME", str(tmp_path))
    source = archives / "uci_housing" / "housing.data"
    monkeypatch.setattr("paddle.text.datasets.uci_housing.URL", source.as_uri())
    with pytest.raises(
        RuntimeError, match="expected MD5 d4accdce7a25600298819f8e28e8d593"
    ) as caught:
        UCIHousing()
    assert "put housing.data into" in str(caught.value)
    assert "housing.data" not in os.listdir(tmp_path / "uci_housing")


def test_long_names_and_other_headers(home: Path, tmp_path: Path) -> None:
    """Archives with headers that are not plain are read whole, in order, and once."""
    path = tmp_path / "pax.tar"
    for form in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT):
        with tarfile.open(path, "w", format=form) as archive:
            for name in ("a.txt", f"{'deep/' * 25}é.txt", "b.txt"):
                member = tarfile.TarInfo(f"aclImdb/train/pos/{name}")
                member.size = 3
                archive.addfile(member, io.BytesIO(name[0].encode() * 3))
            link = tarfile.TarInfo("aclImdb/train/pos/link.txt")
            link.type, link.linkname = tarfile.SYMTYPE, "a.txt"
            archive.addfile(link)
            member = tarfile.TarInfo("aclImdb/train/neg/c.txt")
            member.size = 3
            archive.addfile(member, io.BytesIO(b"ccc"))
        data = Imdb(str(path), cutoff=0)
        words = {number: word for word, number in data.word_idx.items()}
        assert [words[data[n][0][0]] for n in range(len(data))] == [b"aaa", b"ddd", b"bbb", b"ccc"]
