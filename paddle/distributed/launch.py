"""``python -m paddle.distributed.launch script.py``: starts a script for training; in one process.

The script's output is copied to the terminal and kept in ``<log_dir>/workerlog.0``.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from paddle.distributed.spawn import environment

_SEVERAL = (
    "ips", "servers", "workers", "heter_workers", "server_num", "worker_num", "heter_worker_num",
    "http_port", "gpus", "xpus", "selected_gpus",
)  # fmt: skip


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m paddle.distributed.launch", description="Starts a script for training."
    )
    parser.add_argument("--log_dir", default="log", help="folder of the log (default: log)")
    parser.add_argument("--nproc_per_node", type=int, default=1, help="processes; this version: 1")
    for name in _SEVERAL:
        parser.add_argument(f"--{name}", help=argparse.SUPPRESS)
    parser.add_argument("training_script", help="the script")
    parser.add_argument("training_script_args", nargs=argparse.REMAINDER, help="its arguments")
    return parser


def _check(parser: argparse.ArgumentParser, given: argparse.Namespace) -> None:
    """Refuses what asks for several processes, machines or devices."""
    asked = [f"--{name}" for name in _SEVERAL if getattr(given, name) is not None]
    if given.nproc_per_node != 1:
        asked.append("--nproc_per_node")
    own = given.ips in ("127.0.0.1", "localhost") and asked == ["--ips"]
    if asked and not own:
        parser.error(
            f"{', '.join(asked)}: training in several processes, and choosing devices, is not part "
            "of this version; leave it out, and choose the device by paddle.set_device."
        )


def launch(argv: list[str] | None = None) -> int:
    """Starts the script and waits for it.

    Args:
        argv (list[str], optional): the command line; None: this process's.

    Returns:
        int: 0, or 1 if the script failed.
    """
    parser = _parser()
    given = parser.parse_args(argv)
    _check(parser, given)
    folder = Path(given.log_dir)
    folder.mkdir(parents=True, exist_ok=True)
    variables = {k: v for k, v in os.environ.items() if k not in ("http_proxy", "https_proxy")}
    command = [sys.executable, "-u", given.training_script, *given.training_script_args]
    with (
        (folder / "workerlog.0").open("wb") as log,
        subprocess.Popen(
            command,
            env={**variables, **environment(0, 1)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as script,
    ):
        assert script.stdout is not None
        for line in script.stdout:
            log.write(line)
            sys.stdout.buffer.write(line)
            sys.stdout.flush()
    if script.returncode:
        print(f"the script ended with exit status {script.returncode}; log: {log.name}")
    return int(script.returncode != 0)


if __name__ == "__main__":
    sys.exit(launch())
