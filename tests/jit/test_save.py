"""paddle.jit.save: which files it writes, what is in them, and what it refuses."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.nn as nn
from paddle import static
from paddle.serialization.tensor_stream import read_combined
from paddle.static import InputSpec
from tests.jit.cases.saved_cases import FOUR, Methods, Plain, batch


def files(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def info(path: Path) -> dict[str, Any]:
    return pickle.loads(path.read_bytes())


def executed(prefix: str, *inputs: np.ndarray, **names: str) -> list[np.ndarray]:
    """What paddle.static makes of the files."""
    with static.scope_guard(static.Scope()):
        exe = static.Executor(paddle.CPUPlace())
        program, feeds, fetches = static.load_inference_model(prefix, exe, **names)
        return exe.run(program, dict(zip(feeds, inputs, strict=True)), fetches)


def feeds_of(path: Path) -> list[str]:
    program = paddle.load(str(path))
    ops = [op for op in program.global_block().ops if op.type == "feed"]
    return [op.output("Out")[0] for op in sorted(ops, key=lambda op: op.attr("col"))]


def same(got: Any, want: Any) -> None:
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-5, atol=1e-6)


# -- what is written ------------------------------------------------------------------------------


def test_files_of_a_layer(tmp_path: Path) -> None:
    layer = Plain()
    layer.eval()
    want = layer(paddle.to_tensor(batch())).numpy()
    paddle.jit.save(layer, str(tmp_path / "deep" / "net"), input_spec=FOUR)
    assert files(tmp_path / "deep") == ["net.pdiparams", "net.pdiparams.info", "net.pdmodel"]
    prefix = str(tmp_path / "deep" / "net")
    same(executed(prefix, batch())[0], want)
    program = paddle.load(prefix + ".pdmodel")
    names = sorted(v.name for v in program.list_vars() if v.persistable)
    used = {
        t.name
        for n, t in [*layer.named_parameters(), *layer.named_buffers()]
        if not n.startswith("unused")
    }
    assert names == sorted({*used, "feed", "fetch"})
    with open(prefix + ".pdiparams", "rb") as file:
        values = read_combined(file, used)  # fails unless it ends behind exactly these
    np.testing.assert_array_equal(values[layer.offset.name].array, [1, 2, 3])


def test_table_of_the_parameters(tmp_path: Path) -> None:
    layer = Plain()
    layer.first.weight.trainable = False
    paddle.jit.save(layer, str(tmp_path / "net"), input_spec=FOUR)
    path = tmp_path / "net.pdiparams.info"
    assert path.read_bytes()[:2] == b"\x80\x02"  # pickle, protocol 2
    table = info(path)
    named = {t.name: n for n, t in [*layer.named_parameters(), *layer.named_buffers()]}
    assert {k: v["structured_name"] for k, v in table.items()} == named
    kinds = {v["structured_name"]: (v["stop_gradient"], v.get("trainable"))
             for v in table.values()}  # fmt: skip
    assert kinds["first.weight"] == (True, False)
    assert kinds["first.bias"] == (False, True)
    assert kinds["norm._mean"] == (True, False)
    assert kinds["unused.weight"] == (False, True)
    assert kinds["offset"] == kinds["factor"] == (True, None)


def test_several_methods(tmp_path: Path) -> None:
    layer = Methods()
    x = paddle.to_tensor(batch())
    before = layer(x).numpy(), layer.another_forward(x, 2.0)[0].numpy()
    paddle.jit.save(layer, str(tmp_path / "linear"))
    assert files(tmp_path) == [
        "linear.another_forward.pdiparams", "linear.another_forward.pdmodel", "linear.pdiparams",
        "linear.pdiparams.info", "linear.pdmodel",
    ]  # fmt: skip
    same(executed(str(tmp_path / "linear"), batch())[0], before[0])
    same(executed(str(tmp_path / "linear.another_forward"), batch())[0], before[1])


def test_several_methods_with_one_file_of_parameters(tmp_path: Path) -> None:
    layer = Methods()
    x = paddle.to_tensor(batch())
    paddle.jit.save(layer, str(tmp_path / "net"), combine_params=True)
    assert files(tmp_path) == [
        "net.another_forward.pdmodel", "net.pdiparams", "net.pdiparams.info", "net.pdmodel",
    ]  # fmt: skip
    loaded = paddle.jit.load(str(tmp_path / "net"))
    same(loaded(x), layer(x))
    same(loaded.another_forward(x)[0], layer.another_forward(x, 2.0)[0])


def test_folders_as_in_1x(tmp_path: Path) -> None:
    layer = nn.Linear(4, 3)
    want = layer(paddle.to_tensor(batch())).numpy()
    weight, bias = layer.weight.name, layer.bias.name
    one, two, three = (str(tmp_path / n) for n in ("separate", "named", "model_named"))
    paddle.jit.save(layer, one, FOUR, separate_params=True)
    assert files(tmp_path / "separate") == sorted(["__model__", "__variables.info__", weight, bias])
    same(executed(one, batch())[0], want)
    paddle.jit.save(layer, two, FOUR, params_filename="weights", model_filename="net")
    assert files(tmp_path / "named") == ["net", "weights", "weights.info"]
    names = {"params_filename": "weights", "model_filename": "net"}
    same(executed(two, batch(), **names)[0], want)
    paddle.jit.save(layer, three, FOUR, model_filename="net")
    assert files(tmp_path / "model_named") == ["__params__", "__params__.info", "net"]
    for path, given in ((one, {}), (two, names), (three, {"model_filename": "net"})):
        loaded = paddle.jit.load(path, **given)
        same(loaded(batch()), want)
        assert sorted(paddle.load(path, **given)) == ["bias", "weight"]
        assert [p.trainable for p in loaded.parameters()] == [True, True]


def test_layer_without_parameters(tmp_path: Path) -> None:
    paddle.jit.save(nn.ReLU(), str(tmp_path / "net"), FOUR)
    assert files(tmp_path) == ["net.pdiparams.info", "net.pdmodel"]
    assert info(tmp_path / "net.pdiparams.info") == {}
    same(paddle.jit.load(str(tmp_path / "net"))(batch()), np.maximum(batch(), 0))


def test_state_is_that_of_evaluation(tmp_path: Path) -> None:
    layer = Plain()
    layer.train()
    for seed in range(3):
        layer(paddle.to_tensor(batch(seed)))
    paddle.jit.save(layer, str(tmp_path / "net"), FOUR)
    assert layer.training
    layer.eval()
    same(executed(str(tmp_path / "net"), batch())[0], layer(paddle.to_tensor(batch())))


def test_structured_names_come_back(tmp_path: Path) -> None:
    layer, other = Plain(), Plain()
    paddle.jit.save(layer, str(tmp_path / "net"), FOUR)
    state = paddle.load(str(tmp_path / "net"))
    assert "first.weight" in state and state["first.weight"].name == layer.first.weight.name
    with pytest.warns(UserWarning, match=r"7 of 9 .*(?s:.)*Not used: factor"):
        other.set_state_dict(state, use_structured_name=False)
    layer.eval(), other.eval()
    same(layer(paddle.to_tensor(batch())), other(paddle.to_tensor(batch())))


def test_state_of_all_methods(tmp_path: Path) -> None:
    layer = Methods()
    paddle.jit.save(layer, str(tmp_path / "net"))
    state = paddle.load(str(tmp_path / "net"))
    assert sorted(state) == ["one.bias", "one.weight", "two.bias", "two.weight"]
    np.testing.assert_array_equal(state["two.weight"].numpy(), layer.two.weight.numpy())


# -- what is saved --------------------------------------------------------------------------------


def test_example_tensors_and_arrays_as_spec(tmp_path: Path) -> None:
    layer = nn.Bilinear(4, 2, 3)
    first, second = paddle.to_tensor(batch()), batch(1, width=2)
    paddle.jit.save(layer, str(tmp_path / "net"), input_spec=[first, second])
    assert feeds_of(tmp_path / "net.pdmodel") == ["x1", "x2"]  # as forward calls them
    block = paddle.load(str(tmp_path / "net.pdmodel")).global_block()
    assert block.var("x1").shape == (3, 4)
    same(executed(str(tmp_path / "net"), first.numpy(), second)[0], layer(first, second))


class Nested(nn.Layer):
    def forward(self, pair: Any, more: Any, factor: float = 3.0) -> Any:
        return {"sum": pair[0] + pair[1], "rest": [more["bias"] * factor]}


def test_nests_of_specs_and_python_values(tmp_path: Path) -> None:
    a, b, c = batch(1), batch(2), batch(3)
    spec = [[InputSpec([None, 4], name="a"), InputSpec([None, 4], name="b")],
            {"bias": InputSpec([None, 4], name="bias")}, 2.0]  # fmt: skip
    paddle.jit.save(Nested(), str(tmp_path / "net"), input_spec=spec)
    assert feeds_of(tmp_path / "net.pdmodel") == ["a", "b", "bias"]
    loaded = paddle.jit.load(str(tmp_path / "net"))
    rest, total = loaded([a, b], {"bias": c})  # dicts go by sorted keys
    same(rest, c * 2)
    same(total, a + b)


class Called(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 3)

    @paddle.jit.to_static
    def forward(self, x: Any) -> Any:
        return self.fc(x)


def test_decorated_without_spec_but_called(tmp_path: Path) -> None:
    layer = Called()
    with pytest.raises(ValueError, match="input_spec"):
        paddle.jit.save(layer, str(tmp_path / "net"))
    assert files(tmp_path) == []
    want = layer(paddle.to_tensor(batch()))
    paddle.jit.save(layer, str(tmp_path / "net"))
    same(executed(str(tmp_path / "net"), batch())[0], want)
    again = paddle.jit.to_static(nn.Linear(4, 3), input_spec=FOUR)
    paddle.jit.save(again, str(tmp_path / "again"))
    same(executed(str(tmp_path / "again"), batch())[0], again(paddle.to_tensor(batch())))


def test_functions(tmp_path: Path) -> None:
    layer = nn.Linear(4, 3)

    @paddle.jit.to_static(input_spec=FOUR)
    def with_layer(x: Any) -> Any:
        return layer(x) * 2.0

    def plain(x: Any, y: Any = 3.0) -> Any:
        return x + y

    paddle.jit.save(with_layer, str(tmp_path / "a"))
    same(paddle.jit.load(str(tmp_path / "a"))(batch()), layer(paddle.to_tensor(batch())) * 2.0)
    assert sorted(paddle.load(str(tmp_path / "a"))) == sorted([layer.weight.name, layer.bias.name])
    paddle.jit.save(plain, str(tmp_path / "b"), FOUR)
    same(paddle.jit.load(str(tmp_path / "b"))(batch()), batch() + 3.0)
    paddle.jit.save(layer.forward, str(tmp_path / "c"), FOUR)
    assert sorted(paddle.load(str(tmp_path / "c"))) == ["bias", "weight"]
    methods = Methods()
    paddle.jit.save(methods.another_forward, str(tmp_path / "d"))
    want = methods.another_forward(paddle.to_tensor(batch()), 2.0)
    same(paddle.jit.load(str(tmp_path / "d"))(batch())[0], want[0])
    assert "two.weight" in paddle.load(str(tmp_path / "d"))


class Two(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(4, 3)
        self.b = nn.Linear(2, 3)

    @paddle.jit.to_static
    def forward(self, x: Any, y: Any, flag: bool = True) -> Any:
        return self.a(x), self.b(y), self.a(x) + 1.0


SPECS = [InputSpec([None, 4], name="x"), InputSpec([None, 2], name="y")]


def test_output_spec_and_inputs_that_are_not_needed(tmp_path: Path) -> None:
    layer = Two()
    found = layer(paddle.to_tensor(batch()), paddle.to_tensor(batch(width=2)))
    names = [v.name for v in layer.forward.concrete_program_for(SPECS).outputs]
    for i, item in enumerate([names[2], InputSpec([None, 3], name=names[2]), found[2]]):
        path = tmp_path / f"net{i}"
        paddle.jit.save(layer, str(path), SPECS, output_spec=[item])
        assert feeds_of(tmp_path / f"net{i}.pdmodel") == ["x"]
        assert sorted(paddle.load(str(path))) == ["a.bias", "a.weight"]
        out = executed(str(path), batch())
        assert len(out) == 1
        same(out[0], layer.a(paddle.to_tensor(batch())) + 1.0)
    with pytest.raises(ValueError, match=rf"no output 'z'; its outputs are .*{names[0]}"):
        paddle.jit.save(layer, str(tmp_path / "no"), SPECS, output_spec=["z"])
    with pytest.raises(ValueError, match="no output that it came from; its outputs are"):
        paddle.jit.save(layer, str(tmp_path / "no"), SPECS, output_spec=[paddle.ones([2])])
    with pytest.raises(TypeError, match=r"expected \[0\] to be a Tensor .* received int"):
        paddle.jit.save(layer, str(tmp_path / "no"), SPECS, output_spec=[3])
    with pytest.raises(TypeError, match=r"output_spec\): expected a list"):
        paddle.jit.save(layer, str(tmp_path / "no"), SPECS, output_spec=names[0])
    with pytest.raises(ValueError, match="at least one output"):
        paddle.jit.save(layer, str(tmp_path / "no"), SPECS, output_spec=[])


class Mixed(nn.Layer):
    def forward(self, x: Any) -> Any:
        return x * 2.0, None, "text"


class Empty(nn.Layer):
    def forward(self, x: Any) -> Any:
        return None


def test_results_that_are_no_tensors(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="'text' besides Tensors"):
        paddle.jit.save(Mixed(), str(tmp_path / "net"), FOUR)
    same(paddle.jit.load(str(tmp_path / "net"))(batch()), batch() * 2)
    with pytest.raises(ValueError, match="returns no Tensor, but NoneType"):
        paddle.jit.save(Empty(), str(tmp_path / "net"), FOUR)


class Branching(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        def repeat(i: Any, y: Any) -> Any:
            return [i + 1, self.fc(y)]

        start = paddle.zeros([1], "int64")
        _, y = static.nn.while_loop(lambda i, y: i < 3, repeat, [start, x])
        return static.nn.cond(x.sum() > 0, lambda: y + 1.0, lambda: y * 2.0)


def test_control_flow_is_saved(tmp_path: Path) -> None:
    layer = Branching()
    paddle.jit.save(layer, str(tmp_path / "net"), FOUR)
    for sign in (1.0, -1.0):
        x = np.abs(batch()) * np.float32(sign)
        y = layer.fc(layer.fc(layer.fc(paddle.to_tensor(x))))
        want = y + 1.0 if sign > 0 else y * 2.0
        same(executed(str(tmp_path / "net"), x)[0], want)
        same(paddle.jit.load(str(tmp_path / "net"))(x), want)


class Shared(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = self.a

    def forward(self, x: Any) -> Any:
        return self.b(self.a(x))


def test_shared_parameters_are_stored_once(tmp_path: Path) -> None:
    layer = Shared()
    paddle.jit.save(layer, str(tmp_path / "net"), FOUR)
    assert len(paddle.jit.load(str(tmp_path / "net")).parameters()) == 2
    same(executed(str(tmp_path / "net"), batch())[0], layer(paddle.to_tensor(batch())))


class Kinds(nn.Layer):
    """Parameters and buffers of several dtypes, one of them without elements."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = self.create_parameter([4, 3], dtype="bfloat16")
        self.register_buffer("numbers", paddle.to_tensor([1, 2, 3]))
        self.register_buffer("mask", paddle.to_tensor([True, False, True]))
        self.register_buffer("empty", paddle.zeros([0, 3]))

    def forward(self, x: Any) -> Any:
        y = paddle.matmul(x.astype("bfloat16"), self.weight).astype("float32")
        y = y * self.numbers.astype("float32") * self.mask.astype("float32")
        return paddle.concat([y, self.empty])


def test_dtypes(tmp_path: Path) -> None:
    layer = Kinds()
    x = paddle.to_tensor(batch())
    paddle.jit.save(layer, str(tmp_path / "net"), FOUR)
    loaded = paddle.jit.load(str(tmp_path / "net"))
    np.testing.assert_array_equal(loaded(x).numpy(), layer(x).numpy())
    kinds = sorted(str(t.dtype) for t in [*loaded.parameters(), *loaded.buffers()])
    assert kinds == ["VarType.BF16", "VarType.BOOL", "VarType.FP32", "VarType.INT64"]
    loaded(x).sum().backward()
    assert loaded.param_0.grad.dtype == paddle.bfloat16


def test_path_by_its_old_name(tmp_path: Path) -> None:
    with pytest.warns(DeprecationWarning, match="the argument is called path"):
        paddle.jit.save(nn.ReLU(), model_path=str(tmp_path / "net"), input_spec=FOUR)
    assert files(tmp_path) == ["net.pdiparams.info", "net.pdmodel"]
    with pytest.raises(TypeError, match="path is given twice"):
        paddle.jit.save(nn.ReLU(), "net", model_path="net")


def test_an_older_model_survives_a_failure(tmp_path: Path) -> None:
    paddle.jit.save(nn.Linear(4, 3), str(tmp_path / "net"), FOUR)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    with pytest.raises(ValueError, match=r"linear\(x\): expected shape"):
        paddle.jit.save(nn.Linear(5, 3), str(tmp_path / "net"), FOUR)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_saving_twice_writes_the_same(tmp_path: Path) -> None:
    layer = Plain()
    for name in ("a", "b"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            paddle.jit.save(layer, str(tmp_path / name), FOUR)
    for suffix in (".pdmodel", ".pdiparams", ".pdiparams.info"):
        assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


# -- what is refused ------------------------------------------------------------------------------


class OnlyOther(nn.Layer):
    def forward(self, x: Any) -> Any:
        return x

    @paddle.jit.to_static(input_spec=FOUR)
    def other(self, x: Any) -> Any:
        return x


@pytest.mark.parametrize(
    ("make", "given", "error", "text"),
    [
        (lambda: 3, {}, TypeError, r"layer\): expected a Layer or a function, but received int"),
        (lambda: nn.ReLU, {}, TypeError, r"layer\): expected a Layer .*ReLU"),
        (nn.ReLU, {"input_spec": FOUR[0]}, TypeError, r"input_spec\): expected a list or tuple"),
        (nn.ReLU, {"input_spec": []}, ValueError, "input_spec"),
        (nn.ReLU, {"input_spec": [*FOUR, *FOUR]}, ValueError, r"input_spec\).*1 .*2|at most 1"),
        (nn.ReLU, {}, ValueError, "input_spec"),
        (nn.ReLU, {"input_spec": FOUR, "nope": 1}, ValueError, "no option 'nope'"),
        (nn.ReLU, {"combine_params": 1}, TypeError, r"combine_params\): expected a bool"),
        (nn.ReLU, {"params_filename": 1}, TypeError, r"params_filename\): expected a str"),
        (nn.ReLU, {"model_filename": "a/b"}, ValueError, "the name of a file in the folder"),
        (nn.ReLU, {"separate_params": True, "params_filename": "w"}, ValueError, "one of the two"),
        (Methods, {"input_spec": FOUR}, ValueError, r"input_spec\): expected None .*another_forw"),
        (Methods, {"output_spec": ["y"]}, ValueError, r"output_spec\): expected None"),
        (Methods, {"separate_params": True}, ValueError, "Program of one method"),
        (OnlyOther, {}, ValueError, "decorates .'other'. with to_static, but not forward"),
    ],
)
def test_wrong_arguments(make: Any, given: Any, error: Any, text: str, tmp_path: Path) -> None:
    with pytest.raises(error, match=text):
        paddle.jit.save(make(), str(tmp_path / "net"), **given)
    assert files(tmp_path) == []


def test_wrong_paths(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"path\): expected the form folder/name, .* empty"):
        paddle.jit.save(nn.ReLU(), str(tmp_path) + "/", FOUR)
    with pytest.raises(ValueError, match=r"path\): .* is a folder"):
        paddle.jit.save(nn.ReLU(), str(tmp_path), FOUR)
    with pytest.raises(TypeError, match=r"path\): expected a str, but received int"):
        paddle.jit.save(nn.ReLU(), 3, FOUR)
    with pytest.raises(TypeError, match="path"):
        paddle.jit.save(nn.ReLU())


def test_two_tensors_of_one_name(tmp_path: Path) -> None:
    layer = Methods()
    layer.two.bias.name = layer.one.bias.name
    paddle.jit.save(layer.another_forward, str(tmp_path / "one"))  # a Program renames one
    x = paddle.to_tensor(batch())
    same(paddle.jit.load(str(tmp_path / "one"))(x)[0], layer.another_forward(x, 2.0)[0])


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (lambda: paddle.nn.Linear(10, 3), [None, 3]),
        (lambda: paddle.nn.Conv2D(3, 4, 3), [None, 5, 8, 8]),
        (lambda: paddle.nn.Conv2D(3, 4, 3), [1, 5, 8, 8]),
        (lambda: paddle.nn.Conv1D(4, 2, 1, data_format="NLC"), [None, 6, 3]),
        (lambda: paddle.nn.BatchNorm1D(4), [2, 3]),
    ],
)
def test_spec_that_the_layers_do_not_fit(make, shape, tmp_path):
    """What is saved is not run, so it is looked at while it is recorded."""
    with pytest.raises(ValueError, match=r"(?s)In transformed code.*expected"):
        paddle.jit.save(make(), str(tmp_path / "m"), input_spec=[InputSpec(shape)])
    assert not list(tmp_path.iterdir())
