"""What Qwen Code offers: a file of instructions, and an option for instructions. hark knows no hooks of it."""

from hark.agents.command_line import with_system_prompt
from hark.agents.installation import Place
from hark.agents.protocol import Agent
from hark.kind_files import plain_commands

NAME = "qwen"


class QwenCode(Agent):
    instructions = Place("QWEN_HOME", ".qwen", "QWEN.md")

    def teach(self, arguments: tuple[str, ...], text: str) -> tuple[str, ...] | None:
        return with_system_prompt(arguments, text, plain_commands(NAME))


AGENT = QwenCode()
