"""Compiling C++ operators: which compiler, which flags, and what it said where it fails."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig as python_config
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from paddle.core.errors import (
    FrameworkError,
    InvalidArgumentError,
    InvalidTypeError,
    MissingFileError,
    PreconditionNotMetError,
)
from paddle.sysconfig import get_include

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__: list[str] = []

CUDA_HOME = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
"""Where the CUDA toolkit lies, if there is one; libraries look whether the folder exists."""

IS_WINDOWS = os.name == "nt"
IS_MAC = sys.platform == "darwin"

STANDARD = "-std=c++17"
CUDA_SUFFIXES = (".cu", ".cuh")


_SAID = {
    "sources": "sources", "cxx": "flags of the C++ compiler", "nvcc": "flags of nvcc",
    "link": "flags of the linker", "include": "folders of headers",
}  # fmt: skip


class BuildError(FrameworkError, RuntimeError):
    """A compiler refused a source; the text is what it said."""

    code = "Build"


@dataclass
class Job:
    """What a library is made of.

    Attributes:
        sources: files of C++, and ``.cu`` files.
        cxx: further flags of the C++ compiler.
        nvcc: further flags of nvcc.
        link: further flags of the linker.
        include: further folders of headers.
        cuda: whether CUDA's library is linked; it is where a source is a ``.cu`` file.
        verbose: whether commands are printed.
    """

    sources: list[str]
    cxx: list[str] = field(default_factory=list)
    nvcc: list[str] = field(default_factory=list)
    link: list[str] = field(default_factory=list)
    include: list[str] = field(default_factory=list)
    cuda: bool = False
    verbose: bool = False

    def __post_init__(self) -> None:
        for name in ("sources", "cxx", "nvcc", "link", "include"):
            given = getattr(self, name)
            if isinstance(given, (str, bytes)):  # its characters would be taken for words
                raise InvalidArgumentError(
                    f"{_SAID[name]}: expected a list of str, but received {given!r}."
                )
            for one in given:
                if not isinstance(one, (str, os.PathLike)):
                    raise InvalidTypeError(
                        f"{_SAID[name]}: expected a list of str, but it holds {one!r}."
                    )
            setattr(self, name, [os.fspath(one) for one in given])
        if not self.sources:
            raise InvalidArgumentError("sources: expected at least one file, but received none.")
        self.include = [os.path.abspath(folder) for folder in self.include]
        self.sources = [os.path.abspath(s) for s in self.sources]
        for source in self.sources:
            if not os.path.isfile(source):
                raise MissingFileError(f"the source {source} is not there.")
        self.cuda = self.cuda or any(s.endswith(CUDA_SUFFIXES) for s in self.sources)

    def digest(self) -> str:
        """What decides the library beside the headers, as a number in hexadecimal."""
        known = hashlib.sha256()
        for compiler in (find_compiler(), [find_nvcc()] if self._has_cuda_source() else []):
            for word in compiler:
                known.update(word.encode())
            if compiler:
                real = os.path.realpath(compiler[0])
                known.update(f"{real} {os.stat(real).st_size} {os.stat(real).st_mtime_ns}".encode())
        told = [self.cxx, self.nvcc, self.link, self.include, self.cuda, STANDARD]
        names = ("CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH")
        told += [[os.environ.get(name, "") for name in names], CUDA_HOME if self.cuda else ""]
        told += [[file_digest(flag) for flag in self.link]]  # objects and archives, named by file
        known.update(json.dumps(told).encode())
        for source in self.sources:
            known.update(source.encode())
            known.update(file_digest(source).encode())
        return known.hexdigest()[:16]

    def _has_cuda_source(self) -> bool:
        return any(s.endswith(CUDA_SUFFIXES) for s in self.sources)

    # -- commands ------------------------------------------------------------------------------

    def _includes(self) -> list[str]:
        root = get_include()
        folders = [*self.include, root, os.path.join(root, "third_party")]
        folders += [os.path.join(CUDA_HOME, "include")] if self.cuda else []
        return [f"-I{folder}" for folder in folders]

    def _defines(self) -> list[str]:
        return ["-DPADDLE_WITH_CUDA"] if self.cuda else []

    def compile_command(self, source: str, made: str, headers: str) -> list[str]:
        """The command that compiles one source and lists the headers it took."""
        if source.endswith(CUDA_SUFFIXES):
            flags = _with_defaults(self.nvcc)
            return [
                find_nvcc(), *flags, "-Xcompiler", "-fPIC", "-ccbin", find_compiler()[0],
                "--expt-relaxed-constexpr", *self._defines(), *self._includes(), "-MD", "-MF",
                headers, "-c", source, "-o", made,
            ]  # fmt: skip
        flags = _with_defaults(self.cxx)
        return [
            *find_compiler(), *flags, "-fPIC", *self._defines(), *self._includes(), "-MMD", "-MF",
            headers, "-c", source, "-o", made,
        ]  # fmt: skip

    def link_command(self, objects: Sequence[str], made: str) -> list[str]:
        """The command that makes a library of compiled sources."""
        cuda = [f"-L{CUDA_HOME}/lib64", f"-L{CUDA_HOME}/lib", "-lcudart"] if self.cuda else []
        sanitizers = [f for f in self.cxx if f.startswith("-fsanitize")]
        return [
            *find_compiler(), "-shared", *sanitizers, *objects, "-o", made, *self.link, *cuda,
        ]  # fmt: skip

    def build(self, made: str) -> list[str]:
        """Compiles and links; the library appears under its name when it is complete.

        Args:
            made (str): the library.

        Returns:
            list[str]: the headers that were read, without those of the system.
        """
        folder = os.path.dirname(made)
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".building-", dir=folder) as rest:
            objects = [os.path.join(rest, f"{i}.o") for i in range(len(self.sources))]
            commands = [
                self.compile_command(source, made, made + ".d")
                for source, made in zip(self.sources, objects)
            ]
            with ThreadPoolExecutor(_jobs(len(commands))) as pool:
                list(pool.map(self._run, commands, self.sources))
            complete = os.path.join(rest, "library")
            self._run(self.link_command(objects, complete), made)
            headers = sorted({h for made in objects for h in _headers(made + ".d")})
            os.replace(complete, made)
        return [h for h in headers if h not in self.sources]

    def _run(self, command: list[str], what: str) -> None:
        if self.verbose:
            print(shlex.join(command), file=sys.stderr, flush=True)
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            check=False,
        )  # fmt: skip
        said = (done.stderr + done.stdout).strip()
        if done.returncode:
            how = f" (signal {-done.returncode})" if done.returncode < 0 else ""
            raise BuildError(
                f"{what} cannot be built{how}:\n{said}\n  command: {shlex.join(command)}",
                hint=_hint(said),
            )
        if said and self.verbose:
            print(said, file=sys.stderr, flush=True)


def _hint(said: str) -> str | None:
    """What else there is to say of an error of the compiler."""
    if "paddle::functions::" in said:  # a candidate that does not fit
        return (
            "attributes of operators are named: "
            'paddle::matmul(x, y, {{"trans_y", true}}), paddle::concat({x, y}, {}, {{"axis", 1}})'
        )
    if re.search(r"is not a member of .paddle(::experimental)?.|in namespace .paddle", said):
        return (
            "paddle/operators.h has a function for each operator; "
            'paddle::call("name", {{x}}) reaches those of libraries, too'
        )
    if re.search(r"paddle/\S+?\.h(: No such file|' file not found)", said):
        return (
            "of PaddlePaddle's headers there are paddle/extension.h and, for operators of 1.x, "
            "paddle/fluid/framework/op_registry.h, which brings tensors, shapes, places and checks"
        )
    return None


def _jobs(count: int) -> int:
    """How many compilers run at once: MAX_JOBS, else as many as there are processors."""
    told = os.environ.get("MAX_JOBS", "")
    return max(1, min(count, int(told) if told.isdigit() else os.cpu_count() or 1))


def _with_defaults(flags: list[str]) -> list[str]:
    """The flags with a level of optimization and a standard, where they name none."""
    level = [] if any(f.startswith("-O") for f in flags) else ["-O3"]
    standard = [] if any(f.startswith(("-std", "--std")) for f in flags) else [STANDARD]
    return [*level, *standard, *flags]


def _headers(path: str) -> list[str]:
    """The files that a compiler's list of dependencies names."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
    except OSError:
        return []
    names = text.partition(":")[2].replace("\\\n", " ").replace("\\ ", "\0").split()
    return [os.path.abspath(name.replace("\0", " ")) for name in names]


def file_digest(path: str) -> str:
    """What is in a file, as a number in hexadecimal; empty where there is none."""
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return ""


def find_compiler() -> list[str]:
    """The C++ compiler, with what ``$CXX`` gives it: that one, else g++, clang++ or c++."""
    told = shlex.split(os.environ.get("CXX", ""))
    for words in [told] if told else [["g++"], ["clang++"], ["c++"]]:
        found = shutil.which(words[0])
        if found:
            return [found, *words[1:]]
    what = f"$CXX says {told[0]}, which is not there" if told else "there is no C++ compiler"
    raise PreconditionNotMetError(
        f"{what}: operators in C++ need one.",
        hint="apt-get install g++ (or: conda install -c conda-forge gxx_linux-64), or let CXX name "
        "it",
    )


def find_nvcc() -> str:
    """CUDA's compiler, in ``$CUDA_HOME/bin`` or in the PATH."""
    for candidate in (os.path.join(CUDA_HOME, "bin", "nvcc"), shutil.which("nvcc")):
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    raise PreconditionNotMetError(
        f"there is no nvcc, neither in {CUDA_HOME}/bin nor in the PATH: .cu files need it.",
        hint="apt-get install nvidia-cuda-toolkit (or: conda install -c nvidia cuda-nvcc), or let "
        "CUDA_HOME name the toolkit; sources without .cu build with CppExtension",
    )


class Lock:
    """A lock between processes on a name; it ends with the process, however that ends."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __enter__(self) -> None:
        self.file = open(self.path, "a", encoding="utf-8")
        if fcntl is not None:
            fcntl.flock(self.file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        self.file.close()


def cached(name: str, job: Job, folder: str) -> str:
    """Returns a library, built if no equal one was built before in this folder.

    Args:
        name (str): how its file begins.
        job (Job): what it is made of.
        folder (str): where libraries are kept.
    """
    os.makedirs(folder, exist_ok=True)
    digest = job.digest()
    note = os.path.join(folder, f"{name}.{digest}.json")
    found = _noted(note, folder)
    if found:
        return found
    with Lock(os.path.join(folder, f"{name}.{digest}.lock")):
        found = _noted(note, folder)  # somebody else built it meanwhile
        if found:
            return found
        _sweep(folder, f".{name}.{digest}-")
        with tempfile.TemporaryDirectory(prefix=f".{name}.{digest}-", dir=folder) as rest:
            made = os.path.join(rest, "library")
            headers = {path: file_digest(path) for path in job.build(made)}
            known = hashlib.sha256((digest + json.dumps(sorted(headers.items()))).encode())
            library = f"{name}.{known.hexdigest()[:16]}.so"
            os.replace(made, os.path.join(folder, library))
            with open(os.path.join(rest, "note"), "w", encoding="utf-8") as file:
                json.dump({"library": library, "headers": headers}, file)
            os.replace(os.path.join(rest, "note"), note)
        return os.path.join(folder, library)


def _noted(note: str, folder: str) -> str | None:
    """The library that a note names, if the headers are still what they were."""
    try:
        with open(note, encoding="utf-8") as file:
            told = json.load(file)
    except (OSError, ValueError):
        return None
    try:
        library = os.path.join(folder, told["library"])
        same = all(file_digest(path) == digest for path, digest in told["headers"].items())
    except (KeyError, TypeError, AttributeError):  # not what was written: it is built again
        return None
    return library if same and os.path.isfile(library) else None


def _sweep(folder: str, prefix: str) -> None:
    """Removes what a killed process left; the lock is held, so nobody is at it."""
    for entry in os.listdir(folder):
        if entry.startswith(prefix):
            shutil.rmtree(os.path.join(folder, entry), ignore_errors=True)


def python_include() -> str:
    """The folder of Python's own headers."""
    return python_config.get_paths()["include"]


def run_cmd(command: str, verbose: bool = False) -> int:
    """Runs a command of the shell, as test programs build and install extensions.

    Args:
        command (str): the command.
        verbose (bool, optional): whether what it says is shown, too. Default: False.

    Returns:
        int: 0.

    Raises:
        RuntimeError: it failed; the text is what it said.

    Examples:
        .. code-block:: python

            from paddle.utils.cpp_extension.extension_utils import run_cmd
            print(run_cmd("true"))  # 0
    """
    done = subprocess.run(
        command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", check=False,
    )  # fmt: skip
    if verbose:
        print(done.stdout, end="", file=sys.stderr)
    if done.returncode:
        raise BuildError(f"the command `{command}` failed:\n{done.stdout.strip()}")
    return 0


def _jit_compile(file_path: str, verbose: bool = False) -> None:
    """Runs ``setup.py build`` of an extension in the folder of that file."""
    folder, name = os.path.split(os.path.abspath(file_path))
    command = [sys.executable, name, "build"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if verbose or done.returncode:
        print(done.stdout + done.stderr, file=sys.stderr)
    if done.returncode:
        raise BuildError(f"{file_path} build failed:\n{done.stderr.strip()}")
