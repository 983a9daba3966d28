"""Builds the C library and its demo: `python lite/build.py [--arch x86_64|aarch64] [--out FOLDER]`.

For each processor whose compiler is found: `libpaddle_lite.a`, `paddle_lite.h` and `demo`.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "paddlelite" / "csrc"
# GCC 12 fails on the kernels for arm64 with -O3. The x86-64 library needs a processor with AVX2.
FLAGS = {"x86_64": ["-O3", "-mavx2", "-mfma"], "aarch64": ["-O2"]}


def tool(name: str, arch: str) -> str | None:
    """Returns gcc, or ar, for a processor; None where it is not installed."""
    cross = shutil.which(f"{arch}-linux-gnu-{name}")
    return cross or (shutil.which(name) if platform.machine() == arch else None)


def build(arch: str, out: Path) -> Path:
    """Builds all for one processor; returns the folder."""
    gcc, ar = tool("gcc", arch), tool("ar", arch)
    if not gcc or not ar:
        raise SystemExit(f"no compiler for {arch}: apt install gcc-{arch}-linux-gnu")
    folder = out / arch
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(SOURCES / "paddle_lite.h", folder)
    base = [gcc, "-std=gnu99", "-Wall", "-Wextra", "-Werror", "-fno-math-errno", "-DPL_THREADS",
            "-pthread", *FLAGS[arch], f"-I{SOURCES}"]  # fmt: skip
    made = folder / "paddle_lite.o"
    library, demo = folder / "libpaddle_lite.a", folder / "demo"
    subprocess.run([*base, "-c", "-o", made, SOURCES / "paddle_lite.c"], check=True)
    library.unlink(missing_ok=True)
    subprocess.run([ar, "rcs", library, made], check=True)
    made.unlink()
    static = ["-static"] if arch != platform.machine() else []
    source = HERE / "demo" / "demo.c"
    subprocess.run([*base, *static, "-o", demo, source, library, "-lm"], check=True)
    return folder


def wheel(out: Path) -> None:
    """Builds a wheel of paddlelite with a library for any processor of this machine's kind.

    Where there is a compiler, paddlelite compiles a faster one at first use.
    """
    made = SOURCES.parent / "paddle_lite.so"
    gcc = tool("gcc", platform.machine())
    if not gcc:
        raise SystemExit("no C compiler was found")
    speed = "-O3" if platform.machine() == "x86_64" else "-O2"
    flags = [
        "-std=gnu99",
        speed,
        "-fno-math-errno",
        "-DPL_THREADS",
        "-pthread",
        "-fPIC",
        "-shared",
        "-s",
    ]
    try:
        subprocess.run([gcc, *flags, "-o", made, SOURCES / "paddle_lite.c", "-lm"], check=True)
        pip = [sys.executable, "-m", "pip", "wheel", HERE, "--no-deps", "--quiet", "-w", out]
        subprocess.run(pip, check=True)
    finally:
        made.unlink(missing_ok=True)
        for name in ("build", "paddlelite.egg-info"):
            shutil.rmtree(HERE / name, ignore_errors=True)


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--arch", choices=list(FLAGS))
    parser.add_argument("--out", type=Path, default=HERE / "build")
    parser.add_argument("--wheel", action="store_true", help="build a wheel instead")
    given = parser.parse_args()
    if given.wheel:
        wheel(given.out)
        return
    found = [given.arch] if given.arch else [a for a in FLAGS if tool("gcc", a)]
    if not found:
        sys.exit("no C compiler was found")
    for arch in found:
        folder = build(arch, given.out)
        print(f"{folder}: libpaddle_lite.a {(folder / 'libpaddle_lite.a').stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
