"""The files of the board themselves: words in both languages, nothing from outside, house rules."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.visualdl.browser import board

ROOT = Path(__file__).resolve().parents[3]
STATIC = ROOT / "visualdl" / "server" / "static"
OURS = sorted(
    path
    for path in STATIC.rglob("*")
    if path.suffix in (".js", ".css", ".html") and "vendor" not in path.parts
)
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function"
)
WORDS = """
import {pathToFileURL} from "node:url";
const tables = {};
for (const path of process.argv.slice(1)) {
  const module = await import(pathToFileURL(path));
  tables[path] = module.words ?? module.shellWords;
}
console.log(JSON.stringify(tables));
"""


@pytest.mark.parametrize("path", OURS, ids=lambda path: str(path.relative_to(STATIC)))
def test_files_keep_the_rules(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 600
    assert [line for line in lines if len(line) > 100] == []
    assert lines[1 if path.suffix == ".html" else 0].lstrip().startswith(("//", "/*", "<!--"))
    text = "\n".join(lines)
    assert not FORBIDDEN.search(text)
    addresses = set(re.findall(r"https?://[\w.]+", text)) - {"http://www.w3.org"}
    assert not addresses


def test_page_has_no_inline_script_or_style():
    text = (STATIC / "index.html").read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", text)


def test_words_are_there_in_both_languages(tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node")
    files = [path for path in OURS if path.suffix == ".js" and "words" in path.name]
    copies = []
    for path in files:  # as .mjs, since node takes .js for another kind of module
        copies.append(tmp_path / f"{path.stem}.mjs")
        copies[-1].write_text(path.read_text())
    command = [node, "--input-type=module", "-e", WORDS, *map(str, copies)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    for path, words in json.loads(done.stdout).items():
        assert words["en"].keys() == words["zh"].keys(), path
        for key, text in words["en"].items():
            there = re.findall(r"\{\d\}", text)
            assert sorted(set(there)) == sorted(set(re.findall(r"\{\d\}", words["zh"][key]))), key


def test_libraries_are_those_of_the_script():
    script = (ROOT / "scripts" / "fetch_web_assets.sh").read_text()
    rows = (STATIC / "vendor" / "versions.tsv").read_text().splitlines()[1:]
    for row in rows:
        name, version, total, licence = row.split("\t")
        assert f"{name} {version} {total} {licence}\n" in script
        short = name.rsplit("/", 1)[-1]
        assert (STATIC / "vendor" / "licenses" / f"{short}.txt").stat().st_size > 500
    assert len(rows) == 5


def test_modules_that_are_loaded_ahead_are_there():
    named = re.findall(r'href="(js/\w+\.js)"', (STATIC / "index.html").read_text())
    assert len(named) > 10
    assert all((STATIC / name).is_file() for name in named)


@pytest.mark.parametrize("lacks", ["chromium", "playwright"])
@pytest.mark.parametrize("ci", ["", "true"])
def test_without_a_browser_tests_are_skipped_and_fail_in_the_ci(monkeypatch, lacks, ci):
    monkeypatch.setenv("CI", ci)
    if lacks == "chromium":
        monkeypatch.setattr(board.shutil, "which", lambda name: None)
        monkeypatch.setattr(board.importlib.util, "find_spec", lambda name: name)
    else:
        monkeypatch.setattr(board.importlib.util, "find_spec", lambda name: None)
    outcome = pytest.fail.Exception if ci else pytest.skip.Exception
    with pytest.raises(outcome, match=lacks):
        board.chromium()
