"""Convolutions for inference: residual and activation in one call, weights in oneDNN's own order.

oneDNN computes a convolution, the sum with another tensor and the activation in one pass over the
result, channels last, where the weights lie in an order of its own. Which order depends on the
size of the input. The operator ``pack_conv2d_filter`` makes a buffer that knows the orders it was
asked for so far (:class:`Packs`), and ``packed_conv2d`` asks it. Nothing but the strides of what
comes out tells that channels came last: its shape is ``[N, C, H, W]`` as before.

ResNet50 of one image on a processor with AVX512, one thread: 105 ms by ``conv2d``, ``add_`` and
``relu_``, 136 with everything fused but weights in usual order, 77 with packed ones. Weights that
were packed for inputs of another size have to be brought in order in each call: 107 ms.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F

from paddle.core.backends import holds
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec, of_dimensions
from paddle.core.op import op
from paddle.core.tuning import Choice, size_class
from paddle.ops.nn.conv import _check_channels, _convolve, _geometry, _infer
from paddle.ops.nn.window import check_counts, to_channel_first, to_channel_last, torch_pad

_COLUMNS, _BFLOAT16 = "_slow_conv2d_forward", "_is_mkldnn_bf16_supported"
_columns: Any = getattr(torch.ops.aten, _COLUMNS).default
_columns = getattr(_columns, "_op", _columns)
_SMALL = 1 << 19  # multiplications, below which calling oneDNN may cost more than it saves
_NARROW = 8  # filters, below which channels fill no vector: the pool behind is 7 times slower
_MOST_SHAPES = 1 << 10  # sizes of inputs that one filter remembers
_EXACT_SHAPES = 32  # after so many a filter no longer asks for the best order
_MOST_ORDERS = 6  # nor after so many different ones
# Where oneDNN's description of a tensor has four bytes between two fields, which mean nothing.
_HOLES = (4, 108, 316, 420)


class Activation(NamedTuple):
    """A function that may follow a convolution.

    Attributes:
        fused (callable): ``fused(alpha, beta)`` gives oneDNN's name, numbers and algorithm.
        into (callable): ``into(x, alpha, beta)`` computes it in the memory of ``x``.
    """

    fused: Callable[[float, float], tuple[str, list, str]]
    into: Callable[[torch.Tensor, float, float], torch.Tensor]


ACTIVATIONS: dict[str, Activation] = {
    "": Activation(lambda a, b: ("none", [], ""), lambda x, a, b: x),
    "relu": Activation(lambda a, b: ("relu", [], ""), lambda x, a, b: torch.relu_(x)),
    "clip": Activation(
        lambda a, b: ("hardtanh", [a, b], ""), lambda x, a, b: torch.clamp_(x, a, b)
    ),
    "leaky_relu": Activation(
        lambda a, b: ("leaky_relu", [a], ""), lambda x, a, b: F.leaky_relu_(x, a)
    ),
    "hard_swish": Activation(
        lambda a, b: ("hardswish", [], ""), lambda x, a, b: F.hardswish(x, inplace=True)
    ),
    "hard_sigmoid": Activation(
        lambda a, b: ("hardsigmoid", [], ""), lambda x, a, b: F.hardsigmoid(x, inplace=True)
    ),
    "swish": Activation(lambda a, b: ("swish", [], ""), lambda x, a, b: F.silu(x, inplace=True)),
    "sigmoid": Activation(lambda a, b: ("sigmoid", [], ""), lambda x, a, b: torch.sigmoid_(x)),
    "tanh": Activation(lambda a, b: ("tanh", [], ""), lambda x, a, b: torch.tanh_(x)),
    "gelu": Activation(
        lambda a, b: ("gelu", [], "tanh" if a else "none"),
        lambda x, a, b: F.gelu(x, approximate="tanh" if a else "none"),
    ),
}


_MACHINES = ("x86_64", "AMD64")
_NAMES = (
    "_convolution_pointwise",
    "_convolution_pointwise_",
    "_reorder_convolution_weight",
    "_get_mkldnn_serialized_md",
)


def _operators() -> tuple[Any, ...] | None:
    """oneDNN's convolutions and what packs their weights; None where this torch has none.

    Elsewhere than on x86 oneDNN hands on to other libraries, which know nothing of packed weights.
    """
    if not torch.backends.mkldnn.is_available() or platform.machine() not in _MACHINES:
        return None
    try:
        over, into, reorder, describe = (getattr(torch.ops.mkldnn, name) for name in _NAMES)
        found = over.default, over.binary, into.binary, reorder.default, describe.default
    except (AttributeError, RuntimeError):
        return None
    # What an overload calls itself: one Python frame less for every convolution.
    return tuple(getattr(overload, "_op", overload) for overload in found)


_found = _operators()


def available() -> bool:
    """Says whether weights can be packed: torch was built with oneDNN, for this processor."""
    return _found is not None


def bfloat16_available() -> bool:
    """Says whether oneDNN computes in bfloat16 on this processor: by AVX512 or better."""
    try:
        return available() and bool(getattr(torch.ops.mkldnn, _BFLOAT16)())
    except (AttributeError, RuntimeError):
        return False


if _found is not None:
    _convolution, _with_residual, _into_residual, _reorder, _description = _found


def _order(packed: torch.Tensor) -> bytes:
    """What tells the order of a packed filter from others."""
    found = bytearray(_description(packed).numpy())
    for at in _HOLES:
        found[at : at + 4] = bytes(4)
    return bytes(found)


# run(x, bias, residual, overwrite) -> result, for inputs of one shape.
Run = Callable[[torch.Tensor, Any, Any, bool], torch.Tensor]


class _Size(NamedTuple):
    """What one size of input means for a convolution.

    Attributes:
        input (list): size of the input, with what ``pads`` adds.
        result (Size): of the result.
        padding (list): what the convolution pads, on both sides alike.
        pads (list): what has to be padded before, as ATen takes it; None: nothing.
        dilation (list): which SAME sets to 1.
    """

    input: list[int]
    result: torch.Size
    padding: list[int]
    pads: list[int] | None
    dilation: list[int]


class Packs:
    """A filter in the orders that oneDNN wants for inputs of several sizes.

    There are few orders, however many sizes come; what is kept of the sizes is bounded too.

    Args:
        weight (Tensor): ``[filters, channels / groups, height, width]``, float32 or bfloat16.
        strides, paddings, algorithm, dilations, groups: of the convolution, as ``conv2d`` has them.

    Attributes:
        runs (dict): (shape of the input, activation) -> how to compute the convolution.
    """

    def __init__(self, weight, strides, paddings, algorithm, dilations, groups) -> None:
        self.weight = weight.contiguous(memory_format=torch.channels_last)
        self._strides, self._groups = list(strides), groups
        self._paddings = list(paddings), algorithm, list(dilations)
        self._orders: dict[bytes, torch.Tensor] = {}
        self._asked: dict[int, torch.Tensor] = {}  # pixels -> the filter for them
        self.runs: dict[Any, Run] = {}

    def prepare(self, x: torch.Tensor, bias: Any, activation: tuple[str, float, float]) -> Run:
        """Returns how to compute the convolution for the size of an input, and remembers it.

        Args:
            x (Tensor): the input, ``[N, C, H, W]``.
            bias (Tensor): one number for each filter; may be None.
            activation (tuple): its name and numbers.
        """
        size = self.size(x)
        forms = self.forms(size, activation)
        run = next(iter(forms.values()))
        if len(forms) > 1:
            weight = self.weight.shape
            key = x.shape, x.stride(), weight, *self._strides, *size.padding, *size.dilation
            usual = "packed" if torch.get_num_threads() > 1 else "columns"
            form: Any = _small.known.get(key) or _small.choose(key, usual, forms, x, bias, key)
            run = form.pick(forms)
        if len(self.runs) >= _MOST_SHAPES:
            self.runs.clear()
        self.runs[x.shape, activation] = run
        return run

    def size(self, x: torch.Tensor) -> _Size:
        """Returns what the size of an input means for the convolution."""
        weight = self.weight
        _check_channels(x, weight, self._groups, 2)
        kernel, (paddings, algorithm, dilations) = weight.shape[2:], self._paddings
        before, after, dilation = _geometry(
            x.shape[2:], kernel, self._strides, paddings, algorithm, dilations
        )
        pads, size = None, list(x.shape)
        if before != after or min(before) < 0:
            pads = torch_pad(before, after)
            size[2] += before[0] + after[0]
            size[3] += before[1] + after[1]
            before = [0, 0]
        spatial = [
            (n + 2 * p - d * (k - 1) - 1) // s + 1
            for n, k, p, d, s in zip(size[2:], kernel, before, dilation, self._strides)
        ]
        check_counts(spatial, kernel, x.shape[2:], before, after)
        return _Size(size, torch.Size([size[0], weight.shape[0], *spatial]), before, pads, dilation)

    def _packed(self, size: _Size) -> torch.Tensor:
        """The filter in the order for one size of input."""
        count, _, height, width = size.input
        pixels = count * height * width
        if len(self._asked) >= _EXACT_SHAPES or len(self._orders) >= _MOST_ORDERS:
            # as for the size that is nearest; where that is wrong, oneDNN changes it in each call
            return self._asked[min(list(self._asked), key=lambda known: abs(known - pixels))]
        made = _reorder(
            self.weight, size.padding, self._strides, size.dilation, self._groups, size.input
        )
        made = self._orders.setdefault(_order(made), made)
        self._asked[pixels] = made
        return made

    def _by_onednn(self, size: _Size, activation: tuple[str, float, float]) -> Run:
        """One call of oneDNN."""
        weight, strides, groups = self._packed(size), self._strides, self._groups
        _, shape, padding, pads, dilation = size
        name, numbers, algorithm = _activation(activation[0]).fused(*activation[1:])
        with_residual = "relu" if name == "relu" else None  # of all functions the one it takes
        rest = ACTIVATIONS[activation[0] if with_residual is None else ""].into

        def run(x, bias, residual, overwrite):
            if pads is not None:
                x = torch.constant_pad_nd(x, pads)
            if residual is None:
                return _convolution(
                    x, weight, bias, padding, strides, dilation, groups, name, numbers, algorithm
                )
            if residual.shape != shape:
                out = _convolution(
                    x, weight, bias, padding, strides, dilation, groups, "none", [], ""
                )
                return ACTIVATIONS[activation[0]].into(torch.add(out, residual), *activation[1:])
            if overwrite and residual.is_contiguous(memory_format=torch.channels_last):
                out = _into_residual(
                    residual, x, weight, bias, padding, strides, dilation, groups, "add", 1.0,
                    with_residual, [], "",
                )  # fmt: skip
            else:
                out = _with_residual(
                    x, residual, weight, bias, padding, strides, dilation, groups, "add", 1.0,
                    with_residual, [], "",
                )  # fmt: skip
            return rest(out, *activation[1:])

        return run

    def forms(self, size: _Size, activation: tuple[str, float, float]) -> dict[str, Run]:
        """Returns the ways to compute it: oneDNN, whose call alone takes some 25 us, and others."""
        packed, weight = self._by_onednn(size, activation), self.weight
        if self._groups != 1 or size.pads is not None or weight.dtype is not torch.float32:
            return {"packed": packed}
        places = size.result[0] * size.result[2] * size.result[3]
        weight = weight.contiguous()
        if places * weight.numel() >= _SMALL:
            narrow = len(weight) < _NARROW
            aten = _by_aten(weight, self._strides, size, activation)
            return {"aten": aten} if narrow else {"packed": packed}
        return {
            "packed": packed,
            "aten": _by_aten(weight, self._strides, size, activation),
            "columns": _by_columns(weight, self._strides, size, activation),
        }


def _by_aten(weight, strides, size: _Size, activation: tuple[str, float, float]) -> Run:
    _, _, padding, _, dilation = size
    into, (alpha, beta) = _activation(activation[0]).into, activation[1:]

    def run(x, bias, residual, overwrite):
        out = torch.conv2d(x, weight, bias, strides, padding, dilation)
        return into(out if residual is None else torch.add(out, residual), alpha, beta)

    return run


def _by_columns(weight, strides, size: _Size, activation: tuple[str, float, float]) -> Run:
    """The windows side by side as columns, and one product: what ATen does for small ones."""
    _, _, padding, _, dilation = size
    if dilation != [1, 1]:
        return _by_aten(weight, strides, size, activation)
    into, (alpha, beta) = _activation(activation[0]).into, activation[1:]
    kernel = list(weight.shape[2:])

    def run(x, bias, residual, overwrite):
        out = _columns(x, weight, kernel, bias, strides, padding)
        return into(out if residual is None else torch.add(out, residual), alpha, beta)

    return run


def _packs_rule(inputs: list, attrs: dict[str, Any]) -> list[Spec]:
    return [inputs[0]]


@op(
    "pack_conv2d_filter",
    "Filter -> Out",
    infer=_packs_rule,
    differentiable=False,
    proto="oneDNN's order of a filter is no tensor of a Program; a pass of inference adds it",
    memoize=True,
)
def pack_conv2d_filter(
    w, *, strides=(1, 1), paddings=(0, 0), padding_algorithm="EXPLICIT", dilations=(1, 1), groups=1,
    transposed=False,
):  # fmt: skip
    if transposed:
        # ATen then computes channels last: 64 filters of 2x2 on 160x160 take 16 ms instead of 118.
        return w.detach().contiguous(memory_format=torch.channels_last)
    if _found is None or not holds.tuned_forms(w) or w.dtype not in _PACKED:
        return w.detach()
    packs = Packs(w, strides, paddings, padding_algorithm, dilations, groups)
    packed = packs.weight.detach()
    packed.conv_packs = packs  # as a LoD travels with a buffer
    return packed


_PACKED = (torch.float32, torch.bfloat16)


@of_dimensions
def _packed_rule(inputs: list, attrs: dict[str, Any]) -> list[Spec]:
    _activation(attrs["activation"])
    return _infer(2, inputs[:2], attrs)


def _activation(name: str) -> Activation:
    found = ACTIVATIONS.get(name)
    if found is None:
        raise InvalidArgumentError(
            f"packed_conv2d: expected activation to be one of {sorted(ACTIVATIONS)}, but received "
            f"{name!r}."
        )
    return found


def _memory(inputs: dict[str, list], attrs: dict[str, Any]) -> str:
    return "" if attrs.get("overwrite") else "Output"


@op(
    "packed_conv2d",
    "Input Filter Bias? ResidualData? -> Output",
    infer=_packed_rule,
    differentiable=False,
    proto="left by passes of inference; a Program holds conv2d, elementwise_add and an activation",
    no_alias=_memory,
    amp="white",
)
def packed_conv2d(
    x, w, bias, residual, *, strides=(1, 1), paddings=(0, 0), padding_algorithm="EXPLICIT",
    dilations=(1, 1), groups=1, data_format="NCHW", activation="", alpha=0.0, beta=0.0,
    overwrite=False,
):  # fmt: skip
    function = activation, alpha, beta
    packs = getattr(w, "conv_packs", None)
    if packs is None or x.dtype is not w.dtype or x.dim() != 4:
        geometry = strides, paddings, padding_algorithm, dilations, groups, data_format
        return _plainly(x, w, bias, residual, geometry, *function)
    last = data_format == "NHWC"
    if last:
        x = to_channel_first(x)
        residual = None if residual is None else to_channel_first(residual)
    run = packs.runs.get((x.shape, function)) or packs.prepare(x, bias, function)
    out = run(x, bias, residual, overwrite)
    return to_channel_last(out) if last else out


def _plainly(x, w, bias, residual, geometry, activation, alpha, beta):
    """The same by one call for each part."""
    into = _activation(activation).into
    out = _convolve(x, w, bias, None, *geometry)
    if residual is not None:
        out = torch.add(out, residual)
    return into(out, alpha, beta)


class _Form:
    """One of the ways to compute a small convolution, for :class:`~paddle.core.tuning.Choice`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def pick(self, forms: dict[str, Run]) -> Run:
        """Returns the function of this form."""
        return forms[self._name]

    def __call__(self, forms: dict[str, Run], x: torch.Tensor, bias: Any, key: Any) -> torch.Tensor:
        return forms[self._name](x, bias, None, False)


def _sample(forms, x, bias, key):
    last = x.is_contiguous(memory_format=torch.channels_last)
    _, _, weight, *window = key
    numbers = size_class(x.numel(), _SMALL), *weight, *window, int(last)
    return (forms, x, bias, key), numbers


_small = Choice(
    "small convolution of fixed weights",
    {name: _Form(name) for name in ("packed", "aten", "columns")},
    _sample,
)
