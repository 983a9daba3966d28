"""Small archives with the layout of the published ones, and a cache that holds all of them."""

from __future__ import annotations

import gzip
import io
import os
import random
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

Members = Iterable[tuple[str, str | bytes | None]]


def write_tar(path: str | os.PathLike, members: Members, mode: str = "w:gz") -> str:
    """Writes a tar archive; None as a content makes a folder."""
    with tarfile.open(path, mode) as archive:
        for name, content in members:
            member = tarfile.TarInfo(name)
            if content is None:
                member.type = tarfile.DIRTYPE
                archive.addfile(member)
                continue
            data = content.encode() if isinstance(content, str) else content
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return str(path)


IMDB: list[tuple[str, str | bytes | None]] = [
    ("aclImdb", None),
    ("aclImdb/imdb.vocab", "the\nand\n"),
    ("aclImdb/test", None),
    ("aclImdb/test/neg/0_2.txt", b"A bad film, the worst!\n\r\n"),
    ("aclImdb/test/neg/1_3.txt", b""),
    ("aclImdb/test/pos/0_10.txt", b"The best; film...<br /><br />Tab\there\n and newline"),
    ("aclImdb/test/urls_pos.txt", "http://x\n"),
    ("aclImdb/train/neg/10_1.txt", "the the the café bad don't It's".encode()),
    ("aclImdb/train/neg/2_1.txt", b"caf\xe9 FILM film film a-b"),
    ("aclImdb/train/pos/0_9.txt", b"best best good GOOD the film \xc3\x89T\xc3\x89 zebra"),
    ("aclImdb/train/pos/sub/0_9.txt", b"nested nested"),
    ("aclImdb/train/unsup/0_0.txt", b"film film film film unsup"),
    ("aclImdb/train/labeledBow.feat", "9 0:9"),
]

PTB: list[tuple[str, str | bytes | None]] = [
    ("./simple-examples", None),
    ("./simple-examples/data", None),
    (
        "./simple-examples/data/ptb.train.txt",
        " the cat sat on the <unk> mat \n the dog sat \n\n on café N \n",
    ),
    ("./simple-examples/data/ptb.valid.txt", " the cat ate N \n dog <unk> \n"),
    ("./simple-examples/data/ptb.test.txt", " never read \n"),
    ("./simple-examples/data/ptb.char.train.txt", " t h e _ c \n"),
]

MOVIES = (
    "1::Toy Story (1995)::Animation|Children's|Comedy\n"
    "2::Jumanji (1995)::Adventure|Children's|Fantasy\n"
    "3::Les Misérables (1995)::Drama\n"
    "10::City of Lost Children, The (Cité des enfants perdus, La) (1995)::Adventure|Sci-Fi\n"
)
USERS = "1::F::1::10::48067\n2::M::56::16::70072\n5::M::25::20::55455-1234\n"


def ratings(count: int = 60) -> str:
    """Lines of ratings, drawn from a fixed seed."""
    drawn = random.Random(3)
    return "".join(
        f"{drawn.choice([1, 2, 5])}::{drawn.choice([1, 2, 3, 10])}::{drawn.randint(1, 5)}"
        f"::97830{number:04}\n"
        for number in range(count)
    )


def write_movielens(path: str | os.PathLike, **changed: str | None) -> str:
    """Writes ml-1m.zip; ``movies=``, ``users=`` and ``ratings=`` replace a file, None omits it."""
    texts = {"movies": MOVIES, "ratings": ratings(), "users": USERS, **changed}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ml-1m/", "")
        archive.writestr("ml-1m/README", "about")
        for name, text in texts.items():
            if text is not None:
                archive.writestr(f"ml-1m/{name}.dat", text.encode("latin-1"))
    return str(path)


def housing(rows: int = 10) -> str:
    """Lines of the table, drawn from a fixed seed."""
    drawn = random.Random(5)
    lines = ([round(drawn.uniform(0, 100), 4) for _ in range(14)] for _ in range(rows))
    return "".join(" " + "  ".join(f"{number:.4f}" for number in line) + "\n" for line in lines)


WORDS = "The\ncat\nsat\non\nthe\nmat\n.\n\nDogs\nbark\nand\nrun\n\nHello\n\n"
PROPS = (
    "-    (A0*\n-    *)\nsit    (V*)\n-    (AM-LOC*\n-    *\n-    *)\n-    *\n\n"
    "-    (A0*)    (A0*)\nbark    (V*)    *\n-    *    *\nrun    *    (V*)\n\n"
    "-\n\n"
)
CONLL_DICTS = {
    "wordDict.txt": "bos\neos\nthe\ncat\nsat\nThe\nbark\nmat\n",
    "verbDict.txt": "<unk>\nsit\nrun\nbark\n",
    "targetDict.txt": "B-V\nI-V\nB-A0\nI-A0\nB-AM-LOC\nI-AM-LOC\nO\n",
}


def write_conll(path: str | os.PathLike, words: str = WORDS, props: str = PROPS) -> str:
    """Writes conll05st-tests.tar.gz with other words and labels."""
    folder = "conll05st-release/test.wsj"
    members: Members = [
        ("conll05st-release", None),
        (f"{folder}/words/test.wsj.words.gz", gzip.compress(words.encode(), mtime=0)),
        (f"{folder}/props/test.wsj.props.gz", gzip.compress(props.encode(), mtime=0)),
        ("conll05st-release/test.brown/words/test.brown.words.gz", gzip.compress(b"x\n\n")),
    ]
    return write_tar(path, members)


_LONG, _JUST = " ".join(["a"] * 81), " ".join(["a"] * 78)
WMT14: list[tuple[str, str | bytes | None]] = [
    ("wmt14", None),
    (
        "wmt14/train/train",
        "le chat\tthe cat\nle chien inconnu\tthe dog\n"
        f"{_LONG}\tx\nx\t{_LONG}\n{_JUST} a\tx\n{_JUST}\t{_JUST} a a\nno tab here\na\tb\tc\n\n",
    ),
    ("wmt14/test/test", "le\tthe\n  le   chat \t the  cat \n"),
    ("wmt14/gen/gen", "chat\tcat\n"),
    ("wmt14/src.dict", "<s>\n<e>\n<unk>\nle\nchat\na\n"),
    ("wmt14/trg.dict", "<s>\n<e>\n<unk>\nthe\ncat\na\ndog\n"),
]

WMT16: list[tuple[str, str | bytes | None]] = [
    ("wmt16", None),
    (
        "wmt16/train",
        "A cat sits .\tEine Katze sitzt .\nA dog . .\tEin Hund .\nno tab\nA\tEine\tx\n"
        "A man b\tÜber ä\n",
    ),
    ("wmt16/val", "A cat runs\tEine Katze rennt\n"),
    ("wmt16/test", "  A  zebra \tEin Zebra\n"),
]


def write_home(home: Path) -> Path:
    """Writes all of them as a cache of data sets, and returns its folder."""
    for folder in ("imdb", "imikolov", "movielens", "uci_housing", "conll05st", "wmt14", "wmt16"):
        (home / folder).mkdir(parents=True, exist_ok=True)
    write_tar(home / "imdb" / "aclImdb_v1.tar.gz", IMDB)
    write_tar(home / "imikolov" / "simple-examples.tgz", PTB)
    write_movielens(home / "movielens" / "ml-1m.zip")
    (home / "uci_housing" / "housing.data").write_text(housing())
    write_conll(home / "conll05st" / "conll05st-tests.tar.gz")
    for name, text in CONLL_DICTS.items():
        (home / "conll05st" / name).write_text(text)
    (home / "conll05st" / "emb").write_bytes(bytes(range(256)))
    write_tar(home / "wmt14" / "wmt14.tgz", WMT14)
    write_tar(home / "wmt16" / "wmt16.tar.gz", WMT16)
    return home
