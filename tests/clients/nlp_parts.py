"""Runs what PaddleNLP has around its models: data, metrics, encoders, tokenizers, saved models."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np
from nlp_training import SIZES, alone, fill, ids


def data() -> dict[str, Any]:
    """Batches of samples of different length, a vocabulary, a data set that is mapped."""
    from paddlenlp.data import Dict, Pad, SamplerHelper, Stack, Tuple, Vocab
    from paddlenlp.datasets import MapDataset

    from paddle.io import DataLoader

    samples = [{"words": list(range(1, n)), "label": n % 3} for n in (5, 3, 7, 4, 9)]
    kept = MapDataset(samples).filter(lambda sample: len(sample["words"]) > 2)
    pairs = kept.map(lambda sample: (sample["words"], sample["label"]))
    collate = Tuple(Pad(axis=0, pad_val=9, dtype="int64"), Stack(dtype="int64"))
    sampler = SamplerHelper(pairs).sort(key=lambda i, _: len(pairs[i][0])).batch(2)
    loader = DataLoader(pairs, batch_sampler=sampler, collate_fn=collate, return_list=True)
    found = {}
    for i, (words, labels) in enumerate(loader):
        found |= {f"batch{i}_words": words.numpy(), f"batch{i}_labels": labels.numpy()}
    vocab = Vocab.build_vocab(
        [["a", "b", "a", "c"], ["b", "a"]], min_freq=2, unk_token="[UNK]", pad_token="[PAD]"
    )
    found["vocab"] = np.array(vocab.to_indices(["a", "b", "c", "[PAD]"]))
    fields = Dict({"x": Stack(), "y": Pad(pad_val=-1)})([{"x": 1, "y": [1]}, {"x": 2, "y": [3, 4]}])
    return found | {"dict_x": np.array(fields[0]), "dict_y": np.array(fields[1])}


def metrics() -> dict[str, Any]:
    """Chunks, BLEU, ROUGE, perplexity, accuracy with F1, Matthews' coefficient."""
    from paddlenlp.metrics import (
        BLEU,
        AccuracyAndF1,
        ChunkEvaluator,
        Mcc,
        PearsonAndSpearman,
        Perplexity,
        RougeL,
    )

    import paddle

    found = {}
    chunks = ChunkEvaluator(label_list=["B-A", "I-A", "B-C", "I-C", "O"])
    said = paddle.to_tensor([[0, 1, 4, 2, 3, 4], [0, 4, 2, 3, 3, 4]])
    right = paddle.to_tensor([[0, 1, 4, 2, 4, 4], [0, 4, 2, 3, 3, 1]])
    counts = chunks.compute(paddle.to_tensor([6, 5]), said, right)
    chunks.update(*[count.numpy() for count in counts])
    found["chunks"] = np.array(chunks.accumulate())
    for name, metric in (("bleu", BLEU(n_size=2)), ("rouge", RougeL())):
        metric.add_inst(
            ["the", "cat", "is", "on", "the", "mat"],
            [["there", "is", "a", "cat", "on", "a", "mat"]],
        )
        metric.add_inst(list("abc"), [list("abcd"), list("ef")])
        found[name] = np.array(metric.score())
    scores = np.sin(np.arange(48)).reshape(2, 4, 6).astype("float32")
    perplexity = Perplexity()
    mask = paddle.to_tensor([[1.0, 1, 1, 0], [1, 1, 0, 0]])
    kept = perplexity.compute(paddle.to_tensor(scores), paddle.to_tensor(ids(2, 4, 0, 6)), mask)
    perplexity.update(*[np.atleast_1d(part.numpy()) for part in kept])
    found["perplexity"] = np.array(perplexity.accumulate())
    two, labels = paddle.to_tensor(scores[:, :, :2].reshape(8, 2)), ids(8, 1, 0, 2)
    for name, metric in (("acc_f1", AccuracyAndF1()), ("mcc", Mcc())):
        metric.update(metric.compute(two, paddle.to_tensor(labels)))
        found[name] = np.array([float(np.asarray(part)) for part in metric.accumulate()])
    metric = PearsonAndSpearman()
    metric.update((two[:, :1], paddle.to_tensor(labels.astype("float32"))))
    found["pearson"] = np.array(metric.accumulate())
    return found


def encoders() -> dict[str, Any]:
    """The encoders of sequences, each with its gradient."""
    from paddlenlp import seq2vec

    import paddle

    x = np.cos(np.arange(2 * 7 * 8)).reshape(2, 7, 8).astype("float32")
    lengths = paddle.to_tensor([7, 4])
    mask = paddle.to_tensor((np.arange(7) < np.array([[7], [4]])).astype("float32")[:, :, None])
    hidden = {"input_size": 8, "hidden_size": 5}
    made = {
        "bow": (seq2vec.BoWEncoder(8), [mask]),
        "cnn": (seq2vec.CNNEncoder(8, num_filter=3, ngram_filter_sizes=(2, 3)), [mask]),
        "gru": (seq2vec.GRUEncoder(**hidden, pooling_type="max"), [lengths]),
        "lstm": (seq2vec.LSTMEncoder(**hidden, direction="bidirect"), [lengths]),
        "rnn": (seq2vec.RNNEncoder(**hidden, num_layers=2, pooling_type="mean"), [lengths]),
        "tcn": (seq2vec.TCNEncoder(8, [4, 5], dropout=0.0), []),
    }
    found = {}
    for name, (layer, args) in made.items():
        fill(layer)
        rows = paddle.to_tensor(x, stop_gradient=False)
        out = layer(rows, *args)
        (out * out).sum().backward()
        found |= {f"{name}_vector": out.numpy(), f"{name}_gradient": rows.grad.numpy()}
    return found


def words() -> dict[str, Any]:
    """A tokenizer over a vocabulary of its own, and the model of its words saved and read again."""
    from paddlenlp.transformers import BertForTokenClassification, BertModel, BertTokenizer

    import paddle

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "vocab.txt")
        listed = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "##s", "mat"]
        with open(path, "w", encoding="utf8") as file:
            file.write("\n".join(listed) + "\n")
        tokenizer = BertTokenizer(vocab_file=path)
        coded = tokenizer("The cats sat", "the dog", max_seq_len=12, pad_to_max_seq_len=True)
        model = alone(lambda: BertForTokenClassification(BertModel(**SIZES), num_classes=3))
        fill(model)
        for part in (model, tokenizer):
            part.save_pretrained(folder)
        again = alone(lambda: BertForTokenClassification.from_pretrained(folder))
        same = BertTokenizer.from_pretrained(folder)("the mat")["input_ids"]
    again.eval()
    out = again(*[paddle.to_tensor([coded[k]]) for k in ("input_ids", "token_type_ids")])
    return {
        "coded": np.array(coded["input_ids"]), "coded_again": np.array(same),
        "tokens": out.numpy(),
    }  # fmt: skip


def collect() -> dict[str, Any]:
    """Returns all of it."""
    return {**data(), **metrics(), **encoders(), **words()}
