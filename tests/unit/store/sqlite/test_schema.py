import re
from collections.abc import Iterator
from contextlib import closing
from importlib import resources

import apsw
import pytest

from hark.model.message import HoldReason, Status
from hark.queue import lifecycle
from hark.store.sqlite.opening import load_migrations, migrate
from hark.store.sqlite.queries import QUERIES

FILES = resources.files("hark.store.sqlite")


@pytest.fixture
def connection() -> Iterator[apsw.Connection]:
    with closing(apsw.Connection(":memory:")) as connection:
        connection.pragma("foreign_keys", True)
        migrate(connection, load_migrations())
        yield connection


def schema_of(connection: apsw.Connection) -> dict[tuple[str, str], str]:
    """Type and name of everything, with its SQL freed from comments and layout."""
    rows = connection.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    return {(kind, name): _plain(sql) for kind, name, sql in rows}


def _plain(sql: str) -> str:
    """A column that a migration adds stands behind a blank that nobody wrote."""
    return re.sub(r"\s*([(),])\s*", r"\1", " ".join(re.sub(r"--.*", "", sql).split()))


def plan_of(connection: apsw.Connection, query: str) -> str:
    sql = QUERIES[query]
    nothing = dict.fromkeys(re.findall(r":(\w+)", sql))
    return "; ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", nothing))


def test_the_schema_for_reading_equals_all_migrations_applied(connection: apsw.Connection) -> None:
    with closing(apsw.Connection(":memory:")) as for_reading:
        for_reading.execute(FILES.joinpath("schema.sql").read_text())

        assert schema_of(for_reading) == schema_of(connection)


def test_migrations_are_numbered_from_one_and_no_number_is_given_twice() -> None:
    versions = [migration.version for migration in load_migrations()]

    assert versions[0] == 1
    assert versions == sorted(set(versions))
    assert len(versions) == len([f for f in FILES.joinpath("migrations").iterdir() if f.name.endswith(".sql")])


def test_applied_migrations_are_on_record_and_not_applied_again(connection: apsw.Connection) -> None:
    before = connection.execute("SELECT version, name, applied_at FROM schema_version").fetchall()

    migrate(connection, load_migrations())

    assert connection.execute("SELECT version, name, applied_at FROM schema_version").fetchall() == before
    assert [(version, name) for version, name, _ in before] == [(m.version, m.name) for m in load_migrations()]


def test_the_transitions_are_the_table_of_the_lifecycle(connection: apsw.Connection) -> None:
    legal = {(str(old), str(status)) for (old, _), following in lifecycle.LEGAL.items() for status in following}

    stored = set(connection.execute("SELECT previous_status, status FROM transitions"))

    assert stored == legal | {("new", "queued"), lifecycle.TAKEN_OVER}


def test_messages_of_an_older_store_are_messages_to_be_typed() -> None:
    first, *later = load_migrations()
    with closing(apsw.Connection(":memory:")) as old:
        migrate(old, [first])
        add_message(old)

        migrate(old, [first, *later])

        assert old.execute("SELECT id, is_inbox FROM messages").fetchall() == [("m", 0)]


def test_a_message_that_an_older_store_holds_as_busy_is_still_held_as_busy() -> None:
    first, *later = load_migrations()
    with closing(apsw.Connection(":memory:")) as old:
        migrate(old, [first])
        add_message(old)
        old.execute("UPDATE messages SET status = 'held', hold_reason = 'busy', held_since = 0")

        migrate(old, [first, *later])

        ((reason,),) = old.execute("SELECT hold_reason FROM messages").fetchall()
        assert HoldReason(str(reason)) is HoldReason.BUSY


def add_message(connection: apsw.Connection) -> None:
    connection.execute(
        "INSERT INTO sessions (id, name, agent, host, pane, command, directory, created_at, is_adopted, state, nudge_seq)"
        " VALUES ('s', 's', '', '', '', '', '', 0, 0, 'running', 0)"
    )
    connection.execute(
        "INSERT INTO messages (id, target_session_id, text, delivery_mode, status, queued_at, attempts, is_raw,"
        " notify_on_delivery, notify_on_stop, notify_on_failure)"
        " VALUES ('m', 's', '', 'sequential', 'queued', 0, 0, 0, 0, 0, 0)"
    )


@pytest.mark.parametrize("previous", ["new", *Status])
@pytest.mark.parametrize("status", Status)
def test_a_receipt_of_an_illegal_change_cannot_be_stored_by_anybody(
    connection: apsw.Connection, previous: str, status: Status
) -> None:
    add_message(connection)
    rows = [following for (old, _), following in lifecycle.LEGAL.items() if old == previous]
    is_legal = status is Status.QUEUED if previous == "new" else any(status in following for following in rows)
    is_legal = is_legal or (previous, status) == lifecycle.TAKEN_OVER
    sql = "INSERT INTO receipts (message_id, previous_status, status, at, detail) VALUES ('m', ?, ?, 0, '')"

    if is_legal:
        connection.execute(sql, (previous, status))
    else:
        with pytest.raises(apsw.ConstraintError, match="FOREIGN KEY"):
            connection.execute(sql, (previous, status))


def test_a_hold_without_a_reason_cannot_be_stored_by_anybody(connection: apsw.Connection) -> None:
    add_message(connection)

    with pytest.raises(apsw.ConstraintError, match="CHECK"):
        connection.execute("UPDATE messages SET status = 'held'")


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("list-pending", "messages_pending"),
        ("list-pending-of-session", "messages_pending_of_session (target_session_id=?)"),
        ("count-pending-before", "COVERING INDEX messages_position (target_session_id=?)"),
        ("count-pending-before-new", "COVERING INDEX"),
        ("find-some-pending", "(target_session_id=?)"),
        (
            "find-first-pending-of-kind",
            "COVERING INDEX messages_position (target_session_id=? AND delivery_mode=? AND status=?)",
        ),
        ("list-replies", "messages_of_thread (thread_id=?)"),
        ("list-inbox", "messages_inbox (target_session_id=?)"),
        ("list-messages-of-session", "messages_of_session (target_session_id=?)"),
        ("list-expired", "messages_timeout (timeout_at>? AND timeout_at<?)"),
        ("find-next-timeout", "messages_timeout"),
        ("find-message-by-key", "messages_idempotency (target_session_id=? AND idempotency_key=?)"),
        ("find-messages-by-prefix", "(id>? AND id<?)"),
        ("list-receipts", "receipts_of_message (message_id=?)"),
        ("list-events", "INTEGER PRIMARY KEY (rowid>?)"),
        ("list-reminders", "reminders_waiting"),
    ],
)
def test_what_runs_often_uses_its_index(connection: apsw.Connection, query: str, index: str) -> None:
    plan = plan_of(connection, query)

    assert index in plan
    if query != "find-messages-by-prefix" and query != "list-reminders":
        assert "TEMP B-TREE FOR ORDER BY" not in plan


@pytest.mark.parametrize("query", QUERIES)
def test_every_query_fits_the_schema(connection: apsw.Connection, query: str) -> None:
    plan_of(connection, query)


def test_every_named_query_is_loaded_with_its_description() -> None:
    text = FILES.joinpath("queries.sql").read_text()

    assert re.findall(r"^-- name: (.+)$", text, re.MULTILINE) == list(QUERIES)
    assert all("--" not in sql for sql in QUERIES.values())
