"""A name of 1.x says once, at the line that asks for it, what 2.0 has in its place."""

from __future__ import annotations

import subprocess
import sys
import timeit
from pathlib import Path

import pytest

from paddle import _names_told
from scripts import api_table


def told(script: Path, text: str, filters: str = "always") -> list[str]:
    """The warnings of a script in a process of its own."""
    script.write_text(text)
    code = f"import runpy, warnings; warnings.simplefilter({filters!r}); "
    code += f"runpy.run_path({str(script)!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return [line for line in done.stderr.splitlines() if "Warning: " in line]


@pytest.mark.slow
def test_each_name_once_at_the_users_line(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    lines = [
        "import paddle.fluid as fluid, paddle.fluid.layers as L",
        "from paddle.fluid.dygraph import Linear, to_variable",
        "from paddle.fluid.initializer import Constant",
        "import paddle.fluid.optimizer as optimizer",
        "for _ in range(2):",
        "    x = fluid.data('x', [None, 2]) if _ == 0 else x",
        "    y = L.fc(x, 2); L.relu(y)",
        "    fluid.initializer.Constant; fluid.optimizer.Adam; optimizer.SGD(0.1)",
        "    fluid.clip.GradientClipByNorm(1.0); fluid.Executor()",
        "    L.mean(y), fluid.layers.mean(y)",
        "getattr(fluid.layers, 'tanh'); fluid.layers.nn.dropout",  # nobody means tanh
        "fluid.nets, fluid.io, fluid.LoDTensorArray",  # 2.0 has nothing else
    ]
    found = told(script, "\n".join(lines))
    assert all("DeprecationWarning" in line and str(script) in line for line in found)
    assert [
        (int(line.split(":")[1]), line.split("2.0 has ")[1].split(",")[0]) for line in found
    ] == [
        (2, "paddle.nn.Linear"), (2, "paddle.to_tensor"), (3, "paddle.nn.initializer.Constant"),
        (6, "paddle.static.data"), (7, "paddle.static.nn.fc"), (7, "paddle.nn.functional.relu"),
        (8, "paddle.optimizer.Adam"), (8, "paddle.optimizer.SGD"), (9, "paddle.nn.ClipGradByNorm"),
        (9, "paddle.static.Executor"), (10, "paddle.mean"),
        (11, "paddle.nn.functional.dropout"),
    ]  # fmt: skip


def test_stars_and_libraries_are_quiet(tmp_path: Path) -> None:
    star = "from paddle.fluid.layers import *\nfrom paddle.fluid.optimizer import *\nfc, SGD\n"
    (tmp_path / "library.py").write_text("import paddle.fluid as f\nf.data, f.optimizer.Adam\n")
    (tmp_path / "main.py").write_text(star + "import library, paddle.fluid\npaddle.fluid.Executor")
    done = subprocess.run(
        [sys.executable, "main.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    found = [line for line in done.stderr.splitlines() if "Warning: " in line]
    assert len(found) == 1 and "main.py:5: DeprecationWarning: paddle.fluid.Executor" in found[0]


def test_what_is_told_is_there() -> None:
    names = {name for found in _names_told.read_table().values() for name in found.values()}
    wrong = [n for new in names for n in new.split(" or ") if api_table.resolve(n) is None]
    assert len(names) > 200 and not wrong


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_name_that_was_told_costs_as_much_as_a_plain_one() -> None:
    from paddle.fluid import layers, optimizer

    assert layers.relu and optimizer.SGD
    assert min(timeit.repeat(lambda: layers.relu, number=1000, repeat=5)) < 1e-3
    assert min(timeit.repeat(lambda: optimizer.SGD, number=1000, repeat=5)) < 4e-3
