"""Pytrees: order of values, mapping, rebuilding, and what is said where two differ."""

from __future__ import annotations

import collections
import re

import pytest

from paddle.core.pytree import difference, leaves, paths, rebuilt, tree_map

Pair = collections.namedtuple("Pair", "first second")
PYTREE = {"b": [1, (2, 3)], "a": Pair(4, {"z": 5})}


def test_values_come_by_sorted_keys():
    assert leaves(PYTREE) == [4, 5, 1, 2, 3]
    assert [p for p, _ in paths(PYTREE)] == [
        "['a'][0]", "['a'][1]['z']", "['b'][0]", "['b'][1][0]", "['b'][1][1]",
    ]  # fmt: skip
    assert leaves(7) == [7] and leaves([]) == [] and leaves({1: "x", "a": "y"}) == ["x", "y"]


def test_the_form_stays():
    doubled = tree_map(lambda v: 2 * v, PYTREE)
    assert doubled == {"b": [2, (4, 6)], "a": Pair(8, {"z": 10})}
    assert type(doubled["a"]) is Pair and list(doubled) == ["b", "a"]
    assert rebuilt(PYTREE, ["p", "q", "r", "s", "t"]) == {
        "b": ["r", ("s", "t")], "a": Pair("p", {"z": "q"}),
    }  # fmt: skip
    ordered = tree_map(str, collections.OrderedDict(b=1, a=2))
    assert type(ordered) is collections.OrderedDict and list(ordered) == ["b", "a"]


def test_values_of_several_nests():
    assert tree_map(lambda a, b: a + b, [1, (2,)], (10, [20])) == [11, (22,)]
    assert tree_map(lambda a, b: b, [1, 2], [None, 3]) == [None, 3]


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        ([1, 2], [1], "the result has 2 and 1 elements"),
        ([1, [2]], [1, 2], r"\[1\] is a list of 1 and one int"),
        ({"a": 1}, {"b": 1}, r"the result has keys \['a'\] and \['b'\]"),
        ({"a": [1]}, {"a": {}}, r"\['a'\] is a list of 1 and a dict with keys \[\]"),
        ([None], [1], r"\[0\] is None and one int"),
    ],
)
def test_differences_are_told(a, b, text):

    assert re.fullmatch(text, difference(a, b))
    assert difference(a, a) is None
    if a != [None]:
        with pytest.raises(ValueError, match="expected pytrees of the same form, but "):
            tree_map(lambda x, y: x, a, b)


def test_lists_and_tuples_count_as_the_same():
    assert difference([1, (2,)], (1, [2])) is None


def test_the_number_of_values_is_checked():
    with pytest.raises(ValueError, match="a pytree of 2 values was given 3"):
        rebuilt([1, 2], [1, 2, 3])
