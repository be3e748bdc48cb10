"""Writes and reads reminders inside a transaction."""

from collections.abc import Sequence
from typing import Any

from hark.model.ids import ReminderId
from hark.model.reminder import Reminder
from hark.store import rules
from hark.store.sqlite.hops.sessions import find_session
from hark.store.sqlite.rows import REMINDERS
from hark.store.sqlite.transaction import Transaction


def add_reminder(transaction: Transaction, reminder: Reminder) -> None:
    find_session(transaction, reminder.session_id)
    transaction.run("insert-reminder", REMINDERS.to_row(reminder))


def change_reminder(transaction: Transaction, reminder_id: ReminderId, changes: dict[str, Any]) -> Reminder:
    row = transaction.one("find-reminder", reminder_id=reminder_id)
    if row is None:
        raise rules.no_reminder(reminder_id)
    reminder = rules.replaced(REMINDERS.from_row(row), changes)
    find_session(transaction, reminder.session_id)
    transaction.run("update-reminder", REMINDERS.to_row(reminder))
    return reminder


def list_reminders(transaction: Transaction) -> Sequence[Reminder]:
    return [REMINDERS.from_row(row) for row in transaction.all("list-reminders")]
