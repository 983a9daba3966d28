"""Freezes what PaddlePaddle 1.8.5 makes of 1.x dygraph: tests/data/fluid/dygraph.npz.

    OMP_NUM_THREADS=1 python3.7 scripts/oracle/fluid_dygraph_185.py

Layers and schedules of tests/fluid/dygraph/cases.py, and the model of training.py there: trained,
saved, and trained on. Each case runs in a process of its own.
"""

import json
import os
import subprocess
import sys

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "fluid", "dygraph"))
TARGET = os.path.join(ROOT, "tests", "data", "fluid", "dygraph.npz")


def _told(value):
    return np.frombuffer(json.dumps(value).encode(), np.uint8)


def _one(kind, name, path):
    import cases

    import paddle.fluid as fluid

    if kind == "layer":
        told, arrays = cases.layer_case(fluid, name)
    elif kind == "shapes":
        told, arrays = cases.shapes_case(fluid, name), {}
    elif kind == "schedule":
        told, arrays = cases.schedule_case(fluid, name), {}
    elif kind == "examples":
        import training

        sys.path.insert(0, os.path.join(ROOT, "examples", "fluid"))
        import dqn
        import dygraph_digits

        told, arrays = training.example_losses(fluid, dygraph_digits, dqn), {}
    else:
        import training

        told, arrays = training.frozen(fluid, os.path.join(ROOT, "tests", "data", "fluid", "lenet"))
    np.savez(path, told=_told(told), **arrays)


def main(only):
    import cases

    todo = [("layer", n) for n in cases.LAYERS] + [("shapes", n) for n in cases.SHAPES_ONLY]
    for group in (cases.SCHEDULES, cases.EPOCH_SCHEDULES, cases.PLATEAU):
        todo += [("schedule", n) for n in group]
    todo += [("training", "lenet"), ("examples", "losses")]
    data = {}
    if only:
        with np.load(TARGET) as file:
            data = {k: v for k, v in file.items() if k.split("/")[1] not in only}
    for kind, name in todo:
        if only and name not in only:
            continue
        path = "/tmp/fluid-dygraph-%d.npz" % os.getpid()
        done = subprocess.run(
            [sys.executable, os.path.abspath(__file__), "--one", kind, name, path],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
        )  # fmt: skip
        if done.returncode:
            print("%s FAILED\n%s" % (name, done.stdout.decode()[-1500:]))
            continue
        with np.load(path) as file:
            for key, value in file.items():
                data["%s/%s/%s" % (kind, name, key)] = value
        os.remove(path)
    np.savez_compressed(TARGET, **data)
    print(
        "%s: %d cases, %d bytes"
        % (TARGET, len({k.rpartition("/")[0] for k in data}), os.path.getsize(TARGET))
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        _one(*sys.argv[2:])
    else:
        main(sys.argv[1:])
