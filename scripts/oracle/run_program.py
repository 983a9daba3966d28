"""Runs, in an oracle environment, a Program that our framework wrote: `python run_program.py CASE`.

CASE is a folder (or a zip of one) in the layout of the corpus:
  meta.json    {"feeds": [names], "fetches": [names], "steps": 0 for one run without training}
  main.pb      the Program; startup.pb and params.npz: one of them, or both (params win)
  feeds.npz    values by name
Instead of main.pb, meta.json may name a saved model: {"inference": {"prefix": "model/net"}} (2.6.2)
or {"inference": {"dirname": "model", "params_filename": "params"}} (1.8.5).
With {"saved": "model/net"} the values come from what static.save wrote, through static.load.
A saved model is run through paddle.jit.load too, where there is one.
Writes CASE/oracle.npz (CASE.oracle.npz next to a zip), with keys fetch_<i>: the value, or the
values of all steps stacked; and after/<name> for persistable variables. Prints shapes and values.
With expected.npz in CASE it also compares, and exits with 1 if anything differs by more than
`--rtol` (1e-5) and `--atol` (1e-6).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import zipfile

import numpy as np
from corpus import RELEASE, base, stored_values

import paddle


def load_values(folder: str, name: str) -> dict:
    path = os.path.join(folder, name)
    return dict(np.load(path)) if os.path.exists(path) else {}


def load_program(folder: str, name: str):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return base.Program.parse_from_string(file.read())


def set_value(scope, name: str, value: np.ndarray) -> None:
    scope.var(name).get_tensor().set(value, base.CPUPlace())


def load_saved(folder: str, names: dict, executor):
    """(program, feed names, fetch variables) of a saved inference model."""
    if "prefix" in names:
        return paddle.static.load_inference_model(os.path.join(folder, names["prefix"]), executor)
    files = {k: v for k, v in names.items() if k.endswith("_filename")}
    path = os.path.join(folder, names["dirname"])
    return base.io.load_inference_model(path, executor, **files)


def run_case(folder: str) -> dict:
    """All fetched and stored values of a case."""
    with open(os.path.join(folder, "meta.json")) as file:
        meta = json.load(file)
    feeds = load_values(folder, "feeds.npz")
    scope = base.core.Scope()
    executor = base.Executor(base.CPUPlace())
    steps = meta.get("steps", 0)
    with base.scope_guard(scope):
        if "inference" in meta:
            main, _, fetches = load_saved(folder, meta["inference"], executor)
        else:
            main, fetches = load_program(folder, "main.pb"), meta["fetches"]
            startup = load_program(folder, "startup.pb")
            if startup is not None:
                executor.run(startup)
            for name, value in load_values(folder, "params.npz").items():
                set_value(scope, name, value)
            if "saved" in meta:
                paddle.static.load(main, os.path.join(folder, meta["saved"]), executor)
        runs = []
        rates = meta.get("rates")
        for step in range(max(steps, 1)):
            if rates:
                value = np.array(rates["values"][step], "float32")
                set_value(scope, rates["variable"], value.reshape(rates.get("shape", [])))
            runs.append(executor.run(main, feed=feeds, fetch_list=fetches))
        stored = stored_values(main, scope)
    values = {}
    for i in range(len(fetches)):
        column = [np.asarray(run[i]) for run in runs]
        values[f"fetch_{i}"] = np.stack(column) if steps else column[0]
    values.update(("after/" + name, value) for name, value in stored.items())
    return values


def run_layer(folder: str) -> dict:
    """What the model gives as a layer, loaded by paddle.jit.load (2.6.2)."""
    with open(os.path.join(folder, "meta.json")) as file:
        meta = json.load(file)
    if "prefix" not in meta.get("inference", {}):
        return {}
    feeds = load_values(folder, "feeds.npz")
    paddle.disable_static()
    layer = paddle.jit.load(os.path.join(folder, meta["inference"]["prefix"]))
    layer.eval()
    found = layer(*(paddle.to_tensor(feeds[name]) for name in meta["feeds"]))
    found = found if isinstance(found, (list, tuple)) else [found]
    return {f"fetch_{i}": value.numpy() for i, value in enumerate(found)}


def differences(found: dict, expected: dict, rtol: float, atol: float) -> list:
    """Lines saying which expected values were not found."""
    lines = []
    for key, value in expected.items():
        if key in found and found[key].shape + (1,) == value.shape:
            value = value.reshape(found[key].shape)  # a number: [] from 2.5 on, before that [1]
        if key not in found:
            lines.append(f"{key}: missing")
        elif found[key].shape != value.shape or found[key].dtype != value.dtype:
            got = found[key]
            lines.append(f"{key}: {got.dtype} {got.shape} instead of {value.dtype} {value.shape}")
        elif not np.allclose(found[key], value, rtol=rtol, atol=atol, equal_nan=True):
            gap = np.max(np.abs(found[key].astype("float64") - value.astype("float64")))
            lines.append(f"{key}: differs by {gap:g}")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("case")
    parser.add_argument("--rtol", type=float, default=1e-5)
    parser.add_argument("--atol", type=float, default=1e-6)
    options = parser.parse_args()
    if RELEASE != "1.8.5":
        paddle.enable_static()
    folder, target = options.case, os.path.join(options.case, "oracle.npz")
    if zipfile.is_zipfile(options.case):
        folder, target = tempfile.mkdtemp(), options.case + ".oracle.npz"
        with zipfile.ZipFile(options.case) as archive:
            archive.extractall(folder)
    values = run_case(folder)
    np.savez(target, **values)
    for key, value in values.items():
        if not key.startswith("after/"):
            print(key, value.dtype, list(value.shape), value.ravel()[:8].tolist())
    wrong = differences(values, load_values(folder, "expected.npz"), options.rtol, options.atol)
    if RELEASE != "1.8.5":
        layer = run_layer(folder)
        same = {key: values[key] for key in layer}
        wrong += ["as a layer: " + line for line in differences(layer, same, 1e-6, 1e-7)]
    for line in wrong:
        print("DIFFERENT", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
