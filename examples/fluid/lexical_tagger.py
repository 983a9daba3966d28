"""Words, and what they are, in unbroken text: a tagger like LAC's in 1.x's `paddle.fluid`.

Measured on 300 sentences not trained on: F1 0.96 of the words with their kinds, after 7 s on one
core.

    python examples/fluid/lexical_tagger.py

Sentences are rows of characters without blanks between words, each with a label of the scheme IOB:
it begins a word of a kind, or is inside of one. Words of a small made-up language are drawn from a
lexicon by a grammar; names are made of any characters, and only what is around them tells. Two
layers of GRUs read both ways, a CRF decides, and all of it works on sequences with levels, nothing
is padded. The file runs unchanged on PaddlePaddle 1.8.5, and has its losses from the same
parameters (tests/fluid/test_books.py).
"""

import numpy as np

import paddle.fluid as fluid

KINDS = ["noun", "verb", "adjective", "particle", "name", "number"]
LABELS = 2 * len(KINDS)  # each begins or goes on: all characters belong to words
CHARACTERS = 60
DIGITS = 10  # the last characters
WIDTH = 30  # not 32: the CPU kernel of 1.8.5 has a wrong gradient of LSTMs for multiples of 8
HIDDEN = 30
BATCH = 32


# ---- data ---------------------------------------------------------------------------------------


def lexicon():
    """The words of all kinds that have a lexicon; many share characters."""
    random = np.random.RandomState(8)
    letters = CHARACTERS - DIGITS
    return {
        kind: [random.randint(0, letters, random.choice(lengths)).tolist() for _ in range(number)]
        for kind, number, lengths in (
            ("noun", 60, [2, 3]), ("verb", 40, [1, 2]), ("adjective", 30, [2]), ("particle", 4, [1])
        )
    }  # fmt: skip


WORDS = lexicon()


def sentence(random):
    """Characters and labels."""
    characters, labels = [], []

    def put(kind, word):
        number = KINDS.index(kind)
        characters.extend(word)
        labels.extend([2 * number] + [2 * number + 1] * (len(word) - 1))

    def take(kind):
        put(kind, WORDS[kind][random.randint(len(WORDS[kind]))])

    def phrase():
        chance = random.rand()
        if chance < 0.25:  # a particle stands before each name
            put("particle", WORDS["particle"][0])
            put("name", random.randint(0, CHARACTERS - DIGITS, random.randint(2, 4)).tolist())
            return
        if chance < 0.5:
            put("number", random.randint(CHARACTERS - DIGITS, CHARACTERS, random.randint(1, 4)))
        if random.rand() < 0.4:
            take("adjective")
        take("noun")

    phrase()
    take("verb")
    phrase()
    if random.rand() < 0.5:
        put("particle", WORDS["particle"][1 + random.randint(3)])
        take("verb")
        phrase()
    return characters, labels


def fed(sentences):
    """What the network is fed: rows of all sentences with their lengths."""
    lengths = [len(characters) for characters, _ in sentences]

    def rows(part):
        array = np.concatenate([each[part] for each in sentences]).astype("int64").reshape(-1, 1)
        return fluid.create_lod_tensor(array, [lengths], fluid.CPUPlace())

    return {"characters": rows(0), "labels": rows(1)}


def batch(random):
    """What a training step is fed."""
    return fed([sentence(random) for _ in range(BATCH)])


# ---- the network --------------------------------------------------------------------------------


def uniform(rate=1.0):
    """Attributes of parameters: small random numbers, and weights that are kept small."""
    return fluid.ParamAttr(
        initializer=fluid.initializer.Uniform(low=-0.1, high=0.1),
        learning_rate=rate,
        regularizer=fluid.regularizer.L2DecayRegularizer(regularization_coeff=1e-4),
    )


def both_ways(rows):
    """Two GRUs over each sentence, one from its end."""
    found = []
    for backward in (False, True):
        projected = fluid.layers.fc(input=rows, size=3 * HIDDEN, param_attr=uniform())
        found.append(
            fluid.layers.dynamic_gru(
                input=projected, size=HIDDEN, is_reverse=backward, param_attr=uniform()
            )
        )
    return fluid.layers.concat(input=found, axis=1)


def network():
    """Scores of the labels of all characters, and the true labels."""
    characters = fluid.layers.data("characters", shape=[1], dtype="int64", lod_level=1)
    labels = fluid.layers.data("labels", shape=[1], dtype="int64", lod_level=1)
    rows = fluid.layers.embedding(
        input=characters, size=[CHARACTERS, WIDTH], is_sparse=False, param_attr=uniform()
    )
    for _ in range(2):
        rows = both_ways(rows)
    return fluid.layers.fc(input=rows, size=LABELS, param_attr=uniform()), labels


def built():
    """The loss, a Program that decodes, the labels that it finds and the counts of chunks."""
    scores, labels = network()
    attr = fluid.ParamAttr(name="crf", learning_rate=1.0)
    cost = fluid.layers.linear_chain_crf(input=scores, label=labels, param_attr=attr)
    loss = fluid.layers.mean(x=cost)
    path = fluid.layers.crf_decoding(input=scores, param_attr=fluid.ParamAttr(name="crf"))
    counts = fluid.layers.chunk_eval(
        input=path, label=labels, chunk_scheme="IOB", num_chunk_types=len(KINDS)
    )[3:]
    test = fluid.default_main_program().clone(for_test=True)
    clip = fluid.clip.GradientClipByGlobalNorm(clip_norm=5.0)
    fluid.optimizer.Adam(learning_rate=0.01, grad_clip=clip).minimize(loss)
    return loss, test, path, list(counts)


def training():
    """The loss."""
    return built()[0]


# ---- training -----------------------------------------------------------------------------------


def told(characters, labels):
    """A sentence with its words and their kinds, as text."""
    pieces = []
    for character, label in zip(characters, labels):
        if label % 2 == 0 or not pieces:
            pieces.append(["", KINDS[label // 2]])
        pieces[-1][0] += chr(0x4E00 + character)
    return " ".join("/".join(piece) for piece in pieces)


def main(steps=250):
    """Trains; returns F1 on 300 new sentences."""
    program, startup = fluid.Program(), fluid.Program()
    program.random_seed = startup.random_seed = 1
    with fluid.program_guard(program, startup):
        loss, test, path, counts = built()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    random = np.random.RandomState(0)
    for number in range(steps):
        (value,) = exe.run(program, feed=batch(random), fetch_list=[loss])
        if number % 50 == 0:
            print(f"step {number}: loss {float(value[0]):.3f}")

    measure = fluid.metrics.ChunkEvaluator()
    for _ in range(3):
        sentences = [sentence(random) for _ in range(100)]
        results = exe.run(test, feed=fed(sentences), fetch_list=[path] + counts, return_numpy=False)
        measure.update(*[np.array(count) for count in results[1:]])
    precision, recall, f1 = (float(np.squeeze(each)) for each in measure.eval())
    offsets = results[0].lod()[0]
    found = np.array(results[0])[offsets[-2] : offsets[-1], 0]
    print(told(sentences[-1][0], found))
    print(f"precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}")
    return f1


if __name__ == "__main__":
    main()
