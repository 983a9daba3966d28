"""Operators without a kernel: control flow, tensor arrays, input and output, calls of Python.

Plans write code of their own for them (``paddle/executor/emitters/``). What they read and write is
as good as open; a slot without ``?`` is one that they cannot do without.
"""

from __future__ import annotations

from typing import Any

from paddle.core.op import REQUIRED, define


def _declare(name: str, slots: str, **traits: Any) -> None:
    define(name, slots, None, differentiable=False, **traits)


_BODY = {"sub_block": REQUIRED}

# -- input and output ------------------------------------------------------------------------------

_declare("feed", "X -> Out")
_declare("fetch", "X -> Out", rank0=True)
_declare("print", "In -> Out?", effects=True, rank0=True)
_declare("assert", "Cond Data*? ->", effects=True)
_declare("py_func", "X*? -> Out*?", effects=True)
_declare("save", "X -> kLookupTablePath?", effects=True)
_declare("save_combine", "X* -> Y?", effects=True)
_declare("load", "-> Out", effects=True)
_declare("load_combine", "X*? -> Out*", effects=True)
_declare("delete_var", "X* ->", effects=True)
_declare("get_places", "-> Out")

# -- between processes (see also collective.py) ----------------------------------------------------

_RING: dict[str, Any] = {"ring_id": 0, "use_calc_stream": False}
_PEER: dict[str, Any] = {**_RING, "peer": 0}
_GOT: dict[str, Any] = {**_PEER, "dtype": 5, "out_shape": []}
_PART = {"num": 1, "id": 0}
_ID: dict[str, Any] = {"endpoint": REQUIRED, "other_endpoints": [], "rank": 0, "ring_id": 0}
_declare("send_v2", "X ->", effects=True, attrs={**_PEER, "dynamic_shape": False})
_declare("recv_v2", "-> Out", effects=True, attrs={**_GOT, "dynamic_shape": False})
_declare("partial_send", "X ->", effects=True, attrs={**_PEER, **_PART})
_declare("partial_recv", "-> Out", effects=True, attrs={**_GOT, **_PART})
for _name in ("c_gen_nccl_id", "c_gen_xccl_id"):
    _declare(_name, "-> Out", effects=True, attrs=_ID)
_declare(
    "gen_nccl_id", "-> NCCLID", effects=True,
    attrs={"trainers": [], "trainer_id": REQUIRED, "nccl_comm_num": 1,
           "use_hierarchical_allreduce": False, "hierarchical_allreduce_inter_nranks": -1},
)  # fmt: skip
_declare(
    "c_comm_init", "X? ->", effects=True,
    attrs={"nranks": REQUIRED, "rank": REQUIRED, "device_id": -1, "ring_id": 0, "endpoints": ""},
)  # fmt: skip
_declare("c_comm_init_all", "->", effects=True, attrs={"devices": [], "ring_id": 0})
_declare(
    "c_comm_init_multitrainer", "X? ->", effects=True,
    attrs={"ntrainers": REQUIRED, "trainer_id": REQUIRED, "devices": [], "ring_id": 0},
)  # fmt: skip
_declare("nop", "X*? -> Out*?", effects=True)

# -- readers ---------------------------------------------------------------------------------------

_declare("create_py_reader", "blocking_queue -> Out", effects=True)
_declare("create_double_buffer_reader", "UnderlyingReader -> Out", effects=True)
_declare("read", "Reader -> Out*", effects=True)

# -- control flow ----------------------------------------------------------------------------------

_declare("while", "X*? Condition -> Out*? StepScopes*?", attrs=_BODY, rank0=True)
_declare("while_grad", "X* Out*? Out@GRAD*? StepScopes -> X@GRAD*", attrs=_BODY)
for _name in ("conditional_block", "conditional_block_infer"):
    _declare(_name, "Cond* Input*? -> Out*? Scope*?", attrs=_BODY, rank0=True)
_declare(
    "conditional_block_grad",
    "Cond*? Input*? Out*? Out@GRAD*? Scope -> Cond@GRAD*? Input@GRAD*?",
    attrs=_BODY,
)
_declare(
    "recurrent",
    "inputs* initial_states*? parameters*? -> outputs* step_scopes*?",
    attrs=_BODY,
)
_declare(
    "recurrent_grad",
    "inputs*? initial_states*? parameters*? outputs*? outputs@GRAD*? step_scopes -> "
    "inputs@GRAD*? initial_states@GRAD*? parameters@GRAD*?",
    attrs=_BODY,
)
_declare("rnn_memory_helper", "X -> Out")
_declare("rnn_memory_helper_grad", "X? Out? Out@GRAD? -> X@GRAD")
_declare("select_input", "X* Mask -> Out", rank0=True)
_declare("select_output", "X Mask -> Out*")
_declare("split_lod_tensor", "X Mask -> OutTrue? OutFalse?", lod="X")
for _name in ("merge_lod_tensor", "merge_lod_tensor_infer"):
    _declare(_name, "X? Mask InTrue? InFalse? -> Out", lod="InTrue InFalse")

# -- tensor arrays ---------------------------------------------------------------------------------

_declare("write_to_array", "X I Array? -> Out", lod="array")
_declare("read_from_array", "X I X_W? -> Out", lod="array")
_declare("lod_array_length", "X -> Out", speculatable=True)
_declare("tensor_array_to_tensor", "X -> Out OutIndex?")
_declare("tensor_array_to_tensor_grad", "X? Out@GRAD OutIndex -> X@GRAD")

# -- sequences: rank tables and tensor arrays with levels ------------------------------------------

_declare("lod_rank_table", "X -> Out")
_declare("max_sequence_len", "RankTable -> Out")
_declare("lod_tensor_to_array", "X RankTable -> Out", lod="own")
_declare("array_to_lod_tensor", "X RankTable -> Out", lod="own")
_declare("shrink_rnn_memory", "X RankTable I -> Out", lod="own")
_declare("shrink_rnn_memory_grad", "X Out@GRAD -> X@GRAD", lod="own")
_declare("reorder_lod_tensor_by_rank", "X RankTable -> Out", lod="own")
_declare("reorder_lod_tensor_by_rank_grad", "RankTable Out@GRAD -> X@GRAD", lod="own")
_declare(
    "beam_search_decode",
    "Ids Scores -> SentenceIds SentenceScores",
    attrs={"beam_size": REQUIRED, "end_id": REQUIRED},
    lod="own",
)

# -- left by backward and by passes, never in a file -----------------------------------------------

_PASSES = "left by a pass of a plan; a Program holds {} instead"
_declare("exchange_begin", "X* -> Work", effects=True, proto=_PASSES.format("c_allreduce_sum ..."))
_declare("exchange_end", "Work -> Out*?", effects=True, proto=_PASSES.format("c_allreduce_sum ..."))
_declare(
    "custom_gradient",
    "X*? Value*? -> Out*?",
    proto="stands for the backward of a PyLayer until gradients are added",
)
_declare(
    "gradient_hook",
    "X ->",
    effects=True,
    proto="stands for a hook on a gradient until gradients are added",
)
_declare("merged_update", "-> ", proto=_PASSES.format("the updates of single parameters"))
_declare("rows_update", "-> ", proto=_PASSES.format("look-ups' gradients and an update"))
_declare("rows_gradient", "Ids* OutGrad* -> Out", proto=_PASSES.format("look-ups' gradients"))
_declare("rows_of_table", "Ids* X -> Out", proto=_PASSES.format("rows of a gradient"))
