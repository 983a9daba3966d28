"""paddle.hapi.logger: console, file, several processes."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest

from paddle.hapi.logger import setup_logger


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    name = f"hapi_{request.node.name}"
    yield name
    for handler in list(logging.getLogger(name).handlers):
        handler.close()
        logging.getLogger(name).removeHandler(handler)


def test_it_prints_once_and_to_nobody_above(name: str, capsys: pytest.CaptureFixture) -> None:
    setup_logger(name=name)
    logger = setup_logger(name=name)
    logger.info("hello")
    logger.debug("hidden")
    text = capsys.readouterr().out
    assert re.fullmatch(rf"[-\d]+ [:,\d]+ - {re.escape(name)} - INFO - hello\n", text)
    assert not logger.propagate and len(logger.handlers) == 1
    assert setup_logger().name == "hapi"


@pytest.mark.parametrize(("output", "file"), [("a.txt", "a.txt"), ("b/c.log", "b/c.log"),
                                              ("folder", "folder/log.txt")])  # fmt: skip
def test_it_writes_to_a_file(name: str, output: str, file: str, tmp_path: Path) -> None:
    for _ in range(2):
        logger = setup_logger(str(tmp_path / output), name, logging.WARNING)
    logger.warning("careful")
    logger.info("hidden")
    assert (tmp_path / file).read_text().endswith(f"{name} - WARNING - careful\n")
    assert (tmp_path / file).read_text().count("\n") == 1


def test_other_processes_have_files_of_their_own(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setenv("PADDLE_TRAINER_ID", "2")
    setup_logger(str(tmp_path / "a.log"), name).info("hello")
    assert (tmp_path / "a.log.rank2").read_text().endswith("hello\n")
    assert capsys.readouterr().out == ""


def test_a_wrong_place(name: str) -> None:
    with pytest.raises(TypeError, match=r"setup_logger\(output\): expected a path .* int"):
        setup_logger(3, name)
