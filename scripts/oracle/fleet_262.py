"""Writes tests/data/fleet with PaddlePaddle 2.6.2: text of strategies, metrics of one process.

Run from / with the real release: `python scripts/oracle/fleet_262.py tests/data/fleet`.
Its own setter of dictionaries needs an older protobuf than is installed; the message is filled here.
"""

import json
import os
import sys

import numpy as np

import paddle
import paddle.distributed.fleet as fleet
from paddle.distributed.fleet.base import distributed_strategy

distributed_strategy.get_msg_dict = lambda message: {  # it asks for what protobuf dropped
    f.name: list(getattr(message, f.name)) if f.is_repeated else getattr(message, f.name)
    for f in message.DESCRIPTOR.fields
}

OUT = sys.argv[1]

PLAIN = {
    "amp": True, "recompute": True, "localsgd": True, "a_sync": False, "nccl_comm_num": 3,
    "sync_batch_norm": True, "fuse_grad_size_in_MB": 16, "last_comm_group_size_MB": 0.1,
    "gradient_merge": True, "lars": True, "dgc": True,
}  # fmt: skip
CONFIGS = {
    "amp_configs": {
        "init_loss_scaling": 1024.5, "decr_ratio": 0.7, "use_dynamic_loss_scaling": False,
        "custom_white_list": ["softmax", "a_b"],
    },
    "recompute_configs": {"checkpoints": ["fc_0.tmp_0", 'x"y'], "enable_offload": True,
                          "checkpoint_shape": [2, 3]},
    "localsgd_configs": {"k_steps": 4, "begin_step": 30},
    "gradient_merge_configs": {"k_steps": 8, "avg": False},
    "dgc_configs": {"rampup_begin_step": 5, "sparsity": [0.75, 0.9375, 0.999]},
    "lars_configs": {"lars_coeff": 0.01, "exclude_from_weight_decay": ["batch_norm", ".b"]},
    "a_sync_configs": {"k_steps": 100, "send_queue_size": 32, "launch_barrier": False},
}  # fmt: skip


def strategy():
    made = fleet.DistributedStrategy()
    for name, value in PLAIN.items():
        setattr(made.strategy, name, value)
    for name, given in CONFIGS.items():
        message = getattr(made.strategy, name)
        for key, value in given.items():
            if isinstance(value, list):
                getattr(message, key).extend(value)
            else:
                setattr(message, key, value)
    return made


def metrics():
    found = {}
    rng = np.random.RandomState(0)
    fleet.init(is_collective=True)
    x = rng.randn(3, 4).astype("float32")
    for name in ("sum", "max", "min"):
        found[name] = getattr(fleet.metrics, name)(x).tolist()
    pos, neg = rng.randint(0, 50, (1, 40)), rng.randint(0, 50, (1, 40))
    pos[0, :20] //= 3
    found["auc"] = [fleet.metrics.auc(pos, neg), fleet.metrics.auc(pos, neg * 0),
                    fleet.metrics.auc(pos * 0, neg * 0)]  # fmt: skip
    total, count = np.array([12.5]), np.array([40.0])
    for name in ("mae", "rmse", "mse", "acc"):
        found[name] = getattr(fleet.metrics, name)(total, count)
    given = {"x": x.tolist(), "pos": pos.tolist(), "neg": neg.tolist()}
    return {"given": given, "found": found}


class Alone:
    """A role maker of one process, as FleetUtil asks it."""

    def _barrier_worker(self):
        pass

    def _all_reduce(self, values, out):
        out[...] = values

    def _worker_index(self):
        return 0


def global_metrics():
    """FleetUtil.get_global_metrics over counts of random clicks, and what it prints."""
    from paddle.incubate.distributed.fleet import fleet_util

    paddle.enable_static()
    fleet_util.fleet = type("F", (), {"_role_maker": Alone(), "worker_index": lambda self: 0})()
    util = fleet_util.FleetUtil.__new__(fleet_util.FleetUtil)
    rng, scope, given = np.random.RandomState(1), paddle.static.global_scope(), {}
    shown = rng.randint(50, 500, (1, 200))
    clicked = rng.binomial(shown, np.clip((np.arange(200) + 0.5) / 200 * 1.2, 0, 1)[None])
    given["pos_b"], given["neg_b"] = clicked, shown - clicked
    for name, value in (("sqrerr", 123.5), ("abserr", 456.25), ("prob", 3000.0), ("q", 40.0),
                        ("pos", 2900.0), ("total", 9000.0)):  # fmt: skip
        given[name] = np.array([value], "float32")
    for name, value in given.items():
        scope.var(name).get_tensor().set(value, paddle.CPUPlace())
    found = util.get_global_metrics(scope, "pos_b", "neg_b")
    return {"given": {k: v.tolist() for k, v in given.items()}, "found": [float(x) for x in found]}


made = strategy()
made.save_to_prototxt(os.path.join(OUT, "strategy_262.prototxt"))
with open(os.path.join(OUT, "strategy_262.txt"), "w") as file:
    file.write(str(made))
with open(os.path.join(OUT, "strategy.json"), "w") as file:
    json.dump({"plain": PLAIN, "configs": CONFIGS}, file, indent=1)
with open(os.path.join(OUT, "metrics_262.json"), "w") as file:
    json.dump(metrics(), file)
with open(os.path.join(OUT, "global_metrics_262.json"), "w") as file:
    json.dump(global_metrics(), file)
