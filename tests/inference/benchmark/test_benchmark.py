"""python -m paddle.inference.benchmark: what it measures, makes up, and refuses."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.core.errors import InvalidArgumentError
from paddle.inference.benchmark import main
from paddle.inference.command_line import program_of
from paddle.inference.example_inputs import example_inputs
from tests.inference.models import (
    WORDS,
    save_convolution,
    save_loop,
    save_sequences,
    save_tagger,
)


def _json(capsys, *arguments: str) -> dict:
    assert main([*arguments, "--warmup", "1", "--repeats", "7", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_numbers(tmp_path, capsys):
    prefix = save_convolution(tmp_path)
    found = _json(capsys, prefix, "--batch", "2", "--shape", "image=2,3,8,10", "--threads", "1")
    assert found["runs"] == 7
    latency = found["latency_ms"]
    assert set(latency) == {"mean", "min", "p50", "p90", "p99"}
    assert 0 < latency["min"] <= latency["p50"] <= latency["p90"] <= latency["p99"]
    assert latency["min"] <= latency["mean"]
    speed = found["throughput"]
    assert speed["samples_per_s"] == pytest.approx(2 * speed["runs_per_s"])
    assert speed["runs_per_s"] == pytest.approx(1e3 / latency["mean"])
    assert (found["engine"], found["bfloat16"], found["threads"]) == ("pypaddle", False, 1)
    assert found["load_s"] > 0 and found["processor_ms"] > 0 and found["first_run_ms"] > 0
    assert 0 < found["memory_mb"]["loaded"] <= found["memory_mb"]["most"]
    assert found["inputs"]["image"] == {"shape": [2, 3, 8, 10], "dtype": "float32", "assumed": ""}


def test_operators(tmp_path, capsys):
    prefix = save_convolution(tmp_path)
    found = _json(capsys, prefix, "--shape", "image=1,3,8,10", "--no-ir")
    assert found["passes"] == []
    types = {a["type"]: a for a in found["operators"]["by_type"]}
    assert {"conv2d", "batch_norm", "relu"} <= set(types)
    assert types["relu"]["calls"] == 1 and types["relu"]["ms"] > 0
    slowest = found["operators"]["slowest"]
    assert [a["ms"] for a in slowest] == sorted((a["ms"] for a in slowest), reverse=True)
    [relu] = [a for a in slowest if a["type"] == "relu"]
    assert relu["shapes"] == "[1, 2, 6, 8]" and relu["output"]


def test_a_pass_that_is_left_out(tmp_path, capsys):
    prefix = save_convolution(tmp_path)
    files = ("--model_file", f"{prefix}.pdmodel", "--params_file", f"{prefix}.pdiparams")
    shape = ("--shape", "image=1,3,8,8")
    assert "conv_bn_fuse_pass" in _json(capsys, *files, *shape)["passes"]
    found = _json(capsys, *files, *shape, "--delete-pass", "conv_bn_fuse_pass")
    assert "conv_bn_fuse_pass" not in found["passes"] and found["passes"]
    assert "batch_norm" in [a["type"] for a in found["operators"]["by_type"]]


def test_onnxruntime(tmp_path, capsys):
    pytest.importorskip("onnxruntime")
    found = _json(capsys, save_convolution(tmp_path), "--shape", "image=1,3,8,8", "--onnxruntime")
    assert found["engine"] == "onnxruntime" and found["passes"] == []
    assert found["runs"] == 7 and "operators" not in found


def test_text(tmp_path, capsys):
    assert main([save_tagger(tmp_path), "--seconds", "0.01", "--batch", "4"]) == 0
    text = capsys.readouterr().out
    assert "words: int64 [4, 128] (the model leaves sizes open: 4 for dimension 0, 128" in text
    for part in ("latency ms", "throughput", "memory", "load", "passes", "softmax"):
        assert part in text
    assert main([save_tagger(tmp_path), "--repeats", "1", "--no-profile"]) == 0
    assert "operators" not in capsys.readouterr().out


def test_loops_and_sequences(tmp_path, capsys):
    found = _json(capsys, save_loop(tmp_path))
    types = {a["type"]: a["calls"] for a in found["operators"]["by_type"]}
    assert types["less_than"] == 11  # of a run: operators of the loop's block count as often
    assert _json(capsys, save_sequences(tmp_path), "--batch", "2")["inputs"]["x"]["shape"] == [
        32,
        2,
    ]


def test_inputs_that_are_made_up(tmp_path):
    program = program_of((save_tagger(tmp_path),), "test")
    found = example_inputs(program, batch=3)
    words = found["words"].array
    assert words.shape == (3, 128) and words.dtype == np.int64
    assert 0 <= words.min() < words.max() < WORDS  # a table of so many rows is looked up
    assert found["weights"].array.shape == (3, 128, 1)
    assert found["weights"].array.dtype == np.float32
    other = example_inputs(program, shapes={"words": [1, 2]}, dtypes={"words": "int32"})["words"]
    assert other.array.shape == (1, 2) and other.array.dtype == np.int32 and other.assumed == ""
    same = example_inputs(program, batch=3)["words"].array
    np.testing.assert_array_equal(words, same)
    image = example_inputs(program_of((save_convolution(tmp_path),), "test"))["image"]
    assert image.array.shape == (1, 3, 224, 224) and "224 for dimension 2" in image.assumed
    lod = example_inputs(program_of((save_sequences(tmp_path),), "test"), batch=2)["x"]
    assert lod.lod == [[0, 16, 32]] and lod.array.shape == (32, 2)


def test_a_model_that_is_told_the_size_of_the_picture():
    paddle.enable_static()
    try:
        main_program = static.Program()
        with static.program_guard(main_program, static.Program()):
            stated = {"image": [None, 3, None, None], "im_shape": [None, 2],
                      "scale_factor": [None, 2], "im_info": [None, 3]}  # fmt: skip
            given = [static.data(name, shape, "float32") for name, shape in stated.items()]
            out = paddle.add_n([paddle.sum(x) for x in given])
        program = static.normalize_program(main_program, given, [out])
    finally:
        paddle.disable_static()
    found = example_inputs(program, 2, {"image": [2, 3, 40, 60]})
    assert found["im_shape"].array.tolist() == [[40, 60]] * 2
    assert found["scale_factor"].array.tolist() == [[1, 1]] * 2
    assert found["im_info"].array.tolist() == [[40, 60, 1]] * 2


@pytest.mark.parametrize(("given", "said"), [
    ({"shapes": {"other": [1]}}, r"no input 'other'; its inputs are \['words', 'weights'\]"),
    ({"dtypes": {"other": "int32"}}, "no input 'other'"),
    ({"shapes": {"words": [1]}}, r"\[\?, \?\], of rank 2, but got \[1\], of rank 1"),
    ({"shapes": {"weights": [1, 2, 3]}}, r"\[\?, \?, 1\]"),
    ({"shapes": {"words": [1, -2]}}, "but got"),
])  # fmt: skip
def test_shapes_that_do_not_fit(tmp_path, given, said):
    program = program_of((save_tagger(tmp_path),), "test")
    with pytest.raises(InvalidArgumentError, match=said):
        example_inputs(program, **given)


@pytest.mark.parametrize(("arguments", "said"), [
    (["{}/missing"], "there is no file '.*missing.pdmodel'"),
    (["{}/tagger", "--shape", "words=3"], "of rank 2, but got"),
    (["{}/tagger", "--dtype", "words=int32"], "int64"),
    (["{}/tagger", "--dtype", "words=text"], "data type"),
    (["--model_file", "{}/tagger.pdiparams", "--params_file", "{}/tagger.pdmodel"], "pdiparams"),
])  # fmt: skip
def test_models_that_do_not_run(tmp_path, capsys, arguments, said):
    save_tagger(tmp_path)
    assert main([a.format(tmp_path) for a in arguments]) == 1
    told = capsys.readouterr().err
    assert re.search(said, told), told
    assert "Traceback" not in told


@pytest.mark.parametrize(("arguments", "said"), [
    ([], "give MODEL, or both of --model_file and --params_file"),
    (["--model_file", "x"], "give MODEL, or both"),
    (["x", "--model_file", "x"], "but not both"),
    (["x", "--shape", "words"], "expected NAME=VALUE"),
    (["x", "--shape", "words=a,b"], "expected sizes joined by commas"),
    (["x", "--batch", "0"], "at least 1"),
    (["x", "--repeats", "many"], "invalid"),
])  # fmt: skip
def test_command_lines_that_are_wrong(capsys, arguments, said):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2 and said in capsys.readouterr().err
