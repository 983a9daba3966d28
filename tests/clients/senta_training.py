"""Senta learns to tell good from bad: its own trainer on files, then its predictor.

    PYTHONPATH=.venv/clients python tests/clients/senta_training.py RESULTS.npz

Its networks are those of ERNIE, SKEP and RoBERTa with small sizes.
"""

from __future__ import annotations

import json
import os
import sys

import numpy as np
from fluid_parts import fill, import_all
from palm_tasks import BAD, GOOD, MARKS, OTHER, sentences, write

SIZES = {
    "attention_probs_dropout_prob": 0.0, "hidden_act": "relu", "hidden_dropout_prob": 0.0,
    "hidden_size": 16, "initializer_range": 0.02, "max_position_embeddings": 24,
    "num_attention_heads": 2, "num_hidden_layers": 1, "type_vocab_size": 2, "vocab_size": 32,
}  # fmt: skip


def field(name: str, reader: str, kind: str, vocab: str = "") -> dict:
    """How a column is read."""
    tokenizer = {"type": "FullTokenizer", "split_char": " ", "unk_token": "[UNK]", "params": None}
    return {
        "name": name, "data_type": kind, "reader": {"type": reader},
        "tokenizer": tokenizer if vocab else None, "need_convert": bool(vocab),
        "vocab_path": vocab, "max_seq_len": 16 if vocab else 1, "truncation_type": 0,
        "padding_id": 0, "embedding": None,
    }  # fmt: skip


def settings(folder: str) -> dict:
    """The file of settings: what is read, the network, how it is trained."""
    vocab = write(folder, "vocab.txt", [[word] for word in MARKS + OTHER + GOOD + BAD])
    config = write(folder, "ernie.json", [[json.dumps(SIZES)]])
    reader = {"fields": [
        field("qid", "ScalarFieldReader", "int"),
        field("text_a", "ErnieTextFieldReader", "string", vocab),
        field("label", "ScalarFieldReader", "int"),
    ]}  # fmt: skip
    found = {}
    for name, epochs, start in (("train", 8, 1), ("dev", 1, 2)):
        where = os.path.join(folder, name)
        os.makedirs(where)
        rows = [(i, " ".join(w), label) for i, (label, w) in enumerate(sentences(64, start))]
        write(where, "part.tsv", rows)
        how = {"data_path": where, "shuffle": False, "batch_size": 8, "epoch": epochs,
               "sampling_rate": 1.0}  # fmt: skip
        found[name + "_reader"] = dict(reader, type="BasicDataSetReader", config=how)
    asked = dict(found["dev_reader"], fields=reader["fields"])
    model = {
        "type": "ErnieOneSentClassificationCh",
        "embedding": {"type": "ErnieTokenEmbedding", "emb_dim": 16, "use_fp16": False,
                      "config_path": config},
        "optimization": {
            "learning_rate": 0.01, "lr_scheduler": "linear_warmup_decay", "warmup_steps": 4,
            "max_train_steps": 80, "weight_decay": 0.01, "use_dynamic_loss_scaling": False,
            "init_loss_scaling": 1.0, "incr_every_n_steps": 100, "decr_every_n_nan_or_inf": 2,
            "incr_ratio": 2.0, "decr_ratio": 0.8,
        },
    }  # fmt: skip
    trainer = {
        "load_checkpoint": "", "load_parameters": "", "pre_train_model": [], "PADDLE_USE_GPU": 0,
        "PADDLE_IS_LOCAL": 1, "train_log_step": 1, "is_eval_dev": 1, "is_eval_test": 0,
        "eval_step": 1000, "save_model_step": 1000, "output_path": os.path.join(folder, "out"),
        "num_train_examples": 64, "random_seed": 1,
    }  # fmt: skip
    return {"readers": found, "model": model, "trainer": trainer, "asked": asked}


def trained(found: dict, folder: str) -> None:
    """Trains by files of settings, as its command does; saves; predicts from what was saved."""
    from senta import train
    from senta.common import register
    from senta.common.register import RegisterSet
    from senta.inference.inference import Inference

    register.import_modules()
    told = settings(folder)
    data = train.dataset_reader_from_params(told["readers"])
    data.predict_reader = data.dev_reader.__class__(
        "predict_reader", data.dev_reader.fields, data.dev_reader.config
    )
    kind = RegisterSet.models.__getitem__(told["model"]["type"])

    class Watched(kind):
        losses: list = []
        scores: list = []

        def get_metrics(self, outputs, info, phase, metas=None):
            if phase == "training":
                self.losses.append(float(np.mean(outputs["loss"])))
            else:
                self.scores.append(np.mean(np.concatenate(outputs["accuracy"])))
            return super().get_metrics(outputs, info, phase, metas)

    model = Watched(told["model"])
    trainer = train.build_trainer(told["trainer"], data, model, 64)
    fill(trainer.train_program)
    trainer.train_and_eval()
    found["losses"], found["accuracy"] = np.array(model.losses), np.array(model.scores)
    kept = os.path.join(folder, "out", "save_inference_model")
    where = os.path.join(kept, os.listdir(kept)[0])
    answers = os.path.join(folder, "answers", "answers.tsv")
    asking = {"inference_model_path": where, "PADDLE_USE_GPU": 0, "test_save": answers}
    Inference(asking, data, model).do_inference()
    with open(answers, encoding="utf8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    found["answers"] = np.array([int(row[1]) for row in rows])
    found["truth"] = np.array([label for label, _ in sentences(64, 2)])


def main(path: str) -> None:
    """Writes all of it."""
    os.environ["PADDLE_TRAINERS_NUM"] = "1"
    os.environ["CPU_NUM"] = "1"
    found: dict = {}
    trained(found, os.path.dirname(path))
    np.savez_compressed(path, **found)


if __name__ == "__main__":
    from stand_ins import install_for_1x

    install_for_1x()
    # its bert imports in the way of Python 2
    import_all("senta", ("senta.modules.bert",))
    main(os.path.abspath(sys.argv[1]))
