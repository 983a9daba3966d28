"""Programs made by PaddlePaddle 1.8.5 and 2.6.2 load and run here with the same numbers."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle.executor.executor import Executor
from paddle.executor.scope import Scope
from paddle.ir.autodiff.backward import append_backward, gradients
from paddle.ir.versions import RANK_0_SINCE, TABLE
from paddle.serialization.program import proto
from tests import rounding

sys.path.insert(0, str(Path(__file__).parent))
import corpus_cases

EXCHANGED = Path(__file__).parent.parent / "data" / "fluid" / "exchange.npz"
TERMS = 512  # networks of some layers, the widest of a few hundred, and back, for some steps

# What a release computes and we do not, on purpose. The rest of such a case is compared.
DIFFERENT = {
    "1.8.5_optimizer_adadelta": "1.8.5 takes the accumulator after, not before, its update",
    "2.6.2_recurrent": "flat copies of the weights share memory with them in 2.6.2 only",
}
NOT_COMPARED = {
    "1.8.5_optimizer_adadelta": ("fetch_0", "after/"),
    "2.6.2_recurrent": ("after/lstm_0.w_0", "after/gru_0.w_0"),
}
MISSING: dict[str, str] = {}


def marked(kind: str) -> list:
    return [
        pytest.param(n, marks=pytest.mark.xfail(strict=True, reason=MISSING[n]))
        if n in MISSING
        else n
        for n in corpus_cases.names(kind)
    ]


def prepared(case: corpus_cases.Case) -> tuple[Executor, Scope]:
    """An executor, and a scope with the initial values, after the startup program ran."""
    executor, scope = Executor(paddle.CPUPlace()), Scope()
    startup = proto.from_bytes(case.files["startup.pb"])
    executor.run(startup, scope=scope)
    writers: dict[str, set[str]] = {}
    for op in startup.global_block().ops:
        for name in op.output_arg_names:
            writers.setdefault(name, set()).add(op.type)
    for name, value in case.values("params.npz").items():
        made = stored(scope, name, value.shape)
        assert (made.shape, made.dtype) == (value.shape, value.dtype), name
        if writers[name] == {"fill_constant"}:
            np.testing.assert_array_equal(made, value, err_msg=name)
        scope.var(name).get_tensor().set(value, paddle.CPUPlace())
    return executor, scope


def stored(scope: Scope, name: str, shape: tuple) -> np.ndarray:
    """A value of a scope; there a number has shape [1] even if the release says []."""
    found = scope.find_var(name)
    assert found is not None, f"nothing made {name}"
    value = found.get_tensor().numpy()
    return value.reshape(()) if shape == () else value


def run(case: corpus_cases.Case, program, fetches: list[str]) -> tuple[list, Scope]:
    """Fetched values, of all steps stacked if the case trains."""
    executor, scope = prepared(case)
    steps, rates = case.meta.get("steps", 0), case.meta.get("rates")
    feed, runs = case.values("feeds.npz"), []
    for step in range(max(steps, 1)):
        if rates:
            value = np.array([rates["values"][step]], "float32")
            scope.var(rates["variable"]).get_tensor().set(value, paddle.CPUPlace())
        runs.append(executor.run(program, feed=feed, fetch_list=fetches, scope=scope))
    if not steps:
        return runs[0], scope
    return [np.stack([r[i] for r in runs]) for i in range(len(fetches))], scope


def close(found: np.ndarray, expected: np.ndarray, name: str) -> None:
    assert found.shape == expected.shape, name
    assert found.dtype == expected.dtype, name
    rounding.close(found, expected, terms=TERMS, least=1.0, name=name)


@pytest.mark.parametrize("name", marked("inference") + marked("train"))
def test_same_numbers(name: str) -> None:
    case = corpus_cases.read_case(name)
    program = proto.from_bytes(case.files["main.pb"])
    fetched, scope = run(case, program, case.meta["fetches"])
    found = {f"fetch_{i}": value for i, value in enumerate(fetched)}
    for key, value in case.values("expected.npz").items():
        if key.startswith("after/"):
            found[key] = stored(scope, key.removeprefix("after/"), value.shape)
        if not key.startswith(NOT_COMPARED.get(name, ("nothing",))):
            close(found[key], value, key)


@pytest.mark.parametrize("name", corpus_cases.names("backward"))
def test_gradients_of_the_file(name: str) -> None:
    case = corpus_cases.read_case(name)
    program = proto.from_bytes(case.files["main.pb"])
    for value, expected in zip(
        run(case, program, case.meta["fetches"])[0], case.fetched(), strict=True
    ):
        close(value, expected, name)


def differentiated(case: corpus_cases.Case) -> tuple:
    """The forward Program with gradients added here, and {of what: name of its gradient}."""
    meta = case.meta
    program = proto.from_bytes(case.files["forward.pb"])
    block = program.global_block()
    if meta["loss"] is None:
        given = [block.var(n) if n else None for n in meta["target_gradients"]]
        targets = [block.var(n) for n in meta["targets"]]
        inputs = [block.var(n) for n in meta["inputs"]]
        found = gradients(targets, inputs, given or None)
        return program, {v.name: g.name for v, g in zip(inputs, found, strict=True)}
    options = {k: meta[k] for k in ("parameter_list",) if k in meta}
    if "no_grad_set" in meta:
        options["no_grad_set"] = set(meta["no_grad_set"])
    if "checkpoints" in meta:
        options["checkpoints"] = [block.var(n) for n in meta["checkpoints"]]
    pairs = append_backward(block.var(meta["loss"]), **options)
    return program, {p.name: g.name for p, g in pairs}


@pytest.mark.parametrize("name", corpus_cases.names("backward"))
def test_gradients_made_here(name: str) -> None:
    """append_backward finds the same parameters, and their gradients have the same values."""
    case = corpus_cases.read_case(name)
    program, found = differentiated(case)
    expected = dict(zip([of for of, _ in case.meta["pairs"]], case.fetched(), strict=True))
    parameters = {n for n in expected if n not in case.meta["feeds"]}
    assert parameters <= set(found)
    wanted = [n for n in found if n in expected]
    values, _ = run(case, program, [found[n] for n in wanted])
    for of, value in zip(wanted, values, strict=True):
        close(value, expected[of], of)


SAME_AS = {"fill_zeros_like": "fill_any_like", "assign": "scale"}
# Blocks of control flow are cut differently; a second order has other slots (gradient_slots.py).
OTHER_STRUCTURE = ("conditional", "looped", "twice")


@pytest.mark.parametrize(
    "name", [n for n in corpus_cases.names("backward") if not n.endswith(OTHER_STRUCTURE)]
)
def test_gradient_operators_are_those_of_paddlepaddle(name: str) -> None:
    """Same operators in the same order with the same names; ours may get more inputs."""
    case = corpus_cases.read_case(name)
    count = len(proto.from_bytes(case.files["forward.pb"]).global_block().ops)
    program, _ = differentiated(case)
    made = program.global_block().ops[count:]
    expected = json.loads(case.files["grads.json"])[0]["ops"]
    types = [SAME_AS.get(op.type, op.type) for op in made]
    assert types == [SAME_AS.get(op["type"], op["type"]) for op in expected]
    for op, wanted in zip(made, expected, strict=True):
        assert filled(wanted["inputs"]).items() <= filled(op.inputs).items(), op.type
        assert filled(op.outputs) == filled(wanted["outputs"]), op.type
        assert op.attr("op_role") == wanted["op_role"], op.type
        assert set(op.attrs.get("op_role_var", ())) == set(wanted.get("op_role_var", ())), op.type


def filled(slots: dict[str, list[str]]) -> dict[str, list[str]]:
    return {slot: names for slot, names in slots.items() if names}


VERSION = {"1.8.5": 1_008_005, "2.6.2": 2_006_002, "here": 2_000_000}


def program_files() -> list[tuple[str, str]]:
    endings = (".pb", ".pdmodel", "__model__", ".model")
    kinds = ("inference", "train", "backward", "saved", "here", "here_net")
    return [
        (name, file)
        for kind in kinds
        for name in corpus_cases.names(kind)
        for file in corpus_cases.read_case(name).files
        if file.endswith(endings)
    ]


def test_every_program_is_written_back() -> None:
    """Byte for byte, without exception; so is a copy of it."""
    for name, file in program_files():
        data = corpus_cases.read_case(name).files[file]
        program = proto.from_bytes(data)
        assert program.program_version == VERSION[name.partition("_")[0]], name
        assert proto.to_bytes(program) == data, name
        assert proto.to_bytes(program.clone()) == data, name


def test_rank_0_is_kept_for_programs_that_have_it_only() -> None:
    new, old = (corpus_cases.read_case(n) for n in ("2.6.2_reductions", "1.8.5_reductions"))
    assert proto.from_bytes(new.files["main.pb"]).program_version >= RANK_0_SINCE
    assert new.fetched()[0].shape == ()
    assert old.fetched()[0].shape == (1,)


def test_every_conversion_is_tried() -> None:
    """Each row of the table meets an operator of the corpus that it is for."""
    met = set()
    for name, file in program_files():
        program = proto.from_bytes(corpus_cases.read_case(name).files[file])
        met |= {(op.type, program.program_version) for block in program.blocks for op in block.ops}
    with np.load(EXCHANGED) as packed:  # of 1.8.5; tests/fluid/test_exchange.py runs them
        mains = [packed[key].tobytes() for key in packed.files if key.endswith(".main")]
    for program in map(proto.from_bytes, mains):
        met |= {(op.type, program.program_version) for block in program.blocks for op in block.ops}
    for row in TABLE:
        assert any(t == row.op and row.since <= v < row.before for t, v in met), row
