"""Building the library: where it lies, what it exports, what is said when something is missing."""

from __future__ import annotations

import ctypes
import re
import shlex
import subprocess
import sysconfig
from pathlib import Path

import pytest

from paddle.core.errors import ExternalError, NotFoundError, UnavailableError
from paddle.inference.capi import build

DOCUMENT = Path(__file__).parents[3] / "docs" / "inference_c.md"


def test_the_folder_is_laid_out_as_paddles(library, made):
    lib = made / "paddle" / "lib"
    for name in build.OTHER_NAMES:
        assert (lib / f"lib{name}.so").resolve() == library.resolve()
    headers = {path.name for path in (made / "paddle" / "include").iterdir()}
    assert {"paddle_c_api.h", "paddle_inference_api.h", "paddle_api.h"} <= headers
    assert "Python version: " in (made / "version.txt").read_text()
    assert [path.name for path in lib.iterdir() if path.name.startswith(".")] == []


def test_every_function_of_the_headers_is_exported(library):
    exported = ctypes.CDLL(str(library))
    declared = 0
    for header in (build.HERE / "include").glob("*.h"):
        for name in re.findall(
            r"(?:EXPORT|_API) [^;]*?\b((?:PD|pypaddle)_\w+)\(", header.read_text()
        ):
            assert hasattr(exported, name), f"{header.name}: {name}"
            declared += 1
    assert declared > 60


@pytest.mark.parametrize(("language", "standard"), [("c", "c99"), ("cpp", "c++11")])
def test_the_programs_of_the_document_compile(library, made, language, standard):
    [program] = re.findall(rf"```{language}\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    command = [*build.find_compiler(), f"-std={standard}", "-Wall", "-Wextra", "-Werror"]
    command += [
        "-fsyntax-only",
        *build.flags_of(made)[0],
        "-x",
        "c++" if language == "cpp" else "c",
    ]
    done = subprocess.run([*command, "-"], input=program, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_flags_are_printed_without_a_build(capsys, tmp_path):
    folder = tmp_path / "not there"
    assert build.main(["--cflags", "--libs", "--output", str(folder)]) == 0
    cflags, libs = build.flags_of(folder)
    assert shlex.split(capsys.readouterr().out) == cflags + libs
    assert build.main(["--libs", "--output", str(folder)]) == 0
    assert shlex.split(capsys.readouterr().out) == libs
    assert not folder.exists()


def test_a_compiler_that_is_not_there_is_named(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("CXX", "no-such-compiler -m64")
    assert build.main(["--output", str(tmp_path / "out")]) == 1
    assert "no-such-compiler is not on PATH" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    monkeypatch.delenv("CXX")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotFoundError, match=r"g\+\+ or c\+\+ or clang\+\+ is not on PATH"):
        build.find_compiler()


def test_what_a_failing_compiler_says_is_told(monkeypatch, tmp_path):
    compiler = tmp_path / "compiler"
    compiler.write_text("#!/bin/sh\necho broken as can be >&2\nexit 4\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setattr(build, "find_headers", lambda: tmp_path)
    monkeypatch.setattr(build, "find_libpython", lambda: tmp_path / "libpython.so")
    with pytest.raises(ExternalError, match=r"(?s)ended with 4:.*broken as can be"):
        build.build(tmp_path / "out")
    assert list((tmp_path / "out" / "paddle" / "lib").iterdir()) == []


def test_missing_headers_are_told_of(monkeypatch, tmp_path):
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(NotFoundError, match=r"no Python\.h in .*(?s:.*)-dev"):
        build.find_headers()


def test_a_python_without_a_shared_library_is_told_of(monkeypatch, tmp_path):
    known = {"LIBDIR": str(tmp_path), "LDLIBRARY": "libpython3.11.a", "LDVERSION": "3.11"}
    (tmp_path / "libpython3.11.a").touch()
    monkeypatch.setattr(sysconfig, "get_config_vars", lambda: known)
    monkeypatch.setattr("sys.base_prefix", str(tmp_path))
    with pytest.raises(NotFoundError, match="--enable-shared"):
        build.find_libpython()
    (tmp_path / "libpython3.11.so.1.0").touch()
    assert build.find_libpython() == tmp_path / "libpython3.11.so.1.0"


def test_other_systems_are_told_of(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.platform", "win32")
    with pytest.raises(UnavailableError, match="win32"):
        build.build(tmp_path)
