"""What every switch of a DistributedStrategy does here; docs/static.md has it as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddle.distributed.fleet.base.strategy_fields import fields

if TYPE_CHECKING:
    from paddle.distributed.fleet.base.distributed_strategy import DistributedStrategy

_GPUS = "no effect: connections are gloo's or nccl's own affair"
_KERNELS = "no effect: ATen and its libraries choose the kernels"
_SELF = "a warning: switch on what you want"
# Field -> what it does; a key of its dictionary, `field.key`, is named only where it does nothing.
EFFECTS = {
    "mode": "no property: kept when a file has it",
    "amp": "mixed precision; an overflow that one process finds counts for all",
    "recompute": "what lies between `checkpoints` is computed again for backward",
    "recompute_configs.enable_offload": "a warning: checkpoints stay where they are computed",
    "recompute_configs.checkpoint_shape": "no effect, as offloading has none",
    "localsgd": "each process trains alone; parameters are averaged every `k_steps`",
    "dgc": "only the largest gradients are exchanged; with Momentum",
    "gradient_merge": "gradients of `k_steps` steps are added up (`avg`: averaged), then used once",
    "lars": "Momentum becomes LARS",
    "lamb": "Adam becomes LAMB",
    "pipeline": "sections of `device_guard` run in processes of their own, over micro-batches",
    "elastic": "no effect: `launch --max_restarts` starts lost processes again",
    "auto": _SELF,
    "a_sync": "parameter servers: False waits for all workers at each step, True does not",
    "a_sync_configs.runtime_split_send_recv": "no effect: parameters are cut when they are sent",
    "a_sync_configs.heter_worker_device_guard": "no effect: there are no heter workers",
    "sync_nccl_allreduce": _GPUS,
    "nccl_comm_num": _GPUS,
    "use_hierarchical_allreduce": _GPUS,
    "hierarchical_allreduce_inter_nranks": _GPUS,
    "sync_batch_norm": "batches are normalized by the statistics of all processes",
    "fuse_all_reduce_ops": "gradients are exchanged in buckets; False: one by one",
    "fuse_grad_size_in_MB": "the size of a bucket; `fleet.distributed_model` takes it too",
    "fuse_grad_size_in_TFLOPS": "no effect: buckets are measured in MB",
    "cudnn_exhaustive_search": _KERNELS,
    "conv_workspace_size_limit": _KERNELS,
    "cudnn_batchnorm_spatial_persistent": _KERNELS,
    "adaptive_localsgd": "the same as `localsgd`, which finds out how often by the loss",
    "fp16_allreduce": "gradients of float32 are exchanged in 16 bits",
    "sharding": "each process keeps a part of the parameters and of what the optimizer keeps",
    "last_comm_group_size_MB": "the size of the first bucket of `fleet.distributed_model`",
    "build_strategy": "as above, on the rewritten Program",
    "execution_strategy": "as above; `num_iteration_per_run` on the rewritten Program",
}


def effects_table() -> str:
    """Returns what every switch does here as a table of Markdown."""
    lines = ["| `fleet.DistributedStrategy` | default | what it does here |", "|---|---|---|"]
    for name, text in EFFECTS.items():
        field, _, key = name.partition(".")
        described = fields()[field]
        if key:
            described = fields(described.kind)[key]
        default = "[]" if described.repeated else described.default or "its switches"
        default = default.capitalize() if described.kind == "bool" else default
        lines.append(f"| `{name}` | `{default}` | {text} |")
    return "\n".join(lines)


def without_effect(strategy: DistributedStrategy) -> dict[str, str]:
    """Returns what was changed in a strategy and does nothing here, each with the reason.

    Args:
        strategy (DistributedStrategy): the user's.
    """
    plain = type(strategy)()
    told = {name: text for name, text in EFFECTS.items() if text.startswith("no effect")}
    return {n: text for n, text in told.items() if _value(strategy, n) != _value(plain, n)}


def _value(strategy: DistributedStrategy, name: str) -> Any:
    """What a switch is set to, or a key of its dictionary."""
    field, _, key = name.partition(".")
    # One switch of the message has an underscored name only.
    found = getattr(strategy, field if hasattr(strategy, field) else f"_{field}")
    return found[key] if key else found
