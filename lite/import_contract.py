"""The kind of contract that `pyproject.toml` beside this file has: what alone may be imported."""

from __future__ import annotations

import sys
from typing import Any

from importlinter import Contract, ContractCheck, fields, output


class AllowedExternals(Contract):
    """The standard library and these packages are all that a package imports."""

    package = fields.StringField()
    allowed_packages = fields.SetField(subfield=fields.StringField())

    def check(self, graph: Any, verbose: bool) -> ContractCheck:
        """Finds what else is imported, and where."""
        known = {self.package, *self.allowed_packages, *sys.stdlib_module_names}
        others = {m for m in graph.modules if m.partition(".")[0] not in known}
        found = sorted((i, m) for m in others for i in graph.find_modules_that_directly_import(m))
        return ContractCheck(kept=not found, metadata={"found": found})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Says so."""
        for importer, imported in check.metadata["found"]:
            output.print_error(f"{importer} imports {imported}")
