"""Records that go from trainer to trainer: as bytes, and in a job of three."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.core.rings import Communicator, rings
from paddle.distributed.dataset import exchange
from paddle.distributed.dataset.records import Slot, Table, parse
from tests.distributed.ranks import RankError, Ranks

SLOTS = [
    Slot("words", "uint64", False, True),
    Slot("label", "uint64", True, True, (-1, 1)),
    Slot("dense", "float", True, True, (-1, 2)),
]
COUNTS = [40, 0, 23]  # records of each trainer


def line(number: int) -> str:
    draw = random.Random(number)
    words = [draw.randrange(2**64) for _ in range(draw.randrange(1, 4))]
    text = " ".join(map(str, words))
    return f"{len(words)} {text} 1 {number} 2 {number}.5 -{draw.randrange(99)}"


def table(numbers: range, named: tuple[str, ...] = ()) -> Table:
    front = "1 id{} " if named else ""
    text = "".join(front.format(n % 7) + line(n) + "\n" for n in numbers)
    block, problems = parse(text.encode(), SLOTS, named)
    assert not problems
    return Table(block, SLOTS)


# -- bytes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("named", [(), ("ins_id",)])
@pytest.mark.parametrize("count", [0, 1, 9])
def test_records_as_bytes(named: tuple[str, ...], count: int) -> None:
    held = table(range(9), named).order(np.arange(count))
    message = exchange.packed(held)
    got = exchange.unpacked(message, SLOTS)
    assert (got.size, got.ids) == (count, held.ids)
    for mine, other in zip(got.columns, held.columns, strict=True):
        assert mine.values.dtype == other.values.dtype
        assert mine.values.tolist() == other.values.tolist()
        assert mine.each(count).tolist() == other.each(count).tolist()


def test_torn_messages_are_refused() -> None:
    message = exchange.packed(table(range(9), ("ins_id",)))
    for cut in (0, 8, 63, 64, len(message) - 1):
        with pytest.raises(OSError, match="is broken"):
            exchange.unpacked(message[:cut], SLOTS)
    with pytest.raises(OSError, match="left over"):
        exchange.unpacked(np.append(message, np.uint8(0)), SLOTS)
    draw = random.Random(1)
    for _ in range(500):  # whatever the header says: refused, or records of the same bytes
        broken = message.copy()
        broken[draw.randrange(64)] = draw.randrange(256)
        try:
            assert len(exchange.packed(Table(exchange.unpacked(broken, SLOTS), SLOTS))) > 0
        except (OSError, ValueError, UnicodeDecodeError):
            continue


class Three(Communicator):
    """The first of three trainers of 5, 2 and 4 records."""

    size = 3

    def __init__(self, rank: int) -> None:
        self.rank = rank

    def all_gather(self, buffer: Any) -> list:
        import torch

        return [torch.tensor([n]) for n in (5, 2, 4)]


Three.__abstractmethods__ = frozenset()  # type: ignore[attr-defined]


def test_all_trainers_get_as_many_records() -> None:
    sizes = (5, 2, 4)
    to = [exchange.targets(table(range(n)), Three(rank)) for rank, n in enumerate(sizes)]
    assert np.bincount(np.concatenate(to)).tolist() == [4, 4, 3]


# -- three trainers --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def job() -> Iterator[Ranks]:
    with Ranks(3) as started:
        yield started


FLEET = SimpleNamespace(worker_num=lambda: rings.get(0).size)


def _dataset(folder: str, named: bool = False) -> Any:
    """Of this rank's own records, which are numbered through over the ranks."""
    rank = rings.get(0).rank
    first = sum(COUNTS[:rank])
    path = Path(folder) / f"part-{rank}"
    numbers = range(first, first + COUNTS[rank])
    front = "1 id{} " if named else ""
    path.write_text("".join(front.format(n // 2) + line(n) + "\n" for n in numbers))
    paddle.enable_static()
    with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
        use = [
            paddle.static.data("words", [None, 1], "int64", lod_level=1),
            paddle.static.data("label", [None, 1], "int64"),
            paddle.static.data("dense", [None, 2], "float32"),
        ]
    paddle.disable_static()
    made = paddle.distributed.InMemoryDataset()
    made.init(batch_size=4, use_var=use)
    made.set_filelist([str(path)])
    return made


def _lines(dataset: Any) -> list[str]:
    found = []
    for feed in dataset.feeds(1)[0]:
        rows, offsets = feed["words"]
        for i, number in enumerate(feed["label"].ravel().tolist()):
            words = [n % 2**64 for n in rows[offsets[i] : offsets[i + 1]].ravel().tolist()]
            dense = feed["dense"][i]
            text = f"{len(words)} {' '.join(map(str, words))} 1 {number} 2 {dense[0]:g}"
            found.append(f"{text} {dense[1]:.0f}")
    return found


def _shuffled(folder: str, settings: dict[str, Any]) -> tuple[list[str], list[int]]:
    dataset = _dataset(folder)
    dataset.update_settings(**settings)
    dataset.load_into_memory()
    sizes = [dataset.get_memory_data_size(), dataset.get_memory_data_size(FLEET)]
    sizes += [dataset.get_shuffle_data_size(FLEET)]
    paddle.seed(7)
    dataset.global_shuffle(FLEET)
    sizes += [dataset.get_shuffle_data_size(), dataset.get_shuffle_data_size(FLEET)]
    return _lines(dataset), sizes


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"fleet_send_batch_size": 6},
        {"fleet_send_batch_size": 15, "fleet_send_sleep_seconds": 0.01},
    ],
    ids=["at_once", "in_rounds", "with_pauses"],
)  # fmt: skip
def test_every_record_arrives_once(job: Ranks, tmp_path: Path, settings: dict) -> None:
    found = job.run(_shuffled, str(tmp_path), settings)
    everything = [f"{line(n)}" for n in range(63)]
    assert sorted(text for lines, _ in found for text in lines) == sorted(everything)
    for rank, (lines, sizes) in enumerate(found):
        assert sizes == [COUNTS[rank], 63, 0, 21, 63] and len(lines) == 21
        own = set(everything[sum(COUNTS[:rank]) : sum(COUNTS[: rank + 1])])
        assert set(lines) != own and lines != sorted(lines, key=everything.index)
    assert job.run(_shuffled, str(tmp_path), settings) == found  # it follows the seed


def _by_fleet(folder: str, servers: bool) -> tuple[list[str], int]:
    from paddle.distributed import fleet

    rank = rings.get(0).rank
    beside = {
        "TRAINING_ROLE": "TRAINER", "PADDLE_PSERVERS_IP_PORT_LIST": "127.0.0.1:9",
        "PADDLE_TRAINER_ID": str(rank),
    }  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        for name, value in beside.items() if servers else ():
            patch.setenv(name, value)
        fleet.init(is_collective=not servers)
        dataset = _dataset(folder)
        dataset.load_into_memory()
        dataset.global_shuffle(fleet)
        return _lines(dataset), dataset.get_shuffle_data_size(fleet)


@pytest.mark.parametrize("servers", [False, True])
def test_the_trainers_of_a_fleet(job: Ranks, tmp_path: Path, servers: bool) -> None:
    found = job.run(_by_fleet, str(tmp_path), servers)
    assert sorted(t for lines, _ in found for t in lines) == sorted(line(n) for n in range(63))
    assert [size for _, size in found] == [63] * 3


def _merged(folder: str) -> list[list[int]]:
    dataset = _dataset(folder, named=True)
    dataset._init_distributed_settings(merge_size=2, parse_ins_id=True)
    dataset.load_into_memory()
    dataset.global_shuffle(FLEET, 2)
    (feeds,) = dataset.feeds(1)
    return [sorted(np.diff(feed["words"][1]).tolist()) for feed in feeds]


@pytest.mark.slow
def test_records_of_one_name_come_together(job: Ranks, tmp_path: Path) -> None:
    # Records 2n and 2n + 1 have one name; 39 and 40 are of different trainers; 62 is alone.
    lengths = [len(line(n).split()) - 6 for n in range(62)]
    wanted = sorted(lengths[n] + lengths[n + 1] for n in range(0, 62, 2))
    found = job.run(_merged, str(tmp_path))
    assert sorted(n for batches in found for batch in batches for n in batch) == wanted


def _alone(folder: str) -> int:
    dataset = _dataset(folder)
    dataset.load_into_memory()
    dataset.global_shuffle()
    return dataset.get_memory_data_size()


def test_without_a_fleet_each_shuffles_its_own(job: Ranks, tmp_path: Path) -> None:
    assert job.run(_alone, str(tmp_path)) == COUNTS


def _other_slots(folder: str) -> None:
    dataset = _dataset(folder)
    if rings.get(0).rank == 1:
        dataset.proto_desc.slots[0].name = "others"
    dataset.load_into_memory()
    dataset.global_shuffle(FLEET)


def test_trainers_with_other_slots_are_refused(job: Ranks, tmp_path: Path) -> None:
    with pytest.raises(RankError) as caught:
        job.run(_other_slots, str(tmp_path))
    errors = caught.value.errors
    assert sorted(errors) == [0, 1, 2]
    for rank, same in ((0, "[0, 2]"), (1, "[1]"), (2, "[0, 2]")):
        assert isinstance(errors[rank], ValueError) and same in str(errors[rank])


def test_what_a_fleet_is() -> None:
    dataset = paddle.distributed.InMemoryDataset()
    with pytest.raises(TypeError, match=r"expected paddle\.distributed\.fleet or None"):
        dataset.global_shuffle(3)
    with pytest.raises(RuntimeError, match="expected a group of 2 trainers"):
        dataset.get_memory_data_size(SimpleNamespace(worker_num=lambda: 2))
    assert dataset.get_memory_data_size(SimpleNamespace(worker_num=lambda: 1)) == 0
