"""Builds the C library of inference, and lays it out with its headers as PaddlePaddle does.

Run as ``python -m paddle.inference.capi.build [--output DIR]``; with ``--cflags`` or ``--libs`` it
prints what a compiler is told instead.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from paddle import version
from paddle.core.errors import ExternalError, NotFoundError, UnavailableError

HERE = Path(__file__).resolve().parent
NAME = "paddle_fluid_c"
# What build files of 1.x and 2.0 link with: libpaddle_fluid.so and so on are the same library.
OTHER_NAMES = ("paddle_fluid", "paddle_inference", "paddle_inference_c")
DEFAULT = "dist/capi"


def build(output: str | os.PathLike[str] = DEFAULT, flags: Sequence[str] = ()) -> Path:
    """Builds the library for this interpreter, which is the one that it starts.

    Args:
        output (str): the folder that gets ``paddle/include``, ``paddle/lib`` and ``version.txt``.
        flags (list of str): what the compiler is told besides.

    Returns:
        Path: the library.

    Raises:
        NotFoundError: there is no compiler, or Python's headers or shared library are missing.
        ExternalError: the compiler failed; its words are part of the text.

    Examples:
        .. code-block:: python

            from paddle.inference.capi import build
            print(build.flags_of("/opt/paddle")[0])  # ['-I/opt/paddle/paddle/include']
    """
    if sys.platform != "linux":
        raise UnavailableError(f"the C library is built on Linux only; this is {sys.platform}")
    compiler, headers, libpython = find_compiler(), find_headers(), find_libpython()
    root = Path(output).resolve() / "paddle"
    include, lib = root / "include", root / "lib"
    lib.mkdir(parents=True, exist_ok=True)
    shutil.copytree(HERE / "include", include, dirs_exist_ok=True)
    library = lib / f"lib{NAME}.so"
    made = library.with_name(f".{library.name}.{os.getpid()}")
    command = [
        *compiler,
        *("-std=c++11", "-O2", "-Wall", "-Wextra", "-fPIC", "-shared", "-fvisibility=hidden"),
        *(f"-I{HERE / 'include'}", "-isystem", str(headers)),
        *_texts(libpython),
        *flags,
        *sorted(str(source) for source in (HERE / "src").glob("*.cc")),
        *("-o", str(made), f"-Wl,-soname,{library.name}"),
        *(str(libpython), f"-Wl,-rpath,{libpython.parent}", "-ldl", "-pthread"),
    ]
    try:
        _run(command)
        os.replace(made, library)
    finally:
        made.unlink(missing_ok=True)
    for name in OTHER_NAMES:
        link = lib / f"lib{name}.so"
        link.unlink(missing_ok=True)
        link.symlink_to(library.name)
    (root.parent / "version.txt").write_text(_version_text(compiler))
    return library


def flags_of(output: str | os.PathLike[str] = DEFAULT) -> tuple[list[str], list[str]]:
    """Returns what the compiler and the linker of a program are told.

    Args:
        output (str): the folder that :func:`build` was given.
    """
    root = Path(output).resolve() / "paddle"
    return [f"-I{root / 'include'}"], [
        f"-L{root / 'lib'}",
        f"-Wl,-rpath,{root / 'lib'}",
        f"-l{NAME}",
    ]


def find_compiler() -> list[str]:
    """Returns the command of the C++ compiler: that of CXX, else g++, c++ or clang++.

    Raises:
        NotFoundError: there is none.
    """
    chosen = shlex.split(os.environ.get("CXX", ""))
    candidates = [chosen] if chosen else [["g++"], ["c++"], ["clang++"]]
    for command in candidates:
        if shutil.which(command[0]):
            return command
    tried = " or ".join(command[0] for command in candidates)
    raise NotFoundError(
        f"no C++ compiler: {tried} is not on PATH.",
        hint="install g++ (Debian: apt install g++), or name a compiler in CXX",
    )


def find_headers() -> Path:
    """Returns the folder of Python.h.

    Raises:
        NotFoundError: it is not installed.
    """
    folder = Path(sysconfig.get_path("include"))
    if not (folder / "Python.h").is_file():
        raise NotFoundError(
            f"no Python.h in {folder}: the headers of this Python are not installed.",
            hint=f"Debian: apt install python{sysconfig.get_python_version()}-dev",
        )
    return folder


def find_libpython() -> Path:
    """Returns the shared library of this Python.

    Raises:
        NotFoundError: this Python was built without one, or it is not installed.
    """
    known = sysconfig.get_config_vars()
    short = f"libpython{known.get('LDVERSION') or sysconfig.get_python_version()}"
    names = [known.get("INSTSONAME"), known.get("LDLIBRARY"), f"{short}.so.1.0", f"{short}.so"]
    libdir = known.get("LIBDIR") or ""
    folders = [
        libdir,
        os.path.join(libdir, known.get("MULTIARCH") or ""),
        os.path.join(sys.base_prefix, "lib"),
        known.get("LIBPL") or "",
    ]
    for folder in filter(None, folders):
        for name in filter(None, names):
            path = Path(folder, name)
            if path.suffix != ".a" and path.is_file():
                return path
    places = ", ".join(dict.fromkeys(filter(None, folders)))
    raise NotFoundError(
        f"no shared library of this Python ({short}.so.1.0) in {places}.",
        hint="a program that embeds Python needs one: install it (Debian: apt install "
        f"libpython{sysconfig.get_python_version()}), or build Python with --enable-shared",
    )


def _texts(libpython: Path) -> list[str]:
    """What src/interpreter.cc is told: the interpreter to start, its library, where paddle lies."""
    texts = {
        "PYPADDLE_PYTHON": sys.executable,
        "PYPADDLE_LIBPYTHON": str(libpython),
        "PYPADDLE_ROOT": str(HERE.parents[2]),
    }
    return [f"-D{name}={json.dumps(text, ensure_ascii=False)}" for name, text in texts.items()]


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    sys.stderr.write(done.stderr if done.returncode == 0 else "")
    if done.returncode != 0:
        raise ExternalError(f"{shlex.join(command)}\nended with {done.returncode}:\n{done.stderr}")


def _version_text(compiler: list[str]) -> str:
    said = subprocess.run([*compiler, "--version"], capture_output=True, text=True).stdout
    return (
        f"paddle version: {version.full_version}\n"
        f"Python version: {sys.version.split()[0]}\nPython: {sys.executable}\n"
        f"CXX compiler version: {said.splitlines()[0] if said else ' '.join(compiler)}\n"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Builds, or prints flags.

    Args:
        argv (list of str, optional): the arguments. Default: those of the process.

    Returns:
        int: 0, or 1 after an error, which is printed.
    """
    parser = argparse.ArgumentParser(
        prog="python -m paddle.inference.capi.build", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--output", default=DEFAULT, help=f"the folder (default: {DEFAULT})")
    parser.add_argument("--cflags", action="store_true", help="print what a compiler is told")
    parser.add_argument("--libs", action="store_true", help="print what a linker is told")
    args = parser.parse_args(argv)
    cflags, libs = flags_of(args.output)
    if args.cflags or args.libs:
        print(shlex.join([*(cflags if args.cflags else []), *(libs if args.libs else [])]))
        return 0
    try:
        library = build(args.output)
    except (NotFoundError, ExternalError, UnavailableError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    print(f"built {library}\ncompile with: {shlex.join(cflags)}\nlink with: {shlex.join(libs)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
