"""Fine-tunes with PaddleHub on modules and files of its own; nothing is fetched.

python tests/clients/hub_tasks.py RESULTS.npz
"""

from __future__ import annotations

import os
import sys

import numpy as np
from fluid_parts import import_all
from palm_tasks import BAD, GOOD, MARKS, OTHER, sentences, write

MODULE = """
import os

import paddle.fluid as fluid
import paddlehub as hub
from paddlehub.module.module import moduleinfo, runnable, serving


@moduleinfo(name="words", version="1.0.0", author="me", author_email="", summary="", type="nlp")
class Words(hub.Module):
    def _initialize(self):
        self.size = 16

    def context(self, trainable=True, max_seq_len=16):
        main, startup = fluid.Program(), fluid.Program()
        main.random_seed = startup.random_seed = 1
        with fluid.program_guard(main, startup), fluid.unique_name.guard("@HUB_words@"):
            names = ("input_ids", "position_ids", "segment_ids")
            given = {n: fluid.layers.data(n, [max_seq_len, 1], dtype="int64") for n in names}
            given["input_mask"] = fluid.layers.data("input_mask", [max_seq_len, 1])
            tokens = fluid.layers.sums([
                fluid.layers.embedding(
                    given[n], [32, self.size], param_attr=fluid.ParamAttr(n + "_table")
                )
                for n in names
            ])
            tokens = fluid.layers.elementwise_mul(tokens, given["input_mask"])
            pooled = fluid.layers.reduce_sum(tokens, dim=1)
            for param in main.global_block().all_parameters():
                param.trainable = trainable
        fluid.Executor(fluid.CPUPlace()).run(startup)
        return given, {"sequence_output": tokens, "pooled_output": pooled}, main
"""


def dataset(hub, folder: str, tokenizer, tags: bool = False):
    """Files of sentences, and what reads them."""
    known = dict.fromkeys(GOOD, "B-G")
    known.update(dict.fromkeys(BAD, "B-B"))
    for name, start, count in (("train", 1, 128), ("dev", 2, 32), ("test", 3, 16)):
        rows = sentences(count, start)
        if tags:
            lines = [("\x02".join(w), "\x02".join(known.get(x, "O") for x in w)) for _, w in rows]
        else:
            lines = [(" ".join(words), str(label)) for label, words in rows]
        write(folder, name + ".tsv", lines)
    options = {"base_path": folder, "tokenizer": tokenizer, "max_seq_len": 16}
    options.update({part + "_file": part + ".tsv" for part in ("train", "dev", "test")})
    if tags:
        options.update(split_char="\x02", no_entity_label="O")
    labels = ["B-G", "B-B", "O"] if tags else ["0", "1"]
    base = hub.dataset.base_nlp_dataset
    kind = base.SeqLabelingDataset if tags else base.TextClassificationDataset
    return kind(label_list=labels, **options)


def run(hub, name: str, folder: str, epochs: int = 4):
    """How tasks are run: where checkpoints lie, how it learns."""
    strategy = hub.AdamWeightDecayStrategy(
        learning_rate=0.02, warmup_proportion=0.1, weight_decay=0.01, lr_scheduler="linear_decay"
    )
    return hub.RunConfig(
        use_cuda=False, num_epoch=epochs, batch_size=16, log_interval=8, eval_interval=16,
        checkpoint_dir=os.path.join(folder, name), strategy=strategy,
    )  # fmt: skip


def classified(found: dict, hub, folder: str, network, tokenizer) -> None:
    """What sentences say, by several networks over the module."""
    import paddle.fluid as fluid

    data = dataset(hub, folder, tokenizer)
    with fluid.scope_guard(fluid.Scope()):
        given, made, _ = hub.Module(directory=os.path.join(folder, "words")).context()
        feature = {"feature": made["pooled_output"]} if network is None else {
            "token_feature": made["sequence_output"], "network": network,
        }  # fmt: skip
        task = hub.TextClassifierTask(
            dataset=data, num_classes=2, config=run(hub, str(network), folder),
            metrics_choices=["acc", "f1"], **feature,
        )  # fmt: skip
        task.main_program.random_seed = 1
        losses = []
        task.add_hook("run_step_event", func=lambda self, state: losses.append(
            (self.phase, float(np.mean(state.run_results[-1])))
        )) if hasattr(task, "add_hook") else None  # fmt: skip
        task.finetune_and_eval()
        asked = [tokenizer.encode(" ".join(words), max_seq_len=16) for _, words in sentences(16, 5)]
        truth = [str(label) for label, _ in sentences(16, 5)]
        slow = task.predict(asked, label_list=["0", "1"], accelerate_mode=False)
        fast = task.predict(asked, label_list=["0", "1"])
        found["%s_right" % network] = np.array([a == b for a, b in zip(slow, truth)])
        assert slow == fast and given
        seen = [loss for phase, loss in losses if phase == "train"]
        found["%s_losses" % network] = np.array(seen)


def tagged(found: dict, hub, folder: str, tokenizer) -> None:
    """Which words say it, with and without a CRF."""
    import paddle.fluid as fluid

    data = dataset(hub, folder, tokenizer, tags=True)
    fluid.default_startup_program().random_seed = 1
    for crf in (False, True):
        with fluid.scope_guard(fluid.Scope()):
            _, made, _ = hub.Module(directory=os.path.join(folder, "words")).context()
            task = hub.SequenceLabelTask(
                dataset=data, feature=made["sequence_output"], max_seq_len=16, num_classes=3,
                config=run(hub, "tags%d" % crf, folder, 8), add_crf=crf,
            )  # fmt: skip
            task.finetune()
            scores = task.eval("dev", load_best_model=True)
            score, _, _ = task._calculate_metrics(scores)
            found["tags%d_f1" % crf] = np.array(float(score["f1"]))


def main(path: str) -> None:
    """Writes all of it."""
    import paddlehub as hub

    folder = os.path.dirname(path)
    os.makedirs(os.path.join(folder, "words"))
    write(os.path.join(folder, "words"), "__init__.py", [])
    write(os.path.join(folder, "words"), "module.py", [[MODULE]])
    vocab = write(folder, "vocab.txt", [[word] for word in MARKS + OTHER + GOOD + BAD])
    tokenizer = hub.BertTokenizer(vocab_file=vocab)
    found: dict = {}
    for network in (None, "bow", "cnn", "gru"):
        classified(found, hub, folder, network, tokenizer)
    tagged(found, hub, folder, tokenizer)
    np.savez_compressed(path, **found)


if __name__ == "__main__":
    from stand_ins import install_for_1x

    install_for_1x()
    # those left out ask a server
    import_all("paddlehub", ("paddlehub.commands", "paddlehub.autofinetune"))
    main(os.path.abspath(sys.argv[1]))
