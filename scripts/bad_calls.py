"""Calls every public callable with nonsense in the place of each argument, and counts what comes.

``python scripts/bad_calls.py --all`` takes some minutes; without ``--all`` one in twelve is
tried. ``--only nn.GRU`` tries what has this in its name, ``--show accident`` lists calls of a kind.
The exit status is 1 if there were faults (see scripts/bad_kinds.py).

Good calls are those of the examples in the docstrings and of the tables in tests/static. While
they run, a trace hook sees the calls of public functions, constructors, ``forward`` and methods
(those of tests/data/api-2.0.tsv). At such a call the process forks: the child has the state of the
call, modes and Programs included, makes it again with one argument changed, and reports. Memory
and processor time of a child are limited.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import inspect
import io
import json
import linecache
import os
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from scripts import api_table, bad_kinds, bad_values  # noqa: E402
from scripts.bad_children import Call, in_children  # noqa: E402

SAMPLE = 12

# What ends the process, waits for others, fetches files or measures.
NOT_CALLED = (
    "paddle.distributed.", "paddle.utils.download", "paddle.utils.run_check",
    "paddle.utils.cpp_extension", "paddle.utils.profiler", "paddle.fluid.",
    "paddle.dataset.common.",
    # as their smaller kin, made slowly
    "paddle.vision.models.resnet101", "paddle.vision.models.resnet152",
    "paddle.vision.models.resnet34", "paddle.vision.models.resnet5",
    "paddle.vision.models.vgg13", "paddle.vision.models.vgg16", "paddle.vision.models.vgg19",
)  # fmt: skip


class Result(NamedTuple):
    """What one bad call came to."""

    name: str
    mode: str
    argument: str
    value: str
    kind: str
    error: str
    place: str
    text: str


class Target(NamedTuple):
    """A public callable: how it is called is read off the frame of a good call."""

    name: str
    init: bool


def _codes() -> dict[Any, Target]:
    """The public callables of the table by their code."""
    found: dict[Any, Target] = {}
    for row in api_table.rows():
        if row.kind not in ("class", "function", "method") or row.name.startswith(NOT_CALLED):
            continue
        made = api_table.resolve(row.name)
        if inspect.isclass(made):
            code = getattr(inspect.unwrap(made.__init__), "__code__", None)
        else:
            code = getattr(inspect.unwrap(made), "__code__", None) if callable(made) else None
        if code is not None and code.co_filename.startswith(bad_kinds.HERE):
            found.setdefault(code, Target(row.name, inspect.isclass(made)))
    return found


def read_call(frame: Any, target: Target) -> Call | None:
    """The call that a frame has just begun."""
    code, seen = frame.f_code, frame.f_locals
    plain = list(code.co_varnames[: code.co_argcount])
    named = [*plain, *code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]]
    if any(n not in seen for n in named):
        return None  # a cell
    args = {n: seen[n] for n in named}
    at = len(named)
    extra, keywords = (), {}
    if code.co_flags & inspect.CO_VARARGS:
        extra = seen[code.co_varnames[at]]
        at += 1
    if code.co_flags & inspect.CO_VARKEYWORDS:
        keywords = dict(seen[code.co_varnames[at]])
    name = target.name
    if plain and plain[0] in ("self", "cls") and "__class__" not in plain[0]:
        owner = args.pop(plain.pop(0))
        if target.init:
            function: Any = type(owner)
            if not function.__module__.startswith("paddle"):
                return None
            name = f"{function.__module__}.{function.__name__}"
        elif code.co_name == "forward":
            function = owner
        else:
            function = getattr(owner, code.co_name, None)
            if function is None:
                return None
    else:
        function = api_table.resolve(name)
    return Call(name, function, args, plain, extra, keywords)


class Watcher:
    """The trace hook: at a good call of something to be tried, tries it."""

    def __init__(
        self, wanted: Callable[[str], bool], per_target: int, direct: bool, out: Any = None
    ) -> None:
        self.codes = _codes()
        self.wanted = wanted
        self.per_target = per_target
        self.direct = direct
        self.out = out
        self.seen: collections.Counter = collections.Counter()
        self.results: list[Result] = []
        self.good = 0

    @property
    def tried(self) -> set[str]:
        """Names of the callables that were tried."""
        return {name for name, _ in self.seen}

    def __call__(self, frame: Any, event: str, _: Any) -> None:
        target = self.codes.get(frame.f_code)
        if target is None or not self.wanted(target.name):
            return
        back = frame.f_back
        while back is not None and back.f_code.co_filename.endswith("core/guards.py"):
            back = back.f_back  # the frame that explains failures
        caller = back.f_code.co_filename if back is not None else ""
        if (
            self.direct
            and caller.startswith(bad_kinds.HERE)
            and not target.name.endswith("forward")
        ):
            return
        import paddle

        mode = "eager" if paddle.in_dynamic_mode() else "static"
        owner = type(frame.f_locals.get("self")).__name__ if target.init else ""
        key = (target.name + owner, mode)
        if self.seen[key] >= self.per_target:
            return
        call = read_call(frame, target)
        if call is None or call.name.startswith(NOT_CALLED):
            return
        self.seen[key] += 1
        self.good += 1
        for argument in call.args:
            self._try(call, mode, argument)

    def _try(self, call: Call, mode: str, argument: str) -> None:
        todo = list(range(len(bad_values.values())))
        while todo:
            done = in_children(call, argument, todo)
            for line in done:
                self.results.append(Result(call.name, mode, argument, *line))
                if self.out is not None:
                    print(json.dumps(self.results[-1]), file=self.out, flush=True)
            todo = todo[len(done) :]


def examples() -> Iterator[tuple[str, str]]:
    """The examples of all docstrings: (name, source); shown twice, they are run once."""
    from tests.api.test_docstrings import RUNNABLE

    for name, index, source in RUNNABLE:
        yield f"{name}-{index}", source


@contextlib.contextmanager
def fresh_state() -> Iterator[None]:
    """Puts modes and defaults back, and works in a folder that goes."""
    import numpy as np

    import paddle

    folder = os.getcwd()
    paddle.seed(0)
    np.random.seed(0)
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        try:
            yield
        finally:
            os.chdir(folder)
            if not paddle.in_dynamic_mode():
                paddle.disable_static()
            paddle.set_default_dtype("float32")
            paddle.set_device("cpu")


def _traced(watcher: Watcher, run: Callable[[], Any], name: str) -> None:
    before = sys.gettrace()
    with fresh_state(), contextlib.redirect_stdout(io.StringIO()):
        sys.settrace(watcher)
        try:
            run()
        except Exception as error:
            print(f"{name}: the good call failed: {error!r}"[:200], file=sys.stderr)
        finally:
            sys.settrace(before)


def run_examples(watcher: Watcher, chosen: Callable[[str], bool]) -> None:
    """Runs the examples whose name is chosen, with small data sets in the place of true ones."""
    from tests.dataset.small_home import write_home

    with tempfile.TemporaryDirectory() as home:
        os.environ["PADDLE_DATASET_HOME"] = str(write_home(Path(home)))
        for name, source in examples():
            if not chosen(name) or name.startswith(NOT_CALLED):
                continue
            file = f"<example of {name}>"
            linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
            code = compile(source, file, "exec")
            _traced(watcher, lambda code=code: exec(code, {"__name__": "__example__"}), name)
        del os.environ["PADDLE_DATASET_HOME"]


def run_tables(watcher: Watcher) -> None:
    """Runs the calls of the tables in tests/static, in both modes."""
    import paddle
    from tests.static import calls_functional, calls_layer, calls_random, calls_tensor
    from tests.static.harness import data, static
    from tests.static.values import VALUES

    for table in (calls_tensor, calls_functional, calls_layer, calls_random):
        for name, call in table.CALLS.items():
            names = inspect.signature(call).parameters

            def eager(call: Any = call, names: Any = names) -> None:
                call(**{n: paddle.to_tensor(VALUES[n]) for n in names})

            def recorded(call: Any = call, names: Any = names) -> None:
                with static():
                    call(**{n: data(n, VALUES[n]) for n in names})

            _traced(watcher, eager, name)
            _traced(watcher, recorded, name + " (static)")


def try_all(step: int, only: str | None = None, direct: bool = True, out: Any = None) -> Watcher:
    """Tries one callable of the table in ``step``.

    Args:
        step (int): 1 tries all of them.
        only (str|None): tries only what has this in its name.
        direct (bool): only calls that the examples make themselves, not those inside of ours.
    """
    names = sorted({t.name for t in _codes().values()})
    chosen = {n for n in names if not zlib.crc32(n.encode()) % step}  # stable as names arrive
    if only is not None:
        chosen = {n for n in names if only in n}
    watcher = Watcher(chosen.__contains__, 1, direct, out)
    parents = {n.rpartition(".")[0] for n in chosen}
    partly = step > 1 or only is not None
    mine = chosen | parents
    run_examples(watcher, lambda n: not partly or n.rpartition("-")[0] in mine)
    if not partly or only is not None:
        run_tables(watcher)
    return watcher


def warm_up() -> None:
    """Imports what is imported late, once for all children."""
    import torch

    import paddle
    from paddle.core.infer import infer_by_meta
    from paddle.core.op import REGISTRY

    spec = paddle.static.InputSpec([2, 2], "float32")
    infer_by_meta(REGISTRY["matmul_v2"], [spec, spec], {"trans_x": False, "trans_y": False})
    x = torch.ones([2, 2], requires_grad=True)
    torch.autograd.grad(torch.tanh(x).sum(), x)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--all", action="store_true", help="every callable")
    parser.add_argument("--every", type=int, default=SAMPLE, help="try one callable in so many")
    parser.add_argument("--only", help="callables with this in their name")
    parser.add_argument("--show", nargs="*", default=[], help="kinds whose calls are listed")
    parser.add_argument("--out", help="a file for all results, one JSON list a line")
    options = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    warm_up()
    with open(options.out or os.devnull, "w") as out:
        watcher = try_all(1 if options.all else options.every, options.only, out=out)
    counts = collections.Counter(r.kind for r in watcher.results)
    print(f"{len(watcher.results)} bad calls of {watcher.good} good ones")
    for kind in ("answer", "refused", *bad_kinds.FAULTS):
        print(f"{counts[kind]:8} {kind}")
    for r in watcher.results:
        if r.kind in options.show:
            print(
                f"{r.kind} {r.mode} {r.name}({r.argument}={r.value}): {r.error} {r.text!r} "
                f"{r.place}"
            )
    return int(any(counts[kind] for kind in bad_kinds.FAULTS))


if __name__ == "__main__":
    sys.exit(main())
