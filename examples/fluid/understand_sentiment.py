"""Is a review pleased? A convolution, a DynamicRNN and stacked LSTMs of 1.x's `paddle.fluid`.

Measured on 600 sentences not trained on: accuracy 0.82 by convolution, 0.83 by DynamicRNN and 0.83
by stacked LSTM, after 16 s on one core for all three.

    python examples/fluid/understand_sentiment.py [conv|rnn|lstm]

The corpus (../data/review_sentences.tsv) has 2979 sentences, labelled 0 (displeased) or 1. A batch
is rows of words with the lengths of the sentences: nothing is padded. The file runs unchanged on
PaddlePaddle 1.8.5, and has its losses from the same parameters (tests/fluid/test_books.py).
"""

import csv
import os
import re
import sys
from collections import Counter

import numpy as np

import paddle.fluid as fluid

layers = fluid.layers

CORPUS = os.path.join(os.path.dirname(__file__), os.pardir, "data", "review_sentences.tsv")
WIDTH = 30  # not 32: the CPU kernel of 1.8.5 has a wrong gradient of LSTMs for multiples of 8
BATCH = 64
HELD_OUT = 600


# ---- data ---------------------------------------------------------------------------------------


def words_of(text):
    """Lower-case words and the punctuation that has a mood of its own."""
    return re.findall(r"[a-z]+(?:'[a-z]+)?|[!?]|\d+", text.lower())


def corpus():
    """Sentences as rows of word numbers, labels, and how many words there are; 0 is unknown."""
    with open(CORPUS, encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    split = [words_of(row["sentence"]) or ["?"] for row in table]
    counts = Counter(word for words in split for word in words)
    known = {word: i + 1 for i, (word, n) in enumerate(counts.most_common()) if n > 1}
    numbers = [[known.get(word, 0) for word in words] for words in split]
    return numbers, [int(row["label"]) for row in table], len(known) + 1


SENTENCES, LABELS, WORDS = corpus()
ORDER = np.random.RandomState(5).permutation(len(SENTENCES))


def fed(numbers):
    """What a network is fed for the sentences of some numbers."""
    lengths = [len(SENTENCES[i]) for i in numbers]
    rows = np.concatenate([SENTENCES[i] for i in numbers]).astype("int64").reshape(-1, 1)
    return {
        "words": fluid.create_lod_tensor(rows, [lengths], fluid.CPUPlace()),
        "label": np.array([[LABELS[i]] for i in numbers], "int64"),
    }


def batch(random):
    """A batch of sentences that are trained on."""
    return fed(random.choice(ORDER[HELD_OUT:], BATCH))


# ---- networks -----------------------------------------------------------------------------------


def vectors():
    """The words' vectors, with the levels of the sentences."""
    words = fluid.data("words", [None, 1], "int64", lod_level=1)
    return layers.embedding(words, [WORDS, WIDTH], is_sparse=True)


def by_convolution():
    """Windows of 3 and 4 words, the largest answer of each."""
    rows = vectors()
    found = [
        fluid.nets.sequence_conv_pool(
            rows, num_filters=WIDTH, filter_size=size, act="tanh", pool_type="max"
        )
        for size in (3, 4)
    ]
    return layers.fc(found, 2, act="softmax")


def by_dynamic_rnn():
    """A step of an LSTM written out, over sentences of different lengths."""
    rows = layers.fc(vectors(), WIDTH, act="tanh")
    rnn = layers.DynamicRNN()
    with rnn.block():
        word = rnn.step_input(rows)
        hidden, cell = rnn.memory(shape=[WIDTH]), rnn.memory(shape=[WIDTH])

        def gate(act, bias):
            attr = fluid.ParamAttr(initializer=fluid.initializer.Constant(bias))
            return layers.fc([word, hidden], WIDTH, act=act, bias_attr=attr)

        kept = gate("sigmoid", 1.0) * cell + gate("sigmoid", 0.0) * gate("tanh", 0.0)
        told = gate("sigmoid", 0.0) * layers.tanh(kept)
        rnn.update_memory(cell, kept)
        rnn.update_memory(hidden, told)
        rnn.output(told)
    return layers.fc(layers.sequence_pool(rnn(), "max"), 2, act="softmax")


def by_stacked_lstm():
    """Three LSTMs above each other, every other one from the end to the start."""
    row = layers.fc(vectors(), 4 * WIDTH)
    told, _ = layers.dynamic_lstm(row, 4 * WIDTH)
    below = [row, told]
    for depth in (1, 2):
        row = layers.fc(below, 4 * WIDTH)
        told, _ = layers.dynamic_lstm(row, 4 * WIDTH, is_reverse=depth % 2 == 1)
        below = [row, told]
    found = [layers.sequence_pool(part, "max") for part in below]
    return layers.fc(found, 2, act="softmax")


def _trained(network):
    label = fluid.data("label", [None, 1], "int64")
    guess = network()
    loss = layers.mean(layers.cross_entropy(guess, label))
    right = layers.accuracy(guess, label)
    test = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.Adagrad(0.02).minimize(loss)
    return loss, right, test


def conv():
    """The loss of the convolution."""
    return _trained(by_convolution)[0]


def rnn():
    """The loss of the DynamicRNN."""
    return _trained(by_dynamic_rnn)[0]


def lstm():
    """The loss of the stacked LSTM."""
    return _trained(by_stacked_lstm)[0]


# ---- training -----------------------------------------------------------------------------------


def main(network, steps=250):
    """Trains, and returns the accuracy on the sentences that were held out."""
    program, startup = fluid.Program(), fluid.Program()
    program.random_seed = startup.random_seed = 1
    with fluid.program_guard(program, startup), fluid.unique_name.guard():
        loss, right, test = _trained(network)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    random = np.random.RandomState(0)
    for _ in range(steps):
        exe.run(program, batch(random), [loss])
    (found,) = exe.run(test, fed(ORDER[:HELD_OUT]), [right])
    print(f"{network.__name__}: accuracy {float(found[0]):.3f}")
    return float(found[0])


NETWORKS = {"conv": by_convolution, "rnn": by_dynamic_rnn, "lstm": by_stacked_lstm}

if __name__ == "__main__":
    for name in sys.argv[1:] or NETWORKS:
        main(NETWORKS[name])
