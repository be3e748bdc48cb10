"""What an OpenCode's pane shows: a conversation, or the home screen, on which no conversation has begun. Pure.

No request tells this. OpenCode sets the terminal's title from the conversation that it shows:

    OC | A title      the conversation of that title, if only one has it
    OpenCode          the home screen, or a conversation that has no title of its own yet
    (empty)           anything: an external editor was open meanwhile

The screen itself proves the home screen: only there something stands below the box and the row of hints under the box. A
conversation is proven to be shown if the terminal's title follows a change of the conversation's title. So hark gives the titles
of all conversations that may be shown a mark for a moment, each a different one, and the mark that appears in the terminal's
title tells which one is shown.
"""

import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

Json = dict[str, Any]
LONGEST_TITLE, KEPT_OF_TITLE = 40, 37
HOME_TITLE, TITLE_PREFIX = "OpenCode", "OC | "
UNTITLED = re.compile(r"(New|Child) session - \d{4}-\d\d-\d\dT\S+")
"""A pattern for what OpenCode calls a conversation until its model has found a title."""
MARKED = re.compile(r"~\d+~ ")
CHOSEN = re.compile(r" *┃  (?P<agent>\S.*?) · (?P<model>\S.*)")
"""A pattern for the row below the text of the box, which names the chosen agent and model."""
BOX_END = re.compile(r" *╹▀+")
OUR_HEADER = "[Input from:"
LONGEST_OWN_TITLE = 60


class Shown(Struct, frozen=True):
    session: str


class Home(Struct, frozen=True):
    """The home screen: the next prompt begins a conversation."""


Place = Shown | Home


def shown_session(title: str, sessions: Sequence[Json]) -> str | None:
    """Return the session that a terminal with this title shows: the only one with that title. Return None at home, and if two have the
    title."""
    if not title.startswith(TITLE_PREFIX):
        return None
    found = _titled(title, sessions)
    return found[0]["id"] if len(found) == 1 and is_humans(found[0]) else None


def is_home(title: str, rows: Sequence[str]) -> bool:
    """Return whether a terminal with this title and these rows shows the home screen. In a conversation the box stands at the bottom."""
    ends = [y for y, row in enumerate(rows) if BOX_END.fullmatch(row.rstrip())]
    if title not in (HOME_TITLE, "") or not ends or ends[-1] == 0:
        return False
    below = "\n".join(row.strip() for row in rows[ends[-1] + 1 :]).strip()
    return CHOSEN.fullmatch(rows[ends[-1] - 1].rstrip()) is not None and "\n\n" in below


def candidates(title: str, sessions: Sequence[Json], most: int) -> list[Json]:
    """Return the sessions that a terminal with this title may show, those that changed last first."""
    if title == HOME_TITLE:
        found = [one for one in sessions if is_untitled(one["title"])]
    else:
        found = _titled(title, sessions) if title.startswith(TITLE_PREFIX) else list(sessions)
    return sorted(found, key=lambda one: float(one["time"]["updated"]), reverse=True)[:most]


def shows_box(rows: Sequence[str]) -> bool:
    """Return whether an input box is on the screen: then OpenCode has started, and no dialog covers the box."""
    return any(BOX_END.match(row) for row in rows)


def is_humans(session: Json) -> bool:
    """Return whether the session is the human's: no other session has begun it for a part of its work."""
    return session.get("parentID") is None


def is_untitled(title: str) -> bool:
    return UNTITLED.fullmatch(title) is not None


def marked(title: str, number: int) -> str:
    """Return a title with this mark before it, where the terminal's title is not cut off. A mark that was left behind is replaced, so
    that there are never two."""
    return f"~{number}~ {unmarked(title)}"


def unmarked(title: str) -> str:
    return MARKED.sub("", title, count=1) if is_marked(title) else title


def is_marked(title: str) -> bool:
    return MARKED.match(title) is not None


def marked_number(title: str) -> int | None:
    """Return the number of the mark that stands in the terminal's title, or None."""
    found = re.match(rf"{re.escape(TITLE_PREFIX)}~(\d+)~ ", title)
    return int(found[1]) if found else None


def shown_title(title: str) -> str:
    """Return a title as the terminal's title shows it: cut as JavaScript does, by its sixteen-bit units."""
    units = title.encode("utf-16-le")
    if len(units) <= 2 * LONGEST_TITLE:
        return title.strip()
    return f"{units[: 2 * KEPT_OF_TITLE].decode('utf-16-le', 'replace')}…".strip()


def title_for(text: str) -> str:
    """Return the title of a conversation that begins with this payload: its first words that are not a header of ours."""
    lines = (" ".join(line.split()) for line in text.splitlines() if not line.startswith(OUR_HEADER))
    return next((line for line in lines if line), "A message")[:LONGEST_OWN_TITLE].rstrip()


def chosen_on(rows: Sequence[str], agents: Sequence[Json], providers: Sequence[Json]) -> Json | None:
    """Return the agent and the model that the human has chosen on the home screen, as `prompt` takes them; the row below the text of the
    box names them. Return None if that row cannot be read for certain, as in the mode for shell commands."""
    row = next((found for row in reversed(rows) if (found := CHOSEN.fullmatch(row.rstrip()))), None)
    if row is None:
        return None
    named = [one["name"] for one in agents if _is_offered(one) and _capitalised(one["name"]) == row["agent"]]
    models = [model for one in providers for model in _models_called(row["model"], one)]
    return {"agent": named[0], "model": models[0]} if len(named) == len(models) == 1 else None


def _models_called(words: str, provider: Json) -> list[Json]:
    """Return the models of a provider that the words stand for, with the variant behind them if one is chosen."""
    found: list[Json] = []
    for model in provider["models"].values():
        name = f"{model['name']} {provider['name']}"
        chosen = {"providerID": provider["id"], "modelID": model["id"]}
        variants = (one for one in model.get("variants") or {} if words == f"{name} · {one}")
        found += [chosen] if words == name else [chosen | {"variant": one} for one in variants]
    return found


def _is_offered(agent: Json) -> bool:
    return agent.get("mode") != "subagent" and not agent.get("hidden")


def _capitalised(name: str) -> str:
    return re.sub(r"\b\w", lambda letter: letter[0].upper(), name, flags=re.ASCII)


def _titled(title: str, sessions: Sequence[Json]) -> list[Json]:
    wanted = title.removeprefix(TITLE_PREFIX).strip()
    return [one for one in sessions if shown_title(one["title"]) == wanted]
