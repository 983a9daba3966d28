"""Damaged and hostile files, and inputs that do not fit: an error, never a crash."""

import ast
import re
import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest

import paddle

from .conftest import ROOT, converted, lite, save


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    net = paddle.nn.Sequential(
        paddle.nn.Conv2D(1, 3, 3), paddle.nn.ReLU(), paddle.nn.MaxPool2D(2, 2),
        paddle.nn.Flatten(), paddle.nn.Linear(27, 4),
    )  # fmt: skip
    prefix = save(net, tmp_path_factory.mktemp("small") / "net", [None, 1, 8, 8])
    with open(converted(prefix), "rb") as file:
        return file.read()


X = np.ones((1, 1, 8, 8), "float32")


def sealed(data):
    """The bytes with a checksum that fits, as an attacker would write them."""
    return data[:12] + struct.pack("<I", zlib.crc32(data[16:])) + data[16:]


def test_every_damage_is_told(content, engines):
    from paddlelite import LiteError

    for engine in engines:
        for cut in [0, 3, 8, 20, 63, 64, 100, len(content) - 1]:
            with pytest.raises(LiteError):
                lite(content[:cut] or b"-", X, engine=engine)
        for at in range(0, len(content), 37):
            flipped = bytearray(content)
            flipped[at] ^= 1 << at % 8
            with pytest.raises(LiteError):
                lite(bytes(flipped), X, engine=engine)


def test_hostile_files_are_errors_or_run(content, engines):
    from paddlelite import LiteError

    random, program = np.random.RandomState(5), struct.unpack_from("<Q", content, 32)[0]
    told = 0
    for _ in range(300):
        data = bytearray(content)
        for at in 16 + random.randint(0, 48 + program, random.randint(1, 4)):
            data[at] = random.choice([0, 1, 127, 128, 255, random.randint(256)])
        for engine in engines:
            try:
                lite(sealed(bytes(data)), X, engine=engine)
            except LiteError:
                told += 1
    assert told > 30 * len(engines)


def test_a_file_of_the_original(content):
    from paddlelite import LiteError

    with pytest.raises(LiteError, match="original Paddle Lite"):
        lite(struct.pack("<H", 1) + bytes(500), X)


def test_inputs_that_do_not_fit(content, engines):
    from paddlelite import LiteError

    for engine in engines:
        sizes = (1, 2, 8, 8), (1, 1, 2, 2), (1, 1, 9, 12), (1, 1, 0, 8), (1, 0, 8, 8), (0, 1, 8, 8)
        for bad in [X[0], X.astype("float64"), *(np.ones(s, "float32") for s in sizes)]:
            with pytest.raises(LiteError):
                lite(content, bad, engine=engine)
        with pytest.raises(LiteError, match="without contents"):
            lite(content, engine=engine)
        with pytest.raises(LiteError, match="there is no tensor 1"):
            lite(content, X, X, engine=engine)


def test_it_imports_numpy_alone():
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'lite')!r}); import numpy; "
        "before = set(sys.modules); import paddlelite; "
        "new = {m.partition('.')[0] for m in set(sys.modules) - before}; "
        "print(sorted(new - set(sys.stdlib_module_names) - {'paddlelite', 'numpy'}))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_its_files_import_numpy_alone():
    """Those inside of functions too; `make lint-imports` holds the same by a contract."""
    found = set()
    for path in (ROOT / "lite" / "paddlelite").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found.update(name.name.partition(".")[0] for name in node.names)
            elif isinstance(node, ast.ImportFrom):
                found.add((node.module or "").partition(".")[0])
    assert found - sys.stdlib_module_names == {"numpy", "paddlelite"}


def test_the_engines_have_the_same_operators():
    from paddlelite import kernels, native, reader

    rows = re.findall(r"OP\((\w+), ([\d, ]+)\)", native.SOURCE.read_text())
    assert {name: tuple(map(int, row.split(","))) for name, row in rows} == reader.OPERATORS
    assert set(kernels.KERNELS) == set(reader.OPERATORS)


def test_it_is_small():
    files = [
        p for p in (ROOT / "lite" / "paddlelite").rglob("*") if p.suffix in (".py", ".c", ".h")
    ]
    assert sum(len(p.read_text().splitlines()) for p in files) <= 3000
