"""Writes cases of the frozen corpus: a Program, what goes in, and what a real release computed.

Runs inside an oracle environment (PaddlePaddle 1.8.5 on Python 3.7, or 2.6.2), so it keeps to what
Python 3.7 understands. The layout of a case is described in tests/data/programs/README.md.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import zlib

import numpy as np
from pack import zip_folder

import paddle

try:  # 2.6.2 calls `base` what 1.8.5 called `fluid`; both hold Executor, scopes and the protobuf
    from paddle import base
    from paddle.base.proto import framework_pb2
except ImportError:
    import paddle.fluid as base
    from paddle.fluid.proto import framework_pb2

RELEASE = paddle.__version__
# Real call stacks quote source lines of the framework and the paths of one machine.
CALL_STACK = ['  File "model.py", line 7, in net', "    y = layer(x)"]


class Built:
    """What a builder hands over: feeds by name, variables to fetch, and optionally a scheduler."""

    def __init__(self, feeds, fetches, scheduler=None, rate=None, extra=None):
        self.feeds = feeds
        self.fetches = list(fetches)
        self.scheduler = scheduler  # 2.x keeps it outside the Program and sets `rate` at each run
        self.rate = rate
        self.extra = extra or {}


def rng(name: str) -> np.random.RandomState:
    """A generator that depends on the name only."""
    return np.random.RandomState(zlib.crc32(name.encode()) & 0x7FFFFFFF)


def without_call_stacks(binary: bytes) -> bytes:
    """The same ProgramDesc with every call stack replaced by a short made-up one."""
    message = framework_pb2.ProgramDesc()
    message.ParseFromString(binary)
    for block in message.blocks:
        for operator in block.ops:
            for attribute in operator.attrs:
                if attribute.name == "op_callstack" and attribute.strings:
                    del attribute.strings[:]
                    attribute.strings.extend(CALL_STACK)
    return message.SerializeToString()


def clean_program_files(folder: str) -> None:
    """Take the call stacks out of the program files a real `save` wrote."""
    for below, _, names in os.walk(folder):
        for name in names:
            if name.endswith(("__model__", ".pdmodel", ".model")):
                path = os.path.join(below, name)
                with open(path, "rb") as file:
                    content = file.read()
                if b"op_callstack" in content:
                    write_bytes(below, name, without_call_stacks(content))


def name_of(variable) -> str:
    return variable if isinstance(variable, str) else variable.name


def is_stored(variable) -> bool:
    """Whether a variable keeps a dense value from one run to the next."""
    types = base.core.VarDesc.VarType
    return variable.persistable and variable.type == types.LOD_TENSOR


def stored_values(program, scope) -> dict:
    """Values of all initialised persistable variables, by name."""
    values = {}
    for variable in program.list_vars():
        holder = scope.find_var(variable.name) if is_stored(variable) else None
        if holder is not None and holder.get_tensor()._is_initialized():
            values[variable.name] = np.array(holder.get_tensor())
    return values


class Corpus:
    """The folder all cases of one release go to."""

    def __init__(self, root: str, only: str = ""):
        self.root = root
        self.only = only

    def wants(self, name: str) -> bool:
        return self.only in name

    def pack(self, name: str, fill) -> None:
        """Let `fill(folder)` write the files of a case, then keep them as one zip file."""
        folder = tempfile.mkdtemp()
        try:
            fill(folder)
            path = os.path.join(self.root, RELEASE + "_" + name + ".zip")
            zip_folder(folder, path)
        finally:
            shutil.rmtree(folder)
        print(f"{name:32} {os.path.getsize(path):6} bytes")

    def case(self, name: str, build, steps: int = 0, for_test: bool = False) -> None:
        """Build, initialise, run and write one case; `steps` > 0 makes it a training case."""
        if not self.wants(name):
            return
        main, startup, built = build_programs(build)
        if for_test:
            main = main.clone(for_test=True)
        scope = base.core.Scope()
        executor = base.Executor(base.CPUPlace())
        with base.scope_guard(scope):
            executor.run(startup)
            before = stored_values(main, scope)
            runs, rates = run_steps(executor, main, built, max(steps, 1))
            after = stored_values(main, scope)
        names = [name_of(v) for v in built.fetches]
        meta = {
            "release": RELEASE,
            "kind": "train" if steps else "inference",
            "steps": steps,
            "feeds": list(built.feeds),
            "fetches": names,
        }
        if rates:
            meta["rates"] = {"variable": built.rate.name, "values": rates}
        meta.update(built.extra)
        expected = {}
        for i in range(len(names)):
            expected[f"fetch_{i}"] = np.stack([r[i] for r in runs]) if steps else runs[0][i]
        for key, value in after.items():
            if key not in before or not same(before[key], value):
                expected["after/" + key] = value

        def fill(folder: str) -> None:
            write_program(folder, "main.pb", main)
            write_program(folder, "startup.pb", startup)
            write_values(folder, "feeds.npz", built.feeds)
            write_values(folder, "params.npz", before)
            write_values(folder, "expected.npz", expected)
            write_json(folder, "meta.json", meta)

        self.pack(name, fill)

    def saved(self, name: str, build, save, layout: str, names: dict, steps: int = 0) -> None:
        """Keep what `save(executor, main, built, folder)` writes, next to feeds and outputs.

        `names` says how the files are called (what a loader is given); with `steps` the program
        is trained first, so that optimizer state differs from its initial value.
        """
        if not self.wants(name):
            return
        main, startup, built = build_programs(build)
        scope = base.core.Scope()
        executor = base.Executor(base.CPUPlace())

        def fill(folder: str) -> None:
            with base.scope_guard(scope):
                executor.run(startup)
                if steps:
                    run_steps(executor, main, built, steps)
                save(executor, main, built, folder)
                stored = stored_values(main, scope)
                test = main if steps else main.clone(for_test=True)
                run = run_steps(executor, test, built, 1)[0][0]
            clean_program_files(folder)
            values = {f"fetch_{i}": value for i, value in enumerate(run)}
            values.update(("stored/" + key, value) for key, value in stored.items())
            write_values(folder, "feeds.npz", built.feeds)
            write_values(folder, "expected.npz", values)
            meta = {
                "release": RELEASE,
                "kind": "saved",
                "layout": layout,
                "names": names,
                "feeds": list(built.feeds),
                "fetches": [name_of(v) for v in built.fetches],
            }
            write_json(folder, "meta.json", meta)

        self.pack(name, fill)


def build_programs(build):
    """Run a builder inside fresh programs and fresh names: (main, startup, what it returned)."""
    main, startup = base.Program(), base.Program()
    main.random_seed = startup.random_seed = 2021
    with base.program_guard(main, startup), base.unique_name.guard():
        built = build()
    return main, startup, built


def run_steps(executor, main, built, steps: int):
    """Fetched values of every step, and the learning rates a 2.x scheduler put in."""
    runs, rates = [], []
    for _ in range(steps):
        if built.scheduler is not None:
            rates.append(float(built.scheduler()))
        runs.append(executor.run(main, feed=built.feeds, fetch_list=built.fetches))
        if built.scheduler is not None:
            built.scheduler.step()
    return [[np.asarray(v) for v in run] for run in runs], rates


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def write_bytes(folder: str, name: str, content: bytes) -> None:
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content)


def write_program(folder: str, name: str, program) -> None:
    write_bytes(folder, name, without_call_stacks(program.desc.serialize_to_string()))


def write_values(folder: str, name: str, values: dict) -> None:
    np.savez(os.path.join(folder, name), **{k: np.asarray(v) for k, v in values.items()})


def write_json(folder: str, name: str, content) -> None:
    with open(os.path.join(folder, name), "w") as file:
        json.dump(content, file, indent=1, sort_keys=True)
        file.write("\n")
