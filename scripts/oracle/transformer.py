"""Computes what PaddlePaddle 2.6.2 makes of tests/nn/transformer_cases.py.

Run it from the repository root; it writes tests/data/transformer.npz and transformer_262.pdparams:

    /tmp/oracle/p26/bin/python scripts/oracle/transformer.py
"""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tests", "nn"))
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
import transformer_cases as cases

import paddle

frozen = {}
for name in cases.CASES:
    frozen.update({f"{name}/{key}": value for key, value in cases.answers(paddle, name).items()})
np.savez_compressed(cases.DATA, **frozen)
net, _, _ = cases.transformer(paddle)
paddle.save(net.state_dict(), str(cases.SAVED))
print(len(frozen), "arrays")
