"""Text files of slots: numbers as Python reads them, however files are cut; bad records."""

from __future__ import annotations

import os
import random
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.distributed.dataset import files, reading
from paddle.distributed.dataset.records import Slot, Table, join, parse
from paddle.distributed.dataset.tokens import Words

SLOTS = [
    Slot("words", "uint64", False, True),
    Slot("label", "uint64", True, True, (-1, 1)),
    Slot("unused", "float"),
    Slot("dense", "float", True, True, (-1, 2)),
]


def test_words_are_what_python_reads() -> None:
    draw = random.Random(3)
    integers = [draw.randrange(10 ** draw.randrange(1, 20)) for _ in range(500)]
    integers += [2**64 - 1, 2**63, 2**53 + 1, 0, 10**8, 10**16 - 1]
    words = [str(n) for n in integers] + ["-5", "+7", "00012", str(-(2**63)), "0" * 30 + "9"]
    found, good = Words(" ".join(words).encode()).integers()
    assert good.all()
    assert [n % 2**64 for n in found.tolist()] == [int(w) % 2**64 for w in words]

    floats = [f"{draw.uniform(-1e4, 1e4):.{draw.randrange(9)}f}" for _ in range(500)]
    floats += ["1e-3", "-2.5E+7", ".5", "5.", "-.25", "inf", "-inf", "123456789.123456789", "1e400"]
    text = Words("\t ".join(floats).encode())
    values, fine = text.floats(np.arange(len(text)))
    assert fine.all()
    np.testing.assert_array_equal(values, [float(w) for w in floats])


@pytest.mark.parametrize(
    "word", ["x", "1.5", "1e5", "-", ".", "1_0", "0x10", "1:", "18446744073709551616", "--1", "٣"]
)
def test_words_that_are_no_integers(word: str) -> None:
    assert Words(f"1 {word} 2".encode()).integers()[1].tolist() == [True, False, True]


@pytest.mark.parametrize("word", ["x", "-", ".", "1_0", "1:2", "--1", "1.2.3", "e5"])
def test_words_that_are_no_floats(word: str) -> None:
    text = Words(f"1 {word} 2.5".encode())
    assert text.floats(np.arange(3))[1].tolist() == [True, False, True]


def record(draw: random.Random) -> tuple[str, list]:
    words = [draw.randrange(10**9) for _ in range(draw.randrange(1, 4))]
    rest = [draw.random() for _ in range(draw.randrange(1, 3))]
    dense = [round(draw.random(), 3), round(draw.random(), 3)]
    label = draw.randrange(2)
    groups: list[list[Any]] = [words, [label], rest, dense]
    line = " ".join(f"{len(g)} " + " ".join(map(str, g)) for g in groups)
    return line, [words, label, dense]


def write(folder: Path, counts: list[int]) -> tuple[list[str], list]:
    draw, paths, records = random.Random(7), [], []
    for number, count in enumerate(counts):
        made = [record(draw) for _ in range(count)]
        path = folder / f"part-{number}"
        end = "" if number == 1 else "\n"  # a last line without an end
        path.write_text("\n".join(line for line, _ in made) + (end if made else ""))
        paths.append(str(path))
        records += [values for _, values in made]
    return paths, records


def contents(feeds: Any) -> list:
    found = []
    for feed in feeds:
        rows, offsets = feed["words"]
        for i, label in enumerate(feed["label"].ravel().tolist()):
            words = rows[offsets[i] : offsets[i + 1]].ravel().tolist()
            dense = [round(x, 3) for x in feed["dense"][i].tolist()]
            found.append([words, label, dense])
    return found


@pytest.mark.parametrize("chunk, processes, command", [
    (1 << 22, 0, "cat"), (37, 0, "cat"), (200, 1, ""), (200, 3, "cat"), (90, 2, "cat; true"),
])  # fmt: skip
def test_any_cut_gives_the_same_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int, processes: int, command: str
) -> None:
    monkeypatch.setattr(files, "_CHUNK", chunk)
    monkeypatch.setattr(files, "_PIECE", chunk)
    paths, records = write(tmp_path, [11, 6, 0, 1, 9])
    source = files.Source(SLOTS, (), False, files.parts_of(paths, command))
    sizes = []

    def noted() -> Any:
        for feed in reading.batches(reading.blocks(source, processes), source, 4, lambda _: None):
            sizes.append(len(feed["label"]))
            yield feed

    assert contents(noted()) == records
    assert sizes == [4] * 6 + [3]


def test_tables_reorder_and_exchange(tmp_path: Path) -> None:
    paths, records = write(tmp_path, [9])
    source = files.Source(SLOTS, (), False, files.parts_of(paths, "cat"))
    used = [slot for slot in SLOTS if slot.used]
    table = Table(join(list(reading.blocks(source)), used), used)
    order = np.random.RandomState(1).permutation(9)
    assert contents([table.order(order).feed(0, 9)]) == [records[i] for i in order]
    mixed = contents([table.exchange(["words"], order).feed(2, 9)])
    assert mixed == [[records[order[i]][0], *records[i][1:]] for i in range(2, 9)]


BAD = {
    "1 5 1 0 1 .5": ("slot 'dense' (number 4 of 4): the line ends before it"),
    "1 5 1 0 1 .5 2 1": "slot 'dense' (number 4 of 4): expected 2 values, as the line says, but",
    "1 5 1 0 1 .5 3 1 2 3": "expected 2 values, as its shape [-1, 2] says, but the line says 3",
    "1 5 1 0 1 .5 2 1 2 9 8": "expected 4 slots, but 2 words are left over behind them, from '9'",
    "1 5 1 x 1 .5 2 1 2": "slot 'label' (number 2 of 4): expected integers of 64 bits, but rec",
    "1 5.5 1 0 1 .5 2 1 2": "slot 'words' (number 1 of 4): expected integers of 64 bits",
    "1 5 1 0 1 .5 2 1 two": "expected numbers, but received 'two'",
    "0 1 0 1 .5 2 1 2": "slot 'words' (number 1 of 4): expected at least one value",
    "-1 1 0 1 .5 2 1 2": "slot 'words' (number 1 of 4): expected at least one value",
    "a 5 1 0 1 .5 2 1 2": "expected how many values it has, but received 'a'",
    "99999999999999999999 5": "expected how many values it has, but received '9999",
    "9223372036854775807 5": "values, as the line says, but only 1 words follow",
    "": "slot 'words' (number 1 of 4): the line ends before it",
}  # fmt: skip
GOOD = "2 3 4 1 1 1 .5 2 1 2"


@pytest.mark.parametrize("line, told", BAD.items())
def test_bad_records_are_named_or_skipped(tmp_path: Path, line: str, told: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text("\n".join([GOOD] * 3 + [line, GOOD, line]) + "\n")
    source = files.Source(SLOTS, (), False, files.parts_of([str(path)], "cat"))
    with pytest.raises(ValueError) as caught:
        list(reading.blocks(source))
    assert f"{path}, line 4" in str(caught.value) and told in str(caught.value)
    assert "2 bad records" in str(caught.value)
    skipping = files.Source(SLOTS, (), True, source.parts)
    (block,) = reading.blocks(skipping)
    assert block.size == 4 and [c.values.size for c in block.columns] == [8, 4, 8]
    assert len(block.skipped) == 2 and f"{path}, line 6" in block.skipped[1]


def test_lines_are_counted_across_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_CHUNK", 50)
    monkeypatch.setattr(files, "_PIECE", 50)
    path = tmp_path / "a.txt"
    path.write_text("\n".join([GOOD] * 30 + ["1 x"]) + "\n")
    for command in ("cat", "cat; true"):
        parts = files.parts_of([str(path)], command)
        with pytest.raises(ValueError, match="line 31"):
            list(reading.blocks(files.Source(SLOTS, (), False, parts), 2))


def dataset(kind: str, paths: list[str], command: str = "cat") -> Any:
    words = fluid.data("words", [-1, 1], "int64", lod_level=1)
    label = fluid.data("label", [-1, 1], "int64")
    made = fluid.DatasetFactory().create_dataset(kind)
    made.set_use_var([words, label])
    made.set_filelist(paths)
    made.set_batch_size(2)
    made.set_pipe_command(command)
    return made


@pytest.fixture
def program() -> Any:
    paddle.enable_static()
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.scope_guard(fluid.Scope()):
        yield main
    paddle.disable_static()


@pytest.fixture
def text(tmp_path: Path) -> str:
    path = tmp_path / "a.txt"
    path.write_text("".join(f"{1 + i % 2} {'7 ' * (1 + i % 2)}1 {i}\n" for i in range(5)))
    return str(path)


def test_commands_that_fail_stop_the_run(program: Any, text: str, capfd: Any) -> None:
    exe = fluid.Executor()
    broken = dataset("QueueDataset", [text], "echo 1 2 1 3; echo my last words >&2; exit 7")
    total = paddle.sum(program.global_block().var("label"))
    with pytest.raises(OSError) as caught:
        exe.train_from_dataset(program, broken, fetch_list=[total], print_period=1)
    for part in ("exit 7", "ended with status 7", text, "my last words"):
        assert part in str(caught.value)
    broken.set_pipe_command("kill -9 $$")
    with pytest.raises(OSError, match=r"SIGKILL|status 137"):
        exe.train_from_dataset(program, broken)
    broken.set_pipe_command("no_such_command_at_all")
    with pytest.raises(OSError, match="status 127"):
        exe.train_from_dataset(program, broken)
    broken.set_pipe_command("cat; echo a warning >&2")
    capfd.readouterr()
    exe.train_from_dataset(program, broken, fetch_list=[total], fetch_info=["t"], print_period=2)
    found = capfd.readouterr()
    assert found.err == "a warning\n" and found.out.count("data: [") == 2


def test_files_that_go(program: Any, text: str, tmp_path: Path) -> None:
    exe = fluid.Executor()
    with pytest.raises(RuntimeError, match="nowhere"):
        exe.train_from_dataset(program, dataset("QueueDataset", [str(tmp_path / "nowhere")]))
    with pytest.raises(ValueError, match="folder"):
        exe.train_from_dataset(program, dataset("QueueDataset", [str(tmp_path)]))
    for change in (os.remove, lambda path: os.truncate(path, 3)):
        Path(text).write_text("1 7 1 3\n" * 4)
        source = dataset("QueueDataset", [text])._source()
        change(text)
        with pytest.raises(Exception, match=r"a\.txt.*(cannot be read|shorter)"):
            list(reading.blocks(source))


def test_arguments_of_datasets(program: Any, text: str) -> None:
    exe = fluid.Executor()
    made = dataset("InMemoryDataset", [text])
    with pytest.raises(RuntimeError, match="dataset is need"):
        exe.train_from_dataset(program)
    with pytest.raises(TypeError, match="dataset of files"):
        exe.train_from_dataset(program, [1])
    with pytest.raises(ValueError, match="fetch_info"):
        exe.train_from_dataset(program, made, fetch_list=["label"], fetch_info=["a", "b"])
    with pytest.raises(ValueError, match="print_period"):
        exe.train_from_dataset(program, made, print_period=0)
    with pytest.raises(ValueError, match="thread"):
        exe.train_from_dataset(program, made, thread=-1)
    for call in (made.local_shuffle, made.global_shuffle):
        with pytest.raises(RuntimeError, match="load_into_memory"):
            call()
    with pytest.raises(RuntimeError, match="set_fea_eval"):
        made.slots_shuffle(["words"])
    made.set_fea_eval(10)
    with pytest.raises(ValueError, match="nope"):
        made.slots_shuffle(["nope"])
    with pytest.raises(RuntimeError, match="preload"):
        made.wait_preload_done()
    for setter in (made.set_batch_size, made.set_thread, made.set_queue_num):
        with pytest.raises(ValueError, match="positive"):
            setter(0)
    with pytest.raises(TypeError, match="list of paths"):
        made.set_filelist("a.txt")
    for refused in (made.set_parse_logkey, made.set_enable_pv_merge, made.set_current_phase):
        with pytest.raises(NotImplementedError):
            refused(True)
    with pytest.raises(NotImplementedError, match="BoxPS"):
        fluid.DatasetFactory().create_dataset("BoxPSDataset").begin_pass()
    with pytest.raises(ValueError, match="skip"):
        made.set_on_bad_record("ignore")


def labels(run: list[dict]) -> list[int]:
    return [n for feed in run for n in feed["label"].ravel().tolist()]


def test_memory(program: Any, text: str) -> None:
    made = dataset("InMemoryDataset", [text])
    assert made.get_memory_data_size() == 0 and list(made.feeds(1)[0]) == []
    made.load_into_memory()
    assert (made.get_memory_data_size(), made.get_shuffle_data_size()) == (5, 0)
    assert labels(list(made.feeds(1)[0])) == [0, 1, 2, 3, 4]
    paddle.seed(5)
    made.local_shuffle()
    first = labels(list(made.feeds(1)[0]))
    assert sorted(first) == [0, 1, 2, 3, 4] and made.get_shuffle_data_size() == 5
    made.load_into_memory()
    paddle.seed(5)
    made.global_shuffle()
    assert labels(list(made.feeds(1)[0])) == first
    halves = [labels(list(feed)) for feed in made.feeds(2)]
    assert len(halves) == 2 and halves[0] + halves[1] == first
    made.set_fea_eval(100, True)
    made.slots_shuffle(["words"])
    assert labels(list(made.feeds(1)[0])) == first
    made.release_memory()
    assert made.get_memory_data_size() == 0
    made.preload_into_memory(2)
    made.wait_preload_done()
    assert made.get_memory_data_size() == 5
    made.set_filelist(["/nowhere"])
    made.preload_into_memory()
    with pytest.raises(RuntimeError, match="nowhere"):
        made.wait_preload_done()


def test_merging_by_name(program: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("1 u1 2 3 4 1 0\n1 u2 1 5 1 1\n1 u1 1 6 1 0\n1 u3 1 9 1 1\n")
    made = dataset("InMemoryDataset", [str(path)])
    made.set_merge_by_lineid(2)
    made.load_into_memory()
    made.global_shuffle()
    (feed,) = made.feeds(1)[0]
    assert sorted(feed["words"][0].ravel().tolist()) == [3, 4, 6]
    assert feed["words"][1] == [0, 3] and feed["label"].tolist() == [[0]]


def test_skipped_records_are_counted(program: Any, text: str) -> None:
    with open(text, "a") as file:
        file.write("1 x 1 0\n")
    made = dataset("QueueDataset", [text])
    made.set_on_bad_record("skip")
    for _ in range(2):
        fluid.Executor().train_from_dataset(program, made)
        assert made.skipped_count == 1 and "line 6" in made.skipped_records[0]


def test_threads_share_the_parameters(program: Any, tmp_path: Path) -> None:
    paths = []
    for number in range(3):
        paths.append(str(tmp_path / f"{number}"))
        Path(paths[-1]).write_text("1 1 1 1\n" * 50)
    made = dataset("QueueDataset", paths)
    seen: set[int] = set()

    def note(x: Any) -> Any:
        seen.add(threading.get_ident())
        return x

    count = paddle.static.create_global_var([1], 0.0, "float32", persistable=True, name="count")
    label = program.global_block().var("label")
    paddle.static.nn.py_func(note, label, label)
    paddle.assign(count + paddle.sum(paddle.cast(label, "float32")), count)
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    exe.train_from_dataset(program, made, thread=3, debug=True)
    assert len(seen) == 3
    assert fluid.global_scope().find_var("count").get_tensor().numpy() > 0
    assert not fluid.global_scope()._kids
    exe.run(fluid.default_startup_program())
    exe.train_from_dataset(program, made, thread=1)
    assert fluid.global_scope().find_var("count").get_tensor().numpy().tolist() == [150.0]


def test_fetch_handler(program: Any, text: str) -> None:
    made = dataset("QueueDataset", [text])
    total = paddle.sum(program.global_block().var("label"))
    seen = []

    class Handler(fluid.executor.FetchHandler):
        def handler(self, res_dict: dict) -> None:
            seen.append(res_dict)

    fluid.Executor().train_from_dataset(
        program, made, fetch_handler=Handler({"total": total, "name": "label"}, period_secs=60)
    )
    assert seen[-1]["total"].tolist() == [4] and seen[-1]["name"].tolist() == [[4]]


def test_async_executor(program: Any, text: str, tmp_path: Path, capfd: Any) -> None:
    desc = tmp_path / "data.proto"
    desc.write_text(
        'name: "MultiSlotDataFeed" batch_size: 2 multi_slot_desc { slots { name: "words" '
        'type: "uint64" is_dense: false is_used: true } slots { name: "label" type: "uint64" } }'
    )
    words = fluid.layers.data("words", [1], dtype="int64", lod_level=1)
    label = fluid.layers.data("label", [1], dtype="int64")
    total, most = paddle.sum(words), paddle.max(label)
    feed = fluid.DataFeedDesc(str(desc))
    feed.set_use_slots(["label"])
    exe = fluid.AsyncExecutor(fluid.CPUPlace())
    exe.run_startup_program()
    exe.run(program, feed, [text], 1, [total, most.name], debug=True)
    assert capfd.readouterr().out.count("data: [") == 6
    exe.run(program, feed, [text], 4, [total])
    assert capfd.readouterr().out.count("data: [7]") == 1
    with pytest.raises(ValueError, match="DataFeedDesc"):
        exe.run(program, "data.proto", [text], 1, [])
    with pytest.raises(ValueError, match=r"filelist\): expected at least one file"):
        exe.run(program, feed, [], 1, [])
    with pytest.raises(NotImplementedError):
        exe.run(program, feed, [text], 1, [], mode="mpi")


def test_blocks_without_records() -> None:
    block, problems = parse(b"1 x\n", SLOTS[:1])
    assert block.size == 0 and len(problems) == 1
    assert join([block], SLOTS[:1]).size == 0


def test_slots_that_the_program_does_not_read(
    program: Any, text: str, recwarn: pytest.WarningsRecorder, capfd: Any
) -> None:
    made = dataset("QueueDataset", [text])
    total = paddle.sum(program.global_block().var("label"))
    fluid.Executor().train_from_dataset(program, made, fetch_list=[total, "words"])
    told = [str(w.message) for w in recwarn.list if "is of 1.x" not in str(w.message)]
    assert told == [] and "words\twords" in capfd.readouterr().out


def test_ids_beyond_the_table(program: Any, text: str) -> None:
    made = dataset("QueueDataset", [text])
    rows = fluid.layers.embedding(program.global_block().var("words"), [5, 2])
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    with pytest.raises((ValueError, IndexError), match="lookup_table"):
        exe.train_from_dataset(program, made, fetch_list=[rows])
