"""Freeze what the snippets of tests/upgrade give under PaddlePaddle 1.8.5.

    OMP_NUM_THREADS=1 python3.7 scripts/oracle/upgrade_185.py [part of a name | missing]

Writes tests/data/upgrade-1.8.5.npz: `NAME#INDEX#RESULT` -> array. Each case runs in a child, since
a native failure ends the process.
"""

import importlib.util
import os
import pickle
import sys

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OUT = os.path.join(ROOT, "tests", "data", "upgrade-1.8.5.npz")


def child(text):
    """Run a snippet in a child; return its arrays, or the error as a string."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        sys.stdout = sys.stderr = open(os.devnull, "w")
        os.dup2(sys.stdout.fileno(), 1)
        try:
            result = snippets.run(text)
        except BaseException as error:
            result = "{}: {}".format(type(error).__name__, str(error).strip()[-300:])
        with os.fdopen(write, "wb") as pipe:
            pickle.dump(result, pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        data = pipe.read()
    os.waitpid(pid, 0)
    return pickle.loads(data) if data else "died"


spec = importlib.util.spec_from_file_location(
    "snippets", os.path.join(ROOT, "tests/upgrade/snippets.py")
)
snippets = importlib.util.module_from_spec(spec)
spec.loader.exec_module(snippets)

if __name__ == "__main__":
    import paddle.fluid  # noqa: F401

    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    frozen = dict(np.load(OUT)) if wanted and os.path.exists(OUT) else {}
    for key, _, _, text in snippets.every():
        if wanted in key or (wanted == "missing" and key + "#0" not in frozen):
            result = child(text)
            for old in [k for k in frozen if k.startswith(key + "#")]:
                del frozen[old]
            if isinstance(result, str):
                print(key, result)
                continue
            for index, value in enumerate(result):
                frozen["{}#{}".format(key, index)] = value
    np.savez_compressed(OUT, **{k: frozen[k] for k in sorted(frozen)})
    print(len(frozen), "arrays")
