"""Agents of PARL learn small games; run by PaddlePaddle 1.8.5 as well, to compare.

    PYTHONPATH=.venv/clients python tests/clients/parl_agents.py RESULTS.npz

PaddlePaddle 1.8.5 (Python 3.7) wrote tests/data/parl-1.3.2.npz with it.
"""

from __future__ import annotations

import os
import sys
import tempfile

import numpy as np
from fluid_parts import import_all, wave

STATES, ACTIONS = 6, 2


class Corridor:
    """A row of places; who goes right to the end gets 1, each step costs a little."""

    def reset(self) -> np.ndarray:
        """Starts at the second place."""
        self.place, self.steps = 1, 0
        return self.seen()

    def seen(self) -> np.ndarray:
        """Where one is."""
        return np.eye(STATES, dtype="float32")[self.place]

    def step(self, action: int) -> tuple:
        """Goes left (0) or right (1)."""
        self.place = max(0, self.place + (1 if action else -1))
        self.steps += 1
        won = self.place == STATES - 1
        return self.seen(), 1.0 if won else -0.05, won or self.steps == 20


def set_weights(agent) -> None:
    """Gives an agent's networks weights that follow from their order and shape."""
    weights = agent.get_weights()
    agent.set_weights(
        {
            name: [wave(array.shape, i, 0.4) for i, array in enumerate(arrays)]
            for name, arrays in weights.items()
        }
        if isinstance(weights, dict)
        else [wave(array.shape, i, 0.4) for i, array in enumerate(weights)]
    )


def make_dqn(fluid, parl):
    """The network of values, and the agent that plays by it."""
    layers = parl.layers

    class Values(parl.Model):
        def __init__(self):
            self.first = layers.fc(size=16, act="relu")
            self.last = layers.fc(size=ACTIONS)

        def value(self, obs):
            return self.last(self.first(obs))

    class Player(parl.Agent):
        def __init__(self, algorithm):
            super().__init__(algorithm)
            self.steps = 0

        def build_program(self):
            self.pred_program, self.learn_program = fluid.Program(), fluid.Program()
            with fluid.program_guard(self.pred_program):
                obs = layers.data("obs", [STATES])
                self.value = self.alg.predict(obs)
            with fluid.program_guard(self.learn_program):
                obs = layers.data("obs", [STATES])
                action = layers.data("act", [1], dtype="int32")
                reward = layers.data("reward", [], dtype="float32")
                next_obs = layers.data("next_obs", [STATES])
                terminal = layers.data("terminal", [], dtype="bool")
                self.cost = self.alg.learn(obs, action, reward, next_obs, terminal)

        def predict(self, obs):
            feed = {"obs": obs[None].astype("float32")}
            [values] = self.fluid_executor.run(self.pred_program, feed, [self.value])
            return values[0]

        def learn(self, obs, action, reward, next_obs, terminal):
            if self.steps % 20 == 0:
                self.alg.sync_target()
            self.steps += 1
            feed = {
                "obs": obs, "act": action.astype("int32"), "reward": reward,
                "next_obs": next_obs, "terminal": terminal,
            }  # fmt: skip
            return float(self.fluid_executor.run(self.learn_program, feed, [self.cost])[0][0])

    model = Values()
    algorithm = parl.algorithms.DQN(model, act_dim=ACTIONS, gamma=0.9, lr=0.01)
    return Player(algorithm)


def by_values(found: dict, fluid, parl, folder: str) -> None:
    """DQN, from what was remembered; saved, restored."""
    from parl.utils import ReplayMemory

    agent = make_dqn(fluid, parl)
    set_weights(agent)
    memory, draw, game = ReplayMemory(1000, STATES, 1), np.random.RandomState(3), Corridor()
    costs = []
    obs = game.reset()
    np.random.seed(8)
    for step in range(560):
        values = agent.predict(obs)
        free = step < 360 or draw.rand() < 0.1
        action = int(draw.randint(ACTIONS)) if free else int(values.argmax())
        next_obs, reward, over = game.step(action)
        memory.append(obs, action, reward, next_obs, over)
        obs = game.reset() if over else next_obs
        if step >= 360:
            costs.append(agent.learn(*memory.sample_batch(16)))
    found["dqn_costs"] = np.array(costs)
    places = [np.eye(STATES)[place] for place in range(STATES - 1)]
    found["dqn_values"] = np.array([agent.predict(place) for place in places])
    found["dqn_actions"] = found["dqn_values"].argmax(1)
    path = os.path.join(folder, "dqn.ckpt")
    agent.save(path)
    set_weights(agent)
    agent.restore(path)
    again = np.array([agent.predict(place) for place in places])
    np.testing.assert_array_equal(again, found["dqn_values"])


def by_policy(found: dict, fluid, parl) -> None:
    """Policy gradient, from whole games, by a Program that is compiled."""
    layers = parl.layers

    class Policy(parl.Model):
        def __init__(self):
            self.first = layers.fc(size=10, act="tanh")
            self.last = layers.fc(size=ACTIONS, act="softmax")

        def forward(self, obs):
            return self.last(self.first(obs))

    class Player(parl.Agent):
        def build_program(self):
            self.pred_program, self.train_program = fluid.Program(), fluid.Program()
            with fluid.program_guard(self.pred_program):
                self.chances = self.alg.predict(layers.data("obs", [STATES]))
            with fluid.program_guard(self.train_program):
                obs = layers.data("obs", [STATES])
                act = layers.data("act", [1], dtype="int64")
                reward = layers.data("reward", [1], dtype="float32")
                self.cost = self.alg.learn(obs, act, reward)
            self.learn_program = parl.compile(self.train_program, self.cost)

        def predict(self, obs):
            feed = {"obs": obs[None]}
            return self.fluid_executor.run(self.pred_program, feed, [self.chances])[0][0]

        def learn(self, obs, act, reward):
            feed = {"obs": obs, "act": act[:, None], "reward": reward[:, None]}
            return float(np.mean(
                self.fluid_executor.run(self.learn_program, feed, [self.cost])[0]
            ))  # fmt: skip

    agent = Player(parl.algorithms.PolicyGradient(Policy(), lr=0.03))
    set_weights(agent)
    draw, game, costs, totals = np.random.RandomState(5), Corridor(), [], []
    for _ in range(25):
        obs, seen, acts, rewards, over = game.reset(), [], [], [], False
        while not over:
            action = int(draw.rand() < agent.predict(obs)[1])
            seen.append(obs)
            acts.append(action)
            obs, reward, over = game.step(action)
            rewards.append(reward)
        later = parl.utils.rl_utils.calc_discount_sum_rewards(rewards, 0.95)
        later = (later - np.mean(later)) / (np.std(later) + 1e-6)
        costs.append(agent.learn(np.array(seen), np.array(acts), later.astype("float32")))
        totals.append(sum(rewards))
    found["pg_costs"], found["pg_rewards"] = np.array(costs), np.array(totals)


def by_actor(found: dict, fluid, parl) -> None:
    """DDPG on a task of one step: the action has to be half of what is seen."""
    layers = parl.layers

    class Acting(parl.Model):
        def __init__(self):
            self.act = layers.fc(size=1, act="tanh")

        def policy(self, obs):
            return self.act(obs)

    class Pair(parl.Model):
        def __init__(self):
            self.act = Acting()
            self.hidden, self.judge = layers.fc(size=16, act="relu"), layers.fc(size=1)

        def policy(self, obs):
            return self.act.policy(obs)

        def value(self, obs, act):
            both = layers.concat([obs, act], axis=1)
            return layers.squeeze(self.judge(self.hidden(both)), axes=[1])

        def get_actor_params(self):
            return self.act.parameters()

    class Actor(parl.Agent):
        def build_program(self):
            self.pred_program, self.learn_program = fluid.Program(), fluid.Program()
            with fluid.program_guard(self.pred_program):
                self.action = self.alg.predict(layers.data("obs", [2]))
            with fluid.program_guard(self.learn_program):
                names = ("obs", "act", "reward", "next_obs", "terminal")
                shapes, kinds = ([2], [1], [], [2], []), ("float32",) * 4 + ("bool",)
                given = [
                    layers.data(*part, dtype=kind) for *part, kind in zip(names, shapes, kinds)
                ]
                self.costs = self.alg.learn(*given)

    agent = Actor(parl.algorithms.DDPG(Pair(), 0.9, 0.1, actor_lr=0.01, critic_lr=0.02))
    set_weights(agent)
    agent.alg.sync_target(decay=0)
    draw, seen = np.random.RandomState(1), []
    for _ in range(40):
        obs = draw.uniform(-1, 1, [32, 2]).astype("float32")
        act = draw.uniform(-1, 1, [32, 1]).astype("float32")
        reward = -((act - obs[:, :1] / 2) ** 2)[:, 0]
        feed = {"obs": obs, "act": act, "reward": reward, "next_obs": obs,
                "terminal": np.ones(32, "bool")}  # fmt: skip
        costs = agent.fluid_executor.run(agent.learn_program, feed, list(agent.costs))
        agent.alg.sync_target()
        seen.append(np.array(costs).reshape(-1))
    found["ddpg_costs"] = np.array(seen)


def main(path: str) -> None:
    """Writes all of it."""
    import parl

    import paddle.fluid as fluid

    found: dict = {}
    with tempfile.TemporaryDirectory() as folder:
        by_values(found, fluid, parl, folder)
    by_policy(found, fluid, parl)
    by_actor(found, fluid, parl)
    np.savez_compressed(path, **found)


if __name__ == "__main__":
    from stand_ins import install_for_1x

    install_for_1x()
    # of its own scripts only, and for a game that is not there
    import_all("parl", ("parl.remote", "parl.env.multiagent", "parl.core.torch", "parl.alg"))
    main(os.path.abspath(sys.argv[1]))
