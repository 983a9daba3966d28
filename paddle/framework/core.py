"""What client libraries take from PaddlePaddle's native module, ``paddle.framework.core``."""

from __future__ import annotations

import enum

from paddle.core.dtype import VarType as VarType
from paddle.core.errors import EOFException
from paddle.core.errors import FrameworkError as EnforceNotMet
from paddle.core.lod import LoDTensor, LoDTensorArray
from paddle.core.place import (
    CPUPlace,
    CUDAPinnedPlace,
    CUDAPlace,
    Place,
    XPUPlace,
    is_compiled_with_cuda,
    is_compiled_with_mkldnn,
)
from paddle.core.place import device_count as get_cuda_device_count
from paddle.core.row_table import SelectedRows
from paddle.core.tensor import Tensor as VarBase
from paddle.device import is_compiled_with_npu, is_compiled_with_rocm, is_compiled_with_xpu
from paddle.device.wait import synchronize
from paddle.executor.scope import Scope
from paddle.framework.core_ops import CoreOps
from paddle.ir import attribute_kinds
from paddle.ir.operator import Role
from paddle.passes.graph import Graph
from paddle.serialization.program.desc import BlockDesc, OpDesc, ProgramDesc, VarDesc

__all__ = [
    "AttrType", "BlockDesc", "CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "EOFException",
    "EnforceNotMet", "Graph", "LoDTensor", "LoDTensorArray", "OpDesc", "Place", "ProgramDesc",
    "Scope", "SelectedRows", "VarBase", "VarDesc", "XPUPlace",
    "get_cuda_device_count", "is_compiled_with_cuda", "is_compiled_with_mkldnn",
    "is_compiled_with_npu", "is_compiled_with_rocm", "is_compiled_with_xpu",
    "op_proto_and_checker_maker", "ops",
]  # fmt: skip


class op_proto_and_checker_maker:
    """Names of the attributes that every operator has, and the values of ``op_role``."""

    class OpRole(enum.IntFlag):
        """What an operator is for."""

        Forward = Role.FORWARD
        Backward = Role.BACKWARD
        Optimize = Role.OPTIMIZE
        RPC = Role.RPC
        Dist = Role.DIST
        LRSched = Role.LR_SCHED
        Loss = Role.LOSS

    @staticmethod
    def kOpRoleAttrName() -> str:
        """The attribute that says what an operator is for."""
        return "op_role"

    @staticmethod
    def kOpRoleVarAttrName() -> str:
        """The attribute with the names of a parameter and its gradient."""
        return "op_role_var"

    @staticmethod
    def kOpNameScopeAttrName() -> str:
        """The attribute with the ``name_scope`` around the call."""
        return "op_namescope"

    @staticmethod
    def kOpDeviceAttrName() -> str:
        """The attribute with the device of ``device_guard``."""
        return "op_device"

    @staticmethod
    def kOpCreationCallstackAttrName() -> str:
        """The attribute with the lines of the call."""
        return "op_callstack"


AttrType = enum.IntEnum(  # type: ignore[misc]  # as PaddlePaddle's native module spells them
    "AttrType",
    {kind.name.replace("BOOLEAN", "BOOL"): kind.value for kind in attribute_kinds.AttrType},
)
"""The kinds of attributes, with their numbers in a serialized Program."""

ops = CoreOps()


def _cuda_synchronize(place: Place) -> None:
    """Waits until a device has done what was asked of it.

    Args:
        place (Place): the device.
    """
    synchronize()
