"""Holds findings of strict lint rules down to a baseline that only shrinks.

`scripts/lint_baseline.tsv` counts, for each of `RULES`, what ruff finds in a file of the package. A
file with more than its count fails; of one with fewer it says so, and `--write` lowers the counts.
Only `--write --initial` raises one: when a rule is added, or a file moved.
"""

from __future__ import annotations

import argparse
import collections
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "scripts" / "lint_baseline.tsv"
RULES = {
    "D102": "a public method without a docstring",
    "D103": "a public function without a docstring",
    "PLC0415": "an import inside a function",
    "SLF001": "a private member of another object",
}
# What these define is no public function: C.name calls it, and what its errors say names it.
DECORATORS = ["paddle.core.op.op", "paddle.ops.optimizer.rules.update_rule"]
# Underscores that are others' spelling of what everybody may call: PaddlePaddle's of methods of
# Program, Block and Operator, torch's of calls over lists.
SHARED = [
    "_block_attr", "_block_attr_id", "_clone_variable", "_find_var_recursive", "_insert_op",
    "_prepend_op", "_remove_attr", "_remove_op", "_remove_var", "_rename_input", "_rename_output",
    "_create_block", "_lr_schedule_guard", "_optimized_guard", "_rollback",
    "_rename_var", "_set_attr", "_set_forward_block_idx", "_var_recursive",
    "_share_buffer_to",  # its method of Tensor
    # of quantisation by configuration
    "_convert", "_get_observer", "_get_qat_layer", "_instance", "_is_quantifiable",
    "_need_observe", "_specify",
    # of its descriptions of trainers
    "_create_device_worker", "_gen_worker_desc", "_set_device_worker", "_set_fleet_desc",
    "_set_infer", "_set_program",
    # of its role makers and fleet
    "_all_gather", "_all_reduce", "_barrier", "_generate_role", "_get_pserver_endpoints",
    "_get_trainer_endpoints", "_heter_worker_num", "_is_collective", "_is_first_worker",
    "_is_heter_worker", "_is_non_distributed", "_is_server", "_is_worker", "_node_num", "_role_id",
    "_role_maker", "_server_index", "_server_num", "_set_role_maker", "_set_strategy",
    "_worker_index", "_worker_num",
]  # fmt: skip
OVER_LISTS = "`_foreach_"
Counts = dict[tuple[str, str], int]


def found(root: Path = ROOT) -> Counts:
    """What ruff finds: (rule, file) -> how often."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--output-format", "json"]
    command += ["--config", f"lint.pydocstyle.ignore-decorators = {DECORATORS}"]
    command += ["--config", f"lint.flake8-self.extend-ignore-names = {SHARED}"]
    command += ["--exit-zero", "--exclude", "*.pyi", "--select", ",".join(RULES)]
    command += ["paddle", "visualdl"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    places = (
        (finding["code"], Path(finding["filename"]).relative_to(root).as_posix())
        for finding in json.loads(done.stdout)
        if OVER_LISTS not in finding["message"]
    )
    return dict(collections.Counter(places))


def read(text: str) -> Counts:
    """The counts in a baseline's text."""
    rows = (line.split("\t") for line in text.splitlines() if line)
    return {(rule, file): int(count) for rule, file, count in rows}


def written(counts: Counts) -> str:
    """The text of a baseline."""
    return "".join(f"{rule}\t{file}\t{n}\n" for (rule, file), n in sorted(counts.items()))


def differences(known: Counts, now: Counts) -> tuple[Counts, Counts]:
    """How many findings more than the baseline has, and how many fewer, where they differ."""
    change = {place: now.get(place, 0) - known.get(place, 0) for place in sorted({*known, *now})}
    more = {place: n for place, n in change.items() if n > 0}
    return more, {place: -n for place, n in change.items() if n < 0}


def main(arguments: list[str] | None = None) -> int:
    """Compares, or writes; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="lower the counts to what is found")
    parser.add_argument("--initial", action="store_true", help="with --write: raise them too")
    options = parser.parse_args(arguments)
    known, now = read(TARGET.read_text(encoding="utf8") if TARGET.exists() else ""), found()
    more, fewer = differences(known, now)
    if more and not (options.write and options.initial):
        for (rule, file), count in more.items():
            print(f"{file}: {count} more of {rule}, {RULES[rule]}")
        rules = ",".join(sorted({rule for rule, _ in more}))
        print(f"see them by `ruff check --select {rules} FILE`; the baseline only shrinks")
        return 1
    if options.write:
        TARGET.write_text(written(now), encoding="utf8")
    elif fewer:
        for (rule, file), count in fewer.items():
            print(f"{file}: {count} fewer of {rule}")
        print("lower the baseline: `python scripts/lint_baseline.py --write`")
    total: collections.Counter[str] = collections.Counter()
    for (rule, _), count in now.items():
        total[rule] += count
    print("baseline: " + ", ".join(f"{rule} {total[rule]}" for rule in RULES))
    return 0


if __name__ == "__main__":
    sys.exit(main())
