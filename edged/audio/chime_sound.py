"""Chimes as sound: sines that are struck or held, all chimes equally loud."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from edged.audio.chime import CHIMES, Note, Partial
from edged.audio.fade import fade_out, rise
from edged.audio.loudness import gain_db, integrated_lufs

Samples = NDArray[np.float32]

CHIME_LUFS = -16.0  # mono: as loud as speech is by default
_PEAK = 0.8  # -2 dBFS, below what the limiter touches; a chime that needs more is that much less loud
_ATTACK_MS = 4.0  # a stroke that is not heard as a click
_RELEASE_MS = 10.0  # of a held note
_RING_DB = -36.0  # how far a struck note decays; in the last quarter of its length it fades out as well
# of the sample rate: what lies above would come back as a tone that is not in the score
_HIGHEST = 0.45


@lru_cache(maxsize=32)  # all of them, at one rate and a device's next one
def chime_samples(name: str, rate_hz: int) -> Samples:
    """A built-in chime, mono samples [n], read-only. Raises KeyError for other names.

    Its loudness is CHIME_LUFS (ITU-R BS.1770), its first and last samples are silence.
    """
    chime = CHIMES[name]
    mixed = np.zeros(_frames(chime.length_ms, rate_hz) + 1, np.float32)
    for note in chime.notes:
        sound, at = _sound(note, rate_hz), _frames(note.at_ms, rate_hz)
        mixed[at : at + len(sound)] += sound
    samples = mixed * _level(mixed, rate_hz)
    samples.setflags(write=False)
    return samples


def _frames(ms: float, rate_hz: int) -> int:
    return round(ms * rate_hz / 1000)


def _level(samples: Samples, rate_hz: int) -> np.float32:
    wanted = 10 ** (gain_db(integrated_lufs(samples, rate_hz), CHIME_LUFS) / 20)
    return np.float32(min(wanted, _PEAK / float(np.abs(samples).max())))


def _sound(note: Note, rate_hz: int) -> Samples:
    frames = _frames(note.length_ms, rate_hz)
    seconds = np.arange(frames) / rate_hz
    audible = (partial for partial in note.timbre if partial.ratio * note.hz < _HIGHEST * rate_hz)
    sound = sum((_partial(note, partial, seconds) for partial in audible), np.zeros(frames))
    release = _frames(_RELEASE_MS, rate_hz) if note.is_held else frames // 4
    return _with_edges(sound.astype(np.float32), _frames(_ATTACK_MS, rate_hz), release)


def _partial(note: Note, partial: Partial, seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    sine = partial.level * np.sin(2 * np.pi * partial.ratio * note.hz * seconds)
    if note.is_held:
        return sine
    ring_s = note.length_ms / 1000 * partial.ring
    return sine * 10 ** (_RING_DB / 20 * seconds / ring_s)


def _with_edges(sound: Samples, attack: int, release: int) -> Samples:
    """Rising from silence and falling back to it."""
    sound[:attack] *= rise(attack)
    sound[-release:] = fade_out(sound[-release:])
    return sound
