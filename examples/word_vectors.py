"""Word vectors: the meaning of words learned from the words around them, by sampled softmax.

Measured: out of four words, three of a kind, the vectors find the odd one 89% of the time (chance:
25%), after 12 s on one core.

    python examples/word_vectors.py      # pictures need: pip install matplotlib

The text (data/kjv_genesis_to_kings.txt.xz, see data/README.md) are the twelve books from Genesis to
the second of Kings in the translation of 1611: 290,000 words that repeat themselves a lot, which is
good for a small corpus. The network is a skip-gram: from a word's vector it guesses which words
stand near it. Guessing is a softmax over all words of the vocabulary; in training, 128 words drawn
by chance stand for all the wrong ones.
"""

import itertools
import json
import lzma
import re
from collections import Counter
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import paddle
from paddle import nn

TEXT = Path(__file__).parent / "data" / "kjv_genesis_to_kings.txt.xz"
OUTPUT = Path("output/word_vectors")
SIZE = 64  # numbers per vector
WINDOW = 4  # how far away a word still counts as near
BATCH, SAMPLED = 1024, 128
EPOCHS = 5
SHOWN = ["king", "silver", "sea", "three", "sword", "mother"]
GROUPS = {  # words of one kind, for the test and the picture; training does not see them
    "numbers": "two three four five six seven eight nine ten twelve twenty thirty forty fifty",
    "kin": "father mother brother sister son daughter wife husband",
    "animals": "sheep oxen asses camels goats horses bullock ram lamb",
    "body": "hand eyes ears face head foot mouth heart",
    "metals": "gold silver brass iron",
    "food": "bread wine oil flour flesh corn wheat barley honey",
}


# ---- data: pairs of words that stand near each other --------------------------------------------


def read_verses(path=TEXT):
    """Each verse as a list of lower-case words."""
    with lzma.open(path, "rt", encoding="ascii") as file:
        return [re.findall(r"[a-z]+", line.lower()) for line in file]


def make_vocabulary(verses, least=5):
    """The words that occur `least` times or more, most frequent first, and how often."""
    counts = Counter(itertools.chain.from_iterable(verses))
    kept = [(word, count) for word, count in counts.most_common() if count >= least]
    return [word for word, _ in kept], np.array([count for _, count in kept])


class Pairs(paddle.io.IterableDataset):
    """Batches of words, of words near them, and of words drawn by chance.

    Every pass is different: words as frequent as "the" are mostly left out, by chance, since they
    tell little; and a window has any width up to WINDOW, so that nearer words count more.
    """

    def __init__(self, verses, words, counts, seed):
        super().__init__()
        number = {word: i for i, word in enumerate(words)}
        self.verses = [np.array([number[w] for w in v if w in number], "int64") for v in verses]
        frequency = counts / counts.sum()
        self.kept = np.minimum(1, np.sqrt(1e-3 / frequency))
        drawn = counts**0.75
        self.drawn = drawn / drawn.sum()
        self.rng = np.random.RandomState(seed)

    def pairs(self):
        """All pairs of one pass in a new order, [pairs, 2]."""
        found = []
        for verse in self.verses:
            verse = verse[self.rng.random_sample(len(verse)) < self.kept[verse]]
            width = self.rng.randint(1, WINDOW + 1, len(verse))
            for distance in range(1, min(WINDOW + 1, len(verse))):
                left, right = verse[:-distance], verse[distance:]
                found.append(np.stack([left, right], 1)[width[:-distance] >= distance])
                found.append(np.stack([right, left], 1)[width[distance:] >= distance])
        pairs = np.concatenate(found)
        return pairs[self.rng.permutation(len(pairs))]

    def __iter__(self):
        pairs = self.pairs()
        for i in range(0, len(pairs) - BATCH + 1, BATCH):
            sampled = self.rng.choice(len(self.drawn), SAMPLED, p=self.drawn)
            yield pairs[i : i + BATCH, 0], pairs[i : i + BATCH, 1], sampled


# ---- network ------------------------------------------------------------------------------------


class SkipGram(nn.Layer):
    """Two vectors per word: one for the word itself, one for the word as somebody's neighbour."""

    def __init__(self, drawn):
        super().__init__()
        init = paddle.ParamAttr(initializer=nn.initializer.Uniform(-0.5 / SIZE, 0.5 / SIZE))
        self.vectors = nn.Embedding(len(drawn), SIZE, weight_attr=init)
        self.neighbours = nn.Embedding(len(drawn), SIZE, weight_attr=init)
        # How often a word is expected among the drawn ones, as a logarithm.
        self.register_buffer(
            "expected", paddle.to_tensor(np.log(SAMPLED * drawn).astype("float32"))
        )

    def forward(self, word, near, sampled):
        """The loss of a sampled softmax that has to tell the true neighbour from the drawn words.

        The softmax divides by a sum over all words. A drawn word stands in it for all words that
        were not drawn, the more of them the more rarely it is drawn: so it is divided by how often
        it is expected, which for scores, as logarithms, means to subtract `expected`.
        """
        vector = self.vectors(word)  # [batch, SIZE]
        true = (vector * self.neighbours(near)).sum(axis=1)
        false = vector @ self.neighbours(sampled).t() - self.expected[sampled]  # [batch, SAMPLED]
        same = near.unsqueeze(1) == sampled  # drawn by chance, but no wrong answer
        false = paddle.where(same, paddle.full_like(false, -1e9), false)
        scores = paddle.concat([true.unsqueeze(1), false], axis=1)
        return nn.functional.cross_entropy(scores, paddle.zeros_like(word))  # the true one is first

    def full_loss(self, word, near):
        """The loss of the softmax over the whole vocabulary, which training never computes."""
        scores = self.vectors(word) @ self.neighbours.weight.t()
        return nn.functional.cross_entropy(scores, near)


# ---- training -----------------------------------------------------------------------------------


def train(net, pairs, held_out, epochs):
    """Losses after every epoch: the sampled one, and the full one of pairs not trained with."""
    loader = paddle.io.DataLoader(pairs, batch_size=None)  # `pairs` makes the batches itself
    rate = paddle.optimizer.lr.PolynomialDecay(learning_rate=0.005, decay_steps=epochs, end_lr=4e-4)
    optimizer = paddle.optimizer.Adam(rate, parameters=net.parameters())
    word, near = (paddle.to_tensor(column) for column in held_out.T)
    history = {"sampled": [], "full, held out": []}
    for epoch in range(epochs):
        losses = []
        for batch in loader():
            loss = net(*batch)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            losses.append(loss.detach())
        rate.step()
        with paddle.no_grad():
            full = net.full_loss(word, near)
        for curve, value in zip(history.values(), (paddle.stack(losses).mean(), full)):
            curve.append(float(value))
        print(f"epoch {epoch}:", ", ".join(f"{k} {v[-1]:.3f}" for k, v in history.items()))
    return history


# ---- evaluation ---------------------------------------------------------------------------------


class Vectors:
    """Vectors of length one by word; what another program loads and uses."""

    def __init__(self, words, vectors):
        self.words = list(words)
        self.number = {word: i for i, word in enumerate(self.words)}
        self.vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    @classmethod
    def load(cls, folder):
        """Reads what `main` has written."""
        words = json.loads((Path(folder) / "words.json").read_text(encoding="utf-8"))
        state = paddle.load(str(Path(folder) / "vectors.pdparams"))
        return cls(words, state["weight"].numpy())

    def __getitem__(self, words):
        return self.vectors[[self.number[word] for word in words]]

    def nearest(self, word, count=6, among=1000):
        """The words of the most similar vectors, out of the `among` most frequent."""
        similarity = self.vectors[:among] @ self[[word]][0]
        order = np.argsort(-similarity)
        return [self.words[i] for i in order if self.words[i] != word][:count]


def odd_one_out(vectors):
    """How often the stranger among four words is found, three of one group and one of another.

    It is the one that is least like the other three; guessing is right once out of four times.
    """
    groups = [vectors[names.split()] for names in GROUPS.values()]
    right = []
    for group, other in itertools.permutations(groups, 2):
        threes = np.array(list(itertools.combinations(range(len(group)), 3)))
        for stranger in other:
            four = np.concatenate(
                [group[threes], np.broadcast_to(stranger, (len(threes), 1, SIZE))], axis=1
            )
            likeness = (four @ four.transpose(0, 2, 1)).sum(axis=2)
            right.append(likeness.argmin(axis=1) == 3)
    return float(np.concatenate(right).mean())


# ---- pictures -----------------------------------------------------------------------------------


def draw(path, vectors):
    """The words of the groups on the plane that shows most of their differences (PCA)."""
    names = {group: text.split() for group, text in GROUPS.items()}
    chosen = vectors[list(itertools.chain.from_iterable(names.values()))]
    centred = chosen - chosen.mean(axis=0)
    _, _, axes_of_most = np.linalg.svd(centred, full_matrices=False)
    plane = centred @ axes_of_most[:2].T
    figure = Figure(figsize=(8, 6), layout="constrained")
    axes = figure.subplots()
    start = 0
    for group, members in names.items():
        points = plane[start : start + len(members)]
        start += len(members)
        dots = axes.scatter(points[:, 0], points[:, 1], s=10, label=group)
        for word, point in zip(members, points):
            axes.annotate(word, point, fontsize=8, color=dots.get_facecolor()[0])
    axes.legend()
    axes.set(title="word vectors, projected", xticks=[], yticks=[])
    figure.savefig(path, dpi=80)


def draw_losses(path, history, blind):
    """The losses of training and of the held-out pairs, and that of who ignores the word."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for name, losses in history.items():
        axes.plot(range(1, len(losses) + 1), losses, marker=".", label=name)
    axes.axhline(blind, color="black", linestyle="--", label="frequencies only")
    axes.set(xlabel="epoch", ylabel="loss", xticks=range(1, len(losses) + 1))
    axes.legend()
    figure.savefig(path, dpi=80)


# ---- the story ----------------------------------------------------------------------------------


def main(output=OUTPUT, epochs=EPOCHS):
    """Trains, tests, draws, saves and loads the vectors; returns what was measured."""
    output = Path(output)
    output.mkdir(parents=True, exist_ok=True)
    paddle.seed(1)

    verses = read_verses()
    words, counts = make_vocabulary(verses)
    order = np.random.RandomState(1).permutation(len(verses))
    training = Pairs([verses[i] for i in order[300:]], words, counts, seed=1)
    held_out = Pairs([verses[i] for i in order[:300]], words, counts, seed=2).pairs()
    print(f"{sum(map(len, verses))} words of text, {len(words)} in the vocabulary")

    net = SkipGram(training.drawn)
    history = train(net, training, held_out, epochs)
    # Who knows only how frequent words are, whatever stands beside them, has this loss.
    share = np.bincount(training.pairs()[:, 1], minlength=len(words)) + 1
    blind = float(-np.log(share / share.sum())[held_out[:, 1]].mean())
    print(f"full loss without looking at the word: {blind:.3f}")

    paddle.save(net.vectors.state_dict(), str(output / "vectors.pdparams"))
    (output / "words.json").write_text(json.dumps(words), encoding="utf-8")
    vectors = Vectors.load(output)

    nearest = {word: vectors.nearest(word) for word in SHOWN}
    for word, found in nearest.items():
        print(f"{word:>8}: {', '.join(found)}")
    found = odd_one_out(vectors)
    print(f"the odd one out of four words is found {found:.1%} of the time; by chance: 25%")
    draw(output / "vectors.png", vectors)
    draw_losses(output / "losses.png", history, blind)
    print(f"pictures and vectors are in {output}/")
    return {
        "odd one out": found,
        "full loss": history["full, held out"][-1],
        "blind loss": blind,
        "nearest": nearest,
    }


if __name__ == "__main__":
    main()
