"""The programs of the guide's chapter on VisualDL, each as it is printed there."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
import urllib.request
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from visualdl import LogReader
from visualdl.component import audio, embedding, image

ROOT = Path(__file__).resolve().parents[3]

FIRST = """
from visualdl import LogWriter

# 在 `./log/scalar_test/train`路径下建立日志文件
with LogWriter(logdir="./log/scalar_test/train") as writer:
    # 使用 scalar 组件记录一个标量数据
    writer.add_scalar(tag="acc", step=1, value=0.5678)
    writer.add_scalar(tag="acc", step=2, value=0.6878)
    writer.add_scalar(tag="acc", step=3, value=0.9878)
"""

SERVER = """
from visualdl.server import app

app.run(logdir="./log")
"""

SCALAR = """
from visualdl import LogWriter

if __name__ == '__main__':
    value = [i/1000.0 for i in range(1000)]
    # 初始化一个记录器
    with LogWriter(logdir="./log/scalar_test/train") as writer:
        for step in range(1000):
            # 向记录器添加一个 tag 为 `acc`的数据
            writer.add_scalar(tag="acc", step=step, value=value[step])
            # 向记录器添加一个 tag 为 `loss`的数据
            writer.add_scalar(tag="loss", step=step, value=1/(value[step] + 1))
"""

RUNS = """
from visualdl import LogWriter

if __name__ == '__main__':
    value = [i/1000.0 for i in range(1000)]
    # 步骤一：创建父文件夹：log 与子文件夹：scalar_test
    with LogWriter(logdir="./log/scalar_test") as writer:
        for step in range(1000):
            # 步骤二：向记录器添加一个 tag 为 `train/acc`的数据
            writer.add_scalar(tag="train/acc", step=step, value=value[step])
            # 步骤二：向记录器添加一个 tag 为 `train/loss`的数据
            writer.add_scalar(tag="train/loss", step=step, value=1/(value[step] + 1))
    # 步骤一：创建第二个子文件夹 scalar_test2
    value = [i/500.0 for i in range(1000)]
    with LogWriter(logdir="./log/scalar_test2") as writer:
        for step in range(1000):
            # 步骤二：在同样名为 `train/acc`下添加 scalar_test2 的 accuracy 的数据
            writer.add_scalar(tag="train/acc", step=step, value=value[step])
            # 步骤二：在同样名为 `train/loss`下添加 scalar_test2 的 loss 的数据
            writer.add_scalar(tag="train/loss", step=step, value=1/(value[step] + 1))
"""

PICTURES = '''
import numpy as np
from PIL import Image
from visualdl import LogWriter


def random_crop(img):
    """ 获取图片的随机 100x100 分片
    """
    img = Image.open(img)
    w, h = img.size
    random_w = np.random.randint(0, w - 100)
    random_h = np.random.randint(0, h - 100)
    r = img.crop((random_w, random_h, random_w + 100, random_h + 100))
    return np.asarray(r)


if __name__ == '__main__':
    # 初始化一个记录器
    with LogWriter(logdir="./log/image_test/train") as writer:
        for step in range(6):
            # 添加一个图片数据
            writer.add_image(tag="eye",
                             img=random_crop("../../docs/images/eye.jpg"),
                             step=step)
'''

SOUND = '''
from visualdl import LogWriter
import numpy as np
import wave


def read_audio_data(audio_path):
    """
    Get audio data.
    """
    CHUNK = 4096
    f = wave.open(audio_path, "rb")
    wavdata = []
    chunk = f.readframes(CHUNK)
    while chunk:
        data = np.frombuffer(chunk, dtype='uint8')
        wavdata.extend(data)
        chunk = f.readframes(CHUNK)
    # 8k sample rate, 16bit frame, 1 channel
    shape = [8000, 2, 1]
    return shape, wavdata


if __name__ == '__main__':
    with LogWriter(logdir="./log") as writer:
        audio_shape, audio_data = read_audio_data("./testing.wav")
        audio_data = np.array(audio_data)
        writer.add_audio(tag="audio_tag",
                         audio_array=audio_data,
                         step=0,
                         sample_rate=8000)
'''

HISTOGRAM = """
from visualdl import LogWriter
import numpy as np

if __name__ == '__main__':
    values = np.arange(0, 1000)
    with LogWriter(logdir="./log/histogram_test/train") as writer:
        for index in range(1, 101):
            interval_start = 1 + 2 * index / 100.0
            interval_end = 6 - 2 * index / 100.0
            data = np.random.uniform(interval_start, interval_end, size=(10000))
            writer.add_histogram(tag='default tag',
                                 values=data,
                                 step=index,
                                 buckets=10)
"""

CURVE = """
from visualdl import LogWriter
import numpy as np

with LogWriter("./log/pr_curve_test/train") as writer:
    for step in range(3):
        labels = np.random.randint(2, size=100)
        predictions = np.random.rand(100)
        writer.add_pr_curve(tag='pr_curve',
                            labels=labels,
                            predictions=predictions,
                            step=step,
                            num_thresholds=5)
"""

VECTORS = """
from visualdl import LogWriter

if __name__ == '__main__':
    hot_vectors = [
        [1.3561076367500755, 1.3116267195134017, 1.6785401875616097],
        [1.1039614644440658, 1.8891609992484688, 1.32030488587171],
        [1.9924524852447711, 1.9358920727142739, 1.2124401279391606],
        [1.4129542689796446, 1.7372166387197474, 1.7317806077076527],
        [1.3913371800587777, 1.4684674577930312, 1.5214136352476377]]
    labels = ["label_1", "label_2", "label_3", "label_4", "label_5"]
    # 初始化一个记录器
    with LogWriter(logdir="./log/high_dimensional_test/train") as writer:
        # 将一组 labels 和对应的 hot_vectors 传入记录器进行记录
        writer.add_embeddings(tag='default',
                              labels=labels,
                              hot_vectors=hot_vectors)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder to work in; what the programs read is where they look for it."""
    folder = tmp_path / "demo" / "components"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def ran(program: str) -> dict[str, Any]:
    """Runs a program in this process; gives its names."""
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(program, "<guide>", "exec"), space)
    return space


def rows(folder: str, component: str, tag: str) -> list[Any]:
    """Gives the records of the one run in a folder."""
    return LogReader(folder).get_data(component, tag, run=folder)


def test_the_first_program(place: Path) -> None:
    ran(FIRST)
    found = rows("./log/scalar_test/train", "scalar", "acc")
    assert [row.id for row in found] == [1, 2, 3]
    assert [row.value for row in found] == [np.float32(x) for x in (0.5678, 0.6878, 0.9878)]


def test_the_board_in_a_script(place: Path) -> None:
    ran(FIRST)
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER],
        env={"PATH": "", "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:(\d+)(/\w+)", process.stdout.readline())
        assert found and 8080 <= int(found[1]) < 8200
        with urllib.request.urlopen(f"{found[0]}/api/scalar/tags", timeout=60) as answer:
            assert json.load(answer)["data"]["tags"] == [["acc"]]
        assert process.poll() is None
    finally:
        process.terminate()
        process.wait(60)
        assert process.stdout is not None
        process.stdout.read()  # ends when the server, which has it too, has ended
        process.stdout.close()


def test_scalars(place: Path) -> None:
    ran(SCALAR)
    for tag, form in (("acc", lambda x: x), ("loss", lambda x: 1 / (x + 1))):
        found = rows("./log/scalar_test/train", "scalar", tag)
        want = [(i, float(np.float32(form(i / 1000)))) for i in range(1000)]
        assert [(row.id, row.value) for row in found] == want


def test_several_runs(place: Path) -> None:
    ran(RUNS)
    reader = LogReader("./log")
    assert reader.runs() == ["./log/scalar_test", "./log/scalar_test2"]
    assert reader.get_tags()["scalar"] == ["train/acc", "train/loss"]
    for run, share in (("./log/scalar_test", 1000), ("./log/scalar_test2", 500)):
        found = [row.value for row in reader.get_data("scalar", "train/acc", run=run)]
        assert found == [float(np.float32(i / share)) for i in range(1000)]


def test_pictures(place: Path) -> None:
    folder = place.parents[1] / "docs" / "images"
    folder.mkdir(parents=True)
    values = np.random.RandomState(0).randint(256, size=(130, 150, 3), dtype=np.uint8)
    Image.fromarray(values).save(folder / "eye.jpg")
    with Image.open(folder / "eye.jpg") as picture:
        whole = np.asarray(picture)
    ran(PICTURES)
    found = rows("./log/image_test/train", "image", "eye")
    assert [row.id for row in found] == list(range(6))
    windows = np.lib.stride_tricks.sliding_window_view(whole, (100, 100, 3))
    for row in found:
        part = image.from_record(row)
        assert part.shape == (100, 100, 3)
        near = (windows[:, :, 0, 0, 0] == part[0, 0]).all(-1)
        assert any((windows[place][0] == part).all() for place in zip(*near.nonzero()))


def test_sound(place: Path) -> None:
    samples = (np.sin(np.arange(9000) * 0.2) * 30000).astype("<i2")
    with wave.open("testing.wav", "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(samples.tobytes())
    ran(SOUND)
    (row,) = rows("./log", "audio", "audio_tag")
    rate, found = audio.from_record(row)
    assert rate == 8000 and np.array_equal(found[:, 0], samples)


def test_histograms(place: Path) -> None:
    space = ran(HISTOGRAM)
    found = rows("./log/histogram_test/train", "histogram", "default tag")
    assert [row.id for row in found] == list(range(1, 101))
    assert all(sum(row.histogram.hist) == 10000 for row in found)
    counts, edges = np.histogram(space["data"], 10)
    assert list(found[-1].histogram.hist) == counts.tolist()
    assert list(found[-1].histogram.bin_edges) == edges.tolist()


def test_curves(place: Path) -> None:
    ran(CURVE)
    found = rows("./log/pr_curve_test/train", "pr_curve", "pr_curve")
    assert [row.id for row in found] == [0, 1, 2]
    for row in found:
        curve = row.pr_curve
        for hit, miss, past, lost, precision, recall in zip(
            curve.TP, curve.FP, curve.TN, curve.FN, curve.precision, curve.recall, strict=True
        ):
            assert hit + miss + past + lost == 100
            assert math.isclose(precision * (hit + miss), hit)
            assert math.isclose(recall * (hit + lost), hit)
        assert len(curve.TP) == 5


def test_vectors(place: Path) -> None:
    space = ran(VECTORS)
    (row,) = rows("./log/high_dimensional_test/train", "embeddings", "default")
    matrix, labels, _ = embedding.from_record(row)
    assert np.array_equal(matrix, np.array(space["hot_vectors"], np.float32))
    assert labels == [[label] for label in space["labels"]]
