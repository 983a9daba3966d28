"""NCE: noise-contrastive estimation as a layer of 1.x dygraph."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C
from paddle.nn.layer.layers import Layer
from paddle.static.nn.sampling import _SAMPLERS, _alias_table
from paddle.tensor.to_tensor import to_tensor

__all__ = ["NCE"]


class NCE(Layer):
    """A loss that looks at the true class and a few drawn ones.

    Args:
        num_total_classes (int): the number of classes.
        dim (int): width of the input.
        sample_weight (Tensor, optional): a factor for each row; a call's own comes first.
        param_attr (ParamAttr, optional): of the weight, ``[num_total_classes, dim]``.
        bias_attr (ParamAttr|bool, optional): of a bias, ``[num_total_classes, 1]``; None and False
            mean none, as in 1.x.
        num_neg_samples (int, optional): classes drawn for each row; None means 10.
        sampler (str): ``uniform``, ``log_uniform`` or ``custom_dist``. Default: uniform.
        custom_dist (list[float], optional): the chance of each class, for ``custom_dist``.
        seed (int): of the sampler; 0: the global one. Default: 0.
        is_sparse (bool): the weight's gradient is kept as rows. Default: False.
        dtype (str): of the parameters. Default: float32.

    Raises:
        ValueError: an unknown sampler, or chances that do not fit.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                nce = fluid.dygraph.NCE(20, 4, num_neg_samples=5)
                x = fluid.dygraph.to_variable(np.ones([3, 4], "float32"))
                label = fluid.dygraph.to_variable(np.array([[1], [2], [3]], "int64"))
                print(nce(x, label).shape)  # [3, 1]
    """

    def __init__(
        self, num_total_classes: int, dim: int, sample_weight: Any = None, param_attr: Any = None,
        bias_attr: Any = None, num_neg_samples: int | None = None, sampler: str = "uniform",
        custom_dist: Any = None, seed: int = 0, is_sparse: bool = False, dtype: Any = "float32",
    ) -> None:  # fmt: skip
        super().__init__(dtype=dtype)
        if sampler not in _SAMPLERS:
            raise InvalidArgumentError(
                f"NCE(sampler): expected one of {list(_SAMPLERS)}, but received {sampler!r}."
            )
        self._drawn = 10 if num_neg_samples is None else int(num_neg_samples)
        self._sample_weight = sample_weight
        self._attrs = {
            "num_total_classes": num_total_classes, "num_neg_samples": self._drawn,
            "sampler": _SAMPLERS[sampler], "seed": seed, "is_sparse": is_sparse,
        }  # fmt: skip
        self._distribution: list[Any] = [None] * 3
        if sampler == "custom_dist":
            self._distribution = _distribution(custom_dist, num_total_classes)
        self.weight = self.create_parameter([num_total_classes, dim], param_attr)
        self.bias = self.create_parameter([num_total_classes, 1], bias_attr or False, is_bias=True)

    def forward(self, input: Any, label: Any, sample_weight: Any = None) -> Any:
        """Returns the loss of each row, ``[N, 1]``."""
        weight = self._sample_weight if sample_weight is None else sample_weight
        cost = C.nce(
            input, label, self.weight, self.bias, weight, *self._distribution, **self._attrs
        )[0]
        return cost / (self._drawn + 1)


def _distribution(chances: Any, total: int) -> list[Any]:
    """Chances, aliases and what is kept, as Tensors."""
    if chances is None or len(chances) != total or min(chances) < 0:
        raise InvalidArgumentError(
            f"NCE(custom_dist): expected {total} chances >= 0, but received {chances!r}."
        )
    alias, keep = _alias_table([float(c) for c in chances])
    arrays = (
        np.asarray(chances, "float32"), np.asarray(alias, "int32"), np.asarray(keep, "float32")
    )  # fmt: skip
    return [to_tensor(array) for array in arrays]
