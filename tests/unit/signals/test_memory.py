"""One announcement is one signal, however often it is seen, and by whom."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hark.model.signal import SignalState
from hark.signals.marker import Marker
from hark.signals.memory import (
    MOST_ANNOUNCED,
    Memory,
    New,
    begin_turn,
    count_lines,
    hear_words,
    is_heard_by_screen_only,
    merge_sightings,
    print_line,
    see,
)
from hark.signals.rendered import Sighting


def marker(text: str) -> Marker:
    return Marker(SignalState.COMPLETED, text)


def sighting(text: str, context: str = "before") -> Sighting:
    return Sighting(marker=marker(text), context=context)


def see_twice(memory: Memory, sightings: list[Sighting], has_turns: bool = True) -> tuple[Memory, list[New]]:
    """Looks until nothing is in doubt."""
    memory, first = see(memory, sightings, has_turns=has_turns)
    memory, second = see(memory, sightings, has_turns=has_turns)
    return memory, first + second


def texts(new: list[New]) -> list[str]:
    return [one.marker.text for one in new]


def test_what_is_drawn_again_is_not_new_in_the_same_turn_whatever_stands_before_it() -> None:
    memory, new = see(Memory(), [sighting("a")], has_turns=True)
    again, repeated = see(memory, [sighting("a", "another"), sighting("a")], has_turns=True)

    assert (texts(new), repeated, again.announced) == (["a"], [], memory.announced)


def test_what_is_drawn_again_in_a_later_turn_is_not_new_where_it_stood() -> None:
    memory, _ = see(Memory(), [sighting("a", "long before it")], has_turns=True)

    _, new = see(begin_turn(memory), [sighting("a", "before it")], has_turns=True)

    assert new == []


def test_the_same_words_in_a_later_turn_are_new_where_something_else_stands_before_them() -> None:
    memory, _ = see(Memory(), [sighting("a", "one")], has_turns=True)

    _, new = see_twice(begin_turn(memory), [sighting("a", "one"), sighting("a", "two")])

    assert texts(new) == ["a"]


def test_known_words_that_stand_elsewhere_only_for_a_moment_are_not_new() -> None:
    memory, _ = see(Memory(), [sighting("a", "one")], has_turns=True)

    memory, first = see(begin_turn(memory), [sighting("a", "half drawn")], has_turns=True)
    memory, second = see(memory, [sighting("a", "one")], has_turns=True)
    _, third = see(memory, [sighting("a", "half drawn")], has_turns=True)

    assert first + second + third == []


def test_the_same_words_behind_the_same_words_in_a_later_turn_are_new_when_both_are_to_be_seen() -> None:
    memory, _ = see(Memory(), [sighting("a")], has_turns=True)

    _, new = see_twice(begin_turn(memory), [sighting("a"), sighting("a")])

    assert texts(new) == ["a"]


def test_words_on_record_count_once_by_their_name() -> None:
    memory, new = hear_words(Memory(), "w1", [marker("a"), marker("a")])
    memory, again = hear_words(memory, "w1", [marker("a"), marker("a")])
    _, other = hear_words(memory, "w2", [marker("a")])

    assert (texts(new), again, texts(other)) == (["a", "a"], [], ["a"])


def test_what_was_seen_and_then_comes_on_record_is_one_announcement() -> None:
    memory, _ = see(Memory(), [sighting("a")], has_turns=True)
    memory, new = hear_words(memory, "w1", [marker("a"), marker("b")])
    _, seen = see(memory, [sighting("a"), sighting("b")], has_turns=True)

    assert (texts(new), seen) == (["b"], [])


def test_a_program_that_prints_lines_is_caught_up_with_by_counting() -> None:
    memory = print_line(print_line(Memory(), marker("a")), marker("b"))

    after, new = count_lines(memory, [sighting("a"), sighting("b"), sighting("a"), sighting("c")])
    _, again = count_lines(after, [sighting("a"), sighting("b"), sighting("a"), sighting("c")])

    assert (texts(new), again) == (["a", "c"], [])


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["", "x", "yx", "z"])), max_size=12))
def test_looking_again_and_again_finds_nothing_new(rows: list[tuple[str, str]]) -> None:
    sightings = [sighting(text, context) for text, context in rows]
    for has_turns in (True, False):
        memory = Memory()
        for _ in sightings:
            memory, _ = see_twice(memory, sightings, has_turns)

        assert see(memory, sightings, has_turns=has_turns) == (memory, [])


def test_memory_is_bounded() -> None:
    memory = Memory()
    for number in range(3 * MOST_ANNOUNCED):
        memory, _ = hear_words(memory, f"w{number}", [marker(str(number))])

    assert len(memory.announced) == MOST_ANNOUNCED
    assert len(memory.names) <= 2 * MOST_ANNOUNCED


def test_a_daemon_that_dies_between_two_announcements_goes_on_with_the_second() -> None:
    markers = [marker("a"), marker("b"), marker("a")]
    _, new = hear_words(Memory(), "w1", markers)
    _, seen = see(Memory(), [sighting("a"), sighting("b")], has_turns=True)

    for died_after in range(3):
        _, rest = hear_words(new[died_after].memory, "w1", markers)
        assert texts(rest) == [one.text for one in markers[died_after + 1 :]]
    assert texts(see(seen[0].memory, [sighting("a"), sighting("b")], has_turns=True)[1]) == ["b"]


def test_what_is_out_of_sight_is_kept_and_what_is_in_sight_stands_where_it_stands_now() -> None:
    kept = [sighting("a", "in the middle of a redraw"), sighting("b")]
    seen = [sighting("a", "at rest"), sighting("c"), sighting("c")]

    assert merge_sightings(kept, seen) == [sighting("b"), *seen]


def test_an_agent_is_heard_by_its_screen_only_until_its_record_has_said_something() -> None:
    seen, _ = see(Memory(), [sighting("a")], has_turns=True)
    recorded, _ = hear_words(Memory(), "name", [marker("a")])

    assert is_heard_by_screen_only(seen)
    assert not is_heard_by_screen_only(recorded)
    assert not is_heard_by_screen_only(Memory())
    assert not is_heard_by_screen_only(hear_words(seen, "name", [marker("b")])[0])
