"""The C library without Python: built for each processor, fuzzed with sanitizers."""

import platform
import shutil
import subprocess
import sys

import numpy as np
import pytest

import paddle
from paddle.vision import models

from .conftest import ROOT, answers, converted, save
from .test_models import Parts, Recognizer, Yolo, save_yolo

EMULATOR = {"aarch64": "qemu-aarch64"}


@pytest.fixture(scope="module")
def lenet(tmp_path_factory):
    paddle.seed(3)
    prefix = save(models.LeNet(), tmp_path_factory.mktemp("lenet") / "net", [None, 1, 28, 28])
    return prefix, converted(prefix)


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
    for net, shape in ((Parts(), (2, 4, 10, 9)), (Recognizer(), (2, 1, 8, 20))):
        prefix = save(net, tmp_path / type(net).__name__, [None, *shape[1:]])
        x = np.random.RandomState(0).randn(*shape).astype("float32")
        (tmp_path / "y").write_bytes(x.tobytes())
        asked = [*run, folder / "demo", converted(prefix), tmp_path / "y", *map(str, shape)]
        done = subprocess.run(asked, capture_output=True, text=True, timeout=120)
        got = [float(n) for n in done.stdout.splitlines()[0].partition(":")[2].split()]
        np.testing.assert_allclose(got, answers(prefix, x)[0].reshape(-1), atol=2e-5)
    bad = subprocess.run([*command[:-1], "27"], capture_output=True, text=True, timeout=120)
    assert bad.returncode == 1 and "matmul" in bad.stderr


@pytest.mark.slow
@pytest.mark.parametrize("net", ["lenet", "parts", "recognizer", "yolo"])
def test_changed_files_with_sanitizers(net, lenet, tmp_path):
    if not shutil.which("gcc"):
        pytest.skip("no compiler")
    path, sizes = lenet[1], ["1", "1", "28", "28"]
    if net == "parts":
        prefix = save(Parts(), tmp_path / "net", [None, 4, 10, 9])
        path, sizes = converted(prefix, "QUANT_INT8"), ["2", "4", "10", "9"]
    if net == "recognizer":
        prefix = save(Recognizer(), tmp_path / "net", [None, 1, 8, 20])
        path, sizes = converted(prefix, "QUANT_INT16"), ["2", "1", "8", "20"]
    if net == "yolo":
        path, sizes = converted(save_yolo(Yolo(0.1, True, 0.7), tmp_path)), ["2", "3", "4", "6"]
    flags = ["-std=gnu99", "-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    source, program = ROOT / "lite" / "tests" / "fuzz.c", tmp_path / "fuzz"
    subprocess.run(["gcc", *flags, "-o", program, source, "-lm"], check=True)
    done = subprocess.run(
        [program, path, "1", "800", *sizes], capture_output=True, text=True, timeout=250
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout.split()[0]) > 100
