"""Train LeNet on MNIST, write it as a .nb file with int8 weights, and let C answer, without Python.

    python examples/lite/mnist_in_c.py            # or: make lite-demo
    python examples/lite/mnist_in_c.py --arch aarch64   # the same in an emulated arm64

Result: 95.0 % by pypaddle with float weights, 95.1 % by C with int8 weights, from a file of 65 KB
by a library of 169 KB; half a minute in all.
"""

import argparse
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import paddle
from paddle.inference.lite_export import Opt
from paddle.vision.datasets import MNIST
from paddle.vision.models import LeNet

ROOT = Path(__file__).resolve().parents[2]


def arrays(mode, count):
    """The first images and labels of MNIST."""
    data = MNIST(mode=mode, backend="cv2")
    images, labels = zip(*(data[i] for i in range(count)))
    pixels = np.stack(images).reshape(-1, 1, 28, 28).astype("float32") / 127.5 - 1
    return pixels, np.stack(labels).reshape(-1, 1).astype("int64")


def train(images, labels):
    """A LeNet after one pass over some images."""
    paddle.seed(1)
    net = LeNet()
    rule = paddle.optimizer.Adam(0.002, parameters=net.parameters())
    for at in range(0, len(images), 64):
        x, y = (paddle.to_tensor(a[at : at + 64]) for a in (images, labels))
        loss = paddle.nn.functional.cross_entropy(net(x), y)
        loss.backward()
        rule.step()
        rule.clear_grad()
    net.eval()
    return net


def written(net, folder):
    """The files of a network with float and with int8 weights."""
    spec = [paddle.static.InputSpec([None, 1, 28, 28], "float32")]
    paddle.jit.save(net, str(folder / "lenet"), input_spec=spec)
    opt = Opt()
    opt.set_model_dir(str(folder / "lenet"))
    opt.set_optimize_out(str(folder / "lenet"))
    whole = Path(opt.run())
    opt.set_quant_model(True)
    opt.set_optimize_out(str(folder / "lenet_int8"))
    return whole, Path(opt.run())


def answers_in_c(arch, model, images, folder):
    """Builds the demo for a processor and runs it, emulated where it is another one."""
    build = [sys.executable, ROOT / "lite" / "build.py", "--arch", arch, "--out", folder]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    (folder / "images").write_bytes(images.tobytes())
    emulator = [] if arch == platform.machine() else [f"qemu-{arch}"]
    command = [*emulator, folder / arch / "demo", model, folder / "images", *images.shape]
    done = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True)
    return np.array(done.stdout.partition(":")[2].split(), "float32").reshape(len(images), -1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--arch", default=platform.machine())
    parser.add_argument("--images", type=int, default=60_000)
    given = parser.parse_args()
    net = train(*arrays("train", given.images))
    images, labels = arrays("test", 1000)
    own = net(paddle.to_tensor(images)).numpy()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole, model = written(net, folder)
        made = answers_in_c(given.arch, model, images, folder)
        right = [100 * np.mean(a.argmax(1) == labels[:, 0]) for a in (own, made)]
        print(f"float weights, pypaddle: {right[0]:.1f} %")
        print(f"int8 weights, C on {given.arch}: {right[1]:.1f} %")
        sizes = [p.stat().st_size for p in (model, whole, folder / given.arch / "libpaddle_lite.a")]
        print("file: {:,} bytes, with float weights {:,}; C library: {:,}".format(*sizes))


if __name__ == "__main__":
    main()
