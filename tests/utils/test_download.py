"""paddle.utils.download: checksums, retries, half downloads, archives that are refused."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from paddle.utils import download, fetching
from paddle.utils.download import get_path_from_url, get_weights_path_from_url, is_url


class Server:
    """Answers each request with the next entry of ``answers``: (status, announced length, body)."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, int | None, bytes]] = []
        self.requests = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.requests += 1
                status, length, body = outer.answers.pop(0)
                self.send_response(status)
                self.send_header("Content-Length", str(len(body) if length is None else length))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/data/file.bin"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(fetching, "PAUSE_SECONDS", 0.0)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    made = Server()
    yield made
    made.close()


def md5(content: bytes) -> str:
    return hashlib.md5(content).hexdigest()


def test_is_url() -> None:
    assert [is_url(p) for p in ("http://a", "https://a", "/a", "a.http://")] == [True, True] + [
        False
    ] * 2


def test_downloads_once(server: Server, tmp_path: Path) -> None:
    server.answers = [(200, None, b"content")]
    for _ in range(2):
        path = get_path_from_url(server.url + "?version=3", str(tmp_path), md5(b"content"))
        assert path == str(tmp_path / "file.bin")
        assert Path(path).read_bytes() == b"content"
    assert server.requests == 1


def test_check_exist_false_downloads_anew(server: Server, tmp_path: Path) -> None:
    server.answers = [(200, None, b"one"), (200, None, b"two")]
    get_path_from_url(server.url, str(tmp_path))
    path = get_path_from_url(server.url, str(tmp_path), check_exist=False)
    assert Path(path).read_bytes() == b"two"


def test_a_stale_file_is_replaced(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file.bin").write_bytes(b"stale")
    server.answers = [(200, None, b"content")]
    path = get_path_from_url(server.url, str(tmp_path), md5(b"content"))
    assert Path(path).read_bytes() == b"content"


def test_failures_are_tried_again(server: Server, tmp_path: Path) -> None:
    server.answers = [(500, None, b""), (200, 100, b"cut off"), (200, None, b"content")]
    path = get_path_from_url(server.url, str(tmp_path))
    assert Path(path).read_bytes() == b"content"
    assert server.requests == 3


def test_wrong_checksum_leaves_nothing(server: Server, tmp_path: Path) -> None:
    server.answers = [(200, None, b"other")] * 3
    with pytest.raises(RuntimeError) as caught:
        get_path_from_url(server.url, str(tmp_path), md5(b"content"))
    text = str(caught.value)
    assert f"expected MD5 {md5(b'content')}, but received {md5(b'other')}" in text
    assert server.url in text and str(tmp_path / "file.bin") in text and "3 of 3 attempts" in text
    assert os.listdir(tmp_path) == []


def test_not_found_is_not_asked_for_again(server: Server, tmp_path: Path) -> None:
    server.answers = [(404, None, b"")]
    with pytest.raises(RuntimeError, match=r"HTTP Error 404.*\(1 of 3 attempts\)"):
        get_path_from_url(server.url, str(tmp_path))
    assert server.requests == 1


def test_truncated_for_good(server: Server, tmp_path: Path) -> None:
    server.answers = [(200, 9, b"123")] * 3
    with pytest.raises(RuntimeError, match=r"expected 9 bytes, but received 3"):
        get_path_from_url(server.url, str(tmp_path))
    assert os.listdir(tmp_path) == []


def test_wrong_addresses(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="http, https or file address, but received '/a/b'"):
        get_path_from_url("/a/b", str(tmp_path))
    for url in ("http://host/", "http://host/a/.."):
        with pytest.raises(ValueError, match="ends in a file name"):
            get_path_from_url(url, str(tmp_path))


def test_weights_go_to_their_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "WEIGHTS_HOME", str(tmp_path / "home"))
    (tmp_path / "net.pdparams").write_bytes(b"weights")
    path = get_weights_path_from_url((tmp_path / "net.pdparams").as_uri(), md5(b"weights"))
    assert path == str(tmp_path / "home" / "net.pdparams")


def tar_of(path: Path, members: dict[str, bytes]) -> str:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path.as_uri()


def zip_of(path: Path, members: dict[str, bytes]) -> str:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path.as_uri()


@pytest.mark.parametrize(("ending", "pack"), [(".tar.gz", tar_of), (".zip", zip_of)])
def test_archives_are_unpacked(ending: str, pack, tmp_path: Path) -> None:
    home = tmp_path / "home"
    url = pack(tmp_path / f"one{ending}", {"top/a.txt": b"a", "top/deep/b.txt": b"b"})
    path = Path(get_path_from_url(url, str(home)))
    assert path == home / "top"
    assert (path / "deep" / "b.txt").read_bytes() == b"b"
    url = pack(tmp_path / f"two{ending}", {"a.txt": b"a", "b.txt": b"b"})
    assert Path(get_path_from_url(url, str(home))) == home / "two"
    assert sorted(os.listdir(home / "two")) == ["a.txt", "b.txt"]
    url = pack(tmp_path / f"three{ending}", {"c.txt": b"c"})
    assert Path(get_path_from_url(url, str(home))).read_bytes() == b"c"
    assert sorted(os.listdir(home)) == sorted(
        [f"one{ending}", f"two{ending}", f"three{ending}", "top", "two", "c.txt"]
    )


def test_unpacking_is_not_repeated_but_follows_a_new_archive(tmp_path: Path) -> None:
    home = tmp_path / "home"
    url = tar_of(tmp_path / "one.tar.gz", {"top/a.txt": b"a"})
    path = Path(get_path_from_url(url, str(home)))
    (path / "mine.txt").write_text("mine")
    assert Path(get_path_from_url(url, str(home)), "mine.txt").exists()
    url = tar_of(tmp_path / "one.tar.gz", {"top/a.txt": b"new"})
    path = Path(get_path_from_url(url, str(home), check_exist=False))
    assert (path / "a.txt").read_bytes() == b"new"


@pytest.mark.parametrize("name", ["../out.txt", "/tmp/out.txt", "a/../../out.txt"])
@pytest.mark.parametrize(("ending", "pack"), [(".tar.gz", tar_of), (".zip", zip_of)])
def test_archives_may_not_leave_their_folder(ending, pack, name: str, tmp_path: Path) -> None:
    url = pack(tmp_path / f"bad{ending}", {"ok.txt": b"", name: b"x"})
    with pytest.raises(ValueError, match=r"is refused: .* inside of it, but it holds"):
        get_path_from_url(url, str(tmp_path / "home"))
    assert os.listdir(tmp_path / "home") == []
    assert not (tmp_path / "out.txt").exists()


def test_links_in_archives_are_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "bad.tar", "w") as archive:
        info = tarfile.TarInfo("link")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(info)
    with pytest.raises(ValueError, match="it holds 'link'"):
        get_path_from_url((tmp_path / "bad.tar").as_uri(), str(tmp_path / "home"))


def test_one_process_of_each_host_downloads():
    from paddle.utils.download import _get_unique_endpoints

    endpoints = ["10.0.0.2:6171", "10.0.0.1:6171", "10.0.0.1:6170"]
    assert _get_unique_endpoints(endpoints) == {"10.0.0.1:6170", "10.0.0.2:6171"}
    assert _get_unique_endpoints([]) == set()


def test_a_program_may_choose_the_number_of_attempts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paddle.utils.fetching.PAUSE_SECONDS", 0.0)
    for count in (3, 1):
        monkeypatch.setattr(download, "DOWNLOAD_RETRY_LIMIT", count)
        with pytest.raises(RuntimeError, match=rf"\({count} of {count} attempts\)"):
            download.get_path_from_url((tmp_path / "none").as_uri(), str(tmp_path / "here"))


def test_an_archive_packed_by_an_unknown_method_is_named(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "odd.zip", "w") as archive:
        archive.writestr("a.txt", b"text")
    content = (tmp_path / "odd.zip").read_bytes()
    for head, place in ((b"PK\3\4", 8), (b"PK\1\2", 10)):  # both name the method, 99 in place of 0
        at = content.index(head) + place
        content = content[:at] + b"\x63" + content[at + 1 :]
    (tmp_path / "odd.zip").write_bytes(content)
    with pytest.raises(ValueError, match=r"odd\.zip"):
        get_path_from_url((tmp_path / "odd.zip").as_uri(), str(tmp_path / "here"))
    assert not os.path.exists(tmp_path / "here" / "odd.zip")
