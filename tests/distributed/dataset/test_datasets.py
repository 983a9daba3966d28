"""Datasets of 2.0 in one process: settings, training, what is refused."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.distributed as dist
from paddle.distributed.dataset import reading
from paddle.distributed.fleet.data_generator import (
    MultiSlotDataGenerator,
    MultiSlotStringDataGenerator,
)

STREAMED = [dist.QueueDataset, dist.FileInstantDataset]
IN_MEMORY = [dist.InMemoryDataset, dist.BoxPSDataset]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.chdir(tmp_path)
    paddle.enable_static()
    main, scope = paddle.static.Program(), paddle.static.Scope()
    with (
        paddle.static.scope_guard(scope),
        paddle.static.program_guard(main, paddle.static.Program()),
    ):
        yield main
    paddle.disable_static()


@pytest.fixture
def use(program: Any) -> list:
    return [
        paddle.static.data("words", [None, 1], "int64", lod_level=1),
        paddle.static.data("label", [None, 1], "int64"),
    ]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Five records, of the labels 0 to 4."""
    for number, labels in enumerate(([0, 1, 2], [3, 4])):
        text = "".join(f"{1 + i % 2} {'7 ' * (1 + i % 2)}1 {i}\n" for i in labels)
        (tmp_path / f"part-{number}").write_text(text)
    return [str(tmp_path / "part-0"), str(tmp_path / "part-1")]


def executor() -> Any:
    exe = paddle.static.Executor(paddle.CPUPlace())
    exe.run(paddle.static.default_startup_program())
    return exe


def labels(dataset: Any, threads: int = 1) -> list[list[int]]:
    return [feed["label"].ravel().tolist() for part in dataset.feeds(threads) for feed in part]


# -- settings --------------------------------------------------------------------------------------


def test_where_the_names_are() -> None:
    import paddle.distributed.fleet.dataset as module
    from paddle.distributed.fleet.data_generator import data_generator
    from paddle.fluid.dataset import InMemoryDataset, QueueDataset
    from paddle.fluid.incubate.data_generator import MultiSlotDataGenerator as Old

    for name in module.__all__:
        assert getattr(module, name) is getattr(dist, name), name
    assert InMemoryDataset is dist.InMemoryDataset and QueueDataset is dist.QueueDataset
    assert Old is MultiSlotDataGenerator is data_generator.MultiSlotDataGenerator


@pytest.mark.parametrize("kind", [*STREAMED, *IN_MEMORY])
def test_init_says_what_is_read(kind: Any, use: list, files: list[str]) -> None:
    made = kind()
    made.init(batch_size=2, thread_num=3, use_var=use, pipe_command="sed s/7/8/", input_type=0)
    made.set_filelist(files)
    assert (made.thread_num, made.filelist) == (3, files)
    text = made._desc()
    for part in ("batch_size: 2", 'pipe_command: "sed s/7/8/"', 'name: "words"', "shape: -1"):
        assert part in text, part
    if kind in IN_MEMORY:
        made.load_into_memory()
    assert labels(made) == [[0, 1], [2, 3], [4]]
    (first, *_) = made.feeds(1)[0]
    assert first["words"][0].ravel().tolist() == [8, 8, 7] and first["words"][1] == [0, 1, 3]
    made.init(use_var=use[1:])  # it replaces what was said before
    assert made._desc().count("slots {") == 1 and made.proto_desc.batch_size == 1


def test_what_1x_keeps_in_its_native_part(use: list, files: list[str], tmp_path: Path) -> None:
    made = dist.InMemoryDataset()
    made.init(batch_size=4, thread_num=2, use_var=use)
    made.set_filelist(files)
    native = made.dataset
    assert native.get_filelist() == files and native.get_thread_num() == 2
    assert native.get_data_feed_desc() == made.desc() and native.get_shuffle_data_size() == 0
    with pytest.raises(RuntimeError, match="merge_by_lineid: the dataset is not in memory"):
        native.merge_by_lineid()
    made.load_into_memory()
    native.merge_by_lineid()  # these have no names
    assert native.get_memory_data_size() == 5
    named = tmp_path / "named"
    named.write_text("1 x 1 8 1 0\n1 y 1 7 1 1\n1 x 2 5 6 1 1\n")
    made._set_merge_by_lineid(2)
    made.set_filelist([str(named)])
    made.load_into_memory()
    native.merge_by_lineid()
    (batch,) = made.feeds(1)[0]
    assert native.get_memory_data_size() == 1 and batch["words"][0].ravel().tolist() == [8, 5, 6]


def test_settings_that_change(use: list, files: list[str]) -> None:
    made = dist.InMemoryDataset()
    made.init(batch_size=1, thread_num=2, use_var=use, queue_num=-1, fs_ugi="me,secret",
              data_feed_type="MultiSlotInMemoryDataFeed")  # fmt: skip
    made.set_filelist(files)
    assert made._download == "hadoop fs -D fs.default.name='' -D hadoop.job.ugi=me,secret -cat"
    made.update_settings(batch_size=4, thread_num=1, queue_num=1, fs_name="hdfs://a b:1")
    assert made._download.startswith("hadoop fs -D fs.default.name='hdfs://a b:1' -D hadoop.job.")
    made.update_settings(download_cmd="cat /mnt", use_var=use, input_type=0, pipe_command="cat")
    assert made._download == "cat /mnt" and made._desc().count("slots {") == 2
    made.load_into_memory()
    assert labels(made) == [[0, 1, 2, 3], [4]]
    made._init_distributed_settings(
        merge_size=2, parse_ins_id=True, parse_content=False, fleet_send_batch_size=8,
        fleet_send_sleep_seconds=1, fea_eval=True, candidate_size=10,
    )  # fmt: skip
    assert made.merge_by_lineid and made.parse_ins_id
    made.update_settings(merge_size=-1, fleet_send_sleep_seconds=0)
    assert not made.merge_by_lineid and made.fleet_send_sleep_seconds == 0
    made.slots_shuffle(["words"])
    made.update_settings(fea_eval=False)
    with pytest.raises(RuntimeError, match="set_fea_eval"):
        made.slots_shuffle(["words"])


def test_settings_that_are_refused(use: list) -> None:
    made = dist.InMemoryDataset()
    with pytest.raises(TypeError, match=r"InMemoryDataset\.init.*'batchsize'.*mean 'batch_size'"):
        made.init(batchsize=1)
    with pytest.raises(TypeError, match="no argument 'merge_size'"):
        made.init(merge_size=1)
    with pytest.raises(TypeError, match="did you mean 'thread_num'"):
        made.update_settings(threadnum=1)
    with pytest.raises(TypeError, match="batch_size"):
        made._init_distributed_settings(batch_size=1)
    with pytest.raises(TypeError, match="queue_num"):
        dist.QueueDataset().init(queue_num=1)
    for wrong in ({"batch_size": 0}, {"thread_num": True}, {"input_type": 2}, {"queue_num": 0}):
        with pytest.raises(ValueError, match="expected"):
            made.init(**wrong)
    for wrong in ({"fleet_send_batch_size": 0}, {"fleet_send_sleep_seconds": -1},
                  {"candidate_size": 0}, {"merge_size": -2}):  # fmt: skip
        with pytest.raises(ValueError, match="expected"):
            made.update_settings(**wrong)
    with pytest.raises(ValueError, match="float32 and dtype=int64"):
        made.init(use_var=[paddle.static.data("x", [None, 1], "float64")])
    with pytest.raises(TypeError, match="str"):
        made.init(pipe_command=None)
    with pytest.raises(NotImplementedError, match="MultiSlotInMemoryDataFeed"):
        made.init(data_feed_type="SlotRecordInMemoryDataFeed")
    with pytest.raises(ValueError, match="thread_num"):
        made.global_shuffle(None, 0)


def test_box() -> None:
    made = dist.BoxPSDataset()
    made.init(batch_size=2, rank_offset="r", pv_batch_size=3, merge_by_sid=True,
              parse_logkey=False, enable_pv_merge=False)  # fmt: skip
    assert 'rank_offset: "r"\npv_batch_size: 3' in made._desc()
    made.set_date("20210131")
    assert made.date == (2021, 1, 31) and made.get_pv_data_size() == 0
    made.preprocess_instance()
    made.set_current_phase(0)
    made.postprocess_instance()
    with pytest.raises(NotImplementedError, match=r"begin_pass: there is no BoxPS"):
        made.begin_pass()
    with pytest.raises(NotImplementedError, match=r"end_pass: there is no BoxPS"):
        made.end_pass(True)
    with pytest.raises(ValueError, match="20210131"):
        made.set_date("31.1.21")


@pytest.mark.parametrize("kind", STREAMED)
def test_what_is_not_in_memory_is_not_shuffled(kind: Any) -> None:
    for shuffle in (kind().local_shuffle, kind().global_shuffle):
        with pytest.raises(NotImplementedError, match=f"{kind.__name__} does not support"):
            shuffle()


def test_entries() -> None:
    assert dist.CountFilterEntry(3)._to_attr() == "count_filter_entry:3"
    assert dist.ProbabilityEntry(0.25)._to_attr() == "probability_entry:0.25"
    for wrong in (lambda: dist.CountFilterEntry(-1), lambda: dist.ProbabilityEntry(1.0)):
        with pytest.raises(ValueError, match="expected"):
            wrong()


# -- files that are wrong --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [*STREAMED, *IN_MEMORY])
def test_files_that_are_not_there(kind: Any, program: Any, use: list, files: list[str]) -> None:
    made = kind()
    made.init(use_var=use)

    def run() -> None:
        if kind in IN_MEMORY:
            made.load_into_memory()
        executor().train_from_dataset(program, made)

    with pytest.raises(RuntimeError, match=f"{kind.__name__}: there are no files to read"):
        run()
    made.set_filelist([*files, "nowhere"])
    with pytest.raises(RuntimeError, match="'nowhere' cannot be read: No such file"):
        run()
    made.set_filelist(files)
    made.set_pipe_command("no_such_command_at_all")
    with pytest.raises(OSError, match=r"(?s)'no_such_command_at_all' ended with status 127 on .*"
                       r"part-0; its last words:.*not found"):  # fmt: skip
        run()
    made.init()
    with pytest.raises(RuntimeError, match="no slots"):
        run()


@pytest.mark.parametrize("words, told", [
    ("1 5 1", r"slot 'label' \(number 2 of 2\): expected 1 values, as the line says, but only 0"),
    ("1 5 1 0 9", "expected 2 slots, but 1 words are left over"),
    ("1 five 1 0", r"slot 'words' \(number 1 of 2\): expected integers of 64 bits, but .*'five'"),
])  # fmt: skip
@pytest.mark.parametrize("command", ["cat", "cat; true"])
def test_lines_that_are_wrong(
    program: Any, use: list, files: list[str], words: str, told: str, command: str
) -> None:
    Path(files[1]).write_text(f"1 7 1 3\n{words}\n")
    made = dist.InMemoryDataset()
    made.init(use_var=use, pipe_command=command)
    made.set_filelist(files)
    with pytest.raises(ValueError, match=rf"part-1, line 2.*: {told}|part-1, line 2.*{told}"):
        made.load_into_memory()


@pytest.mark.parametrize("kind", [dist.QueueDataset, dist.InMemoryDataset])
@pytest.mark.parametrize("command", ["cat", "cat; true"])
def test_ids_outside_the_table(
    kind: Any, command: str, program: Any, use: list, files: list[str]
) -> None:
    Path(files[1]).write_text("1 7 1 3\n1 8 1 4\n3 1 99999999999 2 1 5\n")
    made = kind()
    made.init(batch_size=4, use_var=use, pipe_command=command)
    made.set_filelist(files)
    table = paddle.static.nn.embedding(use[0], [9, 2])
    if kind is dist.InMemoryDataset:
        made.load_into_memory()
        made.local_shuffle()
    with pytest.raises(IndexError) as caught:
        executor().train_from_dataset(program, made, fetch_list=[table], print_period=1)
    for part in ("expected ids from 0 to 8", "slot 'words' has 99999999999", "part-1, line 3"):
        assert part in str(caught.value)
    made.set_filelist(files[:1])  # as after a shuffle among trainers: none of these files has it
    if kind is dist.InMemoryDataset:
        with pytest.raises(IndexError, match=r"slot 'words' has 99999999999\."):
            executor().train_from_dataset(program, made, fetch_list=[table], print_period=1)


# -- shapes and lines ------------------------------------------------------------------------------


@pytest.mark.parametrize("shape, size, shapes", [
    ([None, 2], 2, [(2, 2), (1, 2)]),
    ([2], 2, [(2, 2), (1, 2)]),  # as in 6.1 of the guide: the records are not in the shape
    ([3, 2], 3, [(3, 2)]),  # they are, and not open
    ([None, 2, 1], 3, [(3, 2, 1)]),
])  # fmt: skip
def test_shapes_of_dense_slots(
    program: Any, tmp_path: Path, shape: list, size: int, shapes: list
) -> None:
    (tmp_path / "a").write_text("2 1 2\n2 3 4\n2 5 6\n")
    made = dist.QueueDataset()
    made.init(batch_size=size, use_var=[paddle.static.data("x", shape)])
    made.set_filelist([str(tmp_path / "a")])
    found = [feed["x"] for feed in made.feeds(1)[0]]
    assert [x.shape for x in found] == shapes
    assert np.concatenate(found).ravel().tolist() == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("kind", [dist.QueueDataset, dist.InMemoryDataset])
def test_lines_that_are_batches(kind: Any, program: Any, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("3 1 2 3 4 1 2 3 4\n2 4 5 2 5 6\n1 4 6 1 2 3 4 5 6\n")
    use = [
        paddle.static.data("words", [None, 1], "int64", lod_level=1),
        paddle.static.data("x", [None, 2]),
    ]
    made = kind()
    made.init(use_var=use, input_type=1)
    made.set_filelist([str(path)])
    if kind is dist.InMemoryDataset:
        made.load_into_memory()
    first, second, third = made.feeds(1)[0]
    assert first["words"][0].tolist() == [[1], [2], [3]] and first["words"][1] == [0, 1, 2, 3]
    assert first["x"].tolist() == [[1, 2], [3, 4]] and third["x"].shape == (3, 2)
    assert second["words"][1] == [0, 1, 2] and third["words"][1] == [0, 1]
    path.write_text("1 1 3 1 2 3\n")
    with pytest.raises(ValueError, match="expected a multiple of 2 values"):
        made.load_into_memory() if kind is dist.InMemoryDataset else list(made.feeds(1)[0])
    made.set_batch_size(2)
    with pytest.raises(ValueError, match="expected batch_size=1, but received 2"):
        made.load_into_memory() if kind is dist.InMemoryDataset else made.feeds(1)


# -- training --------------------------------------------------------------------------------------


def test_training_with_threads_and_a_handler(program: Any, use: list, files: list[str]) -> None:
    made = dist.QueueDataset()
    made.init(batch_size=1, thread_num=2, use_var=use, pipe_command="cat; true")
    made.set_filelist(files)
    count = paddle.static.create_global_var([1], 0.0, "float32", persistable=True, name="count")
    paddle.assign(count + paddle.sum(paddle.cast(use[1], "float32")) * 0 + 1, count)
    exe = executor()
    exe.train_from_dataset(program, made, thread=1)
    held = paddle.static.global_scope().find_var("count").get_tensor()
    assert held.numpy().tolist() == [5.0]
    exe.train_from_dataset(program, made)  # two threads, which share the parameters
    assert 7 <= paddle.static.global_scope().find_var("count").get_tensor().numpy()[0] <= 10


def test_what_is_printed(program: Any, use: list, files: list[str], capfd: Any) -> None:
    made = dist.InMemoryDataset()
    made.init(batch_size=2, use_var=use)
    made.set_filelist(files)
    made.load_into_memory()
    total = paddle.sum(use[1])
    exe = executor()
    for call in (exe.train_from_dataset, exe.infer_from_dataset):
        call(program, made, fetch_list=[total], fetch_info=["sum"], print_period=2, debug=True)
        found = capfd.readouterr()
        assert found.out.count("sum\t") == 2 and "data: [1]" in found.out
        assert "thread 0: 3 batches" in found.err


def test_loaders_of_datasets(use: list, files: list[str]) -> None:
    made = dist.QueueDataset()
    made.init(batch_size=2, use_var=use)
    made.set_filelist(files)
    for drop, sizes in ((True, [2, 2]), (False, [2, 2, 1])):
        loader = paddle.io.DataLoader.from_dataset(made, [paddle.CPUPlace()], drop)
        for _ in range(2):
            assert [len(np.array(feed["label"])) for (feed,) in loader] == sizes
    two = list(paddle.io.DataLoader.from_dataset(made, [paddle.CPUPlace()] * 2, False))
    assert [len(feeds) for feeds in two] == [2, 1]
    assert two[0][0]["words"].lod() == [[0, 1, 3]]


def test_preloading(use: list, files: list[str]) -> None:
    made = dist.InMemoryDataset()
    made.init(use_var=use)
    made.set_filelist(files)
    made.preload_into_memory(2)
    made.wait_preload_done()
    assert made.get_memory_data_size() == 5
    made.release_memory()
    assert made.get_memory_data_size() == made.get_shuffle_data_size() == 0


# -- commands --------------------------------------------------------------------------------------


def test_commands_of_several_files_run_at_the_same_time(
    monkeypatch: pytest.MonkeyPatch, use: list, files: list[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(reading, "cores", lambda: 2)
    # Each waits until the other has begun, and gives up after a minute.
    (tmp_path / "meet.sh").write_text(
        "touch began-$$\ni=0\nwhile [ $(ls began-* | wc -l) -lt 2 ] && [ $i -lt 600 ]; do\n"
        "sleep 0.1; i=$((i+1)); done\n[ $i -lt 600 ] || exit 9\ncat\n"
    )
    made = dist.InMemoryDataset()
    made.init(use_var=use, pipe_command="sh meet.sh")
    made.set_filelist(files)
    made.load_into_memory()
    assert labels(made) == [[0], [1], [2], [3], [4]]


def test_commands_end_with_the_run(use: list, files: list[str], tmp_path: Path) -> None:
    made = dist.QueueDataset()
    command = "echo $$ > pid; yes '1 7 1 0' | head -600000; (sleep 300; echo 1 1 1 1) | cat"
    made.init(use_var=use, pipe_command=command)
    made.set_filelist(files[:1])
    feeds = made.feeds(1)[0]
    assert next(feeds)["label"].tolist() == [[0]]
    feeds.close()
    end, group = time.monotonic() + 60, int((tmp_path / "pid").read_text())
    while _alive(group):
        assert time.monotonic() < end, "the command outlived the run"
        time.sleep(0.02)


def _alive(group: int) -> bool:
    """Whether processes of a group are there that are not over."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, found = stat.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(found) == group and state not in "ZX":
            return True
    return False


# -- generators ------------------------------------------------------------------------------------


class Records(MultiSlotDataGenerator):
    def generate_sample(self, line: str | None) -> Any:
        def records() -> Iterator[Any]:
            for word in (line or "4 5").split():
                yield [("words", [int(word)] * 2), ("x", [0.5])] if word != "0" else None

        return records


class Doubled(Records):
    def generate_batch(self, samples: list) -> Any:
        def records() -> Iterator[Any]:
            yield from samples
            yield samples[0]

        return records


class Texts(MultiSlotStringDataGenerator):
    def generate_sample(self, line: str | None) -> Any:
        return lambda: iter([[("a", ["x", "y"]), ("b", ["1"])]])


def test_generators(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    Records().run_from_memory()
    assert capsys.readouterr().out == "2 4 4 1 0.5\n2 5 5 1 0.5\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO("1 0\n2 3\n"))
    made = Doubled()
    made.set_batch(2)
    made.run_from_stdin()
    lines = capsys.readouterr().out.splitlines()
    assert [text.split()[1] for text in lines] == ["1", "2", "1", "3", "3"]
    Texts().run_from_memory()
    assert capsys.readouterr().out == "2 x y 1 1\n"


@pytest.mark.parametrize("record, told", [
    ([("a", [1]), ("b", [2])], "inconsistent: expected 1"),
    ([("b", [2])], "require <a>, get <b>"),
    ([("a", [])], "can not be empty"),
    ([("a", ["1"])], "must be in int or float"),
    ([("a", (1,))], "must be in list type"),
    ([(1, [1])], "must be in str type"),
    ("a", "list or tuple"),
])  # fmt: skip
def test_records_that_generators_refuse(record: Any, told: str, capsys: Any) -> None:
    class Wrong(MultiSlotDataGenerator):
        def generate_sample(self, line: str | None) -> Any:
            return lambda: iter([[("a", [1])], record])

    with pytest.raises(ValueError, match=told):
        Wrong().run_from_memory()


def test_a_generator_as_a_command(
    use: list, files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "reader.py").write_text(
        "from paddle.distributed.fleet.data_generator import MultiSlotDataGenerator\n"
        "class Ids(MultiSlotDataGenerator):\n"
        "    def generate_sample(self, line):\n"
        "        def records():\n"
        "            words = line.split()\n"
        "            yield [('words', [2**63 + int(words[-1])]), ('label', [int(words[-1])])]\n"
        "        return records\n"
        "Ids().run_from_stdin()\n"
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(p for p in sys.path if p))
    made = dist.QueueDataset()
    made.init(batch_size=5, use_var=use, pipe_command=f"{sys.executable} reader.py")
    made.set_filelist(files[:1])
    (feed,) = made.feeds(1)[0]
    assert [n % 2**64 - 2**63 for n in feed["words"][0].ravel().tolist()] == [0, 1, 2]
