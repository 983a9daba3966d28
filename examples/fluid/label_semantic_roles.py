"""Who does what to whom? Sequence labelling in 1.x's `paddle.fluid`: LSTMs both ways and a CRF.

Measured: F1 1.00 of the phrases in 200 new sentences, after 5 s on one core.

    python examples/fluid/label_semantic_roles.py

The sentences are made up in the layout of CoNLL-05: words, a predicate, a mark near it, and labels
in the scheme IOB. An agent stands before its predicate and a patient behind, or, where the mark of
the passive is between, the other way round. The file runs unchanged on PaddlePaddle 1.8.5, and has
its losses from the same parameters (tests/fluid/test_books.py).
"""

import numpy as np

import paddle.fluid as fluid

layers = fluid.layers

FILLERS, NOUNS, VERBS = 10, 20, 10
PASSIVE = FILLERS + NOUNS + VERBS  # a word of its own
WORDS = PASSIVE + 1
LABELS = 5  # begin and inside of an agent, of a patient; outside
OUTSIDE = 4
WIDTH = 30  # not 32: the CPU kernel of 1.8.5 has a wrong gradient of LSTMs for multiples of 8
DEPTH = 3
BATCH = 48


def sentence(random):
    """Words, the place of the predicate, and labels."""
    words, labels = [], []

    def put(word, label):
        words.append(word)
        labels.append(label)

    def fill():
        for _ in range(random.randint(0, 3)):
            put(random.randint(0, FILLERS), OUTSIDE)

    def phrase(kind):
        for i in range(random.randint(1, 4)):
            put(FILLERS + random.randint(0, NOUNS), 2 * kind + (i > 0))

    passive = random.randint(0, 2)
    fill()
    phrase(passive)
    fill()
    if passive:
        put(PASSIVE, OUTSIDE)
    place = len(words)
    put(FILLERS + NOUNS + random.randint(0, VERBS), OUTSIDE)
    fill()
    phrase(1 - passive)
    fill()
    return words, place, labels


def fed(sentences):
    """What a network is fed."""
    lengths = [len(words) for words, _, _ in sentences]

    def rows(parts):
        array = np.concatenate(parts).astype("int64").reshape(-1, 1)
        return fluid.create_lod_tensor(array, [lengths], fluid.CPUPlace())

    return {
        "word": rows([words for words, _, _ in sentences]),
        "predicate": rows([[words[place]] * len(words) for words, place, _ in sentences]),
        "mark": rows([abs(np.arange(len(words)) - place) <= 2 for words, place, _ in sentences]),
        "label": rows([labels for _, _, labels in sentences]),
    }


def batch(random):
    """What a training step is fed."""
    return fed([sentence(random) for _ in range(BATCH)])


def network():
    """Scores of the labels of all words, and the labels."""
    word, predicate, mark, label = (
        fluid.data(name, [None, 1], "int64", lod_level=1)
        for name in ("word", "predicate", "mark", "label")
    )
    vectors = [
        layers.embedding(word, [WORDS, WIDTH], param_attr=fluid.ParamAttr(name="words")),
        layers.embedding(predicate, [WORDS, WIDTH], param_attr=fluid.ParamAttr(name="verbs")),
        layers.embedding(mark, [2, 8], param_attr=fluid.ParamAttr(name="marks")),
    ]
    below = [layers.fc(vectors, 4 * WIDTH)]
    below.append(layers.dynamic_lstm(below[0], 4 * WIDTH)[0])
    for depth in range(1, DEPTH):  # every other one goes back
        row = layers.fc(below, 4 * WIDTH)
        below = [row, layers.dynamic_lstm(row, 4 * WIDTH, is_reverse=depth % 2 == 1)[0]]
    return layers.fc(below, LABELS), label


def built():
    """The mean loss of a sentence, a Program that decodes, and how right it is."""
    scores, label = network()
    attr = fluid.ParamAttr(name="transitions")
    loss = layers.mean(layers.linear_chain_crf(scores, label, param_attr=attr))
    found = layers.crf_decoding(scores, param_attr=attr)
    measures = layers.chunk_eval(found, label, chunk_scheme="IOB", num_chunk_types=2)[:3]
    test = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.Adam(0.01).minimize(loss)
    return loss, test, measures


def training():
    """The loss."""
    return built()[0]


def main(steps=80):
    """Trains; returns F1 on 200 new sentences."""
    program, startup = fluid.Program(), fluid.Program()
    program.random_seed = startup.random_seed = 1
    with fluid.program_guard(program, startup):
        loss, test, measures = built()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    random = np.random.RandomState(0)
    for number in range(steps):
        (value,) = exe.run(program, batch(random), [loss])
        if number % 20 == 0:
            print(f"step {number}: loss {float(value[0]):.3f}")
    found = exe.run(test, fed([sentence(random) for _ in range(200)]), list(measures))
    precision, recall, f1 = (float(each[0]) for each in found)
    print(f"precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}")
    return f1


if __name__ == "__main__":
    main()
