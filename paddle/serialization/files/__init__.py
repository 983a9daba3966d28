"""Writing files so that nothing is lost, and seals that show damage."""
