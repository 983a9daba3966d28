"""Every schedule follows its formula for 50 steps, stepped one by one or moved to a step."""

import json
from pathlib import Path

import pytest

from paddle.optimizer import lr

FACTS = json.loads((Path(__file__).parents[1] / "data" / "lr_curves.json").read_text())
CURVES, PLATEAU = FACTS["curves"], FACTS["plateau"]


def build(record):
    args = {k: build(v) if isinstance(v, dict) else v for k, v in record["args"].items()}
    return getattr(lr, record["cls"])(**args)


@pytest.mark.parametrize("name", CURVES)
def test_stepping_follows_the_formula(name):
    scheduler = build(CURVES[name])
    rates = [scheduler()]
    for _ in range(50):
        assert scheduler.step() is None
        assert scheduler.last_lr == scheduler()
        rates.append(scheduler())
    assert scheduler.last_epoch == 50
    assert rates == pytest.approx(CURVES[name]["values"], rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("name", CURVES)
def test_moving_to_a_step_follows_the_formula(name):
    scheduler = build(CURVES[name])
    for epoch in (0, 1, 7, 20, 3, 50):
        scheduler.step(epoch)
        assert scheduler.last_epoch == epoch
        assert scheduler() == pytest.approx(CURVES[name]["values"][epoch], rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("name", CURVES)
def test_state_continues_in_a_new_scheduler(name):
    first, second = build(CURVES[name]), build(CURVES[name])
    for _ in range(13):
        first.step()
    second.set_state_dict(json.loads(json.dumps(first.state_dict())))
    assert second() == first()
    for _ in range(20):
        first.step()
        second.step()
        assert second() == first()
    assert second.state_dict() == first.state_dict()


@pytest.mark.parametrize(
    "name", [n for n, r in CURVES.items() if r["cls"] != "CosineAnnealingDecay"]
)
def test_last_epoch_starts_in_the_middle(name):
    record = CURVES[name]
    scheduler = build({**record, "args": {**record["args"], "last_epoch": 9}})
    assert scheduler.last_epoch == 10
    assert scheduler() == pytest.approx(record["values"][10], rel=1e-12)


@pytest.mark.parametrize("name", PLATEAU)
def test_plateau(name):
    record = PLATEAU[name]
    scheduler = lr.ReduceOnPlateau(0.5, **record["args"])
    rates = [scheduler()]
    for metric in record["metrics"]:
        scheduler.step(metric)
        rates.append(scheduler())
    assert rates == pytest.approx(record["values"], rel=1e-12)
    assert scheduler.state_dict() == pytest.approx(record["state"], rel=1e-12)


def test_plateau_state_continues_in_a_new_scheduler():
    record = PLATEAU["noisy"]
    first, second = (lr.ReduceOnPlateau(0.5, **record["args"]) for _ in range(2))
    for metric in record["metrics"][:17]:
        first.step(metric)
    second.set_dict(first.state_dict())
    for metric in record["metrics"][17:]:
        second.step(metric)
    assert second() == pytest.approx(record["values"][-1], rel=1e-12)
