"""python -m paddle.inference.show: what it tells of a model, and what it cannot read."""

from __future__ import annotations

from pathlib import Path

import pytest

from paddle.inference.command_line import program_of
from paddle.inference.program_summary import (
    operator_counts,
    optimised,
    parameter_size,
    readable,
    unknown_types,
)
from paddle.inference.show import main
from paddle.serialization.program import proto
from tests.inference.models import save_convolution, save_loop, save_sequences, save_tagger


def _shown(capsys, *arguments: str) -> str:
    assert main([*arguments]) == 0
    return capsys.readouterr().out


def test_summary(tmp_path, capsys):
    text = _shown(capsys, save_convolution(tmp_path), "--summary")
    assert "written by  PaddlePaddle 2.0.0" in text
    assert "image: float32 [?, 3, ?, ?]" in text
    assert "parameters  5, 62 elements" in text  # 54 of the convolution, 4 x 2 of the norm
    for line in ("1 conv2d", "1 batch_norm", "1 relu"):
        assert line in text
    assert "conv_bn_fuse_pass: 1 batch_norm -> " in text
    assert "block 0" not in text


def test_operators_one_by_one(tmp_path, capsys):
    text = _shown(capsys, save_tagger(tmp_path))
    [line] = [line for line in text.splitlines() if " = softmax(" in line]
    made, _, read = line.partition(" = ")
    assert made.endswith(": float32[?, ?, 3]") and "X=" in read and "op_role" not in read
    full = _shown(capsys, save_tagger(tmp_path), "--full")
    assert "op_role" in full


def test_optimised(tmp_path, capsys):
    prefix = save_convolution(tmp_path)
    assert " = batch_norm(" in _shown(capsys, prefix)
    text = _shown(capsys, prefix, "--optimised")
    assert " = batch_norm(" not in text and "# once" in text
    assert " = batch_norm(" in _shown(capsys, prefix, "--optimised", "--no-ir")
    other = _shown(capsys, prefix, "--optimised", "--delete-pass", "conv_bn_fuse_pass")
    assert " = batch_norm(" in other and "conv_bn_fuse_pass" not in other


def test_what_passes_did(tmp_path):
    program = program_of((save_convolution(tmp_path),), "test")
    before = operator_counts(program)
    made, results = optimised(program, ["conv_bn_fuse_pass", "constant_folding_pass"])
    by_name = {result.name: result for result in results}
    assert by_name["conv_bn_fuse_pass"].gone["batch_norm"] == 1
    assert by_name["constant_folding_pass"].hoisted >= 1
    assert not by_name["lifetimes"].changed
    assert operator_counts(program) == before != operator_counts(made)


def test_blocks(tmp_path, capsys):
    text = _shown(capsys, save_loop(tmp_path))
    assert "in 2 blocks" in text and "block 1 in 0" in text and "sub_block=block 1" in text


def test_sequences(tmp_path, capsys):
    assert "x: float32 [?, 2], 1 LoD levels" in _shown(capsys, save_sequences(tmp_path))


def test_a_graph(tmp_path, capsys):
    file = tmp_path / "net.dot"
    assert str(file) in _shown(capsys, save_tagger(tmp_path), "--summary", "--dot", str(file))
    graph = file.read_text()
    assert graph.startswith("digraph") and 'label="softmax"' in graph


def test_operators_without_a_kernel(tmp_path, capsys):
    prefix = save_tagger(tmp_path)
    program = program_of((prefix,), "test")
    for op in program.global_block().ops:
        if op.type == "softmax":
            op.type = "made_up"
    assert unknown_types(program) == ["made_up"]
    Path(f"{tmp_path}/other.pdmodel").write_bytes(proto.to_bytes(program))
    text = _shown(capsys, f"{tmp_path}/other")
    assert "1 made_up  (CANNOT BE RUN: no kernel)" in text
    assert "passes      not run: there is no kernel for made_up" in text
    assert " = made_up(" in text


def test_parameters_are_not_read(tmp_path):
    prefix = save_tagger(tmp_path)
    Path(f"{prefix}.pdiparams").unlink()
    program = program_of((prefix,), "test")
    assert parameter_size(program) == (3, 11 * 4 + 4 * 3 + 3, 4 * (11 * 4 + 4 * 3 + 3))
    assert "lookup_table_v2" in readable(program)


@pytest.mark.parametrize(("content", "said"), [
    (None, "there is no file"), (b"", ""), (b"no program", ""), (b"\x00" * 100, ""),
])  # fmt: skip
def test_files_that_are_no_model(tmp_path, capsys, content, said):
    if content is not None:
        (tmp_path / "x.pdmodel").write_bytes(content)
    assert main([str(tmp_path / "x")]) == 1
    told = capsys.readouterr().err
    assert said in told and "paddle.inference.show" in told and "Traceback" not in told
