"""An engine without a model: one sine tone a letter. For tests, `doctor` and the first boot."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from edged.engine.base import EngineInfo, PcmChunk, Samples, SynthJob, VoiceInfo
from edged.text.sentence import Sentence

SAMPLE_RATE_HZ = 24000
TONE_MS = 80  # one letter or Han character: about the pace of fast speech
FADE_MS = 5  # no click between tones
_LOWEST_HZ = 300.0
_STEP_HZ = 25.0
_STEPS = 64  # 300..1900 Hz: all of it passes a telephone-grade loudspeaker
_AMPLITUDE = 0.3


class ToneEngine:
    """Implements edged.engine.base.Engine with sine tones; same text, same samples."""

    def __init__(self) -> None:
        self._info = EngineInfo(
            name="tone",
            sample_rate_hz=SAMPLE_RATE_HZ,
            voices=(VoiceInfo("tone", ("zh", "en"), "one sine tone a letter"),),
        )

    @property
    def info(self) -> EngineInfo:
        return self._info

    def warm_up(self) -> None:
        """Nothing to compile."""

    def set_threads(self, threads: int) -> None:
        """Sines need no threads."""

    def synthesize(self, job: SynthJob) -> Iterator[PcmChunk]:
        for index, sentence in enumerate(job.sentences):
            yield PcmChunk(_sentence(sentence, job.speed), SAMPLE_RATE_HZ, index)

    def close(self) -> None:
        """Nothing to free."""


def tone_hz(letter: str) -> float:
    """The frequency of a letter's tone; letters 64 code points apart share one."""
    return _LOWEST_HZ + _STEP_HZ * (ord(letter) % _STEPS)


def _sentence(sentence: Sentence, speed: float) -> Samples:
    tones = [_tone(tone_hz(letter), speed) for letter in sentence.spoken if letter.isalnum()]
    pause = np.zeros(int(SAMPLE_RATE_HZ * sentence.pause_ms / 1000), np.float32)
    return np.concatenate([*tones, pause])


def _tone(frequency_hz: float, speed: float) -> Samples:
    t = np.arange(int(SAMPLE_RATE_HZ * TONE_MS / 1000 / speed)) / SAMPLE_RATE_HZ
    edge = np.clip(np.minimum(t, t[-1] - t) / (FADE_MS / 1000), 0.0, 1.0)
    tone: Samples = (_AMPLITUDE * edge * np.sin(2 * np.pi * frequency_hz * t)).astype(np.float32)
    return tone
