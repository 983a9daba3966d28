"""The documents tell the truth: their code runs, prints what they show, and their links exist."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.documents import ROOT, Block, blocks, differences, files, rewritten, run

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
# Chinese documents have the code and the output of the English ones, which another test compares.
WITH_CODE = [p for p in DOCUMENTS if not p.name.endswith(".zh.md") and blocks(p.read_text("utf8"))]
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_PATH = re.compile(r"`((?:paddle|tests|scripts|examples|benchmarks|docs)/[\w/.-]*\w/?)`")


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", WITH_CODE, ids=_name)
def test_the_code_of_a_document_runs_and_prints_what_it_shows(path: Path, tmp_path: Path) -> None:
    compiled = any(name.endswith((".c", ".cc", ".cpp")) for name in files(path.read_text("utf8")))
    if compiled and not (os.environ.get("CXX") or shutil.which("g++")) and "CI" not in os.environ:
        pytest.skip("it compiles C++, and there is no g++")
    script = str(ROOT / "tests" / "docs" / "documents.py")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PADDLE_", "FLAGS_"))}
    environment |= {"PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, script, str(path)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    hint = f"\nif the document is wrong: python tests/docs/documents.py {_name(path)} --write"
    assert done.returncode == 0, done.stdout + done.stderr + hint


@pytest.mark.parametrize("path", DOCUMENTS, ids=_name)
def test_links_and_paths_lead_somewhere(path: Path) -> None:
    text = path.read_text("utf8")
    links = [link.partition("#")[0] for link in _LINK.findall(text) if "://" not in link]
    wrong = [link for link in links if link and not (path.parent / link).exists()]
    homes = ROOT, ROOT / "paddle" / "include"  # headers are named as sources include them
    wrong += [p for p in _PATH.findall(text) if not any((home / p).exists() for home in homes)]
    assert not wrong, f"{_name(path)} names what does not exist: {wrong}"


@pytest.mark.parametrize("name", ["README", "docs/compression", "docs/fluid", "docs/lite"])
def test_both_languages_have_the_same_code(name: str) -> None:
    english, chinese = (
        [(b.source, b.expected) for b in blocks((ROOT / file).read_text("utf8"))]
        for file in (f"{name}.md", f"{name}.zh.md")
    )
    assert english == chinese
    assert english, "they show no code"


DOCUMENT = """Words.

```python
print(1)
```

```text
2
```

<!-- not run: it never ends -->
```python
while True: pass
```

```python
x = 1
```

More words.

```text
not its output
```
"""


def test_blocks_of_a_document_are_found_with_their_output() -> None:
    first, second = blocks(DOCUMENT)
    assert (first.line, first.source, first.expected) == (4, "print(1)\n", "2\n")
    assert (second.source, second.expected) == ("x = 1\n", None)


def test_a_wrong_output_is_shown_and_can_be_put_right() -> None:
    first, second = blocks(DOCUMENT)
    results: list[tuple[Block, str]] = [(first, "1\n"), (second, "")]
    assert differences(results)[-2:] == ["-2", "+1"]
    right = rewritten(DOCUMENT, results)
    assert right == DOCUMENT.replace("\n2\n", "\n1\n")
    assert differences([(blocks(right)[0], "1\n")]) == []


def test_files_of_a_document_are_there_when_it_runs(tmp_path: Path, monkeypatch) -> None:
    text = (
        "<!-- file: deep/a.txt -->\n```text\none\n```\n\nand\n\n"
        "<!-- file: deep/a.txt -->\n```text\ntwo\n```\n\n"
        "<!-- file: never.py -->\n```python\nraise SystemExit\n```\n\n"
        "```python\nprint(open('deep/a.txt').read())\n```\n"
    )
    monkeypatch.chdir(tmp_path)
    document = tmp_path / "document.md"
    document.write_text(text, "utf8")
    assert files(text) == {"deep/a.txt": "one\n\ntwo\n", "never.py": "raise SystemExit\n"}
    ((block, printed),) = run(document)
    assert block.source.startswith("print(open") and printed == "one\n\ntwo\n"
