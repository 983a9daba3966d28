"""Numbers in text as arrays: finds the words of a block of bytes and converts many at once."""

from __future__ import annotations

import warnings

import numpy as np

_PAD = 24  # bytes before the text, so that the words in front can be read in blocks of eight
_WORD = 8
_POWERS = np.array([10**n for n in range(_WORD + 1)], np.uint64)
# Of a block of eight bytes whose last n belong to a word: the bits to keep, and "0" for the others.
_KEEP = np.array([(2**64 - 1) ^ ((1 << 8 * (8 - n)) - 1) for n in range(_WORD + 1)], np.uint64)
_ZEROS = np.uint64(0x3030303030303030)
_FILL = ~_KEEP & _ZEROS
_HIGH = np.uint64(0xF0F0F0F0F0F0F0F0)
_SIX = np.uint64(0x0606060606060606)
_LARGEST = 20  # digits of 2**64 - 1
_TOP, _REST = (np.uint64(n) for n in divmod(2**64 - 1, 10**16))


class Words:
    """The words of a text: what blanks and line ends separate.

    Args:
        text (bytes): whole lines.

    Attributes:
        bytes (np.ndarray): the text with blanks around it.
        begin (np.ndarray): where each word begins in ``bytes``.
        end (np.ndarray): where it ends.
        lines (np.ndarray): line i has the words ``lines[i]`` up to ``lines[i + 1]``.
    """

    def __init__(self, text: bytes) -> None:
        close = b"" if text.endswith(b"\n") else b"\n"
        self.bytes = np.frombuffer(b" " * _PAD + text + close, np.uint8)
        blank = self.bytes <= 32
        edges = np.flatnonzero(blank[1:] != blank[:-1])
        self.begin = edges[0::2] + 1
        self.end = edges[1::2] + 1
        ends = np.flatnonzero(self.bytes == 10)
        self.lines = np.concatenate(([0], np.searchsorted(self.begin, ends)))

    def __len__(self) -> int:
        return len(self.begin)

    def word(self, number: int) -> str:
        """The text of one word."""
        text = self.bytes[self.begin[number] : self.end[number]].tobytes()
        return text.decode("utf8", "replace")

    def integers(self) -> tuple[np.ndarray, np.ndarray]:
        """All words as integers.

        Returns:
            tuple: int64 numbers (those above 2**63 - 1 modulo 2**64), and whether each word is an
            integer that fits into 64 bits.
        """
        size = self.end - self.begin
        eights = np.ndarray(len(self.bytes) - _WORD + 1, "<u8", self.bytes, strides=(1,))
        value, good = _last_eight(eights, self.end, np.minimum(size, _WORD))
        for number in range(1, -(-_LARGEST // _WORD)):
            long = np.flatnonzero(size > number * _WORD)
            if not len(long):
                break
            part = np.minimum(size[long] - number * _WORD, _WORD)
            high, fine = _last_eight(eights, self.end[long] - number * _WORD, part)
            if number == 2:
                fine &= (high < _TOP) | ((high == _TOP) & (value[long] <= _REST))
            value[long] += high * np.uint64(10 ** (number * _WORD))
            good[long] &= fine
        self._repair(np.flatnonzero((size > _LARGEST) | ~good), value, good)
        return value.view(np.int64), good

    def _repair(self, numbers: np.ndarray, value: np.ndarray, good: np.ndarray) -> None:
        """Words that are long or have a sign, one by one; most others begin with other bytes."""
        first = self.bytes[self.begin[numbers]]
        size = self.end[numbers] - self.begin[numbers]
        signed = (first == 45) | (first == 43)
        second = self.bytes[np.minimum(self.begin[numbers] + 1, len(self.bytes) - 1)]
        signed &= (second >= 48) & (second <= 57) & (size <= _LARGEST)
        dotted = self._has_dot(numbers) if signed.any() else signed
        for i in numbers[(signed & ~dotted) | (size >= _LARGEST)].tolist():
            word = self.word(i)
            digits = word[1:] if word[0] in "+-" else word
            if not (digits.isascii() and digits.isdigit()):
                good[i] = False
                continue
            number = int(word)
            good[i] = -(2**63) <= number < 2**64
            value[i] = number % 2**64

    def _has_dot(self, numbers: np.ndarray) -> np.ndarray:
        dots = np.flatnonzero(self.bytes == 46)
        return np.searchsorted(dots, self.begin[numbers]) < np.searchsorted(dots, self.end[numbers])

    def floats(self, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Some words as float64 numbers, and whether each is a number.

        Args:
            chosen (np.ndarray): the numbers of the words, rising.
        """
        return _decimals(self, chosen)


def _last_eight(
    eights: np.ndarray, end: np.ndarray, size: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Up to eight digits before ``end`` as uint64, and whether all of them are digits."""
    block = eights[end - _WORD]
    block &= _KEEP[size]
    block |= _FILL[size]
    good = (block & _HIGH) == _ZEROS
    good &= ((block + _SIX) & _HIGH) == _ZEROS
    block -= _ZEROS
    # Neighbours are joined: eight numbers of one digit, four of two, two of four, one of eight.
    block *= np.uint64(10 * 256 + 1)
    block >>= np.uint64(8)
    block &= np.uint64(0x00FF00FF00FF00FF)
    block *= np.uint64(100 * 65536 + 1)
    block >>= np.uint64(16)
    block &= np.uint64(0x0000FFFF0000FFFF)
    block *= np.uint64(10000 * 4294967296 + 1)
    block >>= np.uint64(32)
    return block, good


def _decimals(words: Words, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers such as 12, -0.25 or 1e-3; most are digits around one dot and quickly done."""
    begin, end = words.begin[chosen], words.end[chosen]
    data = words.bytes
    first = data[begin]
    negative = first == 45
    begin = begin + (negative | (first == 43))
    dots = np.flatnonzero(data == 46)
    at = np.searchsorted(dots, begin)
    dot = dots[np.minimum(at, len(dots) - 1)] if len(dots) else end
    has = (dot < end) & (dot >= begin)
    dot = np.where(has, dot, end)
    whole, part = dot - begin, end - dot - has
    eights = np.ndarray(len(data) - _WORD + 1, "<u8", data, strides=(1,))
    high, good = _last_eight(eights, dot, np.clip(whole, 0, _WORD))
    low, fine = _last_eight(eights, end, np.clip(part, 0, _WORD))
    good &= fine & (whole <= _WORD) & (part <= _WORD) & (whole + part > 0)
    # Up to 16 digits: the sum may round once and the division once more, beyond 15 digits.
    good &= whole + part <= 15
    scale = _POWERS[np.clip(part, 0, _WORD)]
    value = (high * scale + low).astype(np.float64)
    value /= scale
    np.negative(value, out=value, where=negative)
    rest = np.flatnonzero(~good)
    if len(rest):
        value[rest], good[rest] = _by_numpy(words, chosen[rest])
    return value, good


def _by_numpy(words: Words, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers in any form that C's strtod reads, ``inf`` and ``nan`` among them."""
    text = b" ".join(
        words.bytes[a:b].tobytes()
        for a, b in zip(words.begin[chosen].tolist(), words.end[chosen].tolist(), strict=True)
    )
    with warnings.catch_warnings():
        # It stops at what is no number; NumPy before 2.3 warns of that, and returns what it has.
        warnings.simplefilter("error", DeprecationWarning)
        try:
            found = np.fromstring(text, np.float64, sep=" ")
        except (ValueError, DeprecationWarning):
            found = np.empty(0)
    if len(found) == len(chosen) and b"_" not in text:
        return found, np.ones(len(chosen), bool)
    value, good = np.zeros(len(chosen)), np.ones(len(chosen), bool)
    for i, number in enumerate(chosen.tolist()):
        word = words.word(number)
        try:
            value[i] = float(word)
            good[i] = "_" not in word
        except ValueError:
            good[i] = False
    return value, good
