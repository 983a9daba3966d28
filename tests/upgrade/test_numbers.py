"""What is converted gives the numbers of 1.8.5 (frozen by `scripts/oracle/upgrade_185.py`)."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle_upgrade_tool.convert import convert
from paddle_upgrade_tool.rules import find

from . import snippets

DATA = Path(__file__).resolve().parent.parent / "data"
FROZEN = dict(np.load(DATA / "upgrade-1.8.5.npz"))
CASES = list(snippets.every())
RANDOM = "rS"  # kinds of which only the shapes compare

# Loose where 1.8.5 computes in another order.
TOLERANCE = {"paddle.fluid.layers.logsumexp": 1e-4}


def rows():
    with open(DATA / "api-map-1x-to-2.tsv", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def run(text, where):
    try:
        return snippets.run(text, where)
    finally:
        paddle.disable_static()


def compare(key, name, kind, got):
    want = []
    while f"{key}#{len(want)}" in FROZEN:
        want.append(FROZEN[f"{key}#{len(want)}"])
    assert want, f"{key}: no frozen result"
    assert len(got) == len(want)
    for index, (a, b) in enumerate(zip(got, want)):
        if b.size == 0 and index:
            continue  # a gradient, for a label, that 1.8.5 does not compute
        if name == "paddle.fluid.dygraph.PRelu" and index:
            b = b.reshape(a.shape)  # the slopes are [1, C, 1, 1] there, and [C] in 2.0
        assert (a.shape or (1,)) == (b.shape or (1,)), (
            f"result {index}: shape {a.shape}, 1.8.5 has {b.shape}"
        )
        if kind not in RANDOM:
            tolerance = TOLERANCE.get(name, 2e-5)
            np.testing.assert_allclose(
                a.astype("float64"), b.astype("float64"), rtol=tolerance, atol=tolerance,
                err_msg=f"result {index}",
            )  # fmt: skip


@pytest.mark.parametrize("key,name,kind,text", CASES, ids=[c[0] for c in CASES])
def test_converted(key, name, kind, text):
    new, findings, changes = convert(text)
    left = [f for f in findings if f.level == "left"]
    assert not left, left
    assert "fluid" not in new and changes
    assert convert(new)[0] == new
    compare(key, name, kind, run(new, key))


@pytest.mark.parametrize("row", rows(), ids=lambda r: r["old"].removeprefix("paddle.fluid."))
def test_every_row_is_converted_or_reported(row):
    """Each row of the map is converted, with a case above, or stays with a reason."""
    old = row["old"]
    rule, tail = find(old)
    assert rule is not None and not tail, f"no rule for {old}"
    if rule.kind != "stays":
        return
    text = f"import paddle.fluid as fluid\nresult = {old.replace('paddle.fluid', 'fluid', 1)}(x)\n"
    new, findings, _ = convert(text)
    assert new == text
    (finding,) = findings
    assert (finding.level, finding.line, finding.column) == ("left", 2, 10)
    assert finding.message and finding.message != "has no equal in 2.0"


# Rows that are converted by name alone, and that no case runs: other places and devices, switches
# of the mode, files, and classes that the tests of programs use.
WITHOUT_CASE = set(
    """
    CUDAPinnedPlace CUDAPlace ParallelExecutor cuda_places disable_dygraph
    dygraph.ProgramTranslator dygraph.TracedLayer
    dygraph.disable_dygraph dygraph.enable_dygraph dygraph.enable_imperative dygraph.load_dygraph
    enable_dygraph enable_imperative io.DataLoader io.load io.load_inference_model
    io.load_program_state io.save io.save_inference_model io.set_program_state
    layers.dynamic_decode load load_op_library save
    """.split()  # noqa: SIM905
)


def test_rows_without_a_case():
    """The list of rows that no case runs may only shrink."""
    seen = {find(name)[0].old for _, name, kind, _ in CASES if kind != "P"}
    for _, _, _, text in CASES:
        for word in set(re.findall(r"fluid(?:\.\w+)+", text)):
            rule, _ = find("paddle." + word)
            if rule is not None:
                seen.add(rule.old)
    missing = set()
    for row in rows():
        rule = find(row["old"])[0]
        if rule.kind != "stays" and rule.old not in seen:
            missing.add(row["old"].removeprefix("paddle.fluid."))
    assert missing == WITHOUT_CASE


@pytest.mark.parametrize("key,name,kind,text", CASES, ids=[c[0] for c in CASES])
def test_as_it_is_written(key, name, kind, text):
    """The text of 1.x runs here too, under `paddle.fluid`, with the same numbers."""
    if "fluid.Executor" in text:
        paddle.enable_static()  # what 1.x starts with; earlier tests have said otherwise
    try:
        got = run(text, key)
    except (AttributeError, ModuleNotFoundError) as error:
        missing = re.search(r"paddle\.fluid[\w.]*|has no attribute .*", str(error))
        if missing is None or "fluid" not in str(error):
            raise
        pytest.skip(f"not there yet: {missing.group()}")
    compare(key, name, kind, got)
