"""DistributedStrategy: every field, what is refused, and PaddlePaddle's own files."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.distributed.fleet as fleet
from paddle.distributed.fleet.base import strategy_effects, strategy_fields

DATA = Path(__file__).parents[2] / "data"
REAL = DATA / "fleet"
FIELDS = strategy_fields.fields()
GIVEN = json.loads((REAL / "strategy.json").read_text())


def _as_2_6_2_had_it() -> Any:
    made = fleet.DistributedStrategy()
    for name, value in {**GIVEN["plain"], **GIVEN["configs"]}.items():
        setattr(made, name, value)
    return made


def test_every_property_of_the_table_is_there() -> None:
    start = "paddle.distributed.fleet.DistributedStrategy."
    rows = [line.split("\t") for line in (DATA / "api-2.0.tsv").read_text("utf8").splitlines()]
    names = {r[0][len(start) :] for r in rows if r[0].startswith(start) and r[1] == "property"}
    made = fleet.DistributedStrategy()
    assert names == {n for n in FIELDS if n not in ("mode", "fuse_grad_size_in_TFLOPS")}
    for name in names:
        setattr(made, name, getattr(made, name))


def test_defaults_are_those_of_the_schema() -> None:
    made = fleet.DistributedStrategy()
    for name, field in FIELDS.items():
        if name in strategy_fields.OBJECTS or name == "mode":
            continue
        if not name.endswith("_configs"):
            shown = "_" + name if name == "fuse_grad_size_in_TFLOPS" else name
            value = getattr(made, shown)
            assert str(value).lower() in (field.default, field.default + ".0"), name
            continue
        known = strategy_fields.fields(field.kind)
        for key, value in getattr(made, name).items():
            if known[key].repeated:
                assert value == []
            elif known[key].kind == "float":
                assert value == np.float32(known[key].default), key
            else:
                assert str(value).lower() == known[key].default.lower(), key
    assert made.a_sync and made.a_sync_configs["k_steps"] == -1
    made.a_sync = True
    assert made.a_sync_configs["k_steps"] == 0


def test_text_is_that_of_2_6_2(tmp_path: Path) -> None:
    real = (REAL / "strategy_262.prototxt").read_text()
    made = _as_2_6_2_had_it()
    made.a_sync_configs = {"k_steps": 100}  # a_sync = False has set it to 0
    made.save_to_prototxt(tmp_path / "mine")
    assert (tmp_path / "mine").read_text() == real
    read = fleet.DistributedStrategy()
    read.load_from_prototxt(REAL / "strategy_262.prototxt")
    assert str(read) == str(made)
    for name, value in GIVEN["configs"].items():
        for key, one in value.items():
            got = getattr(read, name)[key]
            if isinstance(one, float) or (isinstance(one, list) and isinstance(one[0], float)):
                np.testing.assert_allclose(got, one, rtol=1e-6)
            else:
                assert got == one, (name, key)


def test_prints_the_frame_of_2_6_2() -> None:
    """Lines of fields that both releases have are the same, in the same order."""
    read = fleet.DistributedStrategy()
    read.load_from_prototxt(REAL / "strategy_262.prototxt")
    read.cudnn_exhaustive_search = read.cudnn_batchnorm_spatial_persistent = False
    read.conv_workspace_size_limit = 512
    mine, real = str(read).splitlines(), (REAL / "strategy_262.txt").read_text().splitlines()
    ours = {name for m in strategy_fields.facts()["messages"].values() for name in m}
    # A row has its key in 38 columns; titles, lines and further values of a list have another form.
    rows = {line: line[5:43].strip() for line in real if line[43:45] == "  "}
    kept = [line for line in real if not rows.get(line) or " " in rows[line] or rows[line] in ours]
    assert mine == kept


def test_lists_are_replaced_and_other_keys_stay() -> None:
    made = fleet.DistributedStrategy()
    made.recompute_configs = {"checkpoints": ["a", "b"]}
    made.recompute_configs = {"checkpoints": ("c",), "enable_offload": True}
    made.recompute_configs = {"checkpoint_shape": np.array([2, 3])}
    expected = {"checkpoints": ["c"], "enable_offload": True, "checkpoint_shape": [2, 3]}
    assert made.recompute_configs == expected
    made.recompute_configs["checkpoints"].append("lost")
    assert made.recompute_configs == expected


def test_loading_twice_changes_nothing(tmp_path: Path) -> None:
    made = _as_2_6_2_had_it()
    made.save_to_prototxt(tmp_path / "a")
    before = str(made)
    made.load_from_prototxt(tmp_path / "a")
    assert str(made) == before


@pytest.mark.parametrize(
    ("name", "value", "error", "words"),
    [
        ("amq", True, TypeError, "'amp'"),
        ("save_to_prototxt", 1, TypeError, "no switch"),
        ("a_sync", "yes", ValueError, "expected a bool"),
        ("fuse_grad_size_in_MB", "40", TypeError, "expected an int"),
        ("nccl_comm_num", 1 << 40, ValueError, "32 bits"),
        ("last_comm_group_size_MB", 0, ValueError, "more than 0"),
        ("last_comm_group_size_MB", "1", TypeError, "expected a float"),
        ("amp_configs", {"incr_ration": 2}, ValueError, "'incr_ratio'"),
        ("amp_configs", [("incr_ratio", 2)], TypeError, "expected a dict"),
        ("amp_configs", {"custom_white_list": "softmax"}, TypeError, "a list"),
        ("amp_configs", {"custom_white_list": [1]}, TypeError, r"\[0\]"),
        ("build_strategy", {}, TypeError, "BuildStrategy"),
        ("execution_strategy", None, TypeError, "ExecutionStrategy"),
    ],
)
def test_refused(name: str, value: Any, error: type, words: str) -> None:
    made = fleet.DistributedStrategy()
    before = str(made)
    with pytest.raises(error, match=words):
        setattr(made, name, value)
    assert str(made) == before


@pytest.mark.parametrize(
    ("name", "good", "bad", "words"),
    [
        ("amp", True, "False", "DistributedStrategy.amp: expected a bool, but received 'False'"),
        ("recompute", False, 1, "expected a bool, but received 1 of type int. It stays False"),
        ("fuse_all_reduce_ops", False, None, "expected a bool, but received None"),
        ("nccl_comm_num", 3, 2.0, "expected an int, but received 2.0 of type float. It stays 3"),
        ("conv_workspace_size_limit", 1000, "400", "expected an int, but received '400'"),
    ],
)
def test_another_type_leaves_a_switch_as_it_is(name: str, good: Any, bad: Any, words: str) -> None:
    """As in 2.0, whose scripts run on."""
    made = fleet.DistributedStrategy()
    setattr(made, name, good)
    with pytest.warns(UserWarning, match=words) as told:
        setattr(made, name, bad)
    assert getattr(made, name) == good and told[0].filename == __file__


def test_a_refused_dictionary_changes_nothing() -> None:
    made = fleet.DistributedStrategy()
    with pytest.raises(TypeError):
        made.amp_configs = {"incr_ratio": 3.0, "decr_ratio": "x"}
    assert made.amp_configs["incr_ratio"] == 2.0


def test_files_that_are_none(tmp_path: Path) -> None:
    made = fleet.DistributedStrategy()
    with pytest.raises(FileNotFoundError, match="no file"):
        made.load_from_prototxt(tmp_path / "none")
    for text in (b"amp: true\nhybrid_configs { dp_degree: 2 }\n", b"amp", b"amp: 7", b"\xff\x00"):
        (tmp_path / "a").write_bytes(text)
        with pytest.raises(ValueError, match=r"line and column \d"):
            made.load_from_prototxt(tmp_path / "a")
    assert not made.amp


def test_build_and_execution_strategy(tmp_path: Path) -> None:
    made = fleet.DistributedStrategy()
    build = paddle.static.BuildStrategy()
    build.enable_sequential_execution = True
    build.sync_batch_norm = False  # the message has no field for it
    made.build_strategy = build
    made.execution_strategy.num_threads = 3
    build.enable_inplace = False  # the strategy has a copy
    made.build_strategy.fuse_bn_act_ops = True
    other = copy.deepcopy(made)
    other.build_strategy.enable_addto = True
    assert not made.build_strategy.enable_addto
    assert made.build_strategy.enable_inplace is True
    made.save_to_prototxt(tmp_path / "a")
    read = fleet.DistributedStrategy()
    read.load_from_prototxt(tmp_path / "a")
    for one in (made, read, other):
        assert one.build_strategy.enable_sequential_execution
        assert one.build_strategy.fuse_bn_act_ops
        assert one.execution_strategy.num_threads == 3
    assert "enable_sequential_execution                   True" in str(read)


def test_copies_are_their_own() -> None:
    made = _as_2_6_2_had_it()
    for other in (copy.deepcopy(made), copy.copy(made)):
        assert str(other) == str(made)
        other.amp = False
        other.recompute_configs = {"checkpoints": []}
        assert made.amp and made.recompute_configs["checkpoints"]


def test_only_auto() -> None:
    made = fleet.DistributedStrategy()
    assert not made._is_strict_auto()
    made.auto = True
    assert made._is_strict_auto()
    made.amp = True
    assert not made._is_strict_auto()


def test_every_switch_says_what_it_does() -> None:
    told = {name for name in strategy_effects.EFFECTS if "." not in name}
    assert told == {name for name in FIELDS if not name.endswith("_configs")}
    table = strategy_effects.effects_table()
    assert "| `nccl_comm_num` | `1` | no effect" in table
