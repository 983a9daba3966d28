"""Real PaddleSlim on pypaddle: stories, run in a process of their own."""
