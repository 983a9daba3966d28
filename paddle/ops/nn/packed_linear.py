"""Products by a weight that stays as it is, in the form in which a library multiplies fastest.

oneDNN keeps a weight in blocks of its own making; turning it into them with every call costs more
than the product of a few rows. [128, 768] by [768, 3072] takes 8.0 ms in BLAS, 6.4 in oneDNN and
5.9 there with a packed weight; 16 rows by [2048, 1000] take 1.9 ms, 1.1 and 0.7. Activation and sum
are done on the way out. Which library it is, is measured once for each size of weight.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from paddle.core.backends import holds
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec, of_dimensions
from paddle.core.op import op
from paddle.core.tuning import Choice, bucket, size_class
from paddle.ops.linalg.matrices import affine, as_matrix
from paddle.ops.nn.packed_conv import bfloat16_available

_onednn: Any = getattr(torch.ops.mkldnn, "_linear_pointwise", None)  # where oneDNN is
_pack: Any = getattr(torch.ops.mkldnn, "_reorder_linear_weight", None)
_product: Any = getattr(_onednn, "default", None)
_product_and_sum: Any = getattr(_onednn, "binary", None)

WORTH_PACKING = 1 << 16  # elements; a product by less than that does not pay for oneDNN's call
_ROWS = 128  # for which oneDNN chooses its blocks: they are as good for 2 rows and for 512
_MEASURED_ROWS = 32

# activation -> what oneDNN calls it, its numbers, its way; and what computes it elsewhere
_ACTIVATIONS: dict[str, tuple[tuple[str, list, str], Callable | None]] = {
    "": (("none", [], ""), None),
    "relu": (("relu", [], ""), F.relu),
    "relu6": (("hardtanh", [0.0, 6.0], ""), F.relu6),
    "gelu": (("gelu", [], "none"), F.gelu),
    "gelu_tanh": (("gelu", [], "tanh"), lambda x: F.gelu(x, approximate="tanh")),
    "tanh": (("tanh", [], ""), torch.tanh),
    "sigmoid": (("sigmoid", [], ""), torch.sigmoid),
    "swish": (("swish", [], ""), F.silu),
    "hard_swish": (("hardswish", [], ""), F.hardswish),
}
ACTIVATIONS = frozenset(_ACTIVATIONS) - {""}


# -- packing ----------------------------------------------------------------------------------


def _packed(w: torch.Tensor) -> torch.Tensor:
    return _pack(w.t().contiguous(), _ROWS)


def _sample(x: torch.Tensor, w: torch.Tensor, packed: Any) -> tuple[tuple, tuple[int, ...]]:
    """A product by a part of the weight, for measuring."""
    part = w[: bucket(w.shape[0], 512), : bucket(w.shape[1], 512)].contiguous()
    rows = torch.zeros(_MEASURED_ROWS, part.shape[0])
    return (rows, part, _packed(part)), (size_class(part.numel(), 1 << 18),)


_library = Choice(
    "product by a packed weight",
    {
        "onednn": lambda x, w, packed: _product(x, packed, None, "none", [], ""),
        "blas": lambda x, w, packed: affine(x, w),
    },
    _sample,
    advantage=0.8,  # a measurement that other programs disturbed would stay for all later runs
)


def _faster(w: torch.Tensor) -> torch.Tensor:
    """The weight packed, or only turned, as this machine multiplies faster."""
    packed = _packed(w)
    form = _library.known.get(w.shape)
    if form is None:
        form = _library.choose(w.shape, "onednn", w.new_zeros(1, len(w)), w, packed)
    return packed if form is _library.forms["onednn"] else w.t()


def bfloat16_pays() -> bool:
    """Says whether the processor multiplies bfloat16 itself, so that it is faster than float32.

    oneDNN has to use these instructions, too: ``ONEDNN_MAX_CPU_ISA`` may keep it from them.
    """
    tests = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    by_processor = any(getattr(torch.cpu, name, bool)() for name in tests)
    return by_processor and _pack is not None and bfloat16_available()


def _pack_rule(inputs: list, attrs: dict) -> list[Spec]:
    w = inputs[0]
    if len(w.shape) != 2:
        raise InvalidArgumentError(
            f"pack_linear_weight: expected W of two dimensions, but received {list(w.shape)}."
        )
    return [Spec((w.shape[1], w.shape[0]), w.dtype)]


@op(
    "pack_linear_weight",
    "W -> Out",
    infer=_pack_rule,
    differentiable=False,
    proto="left by the pass fc_mkldnn_pass of a plan for inference; a Program has the weight",
    dtypes="floats",
)
def pack_linear_weight(w, *, bfloat16=False):
    """The weight as packed_linear takes it: turned, and packed where that is faster."""
    if w.dim() != 2:
        _pack_rule([w], {})
    fits = w.dtype is torch.float32 and w.numel() >= WORTH_PACKING and holds.tuned_forms(w)
    if not fits or _pack is None or not torch.backends.mkldnn.is_available():
        return w.t()
    if bfloat16:
        return _packed(w.bfloat16())
    return _faster(w)


# -- the product ------------------------------------------------------------------------------


def _unknown(activation: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"packed_linear: expected an activation of {sorted(_ACTIVATIONS)}, but received "
        f"{activation!r}."
    )


@of_dimensions
def _linear_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, w = inputs[:2]
    activation, split = attrs["activation"], attrs["in_num_col_dims"]
    if activation not in _ACTIVATIONS:
        raise _unknown(activation)
    if split == -1 and -1 not in (x.shape[-1], w.shape[1]) and x.shape[-1] != w.shape[1]:
        raise InvalidArgumentError(
            f"packed_linear: expected X of shape [..., {w.shape[1]}] beside a turned W of shape "
            f"{list(w.shape)}, but received {list(x.shape)}."
        )
    dtype = VarType.FP32 if x.dtype == VarType.BF16 else x.dtype
    return [Spec((*x.shape[:split], w.shape[0]), VarType.BF16 if attrs["to_bfloat16"] else dtype)]


@op(
    "packed_linear",
    "X W Bias? Residual? -> Out",
    infer=_linear_rule,
    differentiable=False,
    proto="left by the pass fc_mkldnn_pass of a plan for inference; a Program has matmul_v2 or mul",
    no_alias="Out",
    dtypes="floats",
)
def packed_linear(
    x, w, bias, residual, *, activation="", in_num_col_dims=-1, to_bfloat16=False
):  # fmt: skip
    """activation(x @ w.T + bias) + residual, by a weight of pack_linear_weight's.

    The result is float32 where the weight is bfloat16 too, unless ``to_bfloat16`` says otherwise.
    """
    if in_num_col_dims != -1 and in_num_col_dims != x.dim() - 1:
        x = x.flatten(in_num_col_dims)
    if not w.is_mkldnn:
        return _plainly(x, w, bias, residual, activation, to_bfloat16)
    if w.dtype is not torch.float32:
        if x.dtype is torch.float32:
            x = x.bfloat16()
        out = _product(x, w, bias, *_ACTIVATIONS[activation][0])
        if residual is not None:
            return torch.add(residual, out)
        return out if to_bfloat16 else out.float()
    if x.dtype is not torch.float32:
        x = x.float()
    if residual is None:
        out = _product(x, w, bias, *_ACTIVATIONS[activation][0])
    elif activation == "" and residual.shape[:-1] == x.shape[:-1]:
        return _product_and_sum(x, residual, w, bias, "add")
    else:
        return torch.add(_product(x, w, bias, *_ACTIVATIONS[activation][0]), residual)
    return out.bfloat16() if to_bfloat16 else out


def _plainly(
    x: torch.Tensor,
    w: torch.Tensor,
    bias: torch.Tensor | None,
    residual: torch.Tensor | None,
    activation: str,
    to_bfloat16: bool,
) -> torch.Tensor:
    if x.dtype is not w.dtype and x.dtype is torch.bfloat16:
        x = x.to(w.dtype)
    if x.dim() == 2:
        out = affine(x, w.t(), bias)
    else:
        out = affine(as_matrix(x), w.t(), bias).reshape([*x.shape[:-1], w.shape[0]])
    if activation not in _ACTIVATIONS:
        raise _unknown(activation)
    function = _ACTIVATIONS[activation][1]
    if function is not None:
        out = function(out)
    if residual is not None:
        out = torch.add(out, residual)
    return out.bfloat16() if to_bfloat16 else out
