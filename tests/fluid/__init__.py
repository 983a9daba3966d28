"""The programming interface of 1.x, held against PaddlePaddle 1.8.5."""
