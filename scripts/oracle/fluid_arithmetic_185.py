"""Freezes Python's operators on Variables of 1.8.5: tests/data/fluid/arithmetic.json.

    python3.7 scripts/oracle/fluid_arithmetic_185.py

Operators, axis, shapes and types of each expression, and numbers for some. What 1.8.5 refuses is
null.
"""

import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "fluid"))


def main():
    import arithmetic

    import paddle.fluid as fluid

    found = {"recorded": arithmetic.recorded(fluid), "computed": arithmetic.computed(fluid)}
    target = os.path.join(ROOT, "tests", "data", "fluid", "arithmetic.json")
    with open(target, "w") as file:
        json.dump(found, file, separators=(",", ":"))
        file.write("\n")
    print(target, {kind: len(each) for kind, each in found.items()})


if __name__ == "__main__":
    main()
