"""Programs of the fluid cases as files: written here and run by 1.8.5, and the other way round.

    .venv/bin/python scripts/oracle/fluid_exchange.py write FOLDER [FAMILY...] [CASE...]
    python3.7 scripts/oracle/fluid_exchange.py run FOLDER [FAMILY...] [CASE...]
    python3.7 scripts/oracle/fluid_exchange.py freeze FOLDER   # what the tests read here

Either release may do either half. Each case of `tests/fluid/cases` is built with its gradients and
serialised; the other release parses the bytes, runs them with the same feeds and parameters, and
what comes out is compared with what 1.8.5 froze in `tests/data/fluid`. Cases run in child
processes, since 1.8.5 may die.
"""

import importlib
import json
import os
import subprocess
import sys
import traceback

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CASES = os.path.join(ROOT, "tests", "fluid", "cases")
HERE = sys.version_info > (3, 8)


def the_fluid():
    """(fluid, the module `exchanging`) of this release."""
    if HERE:
        sys.path.insert(0, ROOT)
        import paddle

        paddle.enable_static()
    else:
        sys.path.insert(0, os.path.join(ROOT, "tests", "fluid"))
    import paddle.fluid as fluid

    name = "tests.fluid.exchanging" if HERE else "exchanging"
    return fluid, importlib.import_module(name)


def families(names):
    found = sorted(f[:-3] for f in os.listdir(CASES) if f.endswith(".py") and f[0] != "_")
    return [f for f in found if not names or f in names]


def cases(family):
    if HERE:
        sys.path.insert(0, ROOT)
        module = importlib.import_module("tests.fluid.cases." + family)
    else:
        sys.path.insert(0, CASES)
        module = importlib.import_module(family)
    return {name: getattr(module, name) for name in dir(module) if name.startswith("case_")}


def write(folder, family, only):
    fluid, exchanging = the_fluid()
    for name, case in cases(family).items():
        if only and name not in only:
            continue
        try:
            exchanging.write_one(fluid, case, os.path.join(folder, family + "." + name))
        except Exception:
            print(family, name, "NOT WRITTEN", traceback.format_exc()[-300:])


def run_some(folder, family, names):
    fluid, exchanging = the_fluid()
    known = cases(family)
    frozen = dict(np.load(os.path.join(ROOT, "tests", "data", "fluid", family + ".npz")))
    for name in names:
        path = os.path.join(folder, family + "." + name)
        want = {k.split("/", 1)[1]: v for k, v in frozen.items() if k.startswith(name + "/")}
        told = json.loads(want["told"].tobytes().decode())
        try:
            lod, arrays = exchanging.run_one(fluid, known[name], path)
            lines = exchanging.differences(
                want, told, lod, arrays, getattr(known[name], "close", 1e-4)
            )
        except Exception:
            lines = ["FAILED " + traceback.format_exc()[-1500:]]
        with open(path + ".done", "w") as file:
            file.write("\n".join(lines))


def run(folder, family, only):
    frozen = np.load(os.path.join(ROOT, "tests", "data", "fluid", family + ".npz")).files
    frozen = {key.split("/")[0] for key in frozen}
    left = [n for n in sorted(cases(family)) if n in frozen and (not only or n in only)]
    left = [n for n in left if os.path.exists(os.path.join(folder, family + "." + n + ".main"))]
    good = 0
    for name in left:
        done = os.path.join(folder, family + "." + name + ".done")
        if os.path.exists(done):
            os.remove(done)
    while left:
        child = subprocess.run(
            [sys.executable, os.path.abspath(__file__), "some", folder, family] + left,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900, cwd=folder,
            env=dict(os.environ, OMP_NUM_THREADS="1"),
        )  # fmt: skip
        while left and os.path.exists(os.path.join(folder, family + "." + left[0] + ".done")):
            with open(os.path.join(folder, family + "." + left[0] + ".done")) as file:
                text = file.read()
            good += not text
            if text:
                print("%s %s\n    %s" % (family, left[0], text.replace("\n", "\n    ")))
            left.pop(0)
        if left:
            told = family, left[0], child.returncode, child.stdout.decode()[-1500:]
            print("%s %s DIED (%d)\n%s" % told)
            left.pop(0)
    print("%s: %d equal" % (family, good))


def freeze(folder):
    """Writes a few cases, and packs their files for `tests/fluid/test_exchange.py`."""
    _, exchanging = the_fluid()
    packed = {}
    for chosen in exchanging.CHOSEN:
        family, name = chosen.split(".")
        write(folder, family, [name])
        for kind in exchanging.PARTS:
            with open(os.path.join(folder, chosen + "." + kind), "rb") as file:
                packed[chosen + "." + kind] = np.frombuffer(file.read(), np.uint8)
    target = os.path.join(ROOT, "tests", "data", "fluid", "exchange.npz")
    np.savez_compressed(target, **packed)
    print(target, os.path.getsize(target))


def main():
    what, folder, rest = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3:]
    if what == "some":
        return run_some(folder, rest[0], rest[1:])
    os.makedirs(folder, exist_ok=True)
    if what == "freeze":
        return freeze(folder)
    only = [name for name in rest if name.startswith("case_")]
    for family in families([name for name in rest if not name.startswith("case_")]):
        (write if what == "write" else run)(folder, family, only)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
