"""Which CPUs do what: CPU lists and the number of synthesis threads."""

from __future__ import annotations

# Below three cores the player shares: it needs a few percent of one, and giving up half of the machine
# for that would double the time to the first sample.
_FEWEST_CORES_TO_SPARE_ONE = 3


def parse_cpu_set(text: str) -> frozenset[int]:
    """`0-2,5` as {0, 1, 2, 5}; the empty text is the empty set (no restriction).

    Raises ValueError for anything else, a falling range included.
    """
    return frozenset(cpu for part in text.split(",") for cpu in _parse_range(part)) if text else frozenset()


def synth_threads(
    requested: int,
    *,
    usable: frozenset[int],
    synth_cpus: frozenset[int] = frozenset(),
    player_cpus: frozenset[int] = frozenset(),
    physical: int | None = None,
) -> int:
    """How many threads may synthesise: `requested` (0: all), never more than the player leaves, at least 1.

    `usable` are the CPUs this process may run on, `physical` the number of physical cores behind them
    (None: unknown). Two threads on one core's two hyper-threads only wait for each other.
    """
    left = _cores_left(usable, synth_cpus, player_cpus, physical or len(usable))
    return max(1, min(requested or left, left))


def _cores_left(
    usable: frozenset[int], synth_cpus: frozenset[int], player_cpus: frozenset[int], physical: int
) -> int:
    allowed = (synth_cpus & usable) if synth_cpus else usable
    cores = min(len(allowed - player_cpus), physical)
    somebody_divided = bool(player_cpus) or allowed != usable
    if somebody_divided or cores < _FEWEST_CORES_TO_SPARE_ONE:
        return cores
    return cores - 1


def _parse_range(part: str) -> range:
    first, dash, last = part.partition("-")
    cpus = range(int(first), int(last if dash else first) + 1)
    if not cpus:
        raise ValueError(f"{part!r} is no range of CPUs: write the lower number first")
    return cpus
