"""The job's store: what strangers send to it, and addresses that are none."""

from __future__ import annotations

import random
import socket
from typing import Any

import pytest

from paddle.distributed import check, store

MAGIC = (0x3C85F7CE).to_bytes(4, "little")  # what torch's clients begin with


def _rss() -> float:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096 / 2**20


def test_hostile_frames_change_nothing() -> None:
    listening = store.listening_socket("127.0.0.1")
    port = listening.getsockname()[1]
    hosted = store.host_store(listening)
    kept = store.below(hosted, "secret", 0)
    kept.set("key", "value")
    drawn, before = random.Random(0), _rss()
    for i in range(1000):
        data = drawn.randbytes(drawn.randrange(1, 200))
        if i % 3 == 0:  # past the greeting
            data = bytes([9]) + MAGIC + data
        elif i % 3 == 1:  # a key of 2**60 bytes
            data = bytes([9]) + MAGIC + bytes([0]) + (2**60).to_bytes(8, "little") + data
        with socket.create_connection(("127.0.0.1", port)) as stranger:
            stranger.sendall(data)
    assert kept.get("key") == b"value"
    assert _rss() - before < 64
    assert not store.below(hosted, "guess", 0).check(["key"])


def test_a_port_that_is_taken_is_named() -> None:
    with store.listening_socket("127.0.0.1") as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=rf"cannot listen at 127.0.0.1:{port}"):
            store.listening_socket("127.0.0.1", port)


def test_nobody_answers() -> None:
    with store.listening_socket("127.0.0.1") as free:
        port = free.getsockname()[1]
    with pytest.raises(OSError, match=rf"PADDLE_JOB_STORE: nobody answered at 127.0.0.1:{port}"):
        store.connect(f"127.0.0.1:{port}", "PADDLE_JOB_STORE", 1.0)


def test_another_program_that_says_nothing() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(OSError, match=rf"{address} is no store: it said nothing for 1 s"):
            store.connect(address, "here", 1.0)


@pytest.mark.parametrize("bad", ["", "host", "host:", ":80", "host:port", "host:0", "host:70000"])
def test_addresses_that_are_none(bad: str) -> None:
    with pytest.raises(ValueError, match=r"SERVERS: expected an address ip:port, but received"):
        store.split_endpoint(bad, "SERVERS")


@pytest.fixture
def meeting() -> Any:
    return store.below(store.host_store(store.listening_socket("127.0.0.1")), "group", "7")


def test_who_does_not_come_to_connect_is_named(
    meeting: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "QUIET_SECONDS", 0.5)
    for other in (0, 2):
        meeting.set(f"came/{other}", "")
    with pytest.warns(UserWarning, match="but ranks 5, 7 did not come yet; it waits for another"):
        with pytest.raises(OSError, match=r"ranks 5, 7 did not come within 1\.2 s while"):
            check.meet(meeting, [4, 5, 6, 7], 0, 1.2)
    for other in (1, 3):
        meeting.set(f"came/{other}", "")
    check.meet(meeting, [4, 5, 6, 7], 0, 1.2)


def test_who_died_before_it_connected_is_named(
    meeting: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "_reported", lambda: [(9, "exit status 1"), (5, "exit status 3")])
    with pytest.raises(OSError, match=r"rank 5 failed \(exit status 3\) while rank 4 wanted"):
        check.meet(meeting, [4, 5], 0, 60)
