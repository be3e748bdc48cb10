"""hark questions: list what agents ask their humans."""

from datetime import UTC, datetime
from typing import Any

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import complete_session, json_option
from hark.cli.text import between, one_line, print_json, say, show


@click.command()
@click.argument("session", metavar="[NAME]", required=False, shell_complete=complete_session)
@click.option("-a", "--all", "is_all", is_flag=True, help="Also list questions that have ended, and how.")
@json_option
def command(session: str | None, is_all: bool, is_json: bool) -> None:
    """List what agents ask their humans: permissions with the exact command, and questions with their options.

    \b
    Example:
      hark questions
      hark questions backend --all
    """
    wanted = [f"session={segment(session)}"] if session else []
    wanted += ["all=1"] if is_all else []
    found = Client().get("/questions" + (f"?{'&'.join(wanted)}" if wanted else ""))
    if is_json:
        print_json(found)
    elif not found["questions"]:
        say("nobody asks anything")
    else:
        now = datetime.now(UTC).isoformat()
        show("\n\n".join(block(question, now) for question in found["questions"]))


def block(question: dict[str, Any], now: str) -> str:
    """Return a question as a block of lines. The text is never cut: nobody shall allow what they have not seen."""
    head = f"{question['id']}  {question['session_name'] or question['session_id']}  {question['kind']}"
    head += f"  asked {between(question['asked_at'], now)} ago"
    lines = [f"  {line}" for line in asked_lines(question)]
    return "\n".join([one_line(head), *lines, f"  {one_line(answer_line(question))}"])


def asked_lines(question: dict[str, Any]) -> list[str]:
    mark = "$ " if question["is_command"] else ""
    lines = [one_line(mark + line) for line in question["text"].split("\n")]
    if question["parts"]:
        lines = []
    for part in question["parts"]:
        some = " (several)" if part["is_multiple"] else ""
        lines += [one_line(part["text"]) + some, *(f"  - {one_line(option)}" for option in part["options"])]
    lines += [f"in {one_line(question['directory'])}"] if question["directory"] else []
    lines += [f"because: {one_line(question['detail'])}"] if question["detail"] else []
    return lines


def answer_line(question: dict[str, Any]) -> str:
    """Return how the question can be answered, why it cannot, or how it has ended."""
    if question["end"]:
        answer = f": {question['answer']}" if question["answer"] else ""
        who = question["answered_as"] or question["answered_by"]
        return f"{question['end']}{answer}" + (f", by {who}" if who else "")
    if question["answers"]:
        return f"hark answer {question['id']} {'|'.join(question['answers'])}  (through {question['answered_through']})"
    return f"only in its own dialog: {question['cannot_answer']}"
