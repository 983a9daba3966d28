"""Settings of all tests and the processes they start, their order, and their random numbers.

The checker follows every pass over a Program, backward refuses values updated since, and nothing is
measured to choose among the forms of a kernel: a test should not depend on how busy the machine is.

What several tests of a file share has the scope "session": in a random order a fixture of the scope
"module" would be made again each time a test of another file comes between. Only the files
of the folders in `TOGETHER` stay whole in any order: they share processes, servers, compiled code.

A test draws the same random numbers in any order and in any process: each starts from a seed of its
own, and so does each fixture that several tests share. `--seed N` has all of them draw others.
"""

from __future__ import annotations

import gc
import os
import random
import sys
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

os.environ.setdefault("PADDLE_CHECK_PASSES", "1")
os.environ.setdefault("FLAGS_check_overwritten", "1")
os.environ.setdefault("FLAGS_kernel_tuning", "0")
os.environ.setdefault("FLAGS_int8_tune", "0")

TOGETHER = ("tests/distributed/", "tests/native/", "tests/visualdl/browser/")
"""Folders whose files stay whole in a random order."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--random-order",
        metavar="SEED",
        help="run the tests in an order drawn from SEED; `new` draws a seed, which is printed",
    )
    parser.addoption(
        "--seed", type=int, default=0, help="a number that every test's random numbers depend on"
    )
    parser.addoption(
        "--oracle-visualdl",
        metavar="PYTHON",
        help="interpreter with the real VisualDL 2.5.3, which then reads the logs written here",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Draws the seed; workers of xdist are told that of the process that started them."""
    text = config.option.random_order
    if hasattr(config, "workerinput"):
        config.option.random_order = config.workerinput["random_order"]
    elif text == "new":
        config.option.random_order = str(random.SystemRandom().randrange(10**6))
    elif text is not None and not text.isdigit():
        raise pytest.UsageError(f"--random-order: expected a number or `new`, but got {text!r}")


def pytest_collection_finish() -> None:
    """Takes the many thousand collected tests out of what collecting garbage looks through."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tells a worker the seed: its command line is the same, which may say `new`."""
    node.workerinput["random_order"] = node.config.option.random_order


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Puts the tests in the drawn order, the same one in every worker."""
    seed = config.option.random_order
    if seed is None:
        return
    drawn = random.Random(int(seed))
    units: dict[str, list[pytest.Item]] = {}
    for item in items:
        whole = item.nodeid.startswith(TOGETHER)
        unit = item.nodeid.partition("::")[0] if whole else item.nodeid
        units.setdefault(unit, []).append(item)
    shuffled = list(units.values())
    drawn.shuffle(shuffled)
    for unit in shuffled:
        drawn.shuffle(unit)
    items[:] = [item for unit in shuffled for item in unit]


def start_random_numbers(config: pytest.Config, name: str) -> None:
    """Starts every source of random numbers from a seed that belongs to a name.

    The framework's are as they are before `paddle.seed` is called: NumPy's are its own, too.
    """
    seed = zlib.crc32(name.encode(), config.option.seed)
    random.seed(seed)
    np.random.seed(seed)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)
    source = sys.modules.get("paddle.core.random")
    if source is not None:
        source._seed = source._numpy = None
        for generator in {source.main_generator(source.CPU.device()), *source._generators.values()}:
            generator.manual_seed(seed)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    start_random_numbers(item.config, item.nodeid)


@pytest.hookimpl(hookwrapper=True)
def pytest_fixture_setup(fixturedef: Any, request: Any) -> Iterator[None]:
    """What tests share is the same whichever makes it, and so is what that test draws."""
    shared = fixturedef.scope != "function"
    if shared:
        name = f"{fixturedef.baseid}::{fixturedef.argname}[{request.param_index}]"
        start_random_numbers(request.config, name)
    yield
    if shared:
        start_random_numbers(request.config, request._pyfuncitem.nodeid)


@pytest.fixture(autouse=True)
def default_programs() -> Iterator[None]:
    """What a test leaves in the default Programs is not there for the next one."""
    yield
    current = sys.modules.get("paddle.ir.current")
    if current is None:
        return
    for kind in ("main", "startup"):
        program = getattr(current, f"default_{kind}_program")()
        if program.global_block().vars or program.global_block().ops:
            getattr(current, f"switch_{kind}_program")(type(program)())


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Says how to have the same order again; `-q` prints no header that could."""
    seed = config.option.random_order
    if seed is not None:
        terminalreporter.write_line(f"random order: --random-order {seed} repeats it")
