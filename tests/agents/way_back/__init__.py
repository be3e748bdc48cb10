"""python -m tests.agents.way_back: what the keys of the way back do in every dialog and mode of real agents, pressed without a look."""
