"""Searches for architectures, with their servers on this machine."""

from __future__ import annotations

import gc
import json
from pathlib import Path

import numpy as np

from tests.slim.stories import CLASSES, SIDE, free_port, pictures, story

CONFIG = [("MobileNetV2BlockSpace", {"block_mask": [0, 1]})]


def _score(tokens: list) -> float:
    """What a search has to make large: its tokens are small."""
    return 1.0 / (1 + float(np.sum(tokens)))


@story("nas.SANAS", static=True)
def annealing_finds_small_tokens() -> None:
    from paddleslim.analysis import flops
    from paddleslim.nas import SANAS

    import paddle

    address = ("127.0.0.1", free_port())
    search = SANAS(CONFIG, server_addr=address, init_temperature=10.0, reduce_rate=0.7,
                   search_steps=12, save_checkpoint="kept", is_server=True)  # fmt: skip
    counts, scores = [], []
    for _ in range(8):
        archs = search.next_archs()
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup), paddle.utils.unique_name.guard():
            x = paddle.static.data("x", [None, 3, 16, 16])
            for arch in archs:
                x = arch(x)
            out = paddle.static.nn.fc(x, CLASSES)
        counts.append(flops(main))
        exe = paddle.static.Executor()
        exe.run(startup)
        found = exe.run(main, {"x": np.ones([2, 3, 16, 16], "float32")}, [out])[0]
        assert found.shape == (2, CLASSES) and np.isfinite(found).all()
        tokens = search._current_tokens
        assert search.tokens2arch(tokens)
        scores.append(_score(tokens))
        assert search.reward(scores[-1])
    assert len(set(counts)) > 1
    info = search.current_info()
    assert abs(info["best_reward"] - max(scores)) < 1e-9
    other = SANAS(CONFIG, server_addr=address, is_server=False)  # of another process, usually
    assert len(other.next_archs()) == len(archs)


@story("nas.RLNAS", "common.Server", "common.Client", "common.RLBaseController", static=True)
def a_controller_learns_which_tokens_pay() -> None:
    from paddleslim.common import Client, RLBaseController, Server
    from paddleslim.nas import RLNAS

    search = RLNAS(
        key="lstm", configs=CONFIG, server_addr=("127.0.0.1", free_port()), is_sync=False,
        controller_batch_size=1, lstm_num_layers=1, hidden_size=10, temperature=1.0,
    )  # fmt: skip
    assert isinstance(search._controller, RLBaseController)
    assert isinstance(search._controller_server, Server)
    assert isinstance(search._controller_client, Client)
    table = search.range_tables
    for _ in range(3):
        archs = search.next_archs(1)
        (tokens,) = search.tokens
        assert len(archs) == 1 and all(0 <= t < n for t, n in zip(tokens, table, strict=True))
        search.reward(_score(tokens))
    final = search.final_archs(1)
    assert len(final) == 1 and len(final[0]) == 1
    assert search.tokens2arch(list(tokens))


@story("nas.SearchSpaceFactory", "nas.MobileNetV2Space", "nas.MobileNetV1Space", "nas.ResNetSpace",
       "nas.MobileNetV2BlockSpace", "nas.MobileNetV1BlockSpace", "nas.ResNetBlockSpace",
       "nas.InceptionABlockSpace", "nas.SearchSpaceBase", "nas.SEARCHSPACE",
       static=True)  # fmt: skip
def every_space_makes_networks() -> None:
    from paddleslim.nas import SEARCHSPACE, SearchSpaceBase, SearchSpaceFactory

    import paddle

    whole = {"input_size": 32, "output_size": 8, "block_num": 3}
    spaces = [
        ("MobileNetV2Space", whole), ("MobileNetV1Space", whole), ("ResNetSpace", whole),
        ("MobileNetV2BlockSpace", {"block_mask": [0, 1]}),
        ("MobileNetV1BlockSpace", {"block_mask": [1, 0]}),
        ("ResNetBlockSpace", {"block_mask": [0, 1]}),
        ("InceptionABlockSpace", {"block_mask": [0, 1]}),
    ]  # fmt: skip
    exe = paddle.static.Executor()
    for name, config in spaces:
        assert issubclass(SEARCHSPACE.get(name), SearchSpaceBase)
        space = SearchSpaceFactory().get_search_space([(name, config)])
        tokens = space.init_tokens()
        assert all(0 <= t < n for t, n in zip(tokens, space.range_table(), strict=True)), name
        (arch,) = space.token2arch(tokens)
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup), paddle.utils.unique_name.guard():
            out = arch(paddle.static.data("x", [None, 3, 32, 32]))
        out = out[0] if isinstance(out, (list, tuple)) else out
        with paddle.static.scope_guard(paddle.static.Scope()):
            exe.run(startup)
            found = exe.run(main, {"x": np.ones([1, 3, 32, 32], "float32")}, [out])[0]
        assert np.isfinite(found).all() and found.shape[0] == 1, name


@story("nas.DartsSpace", static=True)
def the_space_of_cells() -> None:
    from paddleslim.nas import SearchSpaceFactory

    import paddle

    config = {"input_size": 16, "output_size": 4, "block_num": 3}
    space = SearchSpaceFactory().get_search_space([("DartsSpace", config)])
    (arch,) = space.token2arch(space.init_tokens())
    assert len(space.init_tokens()) == len(space.range_table())
    x = paddle.static.data("x", [2, 3, 32, 32])
    mask = paddle.static.data("mask", [2, 20, 4, 2])
    out = arch(x, 0.0, mask, False, 10)
    exe = paddle.static.Executor()
    exe.run(paddle.static.default_startup_program())
    feed = {"x": np.ones([2, 3, 32, 32], "float32"), "mask": np.ones([2, 20, 4, 2], "float32")}
    outs = out if isinstance(out, (list, tuple)) else [out]
    found = exe.run(paddle.static.default_main_program(), feed, [outs[0]])[0]
    assert found.shape == (2, 10) and np.isfinite(found).all()


@story("nas.InceptionCBlockSpace", static=True)
def the_space_of_inception_c() -> None:
    from paddleslim.nas import SearchSpaceFactory

    space = SearchSpaceFactory().get_search_space(
        [("InceptionCBlockSpace", {"block_mask": [0, 1]})]
    )
    assert space.token2arch(space.init_tokens())


@story("nas.GPNAS")
def a_gaussian_process_foresees_scores() -> None:
    from paddleslim.nas import GPNAS

    random = np.random.RandomState(0)
    tokens = random.randint(0, 4, [60, 5]).astype("float64")
    scores = tokens @ [0.3, -0.2, 0.5, 0.1, 0.0] + 1
    search = GPNAS()
    search.get_initial_mean(tokens[:20], scores[:20])
    search.get_initial_cov(tokens[:40])
    search.get_posterior_mean(tokens[20:40], scores[20:40])
    said = np.asarray(search.get_predict_jiont(tokens[40:], tokens[:40], scores[:40])).reshape(-1)
    assert np.corrcoef(said, scores[40:])[0, 1] > 0.9


def _darts_model():
    """Two choices a layer, weighed by trained numbers: what DARTSearch asks a model for."""
    import paddle.fluid as fluid
    from paddle.fluid.dygraph import Conv2D, Layer, Linear

    class Model(Layer):
        _steps, _method, _primitives = 1, "DARTS", ["none", "conv", "skip"]
        _multiplier = 1

        def __init__(self) -> None:
            super().__init__()
            self.stem = Conv2D(3, 4, 3, padding=1)
            self.conv = Conv2D(4, 4, 3, padding=1, act="relu")
            self.fc = Linear(4, CLASSES * 2)

            def alphas():
                start = fluid.initializer.NormalInitializer(0.0, 1e-3, seed=3)
                return fluid.layers.create_parameter([2, 3], "float32", default_initializer=start)

            self.alphas_normal, self.alphas_reduce = alphas(), alphas()

        def arch_parameters(self):
            return [self.alphas_normal, self.alphas_reduce]

        def forward(self, x):
            x = self.stem(x)
            for alphas in self.arch_parameters():
                weights = fluid.layers.softmax(alphas)
                choices = [x * 0.0, self.conv(x), x]
                x = sum(weights[0][i] * choice for i, choice in enumerate(choices))
            pooled = fluid.layers.reduce_mean(x, [2, 3])
            return self.fc(pooled)

        def _loss(self, x, label):
            logits = self(x)
            return fluid.layers.reduce_mean(fluid.layers.softmax_with_cross_entropy(logits, label))

        def new(self):
            made = Model()
            made.set_dict(self.state_dict())
            return made

    return Model()


@story("nas.DARTSearch", "nas.count_parameters_in_MB")
def weights_of_choices_are_trained() -> None:
    from paddleslim.nas import DARTSearch, count_parameters_in_MB

    import paddle.fluid as fluid

    def reader():
        for step in range(6):
            yield pictures(8, seed=step)

    for unrolled in (False, True):
        model = _darts_model()
        expected = sum(int(np.prod(p.shape)) for p in model.parameters()) / 1e6
        assert abs(count_parameters_in_MB(model.parameters()) - expected) < 1e-12
        before = [a.numpy() for a in model.arch_parameters()], model.conv.weight.numpy()
        DARTSearch(
            model, reader, reader, fluid.CPUPlace(), learning_rate=0.05, batchsize=8, num_imgs=96,
            arch_learning_rate=0.05, num_epochs=2, unrolled=unrolled, log_freq=50,
        ).train()  # fmt: skip
        after = [a.numpy() for a in model.arch_parameters()], model.conv.weight.numpy()
        moved = [np.abs(a - b).max() for a, b in zip(after[0], before[0], strict=True)]
        assert all(1e-3 < m < 2 for m in moved), moved
        assert np.abs(after[1] - before[1]).max() > 1e-4
    assert SIDE


@story("nas.AdaBERTClassifier")
def a_student_of_bert_is_searched() -> None:
    """The teacher is a tiny one that has learned nothing; what counts is that all of it runs."""
    from paddleslim.nas import AdaBERTClassifier
    from paddleslim.teachers.bert.model.bert import BertConfig
    from paddleslim.teachers.bert.model.cls import ClsModelLayer

    import paddle

    base = Path("data/pretrained_models/uncased_L-12_H-768_A-12")
    base.mkdir(parents=True)
    config = {
        "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "vocab_size": 30522,
        "max_position_embeddings": 512, "type_vocab_size": 2, "hidden_act": "relu",
        "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0, "initializer_range": 0.1,
    }  # fmt: skip
    (base / "bert_config.json").write_text(json.dumps(config))
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "cat", "dog", "sits", "runs"]
    (base / "vocab.txt").write_text("\n".join(words) + "\n")
    head = "\t".join(f"column{i}" for i in range(12))
    kinds = ["contradiction", "entailment", "neutral"]
    rows = ["\t".join([str(i), *["-"] * 7, "a cat sits", "a dog runs", "-", kinds[i % 3]])
            for i in range(6)]  # fmt: skip
    Path("mnli").mkdir()
    for name in ("train", "dev_matched"):
        Path(f"mnli/{name}.tsv").write_text("\n".join([head, *rows]) + "\n")
    untrained = ClsModelLayer(BertConfig(str(base / "bert_config.json")), 3)
    paddle.fluid.save_dygraph(untrained.state_dict(), "teacher")
    del untrained  # its parameters have the names of the teacher's
    gc.collect()
    net = AdaBERTClassifier(
        3, n_layer=2, emb_size=16, hidden_size=8, search_layer=True, teacher_model="teacher",
        data_dir="mnli",
    )  # fmt: skip
    assert all(not p.stop_gradient for p in net.arch_parameters()) and net.arch_parameters()
    for mine, given in zip(net.student.emb_names(), net.teacher.emb_names(), strict=True):
        np.testing.assert_array_equal(mine.numpy(), given.numpy())
    ids = paddle.to_tensor([[2, 5, 6, 8, 3]] * 2), paddle.to_tensor([[2, 5, 7, 9, 3]] * 2)
    found = net([None] * 5 + list(ids), 0)  # the batch has more
    total = sum(each.sum() for each in found)
    total.backward()
    (alphas,) = net.arch_parameters()
    assert np.isfinite(total.numpy()).all() and np.abs(alphas.grad.numpy()).sum() > 0
