"""Tests of operators in the forms of PaddlePaddle's own unit tests, run by OpTest."""

from __future__ import annotations

import numpy as np

from paddle.testing import (
    OpTest,
    convert_float_to_uint16,
    convert_uint16_to_float,
    randomize_probability,
    skip_check_grad_ci,
)


class TestMul(OpTest):
    """As the guide prints it, in float32; with fewer numbers."""

    def setUp(self):
        self.op_type = "mul"
        self.inputs = {
            "X": np.random.random((4, 6)).astype("float32"),
            "Y": np.random.random((6, 5)).astype("float32"),
        }
        self.outputs = {"Out": np.dot(self.inputs["X"], self.inputs["Y"])}

    def test_check_output(self):
        self.check_output()

    def test_check_grad_normal(self):
        self.check_grad(["X", "Y"], "Out", max_relative_error=0.5)

    def test_check_grad_ingore_x(self):
        self.check_grad(["Y"], "Out", max_relative_error=0.5, no_grad_set=set("X"))

    def test_check_grad_ingore_y(self):
        self.check_grad(["X"], "Out", max_relative_error=0.5, no_grad_set=set("Y"))


class TestMulOfMoreDimensions(TestMul):
    """A test class made of another one, with attributes; PaddlePaddle's have engines too."""

    def setUp(self):
        self.__class__.op_type = "mul"
        x, y = np.random.random((2, 3, 4)), np.random.random((2, 2, 5))
        self.inputs, self.attrs = {"X": x, "Y": y}, {"x_num_col_dims": 2, "y_num_col_dims": 2}
        self.attrs["use_mkldnn"] = False
        self.outputs = {"Out": (x.reshape(6, 4) @ y.reshape(4, 5)).reshape(2, 3, 5)}


class TestFilledIn(OpTest):
    """Without dictionaries of its own; attributes of the class."""

    attrs = {"scale": 2.0}

    def setUp(self):
        self.op_type = "scale"
        self.inputs["X"] = np.random.rand(2, 3)
        self.outputs["Out"] = 2 * self.inputs["X"]

    def test_check_output(self):
        self.check_output()
        assert not OpTest.inputs and not OpTest.outputs


class TestConcat(OpTest):
    def setUp(self):
        self.op_type = "concat"
        a, b = np.random.rand(2, 3), np.random.rand(4, 3)
        self.inputs = {"X": [("x0", a), ("x1", b)]}
        self.attrs = {"axis": 0}
        self.outputs = {"Out": np.concatenate([a, b])}

    def test_check_output(self):
        self.check_output()

    def test_check_grad_of_a_member(self):
        self.check_grad(["x1"], "Out")
        self.check_grad(["x0", "x1"], "Out", no_grad_set=None)

    def test_check_grad_of_the_slot(self):
        self.check_grad(["X"], "Out", numeric_grad_delta=1e-4, max_relative_error=1e-6)


class TestSplit(OpTest):
    def setUp(self):
        self.op_type = "split"
        x = np.random.rand(4, 3)
        self.inputs, self.attrs = {"X": x}, {"axis": 0, "num": 2}
        self.outputs = {"Out": [(f"out{i}", v) for i, v in enumerate(np.split(x, 2))]}

    def test_check_output(self):
        self.check_output()

    def test_check_grad(self):
        self.check_grad(["X"], ["out0", "out1"])
        self.check_grad(
            "X",
            "out1",
            user_defined_grads=[np.repeat([[0.0], [1 / 6]], 2, 0) + 0 * self.inputs["X"]],
        )


class TestSequenceSoftmax(OpTest):
    """With levels of sequences, as lengths."""

    def setUp(self):
        self.op_type = "sequence_softmax"
        x = np.random.uniform(0.1, 1, (5, 1))
        parts = [np.exp(p) / np.exp(p).sum() for p in np.split(x, [2])]
        self.inputs = {"X": (x, [[2, 3]])}
        self.outputs = {"Out": (np.concatenate(parts), [[2, 3]])}

    def test_check_output(self):
        self.check_output()

    def test_check_grad(self):
        self.check_grad(["X"], "Out")


class TestAddBfloat16(OpTest):
    def setUp(self):
        self.op_type = "elementwise_add"
        x, y = (np.random.rand(3, 4).astype("float32") for _ in range(2))
        self.inputs = {"X": convert_float_to_uint16(x), "Y": convert_float_to_uint16(y)}
        self.outputs = {"Out": convert_float_to_uint16(x + y)}

    def test_check_output(self):
        self.check_output()

    def test_check_grad(self):
        self.check_grad(["X", "Y"], "Out")


@skip_check_grad_ci(reason="float64 is checked elsewhere")
class TestSoftmaxFloat16(OpTest):
    def setUp(self):
        self.op_type = "softmax"
        x = np.random.rand(3, 4).astype("float16")
        e = np.exp(x.astype("float64"))
        self.inputs, self.outputs = {"X": x}, {"Out": e / e.sum(-1, keepdims=True)}

    def test_check_output(self):
        self.check_output()


class TestReshape(OpTest):
    def setUp(self):
        self.op_type = "reshape2"
        x = np.random.rand(3, 4)
        self.inputs, self.attrs = {"X": x}, {"shape": [2, 6]}
        self.outputs = {"Out": x.reshape(2, 6), "XShape": np.random.random((0, 3, 4))}

    def test_check_output(self):
        self.check_output(no_check_set=["XShape"])

    def test_check_grad(self):
        self.check_grad(["X"], "Out")


class TestCrossEntropy(OpTest):
    def setUp(self):
        self.op_type = "cross_entropy"
        x = randomize_probability(5, 7, dtype="float64")
        label = np.random.randint(0, 7, (5, 1)).astype("int64")
        self.inputs = {"X": x, "Label": label}
        self.outputs = {"Y": -np.log(np.take_along_axis(x, label, 1))}
        self.attrs = {"soft_label": False}

    def test_check_output(self):
        self.check_output()

    def test_check_grad(self):
        self.check_grad(["X"], "Y", numeric_grad_delta=0.001)


@skip_check_grad_ci(reason="an update is not differentiated")
class TestSgd(OpTest):
    """Writes into an input."""

    def setUp(self):
        self.op_type = "sgd"
        w, g = (np.random.rand(3, 4).astype("float32") for _ in range(2))
        self.inputs = {"Param": w, "Grad": g, "LearningRate": np.array([0.1], "float32")}
        self.outputs = {"ParamOut": w - 0.1 * g}

    def test_check_output(self):
        self.check_output()

    def test_marked(self):
        assert type(self).no_need_check_grad


@skip_check_grad_ci(reason="without a fixed mask there are no differences")
class TestDropout(OpTest):
    """A result that belongs to PaddlePaddle's gradient; a random operator."""

    def setUp(self):
        self.op_type = "dropout"
        self.inputs = {"X": np.random.random((32, 64)).astype("float32")}
        self.attrs = {"dropout_prob": 0.0, "fix_seed": True, "is_test": False}
        self.outputs = {"Out": self.inputs["X"], "Mask": np.ones((32, 64), "uint8")}

    def test_check_output(self):
        self.check_output()

    def test_check_output_customized(self):
        self.attrs = {"dropout_prob": 0.5, "is_test": False}

        def checker(outs):
            assert 0.3 < (outs[-1] == 0).mean() < 0.7

        self.check_output_customized(checker)


class TestComplexSum(OpTest):
    """With the gradients of outputs given."""

    def setUp(self):
        self.op_type = "elementwise_mul"
        x, y = (np.random.rand(2, 3) + 1j * np.random.rand(2, 3) for _ in range(2))
        self.inputs, self.outputs = {"X": x, "Y": y}, {"Out": x * y}

    def test_check_output(self):
        self.check_output()

    def test_check_grad(self):
        out = np.ones((2, 3)) + 1j * np.ones((2, 3))
        grads = [out * np.conj(self.inputs["Y"]), out * np.conj(self.inputs["X"])]
        self.check_grad(
            ["X", "Y"], "Out", user_defined_grads=grads, user_defined_grad_outputs=[out]
        )
        self.check_grad(["X", "Y"], "Out", user_defined_grad_outputs=[out])


def test_bits_are_cut_off():
    bits = convert_float_to_uint16(np.array([[1.0, 3.14159], [-2.5, 0.1]], "float32"))
    assert bits.dtype == np.uint16 and bits.tolist() == [[0x3F80, 0x4049], [0xC020, 0x3DCC]]
    np.testing.assert_array_equal(convert_uint16_to_float(bits)[0], [1.0, 3.140625])
