"""The named queries of queries.sql, which is read once."""

import re
from importlib import resources

from hark.store.sqlite import rows

_NAMED = re.compile(
    r"^-- name: (?P<name>[a-z-]+)\n-- (?P<description>.+)\n(?P<sql>(?:(?!^-- name: ).*\n)+)", re.MULTILINE
)
_COLUMNS = {
    "{sessions}": rows.SESSIONS.columns,
    "{messages}": rows.MESSAGES.columns,
    "{answers}": rows.ANSWERS.columns,
    "{receipts}": rows.RECEIPTS.columns,
    "{events}": rows.EVENTS.columns,
    "{drafts}": rows.DRAFTS.columns,
    "{reminders}": rows.REMINDERS.columns,
    "{questions}": rows.QUESTIONS.columns,
    "{browsers}": rows.BROWSERS.columns,
    "{notifications}": rows.NOTIFICATIONS.columns,
}


def _load() -> dict[str, str]:
    text = resources.files(__package__).joinpath("queries.sql").read_text(encoding="utf-8")
    for placeholder, columns in _COLUMNS.items():
        text = text.replace(placeholder, columns)
    return {found["name"]: found["sql"].strip().removesuffix(";") for found in _NAMED.finditer(text)}


QUERIES = _load()
