"""How loud voices are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from edged.audio.limiter import Limiter
from edged.audio.loudness import gain_db, integrated_lufs
from edged.engine.base import EngineInfo, PcmChunk, Samples, SynthJob, VoiceInfo
from edged.engine.loudness import effective_lufs, measure_lufs, prompts_for, shipped_lufs, speak
from edged.engine.tone import ToneEngine
from edged.errors import EngineError, RunawayError
from edged.text.sentence import Lang

RATE_HZ = 24000
TARGET_LUFS = -16.0


def voiced(crest: float, level: float, seconds: float = 2.0) -> Samples:
    """A tone of 500 Hz; five times a second a few periods of it are `crest` times as high."""
    t = np.arange(int(seconds * RATE_HZ)) / RATE_HZ
    height = np.where(t % 0.2 < 0.006, crest, 1.0)
    samples: Samples = (level * height * np.sin(2 * np.pi * 500 * t)).astype(np.float32)
    return samples


def at_device(samples: Samples, lufs: float) -> Samples:
    limiter = Limiter(RATE_HZ)
    amplified = samples * np.float32(10 ** (gain_db(lufs, TARGET_LUFS) / 20))
    return np.concatenate((limiter.feed(amplified), limiter.flush()))


class Speaker:
    """An engine with one voice that says `says` for each text, in turn."""

    info = EngineInfo("speaker", RATE_HZ, (VoiceInfo("anna", ("zh", "en")),))

    def __init__(self, *says: Samples | Exception) -> None:
        self._says = list(says)

    def warm_up(self) -> None: ...

    def set_threads(self, threads: int) -> None: ...

    def close(self) -> None: ...

    def synthesize(self, job: SynthJob) -> Iterator[PcmChunk]:
        assert set(job.voices.values()) == {"anna"}
        said = self._says.pop(0)
        if isinstance(said, Exception):
            raise said
        for piece in np.array_split(said, 3):
            yield PcmChunk(piece, RATE_HZ, 0)


PROMPTS: tuple[tuple[Lang, str], ...] = (("en", "Hello."), ("zh", "你好。"), ("en", "Good bye."))


@pytest.mark.parametrize("crest", [1, 4, 8])
@pytest.mark.parametrize("level", [0.002, 0.02, 0.9])
def test_the_gain_leads_to_the_target(crest: float, level: float) -> None:
    """Also of a voice with steep peaks, of which the limiter takes some, once the gain is made of it."""
    recordings = [voiced(crest, level), voiced(crest, 0.8 * level)]
    lufs = effective_lufs(recordings, RATE_HZ)
    assert lufs is not None
    heard = [integrated_lufs(at_device(samples, lufs), RATE_HZ) or 0.0 for samples in recordings]
    assert np.mean(heard) == pytest.approx(TARGET_LUFS, abs=0.3)


def test_without_peaks_it_is_the_mean_loudness() -> None:
    """Two recordings 6 dB apart, both far below the ceiling when amplified."""
    t = np.arange(2 * RATE_HZ) / RATE_HZ
    tone: Samples = (0.05 * np.sin(2 * np.pi * 500 * t)).astype(np.float32)
    alone = integrated_lufs(tone, RATE_HZ)
    assert alone is not None
    assert effective_lufs([tone, np.float32(0.5) * tone], RATE_HZ) == pytest.approx(alone - 3.01, abs=0.02)


def test_a_silent_recording_is_left_out() -> None:
    """It says nothing of the voice; where all are silent there is no figure."""
    silence = np.zeros(RATE_HZ, np.float32)
    assert effective_lufs([silence, voiced(1, 0.1)], RATE_HZ) == effective_lufs([voiced(1, 0.1)], RATE_HZ)
    assert effective_lufs([silence], RATE_HZ) is None
    assert effective_lufs([], RATE_HZ) is None


def test_a_voice_is_measured_by_what_it_says() -> None:
    """All texts in that voice, in pieces; one that found no end does not count."""
    engine = Speaker(voiced(1, 0.1), RunawayError("no end"), voiced(1, 0.1))
    assert measure_lufs(engine, "anna", PROMPTS) == effective_lufs([voiced(1, 0.1)], RATE_HZ)


def test_a_voice_that_makes_no_sound_is_an_error() -> None:
    """Its name is in it."""
    with pytest.raises(EngineError, match="the voice anna of speaker makes no sound"):
        measure_lufs(Speaker(*[np.zeros(RATE_HZ, np.float32)] * 3), "anna", PROMPTS)


def test_a_voice_says_what_it_was_made_for() -> None:
    """A Chinese voice is measured in Chinese."""
    assert prompts_for(VoiceInfo("a", ("zh",)), PROMPTS) == [("zh", "你好。")]
    assert prompts_for(VoiceInfo("a", ("zh", "en")), PROMPTS) == list(PROMPTS)


def test_a_text_without_a_sound_is_no_sample() -> None:
    """Nothing in it can be spoken."""
    assert len(speak(ToneEngine(), "tone", "en", "...")) == 0


def test_the_tone_engine_comes_with_its_figure() -> None:
    """It is what measuring gives."""
    prompts: list[tuple[Lang, str]] = [
        ("en", "Ticket twelve, counter three."),
        ("zh", "请十二号到三号窗口。"),
    ]
    assert measure_lufs(ToneEngine(), "tone", prompts) == pytest.approx(shipped_lufs("tone")["tone"], abs=1)


def test_other_engines_come_without() -> None:
    """Their voices are measured where they are installed."""
    assert shipped_lufs("qwen3") == {}
