"""Runs the benchmarks: python -m benchmarks [--only NAME] [--quick] [--json FILE]."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sys
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path

from benchmarks.options import Options
from benchmarks.table import Row, markdown

GROUPS = (
    "custom_op",
    "eager", "training", "memory", "startup", "fit", "data", "static", "models", "amp", "jit",
    "programs", "floors", "text_parsing", "fluid", "fluid_data", "inference", "int8", "lite",
    "quantization", "serve", "upgrade", "data_parallel", "visualdl", "visualdl_server",
)  # fmt: skip


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measures pypaddle beside plain torch, in turns, and prints the ratios.",
    )
    parser.add_argument("--only", default="", help="rows with this in `group: workload`")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter samples")
    parser.add_argument("--json", metavar="FILE", help="write the numbers there too")
    parser.add_argument("--threads", default="1,2", help="numbers of threads (default: 1,2)")
    parser.add_argument(
        "--oracle",
        default=os.environ.get("PADDLE_ORACLE", ""),
        metavar="PYTHON",
        help="interpreter with a real PaddlePaddle, measured beside eager calls and whole programs",
    )
    parser.add_argument(
        "--jax",
        default="",
        metavar="PYTHON",
        help="interpreter with JAX, measured beside the static MLP",
    )
    parser.add_argument(
        "--predictors",
        default=os.environ.get("PADDLE_PREDICTORS", ""),
        metavar="PYTHON,...",
        help="interpreters of further PaddlePaddles, whose Predictors are measured beside ours",
    )
    parser.add_argument(
        "--oracle185",
        default=os.environ.get("PADDLE_ORACLE_185", ""),
        metavar="PYTHON",
        help="interpreter with PaddlePaddle 1.8.5, measured beside the networks over sequences",
    )
    parser.add_argument(
        "--visualdl",
        default=os.environ.get("VISUALDL_ORACLE", ""),
        metavar="PYTHON",
        help="interpreter with the real VisualDL 2.5.3, measured beside ours",
    )
    return parser.parse_args(arguments)


def machine() -> dict[str, str]:
    """What the numbers depend on."""
    return {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": processor(),
        "processors": str(os.cpu_count()),
        "load": "{:.1f} {:.1f} {:.1f}".format(*os.getloadavg()),
        "python": platform.python_version(),
        "torch": version("torch"),
        "numpy": version("numpy"),
    }


def processor() -> str:
    """The name of the processor and the widest vectors it has."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or "unknown"
    lines = (line.partition(":") for line in text.splitlines())
    fields = {key.strip(): value.strip() for key, _, value in lines}
    flags = fields.get("flags", "").split()
    wide = [name for name in ("avx2", "avx512f", "avx512_bf16") if name in flags]
    return " ".join([fields.get("model name", "unknown"), *wide])


def main() -> int:
    given = parse()
    threads = tuple(int(part) for part in given.threads.split(","))
    predictors = tuple(filter(None, given.predictors.split(",")))
    options = Options(
        given.only, given.quick, threads, given.oracle, given.jax, predictors, given.oracle185,
        given.visualdl,
    )  # fmt: skip
    about = machine()
    print(", ".join(f"{key} {value}" for key, value in about.items()), file=sys.stderr)
    rows: list[Row] = []
    for group in GROUPS:
        for row in importlib.import_module(f"benchmarks.{group}").rows(options):
            print("  ".join(cell for cell in row.cells() if cell), file=sys.stderr, flush=True)
            rows.append(row)
    about["load at the end"] = "{:.1f} {:.1f} {:.1f}".format(*os.getloadavg())
    if not rows:
        print(f"nothing is called {given.only!r}", file=sys.stderr)
        return 2
    print(markdown(rows))
    if given.json:
        record = {"machine": about, "rows": [row.record() for row in rows]}
        Path(given.json).write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
