"""Conditional random fields over rows that are split into sequences, step by step, unpadded.

Forward variables are shares of each step: products of exponentials that are divided by their sum
at every step, so that none grows or vanishes. That asks for transitions that do not differ by more
than exponentials can hold; others are left to the form in logarithms (:func:`serves`).
"""

from __future__ import annotations

import torch

from paddle.core.levels import levels_on
from paddle.ops.sequence.levels import Steps, in_steps, last_level, positions

_RANGE = 60.0  # exp of it, and of minus it, is far from the ends of float32


def serves(emission: torch.Tensor, transition: torch.Tensor, label: torch.Tensor) -> bool:
    """Whether these forms compute what is asked for."""
    if emission.is_meta or not emission.shape[0] or not levels_on(emission):
        return False
    if emission.dtype not in (torch.float32, torch.float64) or transition.dim() != 2:
        return False
    if torch.is_grad_enabled() and (emission.requires_grad or transition.requires_grad):
        return False  # torch records: a derivative of higher order
    low, high = torch.aminmax(transition) if transition.numel() else (0, 0)
    return bool(high - low < _RANGE)


def _pieces(emission: torch.Tensor, transition: torch.Tensor) -> tuple:
    """Steps, and exponentials of the transitions over their greatest one."""
    steps = in_steps(last_level("linear_chain_crf", "Emission", emission, 1), emission)
    top = transition.max()
    return steps, top, torch.exp(transition - top)


def _ends(steps: Steps, values: list[torch.Tensor]) -> torch.Tensor:
    """What the sequences have at their last step, in the order of steps."""
    live = [*steps.live[1:], 0]
    parts = [value[n:] for value, n in zip(values, live, strict=True)]
    return torch.cat(parts[::-1])


def forward(emission: torch.Tensor, transition: torch.Tensor, label: torch.Tensor) -> tuple:
    """Alpha, EmissionExps, TransitionExps and LogLikelihood of linear_chain_crf."""
    steps, top, moves = _pieces(emission, transition)
    high = emission.amax(1, keepdim=True)
    shares = torch.exp(emission - high)
    start, end, move = moves[0], moves[1], moves[2:]
    alphas: list[torch.Tensor] = []
    sums: list[torch.Tensor] = []
    for rows in shares.index_select(0, steps.rows).split(steps.live):
        came = start if not alphas else torch.mm(alphas[-1][: rows.shape[0]], move)
        made = torch.mul(rows, came)
        total = made.sum(1, keepdim=True)
        alphas.append(made.div_(total))
        sums.append(total)
    last = torch.mv(_ends(steps, alphas), end)
    # Each row has a transition into it, each sequence one more behind its end.
    logs = torch.log(torch.cat(sums)).reshape(-1) + high.reshape(-1)[steps.rows] + top
    count = len(steps.sequences)
    owner = torch.cat([torch.arange(n, device=emission.device) for n in steps.live])
    partition = logs.new_zeros(count).index_add(0, owner, logs)
    ended = torch.log(last) + top
    partition[: len(ended)] += ended  # the sequences that have rows come first
    partition = partition[steps.back]
    loss = partition - _score(emission, transition, label.reshape(-1).long())
    alpha = torch.cat(alphas).index_select(0, steps.places)
    return alpha, shares, torch.exp(transition), loss.unsqueeze(1)


def _edges(offsets: list[int], like: torch.Tensor) -> tuple:
    """The first and the last row of each sequence that has any."""
    ends = torch.tensor(offsets, dtype=torch.int64)
    full = torch.diff(ends).nonzero().reshape(-1)
    return ends[:-1][full].to(like.device), (ends[1:][full] - 1).to(like.device)


def _within(offsets: list[int], like: torch.Tensor) -> torch.Tensor:
    """The rows that follow another one of their sequence."""
    follows = torch.ones(like.shape[0], dtype=torch.bool)
    first = torch.tensor([n for n in offsets[:-1] if n < like.shape[0]], dtype=torch.int64)
    follows[first] = False
    return follows.nonzero().reshape(-1).to(like.device)


def _score(emission: torch.Tensor, transition: torch.Tensor, label: torch.Tensor) -> torch.Tensor:
    """The weight of the labels of each sequence."""
    offsets = last_level("linear_chain_crf", "Emission", emission, 1)
    first, last = _edges(offsets, emission)
    inner = _within(offsets, emission)
    each = emission.gather(1, label.unsqueeze(1)).reshape(-1)
    each = each.index_add(0, inner, transition[2:][label[inner - 1], label[inner]])
    each = each.index_add(0, first, transition[0][label[first]])
    each = each.index_add(0, last, transition[1][label[last]])
    run = torch.cat([each.new_zeros(1).double(), torch.cumsum(each.double(), 0)])
    ends = positions(offsets, emission)
    return (run[ends[1:]] - run[ends[:-1]]).to(each.dtype)


def backward(d_loss, emission, transition, label, alpha, shares) -> tuple:
    """Gradients of the emission and the transition: expected less counted occurrences."""
    steps, _, moves = _pieces(emission, transition)
    end, back = moves[1], moves[2:].t().contiguous()
    rows, weights = (
        alpha.index_select(0, steps.rows).split(steps.live),
        shares.index_select(0, steps.rows).split(steps.live),
    )
    ahead: list[torch.Tensor] = []  # for all steps but the first, what comes after the one before
    betas: list[torch.Tensor] = []
    for t in range(len(rows) - 1, -1, -1):
        here = rows[t]
        parts = []
        if betas:
            follow = torch.mul(weights[t + 1], betas[-1])
            beta = torch.mm(follow, back)
            share = torch.mul(here[: len(beta)], beta).sum(1, keepdim=True)
            ahead.append(follow.div_(share))
            parts.append(beta.div_(share))
        over = here[len(parts[0]) if parts else 0 :]
        if len(over):
            parts.append(end / torch.mv(over, end).unsqueeze(1))
        betas.append(torch.cat(parts) if len(parts) > 1 else parts[0])
    marginal = torch.mul(alpha, torch.cat(betas[::-1]).index_select(0, steps.places))
    offsets = last_level("linear_chain_crf", "Emission", emission, 1)
    first, last = _edges(offsets, emission)
    inner = _within(offsets, emission)
    label, grad = label.reshape(-1).long(), d_loss.reshape(-1)
    lengths = torch.diff(positions(offsets, emission))
    each = torch.repeat_interleave(grad, lengths, output_size=emission.shape[0]).unsqueeze(1)
    d_emission = torch.mul(marginal, each)
    d_moves = torch.zeros_like(transition)
    d_moves[0], d_moves[1] = d_emission[first].sum(0), d_emission[last].sum(0)
    if ahead:
        before = torch.cat([part[:n] for part, n in zip(rows, steps.live[1:], strict=False)])
        scaled = torch.mul(torch.cat(ahead[::-1]), each[steps.rows[steps.live[0] :]])
        d_moves[2:] = torch.mul(torch.mm(before.t(), scaled), moves[2:])
    flat = each.reshape(-1)
    minus = torch.neg(flat)
    d_emission.scatter_add_(1, label.unsqueeze(1), minus.unsqueeze(1))
    d_moves[0].index_add_(0, label[first], minus[first])
    d_moves[1].index_add_(0, label[last], minus[last])
    d_moves[2:].index_put_((label[inner - 1], label[inner]), minus[inner], accumulate=True)
    return d_emission, d_moves


def decoded(offsets: list[int], emission: torch.Tensor, transition: torch.Tensor) -> torch.Tensor:
    """The best tags of all rows, [N, 1].

    A step holds tags below each other and sequences side by side, so that the maximum over the tags
    before runs along all of them at once: [20, 20, 32] 16 -> 2 us.
    """
    steps = in_steps(offsets, emission)
    if not steps.live:
        return emission.new_zeros([0, 1], dtype=torch.int64)
    start, end, move = transition[0], transition[1], transition[2:]
    to_each, came_from = move.unsqueeze(2), move.t().contiguous()
    if len(offsets) == 2:
        return _decoded_alone(emission, start, end, came_from)
    columns = emission.index_select(0, steps.rows).t().contiguous().split(steps.live, 1)
    best = torch.add(columns[0], start.unsqueeze(1))
    bests = [best]
    for column in columns[1:]:
        reached = torch.add(best.narrow(1, 0, column.shape[1]).unsqueeze(1), to_each)
        best = torch.amax(reached, 0).add_(column)
        bests.append(best)
    whole = torch.cat(bests, 1).t().contiguous()
    ended = (positions(offsets[1:], emission) - 1)[steps.sequences[: steps.live[0]]]
    last = torch.argmax(whole.index_select(0, steps.places[ended]).add_(end), 1)
    rows = whole.split(steps.live)
    path = [last[: steps.live[-1]]]
    # Where the best path came from is asked only of the tags that are on it.
    for here, after in zip(rows[-2::-1], steps.live[:0:-1], strict=True):
        on_path = came_from.index_select(0, path[-1]).add_(here.narrow(0, 0, after))
        tags = torch.argmax(on_path, 1)
        more = here.shape[0] - after
        path.append(torch.cat([tags, last.narrow(0, after, more)]) if more else tags)
    return torch.cat(path[::-1])[steps.places].unsqueeze(1)


def _decoded_alone(
    emission: torch.Tensor, start: torch.Tensor, end: torch.Tensor, move: torch.Tensor
) -> torch.Tensor:
    """The best tags of a single sequence: each step is so little work that calls are counted."""
    rows = emission.unbind(0)
    best = torch.add(rows[0], start)
    bests, ways = [best], torch.empty_like(move)
    for row in rows[1:]:
        best = torch.amax(torch.add(move, best, out=ways), 1).add_(row)
        bests.append(best)
    tag = int(torch.argmax(torch.add(best, end)))
    tags = [tag]
    for best in bests[-2::-1]:
        tag = int(torch.argmax(torch.add(best, move[tag])))
        tags.append(tag)
    return torch.tensor(tags[::-1]).unsqueeze(1)
