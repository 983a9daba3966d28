"""Programs of one operator; works with PaddlePaddle 1.8.5 (Python 3.7) and here."""

import json
import os

import numpy as np

PROTOS = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "op-protos.json"
)


def proto(name):
    with open(PROTOS, encoding="utf8") as file:
        return json.load(file)[name]


def run(fluid, sample, slots, intermediate, gradients=True):
    """Runs an operator, and then its gradient from all floating results; see :func:`run_once`."""
    arrays = run_once(fluid, sample, slots, intermediate, {})
    kinds = {k[4:]: str(v.dtype) for k, v in arrays.items() if k.startswith("out.")}
    floating = [k for k in kinds.values() if k.startswith("float")]
    if not gradients or not floating or not sample.ref.grads:
        return arrays
    more = run_once(fluid, sample, slots, intermediate, kinds)
    arrays.update({k: v for k, v in more.items() if k.startswith(("grad.", "lod.grad."))})
    return arrays


def run_once(fluid, sample, slots, intermediate, kinds):
    """Returns arrays by ``out.SLOT``, ``lod.SLOT.LEVEL`` and ``grad.SLOT``.

    Args:
        slots (list): pairs of an output slot and whether it is a list.
        intermediate (list): output slots from which no gradient starts.
        kinds (dict): types of results; without any no gradient is asked for.
    """
    main, startup = fluid.Program(), fluid.Program()
    feeds, given, floating = {}, {}, []
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        block = main.global_block()
        for slot, value in sample.inputs.items():
            if value is None:
                continue
            many = isinstance(value, list)
            names = []
            levels = sample.levels.get(slot)
            for i, array in enumerate(value if many else [value]):
                array = _single(np.asarray(array), sample)
                name = slot + "_" + str(i) if many else slot
                lod = (levels[i] if many else levels) if levels else None
                var = block.create_var(
                    name=name, shape=array.shape, dtype=str(array.dtype), is_data=True,
                    stop_gradient=False, lod_level=len(lod or []),
                )  # fmt: skip
                names.append(name)
                feeds[name] = _tensor(fluid, array, lod)
                if array.dtype.kind == "f" and (sample.grad is None or slot in sample.grad):
                    floating.append(var)
            given[slot] = names
        made, outs, targets = {}, [], []
        for slot, many in slots:
            if slot in sample.ref.same:
                made[slot] = [block.var(n) for n in given[sample.ref.same[slot]]]
                outs.append((slot, made[slot][0]))
                continue
            count = sample.ref.outs.get(slot, 1) if many else 1
            names = ["out_" + slot + "_" + str(i) if many else "out_" + slot for i in range(count)]
            made[slot] = []
            for name in names:
                var = block.create_var(name=name, dtype=kinds.get(name[4:], "float32"))
                made[slot].append(var)
                outs.append((name[4:], var))
                if slot not in intermediate:
                    targets.append(var)
        block.append_op(type=sample.op, inputs=given, outputs=made, attrs=dict(sample.attrs))
        names, grads = [], []
        if kinds and floating:
            targets = [v for v in targets if kinds.get(v.name[4:], "").startswith("float")]
            try:
                found = fluid.gradients(targets, floating) if targets else []
            except Exception as error:  # it has none in 1.8.5
                print("no gradient of", sample.op, str(error)[-200:])
                found = []
            kept = [(v.name, g) for v, g in zip(floating, found) if g is not None]
            names, grads = [n for n, _ in kept], [g for _, g in kept]
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(fluid.CPUPlace())
        results = exe.run(main, feeds, [v for _, v in outs] + grads, return_numpy=False)
    arrays = {}
    keys = ["out." + n for n, _ in outs] + ["grad." + n for n in names]
    for key, value in zip(keys, results):
        if value is None:
            continue
        try:
            arrays[key] = np.array(value)
        except Exception as error:  # it was not written
            print("nothing in", key, str(error)[-100:])
            continue
        for i, level in enumerate(value.lod()):
            arrays["lod." + key + "." + str(i)] = np.array(level)
    return arrays


def _single(array, sample):
    return array.astype("float32") if array.dtype.kind == "f" and sample.ref.single else array


def _tensor(fluid, array, lod):
    made = fluid.LoDTensor()
    made.set(array, fluid.CPUPlace())
    if lod:
        made.set_lod(lod)
    return made
