"""Cuts sentences into words with jieba and LAC, two libraries of 1.x that ship their models.

    PYTHONPATH=.venv/clients python word_cutting.py RESULTS.npz [oracle]

Run by PaddlePaddle 1.8.5 (Python 3.7) with `oracle`, it wrote tests/data/word_cutting.npz
(what LAC says in its mode rank in a process of its own: after the rest 1.8.5 says something else).
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading

import numpy as np

MARKS = "，。！？；：、"
PLAIN = [
    "百度是一家高科技公司", "我爱北京天安门，天安门上太阳升。", "LAC是个优秀的分词工具",
    "2020年3月15日上午9点30分",
    "今天天气真好，我们一起去公园散步吧！", "a", "。",
    "GPU和CPU都可以运行PaddlePaddle 1.8.5吗？", "哈" * 200,
]  # fmt: skip


def sentences(count: int) -> list[str]:
    """Sentences of words that are drawn from jieba's dictionary, the same ones each time."""
    import jieba

    path = os.path.join(os.path.dirname(jieba.__file__), "dict.txt")
    with open(path, encoding="utf8") as file:
        lines = [line.split(" ") for line in file]
    words = [word for word, times, _ in lines if int(times) > 300]
    draw = random.Random(5)
    made = list(PLAIN)
    while len(made) < count:
        parts = [draw.choice(words) for _ in range(draw.randint(2, 12))]
        parts.insert(draw.randint(1, len(parts)), draw.choice(MARKS))
        made.append("".join(parts))
    return made


def jieba_results(texts: list[str]) -> dict[str, list]:
    """Words, and words with what they are."""
    import jieba
    import jieba.posseg

    jieba.enable_paddle()
    cut = [list(jieba.cut(text, use_paddle=True)) for text in texts]
    tagged = [
        [[pair.word, pair.flag] for pair in jieba.posseg.cut(text, use_paddle=True)]
        for text in texts
    ]
    return {"cut": cut, "tagged": tagged}


def from_threads(texts: list[str], known: list) -> None:
    """Four threads cut at the same time and find the same."""
    import jieba

    wrong: list[str] = []

    def work(part: int) -> None:
        for text, words in list(zip(texts, known))[part::4]:
            if list(jieba.cut(text, use_paddle=True)) != words:
                wrong.append(text)

    threads = [threading.Thread(target=work, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong[:3]


def lac_results(texts: list[str]) -> dict[str, list]:
    """What the three models of LAC say, some sentences at a time."""
    from LAC import LAC

    found = {}
    for mode in ("seg", "lac", "rank"):
        model = LAC(mode=mode)
        found[mode] = [
            row for i in range(0, len(texts), 50) for row in model.run(texts[i : i + 50])
        ]
    return found


def train_lac(folder: str) -> list[str]:
    """LAC's own model learns that a word is an organisation."""
    from LAC import LAC

    path = os.path.join(folder, "train.tsv")
    with open(path, "w", encoding="utf8") as file:
        file.write(
            "乐知行/ORG 是/v 深度学习/n 框架/n\n乐知行/ORG 很/d 好用/a\n我/r 爱/v 乐知行/ORG\n" * 8
        )
    model = LAC(mode="lac")
    before = model.run("我们用乐知行训练")
    model.train(
        model_save_dir=os.path.join(folder, "model"), train_data=path, test_data=path,
        iter_num=8, thread_num=1,
    )  # fmt: skip
    kept = LAC(model_path=os.path.join(folder, "model"), mode="lac")
    return [before, kept.run("我们用乐知行训练")]


def main(path: str, oracle: bool) -> None:
    """Writes what was found, as JSON in an array of bytes; the oracle dies of threads."""
    texts = sentences(1000)
    found: dict = {"jieba": jieba_results(texts)}
    if not oracle:
        from_threads(texts[:200], found["jieba"]["cut"])
    found["lac"] = lac_results(texts)
    found["trained"] = train_lac(os.path.dirname(path))
    np.savez_compressed(path, found=np.frombuffer(json.dumps(found).encode(), np.uint8))


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), sys.argv[2:] == ["oracle"])
