"""DistributeTranspiler against what 1.8.5 writes (scripts/oracle/fluid_transpiler_185.py)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import paddle
import paddle.fluid as fluid
from tests.fluid import transpiling
from tests.fluid.test_cases import same_operator

DATA = Path(__file__).parent.parent / "data" / "fluid" / "transpiler.json"


@pytest.fixture(autouse=True)
def static_mode() -> Any:
    paddle.enable_static()
    yield
    paddle.disable_static()


@pytest.mark.parametrize("name", sorted(transpiling.CASES))
def test_programs(name: str) -> None:
    wanted = json.loads(DATA.read_text(encoding="utf8"))[name]
    for program, got in transpiling.run(fluid, name).items():
        want = wanted[program]
        assert len(got["blocks"]) == len(want["blocks"]), program
        for mine, other in zip(got["blocks"], want["blocks"], strict=True):
            assert mine[0] == other[0], program
            assert [op[0] for op in mine[1]] == [op[0] for op in other[1]], program
            for ours, theirs in zip(mine[1], other[1], strict=True):
                same_operator(ours, theirs)
        used = {n for _, ops in want["blocks"] for op in ops
                for names in (*op[1].values(), *op[2].values()) for n in names}  # fmt: skip
        for var, told in want["variables"].items():
            if var in used:
                assert got["variables"][var] == told, (program, var)


def test_dispatchers() -> None:
    servers = fluid.transpiler.RoundRobin(["a", "b"])
    assert servers.dispatch([1, 2, 3]) == ["a", "b", "a"]
    assert servers.dispatch([1]) == ["b"]
    servers.reset()
    assert servers.dispatch([1]) == ["a"] and servers.eps == ["a", "b"]
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        var = fluid.data("x", [2], "float32")
    assert fluid.transpiler.HashName(["a", "b"]).dispatch([var, var])[0] in ("a", "b")


def test_refused() -> None:
    config = fluid.DistributeTranspilerConfig()
    config.geo_sgd_mode = True
    with pytest.raises(NotImplementedError, match=r"paddle\.distributed"):
        fluid.DistributeTranspiler(config).transpile(0)
    config = fluid.DistributeTranspilerConfig()
    config.enable_dc_asgd = True
    with pytest.raises(NotImplementedError, match="enable_dc_asgd"):
        fluid.DistributeTranspiler(config).transpile(0, sync_mode=False)
