"""Freezes how many levels (lod_level) results have in Programs of PaddlePaddle 1.8.5.

    .venv/bin/python scripts/oracle/fluid_levels_185.py calls /tmp/calls.json
    python3.7 scripts/oracle/fluid_levels_185.py measure /tmp/calls.json tests/data/fluid/levels.npz

The calls are those of the operators' samples here. Each is appended to a Block with levels on no
input, on each input alone and on all, in a process of its own, since 1.8.5 dies of some.
"""

import json
import os
import sys

import numpy as np


def calls(target):
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    from paddle.core.op import REGISTRY
    from tests.ops.table import SAMPLES

    found, seen = [], {}
    for sample in SAMPLES:
        op = REGISTRY[sample.op]
        shown = (sample.op, repr(sample.attrs), [np.shape(v) for v in sample.inputs.values()
                                                if not isinstance(v, list)])  # fmt: skip
        if seen.setdefault(repr(shown), len(found)) != len(found):
            continue
        inputs = {s.name: _form(sample.inputs.get(s.name)) for s in op.inputs}
        inputs = {slot: form for slot, form in inputs.items() if form is not None}
        attrs = {k: _plain(v) for k, v in sample.attrs.items()}
        many = [s.name for s in (*op.inputs, *op.outputs) if s.many]
        found.append([sample.op, inputs, {k: v for k, v in attrs.items() if v is not None}, many])
    with open(target, "w") as file:
        json.dump(found, file)
    print(len(found), "calls")


def _form(value):
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        return [_form(v) for v in value if v is not None]
    value = np.asarray(value)
    return [list(value.shape) or [1], value.dtype.name.replace("float64", "float32")]


def _plain(value):
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    value = value.item() if hasattr(value, "item") else value
    return value if isinstance(value, (bool, int, float, str)) else None


def built(fluid, proto, call, slots, level):
    """Slot -> levels of the results, for one call."""
    name, forms, attrs, many = call
    block = fluid.Program().global_block()
    count = [0]

    def made(**kwargs):
        count[0] += 1
        return block.create_var(name="v%d" % count[0], **kwargs)

    inputs = {}
    for slot, form in forms.items():
        listed = form if slot in many else [form]
        inputs[slot] = [
            made(shape=shape, dtype=dtype, lod_level=level if slot in slots else 0)
            for shape, dtype in listed
        ]
    outputs = {slot: [made() for _ in range(parts(name, slot, forms, attrs))] for slot in proto[0]}
    known = {k: v for k, v in attrs.items() if k in proto[1]}
    block.append_op(type=name, inputs=inputs, outputs=outputs, attrs=known)
    levels = {slot: max([v.lod_level for v in made] or [0]) for slot, made in outputs.items()}
    return {slot: level for slot, level in levels.items() if level}


def parts(name, slot, forms, attrs):
    """How many variables an output slot has."""
    if name == "split":
        return max(attrs.get("num", 0), len(attrs.get("sections", [])), 1)
    if name == "unbind":
        return forms["X"][0][attrs.get("axis", 0)]
    if slot == "MultiFpnRois":
        return attrs["max_level"] - attrs["min_level"] + 1
    return 1


def tries(forms):
    """(slots with levels, levels) of every try."""
    alone = [[slot] for slot in forms] + ([sorted(forms)] if len(forms) > 1 else [])
    return [([], 0)] + [(slots, level) for level in (1, 2) for slots in alone]


def measure(source, target):
    import paddle.fluid as fluid
    from paddle.fluid import framework

    protos = {
        p.type: ([o.name for o in p.outputs], [a.name for a in p.attrs])
        for p in framework.get_all_op_protos()
    }
    with open(source) as file:
        given = [call for call in json.load(file) if call[0] in protos]
    rows, seen = [], set()
    for call in given:
        found = _in_a_child(_measured, fluid, protos[call[0]], call)
        text = json.dumps([call[0], found], sort_keys=True)
        if found and text not in seen:
            seen.add(text)
            rows.append([call, found])
    np.savez_compressed(target, rows=np.frombuffer(json.dumps(rows).encode(), np.uint8))
    print(len(rows), "rows of", len({r[0][0] for r in rows}), "operators", os.path.getsize(target))


def _measured(fluid, proto, call):
    found = []
    for slots, level in tries(call[1]):
        try:
            found.append([slots, level, built(fluid, proto, call, slots, level)])
        except Exception:
            pass
    return found


def _in_a_child(function, *args):
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.write(write, json.dumps(function(*args)).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text.decode()) if text else None


if __name__ == "__main__":
    {"calls": calls, "measure": measure}[sys.argv[1]](*sys.argv[2:])
