"""Ends of programs that write logs: their last line, errors, signals, kills, forks."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.visualdl.writer.programs import finished, run, until, values_in


@pytest.mark.parametrize(
    "end", ["", "sys.exit(0)", "raise SystemExit", "import atexit; atexit.register(more)"]
)
def test_the_end_of_a_program_loses_nothing(end: str, tmp_path: Path) -> None:
    finished(
        f"""
        writer = LogWriter(folder, max_queue=10**6, flush_secs=1000)
        def more():
            writer.add_scalar("x", 5000, 0)
            writer.flush()
        for step in range(5000):
            writer.add_scalar("x", step, step)
        {end}
        """,
        tmp_path,
    )
    assert values_in(tmp_path)[:5000] == list(range(5000))


@pytest.mark.skipif(sys.platform == "win32", reason="no signals there")
@pytest.mark.parametrize("end", ["", "os.kill(os.getpid(), signal.SIGTERM)"])
def test_what_was_logged_after_close_is_not_lost(end: str, tmp_path: Path) -> None:
    process = run(
        f"""
        import os, signal
        with LogWriter(folder, max_queue=10**6, flush_secs=1000) as writer:
            writer.add_scalar("x", 0, 0)
        writer.add_scalar("x", 1, 1)
        {end}
        """,
        tmp_path,
    )
    process.communicate(timeout=120)
    assert process.returncode == (-signal.SIGTERM if end else 0)
    assert values_in(tmp_path) == [0, 1]


@pytest.mark.parametrize("end", ["1 / 0", "raise KeyboardInterrupt", "assert None.x"])
def test_an_error_loses_nothing(end: str, tmp_path: Path) -> None:
    process = run(
        f"""
        writer = LogWriter(folder, max_queue=10**6, flush_secs=1000)
        for step in range(5000):
            writer.add_scalar("x", step, step)
        {end}
        """,
        tmp_path,
    )
    _, error = process.communicate(timeout=120)
    assert process.returncode and "Traceback" in error
    assert values_in(tmp_path) == list(range(5000))


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
def test_a_kill_loses_what_is_younger_than_flush_secs(tmp_path: Path) -> None:
    """The process does not stop logging, so it is the time alone that has the records written."""
    process = run(
        """
        from visualdl.writer import stream
        stream._PAUSE = 1000.0
        writer = LogWriter(folder, max_queue=10**6, flush_secs=0.3)
        count = 0
        print("ready", flush=True)
        while True:
            writer.add_scalar("x", count, count)
            count += 1
            time.sleep(0.001)
        """,
        tmp_path,
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    sizes = []
    for _ in range(4):  # it is written again and again
        sizes.append(size_of(tmp_path))
        assert until(lambda: size_of(tmp_path) > sizes[-1])
    process.kill()
    assert process.wait(timeout=60) == -signal.SIGKILL
    process.communicate()
    found = values_in(tmp_path)
    assert len(found) >= 3 and found == list(range(len(found)))


def size_of(folder: Path) -> int:
    """Gives the size of the one log in a folder."""
    return sum(path.stat().st_size for path in folder.glob("vdlrecords.*"))


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGTERM there")
def test_sigterm_with_writers_of_other_threads(tmp_path: Path) -> None:
    process = run(
        """
        def work(number):
            writer = LogWriter(f"{folder}/{number}", max_queue=10**6, flush_secs=1000)
            for step in range(1000):
                writer.add_scalar("x", step, step)
            done.release()
            time.sleep(1000)
        done = threading.Semaphore(0)
        threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
        [thread.start() for thread in threads]
        [done.acquire() for thread in threads]
        print("ready", flush=True)
        threads[0].join()
        """,
        tmp_path,
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGTERM
    for number in range(3):
        assert values_in(tmp_path / str(number)) == list(range(1000))


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGTERM there")
@pytest.mark.parametrize("busy", ["time.sleep(1000)", "while True: more()"])
def test_sigterm_loses_nothing(busy: str, tmp_path: Path) -> None:
    """What a call of `add_scalar` that returned took in is in the file, whatever runs then."""
    process = run(
        f"""
        writer = LogWriter(folder, max_queue=10**6, flush_secs=1000)
        count = 0
        def more():
            global count
            writer.add_scalar("x", count, count)
            count += 1
            if count % 997 == 0:
                writer.flush()
                shown.seek(0)
                shown.write("%9d" % count)
                shown.flush()
        shown = open(folder + "/count", "w")
        for _ in range(5000):
            more()
        print("ready", flush=True)
        {busy}
        """,
        tmp_path,
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(0.2)
    process.terminate()
    assert process.wait(timeout=60) == -signal.SIGTERM
    process.stdout.close()
    found = values_in(tmp_path)
    assert found == list(range(len(found)))
    assert len(found) >= max(5000, int((tmp_path / "count").read_text()))


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGTERM there")
def test_a_handler_of_the_program_stays(tmp_path: Path) -> None:
    out = finished(
        """
        signal.signal(signal.SIGTERM, lambda *_: (print("mine"), sys.exit(3)))
        writer = LogWriter(folder, max_queue=10**6, flush_secs=1000)
        writer.add_scalar("x", 1, 1)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(10)
        """,
        tmp_path,
        code=3,
    )
    assert out == "mine\n" and values_in(tmp_path) == [1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork there")
def test_a_fork(tmp_path: Path) -> None:
    """The child writes its own records to the same file, and none of the parent's again."""
    finished(
        """
        writer = LogWriter(folder, max_queue=10**6, flush_secs=1000)
        for step in range(1000):
            writer.add_scalar("x", step, step)
        child = os.fork()
        if not child:
            for step in range(1000, 2000):
                writer.add_scalar("x", step, step)
            sys.exit(0)
        for step in range(2000, 3000):
            writer.add_scalar("x", step, step)
        assert os.waitpid(child, 0)[1] == 0
        """,
        tmp_path,
    )
    assert values_in(tmp_path) == list(range(3000))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks there")
def test_sigterm_right_after_a_fork_ends_the_child(tmp_path: Path) -> None:
    process = run(
        """
        import multiprocessing, time
        context = multiprocessing.get_context("fork")
        writer = LogWriter(folder)
        writer.add_scalar("x", 0, 0)
        for _ in range(30):
            child = context.Process(target=time.sleep, args=(60,))
            child.start()
            child.terminate()
            child.join(10)
            print(child.exitcode)
            child.kill()
        """,
        tmp_path,
    )
    out, err = process.communicate(timeout=250)
    assert process.returncode == 0, err
    assert out.split() == ["-15"] * 30


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork there")
def test_children_of_multiprocessing(tmp_path: Path) -> None:
    finished(
        """
        import multiprocessing
        def work(first):
            for step in range(first, first + 100):
                writer.add_scalar("x", step, step)
        writer = LogWriter(folder, max_queue=10**6, flush_secs=1000)
        context = multiprocessing.get_context("fork")
        children = [context.Process(target=work, args=(100 * i,)) for i in range(3)]
        [child.start() for child in children]
        [child.join() for child in children]
        assert [child.exitcode for child in children] == [0, 0, 0]
        """,
        tmp_path,
    )
    assert values_in(tmp_path) == list(range(300))
