"""DDParser learns which word hangs on which, from a file, then parses.

python tests/clients/dd_parsing.py RESULTS.npz

It takes names of 1.x and of 2.0. Its release has no file of settings; that is written here.
"""

from __future__ import annotations

import os
import sys

import numpy as np
from fluid_parts import import_all

SETTINGS = {
    "n_embed": 24, "n_char_embed": 12, "n_feat_embed": 12, "embed_dropout": 0.0,
    "n_lstm_feat_embed": 12, "n_lstm_hidden": 24, "n_lstm_layers": 1, "lstm_dropout": 0.0,
    "n_tran_feat_embed": 12, "n_tran_feat_head": 2, "n_tran_feat_layer": 1,
    "n_tran_word_head": 2, "n_tran_word_layer": 1, "lstm_by_wp_embed_size": 12,
    "n_mlp_arc": 32, "n_mlp_rel": 16, "mlp_dropout": 0.0, "min_freq": 1, "fix_len": 20,
    "lstm_lr": 0.02, "ernie_lr": 0.005, "mu": 0.9, "nu": 0.9, "epsilon": 1e-12, "clip": 5.0,
    "decay": 0.95, "decay_steps": 200, "epochs": 10, "patience": 10, "weight_decay": 0.01,
    "warmup_proportion": 0.1, "ernie_clip": 1.0,
}  # fmt: skip
WHO, DOES, WHAT = ["他", "我们", "老师"], ["看", "写", "送"], ["书", "信", "礼物"]
KIND = ["新", "好"]


def sentences(count: int, start: int) -> list:
    """Who does what: rows of (word, tag, head, relation)."""
    draw, found = np.random.RandomState(start), []
    for _ in range(count):
        rows = [(draw.choice(WHO), "r", 2, "SBV"), (draw.choice(DOES), "v", 0, "HED")]
        if draw.rand() < 0.5:
            rows += [(draw.choice(KIND), "a", 4, "ATT"), (draw.choice(WHAT), "n", 2, "VOB")]
        else:
            rows.append((draw.choice(WHAT), "n", 2, "VOB"))
        rows.append(("。", "w", 2, "MT"))
        found.append(rows)
    return found


def write(path: str, found: list) -> str:
    """Writes sentences in the form of CoNLL."""
    with open(path, "w", encoding="utf8") as file:
        for rows in found:
            for i, (word, tag, head, relation) in enumerate(rows):
                line = [i + 1, word, word, tag, tag, "_", head, relation, "_", "_"]
                file.write("\t".join(map(str, line)) + "\n")
            file.write("\n")
    return path


def trained(found: dict, folder: str, encoding: str, feature: str) -> None:
    """Trains by its command's functions, then asks the class for users."""
    from ddparser import run
    from ddparser.parser import ArgConfig, Environment, epoch_evaluate, model

    import paddle

    parts = {
        name: write(os.path.join(folder, name + ".conll"), sentences(count, start))
        for name, count, start in (("train", 96, 1), ("valid", 24, 2), ("test", 24, 3))
    }
    config = os.path.join(folder, "config.ini")
    with open(config, "w", encoding="utf8") as file:
        file.write("[all]\n" + "".join("%s = %r\n" % item for item in SETTINGS.items()))
    where = os.path.join(folder, encoding + feature)
    options = ["--%s_data_path=%s" % item for item in parts.items()] + [
        "--config_path=" + config, "--model_files=" + where, "--encoding_model=" + encoding,
        "--feat=" + feature, "--batch_size=200", "--buckets=2", "--threads=1",
        "--log_path=" + os.path.join(where, "log"), "--preprocess",
    ]  # fmt: skip
    env = Environment(ArgConfig(options))
    paddle.set_device(env.place)
    scores: list = []

    def watched(*args):
        loss, metric = epoch_evaluate(*args)
        scores.append((loss, metric.las, metric.uas))
        return loss, metric

    run.epoch_evaluate = watched
    run.train(env)
    found["%s_%s" % (encoding, feature)] = np.array(scores)
    assert model is not None
    run.DDParser._get_abs_path = lambda self, path: config
    parser = run.DDParser(model_files_path=where, encoding_model=encoding, prob=True, batch_size=4)
    asked = [[row[0] for row in rows] for rows in sentences(8, 7)]
    told = parser.parse_seg(asked)
    right = [
        [int(head) for head in answer["head"]] == [row[2] for row in rows]
        and list(answer["deprel"]) == [row[3] for row in rows]
        for answer, rows in zip(told, sentences(8, 7))
    ]
    found["%s_%s_right" % (encoding, feature)] = np.array(right)
    assert all(0 <= p <= 1.001 for answer in told for p in answer["prob"])
    found["%s_%s_whole" % (encoding, feature)] = np.array(
        [len(answer["word"]) for answer in parser.parse(["老师写信", "他看新书"])]
    )


def main(path: str) -> None:
    """Writes all of it."""
    found: dict = {}
    trained(found, os.path.dirname(path), "lstm", "char")
    np.savez_compressed(path, **found)


if __name__ == "__main__":
    from stand_ins import install_for_1x

    install_for_1x()
    # its own tests are left out: they ask for what the release does not have
    import_all("ddparser", ("ddparser.run_test", "ddparser.parser.model_test"))
    main(os.path.abspath(sys.argv[1]))
