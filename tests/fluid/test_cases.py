"""The cases of all families against what 1.8.5 made of them: operators, names, shapes, numbers."""

from __future__ import annotations

import functools
import importlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.core.op import REGISTRY
from paddle.serialization.program import form_185
from paddle.serialization.program.schema import message_class
from paddle.serialization.program.writing import write_program
from tests.fluid.running import run

DATA = Path(__file__).parent.parent / "data" / "fluid"
HERE = Path(__file__).parent / "cases"
# Results that only gradients read, whose shape or type 1.8.5 does not know, or states otherwise.
ASIDE = ("XShape", "Mask", "LabelsDim")
UNWRITTEN = ("W_Out",)  # hierarchical_sigmoid names its weight as a result, which nothing writes
# Results that 1.8.5's operators do not have yet.
LATER = ("RoisNum", "RpnRoisNum", "MultiLevelRoIsNum", "MaxOverlapWithGT", "Counts", "Indices")
# Attributes under other names, or that one side does not have: (operator, attribute).
RENAMED = (
    ("flip", "dims"), ("flip", "axis"), ("linspace", "dtype"), ("roll", "dims"), ("roll", "axis"),
    ("allclose", "rtol"), ("allclose", "atol"), ("trace", "dim1"), ("trace", "dim2"),
    ("trace", "axis1"), ("trace", "axis2"),
)  # fmt: skip
# Gradients that 1.8.5 does not have.
DIFFERENTIABLE = (
    "case_clip_by_norm", "case_increment_fresh", "case_topk", "case_topk_tensor", "case_argsort",
    "case_diag_embed",
)  # fmt: skip
PROTOS = DATA.parent / "op-protos.json"
IRREGULAR = {"cross_entropy_grad2": "cross_entropy2"}
EXTRA = {"dtype", "print_tensor_layout"}  # of linspace and print; 1.8.5 passes over them
COUNTED = re.compile(
    r"(?P<generated>_generated_var_\d+)|(?P<slice>.*_slice_\d+|slice_\d+\.tmp_\d+)"
)
UNORDERED = {
    "while": ("X", "Out"), "conditional_block": ("Input", "Out"), "recurrent": ("parameters",),
}  # fmt: skip


@functools.lru_cache(maxsize=2)
def frozen(family: str) -> dict[str, Any]:
    with np.load(DATA / f"{family}.npz") as file:
        return dict(file)


@functools.lru_cache(maxsize=1)
def protos() -> dict[str, Any]:
    return json.loads(PROTOS.read_text(encoding="utf8"))


def _all() -> list[tuple[str, str]]:
    found = []
    for file in sorted(HERE.glob("*.py")):
        if file.stem != "__init__":
            module = importlib.import_module(f"tests.fluid.cases.{file.stem}")
            found += [(file.stem, name) for name in vars(module) if name.startswith("case_")]
    return found


@pytest.fixture(autouse=True)
def static_mode() -> Any:
    paddle.enable_static()
    yield
    paddle.disable_static()


@pytest.mark.parametrize("family, name", _all(), ids=lambda text: text.removeprefix("case_"))
def test_equals_185(family: str, name: str) -> None:
    case = getattr(importlib.import_module(f"tests.fluid.cases.{family}"), name)
    if getattr(case, "needs", "relu") not in REGISTRY:
        pytest.skip(f"there is no operator {case.needs} yet")
    data = frozen(family)
    want = json.loads(bytes(data[f"{name}/told"]))
    got, arrays = run(fluid, case, written_for_185)
    if getattr(case, "program", True):
        same_program(got, want, getattr(case, "variables", True))
        assert uncounted(got["fetches"]) == uncounted(want["fetches"])
    if name not in DIFFERENTIABLE:
        assert got["gradients"] == want["gradients"]
    expected = {k.split("/", 1)[1]: v for k, v in data.items() if k.startswith(f"{name}/")}
    del expected["told"]
    assert set(expected) <= set(arrays)
    for key, value in expected.items():
        same_numbers(f"{key}", arrays[key], value, getattr(case, "close", 1e-4))
    # Some gradients of 1.8.5 lack the levels of what they are the gradients of.
    lod = {k: v for k, v in got["lod"].items() if k in want["lod"] or not k.startswith("grad")}
    assert lod == want["lod"]


def written_for_185(*programs: Any) -> None:
    """What goes into a file has the slots and attributes that 1.8.5 declares, of its kinds."""
    for program in programs:
        assert form_185.fits(program)
        desc = message_class("ProgramDesc")()
        write_program(program, desc)
        assert desc.version.version == form_185.VERSION
        for op in [op for block in desc.blocks for op in block.ops]:
            name = form_185.forward_name(IRREGULAR.get(op.type, op.type))
            assert name is not None, op.type
            ins, outs, attrs = form_185.operators()[name]
            found = {a.name: a.type for a in op.attrs}
            for attr, (kind, *default) in attrs.items():
                assert found.get(attr, None if default else kind) == kind, (op.type, attr)
            if name != op.type:
                continue  # what the gradients have is in no table
            unknown = set(found) - set(attrs) - set(form_185.EVERYWHERE) - EXTRA
            assert not unknown, (op.type, unknown)
            for slots, told in ((ins, op.inputs), (outs, op.outputs)):
                known = {spec.rstrip("*?^") for spec in slots.split()}
                assert {slot.parameter for slot in told} <= known, (op.type, told)


def same_numbers(key: str, got: np.ndarray, want: np.ndarray, part: float) -> None:
    assert got.shape == want.shape and got.dtype == want.dtype, (key, got.shape, want.shape)
    if want.dtype.kind != "f":
        np.testing.assert_array_equal(got, want, key)
        return
    finite = np.abs(want[np.isfinite(want)])
    size = max(float(finite.max()) if finite.size else 0.0, 1e-3)
    np.testing.assert_allclose(got, want, part, part * size, err_msg=key)


def uncounted(names: list[str]) -> list[str]:
    return ["counted" if COUNTED.fullmatch(name) else name for name in names]


def normal(told: dict) -> dict:
    """Without what 1.8.5 leaves to chance or makes of counters alone.

    Names like ``_generated_var_3`` and ``x_slice_0`` count in the order in which operators have
    them, and what control flow reads and writes is in the order of a set.
    """
    names: dict[str, str] = {}

    def named(name: str) -> str:
        found = COUNTED.fullmatch(name)
        if found is None:
            return name
        return names.setdefault(name, f"{found.lastgroup}_{len(names)}")

    for block in told["blocks"]:
        for kind, *sides, _ in block:
            for slot, found in sorted((sides[0] | sides[1]).items()):
                if slot not in UNORDERED.get(kind, ()):
                    list(map(named, found))
    blocks = []
    for block in told["blocks"]:
        blocks.append([])
        for kind, *sides, attrs in block:
            sides = [{s: [named(n) for n in found] for s, found in d.items()} for d in sides]
            for side in sides:
                side.update({s: sorted(side[s]) for s in UNORDERED.get(kind, ()) if s in side})
            blocks[-1].append([kind, *sides, attrs])
    variables = {named(n): v for n, v in told["variables"].items()}
    startup = [
        [k, {s: list(map(named, f)) for s, f in o.items()}, a] for k, o, a in told["startup"]
    ]
    return told | {"blocks": blocks, "variables": variables, "startup": startup}


def same_program(got: dict, want: dict, variables: bool = True) -> None:
    got, want = normal(got), normal(want)
    for block, (ours, theirs) in enumerate(zip(got["blocks"], want["blocks"], strict=True)):
        types = [op[0] for op in ours], [op[0] for op in theirs]
        assert types[0] == types[1], f"operators of block {block}"
        for mine, other in zip(ours, theirs, strict=True):
            same_operator(mine, other)
    filling = got["startup"]
    assert [op[0] for op in filling] == [op[0] for op in want["startup"]]
    for mine, other in zip(filling, want["startup"], strict=True):
        same_operator([mine[0], {}, mine[1], mine[2]], [other[0], {}, other[1], other[2]])
    slots = [s for b in want["blocks"] for op in b for s in (*op[1].values(), *op[2].values())]
    used = {name for slot in slots for name in slot}
    ops = [op for block in want["blocks"] for op in block]
    aside = {name for op in ops for slot in ASIDE for name in op[2].get(slot, ())}
    for name, var in want["variables"].items():
        if name not in used or not variables:
            continue  # 1.8.5 makes some that nothing needs
        assert name in got["variables"], f"{name} is missing"
        if var is not None and got["variables"][name] is not None and name not in aside:
            assert same_variable(got["variables"][name], var), (got["variables"][name], var, name)


def same_variable(got: list, want: list) -> bool:
    """Whether two descriptions agree; 1.8.5 knows less of some shapes, or computes with -1."""
    if want[0] and len(got[0]) != len(want[0]):
        return False
    return got[1:] == want[1:] and all(
        b < 0 or a == b for a, b in zip(got[0], want[0], strict=bool(want[0]))
    )


def same_operator(got: list, want: list) -> None:
    kind, ins, outs, attrs = want
    outs = {slot: names for slot, names in outs.items() if slot not in UNWRITTEN}
    assert {s: n for s, n in got[1].items() if s in ins} == ins, kind
    if not kind.endswith("_grad"):  # here gradients have all the slots that there are
        assert not [s for s in got[1] if s not in ins], (kind, got[1], ins)
    assert {s: n for s, n in got[2].items() if s in outs or s not in LATER} == outs, kind
    known = protos().get(kind, {"attrs": {}})["attrs"]
    for name in set(got[3]) - set(attrs):
        defaults = known.get(name, {}).get("defaults") or [None]
        assert got[3][name] == defaults[-1] or (kind, name) in RENAMED, (kind, name)
    for name, value in attrs.items():
        if (name == "str_value" and not value) or name == "remote_prefetch":
            continue  # initializers of 1.8.5 leave it out; parameter servers
        if (kind, name) in RENAMED:
            continue
        if name in got[3]:
            mine = got[3][name]
        else:
            mine = (known.get(name, {}).get("defaults") or [None])[-1]
            if name.endswith("_data_format"):
                continue  # of oneDNN
            if mine is None and kind.endswith("_grad"):
                continue  # it is added when the Program is written
        if (kind, name) == ("slice", "ends"):
            mine, value = ([min(n, 10_000_000) for n in ends] for ends in (mine, value))
        if name.endswith("_callable_id"):
            assert type(mine) is type(value) is int  # functions are numbered in each process
            continue
        first = value[0] if isinstance(value, list) and value else value
        if isinstance(first, float):
            assert mine == pytest.approx(value, rel=1e-6), (kind, name)
        else:
            assert mine == value, (kind, name)
