"""hark inside a human's own tmux: new sessions are windows there, `attach` switches, nothing is nested or left behind."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import pytest

from hark.demo.human import Human
from tests.integration.end_to_end.agents import PROGRAM
from tests.integration.end_to_end.running import DEADLINE_S, HARK, RunningHark
from tests.support.terminals import PrivateTmux, wait_until


class Desk:
    """A human at a shell in a tmux of their own, in which `hark` reaches the daemon of the test."""

    def __init__(self, hark: RunningHark, tmux: PrivateTmux) -> None:
        self.hark = hark
        self.tmux = tmux
        self.shell = tmux.new(["env", "PS1=ready> ", "sh"], 100, 30, hark.environment)
        tmux.run("set", "-g", "remain-on-exit", "off", ";", "set", "-g", "exit-empty", "on")
        tmux.run("rename-session", "-t", self.shell, "work", ";", "rename-window", "-t", self.shell, "sh")
        tmux.run("new-window", "-d", "-a", "-t", "work:", "-n", "later", "cat")
        self.human = Human(tmux.socket, "work", 100, 30)

    @property
    def inside(self) -> dict[str, str]:
        return {"TMUX": f"{self.tmux.socket},1,0", "TMUX_PANE": self.shell}

    def type(self, *words: str) -> None:
        """At the shell's prompt."""
        self.tmux.type(self.shell, shlex.join([HARK, *words]))
        self.tmux.press(self.shell, "Enter")

    def shown(self) -> str:
        """The pane that the human's terminal shows."""
        rows = self.tmux.run("list-clients", "-F", "#{client_control_mode} #{pane_id}").splitlines()
        return next((row[2:] for row in rows if row.startswith("0 ")), "")

    def wait_shown(self, pane_id: str) -> None:
        wait_until(lambda: self.shown() == pane_id, DEADLINE_S, f"the human to see {pane_id}", self.screens)

    def windows(self) -> list[str]:
        return self.tmux.run("list-windows", "-t", "work", "-F", "#{window_name}").split()

    def screens(self) -> str:
        return self.tmux.capture(self.shell) + str(self.hark.log())

    def session(self, name: str) -> dict[str, object]:
        wait_until(
            lambda: self.hark.api("GET", f"/sessions/{name}").status == 200, DEADLINE_S, f"session {name}", self.screens
        )
        return self.hark.session(name)


@pytest.fixture
def desk(hark: RunningHark) -> Iterator[Desk]:
    hark.ok("ls")
    with PrivateTmux() as tmux:
        made = Desk(hark, tmux)
        with made.human:
            made.human.wait_attached()
            yield made


def test_a_new_session_is_the_next_window_and_shown(desk: Desk) -> None:
    desk.type("new", "-n", "backend", "--", PROGRAM)

    session = desk.session("backend")
    desk.wait_shown(str(session["pane_id"]))
    assert session["socket"] == str(desk.tmux.socket)
    assert desk.windows() == ["sh", "backend", "later"]
    assert desk.tmux.read(str(session["pane_id"]), "#{automatic-rename} #{pane_title}") == "0 backend (demo)"


def test_a_detached_one_is_opened_behind_the_humans_back(desk: Desk) -> None:
    made = desk.hark.ok("new", "-d", "-n", "backend", "--", PROGRAM, environment=desk.inside)

    assert made.startswith("backend ")
    assert desk.windows() == ["sh", "backend", "later"]
    assert desk.shown() == desk.shell


def test_messages_reach_a_session_in_a_window_and_killing_it_closes_that_window_only(desk: Desk) -> None:
    desk.hark.ok("new", "-d", "-n", "backend", "--", PROGRAM, environment=desk.inside)

    assert desk.hark.json("send", "--wait", "completed", "backend", "hello")["status"] == "completed"
    desk.hark.ok("kill", "backend")

    wait_until(lambda: desk.windows() == ["sh", "later"], DEADLINE_S, "the window to close", desk.windows)


def test_a_pane_beside(desk: Desk) -> None:
    made = desk.hark.json("new", "-d", "--pane", "-n", "side", "--", PROGRAM, environment=desk.inside)

    assert desk.tmux.run("list-panes", "-t", desk.shell, "-F", "#{pane_id}").split() == [desk.shell, made["pane_id"]]
    assert desk.tmux.read(desk.shell, "#{window_name}") == "sh"


def test_harks_own_server_on_request(desk: Desk) -> None:
    made = desk.hark.json("new", "-d", "--own-server", "-n", "own", "--", PROGRAM, environment=desk.inside)

    assert made["socket"] == str(desk.hark.tmux_socket)
    assert desk.hark.tmux("list-windows", "-t", made["pane_id"], "-F", "#{window_name}").split() == ["own"]
    assert desk.windows() == ["sh", "later"]


@pytest.mark.parametrize("left_over", [{"TMUX_PANE": "%999"}, {"TMUX": "/nowhere/s,1,0"}], ids=["a pane", "a server"])
def test_an_environment_that_is_left_over_is_no_obstacle(desk: Desk, left_over: dict[str, str]) -> None:
    made = desk.hark.json("new", "-d", "--", PROGRAM, environment=desk.inside | left_over)

    assert made["socket"] == str(desk.hark.tmux_socket)


def test_a_window_or_a_pane_needs_tmux(hark: RunningHark) -> None:
    for option in ("--window", "--pane"):
        assert "inside tmux" in hark.refused("new", option, "--", "cat").detail


def test_a_renamed_session_renames_its_window_unless_the_human_has(desk: Desk) -> None:
    for name in ("one", "two"):
        desk.hark.ok("new", "-d", "-n", name, "--", PROGRAM, environment=desk.inside)
    desk.tmux.run("rename-window", "-t", str(desk.session("two")["pane_id"]), "mine")

    desk.hark.ok("rename", "one", "first")
    desk.hark.ok("rename", "two", "second")

    assert sorted(desk.windows()) == ["first", "later", "mine", "sh"]


def test_attach_switches_to_a_session_of_the_same_server(desk: Desk) -> None:
    other = desk.tmux.new("cat")
    made = desk.hark.json("new", "-d", "-n", "far", "--", PROGRAM, environment=desk.inside | {"TMUX_PANE": other})

    desk.type("attach", "far")

    desk.wait_shown(made["pane_id"])


def test_attach_leaves_the_server_for_a_session_of_another_and_comes_back(desk: Desk) -> None:
    made = desk.hark.json("new", "-d", "-n", "own", "--", PROGRAM)

    def seen_by() -> list[str]:
        rows = desk.hark.tmux("list-clients", "-F", "#{client_control_mode} #{pane_id}").splitlines()
        return [row[2:] for row in rows if row.startswith("0 ")]

    desk.type("attach", "own")
    wait_until(lambda: seen_by() == [made["pane_id"]], DEADLINE_S, "the human at the other server", desk.screens)
    assert desk.shown() == ""
    wait_until(lambda: b"detach with prefix d" in desk.human.seen, DEADLINE_S, "the way back to be told")

    desk.human.press("C-b")
    desk.human.type("d")
    desk.wait_shown(desk.shell)


def test_hark_leaves_a_server_with_its_last_session_there(desk: Desk) -> None:
    desk.hark.ok("adopt", "-n", "mine", "-S", str(desk.tmux.socket), "work:later")
    assert "_hark" in desk.tmux.run("list-sessions")

    desk.hark.ok("kill", "mine")

    wait_until(lambda: "_hark" not in desk.tmux.run("list-sessions"), DEADLINE_S, "the hidden session to end")
    assert desk.windows() == ["sh", "later"]


def test_harks_own_server_ends_with_its_last_session(hark: RunningHark) -> None:
    hark.ok("new", "-d", "-n", "only", "--", PROGRAM)

    hark.ok("kill", "only")

    def is_gone() -> bool:
        try:
            hark.tmux("-N", "list-sessions")
        except AssertionError:
            return True
        return False

    wait_until(is_gone, DEADLINE_S, "the server to end")
    assert hark.json("new", "-d", "-n", "next", "--", PROGRAM)["name"] == "next"
