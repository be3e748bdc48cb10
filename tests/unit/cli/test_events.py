import json
import threading
from collections.abc import Callable
from typing import Any

import pytest
from websockets.sync.server import ServerConnection, unix_serve

from hark import paths
from hark.cli.client import Client
from hark.cli.main import run
from hark.cli.messages.events import followed
from hark.model.errors import Exit, HarkError
from tests.unit.cli.canned import CannedServer, answer
from tests.unit.cli.samples import START


def event(seq: int) -> dict[str, Any]:
    return {"seq": seq, "at": START, "kind": "hook", "session_id": None, "message_id": None, "data": {}}


def test_all_recorded_events_after_one_are_paged_through(
    serve: Callable[..., CannedServer], capsys: pytest.CaptureFixture[str]
) -> None:
    pages = [{"events": [event(8), event(11)]}, {"events": [event(12)]}, {"events": []}]
    server = serve(*[answer(page) for page in pages])

    assert run(["events", "--after", "7", "--json"]) == Exit.OK

    assert [json.loads(line)["seq"] for line in capsys.readouterr().out.splitlines()] == [8, 11, 12]
    assert [request.line.split("after=")[1].split("&")[0] for request in server.requests] == ["7", "11", "12"]


def test_without_a_start_the_last_ones_are_shown(serve: Callable[..., CannedServer]) -> None:
    server = serve(answer({"last_event_seq": 70}), answer({"events": []}))

    assert run(["events", "-n", "20"]) == Exit.OK

    assert server.requests[1].line.startswith("GET /events?after=50&")


def test_following_shows_events_until_the_daemon_stops() -> None:
    asked: list[str] = []

    def tell(connection: ServerConnection) -> None:
        assert connection.request is not None
        asked.append(connection.request.path)
        connection.send(json.dumps({"seq": 8}))
        connection.send(json.dumps({"seq": 9}))

    paths.make_private(paths.runtime_dir())
    with unix_serve(tell, str(paths.socket_path())) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        events = followed(Client(), 7)

        assert [next(events), next(events)] == [{"seq": 8}, {"seq": 9}]
        with pytest.raises(HarkError, match="has stopped") as caught:
            next(events)

        server.shutdown()
        thread.join(timeout=10)
    assert caught.value.exit_code == Exit.UNREACHABLE
    assert asked == ["/events?after=7"]
