"""OpTest: a test of an operator says what goes in and what comes out, and everything is checked.

``python -m paddle.testing test_mul_op.py`` and :func:`paddle.testing.provide` show this module to
files that begin with ``from op_test import OpTest``.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from paddle.core import backends
from paddle.core.errors import InvalidArgumentError, NotFoundError
from paddle.core.op import REGISTRY, OpDef
from paddle.core.place_types import CPUPlace
from paddle.framework import flags
from paddle.testing.bits import (
    convert_float_to_uint16,
    convert_uint16_to_float,
    copy_bits_from_float_to_uint16,
)
from paddle.testing.comparing import array_of, check_close, difference
from paddle.testing.numeric import get_numeric_gradient
from paddle.testing.op_call import PROGRAM, Call, Result
from paddle.testing.op_test_members import Members, listed

__all__ = [
    "OpTest", "check_out_dtype", "convert_float_to_uint16", "convert_uint16_to_float",
    "copy_bits_from_float_to_uint16", "get_numeric_gradient", "randomize_probability",
    "skip_check_grad_ci", "skip_check_inplace_ci",
]  # fmt: skip

# What results in 16 bits may be off at least: (relative, absolute).
_LEAST = {"bfloat16": (1e-2, 1e-2), "float16": (1e-3, 1e-3)}


class OpTest(Members):
    """Base of the tests of one operator, in the form of PaddlePaddle's own unit tests.

    ``setUp`` says which operator is called with what, and what it gives; every ``test_...`` method
    calls a check. A check runs the operator in dynamic mode, in a Program and in a function made
    static by ``to_static``, at every place that there is.

    A class all of whose tests have run fails if the operator has a gradient, the inputs are
    floating and none of them was a ``check_grad``, unless :func:`skip_check_grad_ci` says why.

    Attributes:
        op_type (str): the operator's name.
        inputs (dict): slot -> array; ``(array, lengths)`` with the lengths of its sequences (LoD);
            ``[(name, array), ...]`` for a slot that takes a list. Arrays of uint16 are the bits of
            bfloat16.
        outputs (dict): slot -> what is expected, in the same forms.
        attrs (dict): attributes that differ from their defaults.

    Examples:
        .. code-block:: python

            import unittest
            import numpy as np
            from paddle.testing import OpTest

            class TestMulOp(OpTest):
                def setUp(self):
                    self.op_type = "mul"
                    x, y = np.random.random((3, 4)), np.random.random((4, 5))
                    self.inputs = {"X": x, "Y": y}
                    self.outputs = {"Out": np.dot(x, y)}

                def test_check_output(self):
                    self.check_output()

                def test_check_grad(self):
                    self.check_grad(["X", "Y"], "Out")

            tests = unittest.defaultTestLoader.loadTestsFromTestCase(TestMulOp)
            print(unittest.TextTestRunner(verbosity=0).run(tests).wasSuccessful())  # True
    """

    op_type: str
    inputs: dict[str, Any] = {}
    outputs: dict[str, Any] = {}
    attrs: dict[str, Any] = {}

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        for name in ("inputs", "outputs", "attrs"):  # of its own, for setUp may fill them
            if getattr(type(self), name) is getattr(OpTest, name):
                setattr(self, name, {})

    @classmethod
    def setUpClass(cls) -> None:
        """Seeds NumPy's and Python's random numbers, so that each class begins in the same way."""
        cls._random_states = np.random.get_state(), random.getstate()
        cls._begin()
        np.random.seed(123)
        random.seed(124)

    @classmethod
    def tearDownClass(cls) -> None:
        """Gives NumPy and Python back the states that their random numbers had.

        Raises:
            AssertionError: the class lacks a check of the gradient that there is.
        """
        if cls._random_states is not None:  # else a setUpClass of its own stood in the way
            np.random.set_state(cls._random_states[0])
            random.setstate(cls._random_states[1])
        cls._demand_gradient()

    _random_states: Any = None

    # -- results ----------------------------------------------------------------------------------

    def check_output(
        self, atol: float = 1e-5, no_check_set: Any = None, equal_nan: bool = False,
        check_dygraph: bool = True, inplace_atol: float | None = None, check_eager: bool = False,
        *, rtol: float = 1e-5, place: Any = None,
    ) -> None:  # fmt: skip
        """Compares the results with ``outputs``: values, shapes and levels.

        An element may be off by ``atol + rtol * |expected|``; in 16 bits by one percent (bfloat16)
        or a thousandth (float16) at least. Inputs must be unchanged, unless the operator writes
        into them, and the shape that a Program says must be that of the result.

        Args:
            atol (float): see above. Default: 1e-5.
            no_check_set (list|set, optional): output slots that are not compared.
            equal_nan (bool): NaN is as good as NaN. Default: False.
            check_dygraph (bool): also in dynamic mode and by ``to_static``. Default: True.
            inplace_atol (float, optional): what a Program that overwrites operands may give
                another result by. Default: it gives the same.
            check_eager (bool): the same as ``check_dygraph``, in files of later releases.
            rtol (float): see above. Default: 1e-5.
            place (Place, optional): only there. Default: at every place there is.

        Raises:
            AssertionError: something differs; the text shows the worst element.
        """
        for at in self._places(place):
            self.check_output_with_place(
                at,
                atol,
                no_check_set,
                equal_nan,
                check_dygraph,
                inplace_atol,
                check_eager,
                rtol=rtol,
            )

    def check_output_with_place(
        self, place: Any, atol: float = 1e-5, no_check_set: Any = None, equal_nan: bool = False,
        check_dygraph: bool = True, inplace_atol: float | None = None, check_eager: bool = False,
        *, rtol: float = 1e-5,
    ) -> None:  # fmt: skip
        """Does at one place what :meth:`check_output` does at all.

        Args:
            place (Place): where.
            atol, no_check_set, equal_nan, check_dygraph, inplace_atol, check_eager, rtol: as
                there.
        """
        made = self._call()
        unchecked = self._slots_named(no_check_set, made.definition)
        ways = made.ways(check_dygraph or check_eager)
        results: dict[str, Result] = {}
        for way in ways:
            results[way] = result = made.outputs(way, place, unchecked)
            where = f"at {place} in {way}"
            for slot, expected in made.expected(unchecked):
                if result.missing(slot):
                    self._warn_missing(slot)
                    continue
                self._compare(slot, expected, result, (rtol, atol), equal_nan, where)
            self._compare_inputs(made, result, where)
        if made.computed and not getattr(self, "no_need_check_inplace", False):
            self._compare_inplace(made, place, results[PROGRAM], unchecked, inplace_atol)

    def check_output_customized(self, checker: Callable[[list], Any], place: Any = None) -> None:
        """Hands the results of a Program to a function of yours, the shortest one first.

        Args:
            checker (callable): gets a list of arrays.
            place (Place, optional): only there. Default: at every place there is.
        """
        for at in self._places(place):
            checker(sorted(self.calc_output(at), key=len))

    def check_output_with_place_customized(
        self, checker: Callable[[list], Any], place: Any
    ) -> None:
        """Does at one place what :meth:`check_output_customized` does at all.

        Args:
            checker (callable): gets a list of arrays.
            place (Place): where.
        """
        self.check_output_customized(checker, place)

    def check_inplace_output_with_place(
        self, place: Any, no_check_set: Any = None, inplace_atol: float | None = None
    ) -> None:
        """Compares a Program that overwrites operands where it may with one that does not.

        Args:
            place (Place): where.
            no_check_set, inplace_atol: as in :meth:`check_output`.
        """
        made = self._call()
        unchecked = self._slots_named(no_check_set, made.definition)
        plain = made.outputs(PROGRAM, place, unchecked)
        self._compare_inplace(made, place, plain, unchecked, inplace_atol)

    def _compare(
        self, slot: str, expected: list, result: Result, tolerance: tuple, equal_nan: bool,
        where: str,
    ) -> None:  # fmt: skip
        values, levels = result.values(slot), result.levels(slot)
        if len(values) != len(expected):
            self.fail(
                f"Output ({slot}) of {self.op_type} has {len(values)} parts {where}, but "
                f"{len(expected)} are expected, in class {type(self).__name__}"
            )
        for (name, wanted, lengths), value, level in zip(expected, values, levels, strict=True):
            least = _LEAST.get(_kind(value), (0.0, 0.0))
            rtol, atol = (max(a, b) for a, b in zip(tolerance, least, strict=True))
            text = f"Output ({name}) of {self.op_type} has diff {where}, in {type(self).__name__}"
            check_close(value, wanted, rtol, atol, text, equal_nan)
            # Between operators a Program hands levels on; single calls have those of the kernel.
            if lengths is not None and level != lengths and (level or result.shapes):
                self.fail(
                    f"Output ({name}) of {self.op_type} has different lod {where}: {level}, but "
                    f"{lengths} is expected, in class {type(self).__name__}"
                )
            shape = result.shapes.get(name)
            if shape is not None and not _fits(shape, np.shape(array_of(value))):
                self.fail(
                    f"Output ({name}) of {self.op_type}: the Program says shape {list(shape)}, but "
                    f"the result has {list(np.shape(array_of(value)))} {where}"
                )

    def _compare_inputs(self, made: Call, result: Result, where: str) -> None:
        for name, before, after in result.inputs:
            if difference(after, before, 0.0, 0.0) is not None:
                self.fail(
                    f"Input ({name}) of {self.op_type} was changed {where}, though the operator "
                    f"does not say that it writes into it, in class {type(self).__name__}"
                )

    def _compare_inplace(
        self, made: Call, place: Any, plain: Result, unchecked: set[str], atol: float | None
    ) -> None:
        """In a longer Program, where the operands are results and so may be overwritten."""
        other = made.overwriting(place, unchecked)
        if other is None:
            return
        for slot, _ in made.expected(unchecked):
            if plain.missing(slot) or other.missing(slot):
                continue
            for a, b in zip(other.values(slot), plain.values(slot), strict=True):
                check_close(
                    a, b, 0.0, atol or 0.0,
                    f"Output ({slot}) of {self.op_type} has diff at {place} when using and not "
                    f"using inplace, in class {type(self).__name__}",
                )  # fmt: skip

    def _warn_missing(self, slot: str) -> None:
        warnings.warn(
            f"{type(self).__name__}: {self.op_type} computes no {slot} here, so it was not "
            "compared (it serves PaddlePaddle's own gradient)",
            stacklevel=3,
        )

    # -- gradients --------------------------------------------------------------------------------

    def check_grad(
        self, inputs_to_check: Any, output_names: Any, no_grad_set: Any = None,
        numeric_grad_delta: float = 0.005, in_place: bool = False,
        max_relative_error: float = 0.005, user_defined_grads: Any = None,
        user_defined_grad_outputs: Any = None, check_dygraph: bool = True,
        check_eager: bool = False, *, place: Any = None,
    ) -> None:  # fmt: skip
        """Compares gradients with differences, element by element.

        What is differentiated is the mean of the mean of each output. Differences are computed in
        64 bits where the operator takes them. An element may be off by ``max_relative_error``
        times the expected one, or times 1 where that is smaller than 0.001.

        Args:
            inputs_to_check (str|list[str]): input slots, or names of members of lists.
            output_names (str|list[str]): output slots, or names of members of lists.
            no_grad_set (set[str], optional): inputs that get no gradient meanwhile.
            numeric_grad_delta (float): how far an element is moved to either side. Default: 0.005.
            in_place (bool): inputs are set anew before each call. Default: False; so it is for
                operators that say what they write into.
            max_relative_error (float): see above. Default: 0.005.
            user_defined_grads (list[array], optional): expected in place of differences.
            user_defined_grad_outputs (list[array], optional): the gradients of the outputs, in
                place of those of the mean. A bool here is ``check_dygraph``, which stood at this
                place in 1.8.
            check_dygraph (bool): also in dynamic mode and by ``to_static``. Default: True.
            check_eager (bool): the same as ``check_dygraph``, in files of later releases.
            place (Place, optional): only there. Default: at every place there is.

        Raises:
            AssertionError: a gradient is missing or wrong; the text shows the worst element.
        """
        self._check_grad_helper()
        for at in self._places(place):
            self.check_grad_with_place(
                at, inputs_to_check, output_names, no_grad_set, numeric_grad_delta, in_place,
                max_relative_error, user_defined_grads, user_defined_grad_outputs, check_dygraph,
                check_eager=check_eager,
            )  # fmt: skip

    def check_grad_with_place(
        self, place: Any, inputs_to_check: Any, output_names: Any, no_grad_set: Any = None,
        numeric_grad_delta: float = 0.005, in_place: bool = False,
        max_relative_error: float = 0.005, user_defined_grads: Any = None,
        user_defined_grad_outputs: Any = None, check_dygraph: bool = True,
        numeric_place: Any = None, check_eager: bool = False,
    ) -> None:  # fmt: skip
        """Does at one place what :meth:`check_grad` does at all.

        Args:
            place (Place): where.
            inputs_to_check, output_names, no_grad_set, numeric_grad_delta, in_place,
                max_relative_error, user_defined_grads, user_defined_grad_outputs, check_dygraph,
                check_eager: as there.
            numeric_place (Place, optional): where differences are computed. Default: ``place``.
        """
        if isinstance(user_defined_grad_outputs, bool):
            user_defined_grad_outputs, check_dygraph = None, user_defined_grad_outputs
        made = self._call()
        self._check_grad_helper()
        wanted = made.input_names(listed(inputs_to_check))
        targets = made.named_outputs(listed(output_names))
        blocked = set(made.input_names(listed(no_grad_set), strict=False))
        if blocked & set(wanted):
            raise InvalidArgumentError(
                f"check_grad: {sorted(blocked & set(wanted))} are to be checked and in no_grad_set."
            )
        if user_defined_grads is not None and len(user_defined_grads) != len(wanted):
            raise InvalidArgumentError(
                f"check_grad(user_defined_grads): expected {len(wanted)} of them, one for each of "
                f"{wanted}, but received {len(user_defined_grads)}."
            )
        weights = user_defined_grad_outputs
        expected = user_defined_grads
        if expected is None:
            expected = made.differences(
                place if numeric_place is None else numeric_place,
                wanted, targets, numeric_grad_delta, in_place, weights,
            )  # fmt: skip
        for way in made.ways(check_dygraph or check_eager):
            found = made.gradients(way, place, wanted, targets, blocked, weights)
            for name, a, b in zip(wanted, expected, found, strict=True):
                head = f"Gradient of {name} of {self.op_type} at {place} in {way}, in class "
                head += type(self).__name__
                if b is None:
                    self.fail(
                        f"{head}: there is none; the outputs do not depend on it, or it is cut off"
                    )
                self._near(array_of(a), array_of(b), max_relative_error, head)

    # -- what is called, and where ----------------------------------------------------------------

    def _call(self) -> Call:
        name = getattr(self, "op_type", None)
        if not isinstance(name, str):
            raise InvalidArgumentError(
                f"{type(self).__name__}: expected the operator's name as self.op_type, set in "
                f"setUp, but it is {name!r}."
            )
        found = REGISTRY.get(name)
        if found is None:
            raise NotFoundError(f"{type(self).__name__}: there is no operator named {name!r}.")
        self._note()
        return Call(found, self.inputs, self.attrs or {}, self.outputs or {})

    def _slots_named(self, names: Any, op: OpDef) -> set[str]:
        known = {s.name for s in op.outputs} | set(self.outputs)
        wrong = [n for n in listed(names) if n not in known]
        if wrong:  # no error: nothing goes unchecked by that, and PaddlePaddle may have such slots
            warnings.warn(
                f"check_output(no_check_set): {wrong} are no output slots of {self.op_type}; "
                f"those are {sorted(known)}",
                stacklevel=4,
            )
        return set(listed(names))

    def _places(self, place: Any) -> list[Any]:
        return self._get_places() if place is None else [place]

    def _get_places(self) -> list[Any]:
        """Every place there is; the CPU alone if the test says ``_cpu_only``."""
        if getattr(self, "_cpu_only", False):
            return [CPUPlace()]
        return [backend.place(0) for backend in backends.present()]


def _kind(value: Any) -> str:
    """The name of a type of 16 bits, as a key of the tolerances."""
    array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    return "bfloat16" if array.dtype == np.uint16 else str(array.dtype)


def _fits(said: Any, shape: Any) -> bool:
    said, shape = list(said) or [1], list(shape) or [1]
    return len(said) == len(shape) and all(a in (-1, b) for a, b in zip(said, shape, strict=True))


def _set_use_system_allocator(value: Any = None) -> Any:
    """Sets the flag of the allocator, where a value is given; returns what it was."""
    name = "FLAGS_use_system_allocator"
    before = flags.get_flags(name)[name]
    if value is not None:
        flags.set_flags({name: value})
    return before


def randomize_probability(batch_size: int, class_num: int, dtype: str = "float32") -> np.ndarray:
    """Returns random probabilities: each row is positive and adds up to 1.

    Args:
        batch_size (int): how many rows.
        class_num (int): how many columns.
        dtype (str): of the result. Default: float32.
    """
    drawn = np.random.uniform(0.1, 1.0, (batch_size, class_num))
    return (drawn / drawn.sum(axis=1, keepdims=True)).astype(dtype)


def _marking(name: str, reason: Any) -> Callable[[type], type]:
    if not isinstance(reason, str):
        raise AssertionError(f"{name}(reason): expected the reason as a str, but got {reason!r}.")

    def mark(cls: type) -> type:
        setattr(cls, "no_need_" + name.removeprefix("skip_").removesuffix("_ci"), True)
        return cls

    return mark


def skip_check_grad_ci(reason: str | None = None) -> Callable[[type], type]:
    """Decorator of a test class that has no check of gradients, with the reason for that.

    A class without a check, of an operator that has a gradient, fails otherwise.

    Args:
        reason (str): why.
    """
    return _marking("skip_check_grad_ci", reason)


def skip_check_inplace_ci(reason: str | None = None) -> Callable[[type], type]:
    """Decorator of a test class whose operator is not tried on operands that it may overwrite.

    Args:
        reason (str): why.
    """
    return _marking("skip_check_inplace_ci", reason)


def check_out_dtype(
    api_fn: Callable,
    in_specs: list,
    expect_dtypes: list[str],
    target_index: int = 0,
    **configs: Any,
) -> None:
    """Checks that the result of a function has the data type of one of its inputs.

    Args:
        api_fn (callable): takes Variables.
        in_specs (list[tuple]): ``(shape, dtype)`` of each input, or ``(shape,)`` for float32.
        expect_dtypes (list[str]): the types that are tried.
        target_index (int): the input without a type that gets the type tried. Default: 0.
        **configs: further arguments of the function.

    Raises:
        ValueError: the result has another type.
    """
    from paddle.static import data
    from paddle.testing.programs import static

    for wanted in expect_dtypes:
        with static():
            inputs = []
            for i, spec in enumerate(in_specs):
                kind = wanted if i == target_index else "float32"
                shape, kind = (*spec, kind)[:2]
                inputs.append(data(f"data_{i}", shape, kind))
            found = api_fn(*inputs, **configs).dtype
            if found != wanted:
                raise ValueError(f"expected the result to be of {wanted}, but it is of {found}.")
