"""States, Programs and nested objects that PaddlePaddle 1.8.5 and 2.6.2 saved, read here."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn, static
from tests.jit.cases.model_cases import Case, close, names, read_case

TRAINING = names("training")
WHOLE = [n for n in TRAINING if read_case(n).meta["layout"] == "save"]
VARIABLES = [n for n in TRAINING if n not in WHOLE]
STATES = names("state")


@pytest.fixture
def exe() -> Iterator[static.Executor]:
    with static.scope_guard(static.Scope()):
        yield static.Executor(paddle.CPUPlace())


def check_stored(found: dict[str, Any], wanted: dict[str, np.ndarray]) -> None:
    """Equal values, whose rank 0 may have become [1]."""
    assert set(found) == set(wanted)
    for key, value in wanted.items():
        array = np.asarray(found[key].numpy() if hasattr(found[key], "numpy") else found[key])
        assert array.dtype == value.dtype, key
        assert array.shape == (value.shape or (1,)) or array.shape == value.shape, key
        np.testing.assert_array_equal(array.reshape(value.shape), value)


def next_step(exe: Any, program: Any, case: Case) -> None:
    feeds = {k.removeprefix("0/"): v for k, v in case.feeds.items()}
    for k, value in enumerate(exe.run(program, feed=feeds, fetch_list=case.meta["fetches"])):
        close(value, case.expected[f"0/{k}"], f"output {k}")


# -- static graphs --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WHOLE)
def test_training_goes_on(name: str, tmp_path: Path, exe: Any) -> None:
    """fluid.save and static.save: the next loss, and the same bytes of the Program."""
    case = read_case(name)
    path = case.unpack(tmp_path)
    program = paddle.load(path + ".pdmodel")
    static.load(program, path, exe)
    check_stored(program.state_dict(), case.of("stored/"))
    static.save(program, str(tmp_path / "again"))
    assert (tmp_path / "again.pdmodel").read_bytes() == case.files["model/net.pdmodel"]
    check_stored(static.load_program_state(str(tmp_path / "again")), case.of("stored/"))
    next_step(exe, program, case)


@pytest.mark.parametrize("name", WHOLE)
def test_paddle_load_of_a_static_state(name: str, tmp_path: Path) -> None:
    case = read_case(name)
    path = case.unpack(tmp_path)
    found = {**paddle.load(path + ".pdparams"), **paddle.load(path + ".pdopt")}
    check_stored(found, case.of("stored/"))
    paddle.save(found, str(tmp_path / "again.pdparams"))
    check_stored(paddle.load(str(tmp_path / "again.pdparams")), case.of("stored/"))


@pytest.mark.parametrize("name", VARIABLES)
def test_variables_of_1x(name: str, tmp_path: Path, exe: Any) -> None:
    """save_params, save_persistables: a file for each variable, or one for all."""
    case = read_case(name)
    folder = case.unpack(tmp_path)
    file = case.meta["names"].get("filename")
    program = paddle.load(str(tmp_path / case.meta["names"]["program"]))
    everything = case.meta["layout"] == "save_persistables"
    # A Program of 1.8.5 does not tell its Parameters; the folder of save_params does.
    listed = [k for k in read_case("1.8.5/save_params").files if k.startswith("model/")]
    wanted = case.of("stored/")
    if not everything:
        wanted = {k: v for k, v in wanted.items() if f"model/{k}" in listed}
    kept = [v for v in program.list_vars() if v.name in wanted]
    static.load_vars(exe, folder, program, vars=kept, filename=file)
    scope = static.global_scope()
    check_stored({k: scope.find_var(k).get_tensor().numpy() for k in wanted}, wanted)
    path = folder if file is None else f"{folder}/{file}"
    found = static.load_program_state(path, None if file is None else kept)
    check_stored(found, wanted)
    static.save_vars(exe, str(tmp_path / "again"), program, vars=kept, filename=file)
    for key, content in case.files.items():
        if key.startswith("model/"):
            assert (tmp_path / "again" / key.removeprefix("model/")).read_bytes() == content, key
    if everything:
        next_step(exe, program, case)


@pytest.mark.parametrize("name", names("program"))
def test_program(name: str, tmp_path: Path, exe: Any) -> None:
    """paddle.save of a Program and of its state_dict."""
    case = read_case(name)
    program = paddle.load(case.unpack(tmp_path))
    state = paddle.load(str(tmp_path / "model" / "all.pdparams"))
    check_stored(state, case.of("stored/"))
    program.set_state_dict(state)
    feeds = {k.removeprefix("0/"): v for k, v in case.feeds.items()}
    for k, value in enumerate(exe.run(program, feed=feeds, fetch_list=case.meta["fetches"])):
        close(value, case.expected[f"0/{k}"], f"output {k}")
    paddle.save(program, str(tmp_path / "again.pdmodel"))
    assert (tmp_path / "again.pdmodel").read_bytes() == case.files["model/net.pdmodel"]
    parameters = paddle.load(str(tmp_path / "model" / "net.pdparams"))
    assert set(parameters) <= set(state)


# -- layers ---------------------------------------------------------------------------------------


class Old(nn.Layer):
    """The layer of models_185_dygraph.py whose state was saved."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm, self.last = nn.Linear(5, 6), nn.BatchNorm(6), nn.Linear(6, 2)

    def forward(self, x: Any) -> Any:
        return self.last(self.norm(F.relu(self.first(x))))


class New(nn.Layer):
    """That of models_262_states.py."""

    def __init__(self) -> None:
        super().__init__()
        self.linear, self.norm = nn.Linear(6, 4), nn.BatchNorm1D(4, momentum=0.8)
        self.last = nn.Linear(4, 2)

    def forward(self, x: Any) -> Any:
        return self.last(F.leaky_relu(self.norm(self.linear(x)), 0.1))


@pytest.mark.parametrize("name", STATES)
def test_state_of_a_layer(name: str, tmp_path: Path) -> None:
    """The layer and Adam take the state: the next losses are those of the release."""
    case = read_case(name)
    path = case.unpack(tmp_path)
    state = paddle.load(path + ".pdparams")
    check_stored(state, case.of("stored/"))
    table = paddle.load(path + ".pdparams", keep_name_table=True)["StructuredToParameterName@@"]
    assert table == {key: str(value) for key, value in case.of("name/").items()}
    moments = paddle.load(path + ".pdopt")
    check_stored({k: v for k, v in moments.items() if k in case.of("opt/")}, case.of("opt/"))
    with paddle.utils.unique_name.guard():
        layer = Old() if name.startswith("1.8.5") else New()
    layer.set_state_dict(state)
    if name.startswith("1.8.5"):  # schedules of 1.8.5 were other classes
        assert moments.pop("LR_Scheduler") == {"step_num": 3}
        assert moments.pop("global_step").numpy() == [3]
        rate = paddle.optimizer.lr.ExponentialDecay(0.1, 0.5, last_epoch=2)
        moments["LR_Scheduler"] = rate.state_dict()
    else:
        rate = paddle.optimizer.lr.StepDecay(0.1, 2, 0.5)
    adam = paddle.optimizer.Adam(rate, parameters=layer.parameters())
    adam.set_state_dict(moments)
    x, y = paddle.to_tensor(case.feeds["x"]), paddle.to_tensor(case.feeds["y"])
    losses = []
    for _ in range(2):
        loss = paddle.mean(paddle.square(layer(x) - y))
        losses.append(float(loss))
        loss.backward()
        adam.step()
        adam.clear_grad()
    close(np.array(losses, "float32"), case.expected["losses"][3:], "losses")
    paddle.save(layer.state_dict(), str(tmp_path / "again.pdparams"))
    again = paddle.load(str(tmp_path / "again.pdparams"))
    check_stored(again, {k: v.numpy() for k, v in layer.state_dict().items()})


# -- nested objects -------------------------------------------------------------------------------


def leaves(path: str, value: Any, found: dict[str, Any]) -> dict[str, Any]:
    """Tensors, arrays and plain values of a pytree by their paths, None left out."""
    if isinstance(value, dict):
        for key, item in value.items():
            leaves(f"{path}/{key}", item, found)
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            leaves(f"{path}/{i}", item, found)
    elif value is not None:
        found[path] = value
    return found


def array_of(value: Any) -> np.ndarray:
    if isinstance(value, paddle.Tensor):
        wide = value.astype("float32") if value.dtype == paddle.bfloat16 else value
        return wide.numpy()
    return np.asarray(value)


OBJECTS = read_case("2.6.2/objects").meta["files"]


@pytest.mark.parametrize("file", OBJECTS)
@pytest.mark.parametrize("return_numpy", [False, True])
def test_nested_object(file: str, return_numpy: bool, tmp_path: Path) -> None:
    case = read_case("2.6.2/objects")
    ending = ".pdparams" if file == "layer" else ".pdtensor"
    path = f"{case.unpack(tmp_path)}/{file}{ending}"
    made = paddle.load(path, return_numpy=return_numpy)
    paddle.save(made, str(tmp_path / "again"))
    for value in (made, paddle.load(str(tmp_path / "again"), return_numpy=return_numpy)):
        found = leaves(file, value, {})
        wanted = {k: v for k, v in case.expected.items() if k.partition("/")[0] == file}
        assert set(found) == set(wanted)
        for key, want in wanted.items():
            array = array_of(found[key])
            if file == "brain" and return_numpy:
                continue  # bfloat16 has no NumPy type: bits
            assert array.dtype == want.dtype, key
            np.testing.assert_array_equal(array.reshape(want.shape), want)
        kinds = {"list": list, "tuple": tuple, "dict": dict}
        assert isinstance(value, kinds.get(file, object))
    if file == "ordered":
        assert isinstance(made, (dict, OrderedDict)) and list(made) == ["z", "a"]
