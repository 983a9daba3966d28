"""The wire format: round trips, refusals, and 10,000 hostile frames."""

import random
import struct
from pathlib import Path

import numpy as np
import pytest

from paddle.core.errors import (
    ExternalError,
    InvalidArgumentError,
    OutOfRangeError,
    ResourceExhaustedError,
)
from paddle.distributed.ps import messages
from paddle.distributed.ps.initial import CountFilter, Initial
from paddle.distributed.ps.messages import Flag, Frame, Kind, decode, encode
from paddle.distributed.ps.rules import Rule
from paddle.distributed.ps.service import Service
from paddle.distributed.ps.spec import TableSpec


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64"])
def test_round_trip(dtype):
    ids = np.array([-(2**63), -1, 0, 2**62, 2**63 - 1])
    values = np.arange(15).reshape(5, 3).astype(dtype)
    sent = Frame(Kind.PUSH, 7, 3, 2**40, Flag.DELTA, ids, values, "Größe", 0)
    body = encode(sent)
    assert len(body) == 40 + 5 * 8 + values.nbytes + len("Größe".encode())
    got = decode(body)
    assert (got.kind, got.table, got.trainer, got.sequence) == (Kind.PUSH, 7, 3, 2**40)
    assert got.flags == Flag.DELTA | Flag.IDS | Flag.VALUES
    assert got.text == "Größe"
    np.testing.assert_array_equal(got.ids, ids)
    np.testing.assert_array_equal(got.values, values)


def test_arrays_are_views_of_the_message():
    body = encode(Frame(Kind.PUSH, ids=np.arange(4), values=np.ones((4, 2), "f4")))
    got = decode(body)
    assert np.shares_memory(got.ids, np.frombuffer(body, "u1"))
    assert np.shares_memory(got.values, np.frombuffer(body, "u1"))


@pytest.mark.parametrize("rows", [0, 1])
def test_few_rows(rows):
    got = decode(encode(Frame(Kind.PULL, ids=np.arange(rows), values=np.ones((rows, 2), "f4"))))
    assert got.ids.shape == (rows,)
    assert got.values.shape[0] == rows


def changed(at, form, value, **frame):
    body = bytearray(encode(Frame(Kind.PULL, ids=np.arange(2), **frame)))
    struct.pack_into(form, body, at, value)
    return bytes(body)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "at least 40 bytes"),
        (b"x" * 39, "at least 40 bytes"),
        (b"x" * 60, "begins with b'PPSF'"),
        (changed(4, "<H", 0), "version 1 of the format, but received version 0"),
        (changed(4, "<H", 9), "received version 9"),
        (changed(6, "<B", 0), "known kind"),
        (changed(6, "<B", 200), "known kind"),
        (changed(7, "<B", 1), "known data type"),
        (changed(7, "<B", 9, values=np.ones((2, 1), "f4")), "known data type"),
        (changed(12, "<I", 3), "its header says 64 bytes, but received 56"),
        (changed(12, "<I", 2**32 - 1), "its header says"),
        (changed(16, "<I", 2**32 - 1, values=np.ones((2, 1), "f4")), "its header says"),
        (changed(22, "<H", 0xFFFF), "known flags"),
        (changed(32, "<I", 1), "its header says"),
        (changed(32, "<I", 2**32 - 1), "a text of at most"),
        (changed(36, "<I", 99), "known status"),
        (encode(Frame(Kind.PULL, text="ab"))[:-2] + b"\xff\xff", "UTF-8"),
        (encode(Frame(Kind.PULL)) + b"x", "its header says 40 bytes, but received 41"),
    ],
)
def test_refused(body, words):
    with pytest.raises(InvalidArgumentError, match=words):
        decode(body)


def test_a_frame_that_is_too_long():
    with pytest.raises(InvalidArgumentError, match="at most 100 bytes, but received 1000"):
        decode(b"x" * 1000, limit=100)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (OutOfRangeError("no such row"), OutOfRangeError),
        (ResourceExhaustedError("full"), ResourceExhaustedError),
        (ZeroDivisionError("division"), ExternalError),
        (OSError("disk"), ExternalError),
    ],
)
def test_errors_travel(error, kind):
    frame = decode(encode(messages.error_frame(Kind.PUSH, error)))
    with pytest.raises(kind, match=r"server 1, table 2: .*"):
        messages.raise_error(frame, "server 1, table 2")
    messages.raise_error(decode(encode(Frame(Kind.PUSH))), "fine")


@pytest.fixture
def service(tmp_path):
    tables = [
        TableSpec(0, "rows", "sparse", 4, rule=Rule("adam", 0.1), initial=Initial("gaussian")),
        TableSpec(1, "block", "dense", 10),
        TableSpec(2, "rare", "sparse", 2, entry=CountFilter(3)),
    ]
    made = Service(tables, tmp_path / "files", trainers=2, mode="async")
    for trainer in (0, 1):
        made.answer(encode(Frame(Kind.HELLO, trainer=trainer, sequence=1)))
    yield made
    made.close()


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


SESSION = 1 << messages.NUMBER_BITS


def hostile(rng, folder):
    """A frame that is wrong in some way, or that asks for something odd."""
    ids = np.array([rng.randrange(-50, 50) for _ in range(rng.randrange(6))], np.int64)
    width = rng.choice([4, 4, 4, 10, 2, 0, 1])
    values = np.ones((rng.choice([len(ids), len(ids), 1]), width), rng.choice(["f4", "f8", "i8"]))
    kind = rng.choice([k for k in Kind if k not in (Kind.SAVE, Kind.BARRIER)])
    text = rng.choice(["", "", "\0", "../x", str(folder / "none"), "x" * 5000])
    frame = Frame(
        kind, rng.choice([0, 1, 2, 3, 2**32 - 1]), rng.choice([0, 1, 2, 65535]),
        rng.choice([0, 1, SESSION + 7, 2**38, 2**64 - 1, SESSION + rng.randrange(2**30)]),
        rng.choice([0, 4, 8, 12, 16, 28]), rng.choice([None, ids]), rng.choice([None, values]),
        text, rng.choice([0, 0, 3]),
    )  # fmt: skip
    try:
        body = bytearray(encode(frame))
    except (KeyError, struct.error):
        body = bytearray(encode(Frame(kind)))
    how = rng.randrange(4)
    if how == 0:
        for _ in range(rng.randrange(1, 6)):
            body[rng.randrange(min(len(body), 40))] = rng.randrange(256)
    elif how == 1:
        body = body[: rng.randrange(len(body) + 1)]
    elif how == 2:
        body = bytearray(rng.randbytes(rng.randrange(200)))
    return bytes(body)


def every(body):
    """All frames of a message."""
    found, at = [], 0
    while at < len(body):
        frame, at = messages.read(body, at)
        found.append(frame)
    return found


def test_several_frames(service):
    ids, grad = np.array([3, 4]), np.ones((2, 4), "f4")
    frames = [
        Frame(Kind.PULL, 0, ids=ids), Frame(Kind.PUSH, 0, 0, SESSION + 1, ids=ids, values=grad),
        Frame(Kind.PULL, 9, ids=ids), Frame(Kind.PULL_DENSE, 1), Frame(Kind.STAT, text="x"),
    ]  # fmt: skip
    answers = every(service.answer(encode(*frames)))
    assert [a.kind for a in answers] == [f.kind for f in frames]
    assert [bool(a.status) for a in answers] == [False, False, True, False, False]
    assert answers[0].values.shape == (2, 4)
    assert answers[3].values.shape == (1, 10)
    cut = every(service.answer(encode(*frames)[:-1]))
    assert [bool(a.status) for a in cut] == [False, False, True, False, True]
    many = every(service.answer(encode(*[Frame(Kind.PULL_DENSE, 1)] * 5000)))
    assert len(many) == 4097
    assert "at most 4096 frames" in many[-1].text


def test_answers_have_a_limit(service, monkeypatch):
    monkeypatch.setattr("paddle.distributed.ps.service.FRAME_LIMIT", 1000)
    answers = every(service.answer(encode(*[Frame(Kind.PULL_DENSE, 1)] * 100)))
    assert len(answers) == 1000 // 80 + 2
    assert answers[-1].status


def test_hostile_frames(service, tmp_path):
    rng = random.Random(17)
    before = None
    refused = 0
    for i in range(10_000):
        body = b"".join(hostile(rng, tmp_path) for _ in range(rng.choice([1, 1, 1, 2, 5])))
        answers = every(service.answer(body, 0.0))
        refused += all(answer.status for answer in answers)
        if i == 2000:
            before = resident()
    assert resident() - before < 32 << 20
    assert 5000 < refused < 10_000  # some of them ask for what there is
    rows = service.tables[0].stat()["rows"]
    assert rows < 5000
    # It still serves.
    ask = Frame(Kind.PULL, 0, ids=np.array([5, 5, 6]))
    assert decode(service.answer(encode(ask))).values.shape == (3, 4)
    assert decode(service.answer(encode(Frame(Kind.STAT)))).status == 0
