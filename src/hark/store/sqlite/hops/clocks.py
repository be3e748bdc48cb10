"""Writes and reads the daemon's own clocks inside a transaction."""

from datetime import datetime

from hark.store.sqlite.rows import from_micros, to_micros
from hark.store.sqlite.transaction import Transaction


def find_clock(transaction: Transaction, name: str) -> datetime | None:
    row = transaction.one("find-clock", name=name)
    return from_micros(row[0]) if row else None


def save_clock(transaction: Transaction, name: str, at: datetime) -> None:
    transaction.run("save-clock", {"name": name, "at": to_micros(at)})
