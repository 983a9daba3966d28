"""What OpTest finds: wrong results, gradients, shapes and calls, with the worst element."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle.core.op import REGISTRY, C, op
from paddle.testing import OpTest, check_out_dtype, skip_check_grad_ci
from tests.op_samples.sample import Sample
from tests.ops.table import SAMPLES
from tests.testing.from_samples import op_test, usable

X = np.arange(6.0).reshape(2, 3) / 7 + 0.1


def case(op_type: str, inputs: dict, outputs: dict, **attrs: object) -> OpTest:
    made = OpTest("check_output")
    made.op_type, made.inputs, made.outputs, made.attrs = op_type, inputs, outputs, attrs
    return made


def test_a_wrong_result_is_shown_with_its_worst_element() -> None:
    wrong = np.tanh(X)
    wrong[1, 2] += 0.5
    wrong[0, 0] += 0.01
    with pytest.raises(AssertionError) as caught:
        case("tanh", {"X": X}, {"Out": wrong}).check_output()
    text = str(caught.value)
    assert text.startswith("Output (Out) of tanh has diff at CPUPlace in dynamic mode, in OpTest: ")
    assert "2 of 6 elements" in text and "the worst at [1, 2]: got 0.6" in text
    assert "expected 1.1" in text and "(off by 0.5)" in text and "1e-05 + 1e-05" in text


def test_a_wrong_gradient_is_shown_with_its_worst_element() -> None:
    right = (1 - np.tanh(X) ** 2) / 6
    made = case("tanh", {"X": X}, {"Out": np.tanh(X)})
    made.check_grad(["X"], "Out")
    made.check_grad(["X"], "Out", user_defined_grads=[right], max_relative_error=1e-12)
    right[1, 0] *= 3
    with pytest.raises(AssertionError, match=r"Gradient of X of tanh at CPUPlace in dynamic mode, "
                       r"in class OpTest: 1 of 6 .* worst at \[1, 0\]: got 0\.\d+, expected 0\.\d+"
                       r"[^$]*max_relative_error = 0\.005"):  # fmt: skip
        made.check_grad(["X"], "Out", user_defined_grads=[right])


def test_shapes_and_numbers_of_results() -> None:
    with pytest.raises(AssertionError, match=r"shape \[2, 3\] came, expected \[3, 2\]"):
        case("tanh", {"X": X}, {"Out": np.tanh(X).reshape(3, 2)}).check_output()
    parts = [("a", X[:1]), ("b", X[1:]), ("c", X[1:])]
    with pytest.raises(AssertionError, match=r"has 2 parts .* 3 are expected"):
        case("split", {"X": X}, {"Out": parts}, axis=0, num=2).check_output()
    lod = {"Out": (X, [[2]])}
    with pytest.raises(AssertionError, match=r"different lod at CPUPlace in a Program: \[\[1, 1\]"):
        case("scale", {"X": (X, [[1, 1]])}, lod).check_output()


def test_what_is_not_a_call() -> None:
    with pytest.raises(ValueError, match=r"self\.op_type, set in setUp"):
        OpTest("check_output").check_output()
    with pytest.raises(RuntimeError, match="no operator named 'tanhh'"):
        case("tanhh", {"X": X}, {"Out": X}).check_output()
    with pytest.raises(ValueError, match="no input slot 'Z'"):
        case("tanh", {"Z": X}, {"Out": X}).check_output()
    with pytest.raises(ValueError, match=r"no output slots \['Oops'\][^$]*no_check_set"):
        case("tanh", {"X": X}, {"Oops": X}).check_output()
    with pytest.raises(ValueError, match="no attribute 'alfa'"):
        case("tanh", {"X": X}, {"Out": X}, alfa=1.0).check_output()
    with pytest.raises(ValueError, match="expected one tensor as input 'X', but received 2"):
        case("tanh", {"X": [("a", X), ("b", X)]}, {"Out": X}).check_output()
    made = case("tanh", {"X": X}, {"Out": np.tanh(X)})
    with pytest.warns(UserWarning, match=r"no_check_set\): \['Oot'\] are no output slots of tanh"):
        made.check_output(no_check_set=["Oot"])
    with pytest.raises(ValueError, match="'Y' is none of the inputs of tanh"):
        made.check_grad(["Y"], "Out")
    with pytest.raises(ValueError, match="'Oot' is none of the outputs of tanh"):
        made.check_grad(["X"], "Oot")
    with pytest.raises(ValueError, match=r"\['X'\] are to be checked and in no_grad_set"):
        made.check_grad(["X"], "Out", no_grad_set={"X"})
    with pytest.raises(ValueError, match="expected 1 of them, one for each of"):
        made.check_grad(["X"], "Out", user_defined_grads=[X, X])
    with pytest.raises(AssertionError, match="expected the reason"):
        skip_check_grad_ci()


@pytest.fixture
def registered():
    """Operators that a test registers are gone behind it."""
    yield
    for made in REGISTRY.imported():
        if made.name.startswith("jc_"):
            dict.pop(REGISTRY, made.name)
            vars(C).pop(made.name, None)


@pytest.mark.usefixtures("registered")
def test_faults_of_an_operator_are_found() -> None:
    @op("jc_writes", "X -> Out", infer="same")
    def writes(x):
        return x.add_(1)

    with pytest.raises(AssertionError, match=r"Input \(X\) of jc_writes was changed"):
        case("jc_writes", {"X": X}, {"Out": X + 1}).check_output()

    @op("jc_says_another_shape", "X -> Out", infer="same")
    def flat(x):
        return x.reshape(-1)

    wrong = case("jc_says_another_shape", {"X": X}, {"Out": X.reshape(-1)})
    with pytest.raises(
        AssertionError, match=r"the Program says shape \[2, 3\], .* result has \[6\]"
    ):
        wrong.check_output()

    @op("jc_wrong_gradient", "X -> Out", infer="same")
    def square(x):
        return x * x

    @square.grad("X")
    def _(d_out, x):
        return d_out * x

    made = case("jc_wrong_gradient", {"X": X}, {"Out": X * X})
    made.check_output()
    with pytest.raises(AssertionError, match=r"Gradient of X of jc_wrong_gradient .* 6 of 6"):
        made.check_grad("X", "Out")

    @op("jc_in_32_bits", "X -> Out", infer="same")
    def narrow(x):
        if str(x.dtype) != "torch.float32":
            raise TypeError("float32 alone")
        return x * 3

    made = case("jc_in_32_bits", {"X": X.astype("float32")}, {"Out": X * 3})
    made.check_output()
    made.check_grad("X", "Out", max_relative_error=0.01)  # differences in 32 bits, then


def test_modes_are_as_before() -> None:
    made = case("tanh", {"X": X}, {"Out": np.tanh(X)})
    for enable in (paddle.enable_static, paddle.disable_static):
        enable()
        try:
            before = paddle.in_dynamic_mode()
            made.check_output()
            made.check_grad("X", "Out")
            assert paddle.in_dynamic_mode() is before
        finally:
            paddle.disable_static()
    with paddle.no_grad():
        made.check_grad("X", "Out")


def test_dtype_of_results() -> None:
    check_out_dtype(paddle.tanh, [((2, 3),)], ["float32", "float64"])
    with pytest.raises(ValueError, match=r"expected the result to be of float32, but .*BOOL"):
        check_out_dtype(lambda x: x > 0, [((2, 3),)], ["float32"])


FEW = [s for s in SAMPLES if usable(s)][::60]


@pytest.mark.parametrize("sample", FEW, ids=str)
def test_samples_pass(sample: Sample) -> None:
    """The same table of samples; every sixtieth."""
    op_test(sample).check_output(
        rtol=max(1e-5, sample.rtol), atol=max(1e-7, sample.atol), equal_nan=True
    )


# -- python -m paddle.testing --------------------------------------------------------------------

GUIDE = """
import unittest

import numpy as np

from op_test import OpTest

class TestMulOp(OpTest):

    def setUp(self):

        self.op_type = "mul"

        self.inputs = {

            'X': np.random.random((32, 84)).astype("float32"),

            'Y': np.random.random((84, 100)).astype("float32")

        }

        self.outputs = {'Out': np.dot(self.inputs['X'], self.inputs['Y'])}

    def test_check_output(self):

        self.check_output()

    def test_check_grad_normal(self):

        self.check_grad(['X', 'Y'], 'Out', max_relative_error=0.5)

    def test_check_grad_ingore_x(self):

        self.check_grad(

            ['Y'], 'Out', max_relative_error=0.5, no_grad_set=set("X"))

    def test_check_grad_ingore_y(self):

        self.check_grad(

            ['X'], 'Out', max_relative_error=0.5, no_grad_set=set('Y'))
"""


def command(*args: str, folder: Path) -> subprocess.CompletedProcess:
    env = {**os.environ, "PYTHONPATH": str(Path(paddle.__file__).parents[1])}
    return subprocess.run(
        [sys.executable, "-m", "paddle.testing", *args], cwd=folder, env=env, capture_output=True,
        text=True, check=False,
    )  # fmt: skip


def test_the_guides_file_is_run(tmp_path: Path) -> None:
    (tmp_path / "test_mul_op.py").write_text(GUIDE, "utf8")
    done = command("test_mul_op.py", "-v", "-k", "output", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "test_check_output" in done.stderr and "Ran 1 test" in done.stderr


@pytest.mark.slow
def test_the_whole_of_the_guides_file_is_run(tmp_path: Path) -> None:
    (tmp_path / "test_mul_op.py").write_text(GUIDE, "utf8")
    done = command("test_mul_op.py", folder=tmp_path)
    assert done.returncode == 0 and "Ran 4 tests" in done.stderr, done.stderr


@pytest.mark.slow
def test_files_that_run_themselves_and_failures(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(
        textwrap.dedent(
            """
            import sys
            import unittest
            import numpy as np
            import paddle
            sys.path.append("..")
            from paddle.fluid.tests.unittests.op_test import OpTest, _set_use_system_allocator
            from op_test import skip_check_grad_ci
            import gradient_checker
            from decorator_helper import prog_scope
            import helper_beside

            @skip_check_grad_ci(reason="another file checks it")
            class TestTanh(OpTest):
                def setUp(self):
                    self.op_type = "tanh"
                    x = helper_beside.X.astype(np.float)
                    self.inputs = {"X": OpTest.np_dtype_to_fluid_dtype(x)}
                    self.outputs = {"Out": np.tanh(helper_beside.X)}

                def test_check_output(self):
                    assert not paddle.in_dynamic_mode()
                    _set_use_system_allocator(_set_use_system_allocator(True))
                    self.check_output()

                @prog_scope()
                def test_second_derivative(self):
                    x = paddle.static.data("x", [2], "float64")
                    x.persistable = True
                    gradient_checker.double_grad_check([x], paddle.tanh(x), np.ones(2), eps=1e-4)

            if __name__ == "__main__":
                paddle.enable_static()
                unittest.main()
            """
        ),
        "utf8",
    )
    (tmp_path / "helper_beside.py").write_text("import numpy as np\nX = np.ones((2, 3))\n", "utf8")
    (tmp_path / "test_b.py").write_text(
        textwrap.dedent(
            """
            import numpy as np
            import paddle
            from op_test import OpTest

            assert paddle.in_dynamic_mode()  # though the file before turned it off

            class TestTanh(OpTest):
                def setUp(self):
                    self.op_type = "tanh"
                    self.inputs, self.outputs = {"X": np.ones((2, 3))}, {"Out": np.ones((2, 3))}

                def test_check_output(self):
                    self.check_output()
            """
        ),
        "utf8",
    )
    done = command("test_a.py", "test_b.py", folder=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "Ran 2 tests" in done.stderr and "Ran 1 test" in done.stderr and "OK" in done.stderr
    assert "6 of 6 elements differ by more than is allowed, the worst at [0, 0]" in done.stderr
    for args, text in ((("none.py",), "there is no file 'none.py'"), ((), "usage: python -m")):
        done = command(*args, folder=tmp_path)
        assert done.returncode == 2 and text in done.stderr + done.stdout
