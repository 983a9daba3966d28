"""TrainingState: runs that are killed and go on, what a file has to fit, and damaged files."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle import nn, optimizer
from paddle.core.random_state import equal, host_state
from paddle.incubate import LookAhead, ModelAverage, TrainingState
from paddle.io import DataLoader, Dataset, Sampler, TensorDataset
from tests.api.test_docstrings import examples
from tests.incubate.training_runs import KINDS, STEPS

ROOT = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "run.pdstate")


# -- whole runs -------------------------------------------------------------------------------


def start(folder, *runs):
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "tests.incubate.training_runs", str(folder), *runs]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=200)


def losses(folder, kind):
    return [line.split() for line in (folder / f"{kind}.losses").read_text().splitlines()]


@pytest.mark.slow
def test_killed_runs_go_on_bit_by_bit(tmp_path):
    done = start(tmp_path / "whole", *KINDS)
    assert done.returncode == 0, done.stderr
    draw = random.Random(12)
    for kind in KINDS:
        last = draw.randrange(6, STEPS - 1)
        killed = start(tmp_path / "killed", f"{kind}:{last}")
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert [int(step) for step, _ in losses(tmp_path / "killed", kind)] == [*range(last + 1)]
    done = start(tmp_path / "killed", *KINDS)
    assert done.returncode == 0, done.stderr
    for kind in KINDS:
        whole, both = losses(tmp_path / "whole", kind), losses(tmp_path / "killed", kind)
        assert len(whole) == STEPS and both[-1] == whole[-1]
        steps = [int(step) for step, _ in both]
        first = next(i for i in range(1, len(steps)) if steps[i] <= steps[i - 1])
        assert 0 < steps[first] <= steps[first - 1]  # it went on, and not from the beginning
        assert all(whole[int(step)] == [step, loss] for step, loss in both), kind


# -- optimizers and schedulers ----------------------------------------------------------------


def averaged(params):
    average = ModelAverage(0.15, parameters=params, min_average_window=2, max_average_window=3)
    return [optimizer.SGD(0.1, parameters=params), average]


def stepped(**options):
    return optimizer.lr.StepDecay(0.1, step_size=2, **options)


OPTIMIZERS = {
    "SGD": lambda p: optimizer.SGD(0.1, parameters=p),
    "Momentum": lambda p: optimizer.Momentum(0.1, parameters=p, use_nesterov=True),
    "Adam": lambda p: optimizer.Adam(stepped(), parameters=p),
    "lazy Adam": lambda p: optimizer.Adam(0.1, parameters=p, lazy_mode=True),
    "AdamW": lambda p: optimizer.AdamW(0.1, parameters=p),
    "Adamax": lambda p: optimizer.Adamax(0.1, parameters=p),
    "Adagrad": lambda p: optimizer.Adagrad(0.1, parameters=p, initial_accumulator_value=0.1),
    "Adadelta": lambda p: optimizer.Adadelta(0.1, parameters=p),
    "RMSProp": lambda p: optimizer.RMSProp(0.1, parameters=p, centered=True, momentum=0.5),
    "Lamb": lambda p: optimizer.Lamb(0.1, parameters=p),
    "LookAhead": lambda p: LookAhead(optimizer.Adam(stepped(), parameters=p), k=3),
    "ModelAverage": averaged,
}


class Table(nn.Layer):
    """A table of which a step uses some rows, a layer, and a buffer that is not persistable."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(9, 4, sparse=True)
        self.last = nn.Linear(4, 1)
        self.register_buffer("seen", paddle.zeros([1]), persistable=False)

    def forward(self, x):
        self.seen = self.seen + 1
        return self.last(self.table(x)) * self.seen


def made(name, parameters=()):
    net = Table()
    extra = [paddle.create_parameter([1], "float32") for _ in parameters]
    held = OPTIMIZERS[name]([*net.parameters(), *extra])
    return net, held if isinstance(held, list) else [held]


def steps(net, held, count):
    found = []
    for _ in range(count):
        ids = paddle.randint(0, 9, [6])
        loss = nn.functional.dropout(net(ids), 0.3).square().mean()
        loss.backward()
        for one in held:
            one.step()
            rate = getattr(one, "inner_optimizer", one)._learning_rate
            if isinstance(rate, optimizer.lr.LRScheduler):
                rate.step()
        held[0].clear_grad()
        found.append(loss.numpy().tobytes())
    return found + [p.numpy().tobytes() for p in net.parameters()]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_go_on(name, path):
    paddle.seed(1)
    net, held = made(name)
    steps(net, held, 4)
    TrainingState(layers=net, optimizers=held).save(path)
    wanted = steps(net, held, 5)
    paddle.seed(2)
    net, held = made(name)
    steps(net, held, 1 if name == "Adam" else 0)  # one that already has a state of its own
    TrainingState(layers=net, optimizers=held).load(path)
    assert steps(net, held, 5) == wanted


def test_many_updates_and_a_rate_set_by_hand(path):
    net = nn.Linear(2, 1)
    adam = optimizer.Adam(0.1, beta2=0.5, parameters=net.parameters())
    adam.set_lr(0.03)
    net(paddle.ones([1, 2])).sum().backward()
    adam.step()
    for held in adam._steps:
        adam._steps[held] = 5_000_000  # a power of beta does not tell these apart
    TrainingState(layers=net, optimizers=adam).save(path)
    again = optimizer.Adam(0.1, beta2=0.5, parameters=net.parameters())
    TrainingState(layers=net, optimizers=again).load(path)
    assert again.get_lr() == 0.03 and set(again._steps.values()) == {5_000_000}


def test_low_precision_has_its_master_copies(path):
    paddle.seed(3)

    def run(net, adam, count):
        for _ in range(count):
            net(paddle.rand([4, 3]).astype("bfloat16")).mean().backward()
            adam.step()
            adam.clear_grad()
        return [p.numpy().tobytes() for p in net.parameters()]

    def new():
        net = nn.Linear(3, 2)
        net.to(dtype="bfloat16")
        return net, optimizer.Adam(0.001, parameters=net.parameters(), multi_precision=True)

    net, adam = new()
    run(net, adam, 3)
    TrainingState(layers=net, optimizers=adam).save(path)
    wanted = run(net, adam, 4)
    net, adam = new()
    TrainingState(layers=net, optimizers=adam).load(path)
    assert run(net, adam, 4) == wanted


def test_gradients_that_wait(path):
    net = Table()
    net.last.bias.stop_gradient = True
    sgd = optimizer.SGD(0.1, parameters=net.parameters())
    net(paddle.to_tensor([1, 5, 1])).sum().backward()
    net.last.weight.clear_grad()
    TrainingState(layers=net, optimizers=sgd).save(path)
    wanted = net.table.weight.grad.numpy()
    again = Table()
    again(paddle.to_tensor([2])).sum().backward()
    state = TrainingState(layers=again, optimizers=optimizer.SGD(parameters=again.parameters()))
    state.load(path)
    assert again.table.weight._grad.is_rows
    np.testing.assert_array_equal(again.table.weight.grad.numpy(), wanted)
    assert again.last.bias.grad is None
    assert not again.last.weight.grad.numpy().any()
    net.table.weight.grad = paddle.ones([9, 4])  # one that is dense
    TrainingState(layers=net).save(path)
    TrainingState(layers=again).load(path)
    assert again.table.weight.grad.numpy().sum() == 36


LR = optimizer.lr
SCHEDULERS = {
    "NoamDecay": lambda: LR.NoamDecay(8, 4),
    "PiecewiseDecay": lambda: LR.PiecewiseDecay([2, 4], [0.3, 0.2, 0.1]),
    "NaturalExpDecay": lambda: LR.NaturalExpDecay(0.5, 0.1),
    "InverseTimeDecay": lambda: LR.InverseTimeDecay(0.5, 0.1),
    "PolynomialDecay": lambda: LR.PolynomialDecay(0.5, 5, cycle=True),
    "LinearWarmup": lambda: LR.LinearWarmup(LR.CosineAnnealingDecay(0.5, 4), 3, 0.0, 0.5),
    "ExponentialDecay": lambda: LR.ExponentialDecay(0.5, 0.9),
    "MultiStepDecay": lambda: LR.MultiStepDecay(0.5, [2, 5]),
    "StepDecay": lambda: LR.StepDecay(0.5, 2),
    "LambdaDecay": lambda: LR.LambdaDecay(0.5, lambda e: 0.9**e),
    "CosineAnnealingDecay": lambda: LR.CosineAnnealingDecay(0.5, 3),
    "ReduceOnPlateau": lambda: LR.ReduceOnPlateau(0.5, patience=1, factor=0.5, cooldown=1),
}


@pytest.mark.parametrize("name", SCHEDULERS)
def test_schedulers_go_on(name, path):
    def run(schedule, first, count):
        found = []
        for i in range(first, first + count):
            schedule.step(*[[1.0, 0.9, 0.95, 1.2][i % 4]] if name == "ReduceOnPlateau" else ())
            found.append(schedule())
        return found

    one = SCHEDULERS[name]()
    run(one, 0, 4)
    TrainingState(schedulers=one).save(path)
    wanted = run(one, 4, 6)
    again = SCHEDULERS[name]()
    TrainingState(schedulers=[again]).load(path)
    assert run(again, 4, 6) == wanted


def test_every_schedule_is_tried():
    named = {
        n for n, v in vars(LR).items() if isinstance(v, type) and issubclass(v, LR.LRScheduler)
    }
    assert named - {"LRScheduler"} <= set(SCHEDULERS)


def test_tiny_moments_are_dropped_when_they_would_have_been(path):
    from paddle.ops.optimizer import lists as kernels

    TrainingState().save(path)
    before = kernels.updates()
    kernels.set_updates(before + 17)
    TrainingState().load(path)
    assert kernels.updates() == before


# -- random numbers, extra, samplers ----------------------------------------------------------


def test_everything_random_goes_back(path):
    paddle.seed(5)
    state = TrainingState()
    state.save(path)
    numbers = paddle.rand([3]).numpy().tolist(), np.random.rand(), random.random()
    paddle.seed(6)
    state.load(path)
    assert (paddle.rand([3]).numpy().tolist(), np.random.rand(), random.random()) == numbers


def test_extra_holds_what_the_user_counts(path):
    extra = {
        "step": 3, "name": "run", "best": None, 7: (1.5, [True]), "mean": np.arange(3.0),
        "ema": paddle.to_tensor([1.0, 2.0], "bfloat16"), "flag": paddle.to_tensor([True]),
        "scalar": np.float32(2.5), "ids": {1, 2},
    }  # fmt: skip
    TrainingState(extra=extra).save(path)
    mine = {"old": 1}
    state = TrainingState(extra=mine)
    state.load(path)
    assert state.extra is mine and set(mine) == set(extra)
    for key in ("step", "name", "best", 7, "scalar", "ids"):
        assert mine[key] == extra[key]
    assert mine["mean"].tolist() == [0, 1, 2]
    assert mine["ema"].dtype == paddle.bfloat16 and mine["flag"].dtype == paddle.bool
    assert mine["ema"].astype("float32").numpy().tolist() == [1, 2]


def test_extra_that_no_file_can_hold_leaves_the_file_as_it_was(path):
    state = TrainingState(extra={"step": 1})
    state.save(path)
    before = Path(path).read_bytes()
    for bad, text in ((object(), r"extra\['x'\] is a object"), (np.array(["a"]), "is a ndarray")):
        state.extra["x"] = bad
        with pytest.raises(TypeError, match=text):
            state.save(path)
    state.extra["x"] = loop = []
    loop.append(loop)
    with pytest.raises(TypeError, match="nested too deeply, or holds itself"):
        state.save(path)
    assert Path(path).read_bytes() == before
    assert os.listdir(os.path.dirname(path)) == ["run.pdstate"]


class Own(Sampler):
    def __init__(self, fails=False):
        self.at, self.fails = 0, fails

    def state_dict(self):
        return {"at": self.at}

    def set_state_dict(self, state):
        self.at = state["at"]
        if self.fails and self.at:
            raise RuntimeError("no")


def test_samplers_and_scalers(path):
    sampler, scaler = Own(), paddle.amp.GradScaler(init_loss_scaling=8.0)
    sampler.at = 4
    TrainingState(samplers=sampler, scalers=scaler).save(path)
    again, other = Own(), paddle.amp.GradScaler()
    TrainingState(samplers=[again], scalers=[other]).load(path)
    assert again.at == 4 and other.state_dict()["scale"] == 8


# -- files that do not fit --------------------------------------------------------------------


def image(net, held):
    """What must not change where loading fails."""
    return [p.numpy().tobytes() for p in net.parameters()], held.state_dict().keys(), host_state()


def test_nothing_is_loaded_where_one_thing_does_not_fit(path):
    net = nn.Linear(2, 3)
    adam = optimizer.Adam(parameters=net.parameters())
    loader = DataLoader(TensorDataset([paddle.rand([4, 2])]), batch_size=2)
    net(paddle.ones([1, 2])).sum().backward()
    adam.step()
    kept = {"layers": net, "optimizers": adam, "loaders": loader}
    TrainingState(**kept).save(path)
    small = nn.Linear(2, 2)
    half = DataLoader(TensorDataset([paddle.rand([2, 2])]), batch_size=2)
    sgd = optimizer.SGD(parameters=net.parameters())
    scheduled = optimizer.Adam(optimizer.lr.NoamDecay(2, 2), parameters=net.parameters())
    other = {
        r"layers\[0\], 'weight': expected float32 of shape \[2, 2\]": {"layers": small},
        r"layers\[0\]: the file belongs to something else: it lacks '0.weight', '0.bias', and it "
        "has 'weight', 'bias' besides": {"layers": nn.Sequential(net)},
        r"optimizers\[0\]: expected SGD, but the file has 'Adam'": {"optimizers": sgd},
        r"lacks 'schedulers\[0\]'": {"optimizers": scheduled},
        r"it has 'loaders\[0\]' besides": {"loaders": None},
        "saved with 2 batches, but this loader has 1": {"loaders": half},
        r"lacks 'scalers\[0\]'": {"scalers": paddle.amp.GradScaler()},
    }
    before = image(net, adam)
    for text, changed in other.items():
        state = TrainingState(**{**kept, **changed}, extra={"step": 1})
        with pytest.raises(ValueError, match=text):
            state.load(path)
        assert state.extra == {"step": 1}
    after = image(net, adam)
    assert before[:2] == after[:2] and equal(before[2], after[2])
    TrainingState(**kept).load(path)


def test_an_object_of_the_user_that_fails_changes_nothing(path):
    net, good, bad = nn.Linear(2, 2), Own(), Own()
    good.at = bad.at = 3
    TrainingState(layers=net, samplers=[good, bad]).save(path)
    again, first, second = nn.Linear(2, 2), Own(), Own(fails=True)
    before = again.weight.numpy().copy()
    with pytest.raises(ValueError, match=r"samplers\[1\]: RuntimeError: no"):
        TrainingState(layers=again, samplers=[first, second]).load(path)
    assert first.at == second.at == 0
    np.testing.assert_array_equal(again.weight.numpy(), before)


def test_damaged_and_foreign_files(path, tmp_path):
    net = nn.Linear(4, 4)
    state = TrainingState(layers=net)
    state.save(path)
    whole = Path(path).read_bytes()
    before = net.weight.numpy().copy()
    net.weight.set_value(before + 1)
    draw = random.Random(4)
    for _ in range(60):
        at = draw.randrange(len(whole))
        damaged = bytearray(whole)
        damaged[at] ^= 1 << draw.randrange(8)
        Path(path).write_bytes(damaged)
        with pytest.raises(ValueError, match=r"damaged|is another file"):
            state.load(path)
        Path(path).write_bytes(whole[:at])
        with pytest.raises(ValueError, match="another file, or its end is missing"):
            state.load(path)
    paddle.save(net.state_dict(), path)
    with pytest.raises(ValueError, match=r"expected a file that TrainingState\.save wrote"):
        state.load(path)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        state.load(str(tmp_path / "missing"))
    np.testing.assert_array_equal(net.weight.numpy(), before + 1)
    Path(path).write_bytes(whole)
    state.load(path)
    np.testing.assert_array_equal(net.weight.numpy(), before)


def mutants(value, draw):
    """The tree with one of its values replaced by another one."""
    if isinstance(value, dict) and value and draw.random() < 0.8:
        key = draw.choice(list(value))
        return {**value, key: mutants(value[key], draw)}
    if isinstance(value, list) and value and draw.random() < 0.8:
        i = draw.randrange(len(value))
        return [*value[:i], mutants(value[i], draw), *value[i + 1 :]]
    return draw.choice([None, -1, 2**70, "x", [], {}, {"a": 1}, np.zeros(3), np.zeros((2, 2))])


def test_well_formed_files_with_other_content(path):
    from paddle.hapi.training_state import file

    def new():
        net = nn.Linear(2, 2)
        adam = optimizer.Adam(stepped(), parameters=net.parameters())
        data = TensorDataset([paddle.rand([6, 2])])
        loader = DataLoader(data, batch_size=2, shuffle=True)
        scaler = paddle.amp.GradScaler()
        kept = {"layers": net, "optimizers": adam, "loaders": loader, "scalers": scaler}
        return net, adam, loader, TrainingState(**kept, extra={"n": 1})

    net, adam, loader, state = new()
    for (x,) in loader:
        net(x).sum().backward()
        adam.step()
        state.save(path)
        break
    good, draw = file.read(path), random.Random(7)
    for _ in range(150):
        file.write(path, mutants(good, draw) if draw.random() < 0.95 else {})
        try:
            state.load(path)
        except ValueError as error:
            assert "TrainingState.load" in str(error) and len(str(error)) < 2000, error
        list(loader)


def test_bad_arguments(path):
    with pytest.raises(TypeError, match=r"TrainingState\(layers\): expected a Layer or a list of"):
        TrainingState(layers=3)
    with pytest.raises(TypeError, match=r"TrainingState\(model\): expected a paddle.Model"):
        TrainingState(model=nn.Linear(1, 1))
    with pytest.raises(TypeError, match=r"TrainingState\(extra\): expected a dict"):
        TrainingState(extra=[1])
    with pytest.raises(TypeError, match=r"TrainingState.save\(path\): expected a str"):
        TrainingState().save(3)
    with pytest.raises(RuntimeError, match=r"TrainingState\.epochs: expected loaders"):
        TrainingState().epochs(2)
    with pytest.raises(RuntimeError, match="expected TrainingState"):
        TrainingState().callback(path)
    state = TrainingState(model=paddle.Model(nn.Linear(1, 1)))
    with pytest.raises(ValueError, match=r"callback\(save_freq\): expected at least 1"):
        state.callback(path, save_freq=0)
    with pytest.raises(TypeError, match=r"callback\(save_steps\): expected an int"):
        state.callback(path, save_steps="a")
    paddle.enable_static()
    try:
        net = nn.Linear(1, 1)
        with pytest.raises(ValueError, match=r"'weight' is a variable of a Program"):
            TrainingState(layers=net)
        with pytest.raises(ValueError, match="expected an optimizer of eager parameters"):
            TrainingState(optimizers=optimizer.SGD(parameters=net.parameters()))
        main = paddle.static.default_main_program()
        with pytest.raises(RuntimeError, match="run the startup program first"):
            TrainingState(programs=main, scope=paddle.static.Scope()).save(path)
    finally:
        paddle.disable_static()


# -- epochs and Model.fit ---------------------------------------------------------------------


def test_epochs_are_counted_by_the_loaders(path):
    def new():
        loader = DataLoader(TensorDataset([paddle.rand([4, 2])]), batch_size=1)
        return loader, TrainingState(loaders=loader)

    loader, state = new()
    for epoch in state.epochs(5):
        for i, _ in enumerate(loader):
            if (epoch, i) == (1, 3):
                state.save(path)  # the last batch; what follows it is still to be done
        if epoch == 2:
            state.save(path + "2")  # all of this epoch is done
    state.save(path + "3")
    found = []
    for end in ("", "2", "3"):
        loader, state = new()
        state.load(path + end)
        found.append([(epoch, len(list(loader))) for epoch in state.epochs(5)])
    assert found == [[(1, 0), (2, 4), (3, 4), (4, 4)], [(3, 4), (4, 4)], []]


class Points(Dataset):
    def __getitem__(self, i):
        return np.full([2], i / 8, "float32"), np.array([i / 4], "float32")

    def __len__(self):
        return 8


class Story(paddle.callbacks.Callback):
    """Writes down what is called, and stops the process (as far as fit sees) at one place."""

    def __init__(self, stop=None):
        super().__init__()
        self.seen, self.stop = [], stop

    def note(self, *what):
        if what == self.stop:
            raise KeyboardInterrupt
        self.seen.append(what)

    def on_epoch_begin(self, epoch, logs=None):
        self.note("epoch", epoch)
        self.epoch = epoch

    def on_train_batch_end(self, step, logs=None):
        self.note("step", self.epoch, step, float(logs["loss"][0]))

    def on_epoch_end(self, epoch, logs=None):
        self.note("end", epoch, float(logs["loss"][0]))

    def on_eval_begin(self, logs=None):
        self.note("eval", self.epoch)

    def on_eval_end(self, logs=None):
        self.note("evaluated", float(logs["loss"][0]))


def fitted(path, stop=None, epochs=3, more=(), **options):
    paddle.seed(11)
    net = nn.Sequential(nn.Linear(2, 4), nn.Dropout(0.5), nn.Linear(4, 1))
    model = paddle.Model(net)
    model.prepare(optimizer.Adam(0.05, parameters=net.parameters()), nn.MSELoss())
    story, state = Story(stop), TrainingState(model=model)
    keep = state.callback(path, **options)
    try:
        model.fit(
            Points(), Points(), batch_size=2, epochs=epochs, verbose=0,
            callbacks=[keep, story, *more],
        )  # fmt: skip
    except KeyboardInterrupt:
        pass
    return story.seen


def test_fit_goes_on_at_the_end_of_an_epoch(path):
    whole = fitted(path + "whole")
    cut = fitted(path, stop=("eval", 1))
    assert cut == whole[: len(cut)]
    rest = fitted(path)  # the epoch's steps were done, its evaluation was not
    assert rest == [("epoch", 1), *whole[len(cut) :]]


def test_fit_goes_on_after_the_last_step_of_an_epoch(path):
    whole = fitted(path + "whole")
    ends = [what for what in whole if what[0] == "end"]
    cut = fitted(path, stop=ends[1], save_steps=4)
    assert cut == whole[: len(cut)]
    rest = fitted(path, save_steps=4)
    assert rest == [("epoch", 1), *whole[len(cut) :]]


def test_a_complete_fit_stays_complete_and_more_epochs_go_on(path):
    whole = fitted(path + "whole", epochs=4)
    first = fitted(path, epochs=2)
    assert fitted(path, epochs=2) == []
    assert first + fitted(path, epochs=4) == whole


def test_early_stopping_remembers(path):
    def stopper():
        return paddle.callbacks.EarlyStopping(patience=2, min_delta=100.0, verbose=0)

    whole = fitted(path + "whole", epochs=9, more=[stopper()])
    assert [what[1] for what in whole if what[0] == "epoch"] == [0, 1, 2]
    fitted(path, epochs=9, stop=("epoch", 2), more=[stopper()])
    rest = fitted(path, epochs=9, more=[stopper()])
    assert rest[0] == ("epoch", 1) and rest[1] == ("eval", 1)
    assert rest[1:] == whole[1 - len(rest) :]
    assert fitted(path, epochs=9, more=[stopper()]) == []


def test_fit_of_a_list_of_batches(path):
    batches = [(paddle.ones([2, 2]) * i, paddle.ones([2, 1])) for i in range(5)]

    def run(last=None):
        paddle.seed(2)
        model = paddle.Model(nn.Linear(2, 1))
        model.prepare(optimizer.SGD(0.01, parameters=model.parameters()), nn.MSELoss())
        story = Story(last)
        keep = TrainingState(model=model).callback(path, save_steps=1)
        try:
            model.fit(batches, epochs=2, verbose=0, callbacks=[story, keep])
        except KeyboardInterrupt:
            pass
        return story.seen

    whole = run()
    os.unlink(path)
    cut = run(next(what for what in whole if what[:3] == ("step", 1, 3)))
    assert run() == [("epoch", 1), *whole[len(cut) :]]


def test_a_state_saved_by_fit_can_be_loaded_outside_of_it(path):
    fitted(path)
    model = paddle.Model(nn.Sequential(nn.Linear(2, 4), nn.Dropout(0.5), nn.Linear(4, 1)))
    model.prepare(optimizer.Adam(0.05, parameters=model.parameters()), nn.MSELoss())
    TrainingState(model=model).load(path)
    assert model.evaluate(Points(), batch_size=8, verbose=0)["loss"][0] < 10


DOCUMENTED = [
    TrainingState, TrainingState.save, TrainingState.epochs, TrainingState.callback,
    paddle.get_rng_state, paddle.set_rng_state, paddle.amp.GradScaler.state_dict,
    paddle.amp.GradScaler.load_state_dict, Sampler.state_dict, Sampler.set_state_dict,
]  # fmt: skip


@pytest.mark.parametrize("documented", DOCUMENTED, ids=lambda d: d.__qualname__)
def test_examples_run(documented):
    found = examples(documented.__doc__)
    assert found
    for source in found:
        exec(compile(source, "<example>", "exec"), {"__name__": "__example__"})


def test_reduce_lr_on_plateau_remembers():
    one = paddle.callbacks.ReduceLROnPlateau(patience=3)
    one.best, one.wait, one.cooldown_counter, one.epoch = 0.5, 2, 1, 6
    again = paddle.callbacks.ReduceLROnPlateau(patience=3)
    again.set_state_dict(one.state_dict())
    assert (again.best, again.wait, again.cooldown_counter, again.epoch) == (0.5, 2, 1, 6)
