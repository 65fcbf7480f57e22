"""Recordings and built-in chimes, all equally loud, as mono PCM at the engine's rate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from edged.audio.chime import CHIMES
from edged.audio.chime_sound import CHIME_LUFS, chime_samples
from edged.audio.loudness import gain_db, integrated_lufs
from edged.engine.base import Samples
from edged.workers.clip_folder import ClipFolder, Version

_MEASURED_S = 60  # of each recording, from its beginning: 0.2 s of work, once
_MOST_GAIN_DB = 20.0  # what needs more is silence and its noise


@dataclass(frozen=True, slots=True)
class _Level:
    """What is to be done to a recording."""

    offset: np.float32  # its mean: a step where it begins and ends, and no sound
    gain: np.float32


class Clips:
    """The WAV files of `folder` and the built-in chimes, by their names; a chime wins over a file.

    They are brought to `target_lufs` by a constant gain each; peaks may exceed 1, the player has a limiter.
    Raises BadInputError that says why one cannot be played. What was measured is kept with the object.
    """

    def __init__(self, folder: Path, target_lufs: float) -> None:
        self._files = ClipFolder(folder)
        self._target_lufs = target_lufs
        self._levels: dict[tuple[str, int], tuple[Version, _Level]] = {}

    def check(self, name: str) -> None:
        """Whether the clip can be played; it is opened, and read as far as its samples."""
        if name not in CHIMES:
            self._files.check(name)

    def samples(self, name: str, rate_hz: int) -> Iterator[Samples]:
        """The clip, its channels mixed, in blocks."""
        if name in CHIMES:
            yield chime_samples(name, rate_hz) * self._gain(CHIME_LUFS)
            return
        level = self._level(name, rate_hz)
        for block in self._files.samples(name, rate_hz):
            yield (block - level.offset) * level.gain

    def _level(self, name: str, rate_hz: int) -> _Level:
        version = self._files.version(name)
        known = self._levels.get((name, rate_hz))
        if known is None or known[0] != version:
            known = version, self._measure(name, rate_hz)
            self._levels[name, rate_hz] = known
        return known[1]

    def _measure(self, name: str, rate_hz: int) -> _Level:
        blocks: list[Samples] = []
        for block in self._files.samples(name, rate_hz):
            blocks.append(block)
            if sum(map(len, blocks)) >= _MEASURED_S * rate_hz:
                break
        sound = np.concatenate(blocks)[: _MEASURED_S * rate_hz]
        offset = sound.mean(dtype=np.float64).astype(np.float32)
        return _Level(offset, self._gain(integrated_lufs(sound - offset, rate_hz)))

    def _gain(self, lufs: float | None) -> np.float32:
        return np.float32(10 ** (min(gain_db(lufs, self._target_lufs), _MOST_GAIN_DB) / 20))
