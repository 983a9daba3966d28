"""Models that cannot run say what they are: unknown operators, formats of later releases."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import paddle
from paddle import static
from paddle.ir.program import Program
from paddle.ir.validation import not_registered
from paddle.ir.versions import unknown_operators
from paddle.serialization.models.saved_model import SavedModel
from paddle.serialization.program import proto
from tests.inference.deployed import read_deployed

NAME = "2.6.2/text_attention"  # it has a loop, so operators in a block of their own
# How PaddlePaddle 3 begins a program.
PIR = {"base_code": {"magic": "pir", "trainable": True, "version": 4}, "program": {"regions": []}}


@pytest.fixture(autouse=True)
def _static() -> Iterator[None]:
    paddle.enable_static()
    with static.scope_guard(static.Scope()):
        yield
    paddle.disable_static()


@pytest.fixture
def prefix(tmp_path: Path) -> str:
    return read_deployed(NAME).unpack(tmp_path)[0]


def change(prefix: str, how: Any) -> Program:
    """Rewrites the program file of a model; returns the Program in it."""
    path = Path(prefix + ".pdmodel")
    program = proto.from_bytes(path.read_bytes())
    how(program)
    path.write_bytes(proto.to_bytes(program))
    return program


def renamed(**types: str) -> Any:
    """What gives operators other types."""

    def how(program: Program) -> None:
        for block in program.blocks:
            for op in block.ops:
                op.type = types.get(op.type, op.type)

    return how


def run(prefix: str) -> list:
    exe = static.Executor()
    program, _, fetches = static.load_inference_model(prefix, exe)
    inputs = next(iter(read_deployed(NAME).rounds()))[0]
    return exe.run(program, feed={n: v.array for n, v in inputs.items()}, fetch_list=fetches)


def test_all_unknown_operators_are_told_of_at_once(prefix: str) -> None:
    whole = Path(prefix + ".pdmodel").read_bytes()
    program = change(prefix, renamed(index_select="nobodys", tanh="ours_alone"))
    found = unknown_operators(program)
    counted = [op.type for block in program.blocks for op in block.ops]
    assert found == {n: counted.count(n) for n in ("ours_alone", "nobodys")}
    assert found["ours_alone"] > 1 and found["nobodys"] == 1
    assert program.block(0).ops and all(op.type != "nobodys" for op in program.block(0).ops)
    told = rf"ours_alone \({found['ours_alone']}\), nobodys \(1\)"
    with pytest.raises(RuntimeError, match=f"2 types of operators have not been .*{told}"):
        run(prefix)
    Path(prefix + ".pdmodel").write_bytes(whole)
    assert len(run(prefix)) == 4


def test_one_unknown_operator_is_named_with_its_count(prefix: str) -> None:
    change(prefix, renamed(tanh="ours_alone"))
    with pytest.raises(RuntimeError, match=r"'ours_alone' has not been .*occurs \d+ times"):
        run(prefix)
    assert "occurs" not in str(not_registered({"once": 1}))


def test_what_becomes_another_operator_is_known() -> None:
    program = Program()
    with program.verbatim():
        for name in ("share_data", "share_data_grad", "relu_grad", "while", "feed"):
            program.global_block().append_op(type=name)
    program.program_version = 2_006_002
    assert unknown_operators(program) == {}
    program.program_version = 0
    program.global_block().ops[0].type = "nobodys_grad"
    assert unknown_operators(program) == {"nobodys_grad": 1}


def readers(prefix: str) -> list:
    return [
        lambda: static.load_inference_model(prefix, static.Executor()),
        lambda: paddle.jit.load(prefix),
        lambda: SavedModel.read(prefix, "a test"),
        lambda: SavedModel.read(prefix, "a test", forward_only=True),
    ]


@pytest.mark.parametrize("name", ["net.json", "net.pdmodel"])
def test_a_model_of_paddlepaddle_3_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(json.dumps(PIR))
    (tmp_path / "net.pdiparams").write_bytes(b"")
    for read in readers(str(tmp_path / "net")):
        with pytest.raises(ValueError, match="PaddlePaddle 3: PIR as JSON, version 4") as caught:
            read()
        assert f"{name}'" in str(caught.value)
        assert "PaddlePaddle 2.6 or earlier" in str(caught.value)


def test_a_folder_of_paddlepaddle_3_is_named(tmp_path: Path) -> None:
    (tmp_path / "__model__.json").write_text(json.dumps(PIR, indent=1))
    with pytest.raises(ValueError, match=r"__model__\.json.*PIR as JSON"):
        static.load_inference_model(str(tmp_path), static.Executor())


def test_other_json_is_not_taken_for_a_model(tmp_path: Path) -> None:
    for content in ('{"base_code": {"magic": "other"}}', '{"magic": "pir"}', "", '{"base_code": {'):
        (tmp_path / "net.json").write_text(content)
        with pytest.raises(OSError, match=r"there is no file .*net\.pdmodel"):
            static.load_inference_model(str(tmp_path / "net"), static.Executor())


def test_a_newer_program_states_its_release(prefix: str) -> None:
    change(prefix, lambda program: setattr(program, "program_version", 3_003_001))
    for read in readers(prefix):
        with pytest.raises(ValueError, match=r"written by PaddlePaddle 3\.3\.1") as caught:
            read()
        assert "PaddlePaddle 2.6 or earlier" in str(caught.value)
