"""The page on Program: its examples run as printed, and print what it shows.

    to_string            test_to_string
    clone, note          test_clone_for_test_before_the_optimizer
    clone, 1             test_both_ways_print_the_same (``cloned``: the code is not printed there)
    clone, 2             test_both_ways_print_the_same (``built_twice``), print_prog
    parse_from_string    test_parse_from_string
    num_blocks           test_num_blocks
    random_seed          test_random_seed (described, no code)
    global_block, block, current_block
                         test_blocks
    list_vars            test_list_vars (described, no code)
    all_parameters       test_all_parameters

The other tests prove what the text says around them.
"""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
import paddle.static as static
import paddle.utils as utils
from tests.seeds.printed import output

pytestmark = pytest.mark.usefixtures("fresh_static")


@pytest.fixture
def six(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the page needs of the package six, which is not a requirement here."""
    module = types.SimpleNamespace(iteritems=lambda mapping: iter(mapping.items()))
    monkeypatch.setitem(sys.modules, "six", module)  # type: ignore[arg-type]
    return module


def test_to_string() -> None:
    paddle.enable_static()

    prog = static.default_main_program()
    x = static.data(name="X", shape=[2,3], dtype="float32")  # fmt: skip
    pred = static.nn.fc(x, size=3)
    prog_string = prog.to_string(throw_on_error=True, with_details=False)
    prog_string_with_details = prog.to_string(throw_on_error=False, with_details=True)
    with output() as out:
        print(f"program string without detail: {prog_string}")
        print(f"program string with detail: {prog_string_with_details}")

    plain, detailed = out.text.split("program string with detail: ")
    assert plain.startswith("program string without detail: blocks {\n  idx: 0\n")
    for text in (plain, detailed):
        for name in ("X", "fc_0.w_0", "fc_0.b_0", "fc_0.tmp_0", pred.name):
            assert f'name: "{name}"' in text
    # Details are what is not serialized.
    for word in ("trainable: True", "optimize_attr: {'learning_rate': 1.0}", "regularizer: None"):
        assert detailed.count(word) == 2  # two parameters
        assert word not in plain
    assert detailed.count("error_clip: None") == 3  # the other variables


def test_the_string_is_the_message_as_text() -> None:
    from google.protobuf import text_format

    from paddle.serialization.program.proto import to_message

    paddle.enable_static()
    static.nn.fc(static.data(name="X", shape=[2, 3], dtype="float32"), size=3)
    prog = static.default_main_program()
    message = text_format.Parse(prog.to_string(True), type(to_message(prog))())
    assert message.SerializeToString() == prog.desc.serialize_to_string()


@pytest.mark.parametrize("flags", [(1, False), (True, "yes")])
def test_to_string_takes_flags_only(flags: tuple) -> None:
    with pytest.raises(TypeError, match=r"Program\.to_string\(\w+\): expected a bool"):
        static.Program().to_string(*flags)


def test_clone_for_test_before_the_optimizer() -> None:
    paddle.enable_static()

    img = static.data(name="image", shape=[None, 784])
    pred = static.nn.fc(x=img, size=10, activation="relu")
    loss = paddle.mean(pred)
    # Here we use clone before Momentum
    test_program = static.default_main_program().clone(for_test=True)
    optimizer = paddle.optimizer.Momentum(learning_rate=0.01, momentum=0.9)
    optimizer.minimize(loss)

    types_ = [op.type for op in test_program.block(0).ops]
    assert types_ == ["mul", "elementwise_add", "relu", "reduce_mean"]
    trained = [op.type for op in static.default_main_program().block(0).ops]
    assert trained[:4] == types_
    assert trained.count("momentum") == 2
    assert not any("@GRAD" in name for name in test_program.block(0).vars)


def test_clone_for_test_after_the_optimizer_cuts_the_same() -> None:
    """The page says that backward and optimizer are left out then too."""
    paddle.enable_static()
    img = static.data(name="image", shape=[None, 784])
    loss = paddle.mean(static.nn.fc(x=img, size=10, activation="relu"))
    before = static.default_main_program().clone(for_test=True)
    paddle.optimizer.Momentum(learning_rate=0.01, momentum=0.9).minimize(loss)
    after = static.default_main_program().clone(for_test=True)
    assert [str(op) for op in after.block(0).ops] == [
        str(op).replace("op_role = 0", "op_role = 256") if op.type == "reduce_mean" else str(op)
        for op in before.block(0).ops
    ]


def print_prog(prog: Any) -> None:
    import six

    for _name, value in sorted(six.iteritems(prog.block(0).vars)):
        print(value)
    for op in prog.block(0).ops:
        print(f"op type is {op.type}")
        print(f"op inputs are {op.input_arg_names}")
        print(f"op outputs are {op.output_arg_names}")
        for key, value in sorted(six.iteritems(op.all_attrs())):
            if key not in ["op_callstack", "op_role_var"]:
                print(f" [ attrs: {key}: {value} ]")


def network() -> Any:
    img = static.data(name="image", shape=[None, 784])
    hidden = static.nn.fc(x=img, size=200, activation="relu")
    hidden = F.dropout(hidden, p=0.5)
    loss = F.cross_entropy(
        input=static.nn.fc(x=hidden, size=10, activation="softmax"),
        label=static.data(name="label", shape=[1], dtype="int64"),
    )
    avg_loss = paddle.mean(loss)
    return avg_loss


def cloned() -> tuple[static.Program, static.Program]:
    """The page's first way, of which only the headline is printed: training and test Program."""
    train_program, startup_program = static.Program(), static.Program()
    with static.program_guard(train_program, startup_program):
        with utils.unique_name.guard():
            avg_loss = network()
            test_program = train_program.clone(for_test=True)
            paddle.optimizer.SGD(learning_rate=1e-3).minimize(avg_loss)
    return train_program, test_program


def built_twice() -> tuple[static.Program, static.Program, static.Program]:
    """The second way, as printed: training, startup and test Program."""
    train_program_2 = static.Program()
    startup_program_2 = static.Program()
    test_program_2 = static.Program()
    with static.program_guard(train_program_2, startup_program_2):
        with utils.unique_name.guard():
            avg_loss = network()
            sgd = paddle.optimizer.SGD(learning_rate=1e-3)
            sgd.minimize(avg_loss)
    # the test startup program is not used.
    with static.program_guard(test_program_2, startup_program_2):
        with utils.unique_name.guard():
            avg_loss = network()
    return train_program_2, startup_program_2, test_program_2


def test_both_ways_print_the_same(six: Any) -> None:
    paddle.enable_static()
    train, test = cloned()
    train_2, startup_2, test_2 = built_twice()
    with output() as first:
        print_prog(test)
    with output() as second:
        print_prog(test_2)
    # Only a clone for testing switches dropout off.
    assert "[ attrs: is_test: True ]" in first.text
    assert first.text.replace("is_test: True", "is_test: False") == second.text
    assert "persist trainable param fc_0.w_0 : paddle.VarType.LOD_TENSOR.shape(784, 200)" in (
        second.text
    )
    assert "op type is softmax_with_cross_entropy\nop inputs are ['fc_1.tmp_2'" in second.text
    assert str(train) == str(train_2)
    # Both networks put the same parameters into one startup Program: once each.
    made = [name for op in startup_2.block(0).ops for name in op.output_arg_names]
    assert sorted(n for n in made if n.startswith("fc")) == sorted(
        p.name for p in train_2.all_parameters()
    )


def test_training_and_test_program_share_parameters() -> None:
    paddle.enable_static()
    train, startup, test = built_twice()
    exe = static.Executor(paddle.CPUPlace())
    exe.run(startup)
    feed = {
        "image": np.random.RandomState(0).rand(1, 784).astype("float32"),
        "label": np.array([3], "int64"),
    }
    test = test.clone(for_test=True)
    loss = test.block(0).ops[-1].output_arg_names
    before = exe.run(test, feed=feed, fetch_list=loss)[0].item()
    for _ in range(100):
        exe.run(train, feed=feed)
    assert exe.run(test, feed=feed, fetch_list=loss)[0].item() < before - 0.01


def test_parse_from_string() -> None:
    paddle.enable_static()

    startup_prog = static.Program()
    main_prog = static.Program()
    with static.program_guard(startup_prog, main_prog):
        x = static.data(name="X", shape=[1000, 784], dtype="float32")

        y = static.data(name="Y", shape=[784, 100], dtype="float32")

        z = paddle.matmul(x=x, y=y)

        binary_str = static.default_main_program().desc.serialize_to_string()
        prog_restored = static.default_main_program().parse_from_string(binary_str)

        with output() as out:
            print(static.default_main_program())
            print(prog_restored)
    half = len(out.text) // 2
    assert out.text[:half] == out.text[half:]
    assert f"var {z.name} : LOD_TENSOR.shape(1000, 100).dtype(float32)" in out.text
    assert isinstance(binary_str, bytes)
    assert prog_restored.desc.serialize_to_string() == binary_str

    a, b = np.random.rand(1000, 784).astype("float32"), np.random.rand(784, 100).astype("float32")
    (product,) = static.Executor().run(prog_restored, {"X": a, "Y": b}, [z.name])
    np.testing.assert_allclose(product, a @ b, rtol=1e-4)


def test_num_blocks() -> None:
    prog = static.default_main_program()
    num_blocks = prog.num_blocks
    with output() as out:
        print(num_blocks)
    # print result:
    # 1
    out.is_("1")


def test_random_seed() -> None:
    """The page describes the property; 0 leaves the numbers to chance."""
    paddle.enable_static()
    prog = static.default_main_program()
    x_var = static.data(name="X", shape=[3,3], dtype="float32")  # fmt: skip
    with output() as out:
        print(prog.random_seed)
        prog.random_seed = 1
        z_var = F.dropout(x_var, 0.7)
        print(prog.random_seed)
    out.is_("0 1")

    def draws(program: Any) -> list[np.ndarray]:
        exe, ones = static.Executor(), np.ones([3, 3], "float32")
        return [exe.run(program, {"X": ones}, [z_var.name])[0] for _ in range(3)]

    first = draws(prog)
    assert not np.array_equal(first[0], first[1])  # one sequence of numbers goes on from run to run
    np.testing.assert_array_equal(draws(prog.clone()), first)  # a new Program begins anew
    prog.random_seed = 2
    assert not np.array_equal(draws(prog)[0], first[0])


def test_blocks() -> None:
    paddle.enable_static()

    prog = static.default_main_program()
    gb_block = prog.global_block()
    block_0 = prog.block(0)
    current_blk = prog.current_block()
    static.data(name="x", shape=[None, 13])
    with output() as out:
        print(gb_block)
        print(block_0)
        print(current_blk)
    line = "{ // block 0 var x : LOD_TENSOR.shape(-1, 13).dtype(float32).stop_gradient(True) }"
    out.is_(" ".join([line] * 3))
    assert gb_block is block_0 is current_blk


def test_the_current_block_is_that_of_a_branch_while_it_is_built() -> None:
    paddle.enable_static()
    prog = static.default_main_program()
    x = static.data(name="x", shape=[1])
    seen = []

    def branch() -> Any:
        seen.append(prog.current_block().idx)
        return x + 1.0

    static.nn.cond(x > 0, branch, branch)
    assert seen == [1, 2]
    assert prog.num_blocks == 3
    assert prog.current_block() is prog.global_block()
    with pytest.raises(IndexError, match=r"Program.block\(index\): expected an int below 3"):
        prog.block(3)


def test_list_vars() -> None:
    paddle.enable_static()
    prog = static.default_main_program()
    static.data(name='img', shape=[None, 1,28,28], dtype='float32')  # fmt: skip
    static.data(name='label', shape=[None,1], dtype='int64')  # fmt: skip
    with output() as out:
        for var in prog.list_vars():
            print(var)
    out.is_(
        "var img : paddle.VarType.LOD_TENSOR.shape(-1, 1, 28, 28).astype(VarType.FP32)\n"
        "var label : paddle.VarType.LOD_TENSOR.shape(-1, 1).astype(VarType.INT64)"
    )
    assert iter(prog.list_vars()) is not prog.list_vars()  # a generator, a new one each time


def test_all_parameters() -> None:
    paddle.enable_static()

    program = static.default_main_program()
    data = static.data(name="x", shape=[None, 13], dtype="float32")
    hidden = static.nn.fc(x=data, size=10)
    loss = paddle.mean(hidden)
    paddle.optimizer.SGD(learning_rate=0.01).minimize(loss)

    with output() as out:
        for param in program.all_parameters():
            print(param)

    # Here will print all parameters in current program, in this example,
    # the result is like:
    #
    # persist trainable param fc_0.w_0 : paddle.VarType.LOD_TENSOR.shape(13, 10).astype(VarType.FP32)  # noqa: E501
    # persist trainable param fc_0.b_0 : paddle.VarType.LOD_TENSOR.shape(10,).astype(VarType.FP32)
    out.is_(
        "persist trainable param fc_0.w_0 : "
        "paddle.VarType.LOD_TENSOR.shape(13, 10).astype(VarType.FP32)\n"
        "persist trainable param fc_0.b_0 : "
        "paddle.VarType.LOD_TENSOR.shape(10,).astype(VarType.FP32)"
    )
    # Here print(param) will print out all the properties of a parameter,
    # including name, type and persistable, you can access to specific
    # property of a parameter, such as param.name, param.type
    param = program.all_parameters()[0]
    assert (param.name, str(param.type)) == ("fc_0.w_0", "VarType.LOD_TENSOR")
    assert param.trainable
    assert param.persistable
