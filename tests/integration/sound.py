"""What the tone engine says, and what was heard of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.clocked_sink import trim
from edged.audio import wav
from edged.audio.resample import Resampler
from edged.engine.base import SynthJob
from edged.engine.tone import SAMPLE_RATE_HZ, ToneEngine
from edged.text.front_end import to_spoken

RATE_HZ = 48000
FADE_FRAMES = RATE_HZ // 100  # a stop and a pause take as long
_ROUNDING = 2

Samples = NDArray[np.int32]


def spoken(text: str) -> Samples:
    """What a card should get of this text, from the first to the last sample that is not silent."""
    return on_card(tones(text))


def tones(text: str) -> NDArray[np.float32]:
    """What the engine makes of this text, at its own rate."""
    job = SynthJob("a", to_spoken(text).sentences, {"zh": "tone", "en": "tone"})
    return np.concatenate([chunk.samples for chunk in ToneEngine().synthesize(job)])


def on_card(samples: NDArray[np.float32]) -> Samples:
    """What a card should get of samples at the engine's rate."""
    at_rate = Resampler(SAMPLE_RATE_HZ, RATE_HZ).feed(samples, last=True)
    return _mono(trim(np.rint(at_rate * 2**15).astype(np.int16)[:, None]))


def recorded_sound(recording: NDArray[np.int16]) -> Samples:
    """Of a recording [frames, channels], from the first to the last sample that is not silent."""
    return _mono(trim(recording))


def sounds_in(folder: Path) -> list[Samples]:
    """The WAV files of a daemon that plays into files, oldest first, silent ones left out."""
    heard = [wav.decode(path.read_bytes()).mono() for path in sorted(folder.glob("heard.wav*"))]
    scaled = [np.rint(samples * 2**15).astype(np.int16)[:, None] for samples in heard if samples.any()]
    return [_mono(trim(samples)) for samples in scaled]


def is_same(heard: Samples, expected: Samples) -> bool:
    """Whether every sample is there, at its place, as loud as it should be."""
    return len(heard) == len(expected) and np.allclose(heard, expected, atol=_ROUNDING)


def is_beginning(heard: Samples, whole: Samples) -> bool:
    """Whether `heard` is the beginning of `whole`, but for the fade at its end."""
    until = len(heard) - FADE_FRAMES
    return 0 < until < len(whole) and np.allclose(heard[:until], whole[:until], atol=_ROUNDING)


def _mono(samples: NDArray[np.int16]) -> Samples:
    return samples[:, 0].astype(np.int32)
