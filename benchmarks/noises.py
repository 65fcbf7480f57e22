"""The sites of the presets, synthesised: what is heard beside the speech, and what becomes of the speech."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edged.audio.biquad import Filter, high_pass, low_pass, peak

Samples = NDArray[np.float32]
Curve = NDArray[np.floating[Any]]
Noise = Callable[[Sequence[Samples], int, int, np.random.Generator], Samples]
Response = Callable[[int, np.random.Generator], Samples]

_TALKERS = 12  # more than anyone can follow one of
_PIECE_S = 0.4  # of the babble: a word or two, so that no talker says anything
_ENGINE_HZ = 28.0  # firing of a four-cylinder engine at 840 revolutions a minute
_HARMONICS = 24
_HALL_S = 1.8  # until an echo has died away by 60 dB, at low frequencies; a station's concourse
_HALL_HIGH_S = 1.0  # the same at high ones, which air and clothes swallow
_HALL_HIGH_HZ = 1500.0
_HALL_DELAY_S = 0.015  # before the first reflection: 5 m
_DIRECT_TO_REVERBERANT_DB = -3.0  # far from the loudspeaker


@dataclass(frozen=True, slots=True)
class Site:
    """Noise (voices, rate_hz, frames, generator) and, where there is one, the path of the speech.

    `path` is an impulse response (rate_hz, generator) whose direct sound comes without a delay.
    """

    noise: Noise
    snrs_lu: tuple[int, ...]
    path: Response | None = None


def babble(voices: Sequence[Samples], rate_hz: int, frames: int, generator: np.random.Generator) -> Samples:
    """Many at once: pieces of speech in disorder."""
    piece = round(_PIECE_S * rate_hz)
    fade = np.hanning(piece).astype(np.float32)
    speech = np.concatenate(voices)
    total = np.zeros(frames + piece, np.float32)
    for _ in range(_TALKERS):
        for at in range(-int(generator.integers(piece)), frames, piece // 2):  # windows add up to one
            begin = int(generator.integers(max(1, len(speech) - piece)))
            where = slice(max(at, 0), at + piece)
            said = (speech[begin : begin + piece] * fade)[max(-at, 0) :]
            total[where][: len(said)] += said[: len(total[where])]
    return total[:frames]


def ventilation(_: Sequence[Samples], rate_hz: int, frames: int, generator: np.random.Generator) -> Samples:
    """Air in a duct: 6 dB less an octave above 250 Hz."""
    return _coloured(generator.standard_normal(frames), rate_hz, lambda f: 1 / np.maximum(f, 250))


def traffic(_: Sequence[Samples], rate_hz: int, frames: int, generator: np.random.Generator) -> Samples:
    """An engine that idles, and tyres that come and go: rumble with a hiss on it."""
    seconds = np.arange(frames) / rate_hz
    wander = np.cumsum(generator.standard_normal(frames)) * 2e-4
    orders = np.arange(1, _HARMONICS + 1)[:, np.newaxis]
    phases = generator.uniform(0, 2 * np.pi, (_HARMONICS, 1))
    engine = np.sum(np.sin(2 * np.pi * orders * (_ENGINE_HZ * seconds + wander) + phases) / orders, axis=0)
    tyres = _coloured(
        generator.standard_normal(frames), rate_hz, lambda f: 1 / (1 + (f / 900) ** 2) / (1 + 60 / (f + 1))
    )
    passing = 1 + 0.5 * np.sin(2 * np.pi * seconds / 7 + generator.uniform(0, 2 * np.pi))
    return _equally(engine.astype(np.float32), tyres * passing.astype(np.float32))


def machines(voices: Sequence[Samples], rate_hz: int, frames: int, generator: np.random.Generator) -> Samples:
    """A counter hall or shop floor: half of it people, half of it traffic and engines."""
    return _equally(babble(voices, rate_hz, frames, generator), traffic(voices, rate_hz, frames, generator))


def hall(rate_hz: int, generator: np.random.Generator) -> Samples:
    """Direct sound, and noise that dies away, its high frequencies sooner."""
    seconds = np.arange(round(_HALL_S * rate_hz)) / rate_hz
    low, high = (
        (generator.standard_normal(len(seconds)) * 10 ** (-3 * seconds / length)).astype(np.float32)
        for length in (_HALL_S, _HALL_HIGH_S)
    )
    low = Filter([low_pass(_HALL_HIGH_HZ, rate_hz)]).feed(low)
    high = Filter([high_pass(_HALL_HIGH_HZ, rate_hz)]).feed(high)
    echoes = np.where(seconds < _HALL_DELAY_S, 0, low + high)
    echoes *= 10 ** (-_DIRECT_TO_REVERBERANT_DB / 20) / np.linalg.norm(echoes)
    echoes[0] = 1
    return echoes.astype(np.float32)


def horn(rate_hz: int, _: np.random.Generator) -> Samples:
    """A horn loudspeaker: nothing below its cut-off, a resonance, less above 6 kHz."""
    impulse = np.zeros(rate_hz // 5, np.float32)
    impulse[0] = 1
    high = [high_pass(450, rate_hz, q) for q in (0.54, 1.31)]  # Butterworth, fourth order
    return Filter([*high, peak(1800, rate_hz, 4, q=1.5), low_pass(6000, rate_hz)]).feed(impulse)


def _coloured(white: NDArray[np.float64], rate_hz: int, amplitude: Callable[[Curve], Curve]) -> Samples:
    spectrum = np.fft.rfft(white) * amplitude(np.fft.rfftfreq(len(white), 1 / rate_hz))
    return np.fft.irfft(spectrum, len(white)).astype(np.float32)


def _equally(one: Samples, other: Samples) -> Samples:
    """Both with the same power."""
    total: Samples = one / np.sqrt(np.mean(np.square(one))) + other / np.sqrt(np.mean(np.square(other)))
    return total


SITES: Mapping[str, Site] = MappingProxyType(
    {
        "quiet_room": Site(ventilation, (5, 10, 15)),
        "hall": Site(babble, (0, 5, 10), hall),
        "noisy": Site(machines, (-10, -5, 0, 5)),
        "horn": Site(traffic, (-10, -5, 0, 5), horn),
    }
)
