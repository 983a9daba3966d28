"""The passes of Programs for inference: names, switches and order, in one table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from paddle.ops.nn.packed_conv import available, bfloat16_available
from paddle.ops.quantization.int8 import multiplies
from paddle.passes import conv_bn
from paddle.passes.attention import fuse_attention
from paddle.passes.inference import bfloat16, convolution, encoder, identities, linear
from paddle.passes.inference.conv_numbers import fuse_conv_numbers
from paddle.passes.inference.freeze import freeze
from paddle.passes.inference.int8 import quantize_products
from paddle.passes.inference.int8_joins import join_int8
from paddle.passes.inference.quantised_forms import normalize_quantization
from paddle.passes.inference.shapes import fold_shapes
from paddle.passes.inference.single_assignment import assign_once
from paddle.passes.int8_weights import widen_weights
from paddle.passes.running import Pass

GRAPH = "graph"  # Config.switch_ir_optim, on by default
ONEDNN = "onednn"  # Config.enable_mkldnn
BFLOAT16 = "bfloat16"  # Config.enable_mkldnn_bfloat16
INT8 = "int8"  # Programs with quantisation operators; Config.enable_quantizer
BFLOAT16_OPS = "bfloat16_ops"  # option: the types of operators that may run in bfloat16
QUANTIZES = "cpu_quantize_pass"  # which makes products of bytes
INT8_OPS = "int8_ops"  # option: the types of operators that may run in 8 bits


@dataclass(frozen=True)
class InferencePass:
    """One rewrite that can be switched off by its name.

    Attributes:
        name (str): as ``delete_pass`` takes it.
        rewrite (callable): the pass.
        switch (str): which switch of a Config turns it on.
        aliases (tuple): other names of PaddlePaddle's for what it does.
        needs (callable, optional): it is for processors alone, of which this says whether they
            (and this torch) have what it takes.
        option (str): the option of a Config that it gets as ``types``, if it is given.
        places (callable, optional): ``places(device)`` says whether it is for a kind of device.
        by_device (bool): it is told the kind of device, as ``device``.
    """

    name: str
    rewrite: Callable[..., Any]
    switch: str = GRAPH
    aliases: tuple[str, ...] = ()
    needs: Callable[[], bool] | None = None
    option: str = ""
    places: Callable[[str], bool] | None = None
    by_device: bool = False

    def fits(self, device: str) -> bool:
        """Says whether it is for Programs that run on a kind of device."""
        if self.places is not None:
            return self.places(device)
        return self.needs is None or (device == "cpu" and self.needs())

    def bound(self, options: Mapping[str, Any], device: str = "cpu") -> Pass:
        """Returns the pass with its option."""
        given: dict[str, Any] = {"device": device} if self.by_device else {}
        if self.option in options:
            given["types"] = options[self.option]
        rewrite: Callable = self.rewrite
        return partial(rewrite, **given) if given else rewrite


_MAPPED = (
    "gpu_cpu_map_matmul_to_mul_pass",
    "gpu_cpu_map_matmul_v2_to_mul_pass",
    "map_matmul_v2_to_mul_pass",
)
_BIAS = ("conv_elementwise_add_fuse_pass", "conv_transpose_bias_mkldnn_fuse_pass")
_AFFINE = ("conv_affine_channel_mkldnn_fuse_pass", "conv_eltwiseadd_affine_channel_fuse_pass")
_ACTIVATION = ("conv_elementwise_add_act_fuse_pass", "conv_relu_mkldnn_fuse_pass")

# They run from top to bottom. What needs oneDNN is in a plain Config too, as it is the fastest form
# wherever oneDNN is.
TABLE: list[InferencePass] = [
    InferencePass("quant_dequant_mkldnn_pass", normalize_quantization, INT8, places=multiplies),
    InferencePass("single_assignment_pass", assign_once),
    InferencePass("elementwise_axis_pass", identities.state_plain_axes),
    InferencePass(
        "delete_dropout_op_pass",
        identities.delete_dropout,
        aliases=("simplify_with_basic_ops_pass",),
    ),
    InferencePass(
        "identity_scale_op_clean_pass",
        identities.clean_identities,
        aliases=("identity_op_clean_pass",),
    ),
    InferencePass("shape_folding_pass", fold_shapes),
    InferencePass("transpose_cancel_pass", identities.cancel_transposes),
    InferencePass("reshape_cancel_pass", identities.cancel_reshapes),
    InferencePass("transpose_matmul_fuse_pass", identities.fuse_transpose_matmul),
    InferencePass("conv_bias_mkldnn_fuse_pass", convolution.fuse_bias, aliases=_BIAS),
    InferencePass(
        "conv_bn_fuse_pass",
        conv_bn.fuse_straight_conv_bn,
        aliases=("conv_eltwiseadd_bn_fuse_pass",),
    ),
    InferencePass(
        "conv_transpose_bn_fuse_pass",
        conv_bn.fuse_conv_transpose_bn,
        aliases=("conv_transpose_eltwiseadd_bn_fuse_pass",),
    ),
    InferencePass(
        "conv_affine_channel_fuse_pass", conv_bn.fuse_conv_affine_channel, aliases=_AFFINE
    ),
    InferencePass("conv_numbers_fuse_pass", fuse_conv_numbers),
    InferencePass("layer_norm_fuse_pass", encoder.fuse_layer_norm),
    InferencePass("embedding_eltwise_layernorm_fuse_pass", encoder.fuse_embeddings),
    InferencePass("map_matmul_to_mul_pass", linear.use_plain_products, aliases=_MAPPED),
    InferencePass("fc_fuse_pass", linear.fuse_all_fc),
    InferencePass(
        QUANTIZES, quantize_products, INT8, places=multiplies, option=INT8_OPS, by_device=True
    ),
    InferencePass("cpu_quantize_squash_pass", join_int8, INT8, places=multiplies),
    InferencePass("int8_weights_pass", widen_weights),
    InferencePass(
        "conv_elementwise_add_mkldnn_fuse_pass",
        convolution.fuse_residual,
        aliases=("conv_elementwise_add2_act_fuse_pass",),
    ),
    InferencePass(
        "conv_activation_mkldnn_fuse_pass", convolution.fuse_activation, aliases=_ACTIVATION
    ),
    InferencePass(
        "multihead_matmul_fuse_pass_v2", fuse_attention, aliases=("multihead_matmul_fuse_pass",)
    ),
    InferencePass("multihead_matmul_fuse_pass_v3", encoder.fuse_rows_of_attention),
    InferencePass(
        "matmul_scale_fuse_pass", linear.fuse_scale, aliases=("matmul_v2_scale_fuse_pass",)
    ),
    InferencePass("fc_mkldnn_pass", linear.pack_linear, aliases=("fc_onednn_pass",)),
    InferencePass(
        "fc_act_mkldnn_fuse_pass", linear.fuse_activation, aliases=("fc_act_onednn_fuse_pass",)
    ),
    InferencePass("fc_elementwise_add_mkldnn_fuse_pass", linear.fuse_residual),
    InferencePass("skip_layernorm_fuse_pass", encoder.fuse_skip_layernorm),
    InferencePass("layer_norm_result_pass", encoder.drop_statistics),
    InferencePass("fc_bfloat16_pass", linear.use_bfloat16, BFLOAT16, option=BFLOAT16_OPS),
    InferencePass(
        "cpu_bfloat16_placement_pass",
        bfloat16.place_bfloat16,
        BFLOAT16,
        needs=bfloat16_available,
        option=BFLOAT16_OPS,
    ),
    InferencePass("cpu_bfloat16_pass", bfloat16.cast_bfloat16, BFLOAT16, needs=bfloat16_available),
    InferencePass("conv_weight_prepack_pass", convolution.pack_filters, needs=available),
    InferencePass(
        "depthwise_conv_mkldnn_pass", convolution.pack_depthwise_filters, needs=available
    ),
    InferencePass(
        "conv_transpose_weight_prepack_pass",
        convolution.order_transposed_filters,
        needs=available,
    ),
    InferencePass("constant_folding_pass", freeze),
]


def passes_of(switches: Collection[str]) -> list[str]:
    """Returns the names of the passes that some switches turn on, in their order.

    Args:
        switches (Collection[str]): of ``GRAPH``, ``ONEDNN``, ``BFLOAT16`` and ``INT8``.
    """
    return [entry.name for entry in TABLE if entry.switch in switches]
