"""The C library without Python: built for each processor, fuzzed with sanitizers."""

import os
import platform
import shutil
import subprocess
import sys

import numpy as np
import pytest

import paddle
from paddle.vision import models

from .conftest import ROOT, answers, converted, save
from .test_models import Detector, Parts, Recognizer, Yolo, save_yolo
from .test_networks import MobileNetV3
from .test_operators import Layer, Ssd

EMULATOR = {"aarch64": "qemu-aarch64"}


@pytest.fixture(scope="module")
def lenet(tmp_path_factory):
    paddle.seed(3)
    prefix = save(models.LeNet(), tmp_path_factory.mktemp("lenet") / "net", [None, 1, 28, 28])
    return prefix, converted(prefix)


class Even(paddle.nn.Layer):
    """Normalised by its values, pooled evenly, made larger by what is added behind."""

    def __init__(self):
        super().__init__()
        nn = paddle.nn
        self.up, self.groups = nn.Conv2DTranspose(4, 6, 3, 2, 1, 1), nn.GroupNorm(2, 6)
        self.images = nn.InstanceNorm2D(6)

    def forward(self, x):
        f = paddle.nn.functional
        y = self.images(self.groups(self.up(x)))
        y = f.adaptive_avg_pool2d(y, [3, 5]) + f.adaptive_max_pool2d(y, [3, 1])
        return paddle.reshape(y, [paddle.shape(x)[0], -1])


@pytest.mark.parametrize("arch", ["x86_64", "aarch64"])
def test_it_answers_without_python(arch, lenet, tmp_path):
    here = platform.machine() == arch
    run = [] if here else [shutil.which(EMULATOR.get(arch, "none")) or ""]
    compiler = shutil.which("gcc") if here else shutil.which(f"{arch}-linux-gnu-gcc")
    if not compiler or run == [""]:
        pytest.skip(f"no compiler or emulator for {arch}")
    build = [sys.executable, ROOT / "lite" / "build.py", "--arch", arch, "--out", tmp_path]
    subprocess.run(build, check=True, capture_output=True)
    folder = tmp_path / arch
    assert (folder / "libpaddle_lite.a").stat().st_size < 300_000
    x = np.random.RandomState(0).randn(2, 1, 28, 28).astype("float32")
    (tmp_path / "x").write_bytes(x.tobytes())
    command = [*run, folder / "demo", lenet[1], tmp_path / "x", "2", "1", "28", "28"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    got = [float(n) for n in done.stdout.partition(":")[2].split()]
    want = answers(lenet[0], x)[0].reshape(-1)
    np.testing.assert_allclose(got, want, atol=2e-5 * np.abs(want).max())
    nets = [
        (Even(), (2, 4, 5, 6)), (Parts(), (2, 4, 10, 9)), (Recognizer(), (2, 1, 8, 20)),
        (Detector(), (1, 3, 15, 18)), (MobileNetV3(), (1, 3, 32, 40)), (Ssd(False), (1, 3, 21, 18)),
    ]  # fmt: skip
    for net, shape in nets:
        prefix = save(net, tmp_path / type(net).__name__, [None, *shape[1:]])
        x = np.random.RandomState(0).randn(*shape).astype("float32")
        (tmp_path / "y").write_bytes(x.tobytes())
        asked = [*run, folder / "demo", converted(prefix), tmp_path / "y", *map(str, shape)]
        done = subprocess.run(asked, capture_output=True, text=True, timeout=120)
        got = [float(n) for n in done.stdout.splitlines()[0].partition(":")[2].split()]
        np.testing.assert_allclose(got, answers(prefix, x)[0].reshape(-1), atol=2e-5)
    bad = subprocess.run([*command[:-1], "27"], capture_output=True, text=True, timeout=120)
    assert bad.returncode == 1 and "matmul" in bad.stderr


@pytest.fixture(scope="session")
def fuzz(tmp_path_factory):
    """The program that changes files, built once for all workers."""
    if not shutil.which("gcc"):
        pytest.skip("no compiler")
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if base.name.startswith("popen-") else base) / "lite"
    folder.mkdir(exist_ok=True)
    program, made = folder / "fuzz", folder / f"fuzz.{os.getpid()}"
    if not program.exists():
        flags = ["-std=gnu99", "-g", "-O1", "-fsanitize=address,undefined"]
        flags += ["-fno-sanitize-recover=all", "-DPL_THREADS", "-pthread"]
        source = ROOT / "lite" / "tests" / "fuzz.c"
        subprocess.run(["gcc", *flags, "-o", made, source, "-lm"], check=True)
        made.replace(program)
    return program


def moved(x):
    """Operators that move numbers about, and whole numbers."""
    x = paddle.nn.functional.pad(x, [1, 2, 3, 0, 1, 0], mode="reflect", data_format="NCDHW")
    y = paddle.gather(x[:, ::-1, 1::2], paddle.to_tensor([1, 0, 1]), axis=1)
    whole = paddle.cast(y * 4, "int64") * 3 + 1
    y = paddle.where(whole > 2, y, paddle.cast(whole, "float32"))
    return paddle.transpose(paddle.tile(y, [1, 1, 2, 1, 1]), [0, 2, 1, 4, 3])


@pytest.mark.slow
@pytest.mark.parametrize("net", ["lenet", "parts", "recognizer", "yolo", "moved", "ssd", "even"])
def test_changed_files_with_sanitizers(net, lenet, fuzz, tmp_path):
    path, sizes = lenet[1], ["1", "1", "28", "28"]
    if net == "parts":
        prefix = save(Parts(), tmp_path / "net", [None, 4, 10, 9])
        path, sizes = converted(prefix, "QUANT_INT8"), ["2", "4", "10", "9"]
    if net == "recognizer":
        prefix = save(Recognizer(), tmp_path / "net", [None, 1, 8, 20])
        path, sizes = converted(prefix, "QUANT_INT16"), ["2", "1", "8", "20"]
    if net == "yolo":
        path, sizes = converted(save_yolo(Yolo(0.1, True, 0.7), tmp_path)), ["2", "3", "4", "6"]
    if net == "moved":
        path = converted(save(Layer(moved), tmp_path / "net", [None, 3, 4, 5, 6]))
        sizes = ["2", "3", "4", "5", "6"]
    if net == "ssd":
        path = converted(save(Ssd(False), tmp_path / "net", [None, 3, 21, 18]))
        sizes = ["1", "3", "21", "18"]
    if net == "even":
        path = converted(save(Even(), tmp_path / "net", [None, 4, 5, 6]))
        sizes = ["2", "4", "5", "6"]
    done = subprocess.run(
        [fuzz, path, "1", "800", *sizes], capture_output=True, text=True, timeout=250
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout.split()[0]) > 100
