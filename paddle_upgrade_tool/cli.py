"""The command line: `paddle_upgrade_tool --inpath FILE_OR_FOLDER [--write]`."""

from __future__ import annotations

import argparse
import difflib
import json
import logging
import os
import sys
from collections.abc import Iterable, Iterator

from . import files
from .report import Finding, Result

REFACTORS = ("refactor_import", "norm_api_alias", "args_to_kwargs", "refactor_kwargs",
             "api_rename", "refactor_with", "post_refactor")  # fmt: skip
BACKUP = "~/.paddle_upgrade_tool/"
log = logging.getLogger("paddle_upgrade_tool")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    p = argparse.ArgumentParser(
        prog="paddle_upgrade_tool",
        description="Turn code for PaddlePaddle 1.x into code for 2.0 with the same numbers.",
    )
    add = p.add_argument
    levels = ["DEBUG", "INFO", "WARNING", "ERROR"]
    add("--log-level", choices=levels, default="INFO", help="set log level, default is INFO")
    add("--no-log-file", action="store_true", help="don't log to file")
    text = 'set log file path, default is "report.log"'
    add("--log-filepath", default="report.log", help=text)
    text = "the file or directory path you want to upgrade."
    add("-i", "--inpath", required=True, help=text)
    text = f'backup directory, default is the "{BACKUP}".'
    add("-b", "--backup", nargs="?", const=BACKUP, default=BACKUP, help=text)
    add("-w", "--write", action="store_true", help="modify files in-place.")
    text = "write files in-place without confirm, ignored without --write."
    add("--no-confirm", action="store_true", help=text)
    text = "how many processes convert, default is one; files are written one after the other."
    add("-p", "--parallel", type=int, help=text)
    text = "this is a debug option. Specify refactor you want to run. If none, all will be run."
    add("-r", "--refactor", action="append", choices=REFACTORS, help=text)
    text = "this is a debug option. Print matched code and node for each file."
    add("--print-match", action="store_true", help=text)
    text = "exit with 1 if something of 1.x is left (without --write: if there is any)."
    add("--check", action="store_true", help=text)
    add("--json", action="store_true", help="print the findings as JSON, and no diff.")
    return p


def work(path: str, steps: frozenset[str]) -> Result:
    """Convert one file in memory; whatever goes wrong with it becomes a finding."""
    from .convert import File
    from .notebook import convert_notebook

    result = Result(path)
    try:
        data = files.read(path)
        if b"paddle" not in data:
            return result
        text, encoding, mark = files.decode(data)
        result.before = result.after = text
        if path.endswith(".ipynb"):
            after, result.findings, result.converted = convert_notebook(text, steps)
        else:
            file = File(text, os.path.basename(path), steps)
            after = file.convert()
            result.findings, result.converted = file.findings, file.converted
            result.matches = file.matches
        files.encode(after, encoding, mark)
        result.after = after
        if after != text:
            result.state = "changed"
            result.diff = "".join(
                difflib.unified_diff(
                    _lines(text), _lines(after), f"{path}\t(original)", f"{path}\t(upgraded)"
                )
            )
    except SyntaxError as error:
        line = error.lineno or 1
        python2 = "print" in str(error) or "Missing parentheses" in str(error)
        hint = "; this looks like Python 2: run 2to3 first" if python2 else ""
        _failed(result, f"{error.msg}{hint}", line, error.offset or 1)
    except UnicodeError as error:
        _failed(result, f"is not in the encoding that it names: {error}")
    except OSError as error:
        _failed(result, error.strerror or str(error))
    except RecursionError:
        _failed(result, "is nested too deeply")
    except Exception as error:  # one bad file never stops a folder
        _failed(result, f"{type(error).__name__}: {error}")
    return result


def _failed(result: Result, message: str, line: int = 1, column: int = 1) -> None:
    result.state = "error"
    result.after = result.before
    result.findings = [Finding(line, column, "error", os.path.basename(result.path), message)]


def _lines(text: str) -> list[str]:
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += "\n\\ No newline at end of file\n"
    return lines


def _many(paths: Iterable[str], steps: frozenset[str], processes: int) -> Iterator[Result]:
    """Convert files in that many processes, and yield the results in order."""
    paths = list(paths)
    if processes < 2 or len(paths) < 2:
        for path in paths:
            yield work(path, steps)
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from functools import partial

    done = 0
    chunk = max(1, min(16, len(paths) // (processes * 4)))
    try:
        with ProcessPoolExecutor(min(processes, len(paths))) as pool:
            for result in pool.map(partial(work, steps=steps), paths, chunksize=chunk):
                done += 1
                yield result
    except BrokenProcessPool:
        log.warning("a process ended; the remaining files are converted in this one")
        for path in paths[done:]:
            yield work(path, steps)


def _write(result: Result, arguments: argparse.Namespace) -> None:
    """Back a changed file up, ask, and write it."""
    try:
        data = files.read(result.path)
        text, encoding, mark = files.decode(data)
        if text != result.before:
            raise OSError("has been changed while it was converted")
        result.backup = files.back_up(result.path, arguments.backup)
        if not arguments.no_confirm:
            question = (
                f'"{result.path}" will be modified in-place, and it has been backed up to '
                f'"{result.backup}". Do you want to continue? [Y/n]: '
            )
            if not _agrees(question):
                result.state = "refused"
                return
        files.write(result.path, files.encode(result.after, encoding, mark))
        result.state = "written"
    except OSError as error:
        result.state = "error"
        message = f"was not written: {error.strerror or error}"
        result.findings.append(Finding(1, 1, "error", os.path.basename(result.path), message))


def _agrees(question: str) -> bool:
    try:
        print(question, end="", file=sys.stderr, flush=True)
        return input().strip().lower() in ("", "y", "yes")
    except EOFError:
        return False


def _logging(arguments: argparse.Namespace) -> None:
    log.handlers.clear()
    log.propagate = False
    log.setLevel(arguments.log_level)
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    if not arguments.no_log_file:
        try:
            handlers.append(logging.FileHandler(arguments.log_filepath, "w", encoding="utf-8"))
        except OSError as error:
            print(f"{arguments.log_filepath} cannot be written: {error}", file=sys.stderr)
    for handler in handlers:
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        log.addHandler(handler)


_LEVELS = {"left": logging.WARNING, "note": logging.WARNING, "error": logging.ERROR}


def main(argv: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    arguments = parser().parse_args(argv)
    if not os.path.lexists(arguments.inpath):
        print(f"{arguments.inpath}: there is no such file or folder", file=sys.stderr)
        return 2
    try:
        import libcst  # noqa: F401
    except ImportError:
        print('libcst is missing: pip install "libcst>=1.1,<2"', file=sys.stderr)
        return 2
    _logging(arguments)
    steps = frozenset(arguments.refactor or REFACTORS)
    results = []
    for result in _many(files.find(arguments.inpath), steps, arguments.parallel or 1):
        if arguments.print_match:
            for match in result.matches:
                print(f"{result.path}: {match}")
        if result.state == "changed":
            if not arguments.json and not arguments.write:
                _show(result.diff)
            if arguments.write:
                _write(result, arguments)
        for finding in result.findings:
            log.log(_LEVELS[finding.level], finding.text(result.path))
        if result.state == "written":
            log.info(
                "%s: %d changes written, backup %s", result.path, result.converted, result.backup
            )
        result.before = result.after = ""
        results.append(result)
    return _finish(results, arguments)


def _show(diff: str) -> None:
    try:
        sys.stdout.write(diff)
    except UnicodeEncodeError:
        sys.stdout.buffer.write(diff.encode("utf-8", "replace"))


def _finish(results: list[Result], arguments: argparse.Namespace) -> int:
    left = sum(len(r.left) for r in results)
    changes = sum(r.converted for r in results)
    pending = any(r.state in ("changed", "refused") for r in results)
    errors = any(r.state == "error" for r in results)
    if arguments.json:
        total = {"files": len(results), "converted": changes, "left": left}
        print(json.dumps({"files": [r.as_dict() for r in results], "total": total}, indent=1))
    log.info("%d files, %d changes, %d left to do by hand", len(results), changes, left)
    logging.shutdown()
    if arguments.check:
        return int(bool(left or pending or errors))
    return int(errors)
