"""What happened in a run, one line for each event: when, who, what, and the box afterwards."""

from hark.delivery.carriers.steps import Answer, Look, LookAgain, Seen, Step
from tests.campaigns.simulation.agent import Agent


class Trace:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, now: float, who: str, what: str, agent: Agent) -> None:
        self.lines.append(f"{now:9.1f}  {who:8}  {what:44}  {_box(agent)}")

    def answer(self, now: float, step: Step, answer: Answer, agent: Agent) -> None:
        if isinstance(step, Look | LookAgain) and isinstance(answer, Seen):
            y = answer.screen.cursor_y
            self.note(now, "carrier", f"looks: {answer.screen.rows.plain[y]!r} {answer.screen.cursor_x, y}", agent)
        else:
            self.note(now, "carrier", f"{_brief(step)} -> {answer}", agent)

    def __str__(self) -> str:
        return "\n".join(self.lines)


def _brief(step: Step) -> str:
    shown = repr(step)
    return shown if len(shown) < 60 else type(step).__name__


def _box(agent: Agent) -> str:
    units, cursor = agent.buffer.units, agent.buffer.cursor
    shown = repr("".join(units[:cursor]) + "‸" + "".join(units[cursor:]))
    stash = f" stash={''.join(agent.stash[0])!r}" if agent.stash else ""
    return shown + stash + (" DIALOG" if agent.has_dialog else "") + (" EDITOR" if agent.is_editor_open else "")
