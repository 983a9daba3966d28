"""Adaptive local SGD: the longer, the lower loss and learning rate are, wait between averages."""

from __future__ import annotations

from paddle.core.dtype import VarType
from paddle.core.op import C
from paddle.distributed.fleet.meta_optimizers.base import Context
from paddle.distributed.fleet.meta_optimizers.localsgd import (
    LocalSGDOptimizer,
    average_when,
    counters,
    exchange,
    put,
    snapshots,
    start,
)
from paddle.distributed.fleet.meta_optimizers.programs import append, kept, updates
from paddle.ir.control.functions import cond
from paddle.ir.current import default_main_program, program_guard
from paddle.ir.variable import Variable

__all__ = ["AdaptiveLocalSGDOptimizer"]

_LONGEST = 16


class AdaptiveLocalSGDOptimizer(LocalSGDOptimizer):
    """``strategy.adaptive_localsgd``: local SGD that sets its number of local steps itself.

    After an average it is ``ceil(sqrt(lr_0 * loss / (lr * loss_0) * init_k_steps))``, from 1 to
    16, where ``loss_0`` and ``lr_0`` are those of the first step
    (https://arxiv.org/abs/1810.08313).
    """

    name = "adaptive_localsgd"

    def rewrite(self, context: Context) -> None:
        """Adds averages under a condition that changes."""
        given = context.strategy.adaptive_localsgd_configs
        main, startup = context.main_program, context.startup_program
        start(context)
        pairs = snapshots(main, startup)
        rate = _rate(context)
        first = given["init_k_steps"]
        with program_guard(main, startup), main._optimized_guard([]):
            count, last, begin = counters(main, startup, given["begin_step"])
            period = kept(main, startup, "k_steps", [1], "int64", first)
            mean, loss_0, lr_0 = (
                kept(main, startup, name, [1], "float32", 0.0)
                for name in ("avg_loss", "loss_0", "lr_0")
            )
            one = kept(main, startup, "@LOCALSGD_ONE@", [1], "int64", 1)

            def note() -> None:
                _mean_loss(context, mean)
                put(mean, loss_0)
                put(rate, lr_0)

            def average() -> None:
                exchange(pairs, context.worker_num)
                put(count, last)

            def average_and_adapt() -> None:
                average()
                _mean_loss(context, mean)
                put(_steps(lr_0 * mean / (rate * loss_0) * float(first)), period)

            cond(C.equal(count, one, axis=-1), note)
            average_when(count, last, begin, period, average, average_and_adapt)


def _rate(context: Context) -> Variable:
    """The variable of the learning rate."""
    block = context.main_program.global_block()
    names = [op.input("LearningRate")[0] for op in updates(block)]
    found = [block._var_recursive(name) for name in names]
    # That of a parameter with a factor of its own is a result of the step.
    return next((rate for rate in found if rate.persistable), found[0])


def _mean_loss(context: Context, mean: Variable) -> None:
    """Adds the mean of the loss over the processes."""
    block = default_main_program().current_block()
    loss = context.loss
    if loss.dtype != VarType.FP32:
        loss = C.cast(loss, in_dtype=loss.dtype, out_dtype=VarType.FP32)
    append(block, "scale", {"X": loss}, {"Out": mean}, {"scale": 1.0 / context.worker_num})
    append(block, "c_allreduce_sum", {"X": mean}, {"Out": mean}, {"ring_id": 0})
    append(block, "c_sync_comm_stream", {"X": mean}, {"Out": mean}, {"ring_id": 0})


def _steps(wanted: Variable) -> Variable:
    whole = C.clip(C.ceil(C.sqrt(wanted)), min=1.0, max=float(_LONGEST))
    return C.cast(whole, in_dtype=VarType.FP32, out_dtype=VarType.INT64)
