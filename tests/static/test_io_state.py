"""States of Programs: saved, loaded, set, variable by variable; and what is refused."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import static
from tests.static.harness import static as building
from tests.static.io_cases import Net, classifier


@pytest.fixture
def exe() -> Iterator[static.Executor]:
    with static.scope_guard(static.Scope()):
        yield static.Executor(paddle.CPUPlace())


@pytest.fixture
def net(exe: Any) -> Net:
    made = classifier()
    exe.run(made.startup)
    step(made, exe, 2)
    return made


def step(net: Net, exe: Any, count: int = 1) -> list[float]:
    return [float(exe.run(net.main, feed=net.feeds, fetch_list=[net.loss])[0][0])
            for _ in range(count)]  # fmt: skip


def values(program: Any) -> dict[str, np.ndarray]:
    return {k: v.numpy() for k, v in program.state_dict().items()}


def same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return set(a) == set(b) and all(np.array_equal(a[k], b[k]) for k in a)


def test_state_dict_by_kind(net: Net) -> None:
    params, opt = net.main.state_dict("param"), net.main.state_dict("opt")
    assert list(params) == [p.name for p in net.main.all_parameters()]
    assert "fc_0.w_0_moment1_0" in opt and "learning_rate_0" in opt
    assert set(params) | set(opt) == set(net.main.state_dict())
    assert not set(params) & set(opt)
    assert all(v.name == k for k, v in net.main.state_dict().items())
    assert params["fc_0.w_0"].shape == [6, 5]


def test_state_dict_of_another_scope(net: Net, exe: Any) -> None:
    other = static.Scope()
    exe.run(net.startup, scope=other)
    mine, its = net.main.state_dict(), net.main.state_dict(scope=other)
    assert not np.array_equal(mine["fc_0.w_0"].numpy(), its["fc_0.w_0"].numpy())
    net.main.set_state_dict(mine, scope=other)
    assert same(values(net.main), {k: v.numpy() for k, v in its.items()})


def test_setting_copies(net: Net) -> None:
    bias = np.array([1, 2, 3], "float32")
    net.main.set_state_dict({"fc_1.b_0": bias})
    bias[:] = 0
    np.testing.assert_array_equal(net.main.state_dict()["fc_1.b_0"].numpy(), [1, 2, 3])
    tensor = paddle.to_tensor([4.0, 5.0, 6.0])
    net.main.set_state_dict({"fc_1.b_0": tensor})
    tensor.fill_(0.0) if hasattr(tensor, "fill_") else tensor.set_value(np.zeros(3, "float32"))
    np.testing.assert_array_equal(net.main.state_dict()["fc_1.b_0"].numpy(), [4, 5, 6])


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_training_goes_on_after_load(net: Net, exe: Any, tmp_path: Path, protocol: int) -> None:
    prefix = str(tmp_path / "deep" / "net")
    static.save(net.main, prefix, protocol)
    paddle.seed(5)
    want = step(net, exe, 2)
    assert sorted(p.name for p in (tmp_path / "deep").iterdir()) == [
        "net.pdmodel", "net.pdopt", "net.pdparams",
    ]  # fmt: skip
    for path in (prefix, prefix + ".pdparams", prefix + ".pdmodel"):
        static.load(net.main, path, exe)
        paddle.seed(5)
        assert step(net, exe, 2) == want


def test_files_are_plain_dicts_of_arrays(net: Net, tmp_path: Path) -> None:
    static.save(net.main, str(tmp_path / "net"))
    params = pickle.loads((tmp_path / "net.pdparams").read_bytes())
    opt = pickle.loads((tmp_path / "net.pdopt").read_bytes())
    assert list(params) == list(net.main.state_dict("param"))
    assert list(opt) == list(net.main.state_dict("opt"))
    assert same({**params, **opt}, values(net.main))
    assert (tmp_path / "net.pdmodel").read_bytes() == net.main.desc.serialize_to_string()
    assert (tmp_path / "net.pdparams").read_bytes()[:2] == b"\x80\x02"


def test_program_without_optimizer_has_an_empty_state(exe: Any, tmp_path: Path) -> None:
    with building() as (main, startup):
        static.nn.fc(static.data("x", [None, 2]), 2)
    exe.run(startup)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        static.save(main, str(tmp_path / "net"), protocol=3)
    assert pickle.loads((tmp_path / "net.pdopt").read_bytes()) == {}
    (tmp_path / "net.pdopt").unlink()
    static.load(main, str(tmp_path / "net"))


def test_bfloat16_keeps_its_bits(exe: Any, tmp_path: Path) -> None:
    with building() as (main, _):
        main.global_block().create_parameter(name="w", shape=[3], dtype="bfloat16")
    value = paddle.to_tensor([1.5, -2.0, 0.1]).astype("bfloat16")
    main.set_state_dict({"w": value})
    static.save(main, str(tmp_path / "net"))
    state = static.load_program_state(str(tmp_path / "net"))
    assert state["w"].dtype == np.uint16
    streams = static.save_vars(exe, None, main)
    for load in (
        lambda: static.load(main, str(tmp_path / "net")),
        lambda: static.set_program_state(main, state),
        lambda: static.load_vars(exe, None, main, filename=streams),
    ):
        main.set_state_dict({"w": paddle.zeros([3], "bfloat16")})
        load()
        found = main.state_dict()["w"]
        assert found.dtype == value.dtype
        np.testing.assert_array_equal(found.numpy(), value.numpy())


def test_some_variables_of_a_file(net: Net, exe: Any, tmp_path: Path) -> None:
    static.save(net.main, str(tmp_path / "net"))
    saved = values(net.main)
    step(net, exe)
    chosen = [v for v in net.main.list_vars() if v.name.startswith("fc_0") and v.persistable]
    static.load(net.main, str(tmp_path / "net"), exe, chosen)
    now = values(net.main)
    assert all(np.array_equal(now[v.name], saved[v.name]) for v in chosen)
    assert not np.array_equal(now["fc_1.w_0"], saved["fc_1.w_0"])
    state = static.load_program_state(str(tmp_path / "net"), chosen)
    assert set(state) == {v.name for v in chosen}


def test_inference_model_as_a_state(net: Net, exe: Any, tmp_path: Path) -> None:
    static.save_inference_model(str(tmp_path / "m"), [net.x], [net.out], exe, program=net.main)
    state = static.load_program_state(str(tmp_path / "m"))
    assert same(state, {k: v.numpy() for k, v in net.main.state_dict("param").items()} | {
        k: v for k, v in values(net.main).items() if k in state})  # fmt: skip
    other = classifier()
    with static.scope_guard(static.Scope()):
        exe.run(other.startup)
        static.set_program_state(other.main, state)
        np.testing.assert_array_equal(other.infer(exe), net_infer(net, exe, state))


def net_infer(net: Net, exe: Any, state: dict[str, np.ndarray]) -> np.ndarray:
    with static.scope_guard(static.Scope()):
        exe.run(net.startup)
        net.main.set_state_dict(state)
        return net.infer(exe)


@pytest.mark.parametrize("filename", [None, "all"])
def test_variables_in_files(net: Net, exe: Any, tmp_path: Path, filename: str | None) -> None:
    saved = values(net.main)
    folder = str(tmp_path / "vars")
    assert static.save_vars(exe, folder, net.main, filename=filename) is None
    names = [p.name for p in (tmp_path / "vars").iterdir()]
    assert sorted(names) == (sorted(saved) if filename is None else ["all"])
    step(net, exe)
    assert not same(values(net.main), saved)
    static.load_vars(exe, folder, net.main, filename=filename)
    assert same(values(net.main), saved)
    step(net, exe)
    kept = [v for v in net.main.list_vars() if v.persistable]
    path = folder if filename is None else f"{folder}/{filename}"
    static.load(net.main, path, exe, kept)
    assert same(values(net.main), saved)
    assert same(static.load_program_state(path, kept), saved)


def test_chosen_variables_in_files(net: Net, exe: Any, tmp_path: Path) -> None:
    def weights(v: Any) -> bool:
        return v.persistable and v.name.endswith(".w_0")

    static.save_vars(exe, str(tmp_path / "a"), net.main, predicate=weights)
    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == [
        "batch_norm_0.w_0", "fc_0.w_0", "fc_1.w_0",
    ]  # fmt: skip
    var = net.main.global_block().var("fc_1.b_0")
    data = static.save_vars(exe, None, vars=[var])
    net.main.set_state_dict({"fc_1.b_0": np.zeros(3, "float32")})
    static.load_vars(exe, None, vars=[var], filename=data)
    assert np.abs(net.main.state_dict()["fc_1.b_0"].numpy()).min() > 0


def test_levels_of_detail_are_stored(exe: Any, tmp_path: Path) -> None:
    with building() as (main, _):
        main.global_block().create_var(name="t", shape=[-1, 2], dtype="float32", persistable=True,
                                       lod_level=1)  # fmt: skip
    held = static.global_scope().var("t").get_tensor()
    held.set(np.arange(10, dtype="float32").reshape(5, 2))
    held.set_lod([[0, 2, 5]])
    static.save_vars(exe, str(tmp_path), main)
    with static.scope_guard(static.Scope()):
        static.load_vars(exe, str(tmp_path), main)
        found = static.global_scope().find_var("t").get_tensor()
        assert found.lod() == [[0, 2, 5]]
        np.testing.assert_array_equal(found.numpy()[:, 1], [1, 3, 5, 7, 9])


def test_paddle_save_of_a_program_and_its_state(net: Net, exe: Any, tmp_path: Path) -> None:
    paddle.save(net.main, str(tmp_path / "main_program.pdimodel"))
    paddle.save(net.main.state_dict(), str(tmp_path / "main_program.pdiparams"))
    assert (tmp_path / "main_program.pdimodel").read_bytes() == net.main.desc.serialize_to_string()
    want = values(net.main)
    program = paddle.load(str(tmp_path / "main_program.pdimodel"))
    assert str(program) == str(static.Program.parse_from_string(program.desc.serialize_to_string()))
    with static.scope_guard(static.Scope()):
        program.set_state_dict(paddle.load(str(tmp_path / "main_program.pdiparams")))
        assert same(values(program), want)


# -- what is refused ------------------------------------------------------------------------------


def test_values_of_another_program_change_nothing(net: Net, exe: Any) -> None:
    before = values(net.main)
    wrong = {
        "fc_1.b_0": np.ones(3, "float32"),
        "fc_0.w_0": np.ones([6, 4], "float32"),
        "fc_1.w_0": np.ones([5, 3], "float64"),
        "other": np.ones(1, "float32"),
    }
    text = (r"fc_0\.w_0: expected shape \[6, 5\], got \[6, 4\]; "
            r"fc_1\.w_0: expected float32, got float64")  # fmt: skip
    for function in (net.main.set_state_dict, lambda s: static.set_program_state(net.main, s)):
        with pytest.raises(ValueError, match=text):
            function(wrong)
    assert same(values(net.main), before)


def test_entries_without_a_variable_are_told(net: Net) -> None:
    state = {"mine": np.ones(1, "float32"), "fc_1.b_0": np.ones(3, "float32"), "LR_Scheduler": {}}
    text = r"no variable for 'mine', 'LR_Scheduler', which are not set; .* stay 'batch_norm_0\.b_0'"
    with pytest.warns(UserWarning, match=text):
        static.set_program_state(net.main, state)
    np.testing.assert_array_equal(net.main.state_dict()["fc_1.b_0"].numpy(), np.ones(3))


def test_state_of_another_program(net: Net, exe: Any, tmp_path: Path) -> None:
    with building() as (small, startup):
        static.nn.fc(static.data("x", [None, 6]), 5)
    exe.run(startup)
    static.save(small, str(tmp_path / "small"))
    before = values(net.main)
    text = r"no value for 'batch_norm_0\.b_0',.* and \d+ more"
    with pytest.raises(ValueError, match=text):
        static.load(net.main, str(tmp_path / "small"))
    (tmp_path / "small.pdopt").unlink()
    with pytest.raises(ValueError, match=r"has no 'batch_norm_0.*no file '.*small\.pdopt'"):
        static.load(net.main, str(tmp_path / "small"))
    assert same(values(net.main), before)


def test_uninitialised_and_wrong_arguments(exe: Any, tmp_path: Path) -> None:
    net = classifier()
    text = r"\d+ of \d+ variables are not initialized: .*\n.*run the startup program first"
    with pytest.raises(RuntimeError, match=text):
        static.save(net.main, str(tmp_path / "net"))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(RuntimeError, match=text):
        net.main.state_dict()
    with pytest.raises(RuntimeError, match=text):
        static.save_vars(exe, str(tmp_path / "vars"), net.main)
    with pytest.raises(ValueError, match=r"expected one of 'param', 'opt', 'all', .* 'x'"):
        net.main.state_dict("x")
    with pytest.raises(TypeError, match=r"state_dict\(mode\): expected a str, but received int"):
        net.main.state_dict(1)
    with pytest.raises(TypeError, match=r"scope\): expected a Scope, but received dict"):
        net.main.state_dict(scope={})
    with pytest.raises(TypeError, match=r"state_dict\): expected a dict, but received list"):
        static.set_program_state(net.main, [])
    with pytest.raises(TypeError, match=r"for variable 'fc_1\.b_0', but received object"):
        static.set_program_state(net.main, {"fc_1.b_0": object()})
    with pytest.raises(TypeError, match=r"program\): expected a Program, but received NoneType"):
        static.save(None, str(tmp_path / "net"))
    with pytest.raises(ValueError, match="whose name is empty"):
        static.save(net.main, str(tmp_path) + "/")
    with pytest.raises(ValueError, match="pickle_protocol to be 2, 3 or 4, but received 5"):
        static.save(net.main, str(tmp_path / "net"), 5)
    with pytest.raises(TypeError, match=r"executor\): expected a paddle.static.Executor"):
        static.load(net.main, str(tmp_path / "net"), paddle.CPUPlace())
    with pytest.raises(TypeError, match=r"vars\[0\] to be a Variable, but received str"):
        static.load_vars(exe, str(tmp_path), net.main, vars=["fc_0.w_0"])
    with pytest.raises(TypeError, match=r"predicate\): expected a function of a Variable"):
        static.save_vars(exe, str(tmp_path), net.main, predicate=1)


def test_files_that_are_not_there(net: Net, exe: Any, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no file '.*net\.pdparams'; .* is empty"):
        static.load(net.main, str(tmp_path / "net"), exe)
    with pytest.raises(FileNotFoundError, match=r"no file '.*net\.pdparams'"):
        static.load_program_state(str(tmp_path / "net"))
    with pytest.raises(FileNotFoundError, match="holds no parameter files"):
        static.load_program_state(str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"no file '.*all'; the folder .* is empty"):
        static.load_vars(exe, str(tmp_path), net.main, filename="all")
    static.save_vars(exe, str(tmp_path), net.main)
    (tmp_path / "fc_0.w_0").unlink()
    with pytest.raises(FileNotFoundError, match=r"no files '.*fc_0\.w_0' for 1 of \d+ variables"):
        static.load_vars(exe, str(tmp_path), net.main)


def test_files_that_do_not_say_enough(net: Net, exe: Any, tmp_path: Path) -> None:
    static.save_vars(exe, str(tmp_path), net.main, filename="all")
    path = str(tmp_path / "all")
    with pytest.raises(ValueError, match=r"tensors without their names.*\n.*var_list="):
        static.load_program_state(path)
    with pytest.raises(ValueError, match=r"more bytes follow it.*\n.*load_program_state\(file"):
        static.load_program_state(str(tmp_path))
    with pytest.raises(ValueError, match=r"bytes are left.*\n.*2 variables were expected"):
        static.load_program_state(path, net.main.all_parameters()[:2])
    with pytest.raises(ValueError, match=r"tensor.*several.*\n.*paddle\.load\(prefix\)"):
        paddle.load(path)


def test_names_cannot_leave_the_folder(exe: Any, tmp_path: Path) -> None:
    for name in ("../x", "/tmp/x", "a/../../x"):
        with building() as (main, _):
            main.global_block().create_parameter(name=name, shape=[1], dtype="float32")
        main.set_state_dict({name: np.ones(1, "float32")})
        for use in (static.save_vars, static.load_vars):
            with pytest.raises(ValueError, match="it would lie outside"):
                use(exe, str(tmp_path / "in"), main)
        assert not (tmp_path / "x").exists()
    with building() as (main, _):
        main.global_block().create_parameter(name="layer/w", shape=[1], dtype="float32")
    main.set_state_dict({"layer/w": np.ones(1, "float32")})
    static.save_vars(exe, str(tmp_path / "in"), main)
    assert (tmp_path / "in" / "layer" / "w").is_file()
    assert list(static.load_program_state(str(tmp_path / "in"))) == ["layer/w"]
