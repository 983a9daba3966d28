"""Every operator sample that ONNX can express is exported, and onnxruntime gives the same."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import paddle
from paddle.core.errors import UnimplementedError
from paddle.core.op import REGISTRY
from paddle.onnx.rules.registry import known_operators, rule_of
from tests.onnx.exceptions import (
    CLOSED,
    NO_KERNEL,
    NOT_COMPARED,
    NOT_OPEN,
    REFUSED,
    WITHOUT_RULE,
    WITHOUT_RULE_IF_THERE,
)
from tests.onnx.running import NotRecorded, OneOperator
from tests.op_samples.sample import Sample
from tests.ops.table import SAMPLES, forward_operators

RUN = [s for s in SAMPLES if s.op not in WITHOUT_RULE]
_COMPLEX = "take no complex numbers"


def _is_complex(sample: Sample) -> bool:
    arrays = [a for v in sample.inputs.values() for a in (v if isinstance(v, list) else [v])]
    kinds = [np.asarray(a).dtype.kind for a in arrays if a is not None]
    return "c" in kinds or sample.attrs.get("out_dtype") in (23, 24)


@pytest.fixture(autouse=True)
def _seeded():
    paddle.seed(2021)


def _check(sample: Sample) -> None:
    made, name = OneOperator(sample), str(sample)
    refused = _COMPLEX if _is_complex(sample) else REFUSED.get(name)
    if refused is not None:
        with pytest.raises(UnimplementedError, match=refused):
            made.export(11)
        return
    made.export(11)
    if name in NO_KERNEL:
        with pytest.raises(Exception, match="NOT_IMPLEMENTED"):
            made.results()
        return
    op = REGISTRY[sample.op]
    if name in NOT_COMPARED:
        made.check_shapes()
    elif op.random and sample.check is not None and "is_test" not in op.attrs:
        results = dict(zip(made.fetches, made.check_shapes(), strict=True))
        outputs = [paddle.to_tensor(results.get(n, t.numpy())) for n, t in made.expected.items()]
        sample.check(outputs, sample.inputs, sample.attrs)
    else:
        made.check(max(1e-4, sample.rtol), max(1e-5, sample.atol))


@pytest.mark.parametrize("operator", sorted({s.op for s in RUN}))
def test_samples_give_the_same_in_onnxruntime(operator: str) -> None:
    # One test for each operator: one for each sample would take longer than the runs.
    for sample in RUN:
        if sample.op == operator:
            try:
                _check(sample)
            except Exception as error:
                raise AssertionError(f"sample {sample}: {error}") from error


def _open_samples() -> list[Sample]:
    known = set(known_operators())
    left = {**REFUSED, **NO_KERNEL, **NOT_COMPARED, **NOT_OPEN}
    return [
        s for s in RUN
        if s.op in known and not REGISTRY[s.op].random and not _is_complex(s)
        and str(s) not in left
    ]  # fmt: skip


_ALL = 10**6
_CASES = [(1, 2), pytest.param(1, _ALL, marks=pytest.mark.slow),
          pytest.param(9, _ALL, marks=pytest.mark.slow)]  # fmt: skip


@pytest.mark.parametrize(("dimensions", "most"), _CASES)
def test_sizes_may_be_open(dimensions: int, most: int) -> None:
    # All in one test: the parameters would take longer than the runs.
    refused: set[str] = set()
    seen: collections.Counter[str] = collections.Counter()
    for sample in _open_samples():
        seen[sample.op] += 1
        if seen[sample.op] > most:
            continue
        made = OneOperator(sample, open=dimensions)
        try:
            made.export(13)
        except NotRecorded:
            continue
        except UnimplementedError:
            refused.add(sample.op)
            continue
        try:
            made.check(max(1e-4, sample.rtol), max(1e-5, sample.atol))
        except Exception as error:
            raise AssertionError(f"sample {sample}: {error}") from error
    assert dimensions > 1 or refused <= set(CLOSED), refused - set(CLOSED)
    if dimensions == 1 and most == _ALL:
        assert refused == set(CLOSED), refused ^ set(CLOSED)


def test_every_operator_has_a_rule_or_a_reason() -> None:
    folded = {s.op for s in RUN if not REGISTRY[s.op].inputs}  # constants are computed
    lacking = [
        op.name for op in forward_operators()
        if rule_of(op.name) is None and op.name not in WITHOUT_RULE and op.name not in folded
    ]  # fmt: skip
    assert not lacking, f"operators with neither a rule nor a reason: {lacking}"


def test_reasons_are_current() -> None:
    there = sorted(set(WITHOUT_RULE) & set(known_operators()))
    assert not there, f"{there} have rules: take them out of WITHOUT_RULE"
    must = set(WITHOUT_RULE) - set(WITHOUT_RULE_IF_THERE)
    unknown = sorted(name for name in must if name not in REGISTRY)
    assert not unknown, f"WITHOUT_RULE names {unknown}, which are no operators"
    names = {str(s) for s in RUN}
    stale = [n for t in (REFUSED, NO_KERNEL, NOT_COMPARED, NOT_OPEN) for n in t if n not in names]
    assert not stale, f"{stale} are no samples"
    foreign = [name for name in known_operators() if name not in REGISTRY]
    assert not foreign, f"rules for {foreign}, which are no operators"
