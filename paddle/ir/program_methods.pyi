"""What `import paddle` attaches to Program; written by scripts/make_stubs.py."""

from paddle.ir.program import Program
from typing import Any

class Methods:
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    def _inference_optimize(self, prune_read_op: bool = True) -> Program: ...
    def _prune(self, targets: Any) -> Program: ...
    def _prune_with_input(self, feeded_var_names: list[str], targets: Any) -> Program: ...
    def _sync_with_cpp(self) -> None:
        """Makes the Program what the description says that was assigned to ``desc``."""
    def clone(self, for_test: bool = False) -> Program:
        """Returns a copy; for testing without backward, optimizer and training behaviour."""
    @property
    def desc(self) -> Any:
        """The Program as it is serialized, with ``serialize_to_string()``."""
    @desc.setter
    def desc(self, value: Any) -> None: ...
    @staticmethod
    def parse_from_string(binary_str: bytes) -> Program:
        """Makes a Program of the bytes of a ProgramDesc."""
    def set_state_dict(self, state_dict: dict[str, Any], scope: Any = None) -> None:
        """Gives persistable variables the values of :meth:`state_dict`."""
    def state_dict(self, mode: str = 'all', scope: Any = None) -> dict[str, Any]:
        """Returns the persistable variables' values by name."""
    def to_python(self, startup_program: Program | None = None) -> str:
        """Returns readable Python source that builds the Program anew."""
    def to_string(self, throw_on_error: bool, with_details: bool = False) -> str:
        """Returns the Program in the text format of its protobuf message."""
