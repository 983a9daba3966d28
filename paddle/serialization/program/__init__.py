"""Programs as bytes: the ProgramDesc messages of PaddlePaddle."""
