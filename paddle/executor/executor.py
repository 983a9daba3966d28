"""Executor: runs Programs on a place with values of a scope."""

from __future__ import annotations

import sys
import warnings
import weakref
from collections.abc import Iterable
from typing import Any

import numpy as np
import torch

from paddle.core import flags, random
from paddle.core.convert import tensor_of
from paddle.core.dtype import FROM_TORCH, VarType, dtype_name, numpy_dtype
from paddle.core.errors import (
    ArgumentTypeError,
    InvalidArgumentError,
    NotFoundError,
    PreconditionNotMetError,
)
from paddle.core.guards import Guarded
from paddle.core.levels import levels_on, put_levels
from paddle.core.lod import LoDTensor
from paddle.core.mode import hooked, undecided
from paddle.core.place import Place, current_place, to_torch_device
from paddle.core.tensor import Tensor, wrap
from paddle.core.user_frame import outside
from paddle.core.writes import writable
from paddle.executor.agreement import agree
from paddle.executor.debug import debug_callback, run_starts
from paddle.executor.int8_choice import asked_for, int8_plan
from paddle.executor.plan import Plan, checked_plan
from paddle.executor.scope import Scope, global_scope
from paddle.ir.current import default_main_program
from paddle.ir.program import Program
from paddle.ir.variable import Variable

_CACHED = 256


class Executor(Guarded):
    """Runs Programs.

    The first run of a Program with certain feeds and fetches makes a plan, one Python function;
    later runs call it.

    Args:
        place (Place|str|list, optional): the device; None means the current one.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            import paddle.static as static
            paddle.enable_static()
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                x = static.data("x", [None, 2], "float32")
                y = static.nn.fc(x, 3)
            exe = static.Executor(paddle.CPUPlace())
            exe.run(startup)
            out, = exe.run(main, feed={"x": np.ones([4, 2], "float32")}, fetch_list=[y])
            print(out.shape)  # (4, 3)
            paddle.disable_static()
    """

    def __init__(self, place: Any = None) -> None:
        if place is not None and not isinstance(place, (Place, str)):
            raise ArgumentTypeError(
                f"Executor(place): expected a Place, but received {type(place).__name__}."
            )
        if undecided() is not None:  # 1.x's mode is open: who runs Programs wants static
            from paddle.ir.recording.static_mode import start

            start()
        self.place = current_place() if place is None else place
        self._device = to_torch_device(self.place)
        self._plans: dict[Any, Plan] = {}
        self._closed = False

    def close(self) -> None:
        """Drops all plans; the executor cannot be used afterwards.

        Trainers of this process whose Programs DistributeTranspiler made leave their servers.
        """
        self._plans.clear()
        self._closed = True
        transpiled = sys.modules.get("paddle.distributed.ps.transpiled")  # where there are any
        if transpiled is not None:
            transpiled.close_all()

    def run(
        self,
        program: Any = None,
        feed: Any = None,
        fetch_list: Any = None,
        feed_var_name: str = "feed",
        fetch_var_name: str = "fetch",
        scope: Scope | None = None,
        return_numpy: bool = True,
        use_program_cache: bool = False,
        return_merged: bool = True,
        use_prune: bool = False,
    ) -> Any:
        """Runs a Program once.

        Args:
            program (Program|CompiledProgram, optional): None means the default main Program.
            feed (dict|list[dict], optional): name of a data variable -> array or Tensor; a list
                gives each place of a CompiledProgram its own.
            fetch_list (list, optional): Variables or names whose values are returned.
            feed_var_name (str): name of the feed variable of 1.x Programs; any will do.
            fetch_var_name (str): name of the fetch variable of 1.x Programs; any will do.
            scope (Scope, optional): holds parameters; None means the global one.
            return_numpy (bool): return arrays; False returns Tensors with their LoD.
            use_program_cache (bool): plans are always kept, so this changes nothing.
            return_merged (bool): for several places, join what they return. Default: True.
            use_prune (bool): run only what the fetched variables (and writes to parameters, where
                nothing is fetched) need. Default: False.

        Returns:
            list: one entry per fetched variable; empty if nothing is fetched.
        """
        if self._closed:
            raise PreconditionNotMetError("Executor.run: the executor was closed.")
        program = default_main_program() if program is None else program
        if scope is not None and not isinstance(scope, Scope):
            raise TypeError(
                f"Executor.run(scope): expected a Scope, but received {type(scope).__name__}."
            )
        if hasattr(program, "_run_by"):  # a CompiledProgram
            return program._run_by(
                self, feed, fetch_list, scope, return_numpy, return_merged, use_prune
            )
        if not isinstance(program, Program):
            raise TypeError(
                "Executor.run(program): expected a Program or CompiledProgram, "
                f"but received {type(program).__name__}."
            )
        scope = global_scope() if scope is None else scope
        names = fetch_names(fetch_list)
        feed = check_feed(feed)
        plan = self.plan(program, tuple(feed), names, use_prune)
        agree(program, plan)
        return self._results(self._run(plan, program, scope, feed), names, return_numpy, plan)

    def _run(self, plan: Plan, program: Program, scope: Scope, feed: dict[str, Any]) -> tuple:
        top = program.global_block().vars
        buffers = [feed_buffer(feed[n], top.get(n), n, self._device) for n in plan.feeds]
        schedulers = program.__dict__.get("_lr_schedulers")
        if schedulers:
            set_learning_rates(schedulers, scope, self._device)
        run_starts()
        with hooked(None):
            for _ in range(program.__dict__.get("_fleet_iterations", 1) - 1):
                self._step(plan, program, scope, buffers)
            return self._step(plan, program, scope, buffers)

    def _step(self, plan: Plan, program: Program, scope: Scope, buffers: list) -> tuple:
        if program._seed:
            with random.sequence_of(program._serial, program._seed):
                return plan.run(scope, buffers)
        return plan.run(scope, buffers)

    def plan(
        self, program: Program, feeds: tuple[str, ...], fetches: list[str], use_prune: bool = False
    ) -> Plan:
        """Returns the plan of a Program for given feeds and fetches, made when first asked for."""
        op_callback = debug_callback()
        key = (
            program._serial, program._version, feeds, tuple(fetches), use_prune, op_callback,
            flags.run_limit, asked_for(),
        )  # fmt: skip
        found = self._plans.get(key)
        if found is None:
            from paddle.passes import prepare

            feeds = read_feeds(program, feeds, fetches)
            check_names(program, feeds, fetches)
            with checked_plan(program):
                found = int8_plan(program, feeds, fetches, use_prune, op_callback, self._device)
                if found is None:
                    skipped = program.__dict__.get("_fleet_skipped", ())  # by its BuildStrategy
                    one_by_one = op_callback is not None
                    prepared = prepare(program, feeds, fetches, use_prune, not one_by_one, skipped)
                    found = Plan(prepared, feeds, fetches, op_callback)
            if len(self._plans) >= _CACHED:
                self._plans.clear()
            self._plans[key] = found
            self._drop_with(program)
        return found

    def _drop_with(self, program: Program) -> None:
        """Sees to it that the plans of a Program go when it goes."""
        serial, plans = program._serial, self._plans
        if sum(key[0] == serial for key in tuple(plans)) == 1:
            weakref.finalize(program, _drop_plans, weakref.ref(self), serial).atexit = False

    def _results(self, values: tuple, names: list[str], return_numpy: bool, plan: Plan) -> list:
        if not return_numpy:
            return [
                [fetched_tensor(b) for b in v] if isinstance(v, list) else fetched_tensor(v)
                for v in values
            ]
        return [
            [fetched_array(b) for b in v] if isinstance(v, list) else fetched_array(v)
            for v in values
        ]

    def train_from_dataset(
        self, program: Any = None, dataset: Any = None, scope: Any = None, thread: int = 0,
        debug: bool = False, fetch_list: Any = None, fetch_info: Any = None,
        print_period: int = 100, fetch_handler: Any = None,
    ) -> None:  # fmt: skip
        """Trains a Program with the records of a dataset of files (``fluid.DatasetFactory``).

        Args:
            program (Program|CompiledProgram, optional): None means the default main Program.
            dataset (DatasetBase): a QueueDataset or an InMemoryDataset.
            scope (Scope, optional): holds parameters; None means the global one.
            thread (int): how many threads train, each on batches of its own; they share the
                parameters. 0 takes what ``dataset.set_thread`` says.
            debug (bool): whether to say in the end how long reading and running took.
            fetch_list (list, optional): Variables or names that the first thread prints.
            fetch_info (list, optional): a text in front of each; None takes the names.
            print_period (int): they are printed at every so many batches.
            fetch_handler (FetchHandler, optional): gets values of Variables now and then.

        Raises:
            RuntimeError: there is no dataset.
        """
        self._from_dataset(
            "train_from_dataset", dataset, thread, program, scope, fetch_list, fetch_info,
            print_period, fetch_handler, debug,
        )  # fmt: skip

    def infer_from_dataset(
        self, program: Any = None, dataset: Any = None, scope: Any = None, thread: int = 0,
        debug: bool = False, fetch_list: Any = None, fetch_info: Any = None,
        print_period: int = 100, fetch_handler: Any = None,
    ) -> None:  # fmt: skip
        """Runs a Program over the records of a dataset; all its operators, as training does.

        Args:
            program (Program|CompiledProgram, optional): as for :meth:`train_from_dataset`; one
                without updates, such as ``program.clone(for_test=True)``, only infers.
            dataset (DatasetBase): as there, and so are the other arguments.
            scope (Scope, optional): see there.
            thread (int): see there.
            debug (bool): see there.
            fetch_list (list, optional): see there.
            fetch_info (list, optional): see there.
            print_period (int): see there.
            fetch_handler (FetchHandler, optional): see there.
        """
        self._from_dataset(
            "infer_from_dataset", dataset, thread, program, scope, fetch_list, fetch_info,
            print_period, fetch_handler, debug,
        )  # fmt: skip

    def _from_dataset(self, api: str, dataset: Any, thread: Any, *settings: Any) -> None:
        if dataset is None:
            raise PreconditionNotMetError("dataset is need and should be initialized")
        if not hasattr(dataset, "train_by"):
            raise TypeError(
                f"Executor.{api}(dataset): expected a dataset of files, as "
                f"fluid.DatasetFactory makes them, but received {type(dataset).__name__}."
            )
        if self._closed:
            raise PreconditionNotMetError(f"Executor.{api}: the executor was closed.")
        dataset.train_by(self, api, thread, *settings)

    def start_heter_trainer(
        self, program: Any = None, scope: Any = None, debug: bool = False, fetch_list: Any = None,
        fetch_info: Any = None, print_period: int = 100, fetch_handler: Any = None,
    ) -> Any:  # fmt: skip
        """Raises: trainers of the parameter server are not part of this package."""
        raise _no_datasets()


def _drop_plans(reference: weakref.ref, serial: int) -> None:
    executor = reference()
    if executor is None:
        return
    for key in tuple(executor._plans):
        if key[0] == serial:
            executor._plans.pop(key, None)


def _no_datasets() -> Exception:
    return NotImplementedError(
        "Executor.start_heter_trainer: there is no parameter server; use train_from_dataset."
    )


def fetch_names(fetch_list: Any) -> list[str]:
    """Returns the names of the variables to fetch, each given as Variable or by name."""
    if fetch_list is None:
        return []
    if isinstance(fetch_list, (str, Variable)):
        fetch_list = [fetch_list]
    if not isinstance(fetch_list, Iterable):
        raise TypeError(
            "Executor.run(fetch_list): expected a list of Variables or names, "
            f"but received {type(fetch_list).__name__}."
        )
    names = []
    for item in fetch_list:
        if isinstance(item, (list, tuple)):
            names += fetch_names(item)
            continue
        name = item if isinstance(item, str) else getattr(item, "name", None)
        if not isinstance(name, str):
            raise TypeError(
                "Executor.run(fetch_list): expected Variables or names, "
                f"but it holds {type(item).__name__}."
            )
        names.append(name)
    return names


_SEVERAL = "CompiledProgram(program).with_data_parallel(places=...) runs on several]"


def check_feed(feed: Any) -> dict[str, Any]:
    """Returns the feed as a dictionary."""
    if feed is None:
        return {}
    if isinstance(feed, (list, tuple)) and len(feed) == 1:
        feed = feed[0]
    if not isinstance(feed, dict):
        many = isinstance(feed, (list, tuple)) and len(feed) > 1
        raise TypeError(
            f"Executor.run(feed): expected a dict of arrays, but received {type(feed).__name__}."
            + ("\n  [Hint: a list has one dict for each place; " + _SEVERAL if many else "")
        )
    return {k.name if isinstance(k, Variable) else k: v for k, v in feed.items()}


def read_feeds(program: Program, feeds: tuple[str, ...], fetches: list[str]) -> tuple[str, ...]:
    """The feeds of a Program of 1.x that something reads; of any other, all."""
    if not program.of_1x:
        return feeds
    read = {n for block in program.blocks for op in block.ops for n in op.input_arg_names}
    read.update(fetches)
    unread = [name for name in feeds if name not in read]
    if unread:
        warnings.warn(
            f"Executor.run(feed): nothing in the Program reads {', '.join(map(repr, unread))}, "
            "which is ignored, as in 1.x.",
            stacklevel=outside(),
        )
    return tuple(name for name in feeds if name in read)


def check_names(program: Program, feeds: Any, fetches: list[str]) -> None:
    """Refuses names that the Program does not know."""
    known = {n for block in program.blocks for n in block.vars}
    data = sorted(v.name for v in program.list_vars() if v.is_data)
    for name in feeds:
        if name not in known:
            raise NotFoundError(
                f"Executor.run(feed): there is no variable {name!r} in the Program; "
                f"its data variables are {data}."
            )
    top = program.global_block().vars
    for name in fetches:
        if name not in top:
            raise NotFoundError(
                f"Executor.run(fetch_list): there is no variable {name!r} in the global block of "
                "the Program."
            )


def feed_buffer(value: Any, var: Variable | None, name: str, device: torch.device) -> torch.Tensor:
    """The buffer of one fed value, checked against its variable."""
    buf = None
    if type(value) is np.ndarray and value.flags.writeable:
        try:
            buf = torch.from_numpy(value)
        except (TypeError, ValueError):
            buf = None
    elif isinstance(value, LoDTensor):
        buf = value._filled()._buf
    elif _has_lengths(value):
        value = _with_lengths(value, var, name)
        buf = value._filled()._buf
    elif isinstance(value, Tensor):
        buf = value._buf
    if buf is None:
        buf = _converted(value, var, name)
    if not buf.dim():
        buf = buf.reshape(1)
    if buf.dtype is torch.uint16 and var is not None and var.dtype == VarType.BF16:
        buf = buf.view(torch.bfloat16)  # its bits, as NumPy holds them
    if var is not None and (var.need_check_feed or var.is_data):
        _check_fed(buf, var, name, value)
    buf = buf if buf.device == device else buf.to(device)
    if isinstance(value, LoDTensor) and value._lod:
        buf = buf.detach()  # an object of its own, for the levels belong to this run
        put_levels(buf, value._lod)
    return buf


def _has_lengths(value: Any) -> bool:
    """Whether a fed value is rows together with the lengths of their sequences."""
    return (
        type(value) is tuple
        and len(value) == 2
        and isinstance(value[1], (list, tuple))
        and bool(value[1])
        and all(isinstance(level, (list, tuple)) for level in value[1])
        and isinstance(value[0], (np.ndarray, Tensor))
    )


def _with_lengths(value: tuple, var: Variable | None, name: str) -> LoDTensor:
    made = LoDTensor(tensor_of(value[0], None, "cpu"))
    try:
        made.set_recursive_sequence_lengths(value[1])
    except InvalidArgumentError as error:
        said = str(error).partition(": ")[2]
        raise InvalidArgumentError(f"Executor.run(feed): {name!r}: {said}") from None
    return made


def _converted(value: Any, var: Variable | None, name: str) -> torch.Tensor:
    """The buffer of a number, a list, or an array that needs care."""
    if isinstance(value, np.ndarray) or var is None:
        return tensor_of(value, None, "cpu")._buf
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError("text is no number")
        array = np.array(value, dtype=numpy_dtype(var.dtype))
        if array.dtype.kind == "f" and np.isnan(array).any() and _holds_none(value):
            raise TypeError("it holds None, which NumPy takes for NaN")
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(
            f"Executor.run(feed): {name!r} is expected to be an array or numbers, "
            f"but received {type(value).__name__}: {error}"
        ) from None
    return tensor_of(array, var.dtype, "cpu")._buf


def _holds_none(value: Any) -> bool:
    return any(v is None for v in np.array(value, dtype=object).ravel())


def _check_fed(buf: torch.Tensor, var: Variable, name: str, value: Any) -> None:
    dims = var._dims
    got = buf.shape
    if len(dims) != len(got) and var.lod_level == 0 and dims:
        fits = False
    else:
        fits = all(w in (-1, g) for w, g in zip(dims, got, strict=False))
    stated = var.need_check_feed or not var.block.program.of_1x  # layers.data of 1.x only guesses
    if not fits and var.lod_level == 0 and stated:
        raise InvalidArgumentError(
            f"Executor.run(feed): {name!r} is expected to have shape {list(dims)} "
            f"(-1: any size), but received {list(got)}."
        )
    if buf.dtype is not var._dt:
        raise InvalidArgumentError(
            f"Executor.run(feed): {name!r} is expected to be {dtype_name(var.dtype)}, "
            f"but received {dtype_name(FROM_TORCH[buf.dtype])}.",
            hint=f"feed array.astype({dtype_name(var.dtype)!r})",
        )


def fetched_array(buf: Any) -> Any:
    """A fetched buffer as an array of its own memory."""
    if buf is None:
        return None
    if not isinstance(buf, torch.Tensor):
        return buf
    if levels_on(buf):
        raise PreconditionNotMetError(
            "Executor.run: some of the fetched tensors hold LoD information, which arrays cannot "
            "have.",
            hint="call run(..., return_numpy=False), which returns LoDTensors",
        )
    array = wrap(buf, True).numpy()
    return array if buf.dim() else array.reshape(())  # a Program of 2.5 or later


def fetched_tensor(buf: Any) -> Any:
    """A fetched buffer as a Tensor that later runs do not change."""
    if not isinstance(buf, torch.Tensor):
        return buf
    return LoDTensor(wrap(buf.clone()), levels_on(buf) or ())


def set_learning_rates(schedulers: dict[str, Any], scope: Scope, device: torch.device) -> None:
    """Puts the rates of schedulers where the Program reads them."""
    for name, scheduler in schedulers.items():
        held = (scope.find_var(name) or scope.var(name)).held
        rate = float(scheduler())
        if held.tensor is None:
            held.put(torch.full((1,), rate, dtype=torch.float32, device=device))
        else:
            writable(held.tensor).fill_(rate)
