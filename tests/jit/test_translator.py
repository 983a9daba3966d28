"""ProgramTranslator: one object, the switch, and the functions that convert without a decorator."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.jit import ProgramTranslator, to_static
from paddle.static import InputSpec, Program, Variable


def signed(x):
    out = x - 1 if x.shape[0] > 1 else x + 1
    return out


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(3, 2)

    def forward(self, x):
        return self.linear(x)


@pytest.fixture(autouse=True)
def translator():
    ProgramTranslator.reset()
    yield ProgramTranslator()
    ProgramTranslator.reset()


def test_there_is_one(translator):
    assert ProgramTranslator() is translator
    assert ProgramTranslator.get_instance() is translator
    with pytest.raises(TypeError, match="expected no arguments"):
        ProgramTranslator(True)


def test_enable(translator):
    static = to_static(signed)
    translator.enable(False)
    assert not translator.enable_to_static
    assert static(paddle.ones([1])).item() == 2
    assert len(static.program_cache) == 0
    net = to_static(Net())
    x = paddle.ones([1, 3])
    assert np.allclose(net(x).numpy(), net.linear(x).numpy())
    assert len(net.forward.program_cache) == 0
    translator.enable(True)
    static(paddle.ones([1]))
    net(x)
    assert len(static.program_cache) == len(net.forward.program_cache) == 1


@pytest.mark.parametrize("wrong", [1, None, "no"])
def test_enable_takes_a_bool(translator, wrong):
    with pytest.raises(TypeError, match=r"enable\(enable_to_static\): expected a bool.*"):
        translator.enable(wrong)


def test_reset_enables_and_forgets(translator):
    translator.get_output(signed, paddle.ones([1]))
    translator.enable(False)
    ProgramTranslator.reset()
    assert translator.enable_to_static
    assert len(translator.get_program_cache()) == 0
    translator.get_output(signed, paddle.ones([1]))
    assert len(translator.get_program_cache()) == 1


def test_get_output(translator):
    for _ in range(2):
        assert translator.get_output(signed, paddle.ones([1])).item() == 2
        assert translator.get_output(signed, x=paddle.ones([2])).numpy().tolist() == [0, 0]
    cache = translator.get_program_cache()
    assert len(cache) == 2
    assert list(cache.last().inputs[0].shape) == [2]
    cache.clear()
    assert len(cache) == 0


def test_get_output_of_methods_and_layers(translator):
    one, two = Net(), Net()
    x = paddle.ones([1, 3])
    for net in (one, two, one):
        expected = net.linear(x).numpy()
        assert np.allclose(translator.get_output(net.forward, x).numpy(), expected)
        assert np.allclose(translator.get_output(net, x).numpy(), expected)
    assert len(translator.get_program_cache()) == 2


def test_get_output_of_a_decorated_function(translator):
    static = to_static(signed)
    assert translator.get_output(static, paddle.ones([1])).item() == 2
    assert len(static.program_cache) == 1


def test_get_func(translator):
    function = translator.get_func(signed)
    main = Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(main):
            out = function(paddle.static.data("x", [1, 2]))
    finally:
        paddle.disable_static()
    assert isinstance(out, Variable)
    assert [op.type for op in main.global_block().ops] == ["scale"]


def test_get_program(translator):
    main, startup, inputs, outputs = translator.get_program(signed, paddle.ones([2, 5]))
    assert isinstance(main, Program) and isinstance(startup, Program)
    assert [v.name for v in inputs] == ["x"] and list(inputs[0].shape) == [2, 5]
    assert [list(v.shape) for v in outputs] == [[2, 5]]
    assert outputs[0].name in main.global_block().vars
    again = translator.get_program(signed, paddle.ones([2, 5]))
    assert again[0] is main
    spec = InputSpec([3, None], "float64", "given")
    _, _, inputs, _ = translator.get_program(signed, spec)
    assert inputs[0].name == "given" and inputs[0].dtype is paddle.float64


def test_get_program_with_other_outputs(translator):
    def several(x, k):
        return [x, {"y": x * k, "k": k}]

    _, _, inputs, outputs = translator.get_program(several, paddle.ones([2]), 3)
    assert len(inputs) == 1 and len(outputs) == 2


def test_get_code(translator):
    code = translator.get_code(signed)
    assert code.startswith("def signed(x):")
    assert to_static(signed).code == code


def test_without_conversion(translator, capfd):
    translator.enable(False)
    x = paddle.ones([1])
    assert translator.get_output(signed, x).item() == 2
    assert translator.get_func(signed) is signed
    assert translator.get_program(signed, x).item() == 2
    assert len(translator.get_program_cache()) == 0
    text = capfd.readouterr().err
    for name in ("get_output", "get_func", "get_program"):
        assert f"WARNING: ProgramTranslator.{name} does not convert" in text


@pytest.mark.parametrize("name", ["get_output", "get_func", "get_program", "get_code"])
@pytest.mark.parametrize("wrong", [3, None, Net])
def test_wrong_function(translator, name, wrong):
    with pytest.raises(TypeError, match=rf"{name}\(dygraph_func\): expected a function"):
        getattr(translator, name)(wrong)
