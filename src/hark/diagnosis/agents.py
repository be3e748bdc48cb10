"""Checks whether the agents on this machine have hark's hooks, and whether hark hears the hooks of its sessions."""

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hark.agents.installation import InstalledHook
from hark.agents.native.launch import has_native
from hark.agents.registry import find_agent
from hark.diagnosis.finding import Finding, ok, problem, warning
from hark.installing import files, hooks
from hark.installing.change import invalid
from hark.installing.jsonc import Broken
from hark.installing.places import agents_with_settings, settings_path
from hark.installing.ways import way_of
from hark.model.errors import HarkError


def look_at_agents(environment: Mapping[str, str]) -> Iterator[Finding]:
    for agent in agents_with_settings():
        if shutil.which(agent, path=environment.get("PATH", os.defpath)):
            yield look_at_hooks(agent, environment)


def look_at_hooks(agent: str, environment: Mapping[str, str]) -> Finding:
    """Look for hark's hooks in an agent's settings. An agent that hark starts may have hooks that are not in its settings."""
    where = settings_path(agent, environment)
    try:
        text = files.read(where) or ""
        found = list(way_of(agent).find(text, agent))
        off = way_of(agent).switched_off(text, agent)
    except HarkError as wrong:
        return problem("hooks", wrong.detail, wrong.hint, agent)
    except (Broken, hooks.Misshapen) as wrong:
        return problem("hooks", invalid(where, wrong).detail, "mend the file", agent)
    if not found:
        return warning(
            "hooks", f"none in {where}", f"`hark install {agent}` adds them for agents that you start yourself", agent
        )
    detail, hint = _fault(agent, where, found, off)
    return problem("hooks", detail, hint, agent) if detail else ok("hooks", f"{len(found)} in {where}", agent)


def _fault(agent: str, where: Path, found: list[hooks.Ours], off: str | None) -> tuple[str, str]:
    """Return what keeps the hooks from running and what to do about it; two empty texts if nothing does."""
    again = f"`hark install {agent}` again"
    if gone := [ours.program for ours in found if not os.access(ours.program, os.X_OK)]:
        return f"{where} names {gone[0]}, which is not a program", again
    if missing := [event for event in hooks.subscribed(agent) if event not in {ours.event for ours in found}]:
        return f"{where} lacks {', '.join(missing)}", again
    if off:
        return f"all hooks are switched off in {where}", f"change {off} there"
    return find_agent(agent).find_fault(where, [_installed(agent, ours) for ours in found if ours.path])


def _installed(agent: str, ours: hooks.Ours) -> InstalledHook:
    handler = hooks.handler(agent, ours.event, ours.program, is_installed=True)
    return InstalledHook(event=ours.event, group=ours.path[2][1], place=ours.path[4][1], handler=handler)


def look_at_sessions(sessions: Iterable[dict[str, Any]], events: Iterable[dict[str, Any]]) -> Iterator[Finding]:
    """Check the hooks and the airlock of each session. `events` holds the newest events of the daemon's record, in their order."""
    record = list(events)
    last = {event["session_id"]: event for event in record if event["kind"] == "hook"}
    prompted = {event["session_id"] for event in record if _is_submit(event)}
    for session in sessions:
        event, has_airlock = last.get(session["id"]), session["airlock"] is not None
        may_have_api = has_native(session["agent"]) and has_airlock
        if find_agent(session["agent"]).events and (event or not may_have_api):
            is_new = has_airlock and session["id"] not in prompted
            yield _heard(session["name"], session["agent"], event, is_new=is_new)
        if not has_airlock:
            detail = "adopted, with no airlock: tmux holds your keys during a delivery"
            hint = f"start it with `hark run -- {session['agent']}` to get an airlock"
            yield warning("session-airlock", detail, hint, session["name"])


def _is_submit(event: dict[str, Any]) -> bool:
    return bool(event["kind"] == "message" and event["data"].get("status") == "submitted")


def _heard(name: str, agent: str, event: dict[str, Any] | None, *, is_new: bool) -> Finding:
    """Report whether hark has heard the session's hooks. `is_new` is True if hark started the agent and has submitted nothing to it yet,
    so that its hooks had no reason to speak."""
    if event is not None:
        return ok("session-hooks", f"heard: {event['data'].get('event')} at {event['at']}", name)
    if is_new:
        return ok("session-hooks", "nothing was submitted to it yet, so its hooks have said nothing", name)
    install = (
        f"; if that changes nothing, `hark install {agent}` and start it again"
        if agent in agents_with_settings()
        else ""
    )
    detail = "nothing was heard from its hooks yet: messages end as `submitted`, and turns are guessed"
    return warning("session-hooks", detail, f"submit a prompt{install}", name)
