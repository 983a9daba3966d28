"""Ten training steps of an example in examples/fluid; works with PaddlePaddle 1.8.5 too.

A network is a function of the example that builds in the default Program and returns the loss; the
example's ``batch(random)`` is what it is fed. Parameters are the same here and there.
"""

import importlib
import os
import sys

import numpy as np

EXAMPLES = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))),
    "examples", "fluid",
)  # fmt: skip
# Example -> its functions that build what is trained.
BOOKS = {
    "fit_a_line": ["training"],
    "word2vec": ["training"],
    "recommender_system": ["training"],
    "understand_sentiment": ["conv", "rnn", "lstm"],
    "label_semantic_roles": ["training"],
    "machine_translation": ["training"],
}


def filled(shape, number):
    """What parameter number so and so of the sorted names begins with."""
    size = int(np.prod(shape))
    return (np.cos(np.arange(size) * 0.37 + number) * 0.2).reshape(shape)


def losses(name, network, steps=10):
    """The losses of the first steps."""
    import paddle.fluid as fluid

    if EXAMPLES not in sys.path:
        sys.path.insert(0, EXAMPLES)
    example = importlib.import_module(name)
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 1
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        loss = getattr(example, network)()
    random = np.random.RandomState(3)
    found = []
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        names = sorted(p.name for p in main.all_parameters() if p.trainable)
        for number, parameter in enumerate(names):
            tensor = fluid.global_scope().find_var(parameter).get_tensor()
            old = np.array(tensor)
            tensor.set(filled(old.shape, number).astype(old.dtype), fluid.CPUPlace())
        for _ in range(steps):
            (value,) = exe.run(main, example.batch(random), [loss])
            found.append(float(np.array(value).reshape(-1)[0]))
    return found
