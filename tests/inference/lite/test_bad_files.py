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
from paddle.inference.lite_export.layout import Lowered, Step, nb_bytes

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


@pytest.mark.parametrize("version", [0, 1, 2])
def test_a_file_of_the_original(version, engines):
    from paddlelite import LiteError

    for engine in engines:
        with pytest.raises(LiteError, match="original Paddle Lite"):
            lite(struct.pack("<H", version) + b"2.10.0" + bytes(500), X, engine=engine)


def written(steps, constants=(), inputs=None):
    """A file by hand: one output, the last result."""
    inputs = {"x": ("float32", (1, 1, 8, 8))} if inputs is None else inputs
    return nb_bytes(Lowered(inputs, [steps[-1].outs[-1]], steps, dict(constants)))


def test_values_that_tensors_share_are_refused(engines):
    """Else a small file could become as large in memory as it likes."""
    from paddlelite import LiteError

    values = np.arange(64, dtype="float32").reshape(1, 1, 8, 8)
    steps = [Step("binary", ["x", "a"], ["y"], [0, -1]), Step("binary", ["y", "b"], ["z"], [0, -1])]
    data = written(steps, {"a": values, "b": values + 1})
    for engine in engines:
        np.testing.assert_array_equal(lite(data, X, engine=engine)[0], X + 2 * values + 1)
    place = struct.pack("<2Q", 256, 256)  # of b, behind a
    assert data.count(place) == 1
    shared = data.replace(place, struct.pack("<2Q", 0, 256))[:-256]
    header = bytearray(shared[:64])
    struct.pack_into("<Q", header, 16, len(shared))
    struct.pack_into("<Q", header, 48, 256)
    shared = sealed(bytes(header) + shared[64:])
    for engine in engines:
        with pytest.raises(LiteError, match="damaged"):
            lite(shared, X, engine=engine)


WHOLE = {"x": ("int64", (4,))}
ODD_STEPS = {
    "kind": ([Step("binary", ["x", "x"], ["y"], [77, -1])], "float32 was expected|no binary"),
    "negative_kind": ([Step("binary", ["x", "x"], ["y"], [-1, -1])], "float32 was|no binary"),
    "windows": ([Step("pool2d", ["x"], ["y"], [0, 2**30, 2**30, 1, 1, 0, 0, 0, 0, 0, 0, 2])],
                "too large|impossible"),
    "no_window": ([Step("pool2d", ["x"], ["y"], [1, 0, 2, 1, 1, 0, 0, 0, 0, 0, 0, 2])], ""),
    "cut_off": ([Step("conv2d_transpose", ["x", "w", ""], ["y"], [1, 1, 0, -2000, 0, 0, 1, 1, 1])],
                "-1024|0 to 1024"),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD_STEPS)
def test_odd_numbers_of_operators(name, engines):
    from paddlelite import LiteError

    steps, told = ODD_STEPS[name]
    whole = "kind" in name
    data = written(steps, {"w": np.ones((1, 1, 2, 2), "float32")}, WHOLE if whole else None)
    for engine in engines:
        try:
            (made,) = lite(data, np.arange(4) if whole else X, engine=engine)
            assert not told and made.size == 0
        except LiteError as error:
            assert re.search(told, str(error))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 3.9])
def test_whole_numbers_are_padded(value, engines):
    steps = [Step("pad", ["x"], ["y"], [0, 1, 0], [value])]
    for engine in engines:
        (made,) = lite(written(steps, (), WHOLE), np.arange(4), engine=engine)
        assert made[1:].tolist() == [0, 1, 2, 3]
        assert made[0] == (3 if value == 3.9 else np.iinfo("int64").min)


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
