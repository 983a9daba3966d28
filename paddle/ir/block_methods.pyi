"""What `import paddle` attaches to Block; written by scripts/make_stubs.py."""

from paddle import Tensor
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from typing import Any

class Methods:
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    @staticmethod
    def _create_tensor(type: Any = None, name: str | None = None, shape: Any = None, dtype: Any = None, persistable: bool | None = None, **kwargs: Any) -> Tensor:
        """Returns a Tensor that an operator is to fill, for :meth:`Tracer.trace_op`."""
    def _is_default(self) -> bool: ...
    def _run_op(self, type: Any, inputs: dict, outputs: dict, attrs: dict, stop_gradient: bool) -> Operator: ...
    @property
    def desc(self) -> Any:
        """What it is, to be read in the way of 2.0: ``block.desc.op_size()``."""
    def to_string(self, throw_on_error: bool = False, with_details: bool = False) -> str:
        """Returns the block in the text format of its protobuf message."""
