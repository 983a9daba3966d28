"""Freezes what DistributeTranspiler of PaddlePaddle 1.8.5 makes: tests/data/fluid/transpiler.json.

python3.7 scripts/oracle/fluid_transpiler_185.py
"""

import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

if __name__ == "__main__":
    import paddle.fluid as fluid

    sys.path.insert(0, os.path.join(ROOT, "tests", "fluid"))
    import transpiling

    found = {name: transpiling.run(fluid, name) for name in sorted(transpiling.CASES)}
    with open(os.path.join(ROOT, "tests", "data", "fluid", "transpiler.json"), "w") as file:
        json.dump(found, file, sort_keys=True)
        file.write("\n")
