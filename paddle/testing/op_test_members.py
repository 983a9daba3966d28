"""What tests of PaddlePaddle's operators find in OpTest besides the checks."""

from __future__ import annotations

import unittest
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError, UnimplementedError
from paddle.core.op import REGISTRY, OpDef
from paddle.testing.comparing import array_of, furthest
from paddle.testing.op_call import DYNAMIC, PROGRAM, Call
from paddle.testing.white_list import EMPTY_GRAD_OP_LIST

# The type of a call is the first of these that an input has.
_KINDS = ("float64", "float32", "float16", "int64", "int32", "uint16", "int16", "int8", "uint8",
          "bool")  # fmt: skip

_DEMANDED = ("float16", "float32", "float64")


class Members(unittest.TestCase):
    """Data types, levels and single steps of the checks, by the names that they have there.

    Attributes:
        dtype (dtype): the type of the call: float64, float32, float16, int64 and so on, the first
            that an input has; None before a check has run.
        output_dtype (dtype): the same of ``outputs``.
    """

    op_type: str
    inputs: dict[str, Any]
    outputs: dict[str, Any]
    attrs: dict[str, Any]
    dtype: Any = None
    output_dtype: Any = None
    call_once = False
    input_shape_is_large = True

    def _call(self) -> Call:
        raise NotImplementedError

    # -- data types -------------------------------------------------------------------------------

    def try_call_once(self, data_type: Any) -> None:
        """Sets ``dtype``, the first time that it is called.

        Args:
            data_type (dtype): what it becomes.
        """
        if not self.call_once:
            self.call_once = True
            self.dtype = data_type

    def is_bfloat16_op(self) -> bool:
        """Whether the call is one of bfloat16: arrays are of uint16."""
        return (
            self.dtype is np.uint16
            or str(self.dtype) == "uint16"
            or str(self.output_dtype) == "uint16"
            or getattr(self, "mkldnn_data_type", None) == "bfloat16"
            or (self.attrs or {}).get("mkldnn_data_type") == "bfloat16"
        )

    def is_mkldnn_op(self) -> bool:
        """Whether the test asks for oneDNN's kernels, which here are those that there are."""
        return bool(getattr(self, "use_mkldnn", False) or (self.attrs or {}).get("use_mkldnn"))

    def is_xpu_op(self) -> bool:
        """Whether the test asks for the kernels of an XPU."""
        return bool(getattr(self, "use_xpu", False) or (self.attrs or {}).get("use_xpu"))

    def infer_dtype_from_inputs_outputs(self, inputs: Any, outputs: Any) -> None:
        """Sets ``dtype`` and ``output_dtype``.

        Args:
            inputs, outputs (dict): in the forms of those of a test.
        """
        for given, name in ((inputs, "dtype"), (outputs, "output_dtype")):
            if not isinstance(given, dict):
                raise InvalidArgumentError(
                    f"{type(self).__name__}: expected a dict as self."
                    f"{'inputs' if name == 'dtype' else 'outputs'}, but it is {given!r}."
                )
            found = {str(dtype) for value in given.values() for dtype in _dtypes(value)}
            kind = next((k for k in _KINDS if k in found), None)
            if kind is not None:
                setattr(self, name, np.dtype(kind))

    def _note(self) -> None:
        """Writes down for the class what is checked; its last step asks for it."""
        self.infer_dtype_from_inputs_outputs(self.inputs, self.outputs or {})
        cls = type(self)
        if "_ran" in vars(cls):
            cls.op_type, cls.dtype = getattr(self, "op_type", ""), self.dtype

    def _check_grad_helper(self) -> None:
        """Writes down for the class that a gradient is checked."""
        self._note()
        cls: Any = type(self)
        if "_ran" in vars(cls):
            cls.exist_check_grad = True
            if str(self.dtype) == "float64":
                cls.exist_fp64_check_grad = True

    # -- a class without a check of gradients -----------------------------------------------------

    _ran: set[str]  # of a class whose setUpClass was called: the tests that have run
    _has_dtype = False

    @classmethod
    def _begin(cls) -> None:
        """Forgets what was written down for the class, but not the type that its text states."""
        below = cls.__mro__[: cls.__mro__.index(Members) - 1]  # but OpTest
        cls._has_dtype = any(
            vars(c)["_has_dtype"] if "_ran" in vars(c) else "dtype" in vars(c) for c in below
        )
        cls._ran = set()
        cls.call_once, cls.input_shape_is_large = False, True
        if not cls._has_dtype:
            cls.dtype = None

    def run(self, result: Any = None) -> Any:
        """Runs the test, and writes down for the class that it did.

        Args:
            result (TestResult, optional): gets the outcome.
        """
        ran = vars(type(self)).get("_ran")
        if ran is not None:
            ran.add(self._testMethodName)
        return super().run(result)

    @classmethod
    def _demand_gradient(cls) -> None:
        """Fails if all tests of a class have run and none has checked the gradient that there is.

        Raises:
            AssertionError: so it is.
        """
        ran = vars(cls).get("_ran")
        if not ran or not ran.issuperset(unittest.TestLoader().getTestCaseNames(cls)):
            return
        if hasattr(cls, "no_need_check_grad") or hasattr(cls, "exist_check_grad"):
            return
        op = REGISTRY.get(getattr(cls, "op_type", ""))
        if op is not None and has_gradient(op) and str(cls.dtype) in _DEMANDED:
            raise AssertionError(
                f"{cls.__name__}: This test of {cls.op_type} op needs check_grad, for the operator "
                "has a gradient and the inputs are floating; or say why it has none by "
                "@skip_check_grad_ci(reason=...)."
            )

    # -- levels -----------------------------------------------------------------------------------

    def get_sequence_batch_size_1_input(self, lod: Any = None, shape: Any = None) -> tuple:
        """Returns random rows that are one sequence, with its length.

        Args:
            lod (list[list[int]], optional): one length. Default: 13.
            shape (list[int], optional): of the rows. Default: [13, 23].
        """
        lengths = [[13]] if lod is None else lod
        sizes = [13, 23] if shape is None else shape
        if len(lengths[0]) != 1 or lengths[0][0] != sizes[0]:
            raise AssertionError(f"expected one length, of {sizes[0]} rows, but it is {lengths}")
        return np.random.uniform(0.1, 1, sizes).astype("float32"), lengths

    def get_sequence_instance_size_0_input(self, lod: Any = None, shape: Any = None) -> tuple:
        """Returns random rows of sequences of which some are empty, with their lengths.

        Args:
            lod (list[list[int]], optional): at least eight lengths, the first and the last two of
                which are 0, with a single 0 and two zeros in a row between others.
            shape (list[int], optional): of the rows. Default: [12, 10].
        """
        lengths = [[0, 0, 4, 0, 3, 0, 0, 5, 0, 0]] if lod is None else lod
        sizes = [12, 10] if shape is None else shape
        level = lengths[0]
        fits = (
            len(level) >= 8
            and not any((*level[:2], *level[-2:]))
            and self.lod_has_single_zero(level)
            and self.lod_has_continuous_zero(level)
            and sum(level) == sizes[0]
        )
        if not fits:
            raise AssertionError(
                f"expected lengths of {sizes[0]} rows that begin and end with two zeros and have a "
                f"single one and two in a row between, but they are {level}"
            )
        return np.random.uniform(0.1, 1, sizes).astype("float32"), lengths

    def lod_has_single_zero(self, lod: list[int]) -> bool:
        """Whether lengths have a single 0 between others.

        Args:
            lod (list[int]): the lengths.
        """
        return any(a and not b and c for a, b, c in zip(lod, lod[1:], lod[2:]))

    def lod_has_continuous_zero(self, lod: list[int]) -> bool:
        """Whether lengths have two zeros in a row between others.

        Args:
            lod (list[int]): the lengths.
        """
        parts = zip(lod, lod[1:], lod[2:], lod[3:])
        return any(a and not b and not c and d for a, b, c, d in parts)

    # -- single steps -----------------------------------------------------------------------------

    def calc_output(self, place: Any) -> list[np.ndarray]:
        """Runs the operator in a Program and returns its results as arrays.

        Args:
            place (Place): where.
        """
        return [array_of(value) for value in self._calc_output(place)[0]]

    def _calc_output(
        self, place: Any, parallel: bool = False, no_check_set: Any = None, loss: Any = None,
        enable_inplace: bool | None = None, for_inplace_test: bool | None = None,
    ) -> tuple[list[Any], list[str]]:  # fmt: skip
        """Runs the operator in a Program: its results as LoDTensors, and their names.

        Args:
            place (Place): where.
            parallel (bool): by a CompiledProgram, which gives the same; both are possible.
            no_check_set (list[str], optional): output slots that nobody wants.
            loss (Variable, optional): is refused.
            enable_inplace, for_inplace_test (bool, optional): only None and False.
        """
        if loss is not None or enable_inplace or for_inplace_test:
            raise UnimplementedError(
                "OpTest._calc_output: a Program of the operator alone is run; "
                "check_inplace_output_with_place compares one that overwrites operands."
            )
        made = self._call()
        result = made.outputs(PROGRAM, place, set(no_check_set or ()))
        outs: list[Any] = []
        names: list[str] = []
        for slot, listed in made.output_names().items():
            values = result.values(slot)[: len(listed)]
            outs += values
            names += listed[: len(values)]
        return outs, names

    def _calc_dygraph_output(
        self, place: Any, parallel: bool = False, no_check_set: Any = None
    ) -> dict[str, list[Any]]:
        """Runs the operator in dynamic mode: slot -> Tensors.

        Args:
            place (Place): where.
            parallel (bool): only False.
            no_check_set (list[str], optional): output slots that nobody wants.
        """
        if parallel:
            raise UnimplementedError("OpTest._calc_dygraph_output(parallel): expected False.")
        return self._call().outputs(DYNAMIC, place, set(no_check_set or ())).slots

    def _get_gradient(
        self, input_to_check: Any, place: Any, output_names: Any, no_grad_set: Any,
        user_defined_grad_outputs: Any = None, parallel: bool = False,
    ) -> list[np.ndarray]:  # fmt: skip
        """The gradients that a Program computes, of the mean of the outputs' means.

        Args:
            input_to_check (str|list[str]): inputs.
            place (Place): where.
            output_names (str|list[str]): outputs.
            no_grad_set (set[str], optional): inputs without gradient.
            user_defined_grad_outputs (list[array], optional): gradients of the outputs.
            parallel (bool): by a CompiledProgram, which gives the same; both are possible.
        """
        return self._gradients(
            PROGRAM, place, input_to_check, output_names, no_grad_set, user_defined_grad_outputs
        )

    def _get_dygraph_grad(
        self, inputs_to_check: Any, place: Any, output_names: Any,
        user_defined_grad_outputs: Any = None, no_grad_set: Any = None,
    ) -> list[np.ndarray]:  # fmt: skip
        """The gradients in dynamic mode.

        Args:
            inputs_to_check, place, output_names, user_defined_grad_outputs, no_grad_set: as for
                ``_get_gradient``.
        """
        return self._gradients(
            DYNAMIC, place, inputs_to_check, output_names, no_grad_set, user_defined_grad_outputs
        )

    def _gradients(
        self, way: str, place: Any, inputs: Any, outputs: Any, blocked: Any, weights: Any
    ) -> list[np.ndarray]:
        made = self._call()
        wanted = made.input_names(listed(inputs))
        targets = made.named_outputs(listed(outputs))
        without = set(made.input_names(listed(blocked), strict=False))
        found = made.gradients(way, place, wanted, targets, without, weights)
        missing = [name for name, value in zip(wanted, found, strict=True) if value is None]
        if missing:
            raise AssertionError(f"{self.op_type}: there is no gradient of {missing} {way}")
        return [array_of(value) for value in found]

    def _assert_is_close(
        self, numeric_grads: Any, analytic_grads: Any, names: Any, max_relative_error: float,
        msg_prefix: str,
    ) -> None:  # fmt: skip
        """Compares gradients as ``check_grad`` does.

        Args:
            numeric_grads (list[array]): what is expected.
            analytic_grads (list[array]): what came.
            names (list[str]): the inputs.
            max_relative_error (float): what an element may be off.
            msg_prefix (str): what is compared, for the message.
        """
        for name, wanted, got in zip(names, numeric_grads, analytic_grads, strict=True):
            head = f"{msg_prefix}: gradient of {name} of {getattr(self, 'op_type', '?')}"
            self._near(array_of(wanted), array_of(got), max_relative_error, head)

    def _near(self, wanted: np.ndarray, got: np.ndarray, limit: float, head: str) -> None:
        """Fails unless gradients are as near as ``max_relative_error`` says."""
        if wanted.size == got.size == 1 or wanted.ndim == 0:
            wanted = np.broadcast_to(wanted, got.shape)
        if wanted.shape != got.shape:
            self.fail(f"{head}: shape {list(got.shape)} came, expected {list(wanted.shape)}")
        scale = np.abs(wanted)
        found = furthest(got, wanted, limit * np.where(scale < 1e-3, 1.0, scale))
        if found is not None:
            self.fail(f"{head}: {found}\n  max_relative_error = {limit:g}")

    # -- types of Programs, which are those of NumPy ----------------------------------------------

    @staticmethod
    def np_dtype_to_fluid_dtype(input: Any) -> Any:
        """Returns an array as it is: types of NumPy are those of Programs."""
        return input

    @staticmethod
    def np_value_to_fluid_value(input: Any) -> Any:
        """Returns a value as it is."""
        return input

    @staticmethod
    def fluid_dtype_to_np_dtype(dtype: Any) -> Any:
        """Returns a data type as it is."""
        return dtype


def has_gradient(op: OpDef) -> bool:
    """Whether an operator has a gradient in PaddlePaddle too, as far as that is known.

    Args:
        op (OpDef): the operator.
    """
    return (
        op.differentiable
        and op.name not in EMPTY_GRAD_OP_LIST
        and any(slot.differentiable for slot in op.inputs)
        and any(slot.differentiable for slot in op.outputs)
    )


def listed(names: Any) -> list[Any]:
    """Names in a list; one name, or None, may stand for it.

    Args:
        names (str|list[str]|set[str], optional): the names.
    """
    if names is None:
        return []
    return [names] if isinstance(names, str) else list(names)


def _dtypes(value: Any) -> list[Any]:
    """The types of the arrays in what a slot is given."""
    if isinstance(value, (np.ndarray, np.generic)):
        return [value.dtype]
    if isinstance(value, (list, tuple)):
        return [dtype for part in value for dtype in _dtypes(part)]
    return []
