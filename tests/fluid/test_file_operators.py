"""Programs with save, save_combine, load, load_combine, delete_var and get_places, as 1.x's io."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.serialization.tensor_stream import read_dense

VALUES = {"w": np.arange(6, dtype="float32").reshape(2, 3), "n": np.array([3, 1], "int64")}


@pytest.fixture(autouse=True)
def static_mode() -> Any:
    paddle.enable_static()
    yield
    paddle.disable_static()


def _program(*steps: tuple, names: Any = ("w", "n")) -> Any:
    main = fluid.Program()
    block = main.global_block()
    for name in names:
        array = VALUES[name]
        block.create_var(
            name=name, shape=array.shape, dtype=str(array.dtype), persistable=True
        )  # fmt: skip
    for kind, inputs, outputs, attrs in steps:
        block.append_op(type=kind, inputs=inputs, outputs=outputs, attrs=attrs)
    return main


def _run(program: Any, scope: Any, **given: Any) -> Any:
    with fluid.scope_guard(scope):
        return fluid.Executor(fluid.CPUPlace()).run(program, **given)


def _scope() -> Any:
    scope = fluid.Scope()
    for name, array in VALUES.items():
        scope.var(name).get_tensor().set(array, fluid.CPUPlace())
    return scope


def test_a_file_for_each_variable(tmp_path: Path) -> None:
    path = str(tmp_path / "new" / "w")
    _run(_program(("save", {"X": ["w"]}, {}, {"file_path": path}), names=["w"]), _scope())
    with open(path, "rb") as file:
        np.testing.assert_array_equal(read_dense(file).array, VALUES["w"])
    scope = fluid.Scope()
    _run(_program(("load", {}, {"Out": ["w"]}, {"file_path": path}), names=["w"]), scope)
    np.testing.assert_array_equal(np.array(scope.find_var("w").get_tensor()), VALUES["w"])
    attrs = {"file_path": path, "seek": 2, "shape": [3]}
    part = _program(("load", {}, {"Out": ["part"]}, attrs), names=[])
    part.global_block().create_var(name="part", dtype="float32", shape=[3])
    (got,) = _run(part, scope, fetch_list=["part"])
    np.testing.assert_array_equal(got, [2.0, 3.0, 4.0])


def test_one_file_for_all_in_the_order_of_the_operator(tmp_path: Path) -> None:
    attrs = {"file_path": str(tmp_path / "all")}
    _run(_program(("save_combine", {"X": ["w", "n"]}, {}, attrs)), _scope())
    scope = fluid.Scope()
    _run(_program(("load_combine", {}, {"Out": ["w", "n"]}, attrs)), scope)
    for name, array in VALUES.items():
        np.testing.assert_array_equal(np.array(scope.find_var(name).get_tensor()), array)
    with pytest.raises(ValueError, match=r"expected .* to end behind 1 variable"):
        _run(_program(("load_combine", {}, {"Out": ["w"]}, attrs)), fluid.Scope())


def test_levels_go_into_the_file(tmp_path: Path) -> None:
    attrs = {"file_path": str(tmp_path / "rows")}
    main = _program(names=[])
    block = main.global_block()
    block.create_var(name="x", shape=[-1, 3], dtype="float32", lod_level=1, is_data=True)
    block.append_op(type="save", inputs={"X": ["x"]}, outputs={}, attrs=attrs)
    rows = fluid.LoDTensor()
    rows.set(VALUES["w"], fluid.CPUPlace())
    rows.set_lod([[0, 0, 2]])
    _run(main, fluid.Scope(), feed={"x": rows})
    again = _program(names=[])
    block = again.global_block()
    out = block.create_var(name="out", shape=[-1, 3], dtype="float32", lod_level=1)
    block.append_op(type="load", inputs={}, outputs={"Out": [out]}, attrs=attrs)
    (got,) = _run(again, fluid.Scope(), fetch_list=[out], return_numpy=False)
    assert got.lod() == [[0, 0, 2]]


def test_what_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "w")
    once = ("save", {"X": ["w"]}, {}, {"file_path": path, "overwrite": False})
    _run(_program(once, names=["w"]), _scope())
    with pytest.raises(RuntimeError, match="exists, and overwrite is False"):
        _run(_program(once, names=["w"]), _scope())
    gone = ("load", {}, {"Out": ["w"]}, {"file_path": path + "x"})
    with pytest.raises(FileNotFoundError, match="there is no file"):
        _run(_program(gone, names=["w"]), _scope())
    with pytest.raises(ValueError, match="expected the path of a file"):
        _run(_program(("load", {}, {"Out": ["w"]}, {}), names=["w"]), _scope())
    (tmp_path / "w").write_bytes(b"\0\0\0\0\1")
    damaged = ("load", {}, {"Out": ["w"]}, {"file_path": path})
    with pytest.raises(ValueError, match="variable 'w'"):
        _run(_program(damaged, names=["w"]), _scope())


def test_delete_var_leaves_nothing_to_do() -> None:
    main = _program(
        ("scale", {"X": ["w"]}, {"Out": ["out"]}, {"scale": 2.0}),
        ("delete_var", {"X": ["w"]}, {}, {}),
    )
    main.global_block().create_var(name="out")
    (got,) = _run(main, _scope(), fetch_list=["out"])
    np.testing.assert_array_equal(got, VALUES["w"] * 2)
