"""hark doctor: look at everything that hark needs, and say how to mend what is wrong."""

import os
from typing import TYPE_CHECKING, Any

import click

from hark import instance
from hark.cli.client import Client, segment
from hark.cli.daemon.daemon import is_lock_free
from hark.cli.parameters import complete_session, json_option
from hark.cli.text import one_line, paint, print_json, show
from hark.model.errors import Exit, HarkError

if TYPE_CHECKING:
    from hark.diagnosis.finding import Finding

ANSWER_S = 5.0
NEWEST = 10_000
_COLOURS = {"ok": "green", "warning": "yellow", "problem": "red"}


@click.command()
@click.argument("session", metavar="[NAME]", required=False, shell_complete=complete_session)
@json_option
def command(session: str | None, is_json: bool) -> int:
    """Find what is wrong on this machine, with the daemon, with agents' hooks and with sessions (or only with NAME),
    and say how to fix it.

    The exit code is 0 when there is no problem, and 1 when there is one; a warning is not a problem. This command does
    not start the daemon.

    \b
    Example:
      hark doctor
      hark doctor backend --json
    """
    findings = look(session)
    if is_json:
        fields = ("check", "about", "level", "detail", "hint")
        told = [{name: str(getattr(found, name)) for name in fields} for found in findings]
        print_json({"findings": told, "has_problems": has_problems(findings)})
    else:
        for found in findings:
            show(told_to_people(found))
    return Exit.FAILURE if has_problems(findings) else Exit.OK


def look(session: str | None) -> list["Finding"]:
    from hark.diagnosis.agents import look_at_agents, look_at_sessions
    from hark.diagnosis.daemon import look_at_airlocks, look_at_daemon
    from hark.diagnosis.finding import ok
    from hark.diagnosis.machine import look_at_machine

    client = Client(starts_daemon=False, answer_s=ANSWER_S)
    health, failure = ask_health(client)
    findings = [] if session else [*look_at_machine(os.environ)]
    findings += look_at_daemon(health, failure, is_lock_free=is_nobody_there())
    if not session:
        findings += look_at_agents(os.environ)
    if health is None:
        return findings
    sessions = [client.get(f"/sessions/{segment(session)}")] if session else _running(client)
    after = max(0, health["last_event_seq"] - NEWEST)
    try:
        findings += look_at_sessions(sessions, client.get(f"/events?after={after}&limit={NEWEST}")["events"])
    except HarkError as refused:
        if refused.code != "not-permitted":
            raise
        findings.append(ok("sessions", f"not checked, because this is inside a session: {refused.detail}"))
    if not session:
        findings += look_at_airlocks(instance.runtime_dir() / "airlocks", [one["airlock"] for one in sessions])
    return findings


def _running(client: Client) -> list[dict[str, Any]]:
    return [session for session in client.get("/sessions")["sessions"] if session["state"] == "running"]


def ask_health(client: Client) -> tuple[dict[str, Any] | None, HarkError | None]:
    try:
        return client.get("/healthz"), None
    except HarkError as failure:
        return None, failure


def is_nobody_there() -> bool:
    """Return True if no daemon holds the lock, or if this user may not look: another check reports on the state directory."""
    try:
        return is_lock_free()
    except OSError:
        return True


def has_problems(findings: list["Finding"]) -> bool:
    return any(found.level == "problem" for found in findings)


def told_to_people(found: "Finding") -> str:
    level = f"{found.level:<8}"
    painted = paint(level, _COLOURS[found.level])
    hint = f"\n{'':<10}{one_line(found.hint)}" if found.hint else ""
    what = f"{found.check} of {one_line(found.about)}" if found.about else found.check
    return f"{painted}  {what}: {one_line(found.detail)}{hint}"
