"""Generators that turn raw lines into the records of datasets, as a ``pipe_command`` does."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = ["MultiSlotDataGenerator", "MultiSlotStringDataGenerator"]


class DataGenerator:
    """Reads lines, asks ``generate_sample`` what is in them, and writes records."""

    def __init__(self) -> None:
        self._proto_info: list[tuple[str, str]] | None = None
        self.batch_size_ = 32
        self._line_limit: int | None = None

    def _set_line_limit(self, line_limit: int) -> None:
        if not isinstance(line_limit, int):
            raise ValueError(f"line_limit {type(line_limit)} must be in int type")
        if line_limit < 1:
            raise ValueError("line_limit can not less than 1")
        self._line_limit = line_limit

    def set_batch(self, batch_size: int) -> None:
        """Says how many records ``generate_batch`` gets at a time.

        Args:
            batch_size (int): 32 if not said.
        """
        self.batch_size_ = batch_size

    def run_from_memory(self) -> None:
        """Writes the records of ``generate_sample(None)`` to the standard output."""
        self._run([None])

    def run_from_stdin(self) -> None:
        """Writes the records of each line of the standard input to the standard output."""
        self._run(sys.stdin)

    def _run(self, lines: Iterable[Any]) -> None:
        for text in self._texts(lines):
            sys.stdout.write(text)

    def _texts(self, lines: Iterable[Any]) -> Iterator[str]:
        waiting: list[Any] = []
        for number, line in enumerate(lines):
            if self._line_limit is not None and number >= self._line_limit:
                break
            for sample in self.generate_sample(line)():
                if sample is None:
                    continue
                waiting.append(sample)
                if len(waiting) == self.batch_size_:
                    yield from map(self._gen_str, self.generate_batch(waiting)())
                    waiting = []
        if waiting:
            yield from map(self._gen_str, self.generate_batch(waiting)())

    def _gen_str(self, line: Any) -> str:
        raise NotImplementedError(
            "please use MultiSlotDataGenerator or MultiSlotStringDataGenerator"
        )

    def generate_sample(self, line: str | None) -> Callable[[], Iterable[Any]]:
        """To be overridden: what is in a line.

        Args:
            line (str|None): of the input; None in ``run_from_memory``.

        Returns:
            Callable: gives records, each a list of ``(name of the slot, list of values)``.
        """
        raise NotImplementedError(
            "generate_sample: please write this function, which returns a function that yields "
            "records such as [('words', [1926, 8, 17]), ('label', [1])]"
        )

    def generate_batch(self, samples: list[Any]) -> Callable[[], Iterable[Any]]:
        """May be overridden, to pad or sort records that stand together.

        Args:
            samples (list): as many records as ``set_batch`` says.

        Returns:
            Callable: gives the records that are written.
        """
        return lambda: iter(samples)


def _checked(line: Any) -> list[Any]:
    if not isinstance(line, (list, tuple)):
        raise ValueError(
            "the output of process() must be in list or tuple type, "
            f"but a record is of {type(line).__name__}: {line!r}"
        )
    return list(line)


class MultiSlotStringDataGenerator(DataGenerator):
    """Writes records whose values are texts already; nothing is checked, which is quicker.

    Examples:
        .. code-block:: python

            from paddle.distributed.fleet.data_generator import MultiSlotStringDataGenerator

            class Words(MultiSlotStringDataGenerator):
                def generate_sample(self, line):
                    def records():
                        yield [("words", ["1926", "8"]), ("label", ["1"])]
                    return records

            Words().run_from_memory()  # 2 1926 8 1 1
    """

    def _gen_str(self, line: Any) -> str:
        words: list[str] = []
        for _, values in _checked(line):
            words.append(str(len(values)))
            words.extend(values)
        return " ".join(words) + "\n"


_INTEGERS = {int}


class MultiSlotDataGenerator(DataGenerator):
    """Writes records whose values are integers or floats; all records have the same slots.

    Examples:
        .. code-block:: python

            from paddle.distributed.fleet.data_generator import MultiSlotDataGenerator

            class Words(MultiSlotDataGenerator):
                def generate_sample(self, line):
                    def records():
                        yield [("words", [1926, 8]), ("label", [1])]
                    return records

            Words().run_from_memory()  # 2 1926 8 1 1
    """

    def _gen_str(self, line: Any) -> str:
        items = _checked(line)
        first = self._proto_info is None
        known: list[tuple[str, str]] = [] if self._proto_info is None else self._proto_info
        if not first and len(items) != len(known):
            raise ValueError(
                f"the complete field set of two given line are inconsistent: expected {len(known)} "
                f"slots as in the first record, but received {len(items)}."
            )
        words: list[str] = []
        for number, (name, values) in enumerate(items):
            _check_slot(name, values)
            if first:
                known.append((name, "uint64"))
            elif name != known[number][0]:
                raise ValueError(
                    "the field name of two given line are not match: require "
                    f"<{known[number][0]}>, get <{name}>."
                )
            words.append(str(len(values)))
            if set(map(type, values)) != _INTEGERS:
                for value in values:
                    known[number] = (name, _kind(name, value, known[number][1]))
            words.extend(map(str, values))
        self._proto_info = known
        return " ".join(words) + "\n"


def _check_slot(name: Any, values: Any) -> None:
    if not isinstance(name, str):
        raise ValueError(f"name {type(name)} must be in str type")
    if not isinstance(values, list):
        raise ValueError(f"elements {type(values)} must be in list type")
    if not values:
        raise ValueError(
            f"the elements of each field can not be empty, you need padding it in process(): {name}"
        )


def _kind(name: str, value: Any, before: str) -> str:
    if isinstance(value, float):
        return "float"
    if isinstance(value, int):
        return before
    raise ValueError(
        f"the type of element {type(value)} must be in int or float: slot {name!r} has {value!r}"
    )
