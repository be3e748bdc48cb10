"""What Amp offers: a file of instructions. hark knows no hooks of it."""

from hark.agents.installation import Place
from hark.agents.protocol import Agent


class Amp(Agent):
    instructions = Place("", ".config", "amp/AGENTS.md")


AGENT = Amp()
