"""Freezes what PaddlePaddle 1.8.5 makes of the cases of a family: tests/data/fluid/<family>.npz.

    python3.7 scripts/oracle/fluid_185.py FAMILY [CASE...]

The cases run in a process of their own, since 1.8.5 dies of what it refuses natively; another one goes
on behind such a case. With names of cases only these are run, and the others stay as they are in
the file.
"""

import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def _cases(family):
    module = _module(family)
    return [name for name in dir(module) if name.startswith("case_")]


def _module(family):
    sys.path.insert(0, os.path.join(ROOT, "tests", "fluid", "cases"))
    return importlib.import_module(family)


def _some(family, folder, *names):
    """Runs cases one after the other; each leaves its file, or a text that says why not."""
    import paddle.fluid as fluid

    sys.path.insert(0, os.path.join(ROOT, "tests", "fluid"))
    running = importlib.import_module("running")
    module = _module(family)
    for name in names:
        path = os.path.join(folder, name)
        try:
            told, arrays = running.run(fluid, getattr(module, name))
        except Exception:
            with open(path + ".txt", "w") as file:
                file.write(traceback.format_exc())
            continue
        np.savez(path, told=np.frombuffer(json.dumps(told).encode(), np.uint8), **arrays)


def _child(family, names):
    """The results of cases; where one kills its process, another goes on with those behind it."""
    found, left = {}, list(names)
    folder = tempfile.mkdtemp()
    while left:
        done = subprocess.run(
            [sys.executable, os.path.abspath(__file__), "--some", family, folder] + left,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600,
            env=dict(os.environ, OMP_NUM_THREADS="1"),
        )  # fmt: skip
        while left:
            path = os.path.join(folder, left[0])
            if os.path.exists(path + ".npz"):
                with np.load(path + ".npz") as file:
                    found[left[0]] = dict(file)
            elif os.path.exists(path + ".txt"):
                with open(path + ".txt") as file:
                    print("%s FAILED\n%s" % (left[0], file.read()[-1500:]))
            else:
                break
            left.pop(0)
        if left:
            print("%s DIED (%d)\n%s" % (left[0], done.returncode, done.stdout.decode()[-1500:]))
            left.pop(0)
    shutil.rmtree(folder)
    return found


def main(family, only):
    target = os.path.join(ROOT, "tests", "data", "fluid", family + ".npz")
    data = {}
    if only and os.path.exists(target):
        with np.load(target) as file:
            data = {k: v for k, v in file.items() if k.split("/")[0] not in only}
    for name, found in _child(family, only or _cases(family)).items():
        for key, value in found.items():
            data[name + "/" + key] = value
    np.savez_compressed(target, **data)
    print(
        "%s: %d cases, %d bytes"
        % (target, len({k.split("/")[0] for k in data}), os.path.getsize(target))
    )


if __name__ == "__main__":
    if sys.argv[1] == "--some":
        _some(*sys.argv[2:])
    else:
        main(sys.argv[1], sys.argv[2:])
