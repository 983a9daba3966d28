"""Converts backbones of PaddleClas and runs them by each engine; prints how far they are apart.

python tests/inference/lite/clas_networks.py FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

import paddle

ROOT = Path(__file__).resolve().parents[3]
NETWORKS = "MobileNetV3_small_x1_0", "ShuffleNetV2_x0_25", "GhostNet_x0_5"


def main(folder: str) -> None:
    """Prints the largest errors of both engines for each network, in parts of what is right."""
    sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "clients"), str(ROOT / ".venv" / "clients")]
    import clas_backbones
    import stand_ins

    from tests.inference.lite.conftest import answers, converted, lite

    stand_ins.install()
    library, found = clas_backbones.backbones(), {}
    x = np.random.RandomState(0).randn(1, 3, 64, 64).astype("float32")
    for name in NETWORKS:
        with paddle.utils.unique_name.guard():  # they name parameters themselves
            net = getattr(library, name)(class_num=10)
        clas_backbones.fill(net)
        net.eval()
        prefix = f"{folder}/{name}"
        spec = [paddle.static.InputSpec([None, 3, 64, 64], "float32")]
        paddle.jit.save(net, prefix, input_spec=spec)
        path, [want] = converted(prefix), answers(prefix, x)
        apart = [np.abs(lite(path, x, engine=e)[0] - want).max() for e in ("numpy", "auto")]
        found[name] = [float(a / np.abs(want).max()) for a in apart]
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
