"""cudnn_lstm of 1.x: an LSTM of several layers whose weights are one vector."""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.derive import vjp
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import OpDef, Slot, op
from paddle.ops.sequence.recurrent import _checked_lengths, _drawn, _fused


def _parts(weight: torch.Tensor, width: int, size: int, layers: int, ways: int) -> list:
    """The weights of all layers: matrices first, then biases, each of the input, of the state.

    A matrix has the rows of input gate, forget gate, candidate and output gate.
    """
    shapes: list[tuple[int, ...]] = []
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


def _network(x, h, c, weight, listed, lengths, masks, *, hidden_size, num_layers, is_bidirec):
    ways = 2 if is_bidirec else 1
    parts = listed or _parts(weight, x.shape[2], hidden_size, num_layers, ways)
    out, ends = _fused(
        x, [h, c], parts, lengths, masks, mode="LSTM", ways=ways, layers=num_layers
    )  # fmt: skip
    return out, ends[0], ends[1]


_NETWORK = OpDef(
    name="cudnn_lstm",
    inputs=[
        Slot("Input"), Slot("InitH"), Slot("InitC"), Slot("W", optional=True),
        Slot("WeightList", many=True, optional=True),
        Slot("SequenceLength", optional=True, differentiable=False),
        Slot("Masks", optional=True, differentiable=False),
    ],
    outputs=[Slot("Out"), Slot("LastH"), Slot("LastC")],
    attrs={},
    kernel=_network,
    params=["x", "h", "c", "weight", "listed", "lengths", "masks"],
)  # fmt: skip


def _rule(inputs: list, attrs: dict) -> list[Any]:
    x, h, c = inputs[:3]
    width = attrs["hidden_size"] * (2 if attrs["is_bidirec"] else 1)
    dropped = attrs["dropout_prob"] and not attrs["is_test"] and attrs["num_layers"] > 1
    masks = Spec((attrs["num_layers"] - 1, *x.shape[:2], width), x.dtype) if dropped else None
    return [Spec((*x.shape[:2], width), x.dtype), h, c, h, c, masks, None]


def _expect(x, h, c, weight, listed, states: list[int]) -> None:
    if x.dim() != 3 or list(h.shape) != states or list(c.shape) != states:
        raise InvalidArgumentError(
            f"cudnn_lstm: expected Input [steps, batch, width], InitH and InitC {states}, but "
            f"received {list(x.shape)}, {list(h.shape)} and {list(c.shape)}."
        )
    if (weight is None) == (not listed):
        raise InvalidArgumentError("cudnn_lstm: expected either W or WeightList.")


@op(
    "cudnn_lstm",
    "Input InitH InitC W? WeightList*? SequenceLength?~ Cache?~ -> "
    "Out last_h? last_c? LastH? LastC? StateOut?~ Reserve?~",
    infer=_rule,
    dtypes="floats",
    random=True,
    lod="",
)
def cudnn_lstm(x, h, c, weight, listed, lengths, cache, *, max_len=20, dropout_prob=0.0,
               is_bidirec=False, input_size=10, hidden_size=100, num_layers=1, is_test=False,
               seed=0):  # fmt: skip
    """Input [steps, batch, width]; InitH and InitC [layers * directions, batch, hidden_size].

    W (of 1.8.5) holds the matrices of all layers, then their biases; WeightList (of 2.x) has them
    one by one. max_len and input_size only repeat what the shapes say; Cache is PaddlePaddle's
    memory for its own use. The last states are called last_h and last_c in 1.8.5.
    """
    ways = 2 if is_bidirec else 1
    states = [num_layers * ways, x.shape[1] if x.dim() == 3 else -1, hidden_size]
    _expect(x, h, c, weight, listed, states)
    if x.is_meta:
        if not listed:
            _parts(weight, x.shape[2], hidden_size, num_layers, ways)
        ends = [torch.empty_like(v) for v in (h, c, h, c)]
        return x.new_empty([*x.shape[:2], hidden_size * ways]), *ends, None, None
    masks = None
    if dropout_prob and not is_test and num_layers > 1:
        masks = _drawn(x, num_layers, hidden_size * ways, dropout_prob, max(seed, 0))
    if lengths is not None:
        lengths = _checked_lengths(lengths, x)
    attrs = {"hidden_size": hidden_size, "num_layers": num_layers, "is_bidirec": is_bidirec}
    listed = None if listed is None else list(listed)
    out, last_h, last_c = _network(x, h, c, weight, listed, lengths, masks, **attrs)
    return out, last_h, last_c, last_h.clone(), last_c.clone(), masks, None


@cudnn_lstm.grad("Input InitH InitC W WeightList SequenceLength StateOut")
def _(d_out, d_h, d_c, d_last_h, d_last_c, x, h, c, weight, listed, lengths, masks, *,
      hidden_size, num_layers, is_bidirec, needs_grad):  # fmt: skip
    attrs = {"hidden_size": hidden_size, "num_layers": num_layers, "is_bidirec": is_bidirec}
    listed = None if listed is None else list(listed)
    lengths = None if lengths is None else _checked_lengths(lengths, x)
    inputs = [x, h, c, weight, listed, lengths, masks]
    grads = [d_out, _added(d_h, d_last_h), _added(d_c, d_last_c)]
    found = vjp(_NETWORK, inputs, grads, attrs, (*needs_grad[:5], False, False))
    return (*found[:5], None, None)


def _added(a: Any, b: Any) -> Any:
    return a if b is None else b if a is None else torch.add(a, b)
