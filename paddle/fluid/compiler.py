"""ExecutionStrategy of 1.x, which has one switch more than 2.0's."""

from __future__ import annotations

from paddle.static import strategy

__all__ = ["ExecutionStrategy"]


class ExecutionStrategy(strategy.ExecutionStrategy):
    """How a compiled Program is run.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            how = fluid.ExecutionStrategy()
            how.num_threads = 2
            print(how.use_cuda)  # False
    """

    _cuda = False

    @property
    def use_cuda(self) -> bool:
        """No effect: the Executor's place says where a Program runs."""
        return self._cuda

    def __setattr__(self, name: str, value: object) -> None:
        if name == "use_cuda":
            self.__dict__["_cuda"] = bool(value)
        else:
            super().__setattr__(name, value)
