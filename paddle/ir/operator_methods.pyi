"""What `import paddle` attaches to Operator; written by scripts/make_stubs.py."""

from paddle.ir.operator import Operator
from typing import Any

class Methods:
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    @property
    def desc(self) -> Any:
        """What it is, to be read in the way of 2.0: ``op.desc.type()``."""
    def to_string(self, throw_on_error: bool = False) -> str:
        """Returns the operator in the text format of its protobuf message."""
