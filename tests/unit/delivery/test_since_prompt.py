"""What a screen shows since a prompt, and nothing from before it."""

import pytest

from hark.delivery.screen.since_prompt import since_prompt

ID = "0123456789ab"
HEADER = f"> [Input from: ann via hark send · {ID}]"
SCREENS: dict[str, tuple[list[str], str, str | None]] = {
    "an answer below the message": (["older words", HEADER, "  run it", "", "● It ran.", ""], "run it", "● It ran."),
    "a message that the agent has wrapped": (
        [HEADER, "  run the", "  tests now", "", "  All pass.", "  Really."],
        "run the tests now",
        "  All pass.\n  Really.",
    ),
    "an id that is cut in two by a narrow pane": (
        ["> [Input from: ann via hark send · 012345", "  6789ab]", "  run it", "done"],
        "run it",
        "done",
    ),
    "an answer that begins like the message": (
        [HEADER, "  run it", "run it is what I did"],
        "run it",
        "run it is what I did",
    ),
    "the frame of a box below the answer": ([HEADER, "hi", "words", "", "╭────╮"], "hi", "words"),
    "a message that stands there twice": ([HEADER, "hi", "first", HEADER, "hi", "second"], "hi", "second"),
    "nothing below the message": ([HEADER, "  hi", "", "────"], "hi", None),
    "a message out of sight": (["words", "more words"], "hi", None),
    "the id alone, as in the agent's own command": ([f"hark show {ID}", "words"], "hi", None),
}


@pytest.mark.parametrize(("rows", "text", "answer"), SCREENS.values(), ids=SCREENS.keys())
def test_what_stands_below_the_message_is_the_answer(rows: list[str], text: str, answer: str | None) -> None:
    assert since_prompt(rows, ID, text) == answer


def test_nothing_in_or_below_the_box_counts() -> None:
    assert since_prompt([HEADER, "hi", "words", "> a draft", "status"], ID, "hi", end=3) == "words"
