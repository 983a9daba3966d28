"""Writes what 1.8.5 knows of its operators: paddle/serialization/program/operators_185.json.

    python3.7 scripts/oracle/protos_185.py

By operator: slots (`X`; `X*` for a list, `X?` for one that may be absent, both with `^` if it is an
intermediate result), and for each attribute its kind and default (none where it is required).
What all operators have (`op_role` ...) is left out.
"""

import json
import os
import re

from paddle.fluid import core
from paddle.fluid.framework import OpProtoHolder

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TARGET = os.path.join(ROOT, "paddle", "serialization", "program", "operators_185.json")
EVERYWHERE = ("op_role", "op_role_var", "op_namescope", "op_callstack", "op_device")
# A value that an attribute without default is given, by kind.
SOME = {0: 1, 1: 1.0, 2: "x", 3: [1], 4: [1.0], 5: ["x"], 6: True, 7: [True], 9: 1, 11: [1]}


BLOCK = 8
# And where that one is refused.
GIVEN = {
    "pooling_type": "max", "unpooling_type": "max", "win_size": 2, "dtype": 5,
    "variances": [0.1, 0.1, 0.1, 0.1], "functor_list": ["elementwise_add", "relu"],
}  # fmt: skip


def slot(var):
    name = var.name + ("*" if var.duplicable else "") + ("?" if var.dispensable else "")
    return name + ("^" if var.intermediate else "")


def defaults(proto):
    """Values by name, asked of an operator that is made with what it requires and nothing else."""
    kinds = {attr.name: attr.type for attr in proto.attrs}
    given = {}
    while True:
        program = core.ProgramDesc()
        op = program.block(0).append_op()
        op.set_type(proto.type)
        for name, value in given.items():
            if kinds[name] == BLOCK:
                op.set_block_attr(name, program.block(0))
            else:
                op._set_attr(name, value)
        try:
            op.check_attrs()
        except Exception as error:
            missing = re.search(r"Attribute '(\w+)' is required", str(error))
            if missing is None:
                raise RuntimeError("%s refuses %s: %s" % (proto.type, given, str(error)[-600:]))
            name = missing.group(1)
            given[name] = GIVEN.get(name, SOME.get(kinds[name]))
            continue
        return {name: op.attr(name) for name in op.attr_names() if name not in given}


def main():
    told = {}
    holder = OpProtoHolder.instance().op_proto_map
    for name in sorted(holder):
        proto = holder[name]
        try:
            values = defaults(proto)
        except RuntimeError as error:
            print(error)
            continue
        attrs = {}
        for attr in proto.attrs:
            if attr.name not in EVERYWHERE:
                value = values.get(attr.name)
                attrs[attr.name] = [attr.type] + ([] if value is None else [value])
        told[name] = [
            " ".join(map(slot, proto.inputs)), " ".join(map(slot, proto.outputs)), attrs
        ]  # fmt: skip
    with open(TARGET, "w") as file:
        file.write("{\n")
        rows = ["%s: %s" % (json.dumps(k), json.dumps(v, sort_keys=True)) for k, v in told.items()]
        file.write(",\n".join(rows) + "\n}\n")
    print(len(told), os.path.getsize(TARGET))


if __name__ == "__main__":
    main()
