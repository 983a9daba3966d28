"""Deep gradient compression: after some steps only the largest gradients are exchanged."""

from __future__ import annotations

import math
from typing import Any

from paddle.core.dtype import VarType
from paddle.distributed.fleet.meta_optimizers.base import Context, MetaOptimizer
from paddle.distributed.fleet.meta_optimizers.lars import is_momentum
from paddle.distributed.fleet.meta_optimizers.programs import (
    decay_of,
    insert,
    kept,
    replace,
    sparse_gradient,
    updates,
)
from paddle.ir.block import Block
from paddle.ir.operator import Operator, Role
from paddle.ir.variable import Variable
from paddle.nn.clip import ClipGradByNorm
from paddle.regularizer import L1Decay, L2Decay

__all__ = ["DGCOptimizer"]

_LEAST = 16384  # smaller parameters are updated as by Momentum


class DGCOptimizer(MetaOptimizer):
    """``strategy.dgc``: ``dgc`` and ``dgc_allreduce`` in place of the exchange of large gradients.

    From step ``rampup_begin_step`` on, each process sends the part of a gradient that is largest
    among what has accumulated; the rest waits. Momentum is corrected for it, see
    https://arxiv.org/abs/1712.01887.
    """

    name = "dgc"
    may_wrap = frozenset({"sync_batch_norm", "graph_execution"})

    def obstacle(self, context: Context) -> str:
        """Says what is missing: the job may be of another kind, the optimizer another one."""
        optimizer = context.user_optimizer
        if not is_momentum(optimizer):
            return f"the optimizer is {type(optimizer).__name__}, not Momentum"
        if context.worker_num < 2:
            return "there is one process only"
        clip = getattr(optimizer, "_grad_clip", None)
        if clip is not None and not isinstance(clip, ClipGradByNorm):
            return f"gradients are clipped by {type(clip).__name__}, not ClipGradByNorm"
        return super().obstacle(context)

    def rewrite(self, context: Context) -> None:
        """Replaces exchange and update of large parameters."""
        block = context.main_program.global_block()
        raw = {p.name: g for p, g in context.params_grads if g is not None}
        chosen = [
            op
            for op in updates(block)
            if op.type == "momentum" and _large(block, op, raw[op.input("Param")[0]])
        ]
        if not chosen:
            return
        main, startup = context.main_program, context.startup_program
        step = kept(main, startup, "__g_dgc_counter__", [1], "float32", -1.0)
        ranks = kept(main, startup, "__g_nranks__", [1], "float32", float(context.worker_num))
        insert(block, 0, "increment", {"X": step}, {"Out": step}, {"step": 1.0}, Role.LR_SCHED)
        for op in chosen:
            _compress(context, op, raw[op.input("Param")[0]], step, ranks)


def _large(block: Block, op: Operator, grad: Variable) -> bool:
    param = block._var_recursive(op.input("Param")[0])
    enough = math.prod(param.shape) >= _LEAST
    return enough and param.dtype == VarType.FP32 and not sparse_gradient(block, grad.name)


def _compress(
    context: Context, op: Operator, grad: Variable, step: Variable, ranks: Variable
) -> None:
    """Changes exchange and update of one parameter."""
    block, given = op.block, context.strategy.dgc_configs
    (name,) = op.input("Param")
    begin = float(given["rampup_begin_step"])
    mu, nesterov = op.attr("mu"), bool(op.attr("use_nesterov"))
    kind, coeff = _penalty(context.user_optimizer, block.var(name))
    final = op.input("Grad")[0]
    _drop_preparation(block, name, grad.name, final)
    exchange = next(
        o for o in block.ops if o.type == "c_allreduce_sum" and o.input("X") == [grad.name]
    )
    at = exchange.idx
    block._remove_op(at)
    clip = getattr(context.user_optimizer, "_grad_clip", None)
    if clip is not None and block.var(name).need_clip:
        attrs = {"max_norm": clip.clip_norm / math.sqrt(context.worker_num),
                 "rampup_begin_step": begin}  # fmt: skip
        insert(
            block, at, "dgc_clip_by_norm", {"X": grad, "current_step": step}, {"Out": grad}, attrs
        )
        at += 1
    main, startup = context.main_program, context.startup_program
    shape = block.var(name).shape
    u, v = (kept(main, startup, f"{name}__dgc_{s}__", shape, "float32", 0.0) for s in "uv")
    count = block.create_var(name=block.unused_name(f"{name}__dgc_k__"), shape=[1], dtype="float32")
    inputs = {"U": u, "V": v, "Grad": grad, "Param": name, "current_step": step, "nranks": ranks}
    insert(
        block, at, "dgc", inputs, {"U_out": u, "V_out": v, "Grad_out": grad, "k": count},
        {
            "m": mu, "use_nesterov": nesterov, "rampup_begin_step": begin,
            "rampup_step": float(given["rampup_step"]),
            "sparsity": list(given["sparsity"]) or [0.999],
            "regular_coeff": coeff, "regular_type": kind,
        },
    )  # fmt: skip
    insert(block, at + 1, "dgc_allreduce", {"X": grad, "k": count}, {"Out": grad}, {"ring_id": 0})
    slots: dict[str, Any] = {s: op.input(s) for s in ("Param", "Velocity", "LearningRate")}
    slots |= {"Grad": [grad.name], "current_step": [step.name], "nranks": [ranks.name]}
    attrs = {"mu": mu, "use_nesterov": nesterov, "rampup_begin_step": begin}
    made = replace(op, "dgc_momentum", slots, attrs)
    made.outputs["Grad_out"] = [grad.name]


def _penalty(optimizer: Any, param: Variable) -> tuple[int, float]:
    """How the weights of a parameter decay: 0 not, 1 as L1, 2 as L2; and how strongly."""
    own = getattr(param, "regularizer", None)
    decay = own if own is not None else decay_of(optimizer, param)
    if isinstance(decay, L1Decay):
        return 1, float(decay.coeff)
    return (2, float(decay.coeff)) if isinstance(decay, L2Decay) else (0, 0.0)


def _drop_preparation(block: Block, param: str, grad: str, final: str) -> None:
    """Takes out what clips the gradient of one parameter and adds a penalty: `dgc` does both."""
    for op in list(block.ops):
        if op.role & Role.OPTIMIZE and op.attr("op_role_var")[:1] == [param]:
            reads = set(op.input_arg_names)
            if "Param" not in op.inputs and reads & {grad, final, param}:
                block._remove_op(op.idx)
