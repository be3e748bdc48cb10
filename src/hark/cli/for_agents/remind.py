"""hark remind: send a message to this session later."""

from datetime import datetime, timedelta
from typing import Any

import click

from hark.cli.client import Client
from hark.cli.messages.send import message_text
from hark.cli.parameters import complete_session, json_option, own_session, seconds, sender_fields
from hark.cli.text import again, clock, print_json, show
from hark.model.errors import HarkError
from hark.model.text.duration import parse_duration


@click.command()
@click.argument("words", metavar="[DURATION] TEXT", nargs=-1, required=True)
@click.option("--to", "session", metavar="NAME", shell_complete=complete_session, help="Session to remind. [default: $HARK_SESSION]")  # fmt: skip
@click.option("--from", "sender", metavar="NAME", shell_complete=complete_session, help="Who asks for the reminder. [default: this session, else you]")  # fmt: skip
@click.option("--at", metavar="TIME", help="Send at this time, such as 14:30 or '2026-11-16 14:30'.")
@click.option("--every", "every_s", metavar="DURATION", callback=seconds, help="Repeat at this interval, such as 30m.")
@click.option("--cron", metavar="LINE", help='Repeat by a cron line, such as "0 9 * * 1-5".')
@json_option
def command(
    words: tuple[str, ...],
    session: str | None,
    sender: str | None,
    at: str | None,
    every_s: float | None,
    cron: str | None,
    is_json: bool,
) -> None:
    """Send TEXT to this session after DURATION, or at another time. The reminder survives a restart of the daemon.

    `hark remind` and `hark wake` are the same command.

    \b
    Example:
      hark remind 5m "look whether the build is green"
      hark remind --at 14:30 "stand-up"
      hark remind --every 30m --to reviewer "anything new?"
    """
    wish: dict[str, Any] = {"at": instant(at, datetime.now()) if at else None, "every_seconds": every_s, "cron": cron}
    if not any(wish.values()):
        wish["delay_seconds"], words = parse_duration(words[0]), words[1:]
    body = {name: value for name, value in wish.items() if value is not None}
    body |= {"session_id": session or own_session("name a session with --to NAME"), "message": message_text(words)}
    client = Client()
    made = client.post("/scheduler/remind", body | sender_fields(client, sender))
    then = f", then {again(made['repeat'])}" if made["repeat"] else ""
    print_json(made) if is_json else show(f"reminder {made['id']} at {clock(made['fire_at'])}{then}")


def instant(text: str, now: datetime) -> str:
    """Return a time for the API. A time of day means the next one to come; a time without an offset is in the reader's time zone."""
    for pattern in ("%H:%M", "%H:%M:%S"):
        try:
            at = datetime.combine(now.date(), datetime.strptime(text, pattern).time())
        except ValueError:
            continue
        return (at if at > now else at + timedelta(days=1)).astimezone().isoformat()
    try:
        return datetime.fromisoformat(text).astimezone().isoformat()
    except ValueError:
        raise HarkError("request-invalid", f"{text!r} is not a time", "write it as 14:30 or 2026-11-16 14:30") from None
