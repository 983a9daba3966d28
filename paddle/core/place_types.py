"""Place classes: names of where a tensor lives, as PaddlePaddle writes them."""

from __future__ import annotations

import numbers

from paddle.core.errors import InvalidArgumentError


class Place:
    """Base of all places; two places are equal when kind and device number are.

    ``kind`` is the name of the record in :mod:`paddle.core.backends` that the place belongs to.
    """

    kind = "undefined"

    def get_device_id(self) -> int:
        """Returns the number of the device (0 on a CPU)."""
        return getattr(self, "_id", 0)

    def set_place(self, place: Place) -> None:
        """Makes it stand for another place, as tests of 2.0 do with ``core.Place()``.

        Args:
            place (Place): the other one.
        """
        self.kind, self._id = place.kind, place.get_device_id()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Place):
            return False
        return self.kind == other.kind and self.get_device_id() == other.get_device_id()

    def __hash__(self) -> int:
        return hash((self.kind, self.get_device_id()))

    def __repr__(self) -> str:
        return type(self).__name__

    def is_cpu_place(self) -> bool:
        """True for :class:`CPUPlace`."""
        return self.kind == "cpu"

    def is_gpu_place(self) -> bool:
        """True for :class:`CUDAPlace`."""
        return self.kind == "gpu"

    def is_cuda_pinned_place(self) -> bool:
        """True for :class:`CUDAPinnedPlace`."""
        return self.kind == "pinned"

    def is_xpu_place(self) -> bool:
        """True for :class:`XPUPlace`."""
        return self.kind == "xpu"

    def is_custom_place(self) -> bool:
        """True for :class:`CustomPlace`."""
        return isinstance(self, CustomPlace)

    def _equals(self, other: object) -> bool:
        return self == other


class CPUPlace(Place):
    """Main memory.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.to_tensor(1, place=paddle.CPUPlace()).place)  # CPUPlace
    """

    kind = "cpu"


class CUDAPinnedPlace(Place):
    """Page-locked main memory, from which a GPU copies faster and asynchronously.

    Without a GPU build the memory is ordinary; the place is remembered all the same.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.CUDAPinnedPlace())  # CUDAPinnedPlace
    """

    kind = "pinned"


class NumberedPlace(Place):
    """Base of the places of devices of which a machine may have several.

    Args:
        dev_id (int): number of the device, from 0.
    """

    def __init__(self, dev_id: int) -> None:
        name = type(self).__name__
        if isinstance(dev_id, bool) or not isinstance(dev_id, numbers.Integral):
            raise TypeError(
                f"{name}(dev_id): expected an int, but received {type(dev_id).__name__}."
            )
        if dev_id < 0:
            raise InvalidArgumentError(
                f"{name}(dev_id): expected a number of at least 0, but received {dev_id}."
            )
        self._id: int = int(dev_id)  # NumPy's numbers, too

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._id})"


class CUDAPlace(NumberedPlace):
    """A GPU.

    Args:
        dev_id (int): number of the GPU, from 0.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.CUDAPlace(0))  # CUDAPlace(0)
    """

    kind = "gpu"


class XPUPlace(NumberedPlace):
    """An XPU: Kunlun's, by a plug-in, or Intel's, where torch was built for those.

    Args:
        dev_id (int): number of the device, from 0.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.XPUPlace(0))  # XPUPlace(0)
    """

    kind = "xpu"


class CustomPlace(NumberedPlace):
    """A device of a kind that a plug-in brings (2.3 and later).

    Args:
        dev_type (str): the kind, as in ``paddle.set_device("npu:0")``.
        dev_id (int): number of the device, from 0.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.CustomPlace("npu", 0))  # CustomPlace(npu, 0)
    """

    def __init__(self, dev_type: str, dev_id: int) -> None:
        if not isinstance(dev_type, str):
            raise TypeError(
                f"CustomPlace(dev_type): expected a str, but received {type(dev_type).__name__}."
            )
        super().__init__(dev_id)
        self.kind = dev_type

    def get_device_type(self) -> str:
        """Returns the kind of the device."""
        return self.kind

    def __repr__(self) -> str:
        return f"CustomPlace({self.kind}, {self._id})"
