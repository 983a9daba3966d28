"""HDFSClient, with a `hadoop` that keeps its files in a folder of this machine."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from paddle.fluid import contrib
from paddle.fluid.contrib.utils import HDFSClient, multi_download, multi_upload

HADOOP = """#!/bin/sh
# knows what HDFSClient asks for; paths lie below ROOT
root=@ROOT@
[ "$1" = fs ] || exit 9
shift
while [ "${1#-D}" != "$1" ]; do echo "$1" >> $root.given; shift; done
case "$1" in
    -test) test $2 "$root$3" ;;
    -mkdir) mkdir $2 "$root$3" ;;
    -put) cp "$2" "$root$3" ;;
    -get) cp "$root$2" "$3" ;;
    -mv) mv "$root$2" "$root$3" ;;
    -rm) if [ "$2" = -r ]; then rm -r "$root$3"; else rm "$root$2"; fi ;;
    -ls) if [ "$2" = -R ]; then shift; else depth="-maxdepth 1"; fi
         echo "Found some items"
         find "$root$2" -mindepth 1 $depth -printf '%M 3 u g %s %TY-%Tm-%Td %TH:%TM /%P\\n' \\
             | sed "s#\\(.*\\) /#\\1 $2/#" ;;
    *) exit 3 ;;
esac
"""


@pytest.fixture
def client(tmp_path: Path) -> HDFSClient:
    root = tmp_path / "hdfs"
    root.mkdir()
    command = tmp_path / "home" / "bin" / "hadoop"
    command.parent.mkdir(parents=True)
    command.write_text(HADOOP.replace("@ROOT@", str(root)))
    command.chmod(0o755)
    return HDFSClient(str(tmp_path / "home"), {"fs.default.name": "hdfs://here:9000"})


pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="find -printf")


def test_files_and_folders(client: HDFSClient, tmp_path: Path) -> None:
    (tmp_path / "one").write_text("1")
    one = str(tmp_path / "one")
    assert not client.is_exist("/d") and client.makedirs("/d/e") and client.is_dir("/d/e")
    assert "-Dfs.default.name=hdfs://here:9000" in (tmp_path / "hdfs.given").read_text()
    assert client.upload("/d/e", one) and client.upload("/d/two", one)
    assert not client.upload("/d/two", one) and client.upload("/d/two", one, overwrite=True)
    assert not client.upload("/d", str(tmp_path))  # a folder
    assert client.ls("/d") == ["/d/e", "/d/two"] and client.ls("/none") == []
    assert sorted(client.lsr("/d")) == ["/d/e/one", "/d/two"]
    assert len(client.lsr("/d", only_file=False, sort=False)) == 3
    assert client.rename("/d/two", "/d/three") and not client.rename("/d/two", "/d/four")
    assert not client.rename("/d/three", "/d/e/one")
    assert client.rename("/d/three", "/d/e/one", overwrite=True)
    target = str(tmp_path / "back")
    assert client.download("/d/e/one", target) and not client.download("/d/e/one", target)
    assert client.download("/d/e/one", target, overwrite=True)
    assert Path(target).read_text() == "1"
    assert not client.download("/d/none", target) and not client.download("/d", target)
    assert client.delete("/d/e/one") and client.delete("/d/none") and client.delete("/d")
    assert not client.is_exist("/d")


def test_a_folder_by_several_commands(client: HDFSClient, tmp_path: Path) -> None:
    for name in ("a", "b", "sub/c"):
        file = tmp_path / "from" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(name)
    multi_upload(client, "/up", str(tmp_path / "from"), multi_processes=2)
    parts = [multi_download(client, "/up", str(tmp_path / "to"), n, 2) for n in range(2)]
    assert sorted(len(part) for part in parts) == [1, 2]
    assert (tmp_path / "to" / "sub" / "c").read_text() == "sub/c"


def test_bad_calls(client: HDFSClient, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no .*none"):
        client.upload("/d", str(tmp_path / "none"))
    with pytest.raises(ValueError, match="expected a path, but received None"):
        client.is_exist()
    with pytest.raises(TypeError, match="expected an HDFSClient, but received str"):
        multi_upload("client", "/d", str(tmp_path))
    with pytest.raises(ValueError, match="expected 0 to 1, but received 2"):
        multi_download(client, "/d", str(tmp_path), 2, 2)
    with pytest.raises(FileNotFoundError, match="hadoop"):
        HDFSClient(str(tmp_path), {}).is_exist("/d")
    (tmp_path / "one").write_text("1")
    assert not client.upload("/no/such/folder/one", str(tmp_path / "one"), retry_times=2)
    assert "status 1" in caplog.text and "No such file" in caplog.text
    assert contrib.HDFSClient is HDFSClient


def test_a_cluster_that_is_down(
    client: HDFSClient, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    hadoop = tmp_path / "home" / "bin" / "hadoop"
    hadoop.write_text("#!/bin/sh\necho 'Connection refused' >&2\nexit 255\n")
    assert not client.delete("/d") and not client.makedirs("/d") and not client.is_exist("/d")
    assert client.ls("/d") == [] and caplog.text.count("Connection refused") == 4


def test_what_a_thread_raises_reaches_the_caller(client: HDFSClient, tmp_path: Path) -> None:
    gone = tmp_path / "from" / "gone"
    gone.parent.mkdir()
    gone.symlink_to(tmp_path / "none")
    with pytest.raises(FileNotFoundError, match="gone"):
        multi_upload(client, "/up", str(gone.parent))
