import json
import shlex
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hark.installing.edit import append
from hark.installing.hooks import Misshapen, find, handler, put, subscribed, switched_off, take
from hark.installing.jsonc import Broken, member, parse
from tests.unit.installing.documents import comments, texts, value

PROGRAM = "/opt/a venv/bin/hark-hook"
AGENTS = ("claude", "codex", "gemini")
documents = st.sampled_from(AGENTS).flatmap(lambda agent: st.tuples(st.just(agent), texts(agent)))


def without_ours(root: Any, agent: str) -> Any:
    """The settings' meaning without our hooks and without what holds nothing else."""
    kept = {
        event: [one for one in groups if not is_ours(one, agent)] for event, groups in root.get("hooks", {}).items()
    }
    kept = {event: groups for event, groups in kept.items() if groups}
    rest = {name: one for name, one in root.items() if name != "hooks"}
    return rest | ({"hooks": kept} if kept else {})


def is_ours(group: dict[str, Any], agent: str) -> bool:
    return any(f"hark-hook' {agent} " in str(one.get("command")) for one in group.get("hooks", []))


def has_empty_places(text: str, agent: str) -> bool:
    """What our hooks fill without a trace of what it was: `{ }`, `"hooks": {}`, `"Stop": []`."""
    root = value(text)
    hooks = root.get("hooks")
    return not root or (hooks is not None and (not hooks or any(hooks.get(event) == [] for event in subscribed(agent))))


@given(documents)
def test_installing_twice_is_installing_once(document: tuple[str, str]) -> None:
    agent, text = document

    once = put(text, agent, PROGRAM)

    assert put(once, agent, PROGRAM) == once
    assert [ours.program for ours in find(once, agent)] == [PROGRAM] * len(subscribed(agent))


@given(documents)
def test_what_was_installed_is_taken_out_to_the_byte(document: tuple[str, str]) -> None:
    agent, text = document

    assert take(put(text, agent, PROGRAM), agent, text) == text


@given(documents)
def test_also_without_a_copy_from_before_unless_a_place_was_empty(document: tuple[str, str]) -> None:
    agent, text = document

    after = take(put(text, agent, PROGRAM), agent)

    if not has_empty_places(text, agent):
        assert after == text
    assert without_ours(value(after), agent) == without_ours(value(text), agent)
    assert comments(after) == comments(text)


@given(documents)
def test_everything_else_keeps_its_meaning_its_order_and_its_comments(document: tuple[str, str]) -> None:
    agent, text = document

    after = put(text, agent, PROGRAM)

    assert without_ours(value(after), agent) == without_ours(value(text), agent)
    assert [name for name in value(after) if name != "hooks" or name in value(text)] == list(value(text))
    assert comments(after) == comments(text)


@given(documents, st.sampled_from(["Stop", "AfterAgent", "Other", None]))
def test_what_the_user_adds_in_between_stays(document: tuple[str, str], event: str | None) -> None:
    agent, text = document
    installed = put(text, agent, PROGRAM)
    edited = add(installed, event)

    after = take(edited, agent, text)

    assert list(find(after, agent)) == []
    assert without_ours(value(after), agent) == without_ours(value(edited), agent)
    assert comments(after) == comments(text)


@given(documents)
def test_a_hark_that_has_moved_replaces_its_hooks(document: tuple[str, str]) -> None:
    agent, text = document

    moved = put(put(text, agent, "/old/hark-hook"), agent, PROGRAM)

    assert {ours.program for ours in find(moved, agent)} == {PROGRAM}
    assert without_ours(value(moved), agent) == without_ours(value(text), agent)
    assert comments(moved) == comments(text)


@given(st.text(max_size=30))
@example("{")
@example('{"hooks": {"Stop": [}}')
@settings(max_examples=300)
def test_any_text_at_all_is_installed_into_or_refused(text: str) -> None:
    try:
        after = put(text, "claude", PROGRAM)
    except (Broken, Misshapen):
        return
    assert take(after, "claude", text) == text


def add(text: str, event: str | None) -> str:
    """By the user: a hook of their own behind ours, or a setting."""
    root = parse(text)
    hooks = member(root, "hooks")
    assert hooks is not None
    there = member(hooks.value, event or "")
    mine = {"hooks": [{"type": "command", "command": "mine"}]}
    if event is None:
        return append(text, root, True, "verbose, added")
    return append(text, there.value, mine) if there else append(text, hooks.value, [mine], event)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[]", "it is not an object"),
        ('{"hooks": []}', "hooks is not an object"),
        ('{"hooks": {"Stop": {}}}', r"hooks\.Stop is not an array"),
        ('{"hooks": null}', "hooks is not an object"),
    ],
)
def test_settings_of_another_shape_are_refused(text: str, wanted: str) -> None:
    with pytest.raises(Misshapen, match=wanted):
        put(text, "claude", PROGRAM)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"a": 1,, }', "line 1, column 9: a name in quotes is missing here"),
        ('{\n  "a" 1}', "line 2, column 7: a colon is missing here"),
        ("{} x", "line 1, column 4: something follows the end"),
        ('{"a": 01}', "a comma or '}' is missing here"),
        ("{'a': 1}", "a name in quotes is missing here"),
        ('{"a": "\\x"}', "an escape that JSON does not know"),
        ("// only this", "a value is missing here"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_json_is_refused_and_says_where(text: str, wanted: str) -> None:
    with pytest.raises(Broken) as broken:
        parse(text)
    assert wanted in str(broken.value)


def test_the_last_of_several_members_of_a_name_counts() -> None:
    text = '{"hooks": 1, "hooks": {"Stop": []}}'

    assert value(put(text, "claude", PROGRAM))["hooks"]["Stop"] != []


def test_our_handler_goes_alone_from_a_group_that_the_user_has_joined() -> None:
    joined = {"hooks": [handler("claude", "Stop", PROGRAM, is_installed=True), {"type": "command", "command": "mine"}]}
    text = json.dumps({"hooks": {"Stop": [joined]}}, indent=2)

    assert value(take(text, "claude")) == {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}


def test_a_comment_that_the_user_has_written_beside_our_handler_stays() -> None:
    lines = put("{}", "gemini", PROGRAM).splitlines()
    lines.insert(3, "// who put this here? //")
    text = "\n".join(lines)

    after = take(text, "gemini", "{}")

    assert comments(after) == ["// who put this here? //"]
    assert list(find(after, "gemini")) == []


def test_the_command_is_one_that_a_shell_understands() -> None:
    line = handler("claude", "Stop", PROGRAM, is_installed=True)["command"]

    assert shlex.split(line) == ["[", "-n", "$HARK_HOOKS", "]", "||", PROGRAM, "claude", "Stop"]


@pytest.mark.parametrize(
    ("agent", "text", "setting"),
    [
        ("claude", '{"disableAllHooks": true}', "disableAllHooks"),
        ("claude", '{"disableAllHooks": false}', None),
        ("gemini", '{"hooksConfig": {"enabled": false}}', "hooksConfig.enabled"),
        ("gemini", '{"hooksConfig": 3}', None),
        ("codex", "", None),
    ],
)
def test_a_user_who_has_switched_hooks_off_is_noticed(agent: str, text: str, setting: str | None) -> None:
    assert switched_off(text, agent) == setting
