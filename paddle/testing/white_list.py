"""Which operators a demand on tests leaves out; found as ``white_list`` by PaddlePaddle's tests.

PaddlePaddle's own tests must obey rules of its development, from which these lists except
operators: gradients in 64 bits, large inputs, no ``no_grad_set``. None of these rules is made here,
where differences are computed in 64 bits anyhow; so the lists are there and empty. One rule is
made: an operator with a gradient needs a check of it.
"""

from __future__ import annotations

import sys
from types import ModuleType

# Module -> the lists in it.
MODULES: dict[str, tuple[str, ...]] = {
    "check_op_sequence_batch_1_input_white_list": ("NEED_TO_FIX_OP_LIST",),
    "check_op_sequence_instance_0_input_white_list": ("NEED_TO_FIX_OP_LIST",),
    "check_shape_white_list": ("NEED_TO_FIX_OP_LIST",),
    "compile_vs_runtime_white_list": ("COMPILE_RUN_OP_WHITE_LIST",),
    "no_check_set_white_list": ("no_check_set_white_list",),
    "no_grad_set_white_list": ("NEED_TO_FIX_OP_LIST", "NOT_CHECK_OP_LIST"),
    "op_accuracy_white_list": ("NO_FP64_CHECK_GRAD_OP_LIST", "NO_FP16_CHECK_GRAD_OP_LIST"),
    "op_check_grad_white_list": ("EMPTY_GRAD_OP_LIST",),
    "op_threshold_white_list": (
        "NEED_FIX_FP64_CHECK_GRAD_THRESHOLD_OP_LIST",
        "NEED_FIX_FP64_CHECK_OUTPUT_THRESHOLD_OP_LIST",
    ),
}

# Operators that can be differentiated here and have no gradient operator of their own in
# PaddlePaddle, or one made of other operators.
EMPTY_GRAD_OP_LIST = [
    "alltoall", "as_complex", "as_real", "assign", "c_allgather", "c_allreduce_sum", "c_concat",
    "c_identity", "c_split", "clip_by_norm", "conj", "cross_entropy2", "diag", "diag_embed",
    "eigvals", "elementwise_mod", "fake_channel_wise_quantize_dequantize_abs_max",
    "fake_quantize_dequantize_abs_max", "fake_quantize_dequantize_moving_average_abs_max", "fc",
    "flip", "grad_add", "increment", "lstsq", "memcpy", "memcpy_d2h", "memcpy_h2d", "minus",
    "moving_average_abs_max_scale", "mp_allreduce_sum", "reverse", "rms_norm", "scale",
    "sequence_reverse", "sign", "split", "sum", "unbind",
]  # fmt: skip


def _made(name: str, lists: tuple[str, ...]) -> ModuleType:
    module = ModuleType(f"{__name__}.{name}", "Operators that a demand on tests leaves out.")
    for one in lists:
        setattr(module, one, list(EMPTY_GRAD_OP_LIST) if one == "EMPTY_GRAD_OP_LIST" else [])
    return module


for _name, _lists in MODULES.items():
    globals()[_name] = sys.modules[f"{__name__}.{_name}"] = _made(_name, _lists)
