"""Tests of operators as users of PaddlePaddle 2.0 write them; test_brought_files.py runs this."""

import unittest

import gradient_checker
import numpy as np
from decorator_helper import many_times, prog_scope
from op_test import (
    OpTest,
    convert_float_to_uint16,
    get_numeric_gradient,
    skip_check_grad_ci,
    skip_check_inplace_ci,
)
from testsuite import append_input_output, append_loss_ops, create_op, set_input
from white_list import no_grad_set_white_list, op_accuracy_white_list

import paddle
import paddle.fluid as fluid
import paddle.fluid.core as core
from paddle.fluid.framework import OpProtoHolder
from paddle.fluid.op import Operator


class TestSigmoid(OpTest):
    """An activation; classes for further types are made of it."""

    def setUp(self):
        self.op_type = "sigmoid"
        self.init_dtype()
        x = np.random.uniform(-1, 1, [11, 17]).astype(self.dtype)
        self.inputs = {"X": OpTest.np_dtype_to_fluid_dtype(x)}
        self.outputs = {"Out": 1 / (1 + np.exp(-x))}

    def init_dtype(self):
        self.dtype = np.float64

    def test_check_output(self):
        self.check_output()

    def test_check_grad(self):
        if self.dtype == np.float16:
            return
        self.check_grad(["X"], "Out", max_relative_error=0.01)


class TestSigmoidFP32(TestSigmoid):
    def init_dtype(self):
        self.dtype = np.float32

    def test_types(self):
        self.check_output(check_dygraph=False)
        self.assertEqual(self.dtype, np.float32)
        self.assertEqual(self.__class__.dtype, np.float32)
        self.assertEqual(self.__class__.op_type, "sigmoid")
        self.assertNotIn(self.op_type, op_accuracy_white_list.NO_FP16_CHECK_GRAD_OP_LIST)


class TestMatMulV2(OpTest):
    def config(self):
        self.shapes, self.trans_y = ((2, 3, 4), (2, 4, 5)), False

    def setUp(self):
        self.op_type = "matmul_v2"
        self.config()
        x, y = (np.random.random(s) for s in self.shapes)
        self.inputs = {"X": x, "Y": y}
        self.attrs = {"trans_x": False, "trans_y": self.trans_y, "use_mkldnn": False}
        self.outputs = {"Out": np.matmul(x, np.swapaxes(y, -1, -2) if self.trans_y else y)}

    def test_check_output(self):
        self.check_output_with_place(core.CPUPlace(), atol=1e-7)

    def test_check_grad(self):
        self.check_grad(["X", "Y"], "Out", None, 1e-5, False, 1e-7, None, None, True)
        self.check_grad(["X"], "Out", None, 1e-5, False, 1e-7, None, False)  # as in 1.8
        place = core.CPUPlace()
        self.check_grad_with_place(place, ["Y"], "Out", check_dygraph=False, numeric_place=place)

    def test_check_grad_ignore(self):
        self.check_grad(["X"], "Out", no_grad_set={"Y"})
        self.check_grad(["Y"], ["Out"], no_grad_set=("X"))

    def test_a_step(self):
        place = fluid.CPUPlace()
        one = self._get_gradient(["X"], place, "Out", None)
        other = self._get_dygraph_grad(["X"], place, ["Out"])
        self._assert_is_close(one, other, ["X"], 1e-7, "Gradient Check On CPU")


class TestMatMulV2Transposed(TestMatMulV2):
    def config(self):
        self.shapes, self.trans_y = ((3, 4), (5, 4)), True


class TestSeqSumPool(OpTest):
    """Sequences, some of which are empty."""

    def setUp(self):
        self.op_type = "sequence_pool"
        x, lod = self.get_sequence_instance_size_0_input()
        parts = np.split(x, np.cumsum(lod[0])[:-1])
        self.inputs = {"X": (x, lod)}
        self.attrs = {"pooltype": "SUM", "pad_value": 0.0}
        self.outputs = {"Out": np.stack([p.sum(0) for p in parts])}

    def test_check_output(self):
        self.check_output(check_dygraph=False)

    def test_check_grad(self):
        self.check_grad(["X"], "Out", max_relative_error=0.05, check_dygraph=False)


class TestSequenceExpandAs(OpTest):
    def setUp(self):
        self.op_type = "sequence_expand_as"
        x = np.random.uniform(0.1, 1, [3, 40]).astype("float64")
        y, lod = np.random.uniform(0.1, 1, [8, 1]).astype("float64"), [[3, 4, 1]]
        self.inputs = {"X": x, "Y": (y, lod)}
        self.outputs = {"Out": (np.repeat(x, lod[0], 0), lod)}

    def test_check_output(self):
        self.check_output()

    def test_check_grad(self):
        self.check_grad(["X"], "Out")


class TestLookupTableV2(OpTest):
    """An embedding whose gradient has only the rows that occur."""

    def setUp(self):
        self.op_type = "lookup_table_v2"
        table = np.random.random((17, 31)).astype("float64")
        ids = np.random.randint(0, 17, (2, 4)).astype("int64")
        self.inputs = {"W": table, "Ids": ids}
        self.attrs = {"is_sparse": True, "padding_idx": -1}
        self.outputs = {"Out": table[ids]}

    def test_check_output(self):
        self.check_output()

    def test_check_grad(self):
        self.check_grad(["W"], "Out", no_grad_set=set("Ids"))


class TestFusedEmbeddingSeqPool(OpTest):
    def setUp(self):
        self.op_type = "fused_embedding_seq_pool"
        table = np.random.random((17, 6)).astype("float64")
        ids = np.array([[[4], [3]], [[4], [3]], [[2], [1]], [[16], [1]]]).astype("int64")
        rows = table[ids[..., 0]].reshape(4, 12)
        self.inputs = {"W": table, "Ids": (np.expand_dims(ids, axis=1), [[3, 1]])}
        self.attrs = {"is_sparse": True, "combiner": "sum"}
        self.outputs = {"Out": np.stack([rows[:3].sum(0), rows[3]])}

    def test_check_output(self):
        self.check_output(check_dygraph=False)

    def test_check_grad(self):
        self.check_grad(["W"], "Out", no_grad_set=("Ids"), check_dygraph=False)


class TestMomentum(OpTest):
    """An optimizer: no gradient, so none is demanded."""

    def setUp(self):
        self.op_type = "momentum"
        param, grad = (np.random.random((12, 3)).astype("float32") for _ in range(2))
        velocity, rate = np.zeros((12, 3), "float32"), np.array([0.001], "float32")
        out = 0.9 * velocity + grad
        self.inputs = {"Param": param, "Grad": grad, "Velocity": velocity, "LearningRate": rate}
        self.attrs = {"mu": 0.9}
        self.outputs = {"ParamOut": param - out * rate, "VelocityOut": out}

    def test_check_output(self):
        self.check_output()


class TestFloorDiv(OpTest):
    """Integers have no gradient."""

    def setUp(self):
        self.op_type = "elementwise_floordiv"
        self.inputs = {
            "X": np.random.randint(0, 10000, [10, 10]).astype(np.int),
            "Y": np.random.randint(1, 1000, [10, 10]).astype(np.int),
        }
        self.attrs = {"axis": -1}
        self.outputs = {"Out": self.inputs["X"] // self.inputs["Y"]}

    def test_check_output(self):
        self.check_output()


class TestConcatAndSplit(OpTest):
    def setUp(self):
        self.op_type = "split"
        x = np.random.random((4, 5, 6)).astype("float64")
        parts = np.split(x, [2, 3], 1)
        self.inputs = {"X": x}
        self.attrs = {"axis": 1, "sections": [2, 1, 2]}
        self.outputs = {"Out": [(f"out{i}", part) for i, part in enumerate(parts)]}

    def test_check_output(self):
        self.check_output()

    def test_check_grad(self):
        self.check_grad(["X"], ["out0", "out1", "out2"])


class TestElementwiseAddBF16(OpTest):
    def setUp(self):
        self.op_type = "elementwise_add"
        self.dtype = np.uint16
        x, y = (np.random.random((13, 17)).astype("float32") for _ in range(2))
        self.inputs = {"X": convert_float_to_uint16(x), "Y": convert_float_to_uint16(y)}
        self.outputs = {"Out": convert_float_to_uint16(x + y)}

    def test_check_output(self):
        self.assertTrue(self.is_bfloat16_op())
        self.check_output()


class TestReshape(OpTest):
    def setUp(self):
        self.op_type = "reshape2"
        x = np.random.random((2, 60))
        self.inputs, self.attrs = {"X": x}, {"shape": (12, 10)}
        self.outputs = {"Out": x.reshape(12, 10), "XShape": np.random.random((2, 60))}

    def test_check_output(self):
        self.check_output(no_check_set=["XShape"])

    def test_check_grad(self):
        self.check_grad(["X"], "Out")


@skip_check_grad_ci(reason="its mask is drawn anew")
@skip_check_inplace_ci(reason="its mask is drawn anew")
class TestDropout(OpTest):
    def setUp(self):
        self.op_type = "dropout"
        self.inputs = {"X": np.ones((40, 50), "float32")}
        self.attrs = {"dropout_prob": 0.5, "dropout_implementation": "upscale_in_train"}
        self.outputs = {"Out": self.inputs["X"], "Mask": np.ones((40, 50), "uint8")}
        self._cpu_only = True

    def test_share(self):
        self.check_output_customized(self.share)

    def share(self, outs):
        self.assertTrue(0.4 < np.mean(outs[0] == 0) < 0.6)

    def test_outs(self):
        outs = self.calc_output(core.CPUPlace())
        found, names = self._calc_output(core.CPUPlace())
        self.assertEqual(len(outs), len(found))
        self.assertIn("Out", names)


class TestCallsInAScope(unittest.TestCase):
    """Operators by create_op and Operator."""

    def test_control(self):
        scope, place = core.Scope(), core.CPUPlace()
        inputs = {"X": np.array([1], "int64"), "Y": np.array([4], "int64")}
        op = create_op(scope, "less_than", inputs, {"Out": None}, {"axis": -1})
        self.assertEqual(op.type(), "less_than")
        for step in range(5):
            inputs["X"] = np.array([step], "int64")
            set_input(scope, op, inputs, place)
            op.run(scope, place)
            self.assertEqual(np.array(scope.find_var("Out").get_tensor())[0], step < 4)
        Operator("increment", X="X", Out="X", step=2.0).run(scope, place)
        self.assertEqual(np.array(scope.find_var("X").get_tensor())[0], 6)

    def test_numeric_gradient(self):
        scope, place = core.Scope(), core.CPUPlace()
        x = np.random.random((5, 3))
        inputs = {"X": (x, [[2, 3]])}
        op = create_op(scope, "sequence_pool", inputs, {"Out": None}, {"pooltype": "SQRT"})
        found = get_numeric_gradient(place, scope, op, inputs, "X", ["Out"], delta=1e-3)
        scale = np.repeat([[2**-0.5], [3**-0.5]], [2, 3], 0)
        np.testing.assert_allclose(found, scale / 6 + 0 * x, rtol=1e-6)
        np.testing.assert_array_equal(np.array(scope.find_var("X").get_tensor()), x)

    def test_members_and_bits(self):
        scope, place = core.Scope(), core.CPUPlace()
        a, b = np.ones((2, 2), "float32"), np.full((1, 2), 3, "float32")
        inputs = {"X": [("a", convert_float_to_uint16(a)), ("b", convert_float_to_uint16(b))]}
        op = create_op(scope, "concat", inputs, {"Out": None}, {"axis": 0}, cache_list=["c"])
        found = get_numeric_gradient(place, scope, op, inputs, "b", "Out", 0.5)
        np.testing.assert_allclose(found, np.full((1, 2), 1 / 6), rtol=1e-2)
        wrong, other = {"X": np.ones((2, 2), "int64")}, core.Scope()
        op = create_op(other, "tanh", wrong, {"Out": None}, {})
        with self.assertRaisesRegex(RuntimeError, "the variable 'X' holds nothing"):
            op.run(other, place)
        with self.assertRaisesRegex(RuntimeError, "the scope has no variable 'X'"):
            op.run(core.Scope(), place)
        with self.assertRaisesRegex(ValueError, "floating values in 'X', but they are of int64"):
            get_numeric_gradient(place, other, op, wrong, "X", "Out")


class TestTensorOfAScope(unittest.TestCase):
    def test_elements(self):
        place = core.CPUPlace()
        tensor = core.Scope().var("t").get_tensor()
        self.assertEqual(tensor._get_dims(), [0])
        tensor._set_dims([3, 4])
        tensor._alloc_double(place)
        tensor._set_double_element(5, 2.5)
        self.assertEqual(np.array(tensor)[1, 1], tensor._get_double_element(5), 2.5)
        with self.assertRaises(ValueError):
            tensor._get_float_element(0)
        tensor._set_dims([2, 6])
        self.assertEqual(np.array(tensor)[0, 5], 2.5)
        tensor._set_dims([5])
        tensor._alloc_float(place)
        tensor._set_float_element(4, 1.5)
        self.assertEqual(np.array(tensor).sum(), tensor._get_float_element(4))
        tensor._clear()
        self.assertEqual(tensor.shape(), [5])
        tensor._alloc_int(place)
        self.assertEqual(tensor._dtype(), core.VarDesc.VarType.INT32)


class TestPrograms(unittest.TestCase):
    @many_times(2)
    @prog_scope()
    def test_loss(self):
        paddle.enable_static()
        block = fluid.default_main_program().global_block()
        proto = OpProtoHolder.instance().get_op_proto("tanh")
        x = np.random.random((3, 4)).astype("float32")
        inputs = append_input_output(block, proto, {"X": x}, True, "float32")
        outputs = append_input_output(block, proto, {"Out": x}, False, "float32")
        block.append_op(type="tanh", inputs=inputs, outputs=outputs)
        one = append_loss_ops(block, ["Out"])
        two = append_loss_ops(block, ["Out", "X"])
        exe = fluid.Executor(fluid.CPUPlace())
        found = exe.run(feed={"X": x}, fetch_list=[one, two])
        wanted = np.tanh(x).mean(), (np.tanh(x).mean() + x.mean()) / 2
        np.testing.assert_allclose(np.ravel(found), wanted, rtol=1e-5)

    @prog_scope()
    def test_second_derivative(self):
        paddle.enable_static()
        x = fluid.layers.data("x", [2, 3], False, dtype="float64")
        x.persistable = True
        y = fluid.layers.tanh(x)
        value = np.random.uniform(-1, 1, [2, 3])
        gradient_checker.double_grad_check([x], y, x_init=value, place=core.CPUPlace(), eps=1e-4)
        scope = fluid.global_scope()
        gradient_checker.set_var_in_scope(scope, core.CPUPlace(), "z", value, [[1, 1]])
        same = gradient_checker.var_to_np_array_in_scope(scope, core.CPUPlace(), "z")
        np.testing.assert_array_equal(same, value)
        self.assertIs(gradient_checker.dtype_to_np_dtype(x.dtype), np.float64)
        self.assertEqual(no_grad_set_white_list.NEED_TO_FIX_OP_LIST, [])


if __name__ == "__main__":
    paddle.enable_static()
    unittest.main()
