"""What the launcher costs: `python -m benchmarks.distributed_launch`.

Two processes import paddle, meet, exchange a number and end; first started by hand, then by the
launcher, in turns. The difference is what `launch` adds to the slowest process. Then one of two is
killed: the time from there to the first exchange of the next round, less what the processes need
for themselves, is what a restart costs.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from paddle.distributed.utils import find_free_ports

TRAIN = """
import os, time
began = time.time()
import paddle
paddle.distributed.init_parallel_env()
value = paddle.to_tensor([1.0])
paddle.distributed.all_reduce(value)
print("exchanged", time.time(), "after", time.time() - began, flush=True)
"""
KILLED = """
import os, signal
if os.environ["PADDLE_RESTART_ROUND"] == "0":
    if os.environ["PADDLE_TRAINER_ID"] == "1":
        print("killed", time.time(), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    paddle.distributed.all_reduce(value)
"""


def by_hand(script: Path, count: int) -> float:
    """Seconds until the slowest of several processes has ended, started by hand."""
    ends = [f"127.0.0.1:{port}" for port in sorted(find_free_ports(count))]
    began, started = time.perf_counter(), []
    for rank in range(count):
        env = {
            **os.environ, "PADDLE_TRAINER_ID": str(rank), "PADDLE_TRAINERS_NUM": str(count),
            "PADDLE_TRAINER_ENDPOINTS": ",".join(ends), "PADDLE_CURRENT_ENDPOINT": ends[rank],
        }  # fmt: skip
        started.append(
            subprocess.Popen([sys.executable, "-u", str(script)], env=env, stdout=subprocess.PIPE)
        )
    for process in started:
        process.communicate()
        assert process.returncode == 0
    return time.perf_counter() - began


def launched(script: Path, count: int, *options: str) -> tuple[float, Path]:
    """The same under the launcher; also the folder of the logs."""
    folder = script.parent / "log"
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "paddle.distributed.launch", "--nproc_per_node", str(count),
         "--log_dir", str(folder), *options, str(script)],
        capture_output=True, check=True,
    )  # fmt: skip
    return time.perf_counter() - began, folder


def restart(script: Path) -> tuple[float, float]:
    """Seconds from a kill to the next round's first exchange, and the processes' own part."""
    _, folder = launched(script, 2, "--max_restarts", "1")
    words = (folder / "workerlog.1").read_text().split()
    died = float(words[words.index("killed") + 1])
    exchanges = [i for i, word in enumerate(words) if word == "exchanged"]
    last = exchanges[-1]
    return float(words[last + 1]) - died, float(words[last + 3])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=8)
    rounds = parser.parse_args().rounds
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory() as folder:
        script, killed = Path(folder, "train.py"), Path(folder, "killed.py")
        script.write_text(TRAIN)
        killed.write_text(TRAIN + KILLED)
        hand, launch, again = [], [], []
        for _ in range(rounds):
            hand.append(by_hand(script, 2))
            launch.append(launched(script, 2)[0])
            again.append(restart(killed))
    print(f"by hand   {min(hand):.2f} s (median {statistics.median(hand):.2f})")
    print(f"launch    {min(launch):.2f} s (median {statistics.median(launch):.2f})")
    print(f"it adds   {min(launch) - min(hand):+.2f} s (at most 1)")
    added = [whole - own for whole, own in again]
    print(
        f"restart   {min(w for w, _ in again):.2f} s from the kill to the first exchange, of which "
        f"{min(added):.2f} (median {statistics.median(added):.2f}) beside import and meeting "
        "(at most 1)"
    )


if __name__ == "__main__":
    main()
