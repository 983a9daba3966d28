"""Lets files of tests import what PaddlePaddle's own tests of operators import."""

from __future__ import annotations

import os
import sys
from types import ModuleType

import numpy as np

from paddle.testing import decorator_helper, gradient_checker, op_test, testsuite, white_list

__all__ = ["provide"]

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "unittests")
_MODULES: dict[str, ModuleType] = {
    "op_test": op_test,
    "testsuite": testsuite,
    "decorator_helper": decorator_helper,
    "gradient_checker": gradient_checker,
    "white_list": white_list,
}


def provide() -> str:
    """Lets files of tests import ``op_test`` and the like, as those of PaddlePaddle 2.0 do.

    From then on this process finds ``op_test``, ``testsuite``, ``decorator_helper``,
    ``gradient_checker``, ``white_list`` and, where the tests bring none of their own, ``utils``;
    and NumPy has ``np.float``, ``np.int`` and the like, which it had until 1.24. ``python -m
    paddle.testing FILE ...`` does so by itself. A ``conftest.py`` may call this function; or the
    folder is named for other processes::

        export PYTHONPATH=$(python -m paddle.testing --folder)
        python test_mul_op.py
        pytest test_mul_op.py

    Returns:
        str: the folder with modules of these names.

    Examples:
        .. code-block:: python

            import os
            import paddle.testing
            print(os.path.basename(paddle.testing.provide()))  # unittests
            from op_test import OpTest
            print(OpTest is paddle.testing.OpTest)  # True
    """
    sys.modules.update(_MODULES)
    for name in white_list.MODULES:
        sys.modules[f"white_list.{name}"] = getattr(white_list, name)
    for kind in (bool, int, float, complex, object, str):
        if kind.__name__ not in vars(np):
            setattr(np, kind.__name__, kind)
    if _FOLDER not in sys.path:
        sys.path.append(_FOLDER)  # behind all others: a test's own modules come first
    return _FOLDER
