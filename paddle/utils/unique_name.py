"""Names that are unique in the process."""

from paddle.core.unique_name import (
    DygraphParameterNameChecker,
    UniqueNameGenerator,
    dygraph_parameter_name_checker,
    generate,
    generate_with_ignorable_key,
    generator,
    guard,
    switch,
)

__all__ = [
    "DygraphParameterNameChecker", "UniqueNameGenerator", "dygraph_parameter_name_checker",
    "generate", "generate_with_ignorable_key", "generator", "guard", "switch",
]  # fmt: skip
