"""Reads the directives by which a prompt steers the demo agent's turn, so that a test can steer a turn from within its text. Pure.

    [[busy=SECONDS]]              the turn lasts that long
    [[begin=SECONDS]]             the turn begins that long after Enter; until then the agent looks idle
    [[ask=COMMAND]]               the agent asks at once whether it may run COMMAND
    [[ask-after=SECONDS:COMMAND]] the agent asks that long after the turn's start
    [[tool=SECONDS]]              the agent runs a tool for that long, first of all
    [[say=TEXT]]                  the agent's reply is TEXT, on a line of its own

A directive that does not parse is ordinary text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

DIRECTIVE = re.compile(r"\[\[(busy|begin|ask|ask-after|tool|say)=(.*?)\]\]")
SECONDS = re.compile(r"\d+(?:\.\d+)?|\.\d+")


@dataclass(frozen=True)
class Question:
    after_s: float
    command: str


@dataclass(frozen=True)
class Plan:
    """The plan for one turn: how long the agent works, what it asks meanwhile (in order of time), and what it says at the end."""

    busy_s: float
    questions: tuple[Question, ...]
    reply: str
    tools_s: tuple[float, ...] = ()
    begins_after_s: float = 0.0


def plan_turn(prompt: str, default_busy_s: float) -> Plan:
    busy_s, begins_after_s = default_busy_s, 0.0
    questions: list[Question] = []
    said: list[str] = []
    tools_s: list[float] = []
    for name, value in DIRECTIVE.findall(prompt):
        after, _, command = value.partition(":")
        match name:
            case "busy" if SECONDS.fullmatch(value):
                busy_s = float(value)
            case "begin" if SECONDS.fullmatch(value):
                begins_after_s = float(value)
            case "ask":
                questions.append(Question(0.0, value))
            case "ask-after" if SECONDS.fullmatch(after) and command:
                questions.append(Question(float(after), command))
            case "tool" if SECONDS.fullmatch(value):
                tools_s.append(float(value))
            case "say":
                said.append(value)
    questions.sort(key=lambda question: question.after_s)
    reply = "\n".join(said) or f"● received {len(prompt)} characters"
    return Plan(busy_s, tuple(questions), reply, tuple(tools_s), begins_after_s)
