"""Expressions of Variables, numbers and arrays; works with PaddlePaddle 1.8.5 (Python 3.7) too."""

import operator

import numpy as np

SHAPES = [[-1, 3], [-1], [3], [1], [-1, 1], [2, 3], [-1, 2, 3], [2]]
OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "**": operator.pow, "//": operator.floordiv, "%": operator.mod, "<": operator.lt,
    "==": operator.eq, ">=": operator.ge,
}  # fmt: skip
NUMBERS = {
    "2": 2, "2.5": 2.5, "True": True, "0": 0, "-1": -1, "f32": np.float32(2), "i64": np.int64(2),
    "None": None, "list": [1, 2],
}  # fmt: skip
TYPES = [
    ("float32", "int64"), ("int64", "float32"), ("int32", "int64"), ("float64", "float32"),
    ("int32", "float32"),
]  # fmt: skip

ROWS = np.arange(6, dtype="float32").reshape(2, 3) + 1
SQUARE = np.array([[1.0, 2], [3, 4]], "float32")
BATCH = np.array([10, 100], "float32")
WHOLE = np.array([[7, -7], [9, 2]], "int64")
DIVISORS = np.array([[2, 2], [4, 5]], "int64")
# Expressions that are run, with these as x and y.
RUN = [
    (ROWS, BATCH, "x*y x-y y-x x+y x/y x<y y*x x==y"),
    (SQUARE, BATCH, "x*y x-y y-x x/y x<y"),
    (WHOLE, DIVISORS, "x/2 x/y x//2 x//y x**2 x**2.5 x>2.5 x*2 x*True x<3 x/2.5 x//2.5 2-x x+1"
     " x==7.9 x-y"),
    (ROWS - 3, ROWS, "x*2 x%2.5 x**2 2**x 3/y 1-x x<=0 x/y"),
]  # fmt: skip


def recorded(fluid):
    """Expression -> [operators, (shape, dtype) of the result]; None where it is refused."""
    found = {}
    for kind in ("float32", "int64"):
        for a in SHAPES:
            for b in SHAPES:
                wide = (a, b) in (([-1, 3], [-1]), ([-1], [-1, 3]), ([3], [-1, 3]))
                for sign in OPERATORS if wide else ("*", "-"):
                    made = _described(fluid, sign, (a, kind), (b, kind))
                    found["%s %s %s %s" % (a, sign, b, kind)] = made
        for name, number in NUMBERS.items():
            for sign in OPERATORS:
                made = _described(fluid, sign, ([-1, 3], kind), number)
                found["x %s %s %s" % (sign, name, kind)] = made
                made = _described(fluid, sign, number, ([-1, 3], kind))
                found["%s %s x %s" % (name, sign, kind)] = made
    for first, second in TYPES:
        for sign in ("+", "<", "/"):
            made = _described(fluid, sign, ([-1, 3], first), ([-1, 3], second))
            found["%s %s %s" % (first, sign, second)] = made
    return found


def _described(fluid, sign, *operands):
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
        values = [
            fluid.data("xy"[i], *each) if isinstance(each, tuple) else each
            for i, each in enumerate(operands)
        ]
        try:
            out = OPERATORS[sign](*values)
        except Exception:
            return None
        if not isinstance(out, fluid.Variable):
            return None
        ops = []
        for op in main.global_block().ops:
            names = [n for slot in sorted(op.input_names) for n in op.input(slot)]
            names += ["->"] + [n for slot in op.output_names for n in op.output(slot)]
            attrs = {
                name: op.attr(name) for name in ("axis", "scale", "bias", "value", "shape", "dtype")
                if op.has_attr(name)
            }  # fmt: skip
            for name in ("scale", "bias", "value"):
                if name in attrs:
                    attrs[name] = round(float(attrs[name]), 6)
            ops.append([op.type, names, attrs])
        return [ops, list(out.shape), int(out.dtype)]


def computed(fluid):
    """Number of the values and expression -> [dtype, numbers]."""
    found = {}
    for i, (x, y, expressions) in enumerate(RUN):
        for text in expressions.split():
            main = fluid.Program()
            with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
                names = {}
                for name, array in (("x", x), ("y", y)):
                    names[name] = fluid.data(name, [-1] + list(array.shape[1:]), str(array.dtype))
                out = eval(text, names)
                exe = fluid.Executor(fluid.CPUPlace())
                feed = {name: array for name, array in (("x", x), ("y", y)) if name in text}
                value = exe.run(main, feed=feed, fetch_list=[out])[0]
            found["%d %s" % (i, text)] = [str(value.dtype), value.tolist()]
    return found
