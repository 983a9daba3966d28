"""jieba in paddle mode: a library of 1.x that cuts a sentence a call by a network of its own.

Run by PaddlePaddle 1.8.5 (Python 3.7) too.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLIENTS = ROOT / ".venv" / "clients"
CUTTING = "jieba, a sentence in paddle mode"
SENTENCES = 50


def sentences() -> list[str]:
    """Sentences of 5 to 30 characters, drawn from some that are common."""
    words = (
        "今天 天气 真好 我们 一起 去 公园 散步 北京 大学 计算机 科学 研究 公司 发展 中国 经济 问题"
    )
    draw = random.Random(5)
    parts = words.split(" ")
    return ["".join(draw.choice(parts) for _ in range(draw.randint(3, 14))) for _ in
            range(SENTENCES)]  # fmt: skip


def build(task: str, side: str) -> Callable[[], object]:
    """The workload for a worker process, ``ours`` or that of 1.8.5: cutting all sentences."""
    sys.path.insert(0, str(CLIENTS))
    import jieba

    jieba.enable_paddle()
    texts = sentences()

    def cut() -> list[int]:
        return [len(list(jieba.cut(text, use_paddle=True))) for text in texts]

    return cut
