"""Cases as lines of a table: a call, and the arrays that are fed into it."""

import numpy as np


def f(*shape):
    """Numbers in (-1, 1) of which no two are the same."""
    n = int(np.prod(shape))
    return np.sin(np.arange(n) * 1.7 + 0.3 + len(shape)).astype("float32").reshape(shape)


def pos(*shape):
    """Numbers in (0.2, 1.2)."""
    return (np.abs(f(*shape)) + 0.2).astype("float32")


def i(values, dtype="int64"):
    return np.array(values, dtype)


def probabilities(*shape):
    """Rows that sum to one."""
    e = np.exp(f(*shape))
    return (e / e.sum(-1, keepdims=True)).astype("float32")


def cases(space):
    """Returns what adds cases to a module.

    The call gets ``fluid.layers`` and a Variable for each array, by its name; of a Variable the
    first size is unknown, unless ``fixed``. Further options are those that cases have.
    """

    def add(name, call, fixed=False, fluid_too=False, options=(), **feeds):
        def case(fluid):
            given = {}
            for key, value in sorted(feeds.items()):
                array = value[0] if isinstance(value, tuple) else value
                levels = len(value[1]) if isinstance(value, tuple) else 0
                shape = list(array.shape)
                if len(shape) > 1 and not fixed:
                    shape[0] = None
                given[key] = fluid.data(key, shape, str(array.dtype), levels)
            made = call(fluid if fluid_too else fluid.layers, **given)
            return feeds, list(made) if isinstance(made, (list, tuple)) else [made]

        for key, value in dict(options).items():
            setattr(case, key, value)
        assert "case_" + name not in space, name
        space["case_" + name] = case

    return add
