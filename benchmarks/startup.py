"""What a fresh process waits for: the import and the first training step."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.measure import Result, Sample, clock_for
from benchmarks.options import Options
from benchmarks.table import Row
from benchmarks.worker import ROOT

GROUP = "startup"
IMPORT = "import"
FIRST = "first LeNet step after import"

_CLOCKS = """
import json, sys
from time import perf_counter, process_time
sys.path.insert(0, {root!r})
{before}
wall, cpu = perf_counter(), process_time()
{timed}
print(json.dumps([perf_counter() - wall, process_time() - cpu]))
"""

_PADDLE_STEP = """
net = paddle.vision.models.LeNet()
adam = paddle.optimizer.Adam(learning_rate=1e-3, parameters=net.parameters())
images = paddle.to_tensor(np.zeros([64, 1, 28, 28], "float32"))
labels = paddle.to_tensor(np.zeros([64, 1], "int64"))
loss = paddle.nn.functional.cross_entropy(net(images), labels)
loss.backward()
adam.step()
adam.clear_grad()
float(loss)
"""

_TORCH_STEP = """
from benchmarks.networks_torch import lenet
net = lenet()
adam = torch.optim.Adam(net.parameters(), lr=1e-3, fused=True)
images = torch.zeros(64, 1, 28, 28)
labels = torch.zeros(64, dtype=torch.int64)
loss = torch.nn.functional.cross_entropy(net(images), labels)
loss.backward()
adam.step()
adam.zero_grad()
float(loss.detach())
"""

# side -> (what runs before the clock, what is timed)
SCRIPTS = {
    IMPORT: {"ours": ("", "import paddle"), "torch": ("", "import torch")},
    FIRST: {
        "ours": ("import numpy as np, paddle", _PADDLE_STEP),
        "torch": ("import numpy as np, torch", _TORCH_STEP),
    },
}


def once(before: str, timed: str, threads: int) -> Sample:
    """Runs a script in a fresh process."""
    env = {**os.environ, "OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # compiled files are there, as in an installed one
    code = _CLOCKS.format(root=str(ROOT), before=before, timed=timed)
    out = subprocess.run(
        [sys.executable, "-P", "-c", code], env=env, check=True, stdout=subprocess.PIPE, text=True
    )
    return Sample(*json.loads(out.stdout.splitlines()[-1]))


def first_row(
    group: str, name: str, script: str, target: float, threads: int, options: Options
) -> Row:
    """How long a script of ours takes in a fresh process that has imported paddle."""
    before = "import numpy as np, paddle"
    once(before, script, threads)  # reads the files from disk
    result = Result(clock_for(threads), {"ours": []})
    for _ in range(options.effort(7, 0).rounds):
        result.samples["ours"].append(once(before, script, threads))
    ours = result.median("ours")
    return Row(group, name, threads, result.clock, "s", ours, ours, ours, "value", target)


def rows(options: Options) -> Iterator[Row]:
    for threads in options.threads:
        for name, sides in SCRIPTS.items():
            if options.wants(GROUP, name):
                yield _row(name, sides, threads, options)


def _row(
    name: str, sides: dict[str, tuple[str, str]], threads: int, options: Options
) -> Row:  # fmt: skip
    for script in sides.values():  # the first run reads the files from disk
        once(*script, threads)
    result = Result(clock_for(threads), {side: [] for side in sides})
    for _ in range(options.effort(13, 0).rounds):
        for side, script in sides.items():
            result.samples[side].append(once(*script, threads))
    ours, peer = result.median("ours"), result.median("torch")
    if name == IMPORT:
        value, kind, target = result.difference("ours", "torch"), "more", 0.25
    else:
        value, kind, target = ours, "value", 1.2
    return Row(GROUP, name, threads, result.clock, "s", ours, peer, value, kind, target)
