"""Speech as it is heard at a site: shaped, limited, brought to one loudness, through the room, in noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.noises import Site
from benchmarks.stoi import intelligibility
from edged.audio.limiter import Limiter
from edged.audio.loudness import gain_db, integrated_lufs
from edged.audio.presets import PRESETS, Preset
from edged.audio.shaping import Shaping

Samples = NDArray[np.float32]

PROGRAMME_LUFS = -16.0  # the default of audio.loudness_lufs


@dataclass(frozen=True, slots=True)
class Condition:
    """The intelligibility of each recording at one ratio of speech to noise, flat and with the preset."""

    snr_lu: int
    flat: tuple[float, ...]
    preset: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """A preset at its site; `loudness_lu` is what it changed of each recording's loudness."""

    conditions: tuple[Condition, ...]
    loudness_lu: tuple[float, ...]


def listen(
    site: Site, preset: Preset, recordings: Sequence[Samples], crowd: Sequence[Samples], rate_hz: int
) -> Trial:
    """Each recording, of speech at the programme's loudness, in the same noise without and with the preset.

    The loudness that the preset changes is given back before the comparison: what is left is intelligibility.
    """
    flat = [_played(PRESETS["flat"], samples, rate_hz) for samples in recordings]
    shaped = [_played(preset, samples, rate_hz) for samples in recordings]
    changes = [_lufs(b, rate_hz) - _lufs(a, rate_hz) for a, b in zip(flat, shaped, strict=True)]
    pairs = [(at_programme(a, rate_hz), at_programme(b, rate_hz)) for a, b in zip(flat, shaped, strict=True)]
    heard = [_heard(site, pair, crowd, rate_hz, seed) for seed, pair in enumerate(pairs)]
    conditions = (
        Condition(snr, tuple(h[index][0] for h in heard), tuple(h[index][1] for h in heard))
        for index, snr in enumerate(site.snrs_lu)
    )
    return Trial(tuple(conditions), tuple(changes))


def at_programme(samples: Samples, rate_hz: int) -> Samples:
    """Samples at the loudness of the programme; silence stays silence."""
    return _amplified(samples, gain_db(integrated_lufs(samples, rate_hz), PROGRAMME_LUFS))


def _played(preset: Preset, samples: Samples, rate_hz: int) -> Samples:
    """As the device gets it."""
    limiter = Limiter(rate_hz)
    shaped = Shaping(preset, rate_hz, PROGRAMME_LUFS).feed(samples)
    return np.concatenate((limiter.feed(shaped), limiter.flush()))


def _heard(
    site: Site, pair: tuple[Samples, Samples], crowd: Sequence[Samples], rate_hz: int, seed: int
) -> list[tuple[float, float]]:
    """For each ratio of the site: of both to someone who knows the first."""
    generator = np.random.default_rng(seed)
    clean = pair[0]
    arrived = pair
    if site.path:
        response = site.path(rate_hz, generator)
        arrived = (_through(response, pair[0]), _through(response, pair[1]))
    noise = at_programme(site.noise(crowd, rate_hz, len(clean), generator), rate_hz)
    return [
        (
            intelligibility(clean, arrived[0] + _amplified(noise, -snr), rate_hz),
            intelligibility(clean, arrived[1] + _amplified(noise, -snr), rate_hz),
        )
        for snr in site.snrs_lu
    ]


def _through(response: Samples, samples: Samples) -> Samples:
    """`samples` [n] convolved with an impulse response, the first n."""
    length = 1 << (len(samples) + len(response) - 1).bit_length()
    spectrum = np.fft.rfft(samples, length) * np.fft.rfft(response, length)
    return np.fft.irfft(spectrum, length)[: len(samples)].astype(np.float32)


def _lufs(samples: Samples, rate_hz: int) -> float:
    lufs = integrated_lufs(samples, rate_hz)
    assert lufs is not None, "speech is not silent"
    return lufs


def _amplified(samples: Samples, gain: float) -> Samples:
    return samples * np.float32(10 ** (gain / 20))
