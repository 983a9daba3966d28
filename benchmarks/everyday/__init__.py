"""Everyday programs: each file is a script as users write it, and runs in PaddlePaddle too."""
