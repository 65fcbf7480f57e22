"""How many requests per second each topic may bring: token buckets. Times are monotonic seconds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class _Bucket:
    tokens: float
    filled_s: float


class RateLimiter:
    """Each topic has a bucket of `burst` tokens that refills at `per_s`; a request takes one. 0: no limit."""

    def __init__(self, per_s: float, burst: int) -> None:
        self._per_s = per_s
        self._burst = burst
        self._buckets: dict[str, _Bucket] = {}

    def __len__(self) -> int:
        """How many topics are remembered."""
        return len(self._buckets)

    def admits(self, topic: str, now_s: float) -> bool:
        """Whether a request that comes on `topic` now is let in; one that is not costs nothing."""
        if not self._per_s:
            return True
        bucket = self._buckets.get(topic)
        if bucket is None:
            self._forget_full_ones(now_s)
            bucket = self._buckets[topic] = _Bucket(self._burst, now_s)
        bucket.tokens, bucket.filled_s = self._level(bucket, now_s), now_s
        if bucket.tokens < 1.0:
            return False
        bucket.tokens -= 1.0
        return True

    def _level(self, bucket: _Bucket, now_s: float) -> float:
        return min(self._burst, bucket.tokens + (now_s - bucket.filled_s) * self._per_s)

    def _forget_full_ones(self, now_s: float) -> None:
        # a full bucket is as good as a new one, and senders can invent topics
        self._buckets = {
            topic: bucket
            for topic, bucket in self._buckets.items()
            if self._level(bucket, now_s) < self._burst
        }
