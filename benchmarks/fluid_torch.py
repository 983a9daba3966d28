"""The networks of :mod:`benchmarks.fluid_networks` in plain torch, on padded batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from benchmarks import fluid_networks as networks
from benchmarks.fluid_networks import RATE, TAGS, WIDTH, Outcome, weight

GATES = [1, 2, 0, 3]
"""Where 1.x has torch's input, forget, candidate and output gate."""


class Batch:
    """The sequences below each other, padded.

    Attributes:
        x: [sequences, steps, width].
        tags: [sequences, steps].
        lengths: [sequences].
        mask: [sequences, steps], where rows are.
        count: how many rows there are.
    """

    def __init__(self) -> None:
        rows, tags = (torch.from_numpy(part) for part in networks.data())
        lengths = networks.lengths()
        pad = nn.utils.rnn.pad_sequence
        self.x = pad(list(rows.split(lengths)), batch_first=True).requires_grad_()
        self.tags = pad(list(tags[:, 0].split(lengths)), batch_first=True)
        self.lengths = torch.tensor(lengths)
        self.mask = torch.arange(self.x.shape[1]) < self.lengths.unsqueeze(1)
        self.count = sum(lengths)

    def mean(self, out: torch.Tensor) -> torch.Tensor:
        """The mean over all that is not padding."""
        return (out * self.mask.unsqueeze(2)).sum() / (self.count * out.shape[2])


def _given(name: str, *shape: int) -> torch.Tensor:
    return torch.from_numpy(weight(name, list(shape)))


def _linear(name: str, size: int, bias: bool = False) -> nn.Linear:
    made = nn.Linear(WIDTH, size, bias=bias)
    made.weight.data = _given(name, WIDTH, size).t().contiguous()
    if bias:
        made.bias.data = _given("bias", size)
    return made


def _pool(batch: Batch) -> tuple[nn.Module, Callable]:
    linear = _linear("weight", WIDTH, True)
    share = (batch.mask / batch.lengths.unsqueeze(1)).unsqueeze(2)
    return linear, lambda: (linear(batch.x) * share).sum(1).mean()


def _softmax(batch: Batch) -> tuple[nn.Module, Callable]:
    linear, outside = _linear("projection", 1), ~batch.mask

    def run() -> torch.Tensor:
        scores = linear(batch.x).squeeze(2).masked_fill(outside, -torch.inf)
        return torch.bmm(torch.softmax(scores, 1).unsqueeze(1), batch.x).mean()

    return linear, run


def _conv(batch: Batch) -> tuple[nn.Module, Callable]:
    conv = nn.Conv1d(WIDTH, WIDTH, 3, padding=1)
    conv.weight.data = _given("filter", 3 * WIDTH, WIDTH).reshape(3, WIDTH, WIDTH).permute(2, 1, 0)
    conv.weight.data = conv.weight.data.contiguous()
    conv.bias.data = _given("bias", WIDTH)
    mask, size = batch.mask.unsqueeze(1), batch.count * WIDTH
    return conv, lambda: (conv(batch.x.transpose(1, 2)) * mask).sum() / size


def _lstm(batch: Batch) -> tuple[nn.Module, Callable]:
    lstm = nn.LSTM(WIDTH, WIDTH, batch_first=True)

    def turned(name: str) -> torch.Tensor:
        parts = _given(name, WIDTH, 4 * WIDTH).chunk(4, 1)
        return torch.cat([parts[i] for i in GATES], 1).t().contiguous()

    bias = _given("bias", 1, 4 * WIDTH)[0].chunk(4)
    lstm.weight_ih_l0.data, lstm.weight_hh_l0.data = turned("projection"), turned("recurrent")
    lstm.bias_ih_l0.data = torch.cat([bias[i] for i in GATES])
    lstm.bias_hh_l0.data = torch.zeros(4 * WIDTH)
    return lstm, lambda: batch.mean(lstm(batch.x)[0])


def _gru(batch: Batch) -> tuple[nn.Module, Callable]:
    gru = nn.GRU(WIDTH, WIDTH, batch_first=True)  # its reset gate stands elsewhere
    return gru, lambda: batch.mean(gru(batch.x)[0])


class _Crf(nn.Module):
    """Scores of tags, and the transitions between them."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = _linear("projection", TAGS)
        self.moves = nn.Parameter(_given("crf", TAGS + 2, TAGS))

    def parts(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return self.moves[0], self.moves[1], self.moves[2:]


def _crf_loss(batch: Batch) -> tuple[nn.Module, Callable]:
    crf, tags, mask = _Crf(), batch.tags, batch.mask
    last = tags.gather(1, batch.lengths.unsqueeze(1) - 1).squeeze(1)

    def run() -> torch.Tensor:
        scores = crf.linear(batch.x)
        start, end, move = crf.parts()
        alpha = scores[:, 0] + start
        for t in range(1, scores.shape[1]):
            following = torch.logsumexp(alpha.unsqueeze(2) + move, 1) + scores[:, t]
            alpha = torch.where(mask[:, t, None], following, alpha)
        seen = (scores.gather(2, tags.unsqueeze(2)).squeeze(2) * mask).sum(1)
        moved = (move[tags[:, :-1], tags[:, 1:]] * mask[:, 1:]).sum(1)
        path = seen + moved + start[tags[:, 0]] + end[last]
        return (torch.logsumexp(alpha + end, 1) - path).mean()

    return crf, run


def _crf_decoding(batch: Batch) -> tuple[nn.Module, Callable]:
    crf, mask = _Crf(), batch.mask

    @torch.no_grad()
    def run() -> torch.Tensor:
        scores = crf.linear(batch.x)
        start, end, move = crf.parts()
        best, back = scores[:, 0] + start, []
        itself = torch.arange(TAGS).expand(len(best), TAGS)
        for t in range(1, scores.shape[1]):
            value, source = (best.unsqueeze(2) + move).max(1)
            here = mask[:, t, None]
            best = torch.where(here, value + scores[:, t], best)
            back.append(torch.where(here, source, itself))
        path = [(best + end).argmax(1, keepdim=True)]
        for source in reversed(back):
            path.append(source.gather(1, path[-1]))
        return torch.cat(path[::-1], 1)[mask]

    return crf, run


_NETWORKS = {
    networks.POOL: _pool,
    networks.SOFTMAX: _softmax,
    networks.CONV: _conv,
    networks.LSTM: _lstm,
    networks.PEEPHOLES: _lstm,
    networks.GRU: _gru,
    networks.LOSS: _crf_loss,
    networks.DECODING: _crf_decoding,
}


def torch_step(task: str) -> Callable[[], Any]:
    """A function that runs a step in eager torch."""
    batch = Batch()
    module, run = _NETWORKS[task](batch)
    if task == networks.DECODING:
        return lambda: Outcome(run())
    sgd = torch.optim.SGD(module.parameters(), lr=RATE, fused=True)

    def step() -> Outcome:
        loss = run()
        loss.backward()
        sgd.step()
        sgd.zero_grad(set_to_none=True)
        grad, batch.x.grad = batch.x.grad, None
        return Outcome(loss.detach(), grad, batch.mask)

    return step
