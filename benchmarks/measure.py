"""Times several sides of one workload in turns and says how they compare."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import repeat
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

PATIENCE = 4


@dataclass
class Sample:
    """Seconds per call, by the wall clock and by the processor time of the whole process.

    Processes that it started and that have ended count too.
    """

    wall: float
    cpu: float


if TYPE_CHECKING:
    Timer = Callable[[int], Sample]
else:  # Python 3.7, which PaddlePaddle 1.8.5 needs, cannot subscript it
    Timer = Callable
"""Runs a workload so many times and returns the time of one run."""


def time_calls(step: Callable[[], Any], number: int) -> Sample:
    """Calls ``step`` ``number`` times. The garbage collector stays on: it is part of the cost."""
    times = repeat(None, number)
    wall, cpu = perf_counter(), processor_seconds()
    for _ in times:
        step()
    cpu, wall = processor_seconds() - cpu, perf_counter() - wall
    return Sample(wall / number, cpu / number)


def processor_seconds() -> float:
    """Processor time of this process and of its children that have ended."""
    children = getrusage(RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime


def local(step: Callable[[], Any]) -> Timer:
    """Makes a timer of a function of this process."""
    return lambda number: time_calls(step, number)


@dataclass
class Effort:
    """How long to measure.

    Attributes:
        rounds: samples taken of every side.
        seconds: what one sample should take, so that clocks and interruptions are small beside it.
    """

    rounds: int
    seconds: float

    def quick(self) -> Effort:
        """A rough measurement, for a look while working."""
        return Effort(max(3, self.rounds // 4), self.seconds / 2)


@dataclass
class Result:
    """Samples of every side, taken in turns: the i-th of each belong together.

    Attributes:
        samples: side -> its samples.
        clock: ``cpu`` or ``wall``, what the numbers below are about.
        disturbed: other processes took part of the machine, and the wall clock shows it.
    """

    clock: str
    samples: dict[str, list[Sample]] = field(default_factory=dict)
    disturbed: bool = False

    def remark(self, *others: str) -> str:
        """A note for the table."""
        return "; ".join([*others, *(["DISTURBED"] if self.disturbed else [])])

    def times(self, side: str) -> list[float]:
        return [getattr(sample, self.clock) for sample in self.samples[side]]

    def median(self, side: str) -> float:
        """Median of one side in seconds."""
        return median(self.times(side))

    def ratio(self, side: str, peer: str) -> float:
        """Median of the ratios of neighbouring samples; slow drift of the machine cancels out."""
        return median(
            a / b for a, b in zip(self.times(side), self.times(peer), strict=True) if b > 0
        )

    def difference(self, side: str, peer: str) -> float:
        """Median of the differences of neighbouring samples, in seconds."""
        return median(a - b for a, b in zip(self.times(side), self.times(peer), strict=True))


def calls_for(timer: Timer, seconds: float) -> int:
    """Warms a side up and finds how many calls fill ``seconds``."""
    number = 1
    while True:
        took = timer(number).wall * number
        if took >= seconds / 4 or number >= 1 << 20:
            return max(1, round(number * seconds / max(took, 1e-9)))
        number = number * 4


def busy_seconds() -> float:
    """Processor time that everything on this machine used so far; 0 where nobody counts it."""
    try:
        with open("/proc/stat") as file:
            fields = [int(part) for part in file.readline().split()[1:]]
    except (OSError, ValueError):
        return 0.0
    idle = fields[3] + fields[4]
    return (sum(fields[:8]) - idle) / os.sysconf("SC_CLK_TCK")


def interleave(timers: dict[str, Timer], effort: Effort, clock: str) -> Result:
    """Measures A B A B ..., after a warm-up.

    The wall clock says nothing where other processes compete for the cores. With it, rounds in
    which others used more than a tenth of a core are measured again, up to :data:`PATIENCE` times
    as many as asked for; if too few were quiet, all count and the result says so.

    Args:
        timers: side -> its timer.
        effort: how long.
        clock: the clock that the result speaks of.

    Returns:
        The samples of all sides.
    """
    number = max(calls_for(timer, effort.seconds) for timer in timers.values())
    for timer in timers.values():
        timer(number)
    gc.collect()
    rounds: list[dict[str, Sample]] = []
    quiet: list[dict[str, Sample]] = []
    patience = PATIENCE if clock == "wall" else 1
    # on a crowded machine a step with two threads can take a hundred times as long
    until = perf_counter() + 4 * patience * effort.rounds * len(timers) * max(effort.seconds, 0.1)
    for _ in range(effort.rounds * patience):
        busy, wall = busy_seconds(), perf_counter()
        taken = {side: timer(number) for side, timer in timers.items()}
        wall = perf_counter() - wall
        own = sum(sample.cpu for sample in taken.values()) * number
        rounds.append(taken)
        if busy_seconds() - busy - own <= max(0.1 * wall, 0.02):
            quiet.append(taken)
        enough = clock == "wall" and len(quiet) == effort.rounds
        if enough or (perf_counter() > until and len(rounds) >= 3):
            break
    disturbed = clock == "wall" and len(quiet) < max(3, effort.rounds // 4)
    kept = rounds if clock == "cpu" or disturbed else quiet
    samples = {side: [taken[side] for taken in kept] for side in timers}
    return Result(clock, samples, disturbed)


def clock_for(threads: int) -> str:
    """Processor time for one thread; with two it would count threads that spin while they wait."""
    return "cpu" if threads == 1 else "wall"


def merged(results: list[Result]) -> Result:
    """Joins the samples of several runs of one comparison."""
    samples: dict[str, list[Sample]] = {}
    for result in results:
        for side, taken in result.samples.items():
            samples.setdefault(side, []).extend(taken)
    return Result(results[0].clock, samples, any(result.disturbed for result in results))
