"""fleet.metrics: what was counted on every worker, as one number for all of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddle.core.errors import ArgumentTypeError, NotFoundError
from paddle.distributed.fleet.base.roles import UTIL
from paddle.executor.scope import global_scope
from paddle.ir.variable import Variable

__all__ = ["acc", "auc", "mae", "max", "min", "mse", "rmse", "sum"]


def _numbers(value: Any, scope: Any, api: str, argument: str) -> np.ndarray:
    """The numbers of this worker: an array, or what a variable of a scope holds."""
    if isinstance(value, (Variable, str)):
        name = value if isinstance(value, str) else value.name
        found = (global_scope() if scope is None else scope).find_var(name)
        if found is None:
            raise NotFoundError(
                f"fleet.metrics.{api}({argument}): the scope has no variable {name!r}.",
                hint="run the Program first, with the variable persistable",
            )
        return np.array(found.get_tensor())
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise ArgumentTypeError(
            f"fleet.metrics.{api}({argument}): expected an array, a Variable or its name, but "
            f"received {type(value).__name__}."
        )
    return array


def _over_all(values: np.ndarray, mode: str, util: Any) -> np.ndarray:
    """The sum, the greatest or the least over the workers."""
    exchange = UTIL if util is None else util
    return np.asarray(exchange.all_reduce(values, mode)).reshape(values.shape)


def sum(input: Any, scope: Any = None, util: Any = None) -> np.ndarray:
    """Returns the sum over all workers, element by element.

    Args:
        input (numpy.ndarray|Variable|str): this worker's numbers, or a variable that holds them.
        scope (Scope, optional): where variables are; None means the global one.
        util (UtilBase, optional): exchanges; None means ``fleet.util``.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.distributed.fleet as fleet
            fleet.init(is_collective=True)
            print(fleet.metrics.sum(np.array([3.0, 4.0])))  # [3. 4.]
    """
    return _over_all(_numbers(input, scope, "sum", "input"), "sum", util)


def max(input: Any, scope: Any = None, util: Any = None) -> np.ndarray:
    """Returns the greatest of all workers, element by element.

    Args:
        input (numpy.ndarray|Variable|str): this worker's numbers, or a variable that holds them.
        scope (Scope, optional): where variables are; None means the global one.
        util (UtilBase, optional): exchanges; None means ``fleet.util``.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.distributed.fleet as fleet
            fleet.init(is_collective=True)
            print(fleet.metrics.max(np.array([3.0, 4.0])))  # [3. 4.]
    """
    return _over_all(_numbers(input, scope, "max", "input"), "max", util)


def min(input: Any, scope: Any = None, util: Any = None) -> np.ndarray:
    """Returns the least of all workers, element by element.

    Args:
        input (numpy.ndarray|Variable|str): this worker's numbers, or a variable that holds them.
        scope (Scope, optional): where variables are; None means the global one.
        util (UtilBase, optional): exchanges; None means ``fleet.util``.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.distributed.fleet as fleet
            fleet.init(is_collective=True)
            print(fleet.metrics.min(np.array([3.0, 4.0])))  # [3. 4.]
    """
    return _over_all(_numbers(input, scope, "min", "input"), "min", util)


def auc(stat_pos: Any, stat_neg: Any, scope: Any = None, util: Any = None) -> float:
    """Returns the area under the ROC curve over all workers' samples.

    Args:
        stat_pos (numpy.ndarray|Variable|str): how many positive samples fell into each bucket of
            predictions, shape [1, buckets], as ``paddle.static.auc`` counts them.
        stat_neg (numpy.ndarray|Variable|str): the same for negative samples.
        scope (Scope, optional): where variables are; None means the global one.
        util (UtilBase, optional): exchanges; None means ``fleet.util``.

    Returns:
        float: 0.5 where there are no positive or no negative samples.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.distributed.fleet as fleet
            fleet.init(is_collective=True)
            print(fleet.metrics.auc(np.array([[1, 0, 3]]), np.array([[2, 1, 0]])))  # 0.9166...
    """
    pos = _over_all(_numbers(stat_pos, scope, "auc", "stat_pos"), "sum", util)
    neg = _over_all(_numbers(stat_neg, scope, "auc", "stat_neg"), "sum", util)
    # From the highest prediction down: the curve's corners are sums of what lies above.
    above = np.cumsum(pos[0][::-1].astype(np.float64))
    below = np.cumsum(neg[0][::-1].astype(np.float64))
    if not above.size or above[-1] * below[-1] == 0:
        return 0.5
    before = np.concatenate([[0.0], above[:-1]])
    steps = np.diff(below, prepend=0.0)
    return float((steps * (before + above) / 2).sum() / (above[-1] * below[-1]))


def _mean(api: str, argument: str, total: Any, count: Any, of: str, scope: Any, util: Any) -> float:
    """What all workers added up over how many they counted."""
    summed = _over_all(_numbers(total, scope, api, argument), "sum", util)
    counted = _over_all(_numbers(count, scope, api, of), "sum", util)
    return float(summed.reshape(-1)[0]) / float(counted.reshape(-1)[0])


def mae(abserr: Any, total_ins_num: Any, scope: Any = None, util: Any = None) -> float:
    """Returns the mean absolute error over all workers' samples.

    Args:
        abserr (numpy.ndarray|Variable|str): the sum of this worker's absolute errors.
        total_ins_num (numpy.ndarray|Variable|str): how many samples it had.
        scope (Scope, optional): where variables are; None means the global one.
        util (UtilBase, optional): exchanges; None means ``fleet.util``.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.distributed.fleet as fleet
            fleet.init(is_collective=True)
            print(fleet.metrics.mae(np.array([3.0]), np.array([4.0])))  # 0.75
    """
    return _mean("mae", "abserr", abserr, total_ins_num, "total_ins_num", scope, util)


def mse(sqrerr: Any, total_ins_num: Any, scope: Any = None, util: Any = None) -> float:
    """Returns the mean squared error over all workers' samples.

    Args:
        sqrerr (numpy.ndarray|Variable|str): the sum of this worker's squared errors.
        total_ins_num (numpy.ndarray|Variable|str): how many samples it had.
        scope (Scope, optional): where variables are; None means the global one.
        util (UtilBase, optional): exchanges; None means ``fleet.util``.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.distributed.fleet as fleet
            fleet.init(is_collective=True)
            print(fleet.metrics.mse(np.array([3.0]), np.array([4.0])))  # 0.75
    """
    return _mean("mse", "sqrerr", sqrerr, total_ins_num, "total_ins_num", scope, util)


def rmse(sqrerr: Any, total_ins_num: Any, scope: Any = None, util: Any = None) -> float:
    """Returns the root of the mean squared error over all workers' samples.

    Args:
        sqrerr (numpy.ndarray|Variable|str): the sum of this worker's squared errors.
        total_ins_num (numpy.ndarray|Variable|str): how many samples it had.
        scope (Scope, optional): where variables are; None means the global one.
        util (UtilBase, optional): exchanges; None means ``fleet.util``.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.distributed.fleet as fleet
            fleet.init(is_collective=True)
            print(fleet.metrics.rmse(np.array([1.0]), np.array([4.0])))  # 0.5
    """
    return math.sqrt(_mean("rmse", "sqrerr", sqrerr, total_ins_num, "total_ins_num", scope, util))


def acc(correct: Any, total: Any, scope: Any = None, util: Any = None) -> float:
    """Returns which part of all workers' samples was predicted right.

    Args:
        correct (numpy.ndarray|Variable|str): how many of this worker's samples were.
        total (numpy.ndarray|Variable|str): how many it had.
        scope (Scope, optional): where variables are; None means the global one.
        util (UtilBase, optional): exchanges; None means ``fleet.util``.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.distributed.fleet as fleet
            fleet.init(is_collective=True)
            print(fleet.metrics.acc(np.array([3]), np.array([4])))  # 0.75
    """
    return _mean("acc", "correct", correct, total, "total", scope, util)
