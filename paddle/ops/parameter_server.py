"""Operators of training with parameter servers.

Those that talk to servers have no kernel: plans call the worker's connection
(``paddle/executor/emitters/parameter_server.py``). The others work on what is here.
"""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import REQUIRED, define, op

_ENDPOINT = "127.0.0.1:6164"
_FP32 = 5


def _declare(name: str, slots: str, **attrs: Any) -> None:
    define(name, slots, None, differentiable=False, effects=True, attrs=attrs)


# -- trainers --------------------------------------------------------------------------------------

_declare(
    "send", "X*? -> Out*?", table_id=0, is_sparse=0, send_varnames=[], trainer_id=0,
    epmap=[_ENDPOINT], endpoints=[_ENDPOINT], sections=[], num=0, merge_add=False,
    use_send_handler=True,
)  # fmt: skip
_declare(
    "recv", "X*? -> Out*?", epmap=[], trainer_id=0, with_barrier=True, varnames=[],
    recv_varnames=[], do_not_run=0,
)  # fmt: skip
_declare("send_barrier", "X*? -> Out*?", trainer_id=0, endpoints=[_ENDPOINT], half_async=False)
_declare("fetch_barrier", "X*? -> Out*?", trainer_id=0, endpoints=[_ENDPOINT])
_declare(
    "distributed_lookup_table", "Ids* W -> Outputs*", table_id=0, is_distributed=False,
    lookup_table_version="lookup_table", padding_idx=-1, dtype=_FP32, is_test=False,
    table_names=[""], height_sections=[], endpoints=[_ENDPOINT], pserver_num=0, trainer_id=0,
)  # fmt: skip
_declare(
    "distributed_lookup_table_grad", "Ids* W? Outputs@GRAD* ->", table_id=0, is_distributed=False,
    lookup_table_version="lookup_table", padding_idx=-1, dtype=_FP32, is_test=False,
)  # fmt: skip
_declare(
    "distributed_push_sparse", "Ids* Shows*? Clicks*? -> Outputs*?", table_id=0, size=8,
    is_distributed=False, push_sparse_version="push_sparse", padding_idx=-1, dtype=_FP32,
    is_test=False, use_cvm_op=False,
)  # fmt: skip
_declare("prefetch", "X* -> Out*", trainer_id=0, epmap=[_ENDPOINT])
_declare(
    "checkpoint_notify", "->", epmap=[_ENDPOINT], dir="", lookup_table="", trainer_id=0,
    endpoints=[], dirname="", varname="", slice_varnames=[], remote_varnames=[], mode=0,
)  # fmt: skip
_declare(
    "recv_save", "->", dtype=_FP32, overwrite=True, file_path=REQUIRED, shape=[],
    slice_varnames=[], remote_varnames=[], slice_shapes=[], endpoints=[], trainer_id=0,
    is_sparse=False, pserver_num=0, is_distributed=False,
)  # fmt: skip
_declare(
    "send_and_recv", "X*? -> Out*?", message_name="", mode="forward", send_var_name=REQUIRED,
    recv_var_name=REQUIRED, trainer_id=0, endpoint=_ENDPOINT, endpoints=[_ENDPOINT],
    next_endpoints=[_ENDPOINT], previous_endpoints=[_ENDPOINT],
)  # fmt: skip
_PULL = {
    "EmbeddingDim": 11, "TableId": 0, "AccessorClass": "", "CtrLabelName": "", "PaddingId": 0,
    "ScaleSparseGrad": True, "InputNames": [], "is_distributed": True,
}  # fmt: skip
for _name in ("pull_sparse", "pull_sparse_v2"):
    _declare(_name, "Ids* W*? -> Out*", **_PULL)
    _declare(f"push_{_name[5:]}", "Ids* W*? Out@GRAD* -> Out@GRAD*?", **_PULL)
_declare("push_dense", "Ids*? ->", TableId=-1, ScaleDataNorm=-1.0, InputNames=[])

# -- servers ---------------------------------------------------------------------------------------

_declare(
    "listen_and_serv", "X*? ->", endpoint=_ENDPOINT, pserver_id=-1, grad_to_block_id=[],
    distributed_mode=0, dc_asgd=False, optimize_blocks=[], prefetch_var_name_to_block_id=[],
    sparse_grad_to_param=[], Fanin=1, checkpint_block_id=-1, lr_decay_block_id=-1,
    rpc_get_thread_num=1, rpc_send_thread_num=1, rpc_prefetch_thread_num=1,
)  # fmt: skip
_declare(
    "heter_listen_and_serv", "X*? ->", endpoint=_ENDPOINT, pserver_id=-1, message_to_block_id=[],
    distributed_mode=0, optimize_blocks=[], fanin=1, rpc_exec_thread_num=1,
)  # fmt: skip
_TABLE = {"tablename": REQUIRED, "value_names": REQUIRED}
_ENTRY = {"is_entry": REQUIRED, **_TABLE}
_declare(
    "lookup_sparse_table", "W Ids -> Out", padding_idx=-1, auto_grown_table=True, is_test=False
)
_declare("lookup_sparse_table_init", "->", large_scale_metas=[])
_declare("lookup_sparse_table_read", "Ids -> Out*", init=False, **_TABLE)
_declare("lookup_sparse_table_write", "Ids In* ->", **_TABLE)
_declare("lookup_sparse_table_merge", "X* -> Out")
_declare("lookup_sparse_table_grad_split", "Grad -> Row Value", is_entry=REQUIRED,
         tablename=REQUIRED)  # fmt: skip
_declare("lookup_sparse_table_fuse_sgd", "Grad LearningRate ->", **_ENTRY)
_declare(
    "lookup_sparse_table_fuse_adam",
    "Grad Beta1Pow Beta2Pow LearningRate -> Beta1PowOut Beta2PowOut",
    beta1=0.9, beta2=0.999, epsilon=1e-8, **_ENTRY,
)  # fmt: skip

# -- what needs no server --------------------------------------------------------------------------

define("split_ids", "Ids* -> Out*", None, differentiable=False)
# Where its value would come from a server: a variable of this shape without values.
define("fake_init", "-> Out", None, differentiable=False, attrs={"shape": REQUIRED})


def _heights(shape: Any, sections: Any, num: int) -> list[int]:
    """How many rows the parts have."""
    if not len(shape):
        raise InvalidArgumentError("split_byref: expected X with rows, but received a number.")
    if sections:
        heights = [int(n) for n in sections]
        if shape[0] >= 0 and sum(heights) != shape[0]:
            raise InvalidArgumentError(
                f"split_byref(sections): expected {shape[0]} rows together, but received {heights}."
            )
        return heights
    if num < 1 or (shape[0] >= 0 and shape[0] % num):
        raise InvalidArgumentError(
            f"split_byref(num): expected a divisor of {shape[0]} rows, but received {num}."
        )
    return [shape[0] // num if shape[0] >= 0 else -1] * num


def _split_rule(inputs: list, attrs: dict) -> list:
    x = inputs[0]
    heights = _heights(x.shape, attrs["sections"], attrs["num"])
    return [[Spec((n, *x.shape[1:]), x.dtype) for n in heights]]


@op("split_byref", "X -> Out*", infer=_split_rule, differentiable=False)
def split_byref(x, *, sections=(), num=0):
    """Parts of so many rows each, in the memory of X."""
    return list(x.split(_heights(x.shape, sections, num)))


def _one_of(inputs: list, attrs: dict) -> list[Spec]:
    shapes = [p.shape for p in inputs[0]]
    same = len({len(s) for s in shapes}) == 1
    first = inputs[0][0]
    if not same:
        return [first]
    sizes = zip(*shapes, strict=True)
    return [Spec(tuple(s[0] if len(set(s)) == 1 else -1 for s in sizes), first.dtype)]


@op("ref_by_trainer_id", "X* TrainerId -> Out", infer=_one_of, differentiable=False)
def ref_by_trainer_id(x, trainer):
    """What belongs to a trainer, by its number."""
    if trainer.numel() != 1:
        raise InvalidArgumentError(
            f"ref_by_trainer_id: expected one number as TrainerId, but received {trainer.numel()}."
        )
    if trainer.is_meta:
        return x[0].view_as(x[0])
    number = int(trainer)
    if not 0 <= number < len(x):
        raise InvalidArgumentError(
            f"ref_by_trainer_id: expected a number below {len(x)}, that of trainers, but "
            f"received {number}."
        )
    return torch.Tensor.view_as(x[number], x[number])
