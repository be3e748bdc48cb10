"""hark answer: answer what an agent asks."""

import sys
from datetime import UTC, datetime
from typing import Any

import click

from hark.cli.client import Client, segment
from hark.cli.messages.questions import block
from hark.cli.parameters import complete_session, json_option, user_name
from hark.cli.text import print_json, say
from hark.model.errors import Exit, HarkError


@click.command()
@click.argument("wanted", metavar="NAME|ID", shell_complete=complete_session)
@click.argument("answers", metavar="ANSWER", nargs=-1, required=True)
@click.option("-m", "--message", default="", metavar="TEXT", help="What the agent is told beside a deny.")
@click.option("-y", "--yes", "is_sure", is_flag=True, help="Do not ask again before an allow.")
@json_option
def command(wanted: str, answers: tuple[str, ...], message: str, is_sure: bool, is_json: bool) -> int:
    """Answer what the agent of the session NAME asks, or the question ID: `allow`, `deny`, an option, or a text.

    The answer goes through the agent's own hook or API, and never through its keyboard; `hark questions` says whether that is
    possible. It needs the setting `answers = true`. Scripts name the question by its ID, so that they answer what they have seen. On a
    terminal hark shows once more what you are about to allow.

    \b
    Example:
      hark answer backend allow
      hark answer 4f1c09ab deny -m "not on this branch"
      hark answer backend Blue "S, M"
    """
    client = Client()
    question = find_question(client, wanted)
    if answers == ("allow",) and question["id"] != wanted and not is_sure and not confirm(question):
        return Exit.FAILURE
    body = {"answers": list(answers), "message": message, "answered_as": user_name() or ""}
    answered = client.post(f"/questions/{segment(question['id'])}/answer", body)
    if is_json:
        print_json(answered)
    else:
        say(f"{answered['session_name']}: {answered['answer']}")
    return Exit.OK


def find_question(client: Client, wanted: str) -> dict[str, Any]:
    """Return the question with this id, or the only open question of the session with this name."""
    known: list[dict[str, Any]] = client.get("/questions")["questions"]
    if named := [one for one in known if one["id"] == wanted]:
        return named[0]
    try:
        session = client.get(f"/sessions/{segment(wanted)}")
    except HarkError as error:
        if error.code == "session-not-found":
            hint = "`hark questions` lists the open questions"
            raise HarkError("question-not-found", f"no session and no open question {wanted!r}", hint) from None
        raise
    asked = [one for one in known if one["session_id"] == session["id"]]
    if len(asked) > 1:
        ids = ", ".join(one["id"] for one in asked)
        raise HarkError("question-ambiguous", f"{session['name']} asks {len(asked)} questions", f"name one: {ids}")
    if not asked:
        detail = f"{session['name']} asks nothing"
        raise HarkError(
            "question-not-found", detail, f"`hark questions {session['name']} --all` shows what it has asked"
        )
    return asked[0]


def confirm(question: dict[str, Any]) -> bool:
    """Show on a terminal what is about to be allowed, and ask. Return True where nobody can be asked."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    say(block(question, datetime.now(UTC).isoformat()))
    return click.confirm("Allow this?", default=False, err=True)
