"""Freezes optimizers of PaddlePaddle 1.8.5 in dygraph, and files: tests/data/fluid/training.npz.

    python3.7 scripts/oracle/fluid_training_185.py

The files of a model (``tests/data/fluid/saved``) are written by ``tests/fluid/saving.py``.
"""

import os
import sys

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

if __name__ == "__main__":
    import paddle.fluid as fluid

    sys.path.insert(0, os.path.join(ROOT, "tests", "fluid"))
    import dygraph_optimizers
    import saving

    found = {}
    for name in sorted(dygraph_optimizers.CASES):
        for key, value in dygraph_optimizers.run(fluid, name).items():
            found["%s/%s" % (name, key)] = value
    found["saved"] = saving.run(fluid, os.path.join(ROOT, "tests", "data", "fluid", "saved"))
    np.savez_compressed(os.path.join(ROOT, "tests", "data", "fluid", "training.npz"), **found)
