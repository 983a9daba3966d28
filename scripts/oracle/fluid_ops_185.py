"""Freezes what PaddlePaddle 1.8.5 makes of operator samples: tests/data/fluid/operators.npz.

    python3.7 scripts/oracle/fluid_ops_185.py [OPERATOR...]

The samples are those that ``tests/op_samples/frozen.py`` makes. Each runs in a process of its own,
since 1.8.5 dies of what it refuses natively. With operators only theirs are run.
"""

import glob
import importlib
import os
import subprocess
import sys

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[0] = "/nowhere"  # not this folder; the real paddle comes before ours
sys.path.append(ROOT)
TARGET = os.path.join(ROOT, "tests", "data", "fluid", "operators.npz")


def samples():
    found = {}
    for path in sorted(glob.glob(os.path.join(ROOT, "tests/op_samples/**/*.py"), recursive=True)):
        with open(path, encoding="utf8") as file:
            if "import as_185" not in file.read():
                continue
        name = os.path.relpath(path, ROOT)[:-3].replace(os.sep, ".")
        for sample in importlib.import_module(name).SAMPLES:
            if type(sample.ref).__name__ == "As185":
                found[sample.ref.key] = sample
    return found


def one(key, path):
    import paddle.fluid as fluid

    sys.path.insert(0, os.path.join(ROOT, "tests", "fluid"))
    running = importlib.import_module("one_operator")
    sample = samples()[key]
    # A slot that 1.8.5 did not have yet is none of its operator.
    real = fluid.framework.OpProtoHolder.instance().get_op_proto(sample.op)
    slots = [(slot.name, slot.duplicable) for slot in real.outputs]
    middle = [slot.name for slot in real.outputs if slot.intermediate]
    np.savez(path, **running.run(fluid, sample, slots, middle))


def main(only):
    data = {}
    if os.path.exists(TARGET):
        with np.load(TARGET) as file:
            data = dict(file)
    keys = [k for k, s in samples().items() if not only or s.op in only]
    data = {k: v for k, v in data.items() if only and k.split("/")[0].split("-")[0] not in only}
    for key in keys:
        path = "/tmp/operator-%d.npz" % os.getpid()
        done = subprocess.run(
            [sys.executable, os.path.abspath(__file__), "--one", key, path],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
            env=dict(os.environ, OMP_NUM_THREADS="1"),
        )  # fmt: skip
        print(key, "" if not done.returncode else "FAILED (%d)" % done.returncode)
        lines = [x for x in done.stdout.decode().splitlines() if x.startswith("no")]
        print("\n".join(lines) if not done.returncode else done.stdout.decode()[-700:])
        if not done.returncode:
            with np.load(path) as file:
                data.update({key + "/" + k: v for k, v in file.items()})
            os.remove(path)
    np.savez_compressed(TARGET, **data)
    print(TARGET, os.path.getsize(TARGET), "bytes")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(*sys.argv[2:])
    else:
        main(sys.argv[1:])
