"""Small logs for the tests of what reads them."""

from __future__ import annotations

from typing import Any

from visualdl.log_file import LogFile
from visualdl.record import META_TAG, Record, Value, framed


def framed_value(**fields: Any) -> bytes:
    """Gives a record as it stands in a file."""
    return framed(Record(values=[Value(**fields)]).SerializeToString())


def small_log() -> list[bytes]:
    """Gives the records of a log: scalars of several tags, images between them, a text."""
    records = [framed_value(tag=META_TAG, timestamp=1, meta_data={"display_name": "small"})]
    for step in range(12):
        fields: dict[str, Any] = {"id": step, "timestamp": 1_700_000_000_000 + step}
        records.append(framed_value(tag=f"a/{step % 3}", value=step / 2, **fields))
        if step % 4 == 0:
            picture = {"encoded_image_string": bytes(range(256)) * 2}
            records.append(framed_value(tag="img", image=picture, **fields))
    records.append(framed_value(tag="words", text={"encoded_text_string": "一\n二"}))
    return records


def read_in_columns(path: str, block: int = 300) -> tuple[list[tuple], LogFile]:
    """Gives what `read_columns` finds, as rows (tag, step, time, value), in no order."""
    file = LogFile(path)
    rows: list[tuple] = []
    for _ in range(10_000):
        columns = file.read_columns(block)
        for tag, (steps, times, values) in columns.scalars.items():
            rows += [
                (tag, step, time, repr(value))
                for step, time, value in zip(steps.tolist(), times.tolist(), values.tolist())
            ]
        rows += [row_of(value) for _, _, value in columns.others]
        if not columns.more:
            return rows, file
    raise AssertionError("read_columns says for ever that there is more")


def row_of(value: Any) -> tuple:
    """Gives a value as a row."""
    member = value.WhichOneof("one_value")
    content = getattr(value, member) if member else None
    shown = repr(content) if member == "value" else str(content)
    return value.tag, value.id, value.timestamp, shown


def both_ways(path: str) -> tuple[int, list[tuple[int, str]]]:
    """Reads a file by `read` and by `read_columns`, which have to agree on what is there.

    Returns:
        tuple: how many values it has, and its problems.
    """
    file = LogFile(path)
    rows = [row_of(value) for value in file.read()]
    columns, other = read_in_columns(path)
    assert sorted(rows) == sorted(columns)
    # what follows a broken record may be told as part of it or by itself, and half a record after
    # it is waited for at either place
    assert [at for at, _ in other.problems[:1]] == [at for at, _ in file.problems[:1]]
    assert other.position == file.position or file.problems
    return len(rows), file.problems
