"""Rank tables and arrays of steps, as DynamicRNN and beam search of 1.x use them."""

from __future__ import annotations

import re

import pytest
import torch

from paddle.core.levels import levels_on, put_levels
from paddle.executor.emitters.sequences import (
    decoded,
    from_array,
    max_length,
    rank_table,
    reordered,
    shrunk,
    to_array,
)


def rows(count: int, *levels: list[int]) -> torch.Tensor:
    made = torch.arange(count * 2.0).reshape(count, 2)
    if levels:
        put_levels(made, list(levels))
    return made


def numbers(tensor: torch.Tensor) -> list[int]:
    """Which rows of `rows` these are."""
    return [int(n) // 2 for n in tensor[:, 0].tolist()]


def test_steps_of_sequences_and_back():
    x = rows(7, [0, 2, 2, 6, 7])
    table = rank_table(x, 0)
    assert table.items == [(2, 4), (0, 2), (3, 1), (1, 0)]
    assert max_length(table).tolist() == [4]
    steps = to_array(x, table)
    assert [numbers(step) for step in steps] == [[2, 0, 6], [3, 1], [4], [5]]
    again = from_array(steps, table)
    assert torch.equal(again, x) and levels_on(again) == [[0, 2, 2, 6, 7]]


def test_steps_of_the_upper_level_are_sequences():
    x = rows(8, [0, 1, 3], [0, 3, 4, 8])
    table = rank_table(x, 0)
    steps = to_array(x, table)
    assert [numbers(step) for step in steps] == [[3, 0, 1, 2], [4, 5, 6, 7]]
    assert [levels_on(step) for step in steps] == [[[0, 1, 4]], [[0, 4]]]
    again = from_array(steps, table)
    assert torch.equal(again, x) and levels_on(again) == [[0, 1, 3], [0, 3, 4, 8]]


def test_the_lower_level_keeps_the_upper_one():
    x = rows(5, [0, 2], [0, 1, 5])
    table = rank_table(x, 1)
    steps = to_array(x, table)
    assert [numbers(step) for step in steps] == [[1, 0], [2], [3], [4]]
    assert levels_on(from_array(steps, table)) == [[0, 2], [0, 1, 5]]


def test_memories_in_the_order_of_the_table():
    table = rank_table(rows(7, [0, 2, 2, 6, 7]), 0)
    memory = reordered(rows(4), table)
    assert numbers(memory) == [2, 0, 3, 1] and not levels_on(memory)
    kept = [numbers(shrunk(memory, table, torch.tensor([step]))) for step in range(4)]
    assert kept == [[2, 0, 3], [2, 0], [2], [2]]
    whole = reordered(rows(7, [0, 2, 2, 6, 7]), table)
    assert numbers(whole) == [2, 3, 4, 5, 0, 1, 6] and levels_on(whole) == [[0, 4, 6, 7, 7]]
    part = shrunk(whole, table, torch.tensor([1]))
    assert numbers(part) == [2, 3, 4, 5, 0, 1] and levels_on(part) == [[0, 4, 6]]


def test_nothing_but_empty_sequences():
    x = rows(0, [0, 0, 0])
    table = rank_table(x, 0)
    assert max_length(table).tolist() == [0] and to_array(x, table) == []
    with pytest.raises(ValueError, match="expected an array of 0 steps"):
        from_array([], table)


def step(words: list[int], scores: list[float], *levels: list[int]) -> tuple:
    ids, values = torch.tensor(words).reshape(-1, 1), torch.tensor(scores).reshape(-1, 1)
    for tensor in (ids, values):
        put_levels(tensor, list(levels))
    return ids, values


def test_beams_are_walked_back_from_where_they_ended():
    """The second source has ended after one word; of two ends of the first one only one counts."""
    end = 9
    steps = [
        step([1, 2], [0.0, 0.0], [0, 1, 2], [0, 1, 2]),
        step([3, 9, 9], [0.3, 0.2, 0.9], [0, 1, 2], [0, 2, 3]),
        step([4, 9], [0.5, 0.6], [0, 2, 3], [0, 1, 2, 2]),
    ]
    ids, scores = decoded([s[0] for s in steps], [s[1] for s in steps], 2, end)
    assert levels_on(ids) == levels_on(scores) == [[0, 2, 3], [0, 2, 5, 7]]
    assert ids.tolist() == [1, 9, 1, 3, 4, 2, 9]
    torch.testing.assert_close(scores, torch.tensor([0.0, 0.6, 0.0, 0.3, 0.5, 0.0, 0.9]))


def refused(match: str, call, *args) -> None:
    with pytest.raises((ValueError, IndexError), match=re.escape(match)):
        call(*args)


def test_what_does_not_fit_is_named():
    table = rank_table(rows(3, [0, 2, 3]), 0)
    refused("lod_rank_table: expected X to be rows that are split", rank_table, rows(3), 0)
    refused("a level from 0 to 0, but received 1", rank_table, rows(3, [0, 3]), 1)
    deep = rank_table(rows(3, [0, 2], [0, 2, 3]), 1)
    refused("with more than 1 levels", to_array, rows(3, [0, 2, 3]), deep)
    refused("an array of 2 steps, but it has 1", from_array, [rows(2)], table)
    refused("each of the 2 sequences of the table, but it has 3", reordered, rows(3), table)
    refused("expected arrays with steps", decoded, [], [], 2, 1)
    refused("Ids[0] with 2 level(s)", decoded, [rows(2, [0, 2])], [rows(2)], 2, 1)
