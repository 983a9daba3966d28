"""Train LeNet on MNIST, and let a process answer that has nothing but NumPy and paddlelite.

    python examples/lite/mnist_in_python.py

Result: 95.0 % by pypaddle with float weights, 95.1 % by both engines of paddlelite with int8
weights, in processes of their own; a minute in all. It prints what such a process costs as well:
the time from its start to its end, and the memory that is resident.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
from mnist_in_c import ROOT, arrays, train, written

import paddle

ALONE = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from paddlelite.lite import MobileConfig, create_paddle_predictor

config = MobileConfig()
config.set_model_from_file(sys.argv[2])
config.set_engine(sys.argv[4])
predictor = create_paddle_predictor(config)
predictor.get_input(0).from_numpy(np.load(sys.argv[3]))
predictor.run()
np.save(sys.argv[3], predictor.get_output(0).numpy())
assert "torch" not in sys.modules and "paddle" not in sys.modules
with open("/proc/self/status") as status:
    print(next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM")))
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--images", type=int, default=60_000)
    net = train(*arrays("train", parser.parse_args().images))
    images, labels = arrays("test", 1000)
    own = net(paddle.to_tensor(images)).numpy()
    print(f"float weights, pypaddle: {100 * np.mean(own.argmax(1) == labels[:, 0]):.1f} %")
    with tempfile.TemporaryDirectory() as name:
        _, model = written(net, Path(name))
        for engine in ("c", "numpy", "c"):  # the first run compiles the kernels where it has to
            data = Path(name) / "images.npy"
            np.save(data, images)
            command = [sys.executable, "-I", "-c", ALONE, ROOT / "lite", model, data, engine]
            start = perf_counter()
            done = subprocess.run(
                list(map(str, command)), check=True, capture_output=True, text=True
            )
            took, made = perf_counter() - start, np.load(data)
            right = 100 * np.mean(made.argmax(1) == labels[:, 0])
            print(f"int8 weights, {engine}: {right:.1f} %, 1000 images in {took:.2f} s from start "
                  f"to end, {done.stdout.strip()} MB")  # fmt: skip


if __name__ == "__main__":
    main()
