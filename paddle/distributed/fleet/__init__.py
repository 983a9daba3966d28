"""fleet, the interface to training on many machines: its names can be imported, not yet used."""

from __future__ import annotations

from paddle.core.not_yet import NotYet

_ADVICE = (
    "use the model and the optimizer as they are; in one process paddle.DataParallel(model) is the "
    "model, and paddle.distributed.get_rank() and get_world_size() answer"
)
_NAMES = (
    "DatasetBase", "DistributedStrategy", "Fleet", "InMemoryDataset", "MultiSlotDataGenerator",
    "MultiSlotStringDataGenerator", "PaddleCloudRoleMaker", "QueueDataset", "Role",
    "UserDefinedRoleMaker", "UtilBase", "barrier_worker", "clear_grad", "distributed_model",
    "distributed_optimizer", "fleet", "get_lr", "init", "init_server", "init_worker",
    "is_first_worker", "is_server", "is_worker", "metrics", "minimize", "run_server",
    "save_inference_model", "save_persistables", "server_endpoints", "server_index", "server_num",
    "set_lr", "set_state_dict", "shrink", "state_dict", "step", "stop_worker", "util", "utils",
    "worker_endpoints", "worker_index", "worker_num",
)  # fmt: skip

globals().update({name: NotYet(f"paddle.distributed.fleet.{name}", _ADVICE) for name in _NAMES})

__all__ = list(_NAMES)
