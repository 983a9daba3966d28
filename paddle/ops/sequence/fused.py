"""Fused operators over sequences that PaddlePaddle's passes for inference write into Programs."""

from __future__ import annotations

import math
from typing import Any

import torch

from paddle.core.errors import InvalidArgumentError, OutOfRangeError, UnimplementedError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.ops.sequence.dynamic import _activation, gru, lstm
from paddle.ops.sequence.levels import (
    last_level,
    lengths_of,
    levels_of,
    marked,
    offsets_of,
    owners,
    positions,
)
from paddle.ops.sequence.pooling import pooled, sequence_conv


def _rows_of(size: int, outputs: int, *at: int, slot: int = 0) -> Any:
    """A rule: at these places [N, rows of input ``size``], and nothing else."""

    def rule(inputs: list, attrs: dict) -> list:
        made: list[Any] = [None] * outputs
        for n in at:
            made[n] = Spec((inputs[slot].shape[0], inputs[size].shape[0]), inputs[size].dtype)
        return made

    return rule


def _like(rows: torch.Tensor, levels_from: torch.Tensor) -> torch.Tensor:
    """Rows that are new, with the levels of those that they were made of."""
    return rows if rows.is_meta else marked(rows, levels_of("fusion", "X", levels_from))


# -- recurrent ------------------------------------------------------------------------------------


@op("fusion_lstm", "X WeightX WeightH Bias H0? C0? -> Hidden Cell XX?~ BatchedInput?~ "
    "BatchedHidden?~ BatchedCell?~ ReorderedH0?~ ReorderedC0?~ CheckedCell?~",
    infer=_rows_of(2, 9, 0, 1), lod="X", dtypes="floats", differentiable=False)  # fmt: skip
def fusion_lstm(x, weight_x, weight, bias, h0, c0, *, use_peepholes=True, is_reverse=False,
                use_seq=True, gate_activation="sigmoid", cell_activation="tanh",
                candidate_activation="tanh"):  # fmt: skip
    """lstm of X @ WeightX; the results that only PaddlePaddle's kernel needs are not made."""
    _check_product("fusion_lstm", x, weight_x)
    made = lstm.kernel(
        _like(torch.mm(x, weight_x), x), h0, c0, weight, bias, use_peepholes=use_peepholes,
        is_reverse=is_reverse, gate_activation=gate_activation, cell_activation=cell_activation,
        candidate_activation=candidate_activation,
    )  # fmt: skip
    return (*made[:2], *[None] * 7)


@op("fusion_gru", "X H0? WeightX WeightH Bias? -> ReorderedH0?~ XX?~ BatchedInput?~ BatchedOut?~ "
    "Hidden", infer=_rows_of(3, 5, 4), lod="X", dtypes="floats", differentiable=False)  # fmt: skip
def fusion_gru(x, h0, weight_x, weight, bias, *, activation="tanh", gate_activation="sigmoid",
               is_reverse=False, use_seq=True, origin_mode=False):  # fmt: skip
    """gru of X @ WeightX."""
    _check_product("fusion_gru", x, weight_x)
    made = gru.kernel(
        _like(torch.mm(x, weight_x), x), h0, weight, bias, activation=activation,
        gate_activation=gate_activation, is_reverse=is_reverse, origin_mode=origin_mode,
    )  # fmt: skip
    return None, None, None, None, made[3]


def _check_product(name: str, x: torch.Tensor, weight: torch.Tensor) -> None:
    if x.dim() != 2 or weight.dim() != 2 or x.shape[1] != weight.shape[0]:
        raise InvalidArgumentError(
            f"{name}: expected X [N, width] and WeightX [width, gates * size], but received "
            f"{list(x.shape)} and {list(weight.shape)}."
        )


def _rows_in(name: str, ids: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    """Row numbers of a table, checked."""
    flat = ids.reshape(-1).long()
    if not ids.is_meta and flat.numel():
        low, high = int(flat.min()), int(flat.max())
        if low < 0 or high >= table.shape[0]:
            raise OutOfRangeError(
                f"{name}: expected Ids in [0, {table.shape[0]}), but they span [{low}, {high}]."
            )
    return flat


@op("fused_embedding_fc_lstm", "Ids~ Embeddings WeightH Bias H0? C0? -> Hidden Cell XX?~ "
    "BatchedInput?~ BatchedHidden?~ BatchedCell?~ ReorderedH0?~ ReorderedC0?~",
    infer=_rows_of(2, 8, 0, 1), lod="Ids", differentiable=False)  # fmt: skip
def fused_embedding_fc_lstm(ids, table, weight, bias, h0, c0, *, use_peepholes=True,
                            is_reverse=False, use_seq=True, gate_activation="sigmoid",
                            cell_activation="tanh", candidate_activation="tanh"):  # fmt: skip
    """lstm of rows of a table, in which embedding, projection and its bias are done."""
    name = "fused_embedding_fc_lstm"
    if ids.numel() != ids.shape[0] or table.dim() != 2:
        raise InvalidArgumentError(
            f"{name}: expected Ids [N, 1] and Embeddings [words, 4 * size], but received "
            f"{list(ids.shape)} and {list(table.shape)}."
        )
    rows = _like(table[_rows_in(name, ids, table)], ids)
    size = weight.shape[0]
    flat = bias.reshape(-1).clone()
    flat[: 4 * size] = 0  # the table has it
    made = lstm.kernel(
        rows, h0, c0, weight, flat, use_peepholes=use_peepholes,
        is_reverse=is_reverse, gate_activation=gate_activation, cell_activation=cell_activation,
        candidate_activation=candidate_activation,
    )  # fmt: skip
    return (*made[:2], *[None] * 6)


def _attention_rule(inputs: list, attrs: dict) -> list:
    x, c0 = inputs[:2]
    out = Spec((x.shape[0], c0.shape[1]), x.dtype)
    return [out, out, None, None, None, None]


@op("attention_lstm", "X C0 H0? AttentionWeight AttentionBias? AttentionScalar? "
    "AttentionScalarBias? LSTMWeight LSTMBias -> Hidden Cell AttentionedX?~ AttentionFCOut?~ "
    "LSTMX?~ LSTMOUT?~", infer=_attention_rule, lod="X", dtypes="floats",
    differentiable=False)  # fmt: skip
def attention_lstm(x, c0, h0, weight, bias, scalar, scalar_bias, lstm_weight, lstm_bias, *,
                   gate_activation="sigmoid", cell_activation="tanh",
                   candidate_activation="tanh"):  # fmt: skip
    """An LSTM whose every step sees a mixture of all rows of its sequence.

    The shares are a softmax of relu([row, cell before] @ AttentionWeight + AttentionBias), and of
    relu(that * AttentionScalar + AttentionScalarBias) where there is one. LSTMWeight
    [size + width, 4 * size] has the rows of the state first, and the columns of forget, input and
    output gate and candidate.
    """
    name = "attention_lstm"
    width, size = x.shape[1], c0.shape[1]
    if weight.numel() != width + size or tuple(lstm_weight.shape) != (width + size, 4 * size):
        raise InvalidArgumentError(
            f"{name}: expected AttentionWeight {[width + size, 1]} and LSTMWeight "
            f"{[width + size, 4 * size]}, but received {list(weight.shape)} and "
            f"{list(lstm_weight.shape)}."
        )
    gate, cell_act, new_act = (
        _activation(name, n) for n in (gate_activation, cell_activation, candidate_activation)
    )
    offsets = last_level(name, "X", x)
    lengths = lengths_of(offsets)
    hidden, cells = x.new_zeros([x.shape[0], size]), x.new_zeros([x.shape[0], size])
    flat = weight.reshape(-1)
    seen = torch.mv(x, flat[:width])
    if bias is not None:
        seen = seen + bias.reshape(-1)
    for i, length in enumerate(lengths):
        a = offsets[i]
        part, scores = x[a : a + length], seen[a : a + length]
        c = c0[i]
        h = x.new_zeros([size]) if h0 is None else h0[i]
        for t in range(length):
            share = torch.relu(scores + torch.dot(c, flat[width:]))
            if scalar is not None:
                share = share * scalar.reshape(-1)
                if scalar_bias is not None:
                    share = torch.relu(share + scalar_bias.reshape(-1))
            mixed = torch.mv(part.t(), torch.softmax(share, 0))
            gates = torch.mv(lstm_weight.t(), torch.cat([h, mixed])) + lstm_bias.reshape(-1)
            forget, entry, leave = gate(gates[: 3 * size]).split(size)
            c = forget * c + entry * new_act(gates[3 * size :])
            h = leave * cell_act(c)
            hidden[a + t], cells[a + t] = h, c
    return hidden, cells, None, None, None, None


# -- convolution and pooling ----------------------------------------------------------------------


@op("fusion_seqconv_eltadd_relu", "X Filter Bias -> Out ColMat?~", lod="X", dtypes="floats",
    infer=lambda i, a: [Spec((i[0].shape[0], i[1].shape[1]), i[0].dtype), None],
    differentiable=False)  # fmt: skip
def fusion_seqconv_eltadd_relu(x, weight, bias, *, contextLength, contextStart=0, contextStride=1):
    """sequence_conv, a bias and relu."""
    out = sequence_conv.kernel(
        x, None, weight, contextLength=contextLength, contextStart=contextStart,
        contextStride=contextStride,
    )  # fmt: skip
    return torch.relu(out + bias.reshape(-1)), None


def _expanded_rule(inputs: list, attrs: dict) -> list:
    return [Spec((inputs[0][0].shape[0], inputs[1].shape[1]), inputs[1].dtype), None]


@op("fusion_seqexpand_concat_fc", "X* FCWeight FCBias? -> Out FCOut?~", infer=_expanded_rule,
    lod="X", dtypes="floats", differentiable=False)  # fmt: skip
def fusion_seqexpand_concat_fc(tensors, weight, bias, *, fc_activation="identity"):
    """A dense layer over rows beside which stand rows of the other inputs, one a sequence."""
    name = "fusion_seqexpand_concat_fc"
    first, *others = tensors
    offsets = last_level(name, "X[0]", first)
    wrong = [list(x.shape) for x in others if x.shape[0] != len(offsets) - 1]
    if wrong and not first.is_meta:
        raise InvalidArgumentError(
            f"{name}: expected a row for each of {len(offsets) - 1} sequences in X[1], ..., but "
            f"received shapes {wrong}."
        )
    width = sum(x.shape[1] for x in tensors)
    if weight.dim() != 2 or weight.shape[0] != width:
        raise InvalidArgumentError(
            f"{name}: expected FCWeight [{width}, size], but received {list(weight.shape)}."
        )
    owner = owners(offsets, first) if not first.is_meta else None
    rows = [first] + [
        x.new_empty([first.shape[0], x.shape[1]]) if owner is None else x[owner] for x in others
    ]
    out = torch.mm(torch.cat(rows, 1), weight)
    out = out if bias is None else out + bias.reshape(-1)
    return _activation(name, fc_activation)(out), None


def _joined_rule(inputs: list, attrs: dict) -> list:
    widths = [x.shape[1] for x in inputs[0]]
    change = 0 if attrs.get("use_cvm", True) else -2 * len(widths)
    width = -1 if -1 in widths else sum(widths) + change
    return [Spec((-1, width), inputs[0][0].dtype)]


def _pooled_parts(name: str, tensors: Any, kind: str, axis: int) -> list[torch.Tensor]:
    if kind not in ("SUM", "AVERAGE", "SQRT") or axis != 1:
        raise UnimplementedError(
            f"{name}: expected pooltype SUM, AVERAGE or SQRT and axis 1, but received {kind!r} and "
            f"{axis}."
        )
    parts = [pooled(x, last_level(name, f"X[{i}]", x), kind) for i, x in enumerate(tensors)]
    if len({part.shape[0] for part in parts}) > 1:
        raise InvalidArgumentError(
            f"{name}: expected inputs with as many sequences each, but received "
            f"{[part.shape[0] for part in parts]}."
        )
    return parts


@op("fusion_seqpool_concat", "X* -> Out", infer=_joined_rule, lod="own", dtypes="floats",
    differentiable=False)  # fmt: skip
def fusion_seqpool_concat(tensors, *, pooltype="SUM", axis=1):
    """The pooled sequences of all inputs side by side, each row a sequence."""
    made = torch.cat(_pooled_parts("fusion_seqpool_concat", tensors, pooltype, axis), 1)
    return marked(made, [list(range(made.shape[0] + 1))])


@op("fusion_seqpool_cvm_concat", "X* CVM~ -> Out", infer=_joined_rule, lod="own", dtypes="floats",
    differentiable=False)  # fmt: skip
def fusion_seqpool_cvm_concat(tensors, cvm, *, pooltype="SUM", use_cvm=True, axis=1):
    """The same, the first two columns of each being counts of shows and clicks.

    They become the logarithms of show + 1 and of the rate; without use_cvm they go.
    """
    made = []
    for part in _pooled_parts("fusion_seqpool_cvm_concat", tensors, pooltype, axis):
        if use_cvm:
            show, click = torch.log(part[:, :1] + 1), torch.log(part[:, 1:2] + 1)
            made.append(torch.cat([show, click - show, part[:, 2:]], 1))
        else:
            made.append(part[:, 2:])
    out = torch.cat(made, 1)
    return marked(out, [list(range(out.shape[0] + 1))])


def _embedded_rule(inputs: list, attrs: dict) -> list:
    table, ids = inputs
    columns = ids.shape[1:]
    width = -1 if -1 in columns else table.shape[1] * math.prod(columns)
    return [Spec((-1, width), table.dtype)]


@op("fused_embedding_seq_pool", "W Ids~ -> Out", infer=_embedded_rule, lod="",
    dtypes="floats")  # fmt: skip
def fused_embedding_seq_pool(table, ids, *, combiner="sum", padding_idx=-1, grad_inplace=False,
                             is_sparse=False):  # fmt: skip
    """The sum of the rows of a table over each sequence of Ids [N, columns].

    The columns may have any number of dimensions: each stands for as many columns of the result
    as the table has.
    """
    name = "fused_embedding_seq_pool"
    if combiner != "sum" or ids.dim() < 2:
        raise InvalidArgumentError(
            f"{name}: expected combiner 'sum' and Ids [N, columns], but received {combiner!r} and "
            f"{list(ids.shape)}."
        )
    offsets = last_level(name, "Ids", ids)
    found = table[_rows_in(name, ids, table)]
    if padding_idx >= 0:
        found = torch.where((ids.reshape(-1) == padding_idx).unsqueeze(1), 0, found)
    return pooled(found.reshape(ids.shape[0], -1), offsets, "SUM")


# -- the best of each row -------------------------------------------------------------------------


def _best_rule(inputs: list, attrs: dict) -> list:
    width = attrs["channel_num"] * len(attrs["topks"])
    return [Spec((inputs[1].shape[0], width), inputs[0].dtype), None]


@op("sequence_topk_avg_pooling", "X ROW~ COLUMN~ -> Out pos?~", infer=_best_rule, lod="own",
    dtypes="floats")  # fmt: skip
def sequence_topk_avg_pooling(x, row, column, *, topks, channel_num):
    """Sums of the k greatest elements of every row of a table, divided by k, for each of topks.

    A sequence of X holds a table for each channel, with as many rows as that of ROW and as many
    columns as that of COLUMN; the result has a row for each of ROW.
    """
    name = "sequence_topk_avg_pooling"
    tall, wide = last_level(name, "ROW", row), last_level(name, "COLUMN", column)
    if row.is_meta:
        return x.new_empty([row.shape[0], channel_num * len(topks)]), None
    heights, widths = lengths_of(tall), lengths_of(wide)
    counts = [h * w * channel_num for h, w in zip(heights, widths, strict=False)]
    if len(heights) != len(widths) or sum(counts) != x.numel() or min(topks, default=0) < 1:
        raise InvalidArgumentError(
            f"{name}: expected X of {channel_num} tables for each of the sequences of ROW and "
            f"COLUMN, and positive topks, but received {x.numel()} elements, lengths {heights} and "
            f"{widths} and topks {list(topks)}."
        )
    made, starts, most = [], offsets_of(counts), max(topks)
    for i, (h, w) in enumerate(zip(heights, widths, strict=True)):
        table = x.reshape(-1)[starts[i] : starts[i + 1]].reshape(channel_num, h, w)
        best = torch.topk(table, min(most, w), -1).values
        total = torch.cumsum(torch.nn.functional.pad(best, (0, most - best.shape[-1])), -1)
        at = positions([k - 1 for k in topks], x)
        share = torch.tensor([float(k) for k in topks], dtype=x.dtype, device=x.device)
        made.append((total[..., at] / share).permute(1, 0, 2).reshape(h, -1))
    whole = torch.cat(made) if made else x.new_zeros([0, channel_num * len(topks)])
    return marked(whole, [list(level) for level in levels_of(name, "ROW", row)]), None
