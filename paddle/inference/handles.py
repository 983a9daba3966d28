"""Tensor: an input or output of a Predictor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paddle.core.backends import CPU
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.lod import LoDTensor
from paddle.core.tensor import Tensor as EagerTensor
from paddle.executor.inference_values import (
    ExpectedInput,
    array_of,
    buffer_of,
    buffer_of_tensor,
    kind_of,
    lod_of,
    on_device,
    shared_buffer_of,
    with_lod,
)
from paddle.inference.kinds import DataType, data_type_of


class Tensor:
    """A handle on an input or output of a Predictor, from ``get_input_handle`` and the like.

    An input keeps what it was given until it is given something else, so that a model can run
    several times. What an output shows is replaced by the next run.

    Attributes:
        buffer: the contents; None while there are none.
        levels (list): the offsets that were set.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            from paddle.inference import Config, create_predictor
            from paddle.static import InputSpec
            net = paddle.nn.Linear(4, 2)
            paddle.jit.save(net, "handles/net", input_spec=[InputSpec([None, 4], name="x")])
            predictor = create_predictor(Config("handles/net"))
            x = predictor.get_input_handle("x")
            x.copy_from_cpu(np.ones([3, 4], "float32"))
            predictor.run()
            out = predictor.get_output_handle(predictor.get_output_names()[0])
            print(out.shape(), out.copy_to_cpu().shape)  # [3, 2] (3, 2)
    """

    __slots__ = ("_asked", "_device", "_expected", "_name", "_plain", "buffer", "levels")

    def __init__(self, name: str, device: Any, expected: ExpectedInput | None = None) -> None:
        self._name = name
        self._plain = expected is not None and device == CPU.device()  # nothing but a copy to make
        self._device = device
        self._expected = expected  # None for an output
        self.buffer: Any = None  # the contents; None while there are none
        self._asked: list[int] | None = None  # a shape that was set before there were contents
        self.levels: list[list[int]] = []

    def name(self) -> str:
        """Returns the name of the variable."""
        return self._name

    # -- inputs ---------------------------------------------------------------------------------

    def copy_from_cpu(self, data: np.ndarray) -> None:
        """Copies an array in.

        Args:
            data (np.ndarray): the contents, of the data type and number of dimensions that the
                model states.

        Raises:
            TypeError: it is no array, or has another data type.
            InvalidArgumentError: it has another number of dimensions.
            NotImplementedError: it is a list of texts; there are no operators that take them.
        """
        if not isinstance(data, np.ndarray):
            raise self._no_array("copy_from_cpu", data)
        buffer: Any = buffer_of(data)
        expected: Any = self._expected
        if self._plain and buffer.dtype is expected.dtype and buffer.dim() == expected.rank:
            self.buffer = buffer
        else:
            self._take(buffer)

    def share_external_data(self, data: Any) -> None:
        """Lets the input read the caller's own memory, without a copy.

        What is written into that memory later is what later runs see. It is kept alive as long as
        the handle uses it.

        Args:
            data (np.ndarray|paddle.Tensor): the contents, as for ``copy_from_cpu``. A Tensor on
                another device is copied.
        """
        if isinstance(data, np.ndarray):
            self._take(shared_buffer_of(data))
        elif isinstance(data, (EagerTensor, LoDTensor)):
            self._take(buffer_of_tensor(data))
            if isinstance(data, LoDTensor) and data.lod():
                self.set_lod(data.lod())
        else:
            raise self._no_array("share_external_data", data)

    def _no_array(self, method: str, data: Any) -> Exception:
        if isinstance(data, list) and data and all(isinstance(text, str) for text in data):
            return NotImplementedError(
                f"{method}: input {self._name!r}: there are no operators here that take texts; "
                "turn them into numbers first, as the tokenizers of client libraries do."
            )
        kinds = "a numpy.ndarray" + (" or a paddle.Tensor" if method.startswith("share") else "")
        return TypeError(
            f"{method}: input {self._name!r}: expected {kinds}, but received {type(data).__name__}."
        )

    def _take(self, buffer: Any) -> None:
        if self._expected is None:
            raise PreconditionNotMetError(
                f"{self._name!r} is an output: its contents come from Predictor.run()."
            )
        buffer = self._expected.checked(buffer)
        buffer = on_device(buffer, self._device)
        self.buffer = with_lod(buffer, self.levels) if self.levels else buffer

    def reshape(self, shape: Sequence[int]) -> None:
        """Sets the shape.

        Contents of as many elements stay; others are dropped. An array that is copied in later
        brings its own shape.

        Args:
            shape (list): the sizes.
        """
        if isinstance(shape, (int, np.integer)):
            raise NotImplementedError(
                f"reshape({shape}): a single number is the length of a list of texts, and there "
                "are no operators here that take these; give a list of sizes."
            )
        sizes = [int(n) for n in shape]
        if any(n < 0 for n in sizes):
            raise InvalidArgumentError(
                f"reshape: input {self._name!r}: expected sizes that are not negative, but "
                f"received {sizes}."
            )
        self._asked = sizes
        if self.buffer is None:
            return
        count = 1
        for n in sizes:
            count *= n
        if count == self.buffer.numel():
            self.buffer = with_lod(self.buffer.reshape(sizes), self.levels)
        else:
            self.buffer = None

    def set_lod(self, lod: Any) -> None:
        """Sets the offsets that split the rows into sequences.

        Args:
            lod (list|np.ndarray): for each level the offsets, from 0 to the number of rows (or
                of sequences of the level below).

        Raises:
            InvalidArgumentError: offsets do not begin with 0, or fall.
        """
        held = LoDTensor()
        held.set_lod(lod)
        self.levels = held.lod()
        self._plain = self._plain and not self.levels
        if self.buffer is not None:
            self.buffer = with_lod(self.buffer, self.levels)

    def ready(self) -> Any:
        """Returns the contents for a run.

        Raises:
            PreconditionNotMetError: there are none.
            InvalidArgumentError: the LoD does not fit them.
        """
        if self.buffer is None:
            came = f"; reshape({self._asked}) alone sets no contents" if self._asked else ""
            raise PreconditionNotMetError(
                f"Predictor.run: input {self._name!r} was not set{came}.",
                hint=f"predictor.get_input_handle({self._name!r}).copy_from_cpu(array)",
            )
        if self.levels:
            check_lod(self._name, self.levels, self.buffer)
        return self.buffer

    # -- outputs --------------------------------------------------------------------------------

    def copy_to_cpu(self) -> np.ndarray:
        """Returns the contents as an array of its own memory (bfloat16 as uint16).

        Raises:
            PreconditionNotMetError: there are none yet.
        """
        if self.buffer is None:
            what = "was not set" if self._expected else "has no value: run() comes first"
            raise PreconditionNotMetError(f"copy_to_cpu: {self._name!r} {what}.")
        return array_of(self.buffer)

    # -- both -----------------------------------------------------------------------------------

    def shape(self) -> list[int]:
        """Returns the sizes; [0] where there are no contents and none were set."""
        if self.buffer is None:
            return [0] if self._asked is None else list(self._asked)
        return [len(self.buffer)] if isinstance(self.buffer, list) else list(self.buffer.shape)

    def is_shapeless(self) -> bool:
        """Says whether there are no contents, and no sizes were set."""
        return self.buffer is None and self._asked is None

    def lod(self) -> list[list[int]]:
        """Returns the offsets of every level."""
        if self._expected is not None:
            return [list(level) for level in self.levels]
        return lod_of(self.buffer)

    def type(self) -> DataType:
        """Returns the data type, that which the model states where there are no contents."""
        if self.buffer is not None:
            first = self.buffer[0] if isinstance(self.buffer, list) else self.buffer
            return data_type_of(kind_of(first))
        return data_type_of(self._expected.kind) if self._expected else DataType.FLOAT32

    def __repr__(self) -> str:
        return f"<paddle.inference.Tensor {self._name!r}, shape {self.shape()}>"


def check_lod(name: str, levels: list[list[int]], buffer: Any) -> None:
    """Raises InvalidArgumentError where levels do not fit the rows of an input, or one another.

    Args:
        name (str): the input.
        levels (list): the offsets of every level.
        buffer: the contents.
    """
    rows = buffer.shape[0] if len(buffer.shape) else 1
    counts = [len(level) - 1 for level in levels[1:]] + [rows]
    for level, count in zip(levels, counts, strict=True):
        if level[-1] != count:
            raise InvalidArgumentError(
                f"Predictor.run: input {name!r}: the offsets {level} end at {level[-1]}, but they "
                f"split {count} rows or sequences; the shape is {list(buffer.shape)}."
            )
