"""What the tool has to say about a file: findings, and how they print."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field


@dataclass(order=True, frozen=True)
class Finding:
    """Something in a file that the user should look at.

    `level` is "left" for a name of 1.x that stays as it is (it runs under `paddle.fluid`), "note"
    for a change to look at, "error" for a file that could not be worked on.
    """

    line: int
    column: int
    level: str
    name: str
    message: str

    def text(self, path: str) -> str:
        """Return the finding as one line, `file:line:column: level: name: message`."""
        return f"{path}:{self.line}:{self.column}: {self.level}: {self.name}: {self.message}"


@dataclass
class Result:
    """What became of one file."""

    path: str
    before: str = ""
    after: str = ""
    findings: list[Finding] = field(default_factory=list)
    converted: int = 0
    diff: str = ""
    state: str = "unchanged"  # "unchanged", "changed", "written", "refused", "error"
    backup: str = ""
    matches: list[str] = field(default_factory=list)

    @property
    def left(self) -> list[Finding]:
        """The findings that leave something of 1.x, or of the file, as it was."""
        return [f for f in self.findings if f.level in ("left", "error")]

    def as_dict(self) -> dict:
        """Return what `--json` prints of the file."""
        return {
            "path": self.path,
            "state": self.state,
            "converted": self.converted,
            "findings": [asdict(f) for f in self.findings],
            **({"backup": self.backup} if self.backup else {}),
        }
