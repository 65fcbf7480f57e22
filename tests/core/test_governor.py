"""The thermal governor: readings in, level and limits out."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edged.config.schema import ThermalConfig
from edged.core.governor import ThermalLevel, hottest_c, next_level, threads_at

CONFIG = ThermalConfig(warm_c=80, hot_c=90, critical_c=98, hysteresis_c=5)
NOMINAL, WARM, HOT, CRITICAL = ThermalLevel
LEVELS = st.sampled_from(ThermalLevel)


def levels(*temperatures_c: float | None) -> list[ThermalLevel]:
    """The levels a cool board goes through."""
    level, seen = NOMINAL, []
    for temperature_c in temperatures_c:
        level = next_level(CONFIG, level, temperature_c)
        seen.append(level)
    return seen


def test_the_hottest_sensor_counts() -> None:
    """One hot core is enough, wherever it stands in the list."""
    assert hottest_c([46.0, 81.5, 47.0]) == 81.5


@pytest.mark.parametrize(
    "nonsense", [None, math.nan, math.inf, -math.inf, 0.0, -40.0, -127.0, -273.2, 150.1, 255.0, 6553.5]
)
def test_nonsense_is_ignored(nonsense: float | None) -> None:
    """What a sensor cannot mean neither hides a real reading nor counts as one."""
    assert hottest_c([nonsense, 55.0, nonsense]) == 55.0
    assert hottest_c([nonsense]) is None


@pytest.mark.parametrize("reading_c", [-39.9, -0.1, 0.1, 105.0, 150.0])
def test_extreme_but_possible_readings_count(reading_c: float) -> None:
    """An outdoor kiosk in winter and a throttling chip are both real."""
    assert hottest_c([reading_c]) == reading_c


def test_no_sensors_stay_nominal() -> None:
    """A board without sensors is never limited."""
    assert levels(None, None, None) == [NOMINAL, NOMINAL, NOMINAL]


def test_each_threshold_is_reached_exactly() -> None:
    """A level begins at its threshold, not above it."""
    assert levels(79.9, 80.0, 89.9, 90.0, 97.9, 98.0) == [NOMINAL, WARM, WARM, HOT, HOT, CRITICAL]


def test_a_level_is_left_only_below_its_hysteresis() -> None:
    """Hovering around a threshold does not flip the level back and forth."""
    assert levels(80.0, 79.0, 80.5, 75.1, 75.0, 74.9) == [WARM, WARM, WARM, WARM, WARM, NOMINAL]


def test_levels_rise_and_fall_over_several_steps_at_once() -> None:
    """A jump is believed: heat is not waited for, and a cool board is released at once."""
    assert levels(99.0, 40.0, 91.0, 84.0) == [CRITICAL, NOMINAL, HOT, WARM]


def test_a_vanished_sensor_lets_go_level_by_level() -> None:
    """One failed read does not release everything; a dead sensor does not silence the board for ever."""
    assert levels(99.0, None, math.nan, 0.0, None) == [CRITICAL, HOT, WARM, NOMINAL, NOMINAL]


@given(LEVELS, st.floats(0.1, 150.0))
def test_a_steady_temperature_gives_a_steady_level(level: ThermalLevel, temperature_c: float) -> None:
    """From any level, the second reading of the same temperature changes nothing."""
    first = next_level(CONFIG, level, temperature_c)
    assert next_level(CONFIG, first, temperature_c) == first


@given(LEVELS, st.floats(0.1, 150.0), st.floats(0.1, 150.0))
def test_hotter_is_never_a_lower_level(level: ThermalLevel, one_c: float, other_c: float) -> None:
    """The level rises with the temperature."""
    cool_c, hot_c = sorted((one_c, other_c))
    assert next_level(CONFIG, level, cool_c) <= next_level(CONFIG, level, hot_c)


def test_labels_are_the_published_names() -> None:
    """Health, log and status call the levels by these names."""
    assert [level.label for level in ThermalLevel] == ["nominal", "warm", "hot", "critical"]


@pytest.mark.parametrize(("level", "threads"), [(NOMINAL, 4), (WARM, 3), (HOT, 2), (CRITICAL, 1)])
def test_threads_of_each_level(level: ThermalLevel, threads: int) -> None:
    """The hotter, the fewer."""
    assert threads_at(level, threads=4) == threads


@given(LEVELS, st.integers(1, 64))
def test_there_is_always_a_thread(level: ThermalLevel, threads: int) -> None:
    """Speech gets slower with heat, never impossible, and more than one thread is always reduced."""
    allowed = threads_at(level, threads)
    assert 1 <= allowed <= threads
    assert allowed < threads or threads == 1 or level == NOMINAL
