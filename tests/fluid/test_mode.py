"""Which mode paddle.fluid is in: open until something is made, settled by what is made first."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.core.mode import get_mode
from paddle.fluid import mode

PLAIN = 1  # gradients on, no hook: operators run at once and nothing looks at their calls


def test_open_is_static_for_who_asks_fluid_and_dynamic_for_2_0() -> None:
    assert not fluid.in_dygraph_mode() and paddle.in_dynamic_mode() and mode.is_open()
    assert paddle.fluid.framework._dygraph_tracer() is not None
    assert paddle.fluid.framework.in_dygraph_mode()  # the path that 2.x code takes
    fluid.Program(), fluid.ParamAttr(name="w"), fluid.CPUPlace(), fluid.Scope()  # make nothing
    assert mode.is_open()


@pytest.mark.parametrize("settle", [
    fluid.Executor, fluid.default_main_program, fluid.default_startup_program,
    lambda: mode.settle_static("fluid.data"),
])  # fmt: skip
def test_what_only_static_mode_has_settles(settle) -> None:
    settle()
    assert not mode.is_open() and not paddle.in_dynamic_mode() and not fluid.in_dygraph_mode()
    assert isinstance(paddle.ones([1]), paddle.static.Variable)
    paddle.disable_static()
    assert get_mode() == PLAIN


@pytest.mark.parametrize("make", [
    lambda: paddle.to_tensor([1.0]), lambda: paddle.ones([1]), lambda: paddle.nn.Linear(1, 1),
    lambda: paddle.tensor.creation.full([1], 2), lambda: paddle.randn([1]),
])  # fmt: skip
def test_an_eager_tensor_settles(make) -> None:
    make()
    assert not mode.is_open() and fluid.in_dygraph_mode() and get_mode() == PLAIN
    with pytest.raises(
        RuntimeError, match=r"fluid\.data builds .*test_mode\.py, line \d+.*\n.*ena"
    ):
        mode.settle_static("fluid.data")
    main = fluid.Program()
    with fluid.program_guard(main):  # not chosen: the block is static
        assert isinstance(paddle.ones([1]), fluid.Variable)
    assert fluid.in_dygraph_mode() and len(main.global_block().ops) == 1
    assert fluid.Executor() and fluid.default_main_program() and fluid.in_dygraph_mode()


def test_layers_settle_by_their_arguments() -> None:
    source = "def layer(*args): from paddle import tensor; return tensor.add(args[0], args[0])"
    space = {"__name__": "paddle.fluid.layers.made_up"}
    exec(source.replace("; return", "\n    return").replace(": from", ":\n    from"), space)
    tensor = paddle.to_tensor([1.0])
    mode.reopen()
    assert space["layer"](tensor).numpy() == [2.0] and get_mode() == PLAIN
    mode.reopen()
    exec("def layer(n):\n    import paddle\n    return paddle.full([n], 1.0)", space)
    assert isinstance(space["layer"](2), paddle.static.Variable)
    mode.reopen()
    exec("def asks(n):\n    import paddle\n    return paddle.in_dynamic_mode()", space)
    assert space["asks"](2) is False and not mode.is_open()


def test_guards_set_it_for_their_block() -> None:
    with fluid.dygraph.guard():
        assert fluid.in_dygraph_mode() and get_mode() == PLAIN
        x = fluid.dygraph.to_variable(np.ones([2], "float32"))
        assert isinstance(x, fluid.Variable) and not isinstance(x, paddle.static.Variable)
        with fluid.program_guard(fluid.Program()):  # as in 1.x: the guard outside stays
            assert isinstance(paddle.ones([1]), paddle.Tensor)
        with pytest.raises(RuntimeError, match="a guard, enable_dygraph"):
            mode.settle_static("fluid.layers.While")
    assert mode.is_open()
    with fluid.program_guard(fluid.Program()):
        assert not fluid.in_dygraph_mode() and not isinstance(x, fluid.Variable)
        with fluid.dygraph.guard():
            assert fluid.in_dygraph_mode()
        assert isinstance(paddle.ones([1]), fluid.Variable)
    assert mode.is_open()


def test_a_choice_wins() -> None:
    fluid.enable_dygraph()
    with fluid.program_guard(fluid.Program()):
        assert isinstance(paddle.ones([1]), paddle.Tensor)
    with pytest.raises(RuntimeError, match="dynamic mode is on"):
        mode.settle_static("fluid.data")
    fluid.disable_dygraph()
    assert not fluid.in_dygraph_mode()
    mode.settle_static("fluid.data")


def test_the_executor_is_no_other_class() -> None:
    assert fluid.Executor is paddle.static.Executor
    assert isinstance(fluid.default_main_program(), fluid.Program)
    made = fluid.default_main_program().global_block().create_var(name="v", shape=[1])
    assert isinstance(made, fluid.Variable) and issubclass(type(made), fluid.Variable)


@pytest.mark.parametrize("script", [
    # 2.x code that takes something from a deep path goes on in dynamic mode
    "import paddle; from paddle.fluid.layers import utils; from paddle.fluid import core;"
    "assert paddle.in_dynamic_mode(); y = paddle.nn.Linear(2, 2)(paddle.ones([1, 2]));"
    "y.sum().backward(); assert paddle.fluid.framework.in_dygraph_mode()",
    # a thread of an open process starts open, too
    "import threading, paddle, paddle.fluid as fluid; fluid.Program; seen = [];"
    "t = threading.Thread(target=lambda: seen.append(type(paddle.ones([1])).__name__));"
    "t.start(); t.join(); assert seen == ['Tensor'], seen; fluid.Executor();"
    "t = threading.Thread(target=lambda: seen.append(type(paddle.ones([1])).__name__));"
    "t.start(); t.join(); assert seen[1] == 'Variable', seen",
    # a choice before fluid is used
    "import paddle; paddle.disable_static(); import paddle.fluid as fluid;"
    "assert fluid.in_dygraph_mode(); fluid.default_main_program(); assert fluid.in_dygraph_mode()",
])  # fmt: skip
def test_in_a_process_of_its_own(script: str) -> None:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
