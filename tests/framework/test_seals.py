"""Checksums: damaged files and files of two saves are refused; PaddlePaddle's own are read."""

from __future__ import annotations

import pickle
import random
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import nn, static
from paddle.framework.io import load, save
from paddle.serialization.files.seals import read_seal
from paddle.static import InputSpec

HEAD = b"\0paddle-seal-1\0"
SPEC = [InputSpec([None, 3], "float32", "x")]


@pytest.fixture
def strict() -> Iterator[None]:
    paddle.set_flags({"FLAGS_require_checksums": True})
    yield
    paddle.set_flags({"FLAGS_require_checksums": False})


def unsealed(path: Path) -> None:
    """Makes a file what PaddlePaddle would have written."""
    path.write_bytes(path.read_bytes().partition(HEAD)[0])


def model(rate: float = 0.1) -> paddle.Model:
    net = nn.Linear(3, 2)
    made = paddle.Model(net)
    made.prepare(paddle.optimizer.Adam(rate, parameters=net.parameters()), nn.MSELoss())
    return made


def step(made: paddle.Model) -> None:
    made.train_batch([np.ones([4, 3], "float32")], [np.ones([4, 2], "float32")])


# -- one file -------------------------------------------------------------------------------------
def test_paddle_save_writes_nothing_more_unless_asked(tmp_path: Path) -> None:
    state = {"w": np.arange(4.0), "n": 3}
    save(state, str(tmp_path / "plain"))
    save(state, str(tmp_path / "sealed"), checksum=True)
    plain, sealed = (tmp_path / "plain").read_bytes(), (tmp_path / "sealed").read_bytes()
    assert sealed.startswith(plain + HEAD) and plain.endswith(b".")
    assert pickle.loads(sealed)["n"] == 3  # every reader of pickles stops before
    assert load(str(tmp_path / "sealed"), return_numpy=True)["n"] == 3
    save(state, str(tmp_path / "again"), checksum=True)
    assert (tmp_path / "again").read_bytes() == sealed  # equal content, equal bytes
    assert read_seal(str(tmp_path / "plain")) is None


def test_every_changed_byte_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "x.pdparams"
    save({"w": np.arange(6, dtype="float32"), "n": [1, 2.5]}, str(path), checksum=True)
    content = path.read_bytes()
    for at in range(len(content)):
        made = bytearray(content)
        made[at] ^= 1 << (at % 8)
        path.write_bytes(bytes(made))
        with pytest.raises(ValueError, match=r"x\.pdparams'"):
            load(str(path))


def test_every_truncation_of_a_checked_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "x.pdparams"
    save({"w": np.arange(6, dtype="float32")}, str(path), checksum=True)
    content = path.read_bytes()
    whole = content.index(HEAD)
    for size in range(1, len(content)):
        if whole <= size < whole + len(HEAD):
            continue  # too little of it is left to be known; the object itself is whole
        path.write_bytes(content[:size])
        with pytest.raises(ValueError, match=r"x\.pdparams'"):
            load(str(path))


def test_a_file_inside_of_a_file(tmp_path: Path) -> None:
    """A seal that is part of what the user saved is data."""
    save({"n": 1}, str(tmp_path / "inner"), checksum=True)
    inner = (tmp_path / "inner").read_bytes()
    for checksum in (False, True):
        save({"raw": inner, "n": 2}, str(tmp_path / "outer"), checksum=checksum)
        assert load(str(tmp_path / "outer")) == {"raw": inner, "n": 2}
    (tmp_path / "x").write_bytes(pickle.dumps({"n": 3}) + b"something of another program")
    assert load(str(tmp_path / "x")) == {"n": 3}


@pytest.mark.parametrize(
    "table",
    [b"{}", b"[]", b'{"files":{},"this":""}', b'{"files":{"":1},"this":""}', b"[" * 100_000,
     b'{"files":{"":["a","b"]},"this":""}', b'{"files":[],"this":""}', b"\xff"],
)  # fmt: skip
def test_a_table_that_is_none(tmp_path: Path, table: bytes) -> None:
    import struct
    import zlib

    seal = HEAD + table + struct.pack("<II8s", zlib.crc32(table), len(table), b"\0sealed\0")
    (tmp_path / "x").write_bytes(pickle.dumps(3) + seal)
    with pytest.raises(ValueError, match=r"x' .*checksum behind its content is damaged"):
        load(str(tmp_path / "x"))


def test_what_checksum_takes(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected checksum to be a bool, but received str"):
        save({}, str(tmp_path / "x"), checksum="yes")
    with pytest.raises(ValueError, match="a program file has no room"):
        save(static.Program(), str(tmp_path / "x.pdmodel"), checksum=True)
    assert not list(tmp_path.iterdir())


def test_strict_mode_refuses_files_without(tmp_path: Path, strict: None) -> None:
    (tmp_path / "theirs").write_bytes(pickle.dumps({"w": np.ones(2)}, 2))
    with pytest.raises(ValueError, match=r"theirs' was saved without a checksum, and FLAGS_req"):
        load(str(tmp_path / "theirs"))
    save({"n": 3}, str(tmp_path / "ours"))  # what is saved then can be read then
    assert load(str(tmp_path / "ours")) == {"n": 3}
    save({"n": 4}, str(tmp_path / "ours"), checksum=False)
    with pytest.raises(ValueError, match="without a checksum"):
        load(str(tmp_path / "ours"))


# -- Model.save -----------------------------------------------------------------------------------
def two_saves(folder: Path) -> None:
    """Files ``one`` and ``two`` of a model, a step apart."""
    made = model()
    step(made)
    made.save(str(folder / "one"))
    step(made)
    made.save(str(folder / "two"))


def test_files_of_two_saves_are_refused(tmp_path: Path) -> None:
    two_saves(tmp_path)
    for suffix in (".pdparams", ".pdopt"):
        shutil.copy(tmp_path / "one.pdparams", tmp_path / "mixed.pdparams")
        shutil.copy(tmp_path / "one.pdopt", tmp_path / "mixed.pdopt")
        model().load(str(tmp_path / "mixed"))  # renamed together
        shutil.copy(tmp_path / f"two{suffix}", tmp_path / f"mixed{suffix}")
        fresh = model()
        before = fresh.network.weight.numpy()
        with pytest.raises(ValueError, match=r"mixed\.pdopt' are of two different saves") as told:
            fresh.load(str(tmp_path / "mixed"))
        assert "reset_optimizer=True" in str(told.value)
        assert np.array_equal(before, fresh.network.weight.numpy())  # nothing is half loaded
        fresh.load(str(tmp_path / "mixed"), reset_optimizer=True)


def test_a_state_that_is_missing_is_told(tmp_path: Path) -> None:
    two_saves(tmp_path)
    (tmp_path / "one.pdopt").unlink()
    with pytest.warns(UserWarning, match=r"together with '.*one\.pdopt', which is not there"):
        model().load(str(tmp_path / "one"))


def test_files_without_seals_are_paired_as_before(tmp_path: Path) -> None:
    two_saves(tmp_path)
    for name in ("one.pdparams", "one.pdopt"):
        unsealed(tmp_path / name)
    shutil.copy(tmp_path / "two.pdopt", tmp_path / "one.pdopt")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model().load(str(tmp_path / "one"))


def test_no_stray_entry_in_what_is_loaded(tmp_path: Path) -> None:
    two_saves(tmp_path)
    assert list(paddle.load(str(tmp_path / "one.pdparams"))) == ["weight", "bias"]
    assert all("moment" in k or "pow" in k for k in paddle.load(str(tmp_path / "one.pdopt")))
    with (tmp_path / "one.pdparams").open("rb") as file:
        assert list(pickle.load(file)) == ["weight", "bias", "StructuredToParameterName@@"]


def nested(levels: int) -> bytes:
    """The pickle of a dict whose value holds the one before it twice."""
    parts = [b"]\x940"]
    parts += [b"](h" + bytes([i]) + b"h" + bytes([i]) + b"e\x940" for i in range(levels)]
    return b"\x80\x04" + b"".join(parts) + b"}X\x01\x00\x00\x00ah" + bytes([levels]) + b"s."


DEEP = b"\x80\x04}X\x01\x00\x00\x00a" + b"]" * 30_000 + b"a" * 29_999 + b"s."
OTHER = {
    "list": pickle.dumps([1, 2], 2),
    "number": pickle.dumps(3, 2),
    "None": pickle.dumps(None, 2),
    "endless": nested(90),
    "deep": DEEP,
    "keys": pickle.dumps({1: 2}, 2),
    "tensor": pickle.dumps(("x", np.ones(2)), 2),
}


@pytest.mark.parametrize("name", OTHER)
@pytest.mark.parametrize("suffix", [".pdparams", ".pdopt"])
@pytest.mark.timeout(60)
def test_model_load_of_something_else(tmp_path: Path, name: str, suffix: str) -> None:
    two_saves(tmp_path)
    (tmp_path / f"one{suffix}").write_bytes(OTHER[name])
    with pytest.raises(ValueError, match=rf"one{suffix}'"):
        model().load(str(tmp_path / "one"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "value",
    [[1, [2, 3]], "text", {"a": 1}, np.ones(7), np.ones((3, 2), "complex64"), None, (1, "a")],
)
@pytest.mark.parametrize(
    "key", ["_moment1_0", "_beta1_pow_acc_0", "LR_Scheduler", "master_weights"]
)
def test_model_load_of_a_state_with_other_entries(tmp_path: Path, key: str, value: Any) -> None:
    made = model()
    step(made)
    made.save(str(tmp_path / "net"))
    with (tmp_path / "net.pdopt").open("rb") as file:
        state = pickle.load(file)
    key = made.network.weight.name + key if key.startswith("_") else key
    state[key] = value
    (tmp_path / "net.pdopt").write_bytes(pickle.dumps(state, 2))
    try:
        made.load(str(tmp_path / "net"))
    except ValueError as error:
        assert str(error).startswith("(InvalidArgument)")


def test_weights_that_are_no_tensors(tmp_path: Path) -> None:
    made = model()
    made.save(str(tmp_path / "net"))
    save({"weight": 3, "bias": [1.0, 2.0]}, str(tmp_path / "net.pdparams"))
    with pytest.raises(ValueError, match="weight is a int in the file, not a Tensor"):
        made.load(str(tmp_path / "net"), reset_optimizer=True)


# -- static.save ----------------------------------------------------------------------------------
@pytest.fixture
def recorded() -> Iterator[Any]:
    paddle.enable_static()
    with static.scope_guard(static.Scope()):
        main, startup = static.Program(), static.Program()
        with static.program_guard(main, startup), paddle.utils.unique_name.guard():
            x = static.data("x", [None, 3])
            y = static.nn.fc(x, 2)
            paddle.optimizer.Adam(0.1).minimize(paddle.mean(y))
        exe = static.Executor(paddle.CPUPlace())
        exe.run(startup)
        yield main, exe, x, y
    paddle.disable_static()


def train(main: Any, exe: Any) -> None:
    exe.run(main, feed={"x": np.ones([2, 3], "float32")})


def test_states_of_two_saves_of_a_program(tmp_path: Path, recorded: Any) -> None:
    main, exe, *_ = recorded
    static.save(main, str(tmp_path / "one"))
    train(main, exe)
    static.save(main, str(tmp_path / "two"))
    static.load(main, str(tmp_path / "one"), exe)
    shutil.copy(tmp_path / "two.pdopt", tmp_path / "one.pdopt")
    with pytest.raises(ValueError, match=r"static\.load: .* are of two different saves"):
        static.load(main, str(tmp_path / "one"), exe)
    with pytest.raises(ValueError, match=r"load_program_state: .* are of two different saves"):
        static.load_program_state(str(tmp_path / "one"))
    static.load(main, str(tmp_path / "one"), exe, main.all_parameters())


@pytest.mark.parametrize("name", ["list", "number", "None", "deep", "tensor"])
def test_static_load_of_something_else(tmp_path: Path, recorded: Any, name: str) -> None:
    main, exe, *_ = recorded
    static.save(main, str(tmp_path / "net"))
    for suffix in (".pdopt", ".pdparams"):
        kept = (tmp_path / f"net{suffix}").read_bytes()
        (tmp_path / f"net{suffix}").write_bytes(OTHER[name])
        with pytest.raises(ValueError, match=rf"net{suffix}'"):
            static.load(main, str(tmp_path / "net"), exe)
        (tmp_path / f"net{suffix}").write_bytes(kept)


def test_static_load_of_an_endless_value(tmp_path: Path, recorded: Any) -> None:
    main, exe, *_ = recorded
    static.save(main, str(tmp_path / "net"))
    (tmp_path / "net.pdparams").write_bytes(OTHER["endless"])
    with pytest.raises(ValueError, match="no value for"):
        static.load(main, str(tmp_path / "net"), exe)


def test_a_damaged_program_of_static_save(tmp_path: Path, recorded: Any) -> None:
    main, *_ = recorded
    static.save(main, str(tmp_path / "net"))
    flip(tmp_path / "net.pdmodel", 100)
    with pytest.raises(ValueError, match=r"net\.pdmodel' .* saved together with '.*net\.pdparams'"):
        load(str(tmp_path / "net.pdmodel"))


# -- models ---------------------------------------------------------------------------------------
def flip(path: Path, at: int) -> None:
    made = bytearray(path.read_bytes())
    made[at % len(made)] ^= 1 << (at % 8)
    path.write_bytes(bytes(made))


class Methods(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Linear(3, 2), nn.Linear(3, 3)

    @paddle.jit.to_static(input_spec=SPEC)
    def forward(self, x: Any) -> Any:
        return self.one(x)

    @paddle.jit.to_static(input_spec=SPEC)
    def other(self, x: Any) -> Any:
        return self.two(x)


LAYOUTS: dict[str, dict[str, Any]] = {
    "prefix": {},
    "folder": {"separate_params": True},
    "one file": {"params_filename": "weights"},
    "methods": {},
    "shared": {"combine_params": True},
}


def save_model(folder: Path, layout: str) -> str:
    several = layout in ("methods", "shared")
    layer = Methods() if several else nn.Linear(3, 2)
    path = str(folder / "net")
    paddle.jit.save(layer, path, None if several else SPEC, **LAYOUTS[layout])
    return path


@pytest.mark.parametrize("layout", LAYOUTS)
def test_damaged_files_of_a_model(tmp_path: Path, layout: str, strict: None) -> None:
    """Each file, damaged anywhere; strict mode reads all of them when they are whole."""
    path = save_model(tmp_path, layout)
    given = {} if layout != "one file" else {"params_filename": "weights"}
    rng = random.Random(layout)
    paddle.jit.load(path, **given)
    for file in sorted(p for p in tmp_path.rglob("*") if p.is_file()):
        kept = file.read_bytes()
        for _ in range(6):
            flip(file, rng.randrange(len(kept)))
            with pytest.raises(ValueError, match=r"net.*'"):
                paddle.jit.load(path, **given)
            file.write_bytes(kept)
    paddle.jit.load(path, **given)


def test_parameters_of_another_training_are_noticed(tmp_path: Path) -> None:
    """Same names, same shapes: until now they ran with other numbers."""
    layer = nn.Linear(3, 2)
    paddle.jit.save(layer, str(tmp_path / "a"), SPEC)
    layer.weight.set_value(layer.weight + 1)
    paddle.jit.save(layer, str(tmp_path / "b"), SPEC)
    shutil.copy(tmp_path / "b.pdiparams", tmp_path / "a.pdiparams")
    for read in (paddle.jit.load, paddle.load, static.load_program_state):
        with pytest.raises(ValueError, match=r"a\.pdiparams' .* saved together with '.*a\.pdip"):
            read(str(tmp_path / "a"))
    with static.scope_guard(static.Scope()), pytest.raises(ValueError, match="saved together"):
        static.load_inference_model(str(tmp_path / "a"), static.Executor(paddle.CPUPlace()))


@pytest.mark.parametrize("layout", ["prefix", "folder", "one file"])
def test_models_of_paddlepaddle_have_no_checksums(
    tmp_path: Path, layout: str, strict: None
) -> None:
    path = save_model(tmp_path, layout)
    given = {} if layout != "one file" else {"params_filename": "weights"}
    for info in tmp_path.rglob("*info*"):
        unsealed(info)
    with pytest.raises(ValueError, match="without a checksum"):
        paddle.jit.load(path, **given)
    paddle.set_flags({"FLAGS_require_checksums": False})
    paddle.jit.load(path, **given)


def test_models_may_be_renamed_and_replaced(tmp_path: Path, recorded: Any) -> None:
    main, exe, x, y = recorded
    net = str(tmp_path / "net")
    paddle.disable_static()
    paddle.jit.save(nn.Linear(3, 2), net, SPEC)
    paddle.enable_static()
    for file in list(tmp_path.iterdir()):
        file.rename(tmp_path / file.name.replace("net", "other"))
    static.load_inference_model(str(tmp_path / "other"), exe)
    # a model that replaces one brings its own table
    static.save_inference_model(str(tmp_path / "other"), [x], [y], exe, program=main)
    assert "other.pdiparams.info" in [f.name for f in tmp_path.iterdir()]
    static.load_inference_model(str(tmp_path / "other"), exe)
    # a training state of the same name does not speak for an inference model
    static.save(main, net)
    static.save_inference_model(net, [x], [y], exe, program=main)
    static.load_inference_model(net, exe)


def test_inference_models_in_strict_mode(tmp_path: Path, recorded: Any, strict: None) -> None:
    main, exe, x, y = recorded
    net = str(tmp_path / "net")
    static.save_inference_model(net, [x], [y], exe, program=main)
    static.load_inference_model(net, exe)
    flip(tmp_path / "net.pdiparams", 70)
    with pytest.raises(ValueError, match=r"net\.pdiparams' .* the checksum differs"):
        static.load_inference_model(net, exe)
