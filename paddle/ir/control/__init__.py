"""Recording control flow: conditional blocks, loops, recurrent networks, switches."""
