"""Ten training steps of an example in examples/fluid; works with PaddlePaddle 1.8.5 too.

A network is a function of the example that builds in the default Program and returns the loss; the
example's ``batch(random)`` is what it is fed. Where several Programs train in turns it returns
pairs of a Program and its loss, and a batch has a feed for each; where a reader feeds it is
returned with the loss. Parameters are the same here and there.
"""

import importlib.util
import os

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
    "recognize_digits": ["mlp", "conv"],
    "image_classification": ["resnet", "vgg"],
    "gan_digits": ["training"],
    "lexical_tagger": ["training"],
    "ssd": ["training"],
    "yolov3": ["training"],
    "ernie": ["training"],
}


def filled(shape, number):
    """What parameter number so and so of the sorted names begins with."""
    size = int(np.prod(shape))
    if len(shape) > 1:  # waves would be all but equal rows: units that die, and maxima that tie
        spread = np.sqrt(2.0 / np.prod(shape[1:])) if len(shape) == 4 else 0.1
        return np.random.RandomState(number).normal(0, spread, shape)
    return (np.cos(np.arange(size) * 0.37 + number) * 0.2).reshape(shape)


def losses(name, network, steps=10, folder=EXAMPLES):
    """The losses of the first steps."""
    import paddle.fluid as fluid

    path = os.path.join(folder, name + ".py")
    spec = importlib.util.spec_from_file_location(name, path)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    with fluid.scope_guard(fluid.Scope()):
        return _losses(fluid, example, network, steps)


def _losses(fluid, example, network, steps):
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 1
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        trained, reader = getattr(example, network)(), None
        if isinstance(trained, tuple):
            trained, reader = trained
    if not isinstance(trained, list):
        trained = [(main, trained)]
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    parameters = [p for program, _ in trained for p in program.all_parameters()]
    names = sorted({p.name for p in parameters if p.trainable})
    for number, parameter in enumerate(names):
        tensor = fluid.global_scope().find_var(parameter).get_tensor()
        old = np.array(tensor)
        tensor.set(filled(old.shape, number).astype(old.dtype), fluid.CPUPlace())
    random, found = np.random.RandomState(3), []
    if reader is not None:
        reader.start()
    for _ in range(steps):
        feeds = None if reader is not None else example.batch(random)
        feeds = feeds if isinstance(feeds, list) else [feeds]
        for (program, loss), feed in zip(trained, feeds):
            (value,) = exe.run(program, feed, [loss])
            found.append(float(np.array(value).reshape(-1)[0]))
    if reader is not None:
        reader.reset()
    return found
