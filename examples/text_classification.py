"""Is a review pleased or not? Sentences classified by a convolution and by a bidirectional LSTM.

RESULT_LINE

    python examples/text_classification.py            # both networks
    python examples/text_classification.py cnn        # or one: cnn, bilstm

The corpus (data/review_sentences.tsv, see data/README.md) has 2979 sentences of reviews of things,
films and restaurants, each of them labelled 0 (displeased) or 1 (pleased). Pictures need
`pip install "pypaddle[plot]"`.
"""

import argparse
import csv
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import paddle
from paddle import nn

CORPUS = Path(__file__).parent / "data" / "review_sentences.tsv"
OUTPUT = Path("output/text_classification")
LONGEST = 40  # words; what a sentence has beyond is left out
PAD, UNKNOWN = 0, 1


# ---- data: from sentences to rows of numbers ----------------------------------------------------


def words_of(sentence):
    """Lower-case words and the punctuation that has a mood of its own."""
    return re.findall(r"[a-z]+(?:'[a-z]+)?|[!?]|\d+", sentence.lower())


def read_corpus(path=CORPUS):
    """Sentences and their labels."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [row["sentence"] for row in rows], np.array([int(row["label"]) for row in rows])


def make_vocabulary(sentences):
    """A number for every word that occurs twice at least; the others share UNKNOWN."""
    counts = Counter(word for sentence in sentences for word in words_of(sentence))
    known = [word for word, count in counts.most_common() if count > 1]
    return {word: number for number, word in enumerate(["<pad>", "<unknown>", *known])}


class Sentences(paddle.io.Dataset):
    """Sentences as rows of LONGEST numbers, with their labels [1]."""

    def __init__(self, sentences, labels, vocabulary):
        super().__init__()
        self.ids = np.full((len(sentences), LONGEST), PAD, dtype="int64")
        for row, sentence in zip(self.ids, sentences):
            numbers = [vocabulary.get(word, UNKNOWN) for word in words_of(sentence)][:LONGEST]
            row[: len(numbers)] = numbers
        self.labels = np.asarray(labels, dtype="int64").reshape(-1, 1)

    def __getitem__(self, index):
        return self.ids[index], self.labels[index]

    def __len__(self):
        return len(self.ids)


# ---- two networks -------------------------------------------------------------------------------


class TextCNN(nn.Layer):
    """Detectors of two, three and four words in a row; of each counts where it fits best."""

    def __init__(self, vocabulary_size, size=64, detectors=64, widths=(2, 3, 4)):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary_size, size, padding_idx=PAD)
        self.convolutions = nn.LayerList(
            [nn.Conv1D(size, detectors, width, padding=width - 1) for width in widths]
        )
        self.dropout = nn.Dropout(0.5)
        self.scores = nn.Linear(detectors * len(widths), 2)

    def forward(self, ids):
        words = self.dropout(self.embedding(ids)).transpose([0, 2, 1])  # [batch, size, time]
        best = [nn.functional.relu(conv(words)).max(axis=2) for conv in self.convolutions]
        return self.scores(self.dropout(paddle.concat(best, axis=1)))


class TextBiLSTM(nn.Layer):
    """Reads forwards and backwards; every word's states are averaged over the sentence."""

    def __init__(self, vocabulary_size, size=64, hidden=64):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary_size, size, padding_idx=PAD)
        self.lstm = nn.LSTM(size, hidden, direction="bidirectional")
        self.dropout = nn.Dropout(0.5)
        self.scores = nn.Linear(2 * hidden, 2)

    def forward(self, ids):
        lengths = (ids != PAD).astype("int64").sum(axis=1).clip(min=1)
        # With the lengths the way backwards begins at the last word, not in the padding, and
        # outputs after a sentence's end are zero.
        states, _ = self.lstm(self.dropout(self.embedding(ids)), sequence_length=lengths)
        mean = states.sum(axis=1) / lengths.unsqueeze(1).astype("float32")
        return self.scores(self.dropout(mean))


NETWORKS = {"cnn": TextCNN, "bilstm": TextBiLSTM}


def build(name, vocabulary):
    """The network, ready to be trained."""
    model = paddle.Model(NETWORKS[name](len(vocabulary)))
    optimizer = paddle.optimizer.Adam(
        learning_rate=0.002, parameters=model.parameters(), weight_decay=1e-5
    )
    model.prepare(optimizer, nn.CrossEntropyLoss(), paddle.metric.Accuracy())
    return model


