"""Trains small language tasks with PaddlePALM; run by PaddlePaddle 1.8.5 as well, to compare.

    PYTHONPATH=.venv/clients python tests/clients/palm_tasks.py RESULTS.npz

PaddlePaddle 1.8.5 (Python 3.7) wrote tests/data/paddlepalm-2.0.2.npz with it.
"""

from __future__ import annotations

import os
import sys
import tempfile

import numpy as np
from fluid_parts import fill, import_all

GOOD, BAD = ["good", "nice", "lucky", "happy"], ["bad", "sad", "poor", "dull"]
OTHER = ["the", "day", "is", "a", "dog", "we", "like", "movie"]
MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
CONFIG = {
    "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "vocab_size": 32,
    "max_position_embeddings": 20, "type_vocab_size": 2, "sent_type_vocab_size": 2,
    "task_type_vocab_size": 2, "hidden_act": "relu", "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0, "initializer_range": 0.02,
}  # fmt: skip


def sentences(count: int, start: int) -> list:
    """Sentences of a few words with one that says what they are: (label, words)."""
    draw, found = np.random.RandomState(start), []
    for i in range(count):
        words = list(draw.choice(OTHER, draw.randint(1, 4)))
        words.insert(draw.randint(len(words) + 1), draw.choice(GOOD if i % 2 else BAD))
        found.append((i % 2, words))
    return found


def write(folder: str, name: str, lines: list) -> str:
    """Writes rows, their columns split by tabs; returns the path."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf8") as file:
        file.write("".join("\t".join(map(str, line)) + "\n" for line in lines))
    return path


def watch(trainer) -> list:
    """The losses that training will give."""
    seen, step = [], trainer.train_one_step

    def watched(batch):
        got = step(batch)
        values = got[0] if isinstance(got, tuple) else got
        seen.append([float(np.mean(v)) for k, v in sorted(values.items()) if k.endswith("loss")][0])
        return got

    trainer.train_one_step = watched
    return seen


def classification(found: dict, palm, folder: str, vocab: str) -> None:
    """What sentences say: trained with a schedule, weight decay and EMA; saved; predicted."""
    rows = [(label, " ".join(words)) for label, words in sentences(64, 1)]
    train = write(folder, "train.tsv", [("label", "text_a"), *rows])
    told = palm.reader.ClassifyReader(vocab, 12, seed=1)
    told.load_data(train, 8, num_epochs=8, shuffle_train=False)
    ernie = palm.backbone.ERNIE.from_config(CONFIG)
    told.register_with(ernie)
    head = palm.head.Classify(2, 16)
    trainer = palm.Trainer("sense")
    loss = trainer.build_forward(ernie, head)
    schedule = palm.lr_sched.TriangularSchedualer(4, 80)
    trainer.build_backward(palm.optimizer.Adam(loss, 0.01, schedule), 0.01, True, 0.9)
    fill(trainer._train_prog)
    trainer.fit_reader(told)
    trainer.set_saver(os.path.join(folder, "kept"), 64)
    losses = watch(trainer)
    trainer.train(print_steps=16)
    found["sense_losses"] = np.array(losses)

    asked = palm.reader.ClassifyReader(vocab, 12, seed=1, phase="predict")
    rows = [(label, " ".join(words)) for label, words in sentences(16, 2)]
    asked.load_data(write(folder, "test.tsv", [("label", "text_a"), *rows]), 8)
    ernie = palm.backbone.ERNIE.from_config(CONFIG, phase="predict")
    asked.register_with(ernie)
    sure = palm.head.Classify(2, 16, phase="predict")
    trainer.build_predict_forward(ernie, sure)
    trainer.load_predict_model(os.path.join(folder, "kept", "ckpt.step64"))
    trainer.fit_reader(asked, phase="predict")
    answers = trainer.predict(output_dir=None)
    found["sense_chances"] = np.array([answer["probs"] for answer in answers])
    found["sense_right"] = np.array([a["label"] == row[0] for a, row in zip(answers, rows)])


def tagging(found: dict, palm, folder: str, vocab: str) -> None:
    """Which words say it: by a CRF over BERT."""
    tags = dict.fromkeys(GOOD, "B-G")
    tags.update(dict.fromkeys(BAD, "B-B"))
    mark = chr(2)
    rows = [
        (mark.join(words), mark.join(tags.get(word, "O") for word in words))
        for _, words in sentences(48, 3)
    ]
    labels = write(folder, "labels.json", [['{"B-G": 0, "I-G": 1, "B-B": 2, "I-B": 3, "O": 4}']])
    reader = palm.reader.SequenceLabelReader(vocab, 12, labels, seed=1)
    path = write(folder, "tags.tsv", [("text_a", "label"), *rows])
    reader.load_data(path, 8, num_epochs=3, shuffle_train=False)
    bert = palm.backbone.BERT.from_config(CONFIG)
    reader.register_with(bert)
    trainer = palm.Trainer("tags")
    loss = trainer.build_forward(bert, palm.head.SequenceLabel(5, 16, learning_rate=1.0))
    trainer.build_backward(palm.optimizer.Adam(loss, 0.02))
    fill(trainer._train_prog)
    trainer.fit_reader(reader)
    losses = watch(trainer)
    trainer.train(print_steps=0)
    found["tags_losses"] = np.array(losses)


def matching(found: dict, palm, folder: str, vocab: str) -> None:
    """Which of two sentences is nearer to a third one: pairs, with a margin."""
    good = [" ".join(words) for label, words in sentences(64, 4) if label]
    bad = [" ".join(words) for label, words in sentences(64, 5) if not label]
    rows = list(zip(good, good[1:], bad)) + list(zip(bad, bad[1:], good))
    path = write(folder, "pairs.tsv", [("text_a", "text_b", "text_b_neg"), *rows[:48]])
    reader = palm.reader.MatchReader(vocab, 16, seed=1, learning_strategy="pairwise")
    reader.load_data(path, 8, num_epochs=2, shuffle_train=False)
    ernie = palm.backbone.ERNIE.from_config(dict(CONFIG, is_pairwise=True))
    reader.register_with(ernie)
    head = palm.head.Match(2, 16, learning_strategy="pairwise", margin=0.5)
    trainer = palm.Trainer("pairs")
    loss = trainer.build_forward(ernie, head)
    trainer.build_backward(palm.optimizer.Adam(loss, 0.01))
    fill(trainer._train_prog)
    trainer.fit_reader(reader)
    losses = watch(trainer)
    trainer.train(print_steps=0)
    found["pairs_losses"] = np.array(losses)


def several(found: dict, palm, folder: str, vocab: str) -> None:
    """Two tasks over one backbone, of which a batch chooses one (`switch_case`)."""
    ernie = palm.backbone.ERNIE.from_config(CONFIG)
    trainers, readers = [], []
    for name, start in (("one", 6), ("two", 7)):
        rows = [(label, " ".join(words)) for label, words in sentences(32, start)]
        path = write(folder, name + ".tsv", [("label", "text_a"), *rows])
        reader = palm.reader.ClassifyReader(vocab, 12, seed=1)
        reader.load_data(path, 8, num_epochs=None, shuffle_train=False)
        reader.register_with(ernie)
        readers.append(reader)
        trainers.append(palm.Trainer(name))
        trainers[-1].build_forward(ernie, palm.head.Classify(2, 16))
    both = palm.MultiHeadTrainer(trainers)
    loss = both.build_forward()
    both.build_backward(palm.optimizer.Adam(loss, 0.01))
    fill(both._train_prog)
    np.random.seed(1)
    both.fit_readers_with_mixratio(readers, "one", 2)
    both.train(print_steps=4)
    found["several_steps"] = np.array([trainer._cur_train_step for trainer in trainers])


def main(path: str) -> None:
    """Writes all of it."""
    import paddlepalm as palm

    found: dict = {}
    with tempfile.TemporaryDirectory() as folder:
        vocab = write(folder, "vocab.txt", [[word] for word in MARKS + OTHER + GOOD + BAD])
        for task in (classification, tagging, matching, several):
            task(found, palm, folder, vocab)
    np.savez_compressed(path, **found)


if __name__ == "__main__":
    from stand_ins import install_for_1x

    install_for_1x()
    import paddle.fluid as fluid

    if not hasattr(fluid.core, "get_cuda_device_count"):  # 1.8.5 for CPUs
        fluid.core.get_cuda_device_count = lambda: 0
    import_all("paddlepalm")
    main(os.path.abspath(sys.argv[1]))
