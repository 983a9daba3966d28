"""The table that numbers words, against a dict of Python."""

from __future__ import annotations

import random

import numpy as np
import pytest

from paddle.dataset.parsers import tokens
from paddle.dataset.parsers.tokens import WordTable, tokenized


def plainly(texts: list[bytes]) -> tuple[list[list[int]], list[bytes]]:
    """Numbers in the order in which words are first seen."""
    numbers: dict[bytes, int] = {}
    found = [[numbers.setdefault(w, len(numbers)) for w in tokenized(text)] for text in texts]
    return found, list(numbers)


def words(drawn: random.Random, letters: bytes, longest: int) -> bytes:
    return bytes(drawn.choice(letters) for _ in range(drawn.randint(1, longest)))


def same(texts: list[bytes]) -> WordTable:
    """Compares all numbers, through the words they stand for."""
    table = WordTable()
    found = list(table.numbered(texts))
    expected, vocabulary = plainly(texts)
    assert len(table.words) == len(vocabulary)
    assert set(table.words) == set(vocabulary)
    named = [[table.words[n] for n in numbers.tolist()] for numbers in found]
    assert named == [[vocabulary[n] for n in numbers] for numbers in expected]
    return table


def test_tokens() -> None:
    assert tokenized(b"It's a\tGOOD-film, <br /> \xc3\x89t\xc3\xa9\x0bx\n") == [
        b"its", b"a", b"goodfilm", b"br", b"\xc3\x89t\xc3\xa9", b"x",
    ]  # fmt: skip
    assert tokenized(b" ., \n") == tokenized(b"") == []


@pytest.mark.parametrize("chunk", [1, 100, 1 << 18])
@pytest.mark.parametrize("letters", [b"ab", b"abcdefgh", bytes(range(33, 256)), b"a\0b"])
def test_words_of_all_lengths(letters: bytes, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_CHUNK_BYTES", chunk)
    drawn = random.Random(0)
    texts = [
        b" ".join(words(drawn, letters, 20) for _ in range(drawn.randint(0, 40)))
        for _ in range(120)
    ]
    same([*texts, b"", b" ", *texts])


def test_words_that_share_a_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few slots make many words share one; all of them keep their numbers."""
    monkeypatch.setattr(tokens, "_SLOT_BITS", 3)
    monkeypatch.setattr(tokens, "_TO_SLOT", np.uint64(61))
    monkeypatch.setattr(tokens, "_CHUNK_BYTES", 50)
    drawn = random.Random(1)
    texts = [b" ".join(words(drawn, b"abc", 4) for _ in range(20)) for _ in range(60)]
    same(texts)


def test_words_with_a_common_beginning() -> None:
    long = b"abcdefghijklmnop"
    texts = [b" ".join([long[:n], long[:n] + b"X", long * 2 + long[:n]]) for n in range(1, 17)]
    same([*texts, *texts])


def test_zero_bytes_are_told_from_no_bytes() -> None:
    table = same([b"ab ab\0 ab\0\0 ab", b"ab", b"\0 ab\0", b"ab ab"])
    assert set(table.words) == {b"ab", b"ab\0", b"ab\0\0", b"\0"}


def test_no_texts() -> None:
    table = WordTable()
    assert list(table.numbered([])) == [] and table.words == []
    [numbers] = table.numbered([b"  "])
    assert numbers.dtype == np.int32 and len(numbers) == 0
