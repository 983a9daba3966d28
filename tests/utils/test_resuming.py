"""Downloads that are cut off, killed, or made by two processes at once; folders of no use."""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

from paddle.utils import fetching, part_file, unpacking
from paddle.utils.download import fetch_file, get_path_from_url

CONTENT = bytes(range(256)) * 400  # 102,400 bytes
MD5 = hashlib.md5(CONTENT).hexdigest()


class Server:
    """Serves ``content``; ``cuts`` says after how many bytes each of the next answers ends."""

    def __init__(self) -> None:
        self.content, self.etag, self.ranges = CONTENT, '"one"', True
        self.cuts: list[int] = []
        self.asked: list[str | None] = []  # the Range of each request
        self.status = 200
        self.wait: threading.Event | None = None
        self.began = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.answer(self)

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]  # cut by clients
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/file.bin"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def answer(self, to: BaseHTTPRequestHandler) -> None:
        wanted = to.headers.get("Range")
        self.asked.append(wanted)
        start = 0
        if to.path == "/moved":
            to.send_response(302)
            to.send_header("Location", "/file.bin")
            to.end_headers()
            return
        fits = to.headers.get("If-Range") in (None, self.etag)
        if wanted and self.ranges and fits:
            start = int(wanted[len("bytes=") : -1])
            if start >= len(self.content):
                to.send_response(416)
                to.send_header("Content-Range", f"bytes */{len(self.content)}")
                to.end_headers()
                return
            to.send_response(206)
            end = f"{len(self.content) - 1}/{len(self.content)}"
            to.send_header("Content-Range", f"bytes {start}-{end}")
        else:
            to.send_response(self.status)
        if self.etag:
            to.send_header("ETag", self.etag)
        to.send_header("Content-Length", str(len(self.content) - start))
        to.end_headers()
        body = self.content[start:]
        cut = self.cuts.pop(0) if self.cuts else len(body)
        to.wfile.write(body[:cut])
        to.wfile.flush()
        self.began.set()
        if self.wait is not None:
            self.wait.wait(30)
        to.wfile.write(body[cut:] if self.wait is not None else b"")

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(fetching, "PAUSE_SECONDS", 0.0)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    made = Server()
    yield made
    if made.wait is not None:
        made.wait.set()
    made.close()


def test_a_cut_download_is_continued(server: Server, tmp_path: Path, capfd) -> None:
    server.cuts = [1000, 2000]
    path = get_path_from_url(server.url, str(tmp_path), MD5)
    assert Path(path).read_bytes() == CONTENT
    assert server.asked == [None, "bytes=1000-", "bytes=3000-"]
    assert os.listdir(tmp_path) == ["file.bin"]
    told = capfd.readouterr()
    assert told.out == "" and told.err.count("\n") == 3 and "from byte 3000 on" in told.err


def test_it_is_continued_by_a_later_call(server: Server, tmp_path: Path) -> None:
    server.cuts = [1000, 0, 0]
    with pytest.raises(RuntimeError, match="1000 bytes that came are kept, and continued"):
        fetch_file(server.url, str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == ["file.bin.part", "file.bin.part.json"]
    assert Path(fetch_file(server.url, str(tmp_path))).read_bytes() == CONTENT
    assert server.asked[-1] == "bytes=1000-"
    assert os.listdir(tmp_path) == ["file.bin"]


def test_a_long_way_in_many_parts_is_no_failure(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "_CHUNK", 1000)
    server.cuts = [1000] * 9
    assert Path(fetch_file(server.url, str(tmp_path), MD5)).read_bytes() == CONTENT
    assert len(server.asked) == 10


def test_a_server_without_ranges_starts_again(server: Server, tmp_path: Path) -> None:
    server.ranges, server.cuts = False, [1000]
    assert Path(fetch_file(server.url, str(tmp_path), MD5)).read_bytes() == CONTENT
    assert server.asked == [None, "bytes=1000-"]


def test_without_version_and_checksum_nothing_is_continued(server: Server, tmp_path: Path) -> None:
    server.etag, server.cuts = "", [1000]
    assert Path(fetch_file(server.url, str(tmp_path))).read_bytes() == CONTENT
    assert server.asked == [None, None]


@pytest.mark.parametrize("checksum", [True, False])
def test_another_version_starts_again(server: Server, tmp_path: Path, checksum: bool) -> None:
    server.cuts = [1000, 0, 0]
    with pytest.raises(RuntimeError):
        fetch_file(server.url, str(tmp_path))
    server.content, server.etag = CONTENT[::-1], '"two"'
    md5sum = hashlib.md5(server.content).hexdigest() if checksum else None
    assert Path(fetch_file(server.url, str(tmp_path), md5sum)).read_bytes() == CONTENT[::-1]


def test_a_version_that_is_not_told_is_found_by_the_checksum(
    server: Server, tmp_path: Path
) -> None:
    server.etag, server.cuts = "", [1000, 0, 0]
    new = b"new" + CONTENT[3:]
    md5sum = hashlib.md5(new).hexdigest()
    with pytest.raises(RuntimeError):
        fetch_file(server.url, str(tmp_path), md5sum)
    server.content = new
    assert Path(fetch_file(server.url, str(tmp_path), md5sum)).read_bytes() == new
    assert server.asked[-2:] == ["bytes=1000-", None]


@pytest.mark.parametrize("noted", ["", "[]", '{"url": "http://other/file.bin", "length": 3}'])
def test_parts_of_something_else_are_dropped(server: Server, tmp_path: Path, noted: str) -> None:
    (tmp_path / "file.bin.part").write_bytes(b"abc")
    (tmp_path / "file.bin.part.json").write_text(noted)
    assert Path(fetch_file(server.url, str(tmp_path), MD5)).read_bytes() == CONTENT
    assert os.listdir(tmp_path) == ["file.bin"]


def test_a_part_that_is_complete_needs_no_request(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file.bin.part").write_bytes(CONTENT)
    about = {"url": server.url, "md5sum": MD5, "version": '"one"', "length": len(CONTENT)}
    (tmp_path / "file.bin.part.json").write_text(json.dumps(about))
    assert Path(fetch_file(server.url, str(tmp_path), MD5)).read_bytes() == CONTENT
    assert server.asked == []
    # The server knows the length where the notes do not.
    (tmp_path / "file.bin").rename(tmp_path / "file.bin.part")
    (tmp_path / "file.bin.part.json").write_text(json.dumps({**about, "length": None}))
    assert Path(fetch_file(server.url, str(tmp_path), MD5)).read_bytes() == CONTENT
    assert server.asked == [f"bytes={len(CONTENT)}-"]


def test_redirect_and_empty_answer(server: Server, tmp_path: Path) -> None:
    url = server.url.replace("file.bin", "moved")
    assert Path(fetch_file(url, str(tmp_path), MD5)).read_bytes() == CONTENT
    server.content = b""
    with pytest.raises(RuntimeError, match="expected a file, but the answer is empty"):
        fetch_file(server.url, str(tmp_path))
    assert os.listdir(tmp_path) == ["moved"]


def test_a_wrong_file_that_is_there_stays_and_is_named(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file.bin").write_bytes(b"mine")
    server.status = 503
    mine = hashlib.md5(b"mine").hexdigest()
    with pytest.raises(RuntimeError, match=f"HTTP Error 503.*has the MD5 {mine}, expected.*{MD5}"):
        fetch_file(server.url, str(tmp_path), MD5)
    assert (tmp_path / "file.bin").read_bytes() == b"mine"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_one_line_that_is_rewritten(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, clock = Terminal(), itertools.count()
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setattr(fetching, "time", SimpleNamespace(monotonic=lambda: float(next(clock))))
    fetch_file(server.url, str(tmp_path), MD5)
    began, *bars = shown.getvalue().splitlines()
    assert began == f"Downloading {server.url} to {tmp_path}/file.bin"
    assert re.match(r"file\.bin: 100 % of 0\.1 MB, 0\.\d MB/s ", bars[-1])
    assert all(len(bar) < 80 for bar in bars)


# -- several processes -----------------------------------------------------------------------------

CHILD = """
import sys
from paddle.utils.download import fetch_file
print("at work", flush=True)
print(fetch_file(sys.argv[1], sys.argv[2], sys.argv[3]), flush=True)
"""


def child(server: Server, folder: Path) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, server.url, str(folder), MD5],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_processes_download_once(server: Server, tmp_path: Path) -> None:
    server.wait, server.cuts = threading.Event(), [1000]
    with child(server, tmp_path) as process:
        assert server.began.wait(60)
        results: list[str] = []
        second = threading.Thread(
            target=lambda: results.append(fetch_file(server.url, str(tmp_path), MD5))
        )
        second.start()
        second.join(0.2)
        assert second.is_alive() and not (tmp_path / "file.bin").exists()
        server.wait.set()
        second.join(30)
        output, _ = process.communicate(timeout=30)
    assert output.split()[-1] == results[0] == str(tmp_path / "file.bin")
    assert Path(results[0]).read_bytes() == CONTENT and server.asked == [None]
    assert os.listdir(tmp_path) == ["file.bin"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_process_blocks_nobody(server: Server, tmp_path: Path) -> None:
    server.wait, server.cuts = threading.Event(), [1000]
    with child(server, tmp_path) as process:
        assert server.began.wait(60)
        part = tmp_path / "file.bin.part"
        while not part.exists() or part.stat().st_size < 1000:
            assert process.poll() is None
        process.kill()
    assert not (tmp_path / "file.bin").exists()
    server.wait.set()
    server.wait = None
    assert Path(fetch_file(server.url, str(tmp_path), MD5)).read_bytes() == CONTENT
    assert server.asked == [None, "bytes=1000-"]


def test_without_locks(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_file, "fcntl", None)
    server.cuts = [1000]
    assert Path(fetch_file(server.url, str(tmp_path), MD5)).read_bytes() == CONTENT
    assert server.asked == [None, "bytes=1000-"]
    server.cuts = [1000, 0, 0]
    with pytest.raises(RuntimeError, match="expected 102400 bytes, but received 1000"):
        fetch_file(server.url, str(tmp_path), name="other")
    assert os.listdir(tmp_path) == ["file.bin"]


# -- folders ---------------------------------------------------------------------------------------


def test_a_folder_that_cannot_be_written(server: Server, tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    words = r"expected to write .*home/file\.bin, but the folder cannot be written[\s\S]*by SOME"
    with pytest.raises(RuntimeError, match=words):
        fetch_file(server.url, str(tmp_path / "home"), setting="SOME")
    assert server.asked == []


def test_a_read_only_cache_that_has_the_file_is_enough(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file.bin").write_bytes(CONTENT)

    def refuse(*_: object) -> None:
        raise PermissionError(30, "Read-only file system")

    monkeypatch.setattr(part_file, "_opened", refuse)
    assert Path(fetch_file(server.url, str(tmp_path), MD5)).read_bytes() == CONTENT
    with pytest.raises(RuntimeError, match=re.escape(str(tmp_path)) + ".*Read-only file system"):
        fetch_file(server.url, str(tmp_path), MD5[::-1])


def test_a_full_disk(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = (0, 0, 5)
    usage = type(fetching.shutil.disk_usage(tmp_path))
    monkeypatch.setattr(fetching.shutil, "disk_usage", lambda path: usage(*free))
    with pytest.raises(RuntimeError, match=r"disk of .* is full: .*102400 bytes .*, and 5 are"):
        fetch_file(server.url, str(tmp_path), MD5)
    assert len(server.asked) == 1 and os.listdir(tmp_path) == []


# -- unpacking -------------------------------------------------------------------------------------


def tar_of(path: Path, members: dict[str, bytes]) -> bytes:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path.read_bytes()


MEMBERS = {"top/a.txt": b"a" * 100, "top/b.txt": os.urandom(5000)}


def test_interrupted_unpacking_is_done_again(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.content = tar_of(tmp_path / "file.bin", MEMBERS)
    home = tmp_path / "home"

    def interrupted(archive: str, folder: str) -> None:
        os.mkdir(os.path.join(folder, "top"))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(unpacking, "_extract", interrupted)
        with pytest.raises(KeyboardInterrupt):
            get_path_from_url(server.url, str(home))
    assert os.listdir(home) == []
    assert sorted(os.listdir(get_path_from_url(server.url, str(home)))) == ["a.txt", "b.txt"]
    # The archive put there by hand, and the same interruption.
    (home / "top").rename(tmp_path / "elsewhere")
    with monkeypatch.context() as patch:
        patch.setattr(unpacking, "_extract", interrupted)
        with pytest.raises(KeyboardInterrupt):
            get_path_from_url(server.url, str(home))
    assert os.listdir(home) == ["file.bin"]
    assert sorted(os.listdir(get_path_from_url(server.url, str(home)))) == ["a.txt", "b.txt"]


def test_an_old_folder_is_replaced_as_a_whole(server: Server, tmp_path: Path) -> None:
    home = tmp_path / "home"
    server.content = tar_of(tmp_path / "file.bin", {"top/old.txt": b"old"})
    get_path_from_url(server.url, str(home))
    server.content = tar_of(tmp_path / "file.bin", MEMBERS)
    path = get_path_from_url(server.url, str(home), hashlib.md5(server.content).hexdigest())
    assert sorted(os.listdir(path)) == ["a.txt", "b.txt"]
    assert sorted(os.listdir(home)) == ["file.bin", "top"]


def test_a_damaged_archive_is_not_kept(server: Server, tmp_path: Path) -> None:
    server.content = tar_of(tmp_path / "file.bin", MEMBERS)[:-900]
    with pytest.raises(ValueError, match=r"the archive .*home/file\.bin is damaged"):
        get_path_from_url(server.url, str(tmp_path / "home"))
    assert os.listdir(tmp_path / "home") == []


def test_many_unpack_at_once(tmp_path: Path) -> None:
    tar_of(tmp_path / "file.bin", MEMBERS)
    paths: list[str] = []
    threads = [
        threading.Thread(
            target=lambda: paths.append(
                get_path_from_url("http://127.0.0.1:9/file.bin", str(tmp_path))
            )
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert paths == [str(tmp_path / "top")] * 4
    assert sorted(os.listdir(tmp_path)) == ["file.bin", "top"]
    assert sorted(os.listdir(tmp_path / "top")) == ["a.txt", "b.txt"]


def test_what_killed_processes_left_goes_after_a_day(tmp_path: Path) -> None:
    tar_of(tmp_path / "file.bin", MEMBERS)
    old, new = tmp_path / ".unpacking-old", tmp_path / ".unpacking-new"
    for folder in (old, new):
        (folder / "new").mkdir(parents=True)
    os.utime(old, (0, 0))
    get_path_from_url("http://127.0.0.1:9/file.bin", str(tmp_path))
    assert not old.exists() and new.exists()
