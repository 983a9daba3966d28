"""TranslatedLayer: what a loaded model is made of, how it is called, trained and saved again."""

from __future__ import annotations

import copy
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.nn as nn
from paddle.core.mode import grad_enabled
from paddle.serialization.program import proto
from paddle.static import InputSpec
from tests.ir.corpus_cases import read_case
from tests.jit.cases.saved_cases import FOUR, Methods, Plain, Trained, batch, trained


def reloaded(layer: Any, folder: Path, spec: Any = FOUR) -> paddle.jit.TranslatedLayer:
    paddle.jit.save(layer, str(folder / "model" / "net"), spec)
    return paddle.jit.load(str(folder / "model" / "net"))


def same(got: Any, want: Any) -> None:
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-5, atol=1e-6)


# -- structure ------------------------------------------------------------------------------------


def test_members(tmp_path: Path) -> None:
    layer = Plain()
    loaded = reloaded(layer, tmp_path)
    assert list(loaded.state_dict()) == [
        "param_0", "param_1", "param_2", "param_3", "param_4", "param_5", "buffer_0", "buffer_1",
    ]  # fmt: skip
    by_name = sorted([layer.norm.bias, layer.norm.weight, layer.norm._mean, layer.norm._variance,
                      layer.first.bias, layer.first.weight], key=lambda t: t.name)  # fmt: skip
    for mine, old in zip(loaded.parameters(), by_name, strict=True):
        np.testing.assert_array_equal(mine.numpy(), old.numpy())
        assert mine.trainable is old.trainable and mine.stop_gradient is old.stop_gradient
    assert loaded.param_0 is loaded.parameters()[0]
    old = {t.name for t in [*layer.parameters(), *layer.buffers()]}
    new = [t.name for t in [*loaded.parameters(), *loaded.buffers()]]
    assert len(set(new)) == len(new) and not old & set(new)
    again = paddle.jit.load(str(tmp_path / "model" / "net"))
    assert not set(new) & {p.name for p in again.parameters()}
    assert not loaded.training and not loaded.sublayers()


def test_programs(tmp_path: Path) -> None:
    loaded = reloaded(Methods(), tmp_path, None)
    first = loaded.program()
    assert first is loaded.program("forward")
    types = [op.type for op in first.global_block().ops]
    assert types == ["feed", "matmul_v2", "elementwise_add", "scale", "fetch"]
    assert len(loaded.program("another_forward").global_block().ops) > len(types)
    with pytest.raises(RuntimeError, match=r"no method 'other'; .*\['another_forward', 'forward'"):
        loaded.program("other")
    with pytest.raises(TypeError, match="expected a str, but received int"):
        loaded.program(3)
    assert "another_forward" in dir(loaded)
    with pytest.raises(AttributeError, match="no attribute 'other'"):
        loaded.other(paddle.ones([1, 4]))


def test_made_from_programs_and_tensors(tmp_path: Path) -> None:
    loaded = reloaded(nn.Linear(4, 3), tmp_path)
    tensors = dict(loaded._tensors())
    programs = {"forward": loaded.program(), "again": loaded.program()}
    made = paddle.jit.TranslatedLayer(programs, tensors)
    same(made(batch()), loaded(batch()))
    same(made.again(batch()), loaded(batch()))
    made(paddle.to_tensor(batch())).sum().backward()
    assert loaded.param_0.grad is not None  # the very Tensors
    absent = sorted(tensors)[0]
    for given, error, text in (
        (({}, {}), TypeError, r"programs\): expected a dict of method names"),
        (({"forward": 3}, {}), TypeError, r"programs\): .* 'forward': int"),
        ((programs, [1]), TypeError, r"persistable_vars\): expected a dict"),
        ((programs, {absent: 1}), TypeError, rf"expected a Tensor for '{absent}'"),
        ((programs, {}), ValueError, rf"the Program of 'forward' needs '{absent}'"),
        (({"forward": paddle.static.Program()}, {}), ValueError, "'forward' states no outputs"),
    ):
        with pytest.raises(error, match=text):
            paddle.jit.TranslatedLayer(*given)


# -- calls ----------------------------------------------------------------------------------------


class Pair(nn.Layer):
    def forward(self, x: Any, y: Any) -> Any:
        return x * 2.0 + y, y


PAIR = [InputSpec([None, 4], name="x"), InputSpec([3], "int64", name="y")]


class Typed(nn.Layer):
    def forward(self, x: Any, y: Any) -> Any:
        return x * 2.0, y + 1


def test_ways_to_call(tmp_path: Path) -> None:
    loaded = reloaded(Typed(), tmp_path, PAIR)
    x, y = batch(), np.array([1, 2, 3])
    for got in (
        loaded(x, y), loaded(paddle.to_tensor(x), y=paddle.to_tensor(y)), loaded(y=y, x=x),
        loaded([x, y]), loaded({"x": x, "y": y}),
    ):  # fmt: skip
        assert isinstance(got, list) and len(got) == 2
        same(got[0], x * 2)
        assert got[1].numpy().tolist() == [2, 3, 4]


@pytest.mark.parametrize(
    ("args", "kwargs", "error", "text"),
    [
        (1, {}, ValueError, r"expected 2 inputs, \(x: float32\[-1, 4\], y: int64\[3\]\), .* 1: "
                            r"\['y'\] missing"),
        (3, {}, ValueError, "expected 2 inputs, .*but received 3"),
        (1, {"z": 1}, ValueError, r"no input 'z'; the saved signature is \(x: float32"),
        (2, {"y": 1}, ValueError, "input 'y' is given twice"),
        (["float64"], {}, ValueError, "'x' is expected to be float32, but received float64"),
        (["shape"], {}, ValueError, r"'x' .* saved shape \[-1, 4\] .* but received \[3, 5\]"),
        (["rank"], {}, ValueError, r"'x' .* saved shape \[-1, 4\] .* but received \[4\]"),
        (["text"], {}, TypeError, "expected a Tensor or array for input 'x', but received str"),
    ],
)  # fmt: skip
def test_wrong_calls(args: Any, kwargs: Any, error: Any, text: str, tmp_path: Path) -> None:
    loaded = reloaded(Typed(), tmp_path, PAIR)
    x, y = paddle.to_tensor(batch()), paddle.to_tensor([1, 2, 3])
    wrong = {"float64": x.astype("float64"), "shape": paddle.ones([3, 5]), "text": "x",
             "rank": paddle.ones([4])}  # fmt: skip
    given = [x, y, y][:args] if isinstance(args, int) else [wrong[args[0]], y]
    with pytest.raises(error, match=text) as caught:
        loaded(*given, **kwargs)
    assert "TranslatedLayer.forward" in str(caught.value)


def test_arguments_of_a_model_may_have_any_name(tmp_path: Path) -> None:
    spec = [InputSpec([None, 4], name="self"), InputSpec([None, 4], name="name")]

    def add(a: Any, b: Any) -> Any:
        return a - b

    loaded = reloaded(add, tmp_path, spec)
    same(loaded._run("forward", **{"self": batch(), "name": batch(1)}), batch() - batch(1))


# -- modes ----------------------------------------------------------------------------------------


def test_train_and_eval(tmp_path: Path) -> None:
    layer = Plain()
    loaded = reloaded(layer, tmp_path)
    x = paddle.to_tensor(batch(rows=8))
    layer.eval(), loaded.eval()
    same(loaded(x), layer(x))
    layer.train(), loaded.train()
    loaded(x)
    dropped = (loaded(x) - layer.offset).numpy() == 0
    assert 0 < dropped.sum() < dropped.size
    layer(x), layer(x)
    names = {v: k for k, v in loaded._structured.items()}
    for name, tensor in (
        ("norm._mean", layer.norm._mean),
        ("norm._variance", layer.norm._variance),
    ):
        same(loaded._tensors()[names[name]], tensor)
    layer.eval(), loaded.eval()
    same(loaded(x), layer(x))  # with the statistics of both calls


def test_training_gives_the_same_losses(tmp_path: Path) -> None:
    layer = Trained()
    loaded = reloaded(layer, tmp_path)
    np.testing.assert_allclose(trained(loaded), trained(layer), rtol=1e-4)
    loaded.eval(), layer.eval()
    np.testing.assert_allclose(
        loaded(batch()).numpy(), layer(paddle.to_tensor(batch())).numpy(), rtol=1e-3, atol=1e-4
    )


def test_gradients(tmp_path: Path) -> None:
    layer = Trained()
    loaded = reloaded(layer, tmp_path)
    for each in (layer, loaded):
        each.eval()
    inputs = [paddle.to_tensor(batch(), stop_gradient=False) for _ in range(2)]
    for each, x in zip((layer, loaded), inputs, strict=True):
        (each(x) ** 2).sum().backward()
    same(inputs[1].grad, inputs[0].grad)
    names = {v: k for k, v in loaded._structured.items()}
    for name, param in layer.named_parameters():
        mine = loaded._tensors()[names[name]]
        if param.grad is None:
            assert mine.grad is None
        else:
            same(mine.grad, param.grad)
    with paddle.no_grad():
        assert loaded(paddle.to_tensor(batch())).stop_gradient
    for param in loaded.parameters():
        param.stop_gradient = True
    assert loaded(paddle.to_tensor(batch())).stop_gradient


def test_some_parameters_frozen(tmp_path: Path) -> None:
    loaded = reloaded(Trained(), tmp_path)
    frozen = loaded.param_0
    frozen.stop_gradient = True
    before = frozen.numpy()
    trained(loaded, 2)
    np.testing.assert_array_equal(frozen.numpy(), before)
    assert frozen.grad is None


def test_prediction_without_gradients(tmp_path: Path) -> None:
    loaded = reloaded(nn.Linear(4, 3), tmp_path)
    call = loaded._call

    def refuse(name: str, method: Any) -> Any:
        made = call(name, method)

        def run(values: Any) -> Any:
            if grad_enabled():
                raise NotImplementedError("operator x has no gradient")
            return made(values)

        return run

    loaded._call = refuse
    loaded.eval()
    with pytest.warns(UserWarning, match=r"no gradients .* operator x has no gradient"):
        out = loaded(batch())
    assert out.stop_gradient and out.shape == [3, 3]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded(batch())
    loaded.train()
    with pytest.raises(NotImplementedError, match="operator x"):
        loaded(batch())


# -- state ----------------------------------------------------------------------------------------


def test_state_dict_goes_into_another_one(tmp_path: Path) -> None:
    first = reloaded(Trained(), tmp_path / "a")
    second = reloaded(Trained(), tmp_path / "b")
    paddle.save(first.state_dict(), str(tmp_path / "state.pdparams"))
    second.set_state_dict(paddle.load(str(tmp_path / "state.pdparams")))
    first.eval(), second.eval()
    same(first(batch()), second(batch()))


def test_copies(tmp_path: Path) -> None:
    loaded = reloaded(Plain(), tmp_path)
    loaded.eval()
    want = loaded(batch()).numpy()
    for made in (copy.deepcopy(loaded), pickle.loads(pickle.dumps(loaded))):
        assert not made.training
        same(made(batch()), want)
        made.param_0.set_value(made.param_0 + 1.0)
        same(loaded(batch()), want)
        assert sorted(made._structured.items()) == sorted(loaded._structured.items())


def test_a_replaced_parameter_is_used(tmp_path: Path) -> None:
    layer = nn.Linear(4, 3)
    loaded = reloaded(layer, tmp_path)
    same(loaded(batch()), layer(paddle.to_tensor(batch())))
    bias = loaded.create_parameter([3], default_initializer=nn.initializer.Constant(7.0))
    loaded.param_0 = bias
    same(loaded(batch()), batch() @ layer.weight.numpy() + 7.0)
    loaded.param_0 = None
    with pytest.raises(RuntimeError, match=r"param_0, which the Program needs .* was removed"):
        loaded(batch())


# -- saved again ----------------------------------------------------------------------------------


def test_saved_again_after_training(tmp_path: Path) -> None:
    layer = Trained()
    loaded = reloaded(layer, tmp_path)
    trained(loaded)
    path = str(tmp_path / "tuned" / "net")
    paddle.jit.save(loaded, path, input_spec=[paddle.to_tensor(batch())])
    again = paddle.jit.load(path)
    loaded.eval(), again.eval()
    same(again(batch()), loaded(batch()))
    assert again.program().global_block().var("x").shape == (3, 4)
    state = paddle.load(path)
    assert sorted(state) == sorted(layer.state_dict())  # the names of the first Layer
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        layer.set_state_dict(state)
    layer.eval()
    same(layer(paddle.to_tensor(batch())), loaded(batch()))


def test_methods_saved_again(tmp_path: Path) -> None:
    layer = Methods()
    loaded = reloaded(layer, tmp_path, None)
    path = str(tmp_path / "again")
    paddle.jit.save(loaded, path)
    again = paddle.jit.load(path)
    same(
        again.another_forward(batch())[0], layer.another_forward(paddle.to_tensor(batch()), 2.0)[0]
    )
    paddle.jit.save(loaded, path, [paddle.to_tensor(batch())])  # as the guide does: of forward
    assert paddle.jit.load(path).program().global_block().var("x").shape == (3, 4)
    other = paddle.jit.load(path).program("another_forward")
    assert other.global_block().var("x").shape == (-1, 4)


def test_specs_of_what_is_saved_again(tmp_path: Path) -> None:
    loaded = reloaded(Typed(), tmp_path, PAIR)
    first = loaded._methods["forward"].outputs[0]
    paddle.jit.save(loaded, str(tmp_path / "one"), output_spec=[first])
    same(paddle.jit.load(str(tmp_path / "one"))(batch()), batch() * 2)
    for spec, error, text in (
        ([InputSpec([None, 4])], ValueError, r"expected 2 entries, for \['x', 'y'\], .* 1"),
        ([InputSpec([None, 5]), PAIR[1]], ValueError, r"'x' was saved with shape \[-1, 4\]"),
        ([InputSpec([None, 4], "int64"), PAIR[1]], ValueError, "'x' was saved .*FP32"),
        ([3, PAIR[1]], TypeError, "expected an InputSpec or Tensor for input 'x'.*int"),
    ):
        with pytest.raises(error, match=text):
            paddle.jit.save(loaded, str(tmp_path / "no"), spec)


# -- inside of another Layer ----------------------------------------------------------------------


class Around(nn.Layer):
    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner
        self.head = nn.Linear(2, 2)

    def forward(self, x: Any) -> Any:
        return self.head(self.inner(x))


def test_part_of_another_layer(tmp_path: Path) -> None:
    layer = Around(reloaded(Trained(), tmp_path))
    losses = trained(copy.deepcopy(layer))
    converted = paddle.jit.to_static(copy.deepcopy(layer), input_spec=FOUR)
    np.testing.assert_allclose(trained(converted), losses, rtol=1e-4)
    layer.eval()
    want = layer(paddle.to_tensor(batch())).numpy()
    paddle.jit.save(layer, str(tmp_path / "outer"), FOUR)
    outer = paddle.jit.load(str(tmp_path / "outer"))
    outer.eval()
    same(outer(batch()), want)
    assert "inner.param_0" in paddle.load(str(tmp_path / "outer"))


class Doubled(nn.Layer):
    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, *inputs: Any) -> Any:
        first, second = self.inner(*inputs)
        return first * 2.0, second * 2.0


def test_old_operators_and_blocks_inside_of_another_layer(tmp_path: Path) -> None:
    for name in ("1.8.5_saved_combined", "2.6.2_saved_jit"):
        case = read_case(name)
        case.unpack(tmp_path / name)
        names = case.meta["names"]
        inner = paddle.jit.load(str(tmp_path / name / names.get("prefix", names.get("dirname"))))
        layer = Doubled(inner)
        layer.eval()
        feeds = list(case.values("feeds.npz").values())
        spec = [InputSpec([None, *x.shape[1:]], x.dtype) for x in feeds]
        paddle.jit.save(layer, str(tmp_path / "outer"), spec)
        outer = paddle.jit.load(str(tmp_path / "outer"))
        outer.eval()
        want = [v for k, v in case.values("expected.npz").items() if k.startswith("fetch_")]
        for got, value in zip(outer(*feeds), want, strict=True):
            same(got, value * 2)


def test_scalars_of_later_releases_cannot_be_mixed_in(tmp_path: Path) -> None:
    case = read_case("2.6.2_saved_inference_control")
    case.unpack(tmp_path)
    inner = paddle.jit.load(str(tmp_path / case.meta["names"]["prefix"]))
    block = inner.program().global_block()
    scalar = next(op for op in block.ops if op.type == "reduce_sum").output("Out")[0]
    made = block.create_var(name="stacked", shape=[1], dtype="float32")
    block.append_op("stack", {"X": [scalar]}, {"Y": [made]}, {"axis": 0})
    at = next(i for i, op in enumerate(block.ops) if op.type == "fetch")
    block.ops.insert(at, block.ops.pop())
    inner = paddle.jit.TranslatedLayer(
        {"forward": proto.from_bytes(proto.to_bytes(inner.program()))},
        inner._tensors(),
    )
    with pytest.raises(NotImplementedError, match=r"without\s+dimensions; stack reads one"):
        paddle.jit.save(Around(inner), str(tmp_path / "outer"), [InputSpec([None, 6])])


def test_in_static_mode(tmp_path: Path) -> None:
    loaded = reloaded(nn.Linear(4, 3), tmp_path)
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
            x = paddle.static.data("x", [None, 4])
            with pytest.raises(ValueError, match="is an eager Tensor, but in static mode"):
                loaded(x)
    finally:
        paddle.disable_static()


def test_a_loaded_model_predicts_until_it_is_trained(tmp_path: Path) -> None:
    """As in PaddlePaddle: who loads and calls wants predictions, whatever the Layer's mode was."""
    layer = paddle.nn.Sequential(paddle.nn.Linear(3, 64), paddle.nn.Dropout(0.5))
    layer.train()
    path = str(tmp_path / "net")
    paddle.jit.save(layer, path, input_spec=[InputSpec([None, 3])])
    loaded, x = paddle.jit.load(path), paddle.rand([4, 3])
    layer.eval()
    np.testing.assert_allclose(loaded(x).numpy(), layer(x).numpy(), rtol=1e-6)
    loaded.train()
    assert (loaded(x).numpy() == 0).any()


# -- other sizes than those of the example that was saved -----------------------------------------


class Guide(nn.Layer):
    """The guide's: its forward has no InputSpec."""

    def __init__(self) -> None:
        super().__init__()
        self._linear = nn.Linear(784, 10)

    @paddle.jit.to_static
    def forward(self, x: Any) -> Any:
        return self._linear(x)


class Baked(Guide):
    @paddle.jit.to_static
    def forward(self, x: Any) -> Any:
        return paddle.reshape(self._linear(x), [x.shape[0] * 2, 5])


def saved_after_a_call(layer: nn.Layer, folder: Path) -> str:
    layer(paddle.rand([16, 784]))
    path = str(folder / "net")
    paddle.jit.save(layer, path)
    return path


def test_a_model_trained_with_16_is_used_with_1(tmp_path: Path) -> None:
    layer = Guide()
    path = saved_after_a_call(layer, tmp_path)
    loaded = paddle.jit.load(path)
    again = str(tmp_path / "again")
    paddle.jit.save(loaded, again)
    for model in (loaded, paddle.jit.load(again)):
        for shape in ([1, 784], [16, 784], [37, 784], [2, 3, 784]):
            x = paddle.rand(shape)
            assert model(x).shape == [*shape[:-1], 10]
            same(model(x), layer(x))


def test_it_is_trained_further_with_other_batches(tmp_path: Path) -> None:
    layer = Guide()
    loaded = paddle.jit.load(saved_after_a_call(layer, tmp_path))
    loaded.train()
    x = paddle.rand([3, 784])
    loaded(x).mean().backward()
    layer(x).mean().backward()
    wanted = {p.grad.numpy().shape: p.grad.numpy() for p in layer.parameters()}
    for parameter in loaded.parameters():
        got = parameter.grad.numpy()
        np.testing.assert_allclose(got, wanted[got.shape], rtol=1e-5, atol=1e-7)


def test_static_mode_runs_it_with_other_batches(tmp_path: Path) -> None:
    layer = Guide()
    path = saved_after_a_call(layer, tmp_path)
    x = batch(rows=1, width=784)
    want = layer(paddle.to_tensor(x)).numpy()
    paddle.enable_static()
    try:
        exe = paddle.static.Executor()
        program, names, targets = paddle.static.load_inference_model(path, exe)
        (got,) = exe.run(program, feed={names[0]: x}, fetch_list=targets)
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_what_its_program_cannot_compute_is_refused(tmp_path: Path) -> None:
    loaded = paddle.jit.load(saved_after_a_call(Baked(), tmp_path))
    assert loaded(paddle.rand([16, 784])).shape == [32, 5]
    with pytest.raises(ValueError, match=r"shape \[1, 10\] has 10 .* the 160 of shape") as caught:
        loaded(paddle.rand([1, 784]))
    assert "saved with [16, 784], and [1, 784] came" in str(caught.value)
    assert "InputSpec([None" in str(caught.value)
    with pytest.raises(ValueError, match=r"inner sizes 7 and 784"):
        loaded(paddle.rand([16, 7]))
