"""What passes and plans ask of a Program: liveness, aliasing, def-use."""
