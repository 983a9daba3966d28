"""Freezes what PaddlePaddle 1.8.5 makes of the cases of a family: tests/data/fluid/<family>.npz.

    python3.7 scripts/oracle/fluid_185.py FAMILY [CASE...]

Each case runs in a process of its own, since 1.8.5 dies of what it refuses natively. With names of
cases only these are run, and the others stay as they are in the file.
"""

import importlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def _cases(family):
    module = _module(family)
    return [name for name in dir(module) if name.startswith("case_")]


def _module(family):
    sys.path.insert(0, os.path.join(ROOT, "tests", "fluid", "cases"))
    return importlib.import_module(family)


def _one(family, name, path):
    import paddle.fluid as fluid

    sys.path.insert(0, os.path.join(ROOT, "tests", "fluid"))
    running = importlib.import_module("running")
    told, arrays = running.run(fluid, getattr(_module(family), name))
    np.savez(path, told=np.frombuffer(json.dumps(told).encode(), np.uint8), **arrays)


def _child(family, name):
    path = "/tmp/fluid-%s-%s-%d.npz" % (family, name, os.getpid())
    done = subprocess.run(
        [sys.executable, os.path.abspath(__file__), "--one", family, name, path],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
        env=dict(os.environ, OMP_NUM_THREADS="1"),
    )  # fmt: skip
    if done.returncode:
        print("%s FAILED (%d)\n%s" % (name, done.returncode, done.stdout.decode()[-1500:]))
        return name, None
    with np.load(path) as file:
        found = dict(file)
    os.remove(path)
    return name, found


def main(family, only):
    target = os.path.join(ROOT, "tests", "data", "fluid", family + ".npz")
    data = {}
    if only and os.path.exists(target):
        with np.load(target) as file:
            data = {k: v for k, v in file.items() if k.split("/")[0] not in only}
    with ThreadPoolExecutor(2) as pool:
        for name, found in pool.map(lambda n: _child(family, n), only or _cases(family)):
            for key, value in (found or {}).items():
                data[name + "/" + key] = value
    np.savez_compressed(target, **data)
    print(
        "%s: %d cases, %d bytes"
        % (target, len({k.split("/")[0] for k in data}), os.path.getsize(target))
    )


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        _one(*sys.argv[2:])
    else:
        main(sys.argv[1], sys.argv[2:])
