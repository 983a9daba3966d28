"""paddle.jit.load: every layout of 1.x and 2.x, and files that are missing, damaged or mixed up."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.nn as nn
from paddle import static
from tests.ir.corpus_cases import Case, names, read_case
from tests.jit.cases.saved_cases import FOUR, Methods, Plain, batch

CASES = [n for n in names("saved") if read_case(n).meta["layout"] in ("inference", "jit")]


def unpacked(name: str, folder: Path) -> tuple[Case, str, dict[str, Any]]:
    case = read_case(name)
    case.unpack(folder)
    where = case.meta["names"]
    path = str(folder / where.get("prefix", where.get("dirname")))
    return case, path, {k: v for k, v in where.items() if k.endswith("_filename")}


def listed(found: Any) -> list[np.ndarray]:
    return [t.numpy() for t in (found if isinstance(found, list) else [found])]


def check_outputs(case: Case, found: Any) -> None:
    want = [v for k, v in case.values("expected.npz").items() if k.startswith("fetch_")]
    got = listed(found)
    assert len(got) == len(want)
    for a, b in zip(got, want, strict=True):
        assert a.dtype == b.dtype and a.shape == (b.shape or (1,))
        np.testing.assert_allclose(a.reshape(b.shape), b, rtol=1e-5, atol=1e-6)


# -- models of other releases ---------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_layer_gives_the_numbers_of_the_release(name: str, tmp_path: Path) -> None:
    case, path, files = unpacked(name, tmp_path)
    layer = paddle.jit.load(path, **files)
    assert isinstance(layer, paddle.jit.TranslatedLayer) and isinstance(layer, nn.Layer)
    layer.eval()
    feeds = case.values("feeds.npz")
    check_outputs(case, layer(*feeds.values()))
    if case.meta["feeds"] != [None]:
        check_outputs(case, layer(**{k: paddle.to_tensor(v) for k, v in feeds.items()}))


@pytest.mark.parametrize("name", CASES)
def test_saved_again_gives_the_same(name: str, tmp_path: Path) -> None:
    case, path, files = unpacked(name, tmp_path)
    layer = paddle.jit.load(path, **files)
    again = str(tmp_path / "again" / "net")
    paddle.jit.save(layer, again)
    second = paddle.jit.load(again)
    second.eval()
    check_outputs(case, second(*case.values("feeds.npz").values()))
    assert sorted(second.state_dict()) == sorted(layer.state_dict())
    assert [p.trainable for p in second.parameters()] == [p.trainable for p in layer.parameters()]
    assert second.program().program_version == layer.program().program_version


def test_what_1x_can_train_is_found_out(tmp_path: Path) -> None:
    _, path, _ = unpacked("1.8.5_saved_traced", tmp_path)
    layer = paddle.jit.load(path)
    assert [t.shape for t in layer.parameters()] == [[4], [4], [4], [6, 4], [2], [4, 2]]
    assert all(p.trainable for p in layer.parameters())
    assert len(layer.buffers()) == 2  # the running statistics
    layer.train()
    before = [b.numpy() for b in layer.buffers()]
    layer(paddle.to_tensor(batch(rows=3, width=6))).sum().backward()
    assert all(p.grad is not None for p in layer.parameters())
    assert all((b.numpy() != old).any() for b, old in zip(layer.buffers(), before, strict=True))


def test_table_of_262_tells_what_is_trained(tmp_path: Path) -> None:
    _, path, _ = unpacked("2.6.2_saved_jit", tmp_path)
    layer = paddle.jit.load(path)
    table = pickle.loads(Path(path + ".pdiparams.info").read_bytes())
    kinds = [table[n].get("trainable") for n in sorted(table)]
    assert [p.trainable for p in layer.parameters()] == [k for k in kinds if k is not None]
    assert len(layer.buffers()) == kinds.count(None)
    state = paddle.load(path)
    for name, (kind, key) in layer._members_of.items():
        held = getattr(layer, kind)[key]
        np.testing.assert_array_equal(held.numpy(), state[table[name]["structured_name"]].numpy())


# -- paths ----------------------------------------------------------------------------------------


def test_names_of_a_model(tmp_path: Path, monkeypatch: Any) -> None:
    net = nn.Linear(4, 3)
    paddle.jit.save(net, str(tmp_path / "net"), FOUR)
    want = net(paddle.to_tensor(batch())).numpy()
    monkeypatch.chdir(tmp_path)
    for path in (tmp_path / "net", str(tmp_path / "net.pdmodel"), "net", "./net.pdiparams"):
        np.testing.assert_array_equal(paddle.jit.load(path)(batch()).numpy(), want)
    (tmp_path / "other").mkdir()
    shutil.copy(tmp_path / "net.pdmodel", tmp_path / "other" / "model")
    shutil.copy(tmp_path / "net.pdiparams", tmp_path / "other" / "values")
    layer = paddle.jit.load("other", model_filename="model", params_filename="values")
    np.testing.assert_array_equal(layer(batch()).numpy(), want)


def test_model_of_save_inference_model(tmp_path: Path) -> None:
    with static.scope_guard(static.Scope()):
        main, startup = static.Program(), static.Program()
        paddle.enable_static()
        try:
            with static.program_guard(main, startup):
                x = static.data("x", [None, 4])
                y = static.nn.fc(x, 2, activation="relu")
            exe = static.Executor(paddle.CPUPlace())
            exe.run(startup)
            static.save_inference_model(str(tmp_path / "net"), [x], [y], exe, program=main)
            (want,) = exe.run(main, {"x": batch()}, [y])
        finally:
            paddle.disable_static()
    layer = paddle.jit.load(str(tmp_path / "net"))
    np.testing.assert_allclose(layer(batch()).numpy(), want, rtol=1e-6)
    assert [p.shape for p in layer.parameters()] == [[2], [4, 2]]


def test_methods_and_other_models_of_similar_names(tmp_path: Path) -> None:
    layer = Methods()
    paddle.jit.save(layer, str(tmp_path / "net"))
    paddle.jit.save(nn.Linear(4, 3), str(tmp_path / "net.v2"), FOUR)  # a model of its own
    paddle.jit.save(nn.Linear(4, 3), str(tmp_path / "net.best-1"), FOUR)
    loaded = paddle.jit.load(str(tmp_path / "net"))
    assert sorted(loaded._methods) == ["another_forward", "forward"]
    assert len(loaded.parameters()) == 4
    x = paddle.to_tensor(batch())
    np.testing.assert_allclose(
        loaded.another_forward(x)[0].numpy(), layer.another_forward(x, 2.0)[0].numpy(), rtol=1e-5
    )


# -- errors ---------------------------------------------------------------------------------------


def test_nothing_there(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "notes.txt").write_text("")
    for path, text in (
        (tmp_path / "net", r"no file '.*net\.pdmodel'; the folder '.*' holds folder"),
        (tmp_path / "no" / "net", r"the folder '.*no' does not exist"),
        (tmp_path / "folder", r"no file '.*__model__'; the folder '.*' holds notes\.txt"),
    ):
        with pytest.raises(FileNotFoundError, match=text) as caught:
            paddle.jit.load(str(path))
        assert isinstance(caught.value, RuntimeError) and "paddle.jit.load" in str(caught.value)
    with pytest.raises(FileNotFoundError, match=r"no file '.*folder/m'"):
        paddle.jit.load(str(tmp_path / "folder"), model_filename="m")


def test_wrong_arguments(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"paddle\.jit\.load\(path\): expected a str.* int"):
        paddle.jit.load(3)
    with pytest.raises(TypeError, match=r"load\(model_filename\): expected a str.* int"):
        paddle.jit.load(str(tmp_path), model_filename=3)
    with pytest.raises(ValueError, match="no option 'file'; the options are model_filename"):
        paddle.jit.load(str(tmp_path), file="x")


def test_parameter_files_that_are_missing(tmp_path: Path) -> None:
    paddle.jit.save(Methods(), str(tmp_path / "net"))
    (tmp_path / "net.pdiparams").rename(tmp_path / "moved")
    with pytest.raises(FileNotFoundError, match=r"no file '.*net\.pdiparams'; .* holds moved"):
        paddle.jit.load(str(tmp_path / "net"))
    (tmp_path / "moved").rename(tmp_path / "net.pdiparams")
    (tmp_path / "net.another_forward.pdiparams").unlink()
    with pytest.raises(FileNotFoundError, match=r"no file '.*net\.another_forward\.pdiparams'"):
        paddle.jit.load(str(tmp_path / "net"))


def test_separate_parameter_files_that_are_missing(tmp_path: Path) -> None:
    layer = nn.Linear(4, 3)
    paddle.jit.save(layer, str(tmp_path / "net"), FOUR, separate_params=True)
    (tmp_path / "net" / layer.bias.name).unlink()
    with pytest.raises(FileNotFoundError, match=rf"{layer.bias.name}' for 1 of 2 variables"):
        paddle.jit.load(str(tmp_path / "net"))
    with pytest.raises(FileNotFoundError, match=r"no file '.*weights'"):
        paddle.jit.load(str(tmp_path / "net"), params_filename="weights")


@pytest.mark.parametrize("suffix", [".pdmodel", ".pdiparams", ".pdiparams.info"])
@pytest.mark.parametrize("keep", [0.0, 0.5, 0.95])
def test_truncated_files(suffix: str, keep: float, tmp_path: Path) -> None:
    paddle.jit.save(Plain(), str(tmp_path / "net"), FOUR)
    path = tmp_path / f"net{suffix}"
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * keep)])
    with pytest.raises(ValueError, match=r"net\.pd") as caught:
        paddle.jit.load(str(tmp_path / "net"))
    assert f"net{suffix}'" in str(caught.value)


def test_files_of_another_model(tmp_path: Path) -> None:
    paddle.jit.save(nn.Linear(4, 3), str(tmp_path / "net"), FOUR)
    other = nn.Linear(4, 5)
    paddle.jit.save(other, str(tmp_path / "other"), FOUR)
    paddle.jit.save(Plain(), str(tmp_path / "large"), FOUR)
    together = r"net\.pdiparams' .* is not the file that was saved together with '.*info'"
    shutil.copy(tmp_path / "other.pdiparams", tmp_path / "net.pdiparams")
    with pytest.raises(ValueError, match=together):
        paddle.jit.load(str(tmp_path / "net"))
    paddle.jit.save(nn.Linear(4, 3), str(tmp_path / "net"), FOUR)
    for info in tmp_path.glob("*.info"):  # files of PaddlePaddle have no checksums
        info.write_bytes(info.read_bytes().partition(b"\0paddle-seal-1\0")[0])
    for source, text in (
        ("other.pdiparams", r"shape"),
        ("large.pdiparams", r"net\.pdiparams' .* bytes are left"),
        ("other.pdiparams.info", rf"of another model .* but of .*{other.bias.name}"),
    ):
        target = tmp_path / f"net.{source.partition('.')[2]}"
        kept = target.read_bytes()
        shutil.copy(tmp_path / source, target)
        with pytest.raises(ValueError, match=text):
            paddle.jit.load(str(tmp_path / "net"))
        target.write_bytes(kept)
    paddle.jit.load(str(tmp_path / "net"))


def test_methods_of_an_older_model_left_behind(tmp_path: Path) -> None:
    layer = Methods()
    paddle.jit.save(layer, str(tmp_path / "net"))
    layer.one.weight.set_value(layer.one.weight + 1.0)
    paddle.jit.save(layer.forward, str(tmp_path / "net"))
    assert (tmp_path / "net.another_forward.pdmodel").exists()
    text = r"'another_forward' is left out: variable '.*' has one value .* files are of two models"
    with pytest.warns(UserWarning, match=text):
        loaded = paddle.jit.load(str(tmp_path / "net"))
    x = paddle.to_tensor(batch())
    np.testing.assert_allclose(loaded(x).numpy(), layer(x).numpy(), rtol=1e-5)
    with pytest.raises(AttributeError, match=r"was not loaded: .* of two models"):
        loaded.another_forward(x)
    paddle.jit.save(Plain(), str(tmp_path / "net"), FOUR)  # a model with other variables
    text = r"left out: '.*net\.pdiparams\.info' is of another model than '.*another_forward\.pdmod"
    with pytest.warns(UserWarning, match=text):
        assert list(paddle.jit.load(str(tmp_path / "net"))._methods) == ["forward"]
    with pytest.warns(UserWarning, match=text):
        assert "first.weight" in paddle.load(str(tmp_path / "net"))


def test_files_that_are_no_models(tmp_path: Path) -> None:
    paddle.save(nn.Linear(4, 3).state_dict(), str(tmp_path / "net.pdparams"))
    with pytest.raises(FileNotFoundError, match=r"'.*net\.pdparams' is of static\.save"):
        paddle.jit.load(str(tmp_path / "net"))
    case = read_case("1.8.5_saved_training")
    case.unpack(tmp_path / "train")
    prefix = str(tmp_path / "train" / case.meta["names"]["prefix"])
    with pytest.raises(ValueError, match=r"states no outputs.*not a model for inference"):
        paddle.jit.load(prefix)
    (tmp_path / "text.pdmodel").write_text("hello")
    with pytest.raises(ValueError, match=r"text\.pdmodel' \(5 bytes\)"):
        paddle.jit.load(str(tmp_path / "text"))


def test_a_table_that_is_none(tmp_path: Path) -> None:
    paddle.jit.save(nn.Linear(4, 3), str(tmp_path / "net"), FOUR)
    (tmp_path / "net.pdiparams.info").write_bytes(pickle.dumps([1], protocol=2))
    with pytest.raises(ValueError, match=r"expected a table of parameters in '.*net\.pdiparams"):
        paddle.jit.load(str(tmp_path / "net"))
