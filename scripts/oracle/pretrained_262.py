"""Writes weights of every image model as PaddlePaddle 2.6.2 does, and what it computes with them.

python scripts/oracle/pretrained_262.py tests/data/pretrained [NAME ...]

The files of protocol 4 are what 2.6.2 writes by itself, those of protocol 2 what 2.0 writes.
"""

import os
import sys
import tempfile

from pretrained_cases import chosen, images, pack, values

import paddle
from paddle.vision import models


def main(root, names):
    for name, (maker, options, size) in chosen(names).items():
        net = getattr(models, maker)(**options)
        net.eval()
        net.set_state_dict(values(net.state_dict().items(), name))
        out = net(paddle.to_tensor(images(size, 1 if name == "lenet" else 3))).numpy()
        large = maker in ("resnet101", "resnet152")  # where 2.0 would differ in nothing but size
        for release, protocol in (("2.6.2", 4),) if large else (("2.0", 2), ("2.6.2", 4)):
            path = os.path.join(tempfile.mkdtemp(), "net.pdparams")
            paddle.save(net.state_dict(), path, protocol=protocol)
            pack(path, root, name + ".pdparams", release, out)
            os.remove(path)


main(sys.argv[1], sys.argv[2:])
