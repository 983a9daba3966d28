"""Runs Programs recorded here in PaddlePaddle 2.6.2 and compares: `python ours_in_262.py PART`.

Runs in the project's own environment, from the repository's root, with the Python of an environment
with PaddlePaddle 2.6.2 in --oracle. PART is
  operators   every sample of every operator (tests/op_samples), with gradients of its inputs
  calls       the calls of the public API in tests/static/calls_*.py, with gradients
  nets        small nets, trained for some steps (nets_here.py)
--only TEXT restricts it to names with TEXT in them, --show prints messages in full.
"""

from __future__ import annotations

import argparse
import collections
import io
import json
import os
import pickle
import select
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import nets_here  # noqa: E402

import paddle  # noqa: E402
from paddle.core.op import REGISTRY  # noqa: E402
from paddle.ir.autodiff.backward import gradients  # noqa: E402
from paddle.ir.program import Program  # noqa: E402
from paddle.serialization.program import proto  # noqa: E402
from tests.op_samples.sample import Sample  # noqa: E402
from tests.ops.table import SAMPLES, call, convert, identities  # noqa: E402
from tests.static import calls_functional, calls_layer, calls_tensor  # noqa: E402
from tests.static.harness import data, flat, run, static  # noqa: E402
from tests.static.values import FIXED, arrays_for  # noqa: E402

DEFAULT = "/tmp/oracle/p26/bin/python"
PATIENCE = 20  # seconds; starting it takes some


class Crashed(Exception):
    """The other process died, or said nothing for long."""


class Oracle:
    """The other process; one that died is started again."""

    def __init__(self, python: str) -> None:
        self.python = python
        self.process: Any = None

    def __call__(self, main: bytes, fetches: list[str], **request: Any) -> dict[str, Any]:
        """Runs a serialised Program; see serve_262.py."""
        if self.process is None:
            command = [self.python, str(Path(__file__).with_name("serve_262.py"))]
            log = open("/tmp/serve_262.log", "ab")
            # PYTHONPATH would give it this repository's paddle.
            env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=env
            )
        whole = {"startup": None, "steps": 1, "rates": None, "after": [], "params": {}, "feeds": {}}
        whole |= {"main": main, "fetches": fetches} | request
        for key in ("params", "feeds"):
            whole[key] = {k: _packed(v) for k, v in whole[key].items()}
        sent = pickle.dumps(whole)
        try:
            self.process.stdin.write(struct.pack("<q", len(sent)) + sent)
            self.process.stdin.flush()
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
            head = self.process.stdout.read(8) if ready else b""
            if len(head) < 8:
                raise BrokenPipeError
        except BrokenPipeError:
            self.process.kill()
            self.process.wait()
            self.process = None
            raise Crashed from None
        answer = pickle.loads(self.process.stdout.read(struct.unpack("<q", head)[0]))
        if "error" not in answer:
            answer["fetches"] = [[_unpacked(v) for v in step] for step in answer["fetches"]]
            answer["after"] = {k: _unpacked(v) for k, v in answer["after"].items()}
        return answer


def _packed(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.asarray(array))
    return buffer.getvalue()


def _unpacked(value: Any) -> Any:
    if isinstance(value, list):
        return [_unpacked(v) for v in value]
    return None if value is None else np.load(io.BytesIO(value))


class Recorded:
    """A Program of one case: what is fed, what is fetched, and what it gives here."""

    def __init__(self, main: Program, startup: Program, feed: dict, fetches: list) -> None:
        self.main, self.startup, self.feed = main, startup, feed
        self.fetches = [v for v in fetches if v is not None]
        self.names = [v.name for v in self.fetches]

    def here(self) -> list[Any]:
        return run(self.main, self.startup, self.feed, self.fetches)

    def there(self, oracle: Oracle) -> dict[str, Any]:
        params = _initial(self.main, self.startup)
        return oracle(proto.to_bytes(self.main), self.names, feeds=self.feed, params=params)


class Trained:
    """A net that runs several times, here and there from the same first values."""

    def __init__(self, build: Any) -> None:
        with static() as (self.main, startup):
            self.feed, fetches = build()
        self.names = [v.name for v in fetches]
        self.first = _initial(self.main, startup)
        self.rates = None

    def here(self) -> tuple[list[Any], list[Any]]:
        """What is fetched in all steps, and what is stored in the end."""
        scope, executor = paddle.static.Scope(), paddle.static.Executor(paddle.CPUPlace())
        for name, value in self.first.items():
            scope.var(name).get_tensor().set(value, paddle.CPUPlace())
        schedulers = list(self.main.__dict__.get("_lr_schedulers", {}).items())
        rates, runs = [], []
        for _ in range(nets_here.STEPS):
            rates += [(name, s()) for name, s in schedulers]
            runs.append(executor.run(self.main, feed=self.feed, fetch_list=self.names, scope=scope))
            for _, scheduler in schedulers:
                scheduler.step()
        if rates:
            self.rates = rates[0][0], [value for _, value in rates]
        return runs, [scope.find_var(n).get_tensor().numpy() for n in self.first]

    def there(self, oracle: Oracle) -> tuple[list[Any], list[Any]]:
        found = oracle(
            proto.to_bytes(self.main), self.names, feeds=self.feed, params=self.first,
            steps=nets_here.STEPS, after=list(self.first), rates=self.rates,
        )  # fmt: skip
        if "error" in found:
            raise RuntimeError(found["error"])
        return found["fetches"], [found["after"][n] for n in self.first]


FROZEN = (
    "optimizer_adamw_decay", "optimizer_lamb_excluded", "optimizer_momentum_clip_global_norm",
    "optimizer_rmsprop", "optimizer_rate_warmup", "embedding_sparse", "cond_taken",
    "while_trained", "arrays_in_a_loop", "static_rnn",
)  # fmt: skip


def freeze(oracle: Oracle) -> None:
    """Writes tests/data/programs/here_net_<name>.zip: a Program of ours and what 2.6.2 gives."""
    for name in FROZEN:
        net = Trained(nets_here.CASES[name])
        net.here()  # the rates of schedulers
        runs, after = net.there(oracle)
        values = {f"fetch_{i}": np.stack([r[i] for r in runs]) for i in range(len(net.names))}
        values |= {f"after/{n}": v for n, v in zip(net.first, after, strict=True)}
        meta = {"release": "here", "kind": "here_net", "case": name, "steps": nets_here.STEPS}
        meta |= {"feeds": list(net.feed), "fetches": net.names}
        if net.rates:
            meta["rates"] = {"variable": net.rates[0], "values": net.rates[1]}
        files = {"meta.json": json.dumps(meta, indent=1, sort_keys=True).encode() + b"\n"}
        files["main.pb"] = proto.to_bytes(net.main)
        for file, arrays in (("params", net.first), ("feeds", net.feed), ("expected", values)):
            buffer = io.BytesIO()
            np.savez(buffer, **arrays)
            files[file + ".npz"] = buffer.getvalue()
        path = ROOT / "tests" / "data" / "programs" / f"here_net_{name}.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for file, content in files.items():
                entry = zipfile.ZipInfo(file, (2020, 1, 1, 0, 0, 0))
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, content)
        print(path, path.stat().st_size)


def check_net(oracle: Oracle, build: Any) -> tuple[str, str]:
    """Compares a net of nets_here.py."""
    try:
        net = Trained(build)
        ours = net.here()
    except Exception as error:
        return "fails here", f"{type(error).__name__}: {error}"
    try:
        theirs = net.there(oracle)
    except Crashed:
        return "crash", ""
    except RuntimeError as error:
        return "error", _essence(str(error))
    names = [f"{n} of step {i}" for i in range(nets_here.STEPS) for n in net.names]
    flat_ = [[v for run in side[0] for v in run] + side[1] for side in (ours, theirs)]
    lines = differences(*flat_, [*names, *net.first], 1e-4)
    return ("differs", "; ".join(lines)) if lines else ("equal", "")


def _initial(main: Program, startup: Program) -> dict[str, np.ndarray]:
    """The values of persistable variables after the startup program ran here."""
    scope = paddle.static.Scope()
    paddle.seed(7)
    paddle.static.Executor(paddle.CPUPlace()).run(startup, scope=scope)
    names = [v.name for v in startup.list_vars() if v.persistable]
    return {n: scope.find_var(n).get_tensor().numpy() for n in names}


# -- operators ---------------------------------------------------------------------------------------


def _floats(values: list[Any]) -> list[Any]:
    return [v for v in values if v is not None and v.dtype.name in ("FP32", "FP64")]


def _seeds(outs: list[Any], shapes: list[Any], feed: dict) -> list[Any]:
    made = []
    for i, (out, shape) in enumerate(zip(outs, shapes, strict=True)):
        value = np.random.RandomState(i).uniform(0.5, 1.5, shape)
        feed[f"seed_{i}"] = value.astype("float32" if out.dtype.name == "FP32" else "float64")
        made.append(data(f"seed_{i}", feed[f"seed_{i}"]))
    return made


def record_operator(sample: Sample, dtype: str | None, backward: bool) -> Recorded | None:
    """A Program of one operator, and its gradients where it has some."""
    op, feed = REGISTRY[sample.op], {}
    with static() as (main, startup):

        def make(name: str, value: Any, differentiable: bool) -> Any:
            if value is None:
                return None
            if isinstance(value, list):
                return [make(f"{name}_{i}", v, differentiable) for i, v in enumerate(value)]
            value = convert(np.asarray(value), dtype)
            feed[name] = value.reshape(value.shape or (1,))
            wanted = differentiable and value.dtype.kind == "f"
            return data(name, feed[name], stop_gradient=not wanted)

        args = [
            make(s.name, sample.inputs.get(s.name),
                 s.differentiable and (sample.grad is None or s.name in sample.grad))
            for s in op.inputs
        ]  # fmt: skip
        outs = call(sample, args)
        kept = [s for s in op.outputs if not s.writes]
        carried = {op.outputs[i].name for i in op.grad_outputs}
        fetches = flat(outs)
        written = {s.writes for s in op.outputs if s.writes}
        fetches += flat([a for s, a in zip(op.inputs, args, strict=True) if s.name in written])
        if not backward:
            return Recorded(main, startup, feed, fetches)
        leaves = [v for v in flat(args) if v is not None and not v.stop_gradient]
        roots = [o for s, o in zip(kept, outs, strict=True) if s.name in carried]
        roots = [v for v in _floats(flat(roots)) if not v.stop_gradient]
        if not leaves or not roots:
            return None
        shapes = [v.shape for v in run(main, startup, feed, roots)]
        paddle.enable_static()
        fetches = gradients(roots, leaves, _seeds(roots, shapes, feed))
        return Recorded(main, startup, feed, fetches)


def record_call(name: str, function: Any, backward: bool) -> Recorded | None:
    """A Program of one call of the public API."""
    feed = arrays_for(function)
    with static() as (main, startup):
        paddle.seed(7)
        given = {}
        for key, value in feed.items():
            floating = value.dtype.kind == "f"
            given[key] = data(key, value, key not in FIXED and False, stop_gradient=not floating)
        outs = [v for v in flat(function(**given)) if v is not None]
        if not backward:
            return Recorded(main, startup, feed, outs)
        leaves = [v for v in given.values() if not v.stop_gradient]
        leaves += main.all_parameters()
        roots = [v for v in _floats(outs) if not v.stop_gradient]
        if not leaves or not roots:
            return None
        shapes = [v.shape for v in run(main, startup, feed, roots)]
        paddle.enable_static()
        found = gradients(roots, leaves, _seeds(roots, shapes, feed))
        return Recorded(main, startup, feed, found)


# -- comparing ---------------------------------------------------------------------------------------


def differences(ours: list[Any], theirs: list[Any], names: list[str], rtol: float) -> list[str]:
    """Lines saying which values differ; a number may have shape [] there and [1] here."""
    lines = []
    for name, a, b in zip(names, ours, theirs, strict=True):
        if isinstance(b, list):
            lines += differences(list(a), b, [f"{name}[{i}]" for i in range(len(b))], rtol)
            continue
        if b is None:
            lines.append(f"{name}: not computed there")
            continue
        a = np.asarray(a)
        if b.shape == () and a.shape == (1,):
            b = b.reshape(1)
        if a.shape != b.shape or a.dtype != b.dtype:
            lines.append(f"{name}: {a.dtype}{list(a.shape)} here, {b.dtype}{list(b.shape)} there")
        elif not np.allclose(a, b, rtol=rtol, atol=rtol / 10, equal_nan=True):
            gap = np.nanmax(np.abs(a.astype("complex128") - b.astype("complex128")))
            lines.append(f"{name}: differs by {gap:.3g}")
    return lines


def compare(oracle: Oracle, recorded: Recorded, rtol: float) -> tuple[str, str]:
    """(verdict, details) of one case."""
    try:
        ours = recorded.here()
    except Exception as error:
        return "fails here", f"{type(error).__name__}: {error}"
    try:
        answer = recorded.there(oracle)
    except Crashed:
        return "crash", ""
    if "error" in answer:
        return "error", _essence(answer["error"])
    lines = differences(ours, answer["fetches"][0], recorded.names, rtol)
    return ("differs", "; ".join(lines)) if lines else ("equal", "")


def _essence(text: str) -> str:
    at = text.find("Error Message Summary")
    text = text[at + 40 :] if at >= 0 else text
    return " ".join(text.split()).replace("-" * 22, "")


def check_operator(oracle: Oracle, sample: Sample, backward: bool) -> tuple[str, str] | None:
    """Compares in double precision, or where 2.6.2 has no such kernel in single."""
    verdict: Any = None
    for dtype, rtol in ((None, 1e-6), ("float32", 1e-4)):
        try:
            recorded = record_operator(sample, dtype, backward)
        except Exception as error:
            return "not recorded", f"{type(error).__name__}: {error}"
        if recorded is None or not recorded.names:
            return None
        if sample.check is not None and backward:
            return None
        verdict = compare(oracle, recorded, max(rtol, sample.rtol))
        if verdict[0] == "equal":
            return verdict
    return verdict


def cases(part: str, oracle: Oracle) -> Any:
    """(name, function that compares) of all cases of a part."""
    if part == "operators":
        for name, sample in zip(identities(SAMPLES), SAMPLES, strict=True):
            for backward in (False, True):
                key = f"{name}{'/grad' if backward else ''}"
                yield key, lambda s=sample, b=backward: check_operator(oracle, s, b)
        return
    if part == "nets":
        for name, build in nets_here.CASES.items():
            yield name, lambda b=build: check_net(oracle, b)
        return
    for module in (calls_tensor, calls_functional, calls_layer):
        for name, function in module.CALLS.items():
            for backward in (False, True):
                key = f"{module.__name__[19:]}.{name}{'/grad' if backward else ''}"
                yield key, lambda n=name, f=function, b=backward: check_call(oracle, n, f, b)


def check_call(oracle: Oracle, name: str, function: Any, backward: bool) -> Any:
    try:
        recorded = record_call(name, function, backward)
    except Exception as error:
        return "not recorded", f"{type(error).__name__}: {error}"
    if recorded is None or not recorded.names:
        return None
    return compare(oracle, recorded, 1e-4)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["operators", "calls", "nets"])
    parser.add_argument("--only", default="")
    parser.add_argument("--exact", nargs="*", default=[])
    parser.add_argument("--oracle", default=DEFAULT)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--freeze", action="store_true", help="write some nets to the corpus")
    options = parser.parse_args()
    oracle = Oracle(options.oracle)
    if options.freeze:
        freeze(oracle)
        return 0
    count: collections.Counter = collections.Counter()
    for name, check in cases(options.part, oracle):
        if options.only not in name:
            continue
        if options.exact and name not in options.exact:
            continue
        found = check()
        paddle.disable_static()
        if found is None:
            continue
        verdict, details = found
        count[verdict] += 1
        if verdict != "equal":
            print(f"{verdict:12} {name}: {details if options.show else details[:200]}", flush=True)
    print(dict(count))
    return 0


if __name__ == "__main__":
    sys.exit(main())
