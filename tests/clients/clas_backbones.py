"""Runs backbones of PaddleClas on a picture; run by PaddlePaddle 2.6.2 as well, to compare.

python tests/clients/clas_backbones.py RESULTS.npz
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from types import ModuleType
from typing import Any

import numpy as np

BACKBONES = {
    "ResNet50_vd": 64, "MobileNetV3_small_x1_0": 64, "MobileNetV2": 64, "ShuffleNetV2_x0_25": 64,
    "GhostNet_x0_5": 64, "SqueezeNet1_0": 64, "EfficientNetB0": 64, "ResNeSt50_fast_1s1x64d": 64,
    "DenseNet121": 64, "SE_ResNeXt50_32x4d": 64, "DeiT_tiny_patch16_224": 224,
}  # fmt: skip
"""Each with the height and width of its picture."""


def fill(model: Any) -> None:
    """Gives parameters and running statistics values that follow from position and shape."""
    for index, (name, param) in enumerate(model.named_parameters()):
        shape = list(param.shape)
        wave = np.sin(np.arange(int(np.prod(shape))) * (0.37 + 0.0011 * index) + index)
        if len(shape) > 1:
            inputs = np.prod(shape[1:]) if len(shape) == 4 else shape[0]
            values = wave * np.sqrt(2.0 / inputs)
        elif name.endswith("_variance"):
            values = 1 + 0.1 * np.abs(wave)
        else:
            values = (1.0 if name.endswith("weight") else 0.0) + 0.05 * wave
        param.set_value(values.reshape(shape).astype("float32"))


def backbones() -> Any:
    """Imports the backbones alone; `ppcls` itself imports data readers, inference and more."""
    spec = importlib.util.find_spec("paddleclas")
    assert spec is not None and spec.submodule_search_locations
    root = os.path.join(spec.submodule_search_locations[0], "ppcls")
    sys.path.insert(0, os.path.dirname(root))
    for name in ("ppcls", "ppcls.arch", "ppcls.utils"):
        made = ModuleType(name)
        made.__path__ = [os.path.join(root, *name.split(".")[1:])]
        sys.modules[name] = made
    return importlib.import_module("ppcls.arch.backbone")


def main(path: str) -> None:
    """Writes the logits of each backbone."""
    import paddle

    found, library = {}, backbones()
    for name, size in BACKBONES.items():
        with paddle.utils.unique_name.guard():  # they name parameters themselves
            model = getattr(library, name)(class_num=10)
        fill(model)
        model.eval()
        picture = np.cos(np.arange(3 * size * size) * 0.01).reshape(1, 3, size, size)
        with paddle.no_grad():
            found[name] = model(paddle.to_tensor(picture.astype("float32"))).numpy()
    np.savez_compressed(path, **found)


if __name__ == "__main__":
    from stand_ins import install

    install()
    main(sys.argv[1])
