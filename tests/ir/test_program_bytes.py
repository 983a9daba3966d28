"""Programs as bytes: the files of real releases, every kind of attribute, damaged input."""

from __future__ import annotations

import random
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.ir.attribute_kinds import AttrType, declared, kind_of
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.ir.variable import Parameter, Variable
from paddle.serialization.program.proto import (
    from_bytes,
    from_message,
    to_bytes,
    to_message,
    variable_message,
)
from paddle.serialization.program.schema import message_class

CORPUS = Path(__file__).parent / "corpus"
FILES = ["train_1.8.5.pb", "train_2.6.2.pb", "infer_1.8.5.pdmodel", "infer_2.6.2.pdmodel"]


def read(name: str) -> bytes:
    return (CORPUS / name).read_bytes()


def small() -> Program:
    """x -> while(block 1) -> out."""
    program = Program()
    top = program.global_block()
    inner = Block(program, 1, 0)
    program.blocks.append(inner)
    for name, shape, dtype in (("x", [-1, 4], "float32"), ("out", [2], "int64")):
        top.vars[name] = Variable(top, name=name, shape=shape, dtype=dtype)
    top.vars["w"] = Parameter(top, [4, 3], "float32", name="w")
    top.ops.append(
        Operator(top, "while", {"X": ["x"]}, {"Out": ["out"]}, {"sub_block": inner, "is_test": 0})
    )
    inner.ops.append(Operator(inner, "scale", {"X": ["x"]}, {"Out": ["x"]}, {"scale": 2}))
    return program


def operator(type: str, attrs: dict) -> Operator:
    program = Program()
    op = Operator(program.global_block(), type, {}, {}, attrs)
    program.global_block().ops.append(op)
    return op


def through(op: Operator) -> Operator:
    return from_bytes(to_bytes(op.block.program)).global_block().ops[0]


# -- files of real releases -----------------------------------------------------------------------


@pytest.mark.parametrize("name", FILES)
def test_files_of_paddlepaddle_are_written_back_byte_for_byte(name):
    assert to_bytes(from_bytes(read(name))) == read(name)


@pytest.mark.parametrize("name", FILES)
def test_message_and_bytes_agree(name):
    desc = message_class("ProgramDesc").FromString(read(name))
    assert to_bytes(from_message(desc)) == read(name)
    assert desc.SerializeToString() == read(name)  # from_message left it as it was
    assert to_message(from_bytes(read(name))) == desc


def _once(data: bytes) -> bytes:
    """A program without the copies of attributes that 2.6.2 writes for some operators."""
    desc = message_class("ProgramDesc").FromString(data)
    for block in desc.blocks:
        for op in block.ops:
            names = [a.name for a in op.attrs]
            for at in reversed(range(len(names))):
                if names[at] in names[:at]:
                    del op.attrs[at]
    return desc.SerializeToString()


def test_the_whole_corpus_of_programs_is_written_back():
    count = 0
    for path in sorted((CORPUS.parents[1] / "data" / "programs").glob("*.zip")):
        with zipfile.ZipFile(path) as files:
            for name in files.namelist():
                if name.endswith((".pb", ".pdmodel", "__model__")):
                    data = files.read(name)
                    assert to_bytes(from_bytes(data)) in (data, _once(data)), (path.name, name)
                    count += 1
    assert count > 100


def test_a_training_program_is_read_as_what_it_is():
    program = from_bytes(read("train_2.6.2.pb"))
    assert program.program_version == 2006002
    assert len(program.op_versions) == 68 and program.op_versions["roi_align"] == 3
    top = program.global_block()
    x = top.vars["x"]
    assert (x.shape, x.dtype, x.need_check_feed, x.is_data) == ((-1, 4), VarType.FP32, True, True)
    weight = top.vars["fc_0.w_0"]
    assert isinstance(weight, Parameter) and weight.trainable and weight.shape == (4, 8)
    mean = top.vars["batch_norm_0.w_1"]
    assert isinstance(mean, Parameter) and not mean.trainable and mean.stop_gradient
    assert top.vars["embedding_0.w_0@GRAD"].type == VarType.SELECTED_ROWS
    loop = next(op for op in top.ops if op.type == "while")
    body = loop.attrs["sub_block"]
    assert body is program.blocks[body.idx] and body.parent_idx == 0
    assert top.vars[loop.outputs["StepScopes"][0]].type == VarType.STEP_SCOPES
    grad = next(op for op in top.ops if op.type == "while_grad").attrs["sub_block"]
    assert grad.forward_block_idx == body.idx
    drop = next(op for op in top.ops if op.type == "dropout")
    assert drop.attr_kinds["dropout_prob"] == AttrType.VAR
    assert top.vars[drop.attrs["dropout_prob"]].shape == (1,)
    assert top.vars["x"].op is None and weight.op.type == "adam"


def test_a_program_of_1_8_5_keeps_its_compatibility_table():
    program = from_bytes(read("infer_1.8.5.pdmodel"))
    assert program.program_version == 1008005 and program.op_versions == {}
    assert len(program.raw_fields) > 1000
    feeds = [op for op in program.global_block().ops if op.type == "feed"]
    assert [op.attrs["col"] for op in feeds] == [1, 0]
    assert program.global_block().vars["feed"].type == VarType.FEED_MINIBATCH


def test_reading_twice_gives_the_same_and_changes_show():
    program = from_bytes(read("infer_2.6.2.pdmodel"))
    top = program.global_block()
    top.vars["x"].shape = [7, 4]
    op = next(op for op in top.ops if op.type == "softmax")
    op._set_attr("axis", 1)
    again = from_bytes(to_bytes(program)).global_block()
    assert again.vars["x"].shape == (7, 4)
    assert again.ops[top.ops.index(op)].attrs["axis"] == 1


# -- Programs made here ---------------------------------------------------------------------------


def test_a_program_made_here_reads_back_equal():
    program = small()
    data = to_bytes(program)
    again = from_bytes(data)
    assert to_bytes(again) == data and again.program_version == 2000000
    top = again.global_block()
    assert isinstance(top.vars["w"], Parameter) and top.vars["out"].dtype == VarType.INT64
    assert top.ops[0].attrs == {"is_test": False, "sub_block": again.blocks[1]}
    assert again.blocks[1].ops[0].attrs == {"scale": 2.0}


def test_order_of_making_does_not_matter():
    first, second = small(), small()
    top = second.global_block()
    top.vars = dict(reversed(list(top.vars.items())))
    top.ops[0].attrs = dict(reversed(list(top.ops[0].attrs.items())))
    top.ops[0].inputs = {"Y": [], **top.ops[0].inputs}
    first.global_block().ops[0].inputs["Y"] = []
    assert to_bytes(first) == to_bytes(second)
    desc = to_message(second)
    assert [v.name for v in desc.blocks[0].vars] == ["out", "w", "x"]
    assert [s.parameter for s in desc.blocks[0].ops[0].inputs] == ["X", "Y"]


def test_every_kind_of_attribute():
    kinds = {
        "INT": -3, "FLOAT": 0.5, "STRING": "é", "INTS": [1, 2], "FLOATS": [0.5, -1.0],
        "STRINGS": ["a", ""], "BOOLEAN": True, "BOOLEANS": [True, False], "LONG": 1 << 40,
        "LONGS": [1 << 40, 0], "FLOAT64S": [0.1, 1e300], "VAR": "x", "VARS": ["x", "y"],
        "FLOAT64": 0.1, "SCALAR": 1 + 2j, "SCALARS": [True, 7, 0.1, 2j],
    }  # fmt: skip
    program = small()
    op = program.global_block().ops[0]
    op.attrs = {f"k_{name}": value for name, value in kinds.items()}
    op.attrs |= {"k_BLOCK": program.blocks[1], "k_BLOCKS": [program.blocks[1]]}
    op.attr_kinds = {name: AttrType[name[2:]] for name in op.attrs}
    assert len(op.attrs) == len(AttrType)
    again = from_bytes(to_bytes(program))
    found = again.global_block().ops[0]
    assert found.attrs["k_BLOCK"] is again.blocks[1] and found.attrs["k_BLOCKS"][0].idx == 1
    assert {k: v for k, v in found.attrs.items() if "BLOCK" not in k} == {
        k: v for k, v in op.attrs.items() if "BLOCK" not in k
    }
    assert found.attr_kinds == op.attr_kinds
    assert [type(v) for v in found.attrs["k_SCALARS"]] == [bool, int, float, complex]
    for name in op.attrs:  # the enumeration's numbers are the facts'
        assert kind_of(found, name).name == name[2:]


@pytest.mark.parametrize(
    ("type", "name", "value", "kind", "found"),
    [
        ("scale", "scale", 2, "FLOAT", 2.0),
        ("scale", "bias_after_scale", 1, "BOOLEAN", True),
        ("fill_constant", "shape", (2, 3), "LONGS", [2, 3]),
        ("fill_constant", "dtype", VarType.FP32, "INT", 5),
        ("arg_max", "axis", 1, "LONG", 1),
        ("softmax", "axis", 1, "INT", 1),
        ("reduce_sum_grad", "dim", [0], "INTS", [0]),
        ("concat_p_grad_grad", "axis", 0, "LONG", 0),
        ("anything", "op_role", 1, "INT", 1),
        ("while", "skip_eager_deletion_vars", [], "STRINGS", []),
        ("clip", "max", np.float32(0.5), "FLOAT", 0.5),
        ("scale", "scale", "text", "STRING", "text"),  # does not fit what is declared
        ("mine", "a_flag", False, "BOOLEAN", False),
        ("mine", "a_number", 3, "INT", 3),
        ("mine", "a_number", 1 << 31, "LONG", 1 << 31),
        ("mine", "a_number", 0.25, "FLOAT", 0.25),
        ("mine", "a_number", np.int64(3), "INT", 3),
        ("mine", "a_number", 1j, "SCALAR", 1j),
        ("mine", "some", [], "INTS", []),
        ("mine", "some", (True, False), "BOOLEANS", [True, False]),
        ("mine", "some", [1, 2], "INTS", [1, 2]),
        ("mine", "some", [1, 1 << 33], "LONGS", [1, 1 << 33]),
        ("mine", "some", [1, 0.5], "FLOATS", [1.0, 0.5]),
        ("mine", "some", np.arange(3), "INTS", [0, 1, 2]),
        ("mine", "some", ["a"], "STRINGS", ["a"]),
    ],
)
def test_kinds_are_chosen(type, name, value, kind, found):
    op = operator(type, {name: value})
    assert kind_of(op, name) == AttrType[kind]
    again = through(op)
    assert again.attrs == {name: found} and again.attr_kinds == {name: AttrType[kind]}


def test_kinds_of_a_file_stay():
    op = operator("softmax", {"axis": 1})
    op.attr_kinds = {"axis": AttrType.LONG}
    again = through(op)
    assert again.attr_kinds == {"axis": AttrType.LONG}
    again._set_attr("axis", 2)
    assert kind_of(again, "axis") == AttrType.INT
    assert declared("softmax", "axis") == AttrType.INT and declared("x", "no such") is None


def test_what_is_ours_alone_is_not_written():
    op = operator(
        "relu", {"_mine": object(), "needs_grad_1": [True], "X.shape": [2], "nothing": None}
    )
    assert through(op).attrs == {}


def test_a_string_need_not_be_text():
    raw = bytes(range(256))
    op = operator("tensorrt_engine", {"subgraph": raw, "some": [raw, "a"]})
    again = through(op)
    assert again.attrs["subgraph"].encode("utf8", "surrogateescape") == raw
    assert to_bytes(again.block.program) == to_bytes(op.block.program)


def test_variables_of_every_type_survive():
    desc = message_class("ProgramDesc")()
    block = desc.blocks.add(idx=0, parent_idx=-1)
    types = message_class("VarType").DESCRIPTOR.enum_types_by_name["Type"].values_by_number
    for number in types:
        var = block.vars.add(name=f"v{number}", persistable=False)
        var.type.type = number
    block.vars[7].type.lod_tensor.tensor.data_type = 19  # SIZE_T
    reader = block.vars.add(name="reader", need_check_feed=True)
    reader.type.type = 15
    reader.type.reader.lod_tensor.add(lod_level=1).tensor.data_type = 5
    reader.attrs.add(name="a", type=0, i=3)
    pair = block.vars.add(name="pair")
    pair.type.type = 18
    pair.type.tuple.element_type.extend([5, 3])
    words = block.vars.add(name="words")
    words.type.type = 26
    words.type.strings.data_type = 5
    words.type.strings.dims.extend([-1, 2])
    desc.version.version = 2006002
    data = desc.SerializeToString()
    program = from_bytes(data)
    assert to_bytes(program) == data
    assert program.global_block().vars["words"].shape == (-1, 2)
    assert program.global_block().vars["v8"].type == VarType.SELECTED_ROWS
    assert variable_message(program.global_block().vars["reader"]) == reader


def test_oddities_of_real_files():
    """Sizes below -1 and attributes that stand there twice."""
    desc = to_message(small())
    desc.blocks[0].vars[2].type.lod_tensor.tensor.dims[0] = -8
    program = from_message(desc)
    assert program.global_block().vars["x"].shape == (-1, 4)
    assert to_message(program) == desc
    program.global_block().vars["x"].shape = [2, 4]
    assert to_message(program).blocks[0].vars[2].type.lod_tensor.tensor.dims == [2, 4]
    _duplicate(_op(desc), "attrs")
    program = from_message(desc)
    assert to_message(program) == desc and len(_op(desc).attrs) == 3
    op = program.global_block().ops[0]
    op._set_attr("is_test", True)  # both of them
    op._set_attr("more", 1)
    attrs = _op(to_message(program)).attrs
    assert [a.name for a in attrs] == ["is_test", "sub_block", "is_test", "more"]
    assert [a.b for a in attrs] == [True, False, True, False]
    op._remove_attr("is_test")
    assert [a.name for a in _op(to_message(program)).attrs] == ["sub_block", "more"]


def test_kinds_that_nothing_here_computes_with_load_and_print():
    desc = message_class("ProgramDesc")()
    block = desc.blocks.add(idx=0, parent_idx=-1)
    kinds = {"SIZE_T": 19, "STRING": 25, "STRINGS": 26, "VOCAB": 27, "FEED_LIST": 28,
             "PSTRING": 29, "SPARSE_COO": 30, "SPARSE_CSR": 31}  # fmt: skip
    for name, number in kinds.items():
        var = block.vars.add(name=name.lower(), persistable=False)
        var.type.type = number
        var = block.vars.add(name=f"of_{name.lower()}", persistable=False)
        var.type.type = 7
        var.type.lod_tensor.tensor.data_type = number
        var.type.lod_tensor.tensor.dims.append(2)
    for kind, field in ((30, "sparse_coo"), (31, "sparse_csr")):
        var = block.vars.add(name=f"a_{field}", persistable=False)
        var.type.type = kind
        getattr(var.type, field).data_type = 5
        getattr(var.type, field).dims.extend([3, -1])
    program = from_message(desc)
    top = program.global_block().vars
    for name, number in kinds.items():
        assert top[name.lower()].type == VarType[name] == number
        assert f"paddle.VarType.{name}" in str(top[name.lower()])
        assert f"{name.lower()} : {name}" in str(program)
    assert top["a_sparse_csr"].shape == (3, -1) and top["a_sparse_csr"].dtype == VarType.FP32
    assert "type: SPARSE_COO" in program.to_string(True)
    again = program.clone()
    assert to_message(program) == to_message(again) == to_message(from_message(desc))


@pytest.mark.parametrize("name", [f for f in FILES if f.endswith((".pdmodel", ".pb"))])
def test_a_copy_writes_the_same_bytes(name):
    data = read(name) + b"\xf2\x3f\x03abc"  # field 1022
    assert to_bytes(from_bytes(data).clone()) == data


def test_unknown_fields_and_is_target_survive():
    desc = message_class("ProgramDesc").FromString(read("infer_2.6.2.pdmodel"))
    desc.blocks[0].ops[1].is_target = True
    extra = b"\xf2\x3f\x03abc"  # field 1022
    data = desc.SerializeToString() + extra
    program = from_bytes(data)
    assert program.global_block().ops[1].is_target
    assert to_bytes(program) == data


def test_protobuf_is_imported_late():
    code = "import sys, paddle; print([m for m in sys.modules if m.startswith('google.protobuf')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# -- bad input ------------------------------------------------------------------------------------


def test_what_cannot_be_written_is_named():
    with pytest.raises(InvalidArgumentError, match=r"'what' of operator relu.*but it is object"):
        to_bytes(operator("relu", {"what": object()}).block.program)
    program, other = small(), small()
    program.global_block().ops[0].attrs["sub_block"] = other.blocks[1]
    with pytest.raises(InvalidArgumentError, match=r"'sub_block' of operator while.*same Program"):
        to_bytes(program)


def test_wrong_type_and_nothing():
    with pytest.raises(TypeError, match=r"expected bytes, but received str"):
        from_bytes("text")
    with pytest.raises(InvalidArgumentError, match="no bytes came"):
        from_bytes(b"")
    with pytest.raises(InvalidArgumentError, match="at least one block"):
        from_bytes(b"\x22\x00")


@pytest.mark.parametrize(
    ("version", "text"), [(3001000, "3.1.0"), (2007000, "2.7.0"), (-1, "version >= 0")]
)
def test_a_program_of_the_future(version, text):
    desc = to_message(small())
    desc.version.version = version
    with pytest.raises(InvalidArgumentError, match=text) as caught:
        from_message(desc)
    assert str(version) in str(caught.value)


def _duplicate(desc, of):
    found = getattr(desc, of)
    found.add().CopyFrom(found[0])


def _cycle(desc):  # block 1 runs block 2, and block 2 block 1
    block = desc.blocks.add(idx=2, parent_idx=1)
    for index, home in ((2, desc.blocks[1]), (1, block)):
        home.ops.add(type="while").attrs.add(name="sub_block", type=8, block_idx=index)


def _deep(desc):
    for at in range(2, 200):
        desc.blocks.add(idx=at, parent_idx=at - 1)


def _deep_uses(desc):
    for at in range(2, 200):
        block = desc.blocks.add(idx=at, parent_idx=0)
        block.ops.add(type="while").attrs.add(name="sub_block", type=8, block_idx=(at + 1) % 200)
    desc.blocks[199].ops[0].attrs[0].block_idx = 1


def _op(desc):
    return desc.blocks[0].ops[0]


DAMAGE = {
    "idx": (lambda d: setattr(d.blocks[1], "idx", 5), "block 1: expected idx 1, but it is 5"),
    "first parent": (lambda d: setattr(d.blocks[0], "parent_idx", 1), "expected parent_idx -1"),
    "parent": (lambda d: setattr(d.blocks[1], "parent_idx", 1), "block 1: expected parent_idx"),
    "far parent": (lambda d: setattr(d.blocks[1], "parent_idx", 9), "0 to 0, but it is 9"),
    "no parent": (lambda d: setattr(d.blocks[1], "parent_idx", -1), "but it is -1"),
    "forward": (lambda d: setattr(d.blocks[1], "forward_block_idx", 7), "forward_block_idx"),
    "forward itself": (lambda d: setattr(d.blocks[1], "forward_block_idx", 1), "another one of 2"),
    "sub-block": (
        lambda d: setattr(_op(d).attrs[1], "block_idx", 9),
        r"operator 0 \(while\) of block 0: attribute 'sub_block' is block 9, .* 0 to 1",
    ),
    "negative sub-block": (lambda d: setattr(_op(d).attrs[1], "block_idx", -1), "is block -1"),
    "itself": (lambda d: setattr(_op(d).attrs[1], "block_idx", 0), r"blocks \[0\] .* cycle"),
    "cycle": (_cycle, r"blocks \[1, 2\] run one another in a cycle"),
    "deep": (_deep, "block 101: expected blocks nested at most 100 deep"),
    "deep uses": (_deep_uses, "nested at most 100 deep"),
    "two variables": (lambda d: _duplicate(d.blocks[0], "vars"), "block 0 has two variables 'out'"),
    "two attributes": (
        lambda d: _op(d).attrs.add(name="is_test", type=6, b=True),
        r"two different attributes 'is_test'",
    ),
    "two slots": (lambda d: _duplicate(_op(d), "inputs"), r"two input slots 'X'"),
    "no value": (lambda d: _op(d).attrs[0].ClearField("b"), "of the kind BOOLEAN, but has no such"),
    "no scalar": (
        lambda d: _op(d).attrs.add(name="s", type=16).scalar.MergeFromString(b"\x08\x02"),
        "scalar of the kind 2 without a value",
    ),
    "lod level": (
        lambda d: setattr(d.blocks[0].vars[2].type.lod_tensor, "lod_level", -1),
        "expected lod_level >= 0, but it is -1",
    ),
    "no name": (lambda d: d.blocks[0].vars[2].ClearField("name"), r"blocks\[0\].vars\[2\].name is"),
    "no type": (lambda d: _op(d).ClearField("type"), r"field blocks\[0\].ops\[0\].type is missing"),
    "kind of variable": (
        lambda d: (
            (v := d.blocks[0].vars[0].type).ClearField("type") or v.MergeFromString(b"\x08\x63")
        ),
        r"blocks\[0\].vars\[0\].type.type is 99, which VarType.Type does not have",
    ),
    "kind of attribute": (
        lambda d: _op(d).attrs.add(name="a").MergeFromString(b"\x10\x63"),
        r"attrs\[2\].type is 99, which AttrType does not have; expected one of \[0, 1,",
    ),
    "element type": (
        lambda d: d.blocks[0].vars[0].type.selected_rows.MergeFromString(b"\x08\x63"),
        r"selected_rows.data_type is 99",
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_contradictions_are_named(damage):
    change, text = DAMAGE[damage]
    desc = to_message(small())
    change(desc)
    with pytest.raises(InvalidArgumentError, match=text):
        from_bytes(desc.SerializePartialToString())
    with pytest.raises(InvalidArgumentError, match=text):
        from_message(desc)


def test_names_are_text():
    data = to_bytes(small()).replace(b"while", b"wh\xffle")
    with pytest.raises(InvalidArgumentError, match=r"names in UTF-8, but one is b'wh\\xffle'"):
        from_bytes(data)


def test_a_truncated_file_says_where():
    data = read("infer_2.6.2.pdmodel")
    with pytest.raises(InvalidArgumentError, match=r"field 1 at byte 0 should hold \d+ bytes and"):
        from_bytes(data[:1000])
    with pytest.raises(InvalidArgumentError, match="protobuf message ProgramDesc"):
        from_bytes(b"PK\x03\x04 this is a zip file, or so it says")


def _mutate(data: bytes, r: random.Random) -> bytes:
    found = bytearray(data)
    at, size = r.randrange(len(found)), r.randrange(1, 9)
    what = r.randrange(6)
    if what == 0:
        del found[at:]
    elif what == 1:
        del found[at : at + size]
    elif what == 2:
        found[at:at] = r.randbytes(size)
    elif what == 3:
        found[at : at + size] = r.randbytes(size)
    elif what == 4:
        other = r.randrange(len(found))
        found[at:at] = found[other : other + 20 * size]
    else:
        found[at] ^= 1 << r.randrange(8)
    return bytes(found)


@pytest.mark.parametrize("name", [*FILES, "small"])
def test_fuzzed_programs_are_read_or_refused(name):
    data = to_bytes(small()) if name == "small" else read(name)
    r = random.Random(2021)
    outcomes = {True: 0, False: 0}
    for _ in range(400 if len(data) < 10000 else 150):
        try:
            program = from_bytes(_mutate(data, r))
        except InvalidArgumentError as error:
            assert len(str(error)) > 40
            outcomes[False] += 1
            continue
        outcomes[True] += 1
        again = to_bytes(program)  # what was read is whole, and writes what reads the same
        assert to_bytes(from_bytes(again)) == again
    assert min(outcomes.values()) > 10
