"""What GitHub Copilot CLI offers: a file of instructions. hark knows no hooks of it."""

from hark.agents.installation import Place
from hark.agents.protocol import Agent


class Copilot(Agent):
    instructions = Place("COPILOT_HOME", ".copilot", "copilot-instructions.md")


AGENT = Copilot()
