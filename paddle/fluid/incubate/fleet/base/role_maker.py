"""Fleet of 1.x: roles of processes: importable, and refused on use."""

from paddle.fluid.refused import servers

__all__ = [
    "GeneralRoleMaker",
    "MPISymetricRoleMaker",
    "PaddleCloudRoleMaker",
    "Role",
    "RoleMakerBase",
    "UserDefinedCollectiveRoleMaker",
    "UserDefinedRoleMaker",
]

GeneralRoleMaker = servers("paddle.fluid.incubate.fleet.base.role_maker.GeneralRoleMaker")
MPISymetricRoleMaker = servers("paddle.fluid.incubate.fleet.base.role_maker.MPISymetricRoleMaker")
PaddleCloudRoleMaker = servers("paddle.fluid.incubate.fleet.base.role_maker.PaddleCloudRoleMaker")
Role = servers("paddle.fluid.incubate.fleet.base.role_maker.Role")
RoleMakerBase = servers("paddle.fluid.incubate.fleet.base.role_maker.RoleMakerBase")
UserDefinedCollectiveRoleMaker = servers(
    "paddle.fluid.incubate.fleet.base.role_maker.UserDefinedCollectiveRoleMaker"
)
UserDefinedRoleMaker = servers("paddle.fluid.incubate.fleet.base.role_maker.UserDefinedRoleMaker")
