"""cudnn_lstm of 1.x: an LSTM of several layers whose weights are one vector."""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.derive import vjp
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import OpDef, Slot, op
from paddle.ops.sequence.recurrent import _drawn, _fused


def _parts(weight: torch.Tensor, width: int, size: int, layers: int, ways: int) -> list:
    """The weights of all layers: matrices first, then biases, each of the input, of the state.

    A matrix has the rows of input gate, forget gate, candidate and output gate.
    """
    shapes = []
    for layer in range(layers):
        seen = size * ways if layer else width
        shapes += [(4 * size, seen), (4 * size, size)] * ways
    shapes += [(4 * size,)] * (2 * layers * ways)
    counts = [torch.Size(shape).numel() for shape in shapes]
    if weight.numel() != sum(counts):
        raise InvalidArgumentError(
            f"cudnn_lstm: expected W of {sum(counts)} elements for {layers} layers of size {size} "
            f"in {ways} direction(s) and inputs of size {width}, but received {weight.numel()}."
        )
    pieces = weight.reshape(-1).split(counts)
    return [piece.reshape(shape) for piece, shape in zip(pieces, shapes, strict=True)]


def _network(x, h, c, weight, masks, *, hidden_size, num_layers, is_bidirec):
    ways = 2 if is_bidirec else 1
    parts = _parts(weight, x.shape[2], hidden_size, num_layers, ways)
    out, ends = _fused(x, [h, c], parts, None, masks, mode="LSTM", ways=ways, layers=num_layers)
    return out, ends[0], ends[1]


_NETWORK = OpDef(
    name="cudnn_lstm",
    inputs=[
        Slot("Input"), Slot("InitH"), Slot("InitC"), Slot("W"),
        Slot("Masks", optional=True, differentiable=False),
    ],
    outputs=[Slot("Out"), Slot("last_h"), Slot("last_c")],
    attrs={},
    kernel=_network,
    params=["x", "h", "c", "weight", "masks"],
)  # fmt: skip


def _rule(inputs: list, attrs: dict) -> list[Any]:
    x, h, c = inputs[:3]
    width = attrs["hidden_size"] * (2 if attrs["is_bidirec"] else 1)
    return [Spec((*x.shape[:2], width), x.dtype), h, c, None]


@op(
    "cudnn_lstm",
    "Input InitH InitC W Cache?~ -> Out last_h last_c StateOut?~",
    infer=_rule,
    dtypes="floats",
    random=True,
    lod="",
)
def cudnn_lstm(x, h, c, weight, cache, *, max_len=20, dropout_prob=0.0, is_bidirec=False,
               input_size=10, hidden_size=100, num_layers=1, is_test=False, seed=0):  # fmt: skip
    """Input [steps, batch, width]; InitH and InitC [layers * directions, batch, hidden_size].

    W holds the matrices of all layers, then their biases. max_len and input_size only repeat what
    the shapes say; Cache is PaddlePaddle's memory for its own use.
    """
    ways = 2 if is_bidirec else 1
    states = [num_layers * ways, x.shape[1] if x.dim() == 3 else -1, hidden_size]
    if x.dim() != 3 or list(h.shape) != states or list(c.shape) != states:
        raise InvalidArgumentError(
            f"cudnn_lstm: expected Input [steps, batch, width], InitH and InitC {states}, but "
            f"received {list(x.shape)}, {list(h.shape)} and {list(c.shape)}."
        )
    masks = None
    if dropout_prob and not is_test and num_layers > 1 and not x.is_meta:
        masks = _drawn(x, num_layers, hidden_size * ways, dropout_prob, max(seed, 0))
    if x.is_meta:
        _parts(weight, x.shape[2], hidden_size, num_layers, ways)
        out = x.new_empty([*x.shape[:2], hidden_size * ways])
        return out, torch.empty_like(h), torch.empty_like(c), None
    attrs = {"hidden_size": hidden_size, "num_layers": num_layers, "is_bidirec": is_bidirec}
    return (*_network(x, h, c, weight, masks, **attrs), masks)


@cudnn_lstm.grad("Input InitH InitC W StateOut")
def _(d_out, d_h, d_c, x, h, c, weight, masks, *, hidden_size, num_layers, is_bidirec,
      needs_grad):  # fmt: skip
    attrs = {"hidden_size": hidden_size, "num_layers": num_layers, "is_bidirec": is_bidirec}
    inputs = [x, h, c, weight, masks]
    found = vjp(_NETWORK, inputs, [d_out, d_h, d_c], attrs, (*needs_grad[:4], False))
    return (*found[:4], None)
