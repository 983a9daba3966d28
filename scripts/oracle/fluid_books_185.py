"""Freezes ten losses of the examples in examples/fluid by PaddlePaddle 1.8.5.

    python3.7 scripts/oracle/fluid_books_185.py [EXAMPLE...]

The examples run there as they are. Each network is trained on ten batches from parameters that
tests/fluid/book_runs.py sets, here and there; tests/fluid/test_books.py compares.
"""

import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TARGET = os.path.join(ROOT, "tests", "data", "fluid", "books.json")


def main(only):
    sys.path.insert(0, os.path.join(ROOT, "tests", "fluid"))
    import book_runs

    frozen = {}
    if os.path.exists(TARGET):
        with open(TARGET) as file:
            frozen = json.load(file)
    for name, networks in book_runs.BOOKS.items():
        if only and name not in only:
            continue
        for network in networks:
            key = "%s.%s" % (name, network)
            frozen[key] = book_runs.losses(name, network)
            print(key, frozen[key][0], frozen[key][-1])
    with open(TARGET, "w") as file:
        json.dump(frozen, file, indent=1, sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
