"""Programs, Blocks, Operators and guards: what they offer, what they do, what they print."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import paddle
from paddle.core import unique_name
from paddle.ir.program import Program
from tests.executor.building import building

static = paddle.static
TABLE = Path(__file__).parents[1] / "data" / "api-2.0.tsv"
OURS = re.compile(
    r"paddle\.static\.(Program|Variable)(\.|$)|paddle\.utils\.unique_name\."
    r"|paddle\.static\.(name_scope|device_guard|program_guard|default_\w+|data)$"
)
# What they take beyond PaddlePaddle's 2.0.
LONGER = {
    "paddle.static.Variable.set_value": "(value, scope=None)",
    "paddle.static.Variable.where": "(x=None, y=None, name=None)",
}


def rows() -> list[list[str]]:
    lines = TABLE.read_text(encoding="utf8").splitlines()
    return [row for row in (line.split("\t") for line in lines) if OURS.match(row[0])]


@pytest.mark.parametrize("row", rows(), ids=lambda r: r[0])
def test_names_and_signatures(row: list[str]) -> None:
    name, kind, signature = row[:3]
    found = paddle
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    if kind == "property":
        assert isinstance(found, property)
        assert "write" not in signature or found.fset is not None
        assert found.__doc__
        return
    parameters = list(inspect.signature(found).parameters.values())
    if kind == "method" and "[static]" not in signature:
        parameters = parameters[1:]
    text = ", ".join(shown(p) for p in parameters)
    assert f"({text})" == LONGER.get(name, signature.replace(" [static]", ""))


def shown(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
    return f"{stars}{parameter.name}{default}"


# -- Program and Block ----------------------------------------------------------------------------


def test_blocks_by_number() -> None:
    program = Program()
    inner = program.create_block()
    again = program.create_block(inner)
    assert program.num_blocks == 3
    assert [b.parent_idx for b in program.blocks] == [-1, 0, 1]
    assert program.block(2) is again and program.block(-1) is again
    assert program.current_block() is program.global_block() is program.block(0)
    assert again.parent_block is inner
    with pytest.raises(AttributeError):
        program.num_blocks = 4


def test_roles_of_operators() -> None:
    with building() as (main, _):
        x, block = static.data("x", [2]), main.global_block()
        main.op_role, main.op_role_var = 2, ["x"]
        y = x + 1.0
        main.set_op_role, main.set_op_role_var = 0, []
        x * y
    roles = [(op.attr("op_role"), op.attr("op_role_var")) for op in block.ops]
    assert roles == [(2, ["x"]), (0, [])]


def test_an_operator_tells_what_it_is() -> None:
    with building() as (main, _):
        x, w = static.data("x", [2, 3]), static.data("w", [3, 4])
        y = paddle.matmul(x, w)
        op = main.global_block().ops[0]
    assert (op.type, op.idx, y.op) == ("matmul_v2", 0, op)
    assert (op.input_names, op.output_names) == (["X", "Y"], ["Out"])
    assert (op.input("Y"), op.output("Out")) == (["w"], [y.name])
    assert (op.input_arg_names, op.output_arg_names) == (["x", "w"], [y.name])
    assert op.attr_names == ["op_role", "trans_x", "trans_y"]
    assert op.all_attrs() == {"op_role": 0, "trans_x": False, "trans_y": False}
    assert op.has_attr("trans_x") and not op.has_attr("axis")
    common = [op.attr(n) for n in ("op_namescope", "op_device", "op_role_var")]
    assert common == ["/", "", []]
    op.attr("op_role_var").append("x")
    assert op.attr("op_role_var") == []  # the default was not touched
    assert str(op) == (
        f"{{Out=['{y.name}']}} = matmul_v2(inputs={{X=['x'], Y=['w']}}, op_device = , "
        "op_namescope = /, op_role = 0, op_role_var = [], trans_x = False, trans_y = False)"
    )
    assert op.to_string(True).startswith('inputs {\n  parameter: "X"\n  arguments: "x"\n}\n')


def test_a_block_prints_readably_and_as_its_message() -> None:
    with building() as (main, _):
        static.data("x", [None, 3])
        static.create_parameter([3, 2], "float32", name="w")
        block = main.global_block()
    assert str(block) == (
        "{ // block 0\n"
        "    var x : LOD_TENSOR.shape(-1, 3).dtype(float32).stop_gradient(True)\n"
        "    persist trainable param w : LOD_TENSOR.shape(3, 2).dtype(float32)"
        ".stop_gradient(False)\n"
        "\n"
        "}\n"
    )
    assert str(main) == str(block)
    plain = block.to_string(True)
    assert plain.startswith("idx: 0\nparent_idx: -1\nvars {\n") and "trainable" not in plain
    detailed = block.to_string(False, with_details=True)
    assert detailed.startswith("blocks {\n  idx: 0\n") and "trainable: True\n" in detailed


def test_a_printed_operator_shows_the_attributes_that_nobody_gave() -> None:
    with building() as (main, _):
        x, block = static.data("x", [2]), main.global_block()
        op = block.append_op(type="leaky_relu", inputs={"X": x}, outputs={"Out": "y"})
    assert str(op) == (
        "{Out=['y']} = leaky_relu(inputs={X=['x']}, alpha = 0.02, op_device = , "
        "op_namescope = /, op_role = 0, op_role_var = [])"
    )
    assert str(op) in str(main)


def test_kinds_of_attributes_can_be_given() -> None:
    with building() as (main, _):
        x, block = static.data("x", [2]), main.global_block()
        op = block.append_op(
            type="scale", inputs={"X": x}, outputs={"Out": x}, attrs={"mine": 1},
            attr_types={"mine": "LONG"},
        )  # fmt: skip
    assert op.attr_type("mine").name == "LONG"
    again = Program.parse_from_string(main.desc.serialize_to_string())
    assert again.global_block().ops[0].attr_type("mine").name == "LONG"


# -- guards ---------------------------------------------------------------------------------------


def test_name_scopes_nest_and_count() -> None:
    """Also inside of another Program, and for the startup Program."""
    other = Program()
    with building() as (main, startup):
        x = static.data("x", [2, 3])
        with static.name_scope("a"):
            static.nn.fc(x, 2, bias_attr=False)
            with static.name_scope("b"):
                x + 1.0
            with static.program_guard(other):
                paddle.ones([1])
        with static.name_scope("a"):
            x + 2.0
        x + 3.0
    scopes = [op.attr("op_namescope") for op in main.global_block().ops]
    assert scopes == ["/a/", "/a/b/", "/a_1/", "/"]
    assert [op.attr("op_namescope") for op in startup.global_block().ops] == ["/a/"]
    assert [op.attr("op_namescope") for op in other.global_block().ops] == ["/a/"]


def test_device_guards_nest() -> None:
    with building() as (main, startup):
        x = static.data("x", [2, 3])
        with static.device_guard("gpu:1"):
            static.nn.fc(x, 2, bias_attr=False)
            with static.device_guard():
                x + 1.0
        with pytest.raises(KeyError), static.device_guard("cpu"):
            raise KeyError
        x + 2.0
    devices = [op.attr("op_device") for op in main.global_block().ops]
    assert devices == ["gpu:1", "", ""]
    assert startup.global_block().ops[0].attr("op_device") == "gpu:1"


def test_program_guard_puts_back_what_was() -> None:
    before = static.default_main_program(), static.default_startup_program()
    main, startup = Program(), Program()
    with pytest.raises(KeyError), static.program_guard(main, startup):
        assert static.default_main_program() is main
        assert static.default_startup_program() is startup
        raise KeyError
    with static.program_guard(main):
        assert static.default_startup_program() is before[1]
    assert (static.default_main_program(), static.default_startup_program()) == before


def test_names_are_unique() -> None:
    names = paddle.utils.unique_name
    with names.guard():
        assert [names.generate("fc"), names.generator("fc")] == ["fc_0", "fc_1"]
        assert names.generate_with_ignorable_key("fc") == "dygraph_tmp_0"
        with names.guard("A"):
            assert names.generate("fc") == "Afc_0"
        with names.guard(b"B"):
            assert names.generate("fc") == "Bfc_0"
        before = names.switch()
        assert names.generate("fc") == "fc_0"
        assert not names.dygraph_parameter_name_checker("w")
        assert names.dygraph_parameter_name_checker("w")
        names.switch(*before)
        assert names.generate("fc") == "fc_2"
    with building():
        assert names.generate_with_ignorable_key("fc") == "fc_0"
    assert unique_name.UniqueNameGenerator().prefix == ""
    with pytest.raises(TypeError, match=r"guard\(new_generator\): expected a str.* got int"):
        with names.guard(3):
            pass


# -- bad input: each message ends with the user's own line ----------------------------------------


def _op(**options):
    return static.default_main_program().global_block().append_op(**options)


def _var(**options):
    return static.default_main_program().global_block().create_var(**options)


def _parameter(**options):
    return static.default_main_program().global_block().create_parameter(**options)


def _entered(guard):
    with guard:
        pass


WRONG = [
    (lambda p, x: p.block(1), IndexError, "expected an int below 1, but received 1"),
    (lambda p, x: p.block("a"), TypeError, "expected an int, but got str"),
    (lambda p, x: p.clone(3), TypeError, r"clone\(for_test\): expected a bool, but got int"),
    (lambda p, x: setattr(p, "random_seed", 1.5), ValueError, "expected an int.* 1.5"),
    (lambda p, x: p.to_string(1), TypeError, r"throw_on_error\): expected a bool, but got int"),
    (lambda p, x: p.create_block(3), ValueError, "expected a block of this Program, but got 3"),
    (lambda p, x: x.block.var("gone"), ValueError, "block 0 has no variable 'gone'"),
    (lambda p, x: x.block.var(3), TypeError, "expected a str, but got int"),
    (lambda p, x: _op(), ValueError, "expected an operator's name, but received None"),
    (lambda p, x: _op(type="nope"), RuntimeError, "'nope' has not been registered"),
    (lambda p, x: _op(type="relu", inputs={"X": "gone"}, outputs={"Out": x}), ValueError,
     "input 'gone' is no variable of block 0"),
    (lambda p, x: _op(type="relu", inputs={"X": 3}, outputs={"Out": x}), TypeError,
     r"Variables or names in inputs\['X'\], but received int"),
    (lambda p, x: _op(type="relu", inputs={"Z": x}, outputs={"Out": x}), ValueError,
     r"expected the inputs \['X'\], but 'X' is missing; those given are \['Z'\]"),
    (lambda p, x: _op(type="relu", inputs={"X": [x, x]}, outputs={"Out": x}), ValueError,
     r"expected one variable as input 'X', but received 2: \['x', 'x'\]"),
    (lambda p, x: _op(type="relu", inputs={"X": x}), ValueError,
     r"some of the outputs \['Out'\], but none"),
    (lambda p, x: _op(type="scale", inputs={"X": x}, outputs={"Out": x}, attrs={"scale": "a"}),
     ValueError, "attribute 'scale' to be of the kind FLOAT, but it is str 'a'"),
    (lambda p, x: _op(type="matmul_v2", inputs={"X": x, "Y": x}, outputs={"Out": x}), ValueError,
     "inner dimensions"),
    (lambda p, x: _var(name="x", shape=[5]), ValueError, r"exists with shape \[2, 3\].*\[5\]"),
    (lambda p, x: _var(name="x", dtype="int32"), ValueError, "exists with dtype VarType.FP32"),
    (lambda p, x: _var(name="y", shape="ab"), TypeError, "expected a list or tuple.* 'ab'"),
    (lambda p, x: _var(name="y", shape=[-2]), ValueError, r"expected sizes >= 0.* \[-2\]"),
    (lambda p, x: _var(name="y", shape=[1.5]), TypeError, r"expected integers.* \[1.5\]"),
    (lambda p, x: _var(name="y", type="a"), ValueError, "expected a VarType, but received 'a'"),
    (lambda p, x: _var(name="y", presistable=True), TypeError, "argument 'presistable'; expected"),
    (lambda p, x: x.block.create_var("y"), TypeError, "by name .* received 'y' without one"),
    (lambda p, x: _parameter(name="w", shape=[2, -1], dtype="float32"), ValueError,
     r"'w': expected a shape of positive sizes, but received \[2, -1\]"),
    (lambda p, x: _parameter(name="w", shape=None, dtype="float32"), ValueError,
     "'w': expected a shape and a dtype, but received None"),
    (lambda p, x: _parameter(name="x", shape=[2, 4], dtype="float32"), RuntimeError,
     r"of that name exists with shape \[2, 3\]"),
    (lambda p, x: (x + 1.0).op.input("Z"), RuntimeError, r"no input 'Z'; it has \['X'\]"),
    (lambda p, x: (x + 1.0).op.output("Z"), RuntimeError, r"no output 'Z'; it has \['Out'\]"),
    (lambda p, x: (x + 1.0).op.attr("z"), RuntimeError, "no attribute 'z'; it has .*'bias'"),
    (lambda p, x: _entered(static.program_guard(3)), TypeError, "main_program.* received int"),
    (lambda p, x: _entered(static.program_guard(p, 3)), TypeError, "startup_program.* int"),
    (lambda p, x: _entered(static.name_scope()), ValueError, "expected a name, but got None"),
    (lambda p, x: _entered(static.device_guard("tpu")), ValueError, "'cpu', 'gpu'.*'tpu'"),
    (lambda p, x: _entered(static.device_guard("cpu:1")), ValueError, "'cpu' takes no number"),
    (lambda p, x: _entered(static.device_guard(1)), TypeError, "a str or None, but got int"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "words"), WRONG, ids=range(len(WRONG)))
def test_wrong_input_names_what_came_and_the_line(call, error, words) -> None:
    with building() as (main, _):
        x = static.data("x", [2, 3])
        with pytest.raises(error, match=words) as raised:
            call(main, x)
    assert re.search(r'File ".*test_program\.py", line \d+, in \S+', str(raised.value))
