"""Sentences with the parts that predicates give them: the tests of CoNLL-2005 and dictionaries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from paddle.core.errors import InvalidArgumentError
from paddle.dataset.parsers.archives import gunzipped, tar_members, text_lines, wrong_line

__all__: list[str] = []

_HOST = "http://paddlemodels.bj.bcebos.com/"
DATA_URL = f"{_HOST}conll05st/conll05st-tests.tar.gz"
DATA_MD5 = "387719152ae52d60422c016e92a742fc"
WORDDICT_URL = f"{_HOST}conll05st%2FwordDict.txt"
WORDDICT_MD5 = "ea7fb7d4c75cc6254716f0177a506baa"
VERBDICT_URL = f"{_HOST}conll05st%2FverbDict.txt"
VERBDICT_MD5 = "0d2977293bbb6cbefab5b0f97db1e77c"
TRGDICT_URL = f"{_HOST}conll05st%2FtargetDict.txt"
TRGDICT_MD5 = "d8c7f03ceb5fc2e5a0fa7503a4353751"
EMB_URL = f"{_HOST}conll05st%2Femb"
EMB_MD5 = "bf436eb0faa1f6f9103017f8be57cdb7"
FOLDER = "conll05st"

WORDS = "conll05st-release/test.wsj/words/test.wsj.words.gz"
PROPS = "conll05st-release/test.wsj/props/test.wsj.props.gz"
UNK_IDX = 0
_BEFORE, _AFTER = "bos", "eos"  # stand for words before and behind a sentence
_VERB, _NONE = "B-V", "O"
_TAG = re.compile(r"(?:\(([^()*]+))?\*(\))?")


class Sentence(NamedTuple):
    """Words, the predicate that gives them their parts, a label for each word."""

    words: list[str]
    predicate: str
    labels: list[str]


def load_dict(filename: str) -> dict[str, int]:
    """Numbers the lines of a file."""
    return {line.strip(): number for number, line in enumerate(_lines_of(filename))}


def load_label_dict(filename: str) -> dict[str, int]:
    """Numbers labels: for each kind of the file its ``B-`` and its ``I-``, at last ``O``.

    The kinds come in the order of the file; in PaddlePaddle it changes from process to process.
    """
    lines = [line.strip() for line in _lines_of(filename)]
    kinds = dict.fromkeys(line[2:] for line in lines if line.startswith(("B-", "I-")))
    labels = [f"{mark}-{kind}" for kind in kinds for mark in "BI"]
    return {label: number for number, label in enumerate([*labels, _NONE])}


def _lines_of(filename: str) -> list[str]:
    with open(filename, "rb") as file:
        return text_lines(file.read(), filename)


def sentences(path: str, words_name: str = WORDS, props_name: str = PROPS) -> Iterator[Sentence]:
    """Yields every sentence of the archive once for each of its predicates.

    Args:
        path (str): the archive.
        words_name (str): its gzip file with a word in each line, and a blank line after a sentence.
        props_name (str): its gzip file with a line for each of these: the predicate or ``-``, then
            a column of labels for each predicate.

    Raises:
        ValueError: the archive is damaged, or the two files do not fit each other.
    """
    packed = tar_members(path, [words_name, props_name])
    words_at, props_at = f"{words_name} in {path}", f"{props_name} in {path}"
    words = text_lines(gunzipped(packed[words_name], words_at), words_at)
    props = text_lines(gunzipped(packed[props_name], props_at), props_at)
    if len(words) != len(props):
        raise InvalidArgumentError(
            f"{path}: expected as many lines in {words_name} as in {props_name}, "
            f"but received {len(words)} and {len(props)}."
        )
    begin = 0
    for end in range(len(words) + 1):
        row = props[end].split() if end < len(props) else []
        word = words[end].strip() if end < len(words) else ""
        if bool(row) != bool(word):
            raise wrong_line(
                props_at, end + 1, props[end],
                f"{'a predicate or -, and labels, for the word' if word else 'a blank line like'} "
                f"{words[end]!r} in {words_name}",
            )  # fmt: skip
        if not row:
            rows = [line.split() for line in props[begin:end]]
            yield from _labelled([w.strip() for w in words[begin:end]], rows, props_at, begin)
            begin = end + 1


def _labelled(
    words: list[str], rows: list[list[str]], where: str, before: int
) -> Iterator[Sentence]:
    """The sentences of one block of rows, which ``before`` lines precede."""
    predicates = [row[0] for row in rows if row[0] != "-"]
    for number, row in enumerate(rows, before + 1):
        if len(row) != len(predicates) + 1:
            expected = f"{len(predicates) + 1} columns, one more than the sentence has predicates"
            raise wrong_line(where, number, " ".join(row), expected)
    for column, predicate in enumerate(predicates, 1):
        labels, kind, inside = [], _NONE, False
        for number, row in enumerate(rows, before + 1):
            tag = _TAG.fullmatch(row[column])
            if tag is None:
                raise wrong_line(where, number, row[column], "a label such as (A0*, (A0*), * or *)")
            opened, closed = tag.groups()
            if opened:
                kind = opened
                labels.append(f"B-{kind}")
            else:
                labels.append(f"I-{kind}" if inside or closed else _NONE)
            inside = (inside or bool(opened)) and not closed
        yield Sentence(words, predicate, labels)


class Numbers(NamedTuple):
    """The dictionaries that number words, predicates and labels."""

    words: dict[str, int]
    predicates: dict[str, int]
    labels: dict[str, int]

    def sample(self, sentence: Sentence) -> tuple[list[int], ...]:
        """Nine lists as long as the sentence.

        The words; the words two before, one before, at, one and two behind the predicate; the
        predicate; 1 for these five words, 0 for others; the labels.
        """
        words, predicate, labels = sentence
        length = len(words)
        if _VERB not in labels:
            raise InvalidArgumentError(
                f"Conll05: expected a {_VERB} among the labels of {' '.join(words)!r}, whose "
                f"predicate is {predicate!r}, but there is none."
            )
        at = labels.index(_VERB)
        around = range(at - 2, at + 3)
        context = [self._word(words, place) for place in around]
        return (
            [self.words.get(word, UNK_IDX) for word in words],
            *([number] * length for number in context),
            [_number(self.predicates, predicate, "predicates")] * length,
            [int(place in around) for place in range(length)],
            [_number(self.labels, label, "labels") for label in labels],
        )

    def _word(self, words: list[str], place: int) -> int:
        """The number of a word, or of what stands for it outside of the sentence."""
        if 0 <= place < len(words):
            return self.words.get(words[place], UNK_IDX)
        return self.words.get(_BEFORE if place < 0 else _AFTER, UNK_IDX)


def _number(known: dict[str, int], word: str, kind: str) -> int:
    if word not in known:
        raise InvalidArgumentError(
            f"Conll05: expected {word!r} in the dictionary of {kind}, but it is not among its "
            f"{len(known)} entries.",
            hint="give the dictionaries that belong to the archive",
        )
    return known[word]


def samples(sentences_: Iterable[Sentence], numbers: Numbers) -> Iterator[tuple[list[int], ...]]:
    """Yields the sample of each sentence."""
    for sentence in sentences_:
        yield numbers.sample(sentence)
