"""DistributeTranspilerConfig: how DistributeTranspiler of 1.x rewrites Programs."""

from __future__ import annotations

from typing import Any

__all__ = ["DistributeTranspilerConfig"]


class DistributeTranspilerConfig:
    """How a Program is cut for parameter servers.

    Attributes:
        slice_var_up (bool): parameters are cut into blocks. Default: True.
        split_method (class): deals blocks out to servers. Default: RoundRobin.
        min_block_size (int): the smallest number of elements of a block. Default: 8192.
        sync_mode (bool): servers wait for all trainers. Default: True.
        mode (str): ``pserver``. Default: pserver.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            config = fluid.DistributeTranspilerConfig()
            config.slice_var_up = False
    """

    slice_var_up = True
    split_method: Any = None
    min_block_size = 8192
    enable_dc_asgd = False
    mode = "pserver"
    print_log = False
    wait_port = True
    geo_sgd_mode = False
    geo_sgd_need_push_nums = 100
    nccl_comm_num = 1
    use_hierarchical_allreduce = False
    hierarchical_allreduce_inter_nranks = 0
    collective_mode: Any = None
    half_async = False
    completely_not_async = False

    def __init__(self) -> None:
        self._runtime_split_send_recv = False
        self._sync_mode = True

    @property
    def runtime_split_send_recv(self) -> bool:
        """Whether sending and receiving cuts blocks while it runs; only without ``sync_mode``."""
        return self._runtime_split_send_recv

    @runtime_split_send_recv.setter
    def runtime_split_send_recv(self, value: bool) -> None:
        if value is None:
            raise ValueError("runtime_split_send_recv: expected a bool, but received None.")
        if value and self._sync_mode:
            raise ValueError(
                "runtime_split_send_recv: expected sync_mode to be False before it is True."
            )
        self._runtime_split_send_recv = value

    @property
    def sync_mode(self) -> bool:
        """Whether servers wait for all trainers."""
        return self._sync_mode

    @sync_mode.setter
    def sync_mode(self, value: bool) -> None:
        if value is None:
            raise ValueError("sync_mode: expected a bool, but received None.")
        if value and self._runtime_split_send_recv:
            raise ValueError(
                "sync_mode: expected runtime_split_send_recv to be False before it is True."
            )
        self._sync_mode = value
