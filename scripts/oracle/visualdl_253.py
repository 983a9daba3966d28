"""Runs with the real VisualDL 2.5.3: writes the logs of tests/data/visualdl, or prints what it reads.

    cd / && ENVIRONMENT/bin/python REPOSITORY/scripts/oracle/visualdl_253.py write FOLDER
    cd / && ENVIRONMENT/bin/python REPOSITORY/scripts/oracle/visualdl_253.py read LOG_FILE

The environment has visualdl 2.5.3; to write it has numpy<1.24 too, newer ones have no `np.float`, which
the curves of 2.5.3 need. Started from `/`: this repository has a package `visualdl` of its own.
"""

import base64
import json
import os
import sys

sys.path[:] = [p for p in sys.path if not os.path.isfile(os.path.join(p or ".", "pyproject.toml"))]
if sys.path and os.path.abspath(sys.path[0]) == os.path.dirname(os.path.abspath(__file__)):
    del sys.path[0]

TIME = 1700000000123


def plain(message):
    """Gives a message as dicts and lists; numbers in full, bytes in base64."""
    found = {}
    for field, value in message.ListFields():
        many = getattr(field, "is_repeated", None)
        if many is None:
            many = field.label == field.LABEL_REPEATED
        parts = list(value) if many else [value]
        if field.type == field.TYPE_MESSAGE:
            parts = [plain(part) for part in parts]
        elif field.type == field.TYPE_BYTES:
            parts = [base64.b64encode(part).decode() for part in parts]
        elif field.type in (field.TYPE_FLOAT, field.TYPE_DOUBLE):
            parts = [repr(part) for part in parts]
        found[field.name] = parts if many else parts[0]
    return found


def read(path):
    """Gives what the reader of the package on the path finds in a log: component -> tag -> records."""
    from visualdl import LogReader

    reader = LogReader(file_path=path)
    return {
        component: {tag: [plain(r) for r in reader.get_data(component, tag)] for tag in tags}
        for component, tags in reader.get_tags().items()
    }


def scalar(writer, np):
    for step, value in enumerate([0.0, 0.5, -1.25, 1e-30, 1e30, float("nan"), float("inf")]):
        writer.add_scalar("train/loss", value, step, walltime=TIME + step)
    writer.add_scalar("准确率", 0.75, 2**40, walltime=1700000000)
    writer.add_scalar("train/loss", np.float32(0.1), 7, walltime=TIME)


def scalars(writer, np):
    for step in range(3):
        writer.add_scalars("waves", {"sin": np.sin(step), "cos": np.cos(step)}, step, walltime=TIME)


def image(writer, np):
    values = np.arange(4 * 5 * 3).reshape(4, 5, 3)
    writer.add_image("levels", values.astype("uint8"), 0, walltime=TIME)
    writer.add_image("shares", (values / 60.0).astype("float32"), 1, walltime=TIME)
    writer.add_image("chw", values.astype("uint8").reshape(3, 4, 5), 2, TIME, dataformats="CHW")
    writer.add_image("hw", values[:, :, 0].astype("uint8"), 3, TIME, dataformats="HW")
    parts = [np.full((2, 3, 3), 40 * i, "uint8") for i in range(1, 6)]
    writer.add_image_matrix("matrix", parts, 0, rows=2, walltime=TIME)


def audio(writer, np):
    writer.add_audio("tone", np.sin(np.arange(64) * 0.3) * 0.8, 0, sample_rate=4000, walltime=TIME)


def text(writer, np):
    writer.add_text("answer", "a **cat** <b>on</b> a mat", 1, walltime=TIME)
    writer.add_text("answer", "一只猫\n在垫子上", 2, walltime=TIME)


def histogram(writer, np):
    writer.add_histogram("weights", np.arange(100) ** 1.5, 3, walltime=TIME, buckets=7)
    writer.add_histogram("weights", [1, 2, 2, 5], 4, walltime=TIME)


def curves(writer, np):
    drawn = np.random.RandomState(0)
    labels, predictions = drawn.randint(2, size=40), drawn.rand(40)
    writer.add_pr_curve("pr", labels, predictions, 5, num_thresholds=6, walltime=TIME)
    heavy = drawn.rand(40)
    writer.add_pr_curve("pr/heavy", labels, predictions, 6, 11, heavy, walltime=TIME)
    writer.add_roc_curve("roc", labels, predictions, 5, num_thresholds=6, walltime=TIME)


def embeddings(writer, np):
    matrix = (np.arange(12) / 7.0).reshape(4, 3)
    writer.add_embeddings("plain", mat=matrix, metadata=list("abcd"), walltime=TIME)
    columns = [["a", "b", "c", "d"], ["1", "2", "3", "4"]]
    writer.add_embeddings("columns", matrix, columns, ["letter", "number"], walltime=TIME)
    writer.add_embeddings("older", labels=list("wxyz"), hot_vectors=matrix.tolist(), walltime=TIME)


def hparams(writer, np):
    settings = {"lr": 0.1, "batch": 32, "optimizer": "sgd", "none": None}
    writer.add_hparams(settings, ["accuracy", "loss"], walltime=TIME)
    writer.add_scalar("accuracy", 0.5, 1, walltime=TIME)


def meta(writer, np):
    writer.add_meta(display_name="first 一", walltime=TIME)


CASES = [scalar, scalars, image, audio, text, histogram, curves, embeddings, hparams, meta]


def log(folder, case):
    """Gives the path of the log of a case."""
    return os.path.join(folder, case.__name__, "vdlrecords.1700000000.log")


def write(folder):
    """Writes a log for each case, and beside them what the reader gives."""
    import numpy as np

    from visualdl import LogWriter

    expected = {}
    for case in CASES:
        path = log(folder, case)
        if os.path.exists(path):
            os.remove(path)
        place = os.path.dirname(path)
        with LogWriter(logdir=place, file_name=os.path.basename(path)) as writer:
            case(writer, np)
        expected[case.__name__] = read(path)
    with open(os.path.join(folder, "expected.json"), "w", encoding="utf-8") as file:
        json.dump(expected, file, ensure_ascii=False, indent=0, sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2])
    else:
        print("\n" + json.dumps(read(sys.argv[2]), sort_keys=True))
