"""Program.to_python: the source runs, reads well, and builds an equal Program."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle.ir.attribute_kinds import AttrType
from paddle.ir.program import Program
from paddle.ir.variable import Parameter, Variable
from paddle.serialization.program import proto
from paddle.serialization.program.python_layout import literal
from paddle.static import Executor, Scope
from tests import rounding
from tests.executor.building import building, run, started

sys.path.insert(0, str(Path(__file__).parent))
import corpus_cases

static = paddle.static
ENDINGS = (".pb", ".pdmodel", "__model__", ".model")


def rebuilt(source: str, function: str = "build") -> Program:
    """What a function of the source returns."""
    made: dict = {"__name__": "source"}
    exec(compile(source, "<source>", "exec"), made)
    return made[function]()


def bytes_of(program: Program) -> bytes:
    return program.desc.serialize_to_string()


def check(program: Program) -> str:
    """Rebuilds a Program and compares everything that a user can see."""
    source = program.to_python()
    again = rebuilt(source)
    assert bytes_of(again) == bytes_of(program)
    assert str(again) == str(program)
    assert again.random_seed == program.random_seed
    for block, other in zip(program.blocks, again.blocks, strict=True):
        assert block.parent_idx == other.parent_idx
        for var in block.vars.values():
            same_variable(var, other.var(var.name))
        for op, copy in zip(block.ops, other.ops, strict=True):
            assert (op.inputs, op.outputs) == (copy.inputs, copy.outputs)
            assert plain(op.attrs) == plain(copy.attrs)
            assert (op.attr_kinds is None) == (copy.attr_kinds is None)
    assert again.to_python() == source
    return source


def plain(attrs: dict) -> str:
    def shown(value):
        if isinstance(value, list):
            return [shown(v) for v in value]
        return ("block", value.idx) if hasattr(value, "ops") else value

    return repr({k: shown(v) for k, v in sorted(attrs.items())})


def same_variable(var: Variable, other: Variable) -> None:
    assert type(var) is type(other)
    named = ["type", "shape", "dtype", "lod_level", "persistable", "stop_gradient", "is_data"]
    named += ["need_check_feed", "belong_to_optimizer"]
    if isinstance(var, Parameter):
        named += ["trainable", "optimize_attr", "need_clip", "do_model_average", "is_distributed"]
    for name in named:
        assert getattr(var, name) == getattr(other, name), (var.name, name)


# -- Programs of PaddlePaddle ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["inference", "train", "backward", "saved"])
def test_every_program_of_the_corpus(kind: str, tmp_path: Path) -> None:
    count = 0
    for name in corpus_cases.names(kind):
        for file, data in corpus_cases.read_case(name).files.items():
            if file.endswith(ENDINGS):
                program = proto.from_bytes(data)
                source = program.to_python()
                again = rebuilt(source)
                assert bytes_of(again) == bytes_of(program), (name, file)
                assert str(again) == str(program), (name, file)
                assert again.program_version == program.program_version
                assert again.op_versions == program.op_versions
                (tmp_path / f"p{count}.py").write_text(source)
                count += 1
    assert count > 10
    well_formatted(tmp_path)


def well_formatted(folder: Path) -> None:
    """Our own formatter and linter have nothing to change."""
    root = Path(__file__).parents[2]
    options = ["--config", str(root / "pyproject.toml"), "--no-cache", str(folder)]
    for command in (["format", "--check"], ["check"]):
        found = subprocess.run(
            [sys.executable, "-m", "ruff", *command, *options], capture_output=True, text=True
        )
        assert found.returncode == 0, found.stdout[-2000:] + found.stderr[-2000:]


def test_a_rebuilt_program_of_the_corpus_runs() -> None:
    case = corpus_cases.read_case("1.8.5_lenet_sgd")
    main = rebuilt(proto.from_bytes(case.files["main.pb"]).to_python())
    scope = Scope()
    executor = Executor(paddle.CPUPlace())
    executor.run(rebuilt(proto.from_bytes(case.files["startup.pb"]).to_python()), scope=scope)
    for name, value in case.values("params.npz").items():
        scope.var(name).get_tensor().set(value, paddle.CPUPlace())
    feed, wanted = case.values("feeds.npz"), case.fetched()
    for step in range(case.meta["steps"]):
        found = executor.run(main, feed=feed, fetch_list=case.meta["fetches"], scope=scope)
        for value, expected in zip(found, wanted, strict=True):
            rounding.close(value, expected[step], terms=512, least=1.0)


def test_a_program_from_a_file_that_was_changed_here() -> None:
    case = corpus_cases.read_case("2.6.2_dense")
    program = proto.from_bytes(case.files["main.pb"])
    paddle.enable_static()
    with static.program_guard(program, Program()):
        block = program.global_block()
        last = block.var(case.meta["fetches"][0])
        block.create_parameter(name="w", shape=[3, 2], dtype="float32", trainable=False)
        out = static.nn.cond(paddle.mean(last) > 0.0, lambda: last * 2.0, lambda: last - 1.0)
    paddle.disable_static()
    assert out.name in program.to_python()
    again = rebuilt(program.to_python())
    assert bytes_of(again) == bytes_of(program)
    assert again.global_block().var("w").trainable is False


# -- Programs made here ---------------------------------------------------------------------------


def dense_training(optimizer=None):
    x = static.data("x", [None, 8])
    label = static.data("label", [None, 1], "int64")
    hidden = static.nn.fc(x, 16, activation="relu")
    hidden = F.dropout(static.nn.batch_norm(hidden), 0.3)
    loss = paddle.mean(F.cross_entropy(static.nn.fc(hidden, 4), label))
    (optimizer or paddle.optimizer.Adam(0.01)).minimize(loss)
    return loss


def conditional_training():
    x = static.data("x", [4, 3])
    h = static.nn.fc(x, 3)
    h = static.nn.cond(paddle.mean(h) > 0.0, lambda: h * h, lambda: paddle.tanh(h))
    paddle.optimizer.SGD(0.1).minimize(paddle.mean(h))


def looped_training():
    x = static.data("x", [4, 3])
    h, i = static.nn.fc(x, 3), paddle.zeros([1], "int64")

    def body(i, h):
        inner = static.nn.cond(paddle.mean(h) > 1.0, lambda: h / 2.0, lambda: h * 2.0)
        return i + 1, inner

    _, h = static.nn.while_loop(lambda i, h: i < 3, body, [i, h])
    paddle.optimizer.Momentum(0.1).minimize(paddle.mean(h))


def cases_and_arrays():
    x, k = static.data("x", [2, 3]), static.data("k", [1], "int64")
    static.nn.switch_case(k, [lambda: x + 1.0, lambda: x * 2.0], default=lambda: x)
    array = paddle.tensor.create_array("float32")
    paddle.tensor.array_write(x, paddle.zeros([1], "int64"), array)
    paddle.tensor.array_read(array, paddle.zeros([1], "int64"))
    paddle.tensor.array_length(array)


def indexing_and_constants():
    x = static.data("x", [None, 5, 4])
    y = x[1:, ::2, -1]
    y[:, 0] = 0.5
    paddle.assign(np.arange(60, dtype="float32").reshape(12, 5))
    paddle.assign(np.array([True, False]))
    paddle.full([2], float("inf"))
    paddle.clip(x, min=-1e-30, max=3.4e38)


def decayed_training():
    x = static.data("x", [None, 8])
    attr = paddle.ParamAttr(
        learning_rate=0.5, regularizer=paddle.regularizer.L1Decay(0.25), need_clip=False
    )
    frozen = paddle.ParamAttr(trainable=False)
    loss = paddle.mean(static.nn.fc(x, 3, weight_attr=attr, bias_attr=frozen))
    clip = paddle.nn.ClipGradByGlobalNorm(1.0)
    paddle.optimizer.Adam(0.1, weight_decay=0.01, grad_clip=clip).minimize(loss)


def scheduled_training():
    dense_training(paddle.optimizer.SGD(paddle.optimizer.lr.StepDecay(0.5, 2)))


def scoped():
    with static.name_scope("a"), static.device_guard("cpu"):
        x = paddle.ones([2, 2])
        with static.name_scope("b"):
            paddle.tanh(x)


def called():
    x = static.data("x", [2, 3])
    out = paddle.static.default_main_program().current_block().create_var(
        name="out", shape=[2, 3], dtype="float32"
    )  # fmt: skip
    static.py_func(np.tanh, x, out)
    static.Print(out, message='a "quoted" \\ text\nof two lines')


NETWORKS = [
    dense_training, conditional_training, looped_training, cases_and_arrays,
    indexing_and_constants, decayed_training, scheduled_training, scoped, called,
]  # fmt: skip


@pytest.mark.parametrize("network", NETWORKS, ids=lambda f: f.__name__)
def test_programs_made_here(network, tmp_path: Path) -> None:
    with building() as (main, startup):
        network()
        main.random_seed = 11
    source = check(main)
    check(startup)
    check(main.clone(for_test=True))
    check(proto.from_bytes(bytes_of(main)))
    (tmp_path / "main.py").write_text(source)
    (tmp_path / "both.py").write_text(main.to_python(startup))
    well_formatted(tmp_path)


def test_one_statement_an_operator_and_a_variable() -> None:
    with building() as (main, _):
        looped_training()
    tree = ast.parse(main.to_python())
    calls = [n.value for n in ast.walk(tree) if isinstance(n, ast.Expr)]
    calls = [n.func.attr for n in calls if isinstance(n, ast.Call) and hasattr(n.func, "attr")]
    assert calls.count("append_op") == sum(len(b.ops) for b in main.blocks)
    variables = calls.count("create_var") + calls.count("create_parameter")
    assert variables == sum(len(b.vars) for b in main.blocks)
    assert calls.count("create_parameter") == len(main.all_parameters())


AS_IT_READS = '''\
"""A Program as written by Program.to_python()."""

from paddle import static


def build() -> static.Program:
    """Returns a Program of 2 blocks, 3 variables, 2 operators."""
    program = static.Program()
    with program.verbatim():
        block = program.global_block()
        block_1 = program.create_block(block)

        # variables of block 0
        block.create_var(
            name="x",
            shape=[-1, 3],
            dtype="float32",
            need_check_feed=True,
            stop_gradient=True,
            is_data=True,
        )
        block.create_parameter(name="w", shape=[3, 3], dtype="float64", trainable=False)
        block.create_var(name="y", shape=[-1, 3], dtype="float32")

        # operators of block 0
        block.append_op(
            type="scale", inputs={"X": ["x"]}, outputs={"Out": ["y"]}, attrs={"op_role": 0}
        )
        block.append_op(type="run", attrs={"numbers": [1, 2], "sub_block": block_1, "op_role": 0})
    return program


if __name__ == "__main__":
    print(build())
'''


def test_the_source_as_it_reads() -> None:
    with building() as (main, _):
        x, block = static.data("x", [None, 3]), main.global_block()
        block.create_parameter(name="w", shape=[3, 3], dtype="float64", trainable=False)
        y = block.create_var(name="y")
        block.append_op(type="scale", inputs={"X": x}, outputs={"Out": y})
        with main.verbatim():
            attrs = {"op_role": 0, "sub_block": main.create_block(), "numbers": [1, 2]}
            block.append_op(type="run", attrs=attrs)
    assert main.to_python() == AS_IT_READS


def test_rebuilt_training_gives_the_same_losses() -> None:
    with building() as (main, startup):
        loss = dense_training(paddle.optimizer.SGD(0.1)).name
        main.random_seed = startup.random_seed = 3
    source = main.to_python(startup)
    feed = {"x": np.ones((4, 8), "float32"), "label": np.array([[0], [1], [2], [3]])}
    losses = []
    again = rebuilt(source), rebuilt(source, "build_startup")
    for first, second in ((main, startup), again):
        scope = started(second)
        losses.append([run(first, feed, [loss], scope)[0].item() for _ in range(4)])
    assert losses[0] == losses[1]
    assert losses[0][3] < losses[0][0]


def test_the_source_is_a_script(tmp_path: Path) -> None:
    with building() as (main, _):
        static.data("x", [None, 3])
    (tmp_path / "net.py").write_text(main.to_python())
    root = Path(__file__).parents[2]
    found = subprocess.run(
        [sys.executable, str(tmp_path / "net.py")], capture_output=True, text=True,
        env={"PYTHONPATH": str(root), "PATH": ""}, cwd=tmp_path,
    )  # fmt: skip
    assert found.stdout == str(main) + "\n", found.stderr[-1000:]


VALUES = {
    "INT": -3, "FLOAT": 0.1, "STRING": "a 'b' \"c\"\n\\", "INTS": [1, 2],
    "STRINGS": ["", "x"], "FLOATS": [0.5, float("inf")], "BOOLEAN": True, "BOOLEANS": [True, False],
    "LONG": 1 << 40,
    "LONGS": [1, 1 << 40], "FLOAT64S": [0.1, 0.2], "VAR": "x", "VARS": ["x", "y"], "FLOAT64": 0.1,
    "SCALAR": 1 + 2j, "SCALARS": [True, 2, 2.5, complex(0, float("-inf"))],
}  # fmt: skip


def test_attributes_of_every_kind() -> None:
    program = Program()
    block = program.global_block()
    with program.verbatim(version=0):
        for name in ("x", "y"):
            block.create_var(name=name, shape=[1], dtype="float32")
        inner = [program.create_block(), program.create_block()]
        attrs = {**VALUES, "BLOCK": inner[0], "BLOCKS": inner}
        assert set(attrs) == set(AttrType.__members__)
        block.append_op(type="f", attrs=attrs, attr_types={n: n for n in attrs})
        block.append_op(type="f", attrs=dict(reversed(attrs.items())))
    op = rebuilt(program.to_python()).global_block().ops[0]
    assert {n: AttrType(op.attr_type(n)).name for n in attrs} == {n: n for n in attrs}
    check(program)
    check(proto.from_bytes(bytes_of(program)))


@pytest.mark.parametrize(
    "value",
    [0, -1, 1.5, 1e300, 1e-7, float("-inf"), True, None, "", "é\ud800", b"\x00'\"", [], (1,), (),
     (1, 2), {"a": [1, {"b": None}]}, 1 + 2j, np.float32(0.1), np.arange(3),
     np.array([[True]])],
    ids=repr,
)  # fmt: skip
def test_literals(value) -> None:
    again = eval(literal(value))
    assert again == (value.tolist() if hasattr(value, "tolist") else value)
    assert type(again) is type(value.tolist() if hasattr(value, "tolist") else value)


def test_not_a_number_is_written() -> None:
    again = eval(literal([float("nan")]))
    assert again[0] != again[0]


# -- bad input ------------------------------------------------------------------------------------


def test_what_cannot_be_written_is_named() -> None:
    with building() as (main, _):
        block = main.global_block()
        block.create_var(name="x", shape=[1], dtype="float32")
        block.append_op(type="print", inputs={"In": "x"}, outputs={"Out": "x"}, attrs={"f": print})
    with pytest.raises(
        ValueError, match=r"attribute 'f' of operator print: .*builtin_function"
    ) as e:
        main.to_python()
    assert "test_source.py" in str(e.value) and "attrs={" in str(e.value)  # the user's own line
    with building() as (main, _):
        w = static.create_parameter([2], "float32", name="w")
        w.regularizer = object()
    with pytest.raises(ValueError, match="regularizer of variable 'w' is a object, which cannot"):
        main.to_python()


def test_blocks_of_another_program() -> None:
    main, other = Program(), Program()
    with main.verbatim():
        main.global_block().append_op(type="while", attrs={"sub_block": other.create_block()})
    with pytest.raises(ValueError, match="'sub_block' of operator while: expected a block of the"):
        main.to_python()
    with pytest.raises(ValueError, match=r"create_block\(parent\): expected a block of this"):
        main.create_block(other.global_block())


def test_wrong_arguments() -> None:
    program = Program()
    with pytest.raises(TypeError, match=r"to_python\(startup_program\): expected a Program.* str"):
        program.to_python("startup")
    block = program.global_block()
    with program.verbatim(version=0):
        block.create_var(name="x", shape=[1], dtype="float32")
        with pytest.raises(RuntimeError, match="block 0 already has a variable 'x'"):
            block.create_var(name="x", shape=[1], dtype="float32")
        with pytest.raises(ValueError, match=r"create_parameter\('w'\): expected a dtype and pos"):
            block.create_parameter(name="w", shape=[-1], dtype="float32")
        with pytest.raises(
            ValueError, match=r"append_op\(f\): expected attr_types\['a'\] .*'WORD'"
        ):
            block.append_op(type="f", attrs={"a": 1}, attr_types={"a": "WORD"})


def test_verbatim_ends_with_its_block() -> None:
    program = Program()
    block = program.global_block()
    with pytest.raises(KeyError), program.verbatim():
        block.append_op(type="no_such_operator")
        raise KeyError
    with pytest.raises(RuntimeError, match="'no_such_operator' has not been registered"):
        block.append_op(type="no_such_operator")
