"""Runs with the real VisualDL 2.5.3: writes logs, and what its server answers about them.

    cd / && ENVIRONMENT/bin/python REPOSITORY/scripts/oracle/visualdl_253_answers.py write FOLDER
    cd / && ENVIRONMENT/bin/python REPOSITORY/scripts/oracle/visualdl_253_answers.py ask FOLDER

The environment has visualdl 2.5.3; to write it has numpy<1.24 too, which the curves of 2.5.3 need.
FOLDER is tests/data/visualdl/server: `log` holds every component, `trials` hyper-parameters; `ask`
writes answers.json: "FOLDER route?parameters" -> [media type, answer]. What 2.5.3 fails at is left
out: scalars/*, logs, embedding/tags, embedding/embedding, hparams/importance.
"""

import json
import multiprocessing
import os
import sys

sys.path[:] = [p for p in sys.path if not os.path.isfile(os.path.join(p or ".", "pyproject.toml"))]
if sys.path and os.path.abspath(sys.path[0]) == os.path.dirname(os.path.abspath(__file__)):
    del sys.path[0]

TIME = 1600000000
NAMED = "显示 b"
BARE = [
    "components",
    "runs",
    "tags",
    "scalar/tags",
    "image/tags",
    "audio/tags",
    "text/tags",
    "histogram/tags",
]
BARE += ["pr-curve/tags", "roc-curve/tags", "embedding/list", "hparams/list", "hparams/indicators"]


def write_run(name, number, np):
    """Writes a run with every component."""
    from visualdl import LogWriter

    place = f"./log/run/{name}"
    shown = NAMED if number else ""
    with LogWriter(place, file_name=f"vdlrecords.{TIME}.log", display_name=shown) as writer:
        settings = {"lr": 0.1 / 10**number, "batch": 32 * (number + 1), "opt": "sgd"}
        writer.add_hparams(settings, ["train/acc", "loss"])
        odd = [1.5, float("nan"), float("inf"), -float("inf"), 2.25, 1e-9]
        for step in range(6):
            writer.add_scalar("train/acc", step / 7 + number, step, walltime=TIME + step)
            writer.add_scalar("loss", odd[step], step * 10, walltime=(TIME + step) * 1000)
        for step in range(2):
            parts = {"x": 1 + step / 2, "y": 2 + step / 2}
            writer.add_scalars("multi", parts, step, walltime=TIME + step)
        for step in range(3):
            _write_step(writer, step, np)
        labels = [[f"l{row}", str(row)] for row in range(5)]
        rows = np.random.rand(5, 4).tolist()
        writer.add_embeddings("emb", rows, labels, ["name", "num"], walltime=TIME)


def _write_step(writer, step, np):
    time = TIME + step
    labels, shares = np.random.randint(2, size=50), np.random.rand(50)
    writer.add_image("img/cat", np.full((4, 5, 3), 40 * step, "uint8"), step, walltime=time)
    writer.add_text("txt", f"text {step} 中文 <b>", step, walltime=time)
    sound = (np.sin(np.arange(80)) * 20000).astype("int16")
    writer.add_audio("snd", sound, step, sample_rate=8000, walltime=time)
    writer.add_histogram("hist/w", np.random.randn(100), step, walltime=time, buckets=5)
    writer.add_pr_curve("pr", labels, shares, step, num_thresholds=5, walltime=time)
    writer.add_roc_curve("roc", labels, shares, step, num_thresholds=5, walltime=time)


def write_trials():
    """Writes runs that differ by their hyper-parameters."""
    from visualdl import LogWriter

    for number, (rate, size, reached) in enumerate(
        [(0.1, 16, 0.5), (0.05, 64, 0.75), (0.02, 32, 0.25), (0.01, 128, 0.875)]
    ):
        with LogWriter(f"./trials/{number}", file_name=f"vdlrecords.{TIME}.log") as writer:
            writer.add_hparams({"lr": rate, "size": size, "opt": "sgd"}, ["acc"])
            writer.add_scalar("acc", reached, 1, walltime=TIME)


def questions():
    """Gives (folder of logs, route, parameters)."""
    for route in BARE:
        yield "log", route, {}
    yield "log", "component_tabs", {}
    for run in ("./log/run/a", NAMED):
        for tag in ("train/acc", "loss"):
            yield "log", "scalar/list", {"run": run, "tag": tag}
            for kind in ("csv", "tsv"):
                yield "log", "scalar/data", {"run": run, "tag": tag, "type": kind}
        for name, tag in (("image", "img/cat"), ("text", "txt"), ("audio", "snd")):
            yield "log", f"{name}/list", {"run": run, "tag": tag}
            for index in range(3):
                yield "log", f"{name}/{name}", {"run": run, "tag": tag, "index": index}
        yield "log", "histogram/list", {"run": run, "tag": "hist/w"}
        for name in ("pr", "roc"):
            yield "log", f"{name}-curve/list", {"run": run, "tag": name}
            yield "log", f"{name}-curve/steps", {"run": run}
        yield "log", "hparams/metric", {"run": run, "metric": "train/acc"}
    for part in ("a/multi_x", "a/multi_y", "b/multi_x"):
        run = f"./log/run/{part}"
        yield "log", "scalar/list", {"run": run, "tag": "multi"}
        yield "log", "scalar/data", {"run": run, "tag": "multi", "type": "csv"}
    for name in ("./log/run/a/emb", "./log/run/b/emb"):
        yield "log", "embedding/tensor", {"name": name}
        yield "log", "embedding/metadata", {"name": name}
    for folder in ("log", "trials"):
        for kind in ("csv", "tsv"):
            yield folder, "hparams/data", {"type": kind}
    for name in ("list", "indicators"):
        yield "trials", f"hparams/{name}", {}
    for number in range(4):
        yield "trials", "hparams/metric", {"run": f"./trials/{number}", "metric": "acc"}


def ask(folder):
    """Asks every question about a folder; gives the answers."""
    from flask import Flask

    from visualdl.server.api import create_api_call

    found = {}
    with Flask("oracle").test_request_context():
        call = create_api_call(f"./{folder}", "", 20)
        for place, route, parameters in questions():
            if place != folder:
                continue
            if route == "component_tabs":
                tabs = sorted({*call(route, parameters), "static_graph"})
                body, kind = json.dumps({"status": 0, "msg": "", "data": tabs}), "application/json"
            else:
                body, kind, _ = call(route, parameters)
            if kind == "application/json":
                body = json.loads(body)
                if body["status"] != 0 or body["data"] is None:
                    raise SystemExit(f"{route} {parameters}: {body}")
            elif isinstance(body, bytes):
                body = body.decode("latin-1")
            else:
                body = body.encode().decode("latin-1")
            key = f"{folder} {route}?{json.dumps(parameters, ensure_ascii=False)}"
            found[key] = [kind, body]
    return found


if __name__ == "__main__":
    os.chdir(sys.argv[2])
    if sys.argv[1] == "write":
        import numpy

        numpy.random.seed(0)
        for number, name in enumerate("ab"):
            write_run(name, number, numpy)
        write_trials()
    else:
        # hyper-parameters of one folder would go into the answers about the next
        with multiprocessing.Pool(1, maxtasksperchild=1) as pool:
            answers = pool.map(ask, ["log", "trials"], chunksize=1)
        lines = [
            f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(answer, ensure_ascii=False)}"
            for found in answers
            for key, answer in found.items()
        ]
        with open("answers.json", "w", encoding="utf-8") as file:
            file.write("{\n" + ",\n".join(lines) + "\n}\n")
