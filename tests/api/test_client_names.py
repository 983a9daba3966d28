"""What client libraries of 2.0 take from paddle is here: tests/data/client-names.tsv."""

from __future__ import annotations

import csv
import re
import textwrap
from pathlib import Path

import pytest

from paddle import _module_paths
from scripts import api_table, client_names

with client_names.TARGET.open(encoding="utf8", newline="") as file:
    NAMES = [line["name"] for line in csv.DictReader(file, delimiter="\t")]

# Names that are not here: pattern -> why.
EXCUSED = {
    r"paddle\.distributed\.(collective|parallel\.parallel_helper)\..*": "several processes",
    r"paddle\.fluid\.core\.(Graph\w+|ops\.c_allreduce_sum)": "several processes",
    r"paddle\.fluid\.core\.VarDesc\.VarType\.MAP": "2.0 does not have it",
    r"paddle\.nn\.functional\.(hard_sigmoid|pool2d)": "2.0 does not have it",
}


def _excused(name: str) -> bool:
    of_1x = name in _module_paths._names_1x()  # what is to come with the API of 1.x
    return of_1x or any(re.fullmatch(pattern, name) for pattern in EXCUSED)


CHECKED = [name for name in NAMES if not _excused(name)]


def test_the_list_is_that_of_several_libraries() -> None:
    assert len(NAMES) > 500 and len(CHECKED) > 400
    assert {"paddle.fluid.layer_helper.LayerHelper", "paddle.nn"} <= set(NAMES)


@pytest.mark.parametrize("name", CHECKED)
def test_a_name_that_libraries_take_is_here(name: str) -> None:
    assert api_table.resolve(name) is not api_table.MISSING


@pytest.mark.parametrize("pattern", EXCUSED)
def test_what_is_excused_is_missing(pattern: str) -> None:
    matching = [name for name in NAMES if re.fullmatch(pattern, name)]
    assert matching, f"no library takes what {pattern} matches: take it out of EXCUSED"
    missing = [name for name in matching if api_table.resolve(name) is api_table.MISSING]
    assert missing, f"everything that {pattern} matches is there: take it out of EXCUSED"


def test_names_of_1x_that_are_to_come_are_missing() -> None:
    there = [name for name in NAMES if name in _module_paths._names_1x()
             and api_table.resolve(name) is not api_table.MISSING]  # fmt: skip
    assert not there


def _scanned(source: str) -> set[str]:
    return client_names.names_of(textwrap.dedent(source))


def test_names_are_read_from_imports_and_attributes() -> None:
    found = _scanned(
        """
        import paddle
        import numpy as np
        import paddle.nn.functional as F
        from paddle.fluid import core as native, layers
        from . import paddle_like

        def run(x):
            y = F.relu(paddle.tanh(x)).numpy()
            return native.VarDesc.VarType.FP32, layers.fc(y), np.zeros(3), paddle_like.ones(3)
        """
    )
    assert found == {
        "paddle", "paddle.nn.functional", "paddle.nn.functional.relu", "paddle.tanh",
        "paddle.fluid", "paddle.fluid.core", "paddle.fluid.layers", "paddle.fluid.layers.fc",
        "paddle.fluid.core.VarDesc.VarType.FP32",
    }  # fmt: skip


def test_parameters_hide_imports() -> None:
    found = _scanned(
        """
        from paddle.fluid import layers

        def run(layers):
            return layers.first

        def other():
            return layers.fc
        """
    )
    assert "paddle.fluid.layers.first" not in found and "paddle.fluid.layers.fc" in found


def test_a_table_is_made_of_folders(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    package = tmp_path / "some"
    package.mkdir()
    (package / "a.py").write_text("import paddle\npaddle.ones\npaddle.tensor.math.add\n")
    (package / "b.py").write_text("print 'of Python 2'\n")
    made = client_names.text([tmp_path]).splitlines()
    assert made[1:] == [
        "paddle\tyes\tsome", "paddle.ones\tyes\tsome", "paddle.tensor.math.add\tno\tsome",
    ]  # fmt: skip
    assert "b.py: left out" in capsys.readouterr().err
