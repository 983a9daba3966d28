"""Every name and member of the table of 1.8: it is there, and is called in the same way."""

from __future__ import annotations

import re
import warnings

import pytest

from scripts import api_table

ROWS = [row for row in api_table.fluid_rows() if row.name.startswith("paddle.fluid")]
# Pattern of names -> why they are not there, or not the same. The first that fits counts.
EXCEPTIONS = {
    r"contrib\.(slim\..*|Compressor.*|QuantizeTranspiler.*)": "issue K: slim",
    r"incubate\.fleet.*|distributed\..*|communicator\..*|distribute_lookup_table\..*":
        "issue H: several machines",
    r"contrib\.(HDFSClient.*|multi_download|multi_upload|convert_dist_to_sparse_program"
    r"|load_persistables_for_in\w+|utils\..*|distributed_batch_reader)":
        "issue H: several machines",
    r"dygraph\.dygraph_to_static\..*": "jit.to_static has its own transformers",
    r"LoDTensorArray\.__getitem__": "a list of Python, whose signature inspect cannot read",
    r"Variable\.where": "x and y may be left out, as in later versions",
    r"entry_attr\..*": "issue H: tables on servers",
    r"_cuda_synchronize.*": "a function; 1.8.5's is the class of functions of its native module",
    r"contrib\.BeamSearchDecoder": "None stands for an empty dict, which calls would share",
    r"core\.VarBase.*": "a native class of eager Tensors",
}  # fmt: skip
# Until the branches that bring them are merged.
AWAITED = re.compile(
    r"layers\.(filter_by_instag|hash|random_crop|similarity_focus|\w*Decoder\.\w+"
    r"|RNNCell\.get_initial_states)|(metrics|evaluator)\.\w+.*|optimizer\.(DGCMomentum.*|Adagrad)"
    r"|generator\..*|ComplexVariable.*|contrib\..*"
)


def _reason(name: str) -> str | None:
    short = name.removeprefix("paddle.fluid.")
    for pattern, reason in EXCEPTIONS.items():
        if re.fullmatch(pattern, short):
            return reason
    return "awaited" if AWAITED.fullmatch(short) else None


@pytest.fixture(scope="module")
def found() -> dict[str, str | None]:
    """Name -> what is wrong with it; None: nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {row.name: _wrong(row) for row in ROWS}


def _wrong(row: api_table.Row) -> str | None:
    made = api_table.resolve(row.name)
    if made is api_table.MISSING:
        return "is missing"
    if any("(*args, **kwargs) | (" in text for text in (row.signature, row.signature_202)):
        return None  # a native class: the table has all its overloads
    return api_table.mismatch(row, made)


def test_names_and_members_are_those_of_the_table(found: dict[str, str | None]) -> None:
    wrong = {n: told for n, told in found.items() if told is not None and _reason(n) is None}
    assert not wrong, "\n".join(f"{name} {told}" for name, told in wrong.items())


def test_layers_are_called_as_in_the_table(found: dict[str, str | None]) -> None:
    wrong = {n: t for n, t in found.items() if t not in (None, "is missing") and ".layers." in n}
    assert not {n: t for n, t in wrong.items() if n.count(".") == 3}


def test_every_exception_is_needed(found: dict[str, str | None]) -> None:
    for pattern in EXCEPTIONS:
        names = [n for n in found if re.fullmatch(pattern, n.removeprefix("paddle.fluid."))]
        assert any(found[name] for name in names), f"{pattern} is not needed any more"
