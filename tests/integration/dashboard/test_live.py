"""The WebSocket: a snapshot and what follows, exactly; resuming; rows; alerts that are claimed; hostile words."""

from __future__ import annotations

import json

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import unix_connect

from hark.daemon.process.tokens import agent_token
from tests.integration.dashboard.calling import Fields, LiveClient, WebBrowser
from tests.integration.end_to_end.running import RunningHark

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def start(hark: RunningHark, name: str) -> str:
    """Start a session that reads no keys, and return its id."""
    return str(hark.json("new", "-d", "-n", name, "--", "sleep", "1000")["id"])


def signal(hark: RunningHark, session: str, state: str = "needs_input", text: str = "which one?") -> int:
    """Let the session's agent signal, and return the number of the signal."""
    answer = hark.api("POST", f"/sessions/{session}/signal", {"state": state, "text": text})
    assert answer.status < 300, answer.body
    return int(hark.session(session)["nudge_seq"])


def seqs(live: LiveClient) -> list[int]:
    return [frame["event"]["seq"] for frame in live.frames if frame["type"] == "event"]


def row_of(snapshot: Fields, session_id: str) -> Fields:
    [found] = [row for row in snapshot["sessions"] if row["id"] == session_id]
    return dict(found)


def test_events_follow_the_snapshot_without_a_gap_or_an_overlap(hark: RunningHark, browser: WebBrowser) -> None:
    session = start(hark, "cut")
    with browser.live() as live:
        for number in range(20):
            signal(hark, session, text=f"question {number}")
        last = hark.api("GET", "/healthz").json["last_event_seq"]
        live.wait_for("event", lambda frame: frame["event"]["seq"] == last)

    assert seqs(live) == list(range(live.snapshot["seq"] + 1, last + 1))


def test_a_page_that_comes_back_gets_what_it_has_missed_and_no_more(hark: RunningHark, browser: WebBrowser) -> None:
    session = start(hark, "back")
    with browser.live() as first:
        signal(hark, session, text="one")
        seen = first.wait_for("event", lambda frame: frame["event"]["data"].get("text") == "one")["event"]["seq"]
    signal(hark, session, text="two")
    hark.ok("daemon", "restart")
    last = hark.api("GET", "/healthz").json["last_event_seq"]

    with browser.live(after=seen) as second:
        row = second.row(session, lambda row: row["signal_text"] == "two")
        if last not in seqs(second):
            second.wait_for("event", lambda frame: frame["event"]["seq"] == last)

    assert second.welcome["is_resumed"] is True
    assert seqs(second) == list(range(seen + 1, last + 1))
    assert row["nudge_seq"] == 2


@pytest.mark.parametrize("after", [10**9, 2**53])
def test_a_page_with_a_number_that_nobody_gave_it_gets_a_snapshot(
    hark: RunningHark, browser: WebBrowser, after: int
) -> None:
    with browser.live(after=after) as live:
        assert live.welcome["is_resumed"] is False
        assert live.snapshot["seq"] == hark.api("GET", "/healthz").json["last_event_seq"]


def test_a_row_has_all_that_the_attention_queue_needs(hark: RunningHark, browser: WebBrowser) -> None:
    session = start(hark, "row")
    with browser.live() as live:
        message = hark.api("POST", f"/sessions/{session}/send", {"text": "x" * 500, "sender_name": "ci"}).json["id"]
        held = live.row(session, lambda row: bool(row["held"]))
        number = signal(hark, session, text="which port?")
        asking = live.row(session, lambda row: row["nudge_seq"] == number)

    [note] = held["held"]
    assert (note["id"], note["sender"], note["reason"], len(note["text"])) == (message, "ci", "busy", 200)
    assert note["since"]
    assert held["oldest_pending_at"] == note["queued_at"]
    assert (asking["nudge_state"], asking["signal_text"]) == ("needs_input", "which port?")
    assert (asking["need"], asking["question"], asking["pending_count"]) == ("input", "which port?", 1)
    assert asking["open_questions"] == []


def test_the_last_line_of_a_session_comes_by_itself(hark: RunningHark, browser: WebBrowser) -> None:
    with browser.live() as live:
        session = str(hark.json("new", "-d", "-n", "line", "--", "sh", "-c", "echo all tests pass; sleep 1000")["id"])
        told = live.wait_for("lines", lambda frame: frame["lines"].get(session, {}).get("text") == "all tests pass")

    assert told["lines"][session]["text"] == "all tests pass"
    with browser.live() as later:
        assert row_of(later.snapshot, session)["last_line"] == "all tests pass"


def test_a_dead_letter_shows_until_somebody_dismisses_it(hark: RunningHark, browser: WebBrowser) -> None:
    session = start(hark, "letters")
    sent = {"text": "too late", "timeout_seconds": 0.2}
    with browser.live() as live:
        message = hark.api("POST", f"/sessions/{session}/send", sent).json["id"]
        row = live.row(session, lambda row: bool(row["dead"]))
        assert (row["dead"][0]["id"], row["dead"][0]["status"]) == (message, "expired")

        live.say(type="acknowledge", subject=f"message:{message}", seq=1)
        live.row(session, lambda row: not row["dead"])
    with browser.live() as again:
        assert row_of(again.snapshot, session)["dead"] == []


def test_a_forgotten_session_is_told_of_and_leaves_no_number_behind() -> None:
    with RunningHark(dashboard_port="0", keep_sessions="0.001", keep_messages="0.001") as hark:
        browser = WebBrowser(hark)
        with browser.live() as live:
            session = start(hark, "brief")
            number = signal(hark, session)
            live.say(type="acknowledge", subject=session, seq=number)
            live.wait_for("acknowledged")
            hark.ok("kill", "brief")
            gone = live.wait_for("forgotten", lambda frame: frame["session_id"] == session)
            assert gone["seq"] in seqs(live)
        with browser.live() as later:
            assert later.snapshot["sessions"] == []


# alerts


def test_only_one_tab_alerts_and_no_tab_alerts_again(hark: RunningHark, browser: WebBrowser) -> None:
    session = start(hark, "tabs")
    with browser.live() as one, browser.live() as two:
        number = signal(hark, session)
        claim = {"type": "claim", "session_id": session, "nudge_seq": number}
        one.say(**claim)
        assert one.wait_for("claimed")["is_yours"] is True
        two.say(**claim)
        assert two.wait_for("claimed")["reason"] == "claimed-elsewhere"
        report = {"session_id": session, "nudge_seq": number, "channel": "sound", "outcome": "shown", "reason": ""}
        one.say(type="notified", **report)
        one.ping()
        two.say(**claim)
        assert two.wait_for("claimed")["reason"] == "alerted"
    hark.ok("daemon", "restart")
    with browser.live() as reloaded:
        reloaded.say(**claim)
        assert reloaded.wait_for("claimed")["reason"] == "alerted"
        newer = signal(hark, session, "error")
        reloaded.say(**(claim | {"nudge_seq": newer}))
        assert reloaded.wait_for("claimed")["is_yours"] is True
    stored = hark.api("GET", "/dashboard/notifications").json["notifications"]
    assert [(one["session_id"], one["outcome"]) for one in stored if one["session_id"] == session] == [
        (session, "shown")
    ]


def test_an_alert_that_failed_or_whose_tab_was_closed_is_not_lost(hark: RunningHark, browser: WebBrowser) -> None:
    session = start(hark, "failing")
    number = signal(hark, session)
    claim = {"type": "claim", "session_id": session, "nudge_seq": number}
    with browser.live() as two, browser.live() as one:
        one.say(**claim)
        assert one.wait_for("claimed")["is_yours"] is True
        report = {"session_id": session, "nudge_seq": number, "channel": "sound", "outcome": "failed"}
        one.say(type="notified", reason="the context is suspended", **report)
        one.ping()
        two.say(**claim)
        assert two.wait_for("claimed")["is_yours"] is True
    with browser.live() as three:
        three.say(**claim)
        assert three.wait_for("claimed")["is_yours"] is True
    newest = hark.api("GET", "/dashboard/notifications?limit=1").json["notifications"][0]
    assert (newest["outcome"], newest["reason"]) == ("failed", "the context is suspended")


def test_the_phone_is_silent_when_the_laptop_was_looked_at(hark: RunningHark, browser: WebBrowser) -> None:
    phone, session = WebBrowser(hark), start(hark, "looked-at")
    with browser.live() as laptop, phone.live() as pocket:
        first = signal(hark, session)
        pocket.say(type="claim", session_id=session, nudge_seq=first)
        assert pocket.wait_for("claimed")["is_yours"] is True

        laptop.say(type="presence", is_visible=True, is_focused=True, session_id=session)
        assert pocket.wait_for("acknowledged")["seq"] == first
        second = signal(hark, session, "error")
        assert pocket.wait_for("acknowledged", lambda frame: frame["seq"] == second)["subject"] == session
        pocket.say(type="claim", session_id=session, nudge_seq=second)
        assert pocket.wait_for("claimed")["reason"] == "acknowledged"
        assert any(frame["type"] == "presence" and frame["others_focused"] == 1 for frame in pocket.frames)
    with phone.live() as later:
        assert row_of(later.snapshot, session)["acked_seq"] == second


def test_another_users_look_silences_nobody_else(hark: RunningHark, browser: WebBrowser) -> None:
    guest, session = WebBrowser(hark, user="guest"), start(hark, "guests")
    with browser.live() as mine, guest.live() as theirs:
        number = signal(hark, session)
        theirs.say(type="presence", is_visible=True, is_focused=True, session_id=session)
        theirs.wait_for("acknowledged")
        mine.say(type="claim", session_id=session, nudge_seq=number)
        assert mine.wait_for("claimed")["is_yours"] is True


# hostile


@pytest.mark.parametrize(
    "frame",
    [
        "",
        "{",
        "[]",
        '{"type":"no-such-frame"}',
        '{"type":"hello"}',
        '{"type":"attach","terminal":0,"session":"x"}',
        '{"type":"attach","terminal":1,"session":"no such session"}',
        '{"type":"keys","terminal":7,"data":"x"}',
        '{"type":"history","terminal":7,"id":"x"}',
        '{"type":"acknowledge","subject":"message:zzz","seq":1}',
        '{"type":"claim","session_id":"\\ud800","nudge_seq":1}',
        "[" * 100_000,
    ],
)
def test_a_frame_that_makes_no_sense_is_refused_and_the_connection_goes_on(browser: WebBrowser, frame: str) -> None:
    with browser.live() as live:
        live.channel.send(frame)
        assert live.refusal()["code"]
        live.ping()


def test_a_page_that_does_not_say_hello_is_sent_away(browser: WebBrowser) -> None:
    with browser.socket() as channel:
        channel.send(json.dumps({"type": "ping", "id": "x"}))
        with pytest.raises(ConnectionClosed):
            channel.recv(timeout=30)


def test_hostile_words_arrive_as_data(hark: RunningHark, browser: WebBrowser) -> None:
    session = str(hark.json("new", "-d", "-n", "hostile", "--", "sh", "-c", f"echo '{SCRIPT}'; sleep 1000")["id"])
    with browser.live() as live:
        signal(hark, session, text=SCRIPT)
        row = live.row(session, lambda row: row["signal_text"] == SCRIPT)
        live.find("lines", lambda frame: session in frame["lines"])
    message = hark.api("POST", f"/sessions/{session}/send", {"text": f"```\n{SCRIPT}\n# x", "sender_name": "a_b"}).json
    story = browser.ask("GET", f"/messages/{message['id']}/story")

    assert row["question"] == SCRIPT
    assert story.headers["content-type"].startswith("text/markdown")
    assert story.headers["content-disposition"].startswith("attachment")
    text = story.body.decode()
    assert text.index("````text\n```\n") < text.index(SCRIPT)
    assert "a\\_b" in text


def test_an_agent_gets_no_live_connection() -> None:
    with RunningHark(dashboard_port="0", agent_rights="read") as hark:
        session = start(hark, "caged")
        token = agent_token((hark.state / "agent-secret").read_text().strip(), session)
        headers = {"Authorization": f"Bearer {token}"}
        with unix_connect(str(hark.home / "run/agent.sock"), "ws://localhost/events", additional_headers=headers):
            pass
        with (
            pytest.raises(InvalidStatus),
            unix_connect(str(hark.home / "run/agent.sock"), "ws://localhost/live", additional_headers=headers),
        ):
            pass
