from __future__ import annotations

import pytest

from hark.demo.directives import Plan, Question, plan_turn


@pytest.mark.parametrize(
    ("prompt", "plan"),
    [
        # no directive
        ("hello", Plan(0.2, (), "● received 5 characters")),
        # a length of its own
        ("[[busy=1.5]]", Plan(1.5, (), "● received 12 characters")),
        ("a [[busy=.5]] b", Plan(0.5, (), "● received 15 characters")),
        # a question at once, and one later; a command may hold colons and brackets
        ("[[begin=2]]", Plan(0.2, (), "● received 11 characters", begins_after_s=2.0)),
        ("[[begin=soon]]", Plan(0.2, (), "● received 14 characters")),
        ("[[ask=rm a[0]:b]]", Plan(0.2, (Question(0.0, "rm a[0]:b"),), "● received 17 characters")),
        ("[[ask-after=2:ls]]", Plan(0.2, (Question(2.0, "ls"),), "● received 18 characters")),
        # questions come in order of time, not of text
        (
            "[[ask-after=1:late]][[ask=now]][[say=x]]",
            Plan(0.2, (Question(0.0, "now"), Question(1.0, "late")), "x"),
        ),
        # a printed signal, whose own brackets end before the directive's
        ("[[say=--<[hark:completed:done]>--]]", Plan(0.2, (), "--<[hark:completed:done]>--")),
        # each saying on its line
        ("[[say=a]] and [[say=b]]", Plan(0.2, (), "a\nb")),
        # what does not parse is text
        ("[[busy=long]]", Plan(0.2, (), "● received 13 characters")),
        ("[[ask-after=ls]]", Plan(0.2, (), "● received 16 characters")),
        ("[[ask-after=1:]]", Plan(0.2, (), "● received 16 characters")),
    ],
)
def test_a_prompt_plans_its_turn(prompt: str, plan: Plan) -> None:
    assert plan_turn(prompt, default_busy_s=0.2) == plan
