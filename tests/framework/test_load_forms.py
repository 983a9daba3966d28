"""paddle.load of everything that older releases and other functions save (guide, 2.8.4)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.nn as nn
from paddle import static
from paddle.static import InputSpec
from tests.ir.corpus_cases import Case, read_case


def unpacked(name: str, folder: Path) -> tuple[Case, str, dict[str, Any]]:
    case = read_case(name)
    case.unpack(folder)
    where = case.meta["names"]
    path = str(folder / where.get("prefix", where.get("dirname")))
    return case, path, {k: v for k, v in where.items() if k.endswith("_filename")}


def stored(case: Case) -> dict[str, np.ndarray]:
    found = case.values("expected.npz")
    return {k.removeprefix("stored/"): v for k, v in found.items() if k.startswith("stored/")}


# 4.1: fluid.io.save_inference_model: default, with model_filename and both names, one file
@pytest.mark.parametrize("name", ["separate", "combined", "renamed"])
def test_parameters_of_save_inference_model(name: str, tmp_path: Path) -> None:
    case, path, files = unpacked(f"1.8.5_saved_{name}", tmp_path)
    state = paddle.load(path, **files)
    wanted = stored(case)
    assert state and set(state) <= set(wanted)
    for key, value in state.items():
        assert value.name == key and value.stop_gradient
        np.testing.assert_array_equal(value.numpy(), wanted[key])


def test_only_the_program_has_another_name(tmp_path: Path) -> None:
    case, path, _ = unpacked("1.8.5_saved_separate", tmp_path)
    (Path(path) / "__model__").rename(Path(path) / "__simplenet__")
    state = paddle.load(path, model_filename="__simplenet__")
    assert set(state) == {"fc_0.w_0", "fc_0.b_0", "fc_1.w_0", "fc_1.b_0"}
    with pytest.raises(FileNotFoundError, match="__model__"):
        paddle.jit.load(path)
    layer = paddle.jit.load(path, model_filename="__simplenet__")
    layer.eval()
    got = layer(*case.values("feeds.npz").values())
    np.testing.assert_allclose(got[0].numpy(), case.values("expected.npz")["fetch_0"], rtol=1e-5)


# 4.2: fluid.save
def test_parameters_of_fluid_save(tmp_path: Path) -> None:
    case, path, _ = unpacked("1.8.5_saved_training", tmp_path)
    params, state = paddle.load(path + ".pdparams"), paddle.load(path + ".pdopt")
    wanted = stored(case)
    assert set(params) | set(state) == set(wanted)
    for key, value in {**params, **state}.items():
        np.testing.assert_array_equal(value.numpy().reshape(wanted[key].shape), wanted[key])
    with pytest.raises(ValueError, match=r"prefix of other files(?s:.)*\.pdparams"):
        paddle.load(path)


# 4.3: fluid.io.save_params / save_persistables
def test_a_file_for_each_parameter(tmp_path: Path) -> None:
    case, path, _ = unpacked("1.8.5_saved_persistables", tmp_path)
    state = paddle.load(path)
    wanted = stored(case)
    assert set(state) == set(wanted)
    for key, value in state.items():
        np.testing.assert_array_equal(value.numpy().reshape(wanted[key].shape), wanted[key])


def test_one_file_of_all_parameters(tmp_path: Path) -> None:
    case, path, _ = unpacked("1.8.5_saved_persistables_file", tmp_path)
    file = f"{path}/{case.meta['names']['filename']}"
    with pytest.raises(ValueError, match="load_program_state"):
        paddle.load(file)
    program = paddle.load(str(tmp_path / case.meta["names"]["program"]))
    kept = [v for v in program.list_vars() if v.persistable]
    state = paddle.io.load_program_state(file, kept)
    wanted = stored(case)
    assert set(state) == set(wanted)
    for key, value in state.items():
        np.testing.assert_array_equal(value, wanted[key])


def test_layer_takes_the_parameters_of_a_static_model(tmp_path: Path) -> None:
    case, path, _ = unpacked("1.8.5_saved_separate", tmp_path)

    class Net(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            names = [[f"fc_{i}.w_0", f"fc_{i}.b_0"] for i in range(2)]
            wanted = stored(case)
            sizes = [wanted[w].shape for w, _ in names]
            self.layers = nn.LayerList(
                nn.Linear(*size, weight_attr=w, bias_attr=b)
                for size, (w, b) in zip(sizes, names, strict=True)
            )

    net = Net()
    missing, unexpected = net.set_state_dict(paddle.load(path), use_structured_name=False)
    assert not missing and not unexpected
    np.testing.assert_array_equal(net.layers[1].weight.numpy(), stored(case)["fc_1.w_0"])


# -- what 2.x saves -------------------------------------------------------------------------------


def test_program_and_state_of_a_static_model(tmp_path: Path) -> None:
    """003 3.2: paddle.save of a Program and of its state_dict."""
    x_value = np.random.RandomState(0).randn(2, 4).astype("float32")
    program_path, state_path = str(tmp_path / "main.pdimodel"), str(tmp_path / "main.pdiparams")
    paddle.enable_static()
    try:
        with static.scope_guard(static.Scope()):
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                x = static.data("x", [None, 4])
                y = static.nn.fc(x, 3)
            exe = static.Executor(paddle.CPUPlace())
            exe.run(startup)
            (want,) = exe.run(main, {"x": x_value}, [y])
            paddle.save(main, program_path)
            paddle.save(main.state_dict(), state_path)
        with static.scope_guard(static.Scope()):
            program = paddle.load(program_path)
            assert sorted(str(program).split()) == sorted(str(main).split())
            program.set_state_dict(paddle.load(state_path))
            (got,) = exe.run(program, {"x": x_value}, [y.name])
    finally:
        paddle.disable_static()
    np.testing.assert_array_equal(got, want)
    state = paddle.load(state_path)  # dynamic mode reads it too
    assert set(state) == {p.name for p in main.all_parameters()}


class Two(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.one = nn.Linear(4, 3)
        self.two = nn.Linear(4, 2)

    @paddle.jit.to_static(input_spec=[InputSpec([None, 4])])
    def forward(self, x: Any) -> Any:
        return self.one(x)

    @paddle.jit.to_static(input_spec=[InputSpec([None, 4])])
    def other(self, x: Any) -> Any:
        return self.two(x)


def test_parameters_of_all_methods(tmp_path: Path) -> None:
    layer, again = Two(), Two()
    path = str(tmp_path / "example.model" / "linear")
    paddle.jit.save(layer, path)
    state = paddle.load(path)
    assert sorted(state) == ["one.bias", "one.weight", "two.bias", "two.weight"]
    missing, unexpected = again.set_state_dict(state, use_structured_name=False)
    assert not missing and not unexpected
    for key, value in again.state_dict().items():
        np.testing.assert_array_equal(value.numpy(), layer.state_dict()[key].numpy())
    table = paddle.load(path, keep_name_table=True)["StructuredToParameterName@@"]
    assert table["two.bias"] == layer.two.bias.name
    arrays = paddle.load(path, return_numpy=True)
    assert all(isinstance(v, np.ndarray) for v in arrays.values())


def test_method_files_that_are_missing(tmp_path: Path) -> None:
    path = str(tmp_path / "net")
    paddle.jit.save(Two(), path)
    (tmp_path / "net.other.pdiparams").unlink()
    with pytest.raises(FileNotFoundError, match=r"paddle\.load: .*net\.other\.pdiparams'"):
        paddle.load(path)


def test_traced_model_of_1x(tmp_path: Path) -> None:
    case, path, files = unpacked("1.8.5_saved_traced", tmp_path)
    state = paddle.load(path, **files)
    layer = paddle.jit.load(path, **files)
    assert sorted(layer._members_of) == sorted(state)
    assert case.meta["release"].startswith("1.8")
