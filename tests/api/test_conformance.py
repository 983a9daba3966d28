"""Every name that this release promises exists, with the parameters that the 2.0 table gives it."""

from __future__ import annotations

import re

import pytest

from paddle.core.not_yet import NotYet
from scripts import api_table

# Modules whose documented names must be there. A module not listed is only checked where it exists.
COVERED = (
    "paddle",
    "paddle.Model",
    "paddle.Tensor",
    "paddle.amp",
    "paddle.batch",
    "paddle.callbacks",
    "paddle.compat",
    "paddle.dataset.cifar",
    "paddle.dataset.common",
    "paddle.dataset.conll05",
    "paddle.dataset.flowers",
    "paddle.dataset.image",
    "paddle.dataset.imdb",
    "paddle.dataset.imikolov",
    "paddle.dataset.mnist",
    "paddle.dataset.movielens",
    "paddle.dataset.mq2007",
    "paddle.dataset.sentiment",
    "paddle.dataset.uci_housing",
    "paddle.dataset.voc2012",
    "paddle.dataset.wmt14",
    "paddle.dataset.wmt16",
    "paddle.device",
    "paddle.distributed",
    "paddle.distributed.ParallelEnv",
    "paddle.distributed.cloud_utils",
    "paddle.distributed.fleet",
    "paddle.distributed.fleet.metrics",
    "paddle.distributed.fleet.utils",
    "paddle.distributed.utils",
    "paddle.distribution",
    "paddle.framework",
    "paddle.incubate.optimizer",
    "paddle.inference",
    "paddle.io",
    "paddle.metric",
    "paddle.nn",
    "paddle.nn.functional",
    "paddle.nn.initializer",
    "paddle.nn.utils",
    "paddle.no_grad",
    "paddle.onnx",
    "paddle.optimizer",
    "paddle.optimizer.lr",
    "paddle.reader.decorator",
    "paddle.regularizer",
    "paddle.static",
    "paddle.static.nn",
    "paddle.sysconfig",
    "paddle.text.datasets",
    "paddle.utils",
    "paddle.utils.cpp_extension",
    "paddle.utils.download",
    "paddle.utils.image_util",
    "paddle.utils.profiler",
    "paddle.utils.unique_name",
    "paddle.version",
    "paddle.vision.datasets",
    "paddle.vision.ops",
    "paddle.vision.transforms",
)

# What a covered module still lacks: pattern of the whole name -> what will bring it.
NOT_YET: dict[str, str] = {}


def _covered(name: str) -> bool:
    """Whether the row's module, or for a member its class's module, is in COVERED."""
    parts = name.split(".")
    owners = {".".join(parts[:-1])}
    if len(parts) > 2 and parts[-2][:1].isupper():
        owners.add(".".join(parts[:-2]))
    return not owners.isdisjoint(COVERED)


def _awaited(name: str) -> str | None:
    for pattern, issue in NOT_YET.items():
        if re.fullmatch(pattern, name):
            return issue
    return None


ROWS = [row for row in api_table.rows() if _covered(row.name)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_name_and_signature_follow_the_table(row: api_table.Row) -> None:
    obj = api_table.resolve(row.name)
    reason = api_table.deviations().get(row.name)
    if obj is api_table.MISSING or isinstance(obj, NotYet):
        if row.evidence == "attr" or reason or _awaited(row.name):
            pytest.skip(f"not here: {reason or _awaited(row.name) or 'undocumented in 2.0'}")
        pytest.fail(f"{row.name} is promised and does not exist; the table has {row.signature}")
    difference = api_table.mismatch(row, obj)
    if reason:
        return
    assert difference is None, f"{row.name}: {difference}"


@pytest.mark.parametrize("pattern", NOT_YET)
def test_the_list_of_what_is_missing_is_current(pattern: str) -> None:
    names = [row.name for row in ROWS if re.fullmatch(pattern, row.name)]
    assert names, f"NOT_YET has the pattern {pattern}, which matches no name of the table"
    there = [n for n in names if api_table.resolve(n) is not api_table.MISSING]
    assert len(there) < len(names), f"all of {there} exist now: take {pattern} out of NOT_YET"


def test_deviations_name_rows_of_the_table() -> None:
    known = {row.name for row in api_table.rows()}
    unknown = set(api_table.deviations()) - known
    assert not unknown, f"scripts/deviations.tsv lists {sorted(unknown)}, not names of the table"


def test_aliases_are_the_same_object() -> None:
    wrong = []
    for row in ROWS:
        obj = api_table.resolve(row.name)
        if obj is api_table.MISSING or row.is_member:
            continue
        for alias in row.aliases:
            other = api_table.resolve(alias)
            if other is not api_table.MISSING and other is not obj:
                wrong.append(f"{alias} is not {row.name}")
    assert not wrong, "; ".join(wrong)
