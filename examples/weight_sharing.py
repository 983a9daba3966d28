"""Sharing weights in two ways, one layer used three times and one matrix in two places, pays off.

Measured: 28,812 numbers are learnt instead of 62,124, and the perplexity of unseen text is 46.7
instead of 49.7 (36.3 is the best there is); 5 s of one core.

A network guesses the next word of an artificial language from the two words before. In the usual
one each of three blocks has weights of its own, and so has the matrix that turns what came out into
a score for each word. In the other one the three blocks are one, and the matrix of the scores is
that of the word vectors: words that were learnt as inputs help as outputs. The same is then built
in static mode, where parameters are shared by name; saved and loaded they stay shared.
"""

import tempfile

import numpy as np

import paddle
from paddle import nn, static
from paddle.nn import functional as F
from paddle.static import InputSpec

KINDS, EACH = 12, 25  # kinds of words, and words of a kind
WORDS = KINDS * EACH
WIDTH = 48
BLOCKS = 3

# -- a language ------------------------------------------------------------------------------------


def language(count, seed):
    """Returns so many words, and the perplexity of one who knows the rules.

    After a word of a kind comes one of three kinds, and of a kind some words are frequent.
    """
    rules = np.random.RandomState(0)
    follows = np.stack([rules.permutation(KINDS)[:3] for _ in range(KINDS)])
    often = 1 / np.arange(1, EACH + 1)
    often /= often.sum()
    kind_odds = np.array([0.6, 0.3, 0.1])
    rng = np.random.RandomState(seed)
    kinds = [0]
    for choice in rng.choice(3, size=count - 1, p=kind_odds):
        kinds.append(follows[kinds[-1], choice])
    words = np.array(kinds) * EACH + rng.choice(EACH, size=count, p=often)
    surprise = -(kind_odds * np.log(kind_odds)).sum() - (often * np.log(often)).sum()
    return words.astype("int64"), np.exp(surprise)


def examples(words):
    """Every two words, [n, 2], and the one that follows, [n, 1]."""
    return np.stack([words[:-2], words[1:-1]], axis=1), words[2:, None]


# -- dynamic mode: the same object -----------------------------------------------------------------


class Block(nn.Layer):
    """Adds what two linear layers make of a vector."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.into = nn.Linear(WIDTH, 2 * WIDTH)
        self.back = nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x):
        return x + self.back(F.relu(self.into(self.norm(x))))


class NextWord(nn.Layer):
    """Scores for the next word, [n, WORDS], from two words, [n, 2]."""

    def __init__(self, shared):
        super().__init__()
        start = paddle.ParamAttr(initializer=nn.initializer.Normal(0.0, 0.1))
        self.words = nn.Embedding(WORDS, WIDTH, weight_attr=start)
        self.join = nn.Linear(2 * WIDTH, WIDTH)
        if shared:
            block = Block()
            self.blocks = nn.LayerList([block] * BLOCKS)  # one layer in three places
            self.vectors = self.words.weight  # one parameter in two places
        else:
            self.blocks = nn.LayerList([Block() for _ in range(BLOCKS)])
            self.vectors = self.create_parameter([WORDS, WIDTH], attr=start)
        self.bias = self.create_parameter([WORDS], is_bias=True)

    def forward(self, pair):
        x = self.join(self.words(pair).flatten(1))
        for block in self.blocks:
            x = block(x)
        return paddle.matmul(x, self.vectors, transpose_y=True) + self.bias


def numbers(net):
    """How many numbers a network learns; what is shared counts once."""
    return sum(parameter.size for parameter in net.parameters())


def train(net, words, epochs):
    """Trains on all pairs of a text."""
    dataset = paddle.io.TensorDataset([paddle.to_tensor(each) for each in examples(words)])
    loader = paddle.io.DataLoader(dataset, batch_size=128, shuffle=True)
    adam = paddle.optimizer.Adam(2e-3, parameters=net.parameters())
    for _ in range(epochs):
        for pair, following in loader:
            F.cross_entropy(net(pair), following).backward()
            adam.step()
            adam.clear_grad()


def perplexity(net, words):
    """Among how many words, all equally likely, the network would be as undecided."""
    pairs, following = (paddle.to_tensor(each) for each in examples(words))
    with paddle.no_grad():
        return float(F.cross_entropy(net(pairs), following).exp())


def gradients_add_up(shared, words):
    """The largest difference between the gradient of shared weights and the sum of the separate."""
    separate = NextWord(shared=False)
    separate.set_state_dict(shared.state_dict())  # it has every name, so it fits both
    pairs, following = (paddle.to_tensor(each[:256]) for each in examples(words))
    for net in (shared, separate):
        net.clear_gradients()
        F.cross_entropy(net(pairs), following).backward()
    sums = {
        shared.vectors: separate.words.weight.grad + separate.vectors.grad,
        shared.blocks[0].into.weight: sum(block.into.weight.grad for block in separate.blocks),
    }
    return max(float((one.grad - total).abs().max()) for one, total in sums.items())


def from_files(net, words, folder):
    """Saves and loads a shared network; returns it, and the sizes of both files in numbers."""
    paddle.save(net.state_dict(), f"{folder}/words.pdparams")
    loaded = NextWord(shared=True)  # the code says what is shared, the file has the values
    loaded.set_state_dict(paddle.load(f"{folder}/words.pdparams"))
    assert loaded.vectors is loaded.words.weight and loaded.blocks[0] is loaded.blocks[2]

    paddle.jit.save(net, f"{folder}/words", [InputSpec([None, 2], "int64", "pair")])
    served = paddle.jit.load(f"{folder}/words")  # needs no code: the file says what is shared
    pairs = paddle.to_tensor(examples(words)[0][:256])
    with paddle.no_grad():
        assert np.array_equal(loaded(pairs).numpy(), net(pairs).numpy())
        assert np.allclose(served(pairs).numpy(), net(pairs).numpy(), atol=1e-5)
    return loaded, served


# -- static mode: the same name --------------------------------------------------------------------


def static_block(x):
    """Block once more. Every call uses the parameters of these names, and makes none of its own."""
    inner = static.nn.layer_norm(
        x, param_attr=paddle.ParamAttr(name="norm.w"), bias_attr=paddle.ParamAttr(name="norm.b")
    )
    for name, size, activation in (("into", 2 * WIDTH, "relu"), ("back", WIDTH, None)):
        weight, bias = paddle.ParamAttr(name=f"{name}.w"), paddle.ParamAttr(name=f"{name}.b")
        inner = static.nn.fc(inner, size, weight_attr=weight, bias_attr=bias, activation=activation)
    return x + inner


def build():
    """Returns the Programs, the loss, and how the parameters are called in NextWord."""
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        pair = static.data("pair", [None, 2], "int64")
        following = static.data("following", [None, 1], "int64")
        looked_up = static.nn.embedding(
            pair, (WORDS, WIDTH), param_attr=paddle.ParamAttr(name="words")
        )
        x = static.nn.fc(
            looked_up.reshape([-1, 2 * WIDTH]), WIDTH,
            weight_attr=paddle.ParamAttr(name="join.w"), bias_attr=paddle.ParamAttr(name="join.b"),
        )  # fmt: skip
        for _ in range(BLOCKS):
            x = static_block(x)
        vectors = main.global_block().var("words")  # what `embedding` made
        bias = static.create_parameter([WORDS], "float32", name="bias", is_bias=True)
        scores = paddle.matmul(x, vectors, transpose_y=True) + bias
        loss = F.cross_entropy(scores, following)
        paddle.optimizer.Adam(2e-3).minimize(loss)
    return main, startup, loss


def in_static_mode(net, words, folder):
    """The loss of a Program with the network's values, and after training further, in two ways."""
    values = {"words": net.words.weight, "bias": net.bias}
    values |= {"join.w": net.join.weight, "join.b": net.join.bias}
    for name in ("norm", "into", "back"):
        layer = getattr(net.blocks[0], name)
        values |= {f"{name}.w": layer.weight, f"{name}.b": layer.bias}
    values = {name: value.numpy() for name, value in values.items()}

    paddle.enable_static()
    main, startup, loss = build()
    assert {p.name for p in main.all_parameters()} == set(values)  # one of each, used three times
    exe = static.Executor()
    exe.run(startup)
    static.set_program_state(main, values)
    pairs, following = examples(words)

    def steps(count):
        feeds = ({"pair": pairs[i::count], "following": following[i::count]} for i in range(count))
        return [exe.run(main, feed=feed, fetch_list=[loss])[0].item() for feed in feeds]

    static.save(main, f"{folder}/static")
    went_on = steps(20)
    static.load(main, f"{folder}/static", exe)
    again = steps(20)
    paddle.disable_static()
    return went_on, again


def main():
    """Returns (numbers learnt, perplexity of unseen text) of both networks, and more."""
    text, at_best = language(12000, seed=1)
    unseen, _ = language(6000, seed=2)
    found, nets = {}, {}
    for name, shared in (("separate", False), ("shared", True)):
        paddle.seed(1)
        np.random.seed(1)
        nets[name] = net = NextWord(shared)
        train(net, text, epochs=5)
        found[name] = numbers(net), perplexity(net, unseen)
        print(f"{name:9}: {found[name][0]:6} numbers, perplexity {found[name][1]:.1f}")
    print(f"one who knows the rules has {at_best:.1f}, one who knows nothing {WORDS}")

    net = nets["shared"]
    apart = gradients_add_up(net, text)
    print(f"the gradient of shared weights is the sum of the separate ones (off by {apart:.1g})")
    with tempfile.TemporaryDirectory() as folder:
        loaded, served = from_files(net, unseen, folder)
        print(f"loaded: {numbers(loaded)} numbers; exported and loaded: {numbers(served)}")
        went_on, again = in_static_mode(net, text, folder)
    print(f"static mode, shared by name: loss {went_on[0]:.4f} -> {went_on[-1]:.4f};", end=" ")
    print(f"the same from its files: {went_on == again}")
    return found, apart, (numbers(loaded), numbers(served)), (went_on, again)


if __name__ == "__main__":
    main()
