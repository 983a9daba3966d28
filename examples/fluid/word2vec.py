"""Which word comes next? An n-gram network of 1.x's `paddle.fluid` with shared word vectors.

Measured: perplexity 81 on text not trained on, where how common words are alone gives 214; after
5 s on one core.

    python examples/fluid/word2vec.py

The text is ../data/kjv_genesis_to_kings.txt.xz: four words are given, the fifth is asked for. The
file runs unchanged on PaddlePaddle 1.8.5, and has its losses from the same parameters
(tests/fluid/test_books.py).
"""

import lzma
import os
import re
from collections import Counter

import numpy as np

import paddle.fluid as fluid

layers = fluid.layers

TEXT = os.path.join(os.path.dirname(__file__), os.pardir, "data", "kjv_genesis_to_kings.txt.xz")
COMMON = 1500  # words; the others share number 0
WIDTH = 32
GIVEN = 4
BATCH = 256
HELD_OUT = 20000  # words at the end of the text


def numbers():
    """The text as numbers of words."""
    with lzma.open(TEXT, "rt", encoding="utf-8") as file:
        words = re.findall(r"[a-z]+", file.read().lower())
    common = Counter(words).most_common(COMMON - 1)
    known = {word: i + 1 for i, (word, _) in enumerate(common)}
    return np.array([known.get(word, 0) for word in words], "int64")


WORDS = numbers()


def fed(starts):
    """Windows of words that begin at some places, as columns."""
    columns = [WORDS[starts + i].reshape(-1, 1) for i in range(GIVEN + 1)]
    return {f"word{i}": column for i, column in enumerate(columns)}


def batch(random):
    """What a training step is fed."""
    return fed(random.randint(0, len(WORDS) - HELD_OUT - GIVEN - 1, BATCH))


def network():
    """The probabilities of the next word, and the mean loss."""
    words = [fluid.data(f"word{i}", [None, 1], "int64") for i in range(GIVEN + 1)]
    shared = fluid.ParamAttr(name="vectors")
    vectors = [
        layers.embedding(word, [COMMON, WIDTH], is_sparse=True, param_attr=shared)
        for word in words[:GIVEN]
    ]
    hidden = layers.fc(layers.concat(vectors, axis=1), 128, act="sigmoid")
    guess = layers.fc(hidden, COMMON, act="softmax")
    return guess, layers.mean(layers.cross_entropy(guess, words[GIVEN]))


def training():
    """The loss, with the operators that train."""
    loss = network()[1]
    fluid.optimizer.AdagradOptimizer(0.05).minimize(loss)
    return loss


def main(steps=600):
    """Trains; returns the perplexity of the text that was held out."""
    program, startup = fluid.Program(), fluid.Program()
    program.random_seed = startup.random_seed = 1
    with fluid.program_guard(program, startup):
        _, loss = network()
        test = program.clone(for_test=True)
        fluid.optimizer.AdagradOptimizer(0.05).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    random = np.random.RandomState(0)
    for _ in range(steps):
        exe.run(program, batch(random), [loss])
    starts = np.arange(len(WORDS) - HELD_OUT, len(WORDS) - GIVEN - 1, 7)
    (found,) = exe.run(test, fed(starts), [loss])
    counts = np.bincount(WORDS[:-HELD_OUT], minlength=COMMON) + 1.0
    shares = counts / counts.sum()
    alone = np.exp(-np.log(shares[WORDS[starts + GIVEN]]).mean())
    found = float(np.exp(found[0]))
    print(f"perplexity {found:.0f}; by how common words are alone {alone:.0f}")
    return found, alone


if __name__ == "__main__":
    main()
