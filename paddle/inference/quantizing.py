"""QuantizerConfig: what enable_quantizer calibrates with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from paddle.core.errors import InvalidArgumentError


class QuantizerConfig:
    """Which operators are turned to 8 bits, and the data that shows the range of their values.

    It comes from :meth:`Config.quantizer_config`. A model that has operators of quantisation brings
    its ranges, and needs no data.

    Attributes:
        data (list): one input of the model each, in their order.
        batch_size (int): how many rows ``data`` has.
        op_types (set): the operators; empty means all that there is a form for.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.inference import Config
            config = Config()
            config.enable_quantizer()
            config.quantizer_config().set_quant_data([np.zeros([8, 4], "float32")])
            config.quantizer_config().set_quant_batch_size(8)
    """

    def __init__(self) -> None:
        self.data: list[Any] = []
        self.batch_size = 1
        self.op_types: set[str] = set()

    def set_quant_data(self, data: Iterable[Any]) -> None:
        """Sets the data to calibrate with.

        Args:
            data (list): a PaddleTensor or an array for each input of the model.
        """
        self.data = list(data)

    def set_quant_batch_size(self, batch_size: int) -> None:
        """Sets how many rows the data has.

        Args:
            batch_size (int): 1 or more.
        """
        if not isinstance(batch_size, int) or batch_size < 1:
            raise InvalidArgumentError(
                f"set_quant_batch_size: expected 1 or more, but received {batch_size!r}."
            )
        self.batch_size = batch_size

    def set_enabled_op_types(self, op_types: Iterable[str]) -> None:
        """Sets which operators are turned to 8 bits.

        Args:
            op_types (set): types of operators; empty means all that there is a form for.
        """
        self.op_types = set(op_types)
