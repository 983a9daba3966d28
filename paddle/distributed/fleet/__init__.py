"""fleet: one interface to training in many processes, collective or with parameter servers."""

from __future__ import annotations

from operator import attrgetter

from paddle.distributed.dataset import (
    BoxPSDataset,
    DatasetBase,
    FileInstantDataset,
    InMemoryDataset,
    QueueDataset,
)
from paddle.distributed.fleet import metrics, utils
from paddle.distributed.fleet.base.distributed_strategy import DistributedStrategy
from paddle.distributed.fleet.base.fleet_base import Fleet, fleet
from paddle.distributed.fleet.base.role_maker import (
    PaddleCloudRoleMaker,
    Role,
    UserDefinedRoleMaker,
)
from paddle.distributed.fleet.base.util_factory import UtilBase
from paddle.distributed.fleet.data_generator import (
    MultiSlotDataGenerator,
    MultiSlotStringDataGenerator,
)

# What scripts of 2.0 look at after minimize.
_final_strategy, _get_applied_meta_list, _get_applied_graph_list = attrgetter(
    "_final_strategy", "_get_applied_meta_list", "_get_applied_graph_list"
)(fleet)
util = fleet.util
init = fleet.init
is_first_worker = fleet.is_first_worker
worker_index = fleet.worker_index
worker_num = fleet.worker_num
is_worker = fleet.is_worker
worker_endpoints = fleet.worker_endpoints
server_num = fleet.server_num
server_index = fleet.server_index
server_endpoints = fleet.server_endpoints
is_server = fleet.is_server
barrier_worker = fleet.barrier_worker
init_worker = fleet.init_worker
init_server = fleet.init_server
run_server = fleet.run_server
stop_worker = fleet.stop_worker
save_inference_model = fleet.save_inference_model
save_persistables = fleet.save_persistables
shrink = fleet.shrink
distributed_optimizer = fleet.distributed_optimizer
distributed_model = fleet.distributed_model
minimize = fleet.minimize
step = fleet.step
clear_grad = fleet.clear_grad
get_lr = fleet.get_lr
set_lr = fleet.set_lr
state_dict = fleet.state_dict
set_state_dict = fleet.set_state_dict

__all__ = [
    "BoxPSDataset", "DatasetBase", "DistributedStrategy", "FileInstantDataset", "Fleet",
    "InMemoryDataset", "MultiSlotDataGenerator", "MultiSlotStringDataGenerator",
    "PaddleCloudRoleMaker", "QueueDataset", "Role", "UserDefinedRoleMaker", "UtilBase",
    "barrier_worker", "clear_grad", "distributed_model", "distributed_optimizer",
    "fleet", "get_lr", "init", "init_server", "init_worker", "is_first_worker",
    "is_server", "is_worker", "metrics", "minimize", "run_server",
    "save_inference_model", "save_persistables", "server_endpoints", "server_index", "server_num",
    "set_lr", "set_state_dict", "shrink", "state_dict", "step", "stop_worker", "util", "utils",
    "worker_endpoints", "worker_index", "worker_num",
]  # fmt: skip
