"""CPU lists and thread counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edged.core.cpus import parse_cpu_set, synth_threads

CPU_SETS = st.frozensets(st.integers(0, 15))


def cpus(count: int) -> frozenset[int]:
    """CPUs 0 .. count-1."""
    return frozenset(range(count))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", set()), ("3", {3}), ("0-2", {0, 1, 2}), ("0,2", {0, 2}), ("0-1,3,5-6", {0, 1, 3, 5, 6})],
)
def test_cpu_sets_are_read_as_the_kernel_writes_them(text: str, expected: set[int]) -> None:
    """Single CPUs and ranges, separated by commas."""
    assert parse_cpu_set(text) == expected


@pytest.mark.parametrize("text", ["x", "1-", "-1", "2-1", "1,", "1;2", "0x1"])
def test_other_texts_are_refused(text: str) -> None:
    """A CPU list that cannot be read, or that names no CPU, is an error."""
    with pytest.raises(ValueError, match=r"."):
        parse_cpu_set(text)


@pytest.mark.parametrize(("count", "threads"), [(1, 1), (2, 2), (3, 2), (4, 3), (8, 7)])
def test_default_leaves_a_core_where_there_are_three(count: int, threads: int) -> None:
    """From three cores on, one is the player's; on less it shares."""
    assert synth_threads(0, usable=cpus(count)) == threads


def test_a_request_is_kept_while_it_fits() -> None:
    """Fewer threads than possible is the user's choice."""
    assert synth_threads(2, usable=cpus(4)) == 2


def test_a_request_never_takes_what_the_player_needs() -> None:
    """More threads than cores left only wait for each other, in front of the player."""
    assert synth_threads(16, usable=cpus(4)) == 3


def test_the_players_cpus_are_not_counted() -> None:
    """Its own CPUs are the player's alone, and no further core is spared."""
    assert synth_threads(0, usable=cpus(4), player_cpus=frozenset({3})) == 3
    assert synth_threads(0, usable=cpus(4), player_cpus=frozenset({2, 3})) == 2


def test_an_own_cpu_set_is_used_whole() -> None:
    """Who says 0-2 has already left one for the player."""
    assert synth_threads(0, usable=cpus(4), synth_cpus=cpus(3)) == 3
    assert synth_threads(0, usable=cpus(4), synth_cpus=cpus(3), player_cpus=frozenset({2})) == 2


def test_cpus_the_board_lacks_do_not_count() -> None:
    """A configuration made for a bigger board does not invent cores."""
    assert synth_threads(0, usable=cpus(2), synth_cpus=frozenset({1, 2, 3})) == 1


def test_hyper_threads_do_not_count() -> None:
    """Eight logical CPUs on four cores are four cores, one of them the player's."""
    assert synth_threads(0, usable=cpus(8), physical=4) == 3


def test_a_container_smaller_than_its_host_counts_what_it_may_use() -> None:
    """The host's physical cores are no licence to use more CPUs than the affinity allows."""
    assert synth_threads(0, usable=cpus(2), physical=32) == 2


@given(st.integers(0, 64), CPU_SETS, CPU_SETS, CPU_SETS, st.none() | st.integers(1, 16))
def test_between_one_thread_and_what_is_left(
    requested: int,
    usable: frozenset[int],
    synth_cpus: frozenset[int],
    player_cpus: frozenset[int],
    physical: int | None,
) -> None:
    """Whatever is configured: at least one thread, at most the CPUs that are not the player's."""
    threads = synth_threads(
        requested, usable=usable, synth_cpus=synth_cpus, player_cpus=player_cpus, physical=physical
    )
    assert 1 <= threads <= max(1, len(usable - player_cpus))
