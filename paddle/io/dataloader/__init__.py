"""The parts that paddle.io is made of."""
