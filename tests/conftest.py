"""Settings of all tests and the processes they start, and the order of the tests.

The checker follows every pass over a Program, backward refuses values updated since, and nothing is
measured to choose among the forms of a kernel: a test should not depend on how busy the machine is.

What several tests of a file share has the scope "session": in a random order a fixture of the scope
"module" would be made again each time a test of another file comes between. Only the files
of the folders in `TOGETHER` stay whole in any order: they share processes, servers, compiled code.
"""

from __future__ import annotations

import gc
import os
import random
import sys
from collections.abc import Iterator
from typing import Any

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
