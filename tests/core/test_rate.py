"""The rate limit. Times are monotonic seconds."""

from __future__ import annotations

from edged.core.rate import RateLimiter


def admitted(limiter: RateLimiter, topic: str, now_s: float, attempts: int = 100) -> int:
    """How many of so many requests at one moment are let in."""
    return sum(limiter.admits(topic, now_s) for _ in range(attempts))


def test_a_burst_comes_in_at_once_and_then_the_rate_counts() -> None:
    """Twenty at the first moment, then two per second."""
    limiter = RateLimiter(per_s=2.0, burst=20)
    assert admitted(limiter, "speak", 10.0) == 20
    assert admitted(limiter, "speak", 10.4) == 0
    assert admitted(limiter, "speak", 10.5) == 1
    assert admitted(limiter, "speak", 15.5) == 10


def test_refused_ones_cost_nothing() -> None:
    """A flood does not keep its sender out for ever: the rate is let in all the time."""
    limiter = RateLimiter(per_s=1.0, burst=1)
    assert sum(limiter.admits("speak", tenth / 10) for tenth in range(1000)) == 100


def test_silence_is_not_saved_up_beyond_the_burst() -> None:
    """After an hour it is the burst again, not 3600."""
    limiter = RateLimiter(per_s=1.0, burst=5)
    admitted(limiter, "speak", 0.0)
    assert admitted(limiter, "speak", 3600.0) == 5


def test_topics_do_not_share() -> None:
    """One sender's flood is not another one's."""
    limiter = RateLimiter(per_s=1.0, burst=3)
    assert admitted(limiter, "kiosk", 0.0) == 3
    assert admitted(limiter, "counter", 0.0) == 3


def test_no_limit() -> None:
    """A rate of 0 lets everything in and remembers nothing."""
    limiter = RateLimiter(per_s=0.0, burst=1)
    assert admitted(limiter, "speak", 0.0) == 100
    assert len(limiter) == 0


def test_invented_topics_do_not_fill_the_memory() -> None:
    """Whoever has been silent long enough is forgotten."""
    limiter = RateLimiter(per_s=10.0, burst=1)
    for n in range(1000):
        limiter.admits(f"speak/{n}", n * 1.0)
    assert len(limiter) == 1
