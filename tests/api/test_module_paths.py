"""The paths of the table's column `aliases`, and deep module paths, lead to the same things."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from typing import Any

import pytest

from paddle import _module_paths
from scripts import api_table, make_module_paths

# Paths, or public names, that are not here: pattern -> why.
EXCEPTIONS = {
    r"paddle\.dataset\.\w+\.deprecated": "a decorator they used: ours do not warn",
}


def _excepted(path: str) -> bool:
    return any(re.fullmatch(pattern, path) for pattern in EXCEPTIONS)


def _imported(path: str) -> Any:
    """What `from module import name` gives; unlike attributes, it sees a module behind a name."""
    module, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name, api_table.MISSING)
    except ModuleNotFoundError:
        return api_table.MISSING


COLUMN = [
    (alias, row.name) for row in api_table.rows() if not row.is_member for alias in row.aliases
]
CHECKED = [(alias, name) for alias, name in COLUMN if not _excepted(alias) and not _excepted(name)]


@pytest.mark.parametrize("alias, name", CHECKED, ids=[alias for alias, _ in CHECKED])
def test_aliases_lead_to_the_public_object(alias: str, name: str) -> None:
    found, public = _imported(alias), _imported(name)
    assert public is not api_table.MISSING, f"{name} does not exist"
    assert found is not api_table.MISSING, f"{alias}, another path of {name}, does not exist"
    assert found is public or (isinstance(public, str) and found == public)


@pytest.mark.parametrize("pattern", EXCEPTIONS)
def test_exceptions_are_needed(pattern: str) -> None:
    paths = [p for pair in COLUMN for p in pair if re.fullmatch(pattern, p)]
    gone = [p for p in paths if _imported(p) is api_table.MISSING]
    assert gone, f"everything that {pattern} matches is there: take it out of EXCEPTIONS"


@pytest.mark.parametrize("module", _module_paths.table())
def test_modules_of_the_table_have_their_names(module: str) -> None:
    importlib.import_module(module)
    for name, at in _module_paths.table()[module].items():
        public = _imported(f"{at.owner}.{at.name or name}")
        if public is not api_table.MISSING:  # what is missing fails in test_conformance
            assert _imported(f"{module}.{name}") is public


def test_the_table_is_the_generator_s() -> None:
    made = make_module_paths.text()
    assert made == make_module_paths.TARGET.read_text(encoding="utf8"), (
        "run `python scripts/make_module_paths.py`"
    )
    assert make_module_paths.text_2x() == make_module_paths.NAMES_2X.read_text(encoding="utf8")
    assert make_module_paths.text_1x() == make_module_paths.NAMES_1X.read_text(encoding="utf8")


def test_what_no_table_has_is_where_the_list_says() -> None:
    for path, here in make_module_paths.private_paths():
        if not path.endswith(".*"):
            assert _imported(path) is _imported(here) is not api_table.MISSING, path


def test_fluid_is_made_of_its_modules() -> None:
    import paddle
    import paddle.fluid as fluid

    assert fluid.dygraph.parallel.ParallelEnv is paddle.distributed.ParallelEnv
    assert fluid.layers.crop_tensor is fluid.layers.nn.crop_tensor
    assert fluid.disable_dygraph is paddle.enable_static  # another name
    importlib.import_module("paddle.fluid.data")
    assert callable(fluid.data)  # and not the module
    assert fluid.core.VarDesc is paddle.framework.core.VarDesc  # all of a module
    assert {"Executor", "dygraph"} <= set(dir(fluid)) and paddle.fluid is fluid
    assert "VarDesc" in dir(fluid.core)
    scope: dict[str, Any] = {}
    exec("from paddle.fluid.dataloader.collate import *", scope)
    assert callable(scope["default_collate_fn"])


def test_names_of_1x_say_what_to_use() -> None:
    import paddle.fluid as fluid

    assert not hasattr(fluid.layers, "fcc")
    with pytest.raises(AttributeError, match=r"'paddle\.fluid\.layers' has no attribute 'nothing'"):
        fluid.layers.nothing
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'paddle\.fluid\.nothing'"):
        importlib.import_module("paddle.fluid.nothing")


def test_modules_that_only_the_table_has() -> None:
    import paddle
    from paddle.metric import metrics
    from paddle.tensor.ops import sin

    assert sin is paddle.sin
    assert metrics.__all__ == ["Accuracy", "Auc", "Metric", "Precision", "Recall", "accuracy"]
    assert set(metrics.__all__) <= set(dir(metrics))
    scope: dict[str, Any] = {}
    exec("from paddle.metric.metrics import *", scope)
    assert scope["Auc"] is paddle.metric.Auc


def test_unknown_names_are_not_found() -> None:
    for module in ("paddle.metric.metrics", "paddle.tensor.manipulation"):
        with pytest.raises(AttributeError, match=f"module '{module}' has no attribute 'nothing'"):
            importlib.import_module(module).nothing
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("paddle.tensor.nothing")
    with pytest.raises(ImportError):
        exec("from paddle.tensor.math import no_such_name")


def test_importing_paddle_makes_no_module_of_the_table() -> None:
    code = (
        "import sys, paddle\n"
        "made = [n for n, m in sys.modules.items() if n.startswith('paddle.') and "
        "type(m.__spec__.loader).__name__ == '_Made']\n"
        "assert not made, made\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
