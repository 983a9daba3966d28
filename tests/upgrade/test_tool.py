"""The command: options, files of every kind, and what happens when something goes wrong."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from paddle_upgrade_tool import cli, files

OLD = "import paddle.fluid as fluid\n\ny = fluid.layers.mean(x)\n"
NEW = "import paddle\n\ny = paddle.mean(x)\n"
LEFT = "import paddle.fluid as fluid\ny = fluid.layers.huber_loss(x, x)\n"


@pytest.fixture(autouse=True)
def _home(tmp_path, monkeypatch):
    (tmp_path / "home").mkdir()
    (tmp_path / "work").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "work")


def tool(*arguments):
    return cli.main([str(a) for a in arguments])


def put(name, data):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def test_a_diff_is_the_default(capsys):
    path = put("a.py", OLD)
    assert tool("--inpath", path) == 0
    out, err = capsys.readouterr()
    assert "-y = fluid.layers.mean(x)\n+y = paddle.mean(x)\n" in out and "@@" in out
    assert path.read_text() == OLD and "1 files, 1 changes, 0 left" in err
    assert "1 files, 1 changes" in Path("report.log").read_text()


def test_write_backs_up_and_asks(capsys, monkeypatch, tmp_path):
    path = put("a.py", OLD)
    path.chmod(0o750)
    answers = ["n", "Y"]
    monkeypatch.setattr("builtins.input", lambda: answers.pop(0))
    assert tool("-i", path, "-w") == 0
    assert path.read_text() == OLD
    assert tool("-i", path, "-w", "--no-log-file") == 0
    assert path.read_text() == NEW and path.stat().st_mode & 0o777 == 0o750
    err = capsys.readouterr().err
    question = r'"a.py" will be modified in-place, and it has been backed up to "(.*)". Do you want to continue\? \[Y/n\]: '
    backups = re.findall(question, err)
    assert len(backups) == 2
    for backup in backups:
        assert re.search(r"a\.py_backup_\d{4}(_\d\d){5}_\d{6}$", backup)
        assert backup.startswith(str(tmp_path / "home" / ".paddle_upgrade_tool"))
        assert Path(backup).read_text() == OLD


def test_no_answer_is_no(monkeypatch):
    path = put("a.py", OLD)
    monkeypatch.setattr("builtins.input", lambda: (_ for _ in ()).throw(EOFError))
    assert tool("-i", path, "-w") == 0
    assert path.read_text() == OLD


def test_folder_backup_and_log_options(tmp_path):
    put("d/a.py", OLD)
    put("d/sub/b.py", LEFT)
    put("d/.git/c.py", OLD)
    put("d/notes.txt", OLD)
    assert tool("-i", "d", "-w", "--no-confirm", "-b", "kept", "--log-filepath", "my.log",
                "--log-level", "WARNING") == 0  # fmt: skip
    assert Path("d/a.py").read_text() == NEW and Path("d/sub/b.py").read_text() == LEFT
    assert Path("d/.git/c.py").read_text() == OLD and Path("d/notes.txt").read_text() == OLD
    assert len(list(Path("kept").iterdir())) == 1
    log = Path("my.log").read_text()
    assert "d/sub/b.py:2:5: left: paddle.fluid.layers.huber_loss: " in log.replace(os.sep, "/")
    assert " INFO " not in log and not Path("report.log").exists()
    # Not to be written to a log that cannot be made.
    assert tool("-i", "d", "--log-filepath", "no/such/folder.log") == 0


def test_check():
    put("old.py", OLD), put("left.py", LEFT), put("new.py", NEW)
    assert tool("-i", "new.py", "--check") == 0
    assert tool("-i", "old.py", "--check") == 1
    assert tool("-i", "left.py", "--check") == 1
    assert tool("-i", "old.py", "--check", "-w", "--no-confirm") == 0
    assert tool("-i", "old.py", "--check") == 0


def test_json(capsys):
    put("d/a.py", OLD), put("d/b.py", LEFT), put("d/c.py", "def f(:\n  # paddle")
    assert tool("-i", "d", "--json") == 1
    found = json.loads(capsys.readouterr().out)
    assert found["total"] == {"files": 3, "converted": 1, "left": 2}
    a, b, c = found["files"]
    assert (a["state"], a["converted"], a["findings"]) == ("changed", 1, [])
    assert b["findings"][0]["name"] == "paddle.fluid.layers.huber_loss"
    assert (b["findings"][0]["line"], b["findings"][0]["column"]) == (2, 5)
    assert c["state"] == "error" and c["findings"][0]["level"] == "error"


def test_processes_give_the_same(capsys):
    for i in range(12):
        put(f"d/f{i:02}.py", OLD * (i + 1) if i % 3 else LEFT)
    tool("-i", "d", "--json", "--no-log-file")
    one = capsys.readouterr().out
    tool("-i", "d", "--json", "--no-log-file", "-p", "2")
    assert capsys.readouterr().out == one
    assert tool("-i", "d", "-w", "--no-confirm", "-p", "2") == 0
    assert Path("d/f01.py").read_text().count("fluid") == 0


REFACTORED = {
    "refactor_import": "y = paddle.fluid.layers.reduce_sum(x, 1)\n",
    "norm_api_alias": "y = paddle.fluid.layers.reduce_sum(x, 1)\n",
    "args_to_kwargs": "y = paddle.fluid.layers.nn.reduce_sum(input=x, dim=1)\n",
    "refactor_kwargs": "y = paddle.sum(x, 1)\n",
    "api_rename": "z = paddle.nn.functional.relu(x)\n",
    "refactor_with": "    pass\n",
    "post_refactor": "y = paddle.fluid.layers.nn.reduce_sum(x, 1)\n",
}


@pytest.mark.parametrize("name", REFACTORED)
def test_one_refactor_alone(name, capsys):
    text = "import paddle\nimport paddle.fluid\ny = paddle.fluid.layers.nn.reduce_sum(x, 1)\nz = paddle.fluid.layers.relu(x)\n"
    path = put("a.py", text)
    assert tool("-i", path, "-w", "--no-confirm", "-r", name) == 0
    new = path.read_text()
    if name in ("refactor_with", "post_refactor", "refactor_import"):
        assert "reduce_sum(x, 1)" in new
    else:
        assert REFACTORED[name] in new
    assert ("paddle.nn.functional.relu" in new) == (name == "api_rename")
    with pytest.raises(SystemExit):
        tool("-i", path, "-r", "no_such")


def test_print_match(capsys):
    put("a.py", OLD)
    tool("-i", "a.py", "--print-match", "--no-log-file")
    assert "a.py: paddle.fluid.layers.mean: fluid.layers.mean(x)" in capsys.readouterr().out


# -------------------------------------------------------------- bad files
BAD = {
    "syntax.py": b"import paddle.fluid as fluid\ny = fluid.layers.mean(\n",
    "python2.py": b"import paddle.fluid as fluid\nprint 'a'\n",
    "encoding.py": b"# -*- coding: no-such -*-\nimport paddle.fluid as fluid\n",
    "bytes.py": b"import paddle.fluid as fluid\ns = '\xff\xfe'\n",
    "null.py": b"import paddle.fluid\0as fluid\n",
    "deep.py": b"import paddle.fluid as fluid\ny = " + b"(" * 3000 + b")" * 3000 + b"\n",
    "long.py": b"import paddle.fluid as fluid\ny = fluid.layers.mean(x)" + b" + x" * 20000 + b"\n",
    "book.ipynb": b'{"paddle": 1}',
    "no_json.ipynb": b"paddle {",
}


def test_a_bad_file_never_stops_a_folder(capsys):
    for name, data in BAD.items():
        put(f"d/{name}", data)
    put("d/zz.py", OLD)
    os.symlink("no/such/file.py", "d/dangling.py")
    os.symlink(".", "d/loop")
    assert tool("-i", "d", "-w", "--no-confirm") == 1
    assert Path("d/zz.py").read_text() == NEW
    log = Path("report.log").read_text()
    for name, data in BAD.items():
        assert re.search(rf"ERROR .*{name}:\d+:\d+: error: ", log), name
        assert Path(f"d/{name}").read_bytes() == data
    assert "python2.py:2:" in log and "this looks like Python 2" in log


def test_nothing_there(capsys):
    assert tool("-i", "no/such") == 2
    assert "no such file" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        tool()


@pytest.mark.parametrize(
    "encoding,line",
    [
        ("latin-1", "s = 'é'"),
        ("gbk", "s = '漢字'"),
        ("utf-8-sig", "s = '漢'"),
        ("cp1251", "s = 'ж'"),
    ],
)
def test_encodings_stay(encoding, line):
    cookie = "" if encoding == "utf-8-sig" else f"# -*- coding: {encoding} -*-\n"
    text = (
        f"{cookie}import paddle.fluid as fluid\r\n{line}; y = fluid.layers.mean('{line[5:6]}')\r\n"
    )
    path = put("a.py", text.encode(encoding))
    assert tool("-i", path, "-w", "--no-confirm") == 0
    want = text.replace("import paddle.fluid as fluid", "import paddle").replace(
        "fluid.layers", "paddle"
    )
    assert path.read_bytes() == want.encode(encoding)


def test_tabs_and_blanks_mixed():
    text = "import paddle.fluid as fluid\ndef f(x):\n    if x:\n    \ty = fluid.layers.mean(x)\n    \treturn y\n"
    path = put("a.py", text)
    assert tool("-i", path, "-w", "--no-confirm") == 0
    assert path.read_text() == text.replace(
        "import paddle.fluid as fluid", "import paddle"
    ).replace("fluid.layers", "paddle")


def test_links():
    put("real/a.py", OLD)
    put("outside.py", OLD)
    os.symlink("a.py", "real/link.py")
    os.symlink("../outside.py", "real/out.py")
    assert list(files.find("real")) == [os.path.join("real", "a.py")]
    assert tool("-i", "real", "-w", "--no-confirm") == 0
    assert Path("real/a.py").read_text() == NEW and Path("real/link.py").is_symlink()
    assert Path("outside.py").read_text() == OLD
    # A link that is named itself: what it leads to is written, and it stays a link.
    assert tool("-i", "real/out.py", "-w", "--no-confirm") == 0
    assert Path("outside.py").read_text() == NEW and Path("real/out.py").is_symlink()


def test_what_cannot_be_written(monkeypatch, capsys):
    put("d/a.py", OLD), put("d/b.py", OLD)
    real = files.os.access
    with monkeypatch.context() as patch:
        patch.setattr(files.os, "access", lambda p, m: not str(p).endswith("a.py") and real(p, m))
        assert tool("-i", "d", "-w", "--no-confirm") == 1
    assert Path("d/a.py").read_text() == OLD and Path("d/b.py").read_text() == NEW
    assert "was not written: " in capsys.readouterr().err
    put("d/c.py", OLD)
    put("file", "")
    assert (
        tool("-i", "d/c.py", "-w", "--no-confirm", "-b", "file/sub") == 1
    )  # no backup, no writing
    assert Path("d/c.py").read_text() == OLD
    assert sorted(p.name for p in Path("d").iterdir()) == ["a.py", "b.py", "c.py"]


def test_a_failing_disk_leaves_the_old_file(monkeypatch):
    path = put("d/a.py", OLD)
    monkeypatch.setattr(files.os, "fsync", lambda fd: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        files.write(str(path), NEW.encode())
    assert path.read_text() == OLD and [p.name for p in Path("d").iterdir()] == ["a.py"]


KILLED = """
import os, sys
from paddle_upgrade_tool import files
old, new = b"old" * 400000, b"new" * 400000
print("ready", flush=True)
while True:
    files.write(sys.argv[1], new)
    files.write(sys.argv[1], old)
"""


def test_killed_while_writing():
    """Killed at any moment, there is the old file or the new one."""
    path = put("d/a.py", b"old" * 400000)
    root = str(Path(cli.__file__).resolve().parent.parent)
    for delay in (0.0, 0.003, 0.011, 0.027):
        child = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": root},
        )  # fmt: skip
        child.stdout.readline()
        time.sleep(delay)
        child.send_signal(signal.SIGKILL)
        child.wait()
        assert path.read_bytes() in (b"old" * 400000, b"new" * 400000)


def test_the_command_imports_neither_paddle_nor_torch():
    put("a.py", OLD)
    root = str(Path(cli.__file__).resolve().parent.parent)
    code = (
        "import sys; from paddle_upgrade_tool.cli import main; code = main(['-i', 'a.py']);"
        "assert not {'paddle', 'torch', 'numpy'} & set(sys.modules); sys.exit(code)"
    )
    for command in (["-c", code], ["-m", "paddle_upgrade_tool", "-i", "a.py"]):
        done = subprocess.run(
            [sys.executable, *command], capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": root},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "+y = paddle.mean(x)" in done.stdout


# --------------------------------------------------------------- notebooks
def test_notebooks():
    cells = [
        {"cell_type": "markdown", "source": ["fluid"], "metadata": {}},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "import paddle.fluid as fluid\n", "!ls"],
         "metadata": {}, "outputs": [], "execution_count": None},
        {"cell_type": "code", "source": "%%bash\necho paddle.fluid", "metadata": {}, "outputs": []},
        {"cell_type": "code", "source": ["x = 1\n", "y = fluid.layers.mean(x)\n", "fluid.layers.huber_loss(x, y)"],
         "metadata": {}, "outputs": []},
    ]  # fmt: skip
    text = (
        json.dumps({"cells": cells, "nbformat": 4, "name": "漢"}, indent=1, ensure_ascii=False)
        + "\n"
    )
    path = put("a.ipynb", text)
    assert tool("-i", path, "-w", "--no-confirm") == 0
    new = path.read_text()
    book = json.loads(new)
    assert book["cells"][1]["source"] == [
        "%matplotlib inline\n", "import paddle\n", "import paddle.fluid as fluid\n", "!ls"]  # fmt: skip
    assert book["cells"][2] == cells[2] and book["cells"][0] == cells[0]
    assert book["cells"][3]["source"][1] == "y = paddle.mean(x)\n"
    assert new.startswith('{\n "cells": [') and "漢" in new and new.endswith("}\n")
    assert (
        "a.ipynb:3:1: left: " in Path("report.log").read_text()
        and "(cell 4)" in Path("report.log").read_text()
    )
    assert tool("-i", path, "-w", "--no-confirm") == 0 and path.read_text() == new


# -------------------------------------------------------------- the table
def test_the_table_is_what_the_script_writes():
    root = Path(__file__).resolve().parent.parent.parent
    script = root / "scripts" / "make_upgrade_rules.py"
    assert subprocess.run([sys.executable, str(script), "--check"]).returncode == 0
