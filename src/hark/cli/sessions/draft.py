"""hark draft: print the draft of a human's that hark keeps."""

from typing import Any

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import json_option, session_argument
from hark.cli.text import print_json, show
from hark.model.errors import HarkError


@click.command()
@session_argument
@json_option
def command(session: str, is_json: bool) -> None:
    """Print the draft that hark took out of the input box of the session NAME and has not put back, because its agent ended
    in the middle of a delivery.

    hark puts the draft back into the box when the session starts again.

    \b
    Example:
      hark draft backend
    """
    found = Client().get(f"/sessions/{segment(session)}/draft")
    print_json(found) if is_json else show(found["text"])


def find_draft(client: Client, session: str) -> dict[str, Any] | None:
    """Return the draft that hark keeps of the session; None if it keeps none."""
    try:
        found: dict[str, Any] = client.get(f"/sessions/{segment(session)}/draft")
    except HarkError as failure:
        if failure.code != "draft-not-found":
            raise
        return None
    return found


def draft_remark(draft: dict[str, Any]) -> str:
    """Say that hark keeps a draft, and how to get it. The words of the draft are the human's own, and are not repeated."""
    rows = draft["text"].count("\n") + 1
    size = f"{len(draft['text'])} characters" + (f" in {rows} lines" if rows > 1 else "")
    return f"hark keeps a draft of yours ({size}): `hark draft {draft['session_name']}` prints it"
