"""Freezes what PaddlePaddle 1.8.5 feeds: tests/data/fluid/data.json.

    /work/oracle/p185/bin/python scripts/oracle/fluid_data_185.py

The cases are those of tests/fluid/data/cases.py and readers.py; each runs in a process of its own.
"""

import importlib
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TARGET = os.path.join(ROOT, "tests", "data", "fluid", "data.json")
MODULES = ("cases", "readers")


def module(name):
    sys.path.insert(0, os.path.join(ROOT, "tests", "fluid", "data"))
    return importlib.import_module(name)


def one(name, case):
    import paddle.fluid as fluid

    cases = module(name)
    for path, text in getattr(cases, "FILES", {}).items():
        with open(path, "w") as file:
            file.write(text)
    result = getattr(cases, case)(fluid)
    sys.stdout.flush()
    with open("result.json", "w") as file:
        json.dump(result, file)


def main():
    found = {}
    for name in MODULES:
        if not os.path.exists(os.path.join(ROOT, "tests", "fluid", "data", name + ".py")):
            continue
        for case in module(name).CASES:
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(
                    [sys.executable, os.path.abspath(__file__), name, case.__name__],
                    cwd=folder, env=dict(os.environ, OMP_NUM_THREADS="1", CPU_NUM="2"),
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                )  # fmt: skip
                path = os.path.join(folder, "result.json")
                if done.returncode or not os.path.exists(path):
                    print(case.__name__, done.returncode, done.stderr[-1500:].decode())
                    continue
                with open(path) as file:
                    found[case.__name__] = {
                        "result": json.load(file),
                        "printed": [
                            line for line in done.stdout.decode().split("\n") if "Warn" not in line
                        ],
                    }
    with open(TARGET, "w") as file:
        json.dump(found, file, indent=0, sort_keys=True)
        file.write("\n")
    print(sorted(found))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        one(*sys.argv[1:])
    else:
        main()
