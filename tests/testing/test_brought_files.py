"""Files of tests that users bring are run: by paddle.testing, by themselves and by pytest."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle.testing import OpTest, provide
from paddle.testing.program_utils import (
    DyGraphProgramDescTracerTestHelper,
    is_equal_program,
    load_dygraph_vars_to_scope,
)
from paddle.testing.programs import static

ROOT = Path(paddle.__file__).parents[1]
FILE = Path(__file__).with_name("brought_op_tests.py")
FOLDER = ROOT / "paddle" / "testing" / "unittests"


def command(*args: str, folder: Path, provided: bool = True) -> subprocess.CompletedProcess:
    paths = [str(FOLDER), str(ROOT)] if provided else [str(ROOT)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.run(
        [sys.executable, *args], cwd=folder, env=env, capture_output=True, text=True, check=False
    )


def test_by_paddle_testing(tmp_path: Path) -> None:
    done = command("-m", "paddle.testing", str(FILE), folder=tmp_path, provided=False)
    assert done.returncode == 0, done.stderr
    assert "Ran 36 tests" in done.stderr and "OK" in done.stderr


@pytest.mark.slow
def test_by_itself_and_by_pytest(tmp_path: Path) -> None:
    shutil.copy(FILE, tmp_path / "test_brought.py")
    done = command("test_brought.py", "TestSigmoidFP32", "TestCallsInAScope", folder=tmp_path)
    assert done.returncode == 0 and "Ran 6 tests" in done.stderr, done.stderr
    args = ("-q", "-p", "no:cacheprovider", "test_brought.py", "-k", "FP32 or Momentum or FloorDiv")
    done = command("-m", "pytest", *args, folder=tmp_path)
    assert done.returncode == 0 and "5 passed" in done.stdout, done.stdout


def test_the_folder_is_printed(tmp_path: Path) -> None:
    done = command("-m", "paddle.testing", "--folder", folder=tmp_path, provided=False)
    assert done.returncode == 0 and done.stdout.strip() == str(FOLDER), done.stderr


BARE = """
    import unittest
    import numpy as np
    import paddle
    from paddle.fluid.tests.unittests.op_test import OpTest, skip_check_grad_ci

    class TestBare(OpTest):
        def setUp(self):
            self.op_type = "tanh"
            x = np.random.rand(2, 3).astype(self.kind())
            self.inputs, self.outputs = {"X": x}, {"Out": np.tanh(x)}

        def kind(self):
            return "float64"

        def test_check_output(self):
            self.check_output(check_dygraph=False)

        def test_again(self):
            self.check_output(check_dygraph=False)

    class TestOfIntegers(TestBare):
        def setUp(self):
            self.op_type = "elementwise_add"
            x = np.arange(6).reshape(2, 3)
            self.inputs, self.outputs = {"X": x, "Y": x}, {"Out": x + x}

    class TestNarrow(TestBare):
        def kind(self):
            return "float32"

    @skip_check_grad_ci(reason="for inference")
    class TestExcused(TestBare):
        pass

    if __name__ == "__main__":
        paddle.enable_static()
        unittest.main()
"""


def test_a_class_without_a_check_of_gradients_is_refused(tmp_path: Path) -> None:
    (tmp_path / "test_bare.py").write_text(textwrap.dedent(BARE), "utf8")
    done = command("test_bare.py", folder=tmp_path, provided=False)
    assert done.returncode == 1 and "FAILED (errors=2)" in done.stderr, done.stderr
    assert "TestBare: This test of tanh op needs check_grad" in done.stderr
    assert "TestNarrow: This test of tanh op needs check_grad" in done.stderr
    assert "@skip_check_grad_ci(reason=...)" in done.stderr
    part = command("test_bare.py", "TestBare.test_again", folder=tmp_path, provided=False)
    assert part.returncode == 0, part.stderr  # only a part of the class has run


def test_modules_are_those_of_paddle_testing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = dict(sys.modules), list(sys.path), vars(np).copy()
    try:
        assert provide() == str(FOLDER) == provide()
        assert sys.path.count(str(FOLDER)) == 1
        scope: dict = {}
        exec(
            "import op_test, testsuite, white_list.op_threshold_white_list as lists\n"
            "from white_list.op_check_grad_white_list import EMPTY_GRAD_OP_LIST\n"
            "from paddle.fluid.tests.unittests import op_test as other, testsuite as same\n"
            "from paddle.fluid.tests.unittests.white_list import op_accuracy_white_list\n"
            "from paddle.fluid.tests.unittests.utils import is_equal_program\n",
            scope,
        )
    finally:
        for name in set(sys.modules) - set(before[0]):
            if not name.startswith("paddle."):
                del sys.modules[name]
        sys.path[:] = before[1]
        for name in set(vars(np)) - set(before[2]):
            delattr(np, name)
    assert scope["op_test"].OpTest is scope["other"].OpTest is OpTest
    assert scope["testsuite"].create_op is scope["same"].create_op
    assert scope["lists"].NEED_FIX_FP64_CHECK_OUTPUT_THRESHOLD_OP_LIST == []
    assert "sum" in scope["EMPTY_GRAD_OP_LIST"] and "tanh" not in scope["EMPTY_GRAD_OP_LIST"]


def test_levels_and_types() -> None:
    made = OpTest("check_output")
    x, lod = made.get_sequence_batch_size_1_input()
    assert x.shape == (13, 23) and lod == [[13]]
    x, lod = made.get_sequence_instance_size_0_input()
    assert len(x) == sum(lod[0]) and made.lod_has_single_zero(lod[0])
    with pytest.raises(AssertionError, match="begin and end with two zeros"):
        made.get_sequence_instance_size_0_input([[1] * 12], [12, 2])
    with pytest.raises(AssertionError, match="expected one length, of 3 rows"):
        made.get_sequence_batch_size_1_input([[1, 2]], [3, 2])
    made.infer_dtype_from_inputs_outputs(
        {"X": [("a", (np.ones(2, "float32"), [[1, 1]])), ("b", np.ones(2, "int64"))]},
        {"Out": np.ones(2, "float64")},
    )
    assert made.dtype == np.float32 and made.output_dtype == np.float64
    with pytest.raises(ValueError, match=r"expected a dict as self\.inputs"):
        made.infer_dtype_from_inputs_outputs([], {})


def test_equal_programs_and_saved_layers(tmp_path: Path) -> None:
    programs = []
    for value in (2.0, 2.0, 3.0):
        with static() as (main, _):
            paddle.scale(paddle.static.data("x", [2]), value)
        programs.append(main)
    assert is_equal_program(*programs[:2]) and not is_equal_program(*programs[1:])
    layer = paddle.nn.Linear(2, 3)
    paddle.fluid.save_dygraph(layer.state_dict(), str(tmp_path / "saved"))
    scope = paddle.static.Scope()
    load_dygraph_vars_to_scope(str(tmp_path / "saved"), scope, paddle.CPUPlace())
    found = {name: np.array(scope.find_var(name).get_tensor()) for name in scope.local_var_names()}
    assert any(np.array_equal(v, layer.weight.numpy()) for v in found.values())
    helper = DyGraphProgramDescTracerTestHelper(OpTest("check_output"))
    helper.assertEachVar(layer.weight, layer.weight.numpy())
    with pytest.raises(AssertionError):
        helper.assertEachVar([layer.weight], [layer.weight.numpy() + 1])
