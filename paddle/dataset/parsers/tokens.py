"""Splits much text into words and numbers them, as fast as arrays allow.

Words are looked up many at once, in a table that arrays make up. What the table does not have, or
not for certain, is looked up in a dict of Python; so the table may forget and never be wrong.
"""

from __future__ import annotations

import string
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import count

import numpy as np

_SPACES = b"\t\n\v\f\r"
_LOWER = bytes(ord(" ") if byte in _SPACES else byte for byte in bytes(range(256)).lower())
_PUNCTUATION = string.punctuation.encode()

_CHUNK_BYTES = 1 << 18  # what is made of it stays in the processor's cache
_SLOT_BITS = 18
_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)  # odd, random bits
_HALF, _TO_SLOT = np.uint64(32), np.uint64(64 - _SLOT_BITS)
# Keeps the first 0 to 8 bytes of a little-endian number.
_KEEP = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)
_LONGEST = 16  # bytes of a word that fit into the table


def cleaned(text: bytes) -> bytes:
    """Lower case, without punctuation, every white space a blank; only ASCII is changed."""
    return text.translate(_LOWER, _PUNCTUATION)


def tokenized(text: bytes) -> list[bytes]:
    """The words of a text."""
    return cleaned(text).split()


class WordTable:
    """Numbers words in the order in which they are first seen."""

    def __init__(self) -> None:
        self._numbers: defaultdict[bytes, int] = defaultdict(count().__next__)
        slots = 1 << _SLOT_BITS
        # The first 8 and the next 8 bytes of the word in a slot; no word is all zeros.
        self._head = np.zeros(slots, np.uint64)
        self._tail = np.zeros(slots, np.uint64)
        self._number = np.zeros(slots, np.int32)

    @property
    def words(self) -> list[bytes]:
        """The words; the place of each is its number."""
        return list(self._numbers)

    def numbered(self, texts: Iterable[bytes]) -> Iterator[np.ndarray]:
        """Yields for each text the numbers of its words, int32; new words get new numbers."""
        waiting: list[bytes] = []
        size = 0
        for text in texts:
            waiting.append(cleaned(text))
            size += len(text)
            if size >= _CHUNK_BYTES:
                yield from self._chunk(waiting)
                waiting, size = [], 0
        if waiting:
            yield from self._chunk(waiting)

    def _chunk(self, texts: list[bytes]) -> Iterator[np.ndarray]:
        # A blank before the first word, and room to read two numbers beyond the last one.
        joined = b" " + b" ".join(texts) + b" " * _LONGEST
        is_blank = np.frombuffer(joined, np.uint8) == ord(" ")
        edges = np.flatnonzero(is_blank[1:] != is_blank[:-1]) + 1
        starts, ends = edges[::2], edges[1::2]
        numbers = self._look_up(joined, starts, ends)
        text_ends = np.cumsum([len(text) + 1 for text in texts])
        return iter(np.split(numbers, np.searchsorted(starts, text_ends[:-1], side="right")))

    def _look_up(self, joined: bytes, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """The numbers of the words joined[start:end]."""
        length = ends - starts
        # The 8 bytes from each place on, as a number; the places overlap.
        eights: np.ndarray = np.ndarray((len(joined) - 7,), "<u8", joined, 0, (1,))
        head = eights[starts] & _KEEP[np.minimum(length, 8)]
        tail = eights[starts + 8] & _KEEP[np.clip(length - 8, 0, 8)]
        mixed = head * _FIRST ^ tail * _SECOND
        slot = (((mixed ^ (mixed >> _HALF)) * _FIRST) >> _TO_SLOT).astype(np.int64)
        # A zero byte at the end of a word cannot be told from no byte.
        fits = (length <= _LONGEST) & (b"\0" not in joined)
        known = (self._head[slot] == head) & (self._tail[slot] == tail) & fits
        numbers = self._number[slot]
        rest = np.flatnonzero(~known)
        number_of = self._numbers.__getitem__
        pieces = zip(starts[rest].tolist(), ends[rest].tolist(), strict=True)
        numbers[rest] = [number_of(joined[start:end]) for start, end in pieces]
        # Who comes first keeps a slot: early words are the frequent ones. Of several in one chunk
        # the last one stays, in all three arrays.
        new = rest[(self._head[slot[rest]] == 0) & fits[rest]]
        self._head[slot[new]] = head[new]
        self._tail[slot[new]] = tail[new]
        self._number[slot[new]] = numbers[new]
        return numbers
