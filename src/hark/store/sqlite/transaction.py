"""The transaction that the body of a hop works with: it runs the named queries, and keeps the events to tell once the hop is durable."""

from typing import Any

import apsw

from hark.model.event import Event
from hark.store import rules
from hark.store.sqlite import rows
from hark.store.sqlite.queries import QUERIES


class Transaction:
    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self.events: list[Event] = []

    def run(self, query: str, parameters: rows.Row) -> None:
        self.connection.execute(QUERIES[query], parameters)

    def all(self, query: str, **parameters: Any) -> list[tuple[Any, ...]]:
        return self.connection.execute(QUERIES[query], parameters).fetchall()

    def one(self, query: str, **parameters: Any) -> tuple[Any, ...] | None:
        return self.connection.execute(QUERIES[query], parameters).fetchone()

    def cell(self, query: str, parameters: rows.Row) -> Any:
        """Run the query and return the only value of its only row."""
        return self.connection.execute(QUERIES[query], parameters).get

    def record(self, event: Event) -> Event:
        row = rows.EVENTS.to_row(event)
        written = rules.sealed(event, self.cell("insert-event", row), row["data"])
        self.events.append(written)
        return written
